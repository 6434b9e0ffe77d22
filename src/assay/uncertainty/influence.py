"""Standard errors from influence functions: how much each case moves an estimate.

Scales on which an estimate is nearer to normal than on its own.

The standard error of kappa, plain and weighted.

Intervals of what rests on few of the cases: those in a band of the ROC curve, or those that move it much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, stdtrit

from assay.evidence import ScoreTable, moved_sums, weighed
from assay.results import Interval

__all__ = [
    "FISHER",
    "IDENTITY",
    "LOG",
    "LOGIT",
    "LOG_OF_REST",
    "Moves",
    "Scale",
    "band_interval",
    "effective_cases",
    "hall_interval",
    "kappa_error",
    "logit_between",
    "scale_of",
    "standard_error",
    "summed_over",
    "turned_moves",
    "usual_moves",
    "variance_parts",
    "weighted_skewness",
    "with_pseudo_moves",
]


@dataclass(frozen=True, eq=False)
class Moves:
    """How far a negative and a positive at each score move an estimate: these values times a scale, plus a shift.

    Sums of it need no other arrays than those of the values, which several estimates may share.
    """

    of_negatives: NDArray[np.float64]
    of_positives: NDArray[np.float64]
    scale: float = 1.0
    shifts: tuple[float, float] = (0.0, 0.0)

    @property
    def at_scores(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What a negative and what a positive at each score moves it by."""
        low, high = self.shifts
        return self.scale * self.of_negatives + low, self.scale * self.of_positives + high

    def sums(self, table: ScoreTable) -> SummedMoves:
        """The standard error of the estimate, and what usual cases with labels turned would move it by.

        >>> table = ScoreTable.of([0.1, 0.2, 0.9, 0.8], [False, False, True, True])
        >>> moved = Moves(table.score**2, (1 - table.score) ** 2, shifts=(-0.025, -0.025)).sums(table)
        >>> round(moved.error, 4), tuple(round(turned, 4) for turned in moved.turned)
        (0.0087, (0.7, 0.7))
        """
        moves, sides = (self.of_negatives, self.of_positives), (table.negative, table.positive)
        *squares, negative, positive = moved_sums(sides, table.squared_weights, moves, self.scale, self.shifts)
        error = math.sqrt(sum(_variance_parts(table, squares[0], squares[1])))
        sizes = float(table.negatives), float(table.positives)
        usual = (part / size if size else math.nan for part, size in zip((negative, positive), sizes, strict=True))
        return SummedMoves(error, (next(usual), next(usual)))


@dataclass(frozen=True)
class SummedMoves:
    """A standard error, and what the usual negative and positive would move it by, had they the other label."""

    error: float
    turned: tuple[float, float]


def standard_error(table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]) -> float:
    """The standard error of an estimate whose influence function takes these values at each score.

    The values have mean zero over the cases; the estimate's variance is their mean square over n.
    Weights enter squared.

    >>> table = ScoreTable.of([0.0, 1.0], [False, True])
    >>> round(standard_error(table, np.array([1.0, 1.0]), np.array([-1.0, -1.0])), 3)
    1.0
    """
    return math.sqrt(sum(variance_parts(table, of_negatives, of_positives)))


