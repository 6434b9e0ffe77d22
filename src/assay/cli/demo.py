"""`assay demo`."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

import click

from assay.cli._options import output_options, put_out
from assay.cli.evaluate import narrate

__all__ = ["command"]


@click.command("demo", short_help="Evaluate the bundled example.")
@output_options
def command(level: float, seed: int, quiet: bool, **options: Any) -> None:
    """Evaluate the bundled example: two classifiers' held-out predictions of which handwritten digits are an 8."""
    from assay.evaluation import evaluate_models

    with as_file(files("assay") / "data" / "demo.csv") as path:
        models = evaluate_models(path, level=level, seed=seed)
    if not quiet:
        narrate(models)
    put_out(models, quiet=quiet, **options)
