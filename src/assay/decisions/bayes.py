"""Deciding from probabilities: Bayes' rule for any costs, and when to hand a case on instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.costs import Costs
from assay.curves.hull import roc_hull
from assay.errors import InputError, OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures.decision import class_risk
from assay.predictions import REJECTED
from assay.results import Estimate
from assay.types import Floats

__all__ = ["REJECTED", "bayes_decisions", "matrix_with_rejection", "reject_thresholds", "rejection_region", "risks"]

# Two decisions whose costs differ by less than this, relative to the dearest, cost the same.
ROUNDING = 1e-12


def bayes_decisions(
    probabilities: ArrayLike, costs: Costs, *, calibrated_at: ArrayLike | None = None
) -> NDArray[np.intp]:
    """The cheapest decision for each case, as a position among the classes; one past them where rejecting is cheaper.

    `probabilities` has a column for each class (or, of two, is the positive one's alone). A tie goes to the positive
    class of two, to the first class of more, and never to rejecting. Where `costs` have a prevalence, the probabilities
    are carried over to it from the class shares they are `calibrated_at`.

    >>> bayes_decisions([0.05, 0.1, 0.6], Costs(fp=1, fn=9)).tolist()
    [0, 1, 1]
    >>> bayes_decisions([0.05, 0.3, 0.6], Costs(fp=1, fn=1, reject=0.2)).tolist()
    [0, 2, 2]
    >>> bayes_decisions([[0.45, 0.15, 0.4]], Costs([[0, 1, 2], [1, 0, 1], [3, 2, 0]])).tolist()
    [2]

    References: Elkan (2001); Chow (1970).
    """
    share = _adjusted_probabilities(probabilities, costs, calibrated_at)
    expected = share @ costs.loss
    # Of two classes reversed, so that the first of equals is the positive one.
    decision = 1 - _first_cheapest(expected[:, ::-1]) if costs.is_binary else _first_cheapest(expected)
    if costs.reject is None:
        return decision
    least = np.take_along_axis(expected, decision[:, None], 1)[:, 0]
    return np.where(least > costs.reject + _rounding_slack(expected), len(costs.classes), decision)


def risks(matrix: ConfusionMatrix, costs: Costs, *, level: float = 0.95, seed: int = 0) -> dict[str, Estimate]:
    """What a case of each true class costs on average, by class; weighted by prevalence they are the expected cost.

    >>> risks(ConfusionMatrix.binary(tp=37, fn=48, fp=33, tn=168), Costs(fp=1, fn=4))["0"]
    0.164 [0.118, 0.220]
    """
    return {name: class_risk(costs, name).estimate(matrix, level=level, seed=seed) for name in matrix.classes}


def rejection_region(costs: Costs) -> tuple[float, float] | None:
    """The calibrated probabilities between which handing a case on is cheaper than either decision; None if none are.

    With right decisions free it runs from reject / fn to 1 - reject / fp, and is there only if rejecting costs less
    than fp fn / (fp + fn).

    >>> rejection_region(Costs(fp=1, fn=4, reject=0.2))
    (0.05, 0.8)
    >>> rejection_region(Costs(fp=1, fn=4, reject=0.8)) is None
    True

    References: Chow (1970).
    """
    if costs.reject is None:
        raise OptionError("the costs lack the cost of rejecting", "Costs(..., reject=...)")
    # Costs of either decision as lines over the probability: rejecting is cheaper where both lie above it.
    low, high = 0.0, 1.0
    for at_zero, at_one in ((costs.tn, costs.fn), (costs.fp, costs.tp)):
        if at_zero <= costs.reject and at_one <= costs.reject:
            return None
        crossing = (costs.reject - at_zero) / (at_one - at_zero) if at_one != at_zero else 0.0
        if at_zero <= costs.reject:
            low = max(low, crossing)
        elif at_one <= costs.reject:
            high = min(high, crossing)
    return (low, high) if low < high else None


def reject_thresholds(table: ScoreTable, costs: Costs) -> tuple[float, float] | None:
    """The scores between which rejecting is the cheapest on these cases, calibrated or not; None if nowhere.

    Cases of at least the second score are predicted positive, of less than the first one negative. They are where lines
    of
    equal cost touch the ROC hull: one line for deciding negative or not at all, one for not at all or positive.

    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 1, 0, 1, 1])
    >>> reject_thresholds(table, Costs(fp=1, fn=1, reject=0.2))
    (0.3, 0.5)

    References: Tortorella (2000).
    """
    if costs.reject is None:
        raise OptionError("the costs lack the cost of rejecting", "Costs(..., reject=...)")
    hull = roc_hull(table)
    share = costs.positive_share if costs.positive_share is not None else hull.prevalence
    saved_on_negatives, saved_on_positives = costs.fp - costs.reject, costs.fn - costs.reject
    paid_on_negatives, paid_on_positives = costs.reject - costs.tn, costs.reject - costs.tp
    if min(saved_on_negatives, saved_on_positives, paid_on_negatives, paid_on_positives) <= 0:
        return None
    ratios = [saved_on_positives / paid_on_negatives, paid_on_positives / saved_on_negatives]
    low, high = (hull.owners[corner][0].threshold for corner in hull.at(ratios, share).corner)
    return (low, high) if low < high else None


def matrix_with_rejection(table: ScoreTable, zone: tuple[float, float]) -> ConfusionMatrix:
    """The decisions when scores from the second number on are positive, below the first negative, between rejected.

    Its expected cost counts what rejecting costs.

    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 1, 0, 1, 1])
    >>> matrix_with_rejection(table, (0.3, 0.5))
       0  1  rejected  <- decided
    0  2  0         1
    1  0  2         1
    """
    low, high = zone
    if low > high:
        raise OptionError(f"cases from {low:g} to below {high:g} are to be rejected", "two scores, the lower one first")
    ends = [int(np.searchsorted(table.score, end, side="left")) for end in zone]
    sides = (table.negative, table.positive)
    counts = np.stack([_weights_by_decision(side, *ends) for side in sides], axis=-2)
    squares = (
        np.stack([_weights_by_decision(side, *ends) for side in table.squared_weights], axis=-2)
        if table.is_weighted
        else None
    )
    return ConfusionMatrix(counts, table.classes, (*table.classes, REJECTED), squares)


def _weights_by_decision(weights: Floats, low: int, high: int) -> Floats:
    """Weight called negative, called positive, and rejected."""
    return np.stack([weights[..., :low].sum(-1), weights[..., high:].sum(-1), weights[..., low:high].sum(-1)], axis=-1)


def _adjusted_probabilities(probabilities: ArrayLike, costs: Costs, calibrated_at: ArrayLike | None) -> Floats:
    given = np.asarray(probabilities, dtype=np.float64)
    share = np.stack((1 - given, given), axis=1) if given.ndim == 1 and costs.is_binary else given
    if share.ndim != 2 or share.shape[1] != len(costs.classes):
        raise InputError(
            f"the probabilities have shape {given.shape}", f"a column for each of {len(costs.classes)} classes"
        )
    if not ((share >= 0).all() and (share <= 1).all() and np.allclose(share.sum(1), 1, atol=1e-6)):
        raise InputError("some rows are no probabilities", "numbers between 0 and 1 that sum to 1 in each row")
    if costs.prevalence is None:
        return share
    if calibrated_at is None:
        raise InputError(
            "the costs have a prevalence, but not the probabilities",
            "the class shares they are calibrated at, as calibrated_at=, or costs without a prevalence",
        )
    here = np.asarray(calibrated_at, dtype=np.float64)
    here = np.array([1 - here, here]) if here.ndim == 0 else here
    carried = share * np.array(costs.prevalence) / here
    return np.asarray(carried / carried.sum(1, keepdims=True))


def _first_cheapest(expected: Floats) -> NDArray[np.intp]:
    """The first decision whose cost is the least, rounding apart."""
    is_least = expected <= expected.min(1, keepdims=True) + _rounding_slack(expected)[:, None]
    return np.asarray(is_least.argmax(1))


def _rounding_slack(expected: Floats) -> Floats:
    return np.asarray(ROUNDING * np.abs(expected).max(1))
