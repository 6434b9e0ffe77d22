"""Agreement: one number for a whole confusion matrix, weighing its classes or correcting for chance."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.measures._kinds import FEWEST_FOR_MATRIX, INDEPENDENT, dirichlet, function_of_matrix, too_few_cases
from assay.measures._measure import IntervalFamily, Measure, ratio
from assay.results import Interval
from assay.uncertainty import PROPORTION_METHODS

__all__ = [
    "averaged_class_error",
    "balanced_accuracy",
    "chance_matrix",
    "f05",
    "f1",
    "f2",
    "f_beta",
    "g_mean",
    "informedness",
    "kappa",
    "mcc",
]

A_CLASS_IS_MISSING = "truth lacks a class"


def f_beta(beta: float, name: str | None = None) -> Measure:
    """The F measure that holds recall `beta` times as important as precision.

    >>> f_beta(1)(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    0.339623
    >>> f_beta(1).estimate(ConfusionMatrix.binary(tp=0, fn=0, fp=0, tn=5))
    undefined: no case is positive or was called positive
    """
    weight = beta * beta

    def formula(matrix: ConfusionMatrix) -> Any:
        hits = (1 + weight) * matrix.tp
        return ratio(hits, hits + weight * matrix.fn + matrix.fp)

    def jaccard_wilson(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        return _f_interval(matrix, weight, level)

    times = "equally important" if beta == 1 else f"{beta:g} times as important"
    formula.__doc__ = f"Harmonic mean of precision and recall, with recall held {times}. It ignores the true negatives."
    formula.__name__ = formula.__qualname__ = name or f"f_beta_{beta:g}"
    formula.__module__ = __name__
    return function_of_matrix(
        IntervalFamily(MappingProxyType({"Wilson, Jaccard": jaccard_wilson, "Dirichlet": dirichlet}), INDEPENDENT),
        title=f"F{beta:g}",
        notation="2 TP / (2 TP + FP + FN)"
        if beta == 1
        else f"{1 + weight:g} TP / ({1 + weight:g} TP + {weight:g} FN + FP)",
        bounds=(0.0, 1.0),
        better="higher",
        undefined="no case is positive or was called positive",
        of_one_class=True,
        aliases=(f"f{beta:g}", f"f{beta:g}_score", f"f_{beta:g}") + (("dice", "f_measure") if beta == 1 else ()),
        reference="van Rijsbergen (1979); Chinchor (1992)",
        parts=lambda matrix: (matrix.tp, matrix.tp + matrix.fn + matrix.fp),
        made_by=(f_beta, (beta, name)),
    )(formula)


def _f_interval(matrix: ConfusionMatrix, weight: float, level: float) -> Interval:
    """Wilson's interval for the share of hits among hits and errors, carried over to F.

    F1 is a function of the Jaccard proportion TP / (TP + FN + FP). With beta other than 1 the two kinds of error count
    differently; Kish's effective number of errors takes their place, which for beta = 1 is their number.
    """
    if matrix.total < FEWEST_FOR_MATRIX:
        return Interval.missing("Wilson, Jaccard", too_few_cases(matrix))
    tp, fn, fp = float(matrix.tp), float(matrix.fn), float(matrix.fp)
    weighted = weight * fn + fp
    # One more error of each kind keeps the ratio of their kinds from resting on the few that were seen.
    scale = (weighted + weight + 1) / (weight * weight * (fn + 1) + fp + 1)
    effective = weighted * scale
    if tp + effective == 0:
        return Interval.missing("Wilson, Jaccard", "no case is positive or was called positive")
    low, high = PROPORTION_METHODS["Wilson"](tp, tp + effective, level)

    def carried(share: float) -> float:
        if share >= 1:
            return 1.0
        odds = (1 + weight) * scale * share / (1 - share)
        return odds / (1 + odds)

    return Interval(carried(low), carried(high), "Wilson, Jaccard")


f1 = f_beta(1, "f1")
f2 = f_beta(2, "f2")
f05 = f_beta(0.5, "f05")


@function_of_matrix(
    title="Balanced accuracy",
    notation="mean recall of the classes",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("bacc", "mean_recall"),
    reference="Brodersen et al. (2010)",
)
def balanced_accuracy(matrix: ConfusionMatrix) -> Any:
    """Mean of the classes' recalls: the accuracy if all classes were equally common.

    >>> balanced_accuracy(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.745925
    """
    return _recalls(matrix).mean(-1)


@function_of_matrix(
    title="Averaged class error",
    notation="1 - balanced accuracy",
    bounds=(0.0, 1.0),
    better="lower",
    undefined=A_CLASS_IS_MISSING,
    aliases=("balanced_error", "balanced_error_rate"),
)
def averaged_class_error(matrix: ConfusionMatrix) -> Any:
    """Mean over the classes of the share of each that was given another class.

    >>> averaged_class_error(ConfusionMatrix.binary(tp=5, fn=5, fp=6, tn=38)).round(6).item()
    0.318182
    """
    return 1 - _recalls(matrix).mean(-1)


@function_of_matrix(
    title="G-mean",
    notation="(product of the recalls of the K classes) ** (1 / K)",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("geometric_mean", "gmean"),
    reference="Kubat & Matwin (1997)",
)
def g_mean(matrix: ConfusionMatrix) -> Any:
    """Geometric mean of the classes' recalls: zero as soon as one class is always missed.

    >>> g_mean(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.729066
    """
    recalls = _recalls(matrix)
    return np.prod(recalls, axis=-1) ** (1 / recalls.shape[-1])


def chance_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """What the counts would be if decisions were drawn with the same frequencies but regardless of the truth.

    >>> chance_matrix(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).counts
    array([[ 3.06, 13.94],
           [14.94, 68.06]])
    """
    rows, columns = matrix.counts.sum(-1)[..., :, None], matrix.counts.sum(-2)[..., None, :]
    return ConfusionMatrix(ratio(rows * columns, matrix.total[..., None, None]), matrix.classes, matrix.decisions)


@function_of_matrix(
    title="Cohen's kappa",
    notation="(p_o - p_c) / (1 - p_c), p_c from the chance matrix",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="truth and decisions hold one and the same class, so chance alone agrees always",
    aliases=("cohen_kappa", "kap"),
    reference="Cohen (1960)",
)
def kappa(matrix: ConfusionMatrix) -> Any:
    """How much of the agreement that chance leaves open was reached: 0 at chance, 1 at perfection.

    >>> kappa(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.480609
    """
    truth, decided = matrix.actual, matrix.predicted
    left_open = (truth * (matrix.total[..., None] - decided)).sum(-1)
    return ratio(_covariance(matrix), left_open)


@function_of_matrix(
    title="Matthews correlation",
    notation="(TP TN - FP FN) / sqrt((TP+FP)(TP+FN)(TN+FP)(TN+FN))",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined="truth or decisions hold a single class",
    aliases=("matthews_corrcoef", "phi"),
    reference="Matthews (1975); Gorodkin (2004) for more than two classes",
)
def mcc(matrix: ConfusionMatrix) -> Any:
    """Correlation between true and decided class, for any number of classes.

    >>> mcc(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.480898
    """
    margins = (matrix.actual, matrix.counts.sum(-2))
    spread_of_truth, spread_of_decisions = ((m * (matrix.total[..., None] - m)).sum(-1) for m in margins)
    return ratio(_covariance(matrix), np.sqrt(spread_of_truth) * np.sqrt(spread_of_decisions))


@function_of_matrix(
    title="Informedness",
    notation="recall + specificity - 1",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    of_one_class=True,
    aliases=("youden_j", "youden", "j_index", "bookmaker_informedness"),
    reference="Youden (1950); Powers (2011)",
)
def informedness(matrix: ConfusionMatrix) -> Any:
    """Recall plus specificity minus one: how far above a coin of any bias, 0 for every constant answer.

    >>> informedness(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.84286
    """
    return ratio(matrix.tp, matrix.positives) + ratio(matrix.tn, matrix.negatives) - 1


def _covariance(matrix: ConfusionMatrix) -> Any:
    """Correct answers beyond chance, times n squared.

    Equal to n * correct - sum(actual * predicted), but as differences of products of small numbers: with a handful of
    positives among a billion cases the other form loses every digit.
    """
    each = matrix.one_vs_rest()
    return (each.tp * each.tn - each.fn * each.fp).sum(-1)


def _recalls(matrix: ConfusionMatrix) -> Any:
    return ratio(np.diagonal(matrix.counts, axis1=-2, axis2=-1), matrix.actual)
