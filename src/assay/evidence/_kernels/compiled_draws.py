"""Random draws and what is made of many of them by compiled loops: arrays are made here, and filled there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels import _draws
from assay.evidence._kernels.side_by_side import cores
from assay.types import Floats

__all__ = ["binomials", "counted", "isotonic_rows", "multiplicities", "redrawn_sums"]

# With fewer counts to draw than this a second thread costs more than it saves.
_THREADED = 1 << 17


def multiplicities(key: int, first: int, count: int, size: int) -> Floats:
    """How often each of `size` units is drawn when so many are drawn: a row a replicate, from number `first` on."""
    times = np.empty((count, size))
    _draws.multiplicities(key, first, times)
    return times


def counted(cell: NDArray[np.intp], times: Floats, cells: int) -> Floats:
    """How often each cell occurs when each row occurs so many times; a row of counts for each row of times."""
    counts = np.empty((len(times), cells))
    _draws.counted(np.ascontiguousarray(cell), np.ascontiguousarray(times), counts)
    return counts


def binomials(cases: NDArray[np.int64], rate: Floats, times: int, key: int) -> Floats:
    """Binomial counts: a column for each number of cases and rate, a row for each time all of them are drawn."""
    drawn = np.empty((times, len(cases)))
    _draws.binomials(np.ascontiguousarray(cases), np.ascontiguousarray(rate), key, drawn)
    return drawn


def redrawn_sums(cases: NDArray[np.int64], rate: Floats, value: Floats, times: int, key: int) -> tuple[Floats, Floats]:
    """Of each time that counts are drawn: them times their values, and the squares of the rising curve of the rates."""
    products, squares = np.empty((2, times))
    given = np.ascontiguousarray(cases), np.ascontiguousarray(rate), np.ascontiguousarray(value)
    half = times // 2 if times * len(cases) >= _THREADED and cores() > 1 else times

    def draw(first: int, stop: int) -> None:
        _draws.redrawn_sums(*given, key, times, first, products[first:stop], squares[first:stop])

    if half == times:
        draw(0, times)
    else:
        with ThreadPoolExecutor(1) as other:
            waiting = other.submit(draw, half, times)
            draw(0, half)
            waiting.result()
    return products, squares


def isotonic_rows(values: Floats, weight: Floats) -> Floats:
    """For each row the rising sequence nearest to it in weighted squares."""
    fitted = np.empty(values.shape)
    _draws.isotonic_rows(np.ascontiguousarray(values), np.ascontiguousarray(weight), fitted)
    return fitted
