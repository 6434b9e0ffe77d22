"""A learner held apart from the program that runs it: what it prints goes to stderr, and it may take only so long."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path

OUT, ERR = 1, 2  # what a process writes to, by number


@contextmanager
def prints_to_stderr(*, is_shown: bool = True) -> Iterator[None]:
    """Whatever is printed meanwhile, by Python or by compiled code, goes to stderr: stdout belongs to the answer.

    It goes nowhere unless `is_shown`.
    """
    if not is_shown:
        with _prints_nowhere():
            yield
        return
    kept = None
    with suppress(OSError, ValueError):  # closed, or no files at all: then there is nothing to keep clean
        _flush()
        kept = os.dup(OUT)
        os.dup2(ERR, OUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if kept is not None:
            _flush()
            os.dup2(kept, OUT)
            os.close(kept)


@contextmanager
def _prints_nowhere() -> Iterator[None]:
    kept: dict[int, int] = {}
    with suppress(OSError, ValueError):
        _flush()
        kept = {stream: os.dup(stream) for stream in (OUT, ERR)}
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in kept:
            os.dup2(nowhere, stream)
        os.close(nowhere)
    try:
        with Path(os.devnull).open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
            yield
    finally:
        if kept:
            _flush()
        for stream, copy in kept.items():
            os.dup2(copy, stream)
            os.close(copy)


def _flush() -> None:
    for stream in (sys.stdout, sys.__stdout__):
        with suppress(Exception):  # a stream that was replaced by anything
            if stream is not None:
                stream.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)  # what compiled code has not written yet


def overdue(folder: str, key: str) -> Path:
    """The file that says a cell took too long: the process that ran it is gone when it is looked for."""
    return Path(folder) / f"overdue-{key}"


@contextmanager
def ended_after(seconds: float | None, folder: str, key: str) -> Iterator[None]:
    """End this whole process if the block takes longer, and leave word in the folder why.

    Compiled code that never looks up cannot be stopped in any other way.
    """
    if seconds is None:
        yield
        return
    note = overdue(folder, key)
    with note.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(seconds, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
    note.unlink(missing_ok=True)
