"""One figure for several sites: the mean of what they would show with endless cases, and what a new one may show."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from assay.comparison._tables import two_sided
from assay.comparison.heterogeneity import BETWEEN, BetweenSites, FixedWeights, between_limits
from assay.comparison.profiled import Profiled
from assay.errors import OptionError
from assay.request import checked_choice, checked_level
from assay.results import TestResult
from assay.types import Floats

__all__ = ["LIMITS", "METHODS", "PREDICTIONS", "Pooled", "pooled", "small_sites_test"]

# What each way to find the variance between sites is called.
METHODS: Mapping[str, str] = MappingProxyType(
    {
        "reml": "REML",
        "dl": "DerSimonian-Laird",
        "pm": "Paule-Mandel",
        "ml": "maximum likelihood",
        "he": "Hedges",
        "sj": "Sidik-Jonkman",
        "fixed": "fixed effect",
    }
)
LIMITS: Mapping[str, str] = MappingProxyType(
    {
        "q-profile": "Q-profile average",
        "hartung-knapp": "Hartung-Knapp",
        "hartung-knapp-floor": "Hartung-Knapp, at least z's error",
        "z": "z",
    }
)
# How a prediction interval is made: averaged over the variances between sites that Q allows, with t of k - 2 (Higgins,
# Thompson & Spiegelhalter 2009), or with the quantile of the mean's own limits, as metafor has it.
PREDICTIONS = ("q-profile", "k-2", "as-limits")
# Simulated at 95 %: limits of the mean by Hartung and Knapp held it in as few as 88 % of samples, those of a new site
# with t of k - 2 in 80 %; averaged over the Q-profile in 93 and 92 % (docs/verification/sites.md).
USUAL = "q-profile"


@dataclass(frozen=True, eq=False)
class Pooled:
    """Sites taken together, on the scale that their values were given on.

    `values` and `variances` are those of the sites; everything else follows from them, from how the variance between
    sites is found (`method`) and from how limits of the mean are made (`limits`).
    """

    values: Floats
    variances: Floats
    method: str
    limits: str
    level: float
    prediction: str
    between: BetweenSites

    @property
    def sites(self) -> int:
        """How many there are."""
        return len(self.values)

    @cached_property
    def _weights(self) -> Floats:
        return np.asarray(1 / (self.variances + self.between.variance))

    @property
    def weights(self) -> Floats:
        """The share that each site has in the mean."""
        return np.asarray(self._weights / self._weights.sum())

    @cached_property
    def estimate(self) -> float:
        """The mean of the sites, each weighing as exactly as it is known."""
        return float(self.weights @ self.values)

    @cached_property
    def se(self) -> float:
        """Its standard error: what the weights say, by Hartung and Knapp times how far the sites truly lie apart."""
        plain = 1 / float(self._weights.sum())
        if self.limits in ("z", USUAL):
            return math.sqrt(plain)
        apart = float(self._weights @ (self.values - self.estimate) ** 2) / (self.sites - 1)
        return math.sqrt(plain * (max(1.0, apart) if self.limits == "hartung-knapp-floor" else apart))

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the limits: those of t, or infinity."""
        return float(self.sites - 1) if self.limits.startswith("hartung-knapp") else math.inf

    @cached_property
    def _profiled(self) -> Profiled:
        return Profiled(self.values, self.variances)

    @cached_property
    def low(self) -> float:
        """The lower limit of the mean."""
        if self.limits == USUAL:
            return min(self.estimate, self._profiled.quantile((1 - self.level) / 2))
        return self.estimate - _quantile(self.level, self.freedom) * self.se

    @cached_property
    def high(self) -> float:
        """The upper limit of the mean."""
        if self.limits == USUAL:
            return max(self.estimate, self._profiled.quantile((1 + self.level) / 2))
        return self.estimate + _quantile(self.level, self.freedom) * self.se

    def statistic(self, null: float = 0.0) -> float:
        """How far the mean is from `null` on this scale: in standard errors, or as far as z with the same p-value."""
        if self.limits == USUAL:
            return self._profiled.normal_score(null)
        return math.copysign(math.inf, self.estimate - null) if self.se == 0 else (self.estimate - null) / self.se

    def p_value(self, null: float = 0.0) -> float:
        """Of the mean's being `null` on this scale; below 1 - level exactly where the limits leave it out."""
        if self.estimate == null:
            return 1.0
        found = _p_value(self.statistic(null), self.freedom)
        # Limits that were stretched to hold the mean hold what lies on the way to it.
        return max(found, 1 - self.level) if self.limits == USUAL and self.low <= null <= self.high else found

    @cached_property
    def predicted(self) -> tuple[float, float] | None:
        """Limits of what a new site's true value may be; None where all share one, and by t of no freedom."""
        if self.method == "fixed" or (self.prediction == "k-2" and self.sites < 3):
            return None
        if self._is_profiled:
            return self._profiled_prediction()
        freedom = self.sites - 2.0 if self.prediction == "k-2" else self.freedom
        half = _quantile(self.level, freedom) * math.sqrt(self.se**2 + self.between.variance)
        low, high = self.estimate - half, self.estimate + half
        # Beside limits of the mean by another method: a new site is known no better than the mean of all.
        return (min(low, self.low), max(high, self.high)) if self.limits == USUAL else (low, high)

    @property
    def _is_profiled(self) -> bool:
        return self.prediction == USUAL or (self.prediction == "as-limits" and self.limits == USUAL)

    def _profiled_prediction(self) -> tuple[float, float]:
        low, high = (
            self._profiled.quantile(share, of_new=True) for share in ((1 - self.level) / 2, (1 + self.level) / 2)
        )
        return min(low, self.low), max(high, self.high)

    @property
    def tau2(self) -> float:
        """The variance of the sites' true values."""
        return self.between.variance

    @cached_property
    def tau2_limits(self) -> tuple[float, float]:
        """Its limits, by Q-profile."""
        return between_limits(self.values, self.variances, self.level)

    @cached_property
    def fixed(self) -> FixedWeights:
        """What the sites tell if each weighs as its own variance alone says: Q and its p-value."""
        return FixedWeights(self.values, self.variances)

    @property
    def i2(self) -> float:
        """The share of the spread of the sites' values that is no sampling error."""
        if self.method == "fixed":
            return max(0.0, 1 - self.fixed.freedom / self.fixed.q) if self.fixed.q > 0 else 0.0
        return self.tau2 / (self.tau2 + self.fixed.typical)

    @property
    def i2_limits(self) -> tuple[float, float]:
        """Its limits, from those of tau2."""
        low, high = (limit / (limit + self.fixed.typical) for limit in self.tau2_limits)
        return low, high

    @property
    def h2(self) -> float:
        """The spread of the sites' values over what sampling error makes of it."""
        return self.fixed.q / self.fixed.freedom if self.method == "fixed" else 1 + self.tau2 / self.fixed.typical

    @property
    def h2_limits(self) -> tuple[float, float]:
        """Its limits, from those of tau2."""
        low, high = (1 + limit / self.fixed.typical for limit in self.tau2_limits)
        return low, high

    def without(self, site: int) -> Pooled:
        """The same of all sites but one."""
        kept = np.arange(self.sites) != site
        how = {"method": self.method, "limits": self.limits, "level": self.level, "prediction": self.prediction}
        return pooled(self.values[kept], self.variances[kept], **how)  # type: ignore[arg-type]


