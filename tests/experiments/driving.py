"""Studies run by programs of their own, and whether two of them found the same."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay.experiments.database import PredictedRows
from assay.experiments.study import Study

__all__ = ["SLOW_FITS", "assert_same", "environment", "fits", "outputs", "started", "study_file", "until"]

ROOT = Path(__file__).parents[2]
SLOW_FITS = 2 * 5 * 2  # two data sets, five folds, twice
TRIALS = ("99", "100")  # cases of a sample of iris and of wine
STUDY = """
name = "study"
plan = {{ kind = "repeated_kfold", folds = 5, repeats = 2 }}
datasets = ["iris", "wine"]

[[learners]]
name = "slow"
path = "tests.experiments.learning.Slow"
params = {{ seconds = {seconds}, log = "{log}" }}
"""


def study_file(folder: Path, seconds: float = 0.4) -> Path:
    """A study of 40 cells, half of them slow, each of which leaves a line in fits.txt beside the file."""
    file = folder / "study.toml"
    file.write_text(STUDY.format(seconds=seconds, log=folder / "fits.txt"), encoding="utf-8")
    return file


def fits(folder: Path) -> list[str]:
    """Who fitted: the process of every fit that ended, one by one, but for trials on a sample."""
    log = folder / "fits.txt"
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [process for _, cases, process in lines if cases not in TRIALS]


def environment(**more: str) -> dict[str, str]:
    """This one, in which assay and the learners of the tests can be imported."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, **more}


def started(*arguments: str, **more: str) -> subprocess.Popen[str]:
    """`assay experiment ...` as a program of its own."""
    allowed = [] if arguments[0] == "show" else ["--allow", "tests"]
    command = [sys.executable, "-m", "assay", "experiment", *arguments, *allowed]
    return subprocess.Popen(command, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(happened: Callable[[], Any], running: subprocess.Popen[str], seconds: float = 120) -> None:
    """Wait for something that a running program does, no longer than it runs."""
    end = time.monotonic() + seconds
    while not happened():
        if running.poll() is not None or time.monotonic() > end:
            raise AssertionError(f"it did not happen: {running.communicate(timeout=5)}")
        time.sleep(0.05)


def outputs(study: Study) -> dict[tuple[Any, ...], PredictedRows]:
    """What the models of every cell said."""
    where = ("dataset", "learner", "repeat", "fold")
    cells = study.store.cells(study.name, *where, "predictions")
    return {tuple(cell[name] for name in where): PredictedRows.unpacked(cell["predictions"]) for cell in cells}


def assert_same(one: Study, other: Study) -> None:
    """Every number of every cell is the same in both."""
    ours, theirs = outputs(one), outputs(other)
    assert ours.keys() == theirs.keys()
    for where, rows in ours.items():
        for name, values in vars(rows).items():
            np.testing.assert_array_equal(values, getattr(theirs[where], name))
