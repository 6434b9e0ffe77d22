"""Where two rates of a ranking meet, an optimistic area, and a mean of three measures. To be asked for by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.evidence import ScoreTable
from assay.measures.kinds import function_of_scores
from assay.measures.measure import IntervalFamily, Measure, axis_shares, named, ratio, spelt
from assay.measures.probability import brier
from assay.measures.ranking import roc_auc
from assay.measures.rates import accuracy
from assay.request import checked_between

NO_POSITIVES = "no true label is positive"
A_CLASS_IS_MISSING = "all true labels are of one class, so there is no ROC curve"
CHOSEN = IntervalFamily.none("its threshold is chosen on the same cases, and no interval was simulated for it")
OPTIMISTIC = IntervalFamily.none("straight lines make it too large; pr_area and average_precision have an interval")
MEAN_OF_THREE = IntervalFamily.none("no interval was simulated for a mean of three measures; each of them has one")


def _crossing_value(value: Callable[[Any, Any], float], table: ScoreTable) -> Any:
    """A number read off the cumulated weights of both classes, from the highest score down, of one table or many."""
    sides = [np.asarray(side[..., ::-1]) for side in np.broadcast_arrays(table.negative, table.positive)]
    rows = zip(*(side.reshape(-1, side.shape[-1]) for side in sides), strict=True)
    found = [value(*(np.concatenate(([0.0], np.cumsum(side))) for side in row)) for row in rows]
    return np.array(found).reshape(sides[0].shape[:-1])[()]


def _break_even(alarms: Any, hits: Any) -> float:
    return float(ratio(np.interp(hits[-1], alarms + hits, hits), hits[-1]))


@function_of_scores(
    CHOSEN,
    family="ranking",
    title="Precision-recall break-even",
    notation="precision where as many cases are predicted positive as are positive",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=NO_POSITIVES,
    aliases=("prbe", "break_even_point", "r_precision"),
    reference="Joachims (1998)",
)
def break_even(table: ScoreTable) -> Any:
    """Precision and recall where they are equal: where as many cases are predicted positive as there are positives.

    Within tied scores the mean over all orders of them.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> break_even(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).item()
    0.8
    """
    return _crossing_value(_break_even, table)


def _equal_errors(alarms: Any, hits: Any) -> float:
    fpr, fnr = ratio(alarms, alarms[-1]), 1 - ratio(hits, hits[-1])
    return float(np.interp(0.0, fpr - fnr, fpr)) if alarms[-1] > 0 and hits[-1] > 0 else float("nan")


@function_of_scores(
    CHOSEN,
    family="ranking",
    title="Equal error rate",
    notation="false-positive rate where it equals the false-negative rate",
    bounds=(0.0, 1.0),
    better="lower",
    undefined=A_CLASS_IS_MISSING,
    aliases=("eer", "crossover_error_rate"),
    reference="Martin et al. (1997)",
    of_each_class=True,
)
def equal_error_rate(table: ScoreTable) -> Any:
    """Share of errors in either class at the threshold where both classes have the same: 0.5 for chance.

    Read off the ROC curve, which runs straight across tied scores.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> equal_error_rate(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).round(6).item()
    0.2
    """
    return _crossing_value(_equal_errors, table)


@function_of_scores(
    OPTIMISTIC,
    family="ranking",
    is_open_in_cells=True,
    title="Area under precision-recall, straight lines",
    notation="trapezoids between the points of all thresholds, from precision 1 at recall 0",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=NO_POSITIVES,
    aliases=("pr_auc_trapezoid", "linear_pr_area"),
    reference="Davis & Goadrich (2006), who warn of it; yardstick's pr_auc",
)
def pr_area_lines(table: ScoreTable) -> Any:
    """Area under straight lines between the points of a precision-recall curve, as yardstick and others compute it.

    No threshold reaches those lines where scores tie: `pr_area` follows the curve as it runs.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> pr_area_lines(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).round(6).item()
    0.802222
    """
    recall = axis_shares(table.positive[..., ::-1])
    hits, calls = (np.cumsum(side[..., ::-1], -1) for side in (table.positive, table.positive + table.negative))
    precision = np.concatenate((np.ones((*hits.shape[:-1], 1)), ratio(hits, calls)), axis=-1)
    # Calls of weight zero at the top are no calls: there precision is still that of calling nobody.
    precision = np.where(np.isnan(precision), 1.0, precision)
    return np.trapezoid(precision, recall, axis=-1)[()]


def sar_at(threshold: float, name: str | None = None) -> Measure:
    """The mean of accuracy at a threshold, ROC AUC and 1 - RMSE: `sar(0.35)`.

    >>> sar_at(0.5)(ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])).round(6).item()
    0.765661
    """
    at = checked_between(threshold, "threshold", closed=True)

    def formula(table: ScoreTable) -> Any:
        return (accuracy(table.at(at)) + roc_auc(table) + 1 - np.sqrt(brier(table))) / 3

    doc = f"Mean of accuracy at a threshold of {at:g}, ROC AUC and 1 minus the root of the Brier score."
    return function_of_scores(
        MEAN_OF_THREE,
        family="probability",
        title="SAR" if name else f"SAR at {at:g}",
        notation="(accuracy + AUC + (1 - RMSE)) / 3",
        bounds=(0.0, 1.0),
        better="higher",
        undefined=A_CLASS_IS_MISSING,
        aliases=("squared_error_accuracy_roc",) if name else (),
        reference="Caruana & Niculescu-Mizil (2004)",
        needs_probability=True,
        made_by=(sar_at, (at, name)),
    )(named(formula, name or spelt("sar", at), doc, __name__))


sar = sar_at(0.5, "sar")
