"""Intervals of what rests on few of the cases: those in a band of the ROC curve, or those that move it much."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from assay.evidence import ScoreTable, weighed
from assay.results import Interval
from assay.uncertainty.influence import variance_parts
from assay.uncertainty.scales import LOGIT, Scale

__all__ = ["band_interval", "effective_cases", "logit_between"]

NOTHING_VARIES = "it does not vary between these cases, so they cannot tell how uncertain it is"


def logit_between(low: float, high: float) -> Scale:
    """The logit of how far a value has come from `low` to `high`.

    >>> scale = logit_between(-1.0, 1.0)
    >>> round(scale.backward(scale.forward(0.5)), 6), scale.name
    (0.5, 'logit')
    """
    width = high - low
    return Scale(
        "logit",
        lambda x: LOGIT.forward((x - low) / width if x < high else 1.0),
        lambda x: LOGIT.slope((x - low) / width) / width,
        lambda y: low + width * LOGIT.backward(y),
    )


def band_interval(
    table: ScoreTable,
    value: float,
    influence: tuple[NDArray[np.float64], NDArray[np.float64]],
    cases: tuple[float, float],
    scale: Scale,
    level: float,
) -> Interval:
    """The value plus or minus t standard errors on a scale, with Welch's degrees of freedom.

    `cases` is how many negatives and how many positives the variance of either class rests on: in a narrow band few
    decide, however many the class has.
    """
    name = f"influence, {scale.name}"
    parts = variance_parts(table, *influence)
    error = math.sqrt(sum(parts))
    if not error > 0 or not math.isfinite(scale.forward(value)):
        return Interval.missing(name, NOTHING_VARIES)
    freedom = sum(parts) ** 2 / sum(part**2 / max(count - 1, 1.0) for part, count in zip(parts, cases, strict=True))
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error * scale.slope(value)
    low, high = (scale.backward(scale.forward(value) + sign * half) for sign in (-1, 1))
    return Interval(low, high, name, se=error)


def effective_cases(
    table: ScoreTable, influence: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[float, float]:
    """How many negatives and positives a standard error rests on, when some move the estimate more than others.

    Kish's number for the squared influences: all of a class if each moves it as much, one if one case alone does.

    >>> table = ScoreTable.of([0.0, 1.0, 2.0], [False, False, True])
    >>> effective_cases(table, (np.array([1.0, -1.0, 0.0]), np.array([0.0, 0.0, 3.0])))
    (2.0, 1.0)
    """
    if not table.is_weighted:
        # Of cases that count once: without copies of a million.
        sums = (weighed(table.negative, influence[0], table.positive, influence[1], power=power) for power in (2, 4))
        low, high = (of**2 / spread if spread > 0 else 0.0 for of, spread in zip(*sums, strict=True))
        return low, high
    sides = zip((table.negative, table.positive), table.squared_weights, influence, strict=True)
    return tuple(_effective(weights, squares, values) for weights, squares, values in sides)  # type: ignore[return-value]


def _effective(weights: NDArray[np.float64], squares: NDArray[np.float64], influence: NDArray[np.float64]) -> float:
    kept = weights > 0
    each = squares[kept] * np.square(influence[kept])
    spread = float((each**2 * squares[kept] / weights[kept] ** 2).sum())
    return float(each.sum()) ** 2 / spread if spread > 0 else 0.0
