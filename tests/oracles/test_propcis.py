"""PropCIs and R's stats: intervals of one proportion by nine methods, edge counts included."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.uncertainty import PROPORTION_METHODS

CASE = "proportion_intervals"
LEAVES = leaves(CASE)
BY_NAME = {
    "clopper_pearson": ("Clopper-Pearson", 1e-9),
    "wilson": ("Wilson", 1e-9),
    "wilson_cc": ("Wilson, continuity corrected", 1e-9),
    "score_PropCIs": ("Wilson", 6e-5),  # printed to four places
    "agresti_coull": ("Agresti-Coull", 1e-9),
    "plus4": ("plus four", 1e-9),
    "blaker": ("Blaker", 2e-5),  # stepped by 1e-5
    "jeffreys": ("Jeffreys", 1e-9),
    "midp": ("mid-p", 1e-3),  # searched on a grid of 0.0005
}
COUNTS = [(int(x), int(n)) for x, n in zip(*(columns(CASE, "counts.csv")[c] for c in ("x", "n")), strict=True)]


def ours_for(x: int, n: int, method: str) -> Ours:
    return Ours(lambda: list(PROPORTION_METHODS[method](x, n, 0.95)))


OURS = {f"x{x}_n{n}/{key}": ours_for(x, n, method) for x, n in COUNTS for key, (method, _) in BY_NAME.items()}
LEFT_OUT = {"two_sample_*": "the difference of two proportions: matched in test_mcnemar.py"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_propcis(leaf: Leaf) -> None:
    method = leaf.path.rpartition("/")[2]
    tolerance = BY_NAME[method][1] if method in BY_NAME else leaf.tolerance
    check(Leaf(leaf.path, leaf.expected, tolerance, leaf.is_known_defect), OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_every_method_but_the_textbook_one_has_an_oracle_here() -> None:
    assert {method for method, _ in BY_NAME.values()} == set(PROPORTION_METHODS) - {"Wald"}
