"""The store of a study: one SQLite file, or a PostgreSQL database for a team. A finished cell is one transaction."""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import Any, TypeVar

from assay.errors import AssayError, InputError, OptionError
from assay.experiments._database import (
    CELL,
    IN_MEMORY,
    alone,
    claiming,
    engine_of,
    finishing,
    insert_missing,
    now,
    sqlalchemy,
    tables,
    without_secrets,
)
from assay.experiments.task import CellOutcome

T = TypeVar("T")

SCHEMA_VERSION = 1
LEASE = 120.0  # a driver that has not been heard of for so many seconds is taken for dead
BEATS = 8  # in the time of a lease, so that a few may fail
CHUNK = 500
LOOKED_THROUGH = 25  # cells of which a claim takes the first that are to do
PAUSES = (1, 2, 4, 8, 15, 30)  # seconds between tries while a database does not answer


class Store:
    """Where a study's cells are kept, whichever programs work on it.

    `place` is the path of an SQLite file, or a database URL such as postgresql://user@host/name; without one the cells
    are kept in memory, until nobody holds the store any more or `save` puts them into a file. A cell is to do
    (`todo`), being run by a driver (`running`), `done` or `failed`; only an update that finds it to do makes it a
    driver's own, so that no two ever run it at once.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder + "/study.db")
    ...     store.define("s", "{}", [], [{"key": "a", "dataset": "iris", "learner": "tree", "repeat": 0, "fold": 0}])
    ...     with store.driver("s") as one:
    ...         first, again = one.claim(["a"]), one.claim(["a"])
    ...     store.close()
    >>> first, again
    (['a'], [])
    """

    _letting_go: Callable[[], Any] | None = None

    def __init__(self, place: str | PathLike[str] | None = None, *, create: bool = True) -> None:
        self.place = IN_MEMORY if place is None else str(place)
        if "://" not in self.place and not create and not os.path.exists(self.place):  # noqa: PTH110 -- a string
            raise InputError(f"there is no store {self.place!r}", "the store of a study that was run")
        self.engine = engine_of(None if place is None else self.place)
        if place is None:
            # It lasts as long as there is a connection to it; whoever made none has nothing to close either.
            kept = self.engine.raw_connection()
            self._letting_go = weakref.finalize(self, _let_go, kept, self.engine)
        self._prepare()

    def __repr__(self) -> str:
        return f"Store({without_secrets(self.place)!r})"

    def close(self) -> None:
        """Let go of every connection; what was kept in memory is gone then."""
        if self._letting_go is not None:
            self._letting_go()
        self.engine.dispose()

    def save(self, path: str | PathLike[str]) -> None:
        """Copy everything into a new SQLite file, whoever else is writing meanwhile."""
        if self.engine.dialect.name != "sqlite":
            raise OptionError(f"the store {without_secrets(self.place)!r} is a server's", "its own tools to copy it")
        if os.path.exists(path):  # noqa: PTH110 -- a string
            raise InputError(f"there is a file {str(path)!r} already", "a new one, so that nothing is lost")
        try:
            with closing(sqlite3.connect(path)) as copy, closing(self.engine.raw_connection()) as held:
                held.driver_connection.backup(copy)
        except sqlite3.Error as error:
            raise InputError(f"nothing can be written to {str(path)!r}: {error}", "another place") from None

    def _prepare(self) -> None:
        sa, schema = sqlalchemy(), tables()["schema"]
        try:
            self._create()
            with self.engine.begin() as connection:
                insert_missing(connection, schema, [{"version": SCHEMA_VERSION}])
                version = connection.execute(sa.select(sa.func.max(schema.c.version))).scalar_one()
        except sa.exc.DatabaseError as error:
            found = f"the store {without_secrets(self.place)!r} cannot be used: {_first_line(error)}"
            raise InputError(found, "a place that can be written to") from None
        if version != SCHEMA_VERSION:
            found = f"the store {without_secrets(self.place)!r} has schema {version}, this release writes"
            raise InputError(f"{found} {SCHEMA_VERSION}", "a newer release of assay, or another store")

    def _create(self) -> None:
        """Make the tables that are missing; where another program made one of a file at this moment, look again."""
        sa, meta = sqlalchemy(), tables()["cells"].metadata
        for last in (False, True):
            try:
                with self.engine.begin() as connection:
                    alone(connection)
                    meta.create_all(connection)
                return
            except sa.exc.DatabaseError:
                if last:
                    raise

    def define(
        self,
        study: str,
        definition: str,
        datasets: Iterable[Mapping[str, Any]],
        cells: Iterable[Mapping[str, Any]],
        *,
        retry: bool = False,
    ) -> None:
        """Say what the study is now: cells it never had are to do, cells it no longer has are stale, not deleted.

        Only rows that change are touched, so that a driver that joins a study does not hold up those that run it.
        """
        sa, held, studies = sqlalchemy(), tables()["cells"], tables()["studies"]
        here, rows = held.c.study == study, iter(cells)
        with self.engine.begin() as connection:
            alone(connection)
            insert_missing(connection, studies, [{"study": study, "definition": definition}])
            connection.execute(sa.update(studies).where(studies.c.study == study).values(definition=definition))
            insert_missing(connection, tables()["datasets"], [{"study": study, **each} for each in datasets])
            held_now = connection.execute(sa.select(held.c.key, held.c.stale).where(here))
            known = {row.key: row.stale for row in held_now}
            current = set[str]()
            while some := list(islice(rows, CHUNK)):
                new = [{"study": study, "status": "todo", "stale": False, **cell} for cell in some]
                insert_missing(connection, held, [cell for cell in new if cell["key"] not in known])
                current.update(cell["key"] for cell in some)
            _mark(connection, study, [key for key, stale in known.items() if stale and key in current], stale=False)
            _mark(connection, study, [key for key, stale in known.items() if not stale and key not in current])
            if retry:
                failed = sa.update(held).where(here, held.c.status == "failed")
                connection.execute(failed.values(status="todo", error=None))

    def definition(self, study: str) -> str:
        """The definition a study was last given."""
        sa, studies = sqlalchemy(), tables()["studies"]
        with self.engine.connect() as connection:
            found = connection.execute(sa.select(studies.c.definition).where(studies.c.study == study)).scalar()
            names = connection.execute(sa.select(studies.c.study)).scalars().all()
        if found is None:
            held = ", ".join(repr(name) for name in names) or "none"
            raise InputError(f"the store holds no study {study!r}", f"one of those it has: {held}")
        return str(found)

    def progress(self, study: str) -> dict[str, int]:
        """How many cells are to do, running, done and failed."""
        sa, held = sqlalchemy(), tables()["cells"]
        of = (held.c.study == study, held.c.stale == sa.literal(False))
        with self.engine.connect() as connection:
            query = sa.select(held.c.status, sa.func.count().label("cells")).where(*of).group_by(held.c.status)
            found = {row.status: int(row.cells) for row in connection.execute(query)}
        return dict.fromkeys(("todo", "running", "done", "failed"), 0) | found

    def cells(self, study: str, *columns: str, stale: bool = False, **equal: Any) -> list[Mapping[str, Any]]:
        """The cells of a study, or some columns of them, in the order of data set, learner, repeat and fold."""
        sa, held = sqlalchemy(), tables()["cells"]
        wanted = [held.c[name] for name in columns or ("key", *CELL, "status")]
        where = [held.c.study == study, held.c.stale == sa.literal(stale)]
        where += [held.c[name] == value for name, value in equal.items()]
        order = [held.c[name] for name in ("dataset", "learner", "repeat", "fold")]
        with self.engine.connect() as connection:
            return list(connection.execute(sa.select(*wanted).where(*where).order_by(*order)).mappings().all())

    def dataset(self, study: str, fingerprint: str) -> tuple[str, bytes]:
        """The classes (as JSON) and the packed true classes of a data set, by its fingerprint."""
        sa, held = sqlalchemy(), tables()["datasets"]
        query = sa.select(held.c.classes, held.c.target).where(held.c.study == study, held.c.hash == fingerprint)
        with self.engine.connect() as connection:
            classes, target = connection.execute(query).one()
        return str(classes), bytes(target)

    @contextmanager
    def driver(self, study: str, *, lease: float = LEASE) -> Iterator[Driver]:
        """A program's turn at the study: what it claims is its own until it is finished, left or dead.

        `lease` is for how many seconds the others take it for alive after it was last heard of.
        """
        if not lease > 0:
            raise InputError(f"a lease of {lease} seconds", "one of more than 0", {"lease": LEASE})
        driver = Driver(self, study, f"{socket.gethostname()[:150]}-{os.getpid()}-{uuid.uuid4().hex[:12]}")
        self._beat(driver.owner, lease)
        left = threading.Event()
        beating = threading.Thread(target=self._keep_beating, args=(driver.owner, lease, left), daemon=True)
        beating.start()
        try:
            yield driver
        finally:
            left.set()
            beating.join()
            with suppress(sqlalchemy().exc.DatabaseError):  # where it went away, the lease runs out instead
                self._free([driver.owner])

    def _keep_beating(self, owner: str, lease: float, left: threading.Event) -> None:
        while not left.wait(lease / BEATS):
            # A beat that fails is no reason to stop: the next one tells as much.
            with suppress(sqlalchemy().exc.DatabaseError):
                self._beat(owner, lease)

    def _beat(self, owner: str, lease: float) -> None:
        """Renew a driver's lease, also one that was taken from it while it could not be heard."""
        sa, leases = sqlalchemy(), tables()["leases"]
        until = now(self.engine) + lease
        with self.engine.begin() as connection:
            renewed = connection.execute(sa.update(leases).where(leases.c.owner == owner).values(expires=until))
            if renewed.rowcount == 0:
                row = {"owner": owner, "host": socket.gethostname(), "pid": os.getpid(), "expires": until}
                connection.execute(sa.insert(leases).values(**row))

    def free_the_dead(self) -> None:
        """Cells that a driver was running when it died are to do again."""
        sa, held, leases = sqlalchemy(), tables()["cells"], tables()["leases"]
        running = sa.select(held.c.owner).where(held.c.status == "running").distinct()
        with self.engine.connect() as connection:
            # In this order: a driver takes out its lease before it claims, so that whoever runs a cell is seen to live.
            owners = set(connection.execute(running).scalars())
            known = connection.execute(sa.select(leases, (leases.c.expires < now(self.engine)).label("over")))
            holders = {each["owner"]: each["over"] or self._is_gone(each) for each in known.mappings()}
        self._free([owner for owner in owners | set(holders) if holders.get(owner, True)])

    def _is_gone(self, lease: Mapping[str, Any]) -> bool:
        """Whether a driver's process has ended; told of a file's drivers only, which are all on this machine."""
        if self.engine.dialect.name != "sqlite" or lease["host"] != socket.gethostname() or os.name != "posix":
            return False
        try:
            os.kill(lease["pid"], 0)  # asks whether the process is there, and does nothing to it
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return False

    def _free(self, owners: Collection[str], *, leave: bool = True) -> None:
        sa, held, leases = sqlalchemy(), tables()["cells"], tables()["leases"]
        if not owners:
            return
        with self.engine.begin() as connection:
            alone(connection)
            theirs = (held.c.owner.in_(owners), held.c.status == "running")
            connection.execute(sa.update(held).where(*theirs).values(status="todo", owner=None))
            if leave:
                connection.execute(sa.delete(leases).where(leases.c.owner.in_(owners)))


