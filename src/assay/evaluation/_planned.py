"""What cases at hand tell of how many would be needed: variances from a pilot, differences from whoever knows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scipy.special import ndtr

from assay.comparison import (
    Alternative,
    AreaTest,
    Forecast,
    SamplePlan,
    cases_factor,
    difference_test,
    plan_area_test,
    quantile,
    two_sided_level,
)
from assay.comparison.power import smallest, whole_cases
from assay.errors import OptionError
from assay.evaluation._difference_names import TOGETHER, difference_method
from assay.evidence import ConfusionMatrix, is_scalable, multiplied
from assay.measures import Measure
from assay.request import checked_between, checked_level, checked_number, checked_positive
from assay.results import Estimate, counted
from assay.uncertainty import CROSS_FITTED

if TYPE_CHECKING:
    from assay.evaluation._differences import PairedRows
    from assay.evaluation._evaluation import Evaluation

__all__ = ["half_width_at", "pilot_test", "plan_from_pilot", "plan_width", "positives_of", "power_by_default"]

# Among more cases than this, small-sample corrections have faded and widths shrink with the root.
MANY_CASES = 200_000


def half_width_at(estimate: Callable[[Any], Estimate], evidence: Any) -> Callable[[float], float] | None:
    """Return what tells half the width of an estimate's interval on so many times as many cases like these.

    None where the square root of the number of cases is as good an answer: of evidence that cannot be multiplied, of
    very many cases, and where rules are chosen on some cases and evaluated on others, so that copies would tell.
    """
    if not is_scalable(evidence) or float(evidence.total) > MANY_CASES or CROSS_FITTED in estimate(evidence).method:
        return None

    def half(times: float) -> float:
        found = estimate(multiplied(evidence, times))
        return (found.high - found.low) / 2

    if evidence.clusters is None if isinstance(evidence, ConfusionMatrix) else evidence.rows is None:
        return half

    def of_clusters(times: float) -> float:
        """Between two whole numbers of times as many clusters."""
        fewer = max(1, math.floor(times))
        low, high = half(fewer), half(fewer + 1)
        share = math.log(max(times, 1) / fewer) / math.log((fewer + 1) / fewer)
        return low ** (1 - share) * high**share if low > 0 and high > 0 else math.nan

    return of_clusters


def plan_width(ev: Evaluation, measure: Measure, half_width: float, level: float, method: str | None) -> SamplePlan:
    """How many cases like these would make an interval so narrow, by its own method on evidence of that many."""
    checked_positive(half_width, "half_width")
    found = ev.estimate(measure, level=level, method=method)
    if math.isnan(found.low) or not found.high > found.low:
        raise OptionError(f"{measure.title} has no interval here: {found.undefined or 'it is a point'}", "other cases")
    half = (found.high - found.low) / 2
    at = half_width_at(lambda evidence: ev.estimate_of(measure, evidence, level, method), ev.evidence_for(measure))
    if ev.fold_count is not None:
        at = None
    factor = cases_factor(half, half_width, at)
    cases = max(2, whole_cases(round(ev.n * factor, 6)))
    purpose = f"{measure.title} near {found.value:.3g} to within {half_width:g} ({100 * level:g} % interval)"
    assumes = f"cases that vary as these {ev.n:,} do, of which {half:.3g} was reached; as many of each class among them"
    positives = _positives(ev.class_counts, cases, ev.n)
    reached = half * math.sqrt(ev.n / cases) if at is None else at(cases / ev.n)
    return SamplePlan(purpose, cases, positives, reached, level, f"{found.method}, from a pilot", assumes)


def _positives(sizes: Mapping[str, int], cases: int, n: int) -> int | None:
    return round(cases * list(sizes.values())[-1] / n) if len(sizes) == 2 else None


def positives_of(models: PairedRows) -> float:
    """How many cases are positive."""
    return float((models.rows.is_positive * models.rows.times).sum())


@dataclass(frozen=True)
class Pilot:
    """What cases at hand tell of two estimates: their variances, how they vary together, and by whose method."""

    variances: tuple[float, float]
    covariance: float
    n: float
    method: str


def piloted(models: PairedRows, measure: Measure, pair: tuple[str, str], method: str | None) -> Pilot:
    """The variances of two classifiers by a method that knows both, or that of their difference by any other."""
    first, second = map(models.place, pair)
    if method is not None and difference_method(measure, method) not in TOGETHER:
        (found,) = models.differences(measure, [(first, second)], 0.95, method)
        if found.se is None:
            raise OptionError(f"method is {method!r}, which has no standard error here", "one that has", about="method")
        return Pilot((found.se**2, 0.0), 0.0, found.n, found.method)
    joint = models.jointly_by_name(measure, method)
    s = joint.covariance
    return Pilot((float(s[first, first]), float(s[second, second])), float(s[first, second]), joint.n, joint.method)


def pilot_test(
    models: PairedRows,
    measure: Measure,
    pair: tuple[str, str],
    difference: float,
    method: str | None,
    *,
    null_of_first: bool = False,
) -> AreaTest:
    """The test of a difference of this size between two classifiers that vary on more cases as they do on these."""
    known = piloted(models, measure, pair, method)
    if null_of_first and not known.variances[1]:
        found = f"null_of_first is given, and {known.method} knows the difference alone"
        raise OptionError(found, "one of DeLong, Obuchowski, normal", about="null_of_first")
    positives = positives_of(models)
    of_each = known.variances, known.covariance, positives, known.n - positives
    return difference_test(difference, *of_each, null_of_first=null_of_first)


def plan_from_pilot(
    models: PairedRows,
    measure: Measure,
    pair: tuple[str, str],
    difference: float,
    *,
    power: float,
    level: float,
    alternative: Alternative,
    method: str | None,
    null_of_first: bool,
) -> SamplePlan:
    """How many cases like these would show such a difference: by the default test, or by a method's formula."""
    purpose = f"tell {pair[0]} from {pair[1]} if their {measure.title} differs by {abs(difference):g}"
    if method is None and not null_of_first:
        return _plan_by_default(models, measure, pair, difference, power, checked_level(level), alternative, purpose)
    test = pilot_test(models, measure, pair, difference, method, null_of_first=null_of_first)
    known = piloted(models, measure, pair, method)
    assumes = f"both vary, and vary together, as on these {counted(known.n, 'case')}; as many of each class among them"
    how = f"{known.method}, from a pilot"
    return plan_area_test(test, purpose, how, assumes, power=power, level=checked_level(level), alternative=alternative)


