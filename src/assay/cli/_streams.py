"""What a command says to whoever called it: on stderr and on stdout, with nothing in it that a terminal would obey."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from functools import cache
from typing import TextIO

import click

from assay.errors import NotWritten
from assay.text import visible


def tell(sentence: str) -> None:
    """One line on stderr; whoever cannot hear it gets the answer all the same."""
    try:
        click.echo(visible(sentence), err=True)
    except OSError:
        # Full, or its reader has gone; what is held back would be tried again, and complained about, at the end.
        _lead_nowhere(sys.stderr)


def printed(text: str) -> None:
    """Text on stdout, as UTF-8 whatever the terminal claims to speak."""
    if sys.stdout is None:
        raise NotWritten("standard output is closed", "somewhere to write to", {"output": "FILE"})
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.stdout.write("\n".join(map(visible, text.split("\n"))))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_printing()
        why = (error.strerror or "it failed").lower()
        raise NotWritten(f"cannot write to standard output: {why}", "somewhere with room", {"output": "FILE"}) from None


def give_up_printing() -> None:
    """Keep Python from trying again, and complaining, when it ends."""
    _lead_nowhere(sys.stdout)


@cache
def nothing_after_the_end() -> None:
    """Keep DuckDB's bindings from complaining, when Python ends, of objects that narwhals still holds: harmless."""

    def hush() -> None:
        if "duckdb" in sys.modules:
            _lead_nowhere(sys.stderr)

    atexit.register(hush)


def _lead_nowhere(stream: TextIO) -> None:
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def reserve_streams() -> None:
    """Keep what is opened later from becoming standard input, output or error, where those are closed."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
