"""Evaluations as WEKA prints them: summary, detailed accuracy by class and confusion matrix, from our own evidence.

The layout is WEKA's to the letter, of version 3.8 or 3.6, trailing blanks and all. The numbers are those of every other
report, with these differences from it that WEKA's readers expect: relative errors are percentages, a class nothing was
called by has no F-measure (3.6: it is 0), and cases without a decision stand in no cell.

Where WEKA would differ: decisions are ours, so that a score of exactly the threshold is positive; kappa of a single
class is not 1 but NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from textwrap import wrap
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.evaluation import Evaluation, TwoClassEvaluation, rows_of_scores
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.evidence.confusion import case_weights
from assay.evidence.probability_losses import ErrorSums, laplace_priors
from assay.measures import average_precision, f1, fpr, kappa, mcc, precision, recall, roc_auc
from assay.measures import information as of_errors
from assay.predictions import Predictions
from assay.report.wording import model_names, visible
from assay.types import Floats

__all__ = ["Version", "render_weka"]

Version = Literal["3.8", "3.6"]
NO_DECISIONS = "No predicted labels, so WEKA's tables are empty: pass a threshold."
NO_FOLDS = (
    "Relative errors and information use the class shares of these cases: without a fold column those of the training "
    "data are not known."
)
LABELS_ONLY = "Labels only: as in WEKA they count as probabilities of 0 and 1, also in the areas."
NO_PROBABILITIES = "The scores are not probabilities, so there are no error and information statistics."

# Files round probabilities to a few digits, so their sum is 1 only nearly.
SUM_MAY_MISS_ONE_BY = 0.01
WIDTH = 100
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Title and width of the columns of 3.8's table.
COLUMNS = {
    "TP Rate": 9,
    "FP Rate": 9,
    "Precision": 11,
    "Recall": 9,
    "F-Measure": 11,
    "MCC": 9,
    "ROC Area": 10,
    "PRC Area": 10,
}
AREAS = ("ROC Area", "PRC Area")
OLD_HEAD = "               TP Rate   FP Rate   Precision   Recall  F-Measure   ROC Area  Class"
# What follows each number in 3.6's table.
OLD_GAPS = {"TP Rate": 3, "FP Rate": 4, "Precision": 3, "Recall": 3, "F-Measure": 4, "ROC Area": 4}


def render_weka(models: Mapping[str, Evaluation], *, version: Version = "3.8", costs: ArrayLike | None = None) -> str:
    """WEKA's text for each model, in the order in which the file declares its classes, if it does.

    `costs` (a row for each true class, in that order) adds its two lines about them.

    >>> from assay.evaluation import from_counts
    >>> text = render_weka({"": from_counts(tp=153, fn=115, fp=60, tn=440)})
    >>> print("\\n".join(text.splitlines()[:5]))
    === Summary ===
    <BLANKLINE>
    Correctly Classified Instances         593               77.2135 %
    Incorrectly Classified Instances       175               22.7865 %
    Kappa statistic                          0.4734
    """
    names = model_names(models)
    parts = (_model_lines(ev, names[key], version, costs) for key, ev in models.items())
    return "\n\n".join(parts)


def _model_lines(ev: Evaluation, name: str, version: Version, costs: ArrayLike | None) -> str:
    scheme = [f"=== Run information ===\n\nScheme:       {name}\n"] if name else []
    if ev.matrix is None:
        return "\n".join([*scheme, NO_DECISIONS])
    order = _class_order(ev, ev.matrix)
    cases, whole = _Cases.of(ev, ev.matrix).in_order(order), _reordered_matrix(ev.matrix, order)
    matrix = _classified_matrix(whole)
    blocks = [
        *scheme,
        _titled_block("Summary", _summary_lines(whole, matrix, cases, version, costs)),
        _titled_block("Detailed Accuracy By Class", _class_detail_lines(matrix, cases, version)),
        _titled_block("Confusion Matrix", _matrix_lines(matrix)),
    ]
    notes = [line for note in cases.notes for line in wrap(f"Note: {note}", WIDTH)]
    return "\n".join([*blocks, *notes]).rstrip("\n") + "\n"


def _class_order(ev: Evaluation, matrix: ConfusionMatrix) -> list[int]:
    """The places of the classes in the order of the file; their own where it declares none."""
    declared = ev.source.class_order
    classes = matrix.classes
    return [classes.index(name) for name in declared] if {*declared} == {*classes} else list(range(len(classes)))


def _reordered_matrix(matrix: ConfusionMatrix, order: list[int]) -> ConfusionMatrix:
    count = len(order)
    decisions = (*(matrix.classes[place] for place in order), *matrix.decisions[count:])
    columns = [*order, *range(count, matrix.counts.shape[-1])]
    return ConfusionMatrix(matrix.counts[np.ix_(order, columns)], decisions[:count], decisions)


def _titled_block(title: str, lines: Iterator[str]) -> str:
    return "\n".join([f"=== {title} ===", "", *lines, ""])


@dataclass(frozen=True)
class _Cases:
    """Truth, what ranks each case for each class, and the errors of probabilities if there are any.

    `prior_of_last` is the prior of the last fold, which 3.6 takes for all of them.
    """

    truth: NDArray[np.integer]
    ranking: Floats
    sums: ErrorSums | None
    prior_of_last: Floats
    weight: Floats | None
    notes: tuple[str, ...]

    def in_order(self, order: list[int]) -> _Cases:
        """The same with the classes in another order."""
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        return replace(self, truth=place[self.truth], ranking=self.ranking[:, order])

    @classmethod
    def of(cls, ev: Evaluation, matrix: ConfusionMatrix) -> _Cases:
        rows, classes = ev.predictions or _equivalent_rows(ev, matrix), len(matrix.classes)
        weight, _ = case_weights(rows.weight, rows.count)
        ranking, probability = _class_scores(rows)
        priors = laplace_priors(rows.truth, classes, fold=rows.fold, weight=weight)
        sums = ev.errors
        if sums is None and probability is not None:
            # Labels, or probabilities that were rounded: what WEKA takes for probabilities, and nobody else does.
            if rows.decision is not None and len(matrix.decisions) > classes:
                probability = np.where((rows.decision < classes)[:, None], probability, 0.0)
            sums = ErrorSums.of(rows.truth, probability, priors=priors, weight=weight)
        last = priors[-1 if rows.fold is None else int(rows.fold.argmax())]
        notes = [LABELS_ONLY] if rows.probability is None and rows.score is None else []
        if probability is None:
            notes.append(NO_PROBABILITIES)
        elif rows.fold is None:
            notes.append(NO_FOLDS)
        return cls(rows.truth, ranking, sums, last, weight, tuple(notes))


def _equivalent_rows(ev: Evaluation, matrix: ConfusionMatrix) -> Predictions:
    """Rows that make the same evidence, where the rows themselves are not there."""
    if isinstance(ev, TwoClassEvaluation) and ev.scores is not None:
        return rows_of_scores(ev.scores)
    truth, decision = (codes.ravel() for codes in np.indices(matrix.counts.shape))
    return Predictions(
        matrix.classes, truth, decision=decision, decisions=matrix.decisions, weight=matrix.counts.ravel()
    )


def _class_scores(rows: Predictions) -> tuple[Floats, Floats | None]:
    """What ranks cases for each class, and the probabilities: those given, those of two classes' score, or labels'."""
    if rows.probability is not None:
        given = rows.probability
        is_probability = bool((given >= 0).all() and (np.abs(given.sum(1) - 1) <= SUM_MAY_MISS_ONE_BY).all())
        return given, given if is_probability else None
    if rows.score is not None:
        score = rows.score
        is_probability = bool(score.min() >= 0 and score.max() <= 1)
        # Ranked by its negative, the first class keeps even differences too small to survive 1 - score.
        return np.stack((-score, score), 1), np.stack((1 - score, score), 1) if is_probability else None
    assert rows.decision is not None
    certain = (rows.decision[:, None] == np.arange(len(rows.classes))).astype(np.float64)
    return certain, certain


def _classified_matrix(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The matrix of the cases that were given one of the classes."""
    return ConfusionMatrix(matrix.counts[:, : len(matrix.classes)], matrix.classes)


