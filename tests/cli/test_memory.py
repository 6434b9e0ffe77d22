"""How much memory rows take from the command line: so many bytes for each row and model, beside what libraries take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

MODELS = ("m0", "m1", "m2")
BASE, BYTES = 300_000_000, 60  # beside what libraries take, and for each row and model: as docs/promises.md states
PEAK = """
import sys
from assay.cli import main
sys.argv = ["assay", *sys.argv[1:]]
try:
    main()
except SystemExit as stop:
    assert not stop.code, stop.code
with open("/proc/self/status") as status:
    print("peak", next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))
"""


def made(folder: Path, rows: int, suffix: str) -> Path:
    """A file of so many rows and three models."""
    path = folder / f"{rows}.{suffix}"
    scores = ", ".join(
        f"round((hash(k + {place}) % 1000003) / 1000003 * 0.6 + 0.4 * (k % 3 = 0)::INT, 6) AS {name}"
        for place, name in enumerate(MODELS)
    )
    duckdb.sql(f"COPY (SELECT (k % 3 = 0)::INT AS label, {scores} FROM range({rows}) t(k)) TO '{path}'")
    return path


def peak(*arguments: str | Path) -> int:
    line = [sys.executable, "-c", PEAK, *map(str, arguments)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return int(done.stdout.rsplit("peak ", 1)[1])


@pytest.mark.parametrize(
    ("rows", "suffix"),
    [
        (500_000, "csv"),
        (500_000, "parquet"),
        pytest.param(10_000_000, "csv", marks=pytest.mark.engines),
        pytest.param(10_000_000, "parquet", marks=pytest.mark.engines),
    ],
)
def test_rows_take_a_stated_number_of_bytes_for_each_model(rows: int, suffix: str, tmp_path: Path) -> None:
    few, many = (made(tmp_path, size, suffix) for size in (1_000, rows))
    for command, models in (("evaluate", MODELS[:1]), ("compare", MODELS)):
        columns = [text for name in models for text in ("--score", name)]
        options: tuple[str | Path, ...] = (
            "--truth",
            "label",
            *columns,
            "--positive",
            "1",
            "--html",
            tmp_path / "page.html",
        )
        taken = peak(command, many, *options) - peak(command, few, *options)
        assert taken < BYTES * rows * len(models) + BASE, (command, taken / rows / len(models))
        assert taken > rows * len(models)  # else nothing was read
