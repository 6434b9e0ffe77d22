"""Curves and thresholds of an evaluation, and what is said about them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import assay
from assay.curves import Drawable
from assay.evaluation import cautions_about_crossing, crossing_pairs
from assay.report import render_text

RNG = np.random.default_rng(8)
TRUTH = RNG.random(400) < 0.4
LOGIT = RNG.normal(size=400) + 1.5 * TRUTH - 0.8
EV = assay.evaluate(TRUTH, 1 / (1 + np.exp(-LOGIT)))
MANY = assay.evaluate(RNG.integers(0, 3, 300), y_proba=RNG.dirichlet([1, 1, 1], 300), classes=["0", "1", "2"])

NEED_NOTHING = (
    *("roc", "precision_recall", "precision_recall_gain", "det", "fp_fn", "gain", "lift", "ks", "cost", "brier"),
    *("densities", "reject", "margin"),
)


@pytest.mark.parametrize("name", NEED_NOTHING)
def test_every_curve_is_a_table_and_a_picture(name: str) -> None:
    curve = getattr(EV.curves, name)
    assert isinstance(curve, Drawable)
    assert len(curve.table()) > 5
    assert curve.svg().startswith("<svg")


def test_curves_that_need_a_choice() -> None:
    assert EV.curves.decision([0.1, 0.2]).table().to_dict()
    assert EV.curves.expected_cost(fp=1, fn=5).y.min() <= EV.curves.expected_cost(fp=1, fn=5).y[0]
    assert len(EV.curves.top_k([5, 10]).table()) == 2
    assert EV.curves.against_threshold("f1").y[-1] == pytest.approx(2 * TRUTH.mean() / (1 + TRUTH.mean()))
    assert EV.curves.sweep("recall", "precision").x[-1] == 1
    assert EV.curves.risk_chart().is_defined


def test_bands_hold_their_curves() -> None:
    for band in (
        EV.curves.roc_band(),
        EV.curves.roc_band(kind="pointwise"),
        EV.curves.roc_band(method="equal local levels"),
        EV.curves.precision_band(),
    ):
        shown = ~np.isnan(band.low)
        assert shown.any()
        assert (band.low[shown] <= band.y[shown]).all()
        assert (band.high[shown] >= band.y[shown]).all()
    at = EV.curves.sensitivity_at(0.9)
    assert at.low < at.value < at.high
    assert EV.curves.specificity_at(0.9).value < 1
    assert EV.curves.reject_band().kind == "pointwise"
    assert EV.curves.net_benefit_band().method


def test_many_classes_have_curves_one_against_the_rest() -> None:
    assert len(MANY.curves.against_rest("1").roc) > 10
    assert MANY.curves.reject.is_defined
    with pytest.raises(ValueError, match="against_rest"):
        _ = MANY.curves.roc
    with pytest.raises(ValueError, match="no class 'x'"):
        MANY.curves.against_rest("x")


def test_a_threshold_is_chosen_and_cautioned() -> None:
    choice = EV.threshold(costs=assay.Costs(fp=1, fn=10), prevalence=0.05)
    assert [caution.code for caution in EV.threshold_cautions(choice)] == ["A306", "A307"]
    assert [caution.code for caution in EV.threshold_cautions(EV.threshold("youden"))] == ["A306"]
    with pytest.raises(ValueError, match="there are 3 classes and a threshold parts two"):
        MANY.threshold("youden")


def test_the_threshold_in_use_implies_costs() -> None:
    """On the hull the sentence is said; this one is the corner that equal costs choose."""
    best = EV.threshold(costs=assay.Costs(fp=1, fn=1)).threshold
    assert "is the best while a miss costs" in " ".join(render_text({"": EV.at(best)}).split())


def test_curves_that_cross_are_mentioned_and_others_are_not() -> None:
    truth = RNG.random(3000) < 0.4
    wide = np.where(truth, RNG.normal(1.2, 3.0, 3000), RNG.normal(0, 1, 3000))
    models = assay.evaluate_models(truth, {"steady": RNG.normal(1.2 * truth, 1.0), "wide": wide})
    assert [caution.code for caution in cautions_about_crossing(models, crossing_pairs(models))] == ["A303"]
    assert "cross" in render_text(models)
    same = assay.evaluate_models(TRUTH, {"a": LOGIT, "b": LOGIT + RNG.normal(0, 0.1, 400)})
    assert crossing_pairs(same) == []
    assert crossing_pairs({"a": EV}) == []


def crossed(rng: np.random.Generator, n: int, spread: float, ahead: float = 0.0) -> tuple[Any, dict[str, Any]]:
    """Cases on which a wide model is better at one end, and at the other a steady one."""
    truth = rng.random(n) < 0.4
    wide = np.where(truth, rng.normal(1.2 + ahead, spread, n), rng.normal(0, 1, n))
    return truth, {"steady": rng.normal(1.2 * truth, 1.0), "wide": wide}


def test_curves_that_cross_are_told_of_where_there_is_a_winner_too() -> None:
    truth, scores = crossed(np.random.default_rng(1), 4000, 3.0)
    cmp = assay.compare(truth, scores)
    assert cmp.verdict("roc_auc", "steady", "wide").winner == "steady"
    assert "A303" in [caution.code for caution in cmp.cautions("roc_auc")]
    assert sum("ROC curves of" in line for line in " ".join(render_text(cmp.models).split()).split(". ")) == 1


@pytest.mark.parametrize(("spread", "do"), [(1.15, True), (1.0, False)])
def test_many_cases_are_thinned_and_not_left_out(spread: float, do: bool) -> None:
    """A crossing that 10,000 of them could not show."""
    truth, scores = crossed(np.random.default_rng(2), 60_000, spread)
    assert bool(crossing_pairs(assay.evaluate_models(truth, scores))) == do
    some = assay.evaluate_models(truth[:5000], {name: score[:5000] for name, score in scores.items()})
    assert crossing_pairs(some) == []


def test_where_crossing_was_not_tested_it_is_said() -> None:
    rng = np.random.default_rng(3)
    truth, scores = crossed(rng, 400, 3.0)
    five = {f"m{k}": rng.normal(truth) for k in range(5)}
    for asked, words in (
        ({"y_score": five}, "more than 4 models; compare two"),
        ({"y_score": scores, "cluster": np.arange(400) // 4}, "independent cases only"),
        ({"y_score": scores, "weight": rng.random(400)}, "independent cases only"),
    ):
        (caution,) = (one for one in assay.compare(truth, **asked).cautions("roc_auc") if one.code[:3] == "A30")
        assert caution.code == "A304"
        assert words in caution.message
    rare = np.arange(400) < 29
    (caution,) = (one for one in assay.compare(rare, scores).cautions("roc_auc") if one.code[:3] == "A30")
    assert "fewer than 30 cases" in caution.message
    assert not any(one.code == "A304" for one in assay.compare(truth, scores).cautions("roc_auc"))
    assert not any(one.code == "A304" for one in assay.compare(rare, scores, threshold=0.5).cautions("accuracy"))
