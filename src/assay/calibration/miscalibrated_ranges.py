"""The ranges of probability that are shown to be wrong: nothing found by looking goes without its price."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from assay.calibration.isotonic import CalibrationBand, confidence_band
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_level
from assay.results import counted
from assay.types import Floats, Places


class MisfitRange(NamedTuple):
    """A range of probabilities that are too high, or too low: for `shown` of the `cases` in it, beyond doubt."""

    low: float
    high: float
    direction: Literal["too high", "too low"]
    shown: float
    cases: float
    # Whether they are how sure the classifier was of its answer, of any number of classes, and not a class's own.
    are_of_answers: bool = False

    @property
    def confidence(self) -> str:
        """Whether they claim too much (too far from one half), too little, or both in one range."""
        if self.are_of_answers:
            return "over-confident" if self.direction == "too high" else "under-confident"
        if self.low < 0.5 < self.high:
            return "over- and under-confident"
        return "over-confident" if (self.direction == "too high") == (self.low >= 0.5) else "under-confident"

    def __str__(self) -> str:
        span = f"from {self.low:.3g} to {self.high:.3g}" if self.low < self.high else f"of {self.low:.3g}"
        how_many = counted(self.cases, "case")
        part = how_many if self.shown == self.cases else f"shown for {self.shown:,.15g} of {how_many}"
        what = "highest probabilities" if self.are_of_answers else "probabilities"
        return f"{what} {span} are {self.direction} ({self.confidence}): {part}"


@dataclass(frozen=True)
class MiscalibratedRanges:
    """Where the probabilities are shown to be wrong: with probability `level` no case is called so without cause.

    >>> table = ScoreTable.of(np.repeat([0.1, 0.9], 200), np.tile([True, False], 200))
    >>> for found in miscalibrated_ranges(table):
    ...     print(found)
    probabilities of 0.1 are too low (over-confident): 200 cases
    probabilities of 0.9 are too high (over-confident): 200 cases
    """

    ranges: tuple[MisfitRange, ...]
    level: float
    method: str
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __iter__(self) -> Iterator[MisfitRange]:
        return iter(self.ranges)

    def __len__(self) -> int:
        return len(self.ranges)

    def by_cases(self) -> list[MisfitRange]:
        """The ranges, that with most cases beyond doubt first: what is named where there is room for one."""
        return sorted(self.ranges, key=lambda one: -one.shown)


def miscalibrated_ranges(
    table: ScoreTable, *, level: float = 0.95, are_of_answers: bool = False
) -> MiscalibratedRanges:
    """The ranges of probability that the simultaneous confidence band shows to be too high or too low.

    Nothing found by looking goes without its price: all ranges together are right with probability `level`. Pieces of
    one direction are told as one range where they hold at least half of its cases. The table of a `confidence_table`
    has probabilities that `are_of_answers`: too high ones are over-confident wherever they lie.
    """
    level = checked_level(level)
    key = ("misfit", level, are_of_answers)
    if key not in table.cache:
        table.cache[key] = _find_ranges(table, level, are_of_answers)
    ranges: MiscalibratedRanges = table.cache[key]
    return ranges


def _find_ranges(table: ScoreTable, level: float, are_of_answers: bool) -> MiscalibratedRanges:
    band = confidence_band(table, level=level)
    if band.undefined is not None:
        return MiscalibratedRanges((), level, band.method, band.undefined)
    score = table.score
    before = np.concatenate(([0.0], np.cumsum(table.cases)))
    pieces = sorted(
        _Piece(start, stop, is_high, float(before[stop] - before[start]))
        for is_high, (starts, stops) in enumerate(_places_outside_band(table, band))
        for start, stop in zip(*_merged_stretches(starts, stops), strict=True)
    )
    ranges = (
        MisfitRange(
            float(score[piece.start]),
            float(score[piece.stop - 1]),
            "too high" if piece.is_high else "too low",
            piece.shown,
            float(before[piece.stop] - before[piece.start]),
            are_of_answers,
        )
        for piece in _merged_pieces(before, pieces)
    )
    return MiscalibratedRanges(tuple(ranges), level, band.method)


def _places_outside_band(
    table: ScoreTable, band: CalibrationBand
) -> tuple[tuple[Places, Places], tuple[Places, Places]]:
    """Where scores lie below the lower limit, and where above the upper: positions from and to, for each limit.

    A lower limit holds from its score up to the next one's, an upper limit from its score down to the one before. Of a
    cell it is the highest score for which a lower limit holds, the lowest for an upper one: all of it lies outside only
    where the cells beyond do, wherever their scores are.
    """
    score, reach = table.score, table.reach
    bottom, top = (score, score) if reach is None else (reach.low, reach.high)
    at = np.searchsorted(score, band.score, side="left")
    is_open = (bottom < top)[at]
    start, stop = at + is_open, at + 1 - is_open
    too_low = start, np.minimum(np.searchsorted(top, band.low, side="left"), np.append(start[1:], len(score)))
    too_high = np.maximum(np.searchsorted(bottom, band.high, side="right"), np.concatenate(([0], stop[:-1]))), stop
    return too_low, too_high


def _merged_stretches(starts: Places, stops: Places) -> tuple[list[int], list[int]]:
    """Stretches that hold anything, those that touch made one.

    >>> _merged_stretches(np.array([0, 4, 6, 9]), np.array([4, 5, 6, 12]))
    ([0, 9], [5, 12])
    """
    some = starts < stops
    if not some.any():
        return [], []
    starts, stops = starts[some], stops[some]
    apart = starts[1:] > stops[:-1]
    return starts[np.append(True, apart)].tolist(), stops[np.append(apart, True)].tolist()


class _Piece(NamedTuple):
    """Positions in the table, from the first to just behind the last: too low (0) or too high (1), `shown` of them."""

    start: int
    stop: int
    is_high: int
    shown: float


def _merged_pieces(before: Floats, pieces: list[_Piece]) -> list[_Piece]:
    """Pieces in order, neighbours of one direction made one while what is shown is at least half of the cases."""
    told: list[_Piece] = []
    for piece in pieces:
        last = told[-1] if told else None
        if last is not None and last.is_high == piece.is_high:
            shown = last.shown + piece.shown
            if 2 * shown >= before[piece.stop] - before[last.start]:
                told[-1] = _Piece(last.start, piece.stop, last.is_high, shown)
                continue
        told.append(piece)
    return told if len(told) == len(pieces) else _merged_pieces(before, told)
