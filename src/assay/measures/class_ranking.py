"""Ranking of many classes: does every class score highest where it belongs?

The areas are weighted sums of pair areas (how often a case of class k scores higher for k than a case of class j), so
one sort a class serves them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.evidence import ClassScores, SummedClasses
from assay.evidence.multiclass import MOST_PAIRED
from assay.measures._many import AtMost, Influence, Scored, classes_smaller_than, of_class_scores
from assay.measures._measure import Measure, ratio
from assay.measures._ranked_classes import Ranking, rank_classes
from assay.measures._summed_classes import area_moves, areas_between, each_class, moved_by_classes, moved_by_pairs
from assay.measures.ranking import _average_precision_influence as precision_moves
from assay.measures.ranking import _without_own_hit as without_own_hit
from assay.measures.ranking import average_precision, roc_auc
from assay.uncertainty import LOGIT

Decorator = Callable[[Callable[[Any], Any]], Measure]

# Simulated with 3, 5 and 10 classes (300 samples a row): from so many cases in the smallest class on, areas were
# covered in .90 to 1.00 of samples, mean .96, also at an area of .998; average precisions in .90 to .99, mean .95 (.88
# with 10).
FEWEST_OF_A_CLASS = 10
FEWEST_FOR_PRECISION = 20
NOTHING_TO_RANK = "fewer than two classes occur, so there is no pair to rank"


class PairSum(NamedTuple):
    """What each pair area weighs in a sum of them, and how the sum moves with the share of each class."""

    weights: Any
    by_share: Any


def _pairs(scores: Scored) -> tuple[Any, Any]:
    """Class shares, and which ordered pairs of classes occur."""
    occurs = scores.sizes > 0
    both = occurs[:, None] & occurs[None, :] & ~np.eye(len(occurs), dtype=bool)
    return ratio(scores.sizes, scores.total), both


def _every_pair_alike(scores: Scored, areas: Any) -> PairSum:
    shares, both = _pairs(scores)
    return PairSum(both * ratio(1.0, both.sum()), np.zeros_like(shares))


def _pairs_by_size(scores: Scored, areas: Any) -> PairSum:
    shares, both = _pairs(scores)
    others = ratio(1.0, 2 * (both.any(1).sum() - 1))
    return PairSum(both * (shares[:, None] + shares) * others, (areas.sum(1) + areas.sum(0)) * others)


def _against_rest(scores: Scored, areas: Any, class_weights: Any, by_share: Any) -> PairSum:
    """Areas of each class against all others, weighed by `class_weights`."""
    shares, both = _pairs(scores)
    within = both * ratio(shares[None, :], (1 - shares)[:, None])
    within = np.where(both, within, 0.0)
    each = (within * areas).sum(1)
    # One more case of a class moves the mix of the others that the rest are compared with.
    moved = np.where(both, (areas - each[:, None]) * ratio(class_weights, 1 - shares)[:, None], 0.0).sum(0)
    return PairSum(class_weights[:, None] * within, moved + by_share * each)


def _classes_alike(scores: Scored, areas: Any) -> PairSum:
    return _against_rest(scores, areas, _macro_weights(scores), 0.0)


def _classes_by_size(scores: Scored, areas: Any) -> PairSum:
    return _against_rest(scores, areas, _share_weights(scores), 1.0)


def _macro_weights(scores: Scored) -> Any:
    occurs = scores.sizes > 0
    return occurs * ratio(1.0, occurs.sum())


def _share_weights(scores: Scored) -> Any:
    return ratio(scores.sizes, scores.total)


# Each from the scores and the pair areas, zeros for pairs that do not occur; what a pair weighs rests on neither.
SUMS: dict[str, Callable[[Scored, Any], PairSum]] = {
    "hand_till": _every_pair_alike,
    "macro_roc_auc": _classes_alike,
    "weighted_roc_auc": _classes_by_size,
    "ovo_weighted_roc_auc": _pairs_by_size,
}
# Those that are sums over classes of their areas against the rest, which need no pairs.
AGAINST_REST = {"macro_roc_auc": _macro_weights, "weighted_roc_auc": _share_weights}
NO_PAIRS = (
    f"areas of pairs of classes need to know the class of each case in a cell: kept of up to {MOST_PAIRED} classes"
)


def _ranking(scores: ClassScores) -> Ranking:
    """Everything that sorting by the scores of each class gives, found once for all measures here."""
    if "ranking" not in scores.cache:
        no_areas = np.zeros((len(scores.classes),) * 2)
        pair_weights = np.stack([make(scores, no_areas).weights for make in SUMS.values()])
        class_weights = np.stack((_macro_weights(scores), _share_weights(scores)))
        scores.cache["ranking"] = rank_classes(scores, pair_weights, class_weights)
    found: Ranking = scores.cache["ranking"]
    return found


def _sum(name: str, scores: ClassScores) -> tuple[PairSum, Any]:
    """A sum, and the areas it is of."""
    _, both = _pairs(scores)
    areas = np.where(both, _ranking(scores).areas, 0.0)
    return SUMS[name](scores, areas), areas


def _value(name: str, scores: Scored) -> Any:
    if not (scores.sizes > 0).sum() > 1:
        return np.nan
    if isinstance(scores, SummedClasses):
        return _of_sums(name, scores, 0)
    found, areas = _sum(name, scores)
    return float((found.weights * areas).sum())


def _of_sums(name: str, summed: SummedClasses, place: int) -> float:
    """A sum of areas without cases, 0, or its bounds, 1 and 2."""
    if name in AGAINST_REST:
        return float(AGAINST_REST[name](summed) @ each_class(summed, roc_auc)[place])
    areas = np.nan_to_num(areas_between(summed)[place])
    return float((SUMS[name](summed, areas).weights * areas).sum())


def _moved_in_sums(name: str, summed: SummedClasses) -> AtMost:
    areas = np.nan_to_num(areas_between(summed).value) if summed.sums.by_truth else None
    if areas is None:
        each = each_class(summed, roc_auc)[0] if name == "weighted_roc_auc" else np.zeros(len(summed.classes))
        return moved_by_classes(summed, area_moves, AGAINST_REST[name](summed), each)
    return moved_by_pairs(summed, *SUMS[name](summed, areas))


def _influence(name: str) -> Influence:
    def influence(scores: Scored) -> Any:
        if isinstance(scores, SummedClasses):
            return _moved_in_sums(name, scores)
        by_share = _sum(name, scores)[0].by_share
        centre = float(by_share @ ratio(scores.sizes, scores.total))
        return _ranking(scores).moved[list(SUMS).index(name)] + by_share[scores.truth] - centre

    return influence


def _area(name: str, **facts: Any) -> Decorator:
    return of_class_scores(
        name,
        influence=_influence(name),
        in_cells=lambda summed: (_of_sums(name, summed, 1), _of_sums(name, summed, 2)),
        lacks=lambda summed: None if summed.sums.by_truth or name in AGAINST_REST else NO_PAIRS,
        scale=LOGIT,
        refuses=classes_smaller_than(FEWEST_OF_A_CLASS),
        family="ranking",
        bounds=(0.0, 1.0),
        better="higher",
        undefined=NOTHING_TO_RANK,
        **facts,
    )


@_area(
    "hand_till",
    title="Hand-Till M",
    notation="mean over ordered pairs (k, j) of P(p_k higher for a case of k than for one of j)",
    aliases=("hand_till_m", "mauc", "au1u", "roc_auc_ovo"),
    reference="Hand & Till (2001)",
)
def hand_till(scores: Scored) -> Any:
    """Chance that a case of one class scores higher for that class than a case of another, over all pairs of classes.

    Every pair counts the same, so it does not move with how common the classes are; 0.5 is chance.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> round(hand_till(scores), 6)
    0.916667
    """
    return _value("hand_till", scores)


@_area(
    "macro_roc_auc",
    title="Macro ROC AUC",
    notation="mean over classes of the ROC AUC of each against the rest",
    aliases=("roc_auc_macro", "roc_auc_ovr", "aunu"),
    reference="Fawcett (2006)",
)
def macro_roc_auc(scores: Scored) -> Any:
    """Mean over the classes of the ROC AUC of each against the rest, every class counting the same."""
    return _value("macro_roc_auc", scores)


@_area(
    "weighted_roc_auc",
    title="Weighted ROC AUC",
    notation="sum of class share * ROC AUC of each against the rest",
    aliases=("roc_auc_weighted", "roc_auc_ovr_weighted", "aunp"),
    reference="Provost & Domingos (2003)",
)
def weighted_roc_auc(scores: Scored) -> Any:
    """Mean over the classes of the ROC AUC of each against the rest, weighed by how common they are."""
    return _value("weighted_roc_auc", scores)


@_area(
    "ovo_weighted_roc_auc",
    title="Pairwise ROC AUC, weighted",
    notation="mean over pairs of classes, weighed by how common the two are",
    aliases=("ovo_weighted", "roc_auc_ovo_weighted", "au1p"),
    reference="Ferri, Hernández-Orallo & Modroiu (2009)",
)
def ovo_weighted_roc_auc(scores: Scored) -> Any:
    """The Hand-Till mean over pairs of classes, each pair weighed by how common its two classes are."""
    return _value("ovo_weighted_roc_auc", scores)


def _precision_influence(scores: Scored, place: int) -> Any:
    """How much each case moves the macro or the weighted average precision."""
    if isinstance(scores, SummedClasses):
        by_share = each_class(scores, average_precision)[0] * (place == 1)
        weights = (_macro_weights, _share_weights)[place](scores)
        return moved_by_classes(scores, precision_moves, weights, by_share)
    found = _ranking(scores)
    moved = found.precision_moved[place]
    if place == 0:
        return moved
    return moved + found.precisions[scores.truth] - float(found.precisions @ _share_weights(scores))


def _precisions(scores: Scored, place: int = 0) -> Any:
    """The average precision of each class against the rest, or without cases, 1 and 2, its bounds."""
    if isinstance(scores, SummedClasses):
        return each_class(scores, average_precision)[place]
    return _ranking(scores).precisions


def _without_own(scores: Scored) -> Any:
    """The same with each case left out of the precision it is averaged over, which lifts the plain value."""
    if isinstance(scores, SummedClasses):
        return np.array(
            [without_own_hit(t) if n > 0 else 0.0 for t, n in zip(scores.tables, scores.sizes, strict=True)]
        )
    return _ranking(scores).without_own


def _average_precision(name: str, place: int, weights: Influence, **facts: Any) -> Decorator:
    return of_class_scores(
        name,
        centre=lambda scores: _without_own(scores) @ weights(scores),
        in_cells=lambda summed: tuple(float(_precisions(summed, end) @ weights(summed)) for end in (1, 2)),
        influence=partial(_precision_influence, place=place),
        scale=LOGIT,
        refuses=classes_smaller_than(FEWEST_FOR_PRECISION),
        family="ranking",
        bounds=(0.0, 1.0),
        better="higher",
        undefined="there are no cases",
        reference="Boyd, Eng & Page (2013)",
        **facts,
    )


@_average_precision(
    "macro_average_precision",
    0,
    _macro_weights,
    title="Macro average precision",
    notation="mean over classes of the average precision of each against the rest",
    aliases=("average_precision_macro",),
)
def macro_average_precision(scores: Scored) -> Any:
    """Mean over the classes of the average precision of each against the rest, every class counting the same."""
    return _precisions(scores) @ _macro_weights(scores)


@_average_precision(
    "weighted_average_precision",
    1,
    _share_weights,
    title="Weighted average precision",
    notation="sum of class share * average precision of each against the rest",
    aliases=("average_precision_weighted",),
)
def weighted_average_precision(scores: Scored) -> Any:
    """Mean over the classes of the average precision of each against the rest, weighed by how common they are."""
    return _precisions(scores) @ _share_weights(scores)
