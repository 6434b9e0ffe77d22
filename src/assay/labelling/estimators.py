"""Measures of all rows from the labels of some: the estimate, its two variances, and the limits.

Rates have Wilson limits on each side of the calls, joined by MOVER (Zou & Donner 2008). Measures of scores take the
larger of the design's variance and the working model's, and t with the freedom that the design leaves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri, stdtrit

from assay.evidence import ConfusionMatrix
from assay.labelling.masses import LabelledRows, ridge_logistic
from assay.results import Interval
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS

# Scores are held this far from 0 and 1 in the log loss, as in the log loss of cases that are all labelled.
CLIP = float(np.finfo(np.float64).eps)
# How strongly the calibration slope of the labelled rows is pulled to 1 and the intercept to 0.
SLOPE_RIDGE = 0.05
FEWEST_FREEDOM = 2.0
SIDES, SCORES = "Wilson by predicted label, MOVER", "larger of design and model variance, t"


class CallSide(NamedTuple):
    """The rows with one predicted label: how many, how many labelled, the share of positives, what it rests on."""

    rows: int
    labelled: int
    share: float
    cases: float

    @property
    def positives(self) -> float:
        """The estimated number of positives among them."""
        return self.rows * self.share

    def limits(self, level: float) -> tuple[float, float]:
        """Return Wilson limits of the number of positives."""
        if self.rows == 0 or math.isinf(self.cases):
            return self.positives, self.positives
        if self.cases <= 0:  # nothing is labelled: anything may be
            return 0.0, float(self.rows)
        low, high = PROPORTION_METHODS["Wilson"](self.share * self.cases, self.cases, level)
        return self.rows * low, self.rows * high


def side_of(rows: LabelledRows, of_side: NDArray[np.bool_], *, trusts_model: bool = False) -> CallSide:
    """Return one side of the calls, with as many cases as its variance is worth.

    A labelled row stands for `w` rows. Half-trusting the working model is what protects from errors that no labelled
    row shows: a quarter counts as if every row of the side were equally likely to be positive. With `trusts_model` the
    other three quarters are the variance of the working model itself, which is what lets a proxy narrow the limits.
    """
    size = int(np.count_nonzero(of_side))
    drawn = of_side[rows.drawn]
    labelled = int(np.count_nonzero(drawn))
    if size == 0:
        return CallSide(0, 0, 0.0, math.inf)
    weights, residual = rows.weight[rows.drawn][drawn], rows.residual[drawn]
    total = float(rows.working[of_side].sum())
    if labelled == 0 and rows.labels:
        return CallSide(size, 0, total / size, 0.0)
    if labelled == 0:  # a sample that is planned
        return CallSide(size, 0, total / size, _planned_cases(rows, of_side))
    factor = size / weights.sum()
    share = float(np.clip((total + factor * float(weights @ residual)) / size, 0.0, 1.0))
    extra, spread = rows.extra[of_side], rows.spread[of_side]
    by_model = float(extra @ spread) / size**2
    plain = float(extra.sum()) / size**2
    if plain <= 0:
        return CallSide(size, labelled, share, math.inf)
    # Whether the model of a side says anything of its variance.
    own = by_model / float(spread.mean()) if by_model > 0 else plain
    cases = 1 / own if trusts_model else 1 / (0.75 * own + 0.25 * plain)
    if trusts_model and by_model > 0 and 0 < share < 1:
        cases = 1 / (0.75 * by_model / (share * (1 - share)) + 0.25 * plain)
    if 0 < share < 1 and labelled > 1:
        seen = labelled / (labelled - 1) * float((weights * (weights - 1)) @ residual**2) / size**2
        if seen > 0:
            cases = min(cases, share * (1 - share) / seen)
    return CallSide(size, labelled, share, cases)


def _planned_cases(rows: LabelledRows, of_side: NDArray[np.bool_]) -> float:
    """How many cases a side will be worth once the labels are there, if the working model is right."""
    size, extra, spread = int(np.count_nonzero(of_side)), rows.extra[of_side], rows.spread[of_side]
    by_model = float(extra @ spread) / size**2 / float(spread.mean())
    total = 0.75 * by_model + 0.25 * float(extra.sum()) / size**2
    return 1 / total if total > 0 else math.inf


@dataclass(frozen=True)
class Calls:
    """The two sides of the calls: rows predicted positive, and rows predicted negative."""

    called: CallSide
    rest: CallSide

    @classmethod
    def of(cls, rows: LabelledRows, *, trusts_model: bool = False) -> Calls:
        """Return the two sides of some rows.

        >>> label = np.array([1, np.nan, 0, np.nan, 0, np.nan])
        >>> rows = LabelledRows(label, np.full(6, 0.5), called=np.arange(6) < 2)
        >>> Calls.of(rows).matrix.counts.tolist()
        [[4.0, 0.0], [0.0, 2.0]]
        """
        assert rows.called is not None
        return cls(
            side_of(rows, rows.called, trusts_model=trusts_model),
            side_of(rows, ~rows.called, trusts_model=trusts_model),
        )

    @property
    def matrix(self) -> ConfusionMatrix:
        """The estimated confusion matrix of all rows."""
        return self.with_positives(self.called.positives, self.rest.positives)

    def with_positives(self, called: float, rest: float) -> ConfusionMatrix:
        """Return the confusion matrix with so many positives on either side."""
        return ConfusionMatrix.binary(tp=called, fn=rest, fp=self.called.rows - called, tn=self.rest.rows - rest)

    def with_all(self, on_called: bool, *, positive: bool) -> ConfusionMatrix:
        """Return the matrix if one side held positives only, or none."""
        side = self.called if on_called else self.rest
        end = float(side.rows) if positive else 0.0
        return self.with_positives(*((end, self.rest.positives) if on_called else (self.called.positives, end)))

    def limits(self, formula: Callable[[ConfusionMatrix], float], level: float) -> Interval:
        """Return MOVER limits of a measure that either side moves one way: each side's limits, taken by themselves."""
        a, b = self.called.positives, self.rest.positives
        value = float(formula(self.with_positives(a, b)))
        ends = [
            [float(formula(self.with_positives(end, b))) for end in self.called.limits(level)],
            [float(formula(self.with_positives(a, end))) for end in self.rest.limits(level)],
        ]
        # A measure that is undefined at an end is not moved further by it.
        moves = [[0.0, *(end - value for end in each if not math.isnan(end))] for each in ends]
        low, high = (math.hypot(*(extreme(each) for each in moves)) for extreme in (min, max))
        return Interval(value - low, value + high, SIDES)

    def rests_on(self, formula: Callable[[ConfusionMatrix], float]) -> tuple[bool, bool]:
        """Return whether a measure depends on the positives of either side."""

        def moves(called: bool) -> bool:
            side, other = (self.called, self.rest) if called else (self.rest, self.called)
            counts = [(end, other.positives) for end in (0.25 * side.rows, 0.5 * side.rows, 0.75 * side.rows)]
            values = [float(formula(self.with_positives(*(pair if called else pair[::-1])))) for pair in counts]
            return any(not math.isclose(value, values[0], abs_tol=1e-12) for value in values[1:])

        return moves(called=True), moves(called=False)


