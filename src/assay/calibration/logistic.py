"""Logistic regression on cells: many cases with the same predictors are one row with two counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from assay.types import Floats

# Newton's method takes a handful of steps; many more mean that no curve fits best.
MOST_STEPS = 50
# Logits beyond this are certainty several times over: a fit that still moves out there runs away.
CERTAIN = 700.0

RUNS_AWAY = "the predictors part the classes without overlap, so a steeper curve always fits better and none fits best"


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
    cases, at = negative + positive, np.zeros(design.shape[1])
    fits = 0.0
    information = np.eye(len(at))
    for _ in range(MOST_STEPS):
        line = design @ at
        rate = expit(line)
        slope = design.T @ (positive - cases * rate)
        information = (design * (cases * rate * (1 - rate))[:, None]).T @ design
        if not np.linalg.cond(information) < 1e14 or np.abs(line).max() > CERTAIN:
            break
        step: Floats = np.linalg.solve(information, slope).astype(np.float64)
        # Nothing left to gain, and nowhere to go: classes without overlap leave little to gain and far to go.
        if float(step @ slope) < 1e-13 * max(1.0, abs(fits)) and np.abs(design @ step).max() < 1e-3:
            return LogisticFit(at + step, information)
        at, fits = _improved(design, cases, positive, at, step)
    return LogisticFit(np.full(len(at), np.nan), information, RUNS_AWAY)


def _improved(design: Floats, cases: Floats, positive: Floats, at: Floats, step: Floats) -> tuple[Floats, float]:
    """One step, halved until it makes nothing worse, and how well the result fits."""

    def likelihood(where: Floats) -> float:
        line = design @ where
        return float(positive @ line - cases @ np.logaddexp(0.0, line))

    before = likelihood(at)
    for _ in range(MOST_STEPS):
        after = likelihood(at + step)
        if after >= before:
            break
        step = step / 2
    return at + step, after
