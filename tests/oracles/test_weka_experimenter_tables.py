"""WEKA's Experimenter: 3,000 folds, 360 paired tests, and its tables to the letter."""

from __future__ import annotations

import csv
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, assert_same, expected

from assay.ranks import Ranks, rank_algorithms
from assay.ranks.weka_table import WekaTable

CASE = "weka_experimenter"
RECORD = expected(CASE)
RESULTS = {result["id"]: result for result in RECORD["results"]}
MEASURES = {"Percent_correct": 1e-5, "Kappa_statistic": 1e-5, "Area_under_ROC": 1e-5}
TESTERS = ("corrected", "plain")
TEXTS = [f"{tester}.{measure}" for tester in TESTERS for measure in MEASURES]
SCHEMES = list(RECORD["schemes"])


@cache
def rows() -> list[dict[str, str]]:
    with (DATA / CASE / "folds.csv").open(newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def ranks(measure: str) -> Ranks:
    """All folds, the schemes called as WEKA calls them."""
    values: dict[str, Any] = {
        "Percent_correct": lambda row: 100 * int(row["n_correct"]) / int(row["n_test"]),
        "Kappa_statistic": lambda row: float(row["kappa"]),
        "Area_under_ROC": lambda row: float(row["auc"]),
    }
    names = dict(zip(SCHEMES, called(), strict=True))
    columns = {name: [row[name] for row in rows()] for name in ("dataset", "run", "fold", "n_train", "n_test")}
    return rank_algorithms(
        {
            **columns,
            "scheme": [names[row["scheme"]] for row in rows()],
            "value": [values[measure](row) for row in rows()],
        }
    )


def called() -> list[str]:
    """The schemes with their options and versions, from the key under a table."""
    key = RECORD["texts"]["corrected.Percent_correct"]["table_vs_first"].split("Key:\n")[1]
    return [line.split(") ", 1)[1] for line in key.splitlines()]


@cache
def table(tester: str, measure: str) -> WekaTable:
    return ranks(measure).weka(corrected=tester == "corrected")


@pytest.mark.parametrize("name", RESULTS)
def test_every_paired_test(name: str) -> None:
    tester, measure, rest = name.split(".", 2)
    dataset, _, pair = rest.rpartition(".")
    i, j = (SCHEMES.index(scheme) for scheme in pair.split("-"))
    found = table(tester, measure)
    d = found.datasets.index(dataset)
    folds = ranks(measure).results.folds
    assert folds is not None
    apart = folds.values[d][i] - folds.values[d][j]
    mine = {
        "count": found.folds[d],
        "mean_a": found.means[d, i],
        "sd_a": found.deviations[d, i],
        "mean_b": found.means[d, j],
        "sd_b": found.deviations[d, j],
        "mean_diff": float(apart.mean()),
        "sd_diff": float(apart.std(ddof=1)),
        "p": found.p_values[d, i, j],
        "sig": int(found.better[d, i, j]),
    }
    wanted = RESULTS[name]["value"]
    assert mine.keys() == wanted.keys()
    for fact, value in wanted.items():
        assert_same(mine[fact], value, RESULTS[name]["tol"], f"{name}/{fact}")


@pytest.mark.parametrize("name", TEXTS)
def test_the_table_to_the_letter(name: str) -> None:
    theirs = RECORD["texts"][name]["table_vs_first"].partition("Sorted by:  -\n\n")[2].partition("\n\n\nKey:")[0]
    assert table(*name.split(".", 1)).text() == theirs


@pytest.mark.parametrize("name", TEXTS)
def test_the_summary_to_the_letter(name: str) -> None:
    assert table(*name.split(".", 1)).summary() + "\n" == RECORD["texts"][name]["summary"]


@pytest.mark.parametrize("name", TEXTS)
def test_the_ranking(name: str) -> None:
    theirs = [line.split(None, 3) for line in RECORD["texts"][name]["ranking"].splitlines()[1:]]
    mine = list(table(*name.split(".", 1)).ranking().rows())
    assert [[str(cell) for cell in row] for row in mine] == theirs


def test_every_result_is_tried() -> None:
    assert len(RESULTS) == 360
    assert set(RECORD["texts"]) == set(TEXTS)
    assert np.isclose(ranks("Area_under_ROC").results.folds.ratio[0], 1 / 9)  # type: ignore[union-attr]
