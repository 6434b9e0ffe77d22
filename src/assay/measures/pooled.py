"""Scores of many classes taken together: the first k of each case, and all of them as one ranking. By name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from assay.evidence import ClassScores, ScoreTable, SummedClasses
from assay.measures._many import Influence, Scored, _interval, fewer_cases_than, of_class_scores
from assay.measures._measure import IntervalFamily, Measure, named, ratio
from assay.measures._spelling import spelt
from assay.measures._summed_classes import area_moves, moved_when_pooled, pooled_table
from assay.measures.class_ranking import NOTHING_TO_RANK
from assay.measures.ranking import _average_precision_influence as precision_influence
from assay.measures.ranking import _without_own_hit as without_own_hit
from assay.measures.ranking import average_precision, roc_auc
from assay.request import checked_whole
from assay.results import Interval
from assay.uncertainty import LOGIT, PROPORTION_METHODS, weighted_proportion

# Tried with 3 to 30 classes and 60 to 1,000 cases (verification/many_classes.py): there pooled areas were covered in
# .94 to .98 of samples, pooled average precisions in .91 to .97.
FEWEST_CASES = 50


def _pooled(scores: Scored) -> ScoreTable:
    """Every score a case was given, positive where it is that of its own class."""
    if isinstance(scores, SummedClasses):
        return pooled_table(scores)
    if "pooled" not in scores.cache:
        classes = len(scores.classes)
        weight, count = (None if one is None else np.repeat(one, classes) for one in (scores.weight, scores.count))
        is_own = _is_own(scores).ravel()
        scores.cache["pooled"] = ScoreTable.of(scores.probability.ravel(), is_own, weight=weight, count=count)
    pooled: ScoreTable = scores.cache["pooled"]
    return pooled


def _is_own(scores: ClassScores) -> Any:
    return scores.truth[:, None] == np.arange(len(scores.classes))


def _moved(influence: Callable[[ScoreTable], tuple[Any, Any]]) -> Influence:
    """How a case moves a measure of the pooled scores: as all its scores together do."""

    def by_case(scores: Scored) -> Any:
        if isinstance(scores, SummedClasses):
            return moved_when_pooled(scores, influence)
        table = _pooled(scores)
        place = table.places(scores.probability.ravel() + 0.0)
        of_rest, of_own = (side[place].reshape(scores.probability.shape) for side in influence(table))
        return np.where(_is_own(scores), of_own, of_rest).mean(1)

    return by_case


def _in_cells(measure: Measure) -> Callable[[SummedClasses], tuple[float, float]]:
    """The bounds of a measure of pooled scores that are in cells."""

    def bounds(summed: SummedClasses) -> tuple[float, float]:
        table = pooled_table(summed)
        value = float(measure(table))
        return measure.of_cells(table, value) or (value, value)

    return bounds


@of_class_scores(
    "micro_roc_auc",
    influence=_moved(area_moves),
    in_cells=_in_cells(roc_auc),
    scale=LOGIT,
    refuses=fewer_cases_than(FEWEST_CASES),
    family="ranking",
    title="Micro ROC AUC",
    notation="ROC AUC of all (case, class) scores, positive where the class is the case's own",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=NOTHING_TO_RANK,
    aliases=("roc_auc_micro", "roc_auc_ovr_micro"),
    reference="Fawcett (2006)",
)
def micro_roc_auc(scores: Scored) -> Any:
    """Chance that the score of a case's own class is higher than the score of a wrong class of any case.

    It compares scores of different classes with one another, and rewards guessing the common ones.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> micro_roc_auc(scores).round(6).item()
    0.777778
    """
    return roc_auc(_pooled(scores))


@of_class_scores(
    "micro_average_precision",
    influence=_moved(precision_influence),
    in_cells=_in_cells(average_precision),
    centre=lambda scores: without_own_hit(_pooled(scores)),
    scale=LOGIT,
    refuses=fewer_cases_than(FEWEST_CASES),
    family="ranking",
    title="Micro average precision",
    notation="average precision of all (case, class) scores, positive where the class is the case's own",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=NOTHING_TO_RANK,
    aliases=("average_precision_micro",),
    reference="Boyd, Eng & Page (2013)",
)
def micro_average_precision(scores: Scored) -> Any:
    """Average precision of the scores of all cases and classes as one ranking: own classes should come first.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> micro_average_precision(scores).round(6).item()
    0.791667
    """
    return average_precision(_pooled(scores))


def top_k_accuracy(k: float) -> Measure:
    """Share of cases whose class is among the `k` of the highest scores: `top_k_accuracy(3)`.

    Where scores tie at the edge, the share of the orders of them that let the class in.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> top_k_accuracy(2)(scores).round(6).item()
    0.666667
    """
    # Written in brackets every number is a float.
    first = checked_whole(int(k) if isinstance(k, float) and k.is_integer() else k, "k")
    hits = partial(_in_the_first, k=first)

    def formula(scores: ClassScores) -> Any:
        return ratio(scores.each @ hits(scores), scores.total)

    def influence(scores: ClassScores) -> Any:
        return hits(scores) - formula(scores)

    doc = f"Share of cases whose class is among the {first:,} classes of their highest scores."
    return Measure(
        name=spelt("top_k_accuracy", first),
        title=f"Top-{first:,} accuracy",
        formula=named(formula, spelt("top_k_accuracy", first), doc, __name__),
        needs=ClassScores,
        family="ranking",
        notation="cases with their class among the first k / n",
        bounds=(0.0, 1.0),
        better="higher",
        undefined="there are no cases",
        intervals=IntervalFamily({"Wilson": partial(_share_interval, hits=hits, influence=influence)}),
        influence=influence,
        reference="Russakovsky et al. (2015)",
        made_by=(top_k_accuracy, (first,)),
    )


def _in_the_first(scores: ClassScores, k: int) -> Any:
    """For each case how likely its class is among the first k, ties broken by chance."""
    own = scores.given_to_truth[:, None]
    higher, same = (scores.probability > own).sum(1), (scores.probability == own).sum(1)
    return np.clip(ratio(k - higher, same), 0.0, 1.0)


def _share_interval(
    measure: Measure, scores: ClassScores, level: float, seed: int, *, hits: Influence, influence: Influence
) -> Interval:
    """Wilson's; of cases that depend on one another, from how much clusters move it."""
    if scores.cluster is not None:
        refuses = fewer_cases_than(1)
        return _interval(measure, scores, level, seed, influence=influence, scale=LOGIT, refuses=refuses, centre=None)
    each = hits(scores)
    part, whole = float(scores.each @ each), float(scores.total)
    if not scores.is_weighted:
        return Interval(*PROPORTION_METHODS["Wilson"](part, whole, level), "Wilson")
    return weighted_proportion("Wilson", part, whole, float(scores.squared @ each), float(scores.squared.sum()), level)
