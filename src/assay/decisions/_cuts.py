"""The cuts a score table offers: between any two of its scores all thresholds make the same decisions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.decisions.constraints import Constraint
from assay.decisions.criteria import Criterion, best_of, reweighted
from assay.evidence import ScoreTable
from assay.types import Floats

# Thresholds above the first number and up to the second one.
Run = tuple[float, float]
# Matrices held at a time while replicates are worked through.
HELD = 1 << 17


@dataclass(frozen=True)
class Task:
    """What a threshold is asked for: a criterion, the demands it has to meet, and the prevalence it is meant for."""

    criterion: Criterion
    constraints: tuple[Constraint, ...]
    prevalence: float | None

    @property
    def sure(self) -> int:
        """Among how many demands a confidence is shared."""
        return max(1, sum(one.confidence is not None for one in self.constraints))

    def gains(self, table: ScoreTable) -> Any:
        """How good each cut is, from nobody to everybody positive; -inf where a demand is not met."""
        swept = table.swept()
        gains = self.criterion.gains(swept)
        if not self.constraints:
            return gains
        seen = swept if self.prevalence is None else reweighted(swept, self.prevalence)
        for one in self.constraints:
            gains = np.where(one.passes(swept if one.confidence is not None else seen, self.sure), gains, -np.inf)
        return gains

    def best(self, batch: ScoreTable) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
        """For each replicate the first best cut, the last of those that follow it without a gap, and its value.

        A replicate has scores it did not draw, between which nothing changes; so its best cut is a run of ours.
        """
        gains = self.gains(batch)
        tied = best_of(gains)
        first = tied.argmax(-1)
        last = np.array([_end_of_run(row, start) for row, start in zip(tied, first.tolist(), strict=True)])
        value = np.take_along_axis(gains, first[..., None], -1)[..., 0]
        return first, last, self.criterion.sign * value


def _end_of_run(is_in: NDArray[np.bool_], start: int) -> int:
    """The last place of the run that begins at `start`."""
    run = is_in[start:]
    length = int(run.argmin())
    return start + (len(run) if run[length] else length) - 1


def in_parts(batch: ScoreTable) -> Iterator[ScoreTable]:
    """The replicates of a batch, so few at a time that their matrices stay small."""
    step = max(1, HELD // len(batch))
    for i in range(0, len(batch.negative), step):
        yield ScoreTable(batch.score, batch.negative[i : i + step], batch.positive[i : i + step], batch.classes)


def runs_of(is_in: NDArray[np.bool_], table: ScoreTable, *, widest: bool = False) -> tuple[Run, ...]:
    """The thresholds of the cuts marked, as runs from the highest down; `widest` with those that may be of them.

    >>> table = ScoreTable.of([0.2, 0.4, 0.6], [0, 1, 1])
    >>> runs_of(np.array([False, True, True, False]), table)
    ((0.2, 0.6),)
    """
    edges = np.diff(is_in.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    upper, lower = ends(table, widest=widest)
    return tuple(zip(lower[last].tolist(), upper[first].tolist(), strict=True))


def ends(table: ScoreTable, *, widest: bool = False) -> tuple[Floats, Floats]:
    """For each cut the highest threshold that makes it, and the one that is just too low.

    Of scores in cells they are those that split no cell, wherever in it the scores lie; or, the `widest` way, that
    split none but the cells next to the cut.
    """
    low, high = (table.score, table.score) if table.reach is None else (table.reach.low, table.reach.high)
    if widest:
        low, high = high, low
    return np.append(np.inf, low[::-1]), np.append(high[::-1], -np.inf)


def threshold_of(run: Run) -> float:
    """The middle of a run; infinite where nobody or everybody is positive.

    >>> threshold_of((0.2, 0.6)), threshold_of((0.9, np.inf)), threshold_of((-np.inf, 0.1))
    (0.4, inf, -inf)
    """
    low, high = run
    return float(thresholds_of(np.array(low), np.array(high)))


def thresholds_of(low: Floats, high: Floats) -> Floats:
    """The same for the ends of many runs."""
    is_bounded = np.isfinite(low) & np.isfinite(high)
    below, above = np.where(is_bounded, low, 0.0), np.where(is_bounded, high, 0.0)
    middle = below + (above - below) / 2
    # Between neighbouring numbers there is no middle: the lower one would already decide otherwise.
    inside = np.where(middle > below, middle, above)
    return np.where(is_bounded, inside, np.where(np.isinf(high), high, low))
