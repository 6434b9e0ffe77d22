"""`assay columns FILE`."""

from __future__ import annotations

import click

from assay.cli._options import asks, put_out, source_of
from assay.request import Request

__all__ = ["command"]


@click.command("columns", short_help="Show which columns of a file are inferred as labels, scores, ..., and why.")
@click.argument("file", metavar="FILE")
@asks("columns")
def command(file: str, request: Request) -> None:
    """Show how the columns of FILE are inferred (true label, score, ...), and why: by name, by content or by an option.

    Each column is listed with its number of distinct values, its number of missing values and its first values. If
    FILE cannot be evaluated as it is, the last lines give the reason and the options to add.
    """
    from assay.report import answers
    from assay.sources import overview

    put_out(answers.columns(overview(source_of(file), request)), request)
