"""Limits of a whole ROC curve at once: all points that some point of the curve seen makes likely enough."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from assay.types import Floats

__all__ = ["likelihood_limits"]

# How unlikely a point may be: found by simulation, not proved. Its 95 % point over all curves tried and 15 to 20,000
# cases moved from 1.6 to 5.1 only (verification/bands.py).
AT_95, PER_LOG_CASES, BELOW_95 = 2.0, 0.35, 0.8
# Inside a tie block points so many standard errors apart stand for those between them: at the point of a straight
# line that is the likeliest, a shift of half of that changes the log likelihood by less than .008.
APART = 0.25
NEAR, TINY, HUGE = 1e-12, 1e-300, 1e300
MOST_STEPS = 60
# Corners tried of a curve that has but one.
CORNERS = 513
# The logarithm of a chance of 0: no count times it is ever likely enough.
NEVER = -1e300


def likelihood_limits(negative: Floats, positive: Floats, fpr: Floats, level: float) -> tuple[Floats, Floats]:
    """The least and the greatest recall at each false-positive rate, so that with `level` the whole true curve is held.

    `negative` and `positive` are the cases of tie blocks from the highest score down; neither class is empty. A point
    (f, t) is held where some point (i, j) of the curve of counts has n0 KL(i/n0, f) + n1 KL(j/n1, t) <= c, KL being
    Bernoulli's divergence: a likelihood ball around every point of the curve, after the bands of Berk & Jones (1979)
    and Owen (1995) for one distribution. Tie blocks are walked along their diagonal, case by case of the class that has
    more in them. Where there are two scores only, the curve runs straight to its one corner and straight on, which
    makes the band narrower.

    >>> negative, positive = np.array([1.0, 4.0, 15.0]), np.array([12.0, 5.0, 3.0])
    >>> [side.round(3).tolist() for side in likelihood_limits(negative, positive, np.array([0.0, 0.5]), 0.95)]
    [[0.0, 0.643], [0.152, 0.995]]
    """
    n0, n1 = float(negative.sum()), float(positive.sum())
    reach = _reach(n0 + n1, level)
    if len(negative) == 2:
        return _of_one_corner(float(negative[0]), float(positive[0]), n0, n1, fpr, reach)
    across, up = _walk(negative, positive)
    moves = np.diff(across) > 0
    # Over one and the same false-positive rate the lowest point decides the lower limit and the highest the upper one.
    lowest, highest = np.concatenate(([True], moves)), np.concatenate((moves, [True]))
    low = _lowest(across[lowest], up[lowest], n0, n1, fpr, reach)
    # Turned upside down, what is highest is lowest.
    high = 1 - _lowest(across[highest], n1 - up[highest], n0, n1, fpr, reach)
    return low, high


def _of_one_corner(
    alarms: float, hits: float, n0: float, n1: float, fpr: Floats, reach: float
) -> tuple[Floats, Floats]:
    """The least and greatest recall on straight lines to a corner in its ball, and on from there.

    The lines begin in the ball of (0, 0) and end in that of (1, 1), since scores that nobody here has may be rare: at
    the corner of the rectangle around either ball that is furthest out.
    """
    ends = (_inverse(np.array([share]), np.array([reach / n0]))[0] for share in (alarms / n0, 1 - alarms / n0))
    first, last = next(ends), 1 - next(ends)
    # Evenly spaced on the scale where the spread of a share is the same everywhere.
    angle = np.linspace(math.asin(math.sqrt(first)), math.asin(math.sqrt(last)), CORNERS)
    # Never quite 0 or 1, where the curve may rise straight up.
    corner, fpr = (np.clip(share, NEAR, 1 - NEAR) for share in (np.sin(angle) ** 2, fpr))
    own = n0 * _entropy(np.array([alarms / n0]))
    left = np.maximum(reach - _divergence(np.array([alarms]), np.array([n0 - alarms]), own, corner), 0.0) / n1
    low = _inverse(np.full(CORNERS, hits / n1), left)
    high = 1 - _inverse(np.full(CORNERS, 1 - hits / n1), left)
    across, up = -math.expm1(-reach / n0), -math.expm1(-reach / n1)
    place = np.searchsorted(corner, fpr)
    rise = low / np.maximum(corner - across, NEAR)
    fall = (1 - up - low) / np.maximum(1 - corner, NEAR)
    lowest = np.minimum(
        np.maximum(fpr - across, 0.0) * _before(rise[::-1], CORNERS - place), 1 - up + (1 - fpr) * _before(-fall, place)
    )
    rise = (high - up) / np.maximum(corner, NEAR)
    fall = (1 - high) / np.maximum(1 - across - corner, NEAR)
    highest = np.maximum(
        up - fpr * _before(-rise[::-1], CORNERS - place),
        1 - np.maximum(1 - across - fpr, 0.0) * _before(fall, place),
    )
    return np.clip(lowest, 0.0, 1.0), np.clip(highest, 0.0, 1.0)


def _before(values: Floats, count: NDArray[np.intp]) -> Floats:
    """The least of the first so many values; a huge one where that is none."""
    return np.concatenate(([HUGE], np.minimum.accumulate(values)))[count]


def _reach(cases: float, level: float) -> float:
    """How far from the likeliest a point may be, on the scale of log likelihoods."""
    more = math.log(0.05 / (1 - level))
    return AT_95 + PER_LOG_CASES * math.log(cases) + (more if more > 0 else BELOW_95 * more)


def _walk(negative: Floats, positive: Floats) -> tuple[Floats, Floats]:
    """The curve of counts, vertex by vertex, with steps of at most one case of either class inside a tie block."""
    steps = np.maximum(np.ceil(np.maximum(negative, positive)), 1).astype(np.int64)
    block = np.repeat(np.arange(len(steps)), steps)
    place = np.arange(1, len(block) + 1) - np.repeat(np.cumsum(steps) - steps, steps)
    part = place / steps[block]
    walked = []
    for side in (negative, positive):
        before = np.cumsum(side) - side
        walked.append(np.concatenate(([0.0], before[block] + part * side[block])))
    across, up = walked
    if len(across) == len(steps) + 1:
        return across, up
    passed = sum(2 * np.sqrt(side[-1]) * np.arcsin(np.sqrt(np.minimum(side / side[-1], 1))) for side in walked)
    mark = np.floor(passed / APART)
    ends = np.concatenate(([True], part == 1))
    kept = ends | (np.diff(mark, prepend=-1.0) > 0)
    return across[kept], up[kept]


def _lowest(across: Floats, up: Floats, n0: float, n1: float, fpr: Floats, reach: float) -> Floats:
    """The least t at each f that a point of the curve reaches; `across` rises, `up` only rises or only falls.

    Only points whose own count is likely at f matter, a narrow range of the curve. Beginning at the lowest of them, the
    one that has most to spare at t is found by products alone, and t moves to the least that this one reaches: until
    none has anything to spare.
    """
    first, last = _likely(across, n0, fpr, reach)
    place = np.minimum(first[:, None] + np.arange(int((last - first).max())), last[:, None] - 1)
    yes = up[place]
    no = n1 - yes
    x = across[place]
    left = reach - _divergence(x, n0 - x, (n0 * _entropy(across / n0))[place], fpr[:, None])
    spare = np.where(left >= 0, left - (n1 * _entropy(up / n1))[place], -np.inf)
    rows = np.arange(len(fpr))
    found = np.where(left >= 0, yes, n1).min(1) / n1
    while True:
        slack = spare + yes * _log(found)[:, None]
        slack += no * _log(1 - found)[:, None]
        best = np.argmax(slack, axis=1)
        lower = _inverse(yes[rows, best] / n1, left[rows, best] / n1)
        moved = lower < found - NEAR
        if not moved.any():
            return np.asarray(found)
        found = np.where(moved, lower, found)


def _likely(across: Floats, n: float, fpr: Floats, reach: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Between which places the counts may be likely at each rate, by Bernstein's bound, which is a little too wide."""
    third = reach / n / 3
    far = third + np.sqrt(third * third + 2 * reach / n * fpr * (1 - fpr))
    # A case more, so that there is always one.
    low, high = n * (fpr - far) - 1, n * (fpr + far) + 1
    return np.searchsorted(across, low), np.searchsorted(across, high, side="right")


