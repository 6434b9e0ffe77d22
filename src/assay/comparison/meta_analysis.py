"""One figure for several sites: the mean of what they would show with endless cases, and what a new one may show.

How much sites differ beyond chance: the variance between their true values, by the estimators that are in use.

Limits that allow for not knowing how far sites differ: averaged over every variance that Q does not contradict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, ndtr, ndtri, stdtr, stdtrit

from assay.comparison.pair_table import two_sided
from assay.errors import OptionError
from assay.request import checked_choice, checked_level
from assay.results import TestResult
from assay.types import Floats

__all__ = [
    "BETWEEN",
    "LIMITS",
    "METHODS",
    "PREDICTIONS",
    "BetweenSites",
    "FixedWeights",
    "Pooled",
    "Profiled",
    "between_limits",
    "pooled",
    "small_sites_test",
]


STEPS, ENOUGH = 1000, 1e-14
# Of the variance within sites, what is no variance between them but rounding.
NOTHING = 1e-10


@dataclass(frozen=True)
class BetweenSites:
    """The variance between sites, and its standard error."""

    variance: float
    error: float


@dataclass(frozen=True, eq=False)
class FixedWeights:
    """What estimates tell if each weighs as its own variance alone says: Cochran's Q and what follows from it."""

    values: Floats
    variances: Floats

    @property
    def freedom(self) -> int:
        """One less than there are sites."""
        return len(self.values) - 1

    @cached_property
    def q(self) -> float:
        """Cochran's Q: squared distances from the common mean, in standard errors."""
        return spread_at(self.values, self.variances, 0.0)

    @property
    def p_value(self) -> float:
        """How often chance alone would show at least this Q."""
        return float(chdtrc(self.freedom, self.q))

    @property
    def typical(self) -> float:
        """The variance within a typical site (Higgins & Thompson 2002)."""
        return self.freedom / _Projection(self.values, self.variances, 0.0).trace


def spread_at(values: Floats, variances: Floats, between: float) -> float:
    """Cochran's Q with weights that count a variance between sites."""
    return _Projection(values, variances, between).q


def between_limits(values: Floats, variances: Floats, level: float) -> tuple[float, float]:
    """Limits of the variance between sites: all that the distribution of Q would not reject (Q-profile, Viechtbauer).

    >>> low, high = between_limits(np.array([0.1, 0.9, 0.4]), np.array([0.04, 0.05, 0.03]), 0.95)
    >>> low, round(high, 3)
    (0.0, 6.406)
    """
    freedom, tail = len(values) - 1, (1 - level) / 2

    def limit(quantile: float) -> float:
        return _variance_where_q_equals(values, variances, quantile)

    return limit(float(chdtri(freedom, tail))), limit(float(chdtri(freedom, 1 - tail)))


class _Projection:
    """Weights with a variance between sites, and what is left of the values beside their weighted mean."""

    def __init__(self, values: Floats, variances: Floats, between: float) -> None:
        self.weights = 1 / (variances + between)
        self.sums = [float((self.weights**power).sum()) for power in (1, 2, 3)]
        self.mean = float(self.weights @ values) / self.sums[0]
        self.rest = values - self.mean

    @property
    def q(self) -> float:
        return float(self.weights @ self.rest**2)

    @property
    def squares(self) -> float:
        return float(self.weights**2 @ self.rest**2)

    @property
    def trace(self) -> float:
        one, two, _ = self.sums
        return one - two / one

    @property
    def trace_of_square(self) -> float:
        one, two, three = self.sums
        return two - 2 * three / one + (two / one) ** 2


def _variance_where_q_equals(values: Floats, variances: Floats, wanted: float) -> float:
    """The variance between sites at which Q is as wanted; 0 where it is less from the start."""

    def beyond(between: float) -> float:
        return spread_at(values, variances, between) - wanted

    if beyond(0.0) <= 0:
        return 0.0
    high = float(np.max(variances)) + float(np.var(values))
    while beyond(high) > 0:
        high *= 4
    return float(brentq(beyond, 0.0, high, xtol=1e-300, rtol=1e-14, maxiter=500))


