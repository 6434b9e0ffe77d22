"""Thresholds other systems chose, and what they say decisions cost."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import DATA, assert_same, columns, expected, scores

from assay.costs import Costs
from assay.decisions import bayes_decisions, choose_threshold
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures.decision import expected_cost

THREE = "proc_breastcancer_three_models"
BEST = {one["id"]: one for one in expected(THREE)["results"] if one["id"].startswith("best_youden_")}
EXAMPLES = {one["id"]: one for one in json.loads((DATA / "seed_examples.json").read_text())["examples"]}
COST_CASES = ["weka_breastcancer_naivebayes_cost", "weka_creditg_j48_cost", "weka_iris_logistic_cost3"]


@pytest.mark.parametrize("name", BEST)
def test_proc_finds_the_same_best_threshold(name: str) -> None:
    theirs, model = BEST[name], name.removeprefix("best_youden_")
    choice = choose_threshold(scores(THREE, f"score_{model}"), "youden", draws=100)
    assert_same([choice.threshold], theirs["value"]["threshold"], theirs["tol"], "threshold")
    assert_same([choice.apparent + 1], theirs["value"]["youden"], theirs["tol"], "youden")
    for cell in ("tp", "fn", "fp", "tn"):
        assert [float(getattr(choice.matrix, cell))] == theirs["value"][cell]


def test_the_northwest_corner_of_the_textbook_example() -> None:
    """The book names the score itself; every threshold down to the next score is the same."""
    example = EXAMPLES["han_roc.nw"]
    table = ScoreTable.of(example["inputs"]["score"], example["inputs"]["y"])
    closest, youden = (choose_threshold(table, by, draws=100) for by in ("closest", "youden"))
    found = [closest.equally_good[0][1], closest.apparent, youden.equally_good[0][1], youden.apparent]
    assert_same(found, example["expected"], example["tolerance"], "han_roc.nw")


def costs_of(case: str) -> Costs:
    return Costs(expected(case)["cost_matrix_rows_true_cols_pred"], expected(case)["classes"])


def figure(case: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in expected(case)["results"] if one["id"].split("@")[0] == f"overall.{name}"]
    return dict(found)


@pytest.mark.parametrize("case", COST_CASES)
def test_weka_says_the_decisions_cost_the_same(case: str) -> None:
    data, classes = columns(case), tuple(expected(case)["classes"])
    matrix = ConfusionMatrix.of(data["y_true"].astype(int), data["y_pred"].astype(int), classes)
    found = expected_cost(costs_of(case)).estimate(matrix)
    for name, factor in (("avgCost", 1.0), ("errorRate", 1.0), ("totalCost", float(matrix.total))):
        assert math.isclose(factor * found.value, figure(case, name)["value"], rel_tol=1e-9)
    assert found.low < found.value < found.high


@pytest.mark.parametrize("case", COST_CASES)
def test_equal_costs_decide_as_weka_does(case: str) -> None:
    """WEKA takes the likeliest class, the first of equals; so does the Bayes rule where every error costs the same."""
    data, names = columns(case), expected(case)["classes"]
    probabilities = np.stack([data[f"p_{k}"] for k in range(len(names))], axis=1)
    equal = Costs(1.0 - np.eye(len(names)), names)
    tied = (probabilities == probabilities.max(1, keepdims=True)).sum(1) > 1
    decision = bayes_decisions(probabilities / probabilities.sum(1, keepdims=True), equal)
    assert (decision == data["y_pred"])[~tied].all()


def test_yardstick_expects_the_same_cost_of_probabilities() -> None:
    """Its cost is of a decision drawn from the probability: what each class pays, weighted by it."""
    data, results = columns("yardstick_binary"), {one["id"]: one for one in expected("yardstick_binary")["results"]}
    column = next(name for name in data if name.startswith(("score", "p")) and name != "y_pred")
    p, y = data[column], data["y_true"].astype(int)
    drawn = ConfusionMatrix(np.stack([np.bincount(y, 1 - p), np.bincount(y, p)], axis=1))
    for name, costs in (("classification_cost", Costs(fp=1, fn=1)), ("classification_cost_fn5", Costs(fp=1, fn=5))):
        assert float(expected_cost(costs)(drawn)) == pytest.approx(results[name]["value"], rel=results[name]["tol"])
