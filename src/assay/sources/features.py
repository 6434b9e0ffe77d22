"""Feature tables as columns: from files (through the engine that reads predictions) and from data frames."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources.column_values import Written, how_written
from assay.sources.engine import queries
from assay.sources.files import _open_relation
from assay.sources.formats import arff as _arff
from assay.sources.formats import arrow, excel
from assay.sources.formats.detection import Opened, opened
from assay.sources.labels import MISSING

__all__ = [
    "AS_A_WHOLE",
    "Column",
    "column_names",
    "column_of_values",
    "columns_of_file",
    "columns_of_frame",
    "eager_frame",
    "is_missing",
    "series_of_frame",
    "texts_of_file",
    "texts_of_table",
]

# Formats that the engine does not read.
AS_A_WHOLE = ("arff", "arrow", "excel")

# Numbers, or texts with None where one is missing.
Column = NDArray[Any]


def columns_of_file(path: str | PathLike[str]) -> tuple[dict[str, Column], bool]:
    """The columns of a feature table in a file, and whether its format has the class last by custom (ARFF)."""
    with opened(path) as file:
        if file.format == "arff":
            return _read_arff_features(file), True
        if file.format == "arrow":
            return columns_of_frame(arrow._read_arrow_table(file)), False
        if file.format == "weka":
            raise InputError(f"{file.name!r} holds WEKA's predictions", "a table of features with a class column")
        if file.format == "excel":
            return {name: column_of_values(cells) for name, cells in excel.columns(file).items()}, False
        if file.format in ("npy", "npz"):
            raise InputError(f"{file.name!r} holds numpy arrays", "a table of features with names, such as CSV")
        return _read_features_by_engine(file), False


def texts_of_table(path: str | PathLike[str], sheet: str | None = None) -> dict[str, list[str | None]]:
    """Every column of a file that is read as a whole (ARFF, Feather, Excel), as text; None where nothing stands."""
    with opened(path) as file:
        if file.format == "arff":
            return _arff.columns(file)
        if file.format == "excel":
            columns: dict[str, Column] = {
                name: column_of_values(cells) for name, cells in excel.columns(file, sheet).items()
            }
        else:
            columns, _ = columns_of_file(path)
    return {name: [_value_as_text(value) for value in values.tolist()] for name, values in columns.items()}


def texts_of_file(path: str | PathLike[str], names: Sequence[str]) -> dict[str, list[str | None]]:
    """Some columns of a file as they are written there, leading zeros and all; None where nothing stands."""
    import duckdb

    with opened(path) as file:
        if file.format in AS_A_WHOLE:
            columns = texts_of_table(path)
            return {name: columns[name] for name in names}
        with queries.connect() as connection:
            queries.confine(connection, [file.path])
            try:
                relation, known = _open_relation(file, connection, strict=True)
                places = [known.index(name) + 1 for name in names]
                rows = relation.project(", ".join(f"CAST(#{place} AS VARCHAR)" for place in places)).fetchall()
            except duckdb.Error:
                raise InputError(f"{file.name!r} cannot be read as a table", "an intact file of that format") from None
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _value_as_text(value: Any) -> str | None:
    if is_missing(value):
        return None
    return f"{value:.0f}" if isinstance(value, float) and value == int(value) else str(value)


def columns_of_frame(frame: Any) -> dict[str, Column]:
    """The columns of any data frame narwhals knows."""
    eager = eager_frame(frame)
    names = column_names(eager)
    return dict(zip(names, map(_series_column, series_of_frame(eager)), strict=True))


def eager_frame(frame: Any) -> Any:
    """Return a data frame of any library narwhals knows, computed where that is still to do; all else is refused."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        table: Any = nw.from_native(frame)
    except DuplicateError:
        return frame
    except TypeError:
        found = f"an object of type {type(frame).__name__} is not a data set"
        raise InputError(found, "a bundled name, the path of a file, a data frame or (X, y)") from None
    return table.collect().to_native() if isinstance(table, nw.LazyFrame) else frame


def column_names(frame: Any) -> list[str]:
    """Return the names of the columns of a data frame as texts, each once: of equal ones the later have a number.

    >>> import pandas
    >>> column_names(pandas.DataFrame([[1, 2, 3, 4]], columns=["x", 0, "x", "0"]))
    ['x', '0 (2)', 'x (2)', '0']
    """
    given = list(getattr(frame, "column_names", frame.columns))
    texts, names = [str(name) for name in given], dict[str, int]()
    # Texts first, so that a column 1 beside a column "1" has the same name wherever it stands.
    for place in sorted(range(len(given)), key=lambda place: not isinstance(given[place], str)):
        number, own = 1, texts[place]
        while own in names or (number > 1 and own in texts):
            number += 1
            own = f"{texts[place]} ({number})"
        names[own] = place
    return sorted(names, key=names.__getitem__)


