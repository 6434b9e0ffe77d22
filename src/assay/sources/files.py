"""Predictions from files: CSV, TSV, Parquet and JSON lines through DuckDB; others through readers of their own."""

# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` first

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.request import Request, memory_bytes
from assay.sources.assembly import assemble
from assay.sources.column_data import BYTES_A_ROW, LEAST_MEMORY, Origin, refuse_long_texts
from assay.sources.column_inference import infer
from assay.sources.column_names import tells
from assay.sources.column_roles import of_parts
from assay.sources.engine import queries
from assay.sources.formats import arff, arrow, excel, numpy, weka
from assay.sources.formats.delimited import LONGEST_LINE, fault, layout
from assay.sources.formats.detection import Opened, opened
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

if TYPE_CHECKING:
    import duckdb

__all__ = ["csv_options", "file_columns", "from_file", "notes_on", "refuse_many", "top_level"]

MANY_COLUMNS = 1_000
# What the engine does not read.
READERS = {
    "arff": arff.read,
    "arrow": arrow.read,
    "excel": excel.read,
    "npy": numpy.read,
    "npz": numpy.read,
    "weka": weka.read,
}


def from_file(path: str | os.PathLike[str], request: Request | None = None) -> Reading:
    """The predictions in a file, or on standard input for "-"; columns are recognised by name unless named.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "spam.csv")
    ...     _ = file.write_text("label,score\\nham,0.1\\nspam,0.8\\nspam,0.6\\n")
    ...     reading = from_file(file, Request(positive="spam"))
    >>> reading.models["model"]
    Predictions(3 cases of 'ham', 'spam'; positive 'spam'; with score)
    >>> reading.source.columns
    {'truth': 'label', 'score': 'score'}
    """
    request = request or Request()
    with opened(path, request) as file:
        reader = READERS.get(file.format, _read_by_engine)
        return reader(file, request)


def file_columns(path: str | os.PathLike[str]) -> dict[str, list[str | None]]:
    """Return all columns of a CSV, TSV, Parquet or JSON lines file as texts, by their names."""
    import duckdb

    request = Request()
    with opened(path, request) as file, queries.connect(memory=memory_bytes(request.memory)) as connection:
        if file.format in READERS:
            raise InputError(f"{shown(file.name)} is {file.format}", "the table as CSV, TSV, Parquet or JSON lines")
        queries.confine(connection, [file.path])
        try:
            relation, names = _open_relation(file, connection, strict=True)
            texts = ", ".join(f"CAST({queries.named(column)} AS VARCHAR)" for column in relation.columns)
            rows = relation.project(texts).fetchall()
        except duckdb.Error:
            raise fault(file) or _unreadable_file_error(file) from None
        refuse_many(file.name, len(rows), request)
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _read_by_engine(file: Opened, request: Request) -> Reading:
    import duckdb

    with queries.connect(memory=max(LEAST_MEMORY, memory_bytes(request.memory))) as connection:
        queries.confine(connection, [file.path])
        try:
            return _read_relation_of_file(file, request, connection, strict=True)
        except duckdb.OutOfMemoryException:
            raise InputError(f"{shown(file.name)} does not fit into memory", "fewer rows or more memory") from None
        except duckdb.Error:  # its words and paths are the engine's, not the user's: the fault is looked for again
            found = fault(file)
            if found is None and file.format in ("csv", "tsv"):
                return _read_loosely(file, request, connection)
            raise found or _unreadable_file_error(file) from None


