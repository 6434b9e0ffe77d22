"""The kinds of measures: decorators that pair a formula with the intervals its kind has.

The kind of measures that read scores of many classes: a formula with how much each case moves it.

Limits of an area of one score over classes in their order, from what each case adds to it.

Intervals of measures that take the best rule of these same cases: between what holds here and what elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from assay.costs import Costs
from assay.evidence import ClassScores, ConfusionMatrix, FourCells, ScoreTable, SummedClasses, quantiles
from assay.measures.measure import INDEPENDENT, IntervalFamily, IntervalMethod, Measure, evidence_of, named, ratio
from assay.results import Estimate, Interval, counted
from assay.types import Floats
from assay.uncertainty import (
    CROSS_FITTED,
    LOG,
    LOGIT,
    PROPORTION_METHODS,
    Decided,
    Moves,
    Scale,
    SummedMoves,
    best_and_judged,
    every_rule,
    hall_interval,
    hull_blocks,
    judged_rule,
    log_ratio_variance,
    mean_of_cells,
    pair_share,
    pair_variance,
    posterior_matrices,
    pseudo_cases,
    recovered_ratio,
    score_odds_ratio,
    score_ratio,
    weighted_posterior,
    weighted_proportion,
    weighted_skewness,
    wider,
    with_pseudo_moves,
)
from assay.uncertainty.clusters import FEW_CLUSTERS

# How an estimate moves with a negative and with a positive at each score.
Influence = Callable[[ScoreTable], tuple[Any, Any]]
# Why a table gives no interval that would keep its level, or None.
Refusal = Callable[[ScoreTable], str | None]


NOTHING_VARIES = "it does not vary between these cases, so its standard error is 0"

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
        return f"{counted(round(smaller), 'case')} in a class: at least {needed} needed"

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
    return f"{counted(round(matrix.kish), 'case')} in all: at least {fewest} needed"


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
    limits = partial(_dirichlet_interval, measure, matrix, level, seed)
    return limits() if few is None else Interval.missing("Dirichlet", few, limits)


def _dirichlet_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
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
        return _measure_of_function(parts, formula, PROPORTION, parts=parts, bounds=(0.0, 1.0), **facts)

    return make


def function_of_matrix(
    intervals: IntervalFamily = MATRIX, **facts: Any
) -> Callable[[Callable[[ConfusionMatrix], Any]], Measure]:
    """A measure that is any other function of the confusion matrix."""
    return lambda formula: _measure_of_function(formula, formula, intervals, **facts)


def function_of_scores(intervals: IntervalFamily, **facts: Any) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    """A function of the score table with intervals of its own."""
    return lambda formula: _measure_of_function(formula, formula, intervals, **facts)


def _weighted_sum(weights: Any, values: Any) -> Any:
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
            return ratio(
                _weighted_sum(table.negative, of_negatives) + _weighted_sum(table.positive, of_positives), table.total
            )

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
        family = IntervalFamily({"influence function": partial(_loss_interval, refuses=refuses)})
        kind = {"parts": influence, "moves": moves, "counts_errors": True}
        kind |= {"needs_probability": True, "is_mean_loss": True}
        return _measure_of_function(losses, formula, family, **kind, **facts)

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
    method = partial(_influence_interval, scale=scale, refuses=refuses)
    return function_of_scores(IntervalFamily({f"influence function, {scale.name}": method}), parts=influence, **facts)


def _measure_of_function(
    written: Callable[..., Any], formula: Callable[..., Any], intervals: IntervalFamily, **facts: Any
) -> Measure:
    """A measure called as the function that was written for it; those of users stand in a family of their own."""
    usual = {"name": written.__name__, "needs": evidence_of(written), "family": "own"}
    return Measure(formula=formula, intervals=intervals, **{**usual, **facts})


def _loss_interval(measure: Measure, table: ScoreTable, level: float, seed: int, *, refuses: Refusal) -> Interval:
    """The mean plus or minus z standard errors; on the log scale where a class is too small for that."""
    if min(table.kish) < SMALL_FOR_PLAIN_SCALE:
        return _influence_interval(measure, table, level, seed, scale=LOG, refuses=refuses)
    refusal, limits = refuses(table), partial(_plain_loss_interval, measure, table, level)
    return limits() if refusal is None else Interval.missing("influence function", refusal, limits)


def _plain_loss_interval(measure: Measure, table: ScoreTable, level: float) -> Interval:
    value, moved = float(measure(table)), _widened_moments(measure, table)
    half = float(ndtri(0.5 + level / 2)) * moved.error
    usual = Interval(value - half, value + half, "influence function", se=moved.error)
    return _widened_interval(measure, usual, table, value, moved, level)


def _widened_moments(measure: Measure, table: ScoreTable) -> SummedMoves:
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


def _influence_interval(
    measure: Measure,
    table: ScoreTable,
    level: float,
    seed: int,
    *,
    scale: Scale,
    refuses: Refusal,
) -> Interval:
    name = f"influence function, {scale.name}"
    refusal, limits = refuses(table), partial(_interval_on_scale, measure, table, level, scale, name)
    return limits() if refusal is None else Interval.missing(name, refusal, limits)


def _interval_on_scale(measure: Measure, table: ScoreTable, level: float, scale: Scale, name: str) -> Interval:
    value, moved = float(measure(table)), _widened_moments(measure, table)
    if not moved.error > 0:
        usual = Interval.missing(name, NOTHING_VARIES)
    elif not math.isfinite(scale.forward(value)):
        usual = Interval.missing(name, f"at exactly {value:g} the {scale.name} scale has no end")
    else:
        middle = value if measure.centre is None else _interval_centre(measure, table)
        # The smaller class decides how well the standard error itself is known.
        usual = on_scale(scale, value, middle, moved.error, min(table.kish) - 1, level, name)
    return _widened_interval(measure, usual, table, value, moved, level)


def _widened_interval(
    measure: Measure, usual: Interval, table: ScoreTable, value: float, moved: SummedMoves, level: float
) -> Interval:
    """The wider limits of an interval and of one that counts on an error of either class that the sample lacks."""
    if not measure.counts_errors or sum(table.kish) > SEEN_ENOUGH:
        return usual
    careful = replace(with_pseudo_moves(table, value, moved.error, moved.turned, level), se=usual.se)
    if usual.undefined is not None:
        return careful
    found = wider(usual, careful, "influence function, small-sample adjusted")
    if not table.is_weighted or not moved.error > 0:
        return found
    skew = _loss_skewness(measure, table)
    return found if skew is None else wider(found, hall_interval(value, moved.error, skew, level), found.method)


def _interval_centre(measure: Measure, table: ScoreTable) -> float:
    assert measure.centre is not None
    key = (measure, "centre")
    if key not in table.cache:
        table.cache[key] = measure.centre(table)
    return float(table.cache[key])


def _loss_skewness(measure: Measure, table: ScoreTable) -> float | None:
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
            return Interval.missing(name, "an entry of the confusion matrix is nearly 0, so there is no interval")
        factor = math.exp(half)
        return Interval(value / factor, value * factor, name)

    return interval


Shares = Callable[[ConfusionMatrix], tuple[Any, Any, Any, Any]]


def ratio_of_proportions(parts: Shares) -> IntervalFamily:
    """Intervals of (x1 / n1) / (x0 / n0): the score test's; on the log scale (Simel et al. 1991) by name.

    So are the limits recovered from Wilson's of either share (Donner & Zou 2012).
    """

    def recovered(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        low, high = recovered_ratio(*_share_counts(parts, matrix), level)
        return Interval(low, high, "MOVER, Wilson")

    simel = log_scale(lambda matrix: log_ratio_variance(*parts(matrix)), "Simel")
    return IntervalFamily({SCORE: _score_method(parts, score_ratio), "Simel": simel, "MOVER, Wilson": recovered})


def ratio_of_odds(parts: Shares, error_squared: Callable[[ConfusionMatrix], float]) -> IntervalFamily:
    """Intervals of the odds of x1 in n1 over those of x0 in n0: the score test's; on the log scale (Woolf) by name."""
    return IntervalFamily({SCORE: _score_method(parts, score_odds_ratio), "Woolf": log_scale(error_squared, "Woolf")})


