"""Files that hold far more than they seem to, numbers at the ends of their range, folders that take nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import InputError
from assay.request import Request
from assay.sources import from_file
from assay.sources.engine import queries

ROWS = b"y_true,score\n" + b"0,0.5\n1,0.5\n" * 200_000
FINE = b"y_true,score\n" + b"".join(b"%d,%.6f\n" % (k % 2, k * 0.37 % 1) for k in range(300))


def zipped(name: str, data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def npz() -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, y_true=np.arange(200_000) % 2, score=np.full(200_000, 0.5))
    return file.getvalue()


BOMBS: dict[str, Callable[[], bytes]] = {
    "a.csv.gz": lambda: gzip.compress(ROWS),
    "a.csv.bz2": lambda: bz2.compress(ROWS),
    "a.csv.xz": lambda: lzma.compress(ROWS),
    "a.zip": lambda: zipped("a.csv", ROWS),
    "a.npz": npz,
    "twice.csv.gz.gz": lambda: gzip.compress(gzip.compress(ROWS, 0)),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_unpacks_without_measure_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("assay.sources.formats.compression.memory", lambda: 64 << 10)
    path = tmp_path / name
    path.write_bytes(BOMBS[name]())
    needed = "needed: the file unpacked, if that is what it should hold"
    with pytest.raises(InputError, match=rf"'{name}' unpacks to more than 100 times its size and .* MB; {needed}"):
        from_file(path)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.csv.xz", "a.zip"])
def test_predictions_do_not_pack_that_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("assay.sources.formats.compression.memory", lambda: 64 << 10)
    packed = {"a.csv.gz": gzip.compress(FINE), "a.csv.xz": lzma.compress(FINE), "a.zip": zipped("a.csv", FINE)}
    path = tmp_path / name
    path.write_bytes(packed[name])
    assert from_file(path).source.rows == 300


def test_very_many_columns_take_seconds(tmp_path: Path) -> None:
    columns = 30_000
    path = tmp_path / "wide.csv"
    head = ",".join(["target", *(f"x{k}" for k in range(columns)), "score"])
    path.write_text("\n".join([head, *(f"{r % 2}" + ",7" * columns + f",{r / 9}" for r in range(9))]))
    start = time.process_time()
    found = from_file(path)
    assert time.process_time() - start < 15  # it was a minute and grew with the square
    assert found.source.columns == {"truth": "target", "score": "score"}
    assert len(found.source.unused) == columns
    score = found.models["model"].score
    assert score is not None
    np.testing.assert_allclose(score, np.arange(9) / 9)
    with pytest.raises(InputError, match="no column of true labels found"):
        from_file(path, Request(ignore=("target",)))


def test_two_hundred_columns_that_may_be_the_score_take_seconds(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    path = tmp_path / "many.csv"
    head = ",".join(["target", *(f"m{k}" for k in range(200))])
    rows = np.column_stack([np.arange(2_000) % 2, rng.random((2_000, 200))])
    np.savetxt(path, rows, fmt=["%d"] + ["%.6f"] * 200, delimiter=",", header=head, comments="")
    start = time.process_time()
    with pytest.raises(InputError, match=r"no score or predicted-label column found; unused columns: 'm0'.*192 more"):
        from_file(path)
    assert time.process_time() - start < 25  # it was minutes and grew faster than the square


@pytest.mark.parametrize("value", [1e155, 1e-200, 5e-324, 1e308])
@pytest.mark.parametrize("role", ["weight", "score"])
@pytest.mark.filterwarnings("error")
def test_numbers_beyond_reckoning_are_refused_by_name(tmp_path: Path, role: str, value: float) -> None:
    rows = [(k % 2, k / 20, value if k == 7 or role == "score" else 1) for k in range(20)]
    path = tmp_path / "a.csv"
    path.write_text(f"target,p,{role}\n" + "".join(f"{t},{p},{x!r}\n" for t, p, x in rows))
    said: dict[str, Any] = {"ignore": ["p"]} if role == "score" else {}
    with pytest.raises(InputError, match=rf"row \d: '{role}' is .*; needed: .*1e-?1"):
        assay.evaluate(path, **said)


@pytest.mark.filterwarnings("error")
def test_numbers_just_within_are_reckoned_with() -> None:
    truth, score = np.arange(40) % 2, np.linspace(0, 1, 40)
    for weight in (1e-12, 1e12):
        ev = assay.evaluate(truth, score, weight=np.where(np.arange(40) % 3, weight, 1.0))
        assert np.isfinite(ev.roc_auc.value)
    for scale in (1e100, 1e-99):
        assert assay.evaluate(truth, score * scale).roc_auc.value == assay.evaluate(truth, score).roc_auc.value


def test_a_million_labels_are_refused_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y_true,score\n" + "".join(f"label {k},0.5\n" for k in range(200_000)))
    with pytest.raises(InputError) as error:
        from_file(path)
    assert len(str(error.value)) < 1_000


def test_a_temporary_folder_that_takes_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(FINE.decode().encode("utf-16"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "no"))
    with pytest.raises(InputError, match="there is no temporary folder: no such file or directory; needed: room in a"):
        from_file(path)


@pytest.mark.parametrize("name", ["a.csv.bz2", "utf16.csv"])
def test_so_is_one_that_is_full(tmp_path: Path, name: str) -> None:
    data = bz2.compress(FINE * 3) if name.endswith("bz2") else (FINE * 3).decode().encode("utf-16")
    (tmp_path / name).write_bytes(data)
    # To be full is to take no more than so much of a file.
    script = f"""
import resource, signal, sys
from assay.errors import InputError
from assay.sources import _sql, from_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    from_file({name!r})
except InputError as error:
    sys.stderr.write(str(error))
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"}
    found = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, env=env, check=False)
    assert b"takes no copy: file too large; needed: room in a folder" in found.stderr


def test_ctrl_c_inside_the_engine_is_ctrl_c() -> None:
    with pytest.raises(KeyboardInterrupt), queries.connect():
        raise RuntimeError("Query interrupted")  # as the engine says it
    with pytest.raises(RuntimeError), queries.connect():
        raise RuntimeError("something else")
