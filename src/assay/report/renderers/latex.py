"""Blocks as LaTeX tables (booktabs), ready to be \\input."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Estimates, Forest, Grid, Heading, Row, Tabled
from assay.report.sections import written
from assay.report.sections.comparison import Compared, NotCompared
from assay.report.sections.estimate_rows import by_class
from assay.report.wording import bracketed, no_interval, p_words, value_words, visible

OF_COMPARISON = ("differences",)
SHOWN = ("headline", "operating-point", "calibration-numbers", "subgroups", "confusion", "measures")

NEEDS = "% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}."
ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "-": "{-}",  # two of them would make a dash
    "[": "{[}",  # after a line break it would open an option
    "]": "{]}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    '"': r"\textquotedbl{}",
    "…": r"\ldots{}",
    "→": r"$\rightarrow$",
}


def render_latex(models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None) -> str:
    """A table of each kind; several models stand under one another, the best estimate of a column in bold."""
    names = (*SHOWN, "per-class") if any(map(by_class, models.values())) else SHOWN
    return latex_blocks(
        block for section in written(models, names, compared, of_comparison=OF_COMPARISON).values() for block in section
    )


def latex_blocks(blocks: Iterable[Block]) -> str:
    """The tables among some blocks, after what they need."""
    return "\n\n".join([NEEDS, *_latex_tables(blocks)]) + "\n"


def _latex_tables(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading():
                yield f"% {latex_text(block.text)}"
            case Estimates() if block.names_models:
                yield _model_columns_table(block)
            case Estimates():
                yield _estimate_table(block)
            case Grid(fold=""):
                yield _grid_table(block)
            case Forest():
                yield _forest_table(block)
            case Tabled():
                yield _latex_table(block)
            case _:
                pass  # sentences and notes belong into the paper's own text


def _latex_table(block: Tabled) -> str:
    """The table, numbers to the right, its title as a comment: captions belong to the paper."""
    head, *rows = [[latex_text(cell) for cell in line] for line in block.table.cells()]
    title = f"% {latex_text(block.full_title)}\n" if block.title else ""
    return title + tabular("".join("r" if right else "l" for right in block.table.is_numeric()), head, rows)


def _estimate_table(block: Estimates) -> str:
    head = [latex_text(block.full_title) or "Measure", "Estimate", rf"{latex_text(block.level)} interval", "Method"]
    rows = ([latex_text(row.title), *_estimate_cells(row), latex_text(row.estimate.method)] for row in block.rows)
    return tabular("lrll", head, rows)


def _estimate_cells(row: Row) -> tuple[str, str]:
    reason = no_interval(row.estimate)
    value = "--" if math.isnan(row.estimate.value) else value_words(row.estimate)
    return value, latex_text(reason) if reason else _plain_brackets(bracketed(row.estimate))


def _model_columns_table(block: Estimates) -> str:
    titles = list(dict.fromkeys(row.title for row in block.rows))
    models = list(dict.fromkeys(row.model for row in block.rows))
    cells = {(row.model, row.title): _remark_text(row, is_best=_is_best(row, block)) for row in block.rows}
    rows = ([latex_text(model), *(cells.get((model, title), "--") for title in titles)] for model in models)
    return tabular("l" * (len(titles) + 1), [latex_text(block.full_title) or "Model", *map(latex_text, titles)], rows)


def _remark_text(row: Row, *, is_best: bool) -> str:
    value, limits = _estimate_cells(row)
    shown = rf"\textbf{{{value}}}" if is_best else value
    return f"{shown} {limits}"


def _is_best(row: Row, block: Estimates) -> bool:
    sign = -1 if row.better == "lower" else 1
    values = [sign * other.estimate.value for other in block.rows if other.title == row.title]
    defined = [value for value in values if not math.isnan(value)]
    return row.better != "neither" and bool(defined) and sign * row.estimate.value == max(defined)


def _grid_table(block: Grid) -> str:
    head = [latex_text(block.corner), *map(latex_text, block.columns)]
    rows = (
        [latex_text(label.text), *(_with_note(cell.text, cell.note) for cell in cells)] for label, cells in block.rows
    )
    return tabular("l" + "r" * len(block.columns), head, rows)


def _forest_table(block: Forest) -> str:
    rows = (
        [
            latex_text(f"{row.title} {row.pair}".strip()),
            _plain_brackets(value_words(row.difference)),
            _plain_brackets(bracketed(row.difference))
            if row.difference.undefined is None
            else latex_text(row.difference.undefined),
            latex_text(p_words(row.difference.p_value)),
            latex_text(row.difference.method),
        ]
        for row in block.rows
    )
    return tabular("lrlrl", ["Measure", "Difference", rf"{latex_text(block.level)} interval", "p", "Method"], rows)


def _with_note(text: str, note: str) -> str:
    """A cell with its limits; other notes are for those who can look closer."""
    return f"{latex_text(text)} {_plain_brackets(note)}" if note.startswith("[") else latex_text(text)


def tabular(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are LaTeX already."""
    first, *others = (" & ".join(cells) + r" \\" for cells in (head, *rows))
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\toprule", first, r"\midrule", *others, r"\bottomrule", end])


def _plain_brackets(limits: str) -> str:
    """Limits never begin a line, so their brackets may stay; a minus becomes one."""
    return limits.replace("-", "$-$")


def latex_text(text: str) -> str:
    r"""Text in which nothing is a command.

    >>> print(latex_text("50 % of a_b & \\input"))
    50 \% of a\_b \& \textbackslash{}input
    """
    return "".join(ESCAPES.get(letter, letter) for letter in visible(text))
