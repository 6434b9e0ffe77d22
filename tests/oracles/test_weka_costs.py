"""WEKA's cost-sensitive schemes: their costs from their predictions, and their predictions from our learners.

The base learner is WEKA's own naive Bayes, written down in weka_bayes.py. MetaCost draws samples that cannot be drawn
outside WEKA: of it only predictions and costs are matched.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.oracles.foreign import assert_same, columns, expected
from tests.oracles.weka_bayes import WekaNaiveBayes

import assay
from assay.decisions import bayes_decisions
from assay.estimators import CostSensitiveClassifier, ThresholdClassifier
from assay.measures.information import mean_cost, total_cost
from assay.report import render_weka

COSTS = {
    "weka_cost_iris2": [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [3.0, 2.0, 0.0]],
    "weka_cost_threshold_bc3": [[0.0, 1.0], [5.0, 0.0]],
}
# WEKA's normal distribution is an approximation: where its cells are narrow it shows in the fifth decimal.
NEAR = {"weka_cost_iris2": 1e-12, "weka_cost_threshold_bc3": 1e-4}
FIGURES = [(case, result["id"]) for case in COSTS for result in expected(case)["results"]]


@cache
def data(case: str) -> tuple[Any, Any, Any, Any]:
    """Features, classes, folds and the columns of predictions, by the rows of the data."""
    said = columns(case)
    order = np.argsort(said["id"])
    features = np.column_stack(list(columns(case, "data.csv").values()))
    sorted_columns = {name: values[order] for name, values in said.items()}
    return features, sorted_columns["y_true"].astype(int), sorted_columns["fold"], sorted_columns


def by_folds(case: str, model: Any, method: str) -> Any:
    """What a model fitted to the other folds says of each fold."""
    features, y, fold, _ = data(case)
    found: Any = None
    for each in np.unique(fold):
        out = fold == each
        said = np.asarray(getattr(model.fit(features[~out], y[~out]), method)(features[out]))
        found = np.empty((len(y), *said.shape[1:])) if found is None else found
        found[out] = said
    return found


@pytest.mark.parametrize(("case", "figure"), FIGURES)
def test_every_figure_follows_from_the_predictions(case: str, figure: str) -> None:
    _, y, _, said = data(case)
    scheme, _, what = figure.rpartition(".")
    result = next(each for each in expected(case)["results"] if each["id"] == figure)
    ev: Any = assay.evaluate(y, y_pred=said[f"{scheme}_pred"].astype(int), positive=None if len(COSTS[case]) > 2 else 1)
    expected_costs = np.column_stack([said[f"base_p_{k}"] for k in range(len(COSTS[case]))]) @ np.array(COSTS[case])
    head = result["value"]["expected_cost"] if what == "expected_cost_per_row_head" else []
    ours: dict[str, Any] = {
        "total_cost": lambda: float(total_cost(ev.matrix, COSTS[case])),
        "average_cost": lambda: float(mean_cost(ev.matrix, COSTS[case])),
        "expected_cost_per_row_head": lambda: expected_costs[: len(head)].tolist(),
        "mean_expected_cost": lambda: float(expected_costs.min(axis=1).mean()),
        "accuracy_percent": lambda: 100 * ev.accuracy.value,
        "kappa": lambda: ev.kappa.value,
        "confusion": lambda: ev.matrix.counts.tolist(),
    }
    wanted = result["value"]["values"] if what == "confusion" else head or result["value"]
    assert_same(ours[what](), wanted, result["tol"], figure)


@pytest.mark.parametrize("case", COSTS)
def test_the_cheapest_class_of_its_probabilities_is_what_it_decides(case: str) -> None:
    *_, said = data(case)
    base = np.column_stack([said[f"base_p_{k}"] for k in range(len(COSTS[case]))])
    assert (bayes_decisions(base, assay.Costs(COSTS[case])) == said["csc_mec_pred"]).all()


@pytest.mark.parametrize("case", COSTS)
@pytest.mark.parametrize("scheme", ["base", "csc_mec", "csc_reweight"])
def test_our_learner_round_its_bayes_decides_every_case_alike(case: str, scheme: str) -> None:
    *_, said = data(case)
    method = "reweight" if scheme == "csc_reweight" else "decide"
    costs = None if scheme == "base" else COSTS[case]
    model = CostSensitiveClassifier(WekaNaiveBayes(), costs=costs, method=method)
    assert (by_folds(case, model, "predict") == said[f"{scheme}_pred"]).all()
    if scheme != "csc_mec":
        theirs = np.column_stack([said[f"{scheme}_p_{k}"] for k in range(len(COSTS[case]))])
        assert by_folds(case, model, "predict_proba") == pytest.approx(theirs, abs=NEAR[case])


@pytest.mark.parametrize(
    ("scheme", "by"), [("threshold_fmeasure_train", "f1"), ("threshold_accuracy_train", "accuracy")]
)
def test_its_threshold_is_among_the_best_of_ours(scheme: str, by: str) -> None:
    """WEKA cuts at a score of its training cases: the upper end of a run of thresholds that are equally good.

    Its distribution puts that threshold at one half, so that it can be worked out from any case above it.
    """
    case = "weka_cost_threshold_bc3"
    features, y, fold, said = data(case)
    moved, base = 2 * said[f"{scheme}_p_1"] - 1, said["base_p_1"]
    same = 0
    for each in np.unique(fold):
        out, above = fold == each, (fold == each) & (moved > 0)
        (threshold,) = set(np.round(((base - moved) / (1 - moved))[above], 9))
        model = WekaNaiveBayes().fit(features[~out], y[~out])
        chosen = ThresholdClassifier(model, by=by, cv="prefit").fit(features[~out], y[~out])
        ends = [high for _, high in chosen.choice_.equally_good]
        assert min(abs(threshold - end) for end in ends) < 1e-4
        same += int((chosen.predict(features[out]) == said[f"{scheme}_pred"][out]).sum())
    assert same >= len(y) - 1  # one case lies between its threshold and the middle of the run


@pytest.mark.parametrize("case", COSTS)
def test_the_text_has_the_total_cost(case: str) -> None:
    _, y, _, said = data(case)
    ev = assay.evaluate(y, y_pred=said["base_pred"].astype(int), positive=None if len(COSTS[case]) > 2 else 1)
    text = render_weka({"": ev}, costs=COSTS[case])
    total = next(each["value"] for each in expected(case)["results"] if each["id"] == "base.total_cost")
    assert f"{'Total Cost':35}{total:7.0f}" in text
