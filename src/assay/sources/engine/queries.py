"""Columns of a DuckDB relation as codes and float64, computed by the engine.

No row becomes a Python object, except the names of more than a thousand clusters.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources.column_data import Loaded
from assay.sources.column_roles import Roles
from assay.sources.column_values import Condition, Written, how_written, no_texts, whole_labels
from assay.sources.labels import (
    MISSING,
    MOST_VALUES,
    TEXT,
    Coded,
    Numbers,
    code_objects,
    may_be_rounded,
    narrow,
    refuse_rounded,
    rounded,
)
from assay.sources.quoting import shown

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "EngineTexts",
    "confine",
    "connect",
    "few_names",
    "id_text",
    "is_numeric",
    "is_there",
    "load",
    "point_number",
    "prepared",
    "quoted",
    "repeats",
    "time_limit",
]

SHORT = ("tinyint", "smallint", "integer", "utinyint", "usmallint", "uinteger")
NUMERIC = (*SHORT, "bigint", "hugeint", "ubigint", "uhugeint", "float", "double", "decimal", "boolean")
NEVER_ROUNDED = (*SHORT, "float", "double", "decimal", "boolean")
# How long the engine may take over a source: a file of a few kilobytes may hold rows without end.
LEAST_SECONDS, BYTES_A_SECOND = 60.0, 1e6


@contextlib.contextmanager
def connect(memory: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that downloads nothing, and spills to the temporary folder if it must.

    `memory` is how many bytes it may use; without, it takes most of what the machine has.
    """
    import tempfile

    import duckdb

    settings: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
        "temp_directory": tempfile.gettempdir() + "/assay-spill",
    }
    if memory is not None:
        settings["memory_limit"] = f"{max(1, memory // 1000)}kB"
    connection = duckdb.connect(":memory:", config=settings)
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET preserve_insertion_order = true")
    with connection:
        try:
            yield connection
        except RuntimeError as error:
            # How the engine says that it was stopped by Ctrl-C.
            if "interrupted" in str(error).casefold():
                raise KeyboardInterrupt from None
            raise


def confine(connection: duckdb.DuckDBPyConnection, paths: Sequence[Path] = ()) -> None:
    """Let the engine read these files and what is attached: no other file, address or extension, whatever they hold."""
    connection.execute(f"SET allowed_paths = [{', '.join(quoted(str(path)) for path in paths)}]")
    connection.execute("SET enable_external_access = false")


@contextlib.contextmanager
def time_limit(connection: duckdb.DuckDBPyConnection, name: str, size: int) -> Iterator[None]:
    """Interrupt the engine where it takes longer over a source than its size in bytes explains."""
    seconds = LEAST_SECONDS + size / BYTES_A_SECOND
    is_over, is_done = threading.Event(), threading.Event()

    def watch() -> None:
        if is_done.wait(seconds):
            return
        is_over.set()
        while not is_done.wait(0.1):  # the query may just have ended, and the next one begun
            connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except Exception as error:
        if is_over.is_set():
            found = (
                f"{shown(name)} takes more than {seconds:,.0f} s to read, the limit for a file of {size / 1e6:,.1f} MB"
            )
            raise InputError(found, "the rows in a CSV file, or fewer rows") from error
        raise
    finally:
        is_done.set()
        watcher.join()


