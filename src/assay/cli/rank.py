"""`assay rank FILE`."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import write_out
from assay.errors import InputError

if TYPE_CHECKING:
    from assay.ranks import Comparisons, CriticalDifference, Posterior, Ranks, WekaTable
    from assay.results import Table

__all__ = ["command"]

FORMATS = ("table", "json", "csv", "markdown", "latex")
SCHEMA = "assay.ranks/1"
WIDTH = 100
COLUMNS = ("dataset", "algorithm", "value", "fold", "repeat")


@dataclass(frozen=True)
class Answer:
    """Everything that was asked, before it is written in one format or another."""

    ranks: Ranks
    comparisons: Comparisons
    difference: CriticalDifference
    posteriors: tuple[Posterior, ...]
    weka: WekaTable | None

    @property
    def tables(self) -> dict[str, Table]:
        """Every table, by its title."""
        from assay.results import Table

        tests = self.ranks.omnibus()
        omnibus = Table(
            {
                "test": list(tests),
                **{fact: [getattr(one, fact) for one in tests.values()] for fact in ("statistic", "p_value", "method")},
            }
        )
        found = {"ranks": self.ranks.table(), "omnibus": omnibus, "comparisons": self.comparisons.table()}
        found["critical difference"] = self.difference.table()
        if self.posteriors:
            names = ("first", "second", "first_better", "same", "second_better", "rope", "error")
            found["bayesian"] = Table({name: [getattr(one, name) for one in self.posteriors] for name in names})
        return found if self.weka is None else found | {"weka": self.weka.table(), "weka ranking": self.weka.ranking()}


@click.command("rank", short_help="Rank algorithms over many data sets, and say which differ.")
@click.argument("file", metavar="FILE")
@click.option("--better", type=click.Choice(("higher", "lower")), default="higher", show_default=True)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="How often chance may be taken for more.")
@click.option("--test", default="wilcoxon", show_default=True, help="wilcoxon, sign, ranks, nemenyi, aligned or quade.")
@click.option("--adjust", default="holm", show_default=True, help="holm, hochberg, hommel, shaffer, finner, ...")
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
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is simulated.")
@click.option("--quiet", is_flag=True, help="Do not say what was inferred.")
def command(
    file: str, form: str, as_json: bool, output: Path | None, figure: Path | None, quiet: bool, **options: Any
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
    write_out(text, output)


def _answer(file: str, options: Mapping[str, Any]) -> Answer:
    from assay.ranks import rank_algorithms

    taken = {name: options[name] for name in (*COLUMNS, "better", "alpha", "ratio", "missing")}
    ranks = rank_algorithms(Path(file), **taken)
    control = options["control"]
    rope = options["rope"]
    wants_weka = options["weka"] or options["base"] is not None
    return _asked(
        lambda: Answer(
            ranks,
            ranks.compare(options["test"], adjust=options["adjust"], control=control),
            ranks.critical_difference(control=control),
            () if rope is None else ranks.bayesian(rope, control=control, seed=options["seed"]),
            ranks.weka(options["base"]) if wants_weka else None,
        )
    )


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


def _text(answer: Answer) -> str:
    from assay.ranks import about_posterior

    said = answer.ranks.words(answer.comparisons).splitlines()
    said += [about_posterior(one) for one in answer.posteriors]
    parts = [str(answer.ranks.table()), "\n".join(_wrapped(line) for line in said)]
    if answer.weka is not None:
        key = "v, *: better, worse than (1) beyond chance on that data set alone; no account is taken of their number."
        parts += [str(answer.weka), key, answer.weka.summary(), str(answer.weka.ranking())]
    return "\n\n".join(parts)


def _wrapped(line: str) -> str:
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  "))


def _json(answer: Answer) -> str:
    record = {
        "schema": SCHEMA,
        **answer.ranks.to_dict(),
        "critical_difference": answer.difference.to_dict(),
        "comparisons": answer.comparisons.to_dict(),
        "bayesian": [one.to_dict() for one in answer.posteriors],
        "weka": None if answer.weka is None else answer.weka.to_dict(),
        "words": answer.ranks.words(answer.comparisons).splitlines(),
    }
    return json.dumps(record, indent=2, allow_nan=False)


def _csv(answer: Answer) -> str:
    """Every number with the table, row and column it stands in: one shape for all of them."""
    from assay.results import csv_text

    rows = (
        (title, place, name, value)
        for title, table in answer.tables.items()
        for name, values in table.columns.items()
        for place, value in enumerate(values, 1)
    )
    return csv_text(("table", "row", "quantity", "value"), rows)


def _markdown(answer: Answer) -> str:
    from assay.report import markdown_text, table_markdown

    parts = ["\n".join(f"- {markdown_text(line)}" for line in answer.ranks.words(answer.comparisons).splitlines())]
    for title, table in answer.tables.items():
        parts.append(f"### {title.capitalize()}\n\n{table_markdown(table)}")
    return "\n\n".join(parts)


def _latex(answer: Answer) -> str:
    from assay.report import table_latex

    parts = ["% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}."]
    for title, table in answer.tables.items():
        parts.append(f"% {title}\n{table_latex(table)}")
    return "\n\n".join(parts)
