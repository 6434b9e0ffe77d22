"""An evaluation from a sample of labels: as an answer in any format, as text, and as a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from assay.evaluation import LabelPlan, LabelSample, SampledComparison, SampledEvaluation
from assay.labelling import TARGETS
from assay.renderers import renders
from assay.report.answers import Answer
from assay.report.blocks import Block, Cell, Estimates, Grid, Heading, Note, Notes, Row, Said, Tabled, Verbatim
from assay.report.renderers.html import render_still, write_page
from assay.report.renderers.text import render_blocks
from assay.report.sections.provenance import versions
from assay.report.wording import quoted, shortened
from assay.results import Table, counted

__all__ = ["label_plan_answer", "sample_answer", "sampled_answer", "sampled_comparison_answer", "sampled_page"]

METHODS = {
    "estimate": "Each labelled row counts with its weight, 1 / inclusion probability, around a working model of the "
    "labels (logistic in the score, fitted to the labelled rows); unlabelled rows count with their "
    "predicted label shares. The weighted residuals correct errors of the model. Särndal, Swensson & Wretman (1992).",
    "rates": "Wilson limits for the predicted positives and the predicted negatives, joined by MOVER. Zou & Donner "
    "(2008).",
    "scores": "The larger of the variance of the design and that of the working model, with Student's t; the degrees "
    "of freedom are Satterthwaite's under the working model.",
}


def sampled_answer(ev: SampledEvaluation, measures: tuple[str, ...] = (), *, full: bool = False) -> Answer:
    """Return the answer: the sentence, the measures with their limits, where the labels come from, and cautions.

    On a screen the usual measures stand alone, unless all are to be shown in `full`.
    """

    def record() -> Any:
        whole = ev.to_dict()
        if not measures:
            return whole
        return {**whole, "measures": {ev.find(name).name: ev.estimate(name).to_dict() for name in measures}}

    def blocks(form: str) -> Iterator[Block]:
        table = _table_of_measures(ev, measures) if measures else ev.table()
        if form == "table":
            yield Said((ev.sentence,))
            table = table if full or measures else ev.table(brief=True)
        shown = ("measure", "estimate", "low", "high", "labels")
        columns = {name: table.columns[name] for name in shown} if form == "table" else table.columns
        yield Tabled(Table(columns, table.title), table.title, key={"table": "measures"})
        if form != "csv" and not measures:
            yield Tabled(ev.labelled.ranges, ev.labelled.ranges.title, key={"table": "labels"})
        if form != "csv" and (why := _notes_without_limits(table)):
            yield Notes(why, apart=True)
        if form != "csv":
            yield Notes((Note("assumes", ev.assumes),), apart=True)
        if form != "csv" and ev.cautions:
            yield Notes(tuple(Note(one.code, one.message) for one in ev.cautions), apart=True)

    return Answer(record, blocks)


def sample_answer(draw: LabelSample) -> Answer:
    """Return the answer of a sample of rows to label: how many, for what, and what they will tell."""

    def blocks(form: str) -> Iterator[Block]:
        if form == "table":
            yield Verbatim(repr(draw))
        else:
            yield Tabled(draw.expected, draw.expected.title)

    return Answer(draw.to_dict, blocks)


def sampled_comparison_answer(found: SampledComparison) -> Answer:
    """Return the answer of two models' differences: the sentence, the table, and cautions about the labels."""

    def blocks(form: str) -> Iterator[Block]:
        if form == "table":
            yield Said((found.sentence,))
        table = found.table()
        yield Tabled(table, table.title)
        notes = {one.code: Note(one.code, one.message) for ev in found.models.values() for one in ev.cautions}
        if form != "csv" and notes:
            yield Notes(tuple(notes.values()), apart=True)

    return Answer(found.to_dict, blocks)


@renders("text", SampledComparison)
def text_of_comparison(found: SampledComparison) -> str:
    """Return the comparison as text."""
    return render_blocks(list(sampled_comparison_answer(found).blocks("table")))


def label_plan_answer(plan: LabelPlan) -> Answer:
    """Return the answer of how many rows to label."""
    columns = {name: [value] for name, value in plan.to_dict().items()}

    def blocks(form: str) -> Iterator[Block]:
        yield Said(tuple(repr(plan).splitlines())) if form == "table" else Tabled(Table(columns), "Labels needed")

    return Answer(plan.to_dict, blocks)


