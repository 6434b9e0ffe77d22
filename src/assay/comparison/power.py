"""What a test of AUCs will show, before it is made: how often, with how many cases, at which level.

The variances come from a formula or from data at hand (a pilot); the difference to be seen is one that would matter,
said beforehand, never the one that was seen.

How many cases would tell: for an interval of a given width, or to see a difference of a given size.

Every plan rests on values guessed beforehand, which it repeats. What data at hand could have shown follows from the
width of an interval, never from the difference that was seen in it.

How wide the interval of an AUC will be, before there is a case: from a model of the scores.

The power of the default tests of AUCs, planned: from a model of the scores and the tests' own limits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import bdtr, expit, gammaln, logit, ndtr, ndtri, stdtrit, xlog1py, xlogy

from assay.comparison.adjustment import Alternative, two_sided_level
from assay.comparison.joint import OfClass, satterthwaite
from assay.comparison.pair_table import quantile
from assay.comparison.roc_areas import ENOUGH_FOR_NORMAL, ENOUGH_THAT_VARY, FEWEST_CASES, area_correlation, both_below
from assay.comparison.small_sample_limits import areas_by_themselves, recovered
from assay.errors import OptionError
from assay.renderers import in_notebook
from assay.request import checked_between, checked_choice, checked_level, checked_number, checked_positive
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS
from assay.uncertainty.delong import ENOUGH

__all__ = [
    "AREA_SPREADS",
    "MOST_CASES",
    "MOST_SUMMED",
    "SCORES_OF",
    "AreaTest",
    "SamplePlan",
    "Spreads",
    "area_against_chance",
    "area_method",
    "area_variance",
    "areas_stretch",
    "binormal_spreads",
    "connor_cases",
    "detectable_difference",
    "difference_test",
    "expected_half_width",
    "expected_limits",
    "exponential_spreads",
    "obuchowski_spreads",
    "plan_area_test",
    "plan_auc",
    "plan_auc_against",
    "plan_auc_difference",
    "plan_brier_difference",
    "plan_paired_difference",
    "plan_proportion",
    "plan_unpaired_difference",
    "power_against",
    "power_against_chance",
    "power_of_difference",
    "score_test_power",
    "smallest",
    "squared",
    "trinomial",
    "whole_cases",
]


# The variance of where a case of either class stands among those of the other: of positives, of negatives.
Spreads = tuple[float, float]


def exponential_spreads(auc: float) -> Spreads:
    """Those of exponential scores, which Hanley & McNeil (1982) take."""
    return 2 * auc * auc / (1 + auc) - auc * auc, auc / (2 - auc) - auc * auc


def binormal_spreads(auc: float) -> Spreads:
    """Those of scores that are normal and equally spread in either class.

    >>> [round(float(spread), 4) for spread in binormal_spreads(0.5)]
    [0.0833, 0.0833]
    """
    d = float(ndtri(auc))
    shared = float(both_below(d, d, 0.5)) - auc * auc
    return shared, shared


def obuchowski_spreads(auc: float) -> Spreads:
    """Those that Obuchowski's (1994) variance of the area of normal scores comes to, with her rounded constants."""
    a = float(ndtri(auc)) * 1.414
    shrunk = 0.0099 * math.exp(-a * a / 2)
    return shrunk * (5 * a * a + 8), shrunk * (a * a + 8)


AREA_SPREADS: Mapping[str, Callable[[float], Spreads]] = MappingProxyType(
    {"Hanley-McNeil": exponential_spreads, "binormal": binormal_spreads, "Obuchowski": obuchowski_spreads}
)
# What the scores of either class are taken to be.
SCORES_OF: Mapping[str, str] = MappingProxyType(
    {"Hanley-McNeil": "exponential", "binormal": "normal", "Obuchowski": "normal"}
)


def area_variance(auc: float, positives: float, negatives: float, method: str = "binormal") -> float:
    """The squared standard error of an AUC, for scores as a method has them.

    >>> [round(area_variance(0.85, 50, 50, method) ** 0.5, 4) for method in ("binormal", "Hanley-McNeil")]
    [0.0378, 0.0391]
    """
    of_positives, of_negatives = AREA_SPREADS[method](auc)
    spread = auc * (1 - auc) + (positives - 1) * of_negatives + (negatives - 1) * of_positives
    return spread / (positives * negatives)