def variance_parts(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the negatives and what the positives add to the variance of such an estimate."""
    negative, positive = table.squared_weights
    return _variance_parts(table, *weighed(negative, of_negatives, positive, of_positives, power=2))


def _variance_parts(table: ScoreTable, of_negative: float, of_positive: float) -> tuple[float, float]:
    """Sums of squares over either class as parts of a variance."""
    n = float(table.total)
    effective = n * n / sum(table.sums_of_squares)
    if not effective > 1:
        return math.nan, math.nan
    factor = effective / (effective - 1) / (n * n)
    return factor * of_negative, factor * of_positive


def summed_over(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """Values at each score added up over the negatives, and others over the positives.

    >>> table = ScoreTable.of([0.1, 0.4, 0.4], [False, False, True])
    >>> summed_over(table, np.array([1.0, 2.0]), np.array([4.0, 8.0]))
    (3.0, 8.0)
    """
    return weighed(table.negative, of_negatives, table.positive, of_positives)


def usual_moves(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the usual negative and the usual positive move an estimate by."""
    negative, positive = summed_over(table, of_negatives, of_positives)
    return negative / float(table.negatives), positive / float(table.positives)


def turned_moves(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> tuple[float, float]:
    """What the usual negative and the usual positive would move an estimate by, had they the other label."""
    negative, positive = summed_over(table, of_positives, of_negatives)
    return negative / float(table.negatives), positive / float(table.positives)


def with_pseudo_moves(
    table: ScoreTable, value: float, error: float, moves: tuple[float, float], level: float, *, each: float = 1.0
) -> Interval:
    """The interval of an estimate after two pseudo-cases: the usual positive and the usual negative with labels turned.

    What a sample of a nearly perfect classifier lacks are gross errors, and their size is known: it is how much a case
    would `move` the estimate if it had the other label. `error` is the standard error without them, and `each` how many
    cases either counts as.

    >>> table = ScoreTable.of([0.1, 0.2, 0.9, 0.8], [False, False, True, True])
    >>> with_pseudo_moves(table, 0.025, 0.0075, (0.7, 0.7), 0.95).high
    0.5477...
    """
    n, (negative, positive) = float(table.total) ** 2 / sum(table.sums_of_squares), moves
    more = n + 2 * each
    shift = each * (positive + negative) / more
    spread = (error * error * n * (n - 1) + each * (positive**2 + negative**2) - more * shift**2) / (more - 1)
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(max(spread, 0.0) / more)
    return Interval(value + shift - half, value + shift + half, "influence function, pseudo-cases")


def weighted_skewness(
    table: ScoreTable, of_negatives: NDArray[np.float64], of_positives: NDArray[np.float64]
) -> float | None:
    """Return the skewness of an estimate of weighted cases, from its influence values; None where weights are equal.

    It is large where heavy cases are hard ones, which a sample may lack. A table holds the squares of the weights at
    each score and not the cubes: these are taken as of equal weights, which is the least they can be.

    >>> table = ScoreTable.of([0.1, 0.2, 0.9], [False, True, True], weight=np.array([1.0, 5.0, 1.0]))
    >>> round(weighted_skewness(table, np.array([0.1, 0.0, 0.0]), np.array([0.0, 0.6, 0.1])), 3)
    0.997
    """
    if not _weighs_unequally(table):
        return None
    second, third = 0.0, 0.0
    sides = zip((of_negatives, of_positives), (table.negative, table.positive), table.squared_weights, strict=True)
    for moved, weight, squares in sides:
        cubes = np.divide(squares**2, weight, out=np.zeros_like(squares), where=weight > 0)
        second += float(squares @ moved**2)
        third += float(cubes @ moved**3)
    return third / second**1.5 if second > 0 else 0.0


def _weighs_unequally(table: ScoreTable) -> bool:
    weight, squares = (np.concatenate(both) for both in ((table.negative, table.positive), table.squared_weights))
    each = squares[weight > 0] / weight[weight > 0]
    return bool(np.ptp(each) > 1e-9 * each.max())


def hall_interval(value: float, error: float, skewness: float, level: float) -> Interval:
    """Return limits corrected for the skewness of the estimate, by Hall's cubic transformation (1992).

    >>> even, skewed = (hall_interval(0.5, 0.1, skewness, 0.95) for skewness in (0.0, 0.4))
    >>> round(even.low, 3), round(even.high, 3), round(skewed.low, 3), round(skewed.high, 3)
    (0.304, 0.696, 0.345, 0.819)
    """
    z, a = float(ndtri(0.5 + level / 2)), skewness / 3

    def quantile(at: float) -> float:
        moved = at - skewness / 6
        return moved if abs(a) < 1e-6 else (float(np.cbrt(1 + 3 * a * moved)) - 1) / a

    return Interval(
        value - error * quantile(z), value - error * quantile(-z), "influence function, skewness-corrected", se=error
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """The way to a scale, how steep it is there (without sign), and the way back.

    >>> round(LOGIT.backward(LOGIT.forward(0.8)), 6), round(LOGIT.slope(0.8), 6)
    (0.8, 6.25)
    """

    name: str
    forward: Callable[[float], float]
    slope: Callable[[float], float]
    backward: Callable[[float], float]


def _safe_exp(power: float) -> float:
    """e to a power, infinite where no number holds it."""
    return math.exp(power) if power < 700 else math.inf


# The values' own, for what has no end in reach.
IDENTITY = Scale("plain", lambda x: x, lambda x: 1.0, lambda y: y)
LOGIT = Scale("logit", lambda x: float(logit(x)), lambda x: 1 / (x * (1 - x)), lambda y: float(expit(y)))
# Fisher's z, for what runs from -1 to 1.
FISHER = Scale(
    "z",
    lambda x: math.atanh(x) if abs(x) < 1 else math.copysign(math.inf, x),
    lambda x: 1 / (1 - x * x),
    math.tanh,
)
LOG = Scale("log", lambda x: math.log(x) if x > 0 else -math.inf, lambda x: 1 / x, _safe_exp)
# For a skill: the logarithm of the share of the baseline's loss that is left.
LOG_OF_REST = Scale(
    "log", lambda x: math.log1p(-x) if x < 1 else -math.inf, lambda x: 1 / (1 - x), lambda y: 1 - _safe_exp(y)
)


def scale_of(bounds: tuple[float, float]) -> Scale:
    """The scale on which a range has no end in reach.

    >>> scale_of((0.0, 1.0)).name
    'logit'
    >>> round(scale_of((0.0, 0.2)).forward(0.15), 6) == round(LOGIT.forward(0.75), 6)
    True
    """
    scales = {(0.0, 1.0): LOGIT, (-1.0, 1.0): FISHER, (0.0, math.inf): LOG, (-math.inf, 1.0): LOG_OF_REST}
    return scales.get(bounds) or _bounded_logit_scale(*bounds)


def _bounded_logit_scale(low: float, high: float) -> Scale:
    """The logit of how far a value lies between two ends."""
    width = high - low
    return Scale(
        LOGIT.name,
        lambda x: LOGIT.forward((x - low) / width),
        lambda x: LOGIT.slope((x - low) / width) / width,
        lambda y: low + width * LOGIT.backward(y),
    )


def kappa_error(counts: NDArray[np.float64], agreement: NDArray[np.float64]) -> float:
    """Fleiss, Cohen & Everitt (1969): the standard error of kappa where agreement is real, from the delta method.

    `agreement` is how much each cell counts as agreement, 1 on the diagonal.

    >>> round(kappa_error(np.array([[10.0, 7.0], [8.0, 75.0]]), np.eye(2)), 6)
    0.115014
    """
    n = float(counts.sum())
    p = counts / n
    rows, columns = p.sum(1), p.sum(0)
    reached, by_chance = float((p * agreement).sum()), float(rows @ agreement @ columns)
    left_open = 1 - by_chance
    value = (reached - by_chance) / left_open
    expected = (agreement @ columns)[:, None] + (rows @ agreement)[None, :]
    spread = float((p * (agreement - expected * (1 - value)) ** 2).sum()) - (value - by_chance * (1 - value)) ** 2
    return math.sqrt(max(spread, 0.0) / n) / left_open


NOTHING_VARIES = "it does not vary between these cases, so its standard error is 0"


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
    name = f"influence function, {scale.name}"
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
    return tuple(_effective_sample_size(weights, squares, values) for weights, squares, values in sides)  # type: ignore[return-value]


def _effective_sample_size(
    weights: NDArray[np.float64], squares: NDArray[np.float64], influence: NDArray[np.float64]
) -> float:
    kept = weights > 0
    each = squares[kept] * np.square(influence[kept])
    spread = float((each**2 * squares[kept] / weights[kept] ** 2).sum())
    return float(each.sum()) ** 2 / spread if spread > 0 else 0.0
