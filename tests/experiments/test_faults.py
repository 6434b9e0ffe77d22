"""Everything that a store asks of its database fails once, in turn: what was there stays, or what is new is whole."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import ROOT, environment
from tests.experiments.faults import failing_at, fails, run_small, values

from assay.errors import AssayError
from assay.experiments import open_study, worker
from assay.experiments.store import Store

TABLES = ("studies", "datasets", "models", "parts", "leases", "cells")
EMPTY: dict[str, list[Any]] = {"assay_schema": ["(2,)"], **{name: [] for name in TABLES}}


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PAUSES", (0, 0))


def contents(place: Path) -> dict[str, list[Any]]:
    """Everything a store holds, but for who is at work and when."""
    with closing(sqlite3.connect(place)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: sorted(map(repr, connection.execute(f"SELECT * FROM {name}"))) for name in tables}


def at_every_moment(act: Callable[[Path], Any], base: Path | None, folder: Path) -> list[tuple[Path, str | None]]:
    """What was left by the act when it failed at its first call, at its second, and so on; and what was said."""
    left = list[tuple[Path, str | None]]()
    for number in count(1):
        place = folder / f"{number}.db"
        if base is not None:
            shutil.copy(base, place)
        said = None
        with failing_at(fails(number)) as moment:
            try:
                act(place)
            except AssayError as error:
                said = str(error)
        if not moment.came:
            return left
        left.append((place, said))
    raise AssertionError


def cells(count: int) -> list[dict[str, Any]]:
    return [{"key": f"k{n}", "dataset": "d", "learner": "l", "repeat": 0, "fold": n} for n in range(count)]


def defined(place: Path, number: int) -> None:
    store = Store(place)
    try:
        data = [{"hash": f"h{number}", "classes": "[]", "target": b"x"}]
        store.define("s", f'{{"n": {number}}}', data, cells(number), retry=True)
    finally:
        store.close()


def test_a_definition_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    defined(old, 3)
    shutil.copy(old, new)
    defined(new, 2)
    left = at_every_moment(lambda place: defined(place, 2), old, tmp_path)
    assert len(left) > 15
    assert sum(said is None for _, said in left) < 3
    for place, said in left:
        assert contents(place) in (contents(old), contents(new)), place
        assert said is None or "\n" not in said


def test_a_new_store_is_not_there_or_whole(tmp_path: Path) -> None:
    left = at_every_moment(lambda place: Store(place).close(), None, tmp_path)
    assert len(left) > 5
    for place, said in left:
        assert contents(place) in ({}, EMPTY)
        assert said is None or "\n" not in said


@pytest.mark.engines
def test_a_study_that_fails_at_any_moment_goes_on_to_the_same_end(tmp_path: Path) -> None:
    run_small(tmp_path / "whole.db")
    whole = open_study(tmp_path / "whole.db")
    known = values(whole)
    left = at_every_moment(run_small, None, tmp_path)
    assert len(left) > 30
    for place, said in left:
        assert said is None or "\n" not in said
        run_small(place)
        with closing((study := open_study(place)).store):
            assert values(study) == known
            assert study.progress() == {"todo": 0, "running": 0, "done": 4, "failed": 0}
    whole.store.close()


def test_a_copy_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_small(tmp_path / "whole.db")
    study = open_study(tmp_path / "whole.db")

    def link(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.link", link)
    with closing(study.store), pytest.raises(AssayError, match=r"nothing can be written to .*No space left"):
        study.save(tmp_path / "copy.db")
    assert not list(tmp_path.glob("*copy*"))


def test_a_clock_that_goes_backwards_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_small(tmp_path / "whole.db", "nb", "stump")
    with closing((study := open_study(tmp_path / "whole.db")).store):
        known = values(study)
    real, calls = time.time, count()
    monkeypatch.setattr(time, "time", lambda: real() - 3600 * next(calls))
    run_small(tmp_path / "back.db", "nb")
    # A driver that died while the clock was a day ahead holds nobody up.
    with closing(Store(tmp_path / "back.db")) as store:
        with store.driver("iris", lease=86_400) as driver:
            owner = driver.owner
        with closing(sqlite3.connect(tmp_path / "back.db")) as connection, connection:
            lease = (owner, socket.gethostname(), 2**22 + 1, real() + 86_400)
            connection.execute("INSERT INTO leases (owner, host, pid, expires) VALUES (?, ?, ?, ?)", lease)
            connection.execute("UPDATE cells SET status = 'running', owner = ?", (owner,))
    run_small(tmp_path / "back.db", "nb", "stump")
    with closing((study := open_study(tmp_path / "back.db")).store):
        assert values(study) == known


@pytest.mark.engines
def test_a_study_killed_at_any_moment_goes_on_to_the_same_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.experiments.faults", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30