class ScoreEstimate(NamedTuple):
    """A measure of scores: its value, how each row's label moves it under the model, and centres for its limits."""

    value: float
    slopes: Floats
    centres: tuple[float, ...] = ()


def brier(rows: LabelledRows) -> ScoreEstimate:
    """Return the Brier score of all rows."""
    q, t, n = _score_column(rows), rows.mass, len(rows)
    return ScoreEstimate(float(t @ (1 - q) ** 2 + (1 - t) @ q**2) / n, (1 - 2 * q) / n)


def log_loss(rows: LabelledRows) -> ScoreEstimate:
    """Return the log loss of all rows, scores held 2.2e-16 away from 0 and 1."""
    q, t, n = np.clip(_score_column(rows), CLIP, 1 - CLIP), rows.mass, len(rows)
    hit, miss = -np.log(q), -np.log1p(-q)
    return ScoreEstimate(float(t @ hit + (1 - t) @ miss) / n, (hit - miss) / n)


def observed_over_expected(rows: LabelledRows) -> ScoreEstimate:
    """Return the number of positives over the number that the probabilities expect."""
    expected = float(_score_column(rows).sum())
    return ScoreEstimate(float(rows.mass.sum()) / expected, np.full(len(rows), 1 / expected))


def roc_auc(rows: LabelledRows) -> ScoreEstimate:
    """Return the ROC AUC of all rows: the share of mass of pairs in order."""

    def parts(mass: Floats) -> tuple[float, Floats, Floats, float, float]:
        ranking = rows.ranking
        positive, negative = ranking.sums(mass), ranking.sums(1 - mass)
        below = ranking.of_rows(np.cumsum(negative) - negative / 2)
        above = ranking.of_rows(positive.sum() - np.cumsum(positive) + positive / 2)
        return float(mass @ below), below, above, float(positive.sum()), float(negative.sum())

    pairs, _, _, positives, negatives = parts(rows.mass)
    of_model, below, above, expected, rest = parts(rows.working)
    slopes = (below - above - of_model / (expected * rest) * (rest - expected)) / (expected * rest)
    return ScoreEstimate(_ratio_or_nan(pairs, positives * negatives), slopes)


def average_precision(rows: LabelledRows) -> ScoreEstimate:
    """Return the average precision of all rows, without the bias of a mass that is multiplied by itself."""
    value, plain, _ = _precision_sums(rows, rows.mass)
    of_model, _, slopes = _precision_sums(rows, rows.working)
    weights = rows.weight[rows.drawn]
    residual = float((slopes[rows.drawn] * weights) @ rows.residual)
    step = of_model + (len(rows) / weights.sum() * residual if rows.labels else 0.0)
    return ScoreEstimate(value, slopes, (plain, step))


