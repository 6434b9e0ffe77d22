"""Running cells: in this process, in processes of its own, or through the futures of any engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from itertools import islice
from traceback import format_exception
from typing import Any, Protocol

from assay.errors import MissingExtra
from assay.experiments.task import CellSpec, Outcome, run_cell

__all__ = ["Executor", "InProcess", "Processes", "cores", "run_cells", "workers"]

AHEAD = 2  # cells handed out for each worker, so that none waits for the driver to store a result
IDLE = 30  # seconds after which a worker without work ends: those of a driver that was killed do not stay
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
LOST = "the process that ran this cell died twice, the second time running nothing else; it may need more memory"
LOST_ELSEWHERE = "the process that ran this cell died, and its engine did not run it again"


class Executor(Protocol):
    """Whatever runs a function elsewhere and gives a future of concurrent.futures for what it returns."""

    def submit(self, function: Callable[[CellSpec], Outcome], spec: CellSpec, /) -> Future[Outcome]:
        """Begin, and say where the outcome will be found."""
        ...


class InProcess:
    """Each cell in this process, when it is submitted."""

    def submit(self, function: Callable[[CellSpec], Outcome], spec: CellSpec, /) -> Future[Outcome]:
        """Run it now."""
        done: Future[Outcome] = Future()
        done.set_result(function(spec))
        return done


class Processes:
    """So many worker processes, made anew when one of them dies."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.pool = self._fresh()

    def submit(self, function: Callable[[CellSpec], Outcome], spec: CellSpec, /) -> Future[Outcome]:
        """Hand a cell to the next free worker."""
        future: Future[Outcome] = self.pool.submit(function, spec)
        return future

    def renew(self) -> None:
        """Leave a broken pool and begin another."""
        self.pool.shutdown(wait=False, kill_workers=True)
        self.pool = self._fresh()

    def close(self) -> None:
        """End the workers, whatever they do."""
        self.pool.shutdown(wait=True, kill_workers=True)

    def _fresh(self) -> Any:
        try:
            from loky import ProcessPoolExecutor
        except ImportError:
            raise MissingExtra("loky", extra="learn", purpose="running cells in several processes") from None
        return ProcessPoolExecutor(max_workers=self.jobs, timeout=IDLE, env=ONE_THREAD)


def cores() -> int:
    """How many processes this machine, or the part of it that is ours, has cores for."""
    try:
        from loky import cpu_count
    except ImportError:
        raise MissingExtra("loky", extra="learn", purpose="running cells in several processes") from None
    return int(cpu_count(only_physical_cores=False))


@contextmanager
def workers(jobs: int) -> Iterator[tuple[Executor, int]]:
    """An executor for so many cells at once, and how many to hand out ahead."""
    if jobs == 1:
        yield InProcess(), 1
        return
    processes = Processes(jobs)
    try:
        yield processes, AHEAD * jobs
    finally:
        processes.close()


def run_cells(specs: Iterable[CellSpec], executor: Executor, *, window: int = 1) -> Iterator[Outcome]:
    """The outcome of every cell, in the order in which they end.

    At most `window` cells are out at once, and the next is taken from `specs` only when there is room for it, so that
    memory does not grow with their number. `executor` is anything with `submit(function, spec)` that returns futures as
    concurrent.futures has them: a process pool, a cluster's executor; each gives the same numbers. When a worker dies
    and the executor can renew itself, its cells run again one by one, so that the one to blame is known.
    """
    waiting, flying = iter(specs), dict[Future[Outcome], CellSpec]()
    try:
        while True:
            for spec in islice(waiting, window - len(flying)):
                flying[_submitted(executor, spec)] = spec
            if not flying:
                return
            ended = wait(flying, return_when=FIRST_COMPLETED).done
            if any(isinstance(future.exception(), BrokenExecutor) for future in ended):
                ended = wait(flying).done  # a broken pool ends them all
            broken = [flying[each] for each in ended if isinstance(each.exception(), BrokenExecutor)]
            for future in ended:
                spec = flying.pop(future)
                if spec not in broken:
                    yield _outcome(future, spec)
            if broken:
                yield from _one_by_one(broken, executor)
    finally:
        for future in flying:
            future.cancel()


def _one_by_one(specs: Iterable[CellSpec], executor: Executor) -> Iterator[Outcome]:
    """Cells that were out when a worker died, each by itself."""
    renew: Callable[[], None] | None = getattr(executor, "renew", None)
    if renew is None:
        yield from (Outcome(spec.key, error=LOST_ELSEWHERE) for spec in specs)
        return
    renew()
    for spec in specs:
        future = _submitted(executor, spec)
        if isinstance(future.exception(), BrokenExecutor):
            renew()
            yield Outcome(spec.key, error=LOST)
        else:
            yield _outcome(future, spec)


def _submitted(executor: Executor, spec: CellSpec) -> Future[Outcome]:
    try:
        return executor.submit(run_cell, spec)
    except BrokenExecutor as error:  # it broke since the last cell ended
        broken: Future[Outcome] = Future()
        broken.set_exception(error)
        return broken


def _outcome(future: Future[Outcome], spec: CellSpec) -> Outcome:
    """What a future holds; an engine that failed to run the cell at all is a failed cell, not the end of the study."""
    error = future.exception()
    return future.result() if error is None else Outcome(spec.key, error="".join(format_exception(error)))
