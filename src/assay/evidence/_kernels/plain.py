"""The hot operations in numpy: what compiled loops are held to, and what serves where there are none."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
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
    runs = _sorted_runs(negative) if len(score) < _THREADED else _sorted_in_threads(negative, positive)
    if len(score) < _THREADED:
        runs.extend(_sorted_runs(positive))
    return _merge_runs(runs, len(negative))


def _sorted_runs(values: Floats) -> list[Floats]:
    values.sort()
    return [values]


def _sorted_in_threads(negative: Floats, positive: Floats) -> list[Floats]:
    """Both classes sorted, the larger one cut in two so that two threads have about the same to do."""
    half = (len(negative) + len(positive)) // 2
    if len(negative) >= len(positive):
        parts = [negative[:half], negative[half:], positive]
        shares = [parts[:1], parts[1:]]
    else:
        parts = [negative, positive[:-half], positive[-half:]]
        shares = [parts[:2], parts[2:]]
    with ThreadPoolExecutor(1) as other:
        waiting = other.submit(_sort_each, shares[0])
        _sort_each(shares[1])
        waiting.result()
    return parts


def _sort_each(arrays: list[Floats]) -> None:
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


def tabulate_weights(score: Floats, *weights: Floats) -> tuple[Floats, ...]:
    """Distinct scores in increasing order, with the sum of each kind of weight at each; slower, for weighted cases.

    >>> tabulate_weights(np.array([0.9, 0.2, 0.2]), np.array([1.0, 2.0, 0.5]))
    (array([0.2, 0.9]), array([2.5, 1. ]))
    """
    order = score.argsort(kind="stable")
    score = score[order] + 0.0
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


def placement_sums(
    negative: Floats,
    positive: Floats,
    negative_squares: Floats,
    positive_squares: Floats,
    negatives: float,
    positives: float,
) -> tuple[float, float, float]:
    """Of a table: the pairs in order, ties half; and over each class the squared weights times squared placements.

    The placement of a positive is how many negatives lie below it, that of a negative how many positives lie above it,
    ties half, each less its mean.

    >>> one = np.array([0.0, 1.0]), np.array([1.0, 1.0])
    >>> placement_sums(*one, *one, 1.0, 2.0)
    (0.5, 0.125, 0.0)
    """
    below = np.cumsum(negative) - 0.5 * negative
    wins = float(positive @ below)
    if not (negatives > 0 and positives > 0):
        return wins, 0.0, 0.0
    above = positives - (np.cumsum(positive) - 0.5 * positive)
    of_positives = positive_squares @ (below - wins / positives) ** 2
    return wins, float(of_positives), float(negative_squares @ (above - wins / negatives) ** 2)


def quantiles(values: Floats, places: Sequence[float]) -> Floats:
    """Quantiles of values that come in no order, between two of them by a straight line.

    >>> quantiles(np.array([4.0, 1.0, 2.0, 3.0]), [0.5, 0.75])
    array([2.5 , 3.25])
    """
    limits: Floats = np.quantile(values, places)
    return limits


def binned(ordered: Floats, weight: Floats, edges: Floats) -> Floats:
    """How much weight lies between neighbouring edges, of values that come in order; the last edge is taken in.

    >>> binned(np.array([0.1, 0.4, 0.5, 1.0]), np.array([1.0, 2.0, 4.0, 8.0]), np.array([0.0, 0.5, 1.0]))
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


# A pass over all points is worth it while it drops at least this share of them; where more are left than can be walked
# in a moment, so many passes more may show that they are corners all.
_WORTH_A_PASS = 1 / 16
_SHORT, _LAST_PASSES = 4096, 16


