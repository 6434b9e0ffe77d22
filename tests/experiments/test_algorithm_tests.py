"""Tests of two algorithms: laws that hold for each, and what happens where nothing varies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import InputError, OptionError, UnknownName
from assay.experiments import AlgorithmDifference
from assay.experiments.algorithm_tests import (
    all_pairs,
    compare_algorithms,
    corrected_t,
    correlated_t,
    five_by_two_f,
    five_by_two_t,
    gap_not_shown,
    paired_t,
)
from assay.experiments.estimates import FoldScores
from assay.experiments.plans import five_by_two, shuffle

SIZES = np.full(10, 90.0), np.full(10, 10.0)
numbers = st.lists(st.integers(-50, 50), min_size=5, max_size=20).map(lambda v: np.array(v) / 100)
pairs = st.lists(st.integers(-50, 50), min_size=10, max_size=10).map(lambda v: np.array(v).reshape(5, 2) / 100)


def scores(values: object, share: float = 0.1) -> FoldScores:
    found = np.asarray(values, dtype=np.float64)
    return FoldScores("accuracy", found, 100 * (1 - share) * np.ones(len(found)), 100 * share * np.ones(len(found)))


def both(apart: object) -> tuple[AlgorithmDifference, AlgorithmDifference]:
    zeros = np.zeros(len(np.asarray(apart)))
    return corrected_t(scores(apart), scores(zeros)), paired_t(apart, zeros)  # type: ignore[arg-type]


@given(numbers, st.sampled_from([0.8, 0.95, 0.99]), st.sampled_from(["two-sided", "less", "greater"]))
def test_the_interval_holds_0_if_and_only_if_the_test_does_not_reject(apart: object, level: float, side: str) -> None:
    zeros = np.zeros(len(apart))  # type: ignore[arg-type]
    found = corrected_t(scores(apart), scores(zeros), level, side)  # type: ignore[arg-type]
    if not math.isnan(found.difference.low) and abs(found.test.p_value - (1 - level)) > 1e-9:
        assert (found.difference.low <= 0 <= found.difference.high) == (found.test.p_value > 1 - level)


@given(numbers)
def test_the_plain_test_is_scipys(apart: np.ndarray) -> None:
    found = both(apart)[1]
    if np.ptp(apart) > 0:
        theirs = stats.ttest_1samp(apart, 0.0)
        assert (found.test.statistic, found.test.p_value) == pytest.approx((theirs.statistic, theirs.pvalue))
        limits = theirs.confidence_interval(0.95)
        assert (found.difference.low, found.difference.high) == pytest.approx((limits.low, limits.high))


@given(numbers)
def test_correcting_never_makes_a_difference_surer(apart: np.ndarray) -> None:
    corrected, plain = both(apart)
    if np.ptp(apart) > 0:
        assert corrected.test.p_value >= plain.test.p_value
        assert abs(corrected.test.statistic) == pytest.approx(
            abs(plain.test.statistic) * math.sqrt(1 / len(apart) / (1 / len(apart) + 1 / 9))
        )


@given(numbers)
def test_exchanging_the_algorithms_changes_the_sign_alone(apart: np.ndarray) -> None:
    zeros = np.zeros(len(apart))
    there, back = corrected_t(scores(apart), scores(zeros)), corrected_t(scores(zeros), scores(apart))
    assert there.difference.value == pytest.approx(-back.difference.value)
    if np.ptp(apart) > 0:
        assert there.test.p_value == pytest.approx(back.test.p_value)
        left, right = (correlated_t(scores(a), scores(b)) for a, b in ((apart, zeros), (zeros, apart)))
        assert (left.left, left.inside, left.right) == pytest.approx((right.right, right.inside, right.left))


@given(numbers, st.floats(0, 0.3))
def test_the_three_probabilities_are_one_together(apart: np.ndarray, rope: float) -> None:
    found = correlated_t(scores(apart), scores(np.zeros(len(apart))), rope)
    if not math.isnan(found.left):
        assert found.left + found.inside + found.right == pytest.approx(1)
        assert min(found.left, found.right) >= 0
        assert found.inside >= -1e-12


def test_algorithms_that_never_differ_are_equal() -> None:
    same = np.linspace(0.5, 0.9, 10)
    for found in (corrected_t(scores(same), scores(same)), paired_t(same, same)):
        assert found.test.p_value == 1.0
        assert math.isnan(found.difference.low)
    posterior = correlated_t(scores(same), scores(same))
    assert (posterior.left, posterior.inside, posterior.right) == (0, 1, 0)
    assert not posterior.is_defined
    assert math.isnan(correlated_t(scores(same), scores(same), 0.0).left)
    for test in (five_by_two_t, five_by_two_f):
        found_test = test(np.zeros((5, 2)))
        assert math.isnan(found_test.p_value)
        assert found_test.undefined


def test_the_same_difference_in_every_split_cannot_be_tested() -> None:
    """Also where it differs by rounding: 0.3 - 0.2 is not 0.2 - 0.1."""
    first, second = np.array([0.2, 0.3, 0.4, 0.5, 0.6, 0.7]), np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for found in (corrected_t(scores(first), scores(second)), paired_t(first, second)):
        assert math.isnan(found.test.p_value)
        assert "same difference" in (found.test.undefined or "")
        assert found.difference.value == pytest.approx(0.1)
    assert "same difference" in repr(correlated_t(scores(first), scores(second)))
    assert math.isnan(five_by_two_f(np.full((5, 2), 0.1)).p_value)


def test_few_splits_and_missing_values_are_refused() -> None:
    assert "4 splits: at least 5" in (both([0.1, 0.2, 0.1, 0.0])[0].test.undefined or "")
    assert not math.isnan(both([0.1, 0.2, 0.1, 0.0])[1].test.p_value)
    assert "no value" in (both([0.1, 0.2, math.nan, 0.0, 0.1])[0].test.undefined or "")
    with pytest.raises(OptionError, match="evaluated on different splits; needed: the same splits for both"):
        corrected_t(scores([0.1] * 5), scores([0.1] * 6))
    with pytest.raises(UnknownName, match="deviation is 'robust'; needed: 'sample' or 'population'"):
        paired_t([1.0, 2.0], [0.0, 0.0], deviation="robust")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="alternative is 'more'; needed: 'two-sided', 'less' or 'greater'"):
        paired_t([1.0, 2.0], [0.0, 0.0], alternative="more")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"shape \(10, 1\); needed: 5 repeats of 2 folds"):
        five_by_two_t(np.zeros((10, 1)))
    with pytest.raises(OptionError, match=r"practical equivalence runs from 0.1 to -0.1"):
        correlated_t(scores([0.1] * 5), scores([0.1] * 5), (0.1, -0.1))


@given(pairs)
def test_five_by_two_by_their_definitions(apart: np.ndarray) -> None:
    spread = sum((row[0] - row.mean()) ** 2 + (row[1] - row.mean()) ** 2 for row in apart)
    if spread > 1e-12:
        t = apart[0, 0] / math.sqrt(spread / 5)
        f = sum(value**2 for row in apart for value in row) / (2 * spread)
        assert five_by_two_t(apart).statistic == pytest.approx(t)
        assert five_by_two_t(apart).p_value == pytest.approx(2 * stats.t.sf(abs(t), 5))
        assert five_by_two_f(apart).statistic == pytest.approx(f)
        assert five_by_two_f(apart).p_value == pytest.approx(stats.f.sf(f, 10, 5))


def test_the_numerator_of_f_is_no_square_of_means() -> None:
    """The slides' form, with means, is at most half as large."""
    apart = np.array([[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, 0.1]])
    spread = ((apart - apart.mean(1, keepdims=True)) ** 2).sum()
    assert five_by_two_f(apart).statistic > 2 * (apart.mean(1) ** 2).sum() / (2 * spread)


