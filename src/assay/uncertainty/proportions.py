"""Intervals for one proportion, by the name of their method.

Wilson is the default: near its level at every n (Brown, Cai & DasGupta 2001). Clopper-Pearson never covers less than it
says and pays in width. The Wald interval of the textbooks is kept for comparison; it has no width at 0 and 1.

Where a function crosses zero: halving, which cannot fail on a bracket, helped by straight lines where they serve.

Limits of a predictive value where positives are as common as someone says, not as in these cases.

Limits of a ratio of two shares and of an odds ratio: all values that the score test does not reject.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from assay.errors import OptionError
from assay.results import Interval

__all__ = [
    "FEW_UNITS",
    "LEFT",
    "PROPORTION_METHODS",
    "crossing",
    "exceedance_p_value",
    "f_limits",
    "log_ratio_variance",
    "logit_predictive",
    "recovered_predictive",
    "recovered_ratio",
    "score_odds_ratio",
    "score_ratio",
    "weighted_proportion",
]


# The bracket that is left: less than one unit in the last place of one inside [0, 1], or a few units of its own ends.
LEFT = 2.0**-60
FEW_UNITS = 2.0**-52


def crossing(function: Callable[[float], float], inside: float, outside: float) -> float:
    """The point between `inside` (function below zero) and `outside` (at or above zero) where the sign changes.

    Where a line through both ends meets zero, the end that stays counting half (the Illinois method); the middle
    whenever three such steps have not halved the bracket, so that no function takes much longer than halving. A line
    that meets zero at an end of the bracket, or all but there, is asked a little inside: the other end would stay far
    away otherwise. The ends themselves are never asked.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 9)
    1.414213562
    """
    least = abs(outside - inside) * LEFT
    goal, steps, moved = abs(outside - inside), 0, ""
    below = above = math.nan
    while (left := abs(gap := outside - inside)) > (few := FEW_UNITS * (abs(inside) + abs(outside))) and left > least:
        if left <= goal / 2:
            goal, steps = left, 0
        steps += 1
        at = middle = inside + gap / 2
        if middle in (inside, outside):
            break
        rise = above - below
        if steps <= 3 and rise > 0:
            share, edge = -below / rise, min(few / left, 0.5)
            at = inside + gap * (edge if share < edge else 1 - edge if share > 1 - edge else share)
        value = function(at)
        if value < 0:
            inside, below, above, moved = at, value, above / 2 if moved == "inside" else above, "inside"
        else:
            outside, above, below, moved = at, value, below / 2 if moved == "outside" else below, "outside"
    return (inside + outside) / 2


Limits = tuple[float, float]

# Methods that count arrangements of whole cases.
COUNT_ONLY = frozenset({"Clopper-Pearson", "mid-p", "Blaker"})


def wilson(part: float, whole: float, level: float) -> Limits:
    """Wilson (1927): all p that a score test does not reject.

    >>> [round(limit, 6) for limit in wilson(530, 569, 0.95)]
    [0.907673, 0.949458]
    """
    z = _z(level)
    centre = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(max(part * (whole - part) / whole, 0.0) + z * z / 4)
    return _clipped_limits(part, whole, centre - half, centre + half)


def wilson_corrected(part: float, whole: float, level: float) -> Limits:
    """Wilson with Yates's continuity correction, as R's prop.test gives it."""
    z, p = _z(level), part / whole
    correction = min(0.5, abs(part - whole / 2))  # as R: never past the centre
    centre = (part + z * z / 2) / (whole + z * z)

    def half(shifted: float) -> float:
        return z / (whole + z * z) * math.sqrt(whole * shifted * (1 - shifted) + z * z / 4)

    low_p, high_p = p - correction / whole, p + correction / whole
    low = centre - correction / (whole + z * z) - half(low_p) if part > 0 else 0.0
    high = centre + correction / (whole + z * z) + half(high_p) if part < whole else 1.0
    return _clipped_limits(part, whole, low, high)


def clopper_pearson(part: float, whole: float, level: float) -> Limits:
    """Clopper & Pearson (1934): inverts two exact one-sided binomial tests; covers at least `level`, always."""
    tail = (1 - level) / 2
    low = 0.0 if part <= 0 else float(betaincinv(part, whole - part + 1, tail))
    high = 1.0 if part >= whole else float(betaincinv(part + 1, whole - part, 1 - tail))
    return low, high


def jeffreys(part: float, whole: float, level: float) -> Limits:
    """Jeffreys: the middle of the Beta posterior with half a case added to each side."""
    tail = (1 - level) / 2
    low = 0.0 if part <= 0 else float(betaincinv(part + 0.5, whole - part + 0.5, tail))
    high = 1.0 if part >= whole else float(betaincinv(part + 0.5, whole - part + 0.5, 1 - tail))
    return low, high


def agresti_coull(part: float, whole: float, level: float) -> Limits:
    """Agresti & Coull (1998): Wald around Wilson's centre."""
    z = _z(level)
    return _shifted_wald(part, whole, z * z / 2, z)


