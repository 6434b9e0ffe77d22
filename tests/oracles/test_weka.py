"""WEKA's Evaluation, numbers and text: every figure of every case, for each version that printed it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, columns, expected

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation, evaluate
from assay.evidence import ConfusionMatrix, DecidedRows, ScoreTable
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.measures import (
    Measure,
    accuracy,
    average_precision,
    error_rate,
    f1,
    fnr,
    fpr,
    kappa,
    mcc,
    precision,
    recall,
    roc_auc,
    specificity,
)
from assay.measures.information import ERROR_MEASURES, mean_cost, total_cost
from assay.predictions import Predictions
from assay.report.renderers.weka import Version, render_weka
from assay.sources import Source

Floats = NDArray[np.float64]

# Their figures are of experiments, or of several learners' decisions.
LATER_CASES = {
    "weka_experimenter": "its tests, tables and rankings are matched in test_weka_experimenter_tables.py",
    "weka_cost_iris2": "what several learners' decisions cost is matched in test_weka_costs.py",
    "weka_cost_threshold_bc3": "what several learners' decisions cost is matched in test_weka_costs.py",
}
CASES = sorted({path.parent.name for path in DATA.glob("weka*/predictions.csv")} - set(LATER_CASES))
LATER = {
    "*.eleven_point_precision@*": "a point sum over WEKA's own precision-recall points: see test_weka_curves.py",
    "*.threshold_instance_at_0.5@*": "a row number of WEKA's threshold curve: matched in test_weka_curves.py",
}


@cache
def predictions(case: str) -> Predictions:
    data, classes = columns(case), tuple(expected(case)["classes"])
    return Predictions(
        classes,
        data["y_true"].astype(np.int64),
        decision=data["y_pred"].astype(np.int64),
        probability=np.stack([data[f"p_{k}"] for k in range(len(classes))], 1),
        weight=data["weight"],
        fold=data["fold"].astype(np.int64),
    )


@cache
def evaluation(case: str) -> Evaluation:
    rows = predictions(case)
    assert rows.decision is not None
    matrix = ConfusionMatrix.of(rows.truth, rows.decision, rows.classes, weight=rows.weight)
    kind = TwoClassEvaluation if len(matrix.classes) == 2 else ManyClassEvaluation
    return kind(source=Source(case, "arrays", rows=len(rows)), matrix=matrix, rows=DecidedRows(rows))


def matrix_of(case: str) -> ConfusionMatrix:
    matrix = evaluation(case).matrix
    assert matrix is not None
    return matrix


@cache
def error_sums(case: str) -> ErrorSums:
    rows = predictions(case)
    assert rows.probability is not None
    return ErrorSums.of(rows.truth, rows.probability, priors=priors(case), weight=rows.weight)


@cache
def priors(case: str) -> Floats:
    rows = predictions(case)
    return laplace_priors(rows.truth, len(rows.classes), fold=rows.fold, weight=rows.weight)


@cache
def table(case: str, k: int) -> ScoreTable:
    rows = predictions(case)
    assert rows.probability is not None
    return ScoreTable.of(rows.probability[:, k], rows.truth == k, weight=rows.weight)


@cache
def by_class(case: str, version: str) -> Mapping[str, Floats]:
    """What WEKA knows of each class; in 3.6 a rate that is undefined is 0, and F is by way of precision in both."""
    each = matrix_of(case).one_vs_rest()
    precisions = precision(each)
    areas = [
        [float(measure(table(case, k))) for k in range(len(each.counts))] for measure in (roc_auc, average_precision)
    ]
    found = {
        "tpRate": recall(each),
        "fpRate": fpr(each),
        "tnRate": specificity(each),
        "fnRate": fnr(each),
        "precision": precisions,
        "recall": recall(each),
        "fMeasure": np.where(np.isnan(precisions), np.nan, f1(each)),
        "areaUnderROC": np.array(areas[0]),
        "threshold_curve_roc_area": np.array(areas[0]),
        "areaUnderPRC": np.array(areas[1]),
        "mcc": mcc(each),
        "numTruePositives": each.tp,
        "numFalsePositives": each.fp,
    }
    return found if version == "3.8" else {name: np.nan_to_num(values) for name, values in found.items()}


def of_one_class(case: str, version: str, name: str, k: int) -> float:
    return float(by_class(case, version)[name][k])


def scaled(measure: Measure, sums: ErrorSums, scale: float) -> float:
    return float(scale * measure(sums))


def weighted(case: str, version: str, name: str) -> float:
    matrix = matrix_of(case)
    return float(by_class(case, version)[name] @ matrix.actual / matrix.total)


def entropy_of_last_prior(case: str) -> float:
    prior = priors(case)[-1]
    return float(-prior @ np.log2(prior))


WEIGHTED = {
    "weightedTruePositiveRate": "tpRate",
    "weightedFalsePositiveRate": "fpRate",
    "weightedTrueNegativeRate": "tnRate",
    "weightedFalseNegativeRate": "fnRate",
    "weightedPrecision": "precision",
    "weightedRecall": "recall",
    "weightedFMeasure": "fMeasure",
    "weightedAreaUnderROC": "areaUnderROC",
    "weightedAreaUnderPRC": "areaUnderPRC",
    "weightedMatthewsCorrelation": "mcc",
}
OF_SUMS = {
    "meanAbsoluteError": ("mean_absolute_error", 1),
    "rootMeanSquaredError": ("root_mean_squared_error", 1),
    "relativeAbsoluteError": ("relative_absolute_error", 100),
    "rootRelativeSquaredError": ("root_relative_squared_error", 100),
    "KBInformation": ("kb_information", 1),
    "KBRelativeInformation": ("kb_relative_information", 100),
    "KBMeanInformation": ("kb_mean_information", 1),
    "SFPriorEntropy": ("sf_prior_entropy", 1),
    "SFMeanPriorEntropy": ("sf_mean_prior_entropy", 1),
    "SFSchemeEntropy": ("sf_scheme_entropy", 1),
    "SFMeanSchemeEntropy": ("sf_mean_scheme_entropy", 1),
    "SFEntropyGain": ("sf_entropy_gain", 1),
    "SFMeanEntropyGain": ("sf_mean_entropy_gain", 1),
    "coverageOfTestCasesByPredictedRegions": ("region_coverage", 100),
    "sizeOfPredictedRegions": ("region_size", 100),
}


def overall(case: str, version: str) -> dict[str, Callable[[], Any]]:
    matrix, costs, sums = matrix_of(case), expected(case)["cost_matrix_rows_true_cols_pred"], error_sums(case)
    of_name = {measure.name: measure for measure in ERROR_MEASURES}
    found: dict[str, Callable[[], Any]] = {
        "numInstances": lambda: matrix.total,
        "correct": lambda: matrix.correct,
        "incorrect": lambda: matrix.total - matrix.correct,
        "unclassified": lambda: sums.unclassified,
        "pctCorrect": lambda: 100 * accuracy(matrix),
        "pctIncorrect": lambda: 100 * error_rate(matrix),
        # With a cost matrix WEKA's error rate is the average cost.
        "errorRate": lambda: mean_cost(matrix, costs) if costs else error_rate(matrix),
        "kappa": lambda: kappa(matrix),
        "meanPriorAbsoluteError": lambda: sums.prior_absolute / sums.classified,
        "rootMeanPriorSquaredError": lambda: math.sqrt(sums.prior_squared / sums.classified),
        "totalCost": lambda: total_cost(matrix, costs) if costs else 0.0,
        "avgCost": lambda: mean_cost(matrix, costs) if costs else 0.0,
        "unweightedMacroFmeasure": lambda: by_class(case, version)["fMeasure"].mean(),
        "unweightedMicroFmeasure": lambda: f1(ConfusionMatrix(matrix.one_vs_rest().counts.sum(0))),
    }
    for name, (measure, scale) in OF_SUMS.items():
        found[name] = partial(scaled, of_name[measure], sums, scale)
    for name, of_class in WEIGHTED.items():
        found[name] = partial(weighted, case, version, of_class)
    if version == "3.8":
        found["priorEntropy"] = lambda: of_name["sf_mean_prior_entropy"](sums)
    else:
        # 3.6 divides the sum over all cases by the entropy of the last fold's prior.
        found["priorEntropy"] = lambda: entropy_of_last_prior(case)
        found["KBRelativeInformation"] = lambda: 100 * sums.information / entropy_of_last_prior(case)
    return found


def figures(case: str) -> Iterator[Leaf]:
    """A leaf for each figure and each version that printed it."""
    for result in expected(case)["results"]:
        for version in result["weka"].split(" and "):
            path = f"{result['id'].split('@')[0]}@{version}"
            yield Leaf(path, result["value"], result["tol"], result.get("kind") == "known_defect")


def ours(case: str) -> dict[str, Ours]:
    found: dict[str, Callable[[], Any]] = {}
    for full in ("3.6.14", "3.8.7"):
        version = full[:3]
        found |= {f"overall.{name}@{full}": compute for name, compute in overall(case, version).items()}
        found[f"confusion_rows_true_cols_pred@{full}"] = lambda: matrix_of(case).counts.tolist()
        for name in by_class(case, version):
            for k in range(len(predictions(case).classes)):
                found[f"class_{k}.{name}@{full}"] = partial(of_one_class, case, version, name, k)
    wanted = {leaf.path for leaf in figures(case)}
    return {path: Ours(compute) for path, compute in found.items() if path in wanted}


OURS = {case: ours(case) for case in CASES}
FIGURES = [(case, leaf) for case in CASES for leaf in figures(case)]


@pytest.mark.parametrize(("case", "leaf"), FIGURES, ids=[f"{case}/{leaf.path}" for case, leaf in FIGURES])
def test_weka(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LATER)


def test_lists_hold_nothing_stale() -> None:
    assert not set(LATER_CASES) & set(CASES)
    for case in CASES:
        check_lists(list(figures(case)), OURS[case], {})
    check_lists([leaf for _, leaf in FIGURES], {}, LATER)


@pytest.mark.parametrize("case", CASES)
def test_training_weights_of_the_folds_are_what_lies_outside_them(case: str) -> None:
    rows, folds = predictions(case), columns(case, "folds.csv")
    assert rows.fold is not None
    for i, fold in enumerate(folds["fold"].astype(int)):
        trained = np.array([folds[f"train_weight_{k}"][i] for k in range(len(rows.classes))])
        wanted = (trained + 1) / (trained.sum() + len(trained))
        np.testing.assert_allclose(
            priors(case)[rows.fold == fold], np.tile(wanted, (int((rows.fold == fold).sum()), 1))
        )


def printed(case: str, version: Version) -> Mapping[str, str]:
    """Our blocks by their title."""
    costs = expected(case)["cost_matrix_rows_true_cols_pred"]
    return blocks(render_weka({"": evaluation(case)}, version=version, costs=costs))


def blocks(text: str) -> dict[str, str]:
    """What stands below each title, without empty lines around it."""
    parts = [part.split(" ===\n", 1) for part in text.split("=== ")[1:]]
    return {title: body.strip("\n") for title, body in parts}


def version_of(case: str, key: str) -> Version:
    """Of which version a kept text is: its own suffix says, else the case."""
    version = key.rsplit("_", 1)[-1] if key[-1].isdigit() else expected(case)["system"]["version"]
    return "3.8" if version.startswith("3.8") else "3.6"


KEPT = [(case, key, version_of(case, key)) for case in CASES for key in expected(case) if "_text" in key]
KEPT = [kept for kept in KEPT if expected(kept[0])[kept[1]] is not None]


@pytest.mark.parametrize(("case", "key", "version"), KEPT)
def test_the_text_is_weka_to_the_letter(case: str, key: str, version: Version) -> None:
    for title, body in blocks(expected(case)[key]).items():
        assert printed(case, version)[title] == body


@pytest.mark.parametrize("case", [case for case in CASES if (DATA / case / "weka_cli_output.txt").exists()])
def test_what_weka_printed_is_what_we_print(case: str) -> None:
    """Of 3.6's output. One line differs: WEKA names its way of testing where we say Summary."""
    theirs = blocks((DATA / case / "weka_cli_output.txt").read_text())
    theirs.pop("Evaluation Cost Matrix", None)
    theirs["Summary"] = theirs.pop("Stratified cross-validation")
    assert printed(case, "3.6") == theirs


@pytest.mark.parametrize("case", CASES)
def test_the_way_in_gives_the_same_text(case: str) -> None:
    costs = expected(case)["cost_matrix_rows_true_cols_pred"]
    ours, found = evaluation(case), evaluate(predictions(case))
    assert render_weka({"": found}, costs=costs) == render_weka({"": ours}, costs=costs)
