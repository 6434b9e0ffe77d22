"""`assay evaluate FILE`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._options import output_options, put_out

if TYPE_CHECKING:
    from assay.evaluation import Evaluation

__all__ = ["command", "narrate"]


@click.command("evaluate", short_help="Say how good the predictions in a file are, with intervals.")
@click.argument("file", metavar="FILE")
@click.option("--truth", help="Column of the true class.")
@click.option("--score", multiple=True, help="Column of the positive class's score; again for another model.")
@click.option("--pred", multiple=True, help="Column of the predicted label; again for another model.")
@click.option("--positive", help="The positive class.")
@click.option("--model", help="Column that names the model, where each row belongs to one.")
@click.option("--threshold", type=float, help="Call scores of at least this positive. [default: 0.5 for probabilities]")
@click.option("--missing", type=click.Choice(["refuse", "drop"]), default="refuse", show_default=True)
@output_options
def command(file: str, level: float, seed: int, quiet: bool, **options: Any) -> None:
    """Say how good the predictions in FILE are, with intervals.

    FILE is CSV, TSV, Parquet or JSON lines with a column of true classes and a column of scores or predicted labels;
    - reads standard input. Columns are recognised by their names.
    """
    from assay.evaluation import evaluate_models

    chosen = {
        name: options.pop(name) for name in ("truth", "score", "pred", "positive", "model", "threshold", "missing")
    }
    models = evaluate_models(file if file == "-" else Path(file), level=level, seed=seed, **chosen)
    if not quiet:
        narrate(models)
    put_out(models, quiet=quiet, **options)


def narrate(models: Mapping[str, Evaluation]) -> None:
    """Say on stderr what was read and what was taken for granted."""
    from assay.results import counted, percent

    first = next(iter(models.values()))
    source = first.source
    roles = "  ".join(
        f"{'prediction' if role == 'pred' else role}={_listed(columns)}" for role, columns in source.columns.items()
    )
    click.echo(f"Read {source.name}: {counted(source.rows, 'row')}. {roles}", err=True)
    if source.dropped:
        click.echo(f"Left out {counted(source.dropped, 'row')} with missing values.", err=True)
    if first.positive is None:
        return
    size = first.class_sizes[first.positive]
    line = f"Positive class: {first.positive} ({percent(size / first.n)}, {counted(size, 'row')})"
    if source.positive_inferred:
        line += f"        change: --positive {first.classes[0]}"
    click.echo(line, err=True)


def _listed(columns: str | tuple[str, ...]) -> str:
    return columns if isinstance(columns, str) else ",".join(columns)
