"""Measures of decisions that cost: what a case costs, the least it could, and how a score does over all costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy.special import betainc

from assay.costs import Costs
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures.kinds import (
    BestAndJudged,
    CrossFittedSpread,
    Judged,
    area_of_hull,
    cross_fitted,
    function_of_matrix,
    function_of_scores,
    least_cost,
)
from assay.measures.measure import Measure, axis_shares, named, ratio, spelt
from assay.request import checked_choice, checked_positive
from assay.types import Floats
from assay.uncertainty import Blocks, hull_blocks, mean_of_losses

Severity = float | Literal["prevalence"]

A_CLASS_IS_MISSING = "all true labels are of one class, so there is no ROC curve"


def _score_measure(
    formula: Callable[[ScoreTable], Any], of: BestAndJudged, name: str, doc: str | None, **facts: Any
) -> Measure:
    made = named(formula, name, doc, __name__)
    return function_of_scores(cross_fitted(of), family="decision", undefined=A_CLASS_IS_MISSING, **facts)(made)


def expected_cost(costs: Costs) -> Measure:
    """What a case costs on average, decided so; with a prevalence, what it would cost where classes occur so often.

    A label that is no class costs what rejecting costs, or the worst there is for the case where that is not given.

    >>> decided = ConfusionMatrix.binary(tp=37, fn=48, fp=33, tn=168)
    >>> expected_cost(Costs(fp=1, fn=4)).estimate(decided)
    0.787 [0.628, 0.967]
    >>> expected_cost(Costs(fp=1, fn=4, prevalence=0.02))(decided).round(4).item()
    0.2061
    """

    def expected(matrix: ConfusionMatrix) -> Any:
        ours = costs.of_classes(matrix.classes)
        loss = _padded_costs(ours, len(matrix.decisions))
        if ours.prevalence is None:
            return ratio(_total_cost(matrix.counts, loss), matrix.total) + ours.acquisition
        shares = np.array(ours.prevalence)
        risks = ratio((matrix.counts * loss).sum(-1), matrix.actual)
        return np.where(shares > 0, shares * risks, 0.0).sum(-1) + ours.acquisition

    where = "" if costs.prevalence is None else ", at the given prevalence"
    return _cost_measure(
        expected,
        costs,
        title=f"Expected cost{where}",
        notation="sum of cost x share of cases"
        if costs.prevalence is None
        else "sum of prevalence x risk of the class",
        undefined="there is no case, or none of a class that occurs",
        made_by=(expected_cost, (costs,)),
    )


def class_risk(costs: Costs, of_class: str) -> Measure:
    """What a case of one true class costs on average; weighted by how often the classes occur, risks make the cost.

    >>> decided = ConfusionMatrix.binary(tp=37, fn=48, fp=33, tn=168)
    >>> class_risk(Costs(fp=1, fn=4), "1").estimate(decided)
    2.26 [1.83, 2.67]
    """

    def risk(matrix: ConfusionMatrix) -> Any:
        ours = costs.of_classes(matrix.classes)
        k = matrix.classes.index(checked_choice(of_class, matrix.classes, "of_class"))
        row = matrix.counts[..., k, :]
        return ratio((row * _padded_costs(ours, len(matrix.decisions))[k]).sum(-1), row.sum(-1)) + ours.acquisition

    return _cost_measure(
        risk,
        costs,
        title=f"Risk of class {of_class}",
        notation="sum over decisions of cost x share of the class",
        undefined="no true label is of this class",
        made_by=(class_risk, (costs, of_class)),
    )


def minimum_cost(costs: Costs) -> Measure:
    """What a case would cost at the threshold that is the best for these same cases: less than it will cost on others.

    >>> table = ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 1, 0, 1, 0, 0])
    >>> minimum_cost(Costs(fp=1, fn=4))(table).round(4).item()
    0.1667
    """

    def least(table: ScoreTable) -> Any:
        ours = costs.of_classes(table.classes)
        share = ratio(table.positives, table.total) if ours.prevalence is None else np.float64(ours.prevalence[1])
        fpr, recall = _roc_rates(table)
        false_alarm, miss = ours.regret
        part = np.asarray(share)[..., None]
        paid = (1 - part) * false_alarm * fpr + part * miss * (1 - recall)
        return paid.min(-1) + (1 - share) * ours.tn + share * ours.tp + ours.acquisition

    return _score_measure(
        least,
        least_cost(costs),
        "minimum_cost",
        minimum_cost.__doc__,
        title="Least cost at any threshold",
        notation="min over thresholds of the expected cost",
        bounds=_cost_bounds(costs),
        better="lower",
        made_by=(minimum_cost, (costs,)),
    )


def h_measure_with(severity_ratio: Severity | None = None, name: str | None = None) -> Measure:
    """Hand's H with another distribution of costs: the reduction of the loss without scores.

    The relative cost of a false alarm is not known, so losses are averaged over it. By default it has the distribution
    Beta(1 + prevalence, 1 + 1 - prevalence). With a severity ratio SR (how many misses a false alarm is worth, most
    likely) it has Beta(2, 1 + 1 / SR); "prevalence" takes the odds of the positive class for SR, as R's hmeasure does.

    >>> table = ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0])
    >>> h_measure_with(1.0)(table).round(4).item()
    0.6165

    References: Hand (2009); Hand & Anagnostopoulos (2014).
    """
    if severity_ratio is not None and severity_ratio != "prevalence":
        severity_ratio = checked_positive(severity_ratio, "severity_ratio", "a number above 0, or prevalence")
    said = f"{severity_ratio:g}" if isinstance(severity_ratio, float) else severity_ratio
    words = "" if said is None else f", severity ratio {said}"

    def formula(table: ScoreTable) -> Any:
        return _values_of_batch(table, lambda one: _h_measure(one, severity_ratio))

    return _score_measure(
        formula,
        lambda table, seed: _cross_fitted_h(table, severity_ratio, seed),
        name or ("h_measure" if severity_ratio is None else spelt("h_measure", severity_ratio=severity_ratio)),
        h_measure_with.__doc__ if name is None else H_WORDS,
        title=f"H-measure{words}",
        notation="1 - mean of least loss / mean of least loss without a score, over costs",
        bounds=(0.0, 1.0),
        better="higher",
        aliases=("h",) if name else (),
        reference="Hand (2009); Hand & Anagnostopoulos (2014)",
        made_by=(h_measure_with, (severity_ratio, name)),
    )


H_WORDS = """Reduction of the loss without scores by the classifier, averaged over the costs of a false positive.

    The relative cost of a false alarm has the distribution Beta(1 + prevalence, 2 - prevalence), the same for every
    classifier, where the AUC would average with one that depends on the classifier.

    >>> h_measure(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0])).round(4).item()
    0.6348
    """

h_measure = h_measure_with(name="h_measure")


@function_of_scores(
    cross_fitted(area_of_hull),
    family="decision",
    title="Area under the ROC hull",
    notation="area under the upper convex hull of the ROC curve",
    bounds=(0.5, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("auch",),
    reference="Provost & Fawcett (2001)",
    of_each_class=True,
)
def hull_area(table: ScoreTable) -> Any:
    """Area under the convex hull of the ROC curve: what chance between thresholds can reach at best.

    It is at least the area under the curve, and optimistic on the cases it is drawn from.

    >>> hull_area(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 1, 0, 1, 0, 0])).round(4).item()
    0.9444
    """
    return _values_of_batch(table, _hull_area)


def _cost_measure(formula: Callable[[ConfusionMatrix], Any], costs: Costs, **facts: Any) -> Measure:
    maker, _ = facts["made_by"]
    made = named(formula, maker.__name__, maker.__doc__, __name__)
    facts |= {"family": "decision", "better": "lower", "reference": "Elkan (2001)"}
    return function_of_matrix(bounds=_cost_bounds(costs), **facts)(made)


def _cost_bounds(costs: Costs) -> tuple[float, float]:
    cells = [cost for row in costs.matrix for cost in row] + ([] if costs.reject is None else [costs.reject])
    return min(cells) + costs.acquisition, max(cells) + costs.acquisition


def _total_cost(counts: Floats, loss: Floats) -> Any:
    """What all cells cost together; of many matrices cell by cell, since each cell lies in one piece of memory."""
    if counts.ndim == 2:
        return (counts * loss).sum()
    return sum(counts[..., row, column] * cost for (row, column), cost in np.ndenumerate(loss) if cost)


def _padded_costs(costs: Costs, decisions: int) -> Floats:
    """The costs with a column for each decision that is no class."""
    loss = costs.loss
    other = loss.max(-1) if costs.reject is None else np.full(len(loss), costs.reject)
    return np.column_stack([loss, *[other] * (decisions - loss.shape[1])])


def _roc_rates(table: ScoreTable) -> tuple[Any, Any]:
    """False-positive rate and recall from calling nobody positive to calling everybody positive."""
    return axis_shares(table.negative[..., ::-1]), axis_shares(table.positive[..., ::-1])


def _values_of_batch(table: ScoreTable, formula: Callable[[ScoreTable], float]) -> Any:
    """A formula of one table for each table of a batch: hulls have different numbers of corners."""
    if table.negative.ndim == 1:
        return np.float64(formula(table))
    sides = (side.reshape(-1, side.shape[-1]) for side in (table.negative, table.positive))
    values = [formula(ScoreTable(table.score, n, p, table.classes)) for n, p in zip(*sides, strict=True)]
    return np.array(values).reshape(table.negative.shape[:-1])


def _hull_corners(table: ScoreTable) -> tuple[Floats, Floats]:
    """False-positive rate and recall at the corners of the hull."""
    swept, kept = table.swept(), table.hull_corners
    return ratio(swept.fp[kept], table.negatives), ratio(swept.tp[kept], table.positives)


def _hull_area(table: ScoreTable) -> float:
    if not table.negatives or not table.positives:
        return float("nan")
    fpr, recall = _hull_corners(table)
    return float(np.diff(fpr) @ (recall[1:] + recall[:-1]) / 2)


def _h_measure(table: ScoreTable, severity_ratio: Severity | None) -> float:
    if not table.negatives or not table.positives:
        return float("nan")
    return _h_of_hull(*_hull_corners(table), float(ratio(table.positives, table.total)), severity_ratio)


def _h_of_hull(fpr: Floats, recall: Floats, share: float, severity_ratio: Severity | None) -> float:
    """Hand's H: each corner of the hull is the best for a range of costs, over which its loss is a Beta integral."""
    shape = _cost_shape(share, severity_ratio)
    rise, run = share * np.diff(recall), (1 - share) * np.diff(fpr)
    # The cost of a false alarm below which a corner is better than the one before it: falling from 1 to 0.
    ends = np.concatenate(([1.0], ratio(rise, rise + run), [0.0]))
    false_alarm, miss = (-np.diff(integral) for integral in _beta_integrals(ends, *shape))
    loss = (1 - share) * fpr @ false_alarm + share * (1 - recall) @ miss
    return float(np.clip(1 - ratio(loss, _loss_without_score(share, shape)), 0.0, 1.0))