def _summary_lines(
    whole: ConfusionMatrix, matrix: ConfusionMatrix, cases: _Cases, version: Version, costs: ArrayLike | None
) -> Iterator[str]:
    total, correct, called = float(whole.total), float(matrix.correct), float(matrix.total)

    def counted(title: str, number: float) -> str:
        return f"{title:35}{_aligned_number(number, 12, 4)}     {_aligned_number(100 * number / total, 12, 4)} %"

    yield counted("Correctly Classified Instances", correct)
    yield counted("Incorrectly Classified Instances", called - correct)
    yield f"{'Kappa statistic':35}{_aligned_number(float(kappa(matrix)), 12, 4)}"
    if costs is not None:
        yield f"{'Total Cost':35}{_aligned_number(float(of_errors.total_cost(whole, costs)), 12, 4)}"
        yield f"{'Average Cost':35}{_aligned_number(float(of_errors.mean_cost(whole, costs)), 12, 4)}"
    if cases.sums is not None:
        yield from _error_lines(cases, cases.sums, version)
    if total > called:
        yield counted("UnClassified Instances", total - called)
    yield f"{'Total Number of Instances':35}{_aligned_number(total, 12, 4)}"


def _error_lines(cases: _Cases, sums: ErrorSums, version: Version) -> Iterator[str]:
    relative = float(of_errors.kb_relative_information(sums))
    if version == "3.6":
        # The sum over all cases, over the bits of one: 3.6 forgot to divide, and knew the last prior only.
        relative = sums.information / float(-cases.prior_of_last @ np.log2(cases.prior_of_last))
    yield f"{'K&B Relative Info Score':35}{_aligned_number(100 * relative, 12, 4)} %"
    for title, in_all, per_case in (
        ("K&B Information Score", of_errors.kb_information, of_errors.kb_mean_information),
        ("Class complexity | order 0", of_errors.sf_prior_entropy, of_errors.sf_mean_prior_entropy),
        ("Class complexity | scheme", of_errors.sf_scheme_entropy, of_errors.sf_mean_scheme_entropy),
        ("Complexity improvement     (Sf)", of_errors.sf_entropy_gain, of_errors.sf_mean_entropy_gain),
    ):
        bits, each = (_aligned_number(float(measure(sums)), 12, 4) for measure in (in_all, per_case))
        yield f"{title:35}{bits} bits{each} bits/instance"
    for title, measure, unit in (
        ("Mean absolute error", of_errors.mean_absolute_error, ""),
        ("Root mean squared error", of_errors.root_mean_squared_error, ""),
        ("Relative absolute error", of_errors.relative_absolute_error, " %"),
        ("Root relative squared error", of_errors.root_relative_squared_error, " %"),
    ):
        yield f"{title:35}{_aligned_number(float(measure(sums)) * (100 if unit else 1), 12, 4)}{unit}"


