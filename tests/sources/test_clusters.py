"""The reduction on engines with processes of their own: Spark really started, Dask on a cluster; and tables of ibis."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.sources.engines_alike import CASES, TABLES, Rows, expected
from tests.sources.models_alike import MODELS

import assay
from assay.errors import InputError
from assay.request import Request
from assay.sources import Reduction, from_engine

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed: Any = import_module("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as here,
        distributed.Client(here) as client,
    ):
        yield client


def of_spark(session: Any, rows: Rows, partitions: int = 3) -> Any:
    from pyspark.sql import types

    columns = {"y_true": types.LongType(), "y_score": types.DoubleType(), "w": types.DoubleType()}
    schema = types.StructType([types.StructField(name, kind) for name, kind in columns.items()])
    return session.createDataFrame([*zip(*rows.values(), strict=True)], schema).repartition(partitions)


def of_dask(rows: Rows, partitions: int = 3) -> Any:
    frames: Any = import_module("dask.dataframe")

    return frames.from_pandas(TABLES["pandas"](rows), npartitions=partitions)


def of_ibis(rows: Rows) -> Any:
    import duckdb

    ibis: Any = import_module("ibis")

    connection = duckdb.connect()
    connection.register("given", TABLES["pyarrow"](rows))
    connection.execute("CREATE TABLE held AS SELECT * FROM given")
    connection.unregister("given")
    return ibis.duckdb.from_connection(connection).table("held")


def of_any(engine: str, session: Any) -> Any:
    """What makes an engine's table of columns of any kind."""
    if engine == "spark":
        return lambda columns: session.createDataFrame(_frame(columns)).repartition(3)
    if engine == "dask":
        frames: Any = import_module("dask.dataframe")
        return lambda columns: frames.from_pandas(_frame(columns), npartitions=3)
    ibis: Any = import_module("ibis")
    return lambda columns: ibis.memtable(_frame(columns))


def _frame(columns: dict[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def check(table: Any, rows: Rows, *, weighted: bool) -> None:
    said = {"weight": "w"} if weighted else {"ignore": "w"}
    asked = Request.of({"memory": "1kB", "truth": "y_true", "score": "y_score", "missing": "drop", **said})
    found = from_engine(table, asked)
    assert isinstance(found, Reduction)
    binned = found.models["model"].binned
    assert binned == expected(rows, binned.grid, weighted=weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_spark_makes_the_same_evidence(spark: Any, case: str, weighted: bool) -> None:
    rows = CASES[case]()
    check(of_spark(spark, rows), rows, weighted=weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_dask_makes_the_same_evidence(cluster: Any, case: str, weighted: bool) -> None:
    rows = CASES[case]()
    check(of_dask(rows), rows, weighted=weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_ibis_makes_the_same_evidence(case: str, weighted: bool) -> None:
    rows = CASES[case]()
    check(of_ibis(rows), rows, weighted=weighted)


@pytest.mark.parametrize("models", MODELS)
@pytest.mark.parametrize("engine", ["spark", "dask", "ibis"])
def test_models_and_classes_are_the_same_everywhere(spark: Any, cluster: Any, engine: str, models: str) -> None:
    MODELS[models](of_any(engine, spark))


def test_one_partition_empty_ones_and_skewed_ones(spark: Any, cluster: Any) -> None:
    frames: Any = import_module("dask.dataframe")

    rows = CASES["odd"]()
    check(of_spark(spark, rows, 1), rows, weighted=False)
    whole = of_spark(spark, rows, 1)
    check(whole.limit(0).union(whole), rows, weighted=False)
    check(of_dask(rows, 1), rows, weighted=False)
    frame = TABLES["pandas"](rows)
    parts = [frame[:0], frame[:1], frame[1:], frame[:0]]
    check(frames.concat([frames.from_pandas(part, npartitions=1) for part in parts]), rows, weighted=False)


def test_the_front_door_takes_them(spark: Any, cluster: Any) -> None:
    rows = CASES["clean"]()
    exact = assay.evaluate(TABLES["pandas"](rows), ignore="w")
    for table in (of_spark(spark, rows), of_dask(rows), of_ibis(rows)):
        # What fits is read: then nothing is put together.
        assert assay.evaluate(table, ignore="w").roc_auc.value == pytest.approx(exact.roc_auc.value, abs=1e-13)
        bounds = assay.evaluate(table, ignore="w", memory="1kB").roc_auc.bounds
        assert bounds is not None
        assert bounds[0] <= exact.roc_auc.value <= bounds[1]


def test_dask_finishes_though_a_worker_is_killed(cluster: Any, tmp_path: Path) -> None:
    """Parts of a table are computed again by another worker: the same answer."""
    frames: Any = import_module("dask.dataframe")

    rows = CASES["clean"]()
    frame = TABLES["pandas"](rows)
    for place, part in enumerate(np.array_split(np.arange(len(frame)), 6)):
        frame.iloc[part].to_parquet(tmp_path / f"{place}.parquet")
    mark = tmp_path / "killed"
    driver = os.getpid()

    def kill_once(part: Any) -> Any:
        if len(part) and os.getpid() != driver and not mark.exists():
            mark.write_text("once")
            os.kill(os.getpid(), signal.SIGKILL)
        return part

    table = frames.read_parquet(tmp_path, engine="pyarrow").map_partitions(kill_once)
    check(table, rows, weighted=False)
    assert mark.exists()


def test_a_table_that_cannot_be_computed_is_one_sentence(spark: Any, tmp_path: Path) -> None:
    rows = CASES["clean"]()
    TABLES["polars"](rows).write_parquet(tmp_path / "a.parquet")
    table = spark.read.parquet(str(tmp_path))
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(InputError, match="cannot be"):
        assay.evaluate(table, ignore="w", memory="1kB")
