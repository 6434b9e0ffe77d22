"""A program working on a study: it claims cells, keeps how they went, and asks again while a database is away.

A program's turns at a study: how many cells are left, where the data are put for workers, and what runs them.

How far a run has come, on a terminal and in a notebook only: a bar, and a grid of learners by data sets.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assay.errors import InputError
from assay.experiments.database import (
    CELL,
    StoreError,
    checksum_of,
    claiming,
    finishing,
    one_sentence,
    sqlalchemy,
    tables,
)
from assay.experiments.run_predictions import keep_parts
from assay.experiments.runner import Executor, Window, engine
from assay.experiments.study_grid import StudyGrid
from assay.experiments.task import CellOutcome, CellSpec
from assay.text import visible

if TYPE_CHECKING:
    from assay.experiments.store import Store


T = TypeVar("T")

LOOKED_THROUGH = 25  # cells of which a claim takes the first that are to do
PAUSES = (1, 2, 4, 8, 15, 30)  # seconds between tries while a database does not answer


@dataclass(frozen=True)
class Driver:
    """One program working on a study, by a name nobody else has."""

    store: Store
    study: str
    owner: str

    def claim(self, keys: Sequence[str], most: int = 1) -> list[str]:
        """Make the first of these cells that are to do this driver's own, and say which; at most so many of them."""
        if not keys:
            return []
        asked = {"of_study": self.study, "of_keys": list(keys), "at_most": most, "new_owner": self.owner}
        with self.store.changing() as connection:
            mine = set(connection.execute(claiming(), asked).scalars())
        return [key for key in keys if key in mine]

    def take(self, keys: Iterable[str], most: int = 1) -> Iterator[str]:
        """The cells of these that are still to do, each claimed before it is given out, some at a time."""
        waiting = iter(keys)
        while some := list(islice(waiting, LOOKED_THROUGH)):
            while mine := self._retry_while_unavailable(self.claim, some, most):
                yield from mine
                some = [key for key in some if key not in mine]

    def finish(self, outcome: CellOutcome) -> bool:
        """Keep how a cell went; False if it was taken from this driver meanwhile, whose result then stands."""
        found = {name: _sanitize_text(value) for name, value in vars(outcome).items() if name != "parts"}
        found["status"] = "done" if outcome.error is None else "failed"
        sa, held = sqlalchemy(), tables()["cells"]
        identity = sa.select(*(held.c[name] for name in CELL)).where(
            held.c.study == self.study, held.c.key == outcome.key
        )

        def finish() -> bool:
            with self.store.changing() as connection:
                cell = connection.execute(identity).mappings().one_or_none()
                if cell is None:
                    return False
                checksum = checksum_of({**found, **cell})
                values = {**found, "finished": time.time(), "checksum": checksum}
                del values["key"]
                of = {"of_study": self.study, "of_key": outcome.key, "of_owner": self.owner}
                is_kept = bool(connection.execute(finishing(), {**of, **values}).rowcount == 1)
                if is_kept:
                    keep_parts(connection, self.study, outcome.key, outcome.parts)
                return is_kept

        return self._retry_while_unavailable(finish)

    def left(self) -> dict[str, int]:
        """How many cells are to do and how many others run, once the dead and this idle driver gave theirs back."""

        def count() -> dict[str, int]:
            self.store.free([self.owner], leave=False)
            self.store.free_the_dead()
            states = self.store.progress(self.study)
            return {state: states[state] for state in ("todo", "running")}

        return self._retry_while_unavailable(count)

    def _retry_while_unavailable(self, work: Callable[..., T], *given: Any) -> T:
        """Ask again while the database does not answer: a server that is started anew costs a minute, not the study."""
        for pause in (*PAUSES, None):
            try:
                with one_sentence(self.store.place):
                    return work(*given)
            except StoreError as error:
                if pause is None or not error.passing:
                    raise
                time.sleep(pause)
        raise AssertionError


