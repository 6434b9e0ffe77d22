"""`assay rank FILE`."""

from __future__ import annotations

import json
import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, write_all, write_out
from assay.request import RankRequest

if TYPE_CHECKING:
    from assay.ranks import Answer

__all__ = ["command"]

WIDTH = 100
COLUMNS = ("dataset", "algorithm", "value", "fold", "repeat")
ASKED = ("test", "adjust", "control", "rope", "base", "weka", "all_adjustments")


@click.command("rank", short_help="Rank algorithms over many data sets, and say which differ.")
@click.argument("file", metavar="FILE")
@asks("rank", RankRequest)
def command(file: str, request: RankRequest) -> None:
    """Rank algorithms by their results on many data sets, and say which of them differ beyond chance.

    FILE is CSV: a row for each data set and a column for each algorithm; or a row for each result, with columns
    dataset, algorithm, perhaps fold (and run), and the value.
    """
    answer = _answer(file, request)
    if not request.quiet:
        _narrate(file, answer)
    writer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown, "latex": _latex}
    text = writer[request.format](answer)
    if request.figure is not None:
        write_out(answer.difference.svg(), request.figure)
    write_all(text, request.output, request.html, partial(_page, answer), quiet=request.quiet)


def _answer(file: str, request: RankRequest) -> Answer:
    from assay.ranks import rank_algorithms

    taken: dict[str, Any] = {name: getattr(request, name) for name in (*COLUMNS, "better", "alpha", "ratio", "missing")}
    asked: dict[str, Any] = {name: getattr(request, name) for name in ASKED}
    return rank_algorithms(Path(file), **taken).answer(**asked, seed=request.seed or 0)


def _narrate(file: str, answer: Answer) -> None:
    from assay.results import counted

    results = answer.ranks.results
    sizes = f"{counted(len(results.algorithms), 'algorithm')} on {counted(len(results.datasets), 'data set')}"
    folds = "" if results.folds is None else ", averaged over folds"
    other = "lower" if results.better == "higher" else "higher"
    click.echo(f"Read {Path(file).name}: {sizes}{folds}.", err=True)
    click.echo(f"Better: {results.better} values        change: --better {other}", err=True)


def _page(answer: Answer, html: Path) -> None:
    from assay.report.many import write_ranks

    write_ranks(answer, html)


def _text(answer: Answer) -> str:
    from assay.plots.words import visible
    from assay.ranks import about_posterior

    said = answer.words().splitlines()
    said += [about_posterior(one) for one in answer.posteriors]
    parts = [str(answer.ranks.table()), "\n".join(_wrapped(line) for line in said)]
    if answer.adjustments is not None:
        parts += [answer.adjustments.title, str(answer.adjustments)]
    if answer.weka is not None:
        key = "v, *: better, worse than (1) beyond chance on that data set alone; no account is taken of their number."
        parts += [str(answer.weka), key, answer.weka.summary(), str(answer.weka.ranking())]
    return "\n".join(visible(line) for line in "\n\n".join(parts).split("\n"))


def _wrapped(line: str) -> str:
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  "))


def _json(answer: Answer) -> str:
    return json.dumps(answer.to_dict(), indent=2, allow_nan=False)


def _csv(answer: Answer) -> str:
    """Every number with the table, row and column it stands in: one shape for all of them."""
    from assay.results import csv_text

    rows = (
        (title, place, name, value)
        for title, table in answer.tables().items()
        for name, values in table.columns.items()
        for place, value in enumerate(values, 1)
    )
    return csv_text(("table", "row", "quantity", "value"), rows)


def _markdown(answer: Answer) -> str:
    from assay.report import markdown_text, table_markdown

    parts = ["\n".join(f"- {markdown_text(line)}" for line in answer.words().splitlines())]
    for title, table in answer.tables().items():
        parts.append(f"### {title.capitalize()}\n\n{table_markdown(table)}")
    return "\n\n".join(parts)


def _latex(answer: Answer) -> str:
    from assay.report import table_latex

    parts = ["% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}."]
    for title, table in answer.tables().items():
        parts.append(f"% {title}\n{table_latex(table)}")
    return "\n\n".join(parts)