def _loss_without_score(share: float, shape: tuple[float, float]) -> float:
    """The loss of knowing nothing: all are called while a false alarm costs less than the prevalence, else nobody."""
    dear, cheap = _beta_integrals(np.array([0.0, share, 1.0]), *shape)
    return float((1 - share) * (dear[1] - dear[0]) + share * (cheap[2] - cheap[1]))


def _cross_fitted_h(table: ScoreTable, severity_ratio: Severity | None, seed: int) -> Judged:
    """H of the hull, and of isotonic fits judged on other cases: H is the mean of a proper score of their shares."""
    share = float(ratio(table.positives, table.total))
    shape = _cost_shape(share, severity_ratio)
    without = _loss_without_score(share, shape)
    # A sample's share of positives moves what knowing nothing costs.
    corners, step = _hull_corners(table), 1e-3 * min(share, 1 - share)
    above, below = (_h_of_hull(*corners, share + side, severity_ratio) for side in (step, -step))
    by_share = float(ratio(above - below, 2 * step)) ** 2 * share * (1 - share)

    def saved(blocks: list[Blocks]) -> CrossFittedSpread:
        (alarm, of_alarms), (miss, of_misses) = _cross_fitted_losses(blocks, shape)
        loss, within = (1 - share) * alarm + share * miss, (1 - share) * of_alarms + share * of_misses
        return float(1 - ratio(loss, without)), float(ratio(ratio(within, without**2) + by_share, table.total))

    fitted, partings = hull_blocks(table, seed)
    value, variance = saved([fitted])
    judged = np.mean([saved(folds) for folds in partings], axis=0)
    return (np.array([value]), np.array([variance])), (float(judged[0]), float(judged[1]))