def upper_hull(x: Floats, y: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """Positions of the corners of the upper hull of points in order of x (and of y where x ties), the ends included.

    A point on or below the line between any two others is no corner, so whole passes drop such points at once; what
    is left is short and is walked point by point. Points within `slack` (relative) of a line count as on it.

    >>> upper_hull(np.array([0.0, 0.0, 1.0, 1.0, 4.0, 5.0]), np.array([0.0, 2.0, 2.0, 4.0, 5.0, 5.0]))
    array([0, 1, 3, 4, 5])
    """
    moves = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    # Of equal points only the first: two of them would drop one another.
    kept = np.flatnonzero(np.concatenate(([True], moves)))
    reach = 1
    while len(kept) > 2 * reach + 64:
        stays = _above_chords(x[kept], y[kept], reach, slack)
        dropped = len(kept) - int(stays.sum())
        kept = kept[stays]
        if dropped < _WORTH_A_PASS * len(stays):
            if reach > 1:
                break
            # Lines over longer stretches drop what neighbours, each above its own, would drop one by one.
            reach = 8
    for _ in range(_LAST_PASSES if len(kept) > _SHORT else 0):
        stays = _above_chords(x[kept], y[kept], 1, slack)
        if stays.all():
            return kept  # each above the line between its neighbours: nothing is left to drop
        kept = kept[stays]
    return kept[_chain(x[kept].tolist(), y[kept].tolist(), slack)]


def joint_hull(x: Floats, y: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """The same for points in any order; of equal points the first is taken.

    >>> joint_hull(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 1.0]))
    array([1, 2, 0])
    """
    order = np.lexsort((y, x))
    return order[upper_hull(x[order], y[order], slack)]


def _above_chords(x: Floats, y: Floats, reach: int, slack: float) -> NDArray[np.bool_]:
    """Which points lie above the line between those `reach` places before and after them; ends have no such line."""
    left, middle, right = slice(None, -2 * reach), slice(reach, -reach), slice(2 * reach, None)
    rise = (y[middle] - y[left]) * (x[right] - x[middle])
    run = (y[right] - y[middle]) * (x[middle] - x[left])
    above = np.ones(len(x), dtype=np.bool_)
    above[middle] = rise - run > slack * (rise + run) if slack else rise > run
    return above


def _chain(x: list[float], y: list[float], slack: float) -> list[int]:
    """Andrew's monotone chain, over the few points that are left."""
    corners: list[int] = []
    for i, (to_x, to_y) in enumerate(zip(x, y, strict=True)):
        while len(corners) > 1:
            before, top = corners[-2], corners[-1]
            rise = (y[top] - y[before]) * (to_x - x[top])
            run = (to_y - y[top]) * (x[top] - x[before])
            if rise - run > slack * (rise + run):
                break
            corners.pop()
        corners.append(i)
    return corners


class PairWindow:
    """Pairs of a positive and a negative in order, ties half, among the last events of a stream: exact at every event.

    An event that comes or goes changes the pairs by where it stands among the other class, which two sorted lists find
    in logarithmic time (Brzezinski & Stefanowski 2017). Pairs are halves, so nothing is rounded however long it runs.

    >>> window = PairWindow()
    >>> window.extend(np.array([0.1, 0.8, 0.4, 0.4]), np.array([False, True, False, True]), width=3)
    array([0. , 1. , 2. , 1.5])
    >>> window.drop(1)
    >>> window.pairs, len(window)
    (0.5, 2)
    """

    def __init__(self) -> None:
        self.pairs = 0.0
        self._events: deque[tuple[float, bool]] = deque()
        self._negative: list[float] = []
        self._positive: list[float] = []

    def __len__(self) -> int:
        return len(self._events)

    def extend(self, scores: Floats, is_positive: NDArray[np.bool_], width: int) -> Floats:
        """The pairs in order after each of these events, among the last `width` of them and of those before."""
        add = self.add
        return np.array([add(*event, width) for event in zip(scores.tolist(), is_positive.tolist(), strict=True)])

    def add(self, score: float, is_positive: bool, width: int) -> float:
        """One event: the pairs in order after it, among the last `width`."""
        events = self._events
        if len(events) >= width:
            self.drop(len(events) - width + 1)
        events.append((score, is_positive))
        insort(self._positive if is_positive else self._negative, score)
        self.pairs += self._with_others(score, is_positive)
        return self.pairs

    def drop(self, count: int) -> None:
        """Forget the oldest `count` events."""
        for _ in range(count):
            score, is_positive = self._events.popleft()
            own = self._positive if is_positive else self._negative
            del own[bisect_left(own, score)]
            self.pairs -= self._with_others(score, is_positive)

    def _with_others(self, score: float, is_positive: bool) -> float:
        """The pairs in order that an event is part of."""
        others = self._negative if is_positive else self._positive
        below = bisect_left(others, score)
        is_tied = below < len(others) and others[below] == score
        beaten = (below + bisect_right(others, score, below)) / 2 if is_tied else below
        return beaten if is_positive else len(others) - beaten
