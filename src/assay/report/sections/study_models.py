"""The models that a study keeps, on its page: their size, and trees and coefficients where the data are there."""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AssayError
from assay.experiments.model_description import Described
from assay.experiments.models import FittedModel
from assay.report.blocks import Block, Heading, Note, Notes, Sentence
from assay.report.sections.ranks_tables import grid
from assay.report.sections.study_shown import Shown
from assay.report.words import shortened, tamed
from assay.results import counted
from assay.results import shown as figure

__all__ = ["kept_models"]

# Models that a page fits again to print them; more are counted.
MOST_PRINTED = 12
HOW = "They are kept as recipes and answers, never as pickles, and fitted again to be looked at."
ELSEWHERE = "assay experiment model STUDY --learner NAME prints one, assay experiment score STUDY NEW.csv uses it."


def kept_models(found: Shown) -> list[Block] | None:
    """A row for each model, and what can be printed of it."""
    table = found.study.models()
    if not len(table):
        return None
    rows = []
    for dataset, learner, cases, seconds, size, _, failed in table.rows():
        of = f"{shortened(learner, 24)} of {shortened(dataset, 24)}"
        rows.append((of, (figure(cases), figure(seconds, 4), figure(size), tamed(failed) or "kept")))
    columns = ("Cases", "Seconds to fit", "Bytes", "State")
    blocks: list[Block] = [Heading("Models of all cases"), grid("Model", columns, rows), Sentence(f"{HOW} {ELSEWHERE}")]
    return [*blocks, *_printed(found, table.columns["dataset"], table.columns["learner"])]


def _one(name: str, said: Described) -> list[Block]:
    """A tree as it branches; coefficients in a table that is folded away."""
    if said.tree is not None:
        return [Notes((Note(name, said.words(), is_code=True),))]
    if said.coefficients is None:
        return []
    column, *heads = said.coefficients.columns
    rows = [(first, tuple(figure(value, 4) for value in rest)) for first, *rest in said.coefficients.rows()]
    fold = f"Coefficients of {name}: {counted(len(rows), 'row')}"
    return [grid(column.capitalize(), heads, rows, fold=fold), *(Sentence(note) for note in said.notes)]


def _printed(found: Shown, datasets: Sequence[str], learners: Sequence[str]) -> list[Block]:
    if found.study.given is None:
        return []
    blocks: list[Block] = []
    pairs = list(zip(datasets, learners, strict=True))
    for dataset, learner in pairs[:MOST_PRINTED]:
        try:
            model: FittedModel = found.study.model(dataset, learner)
        except AssayError as error:
            blocks.append(Sentence(tamed(str(error))))
            continue
        blocks += _one(f"{shortened(learner, 24)} of {shortened(dataset, 24)}", model.described)
    left = len(pairs) - MOST_PRINTED
    return [*blocks, *([Sentence(f"{counted(left, 'model')} more are not printed.")] if left > 0 else [])]
