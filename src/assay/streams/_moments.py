"""Counts at many moments of a chunk at once, and what two baselines that need no classifier would have answered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.types import Codes, Floats, Places

__all__ = ["Chunk", "Moments", "counts_at", "majority_hits", "sizes_along"]

# Up to so many cells each is summed along the whole line, if moments are not rarer than events by more than that.
FEW_CELLS = 16


@dataclass(frozen=True, eq=False)
class Chunk:
    """Events in their order, read and checked: class codes, decisions, scores, times.

    `same` says whether the no-change answer (the true class of the event before) was right.
    """

    truth: Codes
    decision: Codes
    same: Codes
    score: Floats | None = None
    time: Floats | None = None

    def __len__(self) -> int:
        return len(self.truth)

    def cut(self, start: int, stop: int) -> Chunk:
        """The events from one place to another."""
        parts = (self.truth, self.decision, self.same, self.score, self.time)
        return Chunk(*(None if part is None else part[start:stop] for part in parts))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Moments:
    """What a view held after some events of a chunk: matrices as a batch, hits of the baselines, pairs in order."""

    counts: Floats
    same: Floats | None = None
    majority: Floats | None = None
    pairs: Floats | None = None


def sizes_along(truth: Codes, classes: int) -> Floats:
    """How many events of each class (row) come before each place of the line, and before its end.

    >>> sizes_along(np.array([0, 1, 1]), 2)
    array([[0., 1., 1., 1.],
           [0., 0., 1., 2.]])
    """
    return _along(truth, classes).astype(np.float64)


def _along(codes: Codes, count: int) -> NDArray[np.int32]:
    """How often each code comes before each place of a line, and before its end."""
    sums = np.zeros((count, len(codes) + 1), dtype=np.int32)
    for code in range(count):
        np.cumsum(codes == code, dtype=np.int32, out=sums[code, 1:])
    return sums


def majority_hits(sizes: Floats, truth: Codes) -> Codes:
    """Whether the commonest class, the first of them in a tie, was the true one; nothing seen answers nothing.

    >>> majority_hits(np.array([[0.0, 1.0], [0.0, 1.0]]), np.array([0, 0]))
    array([0, 1])
    """
    best, most = np.zeros(len(truth), dtype=np.int64), sizes[0]
    for code in range(1, len(sizes)):
        best[sizes[code] > most] = code
        most = np.maximum(most, sizes[code])
    hits: Codes = ((best == truth) & (most > 0)).astype(np.int64)
    return hits


def counts_at(cell: Codes, cells: int, starts: Places, ends: Places) -> Floats:
    """How often each cell (row) occurs between the places `starts` and `ends` of a line, which only go forward.

    >>> counts_at(np.array([0, 1, 1, 0]), 2, np.array([0, 1]), np.array([2, 4]))
    array([[1., 1.],
           [1., 2.]])
    >>> counts_at(np.array([0, 1, 1, 0]), 20, np.array([0, 1]), np.array([2, 4]))[:2]
    array([[1., 1.],
           [1., 2.]])
    """
    if cells <= FEW_CELLS and len(ends) * FEW_CELLS > len(cell):
        sums = _along(cell, cells)
        return np.subtract(sums.take(ends, axis=1), sums.take(starts, axis=1), dtype=np.float64)
    is_cut = np.zeros(len(cell) + 1, dtype=np.intp)
    is_cut[starts] = is_cut[ends] = 1
    piece = np.cumsum(is_cut)
    counts = np.zeros((int(piece[-1]) + 1, cells))
    # Row p of the sums holds what comes before the p-th cut: pieces are numbered from the cuts passed.
    np.cumsum(
        np.bincount(piece[:-1] * cells + cell, minlength=counts.size).reshape(counts.shape)[:-1],
        axis=0,
        out=counts[1:],
    )
    taken: Floats = np.ascontiguousarray((counts[piece[ends]] - counts[piece[starts]]).T)
    return taken
