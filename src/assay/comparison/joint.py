"""Estimates of several classifiers that vary together: their differences, one at a time or all at once.

Do several classifiers score alike? One test of all of them, from how their estimates vary together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, fdtrc, ndtri, stdtr, stdtrit

from assay.comparison.adjustment import NOTHING_VARIES, Difference, bonferroni
from assay.comparison.pair_table import two_sided
from assay.request import checked_level, checked_seed
from assay.results import NullDistribution, TestResult, counted
from assay.types import Floats
from assay.uncertainty import spread_freedom

NULL = "all classifiers score alike"
# Down to this many cases in the smaller class F kept its level, and down to that the ANOVA-type statistic.
FEWEST_FOR_F, FEWEST_FOR_ANOVA = 20, 10


@dataclass(frozen=True, eq=False)
class OfClass:
    """What the cases of one class add to the covariance of estimates, and how many cases that rests on."""

    covariance: Floats
    cases: float

    def between(self, first: int, second: int) -> tuple[float, float]:
        """What they add to the variance of a difference, with how many they are."""
        s = self.covariance
        return max(float(s[first, first] + s[second, second] - 2 * s[first, second]), 0.0), self.cases


def satterthwaite(parts: Sequence[tuple[float, float]]) -> float:
    """How well a sum of variances is known: the degrees of freedom, from each variance and the cases it rests on.

    >>> round(satterthwaite([(0.01, 11), (0.001, 200)]), 1)
    12.1
    """
    whole = sum(variance for variance, _ in parts)
    doubt = sum(variance**2 / (cases - 1) for variance, cases in parts if cases > 1)
    return whole**2 / doubt if doubt > 0 else math.inf


def all_alike(
    title: str,
    values: Floats,
    covariance: Floats,
    classes: Sequence[OfClass],
    freedom: float,
    contrasts: Floats | None = None,
) -> TestResult:
    """Whether all contrasts of some estimates are zero: by default, whether the estimates differ at all.

    Wald's statistic is held against F. Where two classes add up to the covariance, its degrees of freedom are Nel and
    van der Merwe's (1986); below 20 cases in a class the ANOVA-type statistic is taken instead (Brunner, Dette & Munk
    1997), which does not invert a covariance that is hardly known. Infinite `freedom` without classes is chi-squared.

    >>> spread = np.diag([0.0004, 0.0004, 0.0004])
    >>> all_alike("three", np.array([0.9, 0.9, 0.8]), spread, [OfClass(spread, 50)], math.inf).method
    'F, 2 and 48 df'
    """
    basis = _orthonormal_contrasts(len(values)) if contrasts is None else np.asarray(contrasts, dtype=np.float64)
    found, spread = basis @ values, basis @ covariance @ basis.T
    scale = float(np.abs(np.diag(covariance)).max())
    rank = int(np.linalg.matrix_rank(spread, tol=1e-10 * scale, hermitian=True)) if scale > 0 else 0
    if rank == 0:
        same = bool(np.allclose(found, 0, atol=1e-12))
        return TestResult(title, NULL, 0.0 if same else math.nan, 1.0 if same else math.nan, "chi-squared, 0 df",
                          None if same else NOTHING_VARIES)  # fmt: skip
    parts = [OfClass(basis @ one.covariance @ basis.T, one.cases) for one in classes]
    smaller = min((part.cases for part in parts), default=math.inf)
    if smaller < FEWEST_FOR_ANOVA:
        why = f"{counted(round(smaller), 'case')} in a class: below {FEWEST_FOR_ANOVA} no test of all at once was shown"
        return _undefined_test(title, f"{why} to keep its level; their differences two by two have intervals")
    if smaller <= FEWEST_FOR_F:
        return _anova_type_test(title, found, basis, parts)
    statistic = float(found @ np.linalg.pinv(spread, rcond=1e-10, hermitian=True) @ found)
    freedom = _nel_van_der_merwe_freedom(spread, parts) if parts else freedom
    if math.isinf(freedom):
        distribution = NullDistribution("chi-square", (rank,))
        p_value, method = float(chdtrc(rank, statistic)), f"chi-squared, {rank} df"
        return TestResult(title, NULL, statistic, p_value, method, null_distribution=distribution)
    left = freedom - rank + 1
    if left <= 1:
        return _undefined_test(title, "too few cases or clusters to estimate how this many vary jointly")
    f = statistic * left / (freedom * rank)
    return TestResult(title, NULL, f, float(fdtrc(rank, left, f)), f"F, {rank} and {left:.4g} df")


def _undefined_test(title: str, why: str) -> TestResult:
    return TestResult(title, NULL, math.nan, math.nan, "none", why)


def _orthonormal_contrasts(count: int) -> Floats:
    """Contrasts at right angles, each of length 1, so that the order of the classifiers does not matter."""
    centred = np.eye(count) - 1 / count
    return np.asarray(np.linalg.svd(centred)[2][: count - 1])


def _nel_van_der_merwe_freedom(spread: Floats, parts: Sequence[OfClass]) -> float:
    """The degrees of freedom of a sum of covariances."""

    def size(matrix: Floats) -> float:
        return float((matrix * matrix).sum()) + float(np.trace(matrix)) ** 2

    return size(spread) / sum(size(part.covariance) / (part.cases - 1) for part in parts)


def _anova_type_test(title: str, found: Floats, basis: Floats, parts: Sequence[OfClass]) -> TestResult:
    """The squared length of the contrasts against the trace of their covariance."""
    weigh = np.linalg.pinv(basis @ basis.T, hermitian=True)
    each = [(weigh @ part.covariance, part.cases) for part in parts]
    whole = np.sum([matrix for matrix, _ in each], axis=0)
    trace = float(np.trace(whole))
    first = trace**2 / float(np.trace(whole @ whole))
    second = trace**2 / sum(float(np.trace(matrix)) ** 2 / (cases - 1) for matrix, cases in each)
    f = float(found @ weigh @ found) / trace
    label = f"ANOVA-type F, {first:.3g} and {second:.4g} df"
    return TestResult(title, NULL, f, float(fdtrc(first, second, f)), label)


Pair = tuple[int, int]
# The limits of a difference of two classifiers, by their places, at a level.
Limits = Callable[[int, int, float], tuple[float, float]]

# So many that a critical value moves by about a hundredth from one seed to another.
DRAWS = 20_000
# Of more pairs than this, draws are made of the classifiers and not of each pair; so many values of pairs at a time.
MOST_AT_ONCE, AT_A_TIME = 300, 4_000_000
# A variance this small beside those it is the difference of is rounding.
ROUNDING = 1e-13
NO_DIFFERENCE = "they do not differ on any of these cases, so the variance of the difference is unknown"
# Beyond this level nobody looks, and quantiles lose their digits.
HIGHEST_LEVEL = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class Joint:
    """What several classifiers scored on the same cases, and how these estimates vary together.

    `moved[k, i]` is how much case (or cluster) i moves the estimate of classifier k; the covariance is their sum of
    products, with the corrections of the method. `freedom` are the degrees of freedom of the t distribution that
    differences are held against, one number or one a pair; None takes them from the classes, or else from how unevenly
    the cases move each difference.

    >>> joint = Joint("roc_auc", ("a", "b"), np.array([0.9, 0.8]), np.diag([0.0004, 0.0005]), 200, "paired DeLong")
    >>> joint.difference(0, 1)
    a - b: +0.100 [0.041, 0.159], p < 0.001 (paired DeLong)
    """

    measure: str
    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    n: float
    method: str
    freedom: float | Floats | None = math.inf
    moved: Floats | None = field(default=None, repr=False)
    # Why there is no interval, although there may be a difference.
    refusal: str | None = None
    target: str = "these classifiers"
    # What each class adds to the covariance, where classes add up.
    classes: tuple[OfClass, ...] = field(default=(), repr=False)
    # Limits that count on what the sample may lack: those of a difference are the wider of them and the usual ones.
    careful: Limits | None = field(default=None, repr=False)
    # Why two that agree on every case say nothing of how far they may differ; None where they then do not.
    alike: str | None = None
    # What is to be doubted where it was asked for by its name: then nothing is refused that can be computed.
    doubt: str | None = None

    def scaled(self, measure: str, scale: float, shift: float) -> Joint:
        """The same of a measure that is a straight line of this one."""
        careful = self.careful
        return replace(
            self,
            measure=measure,
            values=scale * self.values + shift,
            covariance=scale**2 * self.covariance,
            classes=tuple(OfClass(scale**2 * one.covariance, one.cases) for one in self.classes),
            careful=None if careful is None else lambda *pair: (scale * careful(*pair)[0], scale * careful(*pair)[1]),
        )

    def asked_for(self) -> Joint:
        """The same where it was asked for by its name: nothing is refused, and what a default refuses is doubted."""
        return replace(self, refusal=None, doubt=self.refusal or self.doubt)

    def difference(self, first: int, second: int, level: float = 0.95, null: float = 0.0) -> Difference:
        """The difference of two of them: plus or minus t standard errors, or further where that rests on little.

        The p-value is that of a difference of `null`.
        """
        level = checked_level(level)
        t = float(stdtrit(self._freedom(first, second), 0.5 + level / 2))
        return self._difference(first, second, level, t, null)

    def differences(
        self,
        pairs: Sequence[Pair],
        level: float = 0.95,
        seed: int = 0,
        null: float = 0.0,
        *,
        among: Sequence[Pair] = (),
    ) -> list[Difference]:
        """Several differences whose intervals hold all at once and whose p-values keep the level among them all.

        `among` are all pairs that these were chosen from after a look at the values: then they hold among those.

        The largest of the standardised differences is held against its own distribution (single-step max-T), drawn
        with the correlations the cases show; where Bonferroni's bound is sharper it is taken.
        """
        level = checked_level(level)
        seed = checked_seed(seed)
        family = among or pairs
        if len(family) == 1:
            return [self.difference(*pairs[0], level, null)]
        largest = self._draws_of_largest(family, seed)
        drawn = critical_value(largest, level)
        words = f"{len(family):,} comparisons at once"
        found = []
        for first, second in pairs:
            freedom = self._freedom(first, second)
            bound = float(stdtrit(freedom, 1 - (1 - level) / (2 * len(family))))
            one = self._difference(first, second, level, min(drawn, bound), null)
            adjusted = adjusted_p(one.p_value, largest, len(family), freedom)
            found.append(replace(one, p_value=adjusted, adjusted=words))
        return found

    def test(self, contrasts: Floats | None = None) -> TestResult:
        """The test that all contrasts are zero; by default that all classifiers score alike.

        The degrees of freedom are the rank of the contrasts' covariance, so classifiers with the same scores on every
        case count once.
        """
        title = f"{self.method}, jointly"
        if self.refusal is not None:
            return TestResult(title, NULL, math.nan, math.nan, self.method, self.refusal)
        if np.isnan(self.covariance).any():
            return TestResult(title, NULL, math.nan, math.nan, self.method, NOTHING_VARIES)
        k = len(self.names)
        of_its_own = bool(self.classes) or self.careful is not None
        if k == 2 and contrasts is None and of_its_own and self.error(0, 1) > 0:
            # Two of them differ by the same test that their difference stands beside.
            found = self.difference(0, 1)
            return TestResult(title, NULL, found.value / self.error(0, 1), found.p_value, found.method)
        freedom = min(self._freedom(i, j) for i in range(k) for j in range(i)) if not self.classes else math.inf
        result = all_alike(title, self.values, self.covariance, self.classes, freedom, contrasts)
        return result if self.doubt is None else replace(result, caution=self.doubt)

    def error(self, first: int, second: int) -> float:
        """The standard error of a difference."""
        s = self.covariance
        squared = float(s[first, first] + s[second, second] - 2 * s[first, second])
        return math.sqrt(squared) if squared > ROUNDING * float(s[first, first] + s[second, second]) else 0.0

    def _difference_and_error(self, first: int, second: int) -> tuple[float, float]:
        """A difference and its standard error; one that is the rounding of sums alone is none."""
        one, other, error = float(self.values[first]), float(self.values[second]), self.error(first, second)
        is_rounding = error == 0 and abs(one - other) < ROUNDING * max(abs(one), abs(other))
        return (0.0 if is_rounding else one - other), error

    def _difference(self, first: int, second: int, level: float, t: float, null: float) -> Difference:
        value, error = self._difference_and_error(first, second)
        freedom, reason = self._freedom(first, second), self._why_not(first, second)
        found = Difference(
            self.measure, self.names[first], self.names[second], value, math.nan, math.nan, level, math.nan,
            self.method, self.n, reason, target=self.target, null=null, caution=self.doubt,
        )  # fmt: skip
        if reason is not None:
            return replace(found, p_value=1.0) if value == null and error == 0 else found
        low, high, away = value - t * error, value + t * error, value - null
        usual = 2 * float(stdtr(freedom, -abs(away) / error)) if error > 0 else float(away == 0)
        p_value = usual
        if self.careful is not None:
            # As far out as the usual limits, which may be adjusted for several comparisons.
            each = min(1 - 2 * float(stdtr(freedom, -t)), HIGHEST_LEVEL)
            further = self.careful(first, second, each)
            low, high = min(low, further[0]), max(high, further[1])
            p_value = max(usual, p_by_inversion(partial(self.careful, first, second), value, null))
        if error == 0:
            found = replace(found, caution=self.doubt or NO_DIFFERENCE)
        # Where other limits reach further, the statistic is not the one the p-value belongs to.
        if error > 0 and p_value == usual:
            found = replace(found, statistic=away / error, freedom=freedom)
        return replace(found, low=low, high=high, p_value=p_value, se=error)

    def _why_not(self, first: int, second: int) -> str | None:
        """Why a difference has no interval, or None."""
        value, error = self._difference_and_error(first, second)
        if self.refusal is not None or math.isnan(value):
            return self.refusal or "it is undefined for one of them"
        if math.isnan(error):
            return NOTHING_VARIES
        if error > 0:
            return None
        if value == 0 and float(self.covariance[first, first]) > 0:
            return self.alike
        return NOTHING_VARIES if self.careful is None or self.alike is not None else None

    def _freedom(self, first: int, second: int) -> float:
        if isinstance(self.freedom, np.ndarray):
            return float(self.freedom[first, second])
        if self.freedom is not None:
            return self.freedom
        if self.classes:
            return satterthwaite([one.between(first, second) for one in self.classes])
        assert self.moved is not None
        return spread_freedom(self.moved[first] - self.moved[second])

    def _draws_of_largest(self, pairs: Sequence[Pair], seed: int) -> Floats:
        """Draws of the largest standardised difference, were there none."""
        if len(pairs) > MOST_AT_ONCE:
            freedom = min(self._freedom(*pair) for pair in pairs)
            return draws_of_largest_pair(np.nan_to_num(self.covariance), pairs, freedom, seed)
        contrasts = np.zeros((len(pairs), len(self.names)))
        for row, (first, second) in enumerate(pairs):
            contrasts[row, first], contrasts[row, second] = 1.0, -1.0
        spread = contrasts @ np.nan_to_num(self.covariance) @ contrasts.T
        return draws_of_largest(spread, min(self._freedom(*pair) for pair in pairs), seed)


def draws_of_largest(spread: Floats, freedom: float, seed: int) -> Floats:
    """Draws of the largest of several standardised differences that vary together so, were there none.

    >>> draws_of_largest(np.zeros((2, 2)), math.inf, seed=0)
    array([0.])
    """
    error = np.sqrt(np.maximum(np.diag(spread), 0))
    varies = error > 0
    if not varies.any():
        return np.zeros(1)
    correlation = spread[np.ix_(varies, varies)] / np.outer(error[varies], error[varies])
    rng = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(correlation)
    normal = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    if math.isfinite(freedom):
        normal /= np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)[:, None]
    return np.asarray(np.abs(normal).max(1))


def draws_of_largest_pair(covariance: Floats, pairs: Sequence[Pair], freedom: float, seed: int) -> Floats:
    """Draws of the largest of very many standardised differences, made by drawing the estimates themselves.

    They need memory for the classifiers, not for the square of their number.

    >>> pairs = [(0, 1), (0, 2), (1, 2)]
    >>> drawn = critical_value(draws_of_largest_pair(np.eye(3), pairs, math.inf, seed=0), 0.95)
    >>> abs(drawn - 2.344) < 0.02  # Tukey's studentized range, 3.314, by the square root of 2
    True
    """
    first, second = np.array(pairs).T
    variance = np.diag(covariance)
    squared = variance[first] + variance[second] - 2 * covariance[first, second]
    varies = squared > ROUNDING * (variance[first] + variance[second])
    if not varies.any():
        return np.zeros(1)
    first, second, error = first[varies], second[varies], np.sqrt(squared[varies])
    rng = np.random.default_rng(seed)
    values, vectors = np.linalg.eigh(covariance)
    drawn = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    step = max(1, AT_A_TIME // len(error))
    parts = (drawn[start : start + step] for start in range(0, DRAWS, step))
    largest = np.concatenate([(np.abs(part[:, first] - part[:, second]) / error).max(1) for part in parts])
    return largest / np.sqrt(rng.chisquare(freedom, DRAWS) / freedom) if math.isfinite(freedom) else largest


def critical_value(largest: Floats, level: float) -> float:
    """What the largest of several standardised differences exceeds in 1 - level of the draws.

    >>> critical_value(np.zeros(1), 0.95)  # classifiers that agree on every case: nothing was drawn
    0.0
    """
    rank = min(math.ceil(level * (len(largest) + 1)), len(largest))
    return float(np.quantile(largest, (rank - 0.5) / len(largest), method="inverted_cdf"))


def adjusted_p(p_value: float, largest: Floats | None, count: int, freedom: float = math.inf) -> float:
    """How often the largest of so many differences would be as far out as one is by its own p-value.

    Bonferroni's bound where it is sharper, or where there are no draws.

    >>> adjusted_p(0.01, None, count=3)
    0.03
    """
    if math.isnan(p_value) or p_value == 1:
        return p_value
    if largest is None:
        return bonferroni(p_value, count)
    distance = -float(stdtrit(freedom, p_value / 2))
    drawn = (1 + int(np.count_nonzero(largest >= distance))) / (len(largest) + 1)
    return min(drawn, bonferroni(p_value, count))


def p_by_inversion(limits: Callable[[float], tuple[float, float]], value: float, null: float = 0.0) -> float:
    """The p-value of a difference of `null` that belongs to limits.

    >>> round(p_by_inversion(lambda level: (2 - ndtri(0.5 + level / 2), 9.0), 2.0, null=1.0), 4)
    0.3173
    """

    def shifted(level: float) -> tuple[float, float]:
        low, high = limits(level)
        return low - null, high - null

    return level_that_reaches_zero(limits if null == 0 else shifted, value - null)


def level_that_reaches_zero(limits: Callable[[float], tuple[float, float]], value: float) -> float:
    """The p-value that belongs to limits: 1 less the level at which the nearer one is 0.

    >>> round(level_that_reaches_zero(lambda level: (2 - ndtri(0.5 + level / 2), 9.0), 2.0), 6)
    0.0455
    """
    if value == 0:
        return 1.0
    near = 0 if value > 0 else 1

    def distance(z: float) -> float:
        found = limits(1 - two_sided(z))[near]
        return found if value > 0 else -found

    # Limits are nearly straight lines of the quantile, on which roots are found in a few steps.
    least, most = 1e-3, float(ndtri(0.5 + HIGHEST_LEVEL / 2))
    if distance(most) > 0:
        return 1 - HIGHEST_LEVEL
    if distance(least) <= 0:
        return 1.0
    return two_sided(float(brentq(distance, least, most, xtol=1e-9)))
