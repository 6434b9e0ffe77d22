"""What cases at hand tell of how many would be needed: variances from a pilot, differences from whoever knows.

What is known of differences on more cases than these, and were they larger than they are.

The names by which a difference can be asked for: one name means one thing, for an estimate and for a difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scipy.special import ndtr

from assay.comparison import (
    DIFFERENCE_METHODS,
    UNPAIRED_METHODS,
    Alternative,
    AreaTest,
    Difference,
    Forecast,
    SamplePlan,
    areas_stretch,
    cases_factor,
    difference_test,
    no_stretch,
    plan_area_test,
    quantile,
    shares_stretch,
    two_sided_level,
)
from assay.comparison.power import smallest, whole_cases
from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix, is_scalable, multiplied
from assay.measures import Measure
from assay.measures.interval_methods import DOUBTS
from assay.method_names import squeezed
from assay.request import checked_between, checked_level, checked_number, checked_positive
from assay.results import Estimate, counted
from assay.uncertainty import CROSS_FITTED

if TYPE_CHECKING:
    from assay.evaluation.differences import Pair, PairedRows
    from assay.evaluation.evaluation import Evaluation

__all__ = [
    "A_TEST",
    "ELSEWHERE",
    "METHODS",
    "NARROW",
    "OF_ALL",
    "OF_AREAS",
    "OF_MOVES",
    "SAME",
    "SAMPLE_AREAS",
    "TOGETHER",
    "Wanted",
    "difference_method",
    "doubt_about",
    "forecast",
    "half_width_at",
    "pilot_test",
    "plan_from_pilot",
    "plan_width",
    "positives_of",
    "power_by_default",
    "sample_method",
]


HalfWidth = Callable[[float], float]


def forecast(
    models: PairedRows,
    measure: Measure,
    pairs: Sequence[Pair],
    found: Sequence[Difference],
    half_widths: Sequence[HalfWidth] | None,
) -> list[Difference]:
    """Return the differences of some pairs with what is known of each on other cases."""
    widths: Sequence[HalfWidth | None] = half_widths or [None] * len(found)
    return [
        replace(
            one, forecast=Forecast(width, _stretch(models, measure, pair, one), measure.bounds[1] - measure.bounds[0])
        )
        for one, pair, width in zip(found, pairs, widths, strict=True)
    ]


def _stretch(models: PairedRows, measure: Measure, pair: Pair, found: Difference) -> Callable[[float], float]:
    """How the standard error of a difference grows with the true difference."""
    rows = models.rows
    if measure.is_mean_loss:
        return no_stretch
    if measure.answers is not None and rows.weight is None and rows.cluster is None:
        return shares_stretch(found.half_width, quantile(found.level), found.n)
    if measure.pairs is None:
        return Forecast().stretch
    positives = float((rows.is_positive * rows.times).sum())
    sizes = max(positives, 1.0), max(float(rows.times.sum()) - positives, 1.0)
    scale, shift = measure.pairs.scale, measure.pairs.shift
    level = sum(float(measure(models.evidence(measure, k))) for k in pair) / 2
    return areas_stretch((level - shift) / scale, *sizes, abs(scale))


OF_AREAS = ("DeLong", "Hanley-McNeil", "Hanley-McNeil table", "Obuchowski")
# Those of areas of samples of other cases.
SAMPLE_AREAS = ("DeLong", "Hanley-McNeil", "Obuchowski")
OF_MOVES = ("normal", "influence")
OF_ALL = ("bootstrap", "bootstrap, normal")
# Methods that know how several estimates vary together.
TOGETHER = ("DeLong", "Obuchowski", "normal", "influence", "t")
METHODS = (*OF_AREAS, *OF_MOVES, "t", "Dirichlet", *DIFFERENCE_METHODS, *OF_ALL)
# What other systems and documents call them; of several, the first that a measure has is meant.
SAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "normal": ("DeLong", "normal", "Wald"),
        "wald": ("Wald", "DeLong", "normal"),
        "z": ("DeLong", "normal", "Wald"),
        "paireddelong": ("DeLong",),
        "pairedt": ("t",),
        "dieboldmariano": ("t",),
        "score": ("Tango", "Miettinen-Nurminen"),
        "newcombe": ("Newcombe 10",),
        "percentile": ("bootstrap",),
        "bootstrapz": ("bootstrap, normal",),
        "hanleymcneil1983": ("Hanley-McNeil",),
    }
)
# Tests that have a method of their own, and where.
A_TEST = "cmp.tests.by_name({0!r}): it is a test of no measure, without a difference to show"
ELSEWHERE = {"mcnemar": "cmp.tests.mcnemar, or 'Tango' for the interval of the same test", "t test": "'t'"}
ELSEWHERE |= {name: A_TEST.format(name) for name in ("venkatraman", "redelmeier", "bowker")}
NARROW = "limits of a difference by {0} are too narrow where few cases make up most of what differs"


@dataclass(frozen=True)
class Wanted:
    """How a difference is asked for: at which level, by which method ("" for the usual), and which one is tested.

    `among` are the pairs that those asked for were chosen from by their values; without them they are a family.
    """

    level: float
    method: str = ""
    null: float = 0.0
    among: tuple[tuple[int, int], ...] = ()


def difference_method(measure: Measure, name: str | None) -> str:
    """The method of a difference of this measure that goes by a name; "" for the usual one.

    >>> from assay.measures import accuracy, brier, roc_auc
    >>> [difference_method(one, "wald") for one in (roc_auc, brier, accuracy)]
    ['DeLong', 'normal', 'Wald']
    >>> difference_method(brier, "delong")
    Traceback (most recent call last):
    assay.errors.OptionError: method is 'delong', and Brier score is no ROC AUC; needed: one of 'normal', ...
    """
    if name is None:
        return ""
    asked = squeezed(str(name))
    known = {squeezed(each): each for each in METHODS}
    if asked not in known and asked not in SAME:
        instead = ELSEWHERE.get(asked, f"one of {', '.join(map(repr, METHODS))}")
        raise UnknownName(f"method is {name!r}", instead)
    possible = _possible(measure)
    meant = [known[asked]] if asked in known else []
    found = next((each for each in (*meant, *SAME.get(asked, ())) if each in possible), None)
    if found is None:
        kind = "ROC AUC" if meant and meant[0] in OF_AREAS else "share of answers" if meant else "such measure"
        what = "mean loss" if meant == ["t"] else "function of decisions" if meant == ["Dirichlet"] else kind
        instead = f"one of {', '.join(map(repr, possible))}"
        raise OptionError(f"method is {name!r}, and {measure.title} is no {what}", instead)
    return found


def sample_method(measure: Measure, name: str | None) -> str:
    """The method of a difference between samples of other cases that goes by a name; "" for the usual one."""
    if name is None:
        return ""
    of_areas = SAMPLE_AREAS if measure.pairs is not None else ()
    possible = (*of_areas, *(tuple(UNPAIRED_METHODS) if measure.answers is not None else ()), "bootstrap")
    asked, known = squeezed(str(name)), {squeezed(each): each for each in possible}
    found = next((each for each in (known.get(asked), *SAME.get(asked, ())) if each in possible), None)
    if found is None:
        instead = f"one of {', '.join(map(repr, possible))}"
        raise UnknownName(f"method is {name!r}, which {measure.title} has not between samples", instead)
    return found


def _possible(measure: Measure) -> tuple[str, ...]:
    if measure.pairs is not None:
        of_areas = OF_AREAS if measure.pairs.scale == 1 else ("DeLong", "Obuchowski")
        return (*of_areas, "influence", *OF_ALL)
    of_shares = tuple(DIFFERENCE_METHODS) if measure.answers is not None else ()
    of_decisions = ("Dirichlet",) if measure.needs is ConfusionMatrix else ()
    return (*of_shares, *of_decisions, *(("t",) if measure.is_mean_loss else ()), *OF_MOVES, *OF_ALL)


def doubt_about(method: str) -> str | None:
    """What is to be doubted about a difference by a method that was asked for by its name, whatever the data."""
    if method in ("bootstrap", "bootstrap, normal"):
        return DOUBTS["bootstrap"]
    return NARROW.format(method) if method in ("normal", "Wald", "Hanley-McNeil", "Obuchowski") else None


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
    purpose = f"detect a difference of {abs(difference):g} in {measure.title} between {pair[0]} and {pair[1]}"
    if method is None and not null_of_first:
        return _plan_by_default(models, measure, pair, difference, power, checked_level(level), alternative, purpose)
    test = pilot_test(models, measure, pair, difference, method, null_of_first=null_of_first)
    known = piloted(models, measure, pair, method)
    assumes = f"variances, covariance and class shares as in these {counted(known.n, 'case')}"
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
    assumes = f"variances, covariance and class shares as in these {counted(total, 'case')}"
    sided = "" if alternative == "two-sided" else ", one-sided"
    how = f"{found.method}, from a pilot"
    return SamplePlan(f"{purpose}, power {power:g}{sided}", cases, positives, reached(cases), level, how, assumes)
