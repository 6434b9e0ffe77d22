"""Cases with alike probabilities gathered into groups: the calibration plot of the textbooks, as data.

How groups are cut is the user's choice and changes every number made from them, so each grouping says its rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.curves import need_probabilities
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level, checked_whole
from assay.results import Estimate, Interval, Table, counted
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS, weighted_proportion

Closed = Literal["right", "left"]
Ties = Literal["together", "split"]

CLUSTERED = "these bars assume independent rows, and the rows come in clusters; use cox(), which is cluster-robust"

# What is worked out from where cells lie, and not from what their scores could be.
OF_THE_MIDDLE = "of scores in the middle of their cells, without certain bounds: those need the rows"


@dataclass(frozen=True, eq=False, repr=False)
class Groups:
    """A score table cut into groups of neighbouring probabilities; groups that hold no case are not there.

    `asked` is how many groups were asked for and `place` which of them each one is. `cell` and `share` stand where
    equal probabilities were shared out over a cut: which score a piece belongs to, and which part of its cases.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> groups = equal_size(table, 3)
    >>> groups
    Groups(3 groups of equal size, equal probabilities in one group; 10 cases)
    >>> groups.total, groups.mean.round(6), groups.rate.round(6)
    (array([3., 3., 4.]), array([0.22, 0.52, 0.77]), array([0.        , 0.333333, 1.        ]))
    """

    table: ScoreTable
    start: NDArray[np.intp]
    place: NDArray[np.intp]
    asked: int
    rule: str
    cell: NDArray[np.intp] | None = None
    share: Floats | None = None

    _repr_html_ = in_notebook

    def __len__(self) -> int:
        return len(self.start)

    def __repr__(self) -> str:
        made = "" if len(self) == self.asked else f", {counted(len(self), 'group')} made"
        held = "a batch" if self.table.negative.ndim > 1 else counted(float(self.table.total), "case")
        return f"Groups({self.rule}{made}; {held})"

    def pieces(self, values: Floats) -> Floats:
        """Values that add, given at each score, at each piece of a group."""
        if self.cell is None or self.share is None:
            return values
        return np.asarray(values[..., self.cell] * self.share)

    def sums(self, values: Floats) -> Floats:
        """Sums over each group of values given at each piece."""
        return np.asarray(np.add.reduceat(values, self.start, axis=-1))

    @cached_property
    def probability(self) -> Floats:
        """The probability at each piece."""
        return self.table.score if self.cell is None else self.table.score[self.cell]

    @cached_property
    def member(self) -> NDArray[np.intp]:
        """The group of each piece."""
        return np.repeat(np.arange(len(self)), np.diff(self.start, append=len(self.probability)))

    @cached_property
    def positive(self) -> Floats:
        """Positives in each group: what was observed."""
        return self.sums(self.pieces(self.table.positive))

    @cached_property
    def total(self) -> Floats:
        """Cases in each group."""
        return self.sums(self.pieces(self.table.negative)) + self.positive

    @cached_property
    def expected(self) -> Floats:
        """The sum of the probabilities in each group: positives to expect if they are right."""
        return self.sums(self.pieces(self.table.negative + self.table.positive) * self.probability)

    @cached_property
    def mean(self) -> Floats:
        """The mean probability in each group."""
        return self.expected / self.total

    @cached_property
    def rate(self) -> Floats:
        """The share of positives in each group."""
        return self.positive / self.total

    @cached_property
    def kish(self) -> Floats:
        """Kish's effective number of cases in each group; without weights their number."""
        squares = self.sums(self.pieces(self.table.squared_weights[0] + self.table.squared_weights[1]))
        return self.total**2 / squares

    @property
    def span(self) -> tuple[Floats, Floats]:
        """The lowest and the highest probability in each group."""
        last = np.append(self.start[1:], len(self.probability)) - 1
        return self.probability[self.start], self.probability[last]

    def estimates(self, level: float = 0.95) -> list[Estimate]:
        """The share of positives in each group with Wilson's bar, which holds for the group as it was cut."""
        level = checked_level(level)
        return [self._estimate(i, level) for i in range(len(self))]

    def _estimate(self, i: int, level: float) -> Estimate:
        name, value, n = f"rate in group {self.place[i] + 1}", float(self.rate[i]), float(self.total[i])
        bar = self._bar(i, level)
        return Estimate(name, value, bar.low, bar.high, level, bar.method, n, undefined=bar.undefined)

    def _bar(self, i: int, level: float) -> Interval:
        if self.table.rows is not None:
            return Interval.missing("Wilson", CLUSTERED)
        part, whole = float(self.positive[i]), float(self.total[i])
        if not self.table.is_weighted:
            return Interval(*PROPORTION_METHODS["Wilson"](part, whole, level), "Wilson")
        negative, positive = (float(self.sums(self.pieces(s))[i]) for s in self.table.squared_weights)
        return weighted_proportion("Wilson", part, whole, positive, negative + positive, level)

    def as_table(self, *, sums: bool = False, level: float = 0.95) -> Table:
        """One row a group: the averages of a calibration plot with their bars, or the sums behind them."""
        level = checked_level(level)
        low, high = self.span
        columns: dict[str, list[Any]] = {
            "group": [int(place) + 1 for place in self.place],
            "from": low.tolist(),
            "to": high.tolist(),
            "cases": self.total.tolist(),
        }
        if sums:
            return Table({**columns, "expected": self.expected.tolist(), "observed": self.positive.tolist()}, self.rule)
        bars = self.estimates(level)
        columns |= {"probability": self.mean.tolist(), "rate": [bar.value for bar in bars]}
        return Table({**columns, "low": [b.low for b in bars], "high": [b.high for b in bars]}, self.rule)


