"""How wide the interval of an AUC will be, before there is a case: from a model of the scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from scipy.special import expit, logit, ndtr, ndtri

from assay.comparison._tables import quantile
from assay.comparison.hanley_mcneil import both_below
from assay.uncertainty.delong import ENOUGH

# The variance of where a case of either class stands among those of the other: of positives, of negatives.
Spreads = tuple[float, float]


def exponential_spreads(auc: float) -> Spreads:
    """Those of exponential scores, which Hanley & McNeil (1982) take."""
    return 2 * auc * auc / (1 + auc) - auc * auc, auc / (2 - auc) - auc * auc


def binormal_spreads(auc: float) -> Spreads:
    """Those of scores that are normal and equally spread in either class.

    >>> [round(float(spread), 4) for spread in binormal_spreads(0.5)]
    [0.0833, 0.0833]
    """
    d = float(ndtri(auc))
    shared = float(both_below(d, d, 0.5)) - auc * auc
    return shared, shared


def obuchowski_spreads(auc: float) -> Spreads:
    """Those that Obuchowski's (1994) variance of the area of normal scores comes to, with her rounded constants."""
    a = float(ndtri(auc)) * 1.414
    shrunk = 0.0099 * math.exp(-a * a / 2)
    return shrunk * (5 * a * a + 8), shrunk * (a * a + 8)


AREA_SPREADS: Mapping[str, Callable[[float], Spreads]] = MappingProxyType(
    {"Hanley-McNeil": exponential_spreads, "binormal": binormal_spreads, "Obuchowski": obuchowski_spreads}
)
# What the scores of either class are taken to be.
SCORES_OF: Mapping[str, str] = MappingProxyType(
    {"Hanley-McNeil": "exponential", "binormal": "normal", "Obuchowski": "normal"}
)


def area_variance(auc: float, positives: float, negatives: float, method: str = "binormal") -> float:
    """The squared standard error of an AUC, for scores as a method has them.

    >>> [round(area_variance(0.85, 50, 50, method) ** 0.5, 4) for method in ("binormal", "Hanley-McNeil")]
    [0.0378, 0.0391]
    """
    of_positives, of_negatives = AREA_SPREADS[method](auc)
    spread = auc * (1 - auc) + (positives - 1) * of_negatives + (negatives - 1) * of_positives
    return spread / (positives * negatives)


def areas_stretch(auc: float, positives: float, negatives: float, scale: float = 1.0) -> Callable[[float], float]:
    """Return how the error of a difference of AUCs grows where one is `auc` and the other lower: as of normal scores.

    Differences are of `scale` times the AUC.

    >>> round(areas_stretch(0.9, 50, 50)(0.1), 2)
    1.24
    """
    level = min(max(auc, 1 - auc), 0.999)

    def stretch(gap: float) -> float:
        lower = max(level - gap / scale, 0.501)
        variances = (area_variance(one, positives, negatives) for one in (lower, level))
        return math.sqrt(max((1 + next(variances) / next(variances)) / 2, 1.0))

    return stretch


def expected_half_width(auc: float, positives: int, negatives: int, level: float, method: str) -> float:
    """Half the width that the interval which Assay shows has on average.

    It is DeLong's on the logit scale; where fewer than ten cases of the smaller class are expected to be misranked,
    samples more and more often get the wider plus-four one (`uncertainty.placements.auc_interval`).

    >>> [round(expected_half_width(0.9, m, 19 * m, 0.95, "binormal"), 3) for m in (38, 380)]
    [0.065, 0.015]
    """
    error = math.sqrt(area_variance(auc, positives, negatives, method))
    reach = quantile(level) * error / (auc * (1 - auc))
    low, high = float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))
    least, most = _plus_four(auc, positives, negatives, level, method)
    careful = (max(high, most) - min(low, least)) / 2
    smaller = min(positives, negatives)
    is_plain = float(ndtr((smaller * min(auc, 1 - auc) - ENOUGH) / (smaller * error)))
    return is_plain * (high - low) / 2 + (1 - is_plain) * careful


def expected_limits(auc: float, positives: int, negatives: int, level: float, method: str) -> tuple[float, float]:
    """Return the default interval where an AUC is estimated so and its variance is what is expected.

    >>> [round(limit, 3) for limit in expected_limits(0.9, 38, 38, 0.95, "binormal")]
    [0.773, 0.95]
    """
    reach = quantile(level) * math.sqrt(area_variance(auc, positives, negatives, method)) / (auc * (1 - auc))
    low, high = float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))
    if min(positives, negatives) * min(auc, 1 - auc) >= ENOUGH:
        return low, high
    least, most = _plus_four(auc, positives, negatives, level, method)
    return min(low, least), max(high, most)


def _plus_four(auc: float, positives: int, negatives: int, level: float, method: str) -> tuple[float, float]:
    """Plus-four DeLong's limits, as they are where all that is seen is what is expected."""
    more = max(1.0, quantile(level) ** 2 / 4)
    centre, variance = auc, 0.0
    for size, others, spread in zip(
        (positives, negatives), (negatives, positives), AREA_SPREADS[method](auc), strict=True
    ):
        # Of the other class some stand below every case, and as many above; those at the same end are tied.
        all_others = others + 2 * more
        typical, top, bottom = (auc * others + more) / all_others, 1 - more / 2 / all_others, more / 2 / all_others
        centre = (size * typical + more * (top + bottom)) / (size + 2 * more)
        seen = spread + (auc * (1 - auc) - spread) / others
        squares = size * (seen * (others / all_others) ** 2 + (typical - centre) ** 2)
        squares += more * ((top - centre) ** 2 + (bottom - centre) ** 2)
        variance += squares / (size + 2 * more - 1) / (size + 2 * more)
    half = quantile(level) * math.sqrt(variance)
    return max(0.0, centre - half), min(1.0, centre + half)
