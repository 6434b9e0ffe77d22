"""WEKA's Experimenter (six data sets, five schemes, ten times ten folds) and caret's differences of resamples."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, Ours, assert_same, check, check_lists, columns, expected, leaves

from assay.experiments import AlgorithmDifference
from assay.experiments.algorithm_tests import corrected_t, paired_t
from assay.experiments.estimates import FoldScores

CASE = "weka_experimenter"
LEAVES = leaves(CASE)
PLACES = {"Percent_correct": "n_correct", "Kappa_statistic": "kappa", "Area_under_ROC": "auc"}


@cache
def fold_rows() -> list[dict[str, str]]:
    with (DATA / CASE / "folds.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def scores(measure: str, data: str, scheme: str) -> FoldScores:
    rows = [row for row in fold_rows() if (row["dataset"], row["scheme"]) == (data, scheme)]
    values, train, test = (
        np.array([float(row[name]) for row in rows]) for name in (PLACES[measure], "n_train", "n_test")
    )
    return FoldScores(measure, 100 * values / test if measure == "Percent_correct" else values, train, test)


@cache
def compared(name: str) -> tuple[FoldScores, FoldScores, AlgorithmDifference]:
    kind, measure, data, pair = name.split(".")
    first, second = (scores(measure, data, scheme) for scheme in pair.split("-"))
    if kind == "corrected":
        return first, second, corrected_t(first, second)
    return first, second, paired_t(first.values, second.values)


def sign(found: AlgorithmDifference) -> float:
    """WEKA's mark: whether the first is significantly better or worse at 5 %."""
    return float(np.sign(found.difference.value)) if found.test.p_value <= 0.05 else 0.0


def figures(name: str) -> dict[str, Any]:
    first, second, found = compared(name)
    apart = first.values - second.values
    return {
        "count": lambda: len(apart),
        "mean_a": lambda: first.values.mean(),
        "sd_a": lambda: first.values.std(ddof=1),
        "mean_b": lambda: second.values.mean(),
        "sd_b": lambda: second.values.std(ddof=1),
        "mean_diff": lambda: found.difference.value,
        "sd_diff": lambda: apart.std(ddof=1),
        "p": lambda: found.test.p_value,
        "sig": lambda: sign(found),
    }


OURS = {f"{r['id']}/{key}": Ours(make) for r in expected(CASE)["results"] for key, make in figures(r["id"]).items()}


# Where every fold gives the same difference.
ALIKE = [
    result["id"]
    for result in expected(CASE)["results"]
    if result["value"]["sd_diff"] < 1e-9 and abs(result["value"]["mean_diff"]) > 1e-9
]
LEFT_OUT = {
    f"{name}/{key}": "every fold gives the same difference: WEKA says p = 0, we say that it cannot be told"
    for name in ALIKE
    for key in ("p", "sig")
}
for path in LEFT_OUT:
    del OURS[path]


def test_weka() -> None:
    """One test for 3,240 figures: each must be there and be ours."""
    assert len(LEAVES) == 3240
    for leaf in LEAVES:
        check(leaf, OURS, LEFT_OUT)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize("name", ALIKE)
def test_no_spread_gives_no_p_value(name: str) -> None:
    found = compared(name)[2]
    assert np.isnan(found.test.p_value)
    assert found.test.undefined is not None
    assert np.isnan(found.difference.low)


def test_small_p_values_agree_in_their_order_of_magnitude() -> None:
    """An absolute tolerance would let any small number pass."""
    small = [leaf for leaf in LEAVES if leaf.path.endswith("/p") and 0 < leaf.expected < 1e-3]
    assert len(small) > 100
    for leaf in small:
        assert OURS[leaf.path].compute() == pytest.approx(leaf.expected, rel=0.01), leaf.path


CARET = "caret_summaries_resamples"
RESAMPLES = columns(CARET, "folds.csv")


@pytest.mark.parametrize("measure", ["Accuracy", "AUC"])
@pytest.mark.parametrize("pair", ["lr.diff.nb", "lr.diff.tree", "nb.diff.tree"])
def test_caret_differences(measure: str, pair: str) -> None:
    """caret takes folds for independent, and its intervals at a level shared by three pairs."""
    record = {result["id"]: result for result in expected(CARET)["results"]}[f"diff_{measure.lower()}"]
    first, second = (RESAMPLES[f"{name}~{measure}"] for name in pair.split(".diff."))
    found = paired_t(first, second, level=1 - 0.05 / 3)
    ours = {
        "estimate": found.difference.value,
        "t": found.test.statistic,
        "df": len(first) - 1,
        "p": found.test.p_value,
        "conf_int": [found.difference.low, found.difference.high],
    }
    for name, wanted in record["value"][pair].items():
        assert_same(ours[name], wanted, record["tol"], f"{pair}/{name}")


def test_caret_bonferroni() -> None:
    record = {result["id"]: result for result in expected(CARET)["results"]}["diff_table_accuracy_bonferroni"]["value"]
    names = record["rows"]
    for i, row in enumerate(record["values"]):
        for j, cell in enumerate(row):
            upper, lower = sorted((i, j))
            if i != j:
                pair = (RESAMPLES[f"{names[upper]}~Accuracy"], RESAMPLES[f"{names[lower]}~Accuracy"])
                found = paired_t(*pair)
                ours = found.difference.value if i < j else min(1.0, 3 * found.test.p_value)
                assert_same(ours, float(cell), 1e-9, f"{names[i]}, {names[j]}")
