"""The isotonic curve and what it makes of a score.

Bands hold what they promise, and ranges are told only on the strength of the simultaneous one.
"""

from __future__ import annotations

import math
from itertools import product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from tests.laws.samples import degenerate_tables, tables

from assay.calibration import (
    CalibrationBand,
    confidence_band,
    consistency_band,
    corp_parts,
    isotonic_fit,
    miscalibrated_ranges,
    miscalibration_test,
)
from assay.calibration.isotonic import Mass, ScoringRule, _dyadic_runs, equal_mass
from assay.evidence import ScoreTable
from assay.measures import brier, log_loss

RULES: tuple[ScoringRule, ...] = ("brier", "log_loss")


def sample(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.random(n).round(2)
    return p, rng.random(n) < p


@given(tables, st.sampled_from(RULES))
def test_the_parts_add_up_and_none_is_negative(table: ScoreTable, rule: ScoringRule) -> None:
    parts = corp_parts(table, rule)
    whole = parts.miscalibration.value - parts.discrimination.value + parts.uncertainty.value
    assert whole == pytest.approx(parts.mean.value, abs=1e-12, rel=1e-12)
    assert min(parts.miscalibration.value, parts.discrimination.value, parts.uncertainty.value) >= 0
    assert parts.mean.value == float({"brier": brier, "log_loss": log_loss}[rule](table))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("table", degenerate_tables(), ids=repr)
def test_degenerate_tables_have_parts(table: ScoreTable, rule: ScoringRule) -> None:
    parts = corp_parts(table, rule)
    assert math.isfinite(parts.miscalibration.value)
    assert parts.uncertainty.low <= parts.uncertainty.value <= parts.uncertainty.high


def test_miscalibration_is_what_recalibrating_saves() -> None:
    p, y = sample(300)
    table = ScoreTable.of(p, y)
    fitted = isotonic_fit(table)(p)
    parts = corp_parts(table)
    assert parts.miscalibration.value == pytest.approx(np.mean((p - y) ** 2) - np.mean((fitted - y) ** 2), abs=1e-12)
    assert parts.discrimination.value == pytest.approx(
        y.mean() * (1 - y.mean()) - np.mean((fitted - y) ** 2), abs=1e-12
    )
    assert parts.miscalibration.undefined is not None
    assert math.isnan(parts.miscalibration.low)


@pytest.mark.parametrize("seed", range(5))
def test_scikit_learn_fits_the_same_curve(seed: int) -> None:
    p, y = sample(200, seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(p)).astype(float)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y, sample_weight=weight)
    at = np.linspace(-0.1, 1.1, 57)
    ours = isotonic_fit(ScoreTable.of(p, y, weight=weight))
    assert ours(at) == pytest.approx(theirs.predict(at), abs=1e-12)


@given(tables)
def test_the_curve_rises_in_steps_that_hold_all_cases(table: ScoreTable) -> None:
    fit = isotonic_fit(table)
    assert (np.diff(fit.rate) > 0).all()
    assert (fit.low <= fit.mean + 1e-12).all()
    assert (fit.mean <= fit.high + 1e-12).all()
    assert fit.negative.sum() == table.negatives
    assert fit.positive.sum() == table.positives
    assert len(fit.at_scores()) == len(table)
    assert fit.at_scores() == pytest.approx(fit(table.score), abs=1e-12)


@given(tables)
def test_only_the_order_of_the_scores_matters(table: ScoreTable) -> None:
    bent = ScoreTable(table.score**3, table.negative, table.positive)
    assert (isotonic_fit(bent).rate == isotonic_fit(table).rate).all()


def test_weights_count_and_widen() -> None:
    p, y = sample(100)
    plain, twice = ScoreTable.of(p, y), ScoreTable.of(p, y, weight=np.full(100, 2.0))
    assert corp_parts(twice).miscalibration.value == pytest.approx(corp_parts(plain).miscalibration.value, abs=1e-12)
    assert corp_parts(twice).uncertainty.low == pytest.approx(corp_parts(plain).uncertainty.low, abs=1e-9)


