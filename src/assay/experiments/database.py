"""The database behind a store: how it is reached, its tables, and where SQLite and PostgreSQL differ.

What a store holds of a cell or a data set, checked before it is believed: a checksum, or the shape of every part.

What one fitted model said of some cases, as arrays and as the bytes that a store keeps of them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sqlite3
import time
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, MissingExtra
from assay.sources import UnpackingLimit

if TYPE_CHECKING:
    import sqlalchemy as sa


CELL = ("dataset", "learner", "repeat", "fold", "data_hash", "learner_hash", "split_hash")
COSTS = ("fit_seconds", "predict_seconds", "model_bytes", "train_cases")
PART = ("key", "part", "cases", "figures", "predictions")  # what is kept of a part that is not tested on
POSTGRESQL = "postgresql+psycopg"
IN_MEMORY = "memory"  # what a store that is no file is called where it is shown
LOCK = 4_277_001_977  # any number will do, as long as every program takes the same


def sqlalchemy() -> Any:
    """SQLAlchemy, or how to get it."""
    try:
        import sqlalchemy
    except ImportError:
        raise MissingExtra("SQLAlchemy", extra="learn", purpose="a study's store") from None
    return sqlalchemy


# What may be shown of what a database URL asks for; anything else could be a secret.
SHOWN = ("sslmode", "host", "port", "user", "dbname", "connect_timeout", "application_name", "target_session_attrs")
SECRET = re.compile(r"([\w%]*(?:pass|secret|token|key)[\w%]*\s*=\s*)[^&\s;]+", re.IGNORECASE)


def without_secrets(place: str) -> str:
    """The place of a store as it may be shown: whatever could be a secret in it is starred out.

    >>> without_secrets("postgresql://ada:se/cr@t@host/db?sslpassword=hidden&sslmode=require")
    'postgresql://ada:***@host/db?sslpassword=***&sslmode=require'
    >>> without_secrets("results/study.db")
    'results/study.db'
    """
    if "://" not in place:
        return SECRET.sub(r"\1***", place)
    address, mark, asked = re.sub(r"://([^:/?@]*):.*@", r"://\1:***@", place).partition("?")
    each = (part.partition("=") for part in re.split("[&;]", asked))
    shown = (name + equal + (value if name in SHOWN or not value else "***") for name, equal, value in each)
    return address + mark + "&".join(shown)


class StoreError(InputError):
    """A database that does not answer as it should; `passing` says whether it may if it is asked again."""

    def __init__(self, found: str, needed: str = "", *, passing: bool = False) -> None:
        super().__init__(found, needed)
        self.passing = passing


# What a database says of a fault that no waiting mends, and what is needed then.
LASTING = {
    "malformed|not a database|no such|does not exist|is encrypted|undefined": (
        "a store of assay, or an undamaged copy"
    ),
    "full|space": "free disk space; finished runs are stored, then resume the study",
    "disk i/o|readonly|read-only|permission|unable to open|privilege": "a writable place; finished runs are stored",
}


@contextmanager
def one_sentence(place: str) -> Iterator[None]:
    """Whatever a database has to say against what it is asked becomes one sentence, without the SQL and the secrets."""
    try:
        yield
    except (sqlalchemy().exc.SQLAlchemyError, OverflowError, UnicodeError) as error:
        why = _error_without_secrets(error, place)
        needed = next((said for kind, said in LASTING.items() if re.search(kind, why.lower())), None)
        passing = needed is None and isinstance(error, sqlalchemy().exc.OperationalError)
        if passing:
            found = f"the store {without_secrets(place)!r} does not respond: {why}; finished runs are stored"
            raise StoreError(f"{found}, resume the study", passing=True) from None
        needed = needed or "a writable store of assay"
        raise StoreError(f"the store {without_secrets(place)!r} cannot be used: {why}", needed) from None


def _error_without_secrets(error: Any, place: str) -> str:
    why = str(getattr(error, "orig", None) or error).strip().split("\n")[0][:200]
    asked = (part.partition("=") for part in re.split("[&;]", place.partition("?")[2]))
    secrets = re.findall(r"://[^:/?@]*:(.*)@", place) + [value for name, _, value in asked if name not in SHOWN]
    for secret in filter(None, secrets):
        why = why.replace(secret, "***")
    return why


@contextmanager
def transaction(engine: Any, place: str, *, writes: bool = False) -> Iterator[Any]:
    """All of what is done in the block, or nothing of it."""
    with one_sentence(place), engine.connect() as connection:
        connection.execution_options(writes=writes)
        with connection.begin():
            yield connection


def engine_of(place: str | None) -> Any:
    """What reaches the database of a path or URL, or one of this process alone; nothing is connected yet."""
    if place is None:
        # One that several threads reach through connections of their own, which wait for one another as at a file.
        named = {"database": f"file:/assay-{uuid.uuid4().hex}", "query": {"vfs": "memdb", "uri": "true"}}
        return _register_engine_events(sqlalchemy().create_engine(sqlalchemy().URL.create("sqlite", **named)))
    url = _database_url(place)
    is_file = url.get_backend_name() == "sqlite"
    try:
        engine = sqlalchemy().create_engine(url, pool_pre_ping=not is_file)
    except ImportError as error:
        if url.drivername == POSTGRESQL:
            raise MissingExtra("psycopg", extra="postgres", purpose="a store in PostgreSQL") from None
        raise _unreachable_store_error(place, str(error)) from None
    return _register_engine_events(engine) if is_file else engine


def _register_engine_events(engine: Any) -> Any:
    sqlalchemy().event.listen(engine, "connect", _configure_sqlite)
    sqlalchemy().event.listen(engine, "begin", _begin_transaction)
    return engine


def _database_url(place: str) -> Any:
    """A path is an SQLite file; PostgreSQL is spoken to through psycopg 3 unless another driver is named."""
    sa = sqlalchemy()
    if "://" not in place:
        return sa.URL.create("sqlite", database=os.path.abspath(place))  # noqa: PTH100 -- a string
    try:
        url = sa.make_url(place)
    except (sa.exc.ArgumentError, ValueError):  # its own message would repeat the password
        raise _unreachable_store_error(place, "not a database URL") from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername=POSTGRESQL)
    if url.drivername.split("+")[0] not in ("sqlite", "postgresql"):
        raise _unreachable_store_error(place, "a store is an SQLite file or a PostgreSQL database")
    if "@" in (url.host or ""):
        raise _unreachable_store_error(place, "write the @ of a password as %40, or keep the password in ~/.pgpass")
    return url


def _unreachable_store_error(place: str, why: str) -> InputError:
    needed = "the path of a file, or a URL such as postgresql://user@host/database"
    return InputError(f"the store {without_secrets(place)!r} cannot be reached: {why}", needed)


def _configure_sqlite(connection: Any, _: Any) -> None:
    """SQLite as several programs can use it: writers wait for one another instead of failing."""
    connection.isolation_level = None  # transactions are begun by `_begin`, so that they hold tables as well as rows
    # One text that was damaged must not keep the others from being read; its checksum tells.
    connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
    cursor = connection.cursor()
    for setting in ("busy_timeout = 60000", "synchronous = NORMAL"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


def _begin_transaction(connection: sa.Connection) -> None:
    """Who will write says so at once: one who looked first might find that another wrote meanwhile."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def readers_never_wait(engine: Any, place: str) -> None:
    """An SQLite file is from now on written beside what is read; it stays so."""
    if engine.dialect.name == "sqlite":
        with one_sentence(place), closing(engine.raw_connection()) as connection:
            try:
                connection.driver_connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):  # another program that just begins says the same
                    raise sqlalchemy().exc.OperationalError("", {}, error) from error


