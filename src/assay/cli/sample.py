"""`assay sample FILE --labels N -o OUT.csv`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks, put_out, source_of
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request import SampleRequest

__all__ = ["command"]


@click.command("sample", short_help="Draw a sample of rows to label, where labels are expensive.")
@click.argument("file", metavar="FILE")
@asks("sample", SampleRequest)
def command(file: str, request: SampleRequest) -> None:
    """Draw a sample of the rows of FILE to label, for narrow intervals of the measures given by --aim.

    \b assay sample predictions.parquet --labels 500 --seed 7 -o to_label.csv (fill the column y_true) assay evaluate
    predictions.parquet --labelled to_label.csv

    FILE is CSV, TSV, Parquet or JSON lines with a column of probabilities and a column id; true labels are not needed.
    Rows whose labels affect the measures most are drawn most often, and the share --floor is drawn from all rows
    evenly.
    """
    from assay.evaluation import sampled_rows
    from assay.report.pages.sampled import sample_answer
    from assay.sources import read_scored

    if not request.labels:
        raise OptionError("the number of rows to label is not given", options={"labels": 500})
    if request.output == STANDARD_OUTPUT:
        raise OptionError(
            "output is -, but the expected precision is printed there", "the path of a file", about="output"
        )
    if request.output is None:
        raise OptionError("no output file is given for the rows", options={"output": "to_label.csv"})
    rows = read_scored(source_of(file), score=request.score, id=request.id)
    draw = sampled_rows(rows, request)
    draw.save(request.output)
    put_out(sample_answer(draw), request.replace({"output": None}))
    if not request.quiet:
        tell(f"{request.output}: id, score, inclusion_probability, y_true (empty, to be filled in).")