def quoted(text: str) -> str:
    """Text as a literal in SQL.

    >>> print(quoted("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def named(column: str) -> str:
    """A name as an identifier in SQL.

    >>> print(named("a b"))
    "a b"
    """
    return '"' + column.replace('"', '""') + '"'


def is_there(column: str) -> str:
    """What is true of a text that does not mean a missing one."""
    return f"{column} IS NOT NULL AND lower(trim({column})) NOT IN ({', '.join(map(quoted, MISSING))})"


@dataclass(frozen=True)
class EngineTexts:
    """A column of a relation as texts, of which those that are not missing are counted and shown by the engine."""

    relation: duckdb.DuckDBPyRelation
    position: int
    name: str

    def counts(self, conditions: Sequence[Condition]) -> tuple[int, ...]:
        """How many texts meet each condition."""
        texts = self.relation.project(f"trim(CAST(#{self.position} AS VARCHAR)) AS held").filter(is_there("held"))
        counted = ", ".join(f"count(*) FILTER ({_condition_sql(condition)})" for condition in conditions)
        found: tuple[int, ...] = texts.aggregate(counted).fetchall()[0]
        return found

    def first(self, condition: Condition) -> tuple[int, str]:
        """The row (from 1) and the text that first meets a condition."""
        held = f"row_number() OVER () AS place, trim(CAST(#{self.position} AS VARCHAR)) AS held"
        numbered = self.relation.project(held).filter(f"{is_there('held')} AND {_condition_sql(condition)}")
        row, text = numbered.order("place").limit(1).fetchall()[0]
        return int(row), str(text)


def _condition_sql(condition: Condition) -> str:
    parts = [f"regexp_full_match(held, {quoted(p)}) = {str(wanted).lower()}" for p, wanted in condition.items()]
    return " AND ".join(parts) or "true"


def load(
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    roles: Roles,
    *,
    decimal: str | None = None,
    keep: Callable[[duckdb.DuckDBPyRelation], duckdb.DuckDBPyRelation] = lambda prepared: prepared,
) -> Loaded:
    """The columns that play a role; `keep` may hold what is prepared in memory, so that text is parsed once.

    Numbers are first taken as the engine reads them. Only where a column holds something else, or a decimal sign was
    said, is it looked at whole.
    """
    texts = {
        c: EngineTexts(relation, names.index(c) + 1, c) for c in roles.numbers if not is_numeric(relation, names, c)
    }
    if decimal is not None:
        if not texts:
            raise no_texts()
        found = {column: how_written(held, decimal) for column, held in texts.items()}
        return _load_columns(relation, names, roles, found, keep)
    loaded = _load_columns(relation, names, roles, {}, keep)
    odd = [column for column, numbers in loaded.numbers.items() if numbers.text is not None]
    if not odd:
        return loaded
    found = {column: how_written(texts[column]) for column in odd}
    if any(isinstance(written, Written) and written.mark == "," for written in found.values()):
        found |= {c: how_written(held, beside_commas=True) for c, held in texts.items() if c not in odd}
    return _load_columns(relation, names, roles, found, keep)


def is_numeric(relation: duckdb.DuckDBPyRelation, names: Sequence[str], column: str) -> bool:
    """Whether the engine holds a column as numbers."""
    return str(relation.types[names.index(column)].id) in NUMERIC


def _load_columns(
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    roles: Roles,
    found: Mapping[str, Written | InputError],
    keep: Callable[[duckdb.DuckDBPyRelation], duckdb.DuckDBPyRelation],
) -> Loaded:
    written = {column: how for column, how in found.items() if isinstance(how, Written)}
    loaded = _read_relation(keep(prepared(relation, names, roles, written)), roles)
    numbers = dict(loaded.numbers)
    for column, values in loaded.numbers.items():
        how = found.get(column, Written())
        if not isinstance(how, Written):
            numbers[column] = replace(values, fault=how)
            continue
        lost = (
            _rounded_number_error(relation, names.index(column) + 1, column) if may_be_rounded(values.values) else None
        )
        numbers[column] = replace(values, fault=lost, mark=how.mark, percent=how.percent)
    return replace(loaded, numbers=numbers)


def _rounded_number_error(relation: duckdb.DuckDBPyRelation, position: int, column: str) -> InputError | None:
    """The first whole number of a column that a float64 cannot hold."""
    if str(relation.types[position - 1].id) in NEVER_ROUNDED:
        return None
    held = f"row_number() OVER () AS place, trim(CAST(#{position} AS VARCHAR)) AS held"
    lost = "TRY_CAST(TRY_CAST(held AS DOUBLE) AS HUGEINT) IS DISTINCT FROM TRY_CAST(held AS HUGEINT)"
    whole = relation.project(held).filter(f"regexp_full_match(held, '[+-]?[0-9]+') AND {lost}")
    first = whole.order("place").limit(1).fetchall()
    return rounded(column, *first[0]) if first else None


def prepared(
    relation: duckdb.DuckDBPyRelation, names: Sequence[str], roles: Roles, written: Mapping[str, Written] | None = None
) -> duckdb.DuckDBPyRelation:
    """The columns that play a role, by position, since names may clash, in a form that is read at once.

    Labels become text (l0, l1, ...), and so do keys (k0, ...) and what tells rows apart (w0, ...); scores become
    numbers (n0, ...) beside, where they may be something else, the text of those that are none (t0, ...).
    """
    texts = {f"l{place}": column for place, column in enumerate(roles.labels)}
    texts |= {f"k{place}": column for place, column in enumerate(roles.keys)}
    written = written or {}
    _refuse_rounded(relation, names, [*texts.values(), *roles.telling])
    wanted = [f"CAST(#{names.index(column) + 1} AS VARCHAR) AS {alias}" for alias, column in texts.items()]
    wanted += [f"{id_text(relation, names.index(c) + 1)} AS w{place}" for place, c in enumerate(roles.telling)]
    for place, column in enumerate(roles.numbers):
        position = names.index(column) + 1
        text = f"CAST(#{position} AS VARCHAR)"
        if is_numeric(relation, names, column):
            wanted.append(f"CAST(#{position} AS DOUBLE) AS n{place}")
        elif column in written:
            wanted.append(f"TRY_CAST({point_number(text, written[column])} AS DOUBLE) AS n{place}")
        else:
            as_number = f"TRY_CAST({text} AS DOUBLE)"
            wanted += [f"{as_number} AS n{place}", f"CASE WHEN {as_number} IS NULL THEN {text} END AS t{place}"]
    return relation.project(", ".join(wanted))


def point_number(text: str, written: Written) -> str:
    """What `_written.as_point_number` does, done by the engine."""
    plain = f"replace(regexp_replace({text}, {quoted(written.dropped)}, '', 'g'), ',', '.')"
    return f"{plain} || 'e-2'" if written.percent else plain


def id_text(relation: duckdb.DuckDBPyRelation, position: int) -> str:
    """The column at a position as the text that rows go by: a whole number has no point, whatever type holds it."""
    text = f"CAST(#{position} AS VARCHAR)"
    is_floating = str(relation.types[position - 1].id) in ("float", "double")
    return f"regexp_replace({text}, '\\.0$', '')" if is_floating else text


def few_names(relation: duckdb.DuckDBPyRelation, position: int, alias: str) -> str:
    """A column of names as it is, where the engine groups by it fast; as text where it is something else."""
    kind = str(relation.types[position - 1].id)
    is_plain = kind in (*SHORT, "bigint", "boolean", "varchar", "float", "double")
    return f"#{position} AS {alias}" if is_plain else f"CAST(#{position} AS VARCHAR) AS {alias}"


def _refuse_rounded(relation: duckdb.DuckDBPyRelation, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse floating numbers so large that neighbours are one, where they are names."""
    places = {column: names.index(column) + 1 for column in dict.fromkeys(columns)}
    floating = [c for c, place in places.items() if str(relation.types[place - 1].id) in ("float", "double")]
    if floating:
        facts = ", ".join(f"max(abs(#{places[column]})) AS m{place}" for place, column in enumerate(floating))
        for column, largest in zip(floating, relation.aggregate(facts).fetchall()[0], strict=True):
            refuse_rounded(column, largest)


