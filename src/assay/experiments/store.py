"""The store of a study: one SQLite file, or any database SQLAlchemy reaches. A finished cell is one transaction."""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError, MissingExtra
from assay.experiments.task import Outcome

if TYPE_CHECKING:
    import sqlalchemy as sa

__all__ = ["Driver", "Store"]

SCHEMA_VERSION = 1
LEASE = 120.0  # a driver that has not been heard of for so many seconds is taken for dead
BEAT = 15.0
CHUNK = 500
CELL = ("dataset", "learner", "repeat", "fold", "data_hash", "learner_hash", "split_hash")
COSTS = ("fit_seconds", "predict_seconds", "model_bytes", "train_cases")


@cache
def _tables() -> Mapping[str, sa.Table]:
    sa = _sqlalchemy()
    meta, word, text, real = sa.MetaData(), sa.String(200), sa.Text(), sa.Float(53)
    return {
        "schema": sa.Table("assay_schema", meta, sa.Column("version", sa.Integer, primary_key=True)),
        "studies": sa.Table("studies", meta, _study(), sa.Column("definition", text)),
        "datasets": sa.Table(
            "datasets",
            meta,
            _study(),
            sa.Column("hash", sa.String(64), primary_key=True),
            sa.Column("classes", text),
            sa.Column("target", sa.LargeBinary),
        ),
        "drivers": sa.Table(
            "drivers",
            meta,
            sa.Column("owner", word, primary_key=True),
            sa.Column("host", word),
            sa.Column("pid", sa.Integer),
            sa.Column("heard", real),
        ),
        "cells": sa.Table(
            "cells",
            meta,
            _study(),
            sa.Column("key", sa.String(64), primary_key=True),
            *(sa.Column(name, sa.Integer if name in ("repeat", "fold") else word) for name in CELL),
            sa.Column("status", sa.String(10), index=True),
            sa.Column("stale", sa.Boolean, default=False),
            sa.Column("owner", word),
            sa.Column("finished", real),
            *(sa.Column(name, sa.BigInteger if name in COSTS[2:] else real) for name in COSTS),
            sa.Column("predictions", sa.LargeBinary),
            sa.Column("error", text),
            sa.Column("warnings", text),
        ),
    }


def _study() -> Any:
    sa = _sqlalchemy()
    return sa.Column("study", sa.String(200), primary_key=True)


