"""Random draws and what is made of many of them, in numpy: the oracle of the compiled loops, and what serves without.

Numbers are made from a counter (SplitMix64: Steele, Lea & Flood 2014), not from one another: a draw depends on its seed
and its place alone, so that any part of a sequence can be made by itself, in any order, by any number of threads.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels.plain_sweeps import upper_hull
from assay.types import Floats

_STEP, _FIRST, _SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_WORD = 1 << 64


def draw_key(seed: int, stream: int = 0) -> int:
    """Where the numbers of a seed begin; streams of one seed have nothing in common.

    >>> draw_key(0) != draw_key(1), draw_key(0, 1) != draw_key(1, 0)
    (True, True)
    """
    mixed = 0
    for part in (stream, *(seed >> shift & (_WORD - 1) for shift in range(0, max(seed.bit_length(), 1), 64))):
        mixed = int(_random_integers(mixed ^ part, 0, 1)[0])
    return mixed


def _random_integers(key: int, first: int, count: int) -> NDArray[np.uint64]:
    """The numbers at `count` places from `first` on."""
    with np.errstate(over="ignore"):
        z = np.uint64(key) + (np.arange(first + 1, first + count + 1, dtype=np.uint64)) * _STEP
        z = (z ^ (z >> np.uint64(30))) * _FIRST
        z = (z ^ (z >> np.uint64(27))) * _SECOND
    return z ^ (z >> np.uint64(31))


def multiplicities(key: int, first: int, count: int, size: int) -> Floats:
    """How often each of `size` units is drawn when so many are drawn: a row a replicate, from number `first` on.

    >>> multiplicities(draw_key(0), 0, 2, 4)
    array([[1., 1., 0., 2.],
           [1., 1., 1., 1.]])
    """
    numbers = _random_integers(key, first * size, count * size).reshape(count, size)
    units = (((numbers >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)).astype(np.intp)
    units += size * np.arange(count)[:, None]
    return np.bincount(units.ravel(), minlength=size * count).reshape(count, size).astype(np.float64)


def counted(cell: NDArray[np.intp], times: Floats, cells: int) -> Floats:
    """How often each cell occurs when each row occurs so many times; a row of counts for each row of times.

    >>> counted(np.array([0, 1, 1]), np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 2.0]]), 2)
    array([[1., 2.],
           [0., 3.]])
    """
    flat = cell + cells * np.arange(len(times))[:, None]
    counts: Floats = np.bincount(flat.ravel(), times.ravel(), minlength=cells * len(times)).astype(np.float64)
    return counts.reshape(len(times), cells)


def binomials(cases: NDArray[np.int64], rate: Floats, times: int, key: int) -> Floats:
    """Binomial counts: a column for each number of cases and rate, a row for each time all of them are drawn.

    >>> binomials(np.array([5, 1000]), np.array([0.0, 0.5]), 3, draw_key(0))
    array([[  0., 520.],
           [  0., 506.],
           [  0., 492.]])
    """
    drawn = np.empty((times, len(cases)))
    for c, (n, p) in enumerate(zip(cases.tolist(), rate.tolist(), strict=True)):
        if 0 < p < 1:
            low, below = _binomial_distribution(n, p)
            uniform = (_random_integers(key, c * times, times) >> np.uint64(11)) * 2.0**-53
            drawn[:, c] = low + np.minimum(np.searchsorted(below, uniform, side="right"), len(below) - 1)
        else:
            drawn[:, c] = n if p >= 1 else 0
    return drawn


def _binomial_distribution(n: int, p: float) -> tuple[int, Floats]:
    """The least count that is drawn, and the chances of being at most it, one more, two more, ...

    From the mode outwards, as far as seven standard deviations: what lies beyond is less than a draw can show.
    """
    spread = int(7 * math.sqrt(n * p * (1 - p)) + 7)
    mode = min(math.floor((n + 1) * p), n)
    low, high, odds = max(0, mode - spread), min(n, mode + spread), p / (1 - p)
    up, down = np.arange(mode, high, dtype=np.float64), np.arange(mode, low, -1, dtype=np.float64)
    above = np.cumprod((n - up) / (up + 1) * odds)
    below = np.cumprod(down / (n - down + 1) / odds)[::-1]
    sums = np.cumsum(np.concatenate((below, [1.0], above)))
    return low, sums / sums[-1]


def redrawn_sums(cases: NDArray[np.int64], rate: Floats, value: Floats, times: int, key: int) -> tuple[Floats, Floats]:
    """Of each time that counts are drawn: them times their values, and the squares of the rising curve of the rates.

    Each square counts as often as there are cases. It is what the Brier score of these draws needs.

    >>> products, squares = redrawn_sums(np.array([2, 2]), np.array([1.0, 0.0]), np.array([0.5, 0.1]), 1, draw_key(0))
    >>> products.tolist(), squares.tolist()
    ([1.0], [1.0])
    """
    counts = binomials(cases, rate, times, key)
    fitted = isotonic_rows(counts / cases, cases.astype(np.float64))
    return counts @ value, (fitted * fitted) @ cases


def isotonic_rows(values: Floats, weight: Floats) -> Floats:
    """For each row the rising sequence nearest to it in weighted squares, of values from 0 to 1.

    All in one call: rows set two apart cannot pool with one another.

    >>> isotonic_rows(np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]]), np.ones(4))
    array([[0.  , 0.5 , 0.5 , 1.  ],
           [0.25, 0.25, 0.25, 0.25]])
    """
    if values.size == 0:
        return values.copy()
    apart = 2.0 * np.arange(len(values))[:, None]
    mass, moved = np.tile(weight, len(values)), (values + apart).ravel()
    # The steps are the sides of the hull below the cumulative sums: turned over, of the one above.
    x, y = (np.concatenate(([0.0], np.cumsum(part))) for part in (mass, moved * mass))
    first = upper_hull(x, -y)[:-1]
    mean = np.add.reduceat(moved * mass, first) / np.add.reduceat(mass, first)
    fitted: Floats = np.repeat(mean, np.diff(first, append=len(moved))).reshape(values.shape)
    return np.clip(fitted - apart, 0.0, 1.0)
