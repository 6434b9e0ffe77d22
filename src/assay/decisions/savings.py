"""What acting on scores saves of the cost of the better constant answer: at a given threshold, or at the cheapest.

Costs and prevalence enter as one number, the `weight` of the misses: how many false alarms among all negatives it is
worth to miss no positive at all, the cost ratio times the odds of a positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import ratio
from assay.request import checked_level, checked_positive, checked_seed
from assay.results import Estimate, counted
from assay.types import Floats
from assay.uncertainty import (
    CROSS_FITTED,
    PROPORTION_METHODS,
    Decided,
    best_and_judged,
    every_rule,
    in_cells,
    judged_rules,
)

__all__ = ["cheapest_savings", "saving_at"]

# With fewer of a class rules cannot be chosen on nine tenths of the cases and judged on the tenth.
FEWEST_IN_CLASS = 10
RECOVERED = "MOVER, Wilson"


def saving_at(matrix: ConfusionMatrix, weight: float, level: float = 0.95) -> Estimate:
    """What decisions made beforehand save of the cost of flagging everyone or no one, whichever is cheaper.

    The limits are recovered from Wilson's of the shares of misses and of false alarms.

    >>> saving_at(ConfusionMatrix.binary(tp=76, fn=11, fp=29, tn=783), weight=10 * 87 / 812)
    0.829 [0.736, 0.888]
    """
    level, weight = checked_level(level), checked_positive(weight, "weight")
    shares = [(matrix.fn, matrix.tp + matrix.fn), (matrix.fp, matrix.fp + matrix.tn)]
    fnr, fpr = (float(ratio(part, whole)) for part, whole in shares)
    constant = min(weight, 1.0)
    value, n = 1 - (weight * fnr + fpr) / constant, float(matrix.total)
    reason = _no_interval_at_reason(matrix)
    if reason is not None or math.isnan(value):
        return Estimate("saving", value, math.nan, math.nan, level, "none", n, undefined=reason or "a class is missing")
    (l1, u1), (l0, u0) = (PROPORTION_METHODS["Wilson"](float(part), float(whole), level) for part, whole in shares)
    worse = math.hypot(weight * (u1 - fnr), u0 - fpr) / constant
    better = math.hypot(weight * (fnr - l1), fpr - l0) / constant
    return Estimate("saving", value, value - worse, min(value + better, 1.0), level, RECOVERED, n)


def _no_interval_at_reason(matrix: ConfusionMatrix) -> str | None:
    if matrix.squares is not None:
        return "cases have weights, for which its limits have no closed form"
    if matrix.clusters is not None:
        return "rows come in clusters, for which its limits have no closed form"
    return None


def cheapest_savings(
    table: ScoreTable, weights: Sequence[float] | Floats, level: float = 0.95, seed: int = 0
) -> tuple[Estimate, ...]:
    """For each weight of the misses, what the cheapest threshold saves on cases that did not choose it.

    Thresholds are chosen on nine tenths of the cases and judged on the tenth; the limits lie between what the best of
    these same cases bears and what those judged on others do (see `minimum_cost`).

    >>> table = ScoreTable.of(np.arange(200) % 100, np.arange(200) % 100 + 40 * (np.arange(200) < 60) >= 90)
    >>> cheapest_savings(table, [0.5, 2.0])[0]
    0.667 [0.488, 0.838]
    """
    level, seed, weights = checked_level(level), checked_seed(seed), np.asarray(weights, dtype=np.float64)
    reason = _no_interval_reason(table)
    coarse, _ = in_cells(table)
    every = every_rule(coarse)
    if reason is not None:
        best = [1 - float(_cost_and_variance(every, weight)[0].min()) for weight in weights]
        nan, n = math.nan, float(table.total)
        return tuple(Estimate("saving", value, nan, nan, level, "none", n, undefined=reason) for value in best)
    pairs = [(weight / every.positives, 1 / every.negatives) for weight in weights.tolist()]
    judged = judged_rules(coarse, pairs, seed)
    return tuple(
        _saving_estimate(every, one, weight, level) for one, weight in zip(judged, weights.tolist(), strict=True)
    )


def _saving_estimate(every: Decided, judged: Decided, weight: float, level: float) -> Estimate:
    found, (value, variance) = (
        _cost_and_variance(every, weight),
        (float(part) for part in _cost_and_variance(judged, weight)),
    )
    smaller, n = min(every.positives, every.negatives), every.positives + every.negatives
    limits = best_and_judged(found, (value, variance), smaller, level, higher=False)
    low, high = max(limits.low, 0.0), limits.high
    return Estimate("saving", 1 - value, 1 - high, 1 - min(low, value), level, CROSS_FITTED, n)


def _cost_and_variance(decided: Decided, weight: float) -> tuple[Floats, Floats]:
    """What rules cost, the best constant answer being 1, and the variance of that."""
    constant = min(weight, 1.0)
    fnr, fpr = 1 - ratio(decided.hits, decided.positives), ratio(decided.alarms, decided.negatives)
    of_recall, of_fpr = decided.variances()
    return (weight * fnr + fpr) / constant, (weight**2 * of_recall + of_fpr) / constant**2


def _no_interval_reason(table: ScoreTable) -> str | None:
    if table.is_weighted or table.rows is not None:
        return "a cross-fitted interval deals out whole, independent cases"
    smaller = int(min(table.kish))
    if smaller < FEWEST_IN_CLASS:
        return f"{counted(smaller, 'case')} in a class: a cross-fitted interval needs {FEWEST_IN_CLASS} of each"
    return None
