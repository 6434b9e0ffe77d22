"""Curves of an algorithm over cases, noise and time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, ShuffleSplit, StratifiedKFold
from sklearn.model_selection import validation_curve as scikit_learns
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from assay.errors import InputError, UnknownName
from assay.experiments import fit_of, kfold, learning_curve, validation_curve
from assay.experiments.curves import SPOILERS, TimeCurve, robustness_curve, time_curve
from assay.experiments.estimates import fold_average
from assay.experiments.plans import given, time_series

RNG = np.random.default_rng(8)
Y = np.arange(160) % 2
X = RNG.normal(size=(160, 3)) + 1.5 * Y[:, None]


def by_heart(cases: Any, classes: Any) -> Any:
    return lambda other: classes[((other[:, None] - cases[None]) ** 2).sum(-1).argmin(1)]


def test_a_learning_curve_tests_on_the_same_cases_and_learns_from_growing_parts() -> None:
    seen: list[tuple[int, int]] = []

    def fit(cases: Any, classes: Any) -> Any:
        assert set(classes) == {0, 1}
        seen.append((len(cases), len({float(row[0]) for row in cases})))
        return lambda other: np.zeros(len(other), dtype=int)

    curve = learning_curve(fit, X, Y, shares=(0.05, 0.5, 0.75), repeats=6)
    assert seen == [(size, size) for size in (8, 80, 120) for _ in range(6)]
    assert curve.table().columns["tested on"] == [40, 40, 40]
    assert curve.table().columns["accuracy"] == pytest.approx([0.5] * 3)
    assert "every split gives the same" in curve.table().columns["no interval because"][0]


def test_learning_helps_and_the_change_says_by_how_much() -> None:
    curve = learning_curve(by_heart, X, Y, shares=(0.03, 0.75), repeats=20)
    first, last = curve.estimates
    assert last.value > first.value
    assert curve.change().value == pytest.approx(last.value - first.value)
    assert curve.change().low < curve.change().value < curve.change().high
    assert 0 <= first.low <= first.value <= first.high <= 1
    assert "<svg" in curve.svg()
    again = learning_curve(by_heart, X, Y, shares=(0.03, 0.75), repeats=20)
    assert again.table().to_dict() == curve.table().to_dict()


def test_a_learner_of_scikit_learn_and_a_frame() -> None:
    frame = pd.DataFrame(X, columns=list("abc"))
    from_frame = learning_curve(LogisticRegression(), frame, Y, repeats=5)
    from_array = learning_curve(fit_of(LogisticRegression()), X, Y, repeats=5)
    assert from_frame.table().to_dict() == from_array.table().to_dict()


@pytest.mark.parametrize(("learner", "shown"), [(LogisticRegression, "LogisticRegression"), ("tree", "'tree'")])
def test_what_is_no_learner_is_refused_by_name(learner: object, shown: str) -> None:
    with pytest.raises(InputError, match=f"not a learner: {shown}; needed: an estimator"):
        learning_curve(learner, X, Y, repeats=2)


@pytest.mark.parametrize("shares", [(0.5, 0.9), (0.0, 0.5)])
def test_shares_must_leave_the_test_part_alone(shares: tuple[float, float]) -> None:
    with pytest.raises(InputError, match=r"up to 0\.75"):
        learning_curve(by_heart, X, Y, shares=shares)


def test_label_noise_hurts_a_learner_by_heart_by_as_much_as_there_is() -> None:
    curve = robustness_curve(by_heart, X, Y, spoil="label noise", amounts=(0.0, 0.2, 0.5))
    clean, some, half = (one.value for one in curve.estimates)
    assert clean > some > half
    assert half == pytest.approx(0.5, abs=0.05)
    assert curve.change(0, 2).high < 0


def test_spoiling_nothing_changes_nothing_and_every_amount_has_the_same_splits() -> None:
    plain = robustness_curve(by_heart, X, Y, spoil="feature noise", amounts=(0.0,), plan=kfold(5))
    both = robustness_curve(by_heart, X, Y, spoil="feature noise", amounts=(0.0, 3.0), where="both", plan=kfold(5))
    assert both.values[0].values.tolist() == plain.values[0].values.tolist()
    assert both.estimates[1].value < both.estimates[0].value
    assert both.values[0].test.tolist() == both.values[1].test.tolist()


def test_missing_values_reach_the_learner_as_nan() -> None:
    shares: list[float] = []

    def fit(cases: Any, classes: Any) -> Any:
        shares.append(float(np.isnan(cases).mean()))
        return DummyClassifier().fit(cases, classes).predict

    robustness_curve(fit, X, Y, spoil="missing values", amounts=(0.0, 0.3))
    assert shares[0] == 0
    assert np.mean(shares[20:]) == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize("amount", [0.0, 0.25, 1.0])
def test_so_many_labels_are_replaced_by_others(amount: float) -> None:
    classes = np.array(["a", "b", "c"] * 2000)
    _, spoiled = SPOILERS["label noise"](None, classes, amount, np.random.default_rng(1))
    assert (spoiled != classes).mean() == pytest.approx(amount, abs=0.02)
    assert set(spoiled) == {"a", "b", "c"}


def test_truth_is_never_spoiled_where_it_is_tested() -> None:
    with pytest.raises(InputError, match="cannot be added to test labels"):
        robustness_curve(by_heart, X, Y, spoil="label noise", where="test")
    with pytest.raises(UnknownName, match="spoil is 'bad weather'; needed: 'label noise', "):
        robustness_curve(by_heart, X, Y, spoil="bad weather")  # type: ignore[arg-type]


def test_time_grows_with_work() -> None:
    curve = TimeCurve(np.array([10.0, 100.0, 1000.0]), np.array([0.001, 0.01, 0.1]), np.array([1e-4] * 3))
    assert curve.growth == pytest.approx(1.0)
    assert curve.table().columns["cases"] == [10, 100, 1000]
    assert "<svg" in curve.svg()
    assert math.isnan(TimeCurve(np.ones(1), np.ones(1), np.ones(1)).growth)


def test_the_shortest_try_counts_and_sizes_are_met() -> None:
    sizes: list[int] = []

    def fit(cases: Any, classes: Any) -> Any:
        sizes.append(len(cases))
        return lambda other: other

    curve = time_curve(fit, X, Y, sizes=(10, 160), repeats=4)
    assert sizes == [10] * 4 + [160] * 4
    assert (curve.fit >= 0).all()
    with pytest.raises(InputError, match="sizes has 1000 cases"):
        time_curve(fit, X, Y, sizes=(1000,))


GROUPS = np.arange(160) // 8
SPLITTERS = [StratifiedKFold(5, shuffle=True, random_state=2), ShuffleSplit(6, random_state=1), GroupKFold(5)]


@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda each: type(each).__name__)
def test_a_validation_curve_has_scikit_learns_scores_on_the_same_splits(splitter: Any) -> None:
    learner = make_pipeline(StandardScaler(), KNeighborsClassifier())
    values = [1, 5, 60]
    groups = GROUPS if isinstance(splitter, GroupKFold) else None
    named: dict[str, Any] = {"param_name": "kneighborsclassifier__n_neighbors", "param_range": values}
    _, theirs = scikit_learns(learner, X, Y, cv=splitter, groups=groups, **named)
    curve = validation_curve(
        learner,
        X,
        Y,
        parameter="kneighborsclassifier__n_neighbors",
        values=values,
        plan=given(splitter, random=True),
        groups=groups,
    )
    assert curve.x.tolist() == values
    for scores, expected in zip(curve.values, theirs, strict=True):
        np.testing.assert_allclose(scores.values, expected, rtol=0, atol=1e-12)
    for one, scores in zip(curve.estimates, curve.values, strict=True):
        assert one.low < one.value < one.high
        assert (one.low, one.high) == (fold_average(scores, 0.95).low, fold_average(scores, 0.95).high)
    assert curve.drawing().x.scale == "log"
    assert "<svg" in curve.svg()
    # Of a splitter nobody knows whether its parts are drawn at random.
    same = validation_curve(learner, X, Y, parameter=named["param_name"], values=values, plan=splitter, groups=groups)
    assert [one.value for one in same.estimates] == [one.value for one in curve.estimates]
    assert all("random=True" in str(one.undefined) for one in same.estimates)


def test_a_validation_curve_of_labels_and_frames_as_given_and_of_values_that_are_no_numbers() -> None:
    frame = pd.DataFrame(X, columns=list("abc"))
    labels = np.where(Y == 1, "spam", "ham")
    tree = DecisionTreeClassifier(random_state=0, class_weight={"spam": 2, "ham": 1})
    depths = validation_curve(tree, frame, labels, parameter="max_depth", values=[1, None], level=0.9)
    assert depths.table().columns["max_depth"] == ["1", "None"]
    assert depths.drawing().x.title == "max_depth: 1 1, 2 None"
    wider = validation_curve(tree, frame, labels, parameter="max_depth", values=[1, None], level=0.99)
    assert wider.estimates[0].low < depths.estimates[0].low
    assert len(depths.values[0].values) == 20
    assert depths.change().value == pytest.approx(depths.estimates[1].value - depths.estimates[0].value)


def test_a_validation_curve_refuses_what_is_no_parameter_and_no_estimator() -> None:
    with pytest.raises(UnknownName, match=r"parameter is 'max_deph'; needed: .*'max_depth'"):
        validation_curve(DecisionTreeClassifier(), X, Y, parameter="max_deph", values=[1])
    with pytest.raises(InputError, match="not an estimator: 'tree'"):
        validation_curve("tree", X, Y, parameter="k", values=[1])
    with pytest.raises(InputError, match="no values of max_depth"):
        validation_curve(DecisionTreeClassifier(), X, Y, parameter="max_depth", values=[])


def test_curves_over_splits_that_are_not_random_have_no_interval() -> None:
    one = validation_curve(DecisionTreeClassifier(), X, Y, parameter="max_depth", values=[1], plan=time_series(5))
    other = robustness_curve(by_heart, X, Y, spoil="label noise", amounts=(0.0,), plan=time_series(5))
    for curve in (one, other):
        assert math.isnan(curve.estimates[0].low)
        assert "not for '5 steps forward in time'" in str(curve.estimates[0].undefined)
