"""Rows that do not fit into memory, or that lie elsewhere: reduced where they lie, by the engine that holds them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, InputError, OptionError
from assay.evidence import Shape
from assay.request import Request, doubled, memory_bytes
from assay.sources.assembly import assemble
from assay.sources.column_data import BYTES_A_ROW, LEAST_MEMORY, Origin
from assay.sources.column_inference import infer
from assay.sources.column_names import Way
from assay.sources.column_roles import Roles, of_frame, of_lazy, of_relation
from assay.sources.engine import queries
from assay.sources.engine.binned_predictions import Reduction
from assay.sources.engine.file_tables import Gathered, gathered, is_database, is_gathered
from assay.sources.engine.reduction import reduction_of
from assay.sources.engine.tables import KEYS, Lying, collected, refuse_unreachable, refuse_what_stays
from assay.sources.evidence_archive import is_evidence
from assay.sources.formats.detection import opened
from assay.sources.quoting import shown
from assay.sources.source_record import Reading, stage

if TYPE_CHECKING:
    import duckdb

PARQUET = b"PAR1"
SQLITE = (".db", ".sqlite", ".sqlite3")
__all__ = ["BYTES_A_ROW", "from_engine", "refuse_beyond_memory", "refuse_unreadable"]


def from_engine(data: Any, request: Request | None = None, *, shape: Shape | None = None) -> Reading | Reduction | None:
    """What an engine makes of a source that is large, of many files, or of a database; nothing where others read it.

    A source that fits into the memory that may be used is read as any other. One that does not is reduced where it
    lies, and so is a table of Spark, Dask, polars or ibis with so many rows. `shape` says how fine cells have to be,
    where evidence is to be made of them that adds; otherwise they are as fine as the AUC needs.

    >>> import polars
    >>> frame = polars.LazyFrame({"y_true": [0, 1] * 500, "y_score": [0.25, 0.75] * 500})
    >>> from_engine(frame) is None
    True
    >>> from_engine(frame, Request(memory="1kB")).models["model"].binned
    Binned(2 bins of 11 bits; 500 negatives, 500 positives)
    """
    request = request or Request()
    if isinstance(data, str | os.PathLike):
        return _read_path_by_engine(str(data), request, shape)
    if type(data).__name__ == "DuckDBPyRelation":
        return _reduce_relation(data, request, shape)
    return _reduce_frame(data, request, shape)


def _fits_in_memory(rows: int, request: Request) -> bool:
    return rows * BYTES_A_ROW <= memory_bytes(request.memory)


def _read_path_by_engine(path: str, request: Request, shape: Shape | None) -> Reading | Reduction | None:
    if request.table is not None and not (is_database(path) or Path(path).suffix.lower() in SQLITE):
        needed = "a database, whose name ends in .duckdb, .sqlite or .db"
        raise OptionError("table does not apply to a file", needed, about="table")
    if path == "-" or not (is_gathered(path) or _may_exceed_memory(path, request)):
        return None
    # The engine has to leave something to whoever computes with what it found.
    with (
        _translate_engine_errors(Path(path).name, request),
        queries.connect(memory=max(LEAST_MEMORY, memory_bytes(request.memory) // 2)) as connection,
        gathered(path, request, connection) as table,
    ):
        if table is None or (_fits_in_memory(table.rows, request) and not is_gathered(path)):
            return None
        return _read_engine_table(table, request, shape, connection)


def refuse_beyond_memory(path: str, request: Request) -> None:
    """Refuse a file whose rows do not fit, where they are needed one by one."""
    if path == "-" or not _may_exceed_memory(path, request):
        return
    name = Path(path).name
    with (
        _translate_engine_errors(name, request),
        queries.connect(memory=LEAST_MEMORY) as connection,
        gathered(path, request, connection) as table,
    ):
        if table is None or _fits_in_memory(table.rows, request):
            return
    found = f"{shown(name)} does not fit into memory ({request.memory}), where cases of several files are joined"
    ways: list[Way] = [({"memory": doubled(request.memory)}, "read the rows into memory")]
    raise InputError(found, "one table with one score column per model, or more memory", ways=ways)


def refuse_unreadable(path: str) -> None:
    """Refuse a file that no option makes readable: damaged, of no known kind, too much unpacked, without a table."""
    try:
        if is_database(path):
            with (
                _translate_engine_errors(Path(path).name, Request()),
                queries.connect(memory=LEAST_MEMORY) as connection,
                gathered(path, Request(), connection),
            ):
                return
        with Path(path).open("rb") as file:
            if is_evidence(file.read(64)):
                return
        with opened(path, is_alone=False):
            return
    except InputError as error:
        if not error.ways:
            raise


def _may_exceed_memory(path: str, request: Request) -> bool:
    """Whether a file may hold more rows than fit: in text most take a byte at least for every four rows."""
    with contextlib.suppress(OSError, ValueError):
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            # Rows that are alike take nothing in Parquet: how many there are stands in its last part.
            is_parquet = file.read(len(PARQUET)) == PARQUET
        return is_parquet or 4 * Path(path).stat().st_size * BYTES_A_ROW > memory_bytes(request.memory)
    return False


def _read_engine_table(
    table: Gathered, request: Request, shape: Shape | None, connection: duckdb.DuckDBPyConnection
) -> Reading | Reduction:
    origin = Origin(table.name, table.format, table.sha256, table.notes)
    roles = _infer_roles(table.names, request, of_relation(table.relation, table.names), shape)

    def keep(prepared: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
        # In the engine's memory, or where it spills to: text is parsed once though several queries look at it.
        connection.execute("DROP TABLE IF EXISTS kept")
        prepared.create("kept")
        return connection.table("kept")

    fits = _fits_in_memory(table.rows, request)
    connection.execute(f"SET preserve_insertion_order = {str(fits).lower()}")
    connection.execute("SET lock_configuration = true")
    if fits:
        loaded = queries.load(table.relation, table.names, roles, decimal=request.decimal, keep=keep)
        return assemble(loaded, roles, request, origin)
    lying = _engine_table_of_relation(table.relation, table.names, roles, request, keep)
    return reduction_of(lying, roles, request, origin, shape)


def _reduce_relation(relation: duckdb.DuckDBPyRelation, request: Request, shape: Shape | None) -> Reduction | None:
    with _translate_engine_errors("the DuckDB relation", request):
        if _fits_in_memory(int(relation.aggregate("count(*)").fetchall()[0][0]), request):
            return None
        names = tuple(relation.columns)
        roles = _infer_roles(names, request, of_relation(relation, names), shape)
        lying = _engine_table_of_relation(relation, names, roles, request)
        return reduction_of(lying, roles, request, Origin("frame", "duckdb"), shape)


def _reduce_frame(frame: Any, request: Request, shape: Shape | None) -> Reduction | None:
    import narwhals as nw

    try:
        table: Any = nw.from_native(frame)
    except (TypeError, nw.exceptions.DuplicateError):
        return None
    engine = str(table.implementation).lower()
    with _translate_engine_errors(f"the {engine} table", request):
        is_lazy = isinstance(table, nw.LazyFrame)
        rows = int(collected(table.select(rows=nw.len()))["rows"][0]) if is_lazy else len(table)
        if _fits_in_memory(rows, request):
            return None
        names = tuple(map(str, table.collect_schema().names()))
        contents = of_lazy(table, names) if is_lazy else of_frame(table, names)
        roles = _infer_roles(names, request, contents, shape)
        return reduction_of(
            _engine_table_of_frame(table, roles, request), roles, request, Origin("frame", engine), shape
        )


def _infer_roles(names: Sequence[str], request: Request, contents: Any, shape: Shape | None) -> Roles:
    """What each column is; those that cannot become evidence are refused where it is to be made."""
    roles = infer(names, request, contents)
    if shape is not None:
        refuse_what_stays(roles)
    return roles


def _columns_by_role(roles: Roles, request: Request) -> dict[str, str]:
    """What the columns that are needed are called, by what they are called here."""
    refuse_unreachable(roles, request)
    columns = {"truth": roles.truth} | ({"by": roles.by} if roles.by is not None else {})
    columns |= {"model": roles.model} if roles.model is not None else {}
    scores = dict.fromkeys(
        c for m in roles.models for c in (m.score, m.certainty, *(each for _, each in m.per_class)) if c
    )
    preds = dict.fromkeys(model.pred for model in roles.models if model.pred is not None)
    columns |= {f"score{place}": column for place, column in enumerate(scores)}
    columns |= {f"pred{place}": column for place, column in enumerate(preds)}
    return columns | {role: roles.used[role] for role in ("weight", "count", "cluster") if role in roles.used}


def _probability_columns(roles: Roles, columns: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The columns that hold a probability for each class, model by model."""
    own = {column: name for name, column in columns.items()}
    each = (tuple(own[column] for _, column in model.per_class) for model in roles.models)
    return tuple(names for names in each if len(names) > 1)


