"""Standard errors from influence functions: how much each case moves an estimate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.evidence import ScoreTable, weighed
from assay.results import Interval

__all__ = [
    "standard_error",
    "summed_over",
    "turned_moves",
    "usual_moves",
    "variance_parts",
    "with_pseudo_errors",
    "with_pseudo_moves",
]


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
    effective = n * n / sum(table.sums_of_squares)
    if not effective > 1:
        return math.nan, math.nan
    factor = effective / (effective - 1) / (n * n)
    of_negative, of_positive = weighed(negative, of_negatives, positive, of_positives, squared=True)
    return factor * of_negative, factor * of_positive


def summed_over(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """Values at each score added up over the negatives, and others over the positives.

    >>> table = ScoreTable.of([0.1, 0.4, 0.4], [False, False, True])
    >>> summed_over(table, np.array([1.0, 2.0]), np.array([4.0, 8.0]))
    (3.0, 8.0)
    """
    return weighed(table.negative, of_negatives, table.positive, of_positives)


def usual_moves(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the usual negative and the usual positive move an estimate by."""
    negative, positive = summed_over(table, of_negatives, of_positives)
    return negative / float(table.negatives), positive / float(table.positives)


def turned_moves(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the usual negative and the usual positive would move an estimate by, had they the other label."""
    negative, positive = summed_over(table, of_positives, of_negatives)
    return negative / float(table.negatives), positive / float(table.positives)


def with_pseudo_errors(
    table: ScoreTable,
    value: float,
    error: float,
    of_negatives: NDArray[np.float64],
    of_positives: NDArray[np.float64],
    level: float,
    *,
    each: float = 1.0,
) -> Interval:
    """The interval of an estimate after two pseudo-cases: the usual positive and the usual negative with labels turned.

    `each` is how many cases either counts as.

    What a sample of a nearly perfect classifier lacks are gross errors, and their size is known: it is how much a case
    would move the estimate if it had the other label. `error` is the standard error without them.

    >>> table = ScoreTable.of([0.1, 0.2, 0.9, 0.8], [False, False, True, True])
    >>> with_pseudo_errors(table, 0.025, 0.0075, table.score**2 - 0.025, (1 - table.score) ** 2 - 0.025, 0.95).high
    0.5477...
    """
    return with_pseudo_moves(table, value, error, turned_moves(table, of_negatives, of_positives), level, each=each)


def with_pseudo_moves(
    table: ScoreTable, value: float, error: float, moves: tuple[float, float], level: float, *, each: float = 1.0
) -> Interval:
    """The same where it is known what the usual negative and positive with labels turned move the estimate by."""
    n, (negative, positive) = float(table.total) ** 2 / sum(table.sums_of_squares), moves
    more = n + 2 * each
    shift = each * (positive + negative) / more
    spread = (error * error * n * (n - 1) + each * (positive**2 + negative**2) - more * shift**2) / (more - 1)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(max(spread, 0.0) / more)
    return Interval(value + shift - half, value + shift + half, "influence, pseudo-errors")
