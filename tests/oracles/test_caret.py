"""caret's confusionMatrix, two classes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, expected, high, leaves, low, value

from assay.evidence import ConfusionMatrix
from assay.measures import f1, npv_at, ppv_at
from assay.uncertainty import label_bias_test, no_information_test

CASE = "caret_confusion_binary"
LEAVES = leaves(CASE)
BY_CLASS = {
    "Sensitivity": "recall",
    "Specificity": "specificity",
    "Pos Pred Value": "precision",
    "Neg Pred Value": "npv",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
    "Prevalence": "prevalence",
    "Detection Rate": "detection_rate",
    "Detection Prevalence": "predicted_prevalence",
    "Balanced Accuracy": "balanced_accuracy",
}


def matrix_of(decision: str | None, positive: int = 1) -> ConfusionMatrix:
    data = columns(CASE)
    decided = data[decision] if decision else np.zeros_like(data["y_true"])
    truth, decided = ((codes == positive).astype(np.int64) for codes in (data["y_true"], decided))
    return ConfusionMatrix.of(truth, decided, ("rest", str(positive)))


MATRICES = {
    "lr": matrix_of("pred_lr"),
    "nb": matrix_of("pred_nb"),
    "tree": matrix_of("pred_tree"),
    "lr_positive0": matrix_of("pred_lr", positive=0),
    "lr_prevalence_005": matrix_of("pred_lr"),
    "lr_constant_pred0": matrix_of(None),
}


def ours_for(name: str, matrix: ConfusionMatrix) -> dict[str, Ours]:
    positive = "0" if name == "lr_positive0" else "1"
    overall = {
        "Accuracy": value("accuracy", matrix),
        "Kappa": value("kappa", matrix),
        "AccuracyLower": low("accuracy", matrix, "Clopper-Pearson"),
        "AccuracyUpper": high("accuracy", matrix, "Clopper-Pearson"),
        "AccuracyNull": Ours(lambda: float(matrix.actual.max() / matrix.total)),
        "AccuracyPValue": Ours(lambda: no_information_test(matrix).p_value),
        # Predictions against the truth: whether classes are over-called, never a comparison of two classifiers.
        "McnemarPValue": Ours(lambda: label_bias_test(matrix).p_value),
    }
    # caret's table has predictions as rows and the first level first; ours has truth as rows, always.
    table = {
        "rows": Ours(lambda: ["1", "0"]),
        "cols": Ours(lambda: ["1", "0"]),
        "values": Ours(lambda: (matrix.counts.T if positive == "0" else matrix.counts.T[::-1, ::-1]).tolist()),
    }
    return {
        f"{name}/positive": Ours(lambda: positive),
        **{f"{name}/overall/{key}": ours for key, ours in overall.items()},
        **{f"{name}/byClass/{key}": value(measure, matrix) for key, measure in BY_CLASS.items()},
        **{f"{name}/table_pred_rows_ref_cols/{key}": ours for key, ours in table.items()},
    }


AT_FIVE_PERCENT = {
    "lr_prevalence_005/byClass/Pos Pred Value": Ours(lambda: float(ppv_at(0.05)(MATRICES["lr"]))),
    "lr_prevalence_005/byClass/Neg Pred Value": Ours(lambda: float(npv_at(0.05)(MATRICES["lr"]))),
    "lr_prevalence_005/byClass/Prevalence": Ours(lambda: 0.05),
}
LEFT_OUT = {"lr_constant_pred0/byClass/F1": "caret's F1 by way of precision is undefined; the count form is 0"}
OURS = {
    path: ours
    for name, matrix in MATRICES.items()
    for path, ours in ours_for(name, matrix).items()
    if path not in LEFT_OUT
} | AT_FIVE_PERCENT


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_caret(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


def test_f1_of_always_no_is_zero_by_the_count_form() -> None:
    assert f1(MATRICES["lr_constant_pred0"]) == 0.0


def test_the_source_stands_beside_the_figures() -> None:
    assert expected(CASE)["system"]["packages"] == {"caret": "6.0.93"}
