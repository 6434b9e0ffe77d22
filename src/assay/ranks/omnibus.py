"""Omnibus tests of equal algorithms over ranks; leading axes are batches of tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc
from scipy.stats import rankdata

from assay.ranks.input import settled
from assay.results import NAN, NullDistribution, TestResult
from assay.types import Floats

NULL = "all algorithms are equally good"
# Fewer data sets than this were not simulated, or the approximations were too far off there.
LEAST_DATASETS = 5
LEAST_ALGORITHMS = 3


def ranks_within(gains: Any) -> Floats:
    """The rank of each algorithm on each data set: 1 for the highest, tied ones share the mean of their ranks.

    >>> ranks_within([[0.9, 0.8, 0.8, 0.1]]).tolist()
    [[1.0, 2.5, 2.5, 4.0]]
    """
    return np.asarray(rankdata(-np.asarray(gains, dtype=np.float64), axis=-1))


def friedman_statistic(ranks: Floats, *, tie_corrected: bool = True) -> Floats:
    """Friedman's chi-square of ranks (data sets by algorithms); nan where every data set ties all algorithms.

    >>> friedman_statistic(np.array([[1.0, 2, 3], [1, 2, 3], [1, 3, 2], [2, 1, 3]])).item()
    4.5
    """
    count, k = ranks.shape[-2:]
    centred = ranks - (k + 1) / 2
    between = (centred.sum(-2) ** 2).sum(-1)
    spread = (centred**2).sum((-2, -1)) if tie_corrected else np.float64(count * k * (k**2 - 1) / 12)
    with np.errstate(invalid="ignore"):
        statistic: Floats = (k - 1) * between / spread
    return statistic


def iman_davenport_statistic(ranks: Floats, *, tie_corrected: bool = True) -> Floats:
    """Iman and Davenport's F of ranks; infinite where every data set ranks the algorithms alike."""
    count, k = ranks.shape[-2:]
    chi_square = friedman_statistic(ranks, tie_corrected=tie_corrected)
    left = np.maximum(count * (k - 1) - chi_square, 0.0)
    left = np.where(left < 1e-9 * count * k, 0.0, left)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic: Floats = (count - 1) * chi_square / left
    return statistic


def friedman(gains: Floats, *, tie_corrected: bool = True) -> TestResult:
    """Return Friedman's chi-square test of equal mean ranks over data sets.

    >>> friedman(np.array([[3.0, 2, 1], [3, 2, 1], [3, 1, 2], [2, 3, 1], [3, 2, 1]]))
    Friedman (chi-square, 2 df, corrected for ties): statistic 6.4, p = 0.0408; null: all algorithms are equally good

    References: Friedman (1937); Demsar (2006).
    """
    statistic = float(friedman_statistic(ranks_within(gains), tie_corrected=tie_corrected))
    freedom = gains.shape[1] - 1
    method = f"chi-square, {freedom} df{', corrected for ties' if tie_corrected else ''}"
    distribution = NullDistribution("chi-square", (freedom,))
    return _test_result("Friedman", method, statistic, float(chdtrc(freedom, statistic)), gains, distribution)


def iman_davenport(gains: Floats, *, tie_corrected: bool = True) -> TestResult:
    """Return Iman and Davenport's F test of equal mean ranks, whose level is closer to nominal than Friedman's.

    References: Iman & Davenport (1980); Demsar (2006).
    """
    statistic = float(iman_davenport_statistic(ranks_within(gains), tie_corrected=tie_corrected))
    words = ", corrected for ties" if tie_corrected else ""
    return _f_result("Iman-Davenport", statistic, gains, words)


def aligned_ranks(gains: Floats) -> Floats:
    """Ranks over all data sets together, of the differences from each data set's mean: 1 for the best."""
    aligned = settled(gains - gains.mean(-1, keepdims=True))
    return np.asarray(rankdata(-aligned).reshape(gains.shape))


def friedman_aligned(gains: Floats) -> TestResult:
    """Return Friedman's test of aligned ranks, more powerful with few algorithms.

    It assumes that a difference of 0.01 is equally important on every data set.

    >>> round(friedman_aligned(np.array([[9.0, 2, 1], [8, 3, 1], [9, 1, 2], [2, 3, 1], [7, 2, 1]])).p_value, 4)
    0.03

    References: Hodges & Lehmann (1962); Garcia et al. (2010).
    """
    count, k = gains.shape
    ranks = aligned_ranks(gains)
    size = count * k
    between = float((ranks.sum(0) ** 2).sum()) - k * count**2 / 4 * (size + 1) ** 2
    within = size * (size + 1) * (2 * size + 1) / 6 - float((ranks.sum(1) ** 2).sum()) / k
    statistic = (k - 1) * between / within if within > 0 else NAN
    return _test_result(
        "Friedman, aligned ranks",
        f"chi-square, {k - 1} df",
        statistic,
        float(chdtrc(k - 1, statistic)),
        gains,
        NullDistribution("chi-square", (k - 1,)),
    )


def quade_weights(gains: Floats) -> Floats:
    """The rank of each data set by how far its best and worst value are apart."""
    return np.asarray(rankdata(settled(np.ptp(gains, axis=1))))


def quade(gains: Floats, *, tie_corrected: bool = True) -> TestResult:
    """Return Quade's test, in which data sets are weighted by the range of their results.

    >>> round(quade(np.array([[3.0, 2, 1], [5, 2, 1], [3, 1, 2], [2, 3, 1], [4, 2, 1]])).p_value, 4)
    0.0172

    References: Quade (1979).
    """
    count, k = gains.shape
    scores = quade_weights(gains)[:, None] * (ranks_within(gains) - (k + 1) / 2)
    untied = count * (count + 1) * (2 * count + 1) * k * (k**2 - 1) / 72
    total = float((scores**2).sum()) if tie_corrected else untied
    between = float((scores.sum(0) ** 2).sum()) / count
    left = total - between
    statistic = (count - 1) * between / left if left > 1e-9 * total else (math.inf if total > 0 else NAN)
    return _f_result("Quade", statistic, gains, ", corrected for ties" if tie_corrected else "")


def too_few(datasets: int) -> str:
    """Return why a test of ranks is impossible with this number of data sets.

    >>> too_few(1)
    'too few data sets (1; at least 5 needed)'
    """

    return f"too few data sets ({datasets}; at least {LEAST_DATASETS} needed)"


def _f_result(test: str, statistic: float, gains: Floats, words: str) -> TestResult:
    count, k = gains.shape
    freedom = (k - 1, (k - 1) * (count - 1))
    # Where all data sets agree F is infinite; so likely is it that the others repeat the first one's order.
    chance = math.exp(-(count - 1) * math.lgamma(k + 1)) if math.isinf(statistic) else float(fdtrc(*freedom, statistic))
    method = f"F, {freedom[0]} and {freedom[1]} df{words}"
    return _test_result(test, method, statistic, chance, gains, NullDistribution("F", freedom))


def _test_result(
    test: str, method: str, statistic: float, p_value: float, gains: Floats, distribution: NullDistribution
) -> TestResult:
    if gains.shape[1] < LEAST_ALGORITHMS:
        reason = "fewer than three algorithms; use the Wilcoxon signed-rank test for two"
        return TestResult(test, NULL, statistic, NAN, method, reason)
    if len(gains) < LEAST_DATASETS:
        reason = too_few(len(gains))
        return TestResult(test, NULL, statistic, NAN, method, reason)
    if math.isnan(statistic):
        return TestResult(test, NULL, NAN, NAN, method, "all algorithms are tied on every data set")
    return TestResult(test, NULL, statistic, p_value, method, null_distribution=distribution)
