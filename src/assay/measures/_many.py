"""The kind of measures that read scores of many classes: a formula with how much each case moves it."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.evidence import ClassScores, SummedClasses
from assay.measures._kinds import NOTHING_VARIES, on_scale
from assay.measures._measure import IntervalFamily, Measure, ratio
from assay.results import Interval, counted
from assay.uncertainty import Scale
from assay.uncertainty.clusters import FEW_CLUSTERS

# A value this near the end of its range is at it, but for rounding.
ROUNDING = 1e-12
UNKNOWN_CLUSTERS = "cases come in clusters, and sums do not say what each cluster moves it by"
# The scores of every case, or sums over the cases where there are none.
Scored = ClassScores | SummedClasses
# Why scores give no interval that would keep its level, or None.
Refusal = Callable[[Any], str | None]
# What each case adds to the error of the estimate: mean zero over the cases. Of sums, what all of them add to it.
Influence = Callable[[Any], Any]


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
    influence: Influence,
    scale: Scale,
    refuses: Refusal,
    centre: Influence | None = None,
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
        method = partial(_interval, influence=influence, scale=scale, refuses=refuses, centre=centre)
        return Measure(
            name=name,
            formula=formula,
            needs=ClassScores,
            intervals=IntervalFamily({f"influence, {scale.name}": method}),
            influence=influence,
            lacks=lacks,
            **facts,
        )

    return make


def _interval(
    measure: Measure,
    scores: Scored,
    level: float,
    seed: int,
    *,
    influence: Influence,
    scale: Scale,
    refuses: Refusal,
    centre: Influence | None,
) -> Interval:
    """Symmetric on a scale that keeps the value in its range, from the spread of the cases' or clusters' influence."""
    clusters, moved = _clusters(scores), influence(scores)
    name = f"influence, {scale.name}{', at most' if isinstance(moved, AtMost) else ''}"
    if clusters is not None:
        name = f"cluster-robust, {scale.name}, {counted(clusters, 'cluster')}"
    refusal = refuses(scores) or (UNKNOWN_CLUSTERS if clusters is not None and isinstance(moved, AtMost) else None)
    if clusters is not None and clusters < FEW_CLUSTERS:
        refusal = f"{counted(clusters, 'cluster')}: below {FEW_CLUSTERS} nothing tells how they vary"
    limits = partial(_limits, measure, scores, level, name, moved, scale=scale, centre=centre)
    return limits() if refusal is None else Interval.missing(name, refusal, limits)


def _clusters(scores: Scored) -> int | None:
    """How many clusters there are; None where cases do not depend on one another."""
    if isinstance(scores, SummedClasses):
        of_losses = next(iter(scores.sums.clusters.values()), None)
        return None if of_losses is None else len(of_losses)
    return None if scores.cluster is None else int(scores.cluster.max()) + 1


def _limits(
    measure: Measure,
    scores: Scored,
    level: float,
    name: str,
    moved: Any,
    *,
    scale: Scale,
    centre: Influence | None,
) -> Interval:
    value = float(measure(scores))
    if any(abs(value - bound) < ROUNDING for bound in measure.bounds) or not math.isfinite(scale.forward(value)):
        return Interval.missing(name, f"at exactly {value:g} the {scale.name} scale has no end")
    spread = _spread(scores, moved)
    if not spread.error > 0:
        return Interval.missing(name, NOTHING_VARIES)
    middle = value if centre is None else float(centre(scores))
    return on_scale(scale, value, middle, spread.error, spread.freedom, level, name)


def _spread(scores: Scored, moved: Any) -> Spread:
    """Rows of a cluster move an estimate together. Where few cases make up most of the spread, t has few degrees.

    A variance from n values with kurtosis k is known as well as from 2 n / (k - 1) normal ones; where both are at most
    so large, no better than from the cases of the smallest class.
    """
    found = moved if isinstance(scores, SummedClasses) else _moments(scores, moved)
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


def _moments(scores: ClassScores, influence: Any) -> MovedSums:
    if scores.cluster is not None:
        return MovedSums(math.nan, math.nan, np.bincount(scores.cluster, scores.each * influence))
    terms = scores.squared * np.square(influence)
    repeated = 1.0 if scores.count is None else scores.count
    return MovedSums(float(terms.sum()), float(np.nan_to_num(ratio(terms * terms, repeated)).sum()))


def fewer_cases_than(fewest: int) -> Refusal:
    """Refuses fewer cases than the interval was seen to hold its level with."""

    def refusal(scores: Scored) -> str | None:
        cases = float(ratio(scores.total * scores.total, scores.squared.sum()))
        if cases >= fewest:
            return None
        return f"{counted(round(cases), 'case')} in all: below {fewest} the interval did not keep its level"

    return refusal


def classes_smaller_than(fewest: int) -> Refusal:
    """Refuses scores where a class that occurs has fewer cases than the interval was seen to hold its level with."""

    def refusal(scores: Scored) -> str | None:
        smallest = float(scores.kish[scores.kish > 0].min())
        if smallest >= fewest:
            return None
        cases = counted(round(smallest), "case")
        return f"{cases} in the smallest class: below {fewest} the interval did not keep its level"

    return refusal
