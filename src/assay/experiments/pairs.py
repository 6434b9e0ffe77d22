"""The AUC of an algorithm from pairs left out: each model ranks one negative against one positive it never saw."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.experiments.datasets import numbered
from assay.request import checked_level
from assay.results import Estimate, Interval, counted
from assay.uncertainty import AucMoments, delong_logit

METHOD = "pairs left out"
# In either class: with fewer the interval was simulated to miss too often.
FEWEST_IN_A_CLASS = 20
TARGET = "the models of these pairs, learning from all cases but two"


def leave_pair_out_auc(
    negative: ArrayLike, positive: ArrayLike, of_negative: ArrayLike, of_positive: ArrayLike, level: float = 0.95
) -> Estimate:
    """The share of pairs whose positive scores higher, a tie counting half (Airola et al. 2011).

    Pair i is made of case `negative[i]`, which its model scored `of_negative[i]`, and `positive[i]`, scored
    `of_positive[i]`. Pooling the folds of leave-one-out instead ranks scores of different models and is biased. With
    every pair there, the spread over cases gives DeLong's interval; with some of them there is none.

    >>> negative, positive = np.repeat([0, 1], 3), np.tile([2, 3, 4], 2)
    >>> leave_pair_out_auc(negative, positive, [0.1, 0.2, 0.1, 0.5, 0.5, 0.4], [0.9, 0.8, 0.7, 0.9, 0.5, 0.3]).value
    0.75
    """
    level = checked_level(level)
    low, high = np.asarray(of_negative, dtype=np.float64), np.asarray(of_positive, dtype=np.float64)
    won = (high > low) + 0.5 * (high == low)
    rows, columns = (numbered(np.asarray(cases).tolist()) for cases in (negative, positive))
    n0, n1 = (int(codes.max(initial=-1)) + 1 for codes in (rows, columns))
    auc = float(won.mean()) if len(won) else math.nan
    limits = _limits(won, rows, columns, (n0, n1), level)
    return Estimate("roc_auc", auc, limits.low, limits.high, level, METHOD, n0 + n1, TARGET, limits.undefined or None)


def _limits(won: np.ndarray, rows: np.ndarray, columns: np.ndarray, sizes: tuple[int, int], level: float) -> Interval:
    n0, n1 = sizes
    if len(won) < n0 * n1 or not len(won):
        return Interval.missing(METHOD, f"{len(won)} of {n0 * n1} pairs were left out: an interval needs all of them")
    if min(n0, n1) < FEWEST_IN_A_CLASS:
        found = f"{counted(min(n0, n1), 'case')} in the smaller class"
        return Interval.missing(METHOD, f"{found}: below {FEWEST_IN_A_CLASS} no interval was shown to hold")
    of_negatives, of_positives = np.bincount(rows, won) / n1, np.bincount(columns, won) / n0
    variance = float(of_negatives.var(ddof=1)) / n0 + float(of_positives.var(ddof=1)) / n1
    return delong_logit(AucMoments(float(won.mean()), variance, n1, n0), level)
