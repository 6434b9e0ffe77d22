"""The bootstrap over the cells of a score table: replicates are new counts over the same scores, so nothing sorts.

Limits from replicates of an estimate, however they were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, pdtr

from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_seed
from assay.types import Floats

__all__ = ["Resampled", "in_cells", "paired_replicates", "percentile_limits", "replicates", "resampled"]


Draw = Callable[[int], Floats]

DRAWS = 2000
# Tables of more scores than this are resampled on as many bins of equal mass.
MOST_CELLS = 4096
# Numbers held at a time in one array: 32 MiB.
HELD = 1 << 22
IN_CACHE = 1 << 14
# From so many cases a cell on, cases are not drawn one by one.
CASES_PER_CELL = 8
# Up to so many cells, drawing whole samples exactly takes no time that anybody would notice.
FEW_CELLS = 512
# Counts around fewer than this are looked up in a table of so many quantiles, others are normal.
FEW, QUANTILES = 24, 1 << 16


@dataclass(frozen=True)
class Resampled:
    """A statistic of each replicate, in `values` along the first axis.

    `redrawn` counts the replicates that lacked a class and were drawn again; `bin_error` is the largest share of either
    class that a bin holds, 0 where every score is a cell of its own.
    """

    values: Any
    redrawn: int
    bin_error: float


def replicates(table: ScoreTable, draws: int = DRAWS, seed: int = 0, *, stratified: bool) -> Iterator[ScoreTable]:
    """Bootstrap samples of a table, as tables with a leading axis, in batches that fit in memory.

    Each replicate holds as many cases as the table. `stratified` keeps the size of each class: right for what concerns
    either class alone (AUC, ROC points) or where the prevalence is given; for everything else it would freeze the
    prevalence. A replicate without a class is drawn again. Above 4,096 distinct scores the cells are bins (`in_cells`).

    >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
    >>> batch, = replicates(table, 500, seed=1, stratified=False)
    >>> batch
    ScoreTable(a batch of (500,) over 3 scores)
    >>> bool((batch.total == 4).all()), bool((batch.positives > 0).all())
    (True, True)
    """
    for batch, _ in _replicate_batches(table, draws, seed, stratified=stratified):
        yield batch


def resampled(
    table: ScoreTable,
    statistic: Callable[[ScoreTable], Any],
    draws: int = DRAWS,
    seed: int = 0,
    *,
    stratified: bool,
) -> Resampled:
    """A statistic of every replicate; it is given a batch at a time and answers along the leading axis.

    >>> table = ScoreTable.of([0.1, 0.4, 0.4, 0.9], [False, False, True, True])
    >>> found = resampled(table, lambda batch: batch.positives / batch.total, 500, seed=1, stratified=False)
    >>> found.values.shape, found.bin_error
    ((500,), 0.0)
    """
    values, redrawn = [], 0
    for batch, again in _replicate_batches(table, draws, seed, stratified=stratified):
        values.append(statistic(batch))
        redrawn += again
    return Resampled(np.concatenate(values), redrawn, in_cells(table)[1])


def in_cells(table: ScoreTable, most: int = MOST_CELLS) -> tuple[ScoreTable, float]:
    """The table itself if it has at most so many scores, else one of bins; and the error this makes in either rate.

    Bins hold neighbouring scores, about the same share of both classes together, and go by their lowest score: the
    counts from a bin's score on are exact. Between two such scores a rate is off by no more than the bin's share.

    >>> coarse, error = in_cells(ScoreTable.of(np.arange(1000.0), np.arange(1000) % 2 == 0), most=10)
    >>> len(coarse), round(error, 3)
    (10, 0.1)
    """
    if len(table) <= most:
        return table, 0.0
    shares = np.stack((table.negative / table.negatives, table.positive / table.positives))
    middle = np.cumsum(shares.sum(0)) - 0.5 * shares.sum(0)
    code = np.minimum((middle * most / 2).astype(np.int64), most - 1)
    first = np.flatnonzero(np.diff(code, prepend=-1))
    negative, positive = (np.add.reduceat(side, first) for side in (table.negative, table.positive))
    several = np.diff(first, append=len(table)) > 1
    error = float((np.add.reduceat(shares, first, axis=1) * several).max())
    return ScoreTable(table.score[first], negative, positive, table.classes), error


def paired_replicates(
    scores: Sequence[ArrayLike], is_positive: ArrayLike, draws: int = DRAWS, seed: int = 0, *, stratified: bool
) -> Iterator[tuple[ScoreTable, ...]]:
    """Bootstrap samples of cases that several models scored: the same cases are drawn for each model.

    >>> first, second = next(paired_replicates([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], [False, True, True], 5,
    ...                                        stratified=True))
    >>> first, second.positives
    (ScoreTable(a batch of (5,) over 3 scores), array([2., 2., 2., 2., 2.]))
    """
    seed = checked_seed(seed)
    positive = np.asarray(is_positive, dtype=np.bool_)
    tables = [in_cells(ScoreTable.of(score, positive))[0] for score in scores]
    places = [
        np.searchsorted(table.score, np.asarray(score, dtype=np.float64), side="right") - 1
        for table, score in zip(tables, scores, strict=True)
    ]
    _refuse_one_class(tables[0])
    rng = np.random.default_rng(seed)
    at_once = max(1, HELD // (2 * max(map(len, tables))))
    step = max(1, IN_CACHE // len(positive))
    for size in _batch_sizes(draws, at_once):
        counts = [np.empty((size, 2, len(table))) for table in tables]
        start = 0
        for rows in _batch_sizes(size, step):
            cases = _draw_cases(rng, positive, rows, stratified=stratified)
            drawn = positive[cases]
            for held, place in zip(counts, places, strict=True):
                held[start : start + rows] = _replicate_counts(place[cases], drawn, held.shape[-1])
            start += rows
        yield tuple(replace(t, negative=c[:, 0], positive=c[:, 1]) for t, c in zip(tables, counts, strict=True))


def _draw_cases(
    rng: np.random.Generator, is_positive: NDArray[np.bool_], rows: int, *, stratified: bool
) -> NDArray[np.intp]:
    """Which cases each replicate holds, one replicate a row."""
    n = len(is_positive)
    if stratified:
        groups = (np.flatnonzero(~is_positive), np.flatnonzero(is_positive))
        return np.concatenate([group[rng.integers(len(group), size=(rows, len(group)))] for group in groups], axis=1)
    cases = rng.integers(n, size=(rows, n))
    while (lacking := np.flatnonzero((is_positive[cases] == is_positive[cases[:, :1]]).all(1))).size:
        cases[lacking] = rng.integers(n, size=(lacking.size, n))
    return cases


def _replicate_counts(place: NDArray[np.integer], is_positive: NDArray[np.bool_], cells: int) -> NDArray[np.intp]:
    """The cases of each replicate counted by class and cell."""
    rows = len(place)
    flat = place + cells * (is_positive + 2 * np.arange(rows)[:, None])
    return np.bincount(flat.ravel(), minlength=2 * rows * cells).reshape(rows, 2, cells)


def _replicate_batches(
    table: ScoreTable, draws: int, seed: int, *, stratified: bool
) -> Iterator[tuple[ScoreTable, int]]:
    """Batches, and how many of their replicates were drawn more than once."""
    seed = checked_seed(seed)
    if table.rows is not None:
        found = "these cases come in clusters, and the bootstrap draws single ones"
        raise OptionError(found, "a cluster-robust interval")
    if table.is_weighted:
        found = "these cases have weights, and the bootstrap draws whole ones"
        raise OptionError(found, "an interval from influences")
    _refuse_one_class(table)
    coarse, _ = in_cells(table)
    cells, rng = len(coarse), np.random.default_rng(seed)
    at_once = max(1, HELD // max(2 * cells, min(int(table.total), CASES_PER_CELL * 2 * cells)))
    if stratified:
        of_negatives, of_positives = _multinomial_draw(rng, coarse.negative), _multinomial_draw(rng, coarse.positive)
        for size in _batch_sizes(draws, at_once):
            yield replace(coarse, negative=of_negatives(size), positive=of_positives(size)), 0
        return
    of_all = _multinomial_draw(rng, np.concatenate((coarse.negative, coarse.positive)))
    for size in _batch_sizes(draws, at_once):
        counts, again = of_all(size), 0
        while (lacking := _replicates_without_class(counts, cells)).size:
            counts[lacking] = of_all(lacking.size)
            again += lacking.size
        yield replace(coarse, negative=counts[:, :cells], positive=counts[:, cells:]), again


def _replicates_without_class(counts: Floats, cells: int) -> NDArray[np.intp]:
    """Replicates without a class."""
    return np.flatnonzero((counts[:, :cells].sum(1) == 0) | (counts[:, cells:].sum(1) == 0))


def _multinomial_draw(rng: np.random.Generator, counts: Floats) -> Draw:
    """How to draw as many cases as there are, with replacement, and count them by cell: the cheapest of three ways."""
    cells, n = len(counts), int(counts.sum())
    if n > CASES_PER_CELL * cells and cells <= FEW_CELLS:
        return lambda size: rng.multinomial(n, counts / counts.sum(), size=size).astype(np.float64)
    if n > CASES_PER_CELL * cells:
        return _poisson_draw(rng, counts)
    cell_of = np.repeat(np.arange(cells), counts.astype(np.int64))

    def draw(size: int) -> Floats:
        counts = np.empty((size, cells))
        # A few replicates at a time stay in the processor's cache, which makes counting many times faster.
        step = max(1, IN_CACHE // (n + cells))
        for start in range(0, size, step):
            rows = min(step, size - start)
            flat = cell_of[rng.integers(n, size=(rows, n))]
            flat += cells * np.arange(rows)[:, None]
            counts[start : start + rows] = np.bincount(flat.ravel(), minlength=rows * cells).reshape(rows, cells)
        return counts

    return draw


def _poisson_draw(rng: np.random.Generator, counts: Floats) -> Draw:
    """How to draw each case a Poisson number of times, and scale the counts to the number of cases.

    With so many cases this tells what multinomial counts tell, and is some ten times as fast.

    References: Hanley & MacGibbon (2006); Chamandy, Muralidharan, Najmi & Naidu (2012).
    """
    few, many = np.flatnonzero(counts < FEW), np.flatnonzero(counts >= FEW)
    numbers = np.arange(4 * FEW)
    below = np.rint(pdtr(numbers, np.arange(FEW)[:, None]) * QUANTILES).astype(np.int64)
    table = np.concatenate([np.repeat(numbers, np.diff(row, prepend=0)) for row in below])
    which = counts[few].astype(np.int64)
    start, middle, spread, n = QUANTILES * which, counts[many], np.sqrt(counts[many]), counts.sum()

    def draw(size: int) -> Floats:
        drawn = np.empty((size, len(counts)))
        drawn[:, few] = table[start + rng.integers(QUANTILES, size=(size, len(few)), dtype=np.uint16)]
        drawn[:, many] = np.maximum(0.0, middle + spread * rng.standard_normal((size, len(many))))
        drawn *= n / drawn.sum(1, keepdims=True)
        return drawn

    return draw


def _refuse_one_class(table: ScoreTable) -> None:
    if not table.negatives or not table.positives:
        raise OptionError("all true labels are of one class", "cases of both classes")


def _batch_sizes(draws: int, at_once: int) -> Iterator[int]:
    for start in range(0, draws, at_once):
        yield min(at_once, draws - start)


Kind = Literal["percentile", "basic", "normal", "bca"]


def percentile_limits(
    replicates: Floats, value: float, level: float, kind: Kind = "percentile", acceleration: float = 0.0
) -> tuple[float, float]:
    """Limits from replicates of an estimate: percentile, basic, normal (bias-corrected) or BCa.

    Quantiles between two replicates are interpolated on the normal scale (Davison & Hinkley 1997). `acceleration` is
    BCa's: a sixth of the skewness of how much each case moves the estimate, over their number's root (Efron 1987).

    >>> values = np.arange(1.0, 1000.0)
    >>> percentile_limits(values, 500.0, 0.95), percentile_limits(values, 500.0, 0.95, "basic")
    ((25.0, 975.0), (25.0, 975.0))
    """
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if kind == "normal":
        centre, half = 2 * value - replicates.mean(), float(ndtri(tails[1])) * replicates.std(ddof=1)
        return float(centre - half), float(centre + half)
    if kind == "bca":
        bias = float(ndtri(np.count_nonzero(replicates < value) / len(replicates)))
        shifted = bias + ndtri(tails)
        tails = ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = _quantiles(replicates, tails)
    return (2 * value - high, 2 * value - low) if kind == "basic" else (low, high)


def _quantiles(replicates: Floats, tails: Floats) -> tuple[float, float]:
    count = len(replicates)
    place = np.clip(tails * (count + 1), 1.0, count)
    # Against rounding: 0.025 * 1000 must be the 25th.
    below = np.floor(place + 1e-9)
    above = np.minimum(below + 1, count)
    place = np.where(place - below < 1e-9, below, place)
    ranks = (np.concatenate((below, above)) - 0.5) / count
    first, second = np.split(np.quantile(replicates, ranks, method="inverted_cdf"), 2)
    at, after, here = (ndtri(rank / (count + 1)) for rank in (below, above, place))
    part = np.divide(here - at, after - at, out=np.zeros(2), where=after > at)
    low, high = first + part * (second - first)
    return float(low), float(high)