def test_five_by_two_tests_stand_in_the_table_of_such_splits_only() -> None:
    y, values = np.arange(40) % 2, np.linspace(0.6, 0.9, 10)
    other = values[::-1] + np.tile([0.0, 0.01], 5)
    for plan, is_there in ((five_by_two(), True), (shuffle(10, 0.5), False)):
        splits = plan.splits(y)
        first, second = (FoldScores.of("accuracy", v, splits) for v in (values, other))
        table = compare_algorithms(first, second)
        assert ("5 x 2 cv F" in table.columns["test"]) is is_there
        assert table.columns["test"][0] == "corrected resampled t"
        assert all(table.columns["note"])


def test_the_posterior_is_drawn_and_tabulated() -> None:
    found = correlated_t(scores([0.1, 0.2, 0.0, 0.1, 0.15]), scores([0.0] * 5))
    assert found.table().columns["probability"] == [found.left, found.inside, found.right]
    assert "<svg" in found.svg()


def test_a_difference_without_limits_is_a_difference_and_a_sentence() -> None:
    first, second = (FoldScores("f1", np.linspace(low, low + 0.1, 10), *SIZES) for low in (0.7, 0.6))
    table = compare_algorithms(first, second).columns
    assert table["difference"] == pytest.approx([0.1])
    assert math.isnan(table["low"][0])
    assert math.isnan(table["p"][0])
    assert "use accuracy, error_rate, brier or log_loss" in table["note"][0]
    spread = FoldScores("f1", np.linspace(0.6, 0.75, 10), *SIZES)
    named = compare_algorithms(first, spread, method="corrected-t").columns
    assert named["test"] == ["corrected resampled t"]
    assert named["low"][0] < named["difference"][0] < named["high"][0]
    assert "is not verified here" in named["note"][0]
    with pytest.raises(OptionError, match="5 x 2 cv t cannot be used with these splits"):
        compare_algorithms(first, second, method="5x2-t")