def plus_four(part: float, whole: float, level: float) -> Limits:
    """Wald after adding two successes and two failures."""
    return _shifted_wald(part, whole, 2.0, _z(level))


def wald(part: float, whole: float, level: float) -> Limits:
    """The textbook interval, p plus or minus z standard errors; its coverage is erratic and too low."""
    return _shifted_wald(part, whole, 0.0, _z(level))


def mid_p(part: float, whole: float, level: float) -> Limits:
    """Clopper-Pearson with half the probability of the observed count: less conservative, nearly exact."""
    tail = (1 - level) / 2

    def at_least(p: float) -> float:
        return float(1 - 0.5 * _probability_at_most(part, whole, p) - 0.5 * _probability_at_most(part - 1, whole, p))

    estimate = part / whole
    low = 0.0 if part <= 0 else crossing(lambda p: tail - at_least(p), estimate, 0.0)
    high = 1.0 if part >= whole else crossing(lambda p: tail - (1 - at_least(p)), estimate, 1.0)
    return low, high


def blaker(part: float, whole: float, level: float) -> Limits:
    """Blaker (2000): exact like Clopper-Pearson but inside it, from a two-sided acceptability function."""
    low, high = clopper_pearson(part, whole, level)
    return (
        _blaker_limit(part, whole, level, low) if part > 0 else 0.0,
        _blaker_limit(part, whole, level, high) if part < whole else 1.0,
    )


def _blaker_limit(part: float, whole: float, level: float, start: float) -> float:
    """From a Clopper-Pearson limit inwards, the first p acceptable enough; acceptability jumps, so this walks."""
    stop = part / whole
    for _ in range(2):
        steps = np.linspace(start, stop, 1_001)
        first = int(np.argmax(_acceptability(part, whole, steps) >= 1 - level))
        start, stop = float(steps[max(first - 1, 0)]), float(steps[first])
    # The last p that is not acceptable: one step outside, so that the interval stays exact.
    return start


PROPORTION_METHODS: Mapping[str, Callable[[float, float, float], Limits]] = MappingProxyType(
    {
        "Wilson": wilson,
        "Wilson, continuity corrected": wilson_corrected,
        "Clopper-Pearson": clopper_pearson,
        "Jeffreys": jeffreys,
        "Agresti-Coull": agresti_coull,
        "plus four": plus_four,
        "mid-p": mid_p,
        "Blaker": blaker,
        "Wald": wald,
    }
)


def weighted_proportion(
    name: str, part: float, whole: float, part_squares: float, whole_squares: float, level: float
) -> Interval:
    """The interval of a weighted share, on the number of equally weighted cases that would be as informative.

    That is the binomial variance over the variance the squared weights give, and never more than Kish's n: where the
    heavy cases happen to be right, the share is high and that variance small.

    >>> weighted_proportion("Wilson", 30.0, 60.0, 45.0, 90.0, 0.95).method
    'Wilson, effective n 40'
    """
    if name in COUNT_ONLY:
        found = f"these cases have weights, and {name!r} counts whole ones"
        raise OptionError(found, "method='Wilson', which takes weights")
    share = part / whole
    spread = part_squares * (1 - share) ** 2 + (whole_squares - part_squares) * share**2
    kish = whole**2 / whole_squares
    effective = min(kish, share * (1 - share) * whole**2 / spread) if 0 < share < 1 else kish
    limits = PROPORTION_METHODS[name](share * effective, effective, level)
    se = math.sqrt(share * (1 - share) / effective) if name == "Wald" else None
    return Interval(*limits, f"{name}, effective n {effective:.4g}", se=se)


