"""A study's memory does not grow with the number of its partitions: they are made, hashed and written one by one."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from assay.experiments import experiment
from assay.experiments.datasets import dataset_of
from assay.experiments.plans import Plan, bootstrap, leave_one_out, repeated_kfold, shuffle
from assay.experiments.task import CellSpec, _part_rows, spool

RNG = np.random.default_rng(0)
DATA = dataset_of((RNG.normal(size=(1000, 2)), RNG.integers(2, size=1000)), name="noise")


def defined_and_written(folder: Path, repeats: int) -> None:
    plan = repeated_kfold(10, repeats)
    study = experiment(DATA, "nb", plan, store=folder / f"{repeats}.db", run=False)
    spool(folder / str(repeats), DATA, plan.each(DATA.target, seed=study.seed))
    study.store.close()


def peak(folder: Path, repeats: int) -> int:
    """Bytes at the most while a study is defined and its partitions are written."""
    tracemalloc.start()
    defined_and_written(folder, repeats)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def test_eight_times_the_partitions_take_no_more(tmp_path: Path) -> None:
    defined_and_written(tmp_path, 1)  # what is imported and remembered once
    few, many = peak(tmp_path, 2), peak(tmp_path, 16)
    # All of them at once would take 140 x 1,000 row numbers of 8 bytes more.
    assert many - few < 140 * 1000 * 8 / 3


@pytest.mark.parametrize("plan", [repeated_kfold(5, 3), shuffle(7, 0.2), bootstrap(6), leave_one_out()])
def test_parts_are_read_back_as_they_were_made(plan: Plan, tmp_path: Path) -> None:
    splits = plan.splits(DATA.target[:60], seed=3)
    spool(tmp_path / "data", DATA, plan.each(DATA.target[:60], seed=3))
    for place, split in enumerate(splits):
        spec = CellSpec("", "", "", split.repeat, split.fold, str(tmp_path / "data"), place, 2, {})
        assert _part_rows(spec, "train").tolist() == split.train.tolist()
        assert _part_rows(spec, "test").tolist() == split.test.tolist()
