"""The store of a study: one SQLite file, or a PostgreSQL database for a team. A finished cell is one transaction.

What a store says a study is: its plan, data sets and learners, questioned before anything is made of it.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
import uuid
import weakref
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

from assay.errors import InputError, OptionError
from assay.experiments.database import (
    CELL,
    CHECKED,
    IN_MEMORY,
    STATES,
    StoreError,
    alone,
    as_held,
    checksum_of,
    engine_of,
    insert_missing,
    is_whole,
    migrate,
    now,
    readers_never_wait,
    remove_empty,
    sqlalchemy,
    tables,
    transaction,
    truth_of,
    without_secrets,
)
from assay.experiments.datasets import Dataset, dataset_of, with_one_positive
from assay.experiments.learners import Learner, refuse_foreign, try_to_make
from assay.experiments.plans import Plan, plan_of, study_seed
from assay.experiments.run_predictions import kept_parts, of_damaged_parts
from assay.experiments.worker import Driver
from assay.request import checked_flag, checked_text
from assay.sources.sqlite import refuse_queries

SCHEMA_VERSION = 2  # 2: every cell, data set and definition has a checksum
LEASE = 120.0  # a driver that has not been heard of for so many seconds is taken for dead
BEATS = 8  # in the time of a lease, so that a few may fail
CHUNK = 200
MENDED = "the study resumed, or run again from its file or program, which repairs them"
PLACE = ("dataset", "learner", "repeat", "fold")


class NoStudy(InputError):
    """A store that holds no study of this name: none was run yet, or its first run ended before any data were read."""


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
            raise InputError(f"no store {without_secrets(self.place)!r}", "the store of a study that was run")
        is_new = place is not None and "://" not in self.place and not os.path.lexists(self.place)
        self.engine = engine_of(None if place is None else self.place)
        self._damage: dict[str, list[Mapping[str, Any]]] = {}  # by study, as they were found when it was opened
        self._left_out: dict[str, frozenset[str]] = {}
        if place is None:
            # It lasts as long as there is a connection to it; whoever made none has nothing to close either.
            kept = self.engine.raw_connection()
            self._letting_go = weakref.finalize(self, _close_connections, kept, self.engine)
        try:
            self.version = self._prepare_schema(create=create)
        except BaseException:
            self.close()
            if is_new:
                remove_empty(Path(self.place))
            raise

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
        target = Path(path)
        half = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
        try:
            if target.exists():
                raise FileExistsError
            with closing(sqlite3.connect(half)) as copy, closing(self.engine.raw_connection()) as held:
                held.driver_connection.backup(copy)
            os.link(half, target)  # under its name it is whole, and takes the place of nothing
        except FileExistsError:
            raise InputError(f"the file {str(path)!r} exists already", "the path of a new file") from None
        except (sqlite3.Error, OSError, ValueError) as error:
            raise InputError(f"nothing can be written to {str(path)!r}: {error}", "another place") from None
        finally:
            with suppress(OSError, ValueError):
                half.unlink()

    def reading(self) -> AbstractContextManager[Any]:
        """A connection that sees the store as it is at one moment."""
        return transaction(self.engine, self.place)

    def changing(self) -> AbstractContextManager[Any]:
        """A connection whose changes are all kept, or none of them."""
        return transaction(self.engine, self.place, writes=True)

    def _prepare_schema(self, *, create: bool) -> int:
        """The version of the store's tables; whoever only reads makes none, and changes none of an older release."""
        sa, schema = sqlalchemy(), tables()["schema"]
        with self.reading() as connection:
            names = set(sa.inspect(connection).get_table_names())
        ours = {table.name for table in tables().values()}
        is_file = self.engine.dialect.name == "sqlite"
        if schema.name not in names and (not create or (names if is_file else names & ours)):
            what = "is another program's database" if names else "has no study"
            needed = "the store of a study that was run" if not create else "a new file"
            kind = InputError if names else NoStudy
            raise kind(f"{without_secrets(self.place)!r} {what}", needed)
        if is_file:
            with self.reading() as connection:
                refuse_queries(connection.exec_driver_sql, self.place, "a store of a study written by assay")
        if create:
            readers_never_wait(self.engine, self.place)
            with self.changing() as connection:
                alone(connection)
                if names:
                    self._refuse_newer_schema(connection)
                schema.metadata.create_all(connection)
                migrate(connection)
                insert_missing(connection, schema, [{"version": SCHEMA_VERSION}])
        with self.reading() as connection:
            return self._refuse_newer_schema(connection)

    def _refuse_newer_schema(self, connection: Any) -> int:
        sa, schema = sqlalchemy(), tables()["schema"]
        version = connection.execute(sa.select(sa.func.max(schema.c.version))).scalar()
        if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
            found = f"the store {without_secrets(self.place)!r} has schema {version}, this release writes"
            raise InputError(f"{found} {SCHEMA_VERSION}", "a newer release of assay, or another store")
        return version

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
        sa, held = sqlalchemy(), tables()["cells"]
        here, rows = held.c.study == study, iter(cells)
        self._damaged_cell_keys(study)
        with self.changing() as connection:
            alone(connection)
            self._write_definition(connection, study, definition, datasets)
            self._delete_damaged_cells(connection, study)
            stale = as_held(held.c.stale)
            known = {row.key: row.stale for row in connection.execute(sa.select(held.c.key, stale).where(here))}
            current = set[str]()
            while some := list(islice(rows, CHUNK)):
                new = [{"study": study, "status": "todo", "stale": False, **cell} for cell in some]
                insert_missing(connection, held, [cell for cell in new if cell["key"] not in known])
                current.update(cell["key"] for cell in some)
            _mark_stale(
                connection,
                study,
                [key for key, old in known.items() if old not in (0,) and key in current],
                stale=False,
            )
            _mark_stale(
                connection, study, [key for key, old in known.items() if old not in (1,) and key not in current]
            )
            if retry:
                failed = sa.update(held).where(here, held.c.status == "failed")
                connection.execute(failed.values(status="todo", error=None, checksum=None))
        self._left_out[study] = frozenset()

    def _write_definition(
        self, connection: Any, study: str, definition: str, datasets: Iterable[Mapping[str, Any]]
    ) -> None:
        """Write the definition and the data sets, in the place of any that are damaged."""
        sa, studies, held = sqlalchemy(), tables()["studies"], tables()["datasets"]
        row = {"study": study, "definition": definition, "checksum": checksum_of({"definition": definition})}
        insert_missing(connection, studies, [row])
        connection.execute(sa.update(studies).where(studies.c.study == study).values(**row))
        for each in datasets:
            its = (held.c.study == study, held.c.hash == each["hash"])
            found = connection.execute(sa.select(*map(as_held, held.c)).where(*its)).mappings().one_or_none()
            if found is not None and truth_of(found) is None:
                connection.execute(sa.delete(held).where(*its))
            insert_missing(connection, held, [{"study": study, **each, "checksum": checksum_of(each)}])

    def _delete_damaged_cells(self, connection: Any, study: str) -> None:
        """Take damaged cells out, so that they are to do again; one that another program has mended stays."""
        sa, held = sqlalchemy(), tables()["cells"]
        for cell in self._damage[study]:
            same = [
                as_held(held.c[name]).is_not_distinct_from(cell[name]) for name in ("status", "checksum", "finished")
            ]
            its = (held.c.study == study, held.c.key == cell["key"], *same)
            connection.execute(sa.delete(held).where(*its))

    def definition(self, study: str) -> str:
        """The definition a study was last given."""
        sa, studies = sqlalchemy(), tables()["studies"]
        checksum = [studies.c.checksum] if self.version > 1 else []
        with self.reading() as connection:
            query = sa.select(studies.c.definition, *checksum).where(studies.c.study == study)
            found = connection.execute(query).one_or_none()
            names = connection.execute(sa.select(studies.c.study)).scalars().all()
        if found is None:
            held = ", ".join(repr(name) for name in names) or "none"
            raise NoStudy(f"unknown study {study!r} in the store", f"one of: {held}")
        text, *written = found
        intact = isinstance(text, str) and written in ([], [None], [checksum_of({"definition": text})])
        return text if intact else ""

    def damaged(self, study: str) -> list[Mapping[str, Any]]:
        """The cells of a study that were damaged when it was opened; to run it is to mend them."""
        self._damaged_cell_keys(study)
        return self._damage[study]

    def _damaged_cell_keys(self, study: str) -> frozenset[str]:
        """The keys of cells that ended and are not as they were written; looked for once, and left out since."""
        if study not in self._left_out:
            sa, held = sqlalchemy(), tables()["cells"]
            columns = [held.c[name] for name in (*CHECKED, "finished", *(["checksum"] if self.version > 1 else []))]
            query = sa.select(*map(as_held, columns)).where(held.c.study == study)
            with self.reading() as connection:
                rows = connection.execute(query, execution_options={"yield_per": CHUNK}).mappings()
                kept = ("key", *PLACE, "status", "finished", "checksum")
                bad: list[Mapping[str, Any]] = [
                    {name: row.get(name) for name in kept} for row in rows if not is_whole(row)
                ]
                bad += of_damaged_parts(connection, study, {each["key"] for each in bad})
            self._damage[study] = bad
            self._left_out[study] = frozenset(each["key"] for each in bad)
        return self._left_out[study]

    def parts(self, study: str, part: str, most: int | None = None, **equal: Any) -> dict[str, Mapping[str, Any]]:
        """What is kept of one part (`train` or `validation`) of cells, by their keys; nothing in an earlier store."""
        damaged = self._damaged_cell_keys(study)
        with self.reading() as connection:
            found = kept_parts(connection, study, part, most, **equal)
        return {row["key"]: row for row in found if row["key"] not in damaged}

    def progress(self, study: str) -> dict[str, int]:
        """How many cells are to do, running, done and failed; those that are damaged are to do again."""
        sa, held = sqlalchemy(), tables()["cells"]
        here, damaged = (held.c.study == study, _current_cells_condition(stale=False)), self._damaged_cell_keys(study)
        counts = sa.select(held.c.status, sa.func.count().label("cells")).where(*here).group_by(held.c.status)
        spoilt = sa.select(held.c.status).where(*here, held.c.key.in_(damaged))
        with self.reading() as connection:
            found = Counter({row.status: int(row.cells) for row in connection.execute(counts)})
            again = Counter(connection.execute(spoilt).scalars()) if damaged else Counter[str]()
        whole = {state: found[state] - again[state] for state in STATES}
        return {**whole, "todo": whole["todo"] + found.total() - sum(whole.values())}

    def cells(self, study: str, *columns: str, stale: bool = False, **equal: Any) -> list[Mapping[str, Any]]:
        """The cells of a study, or some columns of them, in the order of data set, learner, repeat and fold.

        Damaged ones are left out.
        """
        sa, held = sqlalchemy(), tables()["cells"]
        damaged, asked = self._damaged_cell_keys(study), columns or ("key", *CELL, "status")
        wanted = [as_held(held.c[name]) for name in dict.fromkeys((*asked, "key"))]
        where = [held.c.study == study, _current_cells_condition(stale=stale)]
        where += [held.c[name] == value for name, value in equal.items()]
        order = [held.c[name] for name in PLACE]
        with self.reading() as connection:
            found = connection.execute(sa.select(*wanted).where(*where).order_by(*order)).mappings().all()
        return [row for row in found if row["key"] not in damaged]

    def truth(self, study: str, fingerprint: str) -> tuple[tuple[str, ...], Any]:
        """The classes and the true class of every row of a data set, by its fingerprint."""
        sa, held = sqlalchemy(), tables()["datasets"]
        columns = [each for each in held.c if each.name != "checksum" or self.version > 1]
        query = sa.select(*map(as_held, columns)).where(held.c.study == study, held.c.hash == fingerprint)
        with self.reading() as connection:
            row = connection.execute(query).mappings().one_or_none()
        found = None if row is None else truth_of(row)
        if found is None:
            raise InputError("the true labels of a data set in the store are damaged", MENDED)
        return found[0], found[1].label

    @contextmanager
    def driver(self, study: str, *, lease: float = LEASE) -> Iterator[Driver]:
        """A program's turn at the study: what it claims is its own until it is finished, left or dead.

        `lease` is for how many seconds the others take it for alive after it was last heard of.
        """
        if not lease > 0:
            raise InputError(f"a lease of {lease} seconds", "a lease above 0", {"lease": LEASE})
        driver = Driver(self, study, f"{socket.gethostname()[:150]}-{os.getpid()}-{uuid.uuid4().hex[:12]}")
        self._renew_lease(driver.owner, lease)
        left = threading.Event()
        beating = threading.Thread(target=self._renew_lease_periodically, args=(driver.owner, lease, left), daemon=True)
        beating.start()
        try:
            yield driver
        finally:
            left.set()
            beating.join()
            with suppress(StoreError):  # where it went away, the lease runs out instead
                self.free([driver.owner])

    def _renew_lease_periodically(self, owner: str, lease: float, left: threading.Event) -> None:
        while not left.wait(lease / BEATS):
            # A beat that fails is no reason to stop: the next one tells as much.
            with suppress(StoreError):
                self._renew_lease(owner, lease)

    def _renew_lease(self, owner: str, lease: float) -> None:
        """Renew a driver's lease, also one that was taken from it while it could not be heard."""
        sa, leases = sqlalchemy(), tables()["leases"]
        until = now(self.engine) + lease
        with self.changing() as connection:
            renewed = connection.execute(sa.update(leases).where(leases.c.owner == owner).values(expires=until))
            if renewed.rowcount == 0:
                row = {"owner": owner, "host": socket.gethostname(), "pid": os.getpid(), "expires": until}
                connection.execute(sa.insert(leases).values(**row))

    def free_the_dead(self) -> None:
        """Cells that a driver was running when it died are to do again."""
        sa, held, leases = sqlalchemy(), tables()["cells"], tables()["leases"]
        running = sa.select(held.c.owner).where(held.c.status == "running").distinct()
        with self.reading() as connection:
            # In this order: a driver takes out its lease before it claims, so that whoever runs a cell is seen to live.
            owners = set(connection.execute(running).scalars())
            known = connection.execute(sa.select(leases, (leases.c.expires < now(self.engine)).label("over")))
            holders = {each["owner"]: each["over"] or self._has_process_ended(each) for each in known.mappings()}
        self.free([owner for owner in owners | set(holders) if holders.get(owner, True)])

    def _has_process_ended(self, lease: Mapping[str, Any]) -> bool:
        """Whether a driver's process has ended; told of a file's drivers only, which are all on this machine."""
        if self.engine.dialect.name != "sqlite" or lease["host"] != socket.gethostname() or os.name != "posix":
            return False
        try:
            os.kill(lease["pid"], 0)  # asks whether the process is there, and does nothing to it
        except (ProcessLookupError, OverflowError, TypeError):  # gone, or no process ever
            return True
        except PermissionError:
            return False
        return False

    def free(self, owners: Collection[str], *, leave: bool = True) -> None:
        """Make the cells that these drivers run to do again; with `leave`, they are gone for good."""
        sa, held, leases = sqlalchemy(), tables()["cells"], tables()["leases"]
        if not owners:
            return
        with self.changing() as connection:
            alone(connection)
            theirs = (held.c.owner.in_(owners), held.c.status == "running")
            connection.execute(sa.update(held).where(*theirs).values(status="todo", owner=None))
            if leave:
                connection.execute(sa.delete(leases).where(leases.c.owner.in_(owners)))


