"""Curves of an algorithm over cases, noise and time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from assay.errors import InputError, UnknownName
from assay.experiments import fit_of, kfold, learning_curve
from assay.experiments.curves import SPOILERS, TimeCurve, robustness_curve, time_curve

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
    assert "nothing varies" in curve.table().columns["no interval because"][0]


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
    with pytest.raises(InputError, match="truth must stay the truth"):
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
    with pytest.raises(InputError, match="1000 cases are to be timed"):
        time_curve(fit, X, Y, sizes=(1000,))