def remove_empty(place: Path) -> None:
    """Remove a database that could not be made, as on a full disk; one that holds anything, for whomever, stays."""
    beside = [place.with_name(place.name + end) for end in ("-wal", "-journal")]
    with suppress(OSError, sqlite3.Error):
        if any(each.exists() and each.stat().st_size for each in beside):
            return
        if place.stat().st_size:
            # What stands in the file itself: on a full disk it cannot be opened in any other way.
            with closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as held:
                if held.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
                    return
        for each in (place, *beside, place.with_name(f"{place.name}-shm")):
            each.unlink(missing_ok=True)


def now(engine: sa.Engine) -> Any:
    """The time by the one clock that all drivers share: the server's, or this machine's for a file."""
    sa = sqlalchemy()
    if engine.dialect.name == "sqlite":
        return sa.literal(time.time())
    return sa.cast(sa.extract("epoch", sa.func.clock_timestamp()), sa.Float(53))


def alone(connection: sa.Connection) -> None:
    """Until the transaction ends, no other program changes many rows at once: two that did would block each other.

    An SQLite file has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        sa = sqlalchemy()
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))


def insert_missing(connection: sa.Connection, table: sa.Table, rows: list[dict[str, Any]]) -> None:
    """Insert what is not there yet; where another program was quicker, its row stays."""
    from sqlalchemy.dialects import postgresql, sqlite

    insert: Any = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}[connection.dialect.name]
    if rows:
        connection.execute(insert(table).on_conflict_do_nothing(), rows)


@cache
def tables() -> Mapping[str, sa.Table]:
    """The tables of a store, by name."""
    sa = sqlalchemy()
    meta, text, real = sa.MetaData(), sa.Text(), sa.Float(53)
    return {
        "schema": sa.Table("assay_schema", meta, sa.Column("version", sa.Integer, primary_key=True)),
        "studies": sa.Table("studies", meta, _study_column(), sa.Column("definition", text), _checksum_column()),
        "datasets": sa.Table(
            "datasets",
            meta,
            _study_column(),
            sa.Column("hash", sa.String(64), primary_key=True),
            sa.Column("classes", text),
            sa.Column("target", sa.LargeBinary),
            _checksum_column(),
        ),
        "models": _models_table(meta),
        # Beside the cells and not among their columns, so that stores without it are read as they are.
        "parts": sa.Table(
            "parts",
            meta,
            _study_column(),
            sa.Column("key", sa.String(64), primary_key=True),
            sa.Column("part", sa.String(10), primary_key=True),
            sa.Column("cases", sa.BigInteger),
            sa.Column("figures", text),
            sa.Column("predictions", sa.LargeBinary),
            _checksum_column(),
        ),
        "leases": sa.Table(
            "leases",
            meta,
            sa.Column("owner", sa.String(200), primary_key=True),
            sa.Column("host", text),
            sa.Column("pid", sa.Integer),
            sa.Column("expires", real),
        ),
        "cells": sa.Table(
            "cells",
            meta,
            _study_column(),
            sa.Column("key", sa.String(64), primary_key=True),
            *(sa.Column(name, sa.Integer if name in ("repeat", "fold") else text) for name in CELL),
            sa.Column("status", sa.String(10), index=True),
            sa.Column("stale", sa.Boolean, default=False),
            sa.Column("owner", sa.String(200)),
            sa.Column("finished", real),
            *(sa.Column(name, sa.BigInteger if name in COSTS[2:] else real) for name in COSTS),
            sa.Column("predictions", sa.LargeBinary),
            sa.Column("error", text),
            sa.Column("warnings", text),
            _checksum_column(),
        ),
    }


def _models_table(meta: Any) -> Any:
    """Models of all cases: beside the other tables, so that a store without them is read as it is."""
    sa = sqlalchemy()
    named = (sa.Column(name, sa.String(200), primary_key=True) for name in ("dataset", "learner"))
    said = (sa.Column(name, sa.Text()) for name in ("made_of", "facts"))
    return sa.Table(
        "models", meta, _study_column(), *named, *said, sa.Column("predictions", sa.LargeBinary), _checksum_column()
    )


def as_held(column: Any) -> Any:
    """A column as the database gives it: one value that is not of its type must not spoil the rest."""
    sa = sqlalchemy()
    return sa.type_coerce(column, sa.types.NullType()).label(column.name)


def _checksum_column() -> Any:
    """What a row says of its other columns; none in rows of releases before schema 2."""
    sa = sqlalchemy()
    return sa.Column("checksum", sa.String(64))


def migrate(connection: sa.Connection) -> None:
    """Give the tables of an older release the columns they lack."""
    sa = sqlalchemy()
    for table in tables().values():
        known = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column in (each for each in table.columns if each.name not in known):
            kind = column.type.compile(connection.dialect)
            connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))


def _study_column() -> Any:
    sa = sqlalchemy()
    return sa.Column("study", sa.String(200), primary_key=True)


@cache
def claiming() -> Any:
    """An update of the first cells that are to do; on PostgreSQL it passes by those another driver is just claiming."""
    sa, held = sqlalchemy(), tables()["cells"]
    here = held.c.study == sa.bindparam("of_study")
    # Wrapped, so that the few cells are found by their keys and not among all that are to do by the index of states.
    is_todo = sa.func.coalesce(held.c.status, "") == "todo"
    wanted = (here, held.c.key.in_(sa.bindparam("of_keys", expanding=True)), is_todo)
    order = (held.c.repeat, held.c.fold, held.c.learner)
    free = sa.select(held.c.key).where(*wanted).order_by(*order).limit(sa.bindparam("at_most"))
    # Named apart, so that PostgreSQL looks for them once: as a part of the condition it may look again, and take more.
    first = sa.select(free.with_for_update(skip_locked=True).cte("first").c.key)
    mine = sa.update(held).where(here, is_todo, held.c.key.in_(first))
    return mine.values(status="running", owner=sa.bindparam("new_owner")).returning(held.c.key)


@cache
def finishing() -> Any:
    """An update of a cell that is still the driver's own."""
    sa, held = sqlalchemy(), tables()["cells"]
    of = {"study": "of_study", "key": "of_key", "owner": "of_owner"}
    its = [held.c[column] == sa.bindparam(name) for column, name in of.items()]
    return sa.update(held).where(*its, held.c.status == "running")


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """What one fitted model said of its test cases: their row numbers, labels, and scores or probabilities if any.

    >>> packed = PredictedRows(np.array([3, 7]), np.array([0, 1]), score=np.array([-0.5, 2.0])).packed()
    >>> PredictedRows.unpacked(packed).score
    array([-0.5,  2. ])
    """

    rows: NDArray[np.integer]
    label: NDArray[np.integer]
    probability: NDArray[np.float64] | None = None
    score: NDArray[np.float64] | None = None

    def __getitem__(self, part: slice) -> PredictedRows:
        """The predictions of some of these cases, by their place."""
        probability, score = (None if each is None else each[part] for each in (self.probability, self.score))
        return PredictedRows(self.rows[part], self.label[part], probability, score)

    def packed(self) -> bytes:
        """The arrays as a compressed npz file: no pickle, so that a store can come from anywhere."""
        kept = {name: values for name, values in vars(self).items() if values is not None}
        buffer = io.BytesIO()
        np.savez_compressed(buffer, allow_pickle=False, **kept)
        return buffer.getvalue()

    @classmethod
    def unpacked(cls, packed: bytes) -> PredictedRows:
        """The arrays of a packed file, which must hold one row number and one label for each case."""
        with suppress(Exception):  # bytes from anywhere: zip, zlib and numpy each have errors of their own
            with zipfile.ZipFile(io.BytesIO(packed)) as members:
                UnpackingLimit("", len(packed)).count(sum(each.file_size for each in members.infolist()))
            with np.load(io.BytesIO(packed), allow_pickle=False) as held:
                found = cls(**{name: held[name] for name in held.files})
            if found._has_valid_shapes():
                return found
        raise InputError("the predictions of a run are damaged", "the study resumed, which repeats the run")

    def _has_valid_shapes(self) -> bool:
        cases = (len(self.rows),)
        kinds = {name: values.dtype.kind for name, values in vars(self).items() if values is not None}
        return (
            kinds == {name: "i" if name in ("rows", "label") else "f" for name in kinds}
            and self.rows.shape == self.label.shape == cases
            and (self.score is None or self.score.shape == cases)
            and (self.probability is None or self.probability.shape == (*cases, *self.probability.shape[1:2]))
        )

    def fits(self, cases: int, classes: int) -> bool:
        """Whether this can be about a data set of so many cases and classes."""
        known = (self.rows >= 0).all() and (self.rows < cases).all()
        # One past the classes is a case that the learner handed on.
        named = (self.label >= 0).all() and (self.label <= classes).all()
        numbers = all(np.isfinite(each).all() for each in (self.probability, self.score) if each is not None)
        wide = self.probability is None or self.probability.shape[1] == classes
        return bool(known and named and numbers and wide and len(self.rows))


