"""Bands of what depends on the prevalence: precision, the accuracy of accepted cases, and net benefit."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.evidence import ScoreTable
from assay.request import checked_between, checked_level
from assay.types import Floats
from assay.uncertainty import Side, contrast_limits, mixture_limits, positions, wilson_limits
from assay.uncertainty.curve_bands import (
    A_CLASS_IS_MISSING,
    Band,
    few_in_class,
    few_weighted,
    heights,
    held,
    missing,
    pointwise,
    refuse_clusters,
    refuse_weights,
    sides,
    too_few,
)

OVER_POSITIONS = "Jeffreys over the threshold's positions"
RECOVERED = "MOVER, Wilson"
# Below these nothing kept its level (verification/bands.py): cases called positive, and cases in all.
FEWEST_CASES = 30


def precision_band(
    table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None, prevalence: float | None = None
) -> Band:
    """Limits of the precision at given recalls (.01 to 1 unless `at` names others): pointwise.

    The threshold that finds this share of the positives is estimated from them; the number of false alarms there and
    the share of positives among the cases vary too. With a `prevalence` given, precision is that of a population with
    this share of positives, and only the false-positive rate varies.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> print(precision_band(table, at=[0.25, 0.75]).table())
    recall  precision    low   high
     0.250      1.000  0.576  1.000
     0.750      0.600  0.418  0.784
    """
    level = checked_level(level)
    if prevalence is not None:
        checked_between(prevalence, "prevalence")
    refuse_clusters(table)
    recall = np.arange(1, 101) / 100 if at is None else np.asarray(at, dtype=np.float64)
    names = ("recall", "precision")
    if not table.negatives or not table.positives:
        return missing(names, recall, level, A_CLASS_IS_MISSING, float(table.total))
    negative, positive = sides(table)
    if prevalence is not None:
        return _at_prevalence(negative, positive, recall, prevalence, level)
    places = positions(positive, recall)
    alarms = heights(positive, negative, places) * negative.kish
    low, high = mixture_limits(np.full(alarms.shape, positive.kish), alarms, level)
    # Given the threshold, hits are `recall` of a Poisson number and false alarms another: their ratio is a Beta's odds.
    # Effective cases stand for weights: one has the mean weight of its class.
    scale = (positive.size / positive.kish) / (negative.size / negative.kish)
    low, high = (_from_odds(recall * scale * limit / (1 - limit)) for limit in (low, high))
    rate = _fewest_alarms(negative, positive, recall)
    value = _from_odds(recall * positive.size / _safe(rate * negative.size))
    band = Band(*names, recall, value, low, high, level, "pointwise", OVER_POSITIONS, float(table.total))
    few = too_few(positive, recall, "the threshold")
    return held(band, few_in_class(negative, positive), few, few_weighted(negative, rate))


def reject_band(confidence: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None) -> Band:
    """Limits of the accuracy among the most confident cases at given coverages (.01 to 1 unless `at`): pointwise.

    The table holds how confident each decision was, its positives being the right ones. The least confidence that
    accepts this share of cases is estimated too; a block of ties is entered evenly.

    >>> table = ScoreTable.of([0.6, 0.7, 0.8, 0.9] * 10, [False, True, True, True] * 10)
    >>> print(reject_band(table, at=[0.5, 1.0]).table())
    coverage  accuracy    low   high
       0.500     1.000  0.879  1.000
       1.000     0.750  0.602  0.864
    """
    level = checked_level(level)
    refuse_clusters(confidence)
    refuse_weights(confidence, "the measure accuracy")
    coverage = np.arange(1, 101) / 100 if at is None else np.asarray(at, dtype=np.float64)
    wrong, right = sides(confidence)
    cases = wrong + right
    if not cases.size:
        return missing(("coverage", "accuracy"), coverage, level, "there are no cases", 0.0)
    # With everything accepted no threshold is sought.
    places = np.where(coverage[..., None] < 1, positions(cases, coverage), 1.0)
    rights = heights(cases, right, places) * right.size / cases.size
    low, high = mixture_limits(rights * cases.kish, np.maximum(places - rights, 0.0) * cases.kish, level)
    share = np.interp(coverage, cases.shares, right.shares) * right.size / cases.size
    value = np.where(coverage > 0, share / np.where(coverage > 0, coverage, 1.0), math.nan)
    band = Band("coverage", "accuracy", coverage, value, low, high, level, "pointwise", OVER_POSITIONS, cases.size)
    few, why = too_few(cases, coverage, "the least confidence")
    return held(band, _few_cases(cases.kish), (few & (coverage < 1), why))


def net_benefit_band(
    table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None, prevalence: float | None = None
) -> Band:
    """Limits of the net benefit at given threshold probabilities (.01 to .99 unless `at` names others): pointwise.

    Net benefit is the share of hits minus that of false alarms at the odds of the threshold (Vickers & Elkin 2006).
    Both shares are of all cases, so the prevalence varies with them; with a `prevalence` given only the rates do.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> print(net_benefit_band(table, at=[0.2, 0.5]).table())
    threshold  net_benefit    low   high
        0.200        0.438  0.265  0.603
        0.500        0.250  0.111  0.402
    """
    level = checked_level(level)
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    refuse_clusters(table)
    threshold = np.arange(1, 100) / 100 if at is None else np.asarray(at, dtype=np.float64)
    names = ("threshold", "net_benefit")
    if prevalence is not None and not (table.negatives and table.positives):
        return missing(names, threshold, level, A_CLASS_IS_MISSING, float(table.total))
    odds = threshold / (1 - threshold)
    negative, positive = sides(table)
    cases = negative + positive
    cut = len(table) - np.searchsorted(table.score, threshold, side="left")
    if prevalence is None:
        hits, alarms = (_share(side, cases, cut, level) for side in (positive, negative))
        product = (1 - hits[0]) * (1 - alarms[0])
        together = np.where(product > 0, hits[0] * alarms[0] / _safe(product), 0.0)
        low, high = contrast_limits(hits, alarms, odds, -np.sqrt(together))
    else:
        hits = tuple(prevalence * part for part in _share(positive, positive, cut, level))  # type: ignore[assignment]
        alarms = tuple((1 - prevalence) * part for part in _share(negative, negative, cut, level))  # type: ignore[assignment]
        low, high = contrast_limits(hits, alarms, odds, 0.0)
    value = hits[0] - odds * alarms[0]
    band = Band(*names, threshold, value, low, high, level, "pointwise", RECOVERED, float(table.total))
    shares = (few_weighted(side, side.parted(cut)[0] / (side.size or 1.0)) for side in (negative, positive))
    return held(band, _few_cases(cases.kish), *shares)


def _at_prevalence(negative: Side, positive: Side, recall: Floats, prevalence: float, level: float) -> Band:
    """Precision from the false-positive rate at each recall, at a prevalence that is given."""
    band = pointwise(("recall", "precision"), positive, negative, recall, recall, level)
    rate = _fewest_alarms(negative, positive, recall)
    odds = recall * prevalence / (1 - prevalence)
    value, low, high = (_from_odds(odds / _safe(part)) for part in (rate, band.high, np.minimum(band.low, rate)))
    return replace(band, y=value, low=low, high=high)


def _fewest_alarms(negative: Side, positive: Side, recall: Floats) -> Floats:
    """The lowest false-positive rate that reaches a recall: the best precision there."""
    at, height = positive.shares, negative.shares
    return np.interp(-recall, -at[::-1], height[::-1])


def _share(part: Side, whole: Side, cut: NDArray[np.int64], level: float) -> tuple[Floats, Floats, Floats]:
    """What a class has above each cut as a share of a whole, with Wilson's limits on the effective number of cases."""
    weight, squares = part.parted(cut)
    share = weight / whole.size
    spread = squares * (1 - share) ** 2 + (whole.squares.sum() - squares) * share**2
    inside = (share > 0) & (share < 1)
    effective = np.where(inside, share * (1 - share) * whole.size**2 / np.where(inside, spread, 1.0), whole.kish)
    return share, *wilson_limits(share, effective, level)


def _few_cases(cases: float) -> tuple[NDArray[np.bool_], str]:
    why = f"{round(cases)} cases in all: below {FEWEST_CASES} the limits did not keep their level"
    return np.array(cases < FEWEST_CASES), why


def _from_odds(odds: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        share: Floats = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
    return share


def _safe(values: Floats) -> Floats:
    """Values to divide by: next to nothing in place of 0."""
    return np.maximum(values, 1e-300)
