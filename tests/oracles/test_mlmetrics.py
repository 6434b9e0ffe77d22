"""MLmetrics, ModelMetrics and mlr3measures on the breast cancer scores."""

from __future__ import annotations

from functools import partial

import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, leaves, scores, value

MLMETRICS, MLR3 = "mlmetrics_modelmetrics", "mlr3measures_binary_multiclass"
LEAVES = {case: leaves(case) for case in (MLMETRICS, MLR3)}
LR, NB, TREE = (scores(MLR3, f"score_{name}") for name in ("lr", "nb", "tree"))
LR_REPEATED = scores(MLR3, "score_lr", repeated=2)  # weights are multiples of a half
MATRIX = LR.at(0.5)
MLR3_NAMES = {
    "acc": "accuracy",
    "bacc": "balanced_accuracy",
    "dor": "diagnostic_odds_ratio",
    "fbeta": "f1",
    "fdr": "fdr",
    "fomr": "false_omission_rate",
    "fnr": "fnr",
    "fpr": "fpr",
    "mcc": "mcc",
    "npv": "npv",
    "ppv": "precision",
    "tnr": "specificity",
    "tpr": "recall",
}
OURS = {
    MLMETRICS: {
        "logloss_lr": value("log_loss", LR),
        "logloss_lr_mm": value("log_loss", LR),
        "brier_lr": value("brier", LR),
        "brier_nb": value("brier", NB),
        "brier_tree": value("brier", TREE),
        "auc_lr": value("roc_auc", LR),
        "auc_tree": value("roc_auc", TREE),
        "auc_tree_mm": value("roc_auc", TREE),
        "gini_lr": value("gini", LR),
        "mcc_lr": value("mcc", MATRIX),
        "f1_lr": value("f1", MATRIX),
        "kappa_lr": value("kappa", MATRIX),
        "sens_lr": value("recall", MATRIX),
        "spec_lr": value("specificity", MATRIX),
        "ppv_lr": value("precision", MATRIX),
        "npv_lr": value("npv", MATRIX),
    },
    MLR3: {
        **{f"binary/{key}": value(measure, MATRIX) for key, measure in MLR3_NAMES.items()},
        **{f"binary/{cell}": Ours(partial(getattr, MATRIX, cell)) for cell in ("tp", "fp", "tn", "fn")},
        "fbeta2": value("f2", MATRIX),
        "auc": value("roc_auc", LR),
        "prauc": value("pr_area", LR),
        "prauc_tree": value("pr_area", TREE),
        "bbrier": value("brier", LR),
        "bbrier_weighted": value("brier", LR_REPEATED),
        "acc_weighted": value("accuracy", LR_REPEATED.at(0.5)),
    },
}
MANY_CLASSES = "more than two classes: matched in test_many_classes.py where defined"
LEFT_OUT = {
    MLMETRICS: {
        "ks_*": "Kolmogorov-Smirnov distance: curves.ks_curve(...).statistic, tested in tests/curves",
        "mlogloss_wine_a": MANY_CLASSES,
        "prauc_*": "known defect: MLmetrics drops the first point and all area left of the first recall",
        "liftauc_lr": "an area under the lift curve, which no one interprets",
        "gainauc_lr": "an area under the gain curve: the AUC again, scaled by the prevalence",
    },
    MLR3: {
        "mauc/*": MANY_CLASSES,
        "mbrier": MANY_CLASSES,
        "logloss*": MANY_CLASSES,
        "bacc3": MANY_CLASSES,
        "acc3": MANY_CLASSES,
    },
}
PAIRS = [(case, leaf) for case, found in LEAVES.items() for leaf in found]


@pytest.mark.parametrize(("case", "leaf"), PAIRS, ids=lambda part: getattr(part, "path", part))
def test_mlmetrics_and_mlr3(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT[case])


@pytest.mark.parametrize("case", LEAVES)
def test_lists_hold_nothing_stale(case: str) -> None:
    check_lists(LEAVES[case], OURS[case], LEFT_OUT[case])