def _score_method(parts: Shares, limits: Callable[..., tuple[float, float]]) -> IntervalMethod:
    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        def named() -> Interval:
            return Interval(*limits(*_share_counts(parts, matrix), level), SCORE + kish_note(matrix))

        few = matrix.kish < FEWEST_FOR_RATIO
        return Interval.missing(SCORE, too_few_cases(matrix, FEWEST_FOR_RATIO), named) if few else named()

    return interval


def _share_counts(parts: Shares, matrix: ConfusionMatrix) -> tuple[float, float, float, float]:
    x1, n1, x0, n0 = parts(matrix.effective())
    return float(x1), float(n1), float(x0), float(n0)


# A value this near the end of its range is at it, but for rounding.
UNKNOWN_CLUSTERS = "the cases are clustered, and sums lack the clusters' influence values"
# The scores of every case, or sums over the cases where there are none.
Scored = ClassScores | SummedClasses
# Why scores give no interval that would keep its level, or None.
MulticlassRefusal = Callable[[Any], str | None]
# What each case adds to the error of the estimate: mean zero over the cases. Of sums, what all of them add to it.
MulticlassInfluence = Callable[[Any], Any]


# What a measure of many classes has in common with that of two, unless it says otherwise.
SHARED = (
    *("title", "family", "notation", "bounds", "better", "undefined", "aliases", "reference"),
    *("needs_probability", "is_mean_loss", "over_folds"),
)


