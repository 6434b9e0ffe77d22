"""The power of the default tests of AUCs, planned: from a model of the scores and the tests' own limits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, stdtrit

from assay.comparison.adjustment import Alternative, two_sided_level
from assay.comparison.auc import ENOUGH_FOR_NORMAL, ENOUGH_THAT_VARY
from assay.comparison.careful import areas_by_themselves, recovered
from assay.comparison.hanley_mcneil import area_correlation
from assay.comparison.planned_area import AREA_SPREADS, area_variance, expected_limits
from assay.comparison.together import OfClass, satterthwaite
from assay.types import Floats

__all__ = ["power_against", "power_of_difference"]

Sizes = tuple[int, int]
# Estimates are looked through in so many steps on the logit scale, so far from the bound.
STEPS, FURTHEST = 40, 6.0
LARGEST = 0.9999


def power_against(
    auc: float,
    bound: float,
    sizes: Sizes,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = "binormal",
) -> float:
    """Return how often the default interval of an AUC lies on its own side of a bound, with so many of either class.

    The estimate is taken as normal on the logit scale; it shows where its interval begins to exclude the bound.

    >>> round(power_against(0.75, 0.5, (19, 19)), 2)
    0.68
    """
    if auc < bound:
        auc, bound = 1 - auc, 1 - bound
    two_sided = two_sided_level(level, alternative)

    def excluded(value: float) -> float:
        return expected_limits(value, *sizes, two_sided, method)[0] - bound

    edge = _first_root(excluded, expit(np.linspace(logit(bound), logit(bound) + FURTHEST, STEPS)))
    if edge is None:
        return 0.0
    error = math.sqrt(area_variance(auc, *sizes, method)) / (auc * (1 - auc))
    return float(ndtr((logit(auc) - logit(edge)) / error))


def power_of_difference(
    areas: tuple[float, float], correlation: float | None, sizes: Sizes, level: float = 0.95
) -> float:
    """Return how often the default test shows which of two AUCs is the larger, with so many of either class.

    `correlation` is that of the two scores within a class; None: each AUC has as many cases of its own.

    >>> round(power_of_difference((0.85, 0.80), 0.5, (291, 291)), 2)
    0.8
    """
    high, low = max(areas), min(areas)
    gap, middle = high - low, (high + low) / 2

    def limit(difference: float) -> float:
        seen = min(middle + difference / 2, LARGEST), max(middle - difference / 2, 1 - LARGEST)
        return _lower_limit(np.array(seen), correlation, sizes, level)

    edge = _first_root(limit, np.linspace(0.0, min(2 * (LARGEST - middle), 2 * middle, 4 * gap), STEPS))
    if edge is None:
        return 0.0
    return float(ndtr((gap - edge) / math.sqrt(_spread(np.array([high, low]), correlation, sizes)[1])))


def _spread(areas: Floats, correlation: float | None, sizes: Sizes) -> tuple[list[OfClass], float]:
    """What each class adds to the covariance of two AUCs (negatives first), and the variance of their difference."""
    positives, negatives = sizes
    r = 0.0
    if correlation is not None:
        r = area_correlation((float(areas[0]), float(areas[1])), (correlation, correlation), sizes)
    spreads = np.array([AREA_SPREADS["binormal"](float(area)) for area in areas])
    whole = np.array([area_variance(float(area), *sizes) for area in areas])
    parts = spreads / np.array([positives, negatives])
    parts *= (whole / parts.sum(1))[:, None]
    alike = np.array([[1.0, r], [r, 1.0]])
    of_positives, of_negatives = (np.sqrt(np.outer(part, part)) * alike for part in parts.T)
    classes = [OfClass(of_negatives, negatives), OfClass(of_positives, positives)]
    return classes, float(whole.sum() - 2 * r * math.sqrt(whole[0] * whole[1]))


def _lower_limit(areas: Floats, correlation: float | None, sizes: Sizes, level: float) -> float:
    """The lower limit of the difference of two AUCs that are estimated so, where all varies as expected."""
    classes, variance = _spread(areas, correlation, sizes)
    covariance = classes[0].covariance + classes[1].covariance
    is_paired = correlation is not None
    parts = [one.between(0, 1) for one in classes]
    if not is_paired:
        parts = [(float(covariance[k, k]), float(sum(sizes))) for k in (0, 1)]
    reach = float(stdtrit(satterthwaite(parts), 0.5 + level / 2)) * math.sqrt(variance)
    usual, smaller = float(areas[0] - areas[1]) - reach, min(sizes)
    rests_on = smaller * min(float(np.minimum(areas, 1 - areas).min()), 1.0)
    if smaller >= ENOUGH_FOR_NORMAL and rests_on >= ENOUGH_THAT_VARY:
        return usual
    of_one = areas_by_themselves(areas, classes)
    if not is_paired:

        def of_one(k: int, at: float) -> tuple[float, float]:
            return expected_limits(float(areas[k]), *sizes, at, "binormal")

    return min(usual, recovered(areas, covariance, of_one)(0, 1, level)[0])


def _first_root(rises: Callable[[float], float], values: Floats) -> float | None:
    """Where a function that begins below 0 first reaches it, between values that are looked at in turn."""
    before = float(values[0])
    for value in values[1:].tolist():
        if rises(value) > 0:
            return float(brentq(rises, before, value))
        before = value
    return None