def _class_detail_lines(matrix: ConfusionMatrix, cases: _Cases, version: Version) -> Iterator[str]:
    columns = _measures_by_class(matrix, cases)
    names = [visible(name) for name in matrix.classes]
    occurs = matrix.actual > 0
    if version == "3.6":
        rates = {title: np.nan_to_num(columns[title]) for title in OLD_GAPS if title not in AREAS}
        columns = rates | {"ROC Area": columns["ROC Area"]}
        known = ~np.isnan(columns["ROC Area"]) & occurs
        mean = {
            title: _weighted_mean(values, matrix, occurs if title in rates else known)
            for title, values in columns.items()
        }
        yield OLD_HEAD
        for k, name in enumerate(names):
            yield (
                " " * 15
                + "".join(_old_format_cell(values[k], OLD_GAPS[title]) for title, values in columns.items())
                + name
            )
        *most, area = (_old_format_cell(value, OLD_GAPS[title]) for title, value in mean.items())
        yield "Weighted Avg.  " + "".join(most) + area[: -OLD_GAPS["ROC Area"]]
        return
    lead = " " * 17
    yield lead + "".join(title.ljust(width) for title, width in COLUMNS.items()) + "Class"
    for k, name in enumerate(names):
        yield lead + "".join(_new_format_cell(columns[title][k], width) for title, width in COLUMNS.items()) + name
    averages = (
        _new_format_cell(_weighted_mean(columns[title], matrix, occurs), width) for title, width in COLUMNS.items()
    )
    yield "Weighted Avg.".ljust(17) + "".join(averages)