def _inverse(share: Floats, radius: Floats) -> Floats:
    """The least t with KL(share, t) <= radius, by Newton's method on the logit scale.

    There the divergence is convex, so that steps from below never pass the limit.
    """
    own, inside = _entropy(share), (share > 0) & (radius > 0)
    p = np.where(inside, share, 0.5)
    by_pinsker = np.maximum(p - np.sqrt(np.maximum(radius, 0.0) / 2), 0.0)
    logit = np.maximum(_log(by_pinsker) - _log(1 - by_pinsker), (own - radius) / p)
    for _ in range(MOST_STEPS):
        t = expit(logit)
        step = (own - p * logit + np.logaddexp(0.0, logit) - radius) / np.maximum(p - t, TINY)
        step = np.where(inside & (p > t), np.maximum(step, 0.0), 0.0)
        logit += step
        if (step <= NEAR * (1 + np.abs(logit))).all():
            break
    found: Floats = np.where(inside, np.minimum(expit(logit), share), share)
    return found


def _entropy(share: Floats) -> Floats:
    rest = np.maximum(1 - share, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Floats = np.nan_to_num(share * np.log(share)) + np.nan_to_num(rest * np.log(rest))
    return found


def _divergence(yes: Floats, no: Floats, entropy: Floats, chance: Floats) -> Floats:
    """n KL(yes / n, chance), given n times the negative entropy of the share."""
    found: Floats = entropy - yes * _log(chance) - no * _log(1 - chance)
    return found


def _log(chance: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(np.maximum(chance, 0.0)), NEVER)
