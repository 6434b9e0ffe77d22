"""Rows as a file holds them, every value as text: the first ones, those at some places, or those with some ids."""

# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` first

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.request import Request
from assay.sources import _sql
from assay.sources._formats import Opened, opened
from assay.sources._wording import shown
from assay.sources.features import AS_A_WHOLE, texts_of_table
from assay.sources.files import READERS, _relation

if TYPE_CHECKING:
    import duckdb

__all__ = ["HeldRows", "held_rows"]

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

    with opened(path, request or Request()) as file, _sql.connect() as connection:
        if file.format in AS_A_WHOLE:
            return _picked(texts_of_table(path, request.sheet if request else None), first, places, ids)
        if file.format in READERS:
            raise InputError(f"{shown(file.name)} holds no columns but those that were read", "a table")
        _sql.confine(connection, [file.path])
        try:
            return _asked(file, connection, first, places, ids)
        except duckdb.Error:
            raise InputError(
                f"the rows of {shown(file.name)} cannot be read again", "a file that stays as it is"
            ) from None


def _picked(
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


def _asked(
    file: Opened,
    connection: duckdb.DuckDBPyConnection,
    first: int,
    places: Sequence[int],
    ids: tuple[str, Sequence[str]] | None,
) -> HeldRows:
    relation, every = _relation(file, connection, strict=True)
    names = tuple(every[:MOST_COLUMNS])
    columns = [f"CAST({_sql.named(column)} AS VARCHAR)" for column in relation.columns]
    values = ", ".join(f"left({column}, {MOST_LETTERS})" for column in columns[: len(names)])
    if first:
        rows = _rows(relation, f"SELECT {values} FROM held LIMIT {first}")
        return HeldRows(names, tuple(range(1, len(rows) + 1)), tuple(rows))
    key = "NULL" if ids is None else columns[every.index(ids[0])]
    numbered = f"SELECT row_number() OVER () AS place, {key} AS key, {values} FROM held"
    wanted = [_sql.quoted(one) for one in ids[1]] if ids is not None else [str(int(place)) for place in places]
    by = f"{'place' if ids is None else 'key'} IN ({', '.join(wanted) or 'NULL'})"
    rows = _rows(relation, f"SELECT * FROM ({numbered}) WHERE {by} ORDER BY place")
    return HeldRows(names, tuple(int(row[0] or 0) for row in rows), tuple(tuple(row[2:]) for row in rows))


def _rows(relation: duckdb.DuckDBPyRelation, query: str) -> list[tuple[str | None, ...]]:
    found = relation.query("held", query)
    return [] if found is None else found.fetchall()
