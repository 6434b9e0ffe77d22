"""`assay reduce FILE -o OUT.evidence`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks, source_of
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT
from assay.request import ReduceRequest, Request

__all__ = ["command"]


@click.command("reduce", short_help="Reduce predictions to evidence that travels without rows.")
@click.argument("file", metavar="FILE")
@asks("reduce")
@asks("reduce", ReduceRequest, "shape")
def command(file: str, request: Request, shape: ReduceRequest) -> None:
    """Reduce the predictions in FILE to evidence: small, without rows, and judged by every command as FILE itself is.

    \b
    assay reduce predictions.csv -o site-a.evidence
    assay merge site-*.evidence -o all.evidence
    assay evaluate all.evidence

    Scores are put together in cells of one grid, the same for everybody, so that evidence adds; bounds say what that
    leaves open. --least 5 shows no cell of fewer cases. What rows depend on (clusters, folds) cannot travel.
    """
    from assay.evaluation import reduced

    if request.output == STANDARD_OUTPUT:
        raise OptionError("output is -, and evidence is no text", "the path of a file", about="output")
    if request.output is None:
        raise OptionError("it is not said where to write the evidence", options={"output": "site-a.evidence"})
    name = request.output.name.removesuffix(".evidence")
    evidence = reduced(source_of(file), request, shape if shape.name else shape.replace({"name": name}))
    evidence.save(request.output)
    if request.quiet:
        return
    first = next(iter(evidence.models.values()))
    tell(f"{evidence!r}"[len("Evidence(") : -1] + ".")
    if first.is_exact:
        tell("  Every score is kept: to whoever reads it this file is as good as the rows.")
    tell(f"Wrote {request.output}: {request.output.stat().st_size:,} bytes")
