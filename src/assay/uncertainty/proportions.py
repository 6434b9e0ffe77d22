"""Intervals for one proportion, by the name of their method.

Wilson is the default: near its level at every n (Brown, Cai & DasGupta 2001). Clopper-Pearson never covers less than it
says and pays in width. The Wald interval of the textbooks is kept for comparison; it has no width at 0 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import betainc, betaincinv, ndtri

from assay.uncertainty._roots import crossing

__all__ = ["PROPORTION_METHODS", "exceedance_p_value"]

Limits = tuple[float, float]


def wilson(part: float, whole: float, level: float) -> Limits:
    """Wilson (1927): all p that a score test does not reject.

    >>> [round(limit, 6) for limit in wilson(530, 569, 0.95)]
    [0.907673, 0.949458]
    """
    z = _z(level)
    centre = (part + z * z / 2) / (whole + z * z)
    half = z / (whole + z * z) * math.sqrt(max(part * (whole - part) / whole, 0.0) + z * z / 4)
    return _within(part, whole, centre - half, centre + half)


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
    return _within(part, whole, low, high)


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
        return float(1 - 0.5 * _at_most(part, whole, p) - 0.5 * _at_most(part - 1, whole, p))

    estimate = part / whole
    low = 0.0 if part <= 0 else crossing(lambda p: tail - at_least(p), estimate, 0.0)
    high = 1.0 if part >= whole else crossing(lambda p: tail - (1 - at_least(p)), estimate, 1.0)
    return low, high


def blaker(part: float, whole: float, level: float) -> Limits:
    """Blaker (2000): exact like Clopper-Pearson but inside it, from a two-sided acceptability function."""
    low, high = clopper_pearson(part, whole, level)
    estimate = part / whole
    grid_low, grid_high = np.linspace(low, estimate, 20_001), np.linspace(high, estimate, 20_001)
    accepted_low = grid_low[int(np.argmax(_acceptability(part, whole, grid_low) >= 1 - level))]
    accepted_high = grid_high[int(np.argmax(_acceptability(part, whole, grid_high) >= 1 - level))]
    return float(accepted_low) if part > 0 else 0.0, float(accepted_high) if part < whole else 1.0


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


def exceedance_p_value(part: float, whole: float, reference: float) -> float:
    """One-sided exact p-value of "the true proportion is not above `reference`".

    Beside an accuracy and the share of the commonest class this is the test of the no-information rate.

    >>> round(exceedance_p_value(357, 569, 357 / 569), 6)
    0.518754
    """
    return float(_at_least(part, whole, reference))


def _at_least(count: float, n: float, p: Any) -> Any:
    """Binomial probability of at least `count` successes, through the beta distribution."""
    return betainc(count, n - count + 1, p) if count > 0 else np.ones_like(p)


def _at_most(count: float, n: float, p: Any) -> Any:
    """Binomial probability of at most `count` successes."""
    if count < 0:
        return np.zeros_like(p)
    return betainc(n - count, count + 1, 1 - p) if count < n else np.ones_like(p)


def _acceptability(part: float, whole: float, p: np.ndarray) -> np.ndarray:
    """How compatible `p` is with the count: the smaller tail plus the largest opposite tail not above it."""
    counts = np.arange(whole + 1)
    upper, lower = _at_least(part, whole, p), _at_most(part, whole, p)
    small = np.minimum(upper, lower)
    opposite = np.zeros_like(p)
    for count in counts:
        if count > part:
            tail = _at_least(count, whole, p)
            use = lower <= upper
        elif count < part:
            tail = _at_most(count, whole, p)
            use = upper < lower
        else:
            continue
        opposite = np.where(use & (tail <= small * (1 + 1e-12)), np.maximum(opposite, tail), opposite)
    result: np.ndarray = np.minimum(small + opposite, 1.0)
    return result


def _shifted_wald(part: float, whole: float, added: float, z: float) -> Limits:
    centre = (part + added) / (whole + 2 * added)
    half = z * math.sqrt(max(centre * (1 - centre), 0.0) / (whole + 2 * added))
    return max(0.0, centre - half), min(1.0, centre + half)


def _within(part: float, whole: float, low: float, high: float) -> Limits:
    """Limits held to [0, 1] and, against rounding, exactly 0 and 1 where the count is."""
    return (0.0 if part <= 0 else max(0.0, low)), (1.0 if part >= whole else min(1.0, high))


def _z(level: float) -> float:
    return float(ndtri(0.5 + level / 2))
