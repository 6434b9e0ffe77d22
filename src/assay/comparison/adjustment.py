"""Estimates of several classifiers that vary together: differences, joint tests, one adjustment for many of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import chdtrc, stdtr, stdtrit

from assay.notebook import in_notebook
from assay.request import checked_level, checked_seed
from assay.results import TestResult
from assay.types import Floats
from assay.uncertainty import spread_freedom
from assay.words import bracketed, signed

Pair = tuple[int, int]

# So many that a critical value moves by about a hundredth from one seed to another.
DRAWS = 20_000
# A variance this small beside those it is the difference of is rounding.
ROUNDING = 1e-13
NOTHING_VARIES = "it does not vary between these cases, so they cannot tell how uncertain it is"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the first classifier's value is than the second's, with its interval and the p-value beside it.

    Interval and p-value come from one test: 0 lies outside the interval exactly where p is below 1 - level. `adjusted`
    says for how many comparisons at once they hold, where there were several.

    >>> Difference("roc_auc", "bayes", "svm", 0.021, 0.008, 0.034, 0.95, 0.002, "paired DeLong", 2500)
    bayes - svm: +0.021 [0.008, 0.034], p = 0.002 (paired DeLong)
    """

    measure: str
    first: str
    second: str
    value: float
    low: float
    high: float
    level: float
    p_value: float
    method: str
    n: float
    undefined: str | None = None
    adjusted: str | None = None
    target: str = "these classifiers"

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        what = f"{self.first} - {self.second}: "
        if math.isnan(self.value):
            return f"{what}undefined: {self.undefined}"
        if math.isnan(self.low):
            return f"{what}{signed(self)} [no interval: {self.undefined}]"
        shown = f"{what}{signed(self)} {bracketed(self)}, {p_text(self.p_value)}"
        return f"{shown} ({self.method}{f', {self.adjusted}' if self.adjusted else ''})"

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None."""
        plain = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in asdict(self).items()}
        return plain | {"n": int(self.n) if self.n == int(self.n) else self.n}


def p_text(p_value: float) -> str:
    """A p-value in as many digits as it deserves.

    >>> p_text(0.0234), p_text(0.00001), p_text(1.0)
    ('p = 0.023', 'p < 0.001', 'p = 1.000')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


