"""Calibration in the large, and Cox's line: are the probabilities right on average, and as far apart as they should be?

The line is logit P(positive) = a + b logit(probability). Right probabilities have a = 0 and b = 1; b below 1 says that
they are too extreme, above 1 that they are too timid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal

import numpy as np
from scipy.special import chdtrc, fdtrc, stdtr, stdtrit

from assay.calibration.cox_line import FittedLine, Pulls, fitted, line_with_bounds, logits, pulls_of, sandwich
from assay.calibration.groups import of_the_middle
from assay.errors import OptionError
from assay.evidence import ScoreTable, arrangements
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Interval, TestResult, counted
from assay.types import Floats
from assay.uncertainty import (
    Between,
    Moves,
    between_clusters,
    between_rows,
    class_sizes,
    scale_of,
    summed_over,
    wider,
    with_pseudo_moves,
)
from assay.uncertainty.logistic import log_likelihood

Method = Literal["sandwich", "Wald"]

# As log loss holds probabilities away from 0 and 1: the distance from 1 to the next double.
CLIP = float(np.finfo(np.float64).eps)
# The smallest class with which these intervals were seen to keep their level.
FEWEST = 10
# The same of Cox's line on equal, independent cases: pseudo-errors make it hold with fewer, and refusing more often
# shows the samples in which it does not.
FEWEST_FOR_LINE = 4
# The same of means that count on errors which the sample lacks.
FEWEST_WITH_ERRORS = 3
# Among more cases than this, or more of the smaller class, two more change no limit that anybody would see.
SEEN_ENOUGH, ENOUGH_OF_A_CLASS = 100_000, 10_000
# A logit beyond this is certainty, whether clipped or not.
CERTAIN = 20.0
# How much of a case a pseudo-error is: a whole one made slopes of near-perfect classifiers needlessly uncertain.
PSEUDO_ERROR = 0.25
TOO_CLOSE = "the logits are too close together for a standard error"
NOTHING_VARIES = "it does not vary between these cases, so its standard error is 0"


def bias(table: ScoreTable, *, level: float = 0.95) -> Estimate:
    """Mean probability minus the share of positives: above 0, the classifier promises too much.

    A classifier that always says the prevalence has none, and is useless.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> round(bias(table).value, 6)
    0.03
    """
    level = checked_level(level)
    value, moves = _bias_and_influence(table)
    interval = influence_interval(table, value, moves, (-1.0, 1.0), level)
    found = as_estimate("bias", value, interval, level, float(table.total))
    return in_cells(found, table, lambda each: _bias_and_influence(each)[0])


def bias_test(table: ScoreTable) -> TestResult:
    """Whether the mean probability differs from the share of positives by more than chance, as bias()'s limits do.

    It is about the average alone; calibration_in_the_large_test() is about the probabilities of all these cases.

    >>> table = ScoreTable.of(np.arange(1, 100) / 100, np.arange(99) > 30)
    >>> bias_test(table)
    Bias (t): statistic -6.38973, p = 4.72e-07; null: the mean probability is the share of positives
    """
    name, null = "Bias", "the mean probability is the share of positives"
    value, moves = _bias_and_influence(table)
    found = _small_class_reason(table)
    if found is not None:
        return TestResult(name, null, math.nan, math.nan, "t", found)
    if table.rows is not None:
        # Fisher's z, on which the clustered limits are symmetric.
        between = _cluster_influence(moves, table)
        if between.why_not is not None:
            return TestResult(name, null, math.nan, math.nan, "t", between.why_not)
        statistic, freedom = math.atanh(value) / between.error * (1 - value * value), between.freedom
    else:
        error, freedom = moves.sums(table).error, min(table.kish) - 1
        if not error > 0:
            return TestResult(name, null, math.nan, math.nan, "t", NOTHING_VARIES)
        statistic = value / error
    p_value, caution = 2 * float(stdtr(freedom, -abs(statistic))), of_the_middle(table)
    return TestResult(name, null, statistic, p_value, "t", caution=caution)


def observed_to_expected(table: ScoreTable, *, level: float = 0.95) -> Estimate:
    """Positives observed for each positive the probabilities promise: below 1, they promise too much.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> round(observed_to_expected(table).value, 6)
    0.943396
    """
    level = checked_level(level)
    name, n = "observed_to_expected", float(table.total)
    expected = _expected_positives(table)
    if expected == 0:
        reason = "every probability is 0, so no positive is expected"
        return Estimate(name, math.nan, math.nan, math.nan, level, "none", n, undefined=reason)
    value = float(table.positives) / expected
    mean = expected / n
    moves = Moves(table.score, table.score, -value / mean, (0.0, 1 / mean))
    found = as_estimate(name, value, influence_interval(table, value, moves, (0.0, math.inf), level), level, n)
    return in_cells(
        found,
        table,
        lambda each: float(each.positives) / _expected_positives(each) if _expected_positives(each) else math.inf,
    )


def _expected_positives(table: ScoreTable) -> float:
    return sum(summed_over(table, table.score, table.score))


def in_cells(found: Estimate, table: ScoreTable, formula: Callable[[ScoreTable], float]) -> Estimate:
    """An estimate that only rises or only falls with the scores, with its bounds where these are in cells."""
    if table.reach is None:
        return found
    ends = [found.value, *map(formula, arrangements(table))]
    # Where no positive is expected any more, the ratio has no end.
    return replace(found, bounds=(float(np.nanmin(ends)), math.inf if np.isnan(ends).any() else float(max(ends))))


@dataclass(frozen=True)
class CoxLine:
    """Cox's line: `in_the_large` is its intercept with the slope held at 1, `intercept` and `slope` those of the best.

    `test` asks whether intercept 0 and slope 1 can be right together. `clipped` counts cases given probability 0 or 1,
    whose logit is infinite; they are held at 2.2e-16 from it, and pull hard.
    """

    in_the_large: Estimate
    intercept: Estimate
    slope: Estimate
    clipped: float
    _find_test: Callable[[], TestResult] = field(repr=False, compare=False)

    _repr_html_ = in_notebook

    @cached_property
    def test(self) -> TestResult:
        """Whether intercept 0 and slope 1 can be right together; worked out when it is asked for."""
        return self._find_test()


def cox(table: ScoreTable, *, level: float = 0.95, method: Method = "sandwich", clip: float = CLIP) -> CoxLine:
    """Intercept and slope of the line that would recalibrate these probabilities, with limits and a joint test.

    The limits come from the sandwich, which holds whether or not a line is the right shape, and takes weights and
    clusters. method="Wald" believes in the line, as other systems do: with the slope held at 1 it covered .77 where the
    slope was 1/3. With weights or clusters the joint test is Wald's on the sandwich, else the likelihood ratio.

    >>> from scipy.special import expit, logit
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> line = cox(ScoreTable.of(p, rng.random(2000) < expit(0.5 * logit(p))))
    >>> line.slope
    0.483 [0.421, 0.545]
    >>> line.test.p_value < 1e-6
    True

    References: Cox (1958); White (1982); Van Calster et al. (2019).
    """
    level = checked_level(level)
    checked_choice(method, ("sandwich", "Wald"), "method")
    if method == "Wald" and (table.is_weighted or table.rows is not None):
        found = "these cases have weights" if table.is_weighted else "these cases come in clusters"
        raise OptionError(f"{found}, and 'Wald' takes them as independent and alike", "the sandwich: leave method out")
    x = logits(table.score, clip)
    first, last = np.searchsorted(table.score, clip), np.searchsorted(table.score, 1 - clip, side="right")
    clipped = sum(float(side[:first].sum() + side[last:].sum()) for side in (table.negative, table.positive))
    shift, line = (fitted(table, x, with_slope=with_slope) for with_slope in (False, True))
    pulls = [_coefficient_influence(table, x, fit) for fit in (shift, line)]
    of_shift, of_line = (_covariance(table, x, *fit, method) for fit in zip((shift, line), pulls, strict=True))
    coefficients = (
        _coefficient("calibration_in_the_large", table, x, shift, pulls[0], of_shift, 0, method, level),
        _coefficient("calibration_intercept", table, x, line, pulls[1], of_line, 0, method, level),
        _coefficient("calibration_slope", table, x, line, pulls[1], of_line, 1, method, level),
    )
    in_the_large, intercept, slope = line_with_bounds(coefficients, table, line, clip)
    return CoxLine(
        in_the_large,
        intercept,
        slope,
        clipped,
        partial(_joint_test, table, x, line, of_line),
    )


def _coefficient_influence(table: ScoreTable, x: Floats, line: FittedLine | str) -> Pulls | None:
    return None if isinstance(line, str) or table.rows is not None else pulls_of(table, x, line)


def _covariance(table: ScoreTable, x: Floats, line: FittedLine | str, pulls: Pulls | None, method: Method) -> Floats:
    if isinstance(line, str):
        return np.full((2, 2), math.nan)
    return sandwich(table, x, line, pulls) if method == "sandwich" else line.covariance


def _coefficient(
    name: str,
    table: ScoreTable,
    x: Floats,
    line: FittedLine | str,
    pulls: Pulls | None,
    covariance: Floats,
    which: int,
    method: Method,
    level: float,
) -> Estimate:
    n = float(table.total)
    if isinstance(line, str):
        return Estimate(name, math.nan, math.nan, math.nan, level, "none", n, undefined=line)
    is_plain = method == "sandwich" and table.rows is None and not table.is_weighted
    value, found = float(line.at[which]), _small_class_reason(table, FEWEST_FOR_LINE if is_plain else FEWEST)
    label, freedom = str(method), min(table.kish) - 1 if method == "sandwich" else math.inf
    if table.rows is not None:
        clusters = _cluster_count(table)
        label, freedom = f"cluster-robust, {counted(clusters, 'cluster')}", clusters - 1
        found = found or _few_clusters_reason(clusters)
    if not covariance[which, which] > 0:
        found = found or TOO_CLOSE
    if found is not None:
        return as_estimate(name, value, Interval.missing(label, found), level, n)
    error = math.sqrt(covariance[which, which])
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    usual = Interval(value - half, value + half, label)
    # A certainty turned round would pull at the line without end.
    if is_plain and pulls is not None and n <= SEEN_ENOUGH and max(-float(x[0]), float(x[-1])) < CERTAIN:
        sizes = float(table.negatives), float(table.positives)
        of_negative, of_positive = (
            n * float(line.covariance[which] @ turned) / size for turned, size in zip(pulls.turned, sizes, strict=True)
        )
        careful = with_pseudo_moves(table, value, error, (of_negative, of_positive), level, each=PSEUDO_ERROR)
        label = "sandwich, small-sample adjusted"
        usual = wider(usual, replace(careful, method=label), label)
    return as_estimate(name, value, usual, level, n)


def _joint_test(table: ScoreTable, x: Floats, line: FittedLine | str, covariance: Floats) -> TestResult:
    found = _likelihood_ratio_test(table, x, line, covariance)
    return found if math.isnan(found.p_value) else replace(found, caution=of_the_middle(table))


def _likelihood_ratio_test(table: ScoreTable, x: Floats, line: FittedLine | str, covariance: Floats) -> TestResult:
    """Intercept 0 and slope 1 together: the likelihood ratio; with weights or clusters Wald's on the sandwich."""
    name, null = "Cox", "the line has intercept 0 and slope 1"
    if isinstance(line, str):
        return TestResult(name, null, math.nan, math.nan, "likelihood ratio", line)
    if table.rows is None and not table.is_weighted:
        total = table.negative + table.positive
        best, given = (log_likelihood(logits, total, table.positive) for logits in (line(x), x))
        statistic = max(2 * (best - given), 0.0)
        return TestResult(name, null, statistic, float(chdtrc(2, statistic)), "likelihood ratio, 2 degrees of freedom")
    away = line.at - np.array([0.0, 1.0])
    clusters = None if table.rows is None else _cluster_count(table)
    missing = None if clusters is None else _few_clusters_reason(clusters)
    if missing is not None:
        return TestResult(name, null, math.nan, math.nan, "cluster-robust", missing)
    statistic = float(away @ np.linalg.solve(covariance, away))
    if clusters is None:
        return TestResult(name, null, statistic, float(chdtrc(2, statistic)), "Wald, sandwich, 2 degrees of freedom")
    scaled = statistic * (clusters - 2) / (2 * (clusters - 1))
    return TestResult(name, null, scaled, float(fdtrc(2, clusters - 2, scaled)), "cluster-robust F")


