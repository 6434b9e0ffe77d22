"""Blocks as Markdown in which a name is only ever a name; what goes into a pull-request comment fits one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

from assay.evaluation import Evaluation
from assay.report import blocks as kinds
from assay.report.blocks import Block
from assay.report.sections import written
from assay.report.sections.comparison import Compared, NotCompared
from assay.report.sections.estimate_rows import by_class
from assay.report.wording import bracketed, no_interval, number, p_words, shortened, value_words, visible

OF_COMPARISON = ("verdicts",)
SHOWN = ("headline", "operating-point", "calibration-numbers", "subgroups", "cautions", "confusion", "measures")
# Comments end at 65,536 bytes; the rest is room for whoever pastes it.
MOST_BYTES, LONGEST = 60_000, 2_000
SPECIAL = frozenset("\\`*_{}[]<>#|~!$&")
CUT = "_Further sections are left out to stay below 64 KB; the HTML page has them._"


def render_markdown(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> str:
    """Headline, decisions, cautions, confusion matrix and, while there is room, all measures."""
    names = (*SHOWN, "per-class") if any(map(by_class, models.values())) else SHOWN
    parts = [
        markdown_blocks(section) for section in written(models, names, compared, of_comparison=OF_COMPARISON).values()
    ]
    kept: list[str] = []
    for part in parts:
        if len("\n\n".join([*kept, part]).encode()) > MOST_BYTES:
            kept.append(CUT)
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def markdown_blocks(blocks: Iterable[Block]) -> str:
    """Some blocks, one below the other."""
    parts: list[str] = []
    for block in blocks:
        parts += _markdown_parts(block, MOST_BYTES - sum(len(part.encode()) + 2 for part in parts))
    return "\n\n".join(parts)


def _markdown_parts(block: Block, room: int) -> Iterator[str]:
    match block:
        case kinds.Heading():
            yield f"{'#' * (block.level + 1)} {markdown_text(block.text)}"
        case kinds.Sentence():
            yield markdown_text(block.text)
        case kinds.Estimates():
            yield _estimate_table(block)
        case kinds.Grid(fold=""):
            yield _grid_table(block)
        case kinds.Forest():
            yield _forest_table(block)
        case kinds.Picture():
            yield markdown_text(block.caption)
        case kinds.Notes():
            yield "\n".join(f"- **{markdown_text(item.label)}** {markdown_text(item.text)}" for item in block.items)
        case kinds.Tabled():
            yield from _markdown_table(block, room)
        case kinds.Said(lines=lines):
            yield "\n".join(f"- {markdown_text(line)}" for line in lines)


def _markdown_table(block: kinds.Tabled, room: int) -> Iterator[str]:
    """The table with numbers set to the right; one that may end early ends before there is no room."""
    if block.title:
        title = f"**{markdown_text(shortened(block.title, LONGEST))}**"
        title += f": {markdown_text(block.about)}" if block.about else ""
        room -= len(title.encode()) + 2
        yield title
    head, *rows = [[markdown_text(shortened(cell, LONGEST)) for cell in line] for line in block.table.cells()]
    if block.is_strong:
        rows = [[f"**{first}**", *others] for first, *others in rows]
    lines = list(markdown_table(head, rows, is_number=block.table.is_numeric()))
    ends = accumulate(len(line.encode()) + 1 for line in lines)
    kept = sum(end <= room for end in ends) if block.may_end else len(lines)
    yield "\n".join(lines[:kept])
    if kept < len(lines):
        yield f"_{len(lines) - kept:,} more rows are left out to stay below 64 KB._"


def _estimate_table(block: kinds.Estimates) -> str:
    head = ["Measure", "Estimate", f"{block.level} interval", "Baseline", "Method"]
    if block.names_models:
        head.insert(1, "Model")
    title = [f"**{markdown_text(block.full_title)}**", ""] if block.full_title else []
    rows = (_estimate_cells(row, names_models=block.names_models) for row in block.rows)
    return "\n".join([*title, *markdown_table(head, rows, [name == "Estimate" for name in head])])


def _estimate_cells(row: kinds.Row, *, names_models: bool) -> list[str]:
    reason = no_interval(row.estimate)
    baseline = f"{number(row.baseline.value)} ({markdown_text(row.baseline.name)})" if row.baseline else ""
    remark = f" ({markdown_text(row.remark)})" if row.remark else ""
    return [
        markdown_text(row.title),
        *([markdown_text(row.model)] if names_models else []),
        value_words(row.estimate),
        markdown_text(reason) if reason else bracketed(row.estimate),
        baseline,
        markdown_text(row.estimate.method) + remark,
    ]


def _grid_table(block: kinds.Grid) -> str:
    called = f", {block.across.lower()} →" if block.across else ""
    head = [markdown_text(block.corner + called), *map(markdown_text, block.columns)]
    rows = ([_cell_text(label), *map(_cell_text, cells)] for label, cells in block.rows)
    return "\n".join(markdown_table(head, rows, [place > 0 for place in range(len(head))]))


def _forest_table(block: kinds.Forest) -> str:
    head = ["Measure", "Difference", f"{block.level} interval", "p", "Method"]
    rows = (
        [
            markdown_text(f"{row.title} {row.pair}".strip()),
            value_words(row.difference),
            bracketed(row.difference) if row.difference.undefined is None else markdown_text(row.difference.undefined),
            markdown_text(p_words(row.difference.p_value)),
            markdown_text(row.difference.method),
        ]
        for row in block.rows
    )
    return "\n".join(markdown_table(head, rows, [name == "Difference" for name in head]))


def _cell_text(cell: kinds.Cell) -> str:
    return markdown_text(f"{cell.text} ({cell.note})" if cell.note else cell.text)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], is_number: Sequence[bool]) -> Iterator[str]:
    """The lines of a table whose cells are Markdown already."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if right else '---' for right in is_number)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def markdown_text(text: str) -> str:
    r"""Text in which nothing is markup, a link or a mention.

    >>> print(markdown_text("a|b `c` <img> @you https://x.y"))
    a\|b \`c\` &lt;img&gt; &#64;you https&#58;//x.y
    """
    entities = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "@": "&#64;"}
    marked = "".join(entities.get(c, f"\\{c}" if c in SPECIAL else c) for c in visible(text))
    return marked.replace("://", "&#58;//").replace("www.", "www&#46;")
