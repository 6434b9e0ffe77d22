"""`assay compare FILE...`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import CHOICES, check_page_options, embed_rows_option, source_options, write_all

if TYPE_CHECKING:
    from assay.evaluation._comparison import Comparison
    from assay.results import Table

__all__ = ["command"]

WIDTH = 100
FORMATS = ("table", "json", "csv", "markdown")


@click.command("compare", short_help="Say whether one classifier is really better than another.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--measure", multiple=True, help="Measure to compare; again for another. [default: the ROC AUC, if it applies]"
)
@click.option("--margin", type=float, help="Largest difference that would not matter.")
@click.option("--control", help="Compare all others with this model alone.")
@click.option(
    "--id",
    "id_column",
    help="Column that tells which rows of several files are the same case; pages with rows show it. [default: id]",
)
@source_options
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--html", type=click.Path(path_type=Path), help="Write a page that anyone can open, too.")
@embed_rows_option
@click.option("--output", type=click.Path(path_type=Path), help="Write there instead of to the screen.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of what is simulated.")
@click.option("--quiet", is_flag=True, help="Do not say what was inferred.")
def command(
    files: Sequence[str], quiet: bool, output: Path | None, html: Path | None, embed_rows: bool, **options: Any
) -> None:
    """Say whether one classifier is really better than another, on the same cases.

    One FILE holds several score columns (score__<model>) or a column of model names; several FILEs hold a model each
    and are joined by the column id. Differences are the first model minus the second.
    """
    from assay.evaluation._compare import compare

    check_page_options(html, embed_rows=embed_rows)
    form = "json" if options.pop("as_json") else options["form"]
    said = {name: options.pop(name) for name in ("measure", "margin", "control")}
    chosen = {name: options[name] for name in (*CHOICES, "level", "seed")}
    data: Any = files[0] if len(files) == 1 else list(files)
    chosen |= {"id": options["id_column"], "keep_ids": embed_rows}
    cmp = compare(data if isinstance(data, list) or data == "-" else Path(data), **chosen)
    measures = _measures(cmp, said.pop("measure"))
    _check(cmp, **said)
    if not quiet:
        _narrate(cmp)
    text = RENDERERS[form](cmp, measures, said)
    page = partial(cmp.report, measure=measures, **said, embed_rows=embed_rows)
    write_all(text, output, html, page, quiet=quiet)


def _measures(cmp: Comparison, asked: Sequence[str]) -> list[str]:
    try:
        found = [cmp.find(name) for name in asked or [cmp.default_measure]]
    except KeyError as error:
        raise click.UsageError(str(error.args[0])) from None
    for measure in found:
        for name, ev in cmp.models.items():
            obstacle = ev.applies(measure.name)
            if obstacle is not None:
                raise click.UsageError(f"{measure.title} of {name} cannot be compared: {obstacle}")
    return [measure.name for measure in found]


def _check(cmp: Comparison, margin: float | None, control: str | None) -> None:
    if margin is not None and not margin > 0:
        raise click.UsageError(f"--margin is {margin:g}; needed: a difference above 0 that would not matter")
    if control is not None and control not in cmp.names:
        raise click.UsageError(f"there is no model {control!r}; the models are {', '.join(cmp.names)}")


def _narrate(cmp: Comparison) -> None:
    from assay.evaluation import TwoClassEvaluation
    from assay.results import counted

    source = next(iter(cmp.models.values())).source
    click.echo(f"Read {source.name}: {counted(cmp.n, 'case')}, models {', '.join(cmp.names)}.", err=True)
    if cmp.matched_by != "row":
        click.echo(f"Cases are matched by {cmp.matched_by}.", err=True)
    for name, rows in (cmp.unmatched or {}).items():
        if rows:
            click.echo(f"Left out {counted(rows, 'row')} of {name}: another model has no such case.", err=True)
    if source.dropped:
        click.echo(f"Left out {counted(source.dropped, 'row')} with missing values.", err=True)
    first = next(iter(cmp.models.values()))
    if isinstance(first, TwoClassEvaluation) and source.positive_inferred:
        click.echo(f"Positive class: {first.positive}        change: --positive {first.classes[0]}", err=True)


def _as_text(cmp: Comparison, measures: Sequence[str], said: Any) -> str:
    said_of = ["\n\n".join([*cmp.sentences(measure, **said), *_by_subgroup(cmp, measure)]) for measure in measures]
    said_of += _owners(cmp, measures) if len(cmp.names) > 2 else []
    note = [f"Each of the {len(measures)} measures is tested by itself."] if len(measures) > 1 else []
    cautions = [repr(caution) for caution in cmp.cautions(measures[0], control=said["control"])]
    lines = "\n\n".join([*said_of, *note, *(["\n".join(cautions)] if cautions else [])]).splitlines()
    return "\n".join(_wrapped(line) for line in lines)


def _owners(cmp: Comparison, measures: Sequence[str]) -> list[str]:
    """Which of many is the cheapest under which costs, where they have scores of two classes."""
    from assay.report import Compared, render_blocks
    from assay.report.sections.hull_owners import hull_owners

    blocks = hull_owners(Compared(cmp, tuple(measures)))
    return [render_blocks(blocks)] if blocks else []


def _wrapped(line: str) -> str:
    """A sentence broken where the terminal ends; tables are narrower or stay as they are."""
    import textwrap

    from assay.plots.words import visible

    line = visible(line)
    if "  " in line.strip() and ". " not in line:
        return line
    return "\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="  ", break_on_hyphens=False)) if line else ""


def _by_subgroup(cmp: Comparison, measure: str) -> list[str]:
    if not next(iter(cmp.models.values())).subgroups:
        return []
    tables = [cmp.by_subgroup(measure, first, second) for first, second in combinations(cmp.names, 2)]
    return [f"{table.title}\n{table}" for table in tables]


def _as_json(cmp: Comparison, measures: Sequence[str], said: Any) -> str:
    records = [cmp.to_dict(measure, **said) for measure in measures]
    return json.dumps(records[0] if len(records) == 1 else records, indent=2, allow_nan=False)


def _table(cmp: Comparison, measure: str, said: Any) -> Table:
    """The pairs with what may be said of each."""
    from assay.comparison import judge
    from assay.results import Table

    named = cmp.find(measure)
    found = cmp.differences(measure, control=said["control"])
    judged = [judge(d, named.title, named.better, margin=said["margin"]) for d in found]
    pairs = cmp.pairs(measure, control=said["control"])
    columns = {"measure": [measure] * len(found), **pairs.columns}
    columns["verdict"] = [v.outcome for v in judged]
    columns["better"] = [v.winner or "" for v in judged]
    return Table(columns, title=pairs.title)


def _as_csv(cmp: Comparison, measures: Sequence[str], said: Any) -> str:
    from assay.results import csv_text

    tables = [_table(cmp, measure, said) for measure in measures]
    return csv_text(tables[0].columns, (row for table in tables for row in table.rows()))


def _as_markdown(cmp: Comparison, measures: Sequence[str], said: Any) -> str:
    from assay.report import markdown_text, table_markdown

    tables = [_table(cmp, measure, said) for measure in measures]
    parts = [f"**{markdown_text(table.title)}**\n\n{table_markdown(table)}" for table in tables]
    return "\n\n".join([*parts, cmp.assumptions])


RENDERERS = {"table": _as_text, "json": _as_json, "csv": _as_csv, "markdown": _as_markdown}