def areas_stretch(auc: float, positives: float, negatives: float, scale: float = 1.0) -> Callable[[float], float]:
    """Return how the error of a difference of AUCs grows where one is `auc` and the other lower: as of normal scores.

    Differences are of `scale` times the AUC.

    >>> round(areas_stretch(0.9, 50, 50)(0.1), 2)
    1.24
    """
    level = min(max(auc, 1 - auc), 0.999)

    def stretch(gap: float) -> float:
        lower = max(level - gap / scale, 0.501)
        variances = (area_variance(one, positives, negatives) for one in (lower, level))
        return math.sqrt(max((1 + next(variances) / next(variances)) / 2, 1.0))

    return stretch


def expected_half_width(auc: float, positives: int, negatives: int, level: float, method: str) -> float:
    """Half the width that the interval which Assay shows has on average.

    It is DeLong's on the logit scale; where fewer than ten cases of the smaller class are expected to be misranked,
    samples more and more often get the wider plus-four one (`uncertainty.placements.auc_interval`).

    >>> [round(expected_half_width(0.9, m, 19 * m, 0.95, "binormal"), 3) for m in (38, 380)]
    [0.065, 0.015]
    """
    error = math.sqrt(area_variance(auc, positives, negatives, method))
    reach = quantile(level) * error / (auc * (1 - auc))
    low, high = float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))
    least, most = _small_sample_delong_limits(auc, positives, negatives, level, method)
    careful = (max(high, most) - min(low, least)) / 2
    smaller = min(positives, negatives)
    is_plain = float(ndtr((smaller * min(auc, 1 - auc) - ENOUGH) / (smaller * error)))
    return is_plain * (high - low) / 2 + (1 - is_plain) * careful


def expected_limits(auc: float, positives: int, negatives: int, level: float, method: str) -> tuple[float, float]:
    """Return the default interval where an AUC is estimated so and its variance is what is expected.

    >>> [round(limit, 3) for limit in expected_limits(0.9, 38, 38, 0.95, "binormal")]
    [0.773, 0.95]
    """
    reach = quantile(level) * math.sqrt(area_variance(auc, positives, negatives, method)) / (auc * (1 - auc))
    low, high = float(expit(logit(auc) - reach)), float(expit(logit(auc) + reach))
    if min(positives, negatives) * min(auc, 1 - auc) >= ENOUGH:
        return low, high
    least, most = _small_sample_delong_limits(auc, positives, negatives, level, method)
    return min(low, least), max(high, most)


def _small_sample_delong_limits(
    auc: float, positives: int, negatives: int, level: float, method: str
) -> tuple[float, float]:
    """Plus-four DeLong's limits, as they are where all that is seen is what is expected."""
    more = max(1.0, quantile(level) ** 2 / 4)
    centre, variance = auc, 0.0
    for size, others, spread in zip(
        (positives, negatives), (negatives, positives), AREA_SPREADS[method](auc), strict=True
    ):
        # Of the other class some stand below every case, and as many above; those at the same end are tied.
        all_others = others + 2 * more
        typical, top, bottom = (auc * others + more) / all_others, 1 - more / 2 / all_others, more / 2 / all_others
        centre = (size * typical + more * (top + bottom)) / (size + 2 * more)
        seen = spread + (auc * (1 - auc) - spread) / others
        squares = size * (seen * (others / all_others) ** 2 + (typical - centre) ** 2)
        squares += more * ((top - centre) ** 2 + (bottom - centre) ** 2)
        variance += squares / (size + 2 * more - 1) / (size + 2 * more)
    half = quantile(level) * math.sqrt(variance)
    return max(0.0, centre - half), min(1.0, centre + half)


Sizes = tuple[int, int]
# Estimates are looked through in so many steps on the logit scale, so far from the bound.
STEPS, FURTHEST = 40, 6.0
LARGEST = 0.9999


def power_against(
    auc: float,
    bound: float,
    sizes: Sizes,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = "binormal",
) -> float:
    """Return how often the default interval of an AUC lies on its own side of a bound, with so many of either class.

    The estimate is taken as normal on the logit scale; it shows where its interval begins to exclude the bound.

    >>> round(power_against(0.75, 0.5, (19, 19)), 2)
    0.68
    """
    if auc < bound:
        auc, bound = 1 - auc, 1 - bound
    two_sided = two_sided_level(level, alternative)

    def excluded(value: float) -> float:
        return expected_limits(value, *sizes, two_sided, method)[0] - bound

    edge = _first_root(excluded, expit(np.linspace(logit(bound), logit(bound) + FURTHEST, STEPS)))
    if edge is None:
        return 0.0
    error = math.sqrt(area_variance(auc, *sizes, method)) / (auc * (1 - auc))
    return float(ndtr((logit(auc) - logit(edge)) / error))


