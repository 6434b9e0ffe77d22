"""The difference of two proportions from different cases: classifiers that were tested on samples of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from assay.comparison._tables import Compared, furthest, quantile, refused, two_sided
from assay.request import checked_choice, checked_level
from assay.results import Interval, TestResult, counted
from assay.uncertainty import PROPORTION_METHODS

Limits = tuple[float, float]

NAME, NULL = "score test of two proportions", "both proportions are the same"
SCORE = "Miettinen-Nurminen"
# Below this in either sample the interval was not checked (summed exactly).
FEWEST_CASES = 10


def unpaired_test(x1: float, n1: float, x2: float, n2: float, level: float = 0.95) -> Compared:
    """Whether two proportions of different cases are the same, and the interval of their difference.

    `x1` of `n1` cases against `x2` of `n2`. The score test and its inversion (Miettinen & Nurminen 1985): the interval
    holds exactly the differences the test does not reject.

    >>> test, interval = unpaired_test(187, 212, 343, 357)
    >>> round(test.p_value, 6), round(interval.low, 4), round(interval.high, 4)
    (0.000331, -0.132, -0.0346)
    """
    level = checked_level(level)
    if min(n1, n2) <= 0:
        reason = "one of the samples holds no cases"
        return refused(NAME, NULL, reason), Interval.missing(SCORE, reason)
    z = _statistic(x1, n1, x2, n2, 0.0)
    test = TestResult(NAME, NULL, z, two_sided(z), "score, Miettinen-Nurminen")
    if min(n1, n2) < FEWEST_CASES:
        why = f"{counted(min(n1, n2), 'case')} in a sample: below {FEWEST_CASES} the interval did not keep its level"
        return test, Interval.missing(SCORE, why)
    return test, Interval(*_score(x1, n1, x2, n2, level), SCORE)


def unpaired_interval(
    x1: float, n1: float, x2: float, n2: float, level: float = 0.95, method: str = "Newcombe"
) -> Interval:
    """The interval of x1 / n1 - x2 / n2 by the method named; only Miettinen and Nurminen's belongs to a test.

    >>> unpaired_interval(187, 212, 343, 357).method
    'Newcombe'
    """
    level = checked_level(level)
    checked_choice(method, UNPAIRED_METHODS, "method")
    if min(n1, n2) <= 0:
        return Interval.missing(method, "one of the samples holds no cases")
    few = f"{counted(min(n1, n2), 'case')} in a sample: below {FEWEST_CASES} the interval did not keep its level"

    def limits() -> Interval:
        shares = [(x / n, n) for x, n in ((x1, n1), (x2, n2))]
        se = math.sqrt(sum(p * (1 - p) / n for p, n in shares)) if method == "Wald" else None
        return Interval(*UNPAIRED_METHODS[method](x1, n1, x2, n2, level), method, se=se)

    return limits() if min(n1, n2) >= FEWEST_CASES else Interval.missing(method, few, limits)


def _statistic(x1: float, n1: float, x2: float, n2: float, difference: float) -> float:
    """The score statistic at a difference, with the proportions that fit best under it."""
    p1, p2 = _constrained(x1, n1, x2, n2, difference)
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
    distance = x1 / n1 - x2 / n2 - difference
    if variance <= 0:
        return 0.0 if abs(distance) < 1e-12 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def _constrained(x1: float, n1: float, x2: float, n2: float, difference: float) -> Limits:
    """The most likely proportions that differ by so much: a root of a cubic, by trigonometry."""
    if difference == 0:
        pooled = (x1 + x2) / (n1 + n2)
        return pooled, pooled
    n, x = n1 + n2, x1 + x2
    square = (n1 + 2 * n2) * difference - n - x
    linear = (n2 * difference - n - 2 * x2) * difference + x
    constant = x2 * difference * (1 - difference)
    third = square / (3 * n)
    cube = third**3 - square * linear / (6 * n * n) + constant / (2 * n)
    size = math.copysign(math.sqrt(max(third**2 - linear / (3 * n), 0.0)), cube)
    angle = (math.pi + math.acos(max(-1.0, min(1.0, cube / size**3)))) / 3 if size != 0 else math.pi / 3
    p2 = min(max(2 * size * math.cos(angle) - third, 0.0, -difference), 1.0, 1 - difference)
    return min(max(p2 + difference, 0.0), 1.0), p2


def _score(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    z = quantile(level)
    return -_upper(x2, n2, x1, n1, z), _upper(x1, n1, x2, n2, z)


def _upper(x1: float, n1: float, x2: float, n2: float, z: float) -> float:
    def is_inside(difference: float) -> bool:
        return _statistic(x1, n1, x2, n2, difference) > -z

    found: float = furthest(is_inside, x1 / n1 - x2 / n2, 1.0)
    return found if x1 < n1 or x2 > 0 else 1.0


def _newcombe(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    """Newcombe (1998) method 10 for independent samples: from Wilson's limits of either proportion."""
    p1, p2 = x1 / n1, x2 / n2
    (low1, high1), (low2, high2) = (PROPORTION_METHODS["Wilson"](x, n, level) for x, n in ((x1, n1), (x2, n2)))
    return p1 - p2 - math.hypot(p1 - low1, high2 - p2), p1 - p2 + math.hypot(high1 - p1, p2 - low2)


def _agresti_caffo(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    """Agresti & Caffo (2000): Wald after adding a success and a failure to either sample."""
    return _wald(x1 + 1, n1 + 2, x2 + 1, n2 + 2, level)


def _wald(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    p1, p2 = x1 / n1, x2 / n2
    half = quantile(level) * math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return max(-1.0, p1 - p2 - half), min(1.0, p1 - p2 + half)


UNPAIRED_METHODS: Mapping[str, Callable[[float, float, float, float, float], Limits]] = MappingProxyType(
    {SCORE: _score, "Newcombe": _newcombe, "Agresti-Caffo": _agresti_caffo, "Wald": _wald}
)
