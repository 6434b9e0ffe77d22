"""What runs the cells: processes of this machine, a Dask cluster or a Ray cluster, all behind one way to submit."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stdout
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from assay.errors import InputError, MissingExtra, OptionError, UnknownName
from assay.experiments.runner import Answer, Executor, InProcess, Window
from assay.experiments.task import CellSpec
from assay.request import checked_whole

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
    return int(_loky().cpu_count(only_physical_cores=False))


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
        raise UnknownName(f"there is no backend {name!r}", f"one of {', '.join(BACKENDS)}, here")
    if jobs is not None:
        checked_whole(jobs, "jobs")
    if address is not None and name not in CLUSTERS:
        raise OptionError("processes of this machine have no address", "another backend", {"backend": "dask"})


@contextmanager
def _processes(jobs: int) -> Iterator[tuple[Executor, Window]]:
    processes = Processes(jobs)
    try:
        yield processes, AHEAD * jobs
    finally:
        processes.close()


class Processes:
    """So many worker processes, made anew when one of them dies."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.pool = self._fresh()

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the next free worker."""
        return self.pool.submit(function, spec)

    def renew(self) -> None:
        """Leave a broken pool and begin another."""
        self.pool.shutdown(wait=False, kill_workers=True)
        self.pool = self._fresh()

    def close(self) -> None:
        """End the workers, whatever they do."""
        self.pool.shutdown(wait=True, kill_workers=True)

    def _fresh(self) -> Any:
        return _loky().ProcessPoolExecutor(max_workers=self.jobs, timeout=IDLE, env=ONE_THREAD, initializer=_deaf)


def _deaf() -> None:
    """Ctrl-C is for the program that drives the study, which ends its workers: none of their cells has failed then."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Dask:
    """The workers of a Dask cluster. A cell is a task by itself: nothing is scattered that a lost worker would lose."""

    def __init__(self, client: Any) -> None:
        self.pool = client.get_executor(pure=False, retries=RETRIES)
        self.deaths = (_distributed().KilledWorker,)

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the scheduler."""
        return self.pool.submit(function, spec)

    def renew(self) -> None:
        """Nothing to do: the cluster goes on with the workers it has, or starts others."""


@contextmanager
def _dask_here(jobs: int) -> Iterator[tuple[Executor, Window]]:
    distributed = _distributed()
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
def _dask_at(address: str, jobs: int | None, say: Say) -> Iterator[tuple[Executor, Window]]:
    distributed = _distributed()
    with ExitStack() as leaving:
        try:
            client = leaving.enter_context(distributed.Client(address, set_as_default=False))
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler answers at {address!r} ({_first_line(error)})",
                "its address, such as tcp://host:8786",
            ) from None
        if not client.nthreads():
            say(f"The Dask cluster at {address} has no workers yet; the cells wait until it has.")
        # A worker runs one cell at a time, however many threads it has.
        yield Dask(client), jobs or _asked_now_and_then(lambda: AHEAD * len(client.nthreads()))


class Ray:
    """The workers of a Ray cluster."""

    def __init__(self) -> None:
        ray = _ray()
        errors = ray.exceptions
        self.deaths = (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError)
        self.remote = cache(ray.remote(max_retries=RETRIES, num_cpus=1))  # each new one would be sent out again

    def submit(self, function: Submitted, spec: CellSpec, /) -> Any:
        """Hand a cell to the cluster."""
        return self.remote(function).remote(spec).future()

    def renew(self) -> None:
        """Nothing to do: the cluster starts workers by itself."""


@contextmanager
def _ray_here(jobs: int) -> Iterator[tuple[Executor, Window]]:
    if _ray().is_initialized():
        with redirect_stdout(sys.stderr):
            yield Ray(), _asked_now_and_then(_ray_room)
        return
    with _ray_joined("local", num_cpus=jobs, include_dashboard=False, _node_ip_address=HERE):
        yield Ray(), AHEAD * jobs


@contextmanager
def _ray_at(address: str, jobs: int | None, say: Say) -> Iterator[tuple[Executor, Window]]:
    if _ray().is_initialized():
        raise InputError("this program is connected to a Ray cluster already", "that one: pass no address")
    try:
        _knock(address)
        joined = ExitStack()
        joined.enter_context(_ray_joined(address))
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(
            f"no Ray cluster answers at {address!r} ({_first_line(error)})", "its address, such as host:6379, or auto"
        ) from None
    with joined:
        yield Ray(), jobs or _asked_now_and_then(_ray_room)


@contextmanager
def _ray_joined(address: str, **how: Any) -> Iterator[None]:
    ray = _ray()
    with redirect_stdout(sys.stderr):  # Ray tells of dead workers there, in the midst of what a command puts out
        ray.init(address, log_to_driver=False, logging_level="error", **how)
        try:
            yield
        finally:
            ray.shutdown()


def _knock(address: str) -> None:
    """Raise OSError where nothing listens: Ray itself would go on trying for many minutes."""
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is not None and parts.port is not None:
        socket.create_connection((parts.hostname, parts.port), timeout=KNOCK).close()


def _ray_room() -> int:
    return int(AHEAD * _ray().cluster_resources().get("CPU", 1))


BACKENDS: dict[str, Callable[[int], AbstractContextManager[tuple[Executor, Window]]]] = {
    "processes": _processes,
    "dask": _dask_here,
    "ray": _ray_here,
}
CLUSTERS: dict[str, Callable[[str, int | None, Say], AbstractContextManager[tuple[Executor, Window]]]] = {
    "dask": _dask_at,
    "ray": _ray_at,
}


def _asked_now_and_then(question: Callable[[], int]) -> Callable[[], int]:
    """The answer to a question that costs a journey: asked again only some seconds after the last time."""
    known = {"answer": question(), "at": time.monotonic()}

    def answer() -> int:
        if time.monotonic() - known["at"] > ASKED_AGAIN:
            known.update(answer=question(), at=time.monotonic())
        return int(known["answer"])

    return answer


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n")[0]


def _loky() -> Any:
    try:
        import loky
    except ImportError:
        raise MissingExtra("loky", extra="learn", purpose="running cells in several processes") from None
    return loky


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingExtra("distributed", extra="dask", purpose="running cells on a Dask cluster") from None
    return distributed


def _ray() -> Any:
    # Read when Ray is loaded. It would run a cell that needs too much memory again without end, and report its use.
    os.environ.setdefault("RAY_task_oom_retries", str(RETRIES))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise MissingExtra("ray", extra="ray", purpose="running cells on a Ray cluster") from None
    return ray
