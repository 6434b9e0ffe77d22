"""verification::rps: the ranked probability score of ordered classes and its skill."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves
from tests.oracles.weak import many, of

import assay

CASE = "ranked_probability_score_wine"
LEAVES = leaves(CASE)


def always(share: np.ndarray, rows: int | None = None) -> assay.Evaluation:
    """Every case given the same probabilities."""
    truth = columns(CASE)["y_true"].astype(int)[:rows]
    return assay.evaluate(truth, y_proba=np.tile(share, (len(truth), 1)), classes=[0, 1, 2])


TRUTH = columns(CASE)["y_true"].astype(int)
SHARES = always(np.bincount(TRUTH) / len(TRUTH))
EVEN = always(np.full(3, 1 / 3))
LR = many(CASE, "lr")
NAME = "ranked_probability_score"

OURS = {
    **{f"rps_{model}/rps": of(many(CASE, model), NAME) for model in ("lr", "knn")},
    **{f"rps_{model}/rpss": of(many(CASE, model), "ranked_probability_skill") for model in ("lr", "knn")},
    **{f"rps_{model}/rps.clim": of(SHARES, NAME) for model in ("lr", "knn")},
    "rps_lr_uniform_baseline/rps": of(LR, NAME),
    "rps_lr_uniform_baseline/rps.clim": of(EVEN, "rps"),
    "rps_lr_uniform_baseline/rpss": Ours(lambda: 1 - LR.estimate("rps").value / EVEN.estimate("rps").value),
    "rps_lr_first_50_rows/rps": of(many(CASE, "lr", rows=50), NAME),
}
LEFT_OUT = {
    "rps_lr_first_50_rows/rpss": "one class alone: minus infinity there, undefined with the reason here",
    "rps_lr_first_50_rows/rps.clim": "one class alone: always saying it is perfect",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_ranked_probability(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_the_skill_of_one_class_says_why_there_is_none() -> None:
    found = many(CASE, "lr", rows=50).estimate("ranked_probability_skill")
    assert np.isnan(found.value)
    assert "of one class" in (found.undefined or "")
