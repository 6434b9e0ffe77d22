"""Tables that every engine is given alike, and each engine's own kind of table of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import Binned, ScoreGrid

__all__ = ["CASES", "TABLES", "TABLES_OF_ANY", "Rows", "expected", "of_every_kind"]

Rows = dict[str, list[Any]]


def _clean(n: int = 3000) -> Rows:
    rng = np.random.default_rng(27)
    truth = rng.random(n) < 0.3
    score = np.round(1 / (1 + np.exp(-rng.normal(truth * 1.5 - 1, 1.2))), 6)
    # Weights that add up exactly in any order, as sums of a few binary digits do.
    weight = rng.integers(1, 64, n) / 16
    return {"y_true": truth.astype(int).tolist(), "y_score": score.tolist(), "w": weight.tolist()}


def _odd() -> Rows:
    rows = _clean(400)
    rows["y_score"][3] = None
    rows["y_score"][7] = float("nan")
    rows["y_score"][11] = -0.0
    rows["y_score"][12] = 0.0
    rows["y_score"][13] = 1.0
    rows["y_score"][14] = 5e-324
    rows["y_true"][20] = None
    rows["w"][30] = 0.0
    return rows


def _reals() -> Rows:
    rows = _clean(400)
    rows["y_score"] = [float(8 * score - 4) for score in rows["y_score"]]
    rows["y_score"][5:9] = [-0.0, 0.0, 1e30, -1e30]
    return rows


CASES: dict[str, Callable[[], Rows]] = {"clean": _clean, "odd": _odd, "reals": _reals}


def _arrow(rows: Rows) -> Any:
    import pyarrow as pa

    kinds = {"y_true": pa.int64(), "y_score": pa.float64(), "w": pa.float64()}
    return pa.table({name: pa.array(values, kinds[name], from_pandas=False) for name, values in rows.items()})


def _polars(rows: Rows) -> Any:
    import polars

    return polars.DataFrame(rows, schema={"y_true": polars.Int64, "y_score": polars.Float64, "w": polars.Float64})


def _pandas(rows: Rows) -> Any:
    return _arrow(rows).to_pandas()


def _duckdb(rows: Rows) -> Any:
    import duckdb

    table = _arrow(rows)
    connection = duckdb.connect()
    connection.register("rows", table)
    connection.execute("CREATE TABLE held AS SELECT * FROM rows")
    return connection.table("held")


# What is there without an engine of its own; the others are in the test of engines.
TABLES: dict[str, Callable[[Rows], Any]] = {
    "polars": _polars,
    "polars, lazy": lambda rows: _polars(rows).lazy(),
    "pandas": _pandas,
    "pyarrow": _arrow,
    "duckdb": _duckdb,
}


def _any_duckdb(columns: dict[str, Any]) -> Any:
    import duckdb
    import polars

    connection = duckdb.connect()
    connection.register("rows", polars.DataFrame(columns).to_arrow())
    connection.execute("CREATE TABLE held AS SELECT * FROM rows")
    return connection.table("held")


def _any(kind: str) -> Callable[[dict[str, Any]], Any]:
    import polars

    turned = {
        "polars": lambda frame: frame, "polars, lazy": lambda frame: frame.lazy(),
        "pandas": lambda frame: frame.to_pandas(), "pyarrow": lambda frame: frame.to_arrow(),
    }  # fmt: skip
    return lambda columns: turned[kind](polars.DataFrame(columns))


# The same kinds of tables, of whatever columns.
TABLES_OF_ANY: dict[str, Callable[[dict[str, Any]], Any]] = {
    **{kind: _any(kind) for kind in ("polars", "polars, lazy", "pandas", "pyarrow")},
    "duckdb": _any_duckdb,
}


def of_every_kind(rows: Rows) -> Rows:
    """Rows without what is missing or stands for nobody: what is left of them to be counted."""
    held = zip(rows["y_true"], rows["y_score"], rows["w"], strict=True)
    kept = [(t, s, w) for t, s, w in held if t is not None and s is not None and s == s and w > 0]
    return {"y_true": [t for t, _, _ in kept], "y_score": [s for _, s, _ in kept], "w": [w for _, _, w in kept]}


def expected(rows: Rows, grid: ScoreGrid, *, weighted: bool) -> Binned:
    """The evidence that numpy makes of the same rows."""
    kept = of_every_kind(rows) if weighted else of_every_kind({**rows, "w": [1.0] * len(rows["w"])})
    weight: NDArray[np.float64] | None = np.array(kept["w"]) if weighted else None
    truth = np.array(kept["y_true"]) == 1
    return Binned.of(kept["y_score"], truth, ("0", "1"), grid, weight=weight)
