"""Which columns, and which rows, are each model's, where rows stay where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.errors import InputError
from assay.request import Request
from assay.sources._alike import refuse_spellings
from assay.sources._assemble import refuse_foreign_labels
from assay.sources._certainty import STRAY, refuse_answers
from assay.sources._labels import Classes, aligned, class_names, in_order, refuse_idle_order, refuse_strange, settle
from assay.sources._lying import Lying, Survey
from assay.sources._models import FEWEST_OF_MANY, LOGITS, word_before
from assay.sources._probabilities import (
    PROMISED,
    columns_of_classes,
    tolerance,
    with_class_score,
    with_probabilities,
)
from assay.sources._roles import Roles
from assay.sources._settling import rank_positives
from assay.sources._wording import listed, shown

__all__ = ["Subject", "are_logits", "classes_of", "own_column", "subjects_of"]

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


def classes_of(survey: Survey, roles: Roles, request: Request) -> tuple[Classes, Roles]:
    """The classes, and the roles of columns once these are known."""
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
    if classes.are_many:
        roles = with_probabilities(roles, classes)
    else:
        models = tuple(with_class_score(model, roles, classes, request) for model in roles.models)
        roles = replace(roles, models=models)
    _refuse_other_shares(survey, roles, classes)
    if classes.against is not None:
        chosen = classes.against
        models = tuple(
            replace(model, score=dict(model.per_class).get(chosen, model.score), per_class=()) for model in roles.models
        )
        return Classes((f"not {chosen}", chosen), against=chosen, as_found=classes.names), replace(roles, models=models)
    if len(roles.models) == 1 and roles.models[0].score is not None:
        refuse_answers(
            roles, classes, request, survey.range_of(own_column(survey.lying, roles.models[0].score)), survey.rows
        )
    return classes, roles


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
        if is_whole and _off(survey, [*columns.values()]) <= tolerance(len(columns)):
            found |= dict.fromkeys(name for name in columns if name not in truth)
    return list(found)


def _refuse_other_shares(survey: Survey, roles: Roles, classes: Classes) -> None:
    """Refuse columns of classes that are no probabilities and no logits, which are turned into some."""
    for model in roles.models:
        columns = [column for _, column in model.per_class]
        if not columns:
            continue
        if are_logits(survey, columns):
            if classes.against is None:
                continue
            found = f"{listed(columns, 4)} are no probabilities, and one class is held against the rest"
            raise InputError(found, "probabilities of each class there: what softmax makes of logits")
        ends = [survey.range_of(own_column(survey.lying, column)) for column in columns]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        if low < -STRAY or high > 1 + STRAY:
            found = f"{listed(columns, 4)} run from {low:.4g} to {high:.4g}"
            raise InputError(found, "probabilities between 0 and 1")
        if (off := _off(survey, columns)) > tolerance(len(columns)):
            found = f"the probabilities in {listed(columns, 4)} are off 1 by up to {off:.6g} in sum"
            raise InputError(found, "probabilities that sum to 1 in every row")


def are_logits(survey: Survey, columns: Sequence[str]) -> bool:
    """Whether columns of classes are called logits, or run beyond 0 and 1 without being called probabilities."""
    word = word_before(columns[0])
    if word in PROMISED:
        return False
    ends = [survey.range_of(own_column(survey.lying, column)) for column in columns]
    return word in LOGITS or any(low < -STRAY or high > 1 + STRAY for low, high in ends)


def _off(survey: Survey, columns: Sequence[str]) -> float:
    """How far from 1 the sums of some columns are at most; looked for again where others were summed before."""
    own = frozenset(own_column(survey.lying, column) for column in columns)
    known = [frozenset(each) for each in survey.lying.shares]
    if own not in known:
        survey = Survey.of(replace(survey.lying, shares=(tuple(sorted(own)),)))
    return survey.furthest(known.index(own) if own in known else 0)