def f_limits(
    cells: tuple[float, float, float], squares: tuple[float, float, float], weight: float, level: float
) -> Limits | None:
    """Limits of an F measure from TP, FN, FP and the sums of their squared weights; None without a hit or an error.

    F1 is a function of the Jaccard proportion TP / (TP + FN + FP), so its limits are Wilson's carried over. Where
    cases or the two kinds of error count differently, Kish's effective numbers of hits and of errors take their place,
    and the odds are scaled back; for F1 without weights these are the plain numbers.

    >>> f_limits((90, 210, 140), (90, 210, 140), 1.0, 0.95)
    (0.2898..., 0.3932...)
    """
    (tp, fn, fp), (tp2, fn2, fp2) = cells, squares
    if tp + fn + fp == 0:
        return None
    if cells != squares:
        return _weighted_f_limits(cells, squares, weight, level)
    errors = weight * fn + fp
    # One more error of each kind (of the mean weight) keeps their ratio from resting on the few that were seen.
    one = (fn2 + fp2 + tp2) / (fn + fp + tp)
    scale = (errors + (weight + 1) * one) / (weight * weight * (fn2 + one * one) + fp2 + one * one)
    hits = tp * tp / tp2 if tp2 else 0.0
    low, high = wilson(hits, hits + errors * scale, level) if hits + errors * scale > 0 else (0.0, 1.0)
    per_hit = tp2 / tp if tp else one
    odds_scale = (1 + weight) * scale * per_hit

    def carried(share: float) -> float:
        odds = odds_scale * share / (1 - share) if share < 1 else math.inf
        return odds / (1 + odds) if odds < math.inf else 1.0

    return carried(low), carried(high)


def _weighted_f_limits(
    cells: tuple[float, float, float], squares: tuple[float, float, float], weight: float, level: float
) -> Limits:
    """The same of weighted cases: Wilson's on as many as would tell as much, never more than equal weights would."""
    counted_as = np.array([1 + weight, weight, 1.0])
    whole = float(counted_as @ cells)
    share = (1 + weight) * cells[0] / whole
    kish, each = sum(cells) ** 2 / sum(squares), sum(squares) / sum(cells)
    away = counted_as * np.array([1 - share, share, share])
    spread = max(float(away**2 @ squares), float(away**2 @ cells) * each) / whole**2
    effective = share * (1 - share) / spread if 0 < share < 1 else kish
    return wilson(share * effective, effective, level)


def exceedance_p_value(part: float, whole: float, reference: float) -> float:
    """One-sided exact p-value of "the true proportion is not above `reference`".

    Beside an accuracy and the share of the commonest class this is the test of the no-information rate.

    >>> round(exceedance_p_value(357, 569, 357 / 569), 6)
    0.518754
    """
    return float(_probability_at_least(part, whole, reference))


def log_ratio_variance(x1: Any, n1: Any, x0: Any, n0: Any) -> Any:
    """Squared standard error of the logarithm of (x1 / n1) / (x0 / n0) (Simel, Samsa & Matchar 1991).

    >>> round(float(log_ratio_variance(187.0, 212.0, 14.0, 357.0)) ** 0.5, 4)
    0.2632
    """
    return 1 / x1 - 1 / n1 + 1 / x0 - 1 / n0


