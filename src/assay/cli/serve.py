"""`assay serve [FOLDER]`."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli._console import tell
from assay.cli._options import asks
from assay.request import ServeRequest

__all__ = ["command"]


@click.command("serve", short_help="Open the workbench: the same in a browser, on this machine alone.")
@click.argument("folder", metavar="[FOLDER]", default=".")
@asks("serve", ServeRequest)
def command(folder: str, request: ServeRequest) -> None:
    """Open the workbench in a browser: files of FOLDER (this one, if none is named), their results, experiments.

    It answers on 127.0.0.1 alone, to the browser that has the link, and sends nothing anywhere. What was opened is
    kept in FOLDER/assay-workbench.sqlite, files that a browser sends in FOLDER/uploads. Ctrl-C ends it.
    """
    from assay.web.startup import run

    run(Path(folder), request, tell)
