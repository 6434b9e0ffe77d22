"""Calibration in the large and Cox's line: values, designs, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from tests.laws.samples import tables
from verification.calibration import LARGE, population_values

from assay.calibration import CoxLine, bias, bias_test, cox, observed_to_expected
from assay.evidence import ScoreTable
from assay.results import Estimate


def sampled(seed: int, n: int = 300, factor: float = 1.0, **design: np.ndarray) -> ScoreTable:
    rng = np.random.default_rng(seed)
    p = rng.beta(1.5, 2.5, n)
    return ScoreTable.of(np.clip(np.round(expit(factor * logit(p)), 3), 0.001, 0.999), rng.random(n) < p, **design)  # type: ignore[arg-type]


def estimates(table: ScoreTable) -> list[Estimate]:
    line = cox(table)
    return [bias(table), observed_to_expected(table), line.in_the_large, line.intercept, line.slope]


@given(tables)
def test_bias_and_ratio_by_their_definition(table: ScoreTable) -> None:
    each = table.negative + table.positive
    promised, happened, n = float(each @ table.score), float(table.positives), float(table.total)
    assert bias(table).value == pytest.approx((promised - happened) / n, abs=1e-12)
    ratio = observed_to_expected(table)
    if promised == 0:
        assert math.isnan(ratio.value)
        assert ratio.undefined is not None
    else:
        assert ratio.value == pytest.approx(happened / promised, rel=1e-12)


@given(tables)
def test_what_is_not_known_says_why(table: ScoreTable) -> None:
    for found in estimates(table):
        assert math.isnan(found.low) == (found.undefined is not None)
        assert math.isnan(found.low) or found.low <= found.value <= found.high
    test = cox(table).test
    assert math.isnan(test.p_value) == (test.undefined is not None)


@given(st.integers(0, 2**20), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_an_interval_and_its_test_never_contradict_one_another(seed: int, level: float) -> None:
    designs = (sampled(seed), sampled(seed, cluster=np.arange(300) // 5))
    for table in designs:
        found, test = bias(table, level=level), bias_test(table)
        assert (found.low <= 0 <= found.high) == (test.p_value >= 1 - level - 1e-12)


def slope_of_the_likelihood(table: ScoreTable, line: CoxLine) -> tuple[float, float]:
    """Zero at the best line: the residuals sum to nothing, alone and times the logit."""
    x = logit(table.score)
    missed = table.positive - (table.negative + table.positive) * expit(line.intercept.value + line.slope.value * x)
    return float(missed.sum()), float(missed @ x)


@given(st.integers(0, 2**20), st.sampled_from([0.3, 1.0, 3.0]))
def test_the_line_is_the_best_one(seed: int, factor: float) -> None:
    table = sampled(seed, factor=factor)
    line = cox(table)
    assert slope_of_the_likelihood(table, line) == pytest.approx((0, 0), abs=1e-7)
    shifted = expit(logit(table.score) + line.in_the_large.value)
    assert float((table.negative + table.positive) @ shifted) == pytest.approx(float(table.positives), abs=1e-7)


def test_a_long_table_is_fitted_exactly_too() -> None:
    rng = np.random.default_rng(2)
    p = rng.beta(1.5, 2.5, 30_000)
    table = ScoreTable.of(p, rng.random(30_000) < p)
    assert len(table) > 20_000
    assert slope_of_the_likelihood(table, cox(table)) == pytest.approx((0, 0), abs=1e-5)


def test_too_extreme_probabilities_have_a_slope_below_one() -> None:
    rng = np.random.default_rng(4)
    p = rng.beta(2, 2, 5000)
    happened = rng.random(5000) < p
    for factor in (0.5, 3.0):
        line = cox(ScoreTable.of(expit(factor * logit(p)), happened))
        assert line.slope.low < 1 / factor < line.slope.high
        assert line.test.p_value < 1e-6
    assert cox(ScoreTable.of(p, happened)).test.p_value > 0.01


@pytest.mark.parametrize(
    ("score", "positive", "reason"),
    [
        ([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1], "part the classes"),
        ([0.1, 0.5, 0.5, 0.9], [0, 0, 1, 1], "50 % of the cases are at the one probability that both classes have"),
        ([0.1, 0.5, 0.5, 0.9], [1, 1, 0, 0], "50 % of the cases are at the one probability that both classes have"),
        (
            [0.2] * 98 + [0.1, 0.1],
            [0, 1] * 49 + [0, 0],
            "98 % of the cases are at the one probability that both classes have",
        ),
        ([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], "part the classes"),
        ([0.5, 0.5], [0, 1], "same probability"),
        ([0.5, 0.5, 0.5 + 2**-53, 0.5 + 2**-53], [0, 1, 0, 1], "too close together"),
        ([0.1, 0.9], [1, 1], "of one class"),
    ],
)
def test_no_line_fits_best(score: list[float], positive: list[int], reason: str) -> None:
    line = cox(ScoreTable.of(score, positive))
    for found in (line.slope.undefined, line.intercept.undefined, line.test.undefined):
        assert found is not None
        assert reason in found
    assert math.isnan(line.in_the_large.value) == (reason == "of one class")


def test_probabilities_of_nought_and_one_are_held_and_counted() -> None:
    rng = np.random.default_rng(6)
    p = rng.random(400)
    happened = rng.random(400) < p
    certain = np.where(np.arange(400) < 3, 0.0, p)
    line = cox(ScoreTable.of(certain, happened))
    assert line.clipped == 3
    assert math.isfinite(line.slope.value)
    assert cox(ScoreTable.of(p, happened)).clipped == 0
    assert cox(ScoreTable.of(certain, happened), clip=0.01).clipped > 3


def test_nothing_but_nought_and_one_still_has_a_line() -> None:
    """Hard decisions as probabilities: the line is that of the two-by-two table."""
    certain = np.repeat([0.0, 1.0], 100)
    happened = np.concatenate((np.arange(100) < 20, np.arange(100) < 70))
    line = cox(ScoreTable.of(certain, happened))
    reach = float(logit(np.finfo(float).eps))
    assert line.clipped == 200
    assert line.slope.value == pytest.approx((logit(0.2) - logit(0.7)) / (2 * reach), rel=1e-9)
    assert line.test.p_value < 1e-9


def test_a_count_is_a_repeated_row_and_a_weight_is_not() -> None:
    rng = np.random.default_rng(7)
    p, times = rng.random(200), rng.integers(1, 4, 200)
    happened = rng.random(200) < p
    repeated = estimates(ScoreTable.of(np.repeat(p, times), np.repeat(happened, times)))
    counted = estimates(ScoreTable.of(p, happened, count=times.astype(float)))
    weighted = estimates(ScoreTable.of(p, happened, weight=times.astype(float)))
    scaled = estimates(ScoreTable.of(p, happened, weight=0.001 * times.astype(float)))
    for mine, same, other, unit in zip(repeated, counted, weighted, scaled, strict=True):
        assert (mine.value, mine.low, mine.high) == pytest.approx((same.value, same.low, same.high), rel=1e-8)
        assert other.value == pytest.approx(mine.value, abs=1e-8)
        assert other.high - other.low > mine.high - mine.low
        assert (other.low, other.high) == pytest.approx((unit.low, unit.high), rel=1e-6, abs=1e-9)


def test_rows_repeated_within_clusters_add_nothing() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(150)
    happened = rng.random(150) < p
    four, also = np.repeat(p, 4), np.repeat(happened, 4)
    once = estimates(ScoreTable.of(p, happened, cluster=np.arange(150)))
    clustered = estimates(ScoreTable.of(four, also, cluster=np.repeat(np.arange(150), 4)))
    for mine, theirs in zip(once, clustered, strict=True):
        assert (mine.low, mine.high) == pytest.approx((theirs.low, theirs.high), rel=1e-6, abs=1e-9)
    alone = cox(ScoreTable.of(four, also)).slope
    assert alone.high - alone.low < 0.6 * (clustered[-1].high - clustered[-1].low)


def test_few_clusters_and_small_classes_have_no_limits() -> None:
    two = ScoreTable.of(np.arange(1, 61) / 61, np.arange(60) % 3 > 0, cluster=np.arange(60) // 30)
    assert "at least 3" in str(cox(two).slope.undefined)
    assert "at least 3" in str(cox(two).test.undefined)
    assert "at least 3" in str(bias_test(two).undefined)
    small = ScoreTable.of(np.arange(1, 31) / 31, np.arange(30) % 10 == 0)
    # The ratio counts on errors that the sample lacks, and is refused below 3 cases only.
    ratio = observed_to_expected(small)
    assert ratio.low < ratio.value < ratio.high
    assert ratio.method.endswith("small-sample adjusted")
    assert all("3 cases in a class" in str(one.undefined) for one in estimates(small) if one.name != ratio.name)
    fewer = ScoreTable.of(np.arange(1, 31) / 31, np.arange(30) % 15 == 0)
    assert "2 cases in a class: at least 3" in str(observed_to_expected(fewer).undefined)


def test_the_line_of_a_nearly_perfect_classifier_counts_on_errors_it_does_not_show() -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(150) < 40
    score = expit(np.where(truth, 3.0, -3.0) + rng.normal(0, 1.2, 150))
    careful, bare = cox(ScoreTable.of(score, truth)), cox(ScoreTable.of(score, truth), method="Wald")
    assert careful.slope.method == "sandwich, small-sample adjusted"
    assert careful.slope.high - careful.slope.low > bare.slope.high - bare.slope.low
    few = ScoreTable.of(np.arange(1, 61) / 61, np.arange(60) % 10 == 0)
    assert cox(few).slope.undefined is None


def test_simulated_populations_agree_with_a_large_sample() -> None:
    """What the coverages in the verification tables are measured against."""
    rng = np.random.default_rng(12)
    logits = logit(rng.beta(0.6, 1.4, 100_000))
    table = ScoreTable.of(expit(2.5 * np.tanh(2 * logits / 2.5)), rng.random(100_000) < expit(logits))
    truths = dict(zip(LARGE, population_values(0.6, 1.4, 2.0, is_capped=True), strict=True))
    line = cox(table)
    found = (bias(table), observed_to_expected(table), line.in_the_large, line.intercept, line.slope)
    for name, estimate in zip(LARGE, found, strict=False):
        assert estimate.value == pytest.approx(truths[name], abs=2 * (estimate.high - estimate.low))


def test_the_textbook_limits_refuse_what_they_cannot_take() -> None:
    weighted = sampled(1, weight=np.linspace(1, 2, 300))
    with pytest.raises(ValueError, match="leave method out"):
        cox(weighted, method="Wald")
    with pytest.raises(ValueError, match="'sandwich' or 'Wald'"):
        cox(sampled(1), method="profile")  # type: ignore[arg-type]
