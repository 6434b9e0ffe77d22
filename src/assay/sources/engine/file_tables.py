"""Tables that DuckDB reads from disk: one file that is large, many files that are one table, a database."""

# ruff: noqa: S608 -- whatever a file or a user brings into a query passes through `_sql.quoted` first

from __future__ import annotations

import contextlib
import glob
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.request import Request
from assay.results import counted
from assay.sources.engine import queries
from assay.sources.files import csv_options, notes_on, top_level
from assay.sources.formats.delimited import layout
from assay.sources.formats.detection import BY_SUFFIX, Opened, opened
from assay.sources.quoting import listed, shown

if TYPE_CHECKING:
    import duckdb

__all__ = ["Gathered", "gathered", "is_database", "is_gathered"]

DATABASES = (".duckdb", ".ddb")
DATABASE_MARK = slice(8, 12)
READABLE = {"csv": "CSV", "parquet": "Parquet"}
SIGNS = "*?["
# Texts and names in a definition, in which anything may stand.
IN_QUOTES = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")
# How Parquet calls what texts are held as.
TEXT = "BYTE_ARRAY"


@dataclass(frozen=True)
class Gathered:
    """A table on disk: what reads it, the names of its columns, and about how many rows it has."""

    relation: duckdb.DuckDBPyRelation
    names: tuple[str, ...]
    name: str
    format: str
    rows: int
    sha256: str | None = None
    notes: tuple[str, ...] = ()


def is_database(path: str) -> bool:
    """Whether a path is called as DuckDB's databases are."""
    return Path(path).suffix.lower() in DATABASES and not Path(path).is_dir()


def is_gathered(path: str) -> bool:
    """Whether a path is more than one file, or a database: what readers of files do not read."""
    where = Path(path)
    with contextlib.suppress(OSError, ValueError):
        if where.is_dir() or is_database(path):
            return True
        return any(sign in path for sign in SIGNS) and not where.exists()
    return False


@contextlib.contextmanager
def gathered(path: str, request: Request, connection: duckdb.DuckDBPyConnection) -> Iterator[Gathered | None]:
    """The table at a path; nothing where it is a single file that other readers read."""
    where = Path(path)
    if is_gathered(path):
        found = [path] if is_database(path) else _matching_files(path)
        with contextlib.ExitStack() as stack:
            stack.enter_context(queries.time_limit(connection, shown_name(path), sum(map(_file_size, found))))
            if is_database(path):
                yield _read_database_table(where, request, connection)
                return
            is_alone = len(found) == 1
            files = [stack.enter_context(opened(each, request, is_alone=is_alone)) for each in found]
            yield _read_file_table(files, shown_name(path), connection)
        return
    with opened(path, request) as file, queries.time_limit(connection, file.name, _file_size(path)):
        yield None if file.format not in READABLE or file.gzipped else _read_file_table([file], file.name, connection)


def _file_size(path: str) -> int:
    with contextlib.suppress(OSError, ValueError):
        return Path(path).stat().st_size
    return 0


def shown_name(path: str) -> str:
    """What a folder or pattern is called."""
    where = Path(path)
    return where.name + ("/" if where.is_dir() else "") or path


def _matching_files(path: str) -> list[str]:
    """The files of a folder, or those that a pattern means, of one kind."""
    where = Path(path)
    if not where.is_dir():
        found = sorted(each for each in glob.glob(path, recursive=True) if Path(each).is_file())  # noqa: PTH207
        if not found:
            raise InputError(f"no file matches {shown(path)}", "a pattern that matches files")
    else:
        every = sorted(str(each) for each in where.rglob("*") if each.is_file())
        # What others leave beside tables: marks of success, checksums, halves of files.
        plain = [
            each for each in every if not any(p.startswith(("_", ".")) for p in Path(each).relative_to(path).parts)
        ]
        found = [each for each in plain if BY_SUFFIX.get(Path(each).suffix.lower()) in READABLE]
        if not found:
            raise InputError(f"the folder {shown(where.name)} holds no Parquet or CSV file", "one at least")
    kinds = {BY_SUFFIX.get(Path(each).suffix.lower(), "") for each in found}
    if len(kinds) > 1:
        raise InputError(f"{shown(shown_name(path))} holds files of several kinds", "files of one kind: Parquet or CSV")
    return found


def _read_file_table(files: Sequence[Opened], name: str, connection: duckdb.DuckDBPyConnection) -> Gathered:
    first = files[0]
    for file in files:
        if file.format not in READABLE or file.gzipped:
            found = f"{shown(file.name)} is {'compressed' if file.gzipped else 'of another kind'}"
            raise InputError(found, "uncompressed Parquet or CSV files, which are read as one table")
    queries.confine(connection, [file.path for file in files])
    paths = f"[{', '.join(queries.quoted(str(file.path)) for file in files)}]"
    if first.format == "parquet":
        names, rows = _parquet_names_and_rows(files, connection)
        source = f"read_parquet({paths}, hive_partitioning = false, binary_as_string = true)"
    else:
        names, rows = layout(first).names, sum(map(_estimate_row_count, files))
        for file in files:
            _refuse_other_names(file, layout(file).names, first, names)
            if layout(file) != layout(first):
                raise InputError(
                    f"{shown(file.name)} and {shown(first.name)} have different layouts", "the same layout"
                )
        source = f"read_csv({paths}, {csv_options(first, strict=True)})"
    relation = connection.sql(f"SELECT * FROM {source}")
    notes = notes_on(first) if len(files) == 1 else (counted(len(files), "file"),)
    sha256 = first.sha256 if len(files) == 1 else None
    return Gathered(relation, tuple(names), name, first.format, rows, sha256, notes)


