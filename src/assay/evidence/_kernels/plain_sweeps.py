"""Passes over a table of scores that is sorted already, in numpy: the oracle of the compiled loops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats

# A pass over all points is worth it while it drops at least this share of them; where more are left than can be walked
# in a moment, so many passes more may show that they are corners all.
_WORTH_A_PASS = 1 / 16
_SHORT, _LAST_PASSES = 4096, 16
_PIECE = 1 << 13


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


def pairs_in_order(negative: Floats, positive: Floats) -> Floats:
    """Of each table of a batch (leading axes) the pairs in order, ties half.

    >>> pairs_in_order(np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 2.0], [1.0, 0.0]]))
    array([3. , 0.5])
    """
    below = np.cumsum(negative, axis=-1)
    below -= 0.5 * negative
    wins: Floats = np.einsum("...i,...i->...", positive, below)
    return wins


def precision_sums(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """Of each table of a batch the sums over positives of the precision at their score, and of what it lacks of 1.

    >>> right, wrong = precision_sums(np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0]))
    >>> right.round(6).item(), wrong.round(6).item()
    (1.166667, 0.833333)
    """
    place = np.flatnonzero(positive.any(tuple(range(positive.ndim - 1))))
    own = positive[..., place]
    hits = np.cumsum(own[..., ::-1], axis=-1)[..., ::-1]
    alarms = np.cumsum(negative[..., ::-1], axis=-1)[..., ::-1][..., place]
    # In a batch some tables may have no case at all down to a score that others have positives at.
    share = np.divide(own, hits + alarms, out=np.zeros_like(hits), where=own > 0)
    return np.asarray((share * hits).sum(-1)), np.asarray((share * alarms).sum(-1))


def precision_moves(negative: Floats, positive: Floats, scale: float, mean: float) -> tuple[Floats, Floats]:
    """How far a case at each score moves the mean precision at positives, as a negative and as a positive.

    A case changes the precision at every threshold up to its score; a positive also enters the mean.

    >>> precision_moves(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2.0, 1.0)
    (array([-0., -2.]), array([-1.,  0.]))
    """
    hits, flags = _cumulative_positives_and_cases(negative, positive)
    precision, weight = hits / flags, scale * positive / flags
    lost = np.cumsum(weight * precision)
    return -lost, scale * (precision - mean) + np.cumsum(weight) - lost


def area_moves(
    negative: Floats, positive: Floats, scale: float, positives: float
) -> tuple[float, tuple[Floats, Floats]]:
    """The area under the precision-recall curve, and how far a case at each score moves it, as either class.

    It moves its own stretch of the curve, and all that lies below its score.

    >>> area_moves(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 2.0, 1.0)
    (1.0, (array([ 0., -2.]), array([0., 0.])))
    """
    place = np.flatnonzero(positive > 0)
    hits, flags = (each[place] for each in _cumulative_positives_and_cases(negative, positive))
    own, calls = positive[place], positive[place] + negative[place]
    before, called = hits - own, flags - calls

    def of_called(part: Floats) -> Floats:
        return np.divide(part, called, out=np.zeros_like(called), where=called > 0)

    growth, share = np.log1p(of_called(calls)), own / calls
    reached = called * share
    gap, by_before = reached - before, share * growth
    steep, lost = (gap + reached) * growth / calls, share * gap / flags
    by_called, by_calls = of_called(lost * calls) - share * by_before, share * steep - share * share - lost
    up_to = np.cumsum(positive > 0)
    of_negatives = np.concatenate(([0.0], np.cumsum(by_called)))[up_to]
    of_negatives[place] += by_calls - by_called
    of_positives = np.zeros(len(positive))
    area = float((share * own - gap * by_before).sum()) / positives
    of_positives[place] = 2 * share - steep + np.cumsum(by_before) - by_before - area + of_negatives[place]
    return area, (scale * of_negatives, scale * of_positives)


def precision_of_others(negative: Floats, positive: Floats, squares: Floats, least: float) -> float:
    """The sum over positives of the precision at their score without themselves; 1 where that leaves hardly a case.

    Of weights, whose squares are given, a usual one at the score is left out.

    >>> precision_of_others(np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([2.0, 1.0]), 1e-9).__round__(6)
    2.333333
    """
    place = np.flatnonzero(positive > 0)
    hits, flags = (each[place] for each in _cumulative_positives_and_cases(negative, positive))
    own = squares[place] / positive[place]
    left = flags - own
    precision = np.divide(hits - own, left, out=np.ones_like(left), where=left > least)
    return float((positive[place] * precision).sum())


def _cumulative_positives_and_cases(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """The positives and the cases that have each score or a higher one, added up from the top."""
    hits, alarms = (np.cumsum(side[::-1])[::-1] for side in (positive, negative))
    return hits, hits + alarms


def past_band(at: Floats, low: float, high: float) -> Floats:
    """For each stretch between two places the share of a band that lies past it, averaged over the stretch.

    >>> past_band(np.array([0.0, 0.1, 0.3, 0.3, 0.6]), 0.2, 0.4).round(6)
    array([1.      , 0.875   , 0.5     , 0.083333])
    """
    start, end = at[..., :-1], at[..., 1:]

    def ramp(knee: float) -> Floats:
        first, last = np.maximum(start - knee, 0), np.maximum(end - knee, 0)
        slope = np.divide(last - first, end - start, out=np.zeros_like(first), where=end > start)
        return np.where(end > start, slope * (0.5 * (last + first)), first)

    past: Floats = 1 - (ramp(low) - ramp(high)) / (high - low)
    return past


def height_in_band(at: Floats, height: Floats, low: float, high: float, first: float, last: float) -> Floats:
    """The mean height of a curve over each stretch, that before a band and past it held at its ends; 0 over none.

    >>> height_in_band(np.array([0.0, 0.2, 0.2, 0.6]), np.array([0.0, 0.5, 0.6, 0.8]), 0.1, 0.4, 0.25, 0.7)
    array([0.3125, 0.    , 0.675 ])
    """
    start, end, foot = at[:-1], at[1:], height[:-1]
    into, out = np.clip(start, low, high), np.clip(end, low, high)

    def over_width(part: Floats) -> Floats:
        return np.divide(part, end - start, out=np.zeros_like(start), where=end > start)

    within = (out - into) * (foot + over_width(height[1:] - foot) * (0.5 * (into + out) - start))
    before = (np.minimum(end, low) - np.minimum(start, low)) * first
    return over_width(within + before + (np.maximum(end, high) - np.maximum(start, high)) * last)


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
        stays = _are_above_chords(x[kept], y[kept], reach, slack)
        dropped = len(kept) - int(stays.sum())
        kept = kept[stays]
        if dropped < _WORTH_A_PASS * len(stays):
            if reach > 1:
                break
            # Lines over longer stretches drop what neighbours, each above its own, would drop one by one.
            reach = 8
    for _ in range(_LAST_PASSES if len(kept) > _SHORT else 0):
        stays = _are_above_chords(x[kept], y[kept], 1, slack)
        if stays.all():
            return kept  # each above the line between its neighbours: nothing is left to drop
        kept = kept[stays]
    return kept[_monotone_chain(x[kept].tolist(), y[kept].tolist(), slack)]


def table_hull(negative: Floats, positive: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """Corners of the upper hull of what is called from the highest score down: how many scores are called at each.

    >>> table_hull(np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 1.0]))
    array([0, 1, 3])
    """
    x, y = (np.concatenate(([0.0], np.cumsum(side[::-1]))) for side in (negative, positive))
    return upper_hull(x, y, slack)


def joint_hull(x: Floats, y: Floats, slack: float = 0.0) -> NDArray[np.intp]:
    """The same for points in any order; of equal points the first is taken.

    >>> joint_hull(np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 1.0]))
    array([1, 2, 0])
    """
    order = np.lexsort((y, x))
    return order[upper_hull(x[order], y[order], slack)]


def _are_above_chords(x: Floats, y: Floats, reach: int, slack: float) -> NDArray[np.bool_]:
    """Which points lie above the line between those `reach` places before and after them; ends have no such line."""
    left, middle, right = slice(None, -2 * reach), slice(reach, -reach), slice(2 * reach, None)
    rise = (y[middle] - y[left]) * (x[right] - x[middle])
    run = (y[right] - y[middle]) * (x[middle] - x[left])
    above = np.ones(len(x), dtype=np.bool_)
    above[middle] = rise - run > slack * (rise + run) if slack else rise > run
    return above


def _monotone_chain(x: list[float], y: list[float], slack: float) -> list[int]:
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


def class_products(moved: Floats, is_positive: NDArray[np.bool_]) -> Floats:
    """The sums of products of each two rows over the columns of either class: a matrix of negatives, one of positives.

    >>> class_products(np.array([[1.0, 2.0, 3.0]]), np.array([True, False, True])).tolist()
    [[[4.0]], [[10.0]]]
    """
    sides = (moved[:, ~is_positive], moved[:, is_positive])
    # Without a linear algebra library: neither another row nor a thread turns a digit of two.
    return np.stack([np.einsum("ik,jk->ij", side, side) for side in sides])


def line_moments(x: Floats, negative: Floats, positive: Floats, shift: float, slope: float) -> tuple[float, ...]:
    """Of a logistic line: sums over the cases of what is missed, of that times x, and of their spread times 1, x, x^2.

    >>> line_moments(np.array([0.0]), np.array([1.0]), np.array([1.0]), 0.0, 1.0)
    (0.0, 0.0, 0.5, 0.0, 0.0)
    """
    sums = np.zeros(5)
    for part, p in _logistic_probabilities(x, shift, slope):
        some, promised = x[part], (negative[part] + positive[part]) * p
        missed, spread = positive[part] - promised, promised * (1 - p)
        across = spread * some
        sums += missed.sum(), missed @ some, spread.sum(), across.sum(), across @ some
    return tuple(sums.tolist())


def line_pulls(x: Floats, negative: Floats, positive: Floats, shift: float, slope: float) -> tuple[float, ...]:
    """Of a logistic line: sums of the squares of what is missed times 1, x and x^2, and of the rest times 1 and x.

    That rest is what the negatives' probabilities lack of 1, and the positives' probabilities.

    >>> line_pulls(np.array([0.0, 2.0]), np.ones(2), np.zeros(2), 0.0, 0.0)
    (0.5, 0.5, 1.0, 1.0, 1.0, 0.0, 0.0)
    """
    sums = np.zeros(7)
    for part, p in _logistic_probabilities(x, shift, slope):
        some, missed = x[part], negative[part] * p**2 + positive[part] * (1 - p) ** 2
        across, low, high = missed * some, negative[part] * (1 - p), positive[part] * p
        sums += missed.sum(), across.sum(), across @ some, low.sum(), low @ some, high.sum(), high @ some
    return tuple(sums.tolist())


def _logistic_probabilities(x: Floats, shift: float, slope: float) -> Iterator[tuple[slice, Floats]]:
    """Probabilities of a logistic line, a few at a time, which stay in the nearest memory."""
    for start in range(0, len(x), _PIECE):
        part = slice(start, start + _PIECE)
        with np.errstate(over="ignore"):
            yield part, 1 / (1 + np.exp(-(shift + slope * x[part])))


def weighed(
    negative: Floats, of_negatives: Floats, positive: Floats, of_positives: Floats, *, power: int = 1
) -> tuple[float, float]:
    """Values at each score, or their powers of 2 or 4, added up over the negatives, and others over the positives.

    >>> weighed(np.array([1.0, 2.0]), np.array([3.0, 1.0]), np.array([0.0, 1.0]), np.array([5.0, 4.0]), power=2)
    (11.0, 16.0)
    """
    found = [
        _weighted_sum(weights, values if power == 1 else values**power)
        for weights, values in ((negative, of_negatives), (positive, of_positives))
    ]
    return found[0], found[1]


def moved_sums(
    sides: tuple[Floats, Floats],
    squares: tuple[Floats, Floats],
    moves: tuple[Floats, Floats],
    scale: float,
    shifts: tuple[float, float],
) -> tuple[float, float, float, float]:
    """Of what moves an estimate, scaled and shifted: the squares over either class, and what the other's move.

    >>> counts, moves = (np.array([2.0, 0.0]), np.array([0.0, 1.0])), (np.array([1.0, 3.0]), np.array([-1.0, 2.0]))
    >>> moved_sums(counts, counts, moves, 1.0, (0.0, 1.0))
    (2.0, 9.0, 0.0, 3.0)
    """
    low, high = (scale * each + shift for each, shift in zip(moves, shifts, strict=True))
    return (
        _weighted_sum(squares[0], low**2),
        _weighted_sum(squares[1], high**2),
        _weighted_sum(sides[0], high),
        _weighted_sum(sides[1], low),
    )


def _weighted_sum(weights: Floats, values: Floats) -> float:
    # Not by a linear algebra library: its threads wait for one another longer than such a sum takes.
    return float(np.einsum("i,i->", weights, values))