def _close_connections(kept: Any, engine: Any) -> None:
    kept.close()
    engine.dispose()


def _current_cells_condition(*, stale: bool) -> Any:
    """Cells that are of the study as it is now, or (`stale`) as it was; a mark that is lost counts as the first."""
    sa, held = sqlalchemy(), tables()["cells"]
    return sa.func.coalesce(held.c.stale, sa.literal(False)) == sa.literal(stale)


def _mark_stale(connection: Any, study: str, keys: Sequence[str], *, stale: bool = True) -> None:
    sa, held, rest = sqlalchemy(), tables()["cells"], iter(keys)
    while some := list(islice(rest, CHUNK)):
        connection.execute(sa.update(held).where(held.c.study == study, held.c.key.in_(some)).values(stale=stale))


LONGEST = 200  # characters of a study's name


@dataclass(frozen=True, eq=False)
class Definition:
    """A study as it was written down: `datasets` and `learners` are records with a name and how to make it again."""

    plan: Plan
    seed: int
    datasets: tuple[Mapping[str, Any], ...]
    learners: tuple[Mapping[str, Any], ...]
    keep_models: bool = False
    positive: str | None = None

    def names(self, kind: str) -> tuple[str, ...]:
        """What the data sets or the learners are called."""
        return tuple(each["name"] for each in getattr(self, kind))

    def read_again(self) -> tuple[Dataset, ...]:
        """The data sets, from where they came."""
        lost = next((each["name"] for each in self.datasets if each["origin"] is None), None)
        if lost is not None:
            found = f"data set {lost!r} was given as arrays or a frame"
            raise InputError(found, "experiment() called again in the program with the data")
        read = [replace(dataset_of(each["origin"]), name=each["name"]) for each in self.datasets]
        return with_one_positive(read, self.positive)

    def made_again(self, allow: tuple[str, ...]) -> tuple[Learner, ...]:
        """The learners, of packages that may be imported."""
        learners = tuple(Learner(each["name"], each["recipe"], is_preset=each["preset"]) for each in self.learners)
        for one in learners:
            if "object" in one.recipe:
                needed = "experiment() called again in the program with the learner"
                raise InputError(f"learner {one.name!r} was given as an object", needed)
            refuse_foreign(one.recipe, allow)
            try_to_make(one)
        return learners