@dataclass(frozen=True, eq=False)
class Joint:
    """What several classifiers scored on the same cases, and how these estimates vary together.

    `moved[k, i]` is how much case (or cluster) i moves the estimate of classifier k; the covariance is their sum of
    products, with the corrections of the method. `freedom` are the degrees of freedom of the t distribution that
    differences are held against; None takes them from how unevenly the cases move each difference.

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
    freedom: float | None = math.inf
    moved: Floats | None = field(default=None, repr=False)
    # Why there is no interval, although there may be a difference.
    refusal: str | None = None
    target: str = "these classifiers"

    def difference(self, first: int, second: int, level: float = 0.95) -> Difference:
        """The difference of two of them: plus or minus t standard errors."""
        level = checked_level(level)
        t = float(stdtrit(self._freedom(first, second), 0.5 + level / 2))
        return self._difference(first, second, level, t)

    def differences(self, pairs: Sequence[Pair], level: float = 0.95, seed: int = 0) -> list[Difference]:
        """Several differences whose intervals hold all at once and whose p-values keep the level among them all.

        The largest of the standardised differences is held against its own distribution (single-step max-T), drawn
        with the correlations the cases show; where Bonferroni's bound is sharper it is taken.
        """
        level = checked_level(level)
        seed = checked_seed(seed)
        if len(pairs) == 1:
            return [self.difference(*pairs[0], level)]
        largest = self._largest(pairs, seed)
        rank = math.ceil(level * (len(largest) + 1))
        drawn = float(np.quantile(largest, (rank - 0.5) / len(largest), method="inverted_cdf"))
        words = f"{len(pairs)} comparisons at once"
        found = []
        for first, second in pairs:
            freedom = self._freedom(first, second)
            bound = float(stdtrit(freedom, 1 - (1 - level) / (2 * len(pairs))))
            one = self._difference(first, second, level, min(drawn, bound))
            found.append(
                replace(one, p_value=self._adjusted_p(one, first, second, largest, len(pairs)), adjusted=words)
            )
        return found

    def test(self, contrasts: Floats | None = None) -> TestResult:
        """Wald's test that all contrasts are zero; by default that all classifiers score alike.

        The degrees of freedom are the rank of the contrasts' covariance, so classifiers with the same scores on every
        case count once.
        """
        matrix = np.eye(len(self.names))[:-1] - np.eye(len(self.names))[1:] if contrasts is None else contrasts
        title, null = f"{self.method}, jointly", "all classifiers score alike"
        if self.refusal is not None:
            return TestResult(title, null, math.nan, math.nan, self.method, self.refusal)
        values, spread = matrix @ self.values, matrix @ self.covariance @ matrix.T
        scale = float(np.abs(np.diag(self.covariance)).max())
        rank = int(np.linalg.matrix_rank(spread, tol=1e-10 * scale, hermitian=True)) if scale > 0 else 0
        if rank == 0:
            same = bool(np.allclose(values, 0, atol=1e-12))
            return TestResult(title, null, 0.0 if same else math.nan, 1.0 if same else math.nan, "chi-squared, 0 df",
                              None if same else NOTHING_VARIES)  # fmt: skip
        inverse = np.linalg.pinv(spread, rcond=1e-10, hermitian=True)
        statistic = float(values @ inverse @ values)
        return TestResult(title, null, statistic, float(chdtrc(rank, statistic)), f"chi-squared, {rank} df")

    def error(self, first: int, second: int) -> float:
        """The standard error of a difference."""
        s = self.covariance
        squared = float(s[first, first] + s[second, second] - 2 * s[first, second])
        return math.sqrt(squared) if squared > ROUNDING * float(s[first, first] + s[second, second]) else 0.0

    def _difference(self, first: int, second: int, level: float, t: float) -> Difference:
        value, error = float(self.values[first] - self.values[second]), self.error(first, second)
        low, high, p_value, reason = value - t * error, value + t * error, math.nan, self.refusal
        if math.isnan(value):
            reason = reason or "it is undefined for one of them"
        elif reason is None and math.isnan(error):
            reason = NOTHING_VARIES
        elif reason is None and error > 0:
            p_value = 2 * float(stdtr(self._freedom(first, second), -abs(value) / error))
        elif reason is None:
            p_value = 1.0 if value == 0 else math.nan
            # Two that agree on every case do not differ; two that never vary say nothing.
            agree = value == 0 and float(self.covariance[first, first]) > 0
            reason = None if agree else NOTHING_VARIES
        if reason is not None:
            low = high = math.nan
        return Difference(self.measure, self.names[first], self.names[second], value, low, high, level, p_value,
                          self.method, self.n, reason, target=self.target)  # fmt: skip

    def _freedom(self, first: int, second: int) -> float:
        if self.freedom is not None:
            return self.freedom
        assert self.moved is not None
        return spread_freedom(self.moved[first] - self.moved[second])

    def _largest(self, pairs: Sequence[Pair], seed: int) -> Floats:
        """Draws of the largest standardised difference, were there none."""
        contrasts = np.zeros((len(pairs), len(self.names)))
        for row, (first, second) in enumerate(pairs):
            contrasts[row, first], contrasts[row, second] = 1.0, -1.0
        spread = contrasts @ np.nan_to_num(self.covariance) @ contrasts.T
        error = np.sqrt(np.maximum(np.diag(spread), 0))
        varies = error > 0
        correlation = spread[np.ix_(varies, varies)] / np.outer(error[varies], error[varies])
        if not varies.any():
            return np.zeros(1)
        rng = np.random.default_rng(seed)
        values, vectors = np.linalg.eigh(correlation)
        normal = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
        freedom = min(self._freedom(*pair) for pair in pairs)
        if math.isfinite(freedom):
            normal /= np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)[:, None]
        return np.asarray(np.abs(normal).max(1))

    def _adjusted_p(self, one: Difference, first: int, second: int, largest: Floats, count: int) -> float:
        error = self.error(first, second)
        if math.isnan(one.p_value) or not error > 0:
            return one.p_value
        drawn = (1 + int(np.count_nonzero(largest >= abs(one.value) / error))) / (len(largest) + 1)
        return min(drawn, bonferroni(one.p_value, count))


def bonferroni(p_value: float, count: int) -> float:
    """A p-value that keeps its level among `count` of them."""
    return min(1.0, count * p_value)


def bonferroni_level(level: float, count: int) -> float:
    """The level of each of `count` intervals for all to hold at `level`.

    >>> round(bonferroni_level(0.95, 5), 6)
    0.99
    """
    return 1 - (1 - checked_level(level)) / count


def holm(p_values: Sequence[float], level: float = 0.95) -> list[bool]:
    """Which of several unadjusted p-values Holm's step-down procedure rejects: decisions, without intervals.

    >>> holm([0.04, 0.01, 0.02])
    [True, True, True]
    >>> holm([0.04, 0.03, 0.02])
    [False, False, False]
    """
    level = checked_level(level)
    left = {place: p for place, p in enumerate(p_values) if not math.isnan(p)}
    rejected: set[int] = set()
    while left:
        place = min(left, key=lambda k: left[k])
        if left.pop(place) * (len(left) + 1) > 1 - level:
            break
        rejected.add(place)
    return [place in rejected for place in range(len(p_values))]
