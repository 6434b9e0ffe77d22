"""Scores made of what is no score: logits, and the confidence of the predicted label.

Which columns are converted, into what, what is refused and what is reported stands here once. Rows in memory and tables
of an engine provide the few operations that the rules are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import InputError
from assay.request import Request
from assay.sources.column_data import Loaded, Named
from assay.sources.column_names import OWN_SCORES, WEAK_TRUTH, Way, folded
from assay.sources.column_roles import LOGITS, ModelColumns, Roles, word_before
from assay.sources.column_values import Mask
from assay.sources.labels import Classes, Numbers
from assay.sources.probabilities import (
    PROMISED,
    STRAY,
    columns_of_classes,
    refuse_other_sums,
    with_class_score,
    with_probabilities,
)
from assay.sources.quoting import listed, shown
from assay.types import Floats

__all__ = ["ArrayRows", "Converted", "ConvertibleRows", "Ends", "convert"]

LABEL_ALONE = "it is the probability of the predicted label, which no measure of more than two classes uses"
BY_SOFTMAX = "are not probabilities: converted by softmax"
BY_LOGISTIC = "converted to probabilities by the logistic function"

FEWEST_ANSWERS = 10  # so many scores of two classes do not all happen to lie above a half
# A column as users call it, or one place of a table of probabilities.
Column = str | tuple[str, int]
# A column of our own beside those that are converted.
HIGHEST: Column = ("", 0)
# The smallest and the largest number of a column.
Ends = tuple[float, float]


class ConvertibleRows(Protocol):
    """The operations that conversion needs of rows, wherever they are; those of weight or count 0 do not count."""

    @property
    def count(self) -> int:
        """How many rows there are."""

    def ends(self, column: Column) -> Ends | None:
        """The smallest and the largest number of a column; None where it holds texts."""

    def ends_by_label(self, column: str, pred: str, classes: Classes) -> tuple[float | None, float | None]:
        """The largest number of rows that were predicted negative, and the smallest of those predicted positive."""

    def labels(self, pred: str, classes: Classes) -> set[str]:
        """The names of predicted labels."""

    def table_columns(self, table: str, classes: Classes) -> list[Column]:
        """The columns of a table of probabilities that came as one array, in the order of the classes."""

    def may_be_logits(self, table: str) -> bool:
        """Whether a table of scores was not called probabilities."""

    def refuse_sums(self, columns: Sequence[str], every: Sequence[str], score: str) -> None:
        """Refuse columns that are called probabilities of either class and do not sum to 1."""

    def refuse_shares(self, columns: Sequence[str]) -> None:
        """Refuse columns of many classes that are no probabilities, where that is not checked row by row later."""

    def number(self, column: Column) -> Any:
        """A column of numbers: an array or an expression."""

    def is_label(self, pred: str, name: str, classes: Classes) -> Any:
        """Which rows were predicted to be of a class: an array or an expression; None where none was."""

    def exp(self, values: Any) -> Any:
        """The exponential function."""

    def where(self, condition: Any, values: Any, others: Any) -> Any:
        """The values where a condition holds, else the others; None is missing."""

    def put(self, values: Mapping[Column, Any], ends: Callable[[Any], Any] | None = None) -> Self:
        """The rows with other numbers in some columns: from 0 to 1, or within what `ends` makes of the ends before."""

    def drop(self, column: Column) -> Self:
        """The rows without a column of our own."""


SomeRows = TypeVar("SomeRows", bound=ConvertibleRows)


def convert(
    rows: SomeRows, roles: Roles, classes: Classes, request: Request
) -> tuple[SomeRows, Roles, tuple[str, ...]]:
    """Return the rows with scores of the classes, whatever they were; the roles of columns then; and what was done.

    `roles` are those before the classes were known, which of two classes may name a column for each.
    """
    _refuse_predictions_as_truth(rows, roles, classes, request)
    notes: list[str] = []
    models: list[ModelColumns] = []
    unused = list(roles.unused)
    confident = {}
    for model in roles.models:
        column = _find_confidence_column(rows, model, roles, classes)
        if column is not None and classes.are_many:
            notes.append(f"{column} is not used: {LABEL_ALONE}")
            unused.append(column)
            models.append(replace(model, score=None, certainty=None))
        elif column is not None:
            rows = _convert_confidence(rows, model, column, classes, request)
            notes.append(
                f"{column} is the probability of the predicted label, converted to a score of {classes.positive}"
            )
            confident[model.name] = replace(model, score=column, certainty=column)
            models.append(confident[model.name])
        else:
            models.append(model)
    roles = replace(roles, models=tuple(models), unused=tuple(unused))
    given = roles
    if classes.are_many:
        roles = with_probabilities(roles, classes)
    else:
        roles = replace(roles, models=tuple(with_class_score(m, roles, classes, request) for m in roles.models))
    for before, model in zip(given.models, roles.models, strict=True):
        if model.name in confident:
            continue
        if classes.are_many:
            rows, said = _convert_class_logits(rows, model, classes)
        else:
            rows, said, left = _convert_binary_class_logits(rows, before, model, classes)
            roles = replace(roles, unused=(*roles.unused, *left))
        if not said and model.score is not None:
            rows, said = _convert_logits(rows, model, request)
        notes += said
    return rows, roles, tuple(notes)


# How numbers are converted.


def _logistic_transform(rows: ConvertibleRows, logit: Any) -> Any:
    return 1.0 / (rows.exp((-logit).clip(-700.0, 700.0)) + 1.0)


def softmax(logits: ArrayLike) -> NDArray[np.float64]:
    """Return the probabilities of logits, along the last axis.

    >>> softmax([[0.0, 0.0], [1000.0, 0.0]]).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    values = np.asarray(logits, dtype=np.float64)
    powers = np.exp(values - values.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def _softmax_columns(rows: SomeRows, columns: Sequence[Column]) -> SomeRows:
    """Step by step: not every engine finds the largest of several columns."""
    rows = rows.put({HIGHEST: rows.number(columns[0])})
    for column in columns[1:]:
        number, highest = rows.number(column), rows.number(HIGHEST)
        rows = rows.put({HIGHEST: rows.where(number > highest, number, highest)})
    rows = rows.put({column: rows.exp(rows.number(column) - rows.number(HIGHEST)) for column in columns})
    rows = rows.put({HIGHEST: sum((rows.number(column) for column in columns[1:]), rows.number(columns[0]))})
    return rows.put({column: rows.number(column) / rows.number(HIGHEST) for column in columns}).drop(HIGHEST)


def _convert_confidence(
    rows: SomeRows, model: ModelColumns, column: str, classes: Classes, request: Request
) -> SomeRows:
    """The score of the positive class: the confidence where it is predicted, else what that leaves of 1."""
    assert model.pred is not None
    others = sorted(rows.labels(model.pred, classes) - {*classes.names})
    if others and request.default_class is None:
        raise InputError(
            f"{shown(model.pred)} holds {listed(others, 3)}, which is not a class, and {shown(column)} is "
            "its probability",
            "predicted labels among the classes",
            {"ignore": column},
        )
    negative, positive = (rows.is_label(model.pred, name, classes) for name in classes.names)
    number = rows.number(column)
    return rows.put({column: rows.where(positive, number, rows.where(negative, 1.0 - number, None))})


# Which columns are converted.


def _convert_class_logits(rows: SomeRows, model: ModelColumns, classes: Classes) -> tuple[SomeRows, list[str]]:
    """Probabilities of each of many classes in the place of logits."""
    if model.table is not None:
        columns = rows.table_columns(model.table, classes)
        names, are_logits = [model.table], rows.may_be_logits(model.table) and _exceeds_unit_interval(rows, columns)
    else:
        names = [column for _, column in model.per_class]
        columns, are_logits = list(names), bool(names) and _are_logits(rows, names)
        if names and not are_logits:
            rows.refuse_shares(names)
    if not are_logits or not _have_finite_range(rows, columns):
        return rows, []
    return _softmax_columns(rows, columns), [f"{listed(names, 4)} {BY_SOFTMAX}"]


def _convert_binary_class_logits(
    rows: SomeRows, before: ModelColumns, model: ModelColumns, classes: Classes
) -> tuple[SomeRows, list[str], list[str]]:
    """The score made of logits of either class; and the columns of classes that are not used."""
    if not before.per_class:
        return rows, [], []
    by_class = columns_of_classes(before, classes.names)
    pair = [by_class[name] for name in classes.names if name in by_class]
    score, notes, used = model.score, [], {model.score}
    if len(pair) == 2 and score is not None and before.score is None:
        if not _are_logits(rows, pair):
            rows.refuse_sums(pair, [*by_class.values()], score)
        else:
            infinite = next((column for column in pair if _has_infinite_value(rows, column)), None)
            if infinite is not None:
                raise InputError(f"{shown(infinite)} is infinite in some rows", "a finite number for every case")
            low, high = (rows.number(column) for column in pair)
            rows = rows.put({score: _logistic_transform(rows, high - low)})
            notes.append(f"{listed(pair)} {BY_SOFTMAX}")
            used |= {*pair}
    return rows, notes, [column for _, column in before.per_class if column not in used]


def _convert_logits(rows: SomeRows, model: ModelColumns, request: Request) -> tuple[SomeRows, list[str]]:
    """Probabilities in the place of logits of the positive class: a column that is called so and is beyond 0 and 1."""
    column = model.score
    is_called_so = column is not None and "logit" in column.casefold() and folded(column) in LOGITS
    if column is None or not is_called_so or model.certainty is not None:
        return rows, []
    ends = rows.ends(column)
    if ends is None:
        return rows, []
    low, high = ends
    if not ((low < -STRAY or high > 1 + STRAY) and np.isfinite(high - low)):
        if not request.score:
            raise InputError(
                f"{shown(column)} runs from {low:.4g} to {high:.4g}, like probabilities, not logits",
                "an option to use it as a score",
                {"score": column},
            )
        return rows, []
    return rows.put({column: _logistic_transform(rows, rows.number(column))}, _logistic_of_range), [
        f"{column} {BY_LOGISTIC}"
    ]


def _logistic_of_range(ends: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(ends, -700, 700)))


