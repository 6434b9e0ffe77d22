"""Who runs a study now: a lock that the system itself takes back from a program that died, however it died."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

__all__ = ["held", "is_held"]

PATIENCE = 2.0  # seconds, so that whoever only looks whether it is held keeps nobody out


@contextmanager
def held(study: Path) -> Iterator[bool]:
    """Hold the lock of a study for as long as the block lasts; False where another program has it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "flowers.toml")
    ...     before = is_held(file)
    ...     with held(file) as mine:
    ...         before, mine, is_held(file)
    (False, True, True)
    """
    with closing(_connected(study, PATIENCE)) as connection:
        yield _can(connection, "BEGIN EXCLUSIVE")


def is_held(study: Path) -> bool:
    """Whether some program runs the study."""
    if not _place(study).exists():
        return False
    with closing(_connected(study, 0)) as connection:
        # To read needs a lock that any number may have at once: those who look are not taken for one who runs it.
        return not _can(connection, "SELECT count(*) FROM sqlite_master")


def _can(connection: sqlite3.Connection, what: str) -> bool:
    try:
        connection.execute(what)
    except sqlite3.OperationalError:
        return False
    return True


def _connected(study: Path, patience: float) -> sqlite3.Connection:
    # SQLite for its locks alone, which it has on every system; nothing is ever written.
    return sqlite3.connect(_place(study), timeout=patience, isolation_level=None)


def _place(study: Path) -> Path:
    return study.with_name(f".{study.stem}.running")
