"""The same data is the same predictions, whatever it came in."""

from __future__ import annotations

import gzip
import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from tests.sources.reading import from_arrays, from_estimator

from assay.predictions import PER_CASE, Predictions
from assay.request import Request
from assay.sources import Reading, frames, from_file, from_frame

pandas: Any = pytest.importorskip("pandas")

ROWS = 50
RANDOM = np.random.default_rng(7)
SCORES = RANDOM.random(ROWS)
POSITIVE = RANDOM.random(ROWS) < 0.4
PREDICTED = SCORES > 0.4
OF_THREE = RANDOM.integers(0, 3, ROWS)
PREDICTED_OF_THREE = RANDOM.integers(0, 3, ROWS)
PROBABILITIES = RANDOM.dirichlet([1, 1, 1], ROWS)
DESIGN = {
    "weight": RANDOM.random(ROWS).tolist(),
    "count": RANDOM.integers(1, 4, ROWS).tolist(),
    "patient": [f"p{number}" for number in RANDOM.integers(0, 9, ROWS)],
    "fold": RANDOM.integers(8, 12, ROWS).tolist(),
}
# The names of the classes in the order of their codes, and the values that stand for them in the data.
KINDS: dict[str, tuple[tuple[str, ...], list[Any]]] = {
    "bool": (("False", "True"), [False, True]),
    "int": (("0", "1"), [0, 1]),
    "float": (("0", "1"), [0.0, 1.0]),
    "signed": (("-1", "1"), [-1, 1]),
    "text": (('it\'s ham, "é"', "spam"), ['it\'s ham, "é"', "spam"]),
    "three ints": (("9", "10", "11"), [9, 10, 11]),
    "three floats": (("-1", "0", "2"), [-1.0, 0.0, 2.0]),
    "three texts": (("a \\ 'b'", "c, d", "é"), ["a \\ 'b'", "c, d", "é"]),
}
Data = dict[str, list[Any]]


def of_kind(kind: str) -> Data:
    names, values = KINDS[kind]
    codes = (POSITIVE.astype(int), PREDICTED.astype(int)) if len(names) == 2 else (OF_THREE, PREDICTED_OF_THREE)
    truth, pred = [[values[code] for code in column] for column in codes]
    scores = (
        {"score": SCORES.tolist()}
        if len(names) == 2
        else {f"Proba_{name}": PROBABILITIES[:, place].tolist() for place, name in enumerate(names)}
    )
    return {"Y_true": truth, "unused": [None] * ROWS, **scores, "pred": pred, **DESIGN}


def of_kind_predictions(kind: str) -> Predictions:
    names, _ = KINDS[kind]
    two = len(names) == 2
    return Predictions(
        names,
        (POSITIVE if two else OF_THREE).astype(np.int8),
        score=SCORES if two else None,
        decision=(PREDICTED if two else PREDICTED_OF_THREE).astype(np.int8),
        probability=None if two else PROBABILITIES,
        weight=np.array(DESIGN["weight"]),
        count=np.array(DESIGN["count"], float),
        cluster=np.array([int(name[1:]) for name in DESIGN["patient"]], np.int8),
        fold=np.array(DESIGN["fold"], np.int8) - np.int8(8),
    )


