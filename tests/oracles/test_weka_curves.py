"""WEKA's threshold, cost and margin curves, point by point."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Leaf, Ours, check, check_lists, columns, expected

from assay.curves import cost_curve, margin_curve, roc
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import f1, fdr, lift, precision, predicted_prevalence

CURVES = sorted((path.parent.name, int(path.stem[-1])) for path in DATA.glob("weka*/threshold_curve_*.csv"))
CASES = sorted({case for case, _ in CURVES})
COUNTS = {"True_Positives": "tp", "False_Negatives": "fn", "False_Positives": "fp", "True_Negatives": "tn"}


def f_by_precision(matrix: ConfusionMatrix) -> np.ndarray:
    """WEKA's F, which is undefined where precision is."""
    return np.where(np.isnan(precision(matrix)), np.nan, f1(matrix))


# What WEKA calls fall-out is 1 - precision. Where nothing is predicted positive 3.6 writes 0 for these, 3.8 nothing.
MEASURES: dict[str, Callable[[ConfusionMatrix], Any]] = {
    "Precision": precision,
    "Fallout": fdr,
    "FMeasure": f_by_precision,
    "Sample_Size": predicted_prevalence,
}
FRACTIONAL = "weka_diabetes_j48_weighted"


@cache
def table(case: str, k: int) -> ScoreTable:
    data = columns(case)
    return ScoreTable.of(data[f"p_{k}"], data["y_true"] == k, weight=data["weight"])


def is_old(case: str) -> bool:
    """Whether WEKA 3.6 made the curves."""
    version: str = expected(case)["system"]["version"]
    return version.startswith("3.6")


def theirs(case: str, file: str) -> dict[str, np.ndarray]:
    """A curve of WEKA's; an empty field is nan."""
    text = (DATA / case / file).read_text().splitlines()
    rows = [[float(field or "nan") for field in line.split(",")] for line in text[1:]]
    return dict(zip(text[0].split(","), np.array(rows).T, strict=True))


@pytest.mark.parametrize(("case", "k"), CURVES)
def test_threshold_curve(case: str, k: int) -> None:
    wanted, curve = theirs(case, f"threshold_curve_{k}.csv"), roc(table(case, k))
    matrix = ConfusionMatrix(curve.counts[::-1])
    for name, cell in COUNTS.items():
        np.testing.assert_allclose(getattr(matrix, cell), wanted[name], atol=1e-9)
    np.testing.assert_allclose(curve.x[::-1], wanted["False_Positive_Rate"], atol=1e-9)
    for name in ("True_Positive_Rate", "Recall"):
        np.testing.assert_allclose(curve.y[::-1], wanted[name], atol=1e-9)
    # The last threshold is ours infinity and a little above the highest score theirs.
    np.testing.assert_allclose(curve.threshold[:0:-1], wanted["Threshold"][:-1], atol=1e-12)
    for name, measure in MEASURES.items():
        found = measure(matrix)
        found = np.nan_to_num(found) if is_old(case) else found
        np.testing.assert_allclose(found, wanted[name], atol=1e-9, err_msg=name)
    # WEKA leaves the lift out where chance would find less than one positive.
    is_shown = predicted_prevalence(matrix) * matrix.positives >= 1
    np.testing.assert_array_equal(np.isfinite(wanted["Lift"]), is_shown)
    np.testing.assert_allclose(lift(matrix)[is_shown], wanted["Lift"][is_shown], atol=1e-9)


@pytest.mark.parametrize(("case", "k"), CURVES)
def test_cost_curve(case: str, k: int) -> None:
    """WEKA writes both ends of each threshold's line."""
    wanted, curve = theirs(case, f"cost_curve_{k}.csv"), cost_curve(table(case, k))
    is_start = wanted["Probability_Cost_Function"] == 0
    np.testing.assert_allclose(curve.fpr[::-1], wanted["Normalized_Expected_Cost"][is_start], atol=1e-9)
    np.testing.assert_allclose(curve.fnr[::-1], wanted["Normalized_Expected_Cost"][~is_start], atol=1e-9)
    np.testing.assert_allclose(curve.threshold[:0:-1], wanted["Threshold"][is_start][:-1], atol=1e-12)


def scores(case: str) -> ClassScores:
    data, classes = columns(case), expected(case)["classes"]
    probability = np.stack([data[f"p_{k}"] for k in range(len(classes))], 1)
    return ClassScores.of(probability, data["y_true"].astype(int), classes, weight=data["weight"])


@pytest.mark.parametrize("case", CASES)
def test_margin_curve(case: str) -> None:
    """WEKA writes a row for each case after one for none; ours has one for each margin."""
    wanted, curve = theirs(case, "margin_curve.csv"), margin_curve(scores(case))
    margins = wanted["Margin"][1:]
    ends = np.append(np.flatnonzero(np.diff(margins) > 0), len(margins) - 1)
    np.testing.assert_allclose(curve.margin, margins[ends], atol=1e-12)
    if case == FRACTIONAL:
        # WEKA adds weights up in whole numbers and loses the fractions; ours are all there.
        assert curve.cumulative[-1] == columns(case)["weight"].sum() > wanted["Cumulative"][-1]
    else:
        np.testing.assert_allclose(curve.cumulative, wanted["Cumulative"][1:][ends], atol=1e-9)


def at_a_half(case: str, k: int) -> Ours:
    """The last row of WEKA's curve, which begins at the lowest threshold, that is not above one half."""
    return Ours(lambda: float((roc(table(case, k)).threshold <= 0.5).sum() - 1))


LEAVES = [
    (case, Leaf(result["id"], result["value"], result["tol"], is_known_defect=False))
    for case in sorted(path.parent.name for path in DATA.glob("weka*/predictions.csv"))
    for result in expected(case)["results"]
    if "eleven_point" in result["id"] or "threshold_instance" in result["id"]
]
OURS = {
    case: {
        leaf.path: at_a_half(case, int(leaf.path.split(".")[0][-1]))
        for of, leaf in LEAVES
        if of == case and leaf.path.endswith("threshold_instance_at_0.5")
    }
    for case, _ in LEAVES
}
LEFT_OUT = {
    "*.eleven_point_precision*": "3.6 draws straight lines from a precision of 0 where nothing is called, 3.8 gives NaN"
}


@pytest.mark.parametrize(("case", "leaf"), LEAVES, ids=[f"{case}/{leaf.path}" for case, leaf in LEAVES])
def test_figures_of_curves(case: str, leaf: Leaf) -> None:
    check(leaf, OURS[case], LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    assert len(CURVES) == 13
    check_lists([leaf for _, leaf in LEAVES], {}, LEFT_OUT)
