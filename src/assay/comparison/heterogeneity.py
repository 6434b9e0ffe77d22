"""How much sites differ beyond chance: the variance between their true values, by the estimators that are in use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri

from assay.types import Floats

__all__ = ["BETWEEN", "BetweenSites", "FixedWeights", "between_limits"]

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
        return _where_spread_is(values, variances, quantile)

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


def _where_spread_is(values: Floats, variances: Floats, wanted: float) -> float:
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
    between = _where_spread_is(values, variances, k - 1.0)
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

    between = _scored(values, variances, score)
    return BetweenSites(between, float(np.sqrt(2 / _Projection(values, variances, between).trace_of_square)))


def _maximum_likelihood(values: Floats, variances: Floats) -> BetweenSites:
    """Where the likelihood is highest; too low with few sites."""

    def score(at: _Projection) -> tuple[float, float]:
        return at.squares - at.sums[0], at.sums[1]

    between = _scored(values, variances, score)
    return BetweenSites(between, float(np.sqrt(2 / _Projection(values, variances, between).sums[1])))


def _scored(values: Floats, variances: Floats, score: Callable[[_Projection], tuple[float, float]]) -> float:
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