def _read_relation_of_file(
    file: Opened, request: Request, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> Reading:
    names, part = _column_names_and_relation(file, connection, strict=strict)
    roles = infer(names, request, of_parts(part))

    def keep(prepared: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
        # In the engine's memory, so that text is parsed once though several queries look at it.
        if file.format == "parquet":
            refuse_long_texts(file.name, _text_bytes(prepared), request)
        connection.execute("DROP TABLE IF EXISTS kept")
        prepared.create("kept")
        held = connection.table("kept")
        refuse_many(file.name, int(held.aggregate("count(*)").fetchall()[0][0]), request)
        return held

    loaded = queries.load(*part([*roles.columns]), roles, decimal=request.decimal, keep=keep)
    return assemble(loaded, roles, request, Origin(file.name, file.format, file.sha256, notes_on(file)))


def refuse_many(name: str, rows: int, request: Request) -> None:
    """Refuse rows that a small file may hold, packed or short, where they would take more than the memory allowed."""
    if rows * BYTES_A_ROW > memory_bytes(request.memory):
        found = f"{shown(name)} holds {rows:,} rows, which do not fit into memory ({request.memory})"
        way = {"memory": f"{math.ceil(rows * BYTES_A_ROW / 1e9)}GB"}
        raise InputError(found, "the file uncompressed, to be read in parts, or more memory", way)


def _text_bytes(prepared: duckdb.DuckDBPyRelation) -> int:
    """How many bytes the texts of a relation take: Parquet may store one for many rows."""
    lengths = [f"strlen({c})" for c, kind in zip(prepared.columns, prepared.types, strict=True) if kind == "VARCHAR"]
    sums = prepared.aggregate(", ".join(f"sum({length})" for length in lengths)).fetchall()[0] if lengths else ()
    return sum(int(each or 0) for each in sums)


Part = tuple["duckdb.DuckDBPyRelation", Sequence[str]]


def _column_names_and_relation(
    file: Opened, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> tuple[tuple[str, ...], Callable[[Sequence[str]], Part]]:
    """The names of a file's columns, and what gives a relation that has some of them.

    Of a table with very many columns that is a table of few: the engine takes its time over each, in every query.
    """
    names = layout(file).names if file.format in ("csv", "tsv") else ()
    if len(names) <= MANY_COLUMNS:
        relation, names = _open_relation(file, connection, strict=strict)
        return names, lambda wanted: (relation, names)
    kept: list[Part] = []

    def part(wanted: Sequence[str]) -> Part:
        found = next((one for one in kept if {*wanted} <= {*one[1]}), None)
        if found is None:
            # What a name tells is asked about sooner or later: that is read at once.
            held = {*wanted, *(() if kept else filter(tells, names))}
            places = [place for place, name in enumerate(names) if name in held]
            columns = ", ".join(f"c{place}" for place in places)
            table = f"part_{len(kept)}"
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT {columns} FROM {_read_csv_sql(file, strict)}"
            )
            found = connection.table(table), [names[place] for place in places]
            kept.append(found)
        return found

    return names, part


def notes_on(file: Opened) -> tuple[str, ...]:
    """How a file is read where that is not plain, before its columns are looked at."""
    return (*file.notes, *layout(file).notes) if file.format in ("csv", "tsv") else file.notes


def _read_loosely(file: Opened, request: Request, connection: duckdb.DuckDBPyConnection) -> Reading:
    """Tables that are sound but mix line ends; never before their faults were looked for, since this hides them."""
    import duckdb

    try:
        return _read_relation_of_file(file, request, connection, strict=False)
    except duckdb.Error:
        raise _unreadable_file_error(file) from None


def _unreadable_file_error(file: Opened) -> InputError:
    kind = {"csv": "CSV", "tsv": "TSV", "jsonl": "JSON lines", "parquet": "Parquet"}[file.format]
    return InputError(f"{shown(file.name)} cannot be read as {kind}", f"an intact {kind} file")


def _open_relation(
    file: Opened, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    if file.format == "parquet":
        return _open_parquet_relation(file, connection)
    if file.format == "jsonl":
        return _open_json_relation(file, connection)
    return _open_delimited_relation(file, connection, strict=strict)


def _open_delimited_relation(
    file: Opened, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    return connection.sql(f"SELECT * FROM {_read_csv_sql(file, strict)}"), layout(file).names


def _read_csv_sql(file: Opened, strict: bool) -> str:
    """What the engine is to read of a table in text."""
    return f"read_csv({queries.quoted(str(file.path))}, {csv_options(file, strict=strict)})"


def csv_options(file: Opened, *, strict: bool) -> str:
    """How the engine is to read it."""
    found = layout(file)
    # Nothing is sniffed: what a file means must not depend on which of its rows happen to be looked at.
    columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(found.names)))
    options = [
        "auto_detect = false, header = true, quote = '\"', escape = '\"', hive_partitioning = false",
        f"delim = {queries.quoted(found.delimiter)}, columns = {{{columns}}}, strict_mode = {str(strict).lower()}",
        f"skip = {found.skipped}",
        f"max_line_size = {LONGEST_LINE}, compression = '{'gzip' if file.gzipped else 'none'}'",
    ]
    return ", ".join(options)


def _open_parquet_relation(
    file: Opened, connection: duckdb.DuckDBPyConnection
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    path = queries.quoted(str(file.path))
    schema = connection.sql(f"SELECT name, num_children FROM parquet_schema({path})").fetchall()
    # The engine renames columns that differ only in case, so that names are taken from the file and used by position.
    names = tuple(top_level(schema))
    options = "hive_partitioning = false, binary_as_string = true"
    return connection.sql(f"SELECT * FROM read_parquet({path}, {options})"), names


def top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The columns of a Parquet file, without what is inside them."""
    names, place = [], 1
    while place < len(schema):
        names.append(schema[place][0])
        inside = schema[place][1] or 0
        place += 1
        while inside:
            inside += (schema[place][1] or 0) - 1
            place += 1
    return names


def _open_json_relation(
    file: Opened, connection: duckdb.DuckDBPyConnection
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    layout = "array" if file.head.lstrip().startswith(b"[") else "newline_delimited"
    options = f"format = '{layout}', compression = '{'gzip' if file.gzipped else 'uncompressed'}'"
    objects = f"read_json_objects({queries.quoted(str(file.path))}, {options})"
    names, rows = _json_names(file, connection, objects)
    first = f"json_type(json, {queries.quoted(_json_pointer(names[0]))})"
    if rows == 1 and connection.sql(f"SELECT {first} FROM {objects}").fetchall()[0][0] in ("ARRAY", "OBJECT"):
        raise InputError(
            f"{shown(file.name)} is one object of columns",
            "one JSON object for each row, as to_json(orient='records') of pandas writes",
        )
    wanted = ", ".join(
        f"json ->> {queries.quoted(_json_pointer(name))} AS c{place}" for place, name in enumerate(names)
    )
    return connection.sql(f"SELECT {wanted} FROM {objects}"), names


def _json_names(file: Opened, connection: duckdb.DuckDBPyConnection, objects: str) -> tuple[tuple[str, ...], int]:
    """The names in all objects, in the order in which they first come, and how many objects there are."""
    numbered = f"SELECT json_keys(json) AS keys, row_number() OVER () AS place FROM {objects}"
    query = f"SELECT keys, min(place) AS place, count(*) FROM ({numbered}) GROUP BY keys ORDER BY place"
    found = connection.sql(query).fetchall()
    for keys, row, _ in found:
        repeated = next((name for name in keys or () if keys.count(name) > 1), None)
        if repeated is not None:
            raise InputError(
                f"row {row:,} of {shown(file.name)} has {shown(repeated)} twice", "one value for each name"
            )
    names = tuple(dict.fromkeys(name for keys, _, _ in found for name in keys or ()))
    if not names:
        raise InputError(f"{shown(file.name)} holds no JSON objects", "one JSON object on each line")
    return names, sum(count for _, _, count in found)


def _json_pointer(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")
