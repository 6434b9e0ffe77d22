"""Running cells through the futures of any engine, and what is done when one of its workers dies."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass
from itertools import islice
from traceback import format_exception
from typing import Protocol

from assay.errors import AssayError, InputError
from assay.experiments._apart import overdue, prints_to_stderr
from assay.experiments.task import CellOutcome, CellSpec, run_cell

LOST = "the process that ran this cell died, and died again when this was all it ran; it may need more memory"
LOST_ELSEWHERE = "the process that ran this cell died, and its engine did not run it again"
GONE = "the engine that ran the cells has gone; what was finished is kept, resume the study when it is back"
ONE = threading.Lock()


@dataclass(frozen=True)
class NotSeen:
    """What a worker answers that cannot read the folder where the data were put."""

    host: str
    folder: str


Answer = CellOutcome | NotSeen
Window = int | Callable[[], int]  # a number, or how to ask for it where workers come and go


class Executor(Protocol):
    """Whatever runs a function elsewhere and gives a future of concurrent.futures for what it returns.

    One that has `renew()` is asked to run the cells of a worker that died again; `deaths` are the exceptions by which
    it says that one did, if it is not BrokenExecutor.
    """

    def submit(self, function: Callable[[CellSpec], Answer], spec: CellSpec, /) -> Future[Answer]:
        """Begin, and say where the answer will be found."""
        ...


class InProcess:
    """Each cell in this process, when it is submitted."""

    def submit(self, function: Callable[[CellSpec], Answer], spec: CellSpec, /) -> Future[Answer]:
        """Run it now."""
        done: Future[Answer] = Future()
        done.set_result(function(spec))
        return done


def run_in_worker(spec: CellSpec) -> Answer:
    """A cell as a worker runs it: one at a time in each process, since warnings and thread limits are the process's."""
    if not os.access(spec.folder, os.R_OK | os.X_OK):
        return NotSeen(socket.gethostname(), spec.folder)
    with ONE, prints_to_stderr(is_shown=not spec.is_trial):
        return run_cell(spec)


def run_cells(specs: Iterable[CellSpec], executor: Executor, *, window: Window = 1) -> Iterator[CellOutcome]:
    """The outcome of every cell, in the order in which they end.

    At most `window` cells are out at once, and the next is taken from `specs` only when there is room for it, so that
    memory does not grow with their number. `executor` is anything with `submit(function, spec)` that returns futures as
    concurrent.futures has them: a process pool, a cluster's executor; each gives the same numbers. When a worker dies
    and the executor can renew itself, its cells run again one by one, so that the one to blame is known.
    """
    waiting, flying = iter(specs), dict[Future[Answer], CellSpec]()
    try:
        while True:
            room = (window() if callable(window) else window) - len(flying)
            for spec in islice(waiting, max(room, 0 if flying else 1)):
                flying[_submitted(executor, spec)] = spec
            if not flying:
                return
            ended = wait(flying, return_when=FIRST_COMPLETED).done
            if any(_died(future, executor) for future in ended):
                ended = wait(flying).done  # a broken pool ends them all; a cluster must be free for what comes next
            dead = [flying[each] for each in ended if _died(each, executor)]
            for future in ended:
                spec = flying.pop(future)
                if spec not in dead:
                    yield _outcome(future, spec)
            if dead:
                late = [spec for spec in dead if _was_late(spec)]
                yield from map(_took_too_long, late)
                yield from _one_by_one([spec for spec in dead if spec not in late], executor)
    finally:
        for future in flying:
            future.cancel()


def _one_by_one(specs: Iterable[CellSpec], executor: Executor) -> Iterator[CellOutcome]:
    """Cells that were out when a worker died, each by itself."""
    renew: Callable[[], None] | None = getattr(executor, "renew", None)
    if renew is None:
        yield from (CellOutcome(spec.key, error=LOST_ELSEWHERE) for spec in specs)
        return
    renew()
    for spec in specs:
        future = _submitted(executor, spec)
        if _died(future, executor):
            renew()
            yield _took_too_long(spec) if _was_late(spec) else CellOutcome(spec.key, error=LOST)
        else:
            yield _outcome(future, spec)


def _was_late(spec: CellSpec) -> bool:
    """Whether the process that had the cell was ended because the cell took too long; said once."""
    note = overdue(spec.folder, spec.key)
    late = spec.timeout is not None and note.exists() and note.stat().st_size > 0
    if late:
        note.unlink()
    return late


def _took_too_long(spec: CellSpec) -> CellOutcome:
    found = f"learner {spec.learner!r} took longer than {spec.timeout:g} seconds on this cell and was ended"
    return CellOutcome(spec.key, error=f"{found}; allow more by --cell-timeout or cell_timeout=")


def _submitted(executor: Executor, spec: CellSpec) -> Future[Answer]:
    try:
        return executor.submit(run_in_worker, spec)
    except BrokenExecutor as error:  # it broke since the last cell ended
        broken: Future[Answer] = Future()
        broken.set_exception(error)
        return broken


def _died(future: Future[Answer], executor: Executor) -> bool:
    """Whether the process that had the cell ended before the cell did."""
    deaths: tuple[type[BaseException], ...] = getattr(executor, "deaths", (BrokenExecutor,))
    wait([future])
    if future.cancelled():  # nobody here did that
        raise AssayError(GONE)
    return isinstance(future.exception(), deaths)


def _outcome(future: Future[Answer], spec: CellSpec) -> CellOutcome:
    """What a future holds; an engine that failed to run the cell at all is a failed cell, not the end of the study."""
    error = future.exception()
    if isinstance(error, KeyboardInterrupt):  # a cell that the user stopped did not fail
        raise error
    if error is not None:
        return CellOutcome(spec.key, error="".join(format_exception(error)))
    answer = future.result()
    if isinstance(answer, NotSeen):
        found = f"the worker on {answer.host!r} cannot read {answer.folder!r}, where the data were put for it"
        raise InputError(found, "a folder that every worker sees", {"spool": "/a/shared/folder"})
    return answer