class AtMost(NamedTuple):
    """The largest that the sum of squared weights times squared influences could be, whichever scores belong together.

    It is so where sums do not say which scores belong to one case. `fourth` is that of their squares, which tells
    whether few cases make up most of the spread.
    """

    squares: float
    fourth: float


class MovedSums(NamedTuple):
    """Sums over cases of what each adds to the error: squared, to the fourth power, and of each cluster where such are.

    They are what influences of single cases would be summed to.
    """

    squares: float
    fourth: float
    of_clusters: Any = None


class Spread(NamedTuple):
    """The standard error of an estimate, and how well it is known: the degrees of freedom of Student's t beside it."""

    error: float
    freedom: float


def of_class_scores(
    name: str,
    *,
    influence: MulticlassInfluence,
    scale: Scale,
    refuses: MulticlassRefusal,
    centre: MulticlassInfluence | None = None,
    like: Measure | None = None,
    lacks: Callable[[SummedClasses], str | None] = lambda summed: None,
    **facts: Any,
) -> Callable[[Callable[[Any], Any]], Measure]:
    """A measure of scores of many classes, given with how much each case moves it.

    Its interval is symmetric on `scale`, around `centre` where the value itself is biased. What is not said of it is as
    in the measure of two classes it is `like`. `lacks` says what sums over cases do not hold that it needs.
    """
    if like is not None:
        facts = {fact: getattr(like, fact) for fact in SHARED} | facts

    def make(formula: Callable[[Any], Any]) -> Measure:
        method = partial(_many_class_interval, influence=influence, scale=scale, refuses=refuses, centre=centre)
        return Measure(
            name=name,
            formula=formula,
            needs=ClassScores,
            intervals=IntervalFamily({f"influence function, {scale.name}": method}),
            influence=influence,
            lacks=lacks,
            **facts,
        )

    return make