STATES = ("todo", "running", "done", "failed")
CHECKED = ("key", *CELL, "status", *COSTS, "predictions", "error", "warnings")


def checksum_of(row: Mapping[str, Any]) -> str:
    """A fingerprint of a row's names and values: any other value of any column gives another one.

    >>> one = {"key": "a", "fold": 1}
    >>> checksum_of(one) == checksum_of({"fold": 1, "key": "a"}), checksum_of(one) == checksum_of({**one, "fold": 2})
    (True, False)
    """
    digest = hashlib.sha256()
    for name in sorted(row):
        value = row[name]
        said = bytes(value) if isinstance(value, bytes | memoryview) else repr(value).encode("utf-8", "surrogatepass")
        digest.update(f"{name} {len(said)} ".encode())
        digest.update(said)
    return digest.hexdigest()


def is_whole(cell: Mapping[str, Any]) -> bool:
    """Whether a cell that ended is as it was written; without a checksum, whether it can be read at all."""
    if cell["status"] not in STATES:
        return False
    if cell["status"] not in STATES[2:]:
        return True
    if cell.get("checksum") is not None:
        return bool(cell["checksum"] == checksum_of({name: cell[name] for name in CHECKED}))
    return _has_valid_cell_types(cell) and (cell["status"] == "failed" or _is_unpackable(cell["predictions"]))