@renders("text", LabelSample, LabelPlan)
def text_of_sample(found: LabelSample | LabelPlan) -> str:
    """Return a sample, or a plan for one, as text."""
    return repr(found)


def _table_of_measures(ev: SampledEvaluation, measures: tuple[str, ...]) -> Table:
    """The table of some measures alone."""
    found = [(ev.find(name).title, ev.estimate(name)) for name in measures]
    return Table(
        {
            "measure": [title for title, _ in found],
            "estimate": [each.value for _, each in found],
            "low": [each.low for _, each in found],
            "high": [each.high for _, each in found],
            "method": [each.method for _, each in found],
            "labels": [round(each.n) for _, each in found],
            "undefined": [each.undefined or "" for _, each in found],
        },
        title=f"Measures of {TARGETS[ev.target]} with {100 * ev.level:g} % intervals",
    )


def _notes_without_limits(table: Table) -> tuple[Note, ...]:
    """Why measures have no limits, each reason once."""
    reasons: dict[str, list[str]] = {}
    for title, why in zip(table.columns["measure"], table.columns["undefined"], strict=True):
        if why:
            reasons.setdefault(why, []).append(title)
    return tuple(Note("no limits", f"{', '.join(titles)}: {why}.") for why, titles in reasons.items())


@renders("text", SampledEvaluation)
def text_of_sampled(ev: SampledEvaluation) -> str:
    """Return the answer as text."""
    return render_blocks(list(sampled_answer(ev).blocks("table")))


def sampled_page(ev: SampledEvaluation) -> str:
    """Return the page."""
    about = [shortened(ev.source.name, 60), counted(ev.n, "row"), counted(ev.labelled.labels, "label")]
    return render_still(about, ev.sentence, _sections(ev))


def _sections(ev: SampledEvaluation) -> dict[str, list[Block]]:
    rows = tuple(
        Row(ev.registry[name].title, each, ev.registry[name].better, remark=_label_count_words(each.n))
        for name, each in ev.headline.items()
    )
    notes = tuple(Note(one.code, one.message) for one in ev.cautions)
    table, methods = ev.table(), {**METHODS, "assumes": ev.assumes}
    sections: dict[str, list[Block]] = {
        "headline": [Estimates(rows, f"Measures of {TARGETS[ev.target]}", is_headline=True)] if rows else [],
        "measures": [
            Heading("Every measure"),
            _table_grid(table),
            *([Notes(why)] if (why := _notes_without_limits(table)) else []),
        ],
        "labels": [Heading("Labelled rows by score range"), _table_grid(ev.labelled.ranges)],
        "cautions": [Heading("Cautions"), Notes(notes)] if notes else [],
        "methods": [
            Heading("Methods"),
            Notes(tuple(Note(name, text) for name, text in methods.items())),
        ],
        "reproduce": [Heading("Reproduce"), Notes((_source_note(ev), versions("numpy", "scipy")))],
    }
    return {name: blocks for name, blocks in sections.items() if blocks}


def _label_count_words(labels: float) -> str:
    return f"based on {counted(round(labels), 'label')}"


def _source_note(ev: SampledEvaluation) -> Note:
    digest = "" if ev.source.sha256 is None else f", sha256 {ev.source.sha256}"
    column = ev.source.columns.get("inclusion", "")
    chances = f", inclusion probabilities in {quoted(str(column))}" if column else ""
    return Note("source", f"{shortened(ev.source.name, 60)}, {counted(ev.n, 'row')}{chances}{digest}")


def _table_grid(table: Table) -> Grid:
    """A table as a page sets it."""
    columns = {name: values for name, values in table.columns.items() if name not in ("method", "undefined")}
    head, *lines = Table(columns).cells()
    rows = tuple((Cell(shortened(line[0], 40)), tuple(map(Cell, line[1:]))) for line in lines)
    return Grid(head[0], tuple(head[1:]), rows, is_plain=True)


@renders("page", SampledEvaluation)
def write_sampled(ev: SampledEvaluation, path: str | os.PathLike[str]) -> None:
    """Write the page."""
    write_page(lambda: sampled_page(ev), path)
