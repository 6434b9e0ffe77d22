"""The same data is the same predictions, whatever it came in."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.predictions import Predictions
from assay.sources import Choices, Reading, from_arrays, from_file, from_frame

pandas: Any = pytest.importorskip("pandas")

ROWS = 50
SCORES = np.random.default_rng(7).random(ROWS)
POSITIVE = np.random.default_rng(8).random(ROWS) < 0.4
PREDICTED = SCORES > 0.5
KINDS: dict[str, Callable[[np.ndarray[Any, Any]], list[Any]]] = {
    "bool": lambda is_positive: is_positive.tolist(),
    "int": lambda is_positive: is_positive.astype(int).tolist(),
    "float": lambda is_positive: is_positive.astype(float).tolist(),
    "signed": lambda is_positive: np.where(is_positive, 1, -1).tolist(),
    "text": lambda is_positive: np.where(is_positive, "spam", 'it\'s ham, "é"').tolist(),
}
Data = dict[str, list[Any]]


def of_kind(kind: str) -> Data:
    truth, pred = KINDS[kind](POSITIVE), KINDS[kind](PREDICTED)
    return {"Y_true": truth, "unused": [None] * ROWS, "score": SCORES.tolist(), "pred": pred}


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def text(data: Data, separator: str) -> bytes:
    frame = pl.DataFrame(data, schema_overrides={"unused": pl.String})
    return frame.write_csv(separator=separator).encode()


def lines(data: Data) -> bytes:
    rows = zip(*data.values(), strict=True)
    return "".join(json.dumps(dict(zip(data, row, strict=True))) + "\n" for row in rows).encode()


def parquet(data: Data, *, dictionary: bool = False) -> bytes:
    table = pa.table(data)
    if dictionary:
        table = table.set_column(0, "Y_true", table["Y_true"].dictionary_encode())
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def from_stdin(data: bytes, choices: Choices) -> Reading:
    original = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        return from_file("-", choices)
    finally:
        sys.stdin = original


Reader = Callable[[Path, Data, Choices], Reading]
READERS: dict[str, Reader] = {
    "csv": lambda folder, data, c: from_file(written(folder, "a.csv", text(data, ",")), c),
    "semicolons": lambda folder, data, c: from_file(written(folder, "a.csv", text(data, ";")), c),
    "crlf and mark": lambda folder, data, c: from_file(
        written(folder, "a.csv", b"\xef\xbb\xbf" + text(data, ",").replace(b"\n", b"\r\n") + b"\r\n"), c
    ),
    "tsv": lambda folder, data, c: from_file(written(folder, "a.tsv", text(data, "\t")), c),
    "csv.gz": lambda folder, data, c: from_file(written(folder, "a.csv.gz", gzip.compress(text(data, ","))), c),
    "jsonl": lambda folder, data, c: from_file(written(folder, "a.jsonl", lines(data)), c),
    "jsonl.gz": lambda folder, data, c: from_file(written(folder, "a.jsonl.gz", gzip.compress(lines(data))), c),
    "jsonl with mark": lambda folder, data, c: from_file(written(folder, "a.ndjson", b"\xef\xbb\xbf" + lines(data)), c),
    "json array": lambda folder, data, c: from_file(
        written(folder, "a.json", b"[" + b",".join(lines(data).splitlines()) + b"]"), c
    ),
    "parquet": lambda folder, data, c: from_file(written(folder, "a.parquet", parquet(data)), c),
    "parquet dictionary": lambda folder, data, c: from_file(written(folder, "a.pq", parquet(data, dictionary=True)), c),
    "parquet without suffix": lambda folder, data, c: from_file(written(folder, "a", parquet(data)), c),
    "stdin csv": lambda _, data, c: from_stdin(text(data, ","), c),
    "stdin tsv": lambda _, data, c: from_stdin(text(data, "\t"), c),
    "stdin gzip": lambda _, data, c: from_stdin(gzip.compress(text(data, ",")), c),
    "stdin jsonl": lambda _, data, c: from_stdin(lines(data), c),
    "stdin parquet": lambda _, data, c: from_stdin(parquet(data), c),
    "pandas": lambda _, data, c: from_frame(pandas.DataFrame(data), c),
    "pandas object": lambda _, data, c: from_frame(pandas.DataFrame(data, dtype=object), c),
    "pandas categorical": lambda _, data, c: from_frame(pandas.DataFrame(data).astype({"Y_true": "category"}), c),
    "polars": lambda _, data, c: from_frame(pl.DataFrame(data), c),
    "polars lazy": lambda _, data, c: from_frame(pl.LazyFrame(data), c),
    "pyarrow": lambda _, data, c: from_frame(pa.table(data), c),
    "narwhals": lambda _, data, c: from_frame(nw.from_native(pl.DataFrame(data)), c),
    "duckdb": lambda _, data, c: from_frame(duckdb.from_arrow(pa.table(data)), c),
    "lists": lambda _, data, c: from_arrays(
        data["Y_true"], data["score"], y_pred=data["pred"], positive=c.positive, missing=c.missing
    ),
    "numpy": lambda _, data, c: from_arrays(
        np.array(data["Y_true"]), np.array(data["score"]), y_pred=np.array(data["pred"]), positive=c.positive
    ),
    "series": lambda _, data, c: from_arrays(
        pl.Series(data["Y_true"]),
        pandas.Series(data["score"]),
        y_pred=pa.chunked_array([data["pred"]]),
        positive=c.positive,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_every_source_gives_the_same_predictions(tmp_path: Path, reader: str, kind: str) -> None:
    data = of_kind(kind)
    choices = Choices(positive="spam") if kind == "text" else Choices()
    reading = READERS[reader](tmp_path, data, choices)
    names = {"bool": ("False", "True"), "text": ('it\'s ham, "é"', "spam"), "signed": ("-1", "1")}.get(kind, ("0", "1"))
    assert list(reading.models) == ["model"]
    assert reading.source.rows == ROWS
    assert reading.source.positive_inferred == (kind != "text")
    assert_same(
        reading.models["model"], Predictions(names, POSITIVE.astype(np.int8), SCORES, PREDICTED.astype(np.int8))
    )


def assert_same(found: Predictions, expected: Predictions) -> None:
    assert (found.classes, found.decisions) == (expected.classes, expected.decisions)
    for name in ("truth", "score", "decision"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)


MISSING: dict[str, Any] = {
    "pandas": pandas.DataFrame({"y_true": ["no", None, "yes", "no"], "score": [0.1, 0.2, None, 0.4]}),
    "pandas nullable": pandas.DataFrame(
        {"y_true": pandas.array([False, None, True, False], dtype="boolean"), "score": [0.1, 0.2, None, 0.4]}
    ),
    "polars": pl.DataFrame({"y_true": [0, None, 1, 0], "score": [0.1, 0.2, None, 0.4]}),
    "polars nan": pl.DataFrame({"y_true": [0.0, float("nan"), 1, 0], "score": [0.1, 0.2, float("nan"), 0.4]}),
    "pyarrow": pa.table({"y_true": ["n", None, "y", "n"], "score": [0.1, 0.2, None, 0.4]}),
    # numpy and narwhals both give a label, not a null, for the second row of this one.
    "pyarrow dictionary": pa.table(
        {
            "y_true": pa.chunked_array([pa.array(["n", None, "y", "n"]).dictionary_encode()]),
            "score": [0.1, 0.2, None, 0.4],
        }
    ),
}


@pytest.mark.parametrize("name", [*MISSING, "duckdb"])
def test_what_is_missing_in_a_frame_is_dropped_and_counted(name: str) -> None:
    relation = "FROM (VALUES (0, 0.1), (NULL, 0.2), (1, NULL), (0, 0.4)) AS t(y_true, score)"
    frame = duckdb.sql(relation) if name == "duckdb" else MISSING[name]
    reading = from_frame(frame, Choices(missing="drop"))
    assert reading.source.dropped == 2
    assert reading.models["model"].truth.tolist() == [0, 0]
    assert reading.models["model"].score is not None
    assert reading.models["model"].score.tolist() == [0.1, 0.4]
    assert reading.models["model"].classes[1] in ("1", "True", "yes", "y")
