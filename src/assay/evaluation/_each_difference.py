"""Differences of two classifiers' measures that are found each by itself: by a score test, a posterior, replicates."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.comparison import (
    Difference,
    bootstrap,
    compare_correctness,
    difference_interval,
    equivalent_normal_level,
    freedom_of_decisions,
    hanley_mcneil_difference,
    p_by_inversion,
    p_of_t,
    percentile_p,
    posterior_differences,
    quantile,
    two_sided,
)
from assay.errors import OptionError
from assay.evaluation._difference_names import Wanted, doubt_about
from assay.evaluation._jointly import FEWEST_CASES, refuse_partly_paired, too_few
from assay.evaluation._resampled import placed_rows
from assay.evaluation._shared import LACKING
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.types import Floats
from assay.uncertainty import percentile_limits

if TYPE_CHECKING:
    from assay.evaluation._differences import PairedRows

__all__ = ["bootstrapped", "empty", "from_drawn", "hanley_mcneil", "posterior", "right", "share"]

Pair = tuple[int, int]
FEWEST_FOR_BOOTSTRAP = 50


def empty(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted, n: float, method: str) -> Difference:
    """The plain difference of a measure, without limits yet."""
    values = [float(measure(models.evidence(measure, k))) for k in pair]
    first, second = (models.names[k] for k in pair)
    nan, level, null = math.nan, wanted.level, wanted.null
    return Difference(measure.name, first, second, values[0] - values[1], nan, nan, level, nan, method, n, null=null)


def right(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of shares of answers by the score test, with the interval that belongs to it."""
    assert measure.answers is not None
    sign = measure.answers.sign
    right = models.paired(*pair).correctness(measure.answers.within)
    test, interval = compare_correctness(right, wanted.level)
    n = float(right.total)
    value = sign * float(right.only_first - right.only_second) / n if n else math.nan
    found = replace(empty(models, measure, pair, wanted, n, f"score test ({interval.method})"), value=value)
    if wanted.method and interval.otherwise is not None:
        found, interval = replace(found, caution=interval.undefined), interval.otherwise()
    if interval.undefined is not None or test.undefined is not None:
        p_value = math.nan if test.undefined else test.p_value
        return replace(found, p_value=p_value, undefined=interval.undefined or test.undefined)
    low, high = (interval.low, interval.high) if sign > 0 else (0.0 - interval.high, 0.0 - interval.low)
    found = replace(found, low=low, high=high, p_value=test.p_value, statistic=sign * test.statistic)
    found = replace(found, freedom=math.inf if right.clusters is None else float(len(right.clusters)) - 1)
    if wanted.null == 0:
        return found

    def limits(level: float) -> tuple[float, float]:
        at = compare_correctness(right, level)[1]
        at = at if at.otherwise is None else at.otherwise()
        return (at.low, at.high) if sign > 0 else (0.0 - at.high, 0.0 - at.low)

    return replace(found, p_value=p_by_inversion(limits, value, wanted.null), statistic=None, freedom=None)