def _precision_sums(rows: LabelledRows, mass: Floats) -> tuple[float, float, Floats]:
    """Average precision corrected and plain, and how the corrected one moves with each mass."""
    ranking = rows.ranking
    sizes = np.diff(np.append(ranking.starts, len(rows))).astype(np.float64)
    positive = ranking.sums(mass)
    flagged = np.cumsum(sizes[::-1])[::-1]
    hits = np.cumsum(positive[::-1])[::-1]
    total = float(positive.sum())
    own, above = ranking.of_rows(1 / flagged), ranking.of_rows(hits / flagged)
    plain = _ratio_or_nan(float(mass @ above), total)
    corrected = _ratio_or_nan(float(mass @ (above + own) - mass**2 @ own), total)
    # A mass adds to the precision of its own score and of all lower ones.
    lower = ranking.of_rows(np.cumsum(positive / flagged))
    slopes = (own + above - 2 * mass * own + lower - corrected) / total
    return corrected, plain, slopes


def calibration_slope(rows: LabelledRows) -> ScoreEstimate:
    """Return the slope of Cox's line, fitted to the labelled rows, as moved by each label."""
    x = np.asarray(logit(np.clip(_score_column(rows), CLIP, 1 - CLIP)))
    columns = np.column_stack([np.ones(len(rows)), x])
    drawn, weights = rows.drawn, rows.weight[rows.drawn]
    target, penalty = np.array([0.0, 1.0]), np.full(2, SLOPE_RIDGE)
    found = ridge_logistic(columns[drawn], rows.label[drawn], weights / weights.mean(), target, penalty)
    rate = np.asarray(expit(columns @ found))
    information = (columns * (rate * (1 - rate))[:, None]).T @ columns
    return ScoreEstimate(float(found[1]), columns @ np.linalg.inv(information)[:, 1])


def _score_column(rows: LabelledRows) -> Floats:
    assert rows.score is not None
    return rows.score


def _ratio_or_nan(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


class SampleVariance(NamedTuple):
    """The design's variance, the working model's, and the degrees of freedom of t."""

    by_design: float
    by_model: float
    freedom: float

    @property
    def variance(self) -> float:
        """The variance that limits rest on."""
        return max(self.by_design, self.by_model)


def spread_of(rows: LabelledRows, slopes: Floats) -> SampleVariance:
    """Return how far a sum of labels times `slopes` lies from its estimate.

    The freedom is Satterthwaite's under the working model, so that it does not depend on which errors happened to be
    drawn: it is what makes an interval wide where no labelled row shows an error.
    """
    weights, drawn = rows.weight, rows.drawn
    n = len(drawn)
    own = weights[drawn] * rows.extra[drawn] * slopes[drawn] ** 2
    by_design = n / max(n - 1, 1) * float(own @ rows.residual**2)
    squares, spread, m = slopes**2, rows.spread, rows.working
    by_model = float(rows.extra @ (squares * spread))
    fourth = float(weights**3 @ (squares**2 * spread * ((1 - m) ** 3 + m**3)))
    second = float(weights @ (squares * spread))
    freedom = max(FEWEST_FREEDOM, 2 * second**2 / fourth) if fourth > 0 else math.inf
    return SampleVariance(by_design, by_model, freedom)


LOGIT = (lambda x: float(logit(x)), lambda x: float(expit(x)), lambda x: 1 / (x * (1 - x)))
LOG = (math.log, lambda x: math.exp(min(x, 700.0)), lambda x: 1 / x)
Scale = tuple[Callable[[float], float], Callable[[float], float], Callable[[float], float]]


def score_limits(rows: LabelledRows, estimate: ScoreEstimate, level: float, scale: Scale | None) -> Interval:
    """Return the limits of a measure of scores: the outermost around any of its centres."""
    spread = spread_of(rows, estimate.slopes)
    quantile = quantile_of(level, spread.freedom)
    se = math.sqrt(spread.variance)
    method = f"{SCORES} with {spread.freedom:.1f} df" if math.isfinite(spread.freedom) else f"{SCORES} (normal)"
    ends = [_symmetric_limits(each, quantile * se, scale) for each in (estimate.value, *estimate.centres)]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return Interval(low, high, method, se=se)


def quantile_of(level: float, freedom: float) -> float:
    """Return the quantile of t with so many degrees of freedom, or of the normal distribution."""
    share = (1 + level) / 2
    return float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share))


def _symmetric_limits(centre: float, half: float, scale: Scale | None) -> tuple[float, float]:
    is_inside = scale is not None and centre > 0 and (scale is LOG or centre < 1)
    if scale is None or not is_inside:
        return centre - half, centre + half
    forward, back, slope = scale
    at, reach = forward(centre), half * slope(centre)
    return back(at - reach), back(at + reach)
