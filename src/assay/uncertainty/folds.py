"""Cross-validated predictions: what several folds' models, each trained on the others' cases, add to uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from assay.evidence import ScoreTable
from assay.results import Interval, counted

__all__ = ["cross_validated_auc", "cross_validated_error", "p_of_folds", "stretch_of_folds", "widened_level"]

METHOD = "LeDell, n - 1, logit"
# Of either class, over all folds: with fewer the interval was simulated to miss too often.
FEWEST_IN_A_CLASS = 20


def widened_level(level: float, folds: int) -> float:
    """The level at which an interval of pooled folds is taken, so as to hold at `level`.

    The models of folds learned from one another's test cases, so their results vary together; intervals of pooled
    cases that do not know it were simulated to hold .86 to .94 (verification/folds.py). Nadeau & Bengio (2003) add to
    the variance of a mean over k folds as much again as k / (k - 1) of it: limits are taken further out by its root.

    >>> round(widened_level(0.95, 10), 4)
    0.9956
    """
    return float(2 * ndtr(float(ndtri(0.5 + level / 2)) * stretch_of_folds(folds)) - 1)


def p_of_folds(p_value: float, folds: int) -> float:
    """The p-value that belongs to an interval taken so far out.

    >>> round(p_of_folds(1 - widened_level(0.95, 10), 10), 6)
    0.05
    """
    return float(2 * ndtr(float(ndtri(p_value / 2)) / stretch_of_folds(folds)))


def stretch_of_folds(folds: int) -> float:
    """How many times further out limits of pooled folds are taken."""
    return math.sqrt(1 + folds / (folds - 1)) if folds > 1 else 1.0


def cross_validated_auc(folds: Sequence[ScoreTable], level: float) -> tuple[float, Interval]:
    """The mean of the folds' AUCs, with LeDell, Petersen & van der Laan's (2015) interval on the logit scale.

    Each fold's model ranks only its own test cases. A fold may hold few of a class, so its spread is divided by their
    number less one: as published (by their number) the interval covered .51 to .88 with two or fewer in a fold.

    >>> fold = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 10, [False, False, True, True] * 10)
    >>> value, interval = cross_validated_auc([fold, fold], 0.95)
    >>> value, interval.method
    (0.75, 'LeDell, n - 1, logit')
    """
    auc, error = cross_validated_error(folds, less_one=True)
    if math.isnan(auc):
        return auc, Interval.missing(METHOD, "a fold lacks a class, so it has no AUC")
    fewest = min(sum(sizes) for sizes in zip(*(fold.kish for fold in folds), strict=True))
    if fewest < FEWEST_IN_A_CLASS:
        found = f"{counted(round(fewest, 1), 'case')} in the smaller class"
        return auc, Interval.missing(METHOD, f"{found}: below {FEWEST_IN_A_CLASS} no interval was shown to hold")
    if math.isnan(error):
        return auc, Interval.missing(METHOD, "a fold holds a single case of a class, so its spread is unknown")
    if auc in (0.0, 1.0) or not error > 0:
        return auc, Interval.missing(METHOD, "every fold ranks perfectly or alike, so nothing varies")
    half = float(ndtri(0.5 + level / 2)) * error / (auc * (1 - auc))
    low, high = (float(expit(logit(auc) + sign * half)) for sign in (-1, 1))
    return auc, Interval(low, high, METHOD, se=error)


def cross_validated_error(folds: Sequence[ScoreTable], *, less_one: bool = False) -> tuple[float, float]:
    """The mean of the folds' AUCs and its standard error; nan where a fold lacks a class.

    The influence function of a fold's AUC is DeLong's placements, ties at half; the class shares are those of all cases
    together. `less_one` divides the spread of a class in a fold by its cases less one.
    """
    if any(min(fold.negatives, fold.positives) == 0 for fold in folds):
        return math.nan, math.nan
    n = sum(float(fold.total) for fold in folds)
    share = sum(float(fold.positives) for fold in folds) / n
    aucs, squares = zip(*(_of_one(fold, share, less_one) for fold in folds), strict=True)
    return float(np.mean(aucs)), math.sqrt(float(np.mean(squares)) / n)


def _of_one(fold: ScoreTable, share: float, less_one: bool) -> tuple[float, float]:
    """A fold's AUC and its mean squared influence."""
    of_positives, of_negatives = fold.negatives_below / fold.negatives, fold.positives_above / fold.positives
    auc = float(fold.positive @ of_positives) / float(fold.positives)
    negative, positive = fold.squared_weights
    spreads = [negative @ (of_negatives - auc) ** 2 / (1 - share) ** 2, positive @ (of_positives - auc) ** 2 / share**2]
    if less_one:
        factors = (size / (size - 1) if size > 1 else math.nan for size in fold.kish)
        spreads = [spread * factor for spread, factor in zip(spreads, factors, strict=True)]
    return auc, float(sum(spreads)) / float(fold.total)
