"""`assay compare FILE...`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import asks, put_out, source_of
from assay.cli.evaluate import roles_of
from assay.errors import OptionError, UnknownName
from assay.request import Request

if TYPE_CHECKING:
    from assay.evaluation import Comparison

__all__ = ["command"]


@click.command("compare", short_help="Say whether one classifier is really better than another.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("compare")
def command(files: Sequence[str], request: Request) -> None:
    """Say whether one classifier is really better than another, on the same cases.

    One FILE holds several score columns (score__<model>) or a column of model names; several FILEs hold a model each
    and are joined by the column id. Differences are the first model minus the second.
    """
    from assay.evaluation import compared
    from assay.report import Compared, answers

    data: Any = source_of(files[0]) if len(files) == 1 else list(files)
    cmp = compared(data, request.but({"keep_ids": True}) if request.embed_rows else request)
    measures = _measures(cmp, request.measure)
    _check(cmp, request.control)
    if not request.quiet:
        _narrate(cmp)
    asked: dict[str, Any] = {"margin": request.margin, "control": request.control}
    page = partial(cmp.report, measure=measures, embed_rows=request.embed_rows, **asked)
    put_out(answers.comparison(Compared(cmp, tuple(measures), **asked)), request, page)


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