def share(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of shares by the interval that was named; of Wald's with the test that belongs to it."""
    assert measure.answers is not None
    sign = measure.answers.sign
    right = models.paired(*pair).correctness(measure.answers.within)
    interval = difference_interval(right, wanted.level, wanted.method)
    found = empty(models, measure, pair, wanted, float(right.total), f"paired {wanted.method}")
    caution = doubt_about(wanted.method)
    if interval.otherwise is not None:
        caution, interval = interval.undefined, interval.otherwise()
    if interval.undefined is not None:
        return replace(found, undefined=interval.undefined)
    low, high = (interval.low, interval.high) if sign > 0 else (0.0 - interval.high, 0.0 - interval.low)
    found = replace(found, low=low, high=high, caution=caution, se=interval.se)
    if not interval.se:
        return found
    z = (found.value - wanted.null) / interval.se
    return replace(found, statistic=z, freedom=math.inf, p_value=two_sided(z))


def posterior(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of any function of decisions, from the posterior of the joint table."""
    if wanted.method and not models.can_draw([pair]):
        raise OptionError("weights, clusters or too many cells leave no posterior to draw from", "'influence'")
    paired = models.paired(*pair)
    n = float(paired.total)
    found = empty(models, measure, pair, wanted, n, "paired Dirichlet")
    values = [float(measure(one)) for one in (paired.first, paired.second)]
    found = replace(found, value=values[0] - values[1])
    if not math.isfinite(found.value):
        why = measure.undefined if any(map(math.isnan, values)) else "it is infinite for one of them, or for both"
        return replace(found, value=math.nan, undefined=why)
    few = too_few(n, FEWEST_CASES) if n < FEWEST_CASES else None
    if few is not None and not wanted.method:
        return replace(found, undefined=few)
    draws = posterior_differences(paired, [measure], models.seed)[0]
    freedom = freedom_of_decisions(measure, paired)
    taken = from_drawn(replace(found, caution=few, level=equivalent_normal_level(wanted.level, freedom)), draws)
    # The spread of a posterior is no standard error.
    return replace(taken, level=wanted.level, p_value=p_of_t(taken.p_value, freedom), se=None)


def bootstrapped(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of replicates drawn of the same cases, or clusters, for both."""
    if models.places is not None:
        raise OptionError(LACKING, "cases that all have answered, to draw them", {"missing": "drop"}, about="missing")
    if measure.needs not in (ConfusionMatrix, ScoreTable):
        raise OptionError(f"the bootstrap of {measure.title} takes one score a case", "use method='influence'")
    placed = [[placed_rows(measure, models.evidence(measure, k), models.decided(k))] for k in pair]
    n = float(models.rows.times.sum())
    found = empty(models, measure, pair, wanted, n, "paired bootstrap, percentile")
    if math.isnan(found.value):
        return replace(found, undefined=measure.undefined)
    few = too_few(n, FEWEST_FOR_BOOTSTRAP) if n < FEWEST_FOR_BOOTSTRAP else None
    # What ranks cases is a matter of each class by itself; shares of decisions are redrawn with their margins.
    stratified = measure.of_each_class and measure.needs is ScoreTable
    drawn = bootstrap(placed, [measure], models.rows, seed=models.seed, stratified=stratified)
    found = replace(found, caution=few or doubt_about(wanted.method))
    differences = drawn.values[0, 0] - drawn.values[0, 1]
    return (_from_error if wanted.method.endswith("normal") else from_drawn)(found, differences)


def hanley_mcneil(models: PairedRows, measure: Measure, pair: Pair, wanted: Wanted) -> Difference:
    """A difference of AUCs with Hanley and McNeil's (1983) standard error."""
    refuse_partly_paired(models, "Hanley-McNeil")
    first, second = pair
    source: Literal["table", "formula"] = "table" if wanted.method.endswith("table") else "formula"
    found = hanley_mcneil_difference(
        models.rows.is_positive, models.score(first), models.score(second), source=source,
        names=(models.names[first], models.names[second]), level=wanted.level, null=wanted.null,
    )  # fmt: skip
    return replace(found, caution=doubt_about("Hanley-McNeil"))


def from_drawn(found: Difference, replicates: Floats) -> Difference:
    """Equal tails of the replicates, widened to hold the estimate, and the p-value that belongs to them."""
    known = replicates[~np.isnan(replicates)]
    low, high = percentile_limits(known, found.value, found.level)
    p_value, se = percentile_p(known - found.null, found.value - found.null), float(known.std(ddof=1))
    return replace(found, low=min(low, found.value), high=max(high, found.value), p_value=p_value, se=se)


def _from_error(found: Difference, replicates: Floats) -> Difference:
    """The normal distribution with the standard deviation of the replicates, as pROC tests by the bootstrap."""
    se = float(replicates[~np.isnan(replicates)].std(ddof=1))
    if not se > 0:
        return replace(found, undefined="the replicates do not vary")
    z, half = (found.value - found.null) / se, quantile(found.level) * se
    return replace(
        found, low=found.value - half, high=found.value + half, p_value=two_sided(z), se=se, statistic=z,
        freedom=math.inf, method="paired bootstrap, normal",
    )  # fmt: skip