def _is_categorical_role(name: str) -> bool:
    return name in (*KEYS, "cluster") or name.startswith("pred")


def _engine_table_of_relation(
    relation: duckdb.DuckDBPyRelation,
    names: Sequence[str],
    roles: Roles,
    request: Request,
    keep: Callable[[duckdb.DuckDBPyRelation], duckdb.DuckDBPyRelation] = lambda prepared: prepared,
) -> Lying:
    """The columns of a relation by what they are; texts are read as numbers, and what is none is kept beside them."""
    import narwhals as nw

    columns = _columns_by_role(roles, request)
    wanted, texts = [], []
    for name, column in columns.items():
        place = names.index(column) + 1
        if _is_categorical_role(name):
            wanted.append(queries.few_names(relation, place, name))
        elif queries.is_numeric(relation, names, column):
            wanted.append(f"CAST(#{place} AS DOUBLE) AS {name}")
        else:
            number = f"TRY_CAST(#{place} AS DOUBLE)"
            is_text = f"{number} IS NULL AND {queries.is_there(f'#{place}')}"
            wanted += [f"{number} AS {name}", f"CASE WHEN {is_text} THEN #{place} END AS text_{name}"]
            texts.append(name)
    prepared = relation.project(", ".join(wanted))
    if texts:
        stage("converting text to numbers")
    frame = nw.from_native(keep(prepared) if texts else prepared)
    return Lying(frame, columns, tuple(texts), shares=_probability_columns(roles, columns))