def power_of_difference(
    areas: tuple[float, float], correlation: float | None, sizes: Sizes, level: float = 0.95
) -> float:
    """Return how often the default test shows which of two AUCs is the larger, with so many of either class.

    `correlation` is that of the two scores within a class; None: each AUC has as many cases of its own.

    >>> round(power_of_difference((0.85, 0.80), 0.5, (291, 291)), 2)
    0.8
    """
    high, low = max(areas), min(areas)
    gap, middle = high - low, (high + low) / 2

    def limit(difference: float) -> float:
        seen = min(middle + difference / 2, LARGEST), max(middle - difference / 2, 1 - LARGEST)
        return _lower_limit_of_difference(np.array(seen), correlation, sizes, level)

    edge = _first_root(limit, np.linspace(0.0, min(2 * (LARGEST - middle), 2 * middle, 4 * gap), STEPS))
    if edge is None:
        return 0.0
    return float(ndtr((gap - edge) / math.sqrt(_variance_of_areas(np.array([high, low]), correlation, sizes)[1])))


def _variance_of_areas(areas: Floats, correlation: float | None, sizes: Sizes) -> tuple[list[OfClass], float]:
    """What each class adds to the covariance of two AUCs (negatives first), and the variance of their difference."""
    positives, negatives = sizes
    r = 0.0
    if correlation is not None:
        r = area_correlation((float(areas[0]), float(areas[1])), (correlation, correlation), sizes)
    spreads = np.array([AREA_SPREADS["binormal"](float(area)) for area in areas])
    whole = np.array([area_variance(float(area), *sizes) for area in areas])
    parts = spreads / np.array([positives, negatives])
    parts *= (whole / parts.sum(1))[:, None]
    alike = np.array([[1.0, r], [r, 1.0]])
    of_positives, of_negatives = (np.sqrt(np.outer(part, part)) * alike for part in parts.T)
    classes = [OfClass(of_negatives, negatives), OfClass(of_positives, positives)]
    return classes, float(whole.sum() - 2 * r * math.sqrt(whole[0] * whole[1]))


def _lower_limit_of_difference(areas: Floats, correlation: float | None, sizes: Sizes, level: float) -> float:
    """The lower limit of the difference of two AUCs that are estimated so, where all varies as expected."""
    classes, variance = _variance_of_areas(areas, correlation, sizes)
    covariance = classes[0].covariance + classes[1].covariance
    is_paired = correlation is not None
    parts = [one.between(0, 1) for one in classes]
    if not is_paired:
        parts = [(float(covariance[k, k]), float(sum(sizes))) for k in (0, 1)]
    reach = float(stdtrit(satterthwaite(parts), 0.5 + level / 2)) * math.sqrt(variance)
    usual, smaller = float(areas[0] - areas[1]) - reach, min(sizes)
    rests_on = smaller * min(float(np.minimum(areas, 1 - areas).min()), 1.0)
    if smaller >= ENOUGH_FOR_NORMAL and rests_on >= ENOUGH_THAT_VARY:
        return usual
    of_one = areas_by_themselves(areas, classes)
    if not is_paired:

        def of_one(k: int, at: float) -> tuple[float, float]:
            return expected_limits(float(areas[k]), *sizes, at, "binormal")

    return min(usual, recovered(areas, covariance, of_one)(0, 1, level)[0])


def _first_root(rises: Callable[[float], float], values: Floats) -> float | None:
    """Where a function that begins below 0 first reaches it, between values that are looked at in turn."""
    before = float(values[0])
    for value in values[1:].tolist():
        if rises(value) > 0:
            return float(brentq(rises, before, value))
        before = value
    return None


