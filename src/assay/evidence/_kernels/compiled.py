"""The hot operations by compiled loops: arrays are made here, and filled there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels import _counts, _lines, _loops, _marks, _sweeps, _tables, _trees, plain, plain_sweeps
from assay.evidence._kernels.plain_windows import PairWindow
from assay.types import Floats

__all__ = [
    "area_moves",
    "arranged",
    "class_products",
    "encoded",
    "height_in_band",
    "line_moments",
    "line_pulls",
    "moved_sums",
    "pair_window",
    "pairs_along",
    "pairs_in_order",
    "past_band",
    "picked",
    "placed",
    "placement_sums",
    "positions_among",
    "precision_moves",
    "precision_of_others",
    "precision_sums",
    "quantiles",
    "span",
    "table_hull",
    "tabulate_pairs",
    "tabulate_scores",
    "tabulate_weights",
    "upper_hull",
    "weighed",
    "zero_one",
]

# With fewer scores than this a second thread costs more than it saves; and what is looked at to part so many.
_THREADED = 1 << 18
_SAMPLE = 1001
_FEW = 1024
# So many cases leave bits enough of a score beside their numbers.
_NUMBERED = 1 << 26
_MOST_CODES = 2048
_CODES = tuple(np.dtype(kind) for kind in (np.int8, np.int16, np.int64))


def pair_window() -> PairWindow:
    """An empty window of pairs."""
    return PairTree()


def pairs_along(scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
    """The pairs in order after each of these events, among the last `width` of them."""
    pairs = np.empty(len(scores))
    _marks.pairs_along(*arranged(scores), np.ascontiguousarray(is_positive).view(np.uint8), width, pairs)
    return pairs


class PairTree(_trees.Tree):
    """Pairs of a positive and a negative in order, ties half, among the last events of a stream."""

    def __len__(self) -> int:
        return self.size()

    def extend(self, scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
        """The pairs in order after each of these events, among the last `width` of them and of those before."""
        pairs = np.empty(len(scores))
        self.take(scores, is_positive.view(np.uint8), width, pairs)
        return pairs


def tabulate_pairs(
    row: NDArray[np.integer], column: NDArray[np.integer], rows: int, columns: int, weight: Floats | None = None
) -> Floats:
    """How often (or with what weight) each (row, column) pair of codes occurs, as a rows by columns array."""
    counts = np.empty(rows * columns)
    is_plain = weight is None and row.dtype == column.dtype and row.dtype in _CODES and row.ndim == 1 == column.ndim
    given = (np.ascontiguousarray(row), np.ascontiguousarray(column)) if is_plain else None
    if given is not None and _counts.count_pairs(*given, columns, counts):
        return counts.reshape(rows, columns)
    return plain.tabulate_pairs(row, column, rows, columns, weight)


def tabulate_scores(score: Floats, is_positive: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Distinct scores in increasing order, with the number of negatives and of positives at each."""
    # One piece of memory for all three: systems take back what is freed in many pieces, and give it anew page by page.
    distinct, negative, positive = np.empty((3, len(score)))
    given = np.ascontiguousarray(score), np.ascontiguousarray(is_positive).view(np.uint8)
    if len(score) < _THREADED:
        made = _tables.tabulate(*given, distinct, negative, positive)
    else:
        made = _tabulate_in_threads(*given, distinct, negative, positive)
    if made < len(score) // 2:
        # What a few scores need is less than what was kept ready for many.
        return distinct[:made].copy(), negative[:made].copy(), positive[:made].copy()
    return distinct[:made], negative[:made], positive[:made]


