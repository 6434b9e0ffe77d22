"""Scores put together on the shared grid: what sites, days and engines can add without showing a row.

The shared grid: where scores are put together so that tables of different sites, days and engines add.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence._kernels import tabulate_weights
from assay.evidence.confusion import OTHER_CLASSES
from assay.evidence.score_table import Reach, ScoreTable
from assay.types import Floats

__all__ = ["Binned", "ScoreGrid"]


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
            inner, outer = self._bin_distances(np.abs(number))
            return np.where(number < 0, -outer, inner), np.where(number < 0, -inner, outer)
        is_upper = number > self.last // 2
        inner, outer = self._bin_distances(np.where(is_upper, self.last - number, number))
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
    def _first_bin_code(self) -> int:
        return (1023 + LOWEST) << self.bits

    def _steps(self, distance: Floats, *, is_mirrored: bool = False) -> Cells:
        """How many cells lie between 0 and each distance; mirrored ones hold their outer edge instead of the inner."""
        held = np.ascontiguousarray(distance + 0.0).view(np.int64) - int(is_mirrored)
        steps = (held >> (MANTISSA - self.bits)) - self._first_bin_code + 2
        return np.where(distance == 0, 0, np.maximum(steps, 1))

    def _bin_distances(self, steps: Cells) -> tuple[Floats, Floats]:
        """The distances from 0 at which cells begin and end."""
        begins = np.ldexp(1.0, LOWEST)

        def distance(at: Cells) -> Floats:
            exact = (np.maximum(at, 0) + self._first_bin_code) << (MANTISSA - self.bits)
            return np.asarray(exact.view(np.float64))

        inner = np.where(steps < 2, 0.0, distance(steps - 2))
        outer = np.where(steps < 2, np.where(steps < 1, 0.0, begins), distance(steps - 1))
        return inner, outer


# Beyond every score that is taken at the border: where those may lie of which nothing is known.
BEYOND = 1e101
FEWER_BITS = "those of fewer bits, from 0 to {bits}: bins cannot be split"


@dataclass(frozen=True, eq=False, repr=False)
class Binned:
    """How many negatives and positives lie in each cell of a grid, and the smallest and largest score there.

    Only those of the same grid add; then any split of the rows, in any order, makes the same sums. `least` and
    `greatest` are nan where they are withheld. `hidden` are the negatives and positives of cells that were too small to
    be shown: they are in no cell.

    >>> grid = ScoreGrid("probability", 3)
    >>> binned = Binned.of([0.1, 0.38, 0.4, 0.9], [False, False, True, True], ("0", "1"), grid)
    >>> binned
    Binned(3 bins of 3 bits; 2 negatives, 2 positives)
    >>> binned + binned == Binned.of([0.1, 0.38, 0.4, 0.9] * 2, [False, False, True, True] * 2, ("0", "1"), grid)
    True
    >>> table = binned.table()
    >>> table.reach.low[1].item(), table.score[1].item(), round(table.reach.high[1].item(), 6)
    (0.38, 0.39, 0.4)
    """

    grid: ScoreGrid
    cell: Cells
    negative: Floats
    positive: Floats
    least: Floats
    greatest: Floats
    classes: tuple[str, str] = ("0", "1")
    # Sums of squared weights in each cell, where weights are not counts.
    negative_squares: Floats | None = None
    positive_squares: Floats | None = None
    hidden: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(
        cls,
        score: ArrayLike,
        is_positive: ArrayLike,
        classes: tuple[str, str],
        grid: ScoreGrid,
        *,
        weight: Floats | None = None,
        count: Floats | None = None,
    ) -> Binned:
        """Scores and their true class, put together.

        >>> grid = ScoreGrid("real", 4)
        >>> Binned.of([0.5, 0.5], [False, True], ("no", "yes"), grid, count=np.array([2.0, 3.0])).positive
        array([3.])
        """
        return cls.from_table(ScoreTable.of(score, is_positive, classes, weight=weight, count=count), grid)

    @classmethod
    def from_table(cls, table: ScoreTable, grid: ScoreGrid) -> Binned:
        """The scores of an exact table, put together: they are in order already."""
        if grid.kind == "probability" and len(table) and not 0 <= table.score[0] <= table.score[-1] <= 1:
            outside = table.score[0] if table.score[0] < 0 else table.score[-1]
            raise no_probability(float(outside))
        cells = grid.cells(table.score)
        first = np.flatnonzero(np.diff(cells, prepend=cells[:1] - 1))
        last = np.append(first[1:], len(cells)) - 1
        squares = table.squared_weights if table.is_weighted else ()
        sums = [_reduce_runs(side, np.add, first) for side in (table.negative, table.positive, *squares)]
        ends = table.score[first] + 0.0, table.score[last[: len(first)]] + 0.0
        return cls(grid, cells[first], sums[0], sums[1], *ends, table.classes, *_unpack_squares(sums[2:]))

    def __add__(self, other: Binned) -> Binned:
        return Binned.sum((self, other))

    @classmethod
    def sum(cls, parts: tuple[Binned, ...] | list[Binned]) -> Binned:
        """Many as one, in one pass: a thousand sites take as long as their cells, not as their pairs."""
        first = parts[0]
        for each in parts[1:]:
            if each.classes != first.classes:
                raise OptionError(*OTHER_CLASSES)
            if each.grid != first.grid:
                raise OptionError(
                    f"one has a grid of {first.grid.kind} scores with {first.grid.bits} bits and the "
                    f"other one of {each.grid.kind} scores with {each.grid.bits}",
                    "the same grid, to add them",
                )
        is_weighted = any(each.negative_squares is not None for each in parts)
        columns = [each._sides(with_squares=is_weighted) for each in parts]
        cell, *sums = _tabulate_bins(
            np.concatenate([each.cell for each in parts]),
            *(np.concatenate(side) for side in zip(*columns, strict=True)),
        )
        place = [np.searchsorted(cell, each.cell) for each in parts]
        least, greatest = np.full(len(cell), np.inf), np.full(len(cell), -np.inf)
        for at, each in zip(place, parts, strict=True):
            # A score that is withheld in one of them is in all: nan stays nan.
            least[at], greatest[at] = np.minimum(least[at], each.least), np.maximum(greatest[at], each.greatest)
        hidden = (float(sum(each.hidden[0] for each in parts)), float(sum(each.hidden[1] for each in parts)))
        return cls(
            first.grid, cell, sums[0], sums[1], least, greatest, first.classes, *_unpack_squares(sums[2:]), hidden
        )

    def _sides(self, *, with_squares: bool) -> tuple[Floats, ...]:
        if not with_squares:
            return self.negative, self.positive
        negative, positive = self.negative_squares, self.positive_squares
        if negative is None or positive is None:
            # Of cases that count once the sums of squares are the counts.
            negative, positive = self.negative, self.positive
        return self.negative, self.positive, negative, positive

    @property
    def is_weighted(self) -> bool:
        """Whether the weights are not counts."""
        return self.negative_squares is not None

    def __len__(self) -> int:
        return len(self.cell)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Binned):
            return NotImplemented
        facts = [(each.grid, each.classes, each.is_weighted, each.hidden) for each in (self, other)]
        mine, theirs = ((each.cell, *each._sides(with_squares=True)) for each in (self, other))
        ends = ((each.least, each.greatest) for each in (self, other))
        return (
            facts[0] == facts[1]
            and all(map(np.array_equal, mine, theirs))
            and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*ends, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]  # holds arrays

    def __repr__(self) -> str:
        hidden = f"; {sum(self.hidden):,.15g} cases hidden" if any(self.hidden) else ""
        return (
            f"Binned({len(self):,} bins of {self.grid.bits} bits; "
            f"{self.negative.sum():,.15g} negatives, {self.positive.sum():,.15g} positives{hidden})"
        )

    def coarser(self, bits: int) -> Binned:
        """The same on a grid of fewer bits.

        >>> fine = Binned.of([0.4, 0.41], [False, True], ("0", "1"), ScoreGrid("probability", 20))
        >>> fine.coarser(3) == Binned.of([0.4, 0.41], [False, True], ("0", "1"), ScoreGrid("probability", 3))
        True
        """
        if not 0 <= bits <= self.grid.bits:
            raise OptionError(f"bits are {bits}", FEWER_BITS.format(bits=self.grid.bits))
        cells = self.grid.coarser(self.cell, bits)
        first = np.flatnonzero(np.diff(cells, prepend=cells[:1] - 1))
        sums = [_reduce_runs(side, np.add, first) for side in self._sides(with_squares=self.is_weighted)]
        ends = _reduce_runs(self.least, np.minimum, first), _reduce_runs(self.greatest, np.maximum, first)
        grid, squares = ScoreGrid(self.grid.kind, bits), _unpack_squares(sums[2:])
        return Binned(grid, cells[first], sums[0], sums[1], *ends, self.classes, *squares, self.hidden)

    def withheld(self, fewest: int) -> Binned:
        """The same without smallest and largest scores, but of cells of so many cases at least that all have one score.

        Such a score belongs to nobody, and that it is the same for all makes bounds narrow.

        >>> grid = ScoreGrid("probability", 4)
        >>> Binned.of([0.5] * 5 + [0.9], [False, True] * 3, ("0", "1"), grid).withheld(5).least
        array([0.5, nan])
        """
        is_tied = (self.least == self.greatest) & (self._effective_cases >= fewest)
        least, greatest = (np.where(is_tied, end, np.nan) for end in (self.least, self.greatest))
        return replace(self, least=least, greatest=greatest)

    def without_small(self, fewest: int) -> Binned:
        """The same without cells of fewer cases: of those only the classes are kept.

        >>> grid = ScoreGrid("probability", 4)
        >>> Binned.of([0.5] * 5 + [0.9], [False, True] * 3, ("0", "1"), grid).without_small(5)
        Binned(1 bins of 4 bits; 3 negatives, 2 positives; 1 cases hidden)
        """
        is_kept = self._effective_cases >= fewest
        sides = [side[is_kept] for side in self._sides(with_squares=self.is_weighted)]
        negatives, positives = (float(side[~is_kept].sum()) for side in (self.negative, self.positive))
        hidden = (self.hidden[0] + negatives, self.hidden[1] + positives)
        ends, squares = (self.least[is_kept], self.greatest[is_kept]), _unpack_squares(sides[2:])
        return Binned(self.grid, self.cell[is_kept], sides[0], sides[1], *ends, self.classes, *squares, hidden)

    @property
    def _effective_cases(self) -> Floats:
        # Of weights nobody knows how many cases they are; Kish's number is never more than that.
        if self.negative_squares is None or self.positive_squares is None:
            return self.negative + self.positive
        both, squares = self.negative + self.positive, self.negative_squares + self.positive_squares
        return both**2 / squares * (1 + 1e-12)

    def table(self) -> ScoreTable:
        """The score table of the cells, each at the middle of what its scores could be, which the table tells.

        The middle of a cell is at most half a cell from every score in it, whichever they are.
        """
        low, high = self.least, self.greatest
        is_known = ~np.isnan(low)
        if not is_known.all():
            least, greatest = low, high
            low, high = self.grid.edges(self.cell)
            # 0 and 1 have cells of their own, and no other cell holds its upper edge, or 0.
            is_wide = low < high
            low = np.where(is_wide & (low == 0), np.nextafter(low, high), low)
            high = np.where(is_wide, np.nextafter(high, low), high)
            low, high = np.where(is_known, least, low), np.where(is_known, greatest, high)
        middle = low + (high - low) / 2
        ends = (0.0, 1.0) if self.grid.kind == "probability" else (-BEYOND, BEYOND)
        squares = (self.negative_squares, self.positive_squares)
        reach = Reach(low, high, *self.hidden, *ends)
        return ScoreTable(middle, self.negative, self.positive, self.classes, *squares, reach=reach)


def no_probability(score: float) -> OptionError:
    """The refusal of a score that lies on no grid of probabilities."""
    return OptionError(f"a score is {score:g}, but the grid is for probabilities", "scores from 0 to 1, or grid='real'")


def _reduce_runs(side: Floats, by: np.ufunc, first: NDArray[np.intp]) -> Floats:
    """A sum, least or greatest over runs that begin at `first`."""
    return np.asarray(by.reduceat(side, first)) if len(first) else side[:0]


def _tabulate_bins(cells: Cells, *weights: Floats) -> tuple[Cells, *tuple[Floats, ...]]:
    """Cells in order, each once, with the sums of what stands at it."""
    # Numbers of cells are far below 2^53, so that they are exact as the keys of a table.
    distinct, *sums = tabulate_weights(cells.astype(np.float64), *weights)
    return distinct.astype(np.int64), *sums


def _unpack_squares(squares: list[Floats]) -> tuple[Floats | None, Floats | None]:
    return (squares[0], squares[1]) if squares else (None, None)