def _parquet_names_and_rows(
    files: Sequence[Opened], connection: duckdb.DuckDBPyConnection
) -> tuple[tuple[str, ...], int]:
    import duckdb

    names: tuple[str, ...] = ()
    kinds: dict[str, bool] = {}
    rows = 0
    for file in files:
        path = queries.quoted(str(file.path))
        try:
            schema = connection.sql(f"SELECT name, num_children, type FROM parquet_schema({path})").fetchall()
            rows += int(connection.sql(f"SELECT sum(num_rows) FROM parquet_file_metadata({path})").fetchall()[0][0])
        except duckdb.Error:
            from assay.sources.formats.delimited import fault

            raise fault(file) or InputError(f"{shown(file.name)} cannot be read", "an intact Parquet file") from None
        found = tuple(top_level([(name, inside) for name, inside, _ in schema]))
        _refuse_other_names(file, found, files[0], names or found)
        names = names or found
        held = {name: kind == TEXT for name, inside, kind in schema if not inside}
        kinds = kinds or held
        other = next((name for name in found if held.get(name) != kinds.get(name)), None)
        if other is not None:
            text, none = (file, files[0]) if held.get(other) else (files[0], file)
            said = f"{shown(other)} holds text in {shown(text.name)}, but not in {shown(none.name)}"
            raise InputError(said, "columns of the same kind in every file")
    return names, rows


def _refuse_other_names(file: Opened, names: Sequence[str], first: Opened, known: Sequence[str]) -> None:
    if tuple(names) != tuple(known):
        found = f"{shown(file.name)} has the columns {listed(names)} and {shown(first.name)} has {listed(known)}"
        raise InputError(found, "the same columns in the same order in every file")


def _estimate_row_count(file: Opened) -> int:
    """How many rows a text file has, as the length of its first lines tells."""
    lines = max(1, file.head.count(b"\n"))
    return max(1, round(file.path.stat().st_size * lines / len(file.head)))


def _read_database_table(path: Path, request: Request, connection: duckdb.DuckDBPyConnection) -> Gathered:
    import duckdb

    try:
        with path.open("rb") as stream:
            is_database = stream.read(16)[DATABASE_MARK] == b"DUCK"
    except OSError:
        raise InputError(f"there is no file {shown(path.name)} that can be read", "the path of a database") from None
    if not is_database:
        raise InputError(
            f"{shown(path.name)} is not a DuckDB database, in spite of its name", "a database written by DuckDB"
        )
    try:
        # By its whole path and kind: a name such as postgres:x would mean an address, and load an extension.
        connection.execute(f"ATTACH {queries.quoted(str(path.absolute()))} AS attached (READ_ONLY, TYPE duckdb)")
        queries.confine(connection)
        tables = "SELECT table_name, schema_name, sql FROM duckdb_tables() WHERE database_name = 'attached' ORDER BY 1"
        found = {name: (schema, sql) for name, schema, sql in connection.sql(tables).fetchall()}
        views = "SELECT view_name FROM duckdb_views() WHERE database_name = 'attached' AND NOT internal ORDER BY 1"
        computed = [name for (name,) in connection.sql(views).fetchall()]
    except duckdb.Error:
        found_out = f"the database {shown(path.name)} cannot be opened"
        raise InputError(found_out, "one an intact file that no other program is writing") from None
    chosen = _choose_table(path, request, list(found), computed)
    schema, definition = found[chosen]
    if "GENERATED ALWAYS AS" in IN_QUOTES.sub("", definition):
        raise _computed_table_error(path, chosen, "has generated columns, which are expressions, not data")
    called = ".".join(queries.named(part) for part in ("attached", schema, chosen))
    relation = connection.sql(f"SELECT * FROM {called}")
    rows = int(relation.aggregate("count(*)").fetchall()[0][0])
    notes = (f"without its {counted(len(computed), 'view')}",) if computed and request.table is None else ()
    return Gathered(relation, tuple(relation.columns), f"{path.name}, table {chosen}", "duckdb", rows, notes=notes)


def _choose_table(path: Path, request: Request, tables: Sequence[str], views: Sequence[str]) -> str:
    """The name of the table to read; views are never read, since a query can read any file and run without end."""
    wanted = request.table
    if wanted in views or (wanted is None and views and not tables):
        raise _computed_table_error(path, wanted or views[0], "is a view; only tables are read, as a view is a query")
    if not tables:
        raise InputError(f"the database {shown(path.name)} holds no table", "at least one table")
    if wanted is None and len(tables) > 1:
        ways = [({"table": name}, "") for name in tables[:8]]
        raise InputError(f"{shown(path.name)} holds {len(tables)} tables", "which one", ways=ways)
    if wanted is not None and wanted not in tables:
        raise InputError(f"{shown(path.name)} holds no table {shown(wanted)}, but {listed(tables)}", "one of them")
    return wanted or tables[0]


def _computed_table_error(path: Path, name: str, found: str) -> InputError:
    """A refusal of what a database computes, with the query that makes a file of it."""
    query = f"COPY (SELECT * FROM {queries.named(name)}) TO 'rows.parquet'"
    return InputError(
        f"{shown(name)} in {shown(path.name)} {found}", f"a file of its rows, written in DuckDB by {query}"
    )
