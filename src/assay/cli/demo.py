"""`assay demo`."""

from __future__ import annotations

from importlib.resources import as_file, files
from shutil import copyfile

import click

from assay.cli._options import asks, put_out_models, writing
from assay.cli.evaluate import narrate
from assay.request import Request

__all__ = ["command"]


@click.command("demo", short_help="Evaluate the bundled example.")
@asks("demo")
def command(request: Request) -> None:
    """Evaluate the bundled example: two classifiers' held-out predictions of which handwritten digits are an 8."""
    from assay.evaluation import evaluated

    with as_file(files("assay") / "data" / "demo.csv") as path:
        models = evaluated(path, request)
        if request.save is not None:
            with writing(request.save):
                copyfile(path, request.save)
    if not request.quiet:
        narrate(models)
    put_out_models(models, request)
