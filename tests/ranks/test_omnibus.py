"""Omnibus and paired tests against scipy, enumeration and each other."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from assay.ranks.omnibus import friedman, friedman_aligned, friedman_statistic, iman_davenport, quade, ranks_within
from assay.ranks.posthoc import sign_test, signed_ranks, typical_difference, wilcoxon

TABLES = arrays(np.float64, (8, 4), elements=st.integers(0, 9).map(float))
DIFFERENCES = st.lists(st.integers(-4, 4), min_size=3, max_size=9).map(lambda d: np.array(d, dtype=float))


@given(TABLES)
def test_friedman_is_scipys(gains: Any) -> None:
    found = friedman(gains)
    if math.isnan(found.statistic):
        assert found.undefined == "all algorithms are tied on every data set"
        return
    theirs = stats.friedmanchisquare(*gains.T)
    assert found.statistic == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue)


@given(TABLES)
def test_ranks_sum_to_the_same_on_every_data_set(gains: Any) -> None:
    assert ranks_within(gains).sum(1) == pytest.approx(np.full(8, 10.0))


@given(TABLES, st.integers(1, 1000))
def test_only_order_matters_to_friedman_and_only_shift_free_values_to_the_others(gains: Any, times: int) -> None:
    assert iman_davenport(np.exp(gains)).p_value == pytest.approx(iman_davenport(gains).p_value, nan_ok=True)
    shifted = gains / 10 * times + np.arange(8.0)[:, None]
    for test in (friedman_aligned, quade):
        assert test(shifted).p_value == pytest.approx(test(gains).p_value, nan_ok=True)


def test_batches_of_tables_are_taken_at_once() -> None:
    ranks = ranks_within(np.random.default_rng(1).random((5, 10, 4)))
    assert friedman_statistic(ranks) == pytest.approx([float(friedman_statistic(one)) for one in ranks])


def test_full_agreement_is_as_likely_as_repeating_an_order() -> None:
    gains = np.tile([3.0, 2.0, 1.0], (6, 1))
    assert iman_davenport(gains).p_value == pytest.approx(6.0**-5)
    assert quade(gains).p_value == pytest.approx(6.0**-5)
    assert math.isinf(iman_davenport(gains).statistic)


@pytest.mark.parametrize("test", [friedman, iman_davenport, friedman_aligned, quade])
def test_what_was_not_simulated_has_no_p_value(test: Any) -> None:
    few = test(np.random.default_rng(2).random((4, 3)))
    assert math.isnan(few.p_value)
    assert "too few data sets (4; at least 5 needed)" in few.undefined
    two = test(np.random.default_rng(2).random((20, 2)))
    assert "Wilcoxon" in two.undefined


@given(DIFFERENCES, st.sampled_from(["drop", "pratt"]))
def test_exact_signed_ranks_count_every_pattern_of_signs(gone: Any, zeros: Any) -> None:
    found = wilcoxon(gone, np.zeros(len(gone)), zeros=zeros)
    ranks = signed_ranks(gone, zeros).ranks
    if not len(ranks):
        assert found.undefined == "both algorithms are equal on every data set"
        return
    sums = [ranks[list(signs)].sum() for signs in (np.array(s, dtype=bool) for s in product((0, 1), repeat=len(ranks)))]
    smaller = min(found.statistic, ranks.sum() - found.statistic)
    share = float(np.mean(np.array(sums) <= smaller + 1e-9))
    assert found.p_value == pytest.approx(min(1.0, 2 * share))


def test_exact_and_normal_are_scipys_without_ties() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.normal(0.4, 1, (2, 15)) * [[1], [0.3]]
    assert wilcoxon(first, second).p_value == pytest.approx(stats.wilcoxon(first, second, method="exact").pvalue)
    approximate = stats.wilcoxon(first, second, method="approx", correction=False).pvalue
    assert wilcoxon(first, second, method="normal").p_value == pytest.approx(approximate)
    corrected = stats.wilcoxon(first, second, method="approx", correction=True).pvalue
    assert wilcoxon(first, second, method="normal, continuity corrected").p_value == pytest.approx(corrected)


def test_pratt_is_scipys() -> None:
    gone = np.array([0.0, 0.0, 0.3, -0.1, 0.5, 0.7, 0.9, 1.1, -0.2, 1.3])
    theirs = stats.wilcoxon(gone, zero_method="pratt", method="approx", correction=False).pvalue
    assert wilcoxon(gone, 0 * gone, zeros="pratt", method="normal").p_value == pytest.approx(theirs)


def test_many_data_sets_go_by_the_normal_distribution() -> None:
    rng = np.random.default_rng(4)
    first = rng.normal(0.1, 1, 400)
    assert wilcoxon(first, np.zeros(400)).method == "normal, zeros dropped"
    assert wilcoxon(first, np.zeros(400)).p_value == pytest.approx(
        wilcoxon(first, np.zeros(400), method="exact").p_value, rel=0.02
    )


def test_the_noise_of_arithmetic_breaks_no_ties() -> None:
    """0.9 - 0.8 and 0.3 - 0.2 are the same difference, though not to a computer."""
    first, second = np.array([0.9, 0.3, 0.7, 0.8, 0.6]), np.array([0.8, 0.2, 0.8, 0.5, 0.2])
    found = wilcoxon(first, second)
    assert found.statistic == 13.0
    assert wilcoxon(100 * first, 100 * second) == found


@given(DIFFERENCES)
def test_the_typical_difference_leans_the_way_of_the_signed_ranks(gone: Any) -> None:
    found = signed_ranks(gone, "pratt")
    middle = typical_difference(gone)
    if found.up == found.down:
        assert middle == pytest.approx(0.0, abs=0.5)
    else:
        assert middle == 0 or (middle > 0) == (found.up > found.down)


@given(DIFFERENCES)
def test_swapping_the_two_changes_nothing_but_the_sign(gone: Any) -> None:
    zero = np.zeros(len(gone))
    for test in (wilcoxon, sign_test):
        assert test(gone, zero).p_value == pytest.approx(test(zero, gone).p_value, nan_ok=True)


def test_signs_are_binomial() -> None:
    found = sign_test(np.array([1.0, 1, 1, 1, 1, 1, 1, 0, 0, 5]), np.array([0.0, 0, 0, 0, 0, 0, 0, 1, 1, 5]))
    assert found.p_value == pytest.approx(stats.binomtest(7, 9).pvalue)
