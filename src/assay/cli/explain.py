"""`assay explain WORD`."""

from __future__ import annotations

import click

from assay.cli._console import printed

__all__ = ["command"]


@click.command("explain", short_help="Say what a word on any screen means.")
@click.argument("name", metavar="WORD")
@click.option("--json", "as_json", is_flag=True, help="The facts as JSON.")
def command(name: str, as_json: bool) -> None:
    """Say what WORD means: a measure, a caution, an interval method, a test, a verdict or any other printed word.

    Measures go by any of their names, cautions by their codes; a name made of several, such as 'Wilson, effective n
    120', is explained part by part.
    """
    from assay.report.answers import render
    from assay.report.explanations import explained

    printed(render(explained(name), "json" if as_json else "table").rstrip("\n") + "\n")
