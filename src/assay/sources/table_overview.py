"""Every column of a table, the role it would take, and why: before anything is evaluated.

Rows as a file holds them, every value as text: the first ones, those at some places, or those with some ids.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from assay.errors import InputError
from assay.request import ColumnsOptions, Request, front_door
from assay.results import Table
from assay.sources.assembly import columns_used
from assay.sources.column_inference import WATCH
from assay.sources.column_names import DESIGN, IS_WORD, NAMES, folded, is_id, named_as
from assay.sources.column_roles import Contents, Profile, Roles, class_of
from assay.sources.engine import queries
from assay.sources.features import AS_A_WHOLE, texts_of_table
from assay.sources.files import READERS, _open_relation, from_file
from assay.sources.formats.detection import Opened, opened
from assay.sources.frames import from_frame
from assay.sources.quoting import shown

if TYPE_CHECKING:
    import duckdb

__all__ = ["HeldRows", "Overview", "columns", "held_rows", "overview"]


NOT_USED, OPEN = "not used", "open"
SAID = (
    *("truth", "score", "pred", "certainty", "model", "weight", "count", "cluster", "fold", "by", "amount", "id"),
    "ignore",
)


@dataclass(frozen=True)
class Overview:
    """The columns of a table: for each its role, why it has it, and what it holds; and what stops a reading, if any."""

    name: str
    rows: int
    columns: tuple[Mapping[str, Any], ...]
    notes: tuple[str, ...] = ()
    stopped: InputError | None = None

    def table(self) -> Table:
        """A row for each column."""
        names = ("column", "role", "why", "different", "missing", "holds")
        return Table({name: [column[name] for column in self.columns] for name in names})


@front_door
def columns(data: Any, **options: Unpack[ColumnsOptions]) -> Table:
    """Which column of a file or a data frame `evaluate` would take for what, and why.

    >>> import polars
    >>> print(columns(polars.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.7, 0.4], "age": [30, 41, 52]})))
    column  role      why          different  missing  holds
    y       truth     by its name          2        0  0, 1
    p       score     by its name          3        0  0.2, 0.7, 0.4
    age     not used                       3        0  30, 41, 52
    """
    request = Request.of(options)
    request.refuse_unused("file" if isinstance(data, str | os.PathLike) else "frame")
    return overview(data, request).table()


def overview(data: Any, request: Request) -> Overview:
    """The roles that columns of a file or a data frame would take, and why.

    >>> import polars
    >>> found = overview(polars.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.7, 0.4], "age": [30, 41, 52]}), Request())
    >>> [(column["column"], column["role"], column["why"]) for column in found.columns]
    [('y', 'truth', 'by its name'), ('p', 'score', 'by its name'), ('age', 'not used', '')]
    """
    seen: dict[str, Profile] = {}
    guessed: list[Roles] = []

    def watch(columns: Sequence[str], contents: Contents | None, roles: Roles | None) -> None:
        seen.update({column: Profile(0, 0, 0) for column in columns} if contents is None else contents.of(columns))
        guessed.extend([] if roles is None else [roles])

    is_file = isinstance(data, str | os.PathLike)
    name, stopped = str(os.fspath(data)) if is_file else "frame", None
    notes: tuple[str, ...] = ()
    token = WATCH.set(watch)
    try:
        reading = (from_file if is_file else from_frame)(data, request.replace({"missing": "drop"}))
        name, notes = reading.source.name, reading.source.remarks
        roles_of = _roles_by_column(reading.source.columns, reading.source.design)
    except InputError as error:
        if not seen:
            raise
        stopped = error
        roles_of = (
            _roles_by_column(columns_used(guessed[-1]), guessed[-1].design) if guessed else dict.fromkeys(seen, OPEN)
        )
    finally:
        WATCH.reset(token)
    found = tuple(_column_summary(column, profile, roles_of.get(column), request) for column, profile in seen.items())
    rows = max((profile.rows for profile in seen.values()), default=0)
    return Overview(name, rows, found, notes, stopped)


def _roles_by_column(columns: Mapping[str, str | tuple[str, ...]], design: Mapping[str, str]) -> dict[str, str]:
    found = {column: role for role, column in design.items()}
    for role, held in columns.items():
        found |= dict.fromkeys((held,) if isinstance(held, str) else held, role)
    return found


def _column_summary(column: str, profile: Profile, role: str | None, request: Request) -> dict[str, Any]:
    return {
        "column": column,
        "role": role or NOT_USED,
        "why": _role_reason(column, role, request),
        "different": profile.distinct,
        "missing": profile.rows - profile.there,
        "holds": ", ".join(profile.examples),
    }


def _role_reason(column: str, role: str | None, request: Request) -> str:
    said = {each for name in SAID for each in _as_text_tuple(getattr(request, name))}
    if folded(column) in {folded(each) for each in said}:
        return "named by you"
    if role in (None, OPEN):
        return ""
    by_name = role in DESIGN and folded(column) == role
    by_name |= role in NAMES and bool(named_as(role, [column]))
    by_name |= (role == "truth" and IS_WORD.match(column) is not None) or (role == "id" and is_id(column))
    by_name |= role in ("score", "proba", "pred") and bool(class_of(column) or {*_split_words(column)} & {*_ROLE_WORDS})
    by_name |= role == "pred" and folded(column) in NAMES["truth"]
    return "by its name" if by_name else "by its contents"


_ROLE_WORDS = ("score", "prob", "proba", "probability", "pred", "prediction")


def _split_words(column: str) -> list[str]:
    return [word for word in column.casefold().replace(".", "_").replace("-", "_").replace(" ", "_").split("_") if word]


def _as_text_tuple(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, tuple) else ()


# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` first


# A table is shown, and longer texts and more columns are not read by anybody.
MOST_COLUMNS, MOST_LETTERS = 60, 200


@dataclass(frozen=True)
class HeldRows:
    """Some rows of a file: the names of its columns, and of each row its place, from 1, and its values."""

    names: tuple[str, ...]
    places: tuple[int, ...]
    values: tuple[tuple[str | None, ...], ...]


def held_rows(
    path: str | os.PathLike[str],
    request: Request | None = None,
    *,
    first: int = 0,
    places: Sequence[int] = (),
    ids: tuple[str, Sequence[str]] | None = None,
) -> HeldRows:
    """The first rows of a file, those at `places`, or those whose column holds one of some ids, in the file's order.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "spam.csv")
    ...     _ = file.write_text("id,label,score\\na,ham,0.1\\nb,spam,\\nc,spam,0.6\\n")
    ...     held_rows(file, places=[2]).values, held_rows(file, ids=("id", ["c"])).places
    ((('b', 'spam', None),), (3,))
    """
    import duckdb

    with opened(path, request or Request()) as file, queries.connect() as connection:
        if file.format in AS_A_WHOLE:
            return _select_rows_in_memory(texts_of_table(path, request.sheet if request else None), first, places, ids)
        if file.format in READERS:
            raise InputError(f"{shown(file.name)} has no columns besides those that were read", "a table")
        queries.confine(connection, [file.path])
        try:
            return _select_rows_by_query(file, connection, first, places, ids)
        except duckdb.Error:
            raise InputError(
                f"the rows of {shown(file.name)} cannot be read again", "a file that does not change"
            ) from None


def _select_rows_in_memory(
    columns: Mapping[str, Sequence[str | None]],
    first: int,
    places: Sequence[int],
    ids: tuple[str, Sequence[str]] | None,
) -> HeldRows:
    """The same of columns that are in memory."""
    names = tuple(columns)[:MOST_COLUMNS]
    count = len(next(iter(columns.values()), ()))
    wanted = {*range(1, first + 1)} if first else {*places}
    if ids is not None:
        wanted = {place for place, key in enumerate(columns[ids[0]], 1) if key in {*ids[1]}}
    found = tuple(place for place in sorted(wanted) if 1 <= place <= count)
    rows = tuple(tuple((columns[name][place - 1] or "")[:MOST_LETTERS] or None for name in names) for place in found)
    return HeldRows(names, found, rows)


def _select_rows_by_query(
    file: Opened,
    connection: duckdb.DuckDBPyConnection,
    first: int,
    places: Sequence[int],
    ids: tuple[str, Sequence[str]] | None,
) -> HeldRows:
    relation, every = _open_relation(file, connection, strict=True)
    names = tuple(every[:MOST_COLUMNS])
    columns = [f"CAST({queries.named(column)} AS VARCHAR)" for column in relation.columns]
    values = ", ".join(f"left({column}, {MOST_LETTERS})" for column in columns[: len(names)])
    if first:
        rows = _query_rows(relation, f"SELECT {values} FROM held LIMIT {first}")
        return HeldRows(names, tuple(range(1, len(rows) + 1)), tuple(rows))
    key = "NULL" if ids is None else columns[every.index(ids[0])]
    numbered = f"SELECT row_number() OVER () AS place, {key} AS key, {values} FROM held"
    wanted = [queries.quoted(one) for one in ids[1]] if ids is not None else [str(int(place)) for place in places]
    by = f"{'place' if ids is None else 'key'} IN ({', '.join(wanted) or 'NULL'})"
    rows = _query_rows(relation, f"SELECT * FROM ({numbered}) WHERE {by} ORDER BY place")
    return HeldRows(names, tuple(int(row[0] or 0) for row in rows), tuple(tuple(row[2:]) for row in rows))


def _query_rows(relation: duckdb.DuckDBPyRelation, query: str) -> list[tuple[str | None, ...]]:
    found = relation.query("held", query)
    return [] if found is None else found.fetchall()
