"""Standard errors from influence functions: how much each case moves an estimate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ScoreTable

__all__ = ["standard_error"]


def standard_error(table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]) -> float:
    """The standard error of an estimate whose influence function takes these values at each score.

    The values have mean zero over the cases; the estimate's variance is their mean square over n.
    Weights enter squared.

    >>> table = ScoreTable.of([0.0, 1.0], [False, True])
    >>> round(standard_error(table, np.array([1.0, 1.0]), np.array([-1.0, -1.0])), 3)
    1.0
    """
    n, (negative, positive) = float(table.total), table.squared_weights
    effective = n * n / float(negative.sum() + positive.sum())
    squares = float(negative @ np.square(of_negatives) + positive @ np.square(of_positives))
    return math.sqrt(squares / (n * n) * effective / (effective - 1)) if effective > 1 else math.nan
