"""Limits of an area of one score over classes in their order, from what each case adds to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import ndtri

from assay.measures._measure import ratio
from assay.results import Estimate, Interval, counted
from assay.types import Floats
from assay.uncertainty import LOGIT, pseudo_cases, wider

METHOD, CAREFUL, BOTH = "components, logit", "components, plus four", "components, with plus four"
# Limits were simulated from this many cases in the smallest class on (verification/certificate.py).
FEWEST_OF_A_CLASS = 5
# With fewer cases of a class than this off its commonest score, or fewer cases' worth of disorder, the variance may
# miss errors that the sample happens not to hold: the same rule as of two classes.
ENOUGH = 10

# The value, and what a case of each class at each score adds to it, from counts: a row a class, a column a score.
Formula = Callable[[Floats], tuple[float, Sequence[Floats]]]


def ordered_estimate(name: str, formula: Formula, counts: Floats, level: float) -> Estimate:
    """The value with its limits: on the logit scale, or the wider of those and plus four where few cases tell."""
    value, _ = formula(counts)
    found = _interval(formula, counts, level)
    n = float(counts.sum())
    return Estimate(name, value, found.low, found.high, level, found.method, n, undefined=found.undefined, se=found.se)


def _interval(formula: Formula, counts: Floats, level: float) -> Interval:
    sizes = counts.sum(-1)
    if sizes.min() < FEWEST_OF_A_CLASS:
        smallest = counted(float(sizes.min()), "case")
        return Interval.missing(METHOD, f"{smallest} in the smallest class: below {FEWEST_OF_A_CLASS} none was checked")
    if counts.shape[-1] == 1:
        return Interval.missing(METHOD, "all cases have the same score, so nothing varies")
    value, error = _with_error(formula, counts)
    z = float(ndtri(0.5 + level / 2))
    usual = _on_logit_scale(value, error, z)
    rests_on = min(float((sizes - counts.max(-1)).min()), float(sizes.min()) * min(value, 1 - value))
    if usual is not None and rests_on >= ENOUGH:
        return usual
    careful = _plus_four(formula, counts, level, z, value)
    return careful if usual is None else wider(usual, careful, BOTH)


def _with_error(formula: Formula, counts: Floats) -> tuple[float, float]:
    """The value and its standard error: the variances of each class's components, as DeLong's of an AUC."""
    value, components = formula(counts)
    variance = 0.0
    for at, part in zip(counts, components, strict=True):
        size = float(at.sum())
        variance += float(ratio(at @ np.square(part - float(ratio(at @ part, size))), size * (size - 1)))
    return value, math.sqrt(variance)


def _on_logit_scale(value: float, error: float, z: float) -> Interval | None:
    if not error > 0 or not 0 < value < 1:
        return None
    half = z * error * LOGIT.slope(value)
    low, high = (LOGIT.backward(LOGIT.forward(value) + sign * half) for sign in (-1, 1))
    return Interval(low, high, METHOD, se=error)


def _plus_four(formula: Formula, counts: Floats, level: float, z: float, held: float) -> Interval:
    """The limits after each class got a case at the highest score and one at the lowest, on the plain scale."""
    more = counts.copy()
    more[:, 0] += pseudo_cases(level)
    more[:, -1] += pseudo_cases(level)
    value, error = _with_error(formula, more)
    low, high = max(0.0, value - z * error), min(1.0, value + z * error)
    return Interval(min(low, held), max(high, held), CAREFUL, se=error)