def power_by_default(
    models: PairedRows,
    measure: Measure,
    pair: tuple[str, str],
    difference: float,
    level: float,
    alternative: Alternative,
) -> Callable[[float], float]:
    """Return what tells how often so many cases like these show such a difference by the default test.

    Its interval on that many is worked out by its own method, and its standard error grows with the difference.
    """
    gap = abs(checked_number(difference, "difference"))
    if not gap > 0:
        raise OptionError("difference is 0", "one that would matter", about="difference")
    places = models.place(pair[0]), models.place(pair[1])
    (found,) = models.differences(measure, [places], level, alternative=alternative)
    if math.isnan(found.low):
        raise OptionError(f"{measure.title} has no interval of a difference here: {found.undefined}", "another pilot")
    known, total = found.forecast or Forecast(), float(models.rows.times.sum())
    z = quantile(two_sided_level(level, alternative))

    def power(cases: float) -> float:
        times = cases / total
        half = found.half_width / math.sqrt(times) if known.half_width is None else known.half_width(times)
        error = half / z if found.se is None else min(found.se / math.sqrt(times), half / z)
        return float(ndtr((gap - (half - z * error)) / (error * known.stretch(gap)) - z))

    return power


def _plan_by_default(
    models: PairedRows,
    measure: Measure,
    pair: tuple[str, str],
    difference: float,
    power: float,
    level: float,
    alternative: Alternative,
    purpose: str,
) -> SamplePlan:
    checked_between(power, "power")
    reached = power_by_default(models, measure, pair, difference, level, alternative)
    total = float(models.rows.times.sum())
    cases = smallest(lambda n: reached(n) >= power)
    positives = whole_cases(cases * positives_of(models) / total)
    (found,) = models.differences(measure, [(models.place(pair[0]), models.place(pair[1]))], level)
    assumes = f"both vary, and vary together, as on these {counted(total, 'case')}; as many of each class among them"
    sided = "" if alternative == "two-sided" else ", one-sided"
    how = f"{found.method}, from a pilot"
    return SamplePlan(f"{purpose}, power {power:g}{sided}", cases, positives, reached(cases), level, how, assumes)