def _engine_table_of_frame(table: Any, roles: Roles, request: Request) -> Lying:
    import narwhals as nw

    columns, schema = _columns_by_role(roles, request), table.collect_schema()
    wanted = []
    for name, column in columns.items():
        kind = schema[column]
        if _is_categorical_role(name):
            is_plain = kind.is_numeric() or kind in (nw.Boolean, nw.String)
            wanted.append((nw.col(column) if is_plain else nw.col(column).cast(nw.String)).alias(name))
        elif kind.is_numeric() or kind == nw.Boolean:
            wanted.append(nw.col(column).cast(nw.Float64).alias(name))
        else:
            raise InputError(f"{shown(column)} holds {kind}, not numbers", "a column of numbers; cast it first")
    return Lying(table.select(*wanted), columns, shares=_probability_columns(roles, columns))


@contextlib.contextmanager
def _translate_engine_errors(name: str, request: Request) -> Iterator[None]:
    """An engine's failure in a sentence of ours: its own words and paths are not the user's."""
    try:
        yield
    except (AssayError, KeyboardInterrupt):
        raise
    except Exception as error:
        kind = type(error).__name__
        if "OutOfMemory" in kind or isinstance(error, MemoryError):
            found = f"{shown(name)} cannot be reduced in the permitted memory ({request.memory})"
            raise InputError(found, "more memory", {"memory": doubled(request.memory)}) from error
        if any(
            word in kind
            for word in ("IO", "FileNotFound", "Permission", "ComputeError", "Arrow", "Serialization", "InvalidInput")
        ):
            raise InputError(f"{shown(name)} cannot be read completely: it is damaged, changed or removed meanwhile",
                             "files that do not change while they are read") from error  # fmt: skip
        raise InputError(f"{shown(name)} cannot be computed: {kind}", "a table whose rows can be computed") from error