def equal_size(table: ScoreTable, groups: int = 10, *, ties: Ties = "together") -> Groups:
    """As many groups as asked, of (nearly) equally many cases: group i ends after floor(i n / g) of them.

    Equal probabilities stay together, in the group where the middle one of them falls, so groups may differ in size and
    some may vanish. With ties="split" they are shared out over the cut, each part with the same mix of outcomes,
    so that the order of the rows never matters.

    >>> table = ScoreTable.of([0.2, 0.2, 0.2, 0.7], [0, 0, 1, 1])
    >>> equal_size(table, 2).total, equal_size(table, 2, ties="split").total
    (array([3., 1.]), array([2., 2.]))
    """
    _refuse_unusable(table, groups)
    ends = np.arange(1, groups) * float(table.total) / groups
    rule = f"{counted(groups, 'group')} of equal size"
    return by_rank(table, ends if table.is_weighted else np.floor(ends), ties=ties, rule=rule)


def of_sizes(table: ScoreTable, sizes: Sequence[int], *, ties: Ties = "together") -> Groups:
    """Groups of chosen sizes, from the lowest probability up; equal probabilities stay together, as in `equal_size`.

    >>> of_sizes(ScoreTable.of([0.1, 0.2, 0.3, 0.9], [0, 0, 1, 1]), [1, 3]).total
    array([1., 3.])
    """
    whole = [checked_whole(size, "groups") for size in sizes]
    cases = float(table.total)
    if not whole or not math.isclose(sum(whole), cases, rel_tol=1e-9):
        given = " + ".join(map(str, whole)) or "no size"
        raise OptionError(
            f"the groups have {given} = {sum(whole)} cases", f"sizes that sum to {cases:g}", about="groups"
        )
    rule = f"{counted(len(whole), 'group')} of {', '.join(map(str, whole))} cases"
    return by_rank(table, np.cumsum(whole)[:-1], ties=ties, rule=rule)


def by_rank(table: ScoreTable, ends: ArrayLike, *, ties: Ties = "together", rule: str = "given ranks") -> Groups:
    """Groups that end after so many cases, counted from the lowest probability.

    >>> by_rank(ScoreTable.of([0.1, 0.3, 0.4], [0, 1, 1]), [1]).total
    array([1., 2.])
    """
    cuts = np.asarray(ends, dtype=np.float64)
    each = table.negative + table.positive
    reached = np.cumsum(each)
    asked = len(cuts) + 1
    checked_choice(ties, ("together", "split"), "ties")
    if ties == "together":
        place = np.searchsorted(cuts, reached - each / 2, side="left")
        return _groups_of(table, place, asked, f"{rule}, equal probabilities in one group")
    at = np.minimum(np.searchsorted(reached, cuts, side="left"), len(reached) - 1)
    inside = cuts < reached[at]
    cell = np.insert(np.arange(len(reached)), at[inside], at[inside])
    end = np.insert(reached, at[inside], cuts[inside])
    # A cut may fall twice in one place; the piece between is empty and would divide by nothing.
    size = np.diff(end, prepend=0.0)
    kept = size > 0
    place = np.searchsorted(cuts, end[kept] - size[kept] / 2, side="left")
    share = (size / each[cell])[kept]
    return _groups_of(table, place, asked, f"{rule}, equal probabilities shared out over a cut", cell[kept], share)


