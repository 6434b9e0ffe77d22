"""Recall and specificity of 650 liver scans of which 344 were verified, corrected as Begg & Greenes (1983) do."""

from __future__ import annotations

from typing import Any

import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, leaves

import assay

CASE = "verification_bias_begg_greenes"
FOUND = leaves(CASE)


def corrected() -> Any:
    return assay.evaluate(DATA / CASE / "predictions.csv", verified_by="call")


OURS = {
    "corrected/recall": Ours(lambda: corrected().recall.value, ("recall",)),
    "corrected/specificity": Ours(lambda: corrected().specificity.value, ("specificity",)),
}
LEFT_OUT = {
    "corrected_se/*": "a delta method on the logit; our limits are Wilson's on each side, joined by MOVER",
    "verified_alone/*": "the naive figures, of the verified rows alone, which this corrects",
}


@pytest.mark.parametrize("leaf", FOUND, ids=lambda leaf: leaf.path)
def test_published_figures(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_the_lists_hold_nothing_else() -> None:
    check_lists(FOUND, OURS, LEFT_OUT)


def test_limits_are_about_as_wide_as_published_errors_say() -> None:
    """.836 with a standard error of .0245 for new cases, by the delta method."""
    new: Any = assay.evaluate(DATA / CASE / "predictions.csv", verified_by="call", target="new")
    assert (new.recall.high - new.recall.low) / (2 * 1.96) == pytest.approx(0.0245, rel=0.15)
    assert "depends on nothing but call" in new.assumes
