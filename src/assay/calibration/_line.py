"""The logistic line through a score table: logit P(positive) = intercept + slope x, fitted by maximum likelihood."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from assay.evidence import ScoreTable, line_pulls
from assay.types import Floats
from assay.uncertainty.logistic import fit_line

# A first fit on cells of so many scores, or on so many cells of more, brings the fit on all within a step or two.
EACH, FEWEST, COARSE = 16, 512, 16_384

PARTED = "the probabilities part the classes without overlap, so a steeper line always fits better and none fits best"
MEETING = (
    "{share} of the cases are at the one probability that both classes have, and to either side of it stands one class "
    "at most, so a steeper line always fits better and none fits best"
)
ONE_CLASS = "truth holds a single class, so no line fits best"
ONE_SCORE = "every case has the same probability, which gives no slope"
NOT_FOUND = (
    "no best line was found: the logits lie too close together, or a few of them so far out that they decide alone"
)


class FittedLine(NamedTuple):
    """Intercept and slope, and the inverse of the information about them."""

    at: Floats
    covariance: Floats

    def __call__(self, x: Floats) -> Floats:
        return np.asarray(self.at[0] + self.at[1] * x)


def why_no_line(table: ScoreTable, *, with_slope: bool) -> str | None:
    """Why no line fits best, if so: one class, one probability, or classes that share no probability, or only one.

    >>> why_no_line(ScoreTable.of([0.2, 0.7, 0.8], [False, True, True]), with_slope=True)
    'the probabilities part the classes without overlap, so a steeper line always fits better and none fits best'
    >>> why_no_line(ScoreTable.of([0.1, 0.2, 0.2, 0.2], [False, False, True, True]), with_slope=True)
    '75 % of the cases are at the one probability that both classes have, and to either side of it stands one class...
    """
    if min(table.negatives, table.positives) == 0:
        return ONE_CLASS
    if not with_slope:
        return None
    if len(table) == 1:
        return ONE_SCORE
    of_negatives, of_positives = (_ends(side > 0) for side in (table.negative, table.positive))
    # What lies between the highest of the one class and the lowest of the other, whichever is below.
    gap = max(of_positives[0] - of_negatives[1], of_negatives[0] - of_positives[1])
    if gap > 0:
        return PARTED
    if gap < 0:
        return None
    at = of_positives[0] if of_positives[0] == of_negatives[1] else of_negatives[0]
    share = float(table.negative[at] + table.positive[at]) / float(table.total)
    return MEETING.format(share=f"{100 * share:.3g} %")


def _ends(is_there: NDArray[np.bool_]) -> tuple[int, int]:
    """The first and the last place at which something is."""
    return int(is_there.argmax()), len(is_there) - 1 - int(is_there[::-1].argmax())


def logistic(logits: Floats) -> Floats:
    """Probabilities from logits; numpy's exp takes a third of the time of scipy's function for this.

    >>> logistic(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-logits)))


def logits(probability: Floats | float, clip: float) -> Floats:
    """Log odds, with 0 and 1 held so far from certainty.

    >>> logits(np.array([0.0, 0.5, 1.0]), 0.001).round(3)
    array([-6.907,  0.   ,  6.907])
    """
    p = np.clip(probability, clip, 1 - clip)
    return np.asarray(np.log(p / (1 - p)))


def fitted(table: ScoreTable, x: Floats, *, with_slope: bool) -> FittedLine | str:
    """The best line, with the slope free or held at 1, or why there is none.

    >>> table = ScoreTable.of([0.2, 0.2, 0.8, 0.8], [False, True, True, True])
    >>> line = fitted(table, logit(table.score), with_slope=False)
    >>> line.at.round(3), round(float(line.covariance[0, 0]), 3)
    (array([1.582, 1.   ]), 1.7)
    """
    reason = why_no_line(table, with_slope=with_slope)
    if reason is not None:
        return reason
    start = np.array([float(logit(table.positives / table.total)), 0.0]) if with_slope else np.array([0.0, 1.0])
    if len(x) > EACH * FEWEST:
        first = np.arange(0, len(x), max(EACH, len(x) // COARSE))
        negative, positive = (np.add.reduceat(side, first) for side in (table.negative, table.positive))
        middle = np.add.reduceat(x * table.cases, first) / (negative + positive)
        near = _best_line(middle, negative, positive, start, with_slope=with_slope)
        start = start if near is None else near.at
    line = _best_line(x, table.negative, table.positive, start, with_slope=with_slope)
    return NOT_FOUND if line is None else line


def _best_line(x: Floats, negative: Floats, positive: Floats, start: Floats, *, with_slope: bool) -> FittedLine | None:
    fit = fit_line(x, negative, positive, start, with_slope=with_slope)
    if fit is None:
        return None
    free = slice(None) if with_slope else slice(1)
    covariance = np.zeros((2, 2))
    covariance[free, free] = np.linalg.inv(fit.information)
    return FittedLine(fit.coefficients, covariance)


class Pulls(NamedTuple):
    """How cases pull at intercept and slope: the sums of products of it, and what usual cases with labels turned would.

    `turned` has a row for the negatives and one for the positives, each summed.
    """

    products: Floats
    turned: Floats


def pulls_of(table: ScoreTable, x: Floats, line: FittedLine) -> Pulls:
    """How single cases pull at a line, their weights squared."""
    sums = np.array(line_pulls(x, *table.squared_weights, float(line.at[0]), float(line.at[1])))
    return Pulls(sums[[[0, 1], [1, 2]]], np.array((sums[3:5], -sums[5:])))


def sandwich(table: ScoreTable, x: Floats, line: FittedLine, pulls: Pulls | None = None) -> Floats:
    """The covariance of intercept and slope that holds whatever the shape, the weights and the clusters (White 1982).

    Divided by cases less coefficients (by clusters less one), without which it is too small in small samples.
    """
    if table.rows is not None:
        p = logistic(line(x))
        each = np.stack([sum(table.rows.sums(-p * v, (1 - p) * v)) for v in (np.ones(len(x)), x)])
        pulled, cases, spent = each @ each.T, float(each.shape[1]), 1
    else:
        pulled = (pulls or pulls_of(table, x, line)).products
        cases, spent = sum(table.kish), int(np.count_nonzero(np.diag(line.covariance)))
    grown = cases / (cases - spent) if cases > spent else math.nan
    return np.asarray(line.covariance @ pulled @ line.covariance * grown)
