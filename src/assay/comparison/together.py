"""Do several classifiers score alike? One test of all of them, from how their estimates vary together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, fdtrc

from assay.comparison.adjustment import NOTHING_VARIES
from assay.results import NullDistribution, TestResult, counted
from assay.types import Floats

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
    basis = _between_all(len(values)) if contrasts is None else np.asarray(contrasts, dtype=np.float64)
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
        return _none(title, f"{why} to keep its level; their differences two by two have intervals")
    if smaller <= FEWEST_FOR_F:
        return _anova_type(title, found, basis, parts)
    statistic = float(found @ np.linalg.pinv(spread, rcond=1e-10, hermitian=True) @ found)
    freedom = _nel_van_der_merwe(spread, parts) if parts else freedom
    if math.isinf(freedom):
        distribution = NullDistribution("chi-square", (rank,))
        p_value, method = float(chdtrc(rank, statistic)), f"chi-squared, {rank} df"
        return TestResult(title, NULL, statistic, p_value, method, null_distribution=distribution)
    left = freedom - rank + 1
    if left <= 1:
        return _none(title, "so few cases or clusters tell how this many vary together that no test is known to hold")
    f = statistic * left / (freedom * rank)
    return TestResult(title, NULL, f, float(fdtrc(rank, left, f)), f"F, {rank} and {left:.4g} df")


def _none(title: str, why: str) -> TestResult:
    return TestResult(title, NULL, math.nan, math.nan, "none", why)


def _between_all(count: int) -> Floats:
    """Contrasts at right angles, each of length 1, so that the order of the classifiers does not matter."""
    centred = np.eye(count) - 1 / count
    return np.asarray(np.linalg.svd(centred)[2][: count - 1])


def _nel_van_der_merwe(spread: Floats, parts: Sequence[OfClass]) -> float:
    """The degrees of freedom of a sum of covariances."""

    def size(matrix: Floats) -> float:
        return float((matrix * matrix).sum()) + float(np.trace(matrix)) ** 2

    return size(spread) / sum(size(part.covariance) / (part.cases - 1) for part in parts)


def _anova_type(title: str, found: Floats, basis: Floats, parts: Sequence[OfClass]) -> TestResult:
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