class Store:
    """Where a study's cells are kept, whichever programs work on it.

    `place` is the path of an SQLite file, or a database URL such as postgresql+psycopg://user@host/name. A cell is
    to do (`todo`), being run by a driver (`running`), `done` or `failed`; only an update that finds it to do makes it
    a driver's own, so that no two ever run it at once.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder + "/study.db")
    ...     store.define("s", "{}", [], [{"key": "a", "dataset": "iris", "learner": "tree", "repeat": 0, "fold": 0}])
    ...     with store.driver("s") as one:
    ...         first, again = one.claim("a"), one.claim("a")
    ...     store.close()
    >>> first, again
    (True, False)
    """

    def __init__(self, place: str | PathLike[str], *, create: bool = True) -> None:
        sa, self.place = _sqlalchemy(), str(place)
        is_url = "://" in self.place
        if not is_url and not create and not os.path.exists(self.place):  # noqa: PTH110 -- a string, whatever was given
            raise InputError(f"there is no store {self.place!r}", "the store of a study that was run")
        url = self.place if is_url else sa.URL.create("sqlite", database=self.place)
        try:
            self.engine = sa.create_engine(url)
        except (sa.exc.ArgumentError, ImportError) as error:
            raise InputError(
                f"the store {self.place!r} cannot be reached: {error}", "a path or a database URL"
            ) from None
        if self.engine.dialect.name == "sqlite":
            sa.event.listen(self.engine, "connect", _settings)
        self._prepare()

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()

    def _prepare(self) -> None:
        sa, tables = _sqlalchemy(), _tables()
        try:
            self._create()
            with self.engine.begin() as connection:
                self._insert_missing(connection, tables["schema"], [{"version": SCHEMA_VERSION}])
                version = connection.execute(sa.select(sa.func.max(tables["schema"].c.version))).scalar_one()
        except sa.exc.DatabaseError as error:
            why = str(error.orig).split("\n")[0]
            raise InputError(
                f"the store {self.place!r} cannot be used: {why}", "a place that can be written to"
            ) from None
        if version != SCHEMA_VERSION:
            found = f"the store {self.place!r} has schema {version}, this release writes {SCHEMA_VERSION}"
            raise InputError(found, "a newer release of assay, or another store")

    def _create(self) -> None:
        """Make the tables that are missing; where another program makes them at this moment, look again."""
        sa, meta = _sqlalchemy(), _tables()["cells"].metadata
        try:
            meta.create_all(self.engine)
        except sa.exc.DatabaseError:
            meta.create_all(self.engine)

    def define(
        self,
        study: str,
        definition: str,
        datasets: Iterable[Mapping[str, Any]],
        cells: Iterable[Mapping[str, Any]],
        *,
        retry: bool = False,
    ) -> None:
        """Say what the study is now: cells it never had are to do, cells it no longer has are stale, not deleted."""
        sa, tables = _sqlalchemy(), _tables()
        held, studies = tables["cells"], tables["studies"]
        here, rows = held.c.study == study, iter(cells)
        with self.engine.begin() as connection:
            self._insert_missing(connection, studies, [{"study": study, "definition": definition}])
            connection.execute(sa.update(studies).where(studies.c.study == study).values(definition=definition))
            self._insert_missing(connection, tables["datasets"], [{"study": study, **each} for each in datasets])
            connection.execute(sa.update(held).where(here).values(stale=True))
            while some := list(islice(rows, CHUNK)):
                new = [{"study": study, "status": "todo", "stale": False, **cell} for cell in some]
                self._insert_missing(connection, held, new)
                keys = [cell["key"] for cell in some]
                connection.execute(sa.update(held).where(here, held.c.key.in_(keys)).values(stale=False))
            if retry:
                connection.execute(
                    sa.update(held).where(here, held.c.status == "failed").values(status="todo", error=None)
                )

    def definition(self, study: str) -> str:
        """The definition a study was last given."""
        sa, studies = _sqlalchemy(), _tables()["studies"]
        with self.engine.connect() as connection:
            found = connection.execute(sa.select(studies.c.definition).where(studies.c.study == study)).scalar()
            names = connection.execute(sa.select(studies.c.study)).scalars().all()
        if found is None:
            held = ", ".join(repr(name) for name in names) or "none"
            raise InputError(f"the store holds no study {study!r}", f"one of those it has: {held}")
        return str(found)

    def cells(self, study: str, *columns: str, stale: bool = False, **equal: Any) -> list[Mapping[str, Any]]:
        """The cells of a study, or some columns of them, in the order of data set, learner, repeat and fold."""
        sa, held = _sqlalchemy(), _tables()["cells"]
        wanted = [held.c[name] for name in columns or ("key", *CELL, "status")]
        where = [held.c.study == study, held.c.stale == sa.literal(stale)]
        where += [held.c[name] == value for name, value in equal.items()]
        order = [held.c[name] for name in ("dataset", "learner", "repeat", "fold")]
        with self.engine.connect() as connection:
            return list(connection.execute(sa.select(*wanted).where(*where).order_by(*order)).mappings().all())

    def dataset(self, study: str, fingerprint: str) -> tuple[str, bytes]:
        """The classes (as JSON) and the packed true classes of a data set, by its fingerprint."""
        sa, held = _sqlalchemy(), _tables()["datasets"]
        query = sa.select(held.c.classes, held.c.target).where(held.c.study == study, held.c.hash == fingerprint)
        with self.engine.connect() as connection:
            classes, target = connection.execute(query).one()
        return str(classes), bytes(target)

    @contextmanager
    def driver(self, study: str) -> Iterator[Driver]:
        """A program's turn at the study: what it claims is its own until it is finished, left or dead."""
        sa, tables = _sqlalchemy(), _tables()
        driver = Driver(self, study, f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:12]}")
        self._free_the_dead()
        row = {"owner": driver.owner, "host": socket.gethostname(), "pid": os.getpid(), "heard": time.time()}
        with self.engine.begin() as connection:
            connection.execute(sa.insert(tables["drivers"]).values(**row))
        left = threading.Event()
        beating = threading.Thread(target=self._beat, args=(driver.owner, left), daemon=True)
        beating.start()
        try:
            yield driver
        finally:
            left.set()
            beating.join()
            self._free([driver.owner])

    def _beat(self, owner: str, left: threading.Event) -> None:
        sa, drivers = _sqlalchemy(), _tables()["drivers"]
        while not left.wait(BEAT):
            # A beat that fails is no reason to stop: the next one tells as much.
            with suppress(sa.exc.DatabaseError), self.engine.begin() as connection:
                connection.execute(sa.update(drivers).where(drivers.c.owner == owner).values(heard=time.time()))

    def _free_the_dead(self) -> None:
        """Cells that a driver was running when it died are to do again."""
        sa, drivers = _sqlalchemy(), _tables()["drivers"]
        with self.engine.connect() as connection:
            known = connection.execute(sa.select(drivers)).mappings().all()
        self._free([each["owner"] for each in known if _is_dead(each)])

    def _free(self, owners: list[str]) -> None:
        sa, held, drivers = _sqlalchemy(), _tables()["cells"], _tables()["drivers"]
        if not owners:
            return
        with self.engine.begin() as connection:
            theirs = (held.c.owner.in_(owners), held.c.status == "running")
            connection.execute(sa.update(held).where(*theirs).values(status="todo", owner=None))
            connection.execute(sa.delete(drivers).where(drivers.c.owner.in_(owners)))

    def _insert_missing(self, connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
        """Insert what is not there yet; where another program was quicker, its row stays."""
        from sqlalchemy.dialects import postgresql, sqlite

        insert: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}.get(self.engine.dialect.name)
        if insert is None:
            raise AssayError(f"a store in {self.engine.dialect.name} is not supported; use SQLite or PostgreSQL")
        if rows:
            connection.execute(insert(table).on_conflict_do_nothing(), rows)


