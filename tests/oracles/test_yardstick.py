"""yardstick, two classes: class metrics, probability metrics, and integer case weights as repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores, value

from assay.evidence import ScoreTable
from assay.measures import npv_at, ppv_at

CASE = "yardstick_binary"
LEAVES = leaves(CASE)
LR, TREE = scores(CASE, "score_lr"), scores(CASE, "score_tree")
# Weights are multiples of a half; no value depends on the scale of the counts.
LR_REPEATED, TREE_REPEATED = (scores(CASE, name, repeated=2) for name in ("score_lr", "score_tree"))
BY_NAME = {
    "accuracy": "accuracy",
    "bal_accuracy": "balanced_accuracy",
    "detection_prevalence": "predicted_prevalence",
    "f_meas": "f1",
    "j_index": "informedness",
    "kap": "kappa",
    "mcc": "mcc",
    "npv": "npv",
    "ppv": "precision",
    "precision": "precision",
    "recall": "recall",
    "sens": "recall",
    "spec": "specificity",
}


def joined_by_straight_lines(table: ScoreTable) -> Ours:
    """yardstick's pr_auc: straight lines between our points, from precision 1 at recall 0; an optimistic area."""

    def area() -> float:
        swept = table.swept()
        recall, flagged = swept.tp / swept.positives, swept.tp + swept.fp
        precision = np.where(flagged > 0, swept.tp / np.maximum(flagged, 1e-300), 1.0)
        return float(np.trapezoid(precision, recall))

    return Ours(area)


OURS = {
    **{f"class/{key}": value(measure, LR.at(0.5)) for key, measure in BY_NAME.items()},
    **{f"class_weighted/{key}": value(measure, LR_REPEATED.at(0.5)) for key, measure in BY_NAME.items()},
    "f2": value("f2", LR.at(0.5)),
    "f05": value("f05", LR.at(0.5)),
    "roc_auc": value("roc_auc", LR),
    "roc_auc_tree": value("roc_auc", TREE),
    "roc_auc_weighted": value("roc_auc", LR_REPEATED),
    "roc_auc_weighted_tree": value("roc_auc", TREE_REPEATED),
    "average_precision": value("average_precision", LR),
    "average_precision_tree": value("average_precision", TREE),
    "average_precision_weighted_tree": value("average_precision", TREE_REPEATED),
    "gain_capture": value("gini", LR),
    "gain_capture_tree": value("gini", TREE),
    "gain_capture_weighted": value("gini", LR_REPEATED),
    "pr_auc": joined_by_straight_lines(LR),
    "pr_auc_tree": joined_by_straight_lines(TREE),
    "pr_auc_weighted_tree": joined_by_straight_lines(TREE_REPEATED),
    "ppv_prev005": Ours(lambda: float(ppv_at(0.05)(LR.at(0.5)))),
    "npv_prev005": Ours(lambda: float(npv_at(0.05)(LR.at(0.5)))),
    "mn_log_loss": value("log_loss", LR),
    "mn_log_loss_weighted": value("log_loss", LR_REPEATED),
}
LEFT_OUT = {
    "classification_cost*": "matched in test_thresholds.py",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_yardstick(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