def _bias_and_influence(table: ScoreTable) -> tuple[float, Moves]:
    value = (sum(summed_over(table, table.score, table.score)) - float(table.positives)) / float(table.total)
    return value, Moves(table.score, table.score, shifts=(-value, -1 - value))


def _small_class_reason(table: ScoreTable, fewest: int = FEWEST) -> str | None:
    smaller = min(table.kish)
    if smaller >= fewest:
        return None
    return f"{counted(round(smaller), 'case')} in a class: at least {fewest} needed"


def _few_clusters_reason(clusters: int) -> str | None:
    return f"{counted(clusters, 'cluster')}: at least 3 needed" if clusters < 3 else None


def _cluster_count(table: ScoreTable) -> int:
    """How many clusters hold the class that is in the fewest of them: what a line through both rests on."""
    holding = np.count_nonzero(class_sizes(table), axis=0)
    return int(holding[holding > 0].min())


def _cluster_influence(moves: Moves, table: ScoreTable) -> Between:
    """What clusters tell of an estimate that cases move so."""
    assert table.rows is not None
    negative, positive = table.rows.sums(*moves.at_scores)
    return between_rows(negative + positive, class_sizes(table))


def influence_interval(
    table: ScoreTable, value: float, moves: Moves, bounds: tuple[float, float], level: float
) -> Interval:
    """The value plus or minus t standard errors: of a difference on its own scale, else on one that keeps in bounds.

    Of the latter the wider limits of these and of those that count on an error of either class that the sample lacks:
    to refuse small classes would show the samples that happen to hold many of a rare one.
    """
    scale = None if bounds == (-1.0, 1.0) else scale_of(bounds)
    name = "influence function" if scale is None else f"influence function, {scale.name}"
    is_plain = table.rows is None and scale is not None
    found = _small_class_reason(table, FEWEST_WITH_ERRORS if is_plain else FEWEST)
    if found is not None:
        return Interval.missing(name, found)
    if table.rows is not None:
        return between_clusters(value, _cluster_influence(moves, table), bounds, level, "cluster-robust")
    moved = moves.sums(table)
    # The smaller class decides how well the standard error itself is known.
    half = float(stdtrit(min(table.kish) - 1, 0.5 + level / 2)) * moved.error
    if not half > 0:
        return Interval.missing(name, NOTHING_VARIES)
    if scale is None:
        return Interval(max(bounds[0], value - half), min(bounds[1], value + half), name)
    middle, reach = scale.forward(value), half * scale.slope(value)
    usual = Interval(scale.backward(middle - reach), scale.backward(middle + reach), name)
    # Of a ratio of counts: a mean of nearly perfect probabilities may hang on one error, however many cases there are.
    if bounds[1] == math.inf and min(table.kish) > ENOUGH_OF_A_CLASS:
        return usual
    careful = with_pseudo_moves(table, value, moved.error, moved.turned, level)
    careful = replace(careful, low=max(bounds[0], careful.low), high=min(bounds[1], careful.high))
    return wider(usual, careful, "influence function, small-sample adjusted")


def as_estimate(name: str, value: float, interval: Interval, level: float, n: float) -> Estimate:
    """A value and its interval as one record."""
    return Estimate(name, value, interval.low, interval.high, level, interval.method, n, undefined=interval.undefined)