# More cases than this and a plan is no plan.
MOST_CASES = 10**12
# Above this many cases the power of the score test is taken from its normal approximation.
MOST_SUMMED = 200_000


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """So many cases are needed, for what, how far they reach, and what was taken for granted.

    `reaches` is the half-width the interval will have, or the power of the test, at `cases`. Where the classes count,
    `positives` of them are positive. Where two classifiers are tested on cases of their own, `cases` are those of each.

    >>> plan_proportion(0.9, half_width=0.02)
    868 cases: accuracy 0.9 to within 0.02 (95 % interval); Wilson; reaches 0.02
    """

    purpose: str
    cases: int
    positives: int | None
    reaches: float
    level: float
    method: str
    assumes: str

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        classes = "" if self.positives is None else f", {self.positives:,} of them positive"
        return f"{counted(self.cases, 'case')}{classes}: {self.purpose}; {self.method}; reaches {self.reaches:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON holds it."""
        return asdict(self)


def plan_proportion(
    value: float, half_width: float, *, level: float = 0.95, share: float = 1.0, name: str = "accuracy"
) -> SamplePlan:
    """Cases for an accuracy, recall or specificity of about `value` to be known to within `half_width`.

    `share` is that of the cases the rate is about: the prevalence for recall, the rest for specificity.

    >>> plan_proportion(0.8, 0.05, share=0.1, name="recall").cases
    2450
    """
    _check_library(value=value, half_width=half_width, level=level)
    _check_share(share)

    def half(m: int) -> float:
        low, high = PROPORTION_METHODS["Wilson"](value * m, m, level)
        return (high - low) / 2

    needed = smallest(lambda m: half(m) <= half_width)
    purpose = f"{name} {value:g} to within {half_width:g} ({100 * level:g} % interval)"
    assumes = f"{name} near {value:g}; independent cases"
    if share < 1:
        assumes += f"; {100 * share:g} % of cases are of the class it is about"
    return SamplePlan(purpose, whole_cases(needed / share), None, half(needed), level, "Wilson", assumes)


def plan_auc(
    auc: float, half_width: float, *, prevalence: float = 0.5, level: float = 0.95, method: str = "Hanley-McNeil"
) -> SamplePlan:
    """Cases for an AUC of about `auc` to be known to within `half_width`, that of the interval Assay shows on average.

    `method` says what scores the error is that of: "Hanley-McNeil" (1982) has exponential ones, "binormal" normal ones
    that are equally spread in either class, "Obuchowski" (1994) the same with her rounded constants. For normal scores
    Hanley-McNeil's error is right within 4 % up to an AUC of 0.85 where the classes are as large. Where positives are
    rare it is too wide (1 % of them: by 22 % at an AUC of 0.8, 37 % at 0.9, 54 % at 0.95), and where negatives are rare
    too narrow (by 24, 38 and 50 %). The plan says how many cases the other kind of scores would take.

    >>> plan_auc(0.85, 0.03, prevalence=0.2)
    1,348 cases, 270 of them positive: ROC AUC 0.85 to within 0.03 (95 % interval); Hanley-McNeil, logit; reaches 0.03
    >>> plan_auc(0.85, 0.03, prevalence=0.2, method="binormal").cases
    944
    """
    _check_library(auc=auc, half_width=half_width, prevalence=prevalence, level=level)
    method = area_method(method)

    def half(n: int, kind: str) -> float:
        return expected_half_width(auc, *_class_counts(n, prevalence), level, kind)

    def needed(kind: str) -> int:
        return smallest(lambda n: half(n, kind) <= half_width, whole_cases(2 / min(prevalence, 1 - prevalence)))

    n, other = needed(method), "binormal" if method == "Hanley-McNeil" else "Hanley-McNeil"
    purpose = f"ROC AUC {auc:g} to within {half_width:g} ({100 * level:g} % interval)"
    assumes = (
        f"AUC near {auc:g}; prevalence {prevalence:g}; independent cases; {SCORES_OF[method]} scores in either class "
        f"(with {SCORES_OF[other]} ones, method {other}, it takes {needed(other):,} cases)"
    )
    return SamplePlan(purpose, n, _class_counts(n, prevalence)[0], half(n, method), level, f"{method}, logit", assumes)


def area_method(name: str) -> str:
    """The variance of an AUC that goes by a name, in any case and with any punctuation.

    >>> area_method("hanley mcneil")
    'Hanley-McNeil'
    """
    spelt = {"".join(filter(str.isalnum, known.lower())): known for known in AREA_SPREADS}
    return checked_choice(spelt.get("".join(filter(str.isalnum, str(name).lower())), name), AREA_SPREADS, "method")


