"""`assay compare FILE...`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, source_of, write_all
from assay.cli.evaluate import roles_of
from assay.errors import OptionError, UnknownName
from assay.request import Request

if TYPE_CHECKING:
    from assay.evaluation import Comparison
    from assay.results import Table

__all__ = ["command"]

WIDTH = 100


@click.command("compare", short_help="Say whether one classifier is really better than another.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("compare")
def command(files: Sequence[str], request: Request) -> None:
    """Say whether one classifier is really better than another, on the same cases.

    One FILE holds several score columns (score__<model>) or a column of model names; several FILEs hold a model each
    and are joined by the column id. Differences are the first model minus the second.
    """
    from assay.evaluation import compared

    data: Any = source_of(files[0]) if len(files) == 1 else list(files)
    cmp = compared(data, request.but({"keep_ids": True}) if request.embed_rows else request)
    measures = _measures(cmp, request.measure)
    said = {"margin": request.margin, "control": request.control}
    _check(cmp, request.control)
    if not request.quiet:
        _narrate(cmp)
    text = RENDERERS[request.format](cmp, measures, said)
    page = partial(cmp.report, measure=measures, margin=request.margin, control=request.control)
    page = partial(page, embed_rows=request.embed_rows)
    write_all(text, request.output, request.html, page, quiet=request.quiet)


def _measures(cmp: Comparison, asked: Sequence[str]) -> list[str]:
    found = [cmp.find(name) for name in asked or [cmp.default_measure]]
    for measure in found:
        for name, ev in cmp.models.items():
            obstacle = ev.applies(measure.name)
            if obstacle is not None:
                raise OptionError(f"{measure.title} of {name} cannot be compared: {obstacle}")
    return [measure.name for measure in found]


def _check(cmp: Comparison, control: str | None) -> None:
    if control is not None and control not in cmp.names:
        raise UnknownName(f"there is no model {control!r}", f"one of {', '.join(cmp.names)}")


def _narrate(cmp: Comparison) -> None:
    from assay.evaluation import TwoClassEvaluation
    from assay.results import counted

    source = next(iter(cmp.models.values())).source
    models = ", ".join(cmp.names)
    click.echo(f"Read {source.name}: {counted(cmp.n, 'case')}, models {models}. {roles_of(source)}".rstrip(), err=True)
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
