"""`assay sample FILE --labels N -o OUT.csv`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks, put_out, source_of
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request import SampleRequest

__all__ = ["command"]


@click.command("sample", short_help="Draw the rows to label, where labels are expensive.")
@click.argument("file", metavar="FILE")
@asks("sample", SampleRequest)
def command(file: str, request: SampleRequest) -> None:
    """Draw the rows of FILE to label, so that the measures aimed at will have narrow limits.

    \b
    assay sample predictions.parquet --labels 500 --seed 7 -o to_label.csv
    (fill the column y_true)
    assay evaluate predictions.parquet --labelled to_label.csv

    FILE is CSV, TSV, Parquet or JSON lines with a column of probabilities and a column id; no truth is needed. Rows
    whose label would move the measures most are drawn most often, and --floor of the labels is spread over all rows.
    """
    from assay.evaluation import sampled_rows
    from assay.report.pages.sampled import sample_answer
    from assay.sources import read_scored

    if not request.labels:
        raise OptionError("it is not given how many rows to label", options={"labels": 500})
    if request.output == STANDARD_OUTPUT:
        raise OptionError("output is -, and what is expected is printed", "the path of a file", about="output")
    if request.output is None:
        raise OptionError("it is not given where to write the rows", options={"output": "to_label.csv"})
    rows = read_scored(source_of(file), score=request.score, id=request.id)
    draw = sampled_rows(rows, request)
    draw.save(request.output)
    put_out(sample_answer(draw), request.replace({"output": None}))
    if not request.quiet:
        tell(f"{request.output}: id, score, inclusion_probability, y_true (empty: fill it).")
