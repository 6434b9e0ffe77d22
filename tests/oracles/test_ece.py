"""CalibratR's expected calibration errors, and the edge convention that changes them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves, scores

from assay.calibration import Groups, ece, equal_width
from assay.calibration.groups import by_rank
from assay.evidence import ScoreTable

CASE = "ece_corp_calibration"
LEAVES = leaves(CASE)
CANCER = columns(CASE, "breast_cancer.csv")
A, B = scores(CASE, "score_a"), scores(CASE, "score_b")
LR = ScoreTable.of(CANCER["score_lr"], CANCER["y_true"] == 1)


def first_ones_larger(table: ScoreTable, groups: int) -> Groups:
    """CalibratR's groups of equal size: the first ones take the cases that are left over, ties are split."""
    size, over = divmod(int(table.total), groups)
    ends = np.cumsum([size + (i < over) for i in range(groups)])[:-1]
    return by_rank(table, ends, ties="split")


def error(groups: Groups) -> Ours:
    return Ours(lambda: ece(groups, replicates=1).value)


OURS = {
    "ece_width10_a": error(equal_width(A, 10)),
    "ece_width10_b": error(equal_width(B, 10)),
    "ece_width15_a": error(equal_width(A, 15)),
    "ece_width10_lr": error(equal_width(LR, 10)),
    "ece_freq10_a": error(first_ones_larger(A, 10)),
    "ece_freq10_lr": error(first_ones_larger(LR, 10)),
}
LEFT_OUT = {
    "mce_calibratr_a": "multiplied by the weight of the bin, so not the largest distance (README row 20)",
    "corp_*": "isotonic decomposition: matched in test_corp.py",
    "pav_tree_first20": "isotonic fit: matched in test_corp.py",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_ece(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_scores_on_an_edge_change_sides_with_the_convention() -> None:
    right, left = (ece(equal_width(B, 10, closed=closed), replicates=1).value for closed in ("right", "left"))
    assert round(right, 4) == 0.1492
    assert round(left, 4) == 0.1472
