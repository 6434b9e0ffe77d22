"""`assay reduce FILE -o OUT.evidence`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks, source_of
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request import ReduceRequest, Request

__all__ = ["command"]


@click.command("reduce", short_help="Reduce predictions to an evidence file: a summary without rows.")
@click.argument("file", metavar="FILE")
@asks("reduce")
@asks("reduce", ReduceRequest, "shape")
def command(file: str, request: Request, shape: ReduceRequest) -> None:
    """Reduce the predictions in FILE to an evidence file: a summary without rows that every command can evaluate.

    \b
    assay reduce predictions.csv -o site-a.evidence
    assay merge site-*.evidence -o all.evidence
    assay evaluate all.evidence

    Scores are counted in bins of one common grid, so that evidence files can be merged; measures then have binning
    bounds. --least 5 stores no bin of fewer cases. Clusters and folds of rows are not stored.
    """
    from assay.evaluation import reduced

    if request.output == STANDARD_OUTPUT:
        raise OptionError("output is -, but evidence is a binary file", "the path of a file", about="output")
    if request.output is None:
        raise OptionError("no output file is given for the evidence", options={"output": "site-a.evidence"})
    name = request.output.name.removesuffix(".evidence")
    evidence = reduced(source_of(file), request, shape if shape.name else shape.replace({"name": name}))
    evidence.save(request.output)
    if request.quiet:
        return
    first = next(iter(evidence.models.values()))
    tell(f"{evidence!r}"[len("Evidence(") : -1] + ".")
    if first.is_exact:
        tell("  Every score is stored: the file discloses as much as the rows.")
    tell(f"Wrote {request.output}: {request.output.stat().st_size:,} bytes")
