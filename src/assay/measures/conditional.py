"""What a call is worth where positives are as common as you say, and how much commoner than usual they are among calls.

Precision and its mirror move with the prevalence; where cases were collected by class (so many positives, so many
negatives) the plain ones describe the collection and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.evidence import ConfusionMatrix
from assay.measures._kinds import function_of_matrix, too_few_cases
from assay.measures._measure import INDEPENDENT, IntervalFamily, IntervalMethod, Measure, named, ratio
from assay.measures._spelling import spelt
from assay.request import checked_between
from assay.results import Interval
from assay.uncertainty import logit_predictive, recovered_predictive

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
    return _predictive(
        lambda matrix: (matrix.tp, matrix.positives, matrix.fp, matrix.negatives),
        _odds(prevalence),
        doc=f"Share of positive calls that are right where {100 * prevalence:g} % of cases are positive.",
        name=name or spelt("ppv_at", prevalence),
        title=f"PPV at prevalence {prevalence:g}",
        notation=f"recall {prevalence:g} / (recall {prevalence:g} + FPR {1 - prevalence:g})",
        undefined="a class is missing, or nothing was called positive",
        made_by=(ppv_at, (prevalence, name)),
    )


def npv_at(prevalence: float, name: str | None = None) -> Measure:
    """The share of negative calls that are right where this share of cases is positive.

    >>> npv_at(0.05)(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343)).round(6).item()
    0.993582
    >>> npv_at(0.05).estimate(ConfusionMatrix.binary(tp=187, fn=25, fp=14, tn=343))
    0.9936 [0.9907, 0.9956]
    """
    return _predictive(
        lambda matrix: (matrix.tn, matrix.negatives, matrix.missed, matrix.positives),
        _odds(1 - prevalence),
        doc=f"Share of negative calls that are right where {100 * prevalence:g} % of cases are positive.",
        name=name or spelt("npv_at", prevalence),
        title=f"NPV at prevalence {prevalence:g}",
        notation=f"specificity {1 - prevalence:g} / (specificity {1 - prevalence:g} + FNR {prevalence:g})",
        undefined="a class is missing, or nothing was called negative",
        made_by=(npv_at, (prevalence, name)),
    )


@function_of_matrix(
    family="rates",
    title="Lift",
    notation="precision / prevalence",
    bounds=(0.0, float("inf")),
    better="higher",
    undefined="truth holds no positive case, or nothing was called positive",
    of_one_class=True,
    aliases=("lift_score",),
    reference="Piatetsky-Shapiro & Masand (1999)",
)
def lift(matrix: ConfusionMatrix) -> Any:
    """How many times commoner positives are among the cases called positive than among all cases: 1 for chance.

    >>> lift(ConfusionMatrix.binary(tp=90, fn=210, fp=140, tn=9560)).round(6).item()
    13.043478
    """
    return ratio(matrix.tp * matrix.total, (matrix.tp + matrix.fp) * matrix.positives)


def _predictive(calls: Calls, odds: float, *, doc: str, name: str, **facts: Any) -> Measure:
    def formula(matrix: ConfusionMatrix) -> Any:
        x1, n1, x0, n0 = calls(matrix)
        right, wrong = odds * x1 * n0, x0 * n1
        return ratio(right, right + wrong)

    return function_of_matrix(
        _intervals(calls, odds),
        family="rates",
        bounds=(0.0, 1.0),
        better="higher",
        reference=MERCALDO,
        of_one_class=True,
        of_each_class=True,
        **facts,
    )(named(formula, name, doc, __name__))


def _intervals(calls: Calls, odds: float) -> IntervalFamily:
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


def _odds(share: float) -> float:
    checked_between(share, "prevalence")
    return float(ratio(share, 1 - share))
