"""What stands in the inner modules is reached from what users hold, and gives the same numbers there."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import assay
from assay import calibration, comparison, curves, decisions
from assay.errors import OptionError, UnknownName
from assay.evaluation import Calibration, Comparison, Curves
from assay.evidence import ScoreTable

rng = np.random.default_rng(8)
TRUTH = (rng.random(300) < 0.4).astype(int)
GOOD, POOR = (1 / (1 + np.exp(-rng.normal(2 * gap * TRUTH - gap, 1))) for gap in (1.1, 0.6))


@pytest.fixture(scope="module")
def cmp() -> Comparison:
    """Two classifiers of the same cases."""
    return assay.compare(TRUTH, {"good": GOOD, "poor": POOR})


ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "rate_ratio": ("recall", "good", "poor"),
    "predictive_values": ("precision", "good", "poor"),
    "bdeltacost": ("good", "poor", [[0, 1], [5, 0]]),
    "p_value": ("roc_auc", "good", "poor"),
    "by_name": ("bowker",),
}
NAMED: dict[str, dict[str, Any]] = {
    "sensitivities": {"specificity": 0.9, "times": 200},
    "specificities": {"recall": 0.9, "times": 200},
    "venkatraman": {"times": 99},
}


def test_every_test_of_a_pair_answers(cmp: Comparison) -> None:
    for name, method in inspect.getmembers(type(cmp.tests), inspect.isfunction):
        if name.startswith("_"):
            continue
        takes = list(inspect.signature(method).parameters)[1:]
        pair: tuple[str, ...] = ("good", "poor") if takes[:2] == ["first", "second"] else ()
        said = NAMED.get(name, {"difference": 0.05} if "difference" in takes else {})
        if "difference" in said:
            pair = ("roc_auc", "good", "poor")
        assert getattr(cmp.tests, name)(*ARGUMENTS.get(name, pair), **said) is not None, name


def test_the_tests_are_those_of_the_inner_modules(cmp: Comparison) -> None:
    paired = cmp.decisions("good", "poor")
    assert cmp.tests.bowker("good", "poor") == comparison.bowker(paired.labels())
    assert cmp.tests.rates("good", "poor").columns == comparison.compare_rates(paired).columns
    assert cmp.tests.mcnemar("good", "poor", "exact") == cmp.mcnemar("good", "poor", "exact")
    assert cmp.tests.redelmeier("good", "poor") == comparison.redelmeier(GOOD, POOR, TRUTH)
    right = np.stack([(score >= 0.5) == TRUTH for score in (GOOD, POOR)], axis=1)
    joint = comparison.cochran_q(assay.evidence.JointCorrectness.of(right, ("good", "poor")))
    assert cmp.tests.cochran_q() == joint
    found = cmp.tests.diebold_mariano("good", "poor")
    assert found.value == pytest.approx(cmp.difference("brier", "good", "poor").value)


def test_a_model_that_is_not_there_is_refused(cmp: Comparison) -> None:
    with pytest.raises(UnknownName, match="there is no model 'best'; needed: one of 'good', 'poor'"):
        cmp.tests.redelmeier("good", "best")
    with pytest.raises(OptionError, match="the losses have shape"):
        cmp.tests.bdeltacost("good", "poor", [[0, 1, 2], [1, 0, 1]])


def test_calibration_reaches_every_statistic() -> None:
    held = assay.evaluate(TRUTH, GOOD).calibration
    table = ScoreTable.of(GOOD, TRUTH == 1)
    assert held.spherical_score.to_dict() == calibration.spherical_score(table).to_dict()
    assert held.bias_test == calibration.bias_test(table)
    assert held.mce.value >= held.ece.value
    assert held.ece_sweep.value == calibration.ece_sweep(table).value
    assert held.groups(5, by="quantiles").total.sum() == pytest.approx(300)
    fitted = assay.evaluate(TRUTH[:150], GOOD[:150]).calibration.recalibration("platt")
    effect = assay.evaluate(TRUTH[150:], GOOD[150:]).calibration.recalibration_effect(fitted)
    assert effect.table() is not None
    assert held.recalibration_function("beta") is not None
    with pytest.raises(UnknownName, match="method is 'plat'"):
        held.recalibration("plat")


def test_curves_reach_every_number() -> None:
    ev = assay.evaluate(TRUTH, GOOD)
    assert ev.curves.precision_at_k([10, 50]).tolist() == curves.precision_at_k(ev.curves.scores, [10, 50]).tolist()
    areas = ev.curves.reject_areas()
    assert areas["excess_aurc"] < areas["aurc"]
    bounds = ev.curves.auc_bounds()
    assert bounds.low < ev.roc_auc.low < ev.roc_auc.high < bounds.high
    amounts = rng.exponential(100, 300)
    assert ev.curves.risk_chart(amounts).table() is not None
    with pytest.raises(OptionError, match=r"there are 300 cases, and the amounts at stake have shape \(2,\)"):
        ev.curves.risk_chart([1.0, 2.0])


def test_decisions_are_made_from_what_users_hold() -> None:
    ev, costs = assay.evaluate(TRUTH, GOOD), assay.Costs(fp=1, fn=4, reject=0.3)
    shares = np.column_stack([1 - GOOD, GOOD])
    assert ev.bayes_decisions(costs).tolist() == decisions.bayes_decisions(shares, costs).tolist()
    assert ev.rejection_region(costs, by="probability") == decisions.rejection_region(costs)
    assert ev.rejection_region(costs) == decisions.reject_thresholds(ev.curves.scores, costs)
    assert len(ev.thresholds([0.5, 1, 2, 10]).corner) == 4
    many = assay.evaluate(["a", "b", "c"] * 20, y_proba=rng.dirichlet(np.ones(3), 60))
    assert set(many.bayes_decisions(assay.Costs([[0, 1, 1], [1, 0, 1], [9, 9, 0]], ("a", "b", "c"))).tolist()) <= {
        0,
        1,
        2,
    }


@pytest.mark.parametrize("held", [Curves, Calibration])
def test_everything_is_explained(held: type) -> None:
    for name in dir(held):
        if not name.startswith("_") and name not in held.__dataclass_fields__:  # type: ignore[attr-defined]
            assert inspect.getdoc(getattr(held, name)), name
