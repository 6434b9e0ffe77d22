"""Random draws and what is made of many of them by compiled loops: arrays are made here, and filled there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels import _draws
from assay.types import Floats

__all__ = ["binomials", "counted", "isotonic_rows", "multiplicities"]


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


def isotonic_rows(values: Floats, weight: Floats) -> Floats:
    """For each row the rising sequence nearest to it in weighted squares."""
    fitted = np.empty(values.shape)
    _draws.isotonic_rows(np.ascontiguousarray(values), np.ascontiguousarray(weight), fitted)
    return fitted
