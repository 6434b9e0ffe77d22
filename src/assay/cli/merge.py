"""`assay merge A B ... -o ALL.evidence`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks
from assay.errors import OptionError
from assay.request import MergeRequest

__all__ = ["command"]


@click.command("merge", short_help="Merge evidence files of several sources.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("merge", MergeRequest)
def command(files: tuple[str, ...], request: MergeRequest) -> None:
    """Merge evidence files of several sources: sites, days, machines. Each part keeps its name.

    \b
    assay merge site-*.evidence -o all.evidence

    Duplicate sources are refused, and so are parts with different classes, thresholds or grids; --bits merges bins to
    a common resolution.
    """
    from assay.evaluation import merge

    if request.output is None:
        raise OptionError("no output file is given for the evidence", options={"output": "all.evidence"})
    merged = merge(*files, bits=request.bits)
    merged.save(request.output)
    if not request.quiet:
        tell(f"{merged!r}"[len("Evidence(") : -1] + ".")
        tell(f"Wrote {request.output}: {request.output.stat().st_size:,} bytes")