def test_clusters_take_the_limits_of_the_uncertainty() -> None:
    p, y = sample(100)
    part = corp_parts(ScoreTable.of(p, y, cluster=np.arange(100) // 4)).uncertainty
    assert math.isnan(part.low)
    assert "clusters" in (part.undefined or "")


def drawn(n: int, seed: int, factor: float = 1.0) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1.5, n)
    return ScoreTable.of(expit(factor * logit(p)), rng.random(n) < p)


@given(tables, st.integers(1, 8))
def test_cells_hold_all_cases_and_keep_equal_scores_together(table: ScoreTable, most: int) -> None:
    cells = equal_mass(table, most)
    assert len(cells.first) <= most
    assert cells.cases.sum() == table.total
    assert cells.positive.sum() == table.positives
    assert (cells.first[1:] == cells.last[:-1] + 1).all()
    assert (cells.cases @ cells.score) == pytest.approx((table.negative + table.positive) @ table.score)


def test_cells_are_of_about_equal_mass() -> None:
    assert set(equal_mass(drawn(1000, 0), 50).cases) == {20.0}


@pytest.mark.parametrize(
    "rates", [(0.1, 0.3, 0.5, 0.9), (0.2, 0.2, 0.2, 0.2), (0.0, 0.5, 0.5, 1.0), (0.02, 0.03, 0.9, 1)]
)
def test_the_confidence_band_holds_the_whole_curve(rates: tuple[float, ...]) -> None:
    """Every outcome of 16 cases at four scores, with its probability: no simulation."""
    score, held = np.array([0.1, 0.2, 0.6, 0.7]), 0.0
    for positives in product(range(5), repeat=4):
        positive = np.array(positives, dtype=float)
        low, high = confidence_band(ScoreTable(score, 4 - positive, positive), level=0.8).at(score)
        chance = prod(comb(4, k) * p**k * (1 - p) ** (4 - k) for k, p in zip(positives, rates, strict=True))
        held += chance * bool(((low <= rates) & (rates <= high)).all())
    assert held >= 0.8


def test_errors_of_the_runs_add_up_to_what_is_allowed() -> None:
    for cells in (1, 2, 3, 7, 64, 250, 256):
        (start, stop), shares = _dyadic_runs(cells, 0.05)
        assert shares.sum() == pytest.approx(0.05)
        assert (stop <= cells).all()
        assert (start < stop).all()


def test_the_confidence_band_holds_the_truth_between_scores_put_together() -> None:
    missed = 0
    for seed in range(100):
        table = drawn(3000, seed, factor=2.0)
        truth = expit(logit(table.score) / 2)
        low, high = confidence_band(table).at(table.score)
        missed += not ((low <= truth) & (truth <= high)).all()
    assert missed <= 5


@settings(max_examples=25)
@given(tables, st.sampled_from([0.5, 0.9, 0.99]))
def test_confidence_bands_rise_and_hold_the_curve_fitted(table: ScoreTable, level: float) -> None:
    band = confidence_band(table, level=level)
    if band.undefined is not None:
        return
    assert (np.diff(band.low) >= 0).all()
    assert (np.diff(band.high) >= 0).all()
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()
    assert (band.low <= band.high).all()


def test_a_higher_level_is_wider() -> None:
    table = drawn(500, 1)
    at = np.linspace(0, 1, 21)
    for band in (confidence_band, consistency_band):
        narrow, wide = (band(table, level=level).at(at) for level in (0.8, 0.99))
        assert (wide[0] <= narrow[0] + 1e-12).all()
        assert (narrow[1] <= wide[1] + 1e-12).all()


def test_the_consistency_band_holds_the_curve_of_right_probabilities() -> None:
    held = [is_inside(consistency_band(table), table) for table in (drawn(100, seed) for seed in range(80))]
    assert 0.88 <= np.mean(held) < 1.0
    assert not any(is_inside(consistency_band(drawn(2000, seed, 2.5)), drawn(2000, seed, 2.5)) for seed in range(3))


def is_inside(band: CalibrationBand, table: ScoreTable) -> bool:
    cells = equal_mass(table, 256)
    coarse = ScoreTable(cells.score, cells.cases - cells.positive, cells.positive)
    curve = isotonic_fit(coarse).at_scores()
    return bool(((band.low <= curve + 1e-9) & (curve <= band.high + 1e-9)).all())


def test_a_pointwise_band_lies_inside_the_simultaneous_one() -> None:
    table = drawn(600, 3)
    whole, point = consistency_band(table), consistency_band(table, simultaneous=False)
    assert (whole.low <= point.low + 1e-12).all()
    assert (point.high <= whole.high + 1e-12).all()
    assert (point.low <= point.score).mean() > 0.9
    assert (point.score <= point.high).mean() > 0.9


def test_the_same_seed_gives_the_same_band() -> None:
    first, again = (consistency_band(drawn(200, 4), seed=seed) for seed in (1, 1))
    assert (first.low == again.low).all()
    assert (consistency_band(drawn(200, 4), seed=2).low != first.low).any()


def test_the_method_says_when_scores_were_put_together() -> None:
    assert "250 equal-mass cells" in confidence_band(drawn(1000, 0)).method
    assert consistency_band(drawn(200, 0)).method == "resampling"


def test_overconfident_probabilities_are_found_on_both_sides() -> None:
    table = drawn(20_000, 5, factor=2.0)
    found = miscalibrated_ranges(table)
    assert [each.direction for each in found] == ["too low", "too high"]
    assert all(each.confidence == "over-confident" for each in found)
    assert all(0.5 * each.cases <= each.shown <= each.cases for each in found)
    low, high = found.ranges
    assert low.high < 0.5 < high.low
    inside = (table.score >= high.low) & (table.score <= high.high)
    assert high.cases == (table.negative + table.positive)[inside].sum()
    assert str(high).startswith("probabilities from 0.677 to 0.995 are too high (over-confident): shown for ")


def test_timid_probabilities_are_under_confident() -> None:
    found = miscalibrated_ranges(drawn(20_000, 6, factor=0.5))
    assert [each.direction for each in found] == ["too high", "too low"]
    assert all(each.confidence == "under-confident" for each in found)


def test_right_probabilities_are_left_alone() -> None:
    assert sum(len(miscalibrated_ranges(drawn(n, seed))) > 0 for seed in range(40) for n in (50, 400, 3000)) <= 3


def test_a_range_of_both_kinds_says_so() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(5000) * 0.8
    (found,) = miscalibrated_ranges(ScoreTable.of(p + 0.2, rng.random(5000) < p))
    assert found.direction == "too high"
    assert found.confidence == "over- and under-confident"


def test_scores_of_the_other_class_have_no_rising_curve() -> None:
    table = drawn(2000, 7)
    turned = ScoreTable.of(np.repeat(1 - table.score, 1), table.positive > 0)
    assert "becomes rarer" in (confidence_band(turned).undefined or "")
    assert "becomes rarer" in (miscalibrated_ranges(turned).undefined or "")
    assert np.isnan(confidence_band(turned).at(0.5)).all()


@pytest.mark.parametrize("design", ["weight", "cluster"])
def test_weights_and_clusters_are_refused_and_sent_on(design: str) -> None:
    table = drawn(300, 8)
    extra = {"weight": np.linspace(0.5, 2, 300)} if design == "weight" else {"cluster": np.arange(300) // 3}
    other = ScoreTable.of(table.score, table.positive > 0, **extra)
    for band in (confidence_band(other), consistency_band(other)):
        assert "smooth_curve" in (band.undefined or "")
        assert np.isnan(band.low).all()
    assert "smooth_curve" in (miscalibrated_ranges(other).undefined or "")
    assert len(miscalibrated_ranges(other)) == 0
    assert np.isnan(miscalibration_test(other).p_value)


def test_counts_are_cases() -> None:
    once = ScoreTable.of([0.2, 0.7], [False, True], count=np.array([40.0, 40.0]))
    repeated = ScoreTable.of(np.repeat([0.2, 0.7], 40), np.repeat([False, True], 40))
    assert (confidence_band(once).low == confidence_band(repeated).low).all()


@pytest.mark.parametrize("table", degenerate_tables(), ids=repr)
def test_degenerate_tables_have_bands(table: ScoreTable) -> None:
    for band in (confidence_band(table), consistency_band(table)):
        assert band.undefined is not None or np.isfinite(band.low).all()
    assert miscalibrated_ranges(table).undefined or all(each.cases > 0 for each in miscalibrated_ranges(table))
    assert 0 < miscalibration_test(table).p_value <= 1


def test_certain_and_wrong_probabilities_are_told() -> None:
    table = ScoreTable.of([0.0] * 40 + [1.0] * 40, [False] * 20 + [True] * 20 + [False] * 20 + [True] * 20)
    assert [str(each) for each in miscalibrated_ranges(table)] == [
        "probabilities of 0 are too low (over-confident): 40 cases",
        "probabilities of 1 are too high (over-confident): 40 cases",
    ]
    assert miscalibration_test(table).p_value < 0.01


def test_miscalibration_is_judged_by_what_chance_gives() -> None:
    assert miscalibration_test(drawn(500, 9)).p_value > 0.05
    assert miscalibration_test(drawn(500, 9, 2.5)).p_value < 0.01


def test_a_mass_says_whether_scores_were_put_together() -> None:
    place = np.array([0])
    assert Mass(place, place, np.ones(1), np.ones(1), np.ones(1)).words == ""
