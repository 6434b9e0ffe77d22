"""caret's differences of resamples: all pairs of four learners over ten folds, their summaries and correlations."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import Leaf, Ours, check, check_lists, columns, leaves

from assay.experiments.algorithm_tests import AllPairs, Pair, all_pairs
from assay.experiments.estimates import FoldScores

CASE = "caret_diff_resamples_bc4"
LEARNERS = ("lr", "nb", "tree", "knn")
MEASURES = {"Accuracy": "accuracy", "AUC": "roc_auc"}
ADJUSTMENTS = {"bonferroni": "bonferroni", "holm": "holm", "hochberg": "hochberg", "BH": "benjamini-hochberg"}


def by_learner(value: Any) -> Any:
    """A matrix of R with its names as records: rows by learner, their cells by column."""
    rows, names = value["rows"], value["cols"]
    cells = [[value["values"][i][j] for j in range(len(names))] for i in range(len(rows))]
    return {row: dict(zip(names, line, strict=True)) for row, line in zip(rows, cells, strict=True)}


SHAPED = [f"{table}_{measure}" for table in ("summary", "cor") for measure in MEASURES]
LEAVES = leaves(CASE, dict.fromkeys([*SHAPED, *(f"table_{measure}_bonferroni" for measure in MEASURES)], by_learner))


@cache
def found(measure: str, adjust: str) -> AllPairs:
    data, sizes = columns(CASE, "folds.csv"), (np.full(10, 512.1), np.full(10, 56.9))
    scores = {name: FoldScores(MEASURES[measure], data[f"{name}.{measure}"], *sizes) for name in LEARNERS}
    return all_pairs(scores, method="paired-t", adjust=adjust)


def pair(measure: str, adjust: str, names: str) -> Pair:
    first, second = names.split(".diff.")
    return next(one for one in found(measure, adjust).pairs if (one.first, one.second) == (first, second))


def of_pair(measure: str, adjust: str, names: str, fact: str) -> Any:
    one = pair(measure, adjust, names)
    facts = {"estimate": one.difference, "t": one.statistic, "df": one.df, "p": one.p_value}
    return [one.low, one.high] if fact == "conf_int" else facts[fact]


def adjusted(measure: str, adjust: str, names: str) -> float:
    return pair(measure, adjust, names).adjusted


def in_table(measure: str, row: str, column: str) -> str | float:
    """caret prints estimates above the diagonal and adjusted p-values below, as text."""
    i, j = LEARNERS.index(row), LEARNERS.index(column)
    one = pair(measure, "bonferroni", f"{LEARNERS[min(i, j)]}.diff.{LEARNERS[max(i, j)]}")
    return one.difference if i < j else one.adjusted


def summarised(measure: str, learner: str, column: str) -> float:
    names = ("minimum", "first_quartile", "median", "mean", "third_quartile", "maximum", "missing")
    table = found(measure, "bonferroni").summary().columns
    place = table["algorithm"].index(learner)
    return float(table[dict(zip(SUMMARY, names, strict=True))[column]][place])


SUMMARY = ("Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max.", "NA's")


def correlated(measure: str, row: str, column: str) -> float:
    table = found(measure, "bonferroni").correlation().columns
    return float(table[column][table["algorithm"].index(row)])


def ours() -> dict[str, Ours]:
    made: dict[str, Ours] = {}
    for leaf in LEAVES:
        call, *rest = leaf.path.split("/")
        measure = next(name for name in MEASURES if f"_{name}" in call)
        if call.startswith("diff_"):
            adjust = "none" if call.endswith("no_adjustment") else "bonferroni"
            made[leaf.path] = Ours(partial(of_pair, measure, adjust, *rest))
        elif call.startswith("p_"):
            how, names = rest
            adjust = "none" if how == "raw" else ADJUSTMENTS[how]
            made[leaf.path] = Ours(partial(adjusted, measure, adjust, names))
        elif call.startswith("summary_"):
            made[leaf.path] = Ours(partial(summarised, measure, rest[0].split("~")[0], rest[1]))
        elif call.startswith("cor_"):
            made[leaf.path] = Ours(partial(correlated, measure, *rest))
    return made


OURS = ours()
LEFT_OUT = {"table_*": "caret's table as text, which test_the_printed_table reads"}


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.path)
def test_caret_differences(leaf: Leaf) -> None:
    check(leaf, OURS, LEFT_OUT)


@pytest.mark.parametrize(
    "leaf", [leaf for leaf in LEAVES if leaf.path.startswith("table_")], ids=lambda leaf: leaf.path
)
def test_the_printed_table(leaf: Leaf) -> None:
    call, row, column = leaf.path.split("/")
    measure = call.split("_")[1]
    if row == column:
        assert not str(leaf.expected).strip()
        return
    printed = str(leaf.expected).strip()
    mine = in_table(measure, row, column)
    assert float(printed.lstrip("<")) == pytest.approx(mine, abs=1e-6, rel=1e-6)


def test_lists_hold_nothing_stale() -> None:
    check_lists(LEAVES, OURS, LEFT_OUT)


@pytest.mark.parametrize("measure", MEASURES)
def test_limits_and_adjusted_p_never_contradict_one_another(measure: str) -> None:
    for one in found(measure, "bonferroni").pairs:
        assert (one.low <= 0 <= one.high) == (one.adjusted >= 0.05)
