"""The sampling error of the area under the ROC curve, from where each case stands among the other class.

The sampling error of an AUC of binormal scores, from the line that its ROC curve makes on normal deviates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtri

from assay.evidence import ScoreTable
from assay.results import Interval, counted
from assay.types import Floats
from assay.uncertainty.proportions import crossing

__all__ = [
    "AucMoments",
    "BinormalLine",
    "auc_interval",
    "auc_moments",
    "binormal_line",
    "delong_logit",
    "delong_wald",
    "hanley_mcneil",
    "newcombe",
    "obuchowski",
    "obuchowski_covariance",
    "plus_four",
    "pseudo_cases",
    "wider",
    "with_ends",
]


# With a smaller class than this, or fewer cases' worth of misranking in it, DeLong's variance rests on too little
# (simulated: .68 to .89 at an AUC of .99), and so can Newcombe's (.85 where the classes differ in size and spread).
SMALL_CLASS = 30
# Below this nothing kept its level (simulated: .81 to .91 with 2 to 4 cases in a class).
FEWEST_CASES = 5
FEW_MISRANKED = 3
# An AUC of weighted cases that is this near to 0 or 1 is there, but for the rounding of sums.
ROUNDING = 1e-12
# With fewer cases of a class than this off its commonest score, or fewer cases' worth of misranking, DeLong's variance
# may miss errors that the sample happens not to hold.
ENOUGH = 10

NOTHING_VARIES = "the placements do not vary, so the standard error is 0 or undefined"


@dataclass(frozen=True, slots=True)
class AucMoments:
    """An AUC with what its intervals are computed from.

    `variance` is DeLong's: the variances of the placements of positives among negatives and of negatives among
    positives, ties counted half (DeLong, DeLong & Clarke-Pearson 1988). It is nan when a class has a single case. With
    weights, the numbers of cases are Kish's.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> moments = AucMoments.of(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0]))
    >>> round(moments.auc, 6), round(moments.variance, 6)
    (0.76, 0.0312)
    """

    auc: float
    variance: float
    positives: float
    negatives: float
    is_constant: bool = False

    @classmethod
    def of(cls, table: ScoreTable) -> AucMoments:
        """Both moments from one pass over a score table."""
        wins, of_positives, of_negatives = table.placement_sums
        pairs = float(table.positives) * float(table.negatives)
        auc = wins / pairs if pairs else math.nan
        auc = round(auc) if min(auc, 1 - auc) < ROUNDING else auc
        k0, k1 = table.kish
        if min(k0, k1) < 2:
            return cls(auc, math.nan, k1, k0, len(table) == 1)
        if auc in (0, 1):
            return cls(auc, 0.0, k1, k0, len(table) == 1)
        # A mean of placements has the variance sum(w^2 (v - mean)^2) / sum(w)^2, with Bessel's factor on Kish's n.
        variance = of_positives / pairs * k1 / (k1 - 1) + of_negatives / pairs * k0 / (k0 - 1)
        return cls(auc, variance / pairs, k1, k0, len(table) == 1)


def delong_logit(moments: AucMoments, level: float) -> Interval:
    """DeLong's standard error on the logit scale, where the AUC is nearer to normal (Pepe 2003).

    Where that rests on few misranked cases, the wider limits of it and Newcombe's method 5 are taken, which kept their
    level when neither did alone; at an AUC of exactly 0 or 1, Newcombe's.
    """
    if moments.is_constant:
        return Interval.missing("DeLong, logit", "all cases have the same score, so nothing varies")
    smaller = min(moments.positives, moments.negatives)
    if smaller < FEWEST_CASES:
        why = f"{counted(smaller, 'case')} in a class: at least {FEWEST_CASES} needed"
        return Interval.missing("DeLong, logit", why)
    rests_on_enough = smaller >= SMALL_CLASS and smaller * min(moments.auc, 1 - moments.auc) >= FEW_MISRANKED
    if rests_on_enough:
        return (
            _logit_interval(moments, level)
            if moments.variance > 0
            else Interval.missing("DeLong, logit", NOTHING_VARIES)
        )
    careful = newcombe(moments, level)
    if moments.auc in (0.0, 1.0) or not moments.variance > 0:
        return careful
    return wider(careful, _logit_interval(moments, level), "DeLong, logit, with Newcombe 5")


def auc_moments(table: ScoreTable) -> AucMoments:
    """Return the AUC with what its variance is made of, computed once for a table."""
    if "moments" not in table.cache:
        table.cache["moments"] = AucMoments.of(table)
    moments: AucMoments = table.cache["moments"]
    return moments


def auc_interval(table: ScoreTable, level: float) -> Interval:
    """DeLong's interval on the logit scale; the wider of it and plus-four DeLong where a class hardly varies.

    Where all but a few cases of a class share one score, what goes wrong is a case that the sample happens not to hold.
    """
    moments = auc_moments(table)
    if moments.is_constant:
        return Interval.missing("DeLong, logit", "all cases have the same score, so nothing varies")
    if min(moments.positives, moments.negatives) < 2:
        return Interval.missing("DeLong, logit", "a class has a single case, from which no variance can be estimated")
    rests_on = min(moments.positives, moments.negatives) * min(moments.auc, 1 - moments.auc)
    if min(cases_that_vary(table), rests_on) >= ENOUGH:
        return _logit_interval(moments, level)
    careful = plus_four(table, level)
    if moments.auc in (0.0, 1.0) or not moments.variance > 0:
        return careful
    return wider(_logit_interval(moments, level), careful, "DeLong, logit or small-sample adjusted")


def cases_that_vary(table: ScoreTable) -> float:
    """In the class where there are fewer of them, the cases that are not at the class's commonest score.

    >>> cases_that_vary(ScoreTable.of([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]))
    0.0
    """
    sides = (table.negative, table.negatives, table.kish[0]), (table.positive, table.positives, table.kish[1])
    return min(kish * (1 - float(np.maximum.reduce(side)) / float(size)) for side, size, kish in sides)


def plus_four(table: ScoreTable, level: float) -> Interval:
    """DeLong's interval after each class got a case at the highest score and one at the lowest.

    Agresti and Caffo (2000) do so for two shares; for answers of 0 and 1 it is theirs of Youden's index, halved.
    The pseudo-cases are tied with what stands at either end; at levels above 95 % there are z^2 / 4 of them.

    >>> plus_four(ScoreTable.of([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]), 0.95).high
    1.0
    """
    z = float(ndtri(0.5 + level / 2))
    more = AucMoments.of(with_ends(table, pseudo_cases(level)))
    half = z * math.sqrt(more.variance)
    se = math.sqrt(more.variance)
    return Interval(max(0.0, more.auc - half), min(1.0, more.auc + half), "DeLong, small-sample adjusted", se=se)


def pseudo_cases(level: float) -> float:
    """How many cases of each class are put at either end: one, above 95 % z^2 / 4."""
    return max(1.0, float(ndtri(0.5 + level / 2)) ** 2 / 4)


def with_ends(table: ScoreTable, cases: float) -> ScoreTable:
    """The table with so many typical cases of each class more at its highest and at its lowest score."""

    def added(values: Floats, each: float) -> Floats:
        values = values.copy()
        values[0] += cases * each
        values[-1] += cases * each if len(values) > 1 else 0.0
        return values

    sizes, sides, squares = (table.negatives, table.positives), (table.negative, table.positive), table.squared_weights
    typical = [float(size / kish) for size, kish in zip(sizes, table.kish, strict=True)]
    negative, positive = (added(side, each) for side, each in zip(sides, typical, strict=True))
    if not table.is_weighted:
        more = ScoreTable(table.score, negative, positive, table.classes)
        if len(table) > 1:
            # Known without counting again.
            more.__dict__.update(negatives=sizes[0] + 2 * cases, positives=sizes[1] + 2 * cases)
        return more
    of_negatives, of_positives = (added(side, each * each) for side, each in zip(squares, typical, strict=True))
    return ScoreTable(table.score, negative, positive, table.classes, of_negatives, of_positives)


def wider(first: Interval, second: Interval, both: str) -> Interval:
    """The lower of two lower limits and the higher of two upper ones; its name is that of the one that gave both."""
    low, high = min(first.low, second.low), max(first.high, second.high)
    for one in (first, second):
        if (one.low, one.high) == (low, high):
            return one
    return Interval(low, high, both, se=second.se if first.se is None else first.se)


def _logit_interval(moments: AucMoments, level: float) -> Interval:
    auc, z = moments.auc, float(ndtri(0.5 + level / 2))
    se = math.sqrt(moments.variance)
    low, high = (float(expit(logit(auc) + sign * z * se / (auc * (1 - auc)))) for sign in (-1, 1))
    return Interval(low, high, "DeLong, logit", se=se)


def delong_wald(moments: AucMoments, level: float) -> Interval:
    """DeLong's standard error on the plain scale, as pROC prints it; too narrow near 1."""
    if not moments.variance > 0:
        return Interval.missing("DeLong", NOTHING_VARIES)
    return _plain_interval(moments.auc, moments.variance, level, "DeLong")


