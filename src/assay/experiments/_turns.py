"""A program's turns at a study: how many cells are left, where the data are put for workers, and what runs them."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import InputError
from assay.experiments._driver import Driver
from assay.experiments.backends import engine
from assay.experiments.runner import Executor, Window

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
            print(f"Waiting for cells that other programs run: {left['running']:,}.", file=sys.stderr, flush=True)
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
        found = f"nothing can be put into the folder {str(spool or tempfile.gettempdir())!r}: {error.strerror}"
        raise InputError(found, "one that can be written to, and that every worker sees") from None
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
