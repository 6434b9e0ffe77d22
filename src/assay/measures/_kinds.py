"""The kinds of measures: decorators that pair a formula with the intervals its kind has."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import expit, logit, stdtrit

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures._measure import IntervalFamily, IntervalMethod, Measure, evidence_of, ratio
from assay.results import Interval, counted
from assay.uncertainty import PROPORTION_METHODS, posterior_matrices, standard_error

__all__ = ["function_of_matrix", "mean_loss", "proportion", "smooth_function"]

# Why a table gives no interval that would keep its level, or None.
Refusal = Callable[[ScoreTable], str | None]

INDEPENDENT = "cases are independent of one another and played no part in fitting the classifier or choosing it"


def never(table: ScoreTable) -> None:
    """Refuses nothing."""


def fewer_positives_than(fewest: int) -> Refusal:
    """Refuses tables with fewer positives than an interval was seen to hold its level with."""

    def refusal(table: ScoreTable) -> str | None:
        if table.positives >= fewest:
            return None
        return f"{counted(float(table.positives), 'positive')}, too few: below {fewest} it did not keep its level"

    return refusal


def _proportion_method(name: str) -> IntervalMethod:
    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        assert measure.parts is not None
        part, whole = (float(count) for count in measure.parts(matrix))
        return Interval(*PROPORTION_METHODS[name](part, whole, level), name)

    return interval


def dirichlet(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """The middle of the posterior of a function of the cell probabilities."""
    draws = ConfusionMatrix(posterior_matrices(matrix.counts, seed), matrix.classes, matrix.decisions)
    tail = (1 - level) / 2
    low, high = np.quantile(measure(draws), [tail, 1 - tail])
    return Interval(float(low), float(high), "Dirichlet")


PROPORTION = IntervalFamily(
    MappingProxyType({name: _proportion_method(name) for name in PROPORTION_METHODS}), INDEPENDENT
)
MATRIX = IntervalFamily(MappingProxyType({"Dirichlet": dirichlet}), INDEPENDENT)


def proportion(**facts: Any) -> Callable[[Callable[[ConfusionMatrix], tuple[Any, Any]]], Measure]:
    """A measure that is a share of cases; the formula returns (part, whole)."""

    def make(parts: Callable[[ConfusionMatrix], tuple[Any, Any]]) -> Measure:
        def formula(matrix: ConfusionMatrix) -> Any:
            return ratio(*parts(matrix))

        formula.__doc__, formula.__module__, formula.__qualname__ = parts.__doc__, parts.__module__, parts.__name__
        return _measure(parts, formula, PROPORTION, parts=parts, bounds=(0.0, 1.0), **facts)

    return make


def function_of_matrix(
    intervals: IntervalFamily = MATRIX, **facts: Any
) -> Callable[[Callable[[ConfusionMatrix], Any]], Measure]:
    """A measure that is any other function of the confusion matrix."""

    def make(formula: Callable[[ConfusionMatrix], Any]) -> Measure:
        return _measure(formula, formula, intervals, **facts)

    return make


def mean_loss(refuses: Refusal = never, **facts: Any) -> Callable[[Callable[[ScoreTable], tuple[Any, Any]]], Measure]:
    """A measure that is a mean loss; the formula returns the loss of a negative and of a positive at each score."""

    def make(losses: Callable[[ScoreTable], tuple[Any, Any]]) -> Measure:
        def mean(table: ScoreTable) -> Any:
            of_negatives, of_positives = losses(table)
            return ratio(table.negative @ of_negatives + table.positive @ of_positives, table.total)

        def formula(table: ScoreTable) -> Any:
            return table.remember(losses.__name__, lambda: mean(table))

        def influence(table: ScoreTable) -> tuple[Any, Any]:
            value = formula(table)
            of_negatives, of_positives = losses(table)
            return of_negatives - value, of_positives - value

        formula.__doc__, formula.__module__, formula.__qualname__ = losses.__doc__, losses.__module__, losses.__name__
        family = _influence_family(refuses)
        return _measure(losses, formula, family, parts=influence, needs_probability=True, **facts)

    return make


def smooth_function(
    *,
    influence: Callable[[ScoreTable], tuple[Any, Any]],
    refuses: Refusal = never,
    on_logit_scale: bool = False,
    **facts: Any,
) -> Callable[[Callable[[ScoreTable], Any]], Measure]:
    """A smooth function of the score table, given with its influence function at each score."""

    def make(formula: Callable[[ScoreTable], Any]) -> Measure:
        family = _influence_family(refuses, on_logit_scale)
        return _measure(formula, formula, family, parts=influence, **facts)

    return make


def _measure(
    named: Callable[..., Any], formula: Callable[..., Any], intervals: IntervalFamily, **facts: Any
) -> Measure:
    return Measure(
        name=named.__name__,
        formula=formula,
        needs=evidence_of(named),
        family=named.__module__.rsplit(".", 1)[-1],
        intervals=intervals,
        **facts,
    )


def _influence_family(refuses: Refusal, on_logit_scale: bool = False) -> IntervalFamily:
    name = "influence, logit" if on_logit_scale else "influence"
    method = partial(_influence, refuses=refuses, on_logit_scale=on_logit_scale)
    return IntervalFamily(MappingProxyType({name: method}), INDEPENDENT)


def _influence(
    measure: Measure, table: ScoreTable, level: float, seed: int, *, refuses: Refusal, on_logit_scale: bool
) -> Interval:
    name = "influence, logit" if on_logit_scale else "influence"
    assert measure.parts is not None
    refusal = refuses(table)
    if refusal is not None:
        return Interval.missing(name, refusal)
    influence = measure.parts
    error = table.remember(f"error of {measure.name}", lambda: standard_error(table, *influence(table)))
    value = float(measure(table))
    if not error > 0:
        return Interval.missing(name, "it does not vary between these cases, so they cannot tell how uncertain it is")
    t = float(stdtrit(float(table.total) - 1, 0.5 + level / 2))
    if not on_logit_scale:
        return Interval(value - t * error, value + t * error, name)
    if value in measure.bounds:
        return Interval.missing(name, f"at exactly {value:g} the logit scale has no end")
    half = t * error / (value * (1 - value))
    return Interval(float(expit(logit(value) - half)), float(expit(logit(value) + half)), name)


def log_scale(error_squared: Callable[[ConfusionMatrix], float], name: str) -> IntervalFamily:
    """Intervals of a ratio whose logarithm has a known standard error."""

    def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        with np.errstate(divide="ignore"):
            squared = float(error_squared(matrix))
        value = float(measure(matrix))
        if not (math.isfinite(squared) and value > 0):
            return Interval.missing(name, "a cell is empty, so the logarithm has no standard error")
        z = float(stdtrit(np.inf, 0.5 + level / 2))
        factor = math.exp(z * math.sqrt(squared))
        return Interval(value / factor, value * factor, name)

    return IntervalFamily(MappingProxyType({name: interval}), INDEPENDENT)
