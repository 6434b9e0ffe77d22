"""Clusters: a worker is killed in the middle of a study, which ends with the numbers of one process all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from tests.experiments.as_given import (
    LABELS,
    NUMBERS,
    assert_scored_as_by_cross_validate,
    foreign_pipelines,
    study_as_given,
)
from tests.experiments.driving import SLOW_FITS, assert_same, environment, fits, started, study_file, until

from assay.errors import InputError
from assay.experiments import experiment, plans
from assay.experiments.runner import LOST, engine
from assay.experiments.study import Study, open_study

pytestmark = pytest.mark.engines

WORKERS = 3
FOREIGN = foreign_pipelines()
ENGINES = [
    pytest.param(name, marks=pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed"))
    for name, package in {"dask": "distributed", "ray": "ray"}.items()
]
DYING = """
plan = "holdout"
datasets = ["iris"]
learners = ["nb", { name = "dying", path = "tests.experiments.learning.Dying" }]
"""


def ended_well(running: subprocess.Popen[str], folder: Path, in_one_process: Study) -> None:
    """The study is complete, nothing was done twice but what the killed worker had, and the numbers are the same."""
    out, err = running.communicate(timeout=180)
    assert running.returncode == 0, err
    assert json.loads(out)["cells"] == {"todo": 0, "running": 0, "done": 2 * SLOW_FITS, "failed": 0}
    assert SLOW_FITS <= len(fits(folder)) <= SLOW_FITS + 3  # what it had just finished, and what waited there
    study = open_study(folder / "study.db")
    with closing(study.store):
        assert_same(study, in_one_process)


@pytest.mark.parametrize("backend", ENGINES)
def test_a_killed_worker_costs_its_cells_only(backend: str, in_one_process: Study, tmp_path: Path) -> None:
    file = study_file(tmp_path)
    running = started("run", str(file), "--backend", backend, "--jobs", str(WORKERS), "--json", "--quiet")
    with running:
        until(lambda: fits(tmp_path), running)
        (first, *rest) = fits(tmp_path)
        assert int(first) != running.pid
        assert len(rest) < SLOW_FITS // 2
        os.kill(int(first), signal.SIGKILL)
        ended_well(running, tmp_path, in_one_process)


@pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed")
def test_a_dask_cluster_elsewhere_loses_a_worker_for_good(in_one_process: Study, tmp_path: Path) -> None:
    file, place = study_file(tmp_path), tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    here = ["--scheduler-file", str(place), "--no-dashboard", "--host", "127.0.0.1"]
    commands = [[*dask, "scheduler", *here, "--port", "0"]]
    # One of them has two threads, and still runs one cell at a time.
    commands += [[*dask, "worker", *here, "--no-nanny", "--nthreads", threads] for threads in ("1", "1", "2")]
    with ExitStack() as leaving:
        parts = [subprocess.Popen(each, env=environment(), stderr=subprocess.DEVNULL, text=True) for each in commands]
        for part in reversed(parts):
            leaving.enter_context(part)
            leaving.callback(part.kill)
        until(place.exists, parts[0])
        address = json.loads(place.read_text())["address"]
        spool = tmp_path / "spool"
        spool.mkdir()
        arguments = ["--backend", "dask", "--address", address, "--spool", str(spool), "--json", "--quiet"]
        running = leaving.enter_context(started("run", str(file), *arguments))
        until(lambda: str(parts[1].pid) in fits(tmp_path), running)
        parts[1].kill()
        ended_well(running, tmp_path, in_one_process)
        assert list(spool.iterdir()) == []  # the data put there are gone again


@pytest.mark.parametrize("backend", ENGINES)
def test_a_cell_whose_workers_keep_dying_is_lost_and_the_rest_goes_on(backend: str, tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.write_text(DYING, encoding="utf-8")
    few = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}  # each death takes seconds
    with started("run", str(file), "--backend", backend, "--jobs", "2", "--json", "--quiet", **few) as running:
        out, err = running.communicate(timeout=180)
    assert running.returncode == 1, err
    assert json.loads(out)["cells"] == {"todo": 0, "running": 0, "done": 2, "failed": 1}
    study = open_study(tmp_path / "study.db")
    assert study.failures().columns["learner"] == ["dying"]
    assert study.failures().columns["error"] == [LOST]
    study.store.close()


@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
def test_a_ray_cluster_that_does_not_answer_is_said_at_once() -> None:
    with pytest.raises(InputError, match=r"no Ray cluster responds at '127.0.0.1:1'"):
        engine("ray", address="127.0.0.1:1").__enter__()


@pytest.mark.parametrize("backend", ENGINES)
def test_frames_and_texts_reach_the_workers_of_a_cluster_as_they_are(backend: str) -> None:
    here = study_as_given(jobs=1, progress=False)
    there = study_as_given(jobs=2, backend=backend, progress=False)
    assert there.progress() == {"todo": 0, "running": 0, "done": 24, "failed": 0}
    assert_same(there, here)
    here.store.close()
    there.store.close()


@pytest.mark.parametrize("name", FOREIGN)
def test_learners_of_other_packages_score_as_by_cross_validate(name: str) -> None:
    assert_scored_as_by_cross_validate(*FOREIGN[name])


@pytest.mark.skipif(find_spec("xgboost") is None, reason="xgboost is not installed")
def test_xgboost_stops_on_the_validation_part() -> None:
    from xgboost import XGBClassifier

    stopped = XGBClassifier(n_estimators=200, early_stopping_rounds=2, n_jobs=1, random_state=0)
    codes = (LABELS == "spam").astype(int)
    plan = plans.train_validation_test(0.5, 0.25)
    study = experiment({"d": (NUMBERS, codes)}, {"stopped": stopped}, plan, jobs=1, progress=False)
    (split,) = plan.splits(codes)
    own = clone(stopped).fit(
        NUMBERS[split.train], codes[split.train], eval_set=[(NUMBERS[split.validation], codes[split.validation])],
        verbose=False,
    )  # fmt: skip
    assert own.best_iteration < 199
    rows = study.evaluation("d", "stopped", part="validation").rows
    assert rows is not None
    assert rows.score is not None
    np.testing.assert_allclose(rows.score, own.predict_proba(NUMBERS[split.validation])[:, 1], rtol=0, atol=1e-7)
    study.store.close()
