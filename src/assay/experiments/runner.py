"""Running cells through the futures of any engine, and what is done when one of its workers dies.

What runs the cells: processes of this machine, a Dask cluster or a Ray cluster, all behind one way to submit.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import cache
from itertools import islice
from traceback import format_exception
from typing import Any, Protocol
from urllib.parse import urlsplit

from assay.errors import AssayError, InputError, MissingExtra, OptionError, UnknownName
from assay.experiments.task import CellOutcome, CellSpec, overdue, prints_to_stderr, run_cell
from assay.request import checked_whole

LOST = "the worker process died twice, the second time with this run alone; it may need more memory"
LOST_ELSEWHERE = "the worker process of this run died, and its engine did not repeat the run"
GONE = "lost connection to the engine; finished runs are stored, resume the study when it is back"
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
                flying[_submit_cell(executor, spec)] = spec
            if not flying:
                return
            ended = wait(flying, return_when=FIRST_COMPLETED).done
            if any(_has_worker_died(future, executor) for future in ended):
                ended = wait(flying).done  # a broken pool ends them all; a cluster must be free for what comes next
            dead = [flying[each] for each in ended if _has_worker_died(each, executor)]
            for future in ended:
                spec = flying.pop(future)
                if spec not in dead:
                    yield _cell_outcome(future, spec)
            if dead:
                late = [spec for spec in dead if _has_timed_out(spec)]
                yield from map(_timeout_outcome, late)
                yield from _rerun_cells_singly([spec for spec in dead if spec not in late], executor)
    finally:
        for future in flying:
            future.cancel()


def _rerun_cells_singly(specs: Iterable[CellSpec], executor: Executor) -> Iterator[CellOutcome]:
    """Cells that were out when a worker died, each by itself."""
    renew: Callable[[], None] | None = getattr(executor, "renew", None)
    if renew is None:
        yield from (CellOutcome(spec.key, error=LOST_ELSEWHERE) for spec in specs)
        return
    renew()
    for spec in specs:
        future = _submit_cell(executor, spec)
        if _has_worker_died(future, executor):
            renew()
            yield _timeout_outcome(spec) if _has_timed_out(spec) else CellOutcome(spec.key, error=LOST)
        else:
            yield _cell_outcome(future, spec)


def _has_timed_out(spec: CellSpec) -> bool:
    """Whether the process that had the cell was ended because the cell took too long; said once."""
    note = overdue(spec.folder, spec.key)
    late = spec.timeout is not None and note.exists() and note.stat().st_size > 0
    if late:
        note.unlink()
    return late


def _timeout_outcome(spec: CellSpec) -> CellOutcome:
    found = f"learner {spec.learner!r} took longer than {spec.timeout:g} seconds on this run and was stopped"
    return CellOutcome(spec.key, error=f"{found}; allow more by --cell-timeout or cell_timeout=")


def _submit_cell(executor: Executor, spec: CellSpec) -> Future[Answer]:
    try:
        return executor.submit(run_in_worker, spec)
    except BrokenExecutor as error:  # it broke since the last cell ended
        broken: Future[Answer] = Future()
        broken.set_exception(error)
        return broken


def _has_worker_died(future: Future[Answer], executor: Executor) -> bool:
    """Whether the process that had the cell ended before the cell did."""
    deaths: tuple[type[BaseException], ...] = getattr(executor, "deaths", (BrokenExecutor,))
    wait([future])
    if future.cancelled():  # nobody here did that
        raise AssayError(GONE)
    return isinstance(future.exception(), deaths)


def _cell_outcome(future: Future[Answer], spec: CellSpec) -> CellOutcome:
    """What a future holds; an engine that failed to run the cell at all is a failed cell, not the end of the study."""
    error = future.exception()
    if isinstance(error, KeyboardInterrupt):  # a cell that the user stopped did not fail
        raise error
    if error is not None:
        return CellOutcome(spec.key, error="".join(format_exception(error)))
    answer = future.result()
    if isinstance(answer, NotSeen):
        found = f"the worker on {answer.host!r} cannot read its data folder {answer.folder!r}"
        raise InputError(found, "a folder that every worker can read", {"spool": "/a/shared/folder"})
    return answer


AHEAD = 2  # cells handed out for each worker, so that none waits for the driver to store a result
IDLE = 30  # seconds after which a worker without work ends: those of a driver that was killed do not stay
ASKED_AGAIN = 5.0  # seconds after which a cluster is asked anew how many workers it has
RETRIES = 2  # times an engine runs a cell again when its worker dies, before this program does
KNOCK = 10.0  # seconds for a cluster to answer
HERE = "127.0.0.1"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Submitted = Callable[[CellSpec], Answer]
Say = Callable[[str], None]


def cores() -> int:
    """How many processes this machine, or the part of it that is ours, has cores for."""
    return int(_import_loky().cpu_count(only_physical_cores=False))


def engine(
    name: str, *, jobs: int | None = None, address: str | None = None, cells: int | None = None, say: Say = print
) -> AbstractContextManager[tuple[Executor, Window]]:
    """An executor of this kind for as long as the block lasts, and how many cells to hand out ahead.

    With an `address` it is that of a cluster which stays when the block ends, and `jobs` is how many cells to have out
    there at once, as many as it has room for by default. Without one, `jobs` worker processes are started on this
    machine, no more than there are `cells`; a learner that ends its process ends one of them. "here" starts none.

    >>> with engine("here") as (executor, window):
    ...     print(type(executor).__name__, window)
    InProcess 1
    """
    refuse_misfit(name, jobs, address)
    if address is not None:
        return CLUSTERS[name](address, jobs, say)
    if name == "here":
        return nullcontext((InProcess(), 1))
    asked = jobs or cores()
    return BACKENDS[name](asked if cells is None else max(1, min(asked, cells)))


def refuse_misfit(name: str, jobs: int | None, address: str | None) -> None:
    """Refuse an engine that cannot be, also where there is nothing to run on it."""
    if name != "here" and name not in BACKENDS:
        raise UnknownName(f"unknown backend {name!r}", f"one of {', '.join(BACKENDS)}")
    if jobs is not None:
        checked_whole(jobs, "jobs")
    if address is not None and name not in CLUSTERS:
        found = "address cannot be used with local processes"
        raise OptionError(found, "a backend of several machines", {"backend": "dask"}, about="address")


@contextmanager
def _local_processes(jobs: int) -> Iterator[tuple[Executor, Window]]:
    processes = Processes(jobs)
    try:
        yield processes, AHEAD * jobs
    finally:
        processes.close()


class Processes:
    """So many worker processes, made anew when one of them dies."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.pool = self._new_pool()

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the next free worker."""
        return self.pool.submit(function, spec)

    def renew(self) -> None:
        """Leave a broken pool and begin another."""
        self.pool.shutdown(wait=False, kill_workers=True)
        self.pool = self._new_pool()

    def close(self) -> None:
        """End the workers, whatever they do."""
        self.pool.shutdown(wait=True, kill_workers=True)

    def _new_pool(self) -> Any:
        return _import_loky().ProcessPoolExecutor(
            max_workers=self.jobs, timeout=IDLE, env=ONE_THREAD, initializer=_ignore_keyboard_interrupt
        )


def _ignore_keyboard_interrupt() -> None:
    """Ctrl-C is for the program that drives the study, which ends its workers: none of their cells has failed then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Dask:
    """The workers of a Dask cluster. A cell is a task by itself: nothing is scattered that a lost worker would lose."""

    def __init__(self, client: Any) -> None:
        self.pool = client.get_executor(pure=False, retries=RETRIES)
        self.deaths = (_import_distributed().KilledWorker,)

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the scheduler."""
        return self.pool.submit(function, spec)

    def renew(self) -> None:
        """Nothing to do: the cluster goes on with the workers it has, or starts others."""


@contextmanager
def _local_dask_cluster(jobs: int) -> Iterator[tuple[Executor, Window]]:
    distributed = _import_distributed()
    with (
        distributed.LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            host=HERE,
            dashboard_address=f"{HERE}:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield Dask(client), AHEAD * jobs


@contextmanager
def _remote_dask_cluster(address: str, jobs: int | None, say: Say) -> Iterator[tuple[Executor, Window]]:
    distributed = _import_distributed()
    with ExitStack() as leaving:
        try:
            client = leaving.enter_context(distributed.Client(address, set_as_default=False))
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler responds at {address!r} ({_first_error_line(error)})",
                "its address, such as tcp://host:8786",
            ) from None
        if not client.nthreads():
            say(f"The Dask cluster at {address} has no workers yet; waiting for workers.")
        # A worker runs one cell at a time, however many threads it has.
        yield Dask(client), jobs or _cache_for_seconds(lambda: AHEAD * len(client.nthreads()))


class Ray:
    """The workers of a Ray cluster."""

    def __init__(self) -> None:
        ray = _import_ray()
        errors = ray.exceptions
        self.deaths = (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)
        self.remote = cache(ray.remote(max_retries=RETRIES, num_cpus=1))  # each new one would be sent out again

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the cluster."""
        return self.remote(function).remote(spec).future()

    def renew(self) -> None:
        """Nothing to do: the cluster starts workers by itself."""


