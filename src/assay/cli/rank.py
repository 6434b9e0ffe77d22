"""`assay rank FILE`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli._console import tell
from assay.cli._options import asks, put_out
from assay.request import RankRequest

if TYPE_CHECKING:
    from assay.ranks import RankAnswer

__all__ = ["command"]

COLUMNS = ("dataset", "algorithm", "value", "fold", "repeat")
ASKED = ("test", "adjust", "control", "rope", "base", "weka", "all_adjustments")


@click.command("rank", short_help="Rank algorithms over many data sets and test their differences.")
@click.argument("file", metavar="FILE")
@asks("rank", RankRequest)
def command(file: str, request: RankRequest) -> None:
    """Rank algorithms by their results on many data sets, and test which of them differ.

    FILE is CSV: one row per data set and one column per algorithm; or one row per result, with columns
    dataset, algorithm, optionally fold (and run), and the value.
    """
    from assay.report import answers
    from assay.report.pages.benchmarks import render_ranks

    answer = _rank_answer(file, request)
    if not request.quiet:
        _print_remarks(file, answer)
    put_out(answers.ranks(answer), request, html=partial(render_ranks, answer), figure=answer.difference.svg)


def _rank_answer(file: str, request: RankRequest) -> RankAnswer:
    from assay.ranks import rank_algorithms

    taken: dict[str, Any] = {name: getattr(request, name) for name in (*COLUMNS, "better", "alpha", "ratio", "missing")}
    asked: dict[str, Any] = {name: getattr(request, name) for name in ASKED}
    return rank_algorithms(Path(file), **taken, baseline=request.baseline or None).answer(
        **asked, seed=request.seed or 0
    )


def _print_remarks(file: str, answer: RankAnswer) -> None:
    from assay.results import counted

    results = answer.ranks.results
    sizes = f"{counted(len(results.algorithms), 'algorithm')} on {counted(len(results.datasets), 'data set')}"
    folds = "" if results.folds is None else ", averaged over folds"
    other = "lower" if results.better == "higher" else "higher"
    tell(f"Read {Path(file).name}: {sizes}{folds}.")
    tell(f"Better: {results.better} values        change: --better {other}")
    if results.baselines:
        tell(f"Not tested (baselines): {',  '.join(results.baselines)}        change: --baseline none")
