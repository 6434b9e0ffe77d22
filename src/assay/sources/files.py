"""Predictions from files: CSV, TSV, Parquet and JSON lines through DuckDB; Feather, ARFF and WEKA's own output."""

# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` first

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.request import Request
from assay.sources import _arff, _arrow, _sql, _weka
from assay.sources._assemble import assemble
from assay.sources._columns import infer
from assay.sources._contents import of_relation
from assay.sources._faults import LONGEST_LINE, fault
from assay.sources._formats import Opened, delimiter, header, opened
from assay.sources._loaded import Origin
from assay.sources._records import Reading
from assay.sources._wording import shown

if TYPE_CHECKING:
    import duckdb

__all__ = ["from_file"]

SAMPLED_OBJECTS = 1000
READERS = {"arff": _arff.read, "arrow": _arrow.read, "weka": _weka.read}  # what the engine does not read


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
    with opened(path) as file:
        reader = READERS.get(file.format, _read_by_engine)
        return reader(file, request)


def _read_by_engine(file: Opened, request: Request) -> Reading:
    import duckdb

    with _sql.connect() as connection:
        try:
            return _read(file, request, connection, strict=True)
        except duckdb.OutOfMemoryException:
            raise InputError(f"{shown(file.name)} does not fit into memory", "fewer rows or more memory") from None
        except duckdb.Error:  # its words and paths are the engine's, not the user's: the fault is looked for again
            found = fault(file)
            if found is None and file.format in ("csv", "tsv"):
                return _read_loosely(file, request, connection)
            raise found or _unreadable(file) from None


def _read(file: Opened, request: Request, connection: duckdb.DuckDBPyConnection, *, strict: bool) -> Reading:
    relation, names = _relation(file, connection, strict=strict)
    roles = infer(names, request, of_relation(relation, names))
    # Kept in the engine's memory, so that text is parsed once though several queries look at it.
    table = f"rows_{'strictly' if strict else 'loosely'}"
    _sql.prepared(relation, names, roles).create(table)
    loaded = _sql.load(connection.table(table), roles)
    return assemble(loaded, roles, request, Origin(file.name, file.format, file.sha256))


def _read_loosely(file: Opened, request: Request, connection: duckdb.DuckDBPyConnection) -> Reading:
    """Tables that are sound but mix line ends; never before their faults were looked for, since this hides them."""
    import duckdb

    try:
        return _read(file, request, connection, strict=False)
    except duckdb.Error:
        raise _unreadable(file) from None


def _unreadable(file: Opened) -> InputError:
    kind = {"csv": "CSV", "tsv": "TSV", "jsonl": "JSON lines", "parquet": "Parquet"}[file.format]
    return InputError(f"{shown(file.name)} cannot be read as {kind}", f"a sound {kind} file")


def _relation(
    file: Opened, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    if file.format == "parquet":
        return _parquet(file, connection)
    if file.format == "jsonl":
        return _json(file, connection)
    return _table(file, connection, strict=strict)


def _table(
    file: Opened, connection: duckdb.DuckDBPyConnection, *, strict: bool
) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    names = header(file)
    # Nothing is sniffed: what a file means must not depend on which of its rows happen to be looked at.
    columns = ", ".join(f"c{place}: 'VARCHAR'" for place in range(len(names)))
    options = [
        "auto_detect = false, header = true, quote = '\"', escape = '\"', hive_partitioning = false",
        f"delim = {_sql.quoted(delimiter(file))}, columns = {{{columns}}}, strict_mode = {str(strict).lower()}",
        f"max_line_size = {LONGEST_LINE}, compression = '{'gzip' if file.gzipped else 'none'}'",
    ]
    return connection.sql(f"SELECT * FROM read_csv({_literal(file.path)}, {', '.join(options)})"), names


def _parquet(file: Opened, connection: duckdb.DuckDBPyConnection) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    path = _literal(file.path)
    schema = connection.sql(f"SELECT name, num_children FROM parquet_schema({path})").fetchall()
    # The engine renames columns that differ only in case, so that names are taken from the file and used by position.
    names = tuple(_top_level(schema))
    options = "hive_partitioning = false, binary_as_string = true"
    return connection.sql(f"SELECT * FROM read_parquet({path}, {options})"), names


def _top_level(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    names, place = [], 1
    while place < len(schema):
        names.append(schema[place][0])
        inside = schema[place][1] or 0
        place += 1
        while inside:
            inside += (schema[place][1] or 0) - 1
            place += 1
    return names


def _json(file: Opened, connection: duckdb.DuckDBPyConnection) -> tuple[duckdb.DuckDBPyRelation, tuple[str, ...]]:
    layout = "array" if file.head.lstrip().startswith(b"[") else "newline_delimited"
    options = f"format = '{layout}', compression = '{'gzip' if file.gzipped else 'none'}'"
    objects = f"read_json_objects({_literal(file.path)}, {options})"
    sample = connection.sql(f"SELECT json_keys(json) FROM {objects} LIMIT {SAMPLED_OBJECTS}").fetchall()
    names = tuple(dict.fromkeys(name for (keys,) in sample for name in keys or ()))
    if not names:
        raise InputError(f"{shown(file.name)} holds no JSON objects", "one JSON object on each line")
    first = f"json_type(json, {_sql.quoted(_pointer(names[0]))})"
    if len(sample) == 1 and connection.sql(f"SELECT {first} FROM {objects}").fetchall()[0][0] in ("ARRAY", "OBJECT"):
        raise InputError(
            f"{shown(file.name)} holds one object with whole columns in it", "one JSON object for each row"
        )
    wanted = ", ".join(f"json ->> {_sql.quoted(_pointer(name))} AS c{place}" for place, name in enumerate(names))
    return connection.sql(f"SELECT {wanted} FROM {objects}"), names


def _pointer(name: str) -> str:
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _literal(path: Path) -> str:
    """A path that means this one file: without this, `*`, `?` and `[` would quietly read others."""
    return _sql.quoted(re.sub(r"([*?\[])", r"[\1]", str(path)))