@contextmanager
def _local_ray(jobs: int) -> Iterator[tuple[Executor, Window]]:
    if _import_ray().is_initialized():
        with redirect_stdout(sys.stderr):
            yield Ray(), _cache_for_seconds(_ray_window)
        return
    with _ray_connection("local", num_cpus=jobs, include_dashboard=False, _node_ip_address=HERE):
        yield Ray(), AHEAD * jobs


@contextmanager
def _remote_ray(address: str, jobs: int | None, say: Say) -> Iterator[tuple[Executor, Window]]:
    if _import_ray().is_initialized():
        raise InputError("this program is connected to a Ray cluster already", "no address, to use that cluster")
    try:
        _check_connection(address)
        joined = ExitStack()
        joined.enter_context(_ray_connection(address))
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"no Ray cluster responds at {address!r} ({_first_error_line(error)})",
            "its address, such as host:6379, or auto",
        ) from None
    with joined:
        yield Ray(), jobs or _cache_for_seconds(_ray_window)


@contextmanager
def _ray_connection(address: str, **how: Any) -> Iterator[None]:
    ray = _import_ray()
    with redirect_stdout(sys.stderr):  # Ray tells of dead workers there, in the midst of what a command puts out
        ray.init(address, log_to_driver=False, logging_level="error", **how)
        try:
            yield
        finally:
            ray.shutdown()


