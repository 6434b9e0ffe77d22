"""`assay rank FILE`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import write_all, write_out
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.ranks import Answer

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown", "latex")
WIDTH = 100
COLUMNS = ("dataset", "algorithm", "value", "fold", "repeat")
ASKED = ("test", "adjust", "control", "rope", "base", "weka", "all_adjustments", "seed")
BETWEEN_0_AND_1 = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command("rank", short_help="Rank algorithms over many data sets, and say which differ.")
@click.argument("file", metavar="FILE")
@click.option("--better", type=click.Choice(("higher", "lower")), default="higher", show_default=True)
@click.option(
    "--alpha", type=BETWEEN_0_AND_1, default=0.05, show_default=True, help="How often chance may be taken for more."
)
@click.option("--test", default="wilcoxon", show_default=True, help="wilcoxon, sign, ranks, nemenyi, aligned or quade.")
@click.option(
    "--adjust",
    default="holm",
    show_default=True,
    help="holm, hochberg, hommel, finner, holland, rom, li, bonferroni, benjamini-hochberg, none; of all pairs also "
    "shaffer, bergmann-hommel.",
)
@click.option("--all-adjustments", is_flag=True, help="Also the p-values by each of these.")
@click.option("--control", help="Compare all others with this algorithm only.")
@click.option("--rope", type=float, help="Also the Bayesian test: differences up to this do not matter.")
@click.option("--weka", is_flag=True, help="Also WEKA's table (v, blank, *), from results for each fold.")
@click.option("--base", help="Algorithm that WEKA's table compares with. [default: the first]")
@click.option("--ratio", type=float, help="Cases tested per case trained in a fold. [default: from FILE]")
@click.option("--dataset", help="Column that names the data set.")
@click.option("--algorithm", help="Column that names the algorithm, where each row is one result.")
@click.option("--value", help="Column of the results.")
@click.option("--fold", help="Column of folds.")
@click.option("--repeat", help="Column of repeats (runs) of the folds.")
@click.option("--missing", type=click.Choice(("refuse", "drop")), default="refuse", show_default=True)
@click.option("--figure", type=click.Path(path_type=Path), help="Draw the critical-difference diagram there (.svg).")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write a page that opens anywhere.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is simulated.")
@click.option("--quiet", is_flag=True, help="Do not say what was inferred.")
def command(
    file: str,
    form: str,
    as_json: bool,
    output: Path | None,
    figure: Path | None,
    html: Path | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Rank algorithms by their results on many data sets, and say which of them differ beyond chance.

    FILE is CSV: a row for each data set and a column for each algorithm; or a row for each result, with columns
    dataset, algorithm, perhaps fold (and run), and the value.
    """
    answer = _answer(file, options)
    if not quiet:
        _narrate(file, answer)
    writer = {"table": _text, "json": _json, "csv": _csv, "markdown": _markdown, "latex": _latex}
    text = writer["json" if as_json else form](answer)
    if figure is not None:
        write_out(answer.difference.svg(), figure)
    write_all(text, output, html, partial(_page, answer), quiet=quiet)


def _answer(file: str, options: Mapping[str, Any]) -> Answer:
    from assay.ranks import rank_algorithms

    taken = {name: options[name] for name in (*COLUMNS, "better", "alpha", "ratio", "missing")}
    ranks = rank_algorithms(Path(file), **taken)
    return _asked(lambda: ranks.answer(**{name: options[name] for name in ASKED}))


def _asked(ask: Callable[[], Answer]) -> Answer:
    """A choice that does not fit the data is a wrong request, not wrong data."""
    try:
        return ask()
    except InputError as error:
        raise click.UsageError(error.for_command_line()) from None


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
