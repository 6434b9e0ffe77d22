"""What handlers work on: the served folder, what was opened in it, and what was allowed when it was started.

What was opened in a folder, and how: a small SQLite file beside the files, so that links reopen a view.

Work that takes its time: done once in a thread of its own, told while it is done, kept while it is asked for.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import re
import secrets
import shutil
import sqlite3
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import AssayError, InputError, UnknownName
from assay.sources import LISTENER
from assay.sources.sqlite import refuse_queries

__all__ = ["LIBRARY", "UPLOADS", "Job", "Jobs", "Library", "LibraryItem", "Opened", "Workbench"]


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
            refuse_queries(connection.execute, LIBRARY, "another folder, or moving that file away")
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables and (ours, layout) == (OURS, AS_PYTHON):
                _without_python(connection)
            elif tables and (ours, layout) != (OURS, LAYOUT):
                found = f"{LIBRARY} is not a list of this version of the workbench"
                raise InputError(found, "another folder, or moving that file away")
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
            row = (own, kind, _sqlite_text(name), json.dumps(said), made.line, made.at)
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
            raise UnknownName("nothing was opened at this address", "an entry of Opened before")
        return found

    def all(self) -> list[Opened]:
        """Everything, the last one first."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT id, kind, name, options, line, at FROM opened ORDER BY at DESC"
            ).fetchall()
        return [_item_from_row(row) for row in rows]

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
            raise InputError(f"{LIBRARY} cannot be used: {error}", "a writable folder") from None


def _item_from_row(row: tuple[Any, ...]) -> LibraryItem:
    """A line of the list, if it can be one of ours: ids and names of options become words of Python."""
    own, kind, name, options, line, at = row
    try:
        said = json.loads(options)
        is_ours = ID.fullmatch(own) is not None and all(each.isidentifier() for each in said)
    except (TypeError, ValueError, AttributeError):
        is_ours = False
    if not (is_ours and isinstance(said, dict) and isinstance(kind, str) and isinstance(name, str)):
        raise InputError(f"{LIBRARY} has an invalid entry {str(name)[:60]!r}", "moving that file away")
    return LibraryItem(own, kind, name, said, line, at)


def _without_python(connection: sqlite3.Connection) -> None:
    """Leave out the steps of the first layout; the log says that there were some."""
    (steps,) = connection.execute("SELECT count(*) FROM steps").fetchone()
    connection.execute("DROP TABLE steps")
    connection.execute(STEPS)
    if steps:
        connection.execute("INSERT INTO steps (opened, kind, said) VALUES ('', 'earlier', '{}')")
    connection.execute(f"PRAGMA user_version={LAYOUT}")


def _sqlite_text(name: str) -> str:
    """A name as SQLite takes it: what is no character is kept as an escape."""
    return name.encode("utf-8", "backslashreplace").decode()


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
                raise UnknownName("this task no longer exists", "reloading the page")
            return self._jobs[id]


# Where files go that a browser sent, beside the folder's own.
UPLOADS = "uploads"
UPLOAD_CAP = 2_000_000_000
# What is being sent lies there until it is whole; after so many seconds without a byte nobody is sending it any more.
PARTS, ABANDONED = ".assay-part-", 600.0


class Workbench:
    """A served folder: whatever is read or written lies in it, links that lead out of it lead nowhere.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Workbench(Path(folder)).file("../etc/passwd")
    Traceback (most recent call last):
    assay.errors.InputError: '../etc/passwd' is not in the served folder; needed: a file in it
    """

    def __init__(self, folder: Path, *, allow: tuple[str, ...] = (), upload: int = UPLOAD_CAP) -> None:
        if not folder.is_dir():
            raise InputError(f"{str(folder)!r} is not a folder", "the folder with the files")
        self.folder = folder.resolve()
        self.allow = allow
        self.upload = upload
        self.listing = Library(self.folder)
        self.door = Door()
        self.jobs = Jobs()
        self._clear_parts()
        self.address = ""

    def file(self, name: str) -> Path:
        """The file that a name means, if it lies in the folder, whatever links say."""
        refused = InputError(f"{name[:120]!r} is not in the served folder", "a file in it")
        try:
            path = (self.folder / name).resolve()
            is_inside = path.is_relative_to(self.folder) and path.is_file()
        except (OSError, ValueError, RuntimeError):
            raise refused from None
        if not is_inside or any(part.startswith(".") for part in path.relative_to(self.folder).parts):
            raise refused
        if path.name.startswith(LIBRARY):
            raise refused
        return path

    @contextmanager
    def receiving(self) -> Iterator[Path]:
        """A folder of its own for what a browser is sending, gone afterwards with what nobody kept."""
        with tempfile.TemporaryDirectory(prefix=PARTS, dir=self.folder, ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def _clear_parts(self) -> None:
        """Take away what was being sent when a server was killed; what another one may still be taking in stays."""
        for left in self.folder.glob(f"{PARTS}*"):
            newest = max((each.stat().st_mtime for each in (left, *left.glob("*"))), default=0.0)
            if left.is_dir() and not left.is_symlink() and newest < time.time() - ABANDONED:
                shutil.rmtree(left, ignore_errors=True)

    def name_of(self, path: Path) -> str:
        """What a file of the folder is called from there."""
        return path.relative_to(self.folder).as_posix()


class Door:
    """Who may come in: whoever has the link, which is good for once, and then the cookie that it gave.

    >>> door = Door()
    >>> cookie = door.admit(door.token)
    >>> door.knows(cookie), door.knows("guessed")
    (True, False)
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._cookie = secrets.token_urlsafe(32)
        self.on_used: Callable[[], None] = lambda: None

    def admit(self, token: str) -> str:
        """The cookie for whoever has the link, which then is another one; nothing for whoever has not."""
        if not hmac.compare_digest(token.encode(), self.token.encode()):
            return ""
        self.token = secrets.token_urlsafe(32)
        self.on_used()
        return self._cookie

    def knows(self, cookie: str) -> bool:
        """Whether this is the cookie."""
        return hmac.compare_digest(cookie.encode(), self._cookie.encode())
