"""Binormal and smoothed ROC curves, pictures, averages at equal recalls, the surface, and the picture of a p-value."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from tests.laws.samples import rows, table_of

import assay
from assay.curves import (
    binormal_roc,
    horizontal_average,
    p_value_picture,
    reject_curve,
    roc_hull,
    roc_picture,
    roc_surface,
    smooth_roc,
    vertical_average,
)
from assay.errors import OptionError
from assay.evidence import ScoreTable

RNG = np.random.default_rng(3)
Y = np.arange(300) % 2 == 1
SCORE = RNG.normal(1.2 * Y)
TABLE = ScoreTable.of(SCORE, Y)


@settings(max_examples=25)
@given(cases=rows)
def test_a_binormal_curve_is_sound_or_says_why_there_is_none(cases: list[tuple[float, bool]]) -> None:
    curve = binormal_roc(table_of(cases))
    if not curve.is_defined:
        assert curve.undefined
        assert math.isnan(curve.auc.value)
        return
    assert 0 <= curve.auc.value <= 1
    assert not curve.auc.low > curve.auc.value
    assert (np.diff(curve.at(np.linspace(0, 1, 50))) >= -1e-12).all()


def test_more_categories_than_a_dense_matrix_would_hold() -> None:
    y = np.arange(20_000) % 2 == 1
    curve = binormal_roc(ScoreTable.of(np.random.default_rng(0).normal(y), y))
    assert curve.auc.value == pytest.approx(0.7602, abs=0.02)
    assert curve.auc.high - curve.auc.low < 0.02


def test_weights_clusters_and_few_cases_have_a_curve_and_no_limits() -> None:
    weighted = ScoreTable.of(SCORE, Y, weight=RNG.exponential(1, 300))
    clustered = ScoreTable.of(SCORE, Y, cluster=np.arange(300) // 3)
    few, fewer = ScoreTable.of(SCORE[:30], Y[:30]), ScoreTable.of(SCORE[:8], Y[:8])
    assert np.isfinite(binormal_roc(few).auc.low)
    assert "4 cases in a class" in (binormal_roc(fewer).auc.undefined or "")
    for table, why in ((weighted, "weights"), (clustered, "cluster"), (few, "15 cases in a class")):
        curve = binormal_roc(table)
        assert table is few or why in (curve.auc.undefined or "")
        assert why in (curve.band().undefined or "")
        assert why in (curve.a.undefined or "")
        assert curve.svg()


def test_what_each_case_moves_the_area_by_tells_as_much_as_the_likelihood_where_it_holds() -> None:
    rng = np.random.default_rng(24)
    y = np.arange(4000) >= 2000
    curve = binormal_roc(ScoreTable.of(rng.normal(1.2 * y, 1 + 0.4 * y), y))
    assert curve.fit is not None
    assert curve.fit.robust == pytest.approx(curve.fit.covariance, rel=0.1)
    # A few cases far off make the likelihood too sure of itself.
    heavy = binormal_roc(ScoreTable.of(rng.standard_t(2, 4000) + 5 * y, y))
    assert heavy.fit is not None
    assert np.trace(heavy.fit.robust) > 1.5 * np.trace(heavy.fit.covariance)
    usual, by_name = heavy.area(), heavy.area("binormal, probit")
    assert usual.low < by_name.low < by_name.high < usual.high


def test_a_likelihood_that_is_level_is_a_sentence_and_no_error() -> None:
    """Found on even seeds of the certificate: an information that has no inverse."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        score = rng.normal(size=40) + 4.5 * (np.arange(40) >= 30)
        curve = binormal_roc(ScoreTable.of(np.round(score, 1), np.arange(40) >= 30))
        assert curve.undefined is not None or curve.auc.low <= curve.auc.value <= curve.auc.high