def _check_connection(address: str) -> None:
    """Raise OSError where nothing listens: Ray itself would go on trying for many minutes."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is not None and parts.port is not None:
        socket.create_connection((parts.hostname, parts.port), timeout=KNOCK).close()


def _ray_window() -> int:
    return int(AHEAD * _import_ray().cluster_resources().get("CPU", 1))


BACKENDS: dict[str, Callable[[int], AbstractContextManager[tuple[Executor, Window]]]] = {
    "processes": _local_processes,
    "dask": _local_dask_cluster,
    "ray": _local_ray,
}
CLUSTERS: dict[str, Callable[[str, int | None, Say], AbstractContextManager[tuple[Executor, Window]]]] = {
    "dask": _remote_dask_cluster,
    "ray": _remote_ray,
}


def _cache_for_seconds(question: Callable[[], int]) -> Callable[[], int]:
    """The answer to a question that costs a journey: asked again only some seconds after the last time."""
    known = {"answer": question(), "at": time.monotonic()}

    def answer() -> int:
        if time.monotonic() - known["at"] > ASKED_AGAIN:
            known.update(answer=question(), at=time.monotonic())
        return int(known["answer"])

    return answer


def _first_error_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]


def _import_loky() -> Any:
    try:
        import loky
    except ImportError:
        raise MissingExtra("loky", extra="learn", purpose="running studies in several processes") from None
    return loky


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra("distributed", extra="dask", purpose="running studies on a Dask cluster") from None
    return distributed


def _import_ray() -> Any:
    # Read when Ray is loaded. It would run a cell that needs too much memory again without end, and report its use.
    os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", extra="ray", purpose="running studies on a Ray cluster") from None
    return ray