def test_areas_have_limits_where_each_case_is_tested_once() -> None:
    moved = np.full(100, 0.001)
    once = FoldScores("roc_auc", np.linspace(0.7, 0.8, 10), *SIZES, moved=moved)
    learned, tested = (np.tile(each, 2) for each in SIZES)
    twice = FoldScores("roc_auc", np.linspace(0.7, 0.8, 20), learned, tested, moved=moved)
    assert gap_not_shown(once) is None
    assert "tested more than once" in str(gap_not_shown(twice))
    assert gap_not_shown(FoldScores("roc_auc", once.values, *SIZES)) is not None  # from means alone


def test_all_pairs_hold_at_once() -> None:
    rng = np.random.default_rng(0)
    tried = {name: FoldScores("accuracy", 0.8 + 0.05 * rng.normal(size=10), *SIZES) for name in "abcd"}
    found = all_pairs(tried)
    assert len(found.pairs) == 6
    for pair in found.pairs:
        alone = corrected_t(tried[pair.first], tried[pair.second], 1 - 0.05 / 6)
        assert (pair.low, pair.high) == (alone.difference.low, alone.difference.high)
        assert pair.adjusted == min(1.0, 6 * alone.test.p_value)
        assert (pair.low <= 0 <= pair.high) == (pair.adjusted >= 0.05)
    stepwise = all_pairs(tried, adjust="holm")
    assert all(math.isnan(pair.low) and "stepwise" in pair.note for pair in stepwise.pairs)
    assert all(one.adjusted <= other.adjusted for one, other in zip(stepwise.pairs, found.pairs, strict=True))
    with pytest.raises(InputError, match="only 1 algorithm to compare"):
        all_pairs({"a": tried["a"]})
    refused = all_pairs(tried, why="nobody drew them")
    assert {pair.note for pair in refused.pairs} == {"nobody drew them"}
    assert all(not math.isnan(pair.low) for pair in all_pairs(tried, why="nobody", method="corrected-t").pairs)


def test_equal_learners_are_rarely_told_apart_at_all() -> None:
    """Four learners that see equally much, ten folds: at most one sample in twenty has any pair that differs."""
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(60):
        right = rng.random((4, 200)) < 0.7
        folds = [np.array([part.mean() for part in np.split(row, 10)]) for row in right]
        sizes = np.full(10, 180.0), np.full(10, 20.0)
        tried = {str(k): FoldScores("accuracy", values, *sizes) for k, values in enumerate(folds)}
        wrong += any(pair.adjusted < 0.05 for pair in all_pairs(tried).pairs)
    assert wrong <= 3
