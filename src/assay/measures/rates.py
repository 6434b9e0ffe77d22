"""Rates: what share of cases fared how, given the decisions."""

from __future__ import annotations

import math
from typing import Any

from assay.evidence import ConfusionMatrix
from assay.measures._facts import Answers, OverFolds
from assay.measures._kinds import function_of_matrix, proportion, ratio_of_odds, ratio_of_proportions
from assay.measures._measure import ratio

NO_POSITIVES = "truth holds no positive case"
NO_NEGATIVES = "truth holds no negative case"


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
)
def recall(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positives that were called positive.

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
)
def specificity(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negatives that were called negative.

    >>> specificity(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    0.985567
    """
    return matrix.tn, matrix.negatives


@proportion(
    family="rates",
    title="Precision",
    notation="TP / (TP + FP)",
    better="higher",
    undefined="nothing was called positive",
    of_one_class=True,
    aliases=("ppv", "positive_predictive_value"),
    of_calls=True,
)
def precision(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases called positive that are positive. It moves with the prevalence.

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
    undefined="nothing was called negative",
    of_one_class=True,
    aliases=("negative_predictive_value",),
    of_calls=True,
)
def npv(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases called negative that are negative. It moves with the prevalence.

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
)
def fpr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the negatives that were called positive.

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
)
def fnr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the positives that were not called positive.

    >>> fnr(ConfusionMatrix.binary(tp=75, fn=8, fp=7, tn=10)).round(6).item()
    0.096386
    """
    return matrix.fn, matrix.positives


@proportion(
    family="rates",
    title="False-discovery rate",
    notation="FP / (TP + FP)",
    better="lower",
    undefined="nothing was called positive",
    of_one_class=True,
    aliases=("false_discovery_rate",),
    reference="Benjamini & Hochberg (1995)",
    of_calls=True,
)
def fdr(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases called positive that are not. It moves with the prevalence.

    >>> fdr(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.069652
    """
    return matrix.fp, matrix.tp + matrix.fp


@proportion(
    family="rates",
    title="False-omission rate",
    notation="FN / (TN + FN)",
    better="lower",
    undefined="nothing was called negative",
    of_one_class=True,
    aliases=("fomr", "for"),
    of_calls=True,
)
def false_omission_rate(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases called negative that are positive. It moves with the prevalence.

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
)
def predicted_prevalence(matrix: ConfusionMatrix) -> tuple[Any, Any]:
    """Share of the cases that were called positive.

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
    """Share of all cases that are positive and were called positive.

    >>> detection_rate(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).item()
    0.009
    """
    return matrix.tp, matrix.total


def _positive_calls(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    return matrix.tp, matrix.positives, matrix.fp, matrix.negatives


def _negative_calls(matrix: ConfusionMatrix) -> tuple[Any, Any, Any, Any]:
    return matrix.fn, matrix.positives, matrix.tn, matrix.negatives


def _woolf(matrix: ConfusionMatrix) -> Any:
    return 1 / matrix.tp + 1 / matrix.fp + 1 / matrix.fn + 1 / matrix.tn


@function_of_matrix(
    ratio_of_proportions(_positive_calls),
    ratio_of=_positive_calls,
    family="rates",
    title="Positive likelihood ratio",
    notation="recall / FPR",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="a class is missing, or nobody was called positive",
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
    ratio_of_proportions(_negative_calls),
    ratio_of=_negative_calls,
    family="rates",
    title="Negative likelihood ratio",
    notation="FNR / specificity",
    bounds=(0.0, float("inf")),
    better="lower",
    undefined="a class is missing, or nobody was called negative",
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
    ratio_of_odds(_positive_calls, _woolf),
    family="rates",
    title="Diagnostic odds ratio",
    notation="(TP * TN) / (FP * FN)",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="a class is missing, or everybody was called the same",
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
