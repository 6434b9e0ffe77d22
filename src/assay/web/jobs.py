"""Work that takes its time: done once in a thread of its own, told while it is done, kept while it is asked for."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.errors import AssayError, UnknownName
from assay.sources import LISTENER

__all__ = ["Job", "Jobs"]

# So many results are kept, the last ones asked for.
MOST_KEPT = 8
# So often whoever waits is told that it goes on.
BEAT = 1.0


class Job:
    """One piece of work: what it is at, and what came of it."""

    def __init__(self, id: str, work: Callable[[], Any], at_once: threading.Semaphore) -> None:  # noqa: A002
        self.id = id
        self.stage = "waiting"
        self._done = threading.Event()
        self._result: Any = None
        self._error: Exception | None = None
        threading.Thread(target=self._run, args=(work, at_once), daemon=True).start()

    def _run(self, work: Callable[[], Any], at_once: threading.Semaphore) -> None:
        LISTENER.set(self._say)
        try:
            with at_once:
                self.stage = "reading"
                self._result = work()
        except Exception as error:  # told to whoever asks for the result
            self._error = error
        finally:
            self._done.set()

    def _say(self, stage: str) -> None:
        self.stage = stage or self.stage

    def is_done(self, within: float = 0.0) -> bool:
        """Whether it is done, or is so within some seconds."""
        return self._done.wait(within)

    @property
    def is_lost(self) -> bool:
        """Whether it failed for a reason that may not be there the next time."""
        return self._error is not None and not isinstance(self._error, AssayError)

    def result(self) -> Any:
        """What came of it, waited for; what went wrong is raised."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._result

    def told(self) -> Iterator[Mapping[str, Any] | None]:
        """What it is at, whenever that is something else, until it is done."""
        last = ""
        while not self._done.wait(0.1):
            stage = self.stage
            if stage != last:
                last = stage
                yield {"stage": stage}
            elif self._done.wait(BEAT):
                break
            else:
                yield None
        yield {"done": True}


class Jobs:
    """All work, by what it is about: asked for twice, it is done once."""

    def __init__(self) -> None:
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._last: dict[str, str] = {}
        self._lock = threading.Lock()
        self._at_once = threading.Semaphore(max(2, os.cpu_count() or 2))

    def of(self, key: tuple[Any, ...], work: Callable[[], Any], owner: str = "") -> Job:
        """The job of a key, begun if it is new or failed for no lasting reason; of an owner only the last is kept."""
        own = hashlib.sha256(repr(key).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        with self._lock:
            job = self._jobs.get(own)
            if job is None or job.is_lost:
                job = Job(own, work, self._at_once)
                self._jobs[own] = job
            self._jobs.move_to_end(own)
            before = self._last.get(owner, own) if owner else own
            if before != own and before in self._jobs and self._jobs[before].is_done():
                del self._jobs[before]
            self._last |= {owner: own} if owner else {}
            done = [key for key, each in self._jobs.items() if each.is_done()]
            for old in done[: max(0, len(self._jobs) - MOST_KEPT)]:
                if old != own:
                    del self._jobs[old]
            return job

    def find(self, id: str) -> Job:  # noqa: A002
        """The job that goes by an id."""
        with self._lock:
            if id not in self._jobs:
                raise UnknownName("this work is not known any more", "the page loaded again")
            return self._jobs[id]