def _many_class_interval(
    measure: Measure,
    scores: Scored,
    level: float,
    seed: int,
    *,
    influence: MulticlassInfluence,
    scale: Scale,
    refuses: MulticlassRefusal,
    centre: MulticlassInfluence | None,
) -> Interval:
    """Symmetric on a scale that keeps the value in its range, from the spread of the cases' or clusters' influence."""
    clusters, moved = _cluster_count(scores), influence(scores)
    name = f"influence function, {scale.name}{', at most' if isinstance(moved, AtMost) else ''}"
    if clusters is not None:
        name = f"cluster-robust, {scale.name}, {counted(clusters, 'cluster')}"
    refusal = refuses(scores) or (UNKNOWN_CLUSTERS if clusters is not None and isinstance(moved, AtMost) else None)
    if clusters is not None and clusters < FEW_CLUSTERS:
        refusal = f"{counted(clusters, 'cluster')}: at least {FEW_CLUSTERS} needed"
    limits = partial(_many_class_limits, measure, scores, level, name, moved, scale=scale, centre=centre)
    return limits() if refusal is None else Interval.missing(name, refusal, limits)


def _cluster_count(scores: Scored) -> int | None:
    """How many clusters there are; None where cases do not depend on one another."""
    if isinstance(scores, SummedClasses):
        of_losses = next(iter(scores.sums.clusters.values()), None)
        return None if of_losses is None else len(of_losses)
    return None if scores.cluster is None else int(scores.cluster.max()) + 1


def _many_class_limits(
    measure: Measure,
    scores: Scored,
    level: float,
    name: str,
    moved: Any,
    *,
    scale: Scale,
    centre: MulticlassInfluence | None,
) -> Interval:
    value = float(measure(scores))
    if any(abs(value - bound) < ROUNDING for bound in measure.bounds) or not math.isfinite(scale.forward(value)):
        return Interval.missing(name, f"at exactly {value:g} the {scale.name} scale has no end")
    spread = _variance_of_influence(scores, moved)
    if not spread.error > 0:
        return Interval.missing(name, NOTHING_VARIES)
    middle = value if centre is None else float(centre(scores))
    return on_scale(scale, value, middle, spread.error, spread.freedom, level, name)


def _variance_of_influence(scores: Scored, moved: Any) -> Spread:
    """Rows of a cluster move an estimate together. Where few cases make up most of the spread, t has few degrees.

    A variance from n values with kurtosis k is known as well as from 2 n / (k - 1) normal ones; where both are at most
    so large, no better than from the cases of the smallest class.
    """
    found = moved if isinstance(scores, SummedClasses) else _influence_moments(scores, moved)
    total, squares = float(scores.total), float(found.squares)
    effective = float(ratio(total * total, scores.squared.sum()))
    kurtosis = float(ratio(found.fourth, squares * squares))
    freedom = float(ratio(2.0, max(kurtosis - float(ratio(1.0, effective)), 1e-9)))
    if isinstance(found, AtMost):
        freedom = min(freedom, float(scores.kish[scores.kish > 0].min()) - 1)
    elif found.of_clusters is not None:
        squares, effective = float(found.of_clusters @ found.of_clusters), float(len(found.of_clusters))
        freedom = effective - 1
    if not effective > 1:
        return Spread(math.nan, math.nan)
    return Spread(math.sqrt(float(ratio(squares * effective, total * total * (effective - 1)))), freedom)


def _influence_moments(scores: ClassScores, influence: Any) -> MovedSums:
    if scores.cluster is not None:
        return MovedSums(math.nan, math.nan, np.bincount(scores.cluster, scores.each * influence))
    terms = scores.squared * np.square(influence)
    repeated = 1.0 if scores.count is None else scores.count
    return MovedSums(float(terms.sum()), float(np.nan_to_num(ratio(terms * terms, repeated)).sum()))


