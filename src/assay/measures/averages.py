"""Averages over classes: reductions of evidence, one class against the rest at a time, and their intervals.

A class that truth never holds has no recall, so averages are over the classes that occur. A class that occurs and has
no value (nothing was called by its name, so its precision is 0/0) leaves the average undefined: nothing is skipped
silently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix, quantiles
from assay.measures.agreement import f1, jaccard
from assay.measures.kinds import (
    FEWEST_FOR_MATRIX,
    PROPORTION,
    dirichlet,
    function_of_matrix,
    kish_note,
    too_few_cases,
)
from assay.measures.measure import IntervalFamily, Measure, named, ratio
from assay.measures.rates import npv, precision, recall, specificity
from assay.results import Interval, counted
from assay.text import in_sentence
from assay.uncertainty import PROPORTION_METHODS, posterior_matrices, weighted_posterior

# Simulated with 3, 5, 10 and 30 classes (250 to 400 samples a row): macro F1 was covered in .71 to 1.00 of samples with
# fewer than 10 cases in a class, in .91 to .99 from 10 on. The stretching below is one of four ways tried on those rows
# of 3, 10 and 30 classes; 5 classes were looked at afterwards. More than 30 were not tried. Those that weigh classes by
# their size were covered in .92 to .99 whatever the smallest class.
MOST_CLASSES = 30
FEWEST_OF_A_CLASS = 10

WORDS = {
    "macro": "Mean over the classes of the {title} of each against the rest, every class counting the same.",
    "micro": "The {title} of all pooled one-against-the-rest predictions, every case counting the same.",
    "weighted": "Mean over the classes of the {title} of each against the rest, weighed by how common they are.",
}
NOTATION = {"macro": "mean over classes of {}", "micro": "{} of summed counts", "weighted": "sum of class share * {}"}


def averaged(kind: str, measure: Measure) -> Measure:
    """The macro, micro or weighted average over classes of a measure of one class.

    >>> matrix = ConfusionMatrix(np.array([[49, 1, 0], [0, 47, 3], [0, 2, 48]]))
    >>> [round(float(averaged(kind, f1)(matrix)), 6) for kind in ("macro", "micro", "weighted")]
    [0.960131, 0.96, 0.960131]
    >>> averaged("macro", f1).estimate(matrix).method
    'Dirichlet'
    """

    def formula(matrix: ConfusionMatrix) -> Any:
        return REDUCTIONS[kind](measure, matrix)

    named(formula, f"{kind}_{measure.name}", WORDS[kind].format(title=in_sentence(measure.title)), __name__)
    intervals, parts = _average_intervals(kind, measure)
    return function_of_matrix(
        intervals,
        family="averages",
        title=f"{kind.capitalize()} {in_sentence(measure.title)}",
        notation=NOTATION[kind].format(measure.name),
        bounds=measure.bounds,
        better=measure.better,
        undefined=f"for a class that occurs {measure.undefined}" if kind != "micro" else measure.undefined,
        aliases=(f"{measure.name}_{kind}",),
        reference=measure.reference,
        parts=parts,
        # Every case counts the same in these, so that saying the commonest class is best.
        best_constant="commonest" if parts is not None or (kind, measure.name) == ("micro", "f1") else None,
        of_each_class=(kind, measure.name) == ("macro", "recall"),
        weighs_by_size=kind == "weighted",
        made_by=(averaged, (kind, measure)),
    )(formula)


def _macro(measure: Measure, matrix: ConfusionMatrix) -> Any:
    occurs = matrix.actual > 0
    each = np.where(occurs, measure(matrix.one_vs_rest()), 0.0)
    return ratio(each.sum(-1), occurs.sum(-1))


def _micro(measure: Measure, matrix: ConfusionMatrix) -> Any:
    return measure(_summed_matrix(matrix))


def _weighted(measure: Measure, matrix: ConfusionMatrix) -> Any:
    occurs = matrix.actual > 0
    each = np.where(occurs, measure(matrix.one_vs_rest()) * matrix.actual, 0.0)
    return ratio(each.sum(-1), matrix.total)


REDUCTIONS: dict[str, Callable[[Measure, ConfusionMatrix], Any]] = {
    "macro": _macro,
    "micro": _micro,
    "weighted": _weighted,
}


def _summed_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The two-class matrices of all classes, summed."""
    return ConfusionMatrix(matrix.one_vs_rest().counts.sum(-3))


def _average_intervals(kind: str, measure: Measure) -> tuple[IntervalFamily, Callable[[Any], Any] | None]:
    """Where an average is a plain share of the cases after all, the intervals of shares; else the posterior."""
    if measure is recall and kind != "macro":
        return PROPORTION, lambda matrix: (matrix.correct, matrix.total)
    if measure is precision and kind == "micro":
        return PROPORTION, lambda matrix: (matrix.correct, matrix.predicted.sum(-1))
    if measure is f1 and kind == "micro":
        return IntervalFamily({"Wilson": _micro_f1_interval}), None
    if measure is jaccard and kind == "micro":
        return IntervalFamily({"Wilson": _micro_jaccard_interval}), None
    return (OF_MANY if math.isfinite(measure.bounds[1]) else UNBOUNDED), None


def _micro_f1_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """Wilson's: every case was given a class, so it is the accuracy; else the posterior of right, wrong and neither."""
    matrix = matrix.effective()
    correct, called, total = float(matrix.correct), float(matrix.predicted.sum()), float(matrix.total)
    if called == total:
        return Interval(*PROPORTION_METHODS["Wilson"](correct, total, level), "Wilson")
    if total < FEWEST_FOR_MATRIX:
        return Interval.missing("Dirichlet", too_few_cases(matrix))
    draws = posterior_matrices(np.array([[correct, called - correct, total - called]]), seed)[:, 0]
    tail = (1 - level) / 2
    values = ratio(2 * draws[:, 0], draws.sum(-1) + draws[:, :2].sum(-1))
    low, high = quantiles(values, [tail, 1 - tail])
    return Interval(float(low), float(high), "Dirichlet")


