"""Sensitivity, specificity, predictive values and likelihood ratios of two classifiers on the same cases.

The difference of two proportions from different cases: classifiers that were tested on samples of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from assay.comparison.labels import compare_correctness
from assay.comparison.pair_table import Compared, chi_square, furthest, quantile, refused, two_sided
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import PairedDecisions
from assay.measures import (
    likelihood_ratio_negative,
    likelihood_ratio_positive,
    npv,
    precision,
    recall,
    registry,
    specificity,
)
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Interval, PairRow, PairTable, TestResult, counted
from assay.text import number
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS

COMPARED = (recall, specificity, precision, npv, likelihood_ratio_positive, likelihood_ratio_negative)
RATES = tuple(measure.name for measure in COMPARED)
# Of those given one label.
PREDICTIVE = tuple(measure.name for measure in COMPARED if measure.of_calls)
# With fewer hits or misses behind either share its interval fell short (simulated: .67 to .89 with 1 to 3).
FEWEST_CASES = 5
FEWEST_CLUSTERS = 3


@dataclass(frozen=True, slots=True)
class RateContrast:
    """One rate of two classifiers, how far they are apart, and the test that goes with that interval.

    `effect` is first minus second, or first over second, as its name says; its interval holds exactly the values the
    test does not reject.
    """

    rate: str
    first: float
    second: float
    effect: Estimate
    test: TestResult

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return (
            f"{self.rate} {number(self.first)} and {number(self.second)}, {self.effect.name} {self.effect}; {self.test}"
        )


def rate_contrast(paired: PairedDecisions, rate: str, level: float = 0.95) -> RateContrast:
    """How far two classifiers' rates are apart: recall and specificity by difference, the others by ratio.

    >>> counts = np.array([[[140, 20], [50, 30]], [[30, 20], [70, 310]]], dtype=float)
    >>> paired = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    >>> rate_contrast(paired, "recall")
    recall 0.884 and 0.767, difference 0.116 [0.075, 0.159]; score test of a paired difference (score): ...
    >>> rate_contrast(paired, "precision").effect
    0.951 [0.915, 0.989]
    """
    level = checked_level(level)
    _refuse_unknown_rate(paired, rate)
    answers = registry[rate].answers
    if answers is None:
        return rate_ratio(paired, rate, level)
    within = paired.correctness(answers.within)
    test, interval = compare_correctness(within, level)
    n = float(within.total)
    if n == 0:
        of_class = "positives" if answers.within == 1 else "negatives"
        return _undefined_contrast(rate, "difference", f"there are no {of_class}", level)
    first, second = (float(x) / n for x in (within.both + within.only_first, within.both + within.only_second))
    effect = _rate_estimate("difference", first - second, interval, level, n)
    return RateContrast(rate, first, second, effect, test)


def compare_rates(paired: PairedDecisions, level: float = 0.95) -> PairTable:
    """All six rates of two classifiers side by side, one to a row.

    >>> counts = np.array([[[140, 20], [50, 30]], [[30, 20], [70, 310]]], dtype=float)
    >>> compare_rates(PairedDecisions(counts, ("no", "yes"), ("no", "yes"))).columns["effect"]
    ['difference', 'difference', 'ratio', 'ratio', 'ratio', 'ratio']
    """
    found = [rate_contrast(paired, rate, level) for rate in RATES]
    keys: dict[str, list[Any]] = {
        "rate": [one.rate for one in found],
        "first": [one.first for one in found],
        "second": [one.second for one in found],
        "effect": [one.effect.name for one in found],
        "value": [one.effect.value for one in found],
    }
    rows = [
        PairRow(
            low=one.effect.low, high=one.effect.high, p_value=one.test.p_value, method=one.effect.method,
            undefined=one.effect.undefined or one.test.undefined or "",
        )
        for one in found
    ]  # fmt: skip
    return PairTable.of(keys, rows, "Rates of two classifiers on the same cases")


def rate_ratio(paired: PairedDecisions, rate: str, level: float = 0.95) -> RateContrast:
    """A rate of the first classifier over that of the second, on the log scale, with the Wald test of a ratio of 1.

    Of predictive values this is Moskowitz and Pepe's (2006) relative value, of likelihood ratios what a regression of
    them gives, of recall and specificity the relative rate. Weights and clusters are taken.

    >>> counts = np.array([[[140, 20], [50, 30]], [[30, 20], [70, 310]]], dtype=float)
    >>> rate_ratio(PairedDecisions(counts, ("no", "yes"), ("no", "yes")), "likelihood_ratio_positive").effect
    0.720 [0.552, 0.938]
    """
    level = checked_level(level)
    _refuse_unknown_rate(paired, rate)
    found = _Ratio.of(paired, rate)
    if math.isnan(found.first * found.second):
        return _undefined_contrast(rate, "ratio", "a count that its logarithm is taken of is 0", level)
    covariance, degrees = _covariance(paired, [found.influence])
    test, interval = _wald_comparison(rate, found, math.sqrt(covariance[0, 0]), degrees, level)
    effect = _rate_estimate("ratio", found.first / found.second, interval, level, float(paired.total))
    return RateContrast(rate, found.first, found.second, effect, test)


def _wald_comparison(rate: str, found: _Ratio, error: float, degrees: int | None, level: float) -> Compared:
    """The Wald test of a ratio of 1 and its interval, on the log scale."""
    name, null, ratio = f"equal {rate}", "the ratio is 1", found.first / found.second
    label = "log scale" if degrees is None else f"log scale, t, {counted(degrees + 1, 'cluster')}"
    reason = _too_few_cases(found.fewest, error, degrees)
    if reason is not None:
        same = TestResult(name, null, 0.0, 1.0, label)
        return same if error == 0 and ratio == 1 else refused(name, null, reason), Interval.missing(label, reason)
    z = math.log(ratio) / error
    p_value = two_sided(z) if degrees is None else float(2 * stdtr(degrees, -abs(z)))
    reach = error * (quantile(level) if degrees is None else float(stdtrit(degrees, 0.5 + level / 2)))
    limits = ratio * math.exp(-reach), ratio * math.exp(reach)
    return TestResult(name, null, z, p_value, label), Interval(*limits, label)


def _too_few_cases(fewest: float, error: float, degrees: int | None) -> str | None:
    if fewest < FEWEST_CASES:
        return f"hits or misses: {fewest:.3g}; at least {FEWEST_CASES} needed"
    if degrees is not None and degrees + 1 < FEWEST_CLUSTERS:
        return f"{counted(degrees + 1, 'cluster')}: at least {FEWEST_CLUSTERS} needed"
    return None if error > 0 else "the classifiers do not differ on any case"


def predictive_value_test(paired: PairedDecisions, rate: str, form: str = "weighted score") -> TestResult:
    """Tests that two precisions (or negative predictive values) on the same cases are the same.

    "weighted score" is Kosinski's (2013), the nearest to its level; "score" that of Leisenring, Alonzo and Pepe
    (2000), which also takes weights and clusters.

    >>> counts = np.array([[[140, 20], [50, 30]], [[30, 20], [70, 310]]], dtype=float)
    >>> paired = PairedDecisions(counts, ("no", "yes"), ("no", "yes"))
    >>> [round(predictive_value_test(paired, "precision", form).statistic, 4) for form in ("weighted score", "score")]
    [6.0054, 6.2872]
    """
    _refuse_unknown_rate(paired, checked_choice(rate, PREDICTIVE, "rate"))
    checked_choice(form, ("weighted score", "score"), "form")
    name, null = f"equal {rate}", "both classifiers have the same"
    # Whom either classifier gave the label, and which of them were right to get it; the others do not matter.
    ((hit_by_first, first, _),), ((hit_by_second, second, _),) = (
        _rate_as_shares(rate, each) for each in _unit_matrices(paired)
    )
    hit = np.maximum(hit_by_first, hit_by_second)
    counts = paired.counts
    n1, n2 = float((counts * first).sum()), float((counts * second).sum())
    if min(n1, n2) == 0:
        return refused(name, null, "one of the classifiers never predicted this class")
    pooled = float((counts * (first + second) * hit).sum()) / (n1 + n2)
    miss = hit - pooled
    if form == "score":
        place = n2 / (n1 + n2)
        each = (first * -place + second * (1 - place)) * miss
        covariance, _ = _covariance(paired, [each])
        score, variance = float((counts * each).sum()) ** 2, float(covariance[0, 0])
    else:
        if paired.squares is not None or paired.clusters is not None:
            return refused(name, null, "the weighted form counts independent cases; use form='score'")
        shared = float((counts * first * second * miss**2).sum()) / (n1 + n2)
        apart = float((counts * first * hit).sum()) / n1 - float((counts * second * hit).sum()) / n2
        score, variance = apart**2, (pooled * (1 - pooled) - 2 * shared) * (1 / n1 + 1 / n2)
    return chi_square(name, null, score / variance if variance > 0 else 0.0, int(variance > 0), form)


def global_test(paired: PairedDecisions, rates: Sequence[str] = RATES[:2]) -> TestResult:
    """Tests that two classifiers agree in several rates at once: a Wald test of the logarithms of their ratios.

    Recall and specificity together, both predictive values, or both likelihood ratios (Roldán Nofuentes). With
    clusters it is Hotelling's, with F on their number.

    >>> counts = np.array([[[140, 20], [50, 30]], [[30, 20], [70, 310]]], dtype=float)
    >>> global_test(PairedDecisions(counts, ("no", "yes"), ("no", "yes"))).p_value < 1e-6
    True
    """
    name, null = f"equal {' and '.join(rates)}", "the classifiers have the same of each"
    for rate in rates:
        _refuse_unknown_rate(paired, rate)
    found = [_Ratio.of(paired, rate) for rate in rates]
    fewest = min(one.fewest for one in found)
    if fewest < FEWEST_CASES:
        return refused(name, null, f"hits or misses: {fewest:.3g}; at least {FEWEST_CASES} needed")
    covariance, degrees = _covariance(paired, [one.influence for one in found])
    if degrees is not None and degrees + 1 < max(FEWEST_CLUSTERS, len(found) + 1):
        return refused(name, null, f"{counted(degrees + 1, 'cluster')}: so few do not tell how they vary")
    logs = np.log([one.first / one.second for one in found])
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    if rank < len(found):
        why = "the rates do not vary independently of one another here"
        return TestResult(name, null, 0.0, 1.0, "Wald") if not logs.any() else refused(name, null, why)
    statistic = float(logs @ np.linalg.solve(covariance, logs))
    if degrees is None:
        return chi_square(name, null, statistic, rank, f"Wald, {rank} degrees")
    f = statistic * (degrees - rank + 1) / (degrees * rank)
    return TestResult(name, null, f, float(fdtrc(rank, degrees - rank + 1, f)), f"Hotelling, {degrees + 1} clusters")


@dataclass(frozen=True, slots=True)
class _Ratio:
    """A rate of both classifiers, and how much one more case in each cell would move the log of their ratio."""

    first: float
    second: float
    influence: Floats
    # The smallest number of hits or misses behind a share.
    fewest: float

    @classmethod
    def of(cls, paired: PairedDecisions, rate: str) -> _Ratio:
        values, slopes, fewest = [], [], math.inf
        for cells in _unit_matrices(paired):
            value, slope = 1.0, np.zeros_like(paired.counts)
            for part, whole, power in _rate_as_shares(rate, cells):
                taken, total = float((paired.counts * part).sum()), float((paired.counts * whole).sum())
                fewest = min(fewest, _effective_cases(paired, part), _effective_cases(paired, whole - part))
                if taken == 0:
                    value = math.nan
                    continue
                value *= (taken / total) ** power
                slope = slope + power * (part / taken - whole / total)
            values.append(value)
            slopes.append(slope)
        return cls(values[0], values[1], slopes[0] - slopes[1], fewest)


def _effective_cases(paired: PairedDecisions, cells: Floats) -> float:
    """How many cases these cells hold; of weighted ones, how many equal ones would be as informative (Kish)."""
    weight = float((paired.counts * cells).sum())
    if paired.squares is None or weight == 0:
        return weight
    return weight**2 / float((paired.squares * cells).sum())


def _rate_as_shares(rate: str, cells: ConfusionMatrix) -> list[tuple[Floats, Floats, int]]:
    """A rate as a product of shares: of which cells, among which cells, and whether it multiplies or divides."""
    measure = registry[rate]
    if measure.ratio_of is not None:
        part, whole, other, others = measure.ratio_of(cells)
        return [(part, whole, 1), (other, others, -1)]
    assert measure.parts is not None
    part, whole = measure.parts(cells)
    return [(part, whole, 1)]


def _unit_matrices(paired: PairedDecisions) -> list[ConfusionMatrix]:
    """For either classifier, the confusion matrix that a single case in each cell of the joint table would give."""
    truth, *decided = np.indices(paired.counts.shape)
    classes, labels = (np.eye(size) for size in paired.counts.shape[:2])
    return [
        ConfusionMatrix(classes[truth][..., :, None] * labels[one][..., None, :], paired.classes, paired.decisions)
        for one in decided
    ]


def _covariance(paired: PairedDecisions, influences: Sequence[Floats]) -> tuple[Floats, int | None]:
    """The covariance of estimates with these influences, and its degrees of freedom where clusters make it."""
    rows = np.stack([influence.ravel() for influence in influences])
    if paired.clusters is None:
        weights = (paired.counts if paired.squares is None else paired.squares).ravel()
        return (rows * weights) @ rows.T, None
    each = paired.clusters.reshape(len(paired.clusters), -1)
    each = each[each.sum(1) > 0]
    sums = each @ rows.T
    return sums.T @ sums * (len(each) / max(len(each) - 1, 1)), len(each) - 1


def _rate_estimate(name: str, value: float, interval: Interval, level: float, n: float) -> Estimate:
    return Estimate(name, value, interval.low, interval.high, level, interval.method, n, undefined=interval.undefined)


def _undefined_contrast(rate: str, effect: str, reason: str, level: float) -> RateContrast:
    nothing = _rate_estimate(effect, math.nan, Interval.missing("none", reason), level, 0)
    return RateContrast(rate, math.nan, math.nan, nothing, refused(f"equal {rate}", "both have the same", reason))


def _refuse_unknown_rate(paired: PairedDecisions, rate: str) -> None:
    checked_choice(rate, RATES, "rate")
    if len(paired.classes) != 2:
        found = f"there are {len(paired.classes)} classes, and {rate} compares two"
        raise OptionError(found, "one class against the rest")


Limits = tuple[float, float]

NAME, NULL = "score test of two proportions", "both proportions are the same"
SCORE = "Miettinen-Nurminen"
# Below this in either sample the interval was not checked (summed exactly).
FEWEST_EACH = 10


def unpaired_test(x1: float, n1: float, x2: float, n2: float, level: float = 0.95) -> Compared:
    """Whether two proportions of different cases are the same, and the interval of their difference.

    `x1` of `n1` cases against `x2` of `n2`. The score test and its inversion (Miettinen & Nurminen 1985): the interval
    holds exactly the differences the test does not reject.

    >>> test, interval = unpaired_test(187, 212, 343, 357)
    >>> round(test.p_value, 6), round(interval.low, 4), round(interval.high, 4)
    (0.000331, -0.132, -0.0346)
    """
    level = checked_level(level)
    if min(n1, n2) <= 0:
        reason = "one of the samples holds no cases"
        return refused(NAME, NULL, reason), Interval.missing(SCORE, reason)
    z = _score_statistic(x1, n1, x2, n2, 0.0)
    test = TestResult(NAME, NULL, z, two_sided(z), "score, Miettinen-Nurminen")
    if min(n1, n2) < FEWEST_EACH:
        why = f"{counted(min(n1, n2), 'case')} in a sample: at least {FEWEST_EACH} needed"
        return test, Interval.missing(SCORE, why)
    return test, Interval(*_score_limits(x1, n1, x2, n2, level), SCORE)


def unpaired_interval(
    x1: float, n1: float, x2: float, n2: float, level: float = 0.95, method: str = "Newcombe"
) -> Interval:
    """The interval of x1 / n1 - x2 / n2 by the method named; only Miettinen and Nurminen's belongs to a test.

    >>> unpaired_interval(187, 212, 343, 357).method
    'Newcombe'
    """
    level = checked_level(level)
    checked_choice(method, UNPAIRED_METHODS, "method")
    if min(n1, n2) <= 0:
        return Interval.missing(method, "one of the samples holds no cases")
    few = f"{counted(min(n1, n2), 'case')} in a sample: at least {FEWEST_EACH} needed"

    def limits() -> Interval:
        shares = [(x / n, n) for x, n in ((x1, n1), (x2, n2))]
        se = math.sqrt(sum(p * (1 - p) / n for p, n in shares)) if method == "Wald" else None
        return Interval(*UNPAIRED_METHODS[method](x1, n1, x2, n2, level), method, se=se)

    return limits() if min(n1, n2) >= FEWEST_EACH else Interval.missing(method, few, limits)


def _score_statistic(x1: float, n1: float, x2: float, n2: float, difference: float) -> float:
    """The score statistic at a difference, with the proportions that fit best under it."""
    p1, p2 = _constrained_proportions(x1, n1, x2, n2, difference)
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
    distance = x1 / n1 - x2 / n2 - difference
    if variance <= 0:
        return 0.0 if abs(distance) < 1e-12 else math.copysign(math.inf, distance)
    return distance / math.sqrt(variance)


def _constrained_proportions(x1: float, n1: float, x2: float, n2: float, difference: float) -> Limits:
    """The most likely proportions that differ by so much: a root of a cubic, by trigonometry."""
    if difference == 0:
        pooled = (x1 + x2) / (n1 + n2)
        return pooled, pooled
    n, x = n1 + n2, x1 + x2
    square = (n1 + 2 * n2) * difference - n - x
    linear = (n2 * difference - n - 2 * x2) * difference + x
    constant = x2 * difference * (1 - difference)
    third = square / (3 * n)
    cube = third**3 - square * linear / (6 * n * n) + constant / (2 * n)
    size = math.copysign(math.sqrt(max(third**2 - linear / (3 * n), 0.0)), cube)
    angle = (math.pi + math.acos(max(-1.0, min(1.0, cube / size**3)))) / 3 if size != 0 else math.pi / 3
    p2 = min(max(2 * size * math.cos(angle) - third, 0.0, -difference), 1.0, 1 - difference)
    return min(max(p2 + difference, 0.0), 1.0), p2


def _score_limits(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    z = quantile(level)
    return -_score_upper_limit(x2, n2, x1, n1, z), _score_upper_limit(x1, n1, x2, n2, z)


def _score_upper_limit(x1: float, n1: float, x2: float, n2: float, z: float) -> float:
    def is_inside(difference: float) -> bool:
        return _score_statistic(x1, n1, x2, n2, difference) > -z

    found: float = furthest(is_inside, x1 / n1 - x2 / n2, 1.0)
    return found if x1 < n1 or x2 > 0 else 1.0


def _newcombe_limits(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    """Newcombe (1998) method 10 for independent samples: from Wilson's limits of either proportion."""
    p1, p2 = x1 / n1, x2 / n2
    (low1, high1), (low2, high2) = (PROPORTION_METHODS["Wilson"](x, n, level) for x, n in ((x1, n1), (x2, n2)))
    return p1 - p2 - math.hypot(p1 - low1, high2 - p2), p1 - p2 + math.hypot(high1 - p1, p2 - low2)


def _agresti_caffo_limits(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    """Agresti & Caffo (2000): Wald after adding a success and a failure to either sample."""
    return _wald_limits(x1 + 1, n1 + 2, x2 + 1, n2 + 2, level)


def _wald_limits(x1: float, n1: float, x2: float, n2: float, level: float) -> Limits:
    p1, p2 = x1 / n1, x2 / n2
    half = quantile(level) * math.sqrt(p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2)
    return max(-1.0, p1 - p2 - half), min(1.0, p1 - p2 + half)


UNPAIRED_METHODS: Mapping[str, Callable[[float, float, float, float, float], Limits]] = MappingProxyType(
    {SCORE: _score_limits, "Newcombe": _newcombe_limits, "Agresti-Caffo": _agresti_caffo_limits, "Wald": _wald_limits}
)
