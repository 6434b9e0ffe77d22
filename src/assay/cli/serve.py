"""`assay serve [FOLDER]`."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli._console import tell
from assay.cli._options import asks
from assay.request import ServeRequest

__all__ = ["command"]


@click.command("serve", short_help="Open the workbench in a browser, on this machine only.")
@click.argument("folder", metavar="[FOLDER]", default=".")
@asks("serve", ServeRequest)
def command(folder: str, request: ServeRequest) -> None:
    """Open the workbench in a browser: files of FOLDER (default: this one), results and experiments.

    It serves on 127.0.0.1 only, to the browser with the link, and sends no data elsewhere. Opened files are listed
    in FOLDER/assay-workbench.sqlite; uploaded files are in FOLDER/uploads. Ctrl-C ends it.
    """
    from assay.web.startup import run

    run(Path(folder), request, tell)
