"""The hot operations in numpy: what compiled loops are held to, and what serves where there are none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats

# Below this many scores a second thread costs more than it saves.
_THREADED = 1 << 17


def tabulate_pairs(
    row: NDArray[np.integer], column: NDArray[np.integer], rows: int, columns: int, weight: Floats | None = None
) -> Floats:
    """How often (or with what weight) each (row, column) pair of codes occurs, as a rows by columns array.

    >>> tabulate_pairs(np.array([0, 1, 1]), np.array([0, 0, 1]), 2, 2)
    array([[1., 0.],
           [1., 1.]])
    """
    flat = np.multiply(row, columns, dtype=np.intp)
    flat += column
    return np.bincount(flat, weight, minlength=rows * columns).astype(np.float64).reshape(rows, columns)


def tabulate_clusters(
    cluster: NDArray[np.integer], cell: NDArray[np.integer], cells: int, weight: Floats | None = None
) -> Floats:
    """How often (or with what weight) each cell occurs in each cluster, as a clusters by cells array.

    >>> tabulate_clusters(np.array([0, 0, 1]), np.array([1, 1, 0]), 2)
    array([[0., 2.],
           [1., 0.]])
    """
    clusters = int(cluster.max()) + 1
    return tabulate_pairs(cluster, cell, clusters, cells, weight)


def tabulate_scores(score: Floats, is_positive: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """Distinct scores in increasing order, with the number of negatives and of positives at each.

    Sorting the classes apart needs no payload, which is many times faster than an argsort; joining sorted runs is one
    merge, because a stable sort takes runs as it finds them.

    >>> tabulate_scores(np.array([0.2, 0.9, 0.2]), np.array([False, True, True]))
    (array([0.2, 0.9]), array([1., 0.]), array([1., 1.]))
    """
    # Adding 0.0 makes -0.0 and 0.0 the one score they are.
    negative, positive = score[~is_positive] + 0.0, score[is_positive] + 0.0
    runs = _sort_in_one_run(negative) if len(score) < _THREADED else _sort_in_threads(negative, positive)
    if len(score) < _THREADED:
        runs.extend(_sort_in_one_run(positive))
    return _merge_runs(runs, len(negative))


def _sort_in_one_run(values: Floats) -> list[Floats]:
    values.sort()
    return [values]


def _sort_in_threads(negative: Floats, positive: Floats) -> list[Floats]:
    """Both classes sorted, the larger one cut in two so that two threads have about the same to do."""
    half = (len(negative) + len(positive)) // 2
    if len(negative) >= len(positive):
        parts = [negative[:half], negative[half:], positive]
        shares = [parts[:1], parts[1:]]
    else:
        parts = [negative, positive[:-half], positive[-half:]]
        shares = [parts[:2], parts[2:]]
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(_sort_arrays, shares[0])
        _sort_arrays(shares[1])
        waiting.result()
    return parts


def _sort_arrays(arrays: list[Floats]) -> None:
    for array in arrays:
        array.sort()


def _merge_runs(runs: list[Floats], negatives: int) -> tuple[Floats, Floats, Floats]:
    scores = np.concatenate(runs)
    order = scores.argsort(kind="stable")
    return tabulate_ordered(scores[order], order >= negatives)


def tabulate_ordered(scores: Floats, is_positive: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
    """What `tabulate_scores` gives, of scores that come in order.

    >>> tabulate_ordered(np.array([0.2, 0.2, 0.9]), np.array([False, True, True]))
    (array([0.2, 0.9]), array([1., 0.]), array([1., 1.]))
    """
    is_new = scores[1:] != scores[:-1]
    if is_new.all():
        positive = is_positive.astype(np.float64)
        return scores, 1.0 - positive, positive
    first = np.concatenate(([0], np.flatnonzero(is_new) + 1))
    positive = np.add.reduceat(is_positive, first, dtype=np.float64)
    total = np.diff(first, append=len(scores))
    return scores[first], total - positive, positive


def arranged(values: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The places of values in increasing order, equal ones in any order, and the values so.

    >>> arranged(np.array([0.4, -0.0, 0.2]))
    (array([1, 2, 0]), array([0. , 0.2, 0.4]))
    """
    score = np.add(values, 0.0)
    order = score.argsort()
    return order, score[order]


def tabulate_weights(score: Floats, *weights: Floats) -> tuple[Floats, ...]:
    """Distinct scores in increasing order, with the sum of each kind of weight at each; slower, for weighted cases.

    >>> tabulate_weights(np.array([0.9, 0.2, 0.2]), np.array([1.0, 2.0, 0.5]))
    (array([0.2, 0.9]), array([2.5, 1. ]))
    """
    order = score.argsort(kind="stable")
    return summed_in_order(order, score[order] + 0.0, weights)


def summed_in_order(order: NDArray[np.intp], score: Floats, weights: Sequence[Floats]) -> tuple[Floats, ...]:
    """The distinct of some ordered scores, with the sum of each kind of weight at each, which come in another order.

    >>> summed_in_order(np.array([1, 2, 0]), np.array([0.2, 0.2, 0.9]), [np.array([1.0, 2.0, 0.5])])
    (array([0.2, 0.9]), array([2.5, 1. ]))
    """
    is_first = np.ones(len(score), dtype=np.bool_)
    is_first[1:] = score[1:] != score[:-1]
    if is_first.all():
        return score, *(weight[..., order] for weight in weights)
    start = np.flatnonzero(is_first)
    return score[start], *(np.add.reduceat(weight[..., order], start, axis=-1) for weight in weights)


