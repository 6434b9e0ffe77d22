"""The shared grid: where scores are put together so that tables of different sites, days and engines add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.types import Floats

__all__ = ["ScoreGrid"]

Cells = NDArray[np.int64]

# A double has so many bits below its leading one: shifting them out leaves halving and step as one number.
MANTISSA = 52
# Between 0 and 2^LOWEST there is one cell.
LOWEST = -40
# Scores beyond 1e100 are refused at the border; this is beyond that.
HIGHEST = 334


@dataclass(frozen=True)
class ScoreGrid:
    """Cells with dyadic edges, 2^bits of equal width in every halving of the distance to 0.

    For probabilities the halvings count from 1 too: cells are finest where scores crowd. 0 has a cell of its own, and 1
    where scores are probabilities. Every other cell holds its lower edge and not its upper one. A grid is fixed before
    any data is seen, so tables made anywhere on the same one add, and any split of the rows gives the same sums; the
    cells of a grid with fewer bits are unions of these. Cells are numbered in the order of their scores.

    >>> grid = ScoreGrid("probability", 2)
    >>> cells = grid.cells([0.0, 0.25, 0.3, 0.5, 0.9, 1.0])
    >>> cells
    array([  0, 154, 154, 158, 167, 315])
    >>> low, high = grid.edges(cells)
    >>> low
    array([0.      , 0.25    , 0.25    , 0.5     , 0.890625, 1.      ])
    >>> high
    array([0.     , 0.3125 , 0.3125 , 0.5625 , 0.90625, 1.     ])
    >>> ScoreGrid("real", 1).cells([-3.0, -2.0, 0.0, 2.0, 3.0])
    array([-84, -83,   0,  84,  85])
    """

    kind: Literal["probability", "real"]
    bits: int

    def cells(self, scores: ArrayLike) -> Cells:
        """The number of the cell that each score lies in."""
        score = np.asarray(scores, dtype=np.float64)
        if self.kind == "real":
            size = np.abs(score)
            return np.where(score < 0, -self._steps(size, is_mirrored=True), self._steps(size))
        # From one half on, 1 - p is exact.
        upper = self.last - self._steps(1.0 - score, is_mirrored=True)
        return np.where(score < 0.5, self._steps(score), upper)

    def edges(self, cells: ArrayLike) -> tuple[Floats, Floats]:
        """The lower and the upper edge of each cell."""
        number = np.asarray(cells, dtype=np.int64)
        if self.kind == "real":
            inner, outer = self._between(np.abs(number))
            return np.where(number < 0, -outer, inner), np.where(number < 0, -inner, outer)
        is_upper = number > self.last // 2
        inner, outer = self._between(np.where(is_upper, self.last - number, number))
        return np.where(is_upper, 1 - outer, inner), np.where(is_upper, 1 - inner, outer)

    def coarser(self, cells: ArrayLike, bits: int) -> Cells:
        """The cells of the grid with fewer bits that these lie in."""
        number = np.asarray(cells, dtype=np.int64)
        other = ScoreGrid(self.kind, bits)

        def fewer(steps: Cells) -> Cells:
            return np.where(steps < 2, steps, ((steps - 2) >> (self.bits - bits)) + 2)

        if self.kind == "real":
            return np.sign(number) * fewer(np.abs(number))
        is_upper = number > self.last // 2
        return np.where(is_upper, other.last - fewer(self.last - number), fewer(number))

    @property
    def last(self) -> int:
        """The number of the cell of a probability of 1."""
        return 2 * (2 + ((-1 - LOWEST) << self.bits)) - 1

    @property
    def _base(self) -> int:
        return (1023 + LOWEST) << self.bits

    def _steps(self, distance: Floats, *, is_mirrored: bool = False) -> Cells:
        """How many cells lie between 0 and each distance; mirrored ones hold their outer edge instead of the inner."""
        held = np.ascontiguousarray(distance + 0.0).view(np.int64) - int(is_mirrored)
        steps = (held >> (MANTISSA - self.bits)) - self._base + 2
        return np.where(distance == 0, 0, np.maximum(steps, 1))

    def _between(self, steps: Cells) -> tuple[Floats, Floats]:
        """The distances from 0 at which cells begin and end."""
        begins = np.ldexp(1.0, LOWEST)

        def distance(at: Cells) -> Floats:
            exact = (np.maximum(at, 0) + self._base) << (MANTISSA - self.bits)
            return np.asarray(exact.view(np.float64))

        inner = np.where(steps < 2, 0.0, distance(steps - 2))
        outer = np.where(steps < 2, np.where(steps < 1, 0.0, begins), distance(steps - 1))
        return inner, outer
