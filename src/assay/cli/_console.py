"""What a command says to whoever called it: on stderr and on stdout, with nothing in it that a terminal would obey.

A line on a terminal while rows that do not fit into memory are reduced.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import TextIO

import click

from assay.errors import NotWritten
from assay.text import coloured, fitted, visible, visible_on_screen


def tell(sentence: str) -> None:
    """One line on stderr; whoever cannot hear it gets the answer all the same."""
    shown = visible_on_screen(sentence)
    try:
        # With click's own colours, styles would be taken out where standard error is no terminal.
        click.echo("\n".join(_fitted_lines(shown)), err=True, color=True)
    except OSError:
        # Full, or its reader has gone; what is held back would be tried again, and complained about, at the end.
        _redirect_to_null(sys.stderr)


def _fitted_lines(sentence: str) -> list[str]:
    """A sentence in lines that fit where standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return [sentence]
    return fitted(sentence, shutil.get_terminal_size().columns)


def continued(command: str) -> str:
    """A command in lines that fit where standard error is a terminal, and that can be pasted as they are."""
    if sys.stderr is None or not sys.stderr.isatty() or "'" in command:
        return command
    return " \\\n      ".join(fitted(command, shutil.get_terminal_size().columns - 9))


def has_colours(stream: TextIO | None) -> bool:
    """Whether a stream is a terminal that shows colours, and NO_COLOR is not set."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except ValueError:  # closed
        return False


def in_colours(stream: TextIO | None) -> contextlib.AbstractContextManager[None]:
    """Make text in the block for a stream: with colours where it shows them."""
    return coloured(on=has_colours(stream))


def printed(text: str) -> None:
    """Text on stdout, as UTF-8 whatever the terminal claims to speak."""
    if sys.stdout is None:
        raise NotWritten("standard output is closed", "an output file", {"output": "FILE"})
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.stdout.write("\n".join(map(visible_on_screen, text.split("\n"))))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_printing()
        why = (error.strerror or "it failed").lower()
        raise NotWritten(
            f"cannot write to standard output: {why}", "a file where there is space", {"output": "FILE"}
        ) from None


def give_up_printing() -> None:
    """Keep Python from trying again, and complaining, when it ends."""
    _redirect_to_null(sys.stdout)


@cache
def nothing_after_the_end() -> None:
    """Keep DuckDB's bindings from complaining, when Python ends, of objects that narwhals still holds: harmless."""

    def hush() -> None:
        if "duckdb" in sys.modules:
            _redirect_to_null(sys.stderr)

    atexit.register(hush)


def _redirect_to_null(stream: TextIO) -> None:
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def reserve_streams() -> None:
    """Keep what is opened later from becoming standard input, output or error, where those are closed."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)


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
            _write_quietly(CLEARED)

    def _tick(self) -> None:
        while not self.ended.wait(1.0):
            if self.stage:
                self._write()

    def _write(self) -> None:
        _write_quietly(f"{CLEARED}{self.stage}  {time.monotonic() - self.began:.0f} s" if self.stage else CLEARED)


def _write_quietly(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