@dataclass(frozen=True)
class Driver:
    """One program working on a study, by a name nobody else has."""

    store: Store
    study: str
    owner: str

    def claim(self, keys: Sequence[str], most: int = 1) -> list[str]:
        """Make the first of these cells that are to do this driver's own, and say which; at most so many of them."""
        if not keys:
            return []
        asked = {"of_study": self.study, "of_keys": list(keys), "at_most": most, "new_owner": self.owner}
        with self.store.engine.begin() as connection:
            mine = set(connection.execute(claiming(), asked).scalars())
        return [key for key in keys if key in mine]

    def take(self, keys: Iterable[str], most: int = 1) -> Iterator[str]:
        """The cells of these that are still to do, each claimed before it is given out, some at a time."""
        waiting = iter(keys)
        while some := list(islice(waiting, LOOKED_THROUGH)):
            while mine := self._patiently(self.claim, some, most):
                yield from mine
                some = [key for key in some if key not in mine]

    def finish(self, outcome: CellOutcome) -> bool:
        """Keep how a cell went; False if it was taken from this driver meanwhile, whose result then stands."""
        found = {name: _plain(value) for name, value in vars(outcome).items() if name != "key"}
        of = {"of_study": self.study, "of_key": outcome.key, "of_owner": self.owner}
        status = "done" if outcome.error is None else "failed"

        def finish() -> bool:
            with self.store.engine.begin() as connection:
                done = connection.execute(finishing(), {**of, **found, "status": status, "finished": time.time()})
                return bool(done.rowcount == 1)

        return self._patiently(finish)

    def left(self) -> dict[str, int]:
        """How many cells are to do and how many others run, once the dead and this idle driver gave theirs back."""

        def count() -> dict[str, int]:
            self.store._free([self.owner], leave=False)
            self.store.free_the_dead()
            states = self.store.progress(self.study)
            return {state: states[state] for state in ("todo", "running")}

        return self._patiently(count)

    def _patiently(self, work: Callable[..., T], *given: Any) -> T:
        """Ask again while the database does not answer: a server that is started anew costs a minute, not the study."""
        sa = sqlalchemy()
        for pause in (*PAUSES, None):
            try:
                return work(*given)
            except sa.exc.OperationalError as error:
                if pause is None:
                    where, why = without_secrets(self.store.place), _first_line(error)
                    raise AssayError(
                        f"the store {where!r} no longer answers: {why}; what was finished is kept, resume the study"
                    ) from None
                time.sleep(pause)
        raise AssertionError


def _let_go(kept: Any, engine: Any) -> None:
    kept.close()
    engine.dispose()


def _mark(connection: Any, study: str, keys: Sequence[str], *, stale: bool = True) -> None:
    sa, held, rest = sqlalchemy(), tables()["cells"], iter(keys)
    while some := list(islice(rest, CHUNK)):
        connection.execute(sa.update(held).where(held.c.study == study, held.c.key.in_(some)).values(stale=stale))


def _plain(value: Any) -> Any:
    """A text as every database takes it: without zero bytes and halves of characters."""
    if not isinstance(value, str):
        return value
    return value.replace("\0", "\\0").encode("utf-8", "backslashreplace").decode("utf-8")


def _first_line(error: Any) -> str:
    return str(error.orig).strip().split("\n")[0]