def plan_paired_difference(
    first: float,
    second: float,
    *,
    disagreement: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    share: float = 1.0,
    name: str = "accuracy",
) -> SamplePlan:
    """Cases on which two classifiers are both tested, for the score test to see their difference.

    `disagreement` is the share of cases only one of them gets right; without it their errors are taken as independent,
    which asks for more cases than classifiers that mostly err together need. `share` as in `plan_proportion`. The
    power is summed exactly; past 200,000 cases Connor's formula takes its place.

    >>> plan_paired_difference(0.90, 0.87, disagreement=0.1)
    851 cases: tell accuracy 0.9 from 0.87 on the same cases, power 0.8; score test, exact power; reaches 0.8
    """
    _check_library(first=first, second=second, power=power, level=level)
    _check_share(share)
    gap = abs(first - second)
    discordant = first * (1 - second) + second * (1 - first) if disagreement is None else disagreement
    most = min(first + second, 2 - first - second)
    _refuse_equal(first, second, name)
    if not gap <= discordant <= most + 1e-12:
        found = f"disagreement is {discordant:g}, and {name} is {first:g} and {second:g}"
        raise OptionError(found, f"a share from {gap:g} to {most:g}")
    n = connor_cases(discordant, gap, power=power, level=level)
    if n <= MOST_SUMMED:
        n = smallest(lambda n: score_test_power(n, discordant, gap, level) >= power)
    how = "independent errors" if disagreement is None else f"{100 * discordant:g} % of cases discordant"
    purpose = f"tell {name} {first:g} from {second:g} on the same cases, power {power:g}"
    assumes = f"{how}; independent cases"
    reached = score_test_power(n, discordant, gap, level)
    method = "score test, exact power" if n <= MOST_SUMMED else "score test, Connor"
    return SamplePlan(purpose, whole_cases(n / share), None, reached, level, method, assumes)


