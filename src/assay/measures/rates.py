"""Rates: what share of cases fared how, given the decisions.

What a call is worth where positives are as common as you say, and how much commoner than usual they are among calls.

Precision and its mirror move with the prevalence; where cases were collected by class (so many positives, so many
negatives) the plain ones describe the collection and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from assay.evidence import ConfusionMatrix
from assay.measures.kinds import function_of_matrix, proportion, ratio_of_odds, ratio_of_proportions, too_few_cases
from assay.measures.measure import (
    INDEPENDENT,
    Answers,
    IntervalFamily,
    IntervalMethod,
    Measure,
    OverFolds,
    named,
    ratio,
    spelt,
)
from assay.request import checked_between
from assay.results import Interval
from assay.uncertainty import logit_predictive, recovered_predictive

NO_POSITIVES = "no true label is positive"
NO_NEGATIVES = "no true label is negative"


@proportion(
    family="rates",
    title="Accuracy",
    is_watched=True,
    notation="correct / n",
    better="higher",
    undefined="there are no cases",
    answers=Answers(None, 1),
    over_folds=OverFolds("share"),
    best_constant="commonest",
    from_sample="new",
    has_sampled_difference=True,
)
def accuracy(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of cases given their own class.

    >>> accuracy(ConfusionMatrix.binary(tp=154, fn=29, fp=5, tn=1202)).round(6).item()
    0.97554
    """
    return matrix.correct, matrix.total


