"""The curves a moving threshold traces: any quantity read at every threshold, against any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from assay.curves.curve import THRESHOLD, Quantity, Sweep, Trace, need_between
from assay.errors import OptionError
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import Measure, find, fnr, fpr, precision, ratio, recall
from assay.types import Floats

Made = TypeVar("Made")


def line(start: tuple[float, float], end: tuple[float, float], name: str) -> Trace:
    """A reference line between two points."""
    x, y = np.array([start, end], dtype=np.float64).T
    return Trace(x, y, "reference", name)


def _chance_diagonal(prevalence: float) -> tuple[Trace, ...]:
    return (line((0, 0), (1, 1), "chance"),)


def _prevalence_line(prevalence: float) -> tuple[Trace, ...]:
    return (line((0, prevalence), (1, prevalence), "prevalence"),)


def _falling_diagonal(prevalence: float) -> tuple[Trace, ...]:
    return (line((0, 1), (1, 0), "always positive"),)


def _gain_scale(share: Any, prevalence: Any) -> Any:
    return ratio(share - prevalence, (1 - prevalence) * share)


def _precision_gain(matrix: ConfusionMatrix) -> Any:
    return _gain_scale(precision(matrix), ratio(matrix.positives, matrix.total))


def _recall_gain(matrix: ConfusionMatrix) -> Any:
    return _gain_scale(recall(matrix), ratio(matrix.positives, matrix.total))


def _false_positive_count(matrix: ConfusionMatrix) -> Any:
    return matrix.fp


def _false_negative_count(matrix: ConfusionMatrix) -> Any:
    return matrix.fn


roc = Sweep("roc", "ROC curve", fpr, recall, join="straight", references=_chance_diagonal)
precision_recall = Sweep(
    "precision_recall",
    "Precision-recall curve",
    recall,
    precision,
    references=_prevalence_line,
    starts_at_first_block=True,
)
# Flach & Kull (2015): on these axes straight lines between points are right, and areas are averages of F1's gain.
precision_recall_gain = Sweep(
    "precision_recall_gain",
    "Precision-recall-gain curve",
    Quantity("recall_gain", "Recall gain", _recall_gain),
    Quantity("precision_gain", "Precision gain", _precision_gain),
    join="straight",
    references=_falling_diagonal,
    starts_at_first_block=True,
)
det = Sweep("det", "Detection error trade-off", fpr, fnr, scale="probit")
fp_fn = Sweep(
    "fp_fn",
    "False alarms and misses",
    Quantity("FP", "False alarms", _false_positive_count, (0.0, np.inf)),
    Quantity("FN", "Misses", _false_negative_count, (0.0, np.inf)),
    join="straight",
)


def sweep(x: Measure | Quantity | str, y: Measure | Quantity | str) -> Sweep:
    """A curve of any measure of decisions against any other, as the threshold moves.

    >>> curve = sweep("specificity", "npv")(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True]))
    >>> curve.x.tolist(), curve.y.round(3).tolist()
    ([1.0, 1.0, 0.0, 0.0], [0.333, 0.5, 0.0, nan])
    """
    across, up = THRESHOLD if x == "threshold" else _axis_quantity(x), _axis_quantity(y)
    join = "step" if across is THRESHOLD else "counts"
    title = f"{up.title} against the threshold" if across is THRESHOLD else f"{up.title} against {across.title.lower()}"
    return Sweep(f"{up.name}_against_{across.name}", title, across, up, join=join)  # type: ignore[arg-type]


def against_threshold(measure: Measure | Quantity | str) -> Sweep:
    """A measure of decisions at every threshold.

    >>> curve = against_threshold("f1")(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True]))
    >>> print(curve.table())
    threshold  TP  FP  TN  FN     f1
          inf   0   0   1   2  0.000
        0.900   1   0   1   1  0.667
        0.800   1   1   0   1  0.500
        0.400   2   1   0   0  0.800
    """
    return sweep(THRESHOLD, measure)


def _axis_quantity(measure: Measure | Quantity | str) -> Measure | Quantity:
    if isinstance(measure, str) and measure == "threshold":
        raise OptionError("the threshold stands along a curve", "a measure for y", {"x": "threshold"}, about="y")
    found = find(measure) if isinstance(measure, str) else measure
    if isinstance(found, Measure) and found.needs is not ConfusionMatrix:
        one = f"{found.name} is one number for all thresholds"
        raise OptionError(one, "a measure of decisions for an axis, such as 'recall'")
    return found


def against_rest(kind: Callable[[ScoreTable], Made], scores: ClassScores) -> dict[str, Made]:
    """For each of many classes, a curve of it against the rest.

    >>> scores = ClassScores.of([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]], [0, 1, 2], "abc")
    >>> against_rest(roc, scores)["c"]
    <ROC curve: 3 points>
    """
    return {name: kind(scores.against_rest(k)) for k, name in enumerate(scores.classes)}


def precision_at_recall(table: ScoreTable, recall: ArrayLike) -> Floats:
    """Share of positives among those called, when just so many are called that the given recall is reached.

    Inside a tie block positives come as they are spread in it, so the curve runs along a hyperbola there (Davis &
    Goadrich, 2006); a straight line would promise too much. At a recall of 0 nothing need be called: nan.

    >>> precision_at_recall(ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False]), [0, 0.5, 0.75, 1]).tolist()
    [nan, 1.0, 0.6, 0.5]
    """
    wanted = np.asarray(recall, dtype=np.float64)
    need_between(wanted, "recall")
    swept = table.swept()
    hits, calls = swept.tp, swept.tp + swept.fp
    found = wanted * hits[-1]
    after = np.clip(np.searchsorted(hits, found, side="left"), 1, len(hits) - 1)
    share = ratio(found - hits[after - 1], hits[after] - hits[after - 1])
    called = calls[after - 1] + share * (calls[after] - calls[after - 1])
    precisions: Floats = ratio(found, np.where(found > 0, called, 0.0))
    return precisions


def share_from(table: ScoreTable, side: Floats, threshold: Floats) -> Floats:
    """The share of what stands at a table's scores that lies at each threshold or above."""
    above = np.append(np.cumsum(side[::-1])[::-1], 0.0)
    return np.asarray(ratio(above[np.searchsorted(table.score, threshold)], side.sum()))


# Curves that 0.2.0 pickled hold these functions by their earlier names.
_diagonal = _chance_diagonal
_at_prevalence = _prevalence_line
_false_alarms = _false_positive_count
_misses = _false_negative_count
