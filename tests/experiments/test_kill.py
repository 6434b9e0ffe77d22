"""kill -9 of a running study, at several moments: resuming it loses nothing, runs nothing twice and ends the same."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.as_given import study_as_given
from tests.experiments.driving import assert_same, environment, fits, study_file, until

from assay.experiments.plans import repeated_kfold
from assay.experiments.study import experiment, open_study

pytestmark = pytest.mark.engines

FOLDS, REPEATS = 5, 4
CELLS = 2 * FOLDS * REPEATS * 2  # two data sets, the slow learner and the dummy
# One program that has imported everything, and becomes another driver of the study for every line it reads.
PROGRAM = """
import os, signal, sys
from assay.experiments.plans import repeated_kfold
from assay.experiments.study import experiment
import sklearn.naive_bayes, sklearn.pipeline, sklearn.dummy, tests.experiments.learning
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
store, log, jobs = sys.argv[1:]
slow = {"path": "tests.experiments.learning.Slow", "params": {"seconds": 0.02, "log": log}}
while sys.stdin.readline():
    child = os.fork()
    if child == 0:
        how = {"jobs": int(jobs), "allow": "tests", "progress": False}
        experiment(["iris", "wine"], {"slow": slow}, repeated_kfold(5, 4), store=store, **how)
        os._exit(0)
    print(child, flush=True)
"""


@dataclass
class Drivers:
    """Programs that work on one study, and can be killed."""

    maker: subprocess.Popen[str]

    def another(self) -> int:
        """The process of one more."""
        assert self.maker.stdin is not None
        assert self.maker.stdout is not None
        self.maker.stdin.write("\n")
        self.maker.stdin.flush()
        return int(self.maker.stdout.readline())

    @staticmethod
    def kill(process: int) -> None:
        """End it as the system would that has no memory left, and wait until it is gone."""
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        while alive(process):
            time.sleep(0.01)


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture
def drivers(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Drivers]:
    jobs = str(getattr(request, "param", 1))
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "s.db"), str(tmp_path / "fits.txt"), jobs]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=environment(OMP_NUM_THREADS="1"), **pipes) as maker:
        yield Drivers(maker)
        maker.stdin.close()  # type: ignore[union-attr]


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


def moments(kills: int) -> list[int]:
    """At how many finished cells to kill, from the first on; several at one of them, if need be."""
    return sorted(random.Random(kills).choices(range(1, CELLS - 5), k=kills))


def assert_as_if_never_killed(folder: Path, before: dict[str, Any], kills: int, in_flight: int = 1) -> None:
    done = finished(folder / "s.db")
    assert before.items() <= done.items()
    study = open_study(folder / "s.db")
    assert study.progress() == {"todo": 0, "running": 0, "done": CELLS, "failed": 0}
    slow = {"path": "tests.experiments.learning.Slow", "params": {"seconds": 0.0, "log": ""}}
    plan, place = repeated_kfold(FOLDS, REPEATS), folder / "whole.db"
    whole = experiment(["iris", "wine"], {"slow": slow}, plan, store=place, jobs=1, allow="tests")
    assert_same(study, whole)
    # Only cells in flight at a kill may have been begun more than once.
    assert CELLS // 2 <= len(fits(folder)) <= CELLS // 2 + kills * in_flight
    study.store.close()
    whole.store.close()


def until_done(folder: Path, wanted: int, *running: int) -> dict[str, Any]:
    while len(done := finished(folder / "s.db")) < wanted and any(map(alive, running)):
        time.sleep(0.02)
    return done


@pytest.mark.parametrize(("drivers", "kills"), [(1, 60), (2, 3)], indirect=["drivers"], ids=["alone", "two jobs"])
def test_a_study_survives_being_killed_again_and_again(drivers: Drivers, kills: int, tmp_path: Path) -> None:
    before = dict[str, Any]()
    for wanted in moments(kills):
        driver = drivers.another()
        until_done(tmp_path, wanted, driver)
        drivers.kill(driver)
        after = finished(tmp_path / "s.db")
        assert before.items() <= after.items()  # nothing lost, and nothing done was run again
        before = after
    until_done(tmp_path, CELLS, drivers.another())
    assert_as_if_never_killed(tmp_path, before, kills, in_flight=1 if kills > 3 else 4)


def test_two_drivers_one_of_which_is_killed_again_and_again(drivers: Drivers, tmp_path: Path) -> None:
    pair, before, kills = [drivers.another(), drivers.another()], dict[str, Any](), 40
    for number, wanted in enumerate(moments(kills)):
        until_done(tmp_path, wanted, *pair)
        drivers.kill(pair[number % 2])
        after = finished(tmp_path / "s.db")
        assert before.items() <= after.items()
        before, pair[number % 2] = after, drivers.another()
    until_done(tmp_path, CELLS, *pair)
    while any(map(alive, pair)):
        time.sleep(0.05)
    assert_as_if_never_killed(tmp_path, before, kills)


AS_GIVEN = """
import sys
from tests.experiments.as_given import study_as_given
study_as_given(store=sys.argv[1], jobs=1, progress=False)
"""


def test_a_study_of_frames_and_texts_survives_being_killed(tmp_path: Path) -> None:
    store, before = tmp_path / "s.db", dict[str, Any]()
    command = [sys.executable, "-c", AS_GIVEN, str(store)]
    for wanted in (1, 9, 17):
        running = subprocess.Popen(command, env=environment(OMP_NUM_THREADS="1"))
        while len(finished(store)) < wanted and running.poll() is None:
            time.sleep(0.02)
        running.kill()
        running.wait()
        after = finished(store)
        assert before.items() <= after.items()
        before = after
    study = study_as_given(store=store, jobs=1, progress=False)
    assert before.items() <= finished(store).items()
    whole = study_as_given(jobs=1, progress=False)
    assert study.progress() == {"todo": 0, "running": 0, "done": 24, "failed": 0}
    assert_same(study, whole)
    study.store.close()
    whole.store.close()


def test_control_c_fails_no_cell_and_loses_none(tmp_path: Path) -> None:
    file = study_file(tmp_path, seconds=0.3)
    command = [sys.executable, "-m", "assay", "experiment", "run", str(file), "--jobs", "2", "--allow", "tests"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    running = subprocess.Popen(command, env=environment(), start_new_session=True, **pipes)
    until(lambda: len(finished(tmp_path / "study.db")) > 3, running)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it: also to the workers
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert said.endswith("assay: stopped\n")
    before = finished(tmp_path / "study.db")
    study = open_study(tmp_path / "study.db", "study")
    assert study.progress() == {"todo": 40 - len(before), "running": 0, "done": len(before), "failed": 0}
    study.store.close()
