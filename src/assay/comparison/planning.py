"""How many cases would tell: for an interval of a given width, or to see a difference of a given size.

Every plan rests on values guessed beforehand, which it repeats. What data at hand could have shown follows from the
width of an interval, never from the difference that was seen in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr, gammaln, ndtr, ndtri, xlog1py, xlogy

from assay.comparison._tables import quantile
from assay.comparison.adjustment import Alternative
from assay.comparison.auc import FEWEST_CASES
from assay.comparison.foretold_areas import power_against, power_of_difference
from assay.comparison.planned_area import AREA_SPREADS, SCORES_OF, expected_half_width
from assay.errors import OptionError
from assay.renderers import in_notebook
from assay.request import checked_between, checked_choice, checked_level, checked_positive
from assay.results import counted
from assay.uncertainty import PROPORTION_METHODS

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
    _check(value=value, half_width=half_width, level=level)
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
    _check(auc=auc, half_width=half_width, prevalence=prevalence, level=level)
    method = area_method(method)

    def half(n: int, kind: str) -> float:
        return expected_half_width(auc, *_classes(n, prevalence), level, kind)

    def needed(kind: str) -> int:
        return smallest(lambda n: half(n, kind) <= half_width, whole_cases(2 / min(prevalence, 1 - prevalence)))

    n, other = needed(method), "binormal" if method == "Hanley-McNeil" else "Hanley-McNeil"
    purpose = f"ROC AUC {auc:g} to within {half_width:g} ({100 * level:g} % interval)"
    assumes = (
        f"AUC near {auc:g}; prevalence {prevalence:g}; independent cases; {SCORES_OF[method]} scores in either class "
        f"(with {SCORES_OF[other]} ones, method {other}, it takes {needed(other):,} cases)"
    )
    return SamplePlan(purpose, n, _classes(n, prevalence)[0], half(n, method), level, f"{method}, logit", assumes)


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
    _check(first=first, second=second, power=power, level=level)
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
    how = "independent errors" if disagreement is None else f"{100 * discordant:g} % of cases told apart"
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
    _check(power=power, level=level)
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
    _check(first=first, second=second, power=power, level=level)
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
    _check(auc=auc, bound=bound, prevalence=prevalence, power=power, level=level)
    method = area_method(method)
    if auc == bound:
        raise OptionError(f"the AUC is {auc:g}, which is {_named_bound(bound)}", "another value to tell from it")

    def reached(n: int) -> float:
        return power_against(auc, bound, _classes(n, prevalence), level, alternative, method)

    n = smallest(lambda n: reached(n) >= power, whole_cases(2 / min(prevalence, 1 - prevalence)))
    sided = "" if alternative == "two-sided" else ", one-sided"
    purpose = f"tell ROC AUC {auc:g} from {_named_bound(bound)}, power {power:g}{sided}"
    assumes = (
        f"{SCORES_OF[method]} scores in either class; AUC near {auc:g}; prevalence {prevalence:g}; independent cases"
    )
    return SamplePlan(purpose, n, _classes(n, prevalence)[0], reached(n), level, f"DeLong, logit, {method}", assumes)


def _named_bound(bound: float) -> str:
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
    _check(auc=auc, prevalence=prevalence, level=level)
    return power_against(auc, 0.5, _classes(cases, prevalence), level, alternative, area_method(method))


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
    _check(first=first, second=second, prevalence=prevalence, power=power, level=level)
    checked_between(correlation, "correlation", -1, 1)
    _refuse_equal(first, second, "AUC")

    def reached(n: int) -> float:
        within = correlation if paired else None
        return power_of_difference((first, second), within, _classes(n, prevalence), level)

    n = smallest(lambda n: reached(n) >= power, whole_cases(FEWEST_CASES / min(prevalence, 1 - prevalence)))
    where = "on the same cases" if paired else "each on cases of its own"
    purpose = f"tell ROC AUC {first:g} from {second:g} {where}, power {power:g}"
    assumes = f"normal scores, equally spread in both classes; prevalence {prevalence:g}; independent cases"
    if paired:
        assumes += f"; scores correlate by {correlation:g} within a class"
    return SamplePlan(purpose, n, _classes(n, prevalence)[0], reached(n), level, "DeLong, binormal", assumes)


def plan_brier_difference(difference: float, sd: float, *, power: float = 0.8, level: float = 0.95) -> SamplePlan:
    """Cases for the paired t test to see a difference of Brier scores (or of any loss that is a mean over cases).

    `sd` is the standard deviation over cases of the loss of the first less that of the second.

    >>> plan_brier_difference(0.01, sd=0.1).cases
    787
    """
    _check(difference=difference, power=power, level=level)
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
    _check(level=level, power=power)
    if not high > low:
        raise OptionError(f"the interval runs from {low:g} to {high:g}", "a lower limit and then a higher one")
    return (high - low) / 2 * (1 + float(ndtri(power)) / quantile(level))


def _classes(n: int, prevalence: float) -> tuple[int, int]:
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


def _check(*, level: float, **values: float) -> None:
    checked_level(level)
    for name, value in values.items():
        checked_between(value, name)


def _check_share(share: float) -> None:
    """All cases may be of the class a rate is about, but not none."""
    if share != 1:
        checked_between(share, "share")


def _refuse_equal(first: float, second: float, name: str) -> None:
    if first == second:
        raise OptionError(f"{name} is {first:g} twice", "two different values to tell apart")
