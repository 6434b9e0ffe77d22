"""The smooth calibration curve: its shape, its band, its distances."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.laws.samples import degenerate_tables

from assay.calibration import smooth_curve
from assay.calibration.smoothing import KNOTS, _design_matrix, lowess
from assay.evidence import ScoreTable
from assay.uncertainty.logistic import fit_logistic


def drawn(n: int, seed: int, factor: float = 1.0, shift: float = 0.0, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1.5, n)
    return ScoreTable.of(expit(factor * logit(p) + shift), rng.random(n) < p, **design)  # type: ignore[arg-type]


def test_the_curve_is_the_most_likely_one() -> None:
    """At the maximum the slope of the likelihood is 0 in every coefficient."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    design = _design_matrix(x, np.array([-1.0, 0.0, 1.0]))
    positive, negative = rng.integers(1, 9, (2, 60)).astype(float)
    fit = fit_logistic(design, negative, positive)
    slope = design.T @ (positive - (positive + negative) * expit(design @ fit.coefficients))
    assert slope == pytest.approx(np.zeros(3), abs=1e-8)


def test_the_spline_is_straight_beyond_its_outer_knots() -> None:
    knots = np.array([-1.0, 0.0, 0.5, 2.0])
    for x in (np.linspace(-9, -1, 30), np.linspace(2, 9, 30)):
        assert np.diff(_design_matrix(x, knots), 2, axis=0) == pytest.approx(0, abs=1e-9)


def test_classes_without_overlap_have_no_best_curve() -> None:
    table = ScoreTable.of(np.linspace(0.01, 0.99, 200), np.arange(200) >= 100)
    curve = smooth_curve(table)
    assert np.isnan(curve.rate).all()
    assert "without overlap" in (curve.undefined or "")
    assert math.isnan(curve.ici.value)
    assert curve.ici.undefined == curve.undefined


def test_distances_are_those_of_the_curve() -> None:
    table = drawn(400, 2, 2.0)
    curve = smooth_curve(table)
    distance = np.abs(curve.rate - table.score)
    assert curve.ici.value == pytest.approx(distance.mean())
    assert curve.e50.value == pytest.approx(np.median(distance))
    assert curve.e90.value == pytest.approx(np.quantile(distance, 0.9))
    assert curve.emax.value == pytest.approx(distance.max())


def test_the_curve_finds_a_known_shape() -> None:
    table = drawn(50_000, 3, factor=1.6, shift=0.4)
    curve = smooth_curve(table)
    truth = expit((logit(curve.score) - 0.4) / 1.6)
    assert np.abs(curve.rate - truth).max() < 0.02
    assert ((curve.low <= truth) & (truth <= curve.high)).all()
    assert curve.ici.value == pytest.approx(np.abs(truth - curve.score).mean(), abs=0.01)


def test_chance_is_what_right_probabilities_show() -> None:
    shown = [smooth_curve(drawn(500, seed)).ici for seed in range(60)]
    told = float((shown[0].undefined or "").split(" show ")[1].split()[0])
    assert np.mean([each.value for each in shown]) == pytest.approx(told, rel=0.12)


def test_a_point_of_the_curve_is_better_known_than_the_whole() -> None:
    table = drawn(400, 4)
    whole, point = smooth_curve(table), smooth_curve(table, simultaneous=False)
    assert (whole.low < point.low).all()
    assert (point.high < whole.high).all()
    assert (whole.rate == point.rate).all()


@pytest.mark.parametrize(("each", "words"), [(29, "straight line"), (30, "3 knots"), (40, "4 knots"), (50, "5 knots")])
def test_knots_follow_the_smaller_class(each: int, words: str) -> None:
    table = ScoreTable.of(np.linspace(0.05, 0.95, 2 * each), np.arange(2 * each) % 2 == 0)
    assert words in smooth_curve(table).method


def test_places_of_knots_rise() -> None:
    assert all(len(places) == count and list(places) == sorted(places) for count, places in KNOTS.items())


