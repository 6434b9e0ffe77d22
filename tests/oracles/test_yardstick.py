"""yardstick, two classes: class metrics, probability metrics, and integer case weights as repeated rows."""

from __future__ import annotations

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores, value

from assay.measures import roc_auc

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
    "gain_capture": Ours(lambda: 2 * float(roc_auc(LR)) - 1),
    "gain_capture_tree": Ours(lambda: 2 * float(roc_auc(TREE)) - 1),
    "gain_capture_weighted": Ours(lambda: 2 * float(roc_auc(LR_REPEATED)) - 1),
    "mn_log_loss": value("log_loss", LR),
    "mn_log_loss_weighted": value("log_loss", LR_REPEATED),
}
LEFT_OUT = {
    "?pv_prev005": "predictive values at a supplied prevalence: a later issue (decisions)",
    "pr_auc*": "the linear trapezoid is optimistic; average precision is the step sum",
    "classification_cost*": "expected cost: a later issue (decisions)",
}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_yardstick(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)