def _dersimonian_laird(values: Floats, variances: Floats) -> BetweenSites:
    """From the moments of Cochran's Q (DerSimonian & Laird 1986)."""
    fixed, k = _Projection(values, variances, 0.0), len(values)
    between = max(0.0, (fixed.q - (k - 1)) / fixed.trace)
    squares = 2 * (k - 1) + 4 * between * fixed.trace + 2 * between**2 * fixed.trace_of_square
    return BetweenSites(between, float(np.sqrt(squares)) / fixed.trace)


def _paule_mandel(values: Floats, variances: Floats) -> BetweenSites:
    """Where Q with these very weights is what chance expects (Paule & Mandel 1982)."""
    k = len(values)
    between = _variance_where_q_equals(values, variances, k - 1.0)
    # Weights that count the variance between sites leave each value a variance of one.
    weights = _Projection(values, variances, between).sums[0]
    return BetweenSites(between, float(np.sqrt(2 * k * k / (k - 1))) / weights)


def _hedges(values: Floats, variances: Floats) -> BetweenSites:
    """What the plain variance of the values has more than the mean of theirs (Hedges; Cochran's ANOVA)."""
    k = len(values)
    between = max(0.0, float(values.var(ddof=1)) - float(variances.mean()))
    own = float((variances**2).sum()) * (1 - 2 / k) + float(variances.sum()) ** 2 / k**2
    trace = float(variances.sum()) * (1 - 1 / k)
    squares = 2 * own + 4 * between * trace + 2 * between**2 * (k - 1)
    return BetweenSites(between, float(np.sqrt(squares)) / (k - 1))


def _sidik_jonkman(values: Floats, variances: Floats) -> BetweenSites:
    """From the plain variance of the values, weighted once (Sidik & Jonkman 2005); never 0."""
    k, crude = len(values), float(values.var())
    if crude <= NOTHING**2 * float(variances.min()):
        return BetweenSites(0.0, 0.0)
    found = _Projection(values, variances, crude)
    between = crude * found.q / (k - 1)
    projector = np.diag(found.weights) - np.outer(found.weights, found.weights) / found.sums[0]
    turned = projector * variances
    parts = (2 * (turned * turned.T).sum(), 4 * between * (turned * projector).sum())
    squares = float(parts[0] + parts[1] + 2 * between**2 * (projector**2).sum())
    return BetweenSites(between, crude / (k - 1) * float(np.sqrt(squares)))


def _reml(values: Floats, variances: Floats) -> BetweenSites:
    """Where the likelihood of what the mean leaves is highest (restricted maximum likelihood)."""

    def score(at: _Projection) -> tuple[float, float]:
        return at.squares - at.trace, at.trace_of_square

    between = _fisher_scoring(values, variances, score)
    return BetweenSites(between, float(np.sqrt(2 / _Projection(values, variances, between).trace_of_square)))


def _maximum_likelihood(values: Floats, variances: Floats) -> BetweenSites:
    """Where the likelihood is highest; too low with few sites."""

    def score(at: _Projection) -> tuple[float, float]:
        return at.squares - at.sums[0], at.sums[1]

    between = _fisher_scoring(values, variances, score)
    return BetweenSites(between, float(np.sqrt(2 / _Projection(values, variances, between).sums[1])))


def _fisher_scoring(values: Floats, variances: Floats, score: Callable[[_Projection], tuple[float, float]]) -> float:
    """Fisher's scoring from Hedges' estimate on, in steps that never leave the variances there can be."""
    between, least = _hedges(values, variances).variance, float(variances.min())
    for _ in range(STEPS):
        slope, information = score(_Projection(values, variances, between))
        step = slope / information
        if between + step < 0:
            step = -between
        between += step
        if abs(step) <= ENOUGH * (between + least):
            break
    return between if between > NOTHING * least else 0.0


BETWEEN: Mapping[str, Callable[[Floats, Floats], BetweenSites]] = MappingProxyType(
    {
        "reml": _reml,
        "dl": _dersimonian_laird,
        "pm": _paule_mandel,
        "ml": _maximum_likelihood,
        "he": _hedges,
        "sj": _sidik_jonkman,
        "fixed": lambda values, variances: BetweenSites(0.0, float("nan")),
    }
)


# Variances between sites that are looked at, from far less than any site's own to far more than their spread.
GRID, LEAST, MOST = 400, 1e-3, 1e10
# Standard deviations beyond which nothing is looked for.
FAR = 40.0


