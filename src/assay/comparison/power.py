"""What a test of AUCs will show, before it is made: how often, with how many cases, at which level.

The variances come from a formula or from data at hand (a pilot); the difference to be seen is one that would matter,
said beforehand, never the one that was seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, xlog1py, xlogy

from assay.comparison.adjustment import Alternative, two_sided_level
from assay.comparison.planned_area import AREA_SPREADS
from assay.comparison.planning import SamplePlan, area_method, squared, whole_cases
from assay.errors import OptionError
from assay.request import checked_between, checked_level, checked_number, checked_positive
from assay.types import Floats

__all__ = ["AreaTest", "area_against_chance", "difference_test", "plan_area_test", "trinomial"]

CHANCE = 0.5
OBUCHOWSKI = "Obuchowski"
# Numbers of discordant cases less likely than this are left out of a sum over all samples.
LEAST_WEIGHT = 1e-14


@dataclass(frozen=True)
class AreaTest:
    """A test that a difference is 0, while it is `gap`: with n positives, variances are `null` / n and `other` / n.

    `null` is what the variance would be were there no difference, `other` what it is; `ratio` are the negatives beside
    each positive. Rejecting on the wrong side is no success.

    >>> test = area_against_chance(0.75)
    >>> round(test.positives(power=0.9), 4), round(test.power(40), 4), round(test.alpha(40, power=0.8), 5)
    (25.0234, 0.9854, 0.00139)
    """

    gap: float
    null: float
    other: float
    ratio: float = 1.0

    def positives(self, *, power: float = 0.8, level: float = 0.95, alternative: Alternative = "two-sided") -> float:
        """How many positives it takes, with so many negatives each, not rounded."""
        checked_between(power, "power")
        reach = _quantile(level, alternative) * math.sqrt(self.null) + float(ndtri(power)) * math.sqrt(self.other)
        return squared(reach / self.gap)

    def power(self, positives: float, *, level: float = 0.95, alternative: Alternative = "two-sided") -> float:
        """How often the test is significant with so many positives."""
        checked_positive(positives, "positives")
        away = abs(self.gap) * math.sqrt(positives) - _quantile(level, alternative) * math.sqrt(self.null)
        return float(ndtr(away / math.sqrt(self.other)))

    def alpha(self, positives: float, *, power: float = 0.8, alternative: Alternative = "two-sided") -> float:
        """The error that such a power is bought with: 1 less the level."""
        checked_between(power, "power")
        left = abs(self.gap) * math.sqrt(positives) - float(ndtri(power)) * math.sqrt(self.other)
        one = float(ndtr(-left / math.sqrt(self.null)))
        return one if alternative != "two-sided" else 2 * one


def _quantile(level: float, alternative: Alternative) -> float:
    two_sided_level(level, alternative)
    return float(ndtri(0.5 + level / 2 if alternative == "two-sided" else level))


def area_against_chance(auc: float, *, ratio: float = 1.0, method: str = OBUCHOWSKI) -> AreaTest:
    """The test that an AUC is one half, where it is `auc` and there are `ratio` negatives for each positive.

    By "Obuchowski" (1994) with her rounded constants for normal scores, as pROC computes it; by "binormal" or
    "Hanley-McNeil" with the variances that these have elsewhere.

    >>> round(area_against_chance(0.75, method="binormal").positives(power=0.9), 2)
    24.43
    """
    checked_between(auc, "auc")
    checked_positive(ratio, "ratio")
    method = area_method(method)
    if auc == CHANCE:
        raise OptionError("the AUC is 0.5, which is chance", "another value to tell from it")
    (null_of_positives, null_of_negatives), (of_positives, of_negatives) = (
        AREA_SPREADS[method](area) for area in (CHANCE, auc)
    )
    null = null_of_positives + null_of_negatives / ratio
    return AreaTest(auc - CHANCE, null, of_positives + of_negatives / ratio, ratio)


def difference_test(
    gap: float,
    variances: tuple[float, float],
    covariance: float,
    positives: float,
    negatives: float,
    *,
    null_of_first: bool = False,
) -> AreaTest:
    """The test of two estimates on the same cases, from what a pilot of so many cases tells of them.

    Were there no difference, they would vary as they do; with `null_of_first` both as the first does, as pROC supposes,
    which makes the answer depend on which of them is called the first.
    """
    if not 0 < abs(checked_number(gap, "difference")) < 1:
        raise OptionError(f"difference is {gap:g}", "one that would matter, between -1 and 1", about="difference")
    one, other = variances
    spread = one + other - 2 * covariance
    null = 2 * one - 2 * covariance if null_of_first else spread
    if not (null > 0 and spread > 0):
        raise OptionError("the two do not differ on these cases, so nothing tells how they vary", "another pilot")
    return AreaTest(gap, null * positives, spread * positives, negatives / positives)


def trinomial(n: int, first: float, second: float) -> tuple[Floats, Floats, Floats]:
    """Return counts of two kinds of cases among n, of such shares, and their probabilities; unlikely ones left out.

    >>> [part.tolist() for part in trinomial(1, 0.5, 0.25)]
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]
    """
    both = first + second
    counts = np.arange(n + 1.0)
    weight = np.exp(_log_choose(n, counts) + xlogy(counts, both) + xlog1py(n - counts, -both))
    each = [
        _split(float(count), first / both if both > 0 else 0.0, float(of_all))
        for count, of_all in zip(counts, weight, strict=True)
        if of_all > LEAST_WEIGHT
    ]
    one, other, weights = (np.concatenate(parts) for parts in zip(*each, strict=True))
    return one, other, weights


def _split(count: float, share: float, weight: float) -> tuple[Floats, Floats, Floats]:
    """How so many cases of either kind may fall, near enough to what is expected to matter."""
    reach = 9 * math.sqrt(count * share * (1 - share)) + 9
    one = np.arange(max(0.0, math.floor(count * share - reach)), min(count, math.ceil(count * share + reach)) + 1)
    weights = weight * np.exp(_log_choose(count, one) + xlogy(one, share) + xlog1py(count - one, -share))
    return one, count - one, weights


def _log_choose(n: float, counts: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1))


def plan_area_test(
    test: AreaTest,
    purpose: str,
    method: str,
    assumes: str,
    *,
    power: float = 0.8,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> SamplePlan:
    """The plan of a test of AUCs: so many cases, of which so many positive, for such a power."""
    level = checked_level(level)
    needed = test.positives(power=power, level=level, alternative=alternative)
    positives = max(2, whole_cases(needed))
    cases = whole_cases(positives + max(2, whole_cases(needed * test.ratio)))
    reached = test.power(positives, level=level, alternative=alternative)
    sided = "" if alternative == "two-sided" else ", one-sided"
    return SamplePlan(f"{purpose}, power {power:g}{sided}", cases, positives, reached, level, method, assumes)