def _read_relation(relation: duckdb.DuckDBPyRelation, roles: Roles) -> Loaded:
    """Every column of a prepared relation, all from one query, so that rows stay together whatever their order."""
    labels = {f"l{place}": column for place, column in enumerate(roles.labels)}
    keys = {f"k{place}": column for place, column in enumerate(roles.keys)}
    values = {alias: _distinct_labels(relation, alias) for alias in [*labels, *keys]}
    wanted = [_enum_code_sql(alias, found) for alias, found in values.items()]
    wanted += [f"n{place}" for place in range(len(roles.numbers))]
    if "id" in roles.used:
        alias = f"w{roles.telling.index(roles.used['id'])}"
        wanted.append(f"CASE WHEN {is_there(alias)} THEN {alias} ELSE '' END AS id")
    columns: dict[str, NDArray[Any]] = relation.project(", ".join(wanted)).fetchnumpy()
    return Loaded(
        len(columns["l0"]),
        {column: _code_labels(values[alias], columns[alias]) for alias, column in labels.items()},
        {column: _fetch_numbers(relation, place, columns[f"n{place}"]) for place, column in enumerate(roles.numbers)},
        {column: _code_labels(values[alias], columns[alias]) for alias, column in keys.items()},
        repeats=repeats(relation, roles),
        ids=columns["id"].astype(TEXT) if "id" in roles.used else None,
    )


def _enum_code_sql(alias: str, found: Sequence[str]) -> str:
    if 0 < len(found) <= MOST_VALUES:
        return f"enum_code(CAST({alias} AS ENUM({', '.join(map(quoted, found))}))) AS {alias}"
    return alias if found and alias.startswith("k") else f"NULL::UTINYINT AS {alias}"


def repeats(relation: duckdb.DuckDBPyRelation, roles: Roles) -> dict[str, int]:
    """How many rows of a prepared relation have a value that came before in the same model, by column."""
    model = f"l{roles.labels.index(roles.model)}" if roles.model is not None else "1"
    found = {}
    for place, column in enumerate(roles.telling):
        known = relation.filter(is_there(f"w{place}"))
        counted = known.aggregate(f"{model}, w{place}, count(*) AS rows", f"{model}, w{place}")
        found[column] = int(counted.aggregate("coalesce(sum(rows - 1), 0)").fetchall()[0][0])
    return found


def _distinct_labels(relation: duckdb.DuckDBPyRelation, column: str) -> list[str]:
    found = relation.project(column).filter(f"{column} IS NOT NULL").distinct().limit(MOST_VALUES + 1).fetchall()
    values = [value for (value,) in found]
    odd = next((value for value in values if "\0" in value), None)
    if odd is not None:
        raise InputError(f"a label is {shown(odd)}, with a NUL character in it", "labels without control characters")
    return values


def _code_labels(values: Sequence[str], codes: NDArray[Any]) -> Coded:
    if len(values) > MOST_VALUES and codes.dtype.kind == "O":
        return code_objects(codes.tolist(), most=None)
    if len(values) > MOST_VALUES:
        return Coded(tuple(values), np.zeros(0, np.int8), distinct=len(values))
    plain = codes.astype(narrow(len(values)))
    return Coded(tuple(whole_labels(values)), plain.filled(-1) if isinstance(plain, np.ma.MaskedArray) else plain)


def _fetch_numbers(relation: duckdb.DuckDBPyRelation, place: int, values: NDArray[Any]) -> Numbers:
    if not isinstance(values, np.ma.MaskedArray):
        return Numbers(values)
    if f"t{place}" not in relation.columns:
        return Numbers(values.filled(np.nan))
    numbered = relation.project(f"row_number() OVER () AS place, t{place} AS held")
    bad = numbered.filter(is_there("held")).order("place").limit(1).fetchall()
    return Numbers(values.filled(np.nan), bad[0] if bad else None)
