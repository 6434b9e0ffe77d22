"""Which measures are known from a sample of labels, and what each has: limits, a value alone, or nothing yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from assay.evidence import ConfusionMatrix
from assay.labelling import estimators
from assay.labelling.estimators import LOG, LOGIT, Calls, Scale, ScoreEstimate
from assay.labelling.masses import LabelledRows
from assay.measures import Measure, registry
from assay.results import Estimate, Interval

__all__ = ["FEWEST_LABELS", "FEWEST_OF_A_CLASS", "NO_LIMITS", "Target", "estimated"]

Target = Literal["rows", "new"]
roc_auc, average_precision, brier, log_loss = (
    registry[name] for name in ("roc_auc", "average_precision", "brier", "log_loss")
)
# What the limits are about, as every output says it.
TARGETS: Mapping[Target, str] = MappingProxyType({"rows": "these rows", "new": "new cases like these"})
FEWEST_LABELS, FEWEST_OF_A_CLASS = 30, 3
NO_LIMITS = "limits from a sample of labels were not simulated for it"
WITH_PROXY = "limits with a proxy were simulated for measures of predicted labels only; leave the proxy out"
NOT_OF_NEW_CASES = "limits for new cases were simulated for accuracy, precision, recall and F1 only; use target='rows'"


@dataclass(frozen=True)
class SampledScore:
    """A measure of scores as labelled rows give it, the scale of its limits, and its bounds."""

    estimate: Callable[[LabelledRows], ScoreEstimate]
    scale: Scale | None
    bounds: tuple[float, float]
    needs_probability: bool = True
    refuses: Callable[[LabelledRows], str | None] = lambda rows: None


def _infinite_loss_reason(rows: LabelledRows) -> str | None:
    """Why one more error could make the log loss infinite."""
    assert rows.score is not None
    certain = int(((rows.score <= 0) | (rows.score >= 1)).sum())
    return f"{certain:,} rows have a probability of exactly 0 or 1: one error makes it infinite" if certain else None


SCORES: Mapping[str, SampledScore] = MappingProxyType(
    {
        roc_auc.name: SampledScore(estimators.roc_auc, LOGIT, (0.0, 1.0), needs_probability=False),
        average_precision.name: SampledScore(estimators.average_precision, LOGIT, (0.0, 1.0), needs_probability=False),
        brier.name: SampledScore(estimators.brier, LOGIT, (0.0, 1.0)),
        log_loss.name: SampledScore(estimators.log_loss, LOG, (0.0, math.inf), refuses=_infinite_loss_reason),
        "observed_to_expected": SampledScore(estimators.observed_over_expected, LOG, (0.0, math.inf)),
        "calibration_slope": SampledScore(estimators.calibration_slope, None, (-math.inf, math.inf)),
    }
)


def estimated(rows: LabelledRows, measure: Measure | str, level: float, target: Target) -> Estimate:
    """Return a measure of all rows, estimated from those that are labelled."""
    name = measure if isinstance(measure, str) else measure.name
    if name not in SCORES and isinstance(measure, Measure) and measure.pairs is not None:
        return _linear_auc_estimate(rows, measure, level, target)
    if name in SCORES:
        return _score_estimate(rows, name, level, target)
    assert isinstance(measure, Measure)
    assert measure.needs is ConfusionMatrix
    return _prediction_estimate(rows, measure, level, target)


def _linear_auc_estimate(rows: LabelledRows, measure: Measure, level: float, target: Target) -> Estimate:
    """A line through the ROC AUC."""
    assert measure.pairs is not None
    auc = estimated(rows, roc_auc, level, target)
    scale, shift = measure.pairs.scale, measure.pairs.shift
    value, low, high = (scale * each + shift for each in (auc.value, auc.low, auc.high))
    se = None if auc.se is None else abs(scale) * auc.se
    return Estimate(measure.name, value, low, high, auc.level, auc.method, auc.n, auc.target, auc.undefined, se)


def _prediction_estimate(rows: LabelledRows, measure: Measure, level: float, target: Target) -> Estimate:
    calls: Calls = rows.known["calls"] if "calls" in rows.known else Calls.of(rows, trusts_model=rows.trusts_model)
    rows.known["calls"] = calls

    def formula(matrix: ConfusionMatrix) -> float:
        return float(measure(matrix))

    value, n = formula(calls.matrix), float(measure.cases(_labelled_matrix(rows)))
    value, why = _value_without_limits(rows, calls, measure, value, target)
    if why is not None:
        return Estimate(measure.name, value, math.nan, math.nan, level, "none", n, TARGETS[target], why)
    found = calls.limits(formula, level)
    if target == "new":
        found = _widened_for_new_cases(value, found, measure.estimate(calls.matrix, level=level))
    low, high = max(measure.bounds[0], min(found.low, value)), min(measure.bounds[1], max(found.high, value))
    return Estimate(measure.name, value, low, high, level, found.method, n, TARGETS[target])


def _value_without_limits(
    rows: LabelledRows, calls: Calls, measure: Measure, value: float, target: Target
) -> tuple[float, str | None]:
    """The value of a measure of calls, nan where nothing is known of it, and why it has no limits."""
    of_called, of_rest = calls.rests_on(lambda matrix: float(measure(matrix)))
    for is_used, side, what in ((of_called, calls.called, "positives"), (of_rest, calls.rest, "negatives")):
        if is_used and side.rows and not side.labelled:
            ends = [calls.with_all(side is calls.called, positive=end) for end in (False, True)]
            low, high = sorted(float(measure(each)) for each in ends)
            between = "" if math.isnan(low + high) else f"; it lies between {low:.3g} and {high:.3g}"
            return math.nan, f"none of the {side.rows:,} predicted {what} is labelled{between}"
    if math.isnan(value):
        return value, measure.undefined
    if measure.from_sample is None:
        return value, NO_LIMITS
    if target == "new" and measure.from_sample != "new":
        return value, NOT_OF_NEW_CASES
    if of_called and not of_rest and calls.called.labelled < FEWEST_OF_A_CLASS:
        needed = f"at least {FEWEST_OF_A_CLASS} needed"
        return value, f"only {calls.called.labelled} of the predicted positives are labelled; {needed}"
    return value, too_few(rows) if of_rest else None


def _widened_for_new_cases(value: float, found: Interval, of_all: Estimate) -> Interval:
    """Limits for new cases: what labels of all these rows would still leave open is added."""
    low = value - math.hypot(value - found.low, value - of_all.low)
    return Interval(
        low, value + math.hypot(found.high - value, of_all.high - value), f"{found.method}; {of_all.method}"
    )


def _score_estimate(rows: LabelledRows, name: str, level: float, target: Target) -> Estimate:
    measure = SCORES[name]
    found: ScoreEstimate = rows.known[name] if name in rows.known else measure.estimate(rows)
    rows.known[name] = found
    low, high = measure.bounds
    value = min(max(found.value, low), high)

    def without(why: str) -> Estimate:
        return Estimate(name, value, math.nan, math.nan, level, "none", float(rows.labels), TARGETS[target], why)

    if math.isnan(value):
        return without("the labels show no positive, or no negative")
    if target == "new":
        return without(NOT_OF_NEW_CASES)
    if rows.proxy is not None:
        return without(WITH_PROXY)
    if (why := too_few(rows)) is not None:
        return without(why)
    if (why := measure.refuses(rows)) is not None:
        return without(why)
    limits = estimators.score_limits(rows, found, level, measure.scale)
    ends = max(low, min(limits.low, value)), min(high, max(limits.high, value))
    n = float(rows.labels)
    return Estimate(name, value, *ends, level, limits.method, n, TARGETS[target], se=limits.se)


def too_few(rows: LabelledRows, fewest: int = FEWEST_OF_A_CLASS) -> str | None:
    """Return why labels of a class are too few for limits, and about how many more would do; None if there are enough.

    >>> import numpy as np
    >>> too_few(LabelledRows(np.array([0.0] * 50), np.full(50, 0.5)))
    'none of the 50 labelled rows is positive; at least 3 of each class are needed'
    """
    for count, what in ((rows.positives, "positive"), (rows.negatives, "negative")):
        if count < fewest:
            many = "none" if count == 0 else f"only {count}"
            verb = "is" if count < 2 else "are"
            more = math.ceil(rows.labels * (fewest / count - 1)) if count else 0
            about = f": about {more:,} more labels" if more else ""
            least = f"at least {fewest} of each class are needed{about}"
            return f"{many} of the {rows.labels:,} labelled rows {verb} {what}; {least}"
    return None


def _labelled_matrix(rows: LabelledRows) -> ConfusionMatrix:
    """The confusion matrix of the labelled rows alone, each counted once."""
    assert rows.called is not None
    called, positive = rows.called[rows.drawn], rows.label[rows.drawn] == 1
    counts = [int((called & positive).sum()), int((~called & positive).sum())]
    return ConfusionMatrix.binary(
        tp=counts[0], fn=counts[1], fp=int(called.sum()) - counts[0], tn=int((~called).sum()) - counts[1]
    )
