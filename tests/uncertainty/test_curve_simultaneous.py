"""Limits that hold at every score at once: their exact probability, by enumeration and by drawing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.uncertainty import equal_level_limits, kolmogorov_limits

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
