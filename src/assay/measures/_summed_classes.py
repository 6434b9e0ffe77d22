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
    if "areas" not in summed.cache:
        summed.cache["areas"] = _areas(summed)
    areas: Areas = summed.cache["areas"]
    return areas


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


class _Norms(NamedTuple):
    """How large numbers are together: the roots of the sums of their squares and of their fourth powers."""

    second: Any
    fourth: Any

    def plus(self, other: _Norms) -> _Norms:
        """The most that sums of the numbers of either can be."""
        return _Norms(self.second + other.second, self.fourth + other.fourth)

    @property
    def whole(self) -> _Norms:
        """Those of all numbers, where each is of some that are not of the others."""
        return _Norms(np.sqrt(np.sum(np.square(self.second))), np.sqrt(np.sqrt(np.sum(np.power(self.fourth, 4)))))


def _norms(squares: Any, moved: Any) -> _Norms:
    """Of what cases with such sums of squared weights move an estimate by, along the last axis."""
    turned = np.square(moved)
    return _Norms(np.sqrt((squares * turned).sum(-1)), np.sqrt(np.sqrt((squares * np.square(turned)).sum(-1))))


def _at_most(summed: SummedClasses, found: _Norms) -> AtMost:
    # A squared weight once more, as large as they are on average.
    each = float(ratio(summed.squared.sum(), summed.kish.sum()))
    return AtMost(float(found.second) ** 2, float(found.fourth) ** 4 * each)


class _Moved:
    """What cases of each true class move an estimate by: on average, which is known, and about that at most."""

    def __init__(self, summed: SummedClasses, by_share: Floats) -> None:
        self._squares = summed.squared
        self.mean = by_share - by_share @ ratio(summed.sizes, summed.total)
        self.about = _Norms(np.zeros(len(summed.sizes)), np.zeros(len(summed.sizes)))

    def add(self, squares: Floats, moved: Floats) -> None:
        """Count on what one score more of each case moves it by: sums of squared weights, and so much at each entry."""
        mean = np.divide((squares * moved).sum(1), held := squares.sum(1), out=np.zeros(len(held)), where=held > 0)
        self.mean = self.mean + mean
        self.about = self.about.plus(_norms(squares, moved - mean[:, None]))

    @property
    def whole(self) -> _Norms:
        """All of it: squares about a mean add to that of the mean, and fourth powers at most."""
        of_mean = _norms(self._squares[:, None], self.mean[:, None])
        second = np.hypot(of_mean.second, self.about.second)
        return _Norms(second, of_mean.fourth + self.about.fourth).whole


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
    return _at_most(summed, found.whole)


def moved_by_classes(summed: SummedClasses, moves: Moves, class_weights: Floats, by_share: Floats) -> AtMost:
    """The most that cases may move a sum over classes of a measure of each against the rest.

    Cases of different classes are different cases: what each moves its own class by adds in squares.
    """
    found, rest = _Moved(summed, by_share), _Norms(0.0, 0.0)
    for k in np.flatnonzero((summed.sizes > 0) & (class_weights > 0)):
        table = summed.pair_tables[k] if summed.sums.by_truth else summed.tables[k]
        of_rest, of_own = (class_weights[k] * each for each in moves(table))
        is_own = np.arange(len(summed.sizes)) == k
        if summed.sums.by_truth:
            found.add(summed.sums.by_truth[k][-1], np.where(is_own[:, None], of_own, of_rest))
        else:
            others, own = _of_sides(table, of_rest, of_own)
            found.about = found.about.plus(_Norms(is_own * own.second, is_own * own.fourth))
            rest = rest.plus(others)
    return _at_most(summed, found.whole.plus(rest))


def _of_sides(table: ScoreTable, of_rest: Any, of_own: Any) -> tuple[_Norms, _Norms]:
    negative, positive = table.squared_weights
    return _norms(negative, of_rest), _norms(positive, of_own)


def each_class(summed: SummedClasses, measure: Measure) -> tuple[Floats, Floats, Floats]:
    """A measure of each class against the rest, and its bounds; 0 of classes that do not occur."""
    key = f"each {measure.name}"
    if key not in summed.cache:
        values = np.zeros((3, len(summed.classes)))
        for k in np.flatnonzero(summed.sizes):
            value = float(measure(summed.tables[k]))
            values[:, k] = value, *(measure.of_cells(summed.tables[k], value) or (value, value))
        summed.cache[key] = tuple(np.nan_to_num(values))
    each: tuple[Floats, Floats, Floats] = summed.cache[key]
    return each


def pooled_table(summed: SummedClasses) -> ScoreTable:
    """Every score that cases were given, positive where it is that of their own class."""
    if "pooled" not in summed.cache:
        summed.cache["pooled"] = _all_scores(summed)
    pooled: ScoreTable = summed.cache["pooled"]
    return pooled


def _all_scores(summed: SummedClasses) -> ScoreTable:
    cells = [each for each in summed.pooled if isinstance(each, Binned)]
    if cells:
        return Binned.sum(cells).table()
    first, *others = [each for each in summed.pooled if isinstance(each, ScoreTable)]
    for each in others:
        first = first + each
    return first


def moved_when_pooled(summed: SummedClasses, moves: Moves) -> AtMost:
    """The most that cases may move a measure of all scores as one ranking: as all scores of each together do."""
    whole, number = pooled_table(summed), len(summed.classes)
    of_rest, of_own = moves(whole)
    cells = [each for each in summed.pooled if isinstance(each, Binned)]
    entries = Binned.sum(cells).cell if cells else whole.score
    own, rest = [], _Norms(0.0, 0.0)
    for each in summed.pooled:
        place = np.searchsorted(entries, each.cell if isinstance(each, Binned) else each.score)
        table = each.table() if isinstance(each, Binned) else each
        others, mine = _of_sides(table, of_rest[place], of_own[place])
        own.append(mine)
        rest = rest.plus(others)
    found = _Norms(np.array([one.second for one in own]), np.array([one.fourth for one in own])).whole.plus(rest)
    return _at_most(summed, _Norms(ratio(found.second, number), ratio(found.fourth, number)))
