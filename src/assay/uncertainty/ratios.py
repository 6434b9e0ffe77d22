"""Limits of a ratio of two shares and of an odds ratio: all values that the score test does not reject."""

from __future__ import annotations

import math
from collections.abc import Callable

from scipy.special import ndtri

from assay.uncertainty._roots import crossing

__all__ = ["score_odds_ratio", "score_ratio"]

Limits = tuple[float, float]
# e to this power is as good as infinite, and its inverse as good as 0.
FURTHEST = 30.0
# How far from the estimate a limit is looked for first, then further away from there.
FIRST = 0.5


def score_ratio(x1: float, n1: float, x0: float, n0: float, level: float) -> Limits:
    """Limits of (x1 / n1) / (x0 / n0) by inverting the score test (Miettinen & Nurminen 1985).

    Where x0 is 0 the upper limit is infinite, where x1 is 0 the lower one is 0.

    >>> [round(limit, 3) for limit in score_ratio(187, 212, 14, 357, 0.95)]
    [13.585, 37.632]
    >>> round(score_ratio(9, 10, 0, 30, 0.95)[0], 3), score_ratio(9, 10, 0, 30, 0.95)[1]
    (7.695, inf)
    """
    p1, p0, together, reach = x1 / n1, x0 / n0, x1 + x0, _reach(n1 + n0, level)

    def variance(ratio: float) -> float:
        # The share among the second that fits both best, were the ratio this.
        a, b = (n1 + n0) * ratio, -(n1 * ratio + x1 + n0 + x0 * ratio)
        second = 2 * together / (math.sqrt(max(b * b - 4 * a * together, 0.0)) - b)
        first = min(ratio * second, 1.0)
        return first * (1 - first) / n1 + ratio**2 * second * (1 - second) / n0

    def rejects(power: float) -> float:
        ratio = math.exp(power)
        return (p1 - ratio * p0) ** 2 - reach * variance(ratio)

    return _inverted(rejects, p1, p0)


def score_odds_ratio(x1: float, n1: float, x0: float, n0: float, level: float) -> Limits:
    """Limits of the odds of x1 in n1 over those of x0 in n0, by the same score test.

    >>> [round(limit, 1) for limit in score_odds_ratio(187, 212, 14, 357, 0.95)]
    [93.4, 359.5]
    """
    together, reach = x1 + x0, _reach(n1 + n0, level)

    def rejects(power: float) -> float:
        ratio = math.exp(power)
        a, b = n0 * (ratio - 1), n1 * ratio + n0 - together * (ratio - 1)
        root = math.sqrt(max(b * b + 4 * a * together, 0.0))
        # Of two ways to write it, the one that subtracts nothing.
        second = 2 * together / (b + root) if b > 0 else (root - b) / (2 * a)
        first = ratio * second / (1 + second * (ratio - 1))
        spread = [n * p * (1 - p) for n, p in ((n1, first), (n0, second))]
        if min(spread) <= 0:
            return 0.0
        return (x1 - n1 * first) ** 2 * (1 / spread[0] + 1 / spread[1]) - reach

    return _inverted(rejects, x1 * (n0 - x0), x0 * (n1 - x1))


def _reach(cases: float, level: float) -> float:
    """The squared normal quantile, with Miettinen and Nurminen's n / (n - 1)."""
    return float(ndtri(0.5 + level / 2)) ** 2 * cases / (cases - 1)


def _inverted(rejects: Callable[[float], float], above: float, below: float) -> Limits:
    """Where a test of powers of e begins to reject, on either side of the estimate `above / below`."""
    # Without an error of the one kind the estimate itself is at an end.
    middle = math.log(above / below) if min(above, below) > 0 else math.copysign(FURTHEST, above - below)
    low = 0.0 if above == 0 else math.exp(crossing(rejects, *_around(rejects, middle, -FURTHEST)))
    high = math.inf if below == 0 else math.exp(crossing(rejects, *_around(rejects, middle, FURTHEST)))
    return low, high


def _around(rejects: Callable[[float], float], inside: float, furthest: float) -> Limits:
    """Two powers that the limit lies between, the nearer one not rejected: most limits are not far out."""
    step = math.copysign(FIRST, furthest - inside)
    while abs(step) < abs(furthest - inside):
        if rejects(inside + step) >= 0:
            return inside, inside + step
        inside, step = inside + step, 2 * step
    return inside, furthest
