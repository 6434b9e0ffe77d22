"""Ranking of many classes from sums, where there are no cases: values between bounds, and how far they may vary.

Which scores belong to one case is not known any more, so how the classes' areas vary together is not either. Norms add
at most: the error is the largest that any way of belonging together would give.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from assay.evidence import Binned, ScoreTable, SummedClasses
from assay.measures._many import AtMost
from assay.measures._measure import Measure, ratio
from assay.measures.ranking import _gini_influence as gini_influence
from assay.types import Floats

Moves = Callable[[ScoreTable], tuple[Any, Any]]
Bounds = tuple[float, float]


class Areas(NamedTuple):
    """How often a case of class k (row) has a higher score for k than a case of class j (column); and the bounds."""

    value: Floats
    low: Floats
    high: Floats


def area_moves(table: ScoreTable) -> tuple[Any, Any]:
    """How a case at each score moves the area of one class against the rest."""
    of_rest, of_own = gini_influence(table)
    return 0.5 * of_rest, 0.5 * of_own


def areas_between(summed: SummedClasses) -> Areas:
    """The areas of all pairs of classes, of cells that say which class every case in them is of."""
    found: Areas = summed.remember("areas", lambda: _areas(summed))
    return found


def _areas(summed: SummedClasses) -> Areas:
    number = len(summed.classes)
    value, low, high = (np.full((number, number), np.nan) for _ in range(3))
    for k, (counts, table) in enumerate(zip(summed.sums.by_truth, summed.pair_tables, strict=True)):
        weights = counts[0]
        own, shown = weights[k], weights.sum(1)
        above = shown[k] - np.cumsum(own) + 0.5 * own
        won = weights @ above
        is_open = np.zeros(len(own), np.bool_) if table.reach is None else table.reach.low < table.reach.high
        # Pairs in one cell could go either way, and so could those with a case that is hidden.
        open_pairs = 0.5 * (weights[:, is_open] @ own[is_open])
        every = summed.sizes * summed.sizes[k]
        hidden = every - shown * shown[k]
        value[k] = ratio(won, shown * shown[k])
        low[k], high[k] = ratio(won - open_pairs, every), ratio(won + open_pairs + hidden, every)
        value[k, k] = low[k, k] = high[k, k] = np.nan
    return Areas(value, low, high)


class _Moved:
    """What cases of each true class move an estimate by: on average, which is known, and about that at most."""

    def __init__(self, summed: SummedClasses, by_share: Floats) -> None:
        self._squares = summed.squared
        self.mean = by_share - by_share @ ratio(summed.sizes, summed.total)
        self.norm = np.zeros(len(summed.sizes))

    def add(self, squares: Floats, moved: Floats) -> None:
        """Count on what one score more of each case moves it by: sums of squared weights, and so much at each entry."""
        mean = np.divide((squares * moved).sum(1), held := squares.sum(1), out=np.zeros(len(held)), where=held > 0)
        self.mean = self.mean + mean
        self.norm += np.sqrt((squares * np.square(moved - mean[:, None])).sum(1))

    def at_most(self, rest: float = 0.0) -> AtMost:
        """All of it, and what is known of all classes together alone."""
        whole = self._squares @ np.square(self.mean) + self.norm @ self.norm
        return AtMost(float(np.sqrt(whole) + rest) ** 2)


def moved_by_pairs(summed: SummedClasses, pair_weights: Floats, by_share: Floats) -> AtMost:
    """The most that cases may move a sum of the areas of pairs, and of what the shares of classes move it by."""
    areas, shares = np.nan_to_num(areas_between(summed).value), ratio(summed.sizes, summed.total)
    per_class = np.divide(pair_weights, shares, out=np.zeros_like(pair_weights), where=shares > 0)
    found = _Moved(summed, by_share)
    for k in np.flatnonzero(summed.sizes):
        weights, squares = summed.sums.by_truth[k][0], summed.sums.by_truth[k][-1]
        below = np.cumsum(weights, axis=1) - 0.5 * weights
        moved = per_class[k][:, None] * (1 - ratio(below[k], summed.sizes[k]) - areas[k][:, None])
        lower = ratio(per_class[k] @ below, summed.total) - pair_weights[k] @ areas[k]
        moved[k] = ratio(lower, shares[k])
        found.add(squares, moved)
    return found.at_most()


def moved_by_classes(summed: SummedClasses, moves: Moves, class_weights: Floats, by_share: Floats) -> AtMost:
    """The most that cases may move a sum over classes of a measure of each against the rest.

    Cases of different classes are different cases: what each moves its own class by adds in squares.
    """
    found, rest = _Moved(summed, by_share), 0.0
    for k in np.flatnonzero((summed.sizes > 0) & (class_weights > 0)):
        table = summed.pair_tables[k] if summed.sums.by_truth else summed.tables[k]
        of_rest, of_own = (class_weights[k] * each for each in moves(table))
        is_own = np.arange(len(summed.sizes))[:, None] == k
        if summed.sums.by_truth:
            found.add(summed.sums.by_truth[k][-1], np.where(is_own, of_own, of_rest))
        else:
            of_others, own = _norms(table, of_rest, of_own)
            found.norm[k], rest = found.norm[k] + own, rest + of_others
    return found.at_most(rest)


def _norms(table: ScoreTable, of_rest: Any, of_own: Any) -> tuple[float, float]:
    squares = table.squared_weights
    return float(np.sqrt(squares[0] @ np.square(of_rest))), float(np.sqrt(squares[1] @ np.square(of_own)))


def each_class(summed: SummedClasses, measure: Measure) -> tuple[Floats, Floats, Floats]:
    """A measure of each class against the rest, and its bounds; 0 of classes that do not occur."""

    def make() -> tuple[Floats, Floats, Floats]:
        found = np.zeros((3, len(summed.classes)))
        for k in np.flatnonzero(summed.sizes):
            value = float(measure(summed.tables[k]))
            found[:, k] = value, *(measure.of_cells(summed.tables[k], value) or (value, value))
        value, low, high = np.nan_to_num(found)
        return value, low, high

    made: tuple[Floats, Floats, Floats] = summed.remember(f"each {measure.name}", make)
    return made


def pooled_table(summed: SummedClasses) -> ScoreTable:
    """Every score that cases were given, positive where it is that of their own class."""

    def make() -> ScoreTable:
        cells = [each for each in summed.pooled if isinstance(each, Binned)]
        if cells:
            return Binned.sum(cells).table()
        first, *others = [each for each in summed.pooled if isinstance(each, ScoreTable)]
        for each in others:
            first = first + each
        return first

    made: ScoreTable = summed.remember("pooled", make)
    return made


def moved_when_pooled(summed: SummedClasses, moves: Moves) -> AtMost:
    """The most that cases may move a measure of all scores as one ranking: as all scores of each together do."""
    whole, number = pooled_table(summed), len(summed.classes)
    of_rest, of_own = moves(whole)
    cells = [each for each in summed.pooled if isinstance(each, Binned)]
    entries = Binned.sum(cells).cell if cells else whole.score
    own, rest = 0.0, 0.0
    for each in summed.pooled:
        place = np.searchsorted(entries, each.cell if isinstance(each, Binned) else each.score)
        table = each.table() if isinstance(each, Binned) else each
        norms = _norms(table, of_rest[place], of_own[place])
        own, rest = own + norms[1] ** 2, rest + norms[0]
    return AtMost(float(ratio(np.sqrt(own) + rest, number)) ** 2)
