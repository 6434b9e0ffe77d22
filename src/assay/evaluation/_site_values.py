"""What one site adds to a summary of several: its value and standard error on the scale that sites are pooled on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from assay.errors import OptionError, UnknownName
from assay.evaluation._evaluation import Evaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.results import Estimate
from assay.uncertainty import IDENTITY, Scale, scale_of, with_ends

__all__ = ["SiteValue", "pooling_scale", "site_value", "value_of_evidence"]

# Added to every cell of a matrix, or cases of each class at either end of the scores, where a site shows no error.
HALF_A_CASE, A_CASE = 0.5, 1.0
MOVED = "half a case was added to each of its cells"
MOVED_SCORES = "a case of each class was added at either end of its scores"
NO_ERROR = "has no standard error"
OF_FOLDS = "models of several folds made these predictions, and no standard error of theirs is known"


@dataclass(frozen=True)
class SiteValue:
    """A site's value and variance on the pooling scale; `remark` says what was added to get them.

    `undefined` says why the site has none, and then is left out of every summary.
    """

    value: float
    variance: float
    remark: str = ""
    undefined: str | None = None


def pooling_scale(measure: Measure) -> Scale:
    """The scale on which a measure's values are averaged over sites: logit for shares and areas, z for correlations.

    >>> from assay.measures import find
    >>> pooling_scale(find("roc_auc")).name, pooling_scale(find("mcc")).name, pooling_scale(find("log_loss")).name
    ('logit', 'z', 'log')
    """
    low, high = measure.bounds
    is_known = (low, high) in ((0.0, math.inf), (-math.inf, 1.0)) or math.isfinite(high - low)
    return scale_of(measure.bounds) if is_known else IDENTITY


def site_value(ev: Evaluation, measure: Measure) -> SiteValue:
    """What an evaluation of one site adds; one whose value has no end in reach and no error gets a case or two more."""
    shown = ev.estimate(measure)
    if math.isnan(shown.value):
        return SiteValue(math.nan, math.nan, undefined=shown.undefined)
    found = on_scale(shown if ev.fold_count is not None else _with_error(ev, measure), measure)
    if found is not None:
        return found
    moved = None if ev.fold_count is not None else value_of_evidence(measure, ev.evidence_for(measure))
    if moved is not None:
        return moved
    why = OF_FOLDS if ev.fold_count is not None else f"{measure.title} {NO_ERROR} here"
    return SiteValue(math.nan, math.nan, undefined=why)


def value_of_evidence(measure: Measure, evidence: Any) -> SiteValue | None:
    """The same of plain evidence: with cases added only where it has no error without; None where neither has one."""
    found = on_scale(measure.estimate(evidence, method="normal"), measure)
    if found is not None:
        return found
    if isinstance(evidence, ConfusionMatrix) and evidence.clusters is None:
        more: Any = replace(evidence, counts=evidence.counts + HALF_A_CASE)
        moved = on_scale(measure.estimate(more, method="normal"), measure)
        return None if moved is None else replace(moved, remark=MOVED)
    if isinstance(evidence, ScoreTable) and evidence.rows is None and min(evidence.negatives, evidence.positives) > 0:
        moved = on_scale(measure.estimate(with_ends(evidence, A_CASE), method="normal"), measure)
        return None if moved is None else replace(moved, remark=MOVED_SCORES)
    return None


def _with_error(ev: Evaluation, measure: Measure) -> Estimate:
    """The estimate with its plain standard error: DeLong's of an AUC, the usual one of a share, ..."""
    try:
        return ev.estimate(measure, method="normal")
    except UnknownName:
        raise OptionError(
            f"{measure.title} {NO_ERROR}, so that sites cannot be weighed by it",
            "a measure that has one",
            about="measure",
        ) from None


def on_scale(estimate: Estimate, measure: Measure) -> SiteValue | None:
    """The delta method: an estimate and its error where the measure's range has no end; None where it has neither."""
    if estimate.se is None or not estimate.se > 0 or estimate.value in measure.bounds:
        return None
    scale = pooling_scale(measure)
    value, error = scale.forward(estimate.value), estimate.se * scale.slope(estimate.value)
    is_usable = math.isfinite(value) and math.isfinite(error) and error > 0
    return SiteValue(value, error * error) if is_usable else None
