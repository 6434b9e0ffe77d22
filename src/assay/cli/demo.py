"""`assay demo`."""

from __future__ import annotations

from importlib.resources import as_file, files

import click

from assay.cli._options import asks, put_out_models
from assay.cli.evaluate import narrate
from assay.request import Request

__all__ = ["command"]


@click.command("demo", short_help="Evaluate the bundled example.")
@asks("demo")
def command(request: Request) -> None:
    """Evaluate the bundled example: out-of-sample predictions of two classifiers, handwritten digit 8 or not."""
    from assay.evaluation import evaluated

    bundled = files("assay") / "data" / "demo.csv"
    with as_file(bundled) as path:
        models = evaluated(path, request)
    if not request.quiet:
        narrate(models)
    put_out_models(models, request, save=bundled.read_bytes)