def _cross_fitted_losses(
    blocks: list[Blocks], shape: tuple[float, float]
) -> tuple[CrossFittedSpread, CrossFittedSpread]:
    """The mean loss of a negative and of a positive, each with the variance of one case's."""
    share, negative, positive = (np.concatenate([one[i] for one in blocks]) for i in range(3))
    alarm, spared = _beta_integrals(share, *shape)
    worst_alarm, worst_miss = (float(part[0]) for part in _beta_integrals(np.array([1.0]), *shape))
    return mean_of_losses(alarm, negative, worst_alarm), mean_of_losses(worst_miss - spared, positive, worst_miss)


def _cost_shape(share: float, severity_ratio: Severity | None) -> tuple[float, float]:
    if severity_ratio is None:
        return 1 + share, 2 - share
    odds = float(ratio(share, 1 - share)) if severity_ratio == "prevalence" else float(severity_ratio)
    return 2.0, 1 + float(ratio(1.0, odds))


def _beta_integrals(ends: Floats, a: float, b: float) -> tuple[Any, Any]:
    """Integrals of c and of 1 - c from 0 to each end under a Beta(a, b) distribution of c."""
    mean = ratio(a, a + b)
    return mean * betainc(a + 1, b, ends), (1 - mean) * betainc(a, b + 1, ends)
