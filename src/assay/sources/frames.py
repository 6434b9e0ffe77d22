"""Predictions from data frames: whatever narwhals knows, and DuckDB relations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.request import Request
from assay.sources.assembly import assemble
from assay.sources.column_data import Loaded, Origin
from assay.sources.column_inference import Roles, infer
from assay.sources.column_roles import of_frame, of_relation
from assay.sources.engine import queries
from assay.sources.labels import (
    MOST_VALUES,
    Coded,
    Numbers,
    code,
    code_objects,
    id_texts,
    narrow,
    number,
    number_objects,
)
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

if TYPE_CHECKING:
    import narwhals as nw

    from assay.types import Texts

__all__ = ["from_frame", "read_frame"]

FEW = 4  # up to so many different values, comparing the column with each is the fastest way to code it
COMPARED = 16  # and up to so many where pyarrow is not installed


def from_frame(frame: Any, request: Request | None = None) -> Reading:
    """The predictions in a data frame: pandas, polars (lazy too), pyarrow, a DuckDB relation and others.

    >>> import polars
    >>> frame = polars.DataFrame({"y_true": [0, 1, 1], "y_score": [0.2, 0.7, 0.4]})
    >>> from_frame(frame).models["model"]
    Predictions(3 cases of '0', '1'; positive '1'; with score)
    """
    request = request or Request()
    if type(frame).__name__ == "DuckDBPyRelation":
        return _read_relation(frame, request)
    return read_frame(frame, request)


def read_frame(frame: Any, request: Request, origin: Origin | None = None) -> Reading:
    """The predictions in a frame that narwhals knows; without an origin, those of a frame a user passed."""
    names, roles, eager = _collect_role_columns(frame, request)
    loaded = Loaded(
        len(eager),
        {column: _series_labels(eager, names.index(column), column) for column in roles.labels},
        {column: _series_numbers(eager, names.index(column), column) for column in roles.numbers},
        {column: _series_labels(eager, names.index(column), column, most=None) for column in roles.keys},
        repeats=_repeat_counts(eager, names, roles),
        ids=_series_ids(eager, names.index(roles.used["id"]), roles.used["id"]) if "id" in roles.used else None,
    )
    return assemble(loaded, roles, request, origin or Origin("frame", str(eager.implementation).lower()))


def _read_relation(relation: Any, request: Request) -> Reading:
    import duckdb

    names = list(relation.columns)
    roles = infer(names, request, of_relation(relation, names))
    try:
        loaded = queries.load(relation, names, roles, decimal=request.decimal)
    except duckdb.Error as error:
        raise InputError("the DuckDB relation cannot be computed", "a relation with a valid query") from error
    return assemble(loaded, roles, request, Origin("frame", "duckdb"))


def _collect_role_columns(frame: Any, request: Request) -> tuple[Sequence[str], Roles, nw.DataFrame[Any]]:
    """The columns that play a role, in memory, with their names and the roles they play."""
    import narwhals as nw

    try:
        table: Any = nw.from_native(frame)
        names = [str(name) for name in table.collect_schema().names()]
    except TypeError as error:
        raise InputError(
            f"a {type(frame).__name__} is not a data frame", "a data frame that narwhals supports, such as pandas"
        ) from error
    except nw.exceptions.DuplicateError:
        names = [str(name) for name in getattr(frame, "column_names", None) or frame.columns]
        table = None
    roles = infer(names, request, None if table is None else of_frame(table, names))
    used = [name for name in names if name in roles.columns]
    table = table.select(nw.nth(*map(names.index, used)))
    return used, roles, table.collect() if isinstance(table, nw.LazyFrame) else table


def _repeat_counts(frame: nw.DataFrame[Any], names: Sequence[str], roles: Roles) -> dict[str, int]:
    import narwhals as nw

    found = {}
    for column in roles.telling:
        places = [names.index(each) for each in dict.fromkeys((column, roles.model)) if each is not None]
        known = frame.filter(~nw.nth(places[0]).is_null()).select(nw.nth(*places))
        found[column] = len(known) - len(known.unique())
    return found


def _series_labels(frame: nw.DataFrame[Any], place: int, column: str, most: int | None = MOST_VALUES) -> Coded:
    import narwhals as nw

    series = _refuse_nested_column(frame, place, column)
    if series.dtype.is_integer() and series.null_count() > 0:
        # As numbers with gaps they would become floating ones, and large ones would be rounded.
        return code(series.fill_null(0).to_numpy(), series.is_null().to_numpy().astype(bool), most)
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return code(series.to_numpy(), most=most)
    if series.dtype in (nw.Object, nw.Unknown):
        return code_objects(series.to_list(), most)
    values = series.drop_nulls().unique().to_list()
    encoded = _code_by_arrow_dictionary(series, most) if len(values) > FEW else None
    if encoded is not None or len(values) > COMPARED:
        return encoded or code_objects(series.to_list(), most)
    # Not through to_numpy: a pyarrow column of dictionary type comes out of it with labels where it holds nulls.
    codes = np.full(len(series), -1, narrow(len(values)))
    for position, value in enumerate(values):
        codes[(series == value).fill_null(value=False).to_numpy().astype(bool, copy=False)] = position
    return Coded(tuple(values), codes)


def _refuse_nested_column(frame: nw.DataFrame[Any], place: int, column: str) -> nw.Series[Any]:
    series = frame[:, place]
    if series.dtype.is_nested():
        raise InputError(f"{shown(column)} holds lists or other compound values", "one plain value for each case")
    return series


def _series_ids(frame: nw.DataFrame[Any], place: int, column: str) -> Texts:
    series = _refuse_nested_column(frame, place, column)
    whole = series.dtype.is_integer() and series.null_count() == 0
    return id_texts(series.to_numpy() if whole else series.to_list())


def _code_by_arrow_dictionary(series: nw.Series[Any], most: int | None) -> Coded | None:
    """The codes of many different texts, where pyarrow is there to find them; it is far faster than a look at each."""
    try:
        array = series.to_arrow()
    except (ImportError, TypeError, ValueError):  # not installed, or it has no type for what the column holds
        return None
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
    encoded = array if hasattr(array, "indices") else array.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    if most is not None and len(values) > most:
        return None
    return Coded(tuple(values), encoded.indices.cast("int64").fill_null(-1).to_numpy().astype(narrow(len(values))))


def _series_numbers(frame: nw.DataFrame[Any], place: int, column: str) -> Numbers:
    import narwhals as nw

    series = frame[:, place]
    if series.dtype == nw.Float64 and series.null_count() == 0:
        return number(series.to_numpy(), column)
    if series.dtype.is_integer():
        found = number(series.fill_null(0).to_numpy(), column)
        return replace(found, values=np.where(series.is_null().to_numpy(), np.nan, found.values))
    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return number(series.cast(nw.Float64).to_numpy(), column)
    return number_objects(series.to_list(), column, parse=True)