def _tabulate_in_threads(
    score: Floats, is_positive: NDArray[np.uint8], distinct: Floats, negative: Floats, positive: Floats
) -> int:
    """The same where scores below and above a pivot are put in order side by side."""
    low, high = float(score.min()), float(score.max())
    # A side has one sign, so where both occur zero parts them; else a score that half of them lie below, more or less.
    pivot = 0.0 if low < 0 < high else float(np.median(score[:: len(score) // _SAMPLE]))
    cut = _tables.pack(score, is_positive, pivot, distinct)
    sides = [(distinct[part], negative[part]) for part in (slice(cut), slice(cut, None))]
    below_zero = low < 0, high < 0
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(_tables.order, *sides[1], below_zero[1], elsewhere=False)
        _tables.order(*sides[0], below_zero[0], elsewhere=False)
        waiting.result()
    made = 0
    for (cases, _), is_below in zip(sides, below_zero, strict=True):
        made = _tables.count(cases, is_below, made, distinct, negative, positive)
    return made


def arranged(values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The places of values in increasing order, equal ones in any order, and the values so."""
    order, ordered = np.empty(len(values), dtype=np.intp), np.empty(len(values))
    return (order, ordered) if _loops.arrange(values, order, ordered) else plain.arranged(values)


def tabulate_weights(score: Floats, *weights: Floats) -> tuple[Floats, ...]:
    """Distinct scores in increasing order, with the sum of each kind of weight at each."""
    return plain.summed_in_order(*arranged(score), weights)


def placement_sums(
    negative: Floats,
    positive: Floats,
    negative_squares: Floats,
    positive_squares: Floats,
    negatives: float,
    positives: float,
) -> tuple[float, float, float]:
    """Of a table: the pairs in order, ties half; and over each class the squared weights times squared placements."""
    below, above = np.ascontiguousarray(negative), np.ascontiguousarray(positive)
    squares = np.ascontiguousarray(negative_squares), np.ascontiguousarray(positive_squares)
    return _sweeps.placement_sums(below, above, *squares, negatives, positives)


def pairs_in_order(negative: Floats, positive: Floats) -> Floats:
    """Of each table of a batch (leading axes) the pairs in order, ties half."""
    return _sums_per_table(_sweeps.pairs_in_order, 1, negative, positive)[0]


def precision_sums(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """Of each table of a batch the sums over positives of the precision at their score, and of what it lacks of 1."""
    right, wrong = _sums_per_table(_sweeps.precision_sums, 2, negative, positive)
    return right, wrong


def precision_moves(negative: Floats, positive: Floats, scale: float, mean: float) -> tuple[Floats, Floats]:
    """How far a case at each score moves the mean precision at positives, as a negative and as a positive."""
    moves = np.empty(len(negative)), np.empty(len(negative))
    below, above = np.ascontiguousarray(negative), np.ascontiguousarray(positive)
    _sweeps.precision_moves(below, above, scale, mean, *moves)
    return moves


def area_moves(
    negative: Floats, positive: Floats, scale: float, positives: float
) -> tuple[float, tuple[Floats, Floats]]:
    """The area under the precision-recall curve, and how far a case at each score moves it, as either class."""
    moves = np.empty(len(negative)), np.empty(len(negative))
    below, above = np.ascontiguousarray(negative), np.ascontiguousarray(positive)
    return _sweeps.area_moves(below, above, scale, positives, *moves), moves


def precision_of_others(negative: Floats, positive: Floats, squares: Floats, least: float) -> float:
    """The sum over positives of the precision at their score without themselves; 1 where that leaves hardly a case."""
    below, above = np.ascontiguousarray(negative), np.ascontiguousarray(positive)
    return _sweeps.precision_of_others(below, above, np.ascontiguousarray(squares), least)


def class_products(moved: Floats, is_positive: NDArray[np.bool_]) -> Floats:
    """The sums of products of each two rows over the columns of either class: of negatives, and of positives."""
    products = np.zeros((2, len(moved), len(moved)))
    _sweeps.class_products(np.ascontiguousarray(moved), np.ascontiguousarray(is_positive).view(np.uint8), products)
    return products


def line_moments(x: Floats, negative: Floats, positive: Floats, shift: float, slope: float) -> tuple[float, ...]:
    """Of a logistic line: sums over the cases of what is missed, of that times x, and of their spread."""
    at, below, above = map(np.ascontiguousarray, (x, negative, positive))
    return _lines.line_moments(at, below, above, shift, slope)


def line_pulls(x: Floats, negative: Floats, positive: Floats, shift: float, slope: float) -> tuple[float, ...]:
    """Of a logistic line: sums of the squares of what is missed times 1, x and x^2, and of the rest of it."""
    at, below, above = map(np.ascontiguousarray, (x, negative, positive))
    return _lines.line_pulls(at, below, above, shift, slope)


def weighed(
    negative: Floats, of_negatives: Floats, positive: Floats, of_positives: Floats, *, power: int = 1
) -> tuple[float, float]:
    """Values at each score, or their powers of 2 or 4, added up over the negatives, and others over the positives."""
    if any(each.ndim != 1 or each.shape != negative.shape for each in (negative, of_negatives, positive, of_positives)):
        return plain_sweeps.weighed(negative, of_negatives, positive, of_positives, power=power)
    below, lows, above, highs = map(np.ascontiguousarray, (negative, of_negatives, positive, of_positives))
    return _sweeps.weighed(below, lows, above, highs, power)


def moved_sums(
    sides: tuple[Floats, Floats],
    squares: tuple[Floats, Floats],
    moves: tuple[Floats, Floats],
    scale: float,
    shifts: tuple[float, float],
) -> tuple[float, float, float, float]:
    """Of what moves an estimate, scaled and shifted: the squares over either class, and what the other's move."""
    counts, squared, values = ([np.ascontiguousarray(each) for each in pair] for pair in (sides, squares, moves))
    return _sweeps.moved_sums(counts[0], counts[1], squared[0], squared[1], values[0], values[1], scale, *shifts)


def past_band(at: Floats, low: float, high: float) -> Floats:
    """For each stretch between two places the share of a band that lies past it, averaged over the stretch."""
    if at.ndim != 1 or not len(at):
        return plain_sweeps.past_band(at, low, high)
    past = np.empty(len(at) - 1)
    _sweeps.past_band(np.ascontiguousarray(at), low, high, past)
    return past


def height_in_band(at: Floats, height: Floats, low: float, high: float, first: float, last: float) -> Floats:
    """The mean height of a curve over each stretch, that before a band and past it held at its ends; 0 over none."""
    mean = np.empty(len(at) - 1)
    _sweeps.height_in_band(np.ascontiguousarray(at), np.ascontiguousarray(height), low, high, first, last, mean)
    return mean


def _sums_per_table(loop: Callable[..., None], sums: int, *sides: Floats) -> list[Floats]:
    """So many sums of each table of a batch; the tables as rows, each in one piece, which may lie apart."""
    *batch, size = np.broadcast_shapes(*(side.shape for side in sides))
    found = np.empty((sums, math.prod(batch)))
    rows = (np.broadcast_to(side, (*batch, size)).reshape(found.shape[1], size) for side in sides)
    loop(*(row if row.strides[-1] == row.itemsize else np.ascontiguousarray(row) for row in rows), *found)
    return [each.reshape(batch) for each in found]


def encoded(values: NDArray[Any]) -> tuple[NDArray[np.int16], NDArray[np.intp]] | None:
    """A code for each of an array's values, equal ones alike, and where each first occurs; nothing where many differ.

    Values are told apart by their bytes, so that only fixed-width text may be given.
    """
    if len(values) == 0:
        return None
    rows = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), -1)
    codes, firsts = np.empty(len(values), dtype=np.int16), np.empty(_MOST_CODES, dtype=np.intp)
    made = _loops.encode(rows, codes, firsts)
    return None if made < 0 else (codes, firsts[:made].copy())


def zero_one(values: NDArray[Any]) -> NDArray[np.int8] | None:
    """Whole numbers as codes where they are 0 and 1 and both of them occur, else nothing."""
    if values.dtype != np.int64 or not values.dtype.isnative:
        return plain.zero_one(values)
    codes = np.empty(len(values), dtype=np.int8)
    return codes if _loops.zero_one(np.ascontiguousarray(values), codes) else None


def span(values: Floats) -> tuple[float, float]:
    """The least and the greatest of some values; no number where one of them is none, or infinite."""
    # Of many values numpy compares several at once.
    return _loops.span(values) if len(values) < _FEW else plain.span(values)


def positions_among(scores: Floats, distinct: Floats) -> NDArray[np.intp]:
    """Where each score stands among the distinct ones, which hold them all."""
    places = np.empty(len(scores), dtype=np.intp)
    if len(distinct) and _loops.positions_among(np.ascontiguousarray(scores), np.ascontiguousarray(distinct), places):
        return places
    return plain.positions_among(scores, distinct)


def picked(
    scores: Floats, is_positive: NDArray[np.bool_], distinct: Floats, of_negatives: Floats, of_positives: Floats
) -> Floats:
    """For each case what stands at its score for its class, or at the next score, or the last."""
    values = np.empty(len(scores))
    given, classes, held, lows, highs = map(
        np.ascontiguousarray, (scores, is_positive, distinct, of_negatives, of_positives)
    )
    if len(distinct) and _loops.picked(given, classes.view(np.uint8), held, lows, highs, values):
        return values
    return plain.picked(scores, is_positive, distinct, of_negatives, of_positives)


def placed(
    scores: Floats,
    is_positive: NDArray[np.bool_],
    distinct: Floats,
    negative: Floats,
    positive: Floats,
    negatives: float,
    positives: float,
    about: float = 0.0,
    shares: tuple[float, float] = (1.0, 1.0),
    out: Floats | None = None,
) -> Floats:
    """For each case the share of the other class that it stands on the right side of, ties counted half.

    `about` is taken off each, and what is left of a negative and of a positive multiplied by its share.
    """
    sizes = float(negatives), float(positives)
    # Of many cases it is faster to put them in order and walk along the table than to look each of them up.
    if 0 < len(scores) < _NUMBERED and 0 < len(distinct) < 2 * len(scores):
        values = np.empty(len(scores)) if out is None else out
        given, classes, held, lows, highs = map(
            np.ascontiguousarray, (scores, is_positive, distinct, negative, positive)
        )
        if _tables.placed(given, classes.view(np.uint8), held, lows, highs, *sizes, about, *shares, values):
            return values
    found = picked(scores, is_positive, distinct, *plain.standings(negative, positive, sizes, about, shares))
    return found if out is None else plain.filled(out, found)


def table_hull(negative: Floats, positive: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """Corners of the upper hull of what is called from the highest score down: how many scores are called at each."""
    corners = np.empty(len(negative) + 1, dtype=np.intp)
    below, above = np.ascontiguousarray(negative), np.ascontiguousarray(positive)
    return corners[: _sweeps.table_hull(below, above, slack, corners)].copy()


def upper_hull(x: Floats, y: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """Positions of the corners of the upper hull of points in order of x (and of y where x ties), the ends included."""
    corners = np.empty(len(x), dtype=np.intp)
    made = _sweeps.upper_hull(np.ascontiguousarray(x), np.ascontiguousarray(y), slack, corners)
    return corners[:made].copy()


def quantiles(values: Floats, places: Sequence[float]) -> Floats:
    """Quantiles of values that come in no order, between two of them by a straight line, as numpy has them."""
    last = len(values) - 1
    if last < 0 or values.ndim != 1:
        return plain.quantiles(values, places)
    # Of two or three places plain numbers are several times as fast as arrays.
    at = [float(place) * last for place in places]
    below = [math.floor(place) for place in at]
    ranks = np.array([*below, *(min(place + 1, last) for place in below)], dtype=np.intp)
    # Room for those of one bucket, and as much again to sort them with.
    ordered, spare = np.empty(len(ranks)), np.empty(2 * len(values))
    if not _loops.ranked(np.ascontiguousarray(values), ranks, spare, ordered):
        return plain.quantiles(values, places)
    found = ordered.tolist()
    limits = []
    for place, before, low, high in zip(at, below, found[: len(at)], found[len(at) :], strict=True):
        share, gap = place - before, high - low
        limits.append(low + gap * share if share < 0.5 else high - gap * (1 - share))
    return np.array(limits)
