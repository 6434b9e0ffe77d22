"""Intervals of measures that take the best rule of these very cases: between what holds here and what elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.costs import Costs
from assay.evidence import ScoreTable
from assay.measures._measure import INDEPENDENT, IntervalFamily, Measure, ratio
from assay.results import Interval, counted
from assay.types import Floats
from assay.uncertainty import (
    CROSS_FITTED,
    Decided,
    best_and_judged,
    every_rule,
    hull_blocks,
    judged_rule,
    mean_of_cells,
    pair_share,
    pair_variance,
)

# A value with its variance.
Spread = tuple[float, float]
# The values of rules on the cases that choose among them, and the value of rules judged on other cases.
Judged = tuple[tuple[Floats, Floats], Spread]
BestAndJudged = Callable[[ScoreTable, int], Judged]

FEWEST_IN_CLASS = 10


def cross_fitted(of: BestAndJudged) -> IntervalFamily:
    """An interval from the best rule found, and from rules chosen on nine tenths of the cases and judged on the tenth.

    The best rule there is looks no better than the best found, so the flattering limit lies so many standard errors
    beyond that; rules judged on other cases are no better than the best there is on average, so the other limit lies
    so many below those. The same cases are always parted in the same way.
    """

    def interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        refusal = _refusal(table)
        if refusal is not None:
            return Interval.missing(CROSS_FITTED, refusal)
        key = (CROSS_FITTED, measure, seed)
        if key not in table.cache:
            table.cache[key] = of(table, seed)
        found, judged = table.cache[key]
        return best_and_judged(found, judged, min(table.kish), level, higher=measure.better == "higher")

    return IntervalFamily({CROSS_FITTED: interval}, INDEPENDENT)


def _refusal(table: ScoreTable) -> str | None:
    if table.is_weighted:
        return "a cross-fitted interval deals out whole cases, and these have weights"
    if len(table) == 1:
        return "all cases have the same score, so that there is no rule to choose"
    smaller = int(min(table.kish))
    if smaller < FEWEST_IN_CLASS:
        return f"{counted(smaller, 'case')} in a class: a cross-fitted interval needs {FEWEST_IN_CLASS} of each"
    return None


def largest_gap(table: ScoreTable, seed: int) -> Judged:
    """Recall less false alarms, or the reverse, at the threshold where they differ most."""
    gain, loss = float(ratio(1.0, table.positives)), float(ratio(1.0, table.negatives))
    gaps, variances = _gap(every_rule(table))
    judged, variance = _gap(judged_rule(table, gain, loss, seed, either_way=True))
    return (np.abs(gaps), variances), (float(judged), float(variance))


def _gap(one: Decided) -> tuple[Any, Any]:
    return ratio(one.hits, one.positives) - ratio(one.alarms, one.negatives), sum(one.variances())


def least_cost(costs: Costs) -> BestAndJudged:
    """What a case costs at the cheapest threshold."""

    def of(table: ScoreTable, seed: int) -> Judged:
        ours = costs.of_classes(table.classes)
        false_alarm, miss = ours.regret
        if ours.prevalence is not None:
            negatives, positives = ours.prevalence
            false_alarm = float(ratio(negatives * false_alarm, table.negatives))
            miss = float(ratio(positives * miss, table.positives))
        judged, variance = _paid(judged_rule(table, miss, false_alarm, seed), ours)
        return _paid(every_rule(table), ours), (float(judged), float(variance))

    return of


def _paid(one: Decided, costs: Costs) -> tuple[Any, Any]:
    """What a case costs decided so, and the variance of that."""
    hits, alarms = np.asarray(one.hits), np.asarray(one.alarms)
    if costs.prevalence is None:
        rows = np.stack([one.negatives - alarms, alarms], -1), np.stack([one.positives - hits, hits], -1)
        mean, variance = mean_of_cells(np.stack(rows, -2), costs.loss)
        return mean + costs.acquisition, variance
    (no, yes), (false_alarm, miss) = costs.prevalence, costs.regret
    fpr, fnr = ratio(alarms, one.negatives), 1 - ratio(hits, one.positives)
    of_recall, of_fpr = one.variances()
    value = no * (costs.tn + false_alarm * fpr) + yes * (costs.tp + miss * fnr) + costs.acquisition
    return value, (no * false_alarm) ** 2 * of_fpr + (yes * miss) ** 2 * of_recall


def area_of_hull(table: ScoreTable, seed: int) -> Judged:
    """The share of pairs in order after isotonic calibration."""
    fitted, partings = hull_blocks(table, seed)
    judged = float(np.mean([[pair_share(fold) for fold in folds] for folds in partings]))
    # One parting is enough to tell a variance.
    variances = pair_variance([fitted]), pair_variance(partings[0])
    return (np.array([pair_share(fitted)]), np.array([variances[0]])), (judged, variances[1])
