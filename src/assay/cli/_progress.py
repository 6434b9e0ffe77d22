"""A line on a terminal while rows that do not fit into memory are reduced."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

from assay.text import visible

# What a terminal takes for "back to the start of the line, and nothing on it".
CLEARED = "\r\x1b[2K"


@contextlib.contextmanager
def progress(*, quiet: bool) -> Iterator[None]:
    """Say what is being done and for how long, on one line that goes away; nothing where nobody looks."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from assay.sources import LISTENER

    line = _Line()
    token = LISTENER.set(line.say)
    try:
        yield
    finally:
        LISTENER.reset(token)
        line.end()


class _Line:
    """One line that tells a stage and its seconds until something else is said."""

    def __init__(self) -> None:
        self.stage, self.began = "", time.monotonic()
        self.ended = threading.Event()
        self.ticking: threading.Thread | None = None

    def say(self, stage: str) -> None:
        self.stage, self.began = visible(stage), time.monotonic()
        self._write()
        if self.ticking is None:
            self.ticking = threading.Thread(target=self._tick, daemon=True)
            self.ticking.start()

    def end(self) -> None:
        self.ended.set()
        if self.ticking is not None:
            self.ticking.join()
        if self.stage:
            _put(CLEARED)

    def _tick(self) -> None:
        while not self.ended.wait(1.0):
            if self.stage:
                self._write()

    def _write(self) -> None:
        _put(f"{CLEARED}{self.stage}  {time.monotonic() - self.began:.0f} s" if self.stage else CLEARED)


def _put(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
