"""`assay measures`."""

from __future__ import annotations

import click

from assay.cli._console import printed

__all__ = ["command"]


@click.command("measures", short_help="List every measure.")
@click.option("--json", "as_json", is_flag=True, help="All facts of every measure, as JSON.")
def command(as_json: bool) -> None:
    """List every measure, for two classes and for more, with its names, range and default interval."""
    from assay.report.answers import render
    from assay.report.explanations import listed_measures

    printed(render(listed_measures(), "json" if as_json else "table").rstrip("\n") + "\n")
