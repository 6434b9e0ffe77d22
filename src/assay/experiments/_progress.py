"""How far a run has come, on a terminal and in a notebook only: a bar, and a grid of learners by data sets."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

from assay.experiments.study_grid import StudyGrid
from assay.experiments.task import CellOutcome, CellSpec
from assay.text import visible

# Seconds between two looks of a notebook's bar: each is a message to a browser.
PAUSE = 0.1


class Bar(Protocol):
    """What shows how many cells ended and failed, and the grid of learners by data sets."""

    def show(self, ended: int, failed: int, grid: StudyGrid) -> None:
        """Be seen."""
        ...


class Watch:
    """Told of every cell that ended; without a bar, it only says what a user would wonder about."""

    def __init__(self, bar: Bar | None = None, *, quiet: bool = False, grid: StudyGrid | None = None) -> None:
        self.bar, self.ended_so_far, self.failed, self.quiet = bar, 0, 0, quiet
        self.grid = grid or StudyGrid()

    def began(self, specs: Iterable[CellSpec]) -> Iterator[CellSpec]:
        """The same cells, each noted as it is handed out."""
        for spec in specs:
            if self.bar is not None:
                self.grid.began(spec)
            yield spec

    def say(self, sentence: str) -> None:
        """Put a sentence on stderr, above the bar if there is one."""
        if not self.quiet:
            print(visible(sentence), file=sys.stderr, flush=True)

    def ended(self, outcome: CellOutcome) -> None:
        """Move on by a cell."""
        self.ended_so_far += 1
        self.failed += outcome.error is not None
        if self.bar is not None:
            self.grid.ended(outcome)
            self.bar.show(self.ended_so_far, self.failed, self.grid)


@contextmanager
def watched(cells: int, *, shown: bool | None = None, grid: Callable[[], StudyGrid] = StudyGrid) -> Iterator[Watch]:
    """A watch over so many cells; with a bar in a notebook and if stderr is a terminal, or if it was asked for.

    `grid` makes what is shown above the bar.
    """
    in_notebook = shown is not False and _in_notebook()
    if not cells or not (in_notebook or sys.stderr.isatty() if shown is None else shown):
        yield Watch(quiet=shown is False)
        return
    made = grid()
    with _cell_bar(cells) if in_notebook else _terminal_bar(cells, made) as bar:
        yield Watch(bar, grid=made)


class _TerminalBar:
    def __init__(self, live: Any, progress: Any, cells: int) -> None:
        self.live, self.progress, self.next_look = live, progress, 0.0
        self.task = progress.add_task("cells", total=cells, failed="")

    def show(self, ended: int, failed: int, grid: StudyGrid) -> None:
        self.progress.update(self.task, completed=ended, failed=f"{failed:,} failed" if failed else "")
        if time.monotonic() >= self.next_look:
            self.next_look = time.monotonic() + PAUSE
            self.live.update(_picture(grid, self.progress, self.live.console))


def _picture(grid: StudyGrid, progress: Any, console: Any) -> Any:
    """The grid above the bar, as much of it as the terminal has room for."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    rows = max(0, console.height - 5)
    columns = max(1, (console.width - 20) // 20)
    if not grid.entries or not rows:
        return progress
    table = Table(box=None, pad_edge=False, caption_justify="left")
    for name in ("", *grid.datasets[:columns]):
        table.add_column(Text(visible(name)), no_wrap=True)
    for row in grid.rows()[:rows]:
        table.add_row(*(Text(each) for each in row[: columns + 1]))
    left = max(0, len(grid.learners) - rows), max(0, len(grid.datasets) - columns)
    more = [f"{count:,} more {what}" for count, what in zip(left, ("learners", "data sets"), strict=True) if count]
    about = "Accuracy so far, cells ended of all, * running." + (f" And {' and '.join(more)}." if more else "")
    return Group(table, Text(about, style="dim"), progress)


@contextmanager
def _terminal_bar(cells: int, grid: StudyGrid) -> Iterator[Bar]:
    from rich import progress
    from rich.console import Console
    from rich.live import Live

    columns: list[Any] = [progress.BarColumn(), progress.MofNCompleteColumn(), progress.TimeRemainingColumn()]
    columns += [progress.TextColumn("{task.fields[failed]}")]
    console = Console(stderr=True)
    bar = progress.Progress("cells", *columns, console=console)
    with Live(_picture(grid, bar, console), console=console, transient=True) as live:
        yield _TerminalBar(live, bar, cells)


class _CellBar:
    """One output of a notebook, written anew as cells end; rich would need ipywidgets for that."""

    def __init__(self, cells: int) -> None:
        import IPython.display

        shows: Any = IPython.display
        self.cells, self.html, self.next_look, self.last = cells, shows.HTML, 0.0, (0, 0)
        self.grid: StudyGrid | None = None
        self.output = shows.display(self._written(0, 0), display_id=True)

    def show(self, ended: int, failed: int, grid: StudyGrid) -> None:
        self.last, self.grid = (ended, failed), grid
        if time.monotonic() >= self.next_look:
            self.next_look = time.monotonic() + PAUSE
            self.update()

    def update(self) -> None:
        self.output.update(self._written(*self.last))

    def _written(self, ended: int, failed: int) -> Any:
        words = f"{ended:,} of {self.cells:,} cells" + (f", {failed:,} failed" if failed else "")
        bar = f'<progress value="{ended}" max="{self.cells}" aria-label="cells"></progress> {words}'
        if self.grid is None or not self.grid.entries:
            return self.html(bar)
        head = "".join(f"<th>{escape(visible(name))}</th>" for name in ("", *self.grid.datasets))
        rows = ("".join(f"<td>{escape(each)}</td>" for each in row) for row in self.grid.rows())
        return self.html(f"{bar}<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")


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