def fewer_cases_than(fewest: int) -> MulticlassRefusal:
    """Refuses fewer cases than the interval was seen to hold its level with."""

    def refusal(scores: Scored) -> str | None:
        cases = float(ratio(scores.total * scores.total, scores.squared.sum()))
        if cases >= fewest:
            return None
        return f"{counted(round(cases), 'case')} in all: at least {fewest} needed"

    return refusal


def classes_smaller_than(fewest: int) -> MulticlassRefusal:
    """Refuses scores where a class that occurs has fewer cases than the interval was seen to hold its level with."""

    def refusal(scores: Scored) -> str | None:
        smallest = float(scores.kish[scores.kish > 0].min())
        if smallest >= fewest:
            return None
        cases = counted(round(smallest), "case")
        return f"{cases} in the smallest class: at least {fewest} needed"

    return refusal


METHOD, CAREFUL, BOTH = (
    "components, logit",
    "components, small-sample adjusted",
    "components, logit or small-sample adjusted",
)
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
    found = _ordered_interval(formula, counts, level)
    n = float(counts.sum())
    return Estimate(name, value, found.low, found.high, level, found.method, n, undefined=found.undefined, se=found.se)


def _ordered_interval(formula: Formula, counts: Floats, level: float) -> Interval:
    sizes = counts.sum(-1)
    if sizes.min() < FEWEST_OF_A_CLASS:
        smallest = counted(float(sizes.min()), "case")
        return Interval.missing(METHOD, f"{smallest} in the smallest class: at least {FEWEST_OF_A_CLASS} needed")
    if counts.shape[-1] == 1:
        return Interval.missing(METHOD, "all cases have the same score, so nothing varies")
    value, error = _value_and_error(formula, counts)
    z = float(ndtri(0.5 + level / 2))
    usual = _logit_interval(value, error, z)
    rests_on = min(float((sizes - counts.max(-1)).min()), float(sizes.min()) * min(value, 1 - value))
    if usual is not None and rests_on >= ENOUGH:
        return usual
    careful = _small_sample_limits(formula, counts, level, z, value)
    return careful if usual is None else wider(usual, careful, BOTH)


def _value_and_error(formula: Formula, counts: Floats) -> tuple[float, float]:
    """The value and its standard error: the variances of each class's components, as DeLong's of an AUC."""
    value, components = formula(counts)
    variance = 0.0
    for at, part in zip(counts, components, strict=True):
        size = float(at.sum())
        variance += float(ratio(at @ np.square(part - float(ratio(at @ part, size))), size * (size - 1)))
    return value, math.sqrt(variance)


def _logit_interval(value: float, error: float, z: float) -> Interval | None:
    if not error > 0 or not 0 < value < 1:
        return None
    half = z * error * LOGIT.slope(value)
    low, high = (LOGIT.backward(LOGIT.forward(value) + sign * half) for sign in (-1, 1))
    return Interval(low, high, METHOD, se=error)


def _small_sample_limits(formula: Formula, counts: Floats, level: float, z: float, held: float) -> Interval:
    """The limits after each class got a case at the highest score and one at the lowest, on the plain scale."""
    more = counts.copy()
    more[:, 0] += pseudo_cases(level)
    more[:, -1] += pseudo_cases(level)
    value, error = _value_and_error(formula, more)
    low, high = max(0.0, value - z * error), min(1.0, value + z * error)
    return Interval(min(low, held), max(high, held), CAREFUL, se=error)


# A value with its variance.
CrossFittedSpread = tuple[float, float]
# The values of rules on the cases that choose among them, and the value of rules judged on other cases.
Judged = tuple[tuple[Floats, Floats], CrossFittedSpread]
BestAndJudged = Callable[[ScoreTable, int], Judged]

FEWEST_IN_CLASS = 10