class Profiled:
    """Where the mean of sites, or a new site, lies, whatever the variance between sites may be.

    Cochran's Q with weights for a variance t between sites is chi-square if t is the true one, so that the chance of a
    larger Q than was seen tells how far up t may reach: a confidence distribution of t, the one behind the Q-profile
    limits. The mean given t is normal, and so is a new site; both are averaged over that distribution, as Nagashima,
    Noma and Furukawa (2019) do for DerSimonian and Laird's estimator by drawing from it.

    >>> found = Profiled(np.array([1.2, 1.6, 0.9, 1.4]), np.array([0.02, 0.05, 0.04, 0.03]))
    >>> [round(found.quantile(q), 2) for q in (0.025, 0.975)]
    [0.8, 1.75]
    >>> [round(found.quantile(q, of_new=True), 2) for q in (0.025, 0.975)]
    [0.25, 2.29]
    """

    def __init__(self, values: Floats, variances: Floats) -> None:
        most = MOST * (float(np.var(values)) + float(variances.max()))
        grid = np.concatenate(([0.0], np.geomspace(LEAST * float(variances.min()), most, GRID)))
        weights = 1 / (variances + grid[:, None])
        sums = weights.sum(axis=1)
        self.between, self.means, self.errors = grid, weights @ values / sums, 1 / sums
        spread = (weights * (values - self.means[:, None]) ** 2).sum(axis=1)
        reached = chdtrc(len(values) - 1, spread)
        self.chances = np.diff(reached, prepend=0.0) / reached[-1]

    def below(self, value: float, *, of_new: bool = False) -> float:
        """The chance that the mean, or a new site, lies below a value."""
        spread = self.errors + self.between if of_new else self.errors
        return float(self.chances @ ndtr((value - self.means) / np.sqrt(spread)))

    def normal_score(self, value: float) -> float:
        """How far the mean is above a value, as far as a standard normal is with the same chance of the other side."""
        apart = (value - self.means) / np.sqrt(self.errors)
        below, above = (min(1.0, float(self.chances @ ndtr(side))) for side in (apart, -apart))
        return float(ndtri(above)) if above < below else -float(ndtri(below))

    def quantile(self, share: float, *, of_new: bool = False) -> float:
        """The value below which the mean, or a new site, lies with this chance."""
        spread = np.sqrt(self.errors + self.between if of_new else self.errors)
        low, high = float((self.means - FAR * spread).min()), float((self.means + FAR * spread).max())
        return float(
            brentq(lambda x: self.below(x, of_new=of_new) - share, low, high, xtol=1e-300, rtol=1e-12, maxiter=500)
        )


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
        return self.estimate - _t_quantile(self.level, self.freedom) * self.se

    @cached_property
    def high(self) -> float:
        """The upper limit of the mean."""
        if self.limits == USUAL:
            return max(self.estimate, self._profiled.quantile((1 + self.level) / 2))
        return self.estimate + _t_quantile(self.level, self.freedom) * self.se

    def statistic(self, null: float = 0.0) -> float:
        """How far the mean is from `null` on this scale: in standard errors, or as far as z with the same p-value."""
        if self.limits == USUAL:
            return self._profiled.normal_score(null)
        return math.copysign(math.inf, self.estimate - null) if self.se == 0 else (self.estimate - null) / self.se

    def p_value(self, null: float = 0.0) -> float:
        """Of the mean's being `null` on this scale; below 1 - level exactly where the limits leave it out."""
        if self.estimate == null:
            return 1.0
        found = _t_p_value(self.statistic(null), self.freedom)
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
        half = _t_quantile(self.level, freedom) * math.sqrt(self.se**2 + self.between.variance)
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
        raise OptionError("there is one site; the variance between sites needs at least two", "two sites at least")
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


def _t_quantile(level: float, freedom: float) -> float:
    return float(ndtri(0.5 + level / 2)) if math.isinf(freedom) else float(stdtrit(freedom, 0.5 + level / 2))


def _t_p_value(statistic: float, freedom: float) -> float:
    return two_sided(statistic) if math.isinf(freedom) else 2 * float(stdtr(freedom, -abs(statistic)))