def equal_width(table: ScoreTable, groups: int = 10, *, closed: Closed = "right") -> Groups:
    """The bins 0 to 1/g, 1/g to 2/g and so on; bins that hold no case are left out.

    A probability on an edge belongs to the lower bin when they are closed on the right (as R cuts), to the upper one
    when closed on the left (as numpy and scikit-learn do).

    >>> table = ScoreTable.of([0.1, 0.2, 0.9], [0, 1, 1])
    >>> equal_width(table, 10).place, equal_width(table, 10, closed="left").place
    (array([0, 1, 8]), array([1, 2, 9]))
    """
    _refuse_unusable(table, groups, most=math.inf)
    return cut_at(table, np.arange(1, groups) / groups, closed=closed, rule=f"{counted(groups, 'bin')} of equal width")


def cut_at(table: ScoreTable, cuts: ArrayLike, *, closed: Closed = "right", rule: str = "given cut points") -> Groups:
    """Groups between given probabilities, each holding its upper end (closed="right") or its lower one ("left").

    >>> cut_at(ScoreTable.of([0.1, 0.3, 0.4], [0, 1, 1]), [0.3]).total
    array([2., 1.])
    """
    edges = np.asarray(cuts, dtype=np.float64)
    checked_choice(closed, ("right", "left"), "closed")
    if not (np.diff(edges) > 0).all():
        raise OptionError("the cut points do not rise", "numbers that increase from one to the next")
    place = np.searchsorted(edges, table.score, side="left" if closed == "right" else "right")
    return _groups_of(table, place, len(edges) + 1, f"{rule}, closed on the {closed}")


def by_score(table: ScoreTable) -> Groups:
    """One group for each distinct probability: nothing varies inside any.

    >>> len(by_score(ScoreTable.of([0.1, 0.3, 0.3], [0, 1, 1])))
    2
    """
    return _groups_of(table, np.arange(len(table)), len(table), "one group a distinct probability")


def quantile_cuts(table: ScoreTable, groups: int = 10) -> Floats:
    """Cut points at the quantiles of the probabilities, between neighbours in rank as R's type 7; ties make fewer.

    >>> quantile_cuts(ScoreTable.of([0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1]), 2)
    array([0.25])
    """
    if table.is_weighted:
        raise OptionError("these cases have weights", "counts, for quantiles between ranks; equal_size() takes weights")
    _refuse_unusable(table, groups)
    reached = np.cumsum(table.negative + table.positive)
    rank = (reached[-1] - 1) * np.arange(1, groups) / groups
    below, above = (table.score[np.searchsorted(reached, r, side="right")] for r in (np.floor(rank), np.ceil(rank)))
    cuts = below + (rank - np.floor(rank)) * (above - below)
    return np.asarray(cuts[np.diff(cuts, prepend=table.score[0]) > 0])


def why_dependent(table: ScoreTable, takes_weights: str) -> str | None:
    """Why a count of independent, equal cases cannot be taken from this table, and what can be; None if it can."""
    if table.rows is not None:
        return "this assumes independent rows, and the rows come in clusters; use cox(), which is cluster-robust"
    return f"these cases have weights, and this counts cases; use {takes_weights}" if table.is_weighted else None


def of_the_middle(table: ScoreTable) -> str | None:
    """What to say of a figure that has no bounds where the scores are in cells; None where nothing is left open.

    >>> of_the_middle(ScoreTable.of([0.1, 0.9], [False, True]))
    """
    return None if table.reach is None or table.reach.is_exact else OF_THE_MIDDLE


def _refuse_unusable(table: ScoreTable, groups: int, most: float | None = None) -> None:
    negative, positive = table.squared_weights
    cases = float(table.total) ** 2 / float(negative.sum() + positive.sum()) if most is None else most
    if checked_whole(groups, "groups") > cases:
        raise OptionError(f"groups is {groups} for {counted(round(cases), 'case')}", "from 1 to as many as cases")


def _groups_of(
    table: ScoreTable,
    place: NDArray[np.intp],
    asked: int,
    rule: str,
    cell: NDArray[np.intp] | None = None,
    share: Floats | None = None,
) -> Groups:
    need_probabilities(table)
    start = np.flatnonzero(np.diff(place, prepend=-1))
    return Groups(table, start, place[start], asked, rule, cell, share)