def encoded(values: NDArray[Any]) -> tuple[NDArray[np.int16], NDArray[np.intp]] | None:
    """Nothing: without compiled loops text is told apart by ways that know more of it."""
    del values
    return None


def quantiles(values: Floats, places: Sequence[float]) -> Floats:
    """Quantiles of values that come in no order, between two of them by a straight line.

    >>> quantiles(np.array([4.0, 1.0, 2.0, 3.0]), [0.5, 0.75])
    array([2.5 , 3.25])
    """
    limits: Floats = np.quantile(values, places)
    return limits


def zero_one(values: NDArray[Any]) -> NDArray[np.int8] | None:
    """Whole numbers as codes where they are 0 and 1 and both of them occur, else nothing.

    >>> zero_one(np.array([0, 1, 1])), zero_one(np.array([1, 2, 1]))
    (array([0, 1, 1], dtype=int8), None)
    """
    is_so = len(values) and np.minimum.reduce(values) == 0 and np.maximum.reduce(values) == 1
    return values.astype(np.int8) if is_so else None


def span(values: Floats) -> tuple[float, float]:
    """The least and the greatest of some values; no number where one of them is none, or infinite.

    >>> span(np.array([0.5, 0.25])), span(np.array([0.5, np.inf]))
    ((0.25, 0.5), (nan, nan))
    """
    if not len(values):
        return math.inf, -math.inf
    low, high = float(np.minimum.reduce(values)), float(np.maximum.reduce(values))
    return (low, high) if math.isfinite(low) and math.isfinite(high) else (math.nan, math.nan)


def in_bins(ordered: Floats, weight: Floats, edges: Floats) -> Floats:
    """How much weight lies between neighbouring edges, of values that come in order; the last edge is taken in.

    >>> in_bins(np.array([0.1, 0.4, 0.5, 1.0]), np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 0.5, 1.0]))
    array([ 3., 12.])
    """
    at = np.searchsorted(ordered, edges).tolist()
    at[-1] = int(np.searchsorted(ordered, edges[-1], side="right"))
    return np.array([weight[start:stop].sum() for start, stop in pairwise(at)])


def merge_tables(first: tuple[Floats, ...], second: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """Two score tables as one: scores, then any number of weights, which may carry leading batch axes.

    >>> merge_tables((np.array([1.0]), np.array([2.0]), np.array([0.0])),
    ...              (np.array([0.0, 1.0]), np.array([1.0, 1.0]), np.array([0.0, 5.0])))
    (array([0., 1.]), array([1., 3.]), array([0., 5.]))
    """
    joined = (np.concatenate((a, b), axis=-1) for a, b in zip(first, second, strict=True))
    score, *weights = joined
    return tabulate_weights(score, *weights)


def positions_among(scores: Floats, distinct: Floats) -> NDArray[np.intp]:
    """Where each score stands among the distinct ones, which hold them all.

    Looking up unsorted scores one by one misses the cache every time; ordering them first takes half as long.

    >>> positions_among(np.array([0.4, 0.1, 0.4]), np.array([0.1, 0.4]))
    array([1, 0, 1])
    """
    order = np.argsort(scores)
    ordered = scores[order]
    steps = np.cumsum(ordered[1:] != ordered[:-1])
    if len(scores) == 0 or int(steps[-1] if len(steps) else 0) + 1 != len(distinct):
        return np.searchsorted(distinct, scores)
    places = np.empty(len(scores), dtype=np.intp)
    places[order[0]] = 0
    places[order[1:]] = steps
    return places


def picked(
    scores: Floats, is_positive: NDArray[np.bool_], distinct: Floats, of_negatives: Floats, of_positives: Floats
) -> Floats:
    """For each case what stands at its score for its class, or at the next score, or the last.

    >>> picked(np.array([0.4, 0.1]), np.array([True, False]), np.array([0.1, 0.4]), np.array([1, 2]), np.array([3, 4]))
    array([4, 1])
    """
    place = np.minimum(positions_among(scores, distinct), len(distinct) - 1)
    return np.where(is_positive, of_positives[place], of_negatives[place])


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

    `about` is taken off each, and what is left of a negative and of a positive multiplied by its share. `out` is an
    array to put them into, which must be in one piece.

    >>> table = np.array([0.1, 0.4]), np.array([1.0, 1.0]), np.array([0.0, 2.0])
    >>> placed(np.array([0.4, 0.1]), np.array([True, False]), *table, 2.0, 2.0)
    array([0.75, 1.  ])
    """
    sizes = negatives, positives
    found = picked(scores, is_positive, distinct, *standings(negative, positive, sizes, about, shares))
    return found if out is None else filled(out, found)


def filled(out: Floats, values: Floats) -> Floats:
    """An array with these values put into it."""
    out[...] = values
    return out


def standings(
    negative: Floats, positive: Floats, sizes: tuple[float, float], about: float, shares: tuple[float, float]
) -> tuple[Floats, Floats]:
    """What a negative and a positive at each score of a table stand at, as `placed` says it of each case."""
    won = (np.cumsum(negative) - 0.5 * negative) / sizes[0]
    lost = (sizes[1] - (np.cumsum(positive) - 0.5 * positive)) / sizes[1]
    return (lost - about) * shares[0], (won - about) * shares[1]
