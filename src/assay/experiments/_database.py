"""The database behind a store: how it is reached, its tables, and where SQLite and PostgreSQL differ."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MissingExtra

if TYPE_CHECKING:
    import sqlalchemy as sa

CELL = ("dataset", "learner", "repeat", "fold", "data_hash", "learner_hash", "split_hash")
COSTS = ("fit_seconds", "predict_seconds", "model_bytes", "train_cases")
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


def without_secrets(place: str) -> str:
    """The place of a store as it may be shown: a password in it is starred out.

    >>> without_secrets("postgresql://ada:se/cr@t@host/db?password=hidden&sslmode=require")
    'postgresql://ada:***@host/db?password=***&sslmode=require'
    >>> without_secrets("results/study.db")
    'results/study.db'
    """
    shown = re.sub(r"://([^:/@]*):.*@", r"://\1:***@", place)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", shown)


def engine_of(place: str | None) -> Any:
    """What reaches the database of a path or URL, or one of this process alone; nothing is connected yet."""
    if place is None:
        # One that several threads reach through connections of their own, which wait for one another as at a file.
        named = {"database": f"file:/assay-{uuid.uuid4().hex}", "query": {"vfs": "memdb", "uri": "true"}}
        return _with_settings(sqlalchemy().create_engine(sqlalchemy().URL.create("sqlite", **named)))
    url = _url(place)
    is_file = url.get_backend_name() == "sqlite"
    try:
        engine = sqlalchemy().create_engine(url, pool_pre_ping=not is_file)
    except ImportError as error:
        if url.drivername == POSTGRESQL:
            raise MissingExtra("psycopg", extra="postgres", purpose="a store in PostgreSQL") from None
        raise _unreachable(place, str(error)) from None
    return _with_settings(engine) if is_file else engine


def _with_settings(engine: Any) -> Any:
    sqlalchemy().event.listen(engine, "connect", _settings)
    return engine


def _url(place: str) -> Any:
    """A path is an SQLite file; PostgreSQL is spoken to through psycopg 3 unless another driver is named."""
    sa = sqlalchemy()
    if "://" not in place:
        return sa.URL.create("sqlite", database=place)
    try:
        url = sa.make_url(place)
    except (sa.exc.ArgumentError, ValueError):  # its own message would repeat the password
        raise _unreachable(place, "this is no database URL") from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername=POSTGRESQL)
    if url.drivername.split("+")[0] not in ("sqlite", "postgresql"):
        raise _unreachable(place, "a store is kept in SQLite or PostgreSQL")
    if "@" in (url.host or ""):
        raise _unreachable(place, "write the @ of a password as %40, or keep the password in ~/.pgpass")
    return url


def _unreachable(place: str, why: str) -> InputError:
    needed = "the path of a file, or a URL such as postgresql://user@host/database"
    return InputError(f"the store {without_secrets(place)!r} cannot be reached: {why}", needed)


def _settings(connection: Any, _: Any) -> None:
    """SQLite as several programs can use it: readers never wait, writers wait for one another instead of failing."""
    cursor = connection.cursor()
    for setting in ("busy_timeout = 60000", "journal_mode = WAL", "synchronous = NORMAL"):
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()


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
        "studies": sa.Table("studies", meta, _study(), sa.Column("definition", text)),
        "datasets": sa.Table(
            "datasets",
            meta,
            _study(),
            sa.Column("hash", sa.String(64), primary_key=True),
            sa.Column("classes", text),
            sa.Column("target", sa.LargeBinary),
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
            _study(),
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
        ),
    }


def _study() -> Any:
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