def _measures_by_class(matrix: ConfusionMatrix, cases: _Cases) -> dict[str, Floats]:
    each = matrix.one_vs_rest()
    recalls, precisions = recall(each), precision(each)
    is_defined = ~np.isnan(recalls) & ~np.isnan(precisions)
    tables = [
        ScoreTable.of(cases.ranking[:, k], cases.truth == k, weight=cases.weight) for k in range(len(matrix.classes))
    ]
    return {
        "TP Rate": recalls,
        "FP Rate": fpr(each),
        "Precision": precisions,
        "Recall": recalls,
        "F-Measure": np.where(is_defined, f1(each), np.nan),
        "MCC": mcc(each),
        "ROC Area": np.array([float(roc_auc(table)) for table in tables]),
        "PRC Area": np.array([float(average_precision(table)) for table in tables]),
    }


def _weighted_mean(values: Floats, matrix: ConfusionMatrix, counted: NDArray[np.bool_]) -> float:
    """The mean over classes by their size; a class that occurs and has no value leaves it without one."""
    total = float(matrix.total)
    return float(values[counted] @ matrix.actual[counted]) / total if total else math.nan


def _matrix_lines(matrix: ConfusionMatrix) -> Iterator[str]:
    most, classes = float(matrix.counts.max()), len(matrix.classes)
    above = matrix.counts - np.rint(matrix.counts)
    digits = 2 if (above >= 0.01).any() else 0
    # Logarithms as WEKA takes them, whose rounding makes a column too narrow for exactly 1,000.
    digits_of_most = int(math.log(max(most, 1)) / math.log(10) + (3 if digits else 0))
    width = 1 + max(digits_of_most, int(math.log(classes) / math.log(len(LETTERS))))
    heads = (_class_letters(k, width - 3) + "   " if digits else _class_letters(k, width) for k in range(classes))
    yield "".join(f" {head}" for head in heads) + "   <-- classified as"
    for k, name in enumerate(matrix.classes):
        cells = "".join(f" {_aligned_number(float(count), width, digits)}" for count in matrix.counts[k])
        yield f"{cells} | {_class_letters(k, width)} = {visible(name)}"


def _class_letters(number: int, width: int) -> str:
    """The letters a class is called by.

    >>> _class_letters(0, 2), _class_letters(27, 3)
    (' a', ' ab')
    """
    letters = ""
    while number >= 0 and len(letters) < width:
        letters = LETTERS[number % len(LETTERS)] + letters
        number = number // len(LETTERS) - 1
    return letters.rjust(width)


def _aligned_number(value: float, width: int, digits: int) -> str:
    """A number rounded half up, its point always in one place and no zeros after it.

    >>> numbers = (0.94, 12, 4), (-3000.63505, 12, 4), (49.0, 3, 0), (math.nan, 12, 4)
    >>> [_aligned_number(*each) for each in numbers]
    ['      0.94  ', '  -3000.6351', ' 49', '    NaN     ']
    """
    if math.isfinite(value):
        scaled = int(abs(value) * 10.0**digits + 0.5)
        whole, part = divmod(scaled, 10**digits)
        decimals = f"{part:0{digits}d}".rstrip("0") if digits else ""
        lead = f"{'-' if value < 0 and scaled else ''}{whole}"
    else:
        lead, decimals = "NaN" if math.isnan(value) else str(value), ""
    text = f"{lead}.{decimals}" if decimals else lead
    places = width - digits - 1 if digits else width
    if len(lead) > places:
        return text
    return (lead.rjust(places) + text[len(lead) :]).ljust(width)


def _old_format_cell(value: float, gap: int) -> str:
    return ("  ?    " if math.isnan(value) else _aligned_number(float(value), 7, 3)) + " " * gap


def _new_format_cell(value: float, width: int) -> str:
    """Three decimals, rounded half up from the shortest digits that tell the number, as Java does.

    >>> _new_format_cell(0.0625, 9), _new_format_cell(-0.0001, 9), _new_format_cell(math.nan, 9)
    ('0.063    ', '-0.000   ', '?        ')
    """
    if math.isnan(value):
        return "?".ljust(width)
    return str(Decimal(repr(float(value))).quantize(Decimal("0.001"), ROUND_HALF_UP)).ljust(width)
