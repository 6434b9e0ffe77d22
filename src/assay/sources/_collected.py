"""What an engine computed, as arrays here; in no order that anybody may rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["collected"]


def collected(frame: nw.DataFrame[Any] | nw.LazyFrame[Any]) -> dict[str, NDArray[Any]]:
    """The columns of a small table that an engine is asked for; missing numbers are nan, other missing values None.

    >>> import duckdb, narwhals
    >>> collected(narwhals.from_native(duckdb.sql("SELECT 1.5 AS a, NULL::VARCHAR AS b")))
    {'a': array([1.5]), 'b': array([None], dtype=object)}
    """
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_duckdb():
        # By way of Arrow, DuckDB 2.0 loses the order that was asked for, and pyarrow may not be there.
        found = frame.to_native().fetchnumpy()
        return {name: _plain(values) for name, values in found.items()}
    eager: Any = frame
    if isinstance(frame, nw.LazyFrame):
        is_polars = frame.implementation.is_polars()
        eager = nw.from_native(frame.to_native().collect(engine="streaming")) if is_polars else frame.collect()
    return {name: _of_series(eager[name]) for name in eager.columns}


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if values.dtype.kind == "f":
        return values.filled(np.nan)
    held = np.array(values.data, dtype=object)
    held[np.ma.getmaskarray(values)] = None
    return held


def _of_series(series: nw.Series[Any]) -> NDArray[Any]:
    # Whole numbers with gaps would become others, and engines would not know them again.
    if series.dtype.is_float() or (series.dtype.is_numeric() and series.null_count() == 0):
        return np.asarray(series.to_numpy())
    held = np.empty(len(series), dtype=object)
    held[:] = series.to_list()
    return held
