"""cvAUC: the mean of the folds' AUCs with LeDell's standard error."""

from __future__ import annotations

import pytest
from scipy.stats import norm
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

import assay
from assay.evidence import ScoreTable
from assay.measures import roc_auc
from assay.uncertainty import cross_validated_error

CASE = "cvauc_influence_ci"
LEAVES = leaves(CASE)
DATA = columns(CASE)


def folds(column: str) -> list[ScoreTable]:
    each = (DATA["fold"] == fold for fold in range(10))
    return [ScoreTable.of(DATA[column][here], DATA["y_true"][here] == 1) for here in each]


AUC, ERROR = cross_validated_error(folds("score_lr"))


def wald(level: float) -> list[float]:
    half = float(norm.ppf(0.5 + level / 2)) * ERROR
    return [AUC - half, AUC + half]


OURS = {
    "lr/cvAUC": Ours(
        lambda: assay.evaluate(DATA["y_true"], DATA["score_lr"], fold=DATA["fold"]).roc_auc.value, ("roc_auc",)
    ),
    "lr/se": Ours(lambda: ERROR),
    "lr/ci": Ours(lambda: wald(0.95)),
    "ci90_lr": Ours(lambda: wald(0.9)),
    "fold_auc_lr": Ours(lambda: [float(roc_auc(fold)) for fold in folds("score_lr")], ("roc_auc",)),
}
LEFT_OUT = {"tree/*": "known defect: ties count as lost in the influence curve, but half in the AUC"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_cvauc(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_ties_count_half_in_the_influence_too() -> None:
    assert cross_validated_error(folds("score_tree"))[1] == pytest.approx(0.01314, abs=5e-6)
