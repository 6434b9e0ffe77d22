"""Blocks as text for a terminal: sentences no wider than 100 columns, nothing hidden in it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.evaluation import Evaluation, Evaluations
from assay.renderers import renders
from assay.report import blocks as kinds
from assay.report.blocks import Block
from assay.report.sections import WHOLE, WHOLE_OF_COMPARISON, written
from assay.report.sections.comparison import Compared, NotCompared, pairing
from assay.report.sections.estimate_rows import of_labels_alone
from assay.report.wording import bracketed, no_interval, p_equals, value_words, visible
from assay.results import Estimate, Table, screen_width
from assay.text import in_digits

WIDTH = 100
GAP = "   "
BRIEF = (
    *("headline", "operating-point", "worst-classes", "matrix", "calibration-numbers", "subgroups", "cautions"),
    "risk-chart",
    "card",
)


def render_text(
    models: Mapping[str, Evaluation], *, full: bool = False, compared: Compared | NotCompared | None = None
) -> str:
    """The short table, or with `full` every section.

    >>> from assay.evaluation import from_counts
    >>> print(render_text({"": from_counts(tp=154, fn=29, fp=5, tn=1202)}))
                          estimate   95 % interval      method
    Accuracy                0.9755   0.9660 to 0.9824   Wilson
    Balanced accuracy        0.919   0.890 to 0.942     Dirichlet
    Cohen's kappa            0.887   0.843 to 0.919     Dirichlet
    Matthews correlation     0.890   0.848 to 0.920     Dirichlet
    Accuracy 0.9755 [0.9660, 0.9824]; always predicting "0" gives 0.868.
    Class                Precision                   Recall                       F1  Cases
    1         0.969 [0.929, 0.986]     0.842 [0.782, 0.887]     0.901 [0.862, 0.929]    183
    0      0.9764 [0.9664, 0.9835]  0.9959 [0.9903, 0.9982]  0.9861 [0.9805, 0.9900]  1,207
    True class in rows, called in columns
    True class    1      0
    1           154     29
    0             5  1,202
    """
    # A comparison that comes along with an evaluation is put in few words.
    came_along = isinstance(compared, Compared) and not compared.asked and not full
    kept = () if came_along else WHOLE_OF_COMPARISON
    sections = written(models, WHOLE if full else BRIEF, compared, of_comparison=kept)
    if not full and all(map(of_labels_alone, models.values())):
        # What the decisions are worth stands in the rows of the classes.
        sections["operating-point"] = [b for b in sections["operating-point"] if not isinstance(b, kinds.Estimates)]
    if not full and "subgroups" in sections:
        # The sentence above them says which of them matter.
        sections["subgroups"] = [b for b in sections["subgroups"] if not isinstance(b, kinds.Forest)]
    blocks = [block for section in sections.values() for block in section]
    # In a short table the name of a model is a heading, that of a section is not.
    return render_blocks([block for block in blocks if full or getattr(block, "level", 3) != 2], full=full)


@renders("text", Evaluation)
def _(ev: Evaluation) -> str:
    return render_text({"": ev})


@renders("text", Evaluations)
def _(models: Evaluations) -> str:
    return render_text(models, compared=pairing(models))


def render_blocks(shown: Sequence[Block], *, full: bool = True) -> str:
    """Some blocks as text, one below the other; an empty line stands before what stands apart."""
    estimates = [block for block in shown if isinstance(block, kinds.Estimates)]
    title_width = max((_title_width(block, full=full) for block in estimates), default=0)
    lines: list[str] = []
    for block in shown:
        lines += [""] if getattr(block, "apart", False) else []
        lines += _lines(block, title_width, full=full)
    return "\n".join(visible(line.rstrip()) for line in lines).strip("\n")


def _lines(block: Block, title_width: int, *, full: bool) -> Iterator[str]:
    match block:
        case kinds.Heading():
            yield from ("", block.text, ("=" if block.level == 2 else "-") * len(block.text)) if full else (block.text,)
        case kinds.Sentence():
            yield from _wrapped(block.text, "")
        case kinds.Estimates(in_brief=names) if names and not full:
            yield from _brief(block, title_width)
        case kinds.Estimates():
            yield from _table(block, title_width, full=full)
        case kinds.Grid():
            yield from _grid(block)
        case kinds.Forest():
            yield from _forest(block)
        case kinds.Picture():
            yield from _wrapped(block.caption, "")
            yield from () if block.table is None else ("", *_columns(block.table))
        case kinds.Notes():
            yield from _notes(block)
        case kinds.Said() | kinds.Tabled() | kinds.Verbatim():
            yield from _found(block)


def _found(block: kinds.Said | kinds.Tabled | kinds.Verbatim) -> Iterator[str]:
    match block:
        case kinds.Said():
            yield from (part for line in block.lines for part in _wrapped(line, "", indent=2))
        case kinds.Tabled():
            yield from _wrapped(block.full_title, "", indent=2) if block.title else ()
            yield from str(block.table).splitlines()
        case kinds.Verbatim():
            yield from block.text.split("\n")


def _title_width(block: kinds.Estimates, *, full: bool) -> int:
    rows = [] if block.in_brief and not full else [row.title for row in block.rows]
    return max(map(len, [block.full_title, *rows])) + 2


def _wrapped(text: str, lead: str, *, indent: int | None = None) -> list[str]:
    """Text after a lead, its further lines indented below its beginning."""
    beginning = len(lead) if indent is None else indent
    whole = lead + visible(text)
    width = min(WIDTH, screen_width() or WIDTH)
    return textwrap.wrap(whole, width, subsequent_indent=" " * beginning, break_on_hyphens=False) or [lead]


def _brief(block: kinds.Estimates, title_width: int) -> Iterator[str]:
    models = dict.fromkeys(row.model for row in block.rows)
    model_width = max(map(len, models)) + 2 if block.names_models else 0
    for place, model in enumerate(models):
        lead = (block.full_title if place == 0 else "").ljust(title_width) + model.ljust(model_width)
        named = [row for row in block.rows if row.model == model and row.title in block.in_brief]
        yield from _wrapped("  ".join(_in_words(row) for row in named), lead)


def _in_words(row: kinds.Row) -> str:
    reason = no_interval(row.estimate)
    limits = f"({reason})" if reason else bracketed(row.estimate)
    remark = f" ({row.remark})" if row.remark else ""
    return f"{row.title.lower()} {value_words(row.estimate)} {limits}{remark}"


def _table(block: kinds.Estimates, title_width: int, *, full: bool) -> Iterator[str]:
    if full and block.full_title:
        yield block.full_title
    models = max(len(row.model) for row in block.rows) + 2 if block.names_models else 0
    values = max(8, *(len(value_words(row.estimate)) for row in block.rows))
    limits = max(len(text) for text in [f"{block.level} interval", *map(_limits, block.rows)])
    head = " " * (title_width + models) + "estimate".rjust(values) + GAP + f"{block.level} interval".ljust(limits)
    yield head + GAP + "method"
    group = ""
    for row in block.rows:
        if row.group != group:
            group = row.group
            yield from ("", group)
        lead = row.title.ljust(title_width) + row.model.ljust(models) + value_words(row.estimate).rjust(values) + GAP
        yield from _row(row, lead, limits)


def _row(row: kinds.Row, lead: str, limits_width: int) -> Iterator[str]:
    reason = no_interval(row.estimate)
    remark = f"({row.remark})" if row.remark else ""
    if reason:
        yield from _wrapped(reason, lead)
        line = ""
    else:
        line = lead + _limits(row).ljust(limits_width) + GAP + row.estimate.method
        if len(line) + len(remark) + 2 > WIDTH:
            yield line
            line = ""
    if line or remark:
        yield f"{line}  {remark}" if line else " " * len(lead) + remark


def _limits(row: kinds.Row) -> str:
    return "" if no_interval(row.estimate) else "{} to {}".format(*in_digits(row.estimate)[1:])


def _forest(block: kinds.Forest) -> Iterator[str]:
    rows = [
        kinds.Row(f"{row.title} {row.pair}".strip(), _as_estimate(row), remark=_p_remark(row)) for row in block.rows
    ]
    yield from _table(kinds.Estimates(tuple(rows)), max(len(row.title) for row in rows) + 2, full=True)


def _p_remark(row: kinds.ForestRow) -> str:
    return f"p {p_equals(row.difference.p_value)}" if row.difference.p_value >= 0 else ""


def _as_estimate(row: kinds.ForestRow) -> Estimate:
    """A difference as an estimate, to be written like one."""
    d = row.difference
    return Estimate(d.measure, d.value, d.low, d.high, d.level, d.method, d.n, undefined=d.undefined)


def _columns(table: Table) -> list[str]:
    """The numbers behind a figure, as wide as they need or, where that is too wide, a line cut short."""
    return [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in str(table).splitlines()]


def _grid(block: kinds.Grid) -> Iterator[str]:
    if block.fold:
        return
    if block.across:
        yield f"{block.corner} in rows, {block.across.lower()} in columns"
    for part in _parts(block) if block.is_plain else [block]:
        yield from _cells(part)


def _cells(block: kinds.Grid) -> Iterator[str]:
    rows, widths = _rows(block), _widths(block)
    if sum(widths) + 2 * len(widths) > WIDTH:
        # Too wide for a table: a line a cell keeps every number and the promise about the width.
        for line in rows:
            yield line[0]
            for name, cell in zip(block.columns, line[1:], strict=True):
                yield from _wrapped(cell, f"  {name}: ")
        return
    for line in [[block.corner, *block.columns], *rows]:
        cells = (cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))
        yield "  ".join([line[0].ljust(widths[0]), *cells])


def _rows(block: kinds.Grid) -> list[list[str]]:
    return [
        [f"{label.text} ({label.note})" if label.note else label.text, *map(_cell, cells)]
        for label, cells in block.rows
    ]


def _widths(block: kinds.Grid) -> list[int]:
    lines = [[block.corner, *block.columns], *_rows(block)]
    return [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]


def _parts(block: kinds.Grid) -> Iterator[kinds.Grid]:
    """The grid, or where its columns do not fit beside one another, as many of them at a time as do."""
    label, *widths = _widths(block)
    start = 0
    while start < len(widths):
        end = start + 1
        while end < len(widths) and label + sum(widths[start : end + 1]) + 2 * (end + 2 - start) <= WIDTH:
            end += 1
        rows = tuple((name, cells[start:end]) for name, cells in block.rows)
        yield replace(block, columns=block.columns[start:end], rows=rows)
        start = end


def _cell(cell: kinds.Cell) -> str:
    note = cell.note if cell.note.startswith("[") or not cell.note else f"({cell.note})"
    return f"{cell.text} {note}".rstrip()


def _notes(block: kinds.Notes) -> Iterator[str]:
    width = max(len(item.label) for item in block.items) + 2
    for item in block.items:
        if item.is_code:
            yield item.label
            yield from (f"    {line}" for line in item.text.splitlines())
        else:
            first, *others = item.text.split("\n")
            yield from _wrapped(first, item.label.ljust(width))
            yield from (part for line in others for part in _wrapped(line, " " * width))