def _has_valid_cell_types(cell: Mapping[str, Any]) -> bool:
    kinds: dict[str, Any] = dict.fromkeys(("key", "dataset", "learner", "data_hash"), str) | {
        "repeat": int,
        "fold": int,
    }
    kinds["error" if cell["status"] == "failed" else "train_cases"] = str if cell["status"] == "failed" else int
    costs = all(cell[name] is None or isinstance(cell[name], float | int) for name in COSTS)
    return costs and all(isinstance(cell[name], kind) for name, kind in kinds.items())


def _is_unpackable(packed: Any) -> bool:
    try:
        PredictedRows.unpacked(packed)
    except InputError:
        return False
    return True


def truth_of(row: Mapping[str, Any]) -> tuple[tuple[str, ...], PredictedRows] | None:
    """The classes of a data set and the true one of every row, or None where what is held is damaged."""
    held = {name: row[name] for name in ("hash", "classes", "target")}
    if row.get("checksum") is not None and row["checksum"] != checksum_of(held):
        return None
    try:
        classes, rows = json.loads(row["classes"]), PredictedRows.unpacked(row["target"])
    except (InputError, TypeError, ValueError, RecursionError):
        return None
    named = isinstance(classes, list) and len(classes) > 1 and all(isinstance(each, str) for each in classes)
    # Every case is of some class: only a learner may hand one on.
    known = named and rows.fits(len(rows.rows), len(classes)) and int(rows.label.max()) < len(classes)
    return (tuple(classes), rows) if known else None
