"""Standard errors from influence functions: how much each case moves an estimate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ScoreTable

__all__ = ["standard_error", "variance_parts"]


def standard_error(table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]) -> float:
    """The standard error of an estimate whose influence function takes these values at each score.

    The values have mean zero over the cases; the estimate's variance is their mean square over n.
    Weights enter squared.

    >>> table = ScoreTable.of([0.0, 1.0], [False, True])
    >>> round(standard_error(table, np.array([1.0, 1.0]), np.array([-1.0, -1.0])), 3)
    1.0
    """
    return math.sqrt(sum(variance_parts(table, of_negatives, of_positives)))


def variance_parts(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the negatives and what the positives add to the variance of such an estimate."""
    n, (negative, positive) = float(table.total), table.squared_weights
    effective = n * n / float(negative.sum() + positive.sum())
    if not effective > 1:
        return math.nan, math.nan
    factor = effective / (effective - 1) / (n * n)
    # In one pass, without a copy of a million squares.
    of_both = ((negative, of_negatives), (positive, of_positives))
    of_negative, of_positive = (float(np.einsum("i,i,i->", weights, moved, moved)) for weights, moved in of_both)
    return factor * of_negative, factor * of_positive