def written(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def text(data: Data, separator: str) -> bytes:
    frame = pl.DataFrame(data, schema_overrides={"unused": pl.String})
    return frame.write_csv(separator=separator).encode()


def lines(data: Data) -> bytes:
    rows = zip(*data.values(), strict=True)
    return "".join(json.dumps(dict(zip(data, row, strict=True))) + "\n" for row in rows).encode()


def arff_value(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return "?" if value is None else str(value)


def arff_type(values: list[Any]) -> str:
    if all(isinstance(value, str) for value in values):
        return "{" + ",".join(map(arff_value, sorted(set(values)))) + "}"
    return "string" if isinstance(values[0], bool) else "Numeric"


def arff(data: Data) -> bytes:
    heads = [f"@ATTRIBUTE {arff_value(name)} {arff_type(values)}" for name, values in data.items()]
    rows = [", ".join(map(arff_value, row)) for row in zip(*data.values(), strict=True)]
    return "\n".join(["% made up", "@RELATION 'a b'", *heads, "", "@DATA", *rows, ""]).encode()


def arrow(data: Data, *, stream: bool = False) -> bytes:
    table, written = pa.table(data), io.BytesIO()
    if stream:
        with pa.ipc.new_stream(written, table.schema) as writer:
            writer.write_table(table)
    else:
        feather.write_feather(table, written)
    return written.getvalue()


class Fitted:
    """An estimator that has learnt the data by heart."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.classes_ = np.array(sorted(set(data["Y_true"])))

    def predict_proba(self, _: Any) -> Any:
        if "score" in self.data:
            return np.column_stack([1 - SCORES, SCORES])
        return PROBABILITIES

    def predict(self, _: Any) -> Any:
        return np.array(self.data["pred"])


class Tensor:
    """What can be had through dlpack alone."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


def tensor(values: Any) -> Any:
    return values if isinstance(values[0], str) else Tensor(values)


def arrays(data: Data, c: Request, of: Callable[[Any], Any]) -> Reading:
    proba = [values for name, values in data.items() if name.startswith("Proba_")]
    return from_arrays(
        of(data["Y_true"]),
        of(data["score"]) if "score" in data else None,
        y_proba=of(np.array(proba).T) if proba else None,
        y_pred=of(data["pred"]),
        positive=c.positive,
        weight=of(data["weight"]),
        count=of(data["count"]),
        cluster=of(data["patient"]),
        fold=of(data["fold"]),
        id=of(data["case"]) if "case" in data else None,
    )


def parquet(data: Data, *, dictionary: bool = False) -> bytes:
    table = pa.table(data)
    if dictionary:
        table = table.set_column(0, "Y_true", table["Y_true"].dictionary_encode())
    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def from_stdin(data: bytes, choices: Request) -> Reading:
    original = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        return from_file("-", choices)
    finally:
        sys.stdin = original


Reader = Callable[[Path, Data, Request], Reading]
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
    "feather": lambda folder, data, c: from_file(written(folder, "a.feather", arrow(data)), c),
    "feather.gz": lambda folder, data, c: from_file(written(folder, "a.feather.gz", gzip.compress(arrow(data))), c),
    "arrow stream": lambda folder, data, c: from_file(written(folder, "a.arrow", arrow(data, stream=True)), c),
    "stdin feather": lambda _, data, c: from_stdin(arrow(data), c),
    "arff": lambda folder, data, c: from_file(written(folder, "a.arff", arff(data)), c),
    "arff.gz": lambda folder, data, c: from_file(written(folder, "a.arff.gz", gzip.compress(arff(data))), c),
    "stdin arff": lambda _, data, c: from_stdin(arff(data), c),
    "lists": lambda _, data, c: arrays(data, c, list),
    "numpy": lambda _, data, c: arrays(data, c, np.array),
    "objects": lambda _, data, c: arrays(data, c, lambda values: np.array(values, object)),
    "tensors": lambda _, data, c: arrays(data, c, tensor),
    "series": lambda _, data, c: arrays(data, c, lambda v: v if isinstance(v, np.ndarray) else pl.Series(v)),
    "pandas series": lambda _, data, c: arrays(data, c, lambda v: v if isinstance(v, np.ndarray) else pandas.Series(v)),
    "chunked": lambda _, data, c: arrays(data, c, lambda v: v if isinstance(v, np.ndarray) else pa.chunked_array([v])),
    "estimator": lambda _, data, c: from_estimator(
        Fitted(data),
        [[0]] * ROWS,
        data["Y_true"],
        positive=c.positive,
        weight=data["weight"],
        count=data["count"],
        cluster=data["patient"],
        fold=data["fold"],
        id=data.get("case"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reader", READERS)
def test_every_source_gives_the_same_predictions(tmp_path: Path, reader: str, kind: str) -> None:
    choices = Request(positive="spam") if kind == "text" else Request()
    reading = READERS[reader](tmp_path, of_kind(kind), choices)
    assert list(reading.models) == ["model"]
    assert reading.source.rows == ROWS
    assert reading.source.positive_inferred == (kind != "text" and not kind.startswith("three"))
    assert_same(reading.models["model"], of_kind_predictions(kind))


IDS: dict[str, list[Any]] = {
    "numbers": [2**60 + row // 2 for row in range(ROWS)],
    "texts": [f"00{row // 2}" if row % 3 else f'it\'s \\ "é", {row}' for row in range(ROWS)],
}


@pytest.mark.parametrize("kind", IDS)
@pytest.mark.parametrize("reader", READERS)
def test_every_source_gives_the_same_ids(tmp_path: Path, reader: str, kind: str) -> None:
    reading = READERS[reader](tmp_path, of_kind("int") | {"case": IDS[kind]}, Request(id="Case"))
    expected = replace(of_kind_predictions("int"), id=np.array(list(map(str, IDS[kind])), np.dtypes.StringDType()))
    assert_same(reading.models["model"], expected)
    assert reading.source.duplicates == ROWS - len(set(IDS[kind]))


def assert_same(found: Predictions, expected: Predictions) -> None:
    assert (found.classes, found.decisions) == (expected.classes, expected.decisions)
    for name in PER_CASE:
        ours, theirs = getattr(found, name), getattr(expected, name)
        assert (ours is None) == (theirs is None), name
        if theirs is not None:
            assert ours.dtype == theirs.dtype, name
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
    reading = from_frame(frame, Request(missing="drop"))
    assert reading.source.dropped == 2
    assert reading.models["model"].truth.tolist() == [0, 0]
    assert reading.models["model"].score is not None
    assert reading.models["model"].score.tolist() == [0.1, 0.4]
    assert reading.models["model"].classes[1] in ("1", "True", "yes", "y")


FRAMES: dict[str, Callable[[Data], Any]] = {
    "pandas": pandas.DataFrame,
    "pandas categorical": lambda data: pandas.DataFrame(data, dtype="category"),
    "polars": pl.DataFrame,
    "polars categorical": lambda data: pl.DataFrame(data, schema=dict.fromkeys(data, pl.Categorical)),
    "polars enum": lambda data: pl.DataFrame(
        data, schema=dict.fromkeys(data, pl.Enum(["z", *sorted(set(data["pred"]))]))
    ),
    "pyarrow": pa.table,
    "pyarrow chunks": lambda data: pa.concat_tables([pa.table(data)[:3], pa.table(data)[3:]]),
    "pyarrow dictionaries": lambda data: pa.table(
        {
            k: pa.chunked_array([pa.array(v[:3]).dictionary_encode(), pa.array(v[3:]).dictionary_encode()])
            for k, v in data.items()
        }
    ),
}


@pytest.mark.parametrize("different", [3, 10, 30])
@pytest.mark.parametrize("has_pyarrow", [True, False])
@pytest.mark.parametrize("frame", FRAMES)
def test_texts_in_a_frame_with_and_without_pyarrow(
    monkeypatch: pytest.MonkeyPatch, frame: str, has_pyarrow: bool, different: int
) -> None:
    names = [f"class {number:02d}" for number in range(different)]
    made = FRAMES[frame]({"y_true": [*names, None, *names], "pred": [*names, names[0], *names[::-1]]})
    if not has_pyarrow:
        monkeypatch.setattr(frames, "_code_by_arrow_dictionary", lambda *_: None)
    found = from_frame(made, Request(missing="drop")).models["model"]
    assert found.classes == tuple(names)
    assert found.truth.tolist() == [*range(different), *range(different)]
    assert found.decision is not None
    assert found.decision.tolist() == [*range(different), *reversed(range(different))]
