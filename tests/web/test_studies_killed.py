"""kill -9 of the server and of the program that runs a study, at any moment: the end is that of one nobody killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import assert_same, fits
from tests.web.serving import Server, started
from tests.web.studying import slow, until

from assay.experiments.study import experiment, open_study
from assay.experiments.study_file import read_study

pytestmark = pytest.mark.engines

CELLS, SLOW_CELLS = 40, 20


class Served:
    """A server of a folder that can be killed and started again, and whoever uses it."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder = folder
        (folder / "study.toml").write_text(slow(folder, seconds))
        self.server = self._begun()
        self.study = self.server.ask("/experiment/open?file=study.toml").headers["location"].rpartition("/")[2]

    def _begun(self) -> Server:
        server = started(self.folder, "--allow", "tests")
        server.come_in()
        return server

    def again(self) -> None:
        """Kill the server, which says nothing any more, and start another."""
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.communicate()
        self.server = self._begun()

    def ask(self, what: str) -> Any:
        said = self.server.ask(f"/api/study/{self.study}/{what}", "POST", b"{}", {"Content-Type": "application/json"})
        assert said.status == 200, said.text
        return json.loads(said.text)

    def watched(self) -> dict[str, Any]:
        """What a window is told last, when nothing moves any more."""
        told = self.server.ask(f"/api/study/{self.study}/events").text
        last: dict[str, Any] = json.loads(told.strip().split("\n\n")[-1].removeprefix("data: "))
        return last

    def done(self) -> int:
        """How many cells are done, as the store has it."""
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(self.folder / "study.db")) as connection:
            return int(connection.execute("SELECT count(*) FROM cells WHERE status = 'done'").fetchone()[0])
        return 0

    def until_done(self, cells: int) -> None:
        until(lambda: self.done() >= cells)

    def runners(self) -> list[int]:
        """The programs that run the study now."""
        with closing(sqlite3.connect(self.folder / "study.db")) as connection:
            return [pid for (pid,) in connection.execute("SELECT pid FROM leases")]

    def kill_runner(self) -> None:
        for pid in self.runners():
            os.kill(pid, signal.SIGKILL)

    def stop(self) -> None:
        self.ask("cancel")
        until(lambda: self.watched()["over"])
        self.server.stop()


@pytest.fixture
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    running = Served(tmp_path, getattr(request, "param", 0.3))
    yield running
    running.stop()


def assert_as_if_never_killed(served: Served, kills: int) -> None:
    last = served.watched()
    assert (last["state"], last["done"], last["failed"], last["missing"]) == ("done", CELLS, 0, 0), last
    ours = open_study(served.folder / "study.db", "study")
    said = {**read_study(served.folder / "study.toml"), "store": served.folder / "whole.db"}
    said["learners"][0]["params"] = {"seconds": 0.0, "log": ""}
    whole = experiment(**said, allow="tests")
    assert_same(ours, whole)
    for each in (ours, whole):
        each.store.close()
    # Only cells in flight at a kill may have been begun again.
    assert SLOW_CELLS <= len(fits(served.folder)) <= SLOW_CELLS + 2 * kills


# So slow that it still runs when a busy machine has started the server again.
@pytest.mark.parametrize("served", [2.0], indirect=True)
def test_a_study_outlives_its_server(served: Served) -> None:
    served.ask("run")
    served.until_done(4)
    before = served.runners()
    served.again()
    page = served.server.ask(f"/experiment/{served.study}").text
    assert "Running." in page
    assert served.runners() == before
    assert not served.ask("run")["over"]  # whoever starts it again joins the run that is
    assert served.runners() == before
    assert_as_if_never_killed(served, 0)


def test_a_run_that_was_killed_is_told_and_resumed(served: Served) -> None:
    for kill in range(1, 4):
        served.ask("run")
        served.until_done(8 * kill)
        served.kill_runner()
        last = served.watched()
        assert last["state"] == "interrupted", last
        assert last["done"] >= 8 * kill
        assert "was stopped before the study was finished" in served.server.ask(f"/experiment/{served.study}").text
    served.ask("run")
    assert_as_if_never_killed(served, 3)


def test_both_killed_at_once_lose_nothing(served: Served) -> None:
    for wanted in (3, 11, 19):
        served.ask("run")
        served.until_done(wanted)
        served.kill_runner()
        served.again()
        assert served.watched()["state"] == "interrupted"
    served.ask("run")
    assert_as_if_never_killed(served, 3)


@pytest.mark.parametrize("pause", [0.0, 0.2, 0.8, 2.0])
def test_killed_at_any_moment_of_its_beginning(served: Served, pause: float) -> None:
    """Also before there is a store, and while it is made."""
    served.ask("run")
    time.sleep(pause)
    with suppress(sqlite3.OperationalError):
        served.kill_runner()
    served.again()
    served.ask("run")
    assert_as_if_never_killed(served, 1)