def test_few_cases_have_a_curve_and_no_band() -> None:
    curve = smooth_curve(drawn(30, 6))
    assert np.isfinite(curve.rate).all()
    assert np.isnan(curve.low).all()
    assert "at least 30" in (curve.undefined or "")


def test_weights_of_one_are_cases() -> None:
    plain, weighted = drawn(500, 7), drawn(500, 7, weight=np.ones(500))
    assert smooth_curve(weighted).rate == pytest.approx(smooth_curve(plain).rate)
    ratio = (smooth_curve(weighted).high - smooth_curve(weighted).low) / (
        smooth_curve(plain).high - smooth_curve(plain).low
    )
    assert np.abs(np.median(ratio) - 1) < 0.15


def test_unequal_weights_and_repeated_rows_widen_the_band() -> None:
    plain = smooth_curve(drawn(500, 8))
    unequal = smooth_curve(drawn(500, 8, weight=np.tile([0.2, 3.0], 250)))
    assert np.median(unequal.high - unequal.low) > 1.15 * np.median(plain.high - plain.low)
    rng = np.random.default_rng(8)
    p = np.repeat(rng.beta(1, 1.5, 125), 4)
    y = np.repeat(rng.random(125) < p[::4], 4)
    clustered = smooth_curve(ScoreTable.of(p, y, cluster=np.arange(500) // 4))
    assert np.median(clustered.high - clustered.low) > 1.5 * np.median(plain.high - plain.low)


def test_few_clusters_have_no_band() -> None:
    curve = smooth_curve(drawn(400, 9, cluster=np.arange(400) // 50))
    assert "8 clusters" in (curve.undefined or "")
    assert np.isnan(curve.high).all()


def test_certain_probabilities_are_moved_and_counted() -> None:
    p = np.concatenate((np.zeros(5), np.ones(3), np.linspace(0.02, 0.98, 200)))
    curve = smooth_curve(ScoreTable.of(p, np.random.default_rng(0).random(208) < p))
    assert curve.clipped == 8
    assert np.isfinite(curve.rate).all()


def test_votes_of_few_trees_do_not_bend_the_curve() -> None:
    """Many probabilities are exactly 0 or 1, and the event still happens there, or fails to."""
    rng = np.random.default_rng(2)
    said = np.round(rng.beta(0.4, 0.8, 2000) * 20) / 20
    curve = smooth_curve(ScoreTable.of(said, rng.random(2000) < 0.05 + 0.9 * said))
    truth = 0.05 + 0.9 * curve.score
    assert np.abs(curve.rate - truth).max() < 0.08
    assert ((curve.low <= truth) & (truth <= curve.high)).all()


@pytest.mark.parametrize("smoother", ["spline", "lowess"])
@pytest.mark.parametrize("table", degenerate_tables(), ids=repr)
def test_degenerate_tables_have_a_curve_or_a_reason(table: ScoreTable, smoother: str) -> None:
    curve = smooth_curve(table, smoother=smoother)  # type: ignore[arg-type]
    assert curve.undefined
    assert np.isfinite(curve.rate).all() or math.isnan(curve.ici.value)


def test_lowess_follows_a_straight_line_and_counts_rows() -> None:
    x = np.linspace(0, 1, 40)
    assert lowess(x, 2 * x, np.ones(40)) == pytest.approx(2 * x)
    rng = np.random.default_rng(0)
    y = rng.random(40)
    times = rng.integers(1, 4, 40).astype(float)
    apart = lowess(np.repeat(x, times.astype(int)) + 0.0, np.repeat(y, times.astype(int)), np.ones(int(times.sum())))
    assert lowess(x, y, times) == pytest.approx(apart[np.cumsum(times).astype(int) - 1])


def test_lowess_has_no_band_and_takes_no_weights() -> None:
    curve = smooth_curve(drawn(200, 10), smoother="lowess")
    assert "no standard error" in (curve.undefined or "")
    assert np.isfinite(curve.ici.value)
    weighted = smooth_curve(drawn(200, 10, weight=np.linspace(0.5, 2, 200)), smoother="lowess")
    assert "sampling weights" in (weighted.undefined or "")
    assert math.isnan(weighted.ici.value)