def connor_cases(discordant: float, gap: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Connor's (1987) formula for a paired difference: near where it is small, too many cases where it is large.

    >>> connor_cases(0.1, 0.05), round(score_test_power(312, 0.1, 0.05), 3)
    (312, 0.826)
    """
    _check_library(power=power, level=level)
    reach = quantile(level) * math.sqrt(discordant) + float(ndtri(power)) * math.sqrt(discordant - gap * gap)
    return whole_cases(squared(reach / gap))


def score_test_power(n: int, discordant: float, gap: float, level: float = 0.95) -> float:
    """The probability that the score test of a paired difference is significant: summed exactly over all samples.

    >>> round(score_test_power(50, 0.3, 0.0), 4)
    0.0474
    """
    level = checked_level(level)
    z = quantile(level)
    if n > MOST_SUMMED:
        error = math.sqrt(discordant - gap * gap)
        return float(ndtr((gap * math.sqrt(n) - z * math.sqrt(discordant)) / error))
    m = np.arange(1, n + 1, dtype=np.float64)
    log_weight = gammaln(n + 1) - gammaln(m + 1) - gammaln(n - m + 1) + xlogy(m, discordant)
    weight = np.exp(log_weight + xlog1py(n - m, -discordant))
    m, weight = m[weight > 1e-16], weight[weight > 1e-16]
    share, size = (1 + gap / discordant) / 2, m.astype(np.int64)
    # Significant at so many wins or fewer, and by symmetry at so many losses or fewer.
    edge = np.floor((m - z * np.sqrt(m)) / 2)
    known = edge >= 0
    tails = bdtr(np.where(known, edge, 0), size, share) + bdtr(np.where(known, edge, 0), size, 1 - share)
    return float((weight * np.where(known, tails, 0.0)).sum())


def plan_unpaired_difference(
    first: float, second: float, *, power: float = 0.8, level: float = 0.95, share: float = 1.0, name: str = "accuracy"
) -> SamplePlan:
    """Cases of either of two samples of their own, for the score test to tell two rates apart.

    >>> plan_unpaired_difference(0.90, 0.87).cases
    1774
    """
    _check_library(first=first, second=second, power=power, level=level)
    _check_share(share)
    gap, middle = abs(first - second), (first + second) / 2
    _refuse_equal(first, second, name)
    spread = math.sqrt(first * (1 - first) + second * (1 - second))
    null = quantile(level) * math.sqrt(2 * middle * (1 - middle))
    n = whole_cases(squared((null + float(ndtri(power)) * spread) / gap))
    reached = float(ndtr((gap * math.sqrt(n) - null) / spread))
    purpose = f"tell {name} {first:g} from {second:g}, each on cases of its own, power {power:g}"
    assumes = "independent cases; as many of either"
    return SamplePlan(purpose, whole_cases(n / share), None, reached, level, "score test of two proportions", assumes)


def plan_auc_against(
    auc: float,
    bound: float = 0.5,
    *,
    prevalence: float = 0.5,
    power: float = 0.8,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = "binormal",
) -> SamplePlan:
    """Cases for the default interval of an AUC to lie on one side of a bound: of 0.5, to be told from chance.

    >>> plan_auc_against(0.75)
    47 cases, 24 of them positive: tell ROC AUC 0.75 from chance, power 0.8; ...; reaches 0.8
    """
    _check_library(auc=auc, bound=bound, prevalence=prevalence, power=power, level=level)
    method = area_method(method)
    if auc == bound:
        raise OptionError(f"the AUC is {auc:g}, which is {_bound_words(bound)}", "a second, different value")

    def reached(n: int) -> float:
        return power_against(auc, bound, _class_counts(n, prevalence), level, alternative, method)

    n = smallest(lambda n: reached(n) >= power, whole_cases(2 / min(prevalence, 1 - prevalence)))
    sided = "" if alternative == "two-sided" else ", one-sided"
    purpose = f"tell ROC AUC {auc:g} from {_bound_words(bound)}, power {power:g}{sided}"
    assumes = (
        f"{SCORES_OF[method]} scores in either class; AUC near {auc:g}; prevalence {prevalence:g}; independent cases"
    )
    return SamplePlan(
        purpose, n, _class_counts(n, prevalence)[0], reached(n), level, f"DeLong, logit, {method}", assumes
    )


def _bound_words(bound: float) -> str:
    return "chance" if bound == 0.5 else f"{bound:g}"


def power_against_chance(
    auc: float,
    cases: int,
    *,
    prevalence: float = 0.5,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    method: str = "binormal",
) -> float:
    """How often the default interval of an AUC excludes 0.5, on so many cases.

    >>> round(power_against_chance(0.75, 48), 3)
    0.811
    """
    _check_library(auc=auc, prevalence=prevalence, level=level)
    return power_against(auc, 0.5, _class_counts(cases, prevalence), level, alternative, area_method(method))


def plan_auc_difference(
    first: float,
    second: float,
    *,
    correlation: float = 0.5,
    prevalence: float = 0.5,
    power: float = 0.8,
    level: float = 0.95,
    paired: bool = True,
) -> SamplePlan:
    """Cases for the default test to tell two AUCs apart, with scores that are normal in either class.

    `correlation` is that of the two scores within a class; the error of the difference follows from it as in
    Obuchowski & McClish (1997). The power is that of the interval a comparison shows: DeLong's with Satterthwaite's t,
    in small samples widened (MOVER). Not `paired`: each AUC has cases of its own.

    >>> plan_auc_difference(0.85, 0.80, correlation=0.5)
    582 cases, 291 of them positive: tell ROC AUC 0.85 from 0.8 on the same cases, power 0.8; ...; reaches 0.801
    """
    _check_library(first=first, second=second, prevalence=prevalence, power=power, level=level)
    checked_between(correlation, "correlation", -1, 1)
    _refuse_equal(first, second, "AUC")

    def reached(n: int) -> float:
        within = correlation if paired else None
        return power_of_difference((first, second), within, _class_counts(n, prevalence), level)

    n = smallest(lambda n: reached(n) >= power, whole_cases(FEWEST_CASES / min(prevalence, 1 - prevalence)))
    where = "on the same cases" if paired else "each on cases of its own"
    purpose = f"tell ROC AUC {first:g} from {second:g} {where}, power {power:g}"
    assumes = f"normal scores, equally spread in both classes; prevalence {prevalence:g}; independent cases"
    if paired:
        assumes += f"; scores correlate by {correlation:g} within a class"
    return SamplePlan(purpose, n, _class_counts(n, prevalence)[0], reached(n), level, "DeLong, binormal", assumes)


def plan_brier_difference(difference: float, sd: float, *, power: float = 0.8, level: float = 0.95) -> SamplePlan:
    """Cases for the paired t test to see a difference of Brier scores (or of any loss that is a mean over cases).

    `sd` is the standard deviation over cases of the loss of the first less that of the second.

    >>> plan_brier_difference(0.01, sd=0.1).cases
    787
    """
    _check_library(difference=difference, power=power, level=level)
    checked_positive(sd, "sd", "a standard deviation of the differences above 0")
    n = max(2, whole_cases(squared((quantile(level) + float(ndtri(power))) * sd / difference)) + 2)
    reached = float(ndtr(difference * math.sqrt(n) / sd - quantile(level)))
    purpose = f"see a difference of {difference:g} in mean loss on the same cases, power {power:g}"
    assumes = f"differences that vary by {sd:g} from case to case; independent cases"
    return SamplePlan(purpose, n, None, reached, level, "paired t", assumes)


def detectable_difference(low: float, high: float, *, level: float = 0.95, power: float = 0.8) -> float:
    """The smallest true difference that data with an interval of this width would have called significant so often.

    It follows from the width alone. What was observed says nothing more about power than its p-value does.

    >>> round(detectable_difference(-0.01, 0.03), 4)
    0.0286
    """
    _check_library(level=level, power=power)
    if not high > low:
        raise OptionError(f"the interval runs from {low:g} to {high:g}", "a lower limit and then a higher one")
    return (high - low) / 2 * (1 + float(ndtri(power)) / quantile(level))


def _class_counts(n: int, prevalence: float) -> tuple[int, int]:
    positives = min(max(round(n * prevalence), 1), n - 1)
    return positives, n - positives


def squared(number: float) -> float:
    """The square, infinite where it is too large for a float; ** would raise an error."""
    return number * number


def whole_cases(cases: float) -> int:
    """So many cases, and no part of one; refused where nobody has that many."""
    if not cases <= MOST_CASES:
        raise OptionError(f"that takes more than {MOST_CASES:,} cases", "less to be asked for")
    return math.ceil(cases)


def smallest(is_enough: Callable[[int], bool], start: int = 2) -> int:
    """The smallest number of cases that is enough, where more always are."""
    few, many = start, start
    while not is_enough(many):
        few, many = many, many * 2
        whole_cases(many)
    while many - few > 1:
        middle = (few + many) // 2
        few, many = (few, middle) if is_enough(middle) else (middle, many)
    return many


def _check_library(*, level: float, **values: float) -> None:
    checked_level(level)
    for name, value in values.items():
        checked_between(value, name)


def _check_share(share: float) -> None:
    """All cases may be of the class a rate is about, but not none."""
    if share != 1:
        checked_between(share, "share")


def _refuse_equal(first: float, second: float, name: str) -> None:
    if first == second:
        raise OptionError(f"{name} is {first:g} twice", "two different values")


CHANCE = 0.5
OBUCHOWSKI = "Obuchowski"
# Numbers of discordant cases less likely than this are left out of a sum over all samples.
LEAST_WEIGHT = 1e-14


@dataclass(frozen=True)
class AreaTest:
    """A test that a difference is 0, while it is `gap`: with n positives, variances are `null` / n and `other` / n.

    `null` is what the variance would be were there no difference, `other` what it is; `ratio` are the negatives beside
    each positive. Rejecting on the wrong side is no success.

    >>> test = area_against_chance(0.75)
    >>> round(test.positives(power=0.9), 4), round(test.power(40), 4), round(test.alpha(40, power=0.8), 5)
    (25.0234, 0.9854, 0.00139)
    """

    gap: float
    null: float
    other: float
    ratio: float = 1.0

    def positives(self, *, power: float = 0.8, level: float = 0.95, alternative: Alternative = "two-sided") -> float:
        """How many positives it takes, with so many negatives each, not rounded."""
        checked_between(power, "power")
        reach = _critical_value(level, alternative) * math.sqrt(self.null) + float(ndtri(power)) * math.sqrt(self.other)
        return squared(reach / self.gap)

    def power(self, positives: float, *, level: float = 0.95, alternative: Alternative = "two-sided") -> float:
        """How often the test is significant with so many positives."""
        checked_positive(positives, "positives")
        away = abs(self.gap) * math.sqrt(positives) - _critical_value(level, alternative) * math.sqrt(self.null)
        return float(ndtr(away / math.sqrt(self.other)))

    def alpha(self, positives: float, *, power: float = 0.8, alternative: Alternative = "two-sided") -> float:
        """The error that such a power is bought with: 1 less the level."""
        checked_between(power, "power")
        left = abs(self.gap) * math.sqrt(positives) - float(ndtri(power)) * math.sqrt(self.other)
        one = float(ndtr(-left / math.sqrt(self.null)))
        return one if alternative != "two-sided" else 2 * one


def _critical_value(level: float, alternative: Alternative) -> float:
    two_sided_level(level, alternative)
    return float(ndtri(0.5 + level / 2 if alternative == "two-sided" else level))


def area_against_chance(auc: float, *, ratio: float = 1.0, method: str = OBUCHOWSKI) -> AreaTest:
    """The test that an AUC is one half, where it is `auc` and there are `ratio` negatives for each positive.

    By "Obuchowski" (1994) with her rounded constants for normal scores, as pROC computes it; by "binormal" or
    "Hanley-McNeil" with the variances that these have elsewhere.

    >>> round(area_against_chance(0.75, method="binormal").positives(power=0.9), 2)
    24.43
    """
    checked_between(auc, "auc")
    checked_positive(ratio, "ratio")
    method = area_method(method)
    if auc == CHANCE:
        raise OptionError("the AUC is 0.5, which is chance", "a second, different value")
    (null_of_positives, null_of_negatives), (of_positives, of_negatives) = (
        AREA_SPREADS[method](area) for area in (CHANCE, auc)
    )
    null = null_of_positives + null_of_negatives / ratio
    return AreaTest(auc - CHANCE, null, of_positives + of_negatives / ratio, ratio)


def difference_test(
    gap: float,
    variances: tuple[float, float],
    covariance: float,
    positives: float,
    negatives: float,
    *,
    null_of_first: bool = False,
) -> AreaTest:
    """The test of two estimates on the same cases, from what a pilot of so many cases tells of them.

    Were there no difference, they would vary as they do; with `null_of_first` both as the first does, as pROC supposes,
    which makes the answer depend on which of them is called the first.
    """
    if not 0 < abs(checked_number(gap, "difference")) < 1:
        raise OptionError(f"difference is {gap:g}", "one that would matter, between -1 and 1", about="difference")
    one, other = variances
    spread = one + other - 2 * covariance
    null = 2 * one - 2 * covariance if null_of_first else spread
    if not (null > 0 and spread > 0):
        raise OptionError(
            "the two do not differ on these cases, so the variance of the difference is unknown", "another pilot"
        )
    return AreaTest(gap, null * positives, spread * positives, negatives / positives)


def trinomial(n: int, first: float, second: float) -> tuple[Floats, Floats, Floats]:
    """Return counts of two kinds of cases among n, of such shares, and their probabilities; unlikely ones left out.

    >>> [part.tolist() for part in trinomial(1, 0.5, 0.25)]
    [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.25, 0.25, 0.5]]
    """
    both = first + second
    counts = np.arange(n + 1.0)
    weight = np.exp(_log_choose(n, counts) + xlogy(counts, both) + xlog1py(n - counts, -both))
    each = [
        _class_splits(float(count), first / both if both > 0 else 0.0, float(of_all))
        for count, of_all in zip(counts, weight, strict=True)
        if of_all > LEAST_WEIGHT
    ]
    one, other, weights = (np.concatenate(parts) for parts in zip(*each, strict=True))
    return one, other, weights


def _class_splits(count: float, share: float, weight: float) -> tuple[Floats, Floats, Floats]:
    """How so many cases of either kind may fall, near enough to what is expected to matter."""
    reach = 9 * math.sqrt(count * share * (1 - share)) + 9
    one = np.arange(max(0.0, math.floor(count * share - reach)), min(count, math.ceil(count * share + reach)) + 1)
    weights = weight * np.exp(_log_choose(count, one) + xlogy(one, share) + xlog1py(count - one, -share))
    return one, count - one, weights


def _log_choose(n: float, counts: Floats) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1))


def plan_area_test(
    test: AreaTest,
    purpose: str,
    method: str,
    assumes: str,
    *,
    power: float = 0.8,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> SamplePlan:
    """The plan of a test of AUCs: so many cases, of which so many positive, for such a power."""
    level = checked_level(level)
    needed = test.positives(power=power, level=level, alternative=alternative)
    positives = max(2, whole_cases(needed))
    cases = whole_cases(positives + max(2, whole_cases(needed * test.ratio)))
    reached = test.power(positives, level=level, alternative=alternative)
    sided = "" if alternative == "two-sided" else ", one-sided"
    return SamplePlan(f"{purpose}, power {power:g}{sided}", cases, positives, reached, level, method, assumes)
