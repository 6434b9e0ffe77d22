"""`assay merge A B ... -o ALL.evidence`."""

from __future__ import annotations

import click

from assay.cli._console import tell
from assay.cli._options import asks
from assay.errors import OptionError
from assay.request import MergeRequest

__all__ = ["command"]


@click.command("merge", short_help="Put the evidence of several sources together.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@asks("merge", MergeRequest)
def command(files: tuple[str, ...], request: MergeRequest) -> None:
    """Put the evidence of several sources together: sites, days, machines. Each part keeps its name.

    \b
    assay merge site-*.evidence -o all.evidence

    The same source twice is refused, and so are parts of other classes, thresholds or grids; --bits makes finer cells
    as coarse as others.
    """
    from assay.evaluation import merge

    if request.output is None:
        raise OptionError("it is not said where to write the evidence", options={"output": "all.evidence"})
    merged = merge(*files, bits=request.bits)
    merged.save(request.output)
    if not request.quiet:
        tell(f"{merged!r}"[len("Evidence(") : -1] + ".")
        tell(f"Wrote {request.output}: {request.output.stat().st_size:,} bytes")