def recovered_ratio(x1: float, n1: float, x0: float, n0: float, level: float) -> Limits:
    """Limits of (x1 / n1) / (x0 / n0) recovered from Wilson's limits of either share (Donner & Zou 2012).

    >>> [round(limit, 3) for limit in recovered_ratio(187, 212, 14, 357, 0.95)]
    [13.568, 37.582]
    """
    p1, p0 = x1 / n1, x0 / n0
    (l1, u1), (l0, u0) = wilson(x1, n1, level), wilson(x0, n0, level)
    product = p1 * p0
    below = max(product**2 - l1 * u0 * (2 * p1 - l1) * (2 * p0 - u0), 0.0)
    above = max(product**2 - u1 * l0 * (2 * p1 - u1) * (2 * p0 - l0), 0.0)
    under, over = u0 * (2 * p0 - u0), l0 * (2 * p0 - l0)
    low = (product - math.sqrt(below)) / under if under else l1 * (2 * p1 - l1) / (2 * product)
    return low, (product + math.sqrt(above)) / over if over > 0 else math.inf


def _probability_at_least(count: float, n: float, p: Any) -> Any:
    """Binomial probability of at least `count` successes, through the beta distribution."""
    return betainc(count, n - count + 1, p) if count > 0 else np.ones_like(p)


def _probability_at_most(count: float, n: float, p: Any) -> Any:
    """Binomial probability of at most `count` successes."""
    if count < 0:
        return np.zeros_like(p)
    return betainc(n - count, count + 1, 1 - p) if count < n else np.ones_like(p)


def _acceptability(part: float, whole: float, p: Any) -> Any:
    """How compatible each p is with the count: the smaller tail plus the largest opposite tail not above it."""
    upper, lower = _probability_at_least(part, whole, p), _probability_at_most(part, whole, p)
    smaller = np.minimum(upper, lower)
    # The opposite tail begins where its probability falls to the smaller one: halve the counts until it is found.
    from_below, from_above = np.full_like(p, -1.0), np.full_like(p, whole + 1.0)
    inside, outside = np.full_like(p, part), np.where(upper <= lower, from_below, from_above)
    while (np.abs(inside - outside) > 1).any():
        middle = np.floor((inside + outside) / 2)
        tail = np.where(
            upper <= lower, _binomial_tail(middle, whole, p, up=False), _binomial_tail(middle, whole, p, up=True)
        )
        fits = tail <= smaller * (1 + 1e-12)
        inside, outside = np.where(fits, inside, middle), np.where(fits, middle, outside)
    opposite = np.where(
        upper <= lower, _binomial_tail(outside, whole, p, up=False), _binomial_tail(outside, whole, p, up=True)
    )
    return np.minimum(smaller + opposite, 1.0)


def _binomial_tail(count: Any, n: float, p: Any, *, up: bool) -> Any:
    """Binomial tail from `count` on (or up to it), for arrays of counts that may lie just outside 0 to n."""
    if up:
        return np.where(
            count <= 0, 1.0, np.where(count > n, 0.0, betainc(np.clip(count, 1, n), n - np.clip(count, 1, n) + 1, p))
        )
    return _binomial_tail(n - count, n, 1 - p, up=True)


def _shifted_wald(part: float, whole: float, added: float, z: float) -> Limits:
    centre = (part + added) / (whole + 2 * added)
    half = z * math.sqrt(max(centre * (1 - centre), 0.0) / (whole + 2 * added))
    return max(0.0, centre - half), min(1.0, centre + half)


def _clipped_limits(part: float, whole: float, low: float, high: float) -> Limits:
    """Limits held to [0, 1] and, against rounding, exactly 0 and 1 where the count is."""
    return (0.0 if part <= 0 else max(0.0, low)), (1.0 if part >= whole else min(1.0, high))


def _z(level: float) -> float:
    return float(ndtri(0.5 + level / 2))


def logit_predictive(x1: float, n1: float, x0: float, n0: float, odds: float, level: float) -> Interval:
    """Mercaldo, Lau & Zhou (2007): normal on the logit scale.

    The value is the chance that a call is right, when it is made for x1 of n1 cases it is right about and for x0 of n0
    it is wrong about, and the former are `odds` times as common. The odds are taken as known.

    >>> logit_predictive(187, 212, 14, 357, 0.05 / 0.95, 0.95)
    Interval(low=0.414..., high=0.664..., method='logit, Mercaldo', undefined=None)
    """
    name = "logit, Mercaldo"
    if min(x1, x0) <= 0:
        return Interval.missing(name, "a cell is empty, so the logit has no standard error")
    z = float(ndtri(0.5 + level / 2))
    value, factor = odds * (x1 / n1) / (x0 / n0), math.exp(z * math.sqrt(log_ratio_variance(x1, n1, x0, n0)))
    return Interval(_share_from_odds(value / factor), _share_from_odds(value * factor), name)


