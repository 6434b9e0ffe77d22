"""Murphy diagrams: costs by definition, and the difference of two classifiers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.samples import tables

from assay.calibration import cheapest, murphy_curve, murphy_difference
from assay.evidence import ScoreTable
from assay.measures import brier, log_loss

THETAS = np.array([0.0, 0.015625, 0.1, 0.25, 0.37, 0.5, 0.75, 0.984375, 1.0])
pairs = st.lists(
    st.tuples(st.integers(0, 16), st.integers(0, 16), st.booleans()).map(lambda t: (t[0] / 16, t[1] / 16, t[2])),
    min_size=1,
    max_size=40,
)


def cost(score: np.ndarray, truth: np.ndarray, theta: float) -> np.ndarray:
    """What each case costs, by definition."""
    called = score >= theta
    return np.where(truth, (1 - theta) * ~called, theta * called)


def two_forecasts(n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return rng.random(n) < p, np.clip(p + rng.normal(0, 0.1, n), 0, 1), np.clip(p + rng.normal(0, 0.3, n), 0, 1)


@given(pairs)
def test_the_curve_is_the_mean_cost(cases: list[tuple[float, float, bool]]) -> None:
    score, _, truth = (np.array(column) for column in zip(*cases, strict=True))
    curve = murphy_curve(ScoreTable.of(score, truth))
    assert curve(THETAS) == pytest.approx([cost(score, truth, theta).mean() for theta in THETAS])


@given(tables)
def test_twice_the_area_is_the_brier_score(table: ScoreTable) -> None:
    """Between scores the curve is straight, so the trapezium just inside each step is exact."""
    curve = murphy_curve(table)
    ends = np.concatenate(([0.0], table.score, [1.0]))
    left = ends[:-1] * curve.false_alarms + (1 - ends[:-1]) * curve.misses
    right = ends[1:] * curve.false_alarms + (1 - ends[1:]) * curve.misses
    area = float(((left + right) / 2) @ np.diff(ends))
    assert 2 * area == pytest.approx(float(brier(table)), abs=1e-12)


def test_log_loss_is_an_average_of_the_curve_too() -> None:
    truth, score, _ = two_forecasts(200, 0)
    table = ScoreTable.of(np.clip(score, 0.05, 0.95), truth)
    theta = (np.arange(400_000) + 0.5) / 400_000
    mean = (murphy_curve(table)(theta) / (theta * (1 - theta))).mean()
    assert mean == pytest.approx(float(log_loss(table)), abs=1e-3)


@given(pairs)
def test_the_difference_is_that_of_the_curves(cases: list[tuple[float, float, bool]]) -> None:
    first, second, truth = (np.array(column) for column in zip(*cases, strict=True))
    difference = murphy_difference(truth, first, second)
    curves = [murphy_curve(ScoreTable.of(score, truth))(THETAS) for score in (first, second)]
    assert difference(THETAS) == pytest.approx(curves[0] - curves[1], abs=1e-12)


def test_limits_come_from_the_cases_on_which_one_errs() -> None:
    truth, first, second = two_forecasts(400, 1)
    difference = murphy_difference(truth, first, second)
    for theta in (0.2, 0.5, 0.8):
        apart = cost(first, truth, theta) - cost(second, truth, theta)
        low, high = (float(limit) for limit in difference.limits(theta))
        plain = 1.96 * apart.std() / math.sqrt(len(apart))
        assert (high - low) / 2 == pytest.approx(plain, rel=0.1)
        assert low <= apart.mean() <= high


def test_the_limits_hold_the_true_difference() -> None:
    theta = np.array([0.1, 0.5])
    truth = murphy_difference(*two_forecasts(1_000_000, 99))(theta)
    held = np.zeros(2)
    for seed in range(200):
        low, high = murphy_difference(*two_forecasts(200, seed)).limits(theta)
        held += (low <= truth) & (truth <= high)
    assert (held / 200 >= 0.91).all()


def test_few_cases_apart_have_no_interval() -> None:
    truth, first, _ = two_forecasts(50, 2)
    found = murphy_difference(truth, first, first).estimate(0.5)
    assert found.value == 0
    assert math.isnan(found.low)
    assert "fewer than 10 cases" in (found.undefined or "")


def test_swapping_the_classifiers_turns_the_sign() -> None:
    truth, first, second = two_forecasts(300, 3)
    one, other = murphy_difference(truth, first, second), murphy_difference(truth, second, first)
    assert one(THETAS) == pytest.approx(-other(THETAS))
    assert one.limits(0.4)[0] == pytest.approx(-other.limits(0.4)[1])
    assert len(one.table()) == 19


def test_the_cheapest_is_told_for_every_theta() -> None:
    truth, first, second = two_forecasts(80, 4)
    curves = {"first": murphy_curve(ScoreTable.of(first, truth)), "second": murphy_curve(ScoreTable.of(second, truth))}
    told = cheapest(curves)
    assert told.columns["from"][0] == 0
    assert told.columns["to"][-1] == 1
    assert told.columns["from"][1:] == told.columns["to"][:-1]
    for start, stop, names in told.rows():
        for theta in np.linspace(start, stop, 7)[1:-1]:
            costs = {name: float(curve(theta)) for name, curve in curves.items()}
            least = ", ".join(name for name, value in costs.items() if value <= min(costs.values()) + 1e-9)
            assert least == names


def test_curves_may_cross_between_scores() -> None:
    """One classifier only misses, the other only raises false alarms: at theta one half they change places."""
    truth = np.array([False, True])
    curves = {
        "alarms": murphy_curve(ScoreTable.of([0.9, 0.9], truth)),
        "misses": murphy_curve(ScoreTable.of([0.1, 0.1], truth)),
    }
    told = cheapest(curves)
    assert told.columns["from"] == [0.0, 0.1, 0.5, 0.9]
    assert told.columns["cheapest"] == ["alarms, misses", "alarms", "misses", "alarms, misses"]