def cross_fitted(of: BestAndJudged) -> IntervalFamily:
    """An interval from the best rule found, and from rules chosen on nine tenths of the cases and judged on the tenth.

    The best rule there is looks no better than the best found, so the flattering limit lies so many standard errors
    beyond that; rules judged on other cases are no better than the best there is on average, so the other limit lies
    so many below those. The same cases are always parted in the same way.
    """

    def interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        refusal = _too_few_cases_reason(table)
        if refusal is not None:
            return Interval.missing(CROSS_FITTED, refusal)
        key = (CROSS_FITTED, measure, seed)
        if key not in table.cache:
            table.cache[key] = of(table, seed)
        found, judged = table.cache[key]
        return best_and_judged(found, judged, min(table.kish), level, higher=measure.better == "higher")

    return IntervalFamily({CROSS_FITTED: interval}, INDEPENDENT)


def _too_few_cases_reason(table: ScoreTable) -> str | None:
    if table.is_weighted:
        return "a cross-fitted interval deals out whole cases, and these have weights"
    if len(table) == 1:
        return "all cases have the same score, so that there is no rule to choose"
    smaller = int(min(table.kish))
    if smaller < FEWEST_IN_CLASS:
        return f"{counted(smaller, 'case')} in a class: a cross-fitted interval needs {FEWEST_IN_CLASS} of each"
    return None


def largest_gap(table: ScoreTable, seed: int) -> Judged:
    """Recall less false alarms, or the reverse, at the threshold where they differ most."""
    gain, loss = float(ratio(1.0, table.positives)), float(ratio(1.0, table.negatives))
    gaps, variances = _label_gap(every_rule(table))
    judged, variance = _label_gap(judged_rule(table, gain, loss, seed, either_way=True))
    return (np.abs(gaps), variances), (float(judged), float(variance))


def _label_gap(one: Decided) -> tuple[Any, Any]:
    return ratio(one.hits, one.positives) - ratio(one.alarms, one.negatives), sum(one.variances())


def least_cost(costs: Costs) -> BestAndJudged:
    """What a case costs at the cheapest threshold."""

    def of(table: ScoreTable, seed: int) -> Judged:
        ours = costs.of_classes(table.classes)
        false_alarm, miss = ours.regret
        if ours.prevalence is not None:
            negatives, positives = ours.prevalence
            false_alarm = float(ratio(negatives * false_alarm, table.negatives))
            miss = float(ratio(positives * miss, table.positives))
        judged, variance = _mean_cost_and_variance(judged_rule(table, miss, false_alarm, seed), ours)
        return _mean_cost_and_variance(every_rule(table), ours), (float(judged), float(variance))

    return of


def _mean_cost_and_variance(one: Decided, costs: Costs) -> tuple[Any, Any]:
    """What a case costs decided so, and the variance of that."""
    hits, alarms = np.asarray(one.hits), np.asarray(one.alarms)
    if costs.prevalence is None:
        rows = np.stack([one.negatives - alarms, alarms], -1), np.stack([one.positives - hits, hits], -1)
        mean, variance = mean_of_cells(np.stack(rows, -2), costs.loss)
        return mean + costs.acquisition, variance
    (no, yes), (false_alarm, miss) = costs.prevalence, costs.regret
    fpr, fnr = ratio(alarms, one.negatives), 1 - ratio(hits, one.positives)
    of_recall, of_fpr = one.variances()
    value = no * (costs.tn + false_alarm * fpr) + yes * (costs.tp + miss * fnr) + costs.acquisition
    return value, (no * false_alarm) ** 2 * of_fpr + (yes * miss) ** 2 * of_recall


def area_of_hull(table: ScoreTable, seed: int) -> Judged:
    """The share of pairs in order after isotonic calibration."""
    fitted, partings = hull_blocks(table, seed)
    judged = float(np.mean([[pair_share(fold) for fold in folds] for folds in partings]))
    # One parting is enough to tell a variance.
    variances = pair_variance([fitted]), pair_variance(partings[0])
    return (np.array([pair_share(fitted)]), np.array([variances[0]])), (judged, variances[1])
