"""Limits of a whole distribution function at once, whatever the distribution: what simultaneous bands are made of."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, xlogy

from assay.types import Floats

__all__ = ["equal_level_limits", "kolmogorov_limits"]

# In larger samples the band is held at this many of the ranks; in between the next one counts, which is safe.
MOST_RANKS = 600
# Of these, so many at either end stand close together: there the limits change fastest.
CLOSE_RANKS = 50
HALVINGS = 10
# Products larger than this are quicker by Fourier transform.
LONG_CONVOLUTION = 1 << 18


def kolmogorov_limits(n: int, level: float) -> tuple[Floats, Floats]:
    """Limits of the share of a population beyond a score, when 0, 1, ... n of n cases lie beyond it.

    They hold at every score at once with at least `level` (Dvoretzky, Kiefer & Wolfowitz 1956, Massart's constant), for
    any distribution and any n; equally wide everywhere, and so wide at the ends.

    >>> low, high = kolmogorov_limits(100, 0.95 ** 0.5)
    >>> (high - low)[50].round(4)
    np.float64(0.2956)
    """
    half = math.sqrt(math.log(2 / (1 - level)) / (2 * n))
    share = np.arange(n + 1) / n
    return np.maximum(share - half, 0.0), np.minimum(share + half, 1.0)


@lru_cache(maxsize=64)
def equal_level_limits(n: int, level: float) -> tuple[Floats, Floats]:
    """Limits of the share of a population beyond a score, when 0, 1, ... n of n cases lie beyond it.

    They hold at every score at once with `level`, for any distribution, and each rank has the same chance to fall
    outside: narrow at the ends, where Kolmogorov's are wide (Aldor-Noiman et al. 2013). The chance of a rank is found
    by halving, with the exact probability that uniform order statistics stay inside.

    >>> low, high = equal_level_limits(100, 0.95 ** 0.5)
    >>> (high - low)[[0, 50, 100]].round(4)
    array([0.0731, 0.3286, 0.0731])
    """
    ranks = _ranks(n)
    inside, outside = (1 - level) / (2 * len(ranks)), 1 - level
    for _ in range(HALVINGS):
        middle = math.sqrt(inside * outside)
        keeps = _probability_inside(n, ranks, *_limits(n, ranks, middle)) >= level
        inside, outside = (middle, outside) if keeps else (inside, middle)
    low, high = _limits(n, ranks, inside)
    counts = np.arange(n + 1)
    before = np.searchsorted(ranks, counts, side="right")
    return np.concatenate(([0.0], low))[before], np.concatenate((high, [1.0]))[before]


def _ranks(n: int) -> NDArray[np.int64]:
    """The ranks at which the band is held."""
    if n <= MOST_RANKS:
        return np.arange(1, n + 1)
    close = np.arange(1, CLOSE_RANKS + 1)
    spread = np.linspace(CLOSE_RANKS, n + 1 - CLOSE_RANKS, MOST_RANKS - 2 * CLOSE_RANKS + 2)[1:-1].astype(np.int64)
    return np.concatenate((close, spread, n + 1 - close[::-1]))


def _limits(n: int, ranks: NDArray[np.int64], chance: float) -> tuple[Floats, Floats]:
    """Where each of the order statistics of n uniform numbers lies but for this chance."""
    whole = ranks.astype(np.float64)
    low, high = (np.asarray(betaincinv(whole, n - whole + 1, t), np.float64) for t in (chance / 2, 1 - chance / 2))
    return low, high


def _probability_inside(n: int, ranks: NDArray[np.int64], low: Floats, high: Floats) -> float:
    """The probability that the order statistics of n uniform numbers all stay within their limits.

    The number below t is followed through all limits as a Poisson process, then conditioned on n at the end (Moscovich
    & Nadler 2017): at a lower limit it must still be below the rank, at an upper limit have reached it.
    """
    chances, first = np.ones(1), 0
    time, lows, highs = 0.0, 0, 0
    while highs < len(ranks):
        is_low = lows < len(ranks) and low[lows] <= high[highs]
        at = float(low[lows] if is_low else high[highs])
        if is_low:
            lows += 1
        else:
            highs += 1
        most = int(ranks[lows]) - 1 if lows < len(ranks) else n
        most = min(most, int(ranks[lows - 1]) - 1) if is_low else most
        fewest = max(first, int(ranks[highs - 1]) if highs else 0)
        chances = _moved(chances, n * (at - time), fewest - first, most - first)
        time, first = at, fewest
    final = _moved(chances, n * (1 - time), n - first, n - first)
    return float(final[0] / np.exp(_log_poisson(np.array(n), float(n))))


def _moved(chances: Floats, mean: float, fewest: int, most: int) -> Floats:
    """The distribution of a count after a Poisson number more, kept from `fewest` to `most`."""
    steps = np.exp(_log_poisson(np.arange(most + 1), mean))
    if len(chances) * len(steps) < LONG_CONVOLUTION:
        return np.convolve(chances, steps)[fewest : most + 1]
    size = len(chances) + len(steps)
    joined = np.fft.irfft(np.fft.rfft(chances, size) * np.fft.rfft(steps, size), size)
    return np.maximum(joined[fewest : most + 1], 0.0)


def _log_poisson(count: Any, mean: float) -> Any:
    return xlogy(count, mean) - mean - gammaln(count + 1)
