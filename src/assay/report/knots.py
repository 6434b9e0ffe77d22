"""Which thresholds of very many a page keeps, and how few decimals tell them apart."""

from __future__ import annotations

import numpy as np

from assay.evidence import ScoreTable
from assay.types import Floats, Places

__all__ = ["KNOTS", "RATIOS", "kept_thresholds", "short_thresholds"]

# Thresholds of one model that a page may go to, beside the corners of its hull.
KNOTS = 1500
# Of more than that so many are kept.
STEPS_OF_MORE = 1000
# What a miss may cost, in false alarms: where the slider stops, and what savings are known for.
STEPS = (1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
RATIOS = (*(float(f"{step * 10.0**power:.6g}") for power in range(-2, 2) for step in STEPS), 100.0)
MOST_DIGITS = 17


def kept_thresholds(table: ScoreTable, hull: Places, threshold: float | None, most: int = KNOTS) -> Places:
    """Which thresholds a page keeps: steps of equal length along the ROC curve, all corners, and the one in use.

    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5], [False, True, False, True, True])
    >>> kept_thresholds(table, np.array([0, 2, 5]), 0.15, most=2)
    array([0, 2, 4, 5])
    """
    if len(table) <= most:
        return np.arange(len(table) + 1)
    matrix = table.swept()
    gone = np.asarray(matrix.tp / table.positives + matrix.fp / table.negatives)
    steps = min(most, STEPS_OF_MORE)
    even = np.minimum(np.searchsorted(gone, np.linspace(0.0, gone[-1], steps)), len(table))
    used = [] if threshold is None else [len(table) - int(np.searchsorted(table.score, threshold))]
    is_kept = np.zeros(len(table) + 1, dtype=np.bool_)
    is_kept[np.concatenate((even, hull, used)).astype(np.intp)] = True
    return np.flatnonzero(is_kept)


def short_thresholds(table: ScoreTable, kept: Places, threshold: float | None) -> Floats:
    """For each kept threshold the number with the fewest decimals that calls the same cases, or the one in use.

    >>> short_thresholds(ScoreTable.of([0.123456, 0.4567], [False, True]), np.arange(3), 0.3)
    array([inf, 0.3, 0. ])
    """
    # The first threshold calls nobody; the others call everybody from a place in the table on.
    place = len(table) - kept[1:]
    score = table.score[place]
    below = np.where(place > 0, table.score[place - 1], -np.inf)
    short, is_open = score.copy(), np.ones(len(score), dtype=np.bool_)
    for digits in range(MOST_DIGITS):
        power = 10.0**digits
        tried = np.floor(score * power) / power
        fits = is_open & (tried > below) & (tried <= score)
        short[fits] = tried[fits]
        is_open &= ~fits
        if not is_open.any():
            break
    if threshold is not None:
        short[place == np.searchsorted(table.score, threshold)] = threshold
    return np.concatenate(([np.inf], short))
