"""The kinds of measures: decorators that pair a formula with the intervals its kind has."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from assay.evidence import ConfusionMatrix, FourCells, ScoreTable, quantiles
from assay.measures._measure import IntervalFamily, IntervalMethod, Measure, evidence_of, named, ratio
from assay.results import Interval, counted
from assay.uncertainty import (
    LOG,
    PROPORTION_METHODS,
    Moves,
    Scale,
    SummedMoves,
    hall_interval,
    log_ratio_variance,
    posterior_matrices,
    recovered_ratio,
    score_odds_ratio,
    score_ratio,
    weighted_posterior,
    weighted_proportion,
    weighted_skewness,
    wider,
    with_pseudo_moves,
)

# How an estimate moves with a negative and with a positive at each score.
Influence = Callable[[ScoreTable], tuple[Any, Any]]
# Why a table gives no interval that would keep its level, or None.
Refusal = Callable[[ScoreTable], str | None]


NOTHING_VARIES = "it does not vary between these cases, so they cannot tell how uncertain it is"

# The smallest confusion matrix whose intervals were simulated.
FEWEST_FOR_MATRIX = 10
# Ratios of two shares need more (5 of the one class and 15 of the other were the fewest that were enumerated).
FEWEST_FOR_RATIO = 20
SCORE = "Miettinen-Nurminen"

# A factor beyond e to this power says nothing, and soon is no number any more.
LARGEST_POWER = 300.0

# From this many cases in the smaller class on, the mean of a loss is near enough to normal on its own scale.
SMALL_FOR_PLAIN_SCALE = 50

# A standard error this small beside the value is the rounding of sums.
ROUNDING = 1e-12

# Among more cases than this, two more change no limit that anybody would see.
SEEN_ENOUGH = 100_000


def never(table: ScoreTable) -> None:
    """Refuses nothing."""


def smaller_class_below(fewest: int, *, weighted: int | None = None) -> Refusal:
    """Refuses tables where a class has fewer cases than the interval was seen to hold its level with.

    With weights the cases are Kish's, and it may take more of them (`weighted`).
    """

    def refusal(table: ScoreTable) -> str | None:
        smaller = min(table.kish)
        needed = weighted if weighted is not None and table.is_weighted else fewest
        if smaller >= needed:
            return None
        return f"{counted(round(smaller), 'case')} in a class: below {needed} the interval did not keep its level"

    return refusal


def first_of(*refusals: Refusal) -> Refusal:
    """Refuses what any of them refuses, for the first one's reason."""

    def refusal(table: ScoreTable) -> str | None:
        return next((reason for reason in (one(table) for one in refusals) if reason is not None), None)

    return refusal


def kish_note(matrix: ConfusionMatrix) -> str:
    """What to add to a method's name when weights make fewer cases of the rows."""
    return "" if matrix.squares is None else f", Kish n {matrix.kish:.4g}"


def too_few_cases(matrix: ConfusionMatrix, fewest: int = FEWEST_FOR_MATRIX) -> str:
    """Why a small matrix has no interval."""
    return f"{counted(round(matrix.kish), 'case')} in all: below {fewest} no interval was shown to hold"


def _proportion_method(name: str) -> IntervalMethod:
    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        part, whole = measure.share_of(matrix)
        if matrix.squares is None:
            share = float(ratio(part, whole))
            se = math.sqrt(ratio(share * (1 - share), whole)) if name == "Wald" and whole > 0 else None
            return Interval(*PROPORTION_METHODS[name](part, whole, level), name, se=se)
        part_squares, squares = measure.share_of(ConfusionMatrix(matrix.squares))
        return weighted_proportion(name, part, whole, part_squares, squares, level)

    return interval