def hanley_mcneil(moments: AucMoments, level: float) -> Interval:
    """Hanley & McNeil (1982): a standard error from the AUC and the class sizes alone."""
    variance = hanley_mcneil_variance(moments.auc, moments.positives, moments.negatives)
    if not variance > 0:
        return Interval.missing("Hanley-McNeil", "at an AUC of 0 or 1 the standard error is 0")
    return _plain_interval(moments.auc, variance, level, "Hanley-McNeil")


def hanley_mcneil_variance(auc: float, positives: float, negatives: float) -> float:
    """The squared standard error of Hanley & McNeil (1982), with exponential Q1 and Q2.

    >>> round(hanley_mcneil_variance(0.76, 5, 5) ** 0.5, 9)
    0.159833344
    """
    q1, q2 = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    spread = auc * (1 - auc) + (positives - 1) * (q1 - auc * auc) + (negatives - 1) * (q2 - auc * auc)
    return spread / (positives * negatives)


def newcombe(moments: AucMoments, level: float) -> Interval:
    """Newcombe (2006) method 5: all AUCs whose own Hanley-McNeil-like variance would not reject the estimate.

    It needs no variance at the estimate, so it works at 1 and in small samples.
    """
    auc, z = moments.auc, float(ndtri(0.5 + level / 2))
    half_more = (moments.positives + moments.negatives) / 2 - 1
    pairs = moments.positives * moments.negatives

    def rejects(theta: float) -> float:
        spread = 1 + half_more * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return abs(auc - theta) - z * math.sqrt(theta * (1 - theta) * spread / pairs)

    low = 0.0 if auc <= ROUNDING else crossing(rejects, auc - ROUNDING, 0.0)
    high = 1.0 if auc >= 1 - ROUNDING else crossing(rejects, auc + ROUNDING, 1.0)
    return Interval(low, high, "Newcombe 5")


