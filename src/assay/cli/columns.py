"""`assay columns FILE`."""

from __future__ import annotations

import click

from assay.cli._options import asks, put_out, source_of
from assay.request import Request

__all__ = ["command"]


@click.command("columns", short_help="Say which column of a file would be taken for what, and why.")
@click.argument("file", metavar="FILE")
@asks("columns")
def command(file: str, request: Request) -> None:
    """Say which column of FILE would be taken for what, and why: by its name, by its contents, or named by you.

    Every column stands there with how many different values it holds, how many rows lack one, and the first few. If
    FILE cannot be evaluated as it is, the last lines say why and what to type.
    """
    from assay.report import answers
    from assay.sources import overview

    put_out(answers.columns(overview(source_of(file), request)), request)