def pooled(
    values: Floats,
    variances: Floats,
    *,
    method: str = "reml",
    limits: str | None = None,
    level: float = 0.95,
    prediction: str = USUAL,
) -> Pooled:
    """The summary of sites from their values and the squares of their standard errors.

    >>> found = pooled(np.array([1.2, 1.6, 0.9, 1.4]), np.array([0.02, 0.05, 0.04, 0.03]))
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3)
    (1.265, 0.796, 1.749)
    """
    values, variances = np.asarray(values, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    checked_choice(method, tuple(METHODS), "method")
    how = checked_choice(limits or ("z" if method == "fixed" else USUAL), tuple(LIMITS), "limits")
    checked_choice(prediction, PREDICTIONS, "prediction")
    if method == "fixed" and how != "z":
        raise OptionError(
            f"method is 'fixed' and limits are {how!r}", "limits of z: all others are for sites that differ",
            {"limits": "z"}, about=("method", "limits"),
        )  # fmt: skip
    if len(values) < 2:
        raise OptionError("there is one site, and one says nothing of how sites differ", "two sites at least")
    # Sites of one size in one unit, so that nothing hangs on the unit.
    unit = math.sqrt(float(variances.mean()))
    found = BETWEEN[method](values / unit, variances / unit**2)
    between = BetweenSites(found.variance * unit**2, found.error * unit**2)
    return Pooled(values, variances, method, how, checked_level(level), prediction, between)


def small_sites_test(values: Floats, variances: Floats) -> TestResult:
    """Whether less exact sites show other values than exact ones (Egger's test, with DerSimonian and Laird's tau2).

    >>> small_sites_test(np.array([1.2, 1.6, 0.9, 1.4]), np.array([0.02, 0.05, 0.04, 0.03])).test
    'Egger'
    """
    values, variances = np.asarray(values, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    null = "a site's value has nothing to do with its standard error"
    facts = np.column_stack((np.ones(len(values)), np.sqrt(variances)))
    if len(values) < 3 or np.linalg.matrix_rank(facts) < 2:
        return TestResult(
            "Egger", null, math.nan, math.nan, "z, DerSimonian-Laird", "needed: three sites that are not equally exact"
        )
    weights = 1 / variances
    cross = np.linalg.inv(facts.T * weights @ facts)
    projector = np.diag(weights) - (facts.T * weights).T @ cross @ (facts.T * weights)
    between = max(0.0, float(values @ projector @ values - (len(values) - 2)) / float(np.trace(projector)))
    weights = 1 / (variances + between)
    cross = np.linalg.inv(facts.T * weights @ facts)
    z = float((cross @ (facts.T @ (weights * values)))[1] / math.sqrt(cross[1, 1]))
    return TestResult("Egger", null, z, two_sided(z), "z, DerSimonian-Laird")


def _quantile(level: float, freedom: float) -> float:
    return float(ndtri(0.5 + level / 2)) if math.isinf(freedom) else float(stdtrit(freedom, 0.5 + level / 2))


def _p_value(statistic: float, freedom: float) -> float:
    return two_sided(statistic) if math.isinf(freedom) else 2 * float(stdtr(freedom, -abs(statistic)))