@dataclass(frozen=True)
class Driver:
    """One program working on a study, by a name nobody else has."""

    store: Store
    study: str
    owner: str

    def claim(self, key: str) -> bool:
        """Make a cell this driver's own; False if it is done or another driver's."""
        return self._changed("todo", key, {"status": "running", "owner": self.owner})

    def finish(self, outcome: Outcome) -> bool:
        """Keep how a cell went; False if it was taken from this driver meanwhile, whose result then stands."""
        found = {name: value for name, value in vars(outcome).items() if name != "key"}
        status = "done" if outcome.error is None else "failed"
        return self._changed("running", outcome.key, {**found, "status": status, "finished": time.time()})

    def _changed(self, status: str, key: str, values: Mapping[str, Any]) -> bool:
        of = {"of_study": self.study, "of_key": key} | ({"of_owner": self.owner} if status == "running" else {})
        with self.store.engine.begin() as connection:
            return bool(connection.execute(_update_from(status), {**of, **values}).rowcount == 1)


@cache
def _update_from(status: str) -> Any:
    """An update of a cell that is in this state, and if it is running, that is the driver's own; built only once."""
    sa, held = _sqlalchemy(), _tables()["cells"]
    where = [held.c.study == sa.bindparam("of_study"), held.c.key == sa.bindparam("of_key"), held.c.status == status]
    where += [held.c.owner == sa.bindparam("of_owner")] if status == "running" else []
    return sa.update(held).where(*where)


def _is_dead(driver: Mapping[str, Any]) -> bool:
    if time.time() - driver["heard"] > LEASE:
        return True
    if driver["host"] != socket.gethostname() or os.name != "posix":
        return False
    try:
        os.kill(driver["pid"], 0)  # asks whether the process is there, and does nothing to it
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _settings(connection: Any, _: Any) -> None:
    """SQLite as several programs can use it: readers never wait, writers wait for one another instead of failing."""
    cursor = connection.cursor()
    for setting in ("busy_timeout = 60000", "journal_mode = WAL", "synchronous = NORMAL"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _sqlalchemy() -> Any:
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtra("SQLAlchemy", extra="learn", purpose="a study's store") from None
    return sqlalchemy