def test_without_overlap_there_is_no_binormal_curve() -> None:
    table = ScoreTable.of(np.arange(40.0), np.arange(40) >= 20)
    assert "fewer than two points" in (binormal_roc(table).undefined or "")
    with pytest.raises(OptionError, match="there is no curve"):
        _ = binormal_roc(table).goodness
    one = binormal_roc(ScoreTable.of([0.1, 0.4], [False, False]))
    assert "of one class" in (one.undefined or "")


def test_the_simultaneous_band_is_wider() -> None:
    curve = binormal_roc(TABLE)
    one, every = curve.band(), curve.band(kind="simultaneous")
    assert (every.low <= one.low).all()
    assert (one.high <= every.high).all()


@pytest.mark.parametrize("method", ["kernel", "normal", "regression"])
def test_smooth_curves_are_near_the_empirical_one_and_have_no_interval_unless_asked(method: str) -> None:
    curve = smooth_roc(TABLE, method)
    assert curve.auc.value == pytest.approx(float(assay.measures.find("roc_auc")(TABLE)), abs=0.03)
    assert "bootstrap" in (curve.auc.undefined or "")
    found = curve.area("bootstrap", draws=200)
    assert found.low < found.value < found.high
    assert (np.diff(curve.curve.recall) >= -1e-9).all()


def test_smoothing_says_what_it_cannot_use() -> None:
    with pytest.raises(OptionError, match="of one class"):
        smooth_roc(ScoreTable.of([0.1, 0.2], [False, False]))
    with pytest.raises(OptionError, match="no bandwidth"):
        smooth_roc(TABLE, "normal", bandwidth=0.2)
    with pytest.raises(OptionError, match="method"):
        smooth_roc(TABLE, "loess")
    with pytest.raises(OptionError, match="weights or clusters"):
        smooth_roc(ScoreTable.of(SCORE, Y, weight=RNG.exponential(1, 300))).area("bootstrap")
    constant = ScoreTable.of([1.0, 1.0, 1.0, 1.0], [True, False, True, False])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(smooth_roc(constant, "normal").auc.value)
        assert math.isnan(smooth_roc(constant, "regression").auc.value)
        assert smooth_roc(constant, "kernel").auc.value == pytest.approx(0.5)


def test_many_scores_are_smoothed_in_bins() -> None:
    y = np.arange(3_000) % 2 == 1
    score = np.random.default_rng(1).normal(y)
    table = ScoreTable.of(score, y)
    assert smooth_roc(table, bandwidth=0.05).auc.value == pytest.approx(
        float(assay.measures.find("roc_auc")(table)), abs=0.002
    )


def test_the_tangent_touches_where_a_miss_costs_so_much() -> None:
    ev = assay.evaluate(Y.astype(int), SCORE)
    picture = ev.curves.roc_picture(ratio=3, perfect=True, band="pointwise")
    best = ev.thresholds([3.0]).table().columns
    assert picture.touched[0] == pytest.approx(best["fpr"][0])
    assert picture.touched[1] == pytest.approx(best["recall"][0])
    for word in ("perfect", "useless", "hull", "cheapest", "slope"):
        assert word in picture.svg()
    plain = ev.curves.roc_picture(hull=False, useless=False)
    assert "useless" not in plain.svg()
    with pytest.raises(OptionError, match="one of them"):
        ev.curves.roc_picture(ratio=3, tangent=1)
    with pytest.raises(OptionError, match="no tangent"):
        _ = plain.touched
    with pytest.raises(OptionError, match="tangent"):
        roc_picture(TABLE, roc_hull(TABLE), tangent=-1)


def test_every_band_of_an_evaluation_draws_itself() -> None:
    ev = assay.evaluate(Y.astype(int), 1 / (1 + np.exp(-SCORE)))
    for band in (
        ev.curves.roc_band(),
        ev.curves.precision_band(),
        ev.curves.reject_band(),
        ev.curves.net_benefit_band(),
        ev.curves.sensitivity_band([0.5, 0.8]),
        ev.curves.specificity_band([0.5, 0.8]),
    ):
        assert band.svg().startswith("<svg")


