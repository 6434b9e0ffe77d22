"""ROCR's figures on heavily tied scores, read off our curves."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores

from assay.curves import against_threshold, roc

CASE = "rocr_tied_scores"
LEAVES = leaves(CASE)
TABLES = {name: scores(CASE, f"score_{name}") for name in ("lr", "tree")}


def area(name: str) -> Ours:
    """A trapezoid under the points is the area: tied scores make one slanted segment."""
    curve = roc(TABLES[name])
    return Ours(lambda: float(np.trapezoid(curve.y, curve.x)))


def best(measure: str) -> Ours:
    return Ours(lambda: float(against_threshold(measure)(TABLES["tree"]).y.max()), (measure,))


OURS = {
    "auc_tree": area("tree"),
    "auc_lr": area("lr"),
    "n_cutoffs_tree": Ours(lambda: len(against_threshold("accuracy")(TABLES["tree"]))),
    "best_acc_tree": best("accuracy"),
    "best_f_tree": best("f1"),
}
LEFT_OUT = {
    "rch_tree/*": "the convex hull has a test of its own",
    "mxe_*": "a mean loss, not a curve: test_rocr.py",
    "rmse_*": "a mean loss, not a curve: test_rocr.py",
    "aucpr_*": "known defect: interpolated points are inserted at an index that earlier insertions have moved",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_rocr_curves(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
