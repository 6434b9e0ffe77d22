"""Columns that are no scores yet, where rows stay where they lie: logits, and how sure each predicted label is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.request import Request
from assay.sources._certainty import LABEL_ALONE, fits_certainty, is_certain, meant_certainty, turned_note
from assay.sources._collected import collected
from assay.sources._decisions import names_of
from assay.sources._labels import Classes
from assay.sources._lying import Survey, held
from assay.sources._models import ModelColumns
from assay.sources._probabilities import BY_LOGISTIC, BY_SOFTMAX, columns_of_classes, is_called_logit, no_logits
from assay.sources._roles import Roles
from assay.sources._subjects import are_logits, own_column
from assay.sources._wording import listed, shown

__all__ = ["with_turned_scores"]

# What makes scores of the rows of a table.
Turn = Callable[[Any], Any]


def with_turned_scores(
    survey: Survey, given: Roles, roles: Roles, classes: Classes, request: Request
) -> tuple[Survey, Roles, tuple[str, ...]]:
    """The rows with scores in the place of logits and of certainties, the roles then, and what to say of it.

    `given` are the roles before the classes were known: of two classes they still name a column for each.
    """
    models, notes, unused = [], [], list(roles.unused)
    for before, model in zip(given.models, roles.models, strict=True):
        column = _certainty(survey, model, roles, classes)
        if column is not None and classes.are_many:
            notes.append(f"{column} is not used: {LABEL_ALONE}")
            unused.append(column)
            models.append(replace(model, score=None, certainty=None))
            continue
        if column is not None:
            survey = _with_certainty(survey, model, column, classes)
            notes.append(turned_note(column, classes))
            models.append(replace(model, score=column, certainty=column))
            continue
        survey, said = _with_logits(survey, before, model, classes, request)
        notes += said
        models.append(model)
    return survey, replace(roles, models=tuple(models), unused=tuple(unused)), tuple(notes)


def _turned(survey: Survey, columns: Sequence[str], turn: Turn, ends: Callable[[Any], Any] | None = None) -> Survey:
    """The rows with other numbers in some columns: probabilities, within what `ends` makes of the ends that were."""
    found = dict(survey.found)
    for column in columns:
        for place, end in enumerate(("least", "greatest")):
            values = found[f"{end}_{column}"].astype(np.float64)
            found[f"{end}_{column}"] = np.full(len(values), float(place)) if ends is None else ends(values)
    return replace(survey, lying=replace(survey.lying, frame=turn(survey.lying.frame)), found=found)


def _with_logits(
    survey: Survey, before: ModelColumns, model: ModelColumns, classes: Classes, request: Request
) -> tuple[Survey, list[str]]:
    """Probabilities in the place of logits: of each of many classes, of either of two, or of the positive one."""
    lying = survey.lying
    if classes.are_many:
        columns = [column for _, column in model.per_class]
        if not columns or not are_logits(survey, columns):
            return survey, []
        own = [own_column(lying, column) for column in columns]
        return _turned(survey, own, lambda rows: _softmax(rows, own)), [f"{listed(columns, 4)} {BY_SOFTMAX}"]
    if model.score is None:
        return survey, []
    score = own_column(lying, model.score)
    both = columns_of_classes(before, classes.names) if before.per_class and before.score is None else {}
    pair = [both[name] for name in classes.names if name in both]
    if len(pair) == 2 and are_logits(survey, pair):
        low, high = (own_column(lying, column) for column in pair)
        note = f"{listed(pair)} {BY_SOFTMAX}"
        return _turned(survey, [score], lambda rows: _logistic(rows, score, low=low, high=high)), [note]
    if not is_called_logit(model):
        return survey, []
    low_end, high_end = survey.range_of(score)
    if no_logits(model.score, (low_end, high_end), request):
        return survey, []
    ends = _plain_logistic
    return _turned(survey, [score], lambda rows: _logistic(rows, score), ends), [f"{model.score} {BY_LOGISTIC}"]


def _plain_logistic(values: Any) -> Any:
    return 1 / (1 + np.exp(-np.clip(values, -700, 700)))


def _logistic(rows: Any, score: str, *, low: str | None = None, high: str | None = None) -> Any:
    import narwhals as nw

    logit = nw.col(score) if low is None or high is None else nw.col(high) - nw.col(low)
    return rows.with_columns(**{score: 1.0 / ((-logit.clip(-700.0, 700.0)).exp() + 1.0)})


def _softmax(rows: Any, columns: Sequence[str]) -> Any:
    """Step by step: the largest of several columns is not found by every engine."""
    import narwhals as nw

    col = nw.col
    rows = rows.with_columns(highest=col(columns[0]))
    for column in columns[1:]:
        is_more = col(column) > col("highest")
        rows = rows.with_columns(highest=nw.when(is_more).then(col(column)).otherwise(col("highest")))
    rows = rows.with_columns(**{column: (col(column) - col("highest")).exp() for column in columns})
    rows = rows.with_columns(highest=sum((col(column) for column in columns[1:]), col(columns[0])))
    return rows.with_columns(**{column: col(column) / col("highest") for column in columns}).drop("highest")


def _certainty(survey: Survey, model: ModelColumns, roles: Roles, classes: Classes) -> str | None:
    """The column that tells how sure each predicted label is, if there is one."""
    column = meant_certainty(model, roles)
    if column is None or model.pred is None:
        return None
    own, pred = (own_column(survey.lying, each) for each in (column, model.pred))
    if not fits_certainty(model, column, survey.range_of(own), classes):
        return None
    if model.certainty is not None or classes.are_many:
        return column
    highest, lowest = _ends_by_label(survey, own, pred, classes)
    return column if is_certain(column, highest, lowest, classes) else None


def _ends_by_label(survey: Survey, own: str, pred: str, classes: Classes) -> tuple[float | None, float | None]:
    """The highest score of rows that were called negative, and the lowest of those called positive."""
    import narwhals as nw

    rows = survey.lying.judged().filter(nw.col("lacks") == 0).with_columns(highest=nw.col(own))
    found = collected(rows.group_by(pred).agg(nw.col(own).min(), nw.col("highest").max()))
    spelled = names_of(survey, pred, classes)
    called = [spelled.get(held(raw)) for raw in found[pred]]
    highest = [float(end) for name, end in zip(called, found["highest"], strict=True) if name == classes.names[0]]
    lowest = [float(end) for name, end in zip(called, found[own], strict=True) if name == classes.positive]
    return max(highest, default=None), min(lowest, default=None)


def _with_certainty(survey: Survey, model: ModelColumns, column: str, classes: Classes) -> Survey:
    """The score of the positive class: how sure a label is where it is that class, else what is left of 1."""
    import narwhals as nw

    assert model.pred is not None
    lying = survey.lying
    own, pred = own_column(lying, column), own_column(lying, model.pred)
    spelled = names_of(survey, pred, classes)
    other = sorted({name for name in spelled.values() if name is not None} - {*classes.names})
    if other:
        found = (
            f"{shown(model.pred)} holds {listed(other, 3)}, which is no class, and {shown(column)} is how sure it is"
        )
        raise InputError(found, "labels that are classes", {"ignore": column})
    positive = [raw for raw, name in spelled.items() if name == classes.positive]
    turned = nw.when(nw.col(pred).is_in(positive)).then(nw.col(own)).otherwise(1.0 - nw.col(own))
    return _turned(survey, [own], lambda rows: rows.with_columns(**{own: turned}))