def recovered_predictive(x1: float, n1: float, x0: float, n0: float, odds: float, level: float) -> Interval:
    """The same from Wilson's limits of either share (Donner & Zou 2012), which holds in small samples.

    >>> recovered_predictive(9, 10, 0, 20, 0.05 / 0.95, 0.95)
    Interval(low=0.216..., high=1.0, method='MOVER, Wilson', undefined=None)
    """
    name = "MOVER, Wilson"
    if x0 > 0:
        low, high = recovered_ratio(x1, n1, x0, n0, level)
        return Interval(_share_from_odds(odds * low), _share_from_odds(odds * high), name)
    # No wrong call was seen: the limits of the inverse ratio, which has an end.
    low, high = recovered_ratio(x0, n0, x1, n1, level)
    return Interval(1 - _share_from_odds(high / odds), 1 - _share_from_odds(low / odds), name)


def _share_from_odds(odds: float) -> float:
    return odds / (1 + odds) if math.isfinite(odds) else 1.0


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
    p1, p0, together, reach = x1 / n1, x0 / n0, x1 + x0, _squared_quantile(n1 + n0, level)

    def variance(ratio: float) -> float:
        # The share among the second that fits both best, were the ratio this.
        a, b = (n1 + n0) * ratio, -(n1 * ratio + x1 + n0 + x0 * ratio)
        second = 2 * together / (math.sqrt(max(b * b - 4 * a * together, 0.0)) - b)
        first = min(ratio * second, 1.0)
        return first * (1 - first) / n1 + ratio**2 * second * (1 - second) / n0

    def rejects(power: float) -> float:
        ratio = math.exp(power)
        return (p1 - ratio * p0) ** 2 - reach * variance(ratio)

    return _inverted_test(rejects, p1, p0)


def score_odds_ratio(x1: float, n1: float, x0: float, n0: float, level: float) -> Limits:
    """Limits of the odds of x1 in n1 over those of x0 in n0, by the same score test.

    >>> [round(limit, 1) for limit in score_odds_ratio(187, 212, 14, 357, 0.95)]
    [93.4, 359.5]
    """
    together, reach = x1 + x0, _squared_quantile(n1 + n0, level)

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

    return _inverted_test(rejects, x1 * (n0 - x0), x0 * (n1 - x1))


def _squared_quantile(cases: float, level: float) -> float:
    """The squared normal quantile, with Miettinen and Nurminen's n / (n - 1)."""
    return float(ndtri(0.5 + level / 2)) ** 2 * cases / (cases - 1)


def _inverted_test(rejects: Callable[[float], float], above: float, below: float) -> Limits:
    """Where a test of powers of e begins to reject, on either side of the estimate `above / below`."""
    # Without an error of the one kind the estimate itself is at an end.
    middle = math.log(above / below) if min(above, below) > 0 else math.copysign(FURTHEST, above - below)
    low = 0.0 if above == 0 else math.exp(crossing(rejects, *_bracket_limit(rejects, middle, -FURTHEST)))
    high = math.inf if below == 0 else math.exp(crossing(rejects, *_bracket_limit(rejects, middle, FURTHEST)))
    return low, high


def _bracket_limit(rejects: Callable[[float], float], inside: float, furthest: float) -> Limits:
    """Two powers that the limit lies between, the nearer one not rejected: most limits are not far out."""
    step = math.copysign(FIRST, furthest - inside)
    while abs(step) < abs(furthest - inside):
        if rejects(inside + step) >= 0:
            return inside, inside + step
        inside, step = inside + step, 2 * step
    return inside, furthest
