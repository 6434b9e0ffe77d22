"""The hot operations by compiled loops: arrays are made here, and filled there."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence._kernels import _loops, _sweeps, _trees, plain
from assay.evidence._kernels.plain_windows import PairWindow
from assay.types import Floats

__all__ = [
    "arranged",
    "encoded",
    "pair_window",
    "pairs_in_order",
    "picked",
    "placement_sums",
    "positions_among",
    "precision_sums",
    "quantiles",
    "tabulate_scores",
    "tabulate_weights",
    "upper_hull",
]

# With fewer scores than this in a class a second thread costs more than it saves.
_THREADED = 1 << 13
_MOST_CODES = 2048


def pair_window() -> PairWindow:
    """An empty window of pairs."""
    return PairTree()


class PairTree(_trees.Tree):
    """Pairs of a positive and a negative in order, ties half, among the last events of a stream."""

    def __len__(self) -> int:
        return self.size()

    def extend(self, scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
        """The pairs in order after each of these events, among the last `width` of them and of those before."""
        pairs = np.empty(len(scores))
        self.take(scores, is_positive.view(np.uint8), width, pairs)
        return pairs


def tabulate_scores(score: Floats, is_positive: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Distinct scores in increasing order, with the number of negatives and of positives at each."""
    # One piece of memory for all three: systems take back what is freed in many pieces, and give it anew page by page.
    parted, (distinct, negative, positive) = np.empty(len(score)), np.empty((3, len(score)))
    cut = _loops.part(np.ascontiguousarray(score), np.ascontiguousarray(is_positive).view(np.uint8), parted)
    below, above = parted[:cut], parted[cut:]
    if min(cut, len(score) - cut) < _THREADED:
        _loops.sort(below, distinct[:cut])
        _loops.sort(above, distinct[cut:])
    else:
        with ThreadPoolExecutor(1) as other:
            waiting = other.submit(_loops.sort, above, distinct[cut:])
            _loops.sort(below, distinct[:cut])
            waiting.result()
    made = _loops.merge(below, above, distinct, negative, positive)
    if made < len(score) // 2:
        # What a few scores need is less than what was kept ready for many.
        return distinct[:made].copy(), negative[:made].copy(), positive[:made].copy()
    return distinct[:made], negative[:made], positive[:made]


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
    return _each_table(_sweeps.pairs_in_order, 1, negative, positive)[0]


def precision_sums(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """Of each table of a batch the sums over positives of the precision at their score, and of what it lacks of 1."""
    right, wrong = _each_table(_sweeps.precision_sums, 2, negative, positive)
    return right, wrong


def _each_table(loop: Callable[..., None], sums: int, *sides: Floats) -> list[Floats]:
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
    at = np.multiply(places, last)
    below = np.floor(at).astype(np.intp)
    ranks = np.concatenate((below, np.minimum(below + 1, last)))
    # Room for those of one bucket, and as much again to sort them with.
    found, spare = np.empty(len(ranks)), np.empty(2 * len(values))
    if not _loops.ranked(np.ascontiguousarray(values), ranks, spare, found):
        return plain.quantiles(values, places)
    low, high = found[: len(places)], found[len(places) :]
    share, gap = at - below, high - low
    limits: Floats = np.where(share < 0.5, low + gap * share, high - gap * (1 - share))
    return limits
