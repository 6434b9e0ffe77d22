"""What was opened in a folder, and how: a small SQLite file beside the files, so that links reopen a view."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import InputError, UnknownName
from assay.sources.sqlite import refuse_queries

__all__ = ["LIBRARY", "Library", "LibraryItem", "Opened"]

LIBRARY = "assay-workbench.sqlite"
# What SQLite keeps for the program that made a file, so that another's is not taken for ours; and how it is laid out.
OURS, LAYOUT = 0x41535759, 2
STEPS = "CREATE TABLE steps (number INTEGER PRIMARY KEY, opened TEXT, kind TEXT, said TEXT)"
TABLES = (
    "CREATE TABLE opened (id TEXT PRIMARY KEY, kind TEXT, name TEXT, options TEXT, line TEXT, at REAL)",
    STEPS,
)
PORTS = "CREATE TABLE IF NOT EXISTS served (port INTEGER)"
UNRESERVED = range(1024, 65536)
# The first layout kept steps as Python, which a copy of the folder from elsewhere may hold anything in.
AS_PYTHON = 1


ID = re.compile("[0-9a-f]{12}")


@dataclass(frozen=True)
class LibraryItem:
    """Something that was opened: `kind` file, demo, counts, stream, ...; `name` its path in the folder."""

    id: str
    kind: str
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    line: str = ""
    at: float = 0.0


Opened = LibraryItem


class Library:
    """The list of what was opened; it stays when the server ends, however it ends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / LIBRARY
        with self._connected() as connection:
            (ours,), (layout,) = (
                connection.execute(f"PRAGMA {each}").fetchone() for each in ("application_id", "user_version")
            )
            refuse_queries(connection.execute, LIBRARY, "another folder, or that file moved away")
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and (ours, layout) == (OURS, AS_PYTHON):
                _without_python(connection)
            elif tables and (ours, layout) != (OURS, LAYOUT):
                found = f"{LIBRARY} is there, and no list that this version of the workbench made"
                raise InputError(found, "another folder, or that file moved away")
            if not tables:
                for statement in (*TABLES, f"PRAGMA application_id={OURS}", f"PRAGMA user_version={LAYOUT}"):
                    connection.execute(statement)
        self.all()  # a list that is not ours is refused before anything is served

    def keep(self, kind: str, name: str, options: Mapping[str, Any] | None = None, key: str = "") -> Opened:
        """Put something on top of the list; opened again it keeps its id, and its options unless others are given."""
        own = hashlib.sha256(f"{kind}\n{name}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        with self._connected() as connection:
            held = connection.execute("SELECT options, line FROM opened WHERE id = ?", (own,)).fetchone()
            said = json.loads(held[0]) if held and options is None else dict(options or {})
            # On top also where the clock has gone backwards since the last one was opened.
            (newest,) = connection.execute("SELECT coalesce(max(at), 0.0) FROM opened").fetchone()
            made = Opened(
                own, kind, name, said, held[1] if held else "", max(time.time(), math.nextafter(newest, math.inf))
            )
            row = (own, kind, _text(name), json.dumps(said), made.line, made.at)
            connection.execute("INSERT OR REPLACE INTO opened VALUES (?, ?, ?, ?, ?, ?)", row)
        return made

    def say(self, id: str, line: str) -> None:  # noqa: A002 -- what it is called everywhere
        """Keep the one line that the list shows of it."""
        with self._connected() as connection:
            connection.execute("UPDATE opened SET line = ? WHERE id = ?", (line, id))

    def find(self, id: str) -> Opened:  # noqa: A002
        """What goes by an id."""
        found = next((one for one in self.all() if one.id == id), None)
        if found is None:
            raise UnknownName("nothing was opened by this address", "one of those listed under Opened before")
        return found

    def all(self) -> list[Opened]:
        """Everything, the last one first."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT id, kind, name, options, line, at FROM opened ORDER BY at DESC"
            ).fetchall()
        return [_item(row) for row in rows]

    def forget(self, id: str) -> None:  # noqa: A002
        """Take it off the list; the file stays."""
        with self._connected() as connection:
            connection.execute("DELETE FROM opened WHERE id = ?", (id,))

    def note(self, id: str, kind: str, said: Mapping[str, Any]) -> None:  # noqa: A002
        """Add a step to the log, unless it is the last of its kind that was done to this."""
        text = json.dumps(said)
        with self._connected() as connection:
            last = "SELECT said FROM steps WHERE opened = ? AND kind = ? ORDER BY number DESC LIMIT 1"
            if connection.execute(last, (id, kind)).fetchone() != (text,):
                connection.execute("INSERT INTO steps (opened, kind, said) VALUES (?, ?, ?)", (id, kind, text))

    def steps(self) -> list[tuple[Any, Any, Any]]:
        """The log in its order: what a step was done to, its kind, and what it says, as they are kept."""
        with self._connected() as connection:
            return connection.execute("SELECT opened, kind, said FROM steps ORDER BY number").fetchall()

    def last_port(self) -> int:
        """The port at which this folder was served last; 0 where none is known that any user may listen at."""
        with self._connected() as connection:
            connection.execute(PORTS)
            row = connection.execute("SELECT port FROM served").fetchone()
        return row[0] if row and isinstance(row[0], int) and row[0] in UNRESERVED else 0

    def keep_port(self, port: int) -> None:
        """Keep the port at which this folder is served."""
        with self._connected() as connection:
            connection.execute(PORTS)
            connection.execute("DELETE FROM served")
            connection.execute("INSERT INTO served VALUES (?)", (port,))

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """A connection for one change of what else is kept beside the list."""
        return self._connected()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection for one change, which is there whole or not at all."""
        try:
            with closing(sqlite3.connect(self.path, timeout=10, isolation_level=None)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(f"{LIBRARY} cannot be used: {error}", "a folder that can be written to") from None


def _item(row: tuple[Any, ...]) -> LibraryItem:
    """A line of the list, if it can be one of ours: ids and names of options become words of Python."""
    own, kind, name, options, line, at = row
    try:
        said = json.loads(options)
        is_ours = ID.fullmatch(own) is not None and all(each.isidentifier() for each in said)
    except (TypeError, ValueError, AttributeError):
        is_ours = False
    if not (is_ours and isinstance(said, dict) and isinstance(kind, str) and isinstance(name, str)):
        raise InputError(f"{LIBRARY} lists {str(name)[:60]!r} as this workbench does not", "that file moved away")
    return LibraryItem(own, kind, name, said, line, at)


def _without_python(connection: sqlite3.Connection) -> None:
    """Leave out the steps of the first layout; the log says that there were some."""
    (steps,) = connection.execute("SELECT count(*) FROM steps").fetchone()
    connection.execute("DROP TABLE steps")
    connection.execute(STEPS)
    if steps:
        connection.execute("INSERT INTO steps (opened, kind, said) VALUES ('', 'earlier', '{}')")
    connection.execute(f"PRAGMA user_version={LAYOUT}")


def _text(name: str) -> str:
    """A name as SQLite takes it: what is no character is kept as an escape."""
    return name.encode("utf-8", "backslashreplace").decode()