def _are_logits(rows: ConvertibleRows, columns: Sequence[str]) -> bool:
    """Whether columns of classes are called logits, or run beyond 0 and 1 without being called probabilities."""
    word = word_before(columns[0])
    if word in PROMISED or any(rows.ends(column) is None for column in columns):
        return False
    return word in LOGITS or _exceeds_unit_interval(rows, columns)


def _exceeds_unit_interval(rows: ConvertibleRows, columns: Sequence[Column]) -> bool:
    ends = [found for column in columns if (found := rows.ends(column)) is not None]
    return any(low < -STRAY or high > 1 + STRAY for low, high in ends)


def _have_finite_range(rows: ConvertibleRows, columns: Sequence[Column]) -> bool:
    """Whether there is something to convert: what is infinite is refused later, by the name of its column."""
    return all(found is not None and np.isfinite(found).all() for found in map(rows.ends, columns))


def _has_infinite_value(rows: ConvertibleRows, column: Column) -> bool:
    low, high = rows.ends(column) or (0.0, 0.0)
    return low <= high and not np.isfinite([low, high]).all()  # of nothing the smallest is above the largest


def _find_confidence_column(rows: ConvertibleRows, model: ModelColumns, roles: Roles, classes: Classes) -> str | None:
    """The column that holds the probability of each predicted label, if there is one."""
    column = model.certainty or model.score
    if column is None or model.pred is None or model.per_class or model.table is not None:
        return None
    if model.certainty is None and (roles.scores_are_said or folded(column) in OWN_SCORES):
        return None
    ends = rows.ends(column)
    if ends is None or not _fits_confidence_range(model, column, ends, classes):
        return None
    if model.certainty is not None or classes.are_many:
        return column
    return column if _is_confidence_score(column, rows.ends_by_label(column, model.pred, classes), classes) else None


