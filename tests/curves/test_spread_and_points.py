"""Densities of scores, classifiers of one point, and curves averaged over folds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import gaussian_kde

from assay.curves import roc, roc_points, score_densities, threshold_average, vertical_average
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import balanced_accuracy


def table(cases: int = 400, seed: int = 0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    truth = rng.random(cases) < 0.4
    return ScoreTable.of(1 / (1 + np.exp(-rng.normal(1.5 * truth - 1, 1))), truth)


def test_every_density_has_area_one() -> None:
    found = score_densities(table())
    width = np.diff(found.edges)
    for bars, smooth in ((found.negatives, found.smooth_negatives), (found.positives, found.smooth_positives)):
        assert (bars * width).sum() == pytest.approx(1.0)
        assert np.trapezoid(smooth, found.grid) == pytest.approx(1.0, abs=2e-3)


def test_away_from_the_ends_the_density_is_scipys() -> None:
    rng = np.random.default_rng(3)
    score = rng.normal(0.5, 0.05, 200)
    found = score_densities(ScoreTable.of(np.append(score, 0.5), [True] * 200 + [False]))
    bandwidth = found.bandwidths[1]
    theirs = gaussian_kde(score, bw_method=bandwidth / score.std(ddof=1))
    np.testing.assert_allclose(found.smooth_positives, theirs(found.grid), atol=1e-6)


def test_what_leaks_out_at_the_ends_is_folded_back() -> None:
    score = np.append(np.linspace(0, 1, 2001), 0.5)
    found = score_densities(ScoreTable.of(score, [True] * 2001 + [False]), bandwidth=0.05)
    np.testing.assert_allclose(found.smooth_positives, 1.0, atol=0.01)
    assert found.bandwidths == (0.05, 0.05)


def test_many_scores_are_binned_finely_before_they_are_smoothed() -> None:
    many = table(30_000)
    exact = score_densities(ScoreTable(many.score[::20], many.negative[::20], many.positive[::20]))
    fine = score_densities(many, bandwidth=exact.bandwidths[0])
    rough = score_densities(many, bandwidth=exact.bandwidths[0], bins=5)
    np.testing.assert_array_equal(fine.smooth_negatives, rough.smooth_negatives)
    assert np.abs(fine.smooth_negatives - exact.smooth_negatives).max() < 0.35


def test_scores_that_do_not_vary_are_not_smoothed() -> None:
    found = score_densities(ScoreTable.of([0.5] * 6 + [0.2, 0.4], [True] * 6 + [False] * 2))
    assert math.isnan(found.bandwidths[1])
    assert np.isnan(found.smooth_positives).all()
    assert np.isfinite(found.smooth_negatives).all()
    assert found.svg().startswith("<svg")


def test_on_a_scale_of_log_odds_every_density_has_area_one_there() -> None:
    found = score_densities(table(), spacing="log-odds")
    edges, grid = logit(found.edges), logit(found.grid)
    for bars, smooth in ((found.negatives, found.smooth_negatives), (found.positives, found.smooth_positives)):
        assert (bars * np.diff(edges)).sum() == pytest.approx(1.0)
        assert np.trapezoid(smooth, grid) == pytest.approx(1.0, abs=2e-3)
    assert (found.edges[0], found.edges[-1]) == pytest.approx((0.01, 0.99))


def test_scores_beyond_a_scale_of_log_odds_stand_at_its_ends() -> None:
    found = score_densities(ScoreTable.of([0.0, 0.3, 0.6, 1.0], [False, False, True, True]), spacing="log-odds")
    assert (found.edges[0], found.edges[-1]) == pytest.approx((1e-6, 1 - 1e-6))
    assert found.negatives[0] * np.diff(logit(found.edges))[0] == pytest.approx(0.5)
    assert found.positives[-1] * np.diff(logit(found.edges))[-1] == pytest.approx(0.5)


def test_scores_of_any_scale_have_densities() -> None:
    found = score_densities(ScoreTable.of([-3.0, 1.0, 4.0, 7.0], [False, True, False, True]), bins=4)
    assert (found.edges[0], found.edges[-1]) == (-3.0, 7.0)
    one = score_densities(ScoreTable.of([5.0, 5.0], [False, True]))
    assert one.is_defined


def test_a_point_of_a_hard_classifier_has_the_area_under_its_two_lines() -> None:
    matrix = ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)
    found = roc_points({"one": matrix})
    x, y = found.fpr["one"].value, found.recall["one"].value
    assert (
        found.area["one"].value
        == pytest.approx(np.trapezoid([0, y, 1], [0, x, 1]))
        == pytest.approx(0.642784, abs=1e-6)
    )
    assert found.area["one"].low < found.area["one"].value < found.area["one"].high
    assert found.area["one"].value == float(balanced_accuracy(matrix))


@pytest.mark.parametrize(("tp", "fp"), [(8, 2), (2, 8), (5, 5)])
def test_lines_of_equal_area_run_through_their_point_beside_the_diagonal(tp: int, fp: int) -> None:
    found = roc_points({"one": ConfusionMatrix.binary(tp=tp, fn=10 - tp, fp=fp, tn=10 - fp)})
    line = found.drawing().traces[1]
    assert np.diff(line.y) == pytest.approx(np.diff(line.x))
    assert np.interp(fp / 10, line.x, line.y) == pytest.approx(tp / 10)
    assert min(line.x.min(), line.y.min()) >= 0
    assert max(line.x.max(), line.y.max()) <= 1


def test_a_family_traces_a_curve_in_the_order_of_its_settings() -> None:
    scores = table()
    settings = (0.8, 0.5, 0.2)
    found = roc_points({str(cut): scores.at(cut) for cut in settings}, is_family=True)
    drawing = found.drawing()
    assert [spot.name for spot in drawing.spots] == ["0.8", "0.5", "0.2"]
    assert drawing.traces[-1].x.tolist() == [0.0, *(found.fpr[str(cut)].value for cut in settings), 1.0]


def test_a_single_class_has_no_point() -> None:
    assert not roc_points({"one": ConfusionMatrix.binary(tp=1, fn=2, fp=0, tn=0)}).is_defined


def test_averages_of_equal_folds_are_the_fold() -> None:
    fold = table()
    curve = roc(fold)
    vertical, by_threshold = vertical_average([fold] * 3), threshold_average([fold] * 3)
    np.testing.assert_allclose(by_threshold.fpr, curve.x)
    np.testing.assert_allclose(by_threshold.recall, curve.y)
    np.testing.assert_array_equal(by_threshold.threshold, curve.threshold)
    np.testing.assert_allclose(vertical.recall, np.interp(vertical.fpr, curve.x, curve.y))
    np.testing.assert_allclose(vertical.lowest, vertical.highest)


def test_folds_are_averaged_point_by_point() -> None:
    first, second = table(seed=1), table(seed=2)
    found = threshold_average([first, second])
    at = 7
    rates = [float(fold.at(found.threshold[at]).tp / fold.positives) for fold in (first, second)]
    assert found.recall[at] == pytest.approx(np.mean(rates))
    assert (found.lowest[at], found.highest[at]) == (min(rates), max(rates))


def test_where_a_curve_rises_straight_up_its_upper_end_counts() -> None:
    fold = ScoreTable.of([0.9, 0.8, 0.1, 0.05], [True, True, False, False])
    assert vertical_average([fold], points=2).recall.tolist() == [1.0, 1.0]


def test_a_fold_of_a_single_class_leaves_no_average() -> None:
    assert not vertical_average([table(), ScoreTable.of([0.1], [True])]).is_defined