def _plain_interval(auc: float, variance: float, level: float, method: str) -> Interval:
    se = math.sqrt(variance)
    half = float(ndtri(0.5 + level / 2)) * se
    return Interval(max(0.0, auc - half), min(1.0, auc + half), method, se=se)


NO_LINE = "no point of the ROC curve lies off its edges, so that no line runs through it on normal deviates"


class BinormalLine(NamedTuple):
    """The ROC curve of normal scores: the deviate of recall is `a` plus `b` times that of the false-positive rate.

    `a` is how far the classes' means are apart, `b` the spread of the negatives, both in spreads of the positives.
    """

    a: float
    b: float

    @property
    def slopes(self) -> tuple[float, float]:
        """How much the area moves with a and with b."""
        whole = 1 + self.b * self.b
        height = math.exp(-self.a * self.a / (2 * whole)) / math.sqrt(2 * math.pi * whole)
        return height, -height * self.a * self.b / whole


def binormal_line(table: ScoreTable) -> BinormalLine | None:
    """The least-squares line through the points of the ROC curve that have normal deviates; None where there is none.

    Where there is a single such point the classes are taken as equally spread.

    >>> binormal_line(ScoreTable.of([0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 1]))
    BinormalLine(a=0.8614..., b=1.0)
    """
    fpr, recall = (np.cumsum(side[::-1])[:-1] / side.sum() for side in (table.negative, table.positive))
    inside = (fpr > 0) & (fpr < 1) & (recall > 0) & (recall < 1)
    if not inside.any():
        return None
    x, y = ndtri(fpr[inside]), ndtri(recall[inside])
    apart = x - x.mean()
    b = float(apart @ y) / float(apart @ apart) if float(apart @ apart) > 0 else 1.0
    return BinormalLine(float(y.mean() - b * x.mean()), b)


def obuchowski_covariance(
    one: BinormalLine, other: BinormalLine, positives: float, negatives: float, within: tuple[float, float] = (1.0, 1.0)
) -> float:
    """The covariance of two binormal AUCs on the same cases, whose scores correlate so within negatives and positives.

    Of a curve with itself it is the variance. Obuchowski & McClish (1997), by the delta method.

    >>> line = BinormalLine(1.0, 1.0)
    >>> round(obuchowski_covariance(line, line, 50, 50) ** 0.5, 4)
    0.0466
    """
    (f1, g1), (f2, g2), (r0, r1) = one.slopes, other.slopes, within
    ratio = negatives / positives
    spread = f1 * f2 * (r1 + r0 * one.b * other.b / ratio + r1 * r1 * one.a * other.a / 2)
    spread += g1 * g2 * one.b * other.b * (r0 * r0 + ratio * r1 * r1) / (2 * ratio)
    spread += (f1 * g2 * one.a * other.b + f2 * g1 * other.a * one.b) * r1 * r1 / 2
    return spread / positives


def obuchowski(table: ScoreTable, level: float) -> Interval:
    """The plain AUC with the standard error of a binormal one (Obuchowski & McClish 1997)."""
    line, (negatives, positives) = binormal_line(table), table.kish
    if line is None:
        return Interval.missing("Obuchowski", NO_LINE)
    auc = float(table.pairs_in_order) / float(table.positives * table.negatives)
    se = math.sqrt(obuchowski_covariance(line, line, positives, negatives))
    half = float(ndtri(0.5 + level / 2)) * se
    return Interval(max(0.0, auc - half), min(1.0, auc + half), "Obuchowski", se=se)