def series_of_frame(frame: Any) -> list[Any]:
    """Return the columns of a data frame as narwhals has them, in their places, whatever their names."""
    import narwhals as nw

    if hasattr(frame, "iloc"):
        each = [frame.iloc[:, place] for place in range(frame.shape[1])]
    elif hasattr(frame, "itercolumns"):  # pyarrow, whose names may repeat
        each = list(frame.itercolumns())
    else:
        table = nw.from_native(frame, eager_only=True)
        return [table[name] for name in table.columns]
    return [nw.from_native(column, series_only=True) for column in each]


def is_missing(value: Any) -> bool:
    """Whether a value is None, nan or what else a library writes where there is none, such as pandas.NA.

    >>> is_missing(None), is_missing(float("nan")), is_missing(np.datetime64("NaT")), is_missing([1, 2]), is_missing("")
    (True, True, True, False, False)
    """
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA is neither equal to itself nor not
        return True
    except ValueError:  # an array, or whatever else holds values of its own
        return False


def _series_column(series: Any) -> Column:
    import narwhals as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        whole = series.null_count() == 0 and not series.dtype.is_float()
        return np.asarray(series.to_numpy() if whole else series.cast(nw.Float64).to_numpy())
    return _text_column(series.to_list())


def _text_column(values: list[Any]) -> Column:
    """Texts with None for what is missing; values that print alike are one."""
    texts = [None if is_missing(value) else str(value) for value in values]
    return np.array([None if t is None or t.strip().casefold() in MISSING else t for t in texts], dtype=object)


def column_of_values(cells: list[Any]) -> Column:
    """Values of Python as a column: numbers where it holds nothing else, else texts.

    >>> column_of_values([1, None]).tolist(), column_of_values(["a", 2]).tolist()
    ([1.0, nan], ['a', '2'])
    """
    if all(cell is None or isinstance(cell, int | float) for cell in cells):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return _text_column(cells)


def _read_features_by_engine(file: Opened) -> dict[str, Column]:
    import duckdb

    with queries.connect() as connection:
        queries.confine(connection, [file.path])
        try:
            relation, names = _open_relation(file, connection, strict=True)
            places = range(1, len(names) + 1)
            texts = {place: f"CAST(#{place} AS VARCHAR)" for place in places}
            missing = ", ".join(queries.quoted(word) for word in MISSING)
            known = {p: f"({texts[p]} IS NOT NULL AND lower(trim({texts[p]})) NOT IN ({missing}))" for p in places}
            odd = ", ".join(
                f"count(*) FILTER ({known[p]} AND TRY_CAST({texts[p]} AS DOUBLE) IS NULL) AS c{p}" for p in places
            )
            is_text = relation.aggregate(odd).fetchall()[0]
            value = {p: f"TRY_CAST({texts[p]} AS DOUBLE)" for p in places}
            for place in (p for p in places if is_text[p - 1]):
                # Decimal commas and percentages are numbers where the whole column is written so.
                how = how_written(queries.EngineTexts(relation, place, names[place - 1]))
                text = texts[place]
                value[place] = (
                    f"TRY_CAST({queries.point_number(text, how)} AS DOUBLE)" if isinstance(how, Written) else text
                )
            wanted = ", ".join(f"CASE WHEN {known[p]} THEN {value[p]} END AS c{p}" for p in places)
            found = relation.project(wanted).fetchnumpy()
        except duckdb.Error:
            raise InputError(f"{file.name!r} cannot be read as a table", "an intact file of that format") from None
    return {name: _unmask_column(found[f"c{place}"]) for place, name in zip(places, names, strict=True)}


def _unmask_column(values: Any) -> Column:
    if values.dtype.kind == "f":
        return np.ma.filled(values, np.nan)
    return np.array([None if hidden else value for value, hidden in _values_and_masks(values)], dtype=object)


def _values_and_masks(values: Any) -> Any:
    return zip(np.ma.getdata(values).tolist(), np.ma.getmaskarray(values).tolist(), strict=True)


def _read_arff_features(file: Opened) -> dict[str, Column]:
    from scipy.io import arff

    if file.gzipped:
        raise InputError(f"{file.name!r} is compressed", "the ARFF file uncompressed")
    try:
        rows, meta = arff.loadarff(str(file.path))
    except (arff.ArffError, NotImplementedError, ValueError) as error:
        raise InputError(
            f"{file.name!r} cannot be read: {error}", "dense ARFF with numeric and nominal attributes"
        ) from None
    return {
        name: rows[name] if kind == "numeric" else _text_column([value.decode() for value in rows[name].tolist()])
        for name, kind in zip(meta.names(), meta.types(), strict=True)
    }