def dirichlet(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """The middle of the posterior of a function of the cell probabilities."""
    few = too_few_cases(matrix) if matrix.kish < FEWEST_FOR_MATRIX else None
    limits = partial(_dirichlet, measure, matrix, level, seed)
    return limits() if few is None else Interval.missing("Dirichlet", few, limits)


def _dirichlet(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    if matrix.squares is None:
        cells = posterior_matrices(matrix.counts, seed)
    else:
        cells = weighted_posterior(matrix.counts, matrix.squares, seed)
    if cells.shape[1:] == (2, 2) and measure.takes_plain:
        # What is written for four numbers serves four long arrays, without the sums that only more classes need.
        drawn = measure.formula(FourCells(*(cells[:, row, column] for row in (0, 1) for column in (0, 1))))
    else:
        drawn = measure(ConfusionMatrix(cells, matrix.classes, matrix.decisions))
    tail = (1 - level) / 2
    low, high = quantiles(drawn, [tail, 1 - tail])
    return Interval(float(low), float(high), "Dirichlet" + kish_note(matrix))


PROPORTION = IntervalFamily({name: _proportion_method(name) for name in PROPORTION_METHODS})
MATRIX = IntervalFamily({"Dirichlet": dirichlet})


def proportion(**facts: Any) -> Callable[[Callable[[ConfusionMatrix], tuple[Any, Any]]], Measure]:
    """A measure that is a share of cases; the formula returns (part, whole)."""

    def make(parts: Callable[[ConfusionMatrix], tuple[Any, Any]]) -> Measure:
        def formula(matrix: ConfusionMatrix) -> Any:
            part, whole = parts(matrix)
            return ratio(part, whole)

        named(formula, parts.__name__, parts.__doc__, parts.__module__)
        return _measure(parts, formula, PROPORTION, parts=parts, bounds=(0.0, 1.0), **facts)

    return make


def function_of_matrix(
    intervals: IntervalFamily = MATRIX, **facts: Any
) -> Callable[[Callable[[ConfusionMatrix], Any]], Measure]:
    """A measure that is any other function of the confusion matrix."""
    return lambda formula: _measure(formula, formula, intervals, **facts)


def function_of_scores(intervals: IntervalFamily, **facts: Any) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    """A function of the score table with intervals of its own."""
    return lambda formula: _measure(formula, formula, intervals, **facts)


def _summed(weights: Any, values: Any) -> Any:
    """Weights times values, added up, of one table or of each of many."""
    # Without the threads of a linear algebra library: they get into the way of those of other replicates, and of one
    # table wait for one another longer than such a sum takes.
    return np.einsum("...i,i->...", weights, values)


def mean_loss(refuses: Refusal = never, **facts: Any) -> Callable[[Callable[[ScoreTable], tuple[Any, Any]]], Measure]:
    """A measure that is a mean loss; the formula returns the loss of a negative and of a positive at each score."""

    def make(losses: Callable[[ScoreTable], tuple[Any, Any]]) -> Measure:
        def each(table: ScoreTable) -> tuple[Any, Any]:
            key = f"each {losses.__name__}"
            if key not in table.cache:
                made = losses(table)
                if table.is_too_long_to_cache:
                    return made
                table.cache[key] = made
            found: tuple[Any, Any] = table.cache[key]
            return found

        def mean(table: ScoreTable) -> Any:
            of_negatives, of_positives = each(table)
            return ratio(_summed(table.negative, of_negatives) + _summed(table.positive, of_positives), table.total)

        def formula(table: ScoreTable) -> Any:
            if losses.__name__ not in table.cache:
                table.cache[losses.__name__] = mean(table)
            return table.cache[losses.__name__]

        def moves(table: ScoreTable) -> Moves:
            value = float(formula(table))
            return Moves(*each(table), shifts=(-value, -value))

        def influence(table: ScoreTable) -> tuple[Any, Any]:
            return moves(table).at_scores

        named(formula, losses.__name__, losses.__doc__, losses.__module__)
        family = IntervalFamily({"influence": partial(_loss_interval, refuses=refuses)})
        kind = {"parts": influence, "moves": moves, "counts_errors": True}
        kind |= {"needs_probability": True, "is_mean_loss": True}
        return _measure(losses, formula, family, **kind, **facts)

    return make


def smooth_function(
    *,
    influence: Callable[[ScoreTable], tuple[Any, Any]],
    scale: Scale,
    refuses: Refusal = never,
    **facts: Any,
) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    """A smooth function of the score table, given with its influence function at each score.

    Its interval is symmetric on `scale`, around the measure's `centre` where the value itself is biased.
    """
    method = partial(_influence, scale=scale, refuses=refuses)
    return function_of_scores(IntervalFamily({f"influence, {scale.name}": method}), parts=influence, **facts)


def _measure(
    written: Callable[..., Any], formula: Callable[..., Any], intervals: IntervalFamily, **facts: Any
) -> Measure:
    """A measure called as the function that was written for it; those of users stand in a family of their own."""
    usual = {"name": written.__name__, "needs": evidence_of(written), "family": "own"}
    return Measure(formula=formula, intervals=intervals, **{**usual, **facts})


def _loss_interval(measure: Measure, table: ScoreTable, level: float, seed: int, *, refuses: Refusal) -> Interval:
    """The mean plus or minus z standard errors; on the log scale where a class is too small for that."""
    if min(table.kish) < SMALL_FOR_PLAIN_SCALE:
        return _influence(measure, table, level, seed, scale=LOG, refuses=refuses)
    refusal, limits = refuses(table), partial(_plain, measure, table, level)
    return limits() if refusal is None else Interval.missing("influence", refusal, limits)


def _plain(measure: Measure, table: ScoreTable, level: float) -> Interval:
    value, moved = float(measure(table)), _moved(measure, table)
    half = float(ndtri(0.5 + level / 2)) * moved.error
    usual = Interval(value - half, value + half, "influence", se=moved.error)
    return _widened(measure, usual, table, value, moved, level)


def _moved(measure: Measure, table: ScoreTable) -> SummedMoves:
    """The standard error, and what usual cases with labels turned would move it by; or cases at the ends of a range."""

    key = (measure, "moved")
    if key not in table.cache:
        table.cache[key] = _sums_of_moves(measure, table)
    found: SummedMoves = table.cache[key]
    return found


def _sums_of_moves(measure: Measure, table: ScoreTable) -> SummedMoves:
    assert measure.parts is not None
    moves = Moves(*measure.parts(table)) if measure.moves is None else measure.moves(table)
    sums, value = moves.sums(table), float(measure(table))
    if sums.error < ROUNDING * abs(value):
        sums = replace(sums, error=0.0)
    if measure.case_range is None:
        return sums
    # No label enters: what the sample may lack is the case of the least value, or of the greatest.
    return replace(sums, turned=(measure.case_range[0] - value, measure.case_range[1] - value))


def _influence(
    measure: Measure,
    table: ScoreTable,
    level: float,
    seed: int,
    *,
    scale: Scale,
    refuses: Refusal,
) -> Interval:
    name = f"influence, {scale.name}"
    refusal, limits = refuses(table), partial(_scaled, measure, table, level, scale, name)
    return limits() if refusal is None else Interval.missing(name, refusal, limits)


def _scaled(measure: Measure, table: ScoreTable, level: float, scale: Scale, name: str) -> Interval:
    value, moved = float(measure(table)), _moved(measure, table)
    if not moved.error > 0:
        usual = Interval.missing(name, NOTHING_VARIES)
    elif not math.isfinite(scale.forward(value)):
        usual = Interval.missing(name, f"at exactly {value:g} the {scale.name} scale has no end")
    else:
        middle = value if measure.centre is None else _centre(measure, table)
        # The smaller class decides how well the standard error itself is known.
        usual = on_scale(scale, value, middle, moved.error, min(table.kish) - 1, level, name)
    return _widened(measure, usual, table, value, moved, level)


def _widened(
    measure: Measure, usual: Interval, table: ScoreTable, value: float, moved: SummedMoves, level: float
) -> Interval:
    """The wider limits of an interval and of one that counts on an error of either class that the sample lacks."""
    if not measure.counts_errors or sum(table.kish) > SEEN_ENOUGH:
        return usual
    careful = replace(with_pseudo_moves(table, value, moved.error, moved.turned, level), se=usual.se)
    if usual.undefined is not None:
        return careful
    found = wider(usual, careful, "influence, with pseudo-errors")
    if not table.is_weighted or not moved.error > 0:
        return found
    skew = _skewness(measure, table)
    return found if skew is None else wider(found, hall_interval(value, moved.error, skew, level), found.method)


def _centre(measure: Measure, table: ScoreTable) -> float:
    assert measure.centre is not None
    key = (measure, "centre")
    if key not in table.cache:
        table.cache[key] = measure.centre(table)
    return float(table.cache[key])


def _skewness(measure: Measure, table: ScoreTable) -> float | None:
    assert measure.moved_by is not None
    key = (measure, "skewness")
    if key not in table.cache:
        table.cache[key] = weighted_skewness(table, *measure.moved_by(table))
    found: float | None = table.cache[key]
    return found


def on_scale(
    scale: Scale, value: float, middle: float, error: float, freedom: float, level: float, name: str
) -> Interval:
    """Limits symmetric about `middle` on a scale, as far as the standard error reaches where the scale is steepest."""
    steepest = max(scale.slope(value), scale.slope(middle))
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error * steepest
    ends = scale.backward(scale.forward(middle) - half), scale.backward(scale.forward(middle) + half)
    return Interval(min(ends), max(ends), name, se=error)


def log_scale(error_squared: Callable[[ConfusionMatrix], float], name: str) -> IntervalMethod:
    """Limits of a ratio whose logarithm has a known standard error."""

    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        with np.errstate(divide="ignore"):
            squared = float(error_squared(matrix.effective()))
        value = float(measure(matrix))
        if not (math.isfinite(squared) and value > 0):
            return Interval.missing(name, "a cell is empty, so the logarithm has no standard error")
        half = float(ndtri(0.5 + level / 2)) * math.sqrt(squared)
        if half > LARGEST_POWER:
            return Interval.missing(name, "a cell is all but empty, so that no limit is in reach")
        factor = math.exp(half)
        return Interval(value / factor, value * factor, name)

    return interval


Shares = Callable[[ConfusionMatrix], tuple[Any, Any, Any, Any]]


def ratio_of_proportions(parts: Shares) -> IntervalFamily:
    """Intervals of (x1 / n1) / (x0 / n0): the score test's; on the log scale (Simel et al. 1991) by name.

    So are the limits recovered from Wilson's of either share (Donner & Zou 2012).
    """

    def recovered(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        low, high = recovered_ratio(*_counts(parts, matrix), level)
        return Interval(low, high, "MOVER, Wilson")

    simel = log_scale(lambda matrix: log_ratio_variance(*parts(matrix)), "Simel")
    return IntervalFamily({SCORE: _score(parts, score_ratio), "Simel": simel, "MOVER, Wilson": recovered})


def ratio_of_odds(parts: Shares, error_squared: Callable[[ConfusionMatrix], float]) -> IntervalFamily:
    """Intervals of the odds of x1 in n1 over those of x0 in n0: the score test's; on the log scale (Woolf) by name."""
    return IntervalFamily({SCORE: _score(parts, score_odds_ratio), "Woolf": log_scale(error_squared, "Woolf")})


def _score(parts: Shares, limits: Callable[..., tuple[float, float]]) -> IntervalMethod:
    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        def named() -> Interval:
            return Interval(*limits(*_counts(parts, matrix), level), SCORE + kish_note(matrix))

        few = matrix.kish < FEWEST_FOR_RATIO
        return Interval.missing(SCORE, too_few_cases(matrix, FEWEST_FOR_RATIO), named) if few else named()

    return interval


def _counts(parts: Shares, matrix: ConfusionMatrix) -> tuple[float, float, float, float]:
    x1, n1, x0, n0 = parts(matrix.effective())
    return float(x1), float(n1), float(x0), float(n0)
