"""How far a run has come, on a terminal and in a notebook only: a bar, the cells that failed, what is left to do."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from assay.experiments.task import CellOutcome
from assay.words import visible

# Seconds between two looks of a notebook's bar: each is a message to a browser.
PAUSE = 0.1


class Bar(Protocol):
    """What shows how many cells ended and failed."""

    def show(self, ended: int, failed: int) -> None:
        """Be seen."""
        ...


class Watch:
    """Told of every cell that ended; without a bar, it only says what a user would wonder about."""

    def __init__(self, bar: Bar | None = None, *, quiet: bool = False) -> None:
        self.bar, self.ended_so_far, self.failed, self.quiet = bar, 0, 0, quiet

    def say(self, sentence: str) -> None:
        """Put a sentence on stderr, above the bar if there is one."""
        if not self.quiet:
            print(visible(sentence), file=sys.stderr, flush=True)

    def ended(self, outcome: CellOutcome) -> None:
        """Move on by a cell."""
        self.ended_so_far += 1
        self.failed += outcome.error is not None
        if self.bar is not None:
            self.bar.show(self.ended_so_far, self.failed)


@contextmanager
def watched(cells: int, *, shown: bool | None = None) -> Iterator[Watch]:
    """A watch over so many cells; with a bar in a notebook and if stderr is a terminal, or if it was asked for."""
    in_notebook = shown is not False and _in_notebook()
    if not cells or not (in_notebook or sys.stderr.isatty() if shown is None else shown):
        yield Watch(quiet=shown is False)
        return
    with (_cell_bar if in_notebook else _terminal_bar)(cells) as bar:
        yield Watch(bar)


class _TerminalBar:
    def __init__(self, progress: Any, cells: int) -> None:
        self.progress, self.task = progress, progress.add_task("cells", total=cells, failed="")

    def show(self, ended: int, failed: int) -> None:
        self.progress.update(self.task, completed=ended, failed=f"{failed:,} failed" if failed else "")


@contextmanager
def _terminal_bar(cells: int) -> Iterator[Bar]:
    from rich import progress
    from rich.console import Console

    columns: list[Any] = [progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn()]
    columns += [progress.TextColumn("{task.fields[failed]}")]
    with progress.Progress("cells", *columns, console=Console(stderr=True), transient=True) as bar:
        yield _TerminalBar(bar, cells)


class _CellBar:
    """One output of a notebook, written anew as cells end; rich would need ipywidgets for that."""

    def __init__(self, cells: int) -> None:
        import IPython.display

        shows: Any = IPython.display
        self.cells, self.html, self.next_look, self.last = cells, shows.HTML, 0.0, (0, 0)
        self.output = shows.display(self._written(0, 0), display_id=True)

    def show(self, ended: int, failed: int) -> None:
        self.last = ended, failed
        if time.monotonic() >= self.next_look:
            self.next_look = time.monotonic() + PAUSE
            self.update()

    def update(self) -> None:
        self.output.update(self._written(*self.last))

    def _written(self, ended: int, failed: int) -> Any:
        words = f"{ended:,} of {self.cells:,} cells" + (f", {failed:,} failed" if failed else "")
        return self.html(f'<progress value="{ended}" max="{self.cells}" aria-label="cells"></progress> {words}')


@contextmanager
def _cell_bar(cells: int) -> Iterator[Bar]:
    bar = _CellBar(cells)
    try:
        yield bar
    finally:
        bar.update()


def _in_notebook() -> bool:
    """Whether this is a cell of a notebook; whoever has not loaded IPython need load nothing to know."""
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console().is_jupyter
