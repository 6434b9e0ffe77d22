"""Limits of a difference that count on what a sample happens not to hold: errors, pairs in the wrong order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri, stdtr, stdtrit

from assay.comparison.joint import Limits, OfClass, satterthwaite
from assay.comparison.pair_table import two_sided
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, matrix_influence
from assay.types import Floats
from assay.uncertainty import AucMoments, newcombe

# The power of a correlation by which two are taken for nearly the same (chosen on even seeds of the certificate).
NEARLY_THE_SAME = 8
# The limits of one classifier's estimate, by its place, at a level.
OfOne = Callable[[int, float], tuple[float, float]]


def recovered(values: Floats, covariance: Floats, of_one: OfOne) -> Limits:
    """Limits of a difference recovered from those of either estimate, with their correlation (Zou 2007)."""
    single = cache(of_one)

    def limits(first: int, second: int, level: float) -> tuple[float, float]:
        (low1, high1), (low2, high2) = single(first, level), single(second, level)
        if math.isnan(low1) or math.isnan(low2):
            # Nothing to recover them from: no further out than the usual ones.
            return math.inf, -math.inf
        one, other = float(values[first]), float(values[second])
        spread = math.sqrt(max(float(covariance[first, first] * covariance[second, second]), 0.0))
        alike = float(covariance[first, second]) / spread if spread > 0 else 0.0
        below, above = (one - low1, other - low2), (high1 - one, high2 - other)
        # Infinite limits differ by nobody knows how much.
        gaps = [abs(side[0] - side[1]) for side in (below, above)]
        together = math.inf if any(map(math.isnan, gaps)) else max(gaps)
        low = one - other - _recovered_distance(below[0], above[1], alike, together)
        return low, one - other + _recovered_distance(above[0], below[1], alike, together)

    return limits


def areas_by_themselves(values: Floats, classes: Sequence[OfClass]) -> OfOne:
    """Limits of each AUC: the wider of DeLong's on the logit scale with Satterthwaite's t and Newcombe's method 5.

    The latter needs no variance at the estimate. `classes` are the negatives and the positives.
    """
    negatives, positives = (one.cases for one in classes)

    def single(k: int, level: float) -> tuple[float, float]:
        parts = [(float(one.covariance[k, k]), one.cases) for one in classes]
        auc, variance = float(values[k]), sum(part for part, _ in parts)
        careful = newcombe(AucMoments(auc, variance, positives, negatives), level)
        if not (variance > 0 and 0 < auc < 1):
            return careful.low, careful.high
        half = float(stdtrit(satterthwaite(parts), 0.5 + level / 2)) * math.sqrt(variance) / (auc * (1 - auc))
        middle = float(logit(auc))
        return min(careful.low, float(expit(middle - half))), max(careful.high, float(expit(middle + half)))

    return single


def widest(first: Limits, second: Limits) -> Limits:
    """The lower of two lower limits and the higher of two upper ones."""

    def limits(*pair: Any) -> tuple[float, float]:
        (low, high), (lower, higher) = first(*pair), second(*pair)
        return min(low, lower), max(high, higher)

    return limits


def careful_limits(
    values: Floats,
    covariance: Floats,
    cases: Floats,
    moves: Floats | None,
    of_one: OfOne | None,
    of_pair: Limits | None,
) -> Limits | None:
    """The widest of all that is known of a difference beside its standard error; None where nothing is.

    Limits are recovered from those of either estimate where something else is known too.
    """
    each = [] if of_pair is None else [of_pair]
    if moves is not None:
        each.append(with_pseudo_errors_of_either(values, covariance, cases, moves))
    if of_one is not None and each:
        each.append(recovered(values, covariance, of_one))
    return reduce(widest, each) if each else None


def freedom_of_decisions(measure: Measure, paired: PairedDecisions) -> float:
    """Return the degrees of freedom of a difference of two classifiers' decisions, from its influence values.

    Of equal, independent cases. The posterior depends on the number of cases, not on how few of them move the
    difference.

    >>> from assay.measures import f1
    >>> counts = np.array([[[88.0, 8], [8, 4]], [[3, 2], [1, 6]]])
    >>> round(freedom_of_decisions(f1, PairedDecisions(counts, ("no", "yes"), ("no", "yes"))), 1)
    14.4
    """
    first, second = (matrix_influence(measure, matrix) for matrix in (paired.first, paired.second))
    squares = np.square(first[:, :, None] - second[:, None, :])
    cases = float(paired.counts[squares > 0].sum())
    whole = float((paired.counts * squares).sum())
    if not whole > 0:
        # They decide alike, and the posterior says how seldom they may not.
        return math.inf
    share = float((paired.counts * squares**2).sum()) / whole**2 - 1 / cases
    return max(1.0, 2 / share) if share > 0 else math.inf


def equivalent_normal_level(level: float, freedom: float) -> float:
    """Return the level at which normal limits are as wide as those of Student's t at `level`.

    >>> round(equivalent_normal_level(0.95, 10.0), 4)
    0.9741
    """
    return 1 - two_sided(float(stdtrit(freedom, 0.5 + level / 2)))


def p_of_t(p_value: float, freedom: float) -> float:
    """Return the p-value that belongs to such limits.

    >>> round(p_of_t(1 - equivalent_normal_level(0.95, 10.0), 10.0), 6)
    0.05
    """
    return 2 * float(stdtr(freedom, float(ndtri(p_value / 2))))


def _recovered_distance(one: float, other: float, alike: float, together: float) -> float:
    """How far a difference reaches, from how far either estimate does by itself and what both share of that."""
    if not max(one, other, together) < 1e100:
        return math.inf
    alike = min(alike, 1.0)
    apart = max(one**2 + other**2 - 2 * alike * one * other, 0.0)
    if alike <= 0:
        return math.sqrt(apart)
    # Zou's limits of two that are nearly the same stay apart by as much as either is lopsided. What both share moves
    # them the same way, and their difference by as much as their limits differ.
    nearly = alike**NEARLY_THE_SAME
    return math.sqrt((1 - nearly) * apart + nearly * ((1 - alike) * (one**2 + other**2) + alike * together**2))


def with_pseudo_errors_of_either(values: Floats, covariance: Floats, cases: Floats, moves: Floats) -> Limits:
    """Limits of a difference after pseudo-cases that one of the two classifiers gets as wrong as it usually is right.

    `moves[k, c]` is what a usual case of class c moves the estimate of classifier k by, with its label and with the
    other one. For each class there is half a case on which the first model errs and half a case on which the second
    does; whole ones were needlessly wide.
    """

    def limits(first: int, second: int, level: float) -> tuple[float, float]:
        # Of models that lack cases, those of the one that has fewer: what both share may be none.
        n = float(min(cases[first, first], cases[second, second]))
        kept, turned = moves[..., 0], moves[..., 1]
        pseudo = np.concatenate((turned[first] - kept[second], kept[first] - turned[second]))
        variance = float(covariance[first, first] + covariance[second, second] - 2 * covariance[first, second])
        shift = float(pseudo.sum()) / 2 / (n + 2)
        squares = max(variance, 0.0) * n * (n - 1) + float(pseudo @ pseudo) / 2 - (n + 2) * shift**2
        half = float(ndtri(0.5 + level / 2)) * math.sqrt(max(squares, 0.0) / (n + 1) / (n + 2))
        middle = float(values[first] - values[second]) + shift
        return middle - half, middle + half

    return limits