@given(cases=rows)
def test_rejecting_by_distance_is_rejecting_by_probability(cases: list[tuple[float, bool]]) -> None:
    table = table_of(cases)
    usual, by_distance = reject_curve(table), reject_curve(table, threshold=0.5)
    np.testing.assert_allclose(by_distance.x, usual.x)
    np.testing.assert_allclose(by_distance.y, usual.y)


def test_rejecting_takes_scores_of_any_scale() -> None:
    ev = assay.evaluate(Y.astype(int), SCORE)
    curve = ev.curves.rejecting(0.6)
    assert curve.y[-1] == pytest.approx(ev.at(0.6).accuracy.value)
    many = assay.evaluate([0, 1, 2], y_proba=np.eye(3))
    assert isinstance(many, assay.ManyClassEvaluation)
    assert many.class_scores is not None
    with pytest.raises(OptionError, match="two classes"):
        reject_curve(many.class_scores, threshold=0.5)


def test_averages_at_equal_recalls_mirror_those_at_equal_rates() -> None:
    folds = [ScoreTable.of(SCORE[k::3], Y[k::3]) for k in range(3)]
    # Exchange the classes and turn the scores round: the curve is mirrored at the falling diagonal.
    mirrored = [ScoreTable.of(-SCORE[k::3], ~Y[k::3]) for k in range(3)]
    up, across = vertical_average(mirrored, 21), horizontal_average(folds, 21)
    assert across.table().columns["recall"] == np.linspace(0, 1, 21).tolist()
    assert (np.diff(across.fpr) >= 0).all()
    assert (across.lowest <= across.fpr + 1e-12).all()
    assert np.isfinite(up.recall).all()
    with pytest.raises(OptionError, match="ties"):
        horizontal_average(folds, ties="max")
    ev = assay.evaluate(Y.astype(int), SCORE, fold=np.arange(300) % 5)
    assert len(ev.curves.fold_average("horizontal").table()) == 101
    with pytest.raises(OptionError, match="mean is over cross-validation folds"):
        assay.evaluate(Y.astype(int), SCORE).curves.fold_average()


def test_the_volume_under_the_surface_is_what_the_surface_encloses() -> None:
    codes = np.repeat([0, 1, 2], 60)
    surface = roc_surface(np.random.default_rng(5).normal(1.2 * codes), codes, points=201)
    area = np.trapezoid(np.trapezoid(surface.middle, surface.last, axis=1), surface.first)
    assert area == pytest.approx(surface.volume.value, abs=0.01)
    assert surface.at(0, 0) == pytest.approx(1.0)
    assert surface.at(1, 1) <= surface.at(0.5, 0.5)
    ev = assay.evaluate(codes, y_proba=np.eye(3)[codes], classes=[0, 1, 2])
    assert ev.curves.surface.classes == ("0", "1", "2")
    with pytest.raises(OptionError, match="three classes"):
        _ = assay.evaluate([0, 1, 2, 3], y_proba=np.eye(4)).curves.surface


def test_the_picture_of_a_p_value() -> None:
    picture = p_value_picture(0.03, 0.015, true_difference=0.05)
    assert picture.p_value == pytest.approx(0.0455, abs=1e-4)
    assert picture.type_two == pytest.approx(1 - 0.9152, abs=1e-3)
    assert "power" in picture.sentences[-1]
    assert "not the probability that there is no difference" in picture.sentences[1]
    cmp = assay.compare(Y.astype(int), {"a": SCORE, "b": SCORE + np.random.default_rng(0).normal(size=300)})
    drawn = cmp.tests.p_value("roc_auc", "a", "b")
    assert drawn.p_value == pytest.approx(cmp.difference("roc_auc", "a", "b").p_value, rel=1e-6)
    assert drawn.svg()
    with pytest.raises(OptionError, match="no test"):
        cmp.tests.p_value("prbe", "a", "b")