def _fits_confidence_range(model: ModelColumns, column: str, ends: Ends, classes: Classes) -> bool:
    """Whether the smallest and the largest of a column are those of probabilities of predicted labels."""
    (low, high), least = ends, 1 / len(classes.names)
    fits = least - STRAY <= low and high <= 1 + STRAY
    if model.certainty is not None and not fits:
        raise InputError(
            f"{shown(column)} runs from {low:.4g} to {high:.4g}, and the probability of a predicted label is never "
            f"below {least:.3g}",
            "another role for it",
            ways=[({"score": column}, "if it is the score of the positive class"), ({"ignore": column}, "without it")],
        )
    return fits


def _is_confidence_score(column: str, ends: tuple[float | None, float | None], classes: Classes) -> bool:
    """Whether values of at least a half cannot be scores of the positive class, as no threshold gives these labels.

    `ends` are the largest of those predicted negative and the smallest of those predicted positive, if there are any.
    """
    highest, lowest = ends
    if highest is None:
        return False  # then both readings are the same
    if lowest is not None and highest > lowest:
        return True
    ways: list[Way] = [
        ({"certainty": column}, "if it is the probability of the predicted label"),
        ({"score": column}, f"if it is the score of {shown(classes.positive)}"),
    ]
    raise InputError(
        f"{shown(column)} is never below 0.5 beside predicted labels", "the class that it is a score of", ways=ways
    )