def definition_of(store: Store, study: str) -> Definition:
    """The definition a study was last given, or that it is damaged."""
    text = store.definition(study)
    try:
        said = json.loads(text)
        data, learners = (
            tuple(map(_dataset_from_record, said["datasets"])),
            tuple(map(_learner_from_record, said["learners"])),
        )
        if not data or not learners:
            raise OptionError("a study without data sets or learners")
        keep_models = checked_flag(said.get("keep_models", False), "keep_models")
        positive = None if said.get("positive") is None else checked_text(said["positive"], "positive")
        return Definition(plan_of(said["plan"]), study_seed(said["seed"]), data, learners, keep_models, positive)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        found = f"the definition of study {study!r} in the store is damaged"
        raise InputError(found, "the study run again from its file or program, which keeps the finished runs") from None


def checked_study(name: Any) -> str:
    """The name of a study, as every database can hold it."""
    if len(checked_text(name, "name")) > LONGEST:
        raise OptionError(f"name has {len(name)} characters", f"at most {LONGEST}", about="name")
    return str(name)


def _dataset_from_record(record: Any) -> Mapping[str, Any]:
    facts = record.get("facts", {})
    kinds = {"repeated": (float | int, float | int), "id_like": (str, int), "rarest": (str, int)}
    known = {name: facts[name] for name, two in kinds.items() if _is_typed_pair(facts.get(name), two)}
    known["timed"] = facts.get("timed") is True
    known["prepared"] = facts.get("prepared") if isinstance(facts.get("prepared"), str) else None
    origin = record["origin"]
    if not isinstance(origin, Mapping | None):
        raise OptionError("no origin")
    return {"name": checked_text(record["name"], "name"), "origin": origin, "facts": known}


def _is_typed_pair(found: Any, kinds: tuple[Any, Any]) -> bool:
    return isinstance(found, list) and len(found) == 2 and all(map(isinstance, found, kinds))


def _learner_from_record(record: Any) -> Mapping[str, Any]:
    if not isinstance(record["recipe"], Mapping):
        raise OptionError("no recipe")
    # In the store of an earlier release every learner got codes and numbers, as presets do.
    is_preset = checked_flag(record.get("preset", True), "preset")
    return {"name": checked_text(record["name"], "name"), "recipe": record["recipe"], "preset": is_preset}
