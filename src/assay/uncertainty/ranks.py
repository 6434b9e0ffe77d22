"""The Mann-Whitney-Wilcoxon test: do positives score higher than negatives at all?"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from assay.evidence import ScoreTable
from assay.results import TestResult

__all__ = ["mann_whitney"]

# With at most this many pairs and no ties the exact distribution is quick to count.
_EXACT_PAIRS = 2_500


def mann_whitney(table: ScoreTable) -> TestResult:
    """Tests that a positive and a negative are equally likely to score higher; U is the pairs won, ties half.

    Exact for small samples without ties; otherwise normal, with the variance corrected for ties and half a pair of
    continuity correction, two-sided.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> mann_whitney(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]))
    Mann-Whitney U (exact): statistic 19, p = 0.222; null: positives and negatives score alike

    References: Wilcoxon (1945); Mann & Whitney (1947).
    """
    n1, n0 = float(table.positives), float(table.negatives)
    won = table.pairs.concordant + table.pairs.tied / 2
    if min(n0, n1) == 0:
        return _result(math.nan, math.nan, "none", "truth holds a single class")
    has_ties = len(table) < n0 + n1
    if not has_ties and n0 * n1 <= _EXACT_PAIRS:
        return _result(won, _exact_p(round(won), round(min(n0, n1)), round(max(n0, n1))), "exact")
    tied = table.negative + table.positive
    n = n0 + n1
    variance = n0 * n1 / 12 * (n + 1 - float((tied**3 - tied).sum()) / (n * (n - 1)))
    if variance <= 0:
        return _result(won, 1.0, "every score is the same")
    distance = max(abs(won - n0 * n1 / 2) - 0.5, 0.0)
    return _result(won, float(2 * ndtr(-distance / math.sqrt(variance))), "normal, tie-corrected")


def _exact_p(won: int, smaller: int, larger: int) -> float:
    """Two-sided p-value from the counts of arrangements with each U (the Gaussian binomial's coefficients)."""
    pairs = smaller * larger
    ways = np.zeros(pairs + 1)
    ways[0] = 1.0
    # The number of arrangements with U = u is the coefficient of q^u in prod (1 - q^(larger+i)) / (1 - q^i).
    for i in range(1, smaller + 1):
        ways[larger + i :] -= ways[: pairs + 1 - larger - i].copy()
        for u in range(i, pairs + 1):
            ways[u] += ways[u - i]
    tail = ways[: min(won, pairs - won) + 1].sum() / ways.sum()
    return float(min(1.0, 2 * tail))


def _result(statistic: float, p_value: float, method: str, undefined: str | None = None) -> TestResult:
    return TestResult("Mann-Whitney U", "positives and negatives score alike", statistic, p_value, method, undefined)
