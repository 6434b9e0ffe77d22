"""Many classes: mlr3measures, caret and e1071 on wine, WEKA on iris."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import columns, expected

import assay
from assay.measures import averaged, fpr, specificity
from assay.predictions import Predictions


def evaluation(case: str, file: str, prefix: str) -> assay.ManyClassEvaluation:
    data = columns(case, file)
    probability = np.column_stack([data[f"{prefix}_{k}"] for k in range(3)])
    return assay.evaluate(Predictions(("0", "1", "2"), data["y_true"].astype(int), probability=probability))


def figures(case: str) -> dict[str, Any]:
    return {result["id"]: result["value"] for result in expected(case)["results"]}


WINE = evaluation("mlr3measures_binary_multiclass", "wine.csv", "a")
IRIS = {name: evaluation(name, "predictions.csv", "p") for name in ("weka_iris_j48", "weka_iris_naivebayes")}

MLR3 = {
    "mauc/au1p": "ovo_weighted_roc_auc",
    "mauc/au1u": "hand_till",
    "mauc/aunp": "weighted_roc_auc",
    "mauc/aunu": "macro_roc_auc",
    "mbrier": "brier",
    "logloss": "log_loss",
    "bacc3": "balanced_accuracy",
    "acc3": "accuracy",
}
# prAUC is MLmetrics' defective area; Mean_Balanced_Accuracy is the mean of (recall + specificity) / 2.
CARET = {
    "logLoss": "log_loss",
    "AUC": "macro_roc_auc",
    "Accuracy": "accuracy",
    "Kappa": "kappa",
    "Mean_F1": "macro_f1",
    "Mean_Sensitivity": "macro_recall",
    "Mean_Recall": "macro_recall",
    "Mean_Specificity": "macro_specificity",
    "Mean_Pos_Pred_Value": "macro_precision",
    "Mean_Precision": "macro_precision",
    "Mean_Neg_Pred_Value": "macro_npv",
}
WEKA = {
    "overall.kappa": "kappa",
    "overall.errorRate": "error_rate",
    "overall.weightedTruePositiveRate": "weighted_recall",
    "overall.weightedPrecision": "weighted_precision",
    "overall.weightedRecall": "weighted_recall",
    "overall.weightedFMeasure": "weighted_f1",
    "overall.weightedTrueNegativeRate": "weighted_specificity",
    "overall.weightedAreaUnderROC": "weighted_roc_auc",
}
WEKA_BY_CLASS = {
    "tpRate": "recall",
    "fpRate": "fpr",
    "tnRate": "specificity",
    "fnRate": "fnr",
    "precision": "precision",
    "recall": "recall",
    "fMeasure": "f1",
    "areaUnderROC": "roc_auc",
}


@pytest.mark.parametrize("path", MLR3)
def test_mlr3measures(path: str) -> None:
    wanted: Any = figures("mlr3measures_binary_multiclass")
    for key in path.split("/"):
        wanted = wanted[key]
    assert WINE.estimate(MLR3[path]).value == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("name", CARET)
def test_caret_multi_class_summary(name: str) -> None:
    wanted = figures("caret_summaries_resamples")["multi_class_wine_a"][name]
    assert WINE.estimate(CARET[name]).value == pytest.approx(wanted, rel=1e-9)


def test_carets_balanced_accuracy_is_another_average() -> None:
    wanted = figures("caret_summaries_resamples")["multi_class_wine_a"]["Mean_Balanced_Accuracy"]
    assert WINE.matrix is not None
    mean = (WINE.macro_recall.value + float(averaged("macro", specificity)(WINE.matrix))) / 2
    assert mean == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("model", ["a", "b"])
def test_e1071_and_vcd(model: str) -> None:
    data = columns("agreement_statistics")
    truth, decision = data["y_true"].astype(int), data[f"pred_{model}"].astype(int)
    ev = assay.evaluate(Predictions(("0", "1", "2"), truth, decision=decision))
    wanted = figures("agreement_statistics")[f"e1071_{model}"]
    assert ev.accuracy.value == pytest.approx(wanted["diag"], rel=1e-9)
    assert ev.kappa.value == pytest.approx(wanted["kappa"], rel=1e-9)
    low, high = figures("agreement_statistics")["vcd_confint_a"]["values"][0]
    if model == "a":  # theirs is symmetric on the plain scale
        assert ev.kappa.low == pytest.approx(low, abs=0.02)
        assert ev.kappa.high == pytest.approx(high, abs=0.02)


@pytest.mark.parametrize("case", IRIS)
@pytest.mark.parametrize("name", WEKA)
def test_weka_overall(case: str, name: str) -> None:
    assert IRIS[case].estimate(WEKA[name]).value == pytest.approx(figures(case)[name], rel=1e-9)


@pytest.mark.parametrize("case", IRIS)
@pytest.mark.parametrize("name", WEKA_BY_CLASS)
def test_weka_by_class(case: str, name: str) -> None:
    for k in range(3):
        found = IRIS[case].per_class[str(k)][WEKA_BY_CLASS[name]].value
        assert found == pytest.approx(figures(case)[f"class_{k}.{name}"], rel=1e-9)


@pytest.mark.parametrize("case", IRIS)
def test_weka_confusion_and_weighted_false_alarms(case: str) -> None:
    matrix = IRIS[case].matrix
    assert matrix is not None
    assert matrix.counts.tolist() == figures(case)["confusion_rows_true_cols_pred"]
    wanted = figures(case)["overall.weightedFalsePositiveRate"]
    assert float(averaged("weighted", fpr)(matrix)) == pytest.approx(wanted, rel=1e-9)


def test_weka_prc_area_is_average_precision() -> None:
    for case, ev in IRIS.items():
        for k in range(3):
            wanted = figures(case).get(f"class_{k}.areaUnderPRC@3.8.7")
            if wanted is not None:
                assert math.isclose(ev.per_class[str(k)]["average_precision"].value, wanted, rel_tol=1e-9)
