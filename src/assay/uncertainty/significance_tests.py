"""Tests that need no more than the labels: is the accuracy more than the commonest class, are classes over-called?

The Mann-Whitney-Wilcoxon test: do positives score higher than negatives at all?
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtrc, ndtr

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.results import TestResult
from assay.uncertainty.proportions import exceedance_p_value

__all__ = ["label_bias_test", "mann_whitney", "no_information_test"]


def no_information_test(matrix: ConfusionMatrix) -> TestResult:
    """Tests that the accuracy is no more than always answering the commonest class would reach.

    One-sided and exact, given the share of that class (caret's "P-Value [Acc > NIR]"). The share is taken as known,
    though it comes from the same cases.

    >>> no_information_test(ConfusionMatrix.binary(tp=5, fn=5, fp=6, tn=38))
    accuracy above the no-information rate (exact binomial, one-sided): statistic 43, p = 0.709; null: ...
    """
    name, null = "accuracy above the no-information rate", "the accuracy is that of always answering one class"
    obstacle = _no_test_reason(matrix)
    if obstacle is not None:
        return TestResult(name, null, math.nan, math.nan, "none", obstacle)
    correct, total = float(matrix.correct), float(matrix.total)
    p_value = exceedance_p_value(correct, total, float(matrix.actual.max()) / total)
    return TestResult(name, null, correct, p_value, "exact binomial, one-sided")


def label_bias_test(matrix: ConfusionMatrix) -> TestResult:
    """Tests that decisions and truth hold the classes equally often: that no class is over- or under-called.

    McNemar's test of predictions against the truth, continuity corrected, as caret prints it; Bowker's with more than
    two classes. It compares a classifier with the truth, never with another classifier, and a useless one may pass.

    >>> label_bias_test(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343))
    label bias (McNemar, continuity corrected): statistic 2.5641, p = 0.109; null: errors go either way equally often
    """
    name, null = "label bias", "errors go either way equally often"
    obstacle = _no_test_reason(matrix)
    if obstacle is not None:
        return TestResult(name, null, math.nan, math.nan, "none", obstacle)
    classes = len(matrix.classes)
    above, below = np.triu_indices(classes, 1)
    first, second = matrix.counts[above, below], matrix.counts[below, above]
    seen = first + second > 0
    method = "McNemar, continuity corrected" if classes == 2 else "Bowker"
    if not seen.any():
        return TestResult(name, null, 0.0, 1.0, method)
    distance = np.abs(first - second)[seen]
    if classes == 2:
        distance = np.maximum(distance - 1, 0)
    statistic = float((distance**2 / (first + second)[seen]).sum())
    return TestResult(name, null, statistic, float(chdtrc(int(seen.sum()), statistic)), method)


def _no_test_reason(matrix: ConfusionMatrix) -> str | None:
    if matrix.total == 0:
        return "there are no cases"
    if matrix.squares is not None:
        return "the test counts cases, and these have weights"
    if matrix.clusters is not None:
        return "the test assumes independent cases, and these come in clusters"
    return None


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
        return _test_result(math.nan, math.nan, "none", "all true labels are of one class")
    has_ties = len(table) < n0 + n1
    if not has_ties and n0 * n1 <= _EXACT_PAIRS:
        return _test_result(won, _exact_p(round(won), round(min(n0, n1)), round(max(n0, n1))), "exact")
    tied = table.negative + table.positive
    n = n0 + n1
    variance = n0 * n1 / 12 * (n + 1 - float((tied**3 - tied).sum()) / (n * (n - 1)))
    if variance <= 0:
        return _test_result(won, 1.0, "every score is the same")
    distance = max(abs(won - n0 * n1 / 2) - 0.5, 0.0)
    return _test_result(won, float(2 * ndtr(-distance / math.sqrt(variance))), "normal, tie-corrected")


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


def _test_result(statistic: float, p_value: float, method: str, undefined: str | None = None) -> TestResult:
    return TestResult("Mann-Whitney U", "positives and negatives score alike", statistic, p_value, method, undefined)