def _micro_jaccard_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """What the limits of micro F1 make of F / (2 - F)."""
    found = _micro_f1_interval(measure, matrix, level, seed)
    low, high = (float(ratio(end, 2 - end)) for end in (found.low, found.high))
    return Interval(low, high, found.method, found.undefined)


def posterior_of_many(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    """The middle of the posterior of a function of K by K cells, stretched to what its own prior took away.

    Even two cases spread over the cells pull near-perfect values down by more than the sample is uncertain, so the
    limit on the estimate's side is moved by the distance of the posterior's mean from the estimate.
    """
    refusal = _too_few_cases_reason(matrix, 0 if measure.weighs_by_size else FEWEST_OF_A_CLASS)
    limits = partial(_posterior_interval, measure, matrix, level, seed)
    return limits() if refusal is None else Interval.missing("Dirichlet", refusal, limits)


def _posterior_interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
    observed = occurring(matrix)
    if observed.squares is None:
        draws = posterior_matrices(observed.counts, seed)
    else:
        draws = weighted_posterior(observed.counts, observed.squares, seed)
    values = measure(ConfusionMatrix(draws, observed.classes, observed.decisions))
    tail = (1 - level) / 2
    low, high = (float(limit) for limit in quantiles(values, [tail, 1 - tail]))
    taken = float(measure(matrix)) - float(values.mean())
    return Interval(low + min(taken, 0.0), high + max(taken, 0.0), "Dirichlet" + kish_note(matrix))


def _too_few_cases_reason(matrix: ConfusionMatrix, fewest: int) -> str | None:
    sizes = matrix.effective().actual
    sizes = sizes[sizes > 0]
    if matrix.kish < FEWEST_FOR_MATRIX:
        return too_few_cases(matrix)
    if len(sizes) > MOST_CLASSES:
        return f"{len(sizes):,} classes: above {MOST_CLASSES} no interval was validated"
    if sizes.min() < fewest:
        smallest = counted(round(float(sizes.min())), "case")
        return f"{smallest} in the smallest class: at least {fewest} needed"
    return None


def occurring(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The matrix without the rows of classes that truth never holds; their columns stay, as labels like any unseen one.

    >>> occurring(ConfusionMatrix(np.array([[5, 1, 0], [0, 0, 0], [1, 1, 3]]), tuple("abc")))
       a  c  b  <- decided
    a  5  0  1
    c  1  3  1
    """
    rows = np.flatnonzero(matrix.actual > 0)
    columns = [*rows, *(j for j in range(len(matrix.decisions)) if j not in rows)]
    squares = None if matrix.squares is None else matrix.squares[rows][:, columns]
    return ConfusionMatrix(
        matrix.counts[rows][:, columns],
        tuple(matrix.classes[i] for i in rows),
        tuple(matrix.decisions[j] for j in columns),
        squares,
    )


OF_MANY = IntervalFamily({"Dirichlet": posterior_of_many})
UNBOUNDED = IntervalFamily.none("no interval was simulated for an average of ratios without an upper end")


def measures_of_many(registry: Mapping[str, Measure]) -> list[Measure]:
    """The measures of all classes among these, as they are for more than two, then the averages of one-class ones.

    The number is the same, but that classes truth never holds are left out; the interval keeps to what was checked.
    """
    kept = [each for each in registry.values() if each.needs is ConfusionMatrix and not each.of_one_class]
    return [*map(_many_class_measure, kept), *AVERAGES]


def _many_class_measure(measure: Measure) -> Measure:
    methods = {
        name: posterior_of_many if method is dirichlet else method for name, method in measure.intervals.methods.items()
    }
    intervals = IntervalFamily(methods, measure.intervals.assumes)
    formula = _OVER_OCCURRING.get(measure.name, measure.formula)
    return replace(measure, formula=formula, intervals=intervals)


def balanced_accuracy(matrix: ConfusionMatrix) -> Any:
    """Mean of the recalls of the classes that occur: the accuracy if they were equally common."""
    return _macro(recall, matrix)


def averaged_class_error(matrix: ConfusionMatrix) -> Any:
    """Mean over the classes that occur of the share of each that was given another class."""
    return 1 - _macro(recall, matrix)


def g_mean(matrix: ConfusionMatrix) -> Any:
    """Geometric mean of the recalls of the classes that occur: zero as soon as one class is always missed."""
    occurs = matrix.actual > 0
    recalls = np.where(occurs, recall(matrix.one_vs_rest()), 1.0)
    return np.where(matrix.total > 0, np.prod(recalls, axis=-1) ** ratio(1.0, occurs.sum(-1)), np.nan)[()]


_OVER_OCCURRING: dict[str, Callable[[ConfusionMatrix], Any]] = {
    formula.__name__: formula for formula in (balanced_accuracy, averaged_class_error, g_mean)
}

AVERAGES: tuple[Measure, ...] = tuple(
    averaged(kind, measure)
    for kind, measures in (
        ("macro", (f1, precision, recall, specificity, npv)),
        ("micro", (f1, precision, recall)),
        ("weighted", (f1, precision, recall, specificity)),
    )
    for measure in measures
)

# By name alone: they say of each class what F1 says already.
AVERAGES_ON_REQUEST: tuple[Measure, ...] = tuple(averaged(kind, jaccard) for kind in REDUCTIONS)
