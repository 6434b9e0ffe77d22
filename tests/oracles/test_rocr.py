"""ROCR on heavily tied scores."""

from __future__ import annotations

import math

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores, value

from assay.evidence import ScoreTable
from assay.measures import brier, registry

CASE = "rocr_tied_scores"
LEAVES = leaves(CASE)
LR, TREE = scores(CASE, "score_lr"), scores(CASE, "score_tree")


def best(measure: str) -> Ours:
    """The most a measure reaches at any threshold of ours."""
    return Ours(lambda: float(registry[measure](TREE.swept()).max()), (measure,))


def root_mean_square(table: ScoreTable) -> Ours:
    return Ours(lambda: math.sqrt(float(brier(table))), ("brier",))


OURS = {
    "auc_tree": value("roc_auc", TREE),
    "auc_lr": value("roc_auc", LR),
    "n_cutoffs_tree": Ours(lambda: len(TREE.thresholds())),
    "best_acc_tree": best("accuracy"),
    "best_f_tree": best("f1"),
    "mxe_lr": value("log_loss", LR),
    "rmse_lr": root_mean_square(LR),
    "rmse_tree": root_mean_square(TREE),
}
LEFT_OUT = {
    "rch_tree/*": "matched in test_hull.py",
    "mxe_tree": "ROCR's is infinite for a certain and wrong case; ours is clipped, counted and has no interval",
    "aucpr_*": "known defect: interpolated points are inserted at an index that earlier insertions have moved",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_rocr(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
