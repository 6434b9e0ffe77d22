"""Evaluations in the manner of R's caret::confusionMatrix, with the intervals and methods that caret leaves out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Literal

import numpy as np

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.measures import (
    balanced_accuracy,
    detection_rate,
    npv,
    precision,
    predicted_prevalence,
    prevalence,
    recall,
    specificity,
)
from assay.report.wording import listed, model_names, shortened
from assay.results import Estimate, TestResult
from assay.uncertainty import label_bias_test, no_information_test

__all__ = ["Layout", "render_caret"]

Layout = Literal["predicted-rows", "actual-rows"]

NO_DECISIONS = "No predicted labels, so no confusion matrix: pass a threshold."
WHAT_MCNEMAR_TESTS = (
    "Mcnemar's test compares the numbers of false positives and false negatives. It compares the predictions with the "
    "true labels, not with another classifier; a useless classifier may pass it."
)
BY_CLASS = {
    "Sensitivity": recall,
    "Specificity": specificity,
    "Pos Pred Value": precision,
    "Neg Pred Value": npv,
    "Prevalence": prevalence,
    "Detection Rate": detection_rate,
    "Detection Prevalence": predicted_prevalence,
    "Balanced Accuracy": balanced_accuracy,
}
WIDTH = 100
# R calls anything smaller by this name: the distance from 1 to the next double.
SMALLEST_P = 2.2e-16
LABEL = 23
# R sets the labels of rows in by at least so much.
LEAST_OFFSET = 2


def render_caret(
    models: Mapping[str, Evaluation], *, layout: Layout = "predicted-rows", positive_first: bool = True
) -> str:
    """A block for each model; `layout` says what the rows of the matrix are, caret's being the predictions.

    >>> from assay.evaluation import from_counts
    >>> text = render_caret({"": from_counts(tp=187, fn=25, fp=14, tn=343)})
    >>> print("\\n".join(text.splitlines()[:11]))
    Confusion Matrix and Statistics
    <BLANKLINE>
              Reference
    Prediction   1   0
             1 187  14
             0  25 343
    <BLANKLINE>
                   Accuracy : 0.9315
                     95% CI : (0.9075, 0.9508)   Clopper-Pearson
        No Information Rate : 0.6274
        P-Value [Acc > NIR] : < 2.2e-16   exact binomial, one-sided
    """
    names = model_names(models)
    parts = (_model_lines(ev, names[key], layout, positive_first=positive_first) for key, ev in models.items())
    return "\n\n".join("\n".join(line.rstrip() for line in part) + "\n" for part in parts)


def _model_lines(ev: Evaluation, name: str, layout: Layout, *, positive_first: bool) -> Iterator[str]:
    yield f"Confusion Matrix and Statistics: {name}" if name else "Confusion Matrix and Statistics"
    yield ""
    if ev.matrix is None:
        yield NO_DECISIONS
        return
    yield from _matrix_lines(ev.matrix, layout, reverse=positive_first and isinstance(ev, TwoClassEvaluation))
    yield ""
    yield from _overall_statistics(ev, ev.matrix)
    yield ""
    if not isinstance(ev, TwoClassEvaluation):
        yield from _class_statistics(ev, ev.matrix)
    else:
        for title, measure in BY_CLASS.items():
            yield _statistic_line(title, _formatted_estimate(ev.estimate_of(measure, ev.matrix)))
        yield ""
        yield _statistic_line("'Positive' Class", shortened(ev.positive, 40))
    yield ""
    yield from wrap(WHAT_MCNEMAR_TESTS, WIDTH)


def _matrix_lines(matrix: ConfusionMatrix, layout: Layout, *, reverse: bool) -> Iterator[str]:
    order = list(range(len(matrix.classes)))[:: -1 if reverse else 1]
    extra = list(range(len(order), len(matrix.decisions)))
    classes = [shortened(matrix.classes[k], 20) for k in order]
    decisions = [shortened(matrix.decisions[k], 20) for k in (*order, *extra)]
    counts = matrix.counts[np.ix_(order, [*order, *extra])]
    if layout == "predicted-rows":
        yield from _table_lines("Prediction", decisions, "Reference", classes, counts.T.tolist())
    else:
        yield from _table_lines("Reference", classes, "Prediction", decisions, counts.tolist())


def _table_lines(
    down: str, rows: Sequence[str], across: str, heads: Sequence[str], counts: list[list[float]]
) -> Iterator[str]:
    """A table with its labels where R puts them, in as many pieces as its width needs."""
    longest = max(map(len, rows))
    offset = max(len(down) - longest, LEAST_OFFSET)
    lead = offset + longest
    cells = [[f"{value:.0f}" if value == round(value) else f"{value:.2f}" for value in row] for row in counts]
    widths = [max(len(head), *(len(row[i]) for row in cells)) for i, head in enumerate(heads)]
    for piece in _column_groups([width + 1 for width in widths], WIDTH - lead):
        yield " " * lead + across
        yield down.ljust(lead) + "".join(f" {heads[i].rjust(widths[i])}" for i in piece)
        for row, texts in zip(rows, cells, strict=True):
            yield " " * offset + row.ljust(longest) + "".join(f" {texts[i].rjust(widths[i])}" for i in piece)


def _column_groups(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Places of columns in groups that fit the room, one at least.

    >>> list(_column_groups([4, 4, 4, 20], 10))
    [[0, 1], [2], [3]]
    """
    piece: list[int] = []
    for place, width in enumerate(widths):
        if piece and sum(widths[i] for i in piece) + width > room:
            yield piece
            piece = []
        piece.append(place)
    if piece:
        yield piece


