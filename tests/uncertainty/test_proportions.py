"""Intervals of one proportion against scipy.stats, and their shape."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.uncertainty import PROPORTION_METHODS, exceedance_p_value

SCIPY: dict[str, Literal["wilson", "wilsoncc", "exact"]] = {
    "Wilson": "wilson",
    "Wilson, continuity corrected": "wilsoncc",
    "Clopper-Pearson": "exact",
}
shares = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = (0.5, 0.9, 0.95, 0.999)
QUICK = [name for name in PROPORTION_METHODS if name != "Blaker"]


@pytest.mark.parametrize("name", SCIPY)
@given(count=shares, level=st.sampled_from(LEVELS))
def test_scipy_agrees(name: str, count: tuple[int, int], level: float) -> None:
    # At exactly one half R, whom we follow, corrects by nothing and scipy by half a case all the same.
    assume(name != "Wilson, continuity corrected" or 2 * count[0] != count[1])
    theirs = stats.binomtest(*count).proportion_ci(level, method=SCIPY[name])
    np.testing.assert_allclose(PROPORTION_METHODS[name](*count, level), tuple(theirs), rtol=1e-7, atol=1e-9)


@given(count=shares, level=st.sampled_from(LEVELS))
def test_jeffreys_is_the_middle_of_a_beta_distribution(count: tuple[int, int], level: float) -> None:
    x, n = count
    low, high = PROPORTION_METHODS["Jeffreys"](x, n, level)
    posterior = stats.beta(x + 0.5, n - x + 0.5)
    assert low == (0.0 if x == 0 else pytest.approx(posterior.ppf((1 - level) / 2), rel=1e-7))
    assert high == (1.0 if x == n else pytest.approx(posterior.ppf((1 + level) / 2), rel=1e-7))


@given(count=shares, level=st.sampled_from(LEVELS))
def test_mid_p_limits_solve_their_own_equation(count: tuple[int, int], level: float) -> None:
    x, n = count
    low, high = PROPORTION_METHODS["mid-p"](x, n, level)
    tail = (1 - level) / 2
    if x > 0:
        assert stats.binom.sf(x, n, low) + stats.binom.pmf(x, n, low) / 2 == pytest.approx(tail, abs=1e-7)
    if x < n:
        assert stats.binom.cdf(x, n, high) - stats.binom.pmf(x, n, high) / 2 == pytest.approx(tail, abs=1e-7)


@pytest.mark.parametrize("name", QUICK)
@given(count=shares, level=st.sampled_from(LEVELS))
def test_limits_hold_the_estimate_and_are_mirrored(name: str, count: tuple[int, int], level: float) -> None:
    x, n = count
    low, high = PROPORTION_METHODS[name](x, n, level)
    assert 0 <= low <= high <= 1
    # Plus four is meant for levels about 95 %: it moves the centre by as much at every level.
    if name != "plus four" or level > 0.9:
        assert low <= x / n + 1e-12
        assert x / n - 1e-12 <= high
    np.testing.assert_allclose(PROPORTION_METHODS[name](n - x, n, level), (1 - high, 1 - low), atol=1e-9)


@pytest.mark.parametrize("name", QUICK)
@given(count=shares)
def test_a_higher_level_is_wider(name: str, count: tuple[int, int]) -> None:
    found = [PROPORTION_METHODS[name](*count, level) for level in LEVELS]
    for (low, high), (lower, higher) in pairwise(found):
        assert lower <= low + 1e-12
        assert high <= higher + 1e-12


@settings(max_examples=10)
@given(count=st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_blaker_lies_inside_clopper_pearson_and_is_mirrored(count: tuple[int, int]) -> None:
    x, n = count
    low, high = PROPORTION_METHODS["Blaker"](x, n, 0.95)
    outer = PROPORTION_METHODS["Clopper-Pearson"](x, n, 0.95)
    assert outer[0] - 1e-12 <= low <= x / n <= high <= outer[1] + 1e-12
    np.testing.assert_allclose(PROPORTION_METHODS["Blaker"](n - x, n, 0.95), (1 - high, 1 - low), atol=1e-4)


def test_blaker_is_quick_enough_to_ask_for() -> None:
    """A search over every count at every p would take a minute and more."""
    start = time.perf_counter()
    low, high = PROPORTION_METHODS["Blaker"](1_000, 4_000, 0.95)
    elapsed = time.perf_counter() - start
    outer = PROPORTION_METHODS["Clopper-Pearson"](1_000, 4_000, 0.95)
    assert outer[0] <= low < 0.25 < high <= outer[1]
    assert elapsed < 5


@pytest.mark.parametrize("name", QUICK)
def test_large_counts(name: str) -> None:
    low, high = PROPORTION_METHODS[name](3_000_000, 10_000_000, 0.95)
    half = 1.959964 * (0.3 * 0.7 / 1e7) ** 0.5
    assert (low, high) == pytest.approx((0.3 - half, 0.3 + half), abs=1e-6)


@given(count=shares, reference=st.floats(0.01, 0.99))
def test_exceedance_is_scipys_one_sided_test(count: tuple[int, int], reference: float) -> None:
    theirs = stats.binomtest(*count, p=reference, alternative="greater").pvalue
    assert exceedance_p_value(*count, reference) == pytest.approx(theirs, rel=1e-9, abs=1e-300)


def test_exceedance_past_the_range_of_small_integers() -> None:
    assert exceedance_p_value(5e9, 1e10, 0.5) == pytest.approx(0.5, abs=1e-4)
