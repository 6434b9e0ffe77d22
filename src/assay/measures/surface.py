"""The volume under the ROC surface: does one score put cases of three ordered classes in their order?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay.errors import OptionError
from assay.evidence import ordered_table
from assay.measures._measure import ratio
from assay.request import checked_level
from assay.results import Estimate, Interval, counted
from assay.uncertainty import LOGIT

NAME = "volume_under_surface"
METHOD = "components, logit"
# Intervals were simulated from this many cases in the smallest class on.
FEWEST_OF_A_CLASS = 10


def volume_under_surface(scores: ArrayLike, codes: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Chance that one case of each of three ordered classes (codes 0, 1, 2) is scored in their order.

    A tie of two counts half, a tie of all three a sixth: chance is 1/6. The interval is from the variances of each
    class's components, as DeLong's of an AUC, on the logit scale.

    >>> volume_under_surface([1, 2, 2, 3, 4, 4], [0, 0, 1, 1, 2, 2]).value
    0.875

    References: Dreiseitl, Ohno-Machado & Binder (2000); Nakas & Yiannoutsos (2004).
    """
    level = checked_level(level)
    code = np.asarray(codes)
    if not np.isin(code, (0, 1, 2)).all():
        raise OptionError("some classes have other codes", "0, 1 and 2, in the order of the classes")
    counts = ordered_table(np.asarray(scores, dtype=np.float64), code.astype(np.intp), 3)
    sizes = counts.sum(-1)
    if not (sizes > 0).all():
        return _without_limits(math.nan, level, "none", sizes, "a class is missing, so there is no triple to rank")
    components = [ratio(part, np.prod(np.delete(sizes, k))) for k, part in enumerate(_placements(counts))]
    value = float(ratio(counts[1] @ components[1], sizes[1]))
    interval = _limits(value, components, counts, level)
    if interval.undefined is not None:
        return _without_limits(value, level, interval.method, sizes, interval.undefined)
    return Estimate(NAME, value, interval.low, interval.high, level, METHOD, float(sizes.sum()))


def _placements(counts: Any) -> tuple[Any, Any, Any]:
    """At each score, how many pairs of cases of the two other classes a case of each class is in order with."""
    first, second, third = counts
    below = np.cumsum(first) - first
    above = third.sum() - np.cumsum(third)
    # A tie of all three is a sixth, where two halves would make it a quarter.
    of_second = (below + first / 2) * (above + third / 2) - first * third / 12
    pairs = second * (above + third / 2)
    of_first = pairs.sum() - np.cumsum(pairs) + second * (above / 2 + third / 6)
    pairs = second * (below + first / 2)
    of_third = np.cumsum(pairs) - pairs + second * (below / 2 + first / 6)
    return of_first, of_second, of_third


def _limits(value: float, components: list[Any], counts: Any, level: float) -> Interval:
    sizes = counts.sum(-1)
    if sizes.min() < FEWEST_OF_A_CLASS:
        smallest = counted(float(sizes.min()), "case")
        return Interval.missing(METHOD, f"{smallest} in the smallest class: below {FEWEST_OF_A_CLASS} none was checked")
    variance = sum(
        float(ratio(at @ np.square(part - value), size * (size - 1)))
        for at, part, size in zip(counts, components, sizes, strict=True)
    )
    if not variance > 0 or not 0 < value < 1:
        return Interval.missing(METHOD, "the components do not vary, so the standard error is 0")
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(variance) * LOGIT.slope(value)
    low, high = (LOGIT.backward(LOGIT.forward(value) + sign * half) for sign in (-1, 1))
    return Interval(low, high, METHOD)


def _without_limits(value: float, level: float, method: str, sizes: Any, reason: str) -> Estimate:
    return Estimate(NAME, value, math.nan, math.nan, level, method, float(sizes.sum()), undefined=reason)