def _sanitize_text(value: Any) -> Any:
    """A text as every database takes it: without zero bytes and halves of characters."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")


WINDOW = 16  # cells out at once with an executor whose size nobody said
LOOK = 2.0  # seconds after which a driver that waits for others looks again


def next_cells(driver: Driver, lease: float, progress: bool | None) -> int:
    """How many cells are to do, once there are any; 0 when all are done, here or elsewhere."""
    said = False
    while True:
        left = driver.left()
        if left["todo"] or not left["running"]:
            return left["todo"]
        if not said and progress is not False:
            print(f"Waiting for runs of other programs: {left['running']:,}.", file=sys.stderr, flush=True)
            said = True
        time.sleep(min(LOOK, lease / 4))


def unsaid(_: str) -> None:
    """Nothing to say of a few models beside the cells."""


@contextmanager
def put_into(spool: str | PathLike[str] | None) -> Iterator[Path]:
    """A folder of this run's own inside the one that was named."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="assay-", dir=spool)
    except OSError as error:
        found = f"cannot write to the folder {str(spool or tempfile.gettempdir())!r}: {error.strerror}"
        raise InputError(found, "a writable folder that every worker can read") from None
    with folder as place:
        yield Path(place).resolve()


@contextmanager
def engine_for(
    given: Executor | None, window: int | None, cells: int, say: Callable[[str], None], **how: Any
) -> Iterator[tuple[Executor, Window]]:
    """What runs the cells, and how many to hand out at once."""
    if given is not None:
        yield given, window or WINDOW
        return
    with engine(how.pop("backend"), cells=cells, say=say, **how) as (executor, ahead):
        yield executor, window or ahead


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
    in_notebook = shown is not False and _is_notebook()
    if not cells or not (in_notebook or sys.stderr.isatty() if shown is None else shown):
        yield Watch(quiet=shown is False)
        return
    made = grid()
    with _notebook_bar(cells) if in_notebook else _terminal_bar(cells, made) as bar:
        yield Watch(bar, grid=made)


class _TerminalBar:
    def __init__(self, live: Any, progress: Any, cells: int) -> None:
        self.live, self.progress, self.next_look = live, progress, 0.0
        self.task = progress.add_task("cells", total=cells, failed="")

    def show(self, ended: int, failed: int, grid: StudyGrid) -> None:
        self.progress.update(self.task, completed=ended, failed=f"{failed:,} failed" if failed else "")
        if time.monotonic() >= self.next_look:
            self.next_look = time.monotonic() + PAUSE
            self.live.update(_progress_view(grid, self.progress, self.live.console))


def _progress_view(grid: StudyGrid, progress: Any, console: Any) -> Any:
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
    about = "Accuracy so far, finished runs of all, * running." + (f" And {' and '.join(more)}." if more else "")
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
    with Live(_progress_view(grid, bar, console), console=console, transient=True) as live:
        yield _TerminalBar(live, bar, cells)


class _CellBar:
    """One output of a notebook, written anew as cells end; rich would need ipywidgets for that."""

    def __init__(self, cells: int) -> None:
        import IPython.display

        shows: Any = IPython.display
        self.cells, self.html, self.next_look, self.last = cells, shows.HTML, 0.0, (0, 0)
        self.grid: StudyGrid | None = None
        self.output = shows.display(self._progress_html(0, 0), display_id=True)

    def show(self, ended: int, failed: int, grid: StudyGrid) -> None:
        self.last, self.grid = (ended, failed), grid
        if time.monotonic() >= self.next_look:
            self.next_look = time.monotonic() + PAUSE
            self.update()

    def update(self) -> None:
        self.output.update(self._progress_html(*self.last))

    def _progress_html(self, ended: int, failed: int) -> Any:
        words = f"{ended:,} of {self.cells:,} runs" + (f", {failed:,} failed" if failed else "")
        bar = f'<progress value="{ended}" max="{self.cells}" aria-label="runs"></progress> {words}'
        if self.grid is None or not self.grid.entries:
            return self.html(bar)
        head = "".join(f"<th>{escape(visible(name))}</th>" for name in ("", *self.grid.datasets))
        rows = ("".join(f"<td>{escape(each)}</td>" for each in row) for row in self.grid.rows())
        return self.html(f"{bar}<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")


@contextmanager
def _notebook_bar(cells: int) -> Iterator[Bar]:
    bar = _CellBar(cells)
    try:
        yield bar
    finally:
        bar.update()


def _is_notebook() -> bool:
    """Whether this is a cell of a notebook; whoever has not loaded IPython need load nothing to know."""
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console().is_jupyter
