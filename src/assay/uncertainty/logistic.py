"""Logistic regression on cells: many cases with the same predictors are one row with two counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from assay.evidence import line_moments
from assay.types import Floats

# Newton's method takes a handful of steps; many more mean that no curve fits best.
MOST_STEPS = 50
# What a step may still gain in log likelihood where a line is found: nothing that shows in a case.
FOUND_PER_CASE = 1e-12
# Beyond this coefficients cannot be told apart in double precision.
WORST_CONDITION = 1 / float(np.finfo(np.float64).eps)
# What a step may still gain in log likelihood so that it cannot overshoot.
NEAR = 0.01
# Logits beyond this are certainty several times over: a fit that still moves out there runs away.
CERTAIN = 700.0
# Rows taken at a time: what the processor's cache holds is worked on several times as fast. Products of longer rows
# are shared out among threads, whose waiting for one another takes longer than such a product.
PIECE = 1 << 13

NO_CURVE = (
    "no curve fits best: the probabilities part the classes without overlap or but for one that they share, or differ "
    "too little to tell one curve from another"
)


class LogisticFit(NamedTuple):
    """Coefficients and the information about them; `undefined` says why there are none."""

    coefficients: Floats
    information: Floats
    undefined: str | None = None


def fit_logistic(design: Floats, negative: Floats, positive: Floats) -> LogisticFit:
    """The most likely coefficients of logit P(positive) = design @ coefficients, by Newton's method.

    >>> design = np.array([[1.0, 0.0], [1.0, 1.0]])
    >>> fit_logistic(design, np.array([1.0, 1.0]), np.array([1.0, 3.0])).coefficients.round(3) + 0.0
    array([0.   , 1.099])
    """
    cases = negative + positive

    def moments(at: Floats) -> tuple[Floats, Floats]:
        line = design @ at
        rate = expit(line)
        spread = cases * rate * (1 - rate) if np.abs(line).max() <= CERTAIN else np.zeros(len(rate))
        return design.T @ (positive - cases * rate), (design * spread[:, None]).T @ design

    def is_found(step: Floats, gain: float) -> bool:
        # Nothing left to gain, and nowhere to go: classes without overlap leave little to gain and far to go.
        return gain < 1e-13 * max(1.0, float(cases.sum())) and bool(np.abs(design @ step).max() < 1e-3)

    start = np.zeros(design.shape[1])
    best = _newton_maximum(moments, lambda at: log_likelihood(design @ at, cases, positive), start, is_found)
    return LogisticFit(start * np.nan, np.eye(len(start)), NO_CURVE) if best is None else LogisticFit(*best)


def fit_line(x: Floats, negative: Floats, positive: Floats, start: Floats, *, with_slope: bool) -> LogisticFit | None:
    """The most likely intercept and slope of logit P(positive) = intercept + slope x; the slope held unless it is free.

    The information is about the free ones. None if there is no end to the likelihood.

    >>> fit = fit_line(np.array([0.0, 1.0]), np.ones(2), np.array([1.0, 3.0]), np.zeros(2), with_slope=True)
    >>> fit.coefficients.round(3) + 0.0
    array([0.   , 1.099])
    """
    free = slice(None) if with_slope else slice(1)
    cases = float(negative.sum() + positive.sum())

    def whole(at: Floats) -> Floats:
        return at if with_slope else np.append(at, start[1])

    def moments(at: Floats) -> tuple[Floats, Floats]:
        intercept, slope = whole(at).tolist()
        sums = np.array(line_moments(x, negative, positive, intercept, slope))
        return sums[:2][free], sums[[[2, 3], [3, 4]]][free, free]

    def likelihood(at: Floats) -> float:
        intercept, slope = whole(at)
        return log_likelihood(np.asarray(intercept + slope * x), negative + positive, positive)

    best = _newton_maximum(moments, likelihood, start[free], lambda step, gain: gain < FOUND_PER_CASE * cases)
    return None if best is None else LogisticFit(whole(best[0]), best[1])


def _newton_maximum(
    moments: Callable[[Floats], tuple[Floats, Floats]],
    likelihood: Callable[[Floats], float],
    at: Floats,
    is_found: Callable[[Floats, float], bool],
) -> tuple[Floats, Floats] | None:
    """Where a likelihood is highest, and the information there; None if there is no end to it.

    `moments` are how it rises with each coefficient, and the information about them; `is_found` looks at a step and
    what it gains, which does not depend on the scale of the predictors. A step that would make the fit worse is halved.
    """
    for _ in range(MOST_STEPS):
        uphill, information = moments(at)
        step = _newton_step(information, uphill)
        if step is None:
            return None
        gain = float(step @ uphill)
        if is_found(step, gain):
            return at + step, information
        at = at + (step if gain < NEAR else _shortened_step(likelihood, at, step))
    return None


def _newton_step(information: Floats, uphill: Floats) -> Floats | None:
    """Newton's step; None where coefficients cannot be told apart. Of one or two without a library's many questions.

    >>> _newton_step(np.array([[4.0, 1.0], [1.0, 2.0]]), np.array([9.0, 4.0]))
    array([2., 1.])
    """
    if len(uphill) == 1:
        alone = float(information[0, 0])
        return np.asarray(uphill / alone) if 0 < alone < np.inf else None
    if len(uphill) > 2:
        is_good = np.linalg.cond(information) < WORST_CONDITION
        return np.asarray(np.linalg.solve(information, uphill)) if is_good else None
    (a, b), (_, d) = information.tolist()
    middle, apart = (a + d) / 2, math.hypot((a - d) / 2, b)
    # The smaller of both eigenvalues from their product, which keeps the digits that a difference loses.
    product = a * d - b * b
    if not (product > 0 and (middle + apart) ** 2 < WORST_CONDITION * product):
        return None
    first, second = uphill.tolist()
    return np.array([(d * first - b * second) / product, (a * second - b * first) / product])


def _shortened_step(likelihood: Callable[[Floats], float], at: Floats, step: Floats) -> Floats:
    """The part of a step that does not make the fit worse: all of it, or half, or a quarter..."""
    before = likelihood(at)
    for _ in range(MOST_STEPS):
        if likelihood(at + step) >= before:
            break
        step = step / 2
    return step


def log_likelihood(logits: Floats, total: Floats, positive: Floats) -> float:
    """The logarithm of the probability of what happened, for these logits.

    >>> round(log_likelihood(np.array([0.0, 800.0]), np.array([2.0, 1.0]), np.array([1.0, 1.0])), 6)
    -1.386294
    """
    found = 0.0
    for part in pieces(len(logits)):
        some = logits[part]
        # log(1 + exp(logit)): numpy's own function for it takes ten times as long.
        off = np.maximum(some, 0.0) + np.log1p(np.exp(-np.abs(some)))
        found += float(positive[part] @ some - total[part] @ off)
    return found


def pieces(length: int) -> Iterator[slice]:
    """So many rows a few at a time, which stay in the nearest memory.

    >>> list(pieces(10_000))
    [slice(0, 8192, None), slice(8192, 16384, None)]
    """
    return (slice(start, start + PIECE) for start in range(0, length, PIECE))