@proportion(
    family="rates",
    title="Error rate",
    notation="1 - accuracy",
    better="lower",
    undefined="there are no cases",
    aliases=("error", "misclassification_rate", "zero_one_loss", "hamming_loss"),
    answers=Answers(None, -1),
    over_folds=OverFolds("share"),
    best_constant="commonest",
    from_sample="new",
)
def error_rate(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of cases given another class than their own.

    >>> error_rate(ConfusionMatrix.binary(tp=154, fn=29, fp=5, tn=1202)).round(6).item()
    0.02446
    """
    return matrix.total - matrix.correct, matrix.total


@proportion(
    family="rates",
    title="Recall",
    notation="TP / (TP + FN)",
    better="higher",
    undefined=NO_POSITIVES,
    of_one_class=True,
    aliases=("sensitivity", "tpr", "true_positive_rate", "hit_rate", "sens"),
    answers=Answers(1, 1),
    of_each_class=True,
    monotone=(0.0, 1.0),
    from_sample="new",
    has_sampled_difference=True,
)
def recall(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positives that are predicted positive.

    >>> recall(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).item()
    0.3
    """
    return matrix.tp, matrix.positives


@proportion(
    family="rates",
    title="Specificity",
    notation="TN / (TN + FP)",
    better="higher",
    undefined=NO_NEGATIVES,
    of_one_class=True,
    aliases=("tnr", "true_negative_rate", "selectivity", "spec"),
    answers=Answers(0, 1),
    of_each_class=True,
    monotone=(1.0, 0.0),
    from_sample="rows",
)
def specificity(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negatives that are predicted negative.

    >>> specificity(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    0.985567
    """
    return matrix.tn, matrix.negatives


@proportion(
    family="rates",
    title="Precision",
    notation="TP / (TP + FP)",
    better="higher",
    undefined="nothing was predicted positive",
    of_one_class=True,
    aliases=("ppv", "positive_predictive_value"),
    of_calls=True,
    from_sample="new",
)
def precision(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the predicted positives that are positive. It moves with the prevalence.

    >>> precision(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    0.391304
    >>> precision(ConfusionMatrix.binary(tp=0, fn=300, fp=0, tn=9700)).item()
    nan
    """
    return matrix.tp, matrix.tp + matrix.fp


@proportion(
    family="rates",
    title="Negative predictive value",
    notation="TN / (TN + FN)",
    better="higher",
    undefined="nothing was predicted negative",
    of_one_class=True,
    aliases=("negative_predictive_value",),
    of_calls=True,
    from_sample="rows",
)
def npv(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the predicted negatives that are negative. It moves with the prevalence.

    >>> npv(ConfusionMatrix.binary(tp=154, fn=29, fp=5, tn=1202)).round(6).item()
    0.976442
    """
    return matrix.tn, matrix.tn + matrix.missed


@proportion(
    family="rates",
    title="False-positive rate",
    notation="FP / (FP + TN)",
    better="lower",
    undefined=NO_NEGATIVES,
    of_one_class=True,
    aliases=("fall_out", "false_positive_rate", "false_alarm_rate"),
    answers=Answers(0, -1, only_of_classes=True),
    of_each_class=True,
    monotone=(0.0, 1.0),
    from_sample="rows",
)
def fpr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negatives that are predicted positive.

    >>> fpr(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.411765
    """
    return matrix.fp, matrix.negatives


@proportion(
    family="rates",
    title="False-negative rate",
    notation="FN / (TP + FN)",
    better="lower",
    undefined=NO_POSITIVES,
    of_one_class=True,
    aliases=("miss_rate", "false_negative_rate"),
    answers=Answers(1, -1),
    of_each_class=True,
    monotone=(1.0, 0.0),
    from_sample="new",
)
def fnr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positives that are predicted negative.

    >>> fnr(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.096386
    """
    return matrix.fn, matrix.positives


@proportion(
    family="rates",
    title="False-discovery rate",
    notation="FP / (TP + FP)",
    better="lower",
    undefined="nothing was predicted positive",
    of_one_class=True,
    aliases=("false_discovery_rate",),
    reference="Benjamini & Hochberg (1995)",
    of_calls=True,
    from_sample="new",
)
def fdr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the predicted positives that are not. It moves with the prevalence.

    >>> fdr(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.069652
    """
    return matrix.fp, matrix.tp + matrix.fp


@proportion(
    family="rates",
    title="False-omission rate",
    notation="FN / (TN + FN)",
    better="lower",
    undefined="nothing was predicted negative",
    of_one_class=True,
    aliases=("fomr", "for"),
    of_calls=True,
    from_sample="rows",
)
def false_omission_rate(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the predicted negatives that are positive. It moves with the prevalence.

    >>> false_omission_rate(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.067935
    """
    return matrix.missed, matrix.tn + matrix.missed


@proportion(
    family="rates",
    title="Prevalence",
    notation="(TP + FN) / n",
    better="neither",
    undefined="there are no cases",
    of_one_class=True,
    aliases=("base_rate",),
)
def prevalence(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases that are positive: a fact about the data, not the classifier.

    >>> prevalence(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).item()
    0.03
    """
    return matrix.positives, matrix.total


@proportion(
    family="rates",
    title="Predicted prevalence",
    notation="(TP + FP) / n",
    better="neither",
    undefined="there are no cases",
    of_one_class=True,
    aliases=("detection_prevalence", "share_flagged", "apparent_prevalence"),
    monotone=(0.0, 1.0),
    from_sample="new",
)
def predicted_prevalence(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases that are predicted positive.

    >>> predicted_prevalence(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).item()
    0.023
    """
    return matrix.tp + matrix.fp, matrix.total


@proportion(
    family="rates",
    title="Detection rate",
    notation="TP / n",
    better="neither",
    undefined="there are no cases",
    of_one_class=True,
)
def detection_rate(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of all cases that are positive and predicted positive.

    >>> detection_rate(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).item()
    0.009
    """
    return matrix.tp, matrix.total


def _predicted_positive_counts(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    return matrix.tp, matrix.positives, matrix.fp, matrix.negatives


def _predicted_negative_counts(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    return matrix.fn, matrix.positives, matrix.tn, matrix.negatives


def _woolf(matrix: ConfusionMatrix) -> Any:
    return 1 / matrix.tp + 1 / matrix.fp + 1 / matrix.fn + 1 / matrix.tn


@function_of_matrix(
    ratio_of_proportions(_predicted_positive_counts),
    ratio_of=_predicted_positive_counts,
    family="rates",
    title="Positive likelihood ratio",
    notation="recall / FPR",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="a class is missing, or nothing was predicted positive",
    aliases=("lr_positive", "lr+", "plr"),
    reference="Simel, Samsa & Matchar (1991); Miettinen & Nurminen (1985)",
    of_one_class=True,
    of_each_class=True,
)
def likelihood_ratio_positive(matrix: ConfusionMatrix) -> Any:
    """How many times likelier a positive call is among positives than among negatives; infinite without a false alarm.

    >>> likelihood_ratio_positive(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    22.492925
    """
    return ratio(matrix.tp * matrix.negatives, matrix.fp * matrix.positives, without=math.inf)


@function_of_matrix(
    ratio_of_proportions(_predicted_negative_counts),
    ratio_of=_predicted_negative_counts,
    family="rates",
    title="Negative likelihood ratio",
    notation="FNR / specificity",
    bounds=(0.0, float("inf")),
    better="lower",
    undefined="a class is missing, or nothing was predicted negative",
    aliases=("lr_negative", "lr-", "nlr"),
    reference="Simel, Samsa & Matchar (1991); Miettinen & Nurminen (1985)",
    of_one_class=True,
    of_each_class=True,
)
def likelihood_ratio_negative(matrix: ConfusionMatrix) -> Any:
    """How many times likelier a negative call is among positives than among negatives.

    >>> likelihood_ratio_negative(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.122738
    """
    return ratio(matrix.fn * matrix.negatives, matrix.tn * matrix.positives, without=math.inf)


@function_of_matrix(
    ratio_of_odds(_predicted_positive_counts, _woolf),
    family="rates",
    title="Diagnostic odds ratio",
    notation="(TP * TN) / (FP * FN)",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="a class is missing, or all cases have the same predicted class",
    aliases=("dor", "odds_ratio"),
    reference="Woolf (1955); Miettinen & Nurminen (1985); Glas et al. (2003)",
    of_one_class=True,
    of_each_class=True,
)
def diagnostic_odds_ratio(matrix: ConfusionMatrix) -> Any:
    """How many times higher the odds of a positive call are among positives than among negatives.

    Infinite where one kind of error did not occur.

    >>> diagnostic_odds_ratio(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(2).item()
    183.26
    """
    return ratio(matrix.tp * matrix.tn, matrix.fp * matrix.fn, without=math.inf)


# The smallest matrix these were simulated with, and what a cell may hold for the log scale to serve.
FEWEST_FOR_RATIO, SMALL_FOR_LOG_SCALE = 30, 10

# (calls among the cases it is right about, how many those are, calls among the others, how many those are)
Calls = Callable[[ConfusionMatrix], tuple[Any, Any, Any, Any]]

MERCALDO = "Mercaldo, Lau & Zhou (2007)"


def ppv_at(prevalence: float, name: str | None = None) -> Measure:
    """The share of positive calls that are right where this share of cases is positive.

    Recall and specificity are supposed to be the same there, and the prevalence to be known exactly.

    >>> ppv_at(0.05)(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.542091
    >>> ppv_at(0.05).estimate(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343))
    0.542 [0.414, 0.665]
    """
    return _predictive_value(
        lambda matrix: (matrix.tp, matrix.positives, matrix.fp, matrix.negatives),
        _odds_of_share(prevalence),
        doc=f"Share of positive predictions that are correct where {100 * prevalence:g} % of cases are positive.",
        name=name or spelt("ppv_at", prevalence),
        title=f"PPV at prevalence {prevalence:g}",
        notation=f"recall {prevalence:g} / (recall {prevalence:g} + FPR {1 - prevalence:g})",
        undefined="a class is missing, or nothing was predicted positive",
        made_by=(ppv_at, (prevalence, name)),
    )


def npv_at(prevalence: float, name: str | None = None) -> Measure:
    """The share of negative calls that are right where this share of cases is positive.

    >>> npv_at(0.05)(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.993582
    >>> npv_at(0.05).estimate(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343))
    0.9936 [0.9907, 0.9956]
    """
    return _predictive_value(
        lambda matrix: (matrix.tn, matrix.negatives, matrix.missed, matrix.positives),
        _odds_of_share(1 - prevalence),
        doc=f"Share of negative predictions that are correct where {100 * prevalence:g} % of cases are positive.",
        name=name or spelt("npv_at", prevalence),
        title=f"NPV at prevalence {prevalence:g}",
        notation=f"specificity {1 - prevalence:g} / (specificity {1 - prevalence:g} + FNR {prevalence:g})",
        undefined="a class is missing, or nothing was predicted negative",
        made_by=(npv_at, (prevalence, name)),
    )


@function_of_matrix(
    family="rates",
    title="Lift",
    notation="precision / prevalence",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="no true label is positive, or nothing was predicted positive",
    of_one_class=True,
    aliases=("lift_score",),
    reference="Piatetsky-Shapiro & Masand (1999)",
)
def lift(matrix: ConfusionMatrix) -> Any:
    """How many times more frequent positives are among the predicted positives than among all cases: 1 for chance.

    >>> lift(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    13.043478
    """
    return ratio(matrix.tp * matrix.total, (matrix.tp + matrix.fp) * matrix.positives)


def _predictive_value(calls: Calls, odds: float, *, doc: str, name: str, **facts: Any) -> Measure:
    def formula(matrix: ConfusionMatrix) -> Any:
        x1, n1, x0, n0 = calls(matrix)
        right, wrong = odds * x1 * n0, x0 * n1
        return ratio(right, right + wrong)

    return function_of_matrix(
        _predictive_value_intervals(calls, odds),
        family="rates",
        bounds=(0.0, 1.0),
        better="higher",
        reference=MERCALDO,
        of_one_class=True,
        of_each_class=True,
        **facts,
    )(named(formula, name, doc, __name__))


def _predictive_value_intervals(calls: Calls, odds: float) -> IntervalFamily:
    """On the logit scale unless a cell is small; the rules are those of likelihood ratios, which these carry."""

    def method(limits: Callable[..., Interval]) -> IntervalMethod:
        def interval(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
            return limits(*(float(count) for count in calls(matrix.effective())), odds, level)

        return interval

    def default(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        if matrix.kish >= FEWEST_FOR_RATIO:
            return either(measure, matrix, level, seed)
        few = too_few_cases(matrix, FEWEST_FOR_RATIO)
        return Interval.missing("MOVER, Wilson", few, lambda: either(measure, matrix, level, seed))

    def either(measure: Measure, matrix: ConfusionMatrix, level: float, seed: int) -> Interval:
        x1, n1, x0, n0 = calls(matrix.effective())
        is_small = min(x1, n1 - x1, x0, n0 - x0) < SMALL_FOR_LOG_SCALE
        limits = recovered_predictive if is_small else logit_predictive
        return method(limits)(measure, matrix, level, seed)

    methods = {
        "logit or MOVER": default,
        "logit, Mercaldo": method(logit_predictive),
        "MOVER, Wilson": method(recovered_predictive),
    }
    return IntervalFamily(methods, f"{INDEPENDENT}; recall and specificity carry over")


def _odds_of_share(share: float) -> float:
    checked_between(share, "prevalence")
    return float(ratio(share, 1 - share))
