"""kill -9 of a running study, at several moments: resuming it loses nothing, runs nothing twice and ends the same."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import assert_same, environment

from assay.experiments.plans import repeated_kfold
from assay.experiments.study import Study, experiment, open_study

pytestmark = pytest.mark.engines

FOLDS, REPEATS = 5, 4
CELLS = 2 * FOLDS * REPEATS * 2  # two data sets, the slow learner and the dummy
PROGRAM = """
import sys
from assay.experiments.plans import repeated_kfold
from assay.experiments.study import experiment
store, log, jobs = sys.argv[1:]
slow = {"path": "tests.experiments.learning.Slow", "params": {"seconds": 0.05, "log": log}}
experiment(["iris", "wine"], {"slow": slow}, repeated_kfold(5, 4), store=store, jobs=int(jobs), allow="tests")
"""


def started(store: Path, log: Path, jobs: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", PROGRAM, str(store), str(log), str(jobs)], env=environment())


def finished(store: Path) -> dict[str, Any]:
    """The cells that are done, with when and by whom; nothing while the store is not there yet."""
    if not store.exists():
        return {}
    with closing(sqlite3.connect(store)) as connection:
        try:
            rows = connection.execute("SELECT key, finished, owner FROM cells WHERE status = 'done'").fetchall()
        except sqlite3.OperationalError:  # its tables are in the making
            return {}
    return {key: told for key, *told in rows}


def uninterrupted(folder: Path) -> Study:
    slow = {"path": "tests.experiments.learning.Slow", "params": {"seconds": 0.0, "log": ""}}
    return experiment(
        ["iris", "wine"],
        {"slow": slow},
        repeated_kfold(FOLDS, REPEATS),
        store=folder / "whole.db",
        jobs=1,
        allow="tests",
    )


@pytest.mark.parametrize(("jobs", "times"), [(1, 20), (2, 3)])
def test_a_study_survives_being_killed_again_and_again(jobs: int, times: int, tmp_path: Path) -> None:
    store, log, kills, before = tmp_path / "s.db", tmp_path / "fits.txt", 0, dict[str, Any]()
    # So many moments of the study, drawn without repetition: by then so many cells were done.
    for wanted in sorted(random.Random(jobs).sample(range(1, CELLS), times)):
        running = started(store, log, jobs)
        while running.poll() is None and len(finished(store)) < wanted:
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
        running.wait()
        kills += 1
        after = finished(store)
        assert before.items() <= after.items()  # nothing lost, and nothing done was run again
        before = after
    assert kills == times
    last = started(store, log, jobs)
    assert last.wait() == 0
    done = finished(store)
    assert before.items() <= done.items()
    assert len(done) == CELLS
    study, whole = open_study(store), uninterrupted(tmp_path)
    assert study.progress() == {"todo": 0, "running": 0, "done": CELLS, "failed": 0}
    assert_same(study, whole)
    # Only cells in flight at a kill may have been begun more than once: at most as many as could be out.
    fits = len(log.read_text().splitlines())
    assert CELLS // 2 <= fits <= CELLS // 2 + kills * (1 if jobs == 1 else 2 * jobs)
    study.store.close()
    whole.store.close()
