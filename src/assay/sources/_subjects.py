"""Which columns, and which rows, are each model's, where rows stay where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.request import Request
from assay.sources._alike import refuse_spellings
from assay.sources._assemble import refuse_foreign_labels
from assay.sources._labels import Classes, aligned, class_names, in_order, refuse_idle_order, refuse_strange, settle
from assay.sources._lying import Lying, Survey
from assay.sources._models import FEWEST_OF_MANY
from assay.sources._probabilities import columns_of_classes, tolerance
from assay.sources._roles import Roles
from assay.sources._settling import rank_positives
from assay.sources._wording import shown

__all__ = ["Subject", "classes_of", "furthest_sum", "one_against_the_rest", "own_column", "subjects_of", "used_columns"]

# Of so many classes an expression names each, and each has cells of its own.
MOST_CLASSES = 100


@dataclass(frozen=True)
class Subject:
    """One model: its columns of scores (one of two classes, else one for each), and that of its predicted labels.

    `model` is what it is called in the column of models, where each has rows of its own.
    """

    name: str
    scores: tuple[str, ...] = ()
    pred: str | None = None
    model: str | None = None


def classes_of(survey: Survey, roles: Roles, request: Request) -> Classes:
    """The classes that the true labels are of."""
    sizes = survey.sizes()
    names = sorted(sizes)
    refuse_spellings(roles.truth, names)
    preds = {survey.lying.columns[label]: _labels(survey, label) for label in survey.lying.labels}
    predicted = sorted({name for each in preds.values() for name in aligned(each, names)})
    known = class_names(request.classes)
    refuse_strange(names, known, roles.truth)
    is_settled = bool(known) or (len(names) <= 2 and request.positive is not None)
    further = [] if is_settled else _further(survey, roles, names)
    classes = settle(
        names, predicted, request.positive, column=roles.truth, rows=survey.rows,
        known=in_order([*names, *further]) if further else known, sizes=lambda: sizes, others=tuple,
        ranked=lambda ways: rank_positives(ways, roles),
    )  # fmt: skip
    refuse_idle_order(classes, known, names, roles.truth)
    refuse_foreign_labels(roles, {column: aligned(each, names) for column, each in preds.items()}, classes)
    if len(classes.names) > MOST_CLASSES:
        found = f"{shown(roles.truth)} holds {len(classes.names):,} classes, and the rows do not fit into memory"
        raise InputError(found, f"at most {MOST_CLASSES} there, or one of them against the rest",
                         {"positive": classes.names[0]})  # fmt: skip
    return classes


def one_against_the_rest(roles: Roles, classes: Classes) -> tuple[Classes, Roles]:
    """Two classes where one of many is asked about, and the column of its scores."""
    chosen = classes.against
    if chosen is None:
        return classes, roles
    models = tuple(
        replace(model, score=dict(model.per_class).get(chosen, model.score), per_class=()) for model in roles.models
    )
    return Classes((f"not {chosen}", chosen), against=chosen, as_found=classes.names), replace(roles, models=models)


def used_columns(roles: Roles) -> set[str]:
    """The columns that hold the answers of models, once it is known what each is."""
    each = ((m.score, m.certainty, m.pred, *(column for _, column in m.per_class)) for m in roles.models)
    return {column for columns in each for column in columns if column is not None}


def subjects_of(survey: Survey, roles: Roles) -> list[Subject]:
    """The models: one for each set of columns, or one for each name in the column of models."""
    own = {column: name for name, column in survey.lying.columns.items()}
    found = []
    for model in roles.models:
        columns = [column for _, column in model.per_class] or ([model.score] if model.score is not None else [])
        pred = None if model.pred is None else own[model.pred]
        found.append(Subject(model.name, tuple(own[column] for column in columns), pred))
    if roles.model is None:
        return found
    return [replace(found[0], name=name, model=name) for name in in_order([*survey.sizes("model")])]


def own_column(lying: Lying, column: str) -> str:
    """What a column of the user's is called here."""
    return next(name for name, held in lying.columns.items() if held == column)


def _labels(survey: Survey, label: str) -> list[str]:
    return sorted({name for name in survey.lying.names[label].values() if name is not None})


def _further(survey: Survey, roles: Roles, truth: Sequence[str]) -> list[str]:
    """Classes that never occur but have a column, where all columns together are probabilities that sum to 1."""
    found: dict[str, None] = {}
    for model in roles.models:
        columns = columns_of_classes(model, truth) if model.per_class else {}
        is_whole = len(columns) >= FEWEST_OF_MANY and set(truth) < set(columns)
        if is_whole and furthest_sum(survey, [*columns.values()]) <= tolerance(len(columns)):
            found |= dict.fromkeys(name for name in columns if name not in truth)
    return list(found)


def furthest_sum(survey: Survey, columns: Sequence[str]) -> float:
    """How far from 1 the sums of some columns are at most; looked for again where others were summed before."""
    own = frozenset(own_column(survey.lying, column) for column in columns)
    known = [frozenset(each) for each in survey.lying.shares]
    if own not in known:
        survey = Survey.of(replace(survey.lying, shares=(tuple(sorted(own)),)))
    return survey.furthest(known.index(own) if own in known else 0)
