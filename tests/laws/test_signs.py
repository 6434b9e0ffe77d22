"""Whole scores below zero, and scores of both signs, mean the same in every format and in the evidence made of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from numpy.typing import NDArray

import assay
from assay.evidence import ScoreTable

TRUTH = np.array([0, 0, 1, 0, 1, 1, 0, 1] * 3)
SCORES = {
    "below zero": np.array([-7, -6, -5, -4, -3, -7, -4, -3] * 3),
    "of both signs": np.array([-2, -1, 0, 1, 2, -2, 100, -128] * 3),
    "long": np.array([-70_000, 70_000, -1, 0, 2**31, -(2**31), 5, -5] * 3),
    "mixed": np.array([-7, -6.5, -5, 0.25, 3, -7, 1e30, -3] * 3),
}
Columns = dict[str, NDArray[Any]]


def _lines(columns: Columns, sign: str) -> str:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return "\n".join([sign.join(columns), *(sign.join(map(str, row)) for row in rows), ""])


def _records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*(v.tolist() for v in columns.values()), strict=True)]


def _arff(columns: Columns) -> str:
    head = "@relation a\n@attribute y_true {0, 1}\n@attribute score numeric\n@data\n"
    return head + _lines(columns, ",").split("\n", 1)[1]


FORMATS: dict[str, Callable[[Path, Columns], Any]] = {
    "csv": lambda path, columns: path.write_text(_lines(columns, ",")),
    "tsv": lambda path, columns: path.write_text(_lines(columns, "\t")),
    "json": lambda path, columns: path.write_text(json.dumps(_records(columns))),
    "jsonl": lambda path, columns: path.write_text("\n".join(map(json.dumps, _records(columns)))),
    "arff": lambda path, columns: path.write_text(_arff(columns)),
    "parquet": lambda path, columns: pa.parquet.write_table(pa.table(columns), path),
    "feather": lambda path, columns: pa.feather.write_feather(pa.table(columns), path),
    "npz": lambda path, columns: np.savez(path, y_true=columns["y_true"], y_score=columns["score"]),
    "npy": lambda path, columns: np.save(path, np.column_stack([columns["y_true"], columns["score"]])),
    "xlsx": lambda path, columns: pl.DataFrame(columns).write_excel(path),
}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", SCORES)
def test_signs_are_kept_by_every_format_and_by_evidence(kind: str, form: str, tmp_path: Path) -> None:
    score = SCORES[kind]
    if score.dtype.kind == "i" and form in ("parquet", "feather", "npz"):
        score = score.astype(np.min_scalar_type(min(score.min(), -score.max() - 1)))
    path = tmp_path / f"a.{form}"
    FORMATS[form](path, {"y_true": TRUTH, "score": score})
    known = ScoreTable.of(SCORES[kind], TRUTH == 1, ("0", "1"))
    # A plain array has no names, so that its columns are named by the user.
    roles: Any = {"truth": "column 1", "score": "column 2"} if form == "npy" else {}
    assert assay.evaluate(path, **roles).scores == known
    assay.reduce(path, exact=True, **roles).save(tmp_path / "exact.evidence")
    assert assay.load(tmp_path / "exact.evidence").evaluate().scores == known
    assay.reduce(path, **roles).save(tmp_path / "cells.evidence")
    in_cells = assay.load(tmp_path / "cells.evidence").roc_auc
    low, high = in_cells.bounds or (in_cells.value, in_cells.value)
    assert low <= assay.evaluate(path, **roles).roc_auc.value <= high
