"""Tests that need no more than the labels: is the accuracy more than the commonest class, are classes over-called?"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import chdtrc

from assay.evidence import ConfusionMatrix
from assay.results import TestResult
from assay.uncertainty.proportions import exceedance_p_value

__all__ = ["label_bias_test", "no_information_test"]


def no_information_test(matrix: ConfusionMatrix) -> TestResult:
    """Tests that the accuracy is no more than always answering the commonest class would reach.

    One-sided and exact, given the share of that class (caret's "P-Value [Acc > NIR]"). The share is taken as known,
    though it comes from the same cases.

    >>> no_information_test(ConfusionMatrix.binary(tp=5, fn=5, fp=6, tn=38))
    accuracy above the no-information rate (exact binomial, one-sided): statistic 43, p = 0.709; null: ...
    """
    name, null = "accuracy above the no-information rate", "the accuracy is that of always answering one class"
    obstacle = _obstacle(matrix)
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
    obstacle = _obstacle(matrix)
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


def _obstacle(matrix: ConfusionMatrix) -> str | None:
    if matrix.total == 0:
        return "there are no cases"
    if matrix.squares is not None:
        return "the test counts cases, and these have weights"
    if matrix.clusters is not None:
        return "the test takes cases as independent, and these come in clusters"
    return None
