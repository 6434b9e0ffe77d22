"""`assay explain WORD`."""

from __future__ import annotations

import click

from assay.cli._console import printed

__all__ = ["command"]


@click.command("explain", short_help="Explain a measure, a caution or any other printed term.")
@click.argument("name", metavar="WORD")
@click.option("--json", "as_json", is_flag=True, help="The facts as JSON.")
def command(name: str, as_json: bool) -> None:
    """Explain WORD: a measure, a caution, an interval method, a test, a verdict or any other printed term.

    Measures may be given by any of their names, cautions by their codes. A compound name, such as 'Wilson, effective n
    120', is explained by parts.
    """
    from assay.report.answers import render
    from assay.report.explanations import explained

    printed(render(explained(name), "json" if as_json else "table").rstrip("\n") + "\n")
