"""Per class: each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.measures import registry
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._heat import by_f1
from assay.report.sections._rows import by_class, estimate_cell
from assay.report.words import count, model_names, number, shortened

__all__ = ["per_class", "worst_classes"]

MEASURES = ("precision", "recall", "f1")
OF_SCORES = ("roc_auc",)
# So many classes fit a page; of more, those that fare worst are shown. A short table has room for fewer.
MOST_CLASSES = 30
MOST_IN_BRIEF = 12
# A page has room for so many in all, the others folded away.
MOST_FOLDED = 150


def per_class(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One table a model, a row a class."""
    blocks = _tables(models, MOST_CLASSES)
    return [Heading("Per class"), *blocks] if blocks else None


def worst_classes(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The same in brief, for more than two classes, or where there are labels alone."""
    having = {key: ev for key, ev in models.items() if by_class(ev)}
    return _tables(having, MOST_IN_BRIEF) or None


def _tables(models: Mapping[str, Evaluation], most: int) -> list[Block]:
    names = model_names(models)
    blocks: list[Block] = []
    for series, (key, ev) in enumerate(models.items()):
        if not ev.per_class:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        with_scores = isinstance(ev, ManyClassEvaluation) and ev.has_scores and most > MOST_IN_BRIEF
        blocks.append(_grid(ev, _shown(ev, most), OF_SCORES if with_scores else (), series))
        if len(ev.classes) > most:
            blocks.append(Sentence(_others(ev, most)))
            if most == MOST_CLASSES:
                more = _by_f1(ev)[most:MOST_FOLDED]
                fold = f"The next {len(more):,} classes, lowest F1 first"
                blocks.append(replace(_grid(ev, more, (), series), fold=fold))
    return blocks


def _shown(ev: Evaluation, most: int) -> list[str]:
    """All classes in their order, the positive one of two first; where they are too many those with the lowest F1."""
    if not isinstance(ev, ManyClassEvaluation):
        return list(reversed(ev.classes))
    return list(ev.classes) if len(ev.classes) <= most else _by_f1(ev)[:most]


def _by_f1(ev: Evaluation) -> list[str]:
    """The classes that have an F1, the lowest first; then the others."""
    return [ev.classes[k] for k in by_f1(ev.matrix)] if ev.matrix is not None else []


def _others(ev: Evaluation, most: int) -> str:
    rest = [ev.per_class[name]["f1"].value for name in _by_f1(ev)[most:]]
    defined = [value for value in rest if not np.isnan(value)]
    span = f", with F1 from {number(min(defined))} to {number(max(defined))}" if defined else ""
    picked = "Picked for that they look worse than they are: an interval is for a class named beforehand."
    return f"These {most} of {len(ev.classes):,} classes have the lowest F1; and {len(rest):,} more{span}. {picked}"


def _grid(ev: Evaluation, classes: list[str], of_scores: tuple[str, ...], series: int) -> Grid:
    """A row a class: what a classification report has, then what its scores say."""

    def cells(name: str) -> tuple[Cell, ...]:
        labels, scores = (
            tuple(estimate_cell(ev.per_class[name][measure], series) for measure in measures)
            for measures in (MEASURES, of_scores)
        )
        return (*labels, Cell(count(ev.class_counts[name])), *scores)

    return Grid(
        corner="Class",
        columns=(*(registry[m].title for m in MEASURES), "Cases", *(registry[m].title for m in of_scores)),
        rows=tuple((Cell(shortened(name, 24)), cells(name)) for name in classes),
        is_plain=isinstance(ev, ManyClassEvaluation),
    )
