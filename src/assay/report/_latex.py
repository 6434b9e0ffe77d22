"""Evaluations as LaTeX tables (booktabs), ready to be \\input."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Estimates, Forest, Grid, Heading, Row
from assay.report.sections import written
from assay.report.sections._compared import Compared
from assay.report.words import bracketed, bracketed_limits, no_interval, number, p_words

__all__ = ["render_latex"]

SHOWN = ("headline", "operating-point", "calibration-numbers", "subgroups", "confusion", "measures")

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


def render_latex(models: Mapping[str, Evaluation], compared: Compared | None = None) -> str:
    """A table of each kind; several models stand under one another, the best estimate of a column in bold."""
    names = SHOWN if next(iter(models.values())).positive is not None else (*SHOWN, "per-class")
    tables = [text for section in written(models, names, compared).values() for text in _tables(section)]
    return "\n\n".join(["% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.", *tables]) + "\n"


def _tables(blocks: list[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading():
                yield f"% {_text(block.text)}"
            case Estimates() if block.names_models:
                yield _side_by_side(block)
            case Estimates():
                yield _listed(block)
            case Grid(is_wide=False, fold=""):
                yield _grid(block)
            case Forest():
                yield _forest(block)
            case _:
                pass  # sentences and notes belong into the paper's own text


def _listed(block: Estimates) -> str:
    head = [_text(block.full_title) or "Measure", "Estimate", rf"{_text(block.level)} interval", "Method"]
    rows = ([_text(row.title), *_estimate(row), _text(row.estimate.method)] for row in block.rows)
    return _tabular("lrll", head, rows)


def _estimate(row: Row) -> tuple[str, str]:
    reason = no_interval(row.estimate)
    value = "--" if math.isnan(row.estimate.value) else number(row.estimate.value)
    return value, _text(reason) if reason else _plain_brackets(bracketed(row.estimate))


def _side_by_side(block: Estimates) -> str:
    titles = list(dict.fromkeys(row.title for row in block.rows))
    models = list(dict.fromkeys(row.model for row in block.rows))
    cells = {(row.model, row.title): _beside_interval(row, is_best=_is_best(row, block)) for row in block.rows}
    rows = ([_text(model), *(cells.get((model, title), "--") for title in titles)] for model in models)
    return _tabular("l" * (len(titles) + 1), [_text(block.full_title) or "Model", *map(_text, titles)], rows)


def _beside_interval(row: Row, *, is_best: bool) -> str:
    value, limits = _estimate(row)
    shown = rf"\textbf{{{value}}}" if is_best else value
    return f"{shown} {limits}"


def _is_best(row: Row, block: Estimates) -> bool:
    sign = -1 if row.better == "lower" else 1
    values = [sign * other.estimate.value for other in block.rows if other.title == row.title]
    defined = [value for value in values if not math.isnan(value)]
    return row.better != "neither" and bool(defined) and sign * row.estimate.value == max(defined)


def _grid(block: Grid) -> str:
    head = [_text(block.corner), *map(_text, block.columns)]
    rows = (
        [_text(label.text), *(_with_note(cell.text, cell.note if cell.note.startswith("[") else "") for cell in cells)]
        for label, cells in block.rows
    )
    return _tabular("l" + "r" * len(block.columns), head, rows)


def _forest(block: Forest) -> str:
    rows = (
        [
            _text(f"{row.title} {row.pair}".strip()),
            _plain_brackets(number(row.difference.value)),
            _plain_brackets(bracketed_limits(row.difference.low, row.difference.high))
            if row.difference.undefined is None
            else _text(row.difference.undefined),
            _text(p_words(row.difference.p_value)),
            _text(row.difference.method),
        ]
        for row in block.rows
    )
    return _tabular("lrlrl", ["Measure", "Difference", rf"{_text(block.level)} interval", "p", "Method"], rows)


def _with_note(text: str, note: str) -> str:
    return f"{_text(text)} {_plain_brackets(note)}".rstrip()


def _tabular(columns: str, head: list[str], rows: Iterator[list[str]]) -> str:
    first, *others = (" & ".join(cells) + r" \\" for cells in (head, *rows))
    begin, end = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}"
    return "\n".join([begin, r"\toprule", first, r"\midrule", *others, r"\bottomrule", end])


def _plain_brackets(limits: str) -> str:
    """Limits never begin a line, so their brackets may stay; a minus becomes one."""
    return limits.replace("-", "$-$")


def _text(text: str) -> str:
    r"""Text in which nothing is a command.

    >>> print(_text("50 % of a_b & \\input"))
    50 \% of a\_b \& \textbackslash{}input
    """
    return "".join(ESCAPES.get(letter, letter) for letter in text)