def _refuse_predictions_as_truth(rows: ConvertibleRows, roles: Roles, classes: Classes, request: Request) -> None:
    """Refuse a plain `label` beside a `score` that is never below a half: so pipelines write what they predicted."""
    (model, *others) = roles.models
    plain = folded(roles.truth) in WEAK_TRUTH and request.truth is None
    if roles.scores_are_said or others or not plain or classes.are_many or model.pred is not None:
        return
    if model.score is None or folded(model.score) != "score" or rows.count < FEWEST_ANSWERS:
        return
    ends = rows.ends(model.score)
    if ends is not None and ends[0] >= 0.5 and ends[1] <= 1:
        positive = shown(classes.positive)
        meaning = f"if {shown(roles.truth)} is the true label and {shown(model.score)} the score of {positive}"
        raise InputError(
            f"{shown(model.score)} is never below 0.5, so that {shown(roles.truth)} may be the predicted label, not "
            "the true label",
            "a column of true labels, or an option that confirms it",
            ways=[({"truth": roles.truth, "score": model.score}, meaning)],
        )


@dataclass(frozen=True)
class Converted:
    """Columns and roles after scores were made of something else, and what was done."""

    loaded: Loaded
    roles: Roles
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ArrayRows:
    """Rows in memory; `nobody` are those of weight or count 0."""

    source: Loaded
    names: Mapping[str, Named]
    nobody: Mask | None = None
    changed: Mapping[Column, Floats] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.source.rows

    @property
    def loaded(self) -> Loaded:
        """The columns with what was converted."""
        numbers, tables = dict(self.source.numbers), dict(self.source.tables)
        for column, values in self.changed.items():
            if isinstance(column, str):
                numbers[column] = Numbers(values)
        for name in {column[0] for column in self.changed if not isinstance(column, str)}:
            places = range(tables[name].values.shape[1])
            tables[name] = replace(tables[name], values=np.stack([self.number((name, k)) for k in places], axis=1))
        return replace(self.source, numbers=numbers, tables=tables)

    def ends(self, column: Column) -> Ends | None:
        """The smallest and the largest number of a column; None where it holds texts."""
        if isinstance(column, str) and self.source.numbers[column].text is not None:
            return None
        values = self._drop_zero_weight_rows(self.number(column))
        # Of what is missing and what is not the smaller and the larger are those that are not.
        low, high = np.fmin.reduce(values, initial=np.inf), np.fmax.reduce(values, initial=-np.inf)
        return float(low), float(high)

    def _drop_zero_weight_rows(self, values: Any) -> Any:
        return values if self.nobody is None else values[~self.nobody]

    def ends_by_label(self, column: str, pred: str, classes: Classes) -> tuple[float | None, float | None]:
        """The largest number of rows that were predicted negative, and the smallest of those predicted positive."""
        values = self._drop_zero_weight_rows(self.number(column))
        negative, positive = (
            values[self._drop_zero_weight_rows(self.is_label(pred, name, classes)) & ~np.isnan(values)]
            for name in classes.names
        )
        return (float(negative.max()) if len(negative) else None), (float(positive.min()) if len(positive) else None)

    def labels(self, pred: str, classes: Classes) -> set[str]:
        """The names of predicted labels."""
        return {*self.names[pred].names}

    def table_columns(self, table: str, classes: Classes) -> list[Column]:
        """The columns of a table of probabilities that came as one array, in the order of the classes."""
        return [(table, self.source.tables[table].classes.index(name)) for name in classes.names]

    def may_be_logits(self, table: str) -> bool:
        """Whether a table of scores was not called probabilities."""
        return self.source.tables[table].may_be_logits

    def refuse_sums(self, columns: Sequence[str], every: Sequence[str], score: str) -> None:
        """Refuse columns that are called probabilities of either class and do not sum to 1."""
        refuse_other_sums(columns, every, score, self.source)

    def refuse_shares(self, columns: Sequence[str]) -> None:
        """Nothing: each row is checked once it is known which of them are used."""

    def number(self, column: Column) -> Any:
        """A column of numbers."""
        if column in self.changed:
            return self.changed[column]
        if isinstance(column, str):
            return self.source.numbers[column].values
        return self.source.tables[column[0]].values[:, column[1]]

    def is_label(self, pred: str, name: str, classes: Classes) -> Any:
        """Which rows were predicted to be of a class."""
        names = self.names[pred].names
        return self.names[pred].codes == (names.index(name) if name in names else -2)

    def exp(self, values: Any) -> Any:
        """The exponential function."""
        return np.exp(values)

    def where(self, condition: Any, values: Any, others: Any) -> Any:
        """The values where a condition holds, else the others; None is missing."""
        return np.where(condition, values, np.nan if others is None else others)

    def put(self, values: Mapping[Column, Any], ends: Callable[[Any], Any] | None = None) -> ArrayRows:
        """The rows with other numbers in some columns."""
        return replace(self, changed={**self.changed, **values})

    def drop(self, column: Column) -> ArrayRows:
        """The rows without a column of our own."""
        return replace(self, changed={name: values for name, values in self.changed.items() if name != column})
