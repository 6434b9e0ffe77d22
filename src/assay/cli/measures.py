"""`assay measures`."""

from __future__ import annotations

import click

from assay.cli._options import write_out

__all__ = ["command"]


@click.command("measures", short_help="List every measure.")
@click.option("--json", "as_json", is_flag=True, help="All facts of every measure, as JSON.")
def command(as_json: bool) -> None:
    """List every measure: what it is called, what it is for, its range and its default interval."""
    from assay.measures import on_request, registry
    from assay.report import answers

    write_out(answers.render(answers.measures({**registry, **on_request}), "json" if as_json else "table"), None)
