"""Per class: each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from assay.evaluation import ASKED_OF_A_CLASS, Evaluation, ManyClassEvaluation
from assay.measures import registry
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._heat import by_f1
from assay.report.sections._rows import estimate_cell
from assay.report.words import model_names, number, shortened
from assay.results import counted

__all__ = ["per_class", "worst_classes"]

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
    """The same in brief, for more than two classes."""
    return (
        _tables({key: ev for key, ev in models.items() if isinstance(ev, ManyClassEvaluation)}, MOST_IN_BRIEF) or None
    )


def _tables(models: Mapping[str, Evaluation], most: int) -> list[Block]:
    names = model_names(models)
    blocks: list[Block] = []
    for series, (key, ev) in enumerate(models.items()):
        if not ev.per_class:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        with_scores = isinstance(ev, ManyClassEvaluation) and ev.class_scores is not None and most > MOST_IN_BRIEF
        measures = (*ASKED_OF_A_CLASS, *OF_SCORES) if with_scores else ASKED_OF_A_CLASS
        blocks.append(_grid(ev, _shown(ev, most), measures, series))
        if len(ev.classes) > most:
            blocks.append(Sentence(_others(ev, most)))
            if most == MOST_CLASSES:
                more = _by_f1(ev)[most:MOST_FOLDED]
                fold = f"The next {len(more):,} classes, lowest F1 first"
                blocks.append(replace(_grid(ev, more, ASKED_OF_A_CLASS, series), fold=fold))
    return blocks


def _shown(ev: Evaluation, most: int) -> list[str]:
    """All classes in their order, or where they are too many those with the lowest F1."""
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


def _grid(ev: Evaluation, classes: list[str], measures: tuple[str, ...], series: int) -> Grid:
    return Grid(
        corner="Class",
        columns=tuple(registry[name].title for name in measures),
        rows=tuple(
            (
                Cell(shortened(name, 24), counted(ev.class_counts[name], "case")),
                tuple(estimate_cell(ev.per_class[name][measure], series) for measure in measures),
            )
            for name in classes
        ),
        is_plain=isinstance(ev, ManyClassEvaluation),
    )
