"""Limits of many rates at once, against the scalar methods and their own definitions.

Limits that hold at every score at once: their exact probability, by enumeration and by drawing.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.uncertainty import (
    POSITION_WEIGHTS,
    PROPORTION_METHODS,
    Side,
    contrast_limits,
    equal_level_limits,
    kolmogorov_limits,
    mixture_limits,
    positions,
    share_limits,
    wilson_limits,
)

Floats = NDArray[np.float64]
LEVELS = st.sampled_from([0.5, 0.9, 0.95, 0.999])


@given(whole=st.integers(1, 400), level=LEVELS)
def test_many_shares_have_the_limits_of_each(whole: int, level: float) -> None:
    part = np.arange(0, whole + 1, max(1, whole // 7), dtype=float)
    for name, found in (
        ("Clopper-Pearson", share_limits(part, float(whole), level)),
        ("Wilson", wilson_limits(part / whole, float(whole), level)),
    ):
        each = [PROPORTION_METHODS[name](k, float(whole), level) for k in part]
        assert np.transpose(found) == pytest.approx(np.array(each), abs=1e-9)


@given(hits=st.floats(0, 500), misses=st.floats(0, 500), level=LEVELS)
def test_a_mixture_of_one_beta_is_that_beta(hits: float, misses: float, level: float) -> None:
    low, high = mixture_limits(np.full((1, 65), hits), np.full((1, 65), misses), level)
    posterior = stats.beta(hits + 0.5, misses + 0.5)
    assert posterior.cdf(low[0]) == pytest.approx((1 - level) / 2, abs=2e-3)
    assert posterior.cdf(high[0]) == pytest.approx((1 + level) / 2, abs=2e-3)


def test_a_mixture_is_wider_than_its_middle() -> None:
    hits = np.linspace(20.0, 80.0, 65)[None]
    mixed = mixture_limits(hits, 100 - hits, 0.95)
    alone = mixture_limits(np.full((1, 65), 50.0), np.full((1, 65), 50.0), 0.95)
    assert mixed[0] < alone[0]
    assert mixed[1] > alone[1]


@given(n=st.integers(100, 5000), share=st.floats(0.05, 0.95))
def test_positions_have_the_mean_and_the_spread_of_a_binomial_share(n: int, share: float) -> None:
    side = Side(np.full(100, n / 100), np.full(100, n / 100))
    places = positions(side, np.array([share]))[0]
    mean = places @ POSITION_WEIGHTS
    spread = np.sqrt((places - mean) ** 2 @ POSITION_WEIGHTS)
    expected = np.sqrt(share * (1 - share) / n)
    assert mean == pytest.approx(share, abs=0.6 / n + 0.02 * expected)
    assert spread == pytest.approx(expected, rel=0.15)


def test_equal_weights_of_any_size_are_as_many_cases() -> None:
    plain = Side(np.array([3.0, 0.0, 7.0, 10.0]), np.array([3.0, 0.0, 7.0, 10.0]))
    heavy = Side(plain.weight * 5, plain.squares * 25)
    shares = np.array([0.0, 0.15, 0.4, 0.5, 1.0])
    assert plain.effective(shares) == pytest.approx(20.0)
    assert heavy.effective(shares) == pytest.approx(20.0)
    assert heavy.kish == pytest.approx(20.0)


def test_unequal_weights_are_fewer_cases() -> None:
    side = Side(np.array([4.0, 1.0]), np.array([16.0, 1.0]))
    assert side.effective(np.array([0.5]))[0] < 2


def triple(value: float, low: float, high: float) -> tuple[Floats, Floats, Floats]:
    return np.array([value]), np.array([low]), np.array([high])


def test_a_contrast_without_a_second_part_is_the_first() -> None:
    first, none = triple(0.4, 0.3, 0.55), triple(0.0, 0.0, 0.2)
    low, high = contrast_limits(first, none, np.array([0.0]), 0.0)
    assert (low[0], high[0]) == (pytest.approx(0.3), pytest.approx(0.55))


def test_a_negative_correlation_widens_a_difference() -> None:
    first, second = triple(0.4, 0.3, 0.5), triple(0.3, 0.2, 0.4)
    together, apart = (contrast_limits(first, second, np.array([1.0]), r) for r in (-0.5, 0.0))
    assert together[0] < apart[0]
    assert together[1] > apart[1]


LEVEL = math.sqrt(0.95)


def share_inside(n: int, limits: tuple[NDArray[np.float64], NDArray[np.float64]], draws: int = 20_000) -> float:
    """How often the order statistics of n uniform numbers stay inside: at a score between two, both must."""
    low, high = limits
    uniform = np.random.default_rng(7).random((draws, n))
    uniform.sort(axis=1)
    return float(((low[1:] <= uniform) & (uniform <= high[:-1])).all(1).mean())


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
def test_equal_levels_hold_exactly_as_often_as_they_say(n: int) -> None:
    assert share_inside(n, equal_level_limits(n, LEVEL)) == pytest.approx(LEVEL, abs=0.004)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 300])
def test_kolmogorov_limits_hold_at_least_as_often(n: int) -> None:
    assert share_inside(n, kolmogorov_limits(n, LEVEL)) >= LEVEL - 0.004


def test_ranks_left_out_of_a_large_sample_cost_nothing_in_level() -> None:
    assert share_inside(1500, equal_level_limits(1500, 0.9), 4_000) >= 0.9 - 0.015


@pytest.mark.parametrize("limits", [equal_level_limits, kolmogorov_limits])
@pytest.mark.parametrize("n", [1, 9, 700])
def test_limits_rise_and_mirror_one_another(limits: object, n: int) -> None:
    assert callable(limits)
    low, high = limits(n, LEVEL)
    assert low[0] == 0.0
    assert high[-1] == 1.0
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    assert (low <= np.arange(n + 1) / n).all()
    assert (high >= np.arange(n + 1) / n).all()
    assert low == pytest.approx(1 - high[::-1], abs=2e-3)


def test_campbells_constant() -> None:
    low, high = kolmogorov_limits(10_000, LEVEL)
    assert (high - low)[5000] / 2 * 100 == pytest.approx(1.48, abs=0.005)


def test_equal_levels_are_narrower_at_the_ends_and_little_wider_in_the_middle() -> None:
    (low, high), (low_k, high_k) = equal_level_limits(200, LEVEL), kolmogorov_limits(200, LEVEL)
    assert high[0] < high_k[0] / 2
    assert (high - low)[100] < 1.2 * (high_k - low_k)[100]