def _overall_statistics(ev: Evaluation, matrix: ConfusionMatrix) -> Iterator[str]:
    # caret's interval is exact; where weights or clusters make no whole cases, it is the one that can take them.
    is_plain = matrix.squares is None and matrix.clusters is None
    right = ev.estimate("accuracy", method="Clopper-Pearson" if is_plain else None)
    yield _statistic_line("Accuracy", _formatted_number(right.value))
    yield _statistic_line(f"{100 * ev.level:g}% CI", _formatted_interval(right))
    yield _statistic_line("No Information Rate", _formatted_number(float(matrix.actual.max() / matrix.total)))
    yield _statistic_line("P-Value [Acc > NIR]", _p_value_text(no_information_test(matrix)))
    yield ""
    yield _statistic_line("Kappa", _formatted_estimate(ev.estimate("kappa")))
    yield ""
    yield _statistic_line("Mcnemar's Test P-Value", _p_value_text(label_bias_test(matrix)))


def _class_statistics(ev: Evaluation, matrix: ConfusionMatrix) -> Iterator[str]:
    """Statistics of each class against the rest, classes side by side as far as they fit."""
    yield f"Statistics by Class, with {100 * ev.level:g} % intervals:"
    against_rest = matrix.by_class()
    rows = {title: [ev.estimate_of(measure, each) for each in against_rest] for title, measure in BY_CLASS.items()}
    heads = [f"Class: {shortened(name, 20)}" for name in matrix.classes]
    cells = {
        title: [_formatted_number(each.value) + _formatted_limits(each, " ") for each in row]
        for title, row in rows.items()
    }
    widths = [max(len(head), *(len(row[i]) for row in cells.values())) for i, head in enumerate(heads)]
    for piece in _column_groups([width + 2 for width in widths], WIDTH - LABEL):
        yield ""
        for title, row in {"": heads, **cells}.items():
            yield title.ljust(LABEL - 1) + "".join(f"  {row[i].rjust(widths[i])}" for i in piece)
    yield ""
    yield from wrap(_method_notes(rows), WIDTH)


def _method_notes(rows: Mapping[str, Sequence[Estimate]]) -> str:
    """How the intervals were made, and why some are missing."""
    of_method: dict[str, list[str]] = {}
    for title, row in rows.items():
        for method in dict.fromkeys(each.method for each in row if not math.isnan(each.low)):
            of_method.setdefault(method, []).append(title)
    made = [f"{method} ({listed(titles)})" for method, titles in of_method.items()]
    reasons = dict.fromkeys(each.undefined for row in rows.values() for each in row if each.undefined)
    missing = f" Not everywhere: {'; '.join(map(str, reasons))}." if reasons else ""
    return (f"Intervals: {'; '.join(made)}." if made else "Intervals: none.") + missing


def _statistic_line(title: str, text: str) -> str:
    return f"{title.rjust(LABEL)} : {text}"


def _formatted_number(value: float) -> str:
    return "NA" if math.isnan(value) else f"{value:.4f}"


def _formatted_limits(estimate: Estimate, gap: str) -> str:
    return "" if math.isnan(estimate.low) else f"{gap}({estimate.low:.4f}, {estimate.high:.4f})"


def _formatted_estimate(estimate: Estimate) -> str:
    return f"{_formatted_number(estimate.value)}   {_formatted_interval(estimate)}"


def _formatted_interval(estimate: Estimate) -> str:
    if math.isnan(estimate.low):
        return f"({estimate.undefined})"
    return f"{_formatted_limits(estimate, '')}   {estimate.method}"


def _p_value_text(test: TestResult) -> str:
    """The p-value and the test it is of, or why there is none."""
    if math.isnan(test.p_value):
        return f"NA   ({test.undefined})"
    shown = f"< {SMALLEST_P:g}" if test.p_value < SMALLEST_P else f"{test.p_value:.4g}"
    return f"{shown}   {test.method}"
