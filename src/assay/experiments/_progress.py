"""How far a run has come, on a terminal only: a bar, the cells that failed and the time left, on stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assay.experiments.task import CellOutcome


class Watch:
    """Told of every cell that ended; without a bar, it only says what a user would wonder about."""

    def __init__(self, bar: Any = None, task: Any = None, *, quiet: bool = False) -> None:
        self.bar, self.task, self.failed, self.quiet = bar, task, 0, quiet

    def say(self, sentence: str) -> None:
        """Put a sentence on stderr, above the bar if there is one."""
        if not self.quiet:
            print(sentence, file=sys.stderr, flush=True)

    def ended(self, outcome: CellOutcome) -> None:
        """Move on by a cell."""
        self.failed += outcome.error is not None
        if self.bar is not None:
            self.bar.update(self.task, advance=1, failed=f"{self.failed:,} failed" if self.failed else "")


@contextmanager
def watched(cells: int, *, shown: bool | None = None) -> Iterator[Watch]:
    """A watch over so many cells; with a bar if stderr is a terminal, or if it was asked for."""
    if not cells or not (sys.stderr.isatty() if shown is None else shown):
        yield Watch(quiet=shown is False)
        return
    from rich import progress
    from rich.console import Console

    columns: list[Any] = [progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn()]
    columns += [progress.TextColumn("{task.fields[failed]}")]
    with progress.Progress("cells", *columns, console=Console(stderr=True), transient=True) as bar:
        yield Watch(bar, bar.add_task("cells", total=cells, failed=""))
