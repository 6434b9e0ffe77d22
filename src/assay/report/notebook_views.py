"""What whatever a user holds looks like in a notebook: blocks by its kind, written by the renderer of pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import singledispatch
from itertools import islice
from typing import Any, Literal

from assay.cautions import Caution, Cautions
from assay.comparison import Difference, Verdict
from assay.comparison.power import SamplePlan
from assay.curves import Drawable
from assay.decisions import ThresholdChoice
from assay.evaluation import (
    ASKED_OF_A_CLASS,
    Baselines,
    Calibration,
    ClassCalibration,
    Comparison,
    ComparisonAnswer,
    EachClass,
    Evaluation,
    Evaluations,
    OneClass,
    PerClass,
    Sites,
    SitesSummary,
    UnpairedComparison,
)
from assay.evidence import ConfusionMatrix
from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many
from assay.plots import draw_curve
from assay.renderers import renders
from assay.report import answers
from assay.report.blocks import (
    Block,
    Cell,
    Estimates,
    Forest,
    ForestRow,
    Grid,
    Heading,
    Note,
    Notes,
    Picture,
    Row,
    Said,
    Sentence,
    Tabled,
    Verbatim,
)
from assay.report.explanations import explained
from assay.report.renderers.html import render_fragment
from assay.report.renderers.latex import NEEDS, latex_text, tabular
from assay.report.sections import written
from assay.report.sections.cautions import cautions
from assay.report.sections.comparison import Compared, NotCompared, differences, pairing, verdicts, who_was_right, wins
from assay.report.sections.confusion import matrix_blocks
from assay.report.sections.estimate_rows import estimate_cell
from assay.report.sections.figures import KNOTS, points_drawn, points_of
from assay.report.wording import count, shortened, visible
from assay.results import Estimate, Table, TestResult, arranged, counted

__all__ = ["blocks_of", "latex_table", "shortened_table", "view"]

Better = Literal["higher", "lower", "neither"]


@renders("latex", Table)
def latex_table(table: Table) -> str:
    """Return a table as LaTeX: values beside their limits, its title and what all rows have alike as comments."""
    found = arranged(table)
    head, *rows = zip(*([name, *cells] for name, cells in found.columns.items()), strict=True)
    above = [f"% {latex_text(line)}" for line in (table.title, found.alike, *found.remarks) if line]
    columns = "".join("r" if found.right[name] else "l" for name in found.columns)
    return "\n".join(
        [NEEDS, *above, tabular(columns, [*map(latex_text, head)], [[*map(latex_text, row)] for row in rows])]
    )


BRIEF = ("headline", "operating-point", "worst-classes", "matrix", "cautions")
# A table of more rows shows so many from either end.
MOST_ROWS = 60
MOST_CLASSES = 30


@renders("view", object)
def view(held: Any) -> str:
    """An object as a fragment of HTML that styles nothing but itself; all text in it is escaped."""
    return render_fragment(blocks_of(held))


@singledispatch
def blocks_of(held: Any) -> list[Block]:
    """What there is to see of an object: its words, its figure and its table, or else the facts it holds."""
    table, figure, said = getattr(held, "table", None), getattr(held, "figure", None), repr(held)
    blocks: list[Block] = [] if "\n" in said else [Sentence(said.strip("<>"))]
    if callable(figure):
        blocks.append(Picture(figure(), ""))
    if callable(table):
        return [*blocks, *blocks_of(table())]
    if is_dataclass(held) and hasattr(type(held).__repr__, "__wrapped__"):  # its words are dataclass's own
        named = (each.name for each in fields(held) if not each.name.startswith("_"))
        facts = held.to_dict() if hasattr(held, "to_dict") else {name: getattr(held, name) for name in named}
        return [Tabled(_facts_table(facts), type(held).__name__)]
    return blocks or [Verbatim(said)]


def _facts_table(facts: Mapping[str, Any]) -> Table:
    """Names and what stands under them; what is no single value is written as Python writes it."""
    shown = {name: value for name, value in facts.items() if value is not None}
    plain = [value if isinstance(value, int | float | str) else repr(value) for value in shown.values()]
    return Table({"": list(shown), "value": plain})


@blocks_of.register
def _(held: Evaluation) -> list[Block]:
    return _brief_blocks({"": held})


@blocks_of.register
def _(held: Evaluations) -> list[Block]:
    return _brief_blocks(held, pairing(held))


def _brief_blocks(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> list[Block]:
    sections = written(models, BRIEF, compared, of_comparison=()).values()
    return [block for section in sections for block in section if not _is_title(block)]


def _is_title(block: Block) -> bool:
    return isinstance(block, Heading) and block.level < 3


@blocks_of.register
def _(held: Estimate) -> list[Block]:
    facts = _find_measure(held.name)
    row = Row(held.name if facts is None else facts.title, held, "neither" if facts is None else facts.better)
    about = Sentence(f"{held.method}; {counted(held.n, 'case')}; of {held.target}")
    return [Estimates((row,), is_headline=True), *([] if held.method == "none" else [about])]


def _find_measure(name: str) -> Measure | None:
    return next(
        (known[name] for known in (registry, registry_of_many, on_request, on_request_of_many) if name in known), None
    )


@blocks_of.register
def _(held: Table) -> list[Block]:
    return [Tabled(shortened_table(held), held.title, _omitted_rows_words(held))]


def shortened_table(table: Table) -> Table:
    """The first and the last rows of a long table."""
    if len(table) <= MOST_ROWS:
        return table
    half = MOST_ROWS // 2
    ends = {name: [*values[:half], *values[-half:]] for name, values in table.columns.items()}
    return Table(ends, table.title, table.digits)


def _omitted_rows_words(table: Table) -> str:
    if len(table) <= MOST_ROWS:
        return ""
    return f"the first and the last {MOST_ROWS // 2} of {len(table):,} rows"


@blocks_of.register
def _(held: Comparison) -> list[Block]:
    asked = Compared(held)
    said = [Said((block.text,)) for block in verdicts(asked) or [] if isinstance(block, Sentence)]
    sections = (differences(asked), who_was_right(asked), wins(asked), cautions(held.models, asked))
    return [*said, *(block for section in sections for block in section or [] if not _is_title(block))]


@blocks_of.register
def _(held: ComparisonAnswer) -> list[Block]:
    drawn = [d for found in held.differences.values() for d in found if d.alternative == "two-sided"]
    return [Said(tuple(held.lines)), *([_forest(drawn)] if drawn else []), *_caution_blocks(Cautions(held.cautions))]


@blocks_of.register
def _(held: UnpairedComparison) -> list[Block]:
    return blocks_of(held.answer())


@blocks_of.register
def _(held: Sites) -> list[Block]:
    found, table = held.summary(), held.table()
    drawn = Picture(held.forest().figure(), "", found.estimate.method)
    return [
        Tabled(shortened_table(table), table.title),
        Said(tuple(found.sentences)),
        drawn,
        *_caution_blocks(held.cautions()),
    ]


@blocks_of.register
def _(held: SitesSummary) -> list[Block]:
    table = held.table()
    return [Said(tuple(held.sentences)), Tabled(table, table.title)]


def _caution_blocks(held: Cautions) -> list[Block]:
    return [Notes(tuple(Note(each.code, each.message) for each in held))] if held else []


@blocks_of.register
def _(held: Difference) -> list[Block]:
    drawn = [_forest([held])] if held.alternative == "two-sided" else [Sentence(repr(held))]
    doubts = [] if held.caution is None else [Sentence(f"Caution: {held.caution}.")]
    return [*drawn, Sentence(f"{held.method}; {counted(held.n, 'case')}"), *doubts]


@blocks_of.register
def _(held: Verdict) -> list[Block]:
    numbers = (held.difference, held.low, held.high, held.level, held.p_value)
    seen = Difference(held.measure, held.first, held.second, *numbers, held.method, held.n, undefined=held.undefined)
    drawn = [_forest([seen], held.margin)] if held.alternative == "two-sided" else []
    return [Said((*held.words.splitlines(), *held.cautions)), *drawn]


def _forest(found: list[Difference], margin: float | None = None) -> Forest:
    rows = []
    for each in found:
        facts = _find_measure(each.measure)
        title, better = (each.measure, "neither") if facts is None else (facts.title, facts.better)
        rows.append(ForestRow(title, each, better, visible(f"{each.first} - {each.second}")))  # type: ignore[arg-type]
    return Forest(tuple(rows), margin)


@blocks_of.register
def _(held: ThresholdChoice) -> list[Block]:
    return [Said(tuple(held.words().splitlines())), *matrix_blocks(held.matrix, held.value.level)]


@blocks_of.register
def _(held: Calibration) -> list[Block]:
    return [*(blocks_of(held.diagram) if held.is_defined else []), *blocks_of(held.table())]


@blocks_of.register
def _(held: ClassCalibration) -> list[Block]:
    return [*blocks_of(held.confidence), *blocks_of(held.table())]


@blocks_of.register
def _(held: ConfusionMatrix) -> list[Block]:
    return list(matrix_blocks(held, 0.95)) if held.counts.ndim == 2 else [Verbatim(repr(held))]


@blocks_of.register
def _(held: PerClass | EachClass) -> list[Block]:
    shown = dict(islice(held.items(), MOST_CLASSES))
    rows = tuple((Cell(shortened(name, 24), _support_words(of)), _estimate_cells(of)) for name, of in shown.items())
    more = len(held) - len(shown)
    grid = Grid("Class", tuple(registry[name].title for name in ASKED_OF_A_CLASS), rows, is_plain=True)
    return [grid, *([Sentence(f"And {more:,} more classes.")] if more else [])]


def _support_words(measures: Mapping[str, Estimate]) -> str:
    return counted(measures["recall"].n, "case")


def _estimate_cells(measures: Mapping[str, Estimate]) -> tuple[Cell, ...]:
    return tuple(estimate_cell(measures[name]) for name in ASKED_OF_A_CLASS)


@blocks_of.register
def _(held: OneClass) -> list[Block]:
    rows = tuple(Row(registry[name].title, found, registry[name].better) for name, found in held.items())
    return [Estimates(rows, is_headline=True)]


@blocks_of.register
def _(held: Drawable) -> list[Block]:
    if not held.is_defined:
        return [Sentence(f"{repr(held).strip('<>')}: no curve; the true labels may have a single class.")]
    figure = draw_curve({"": held}, knots=KNOTS)
    caption = f"{figure.title}, {count(figure.points)} points"
    return [Picture(figure, caption, table=points_of(held), remark=points_drawn(figure))]


@blocks_of.register
def _(held: Cautions) -> list[Block]:
    notes = Notes(tuple(Note(each.code, each.message) for each in held))
    return [notes] if held else [Sentence("No cautions.")]


@blocks_of.register
def _(held: Caution) -> list[Block]:
    return [Notes((Note(held.code, held.message),))]


@blocks_of.register
def _(held: TestResult) -> list[Block]:
    return [Sentence(repr(held))]


@blocks_of.register
def _(held: Baselines) -> list[Block]:
    by_name = {name: of["measures"] for name, of in held.to_dict().items()}
    measures = dict.fromkeys(name for of in by_name.values() for name in of)
    columns = {name: [of.get(measure) for measure in measures] for name, of in by_name.items()}
    titles = [measure if (facts := _find_measure(measure)) is None else facts.title for measure in measures]
    return [Tabled(Table({"measure": titles, **columns}), "Scores of baselines")]


@blocks_of.register
def _(held: SamplePlan) -> list[Block]:
    return list(answers.plan(held).blocks("table"))


@blocks_of.register
def _(held: Measure) -> list[Block]:
    return list(explained(held.name).blocks("table"))
