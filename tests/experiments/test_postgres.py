"""A store in PostgreSQL: several programs on one study at once, and what happens when one or the server dies."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.experiments.driving import SLOW_FITS, assert_same, fits, started, study_file, until

from assay.errors import InputError
from assay.experiments import database
from assay.experiments.store import Store
from assay.experiments.study import Study, experiment, open_study
from assay.experiments.study_file import read_study
from assay.experiments.task import CellOutcome

pytestmark = [
    pytest.mark.engines,
    pytest.mark.skipif(find_spec("psycopg") is None, reason="psycopg is not installed"),
]

SECRET = "s3cr@t/:x"
ESCAPED = "s3cr%40t%2F%3Ax"
KEYS = [f"k{number}" for number in range(400)]
FOUND = shutil.which("postgres") or next((str(p) for p in Path("/usr/lib/postgresql").glob("*/bin/postgres")), None)


@dataclass
class Server:
    """A PostgreSQL server of the tests' own, on this machine only."""

    folder: Path
    port: int
    user: dict[str, Any]
    numbers: Iterator[int]

    def call(self, program: str, *arguments: str) -> None:
        """Run one of the server's programs, as the user it needs: it will not run as root."""
        assert FOUND is not None
        command = [str(Path(FOUND).with_name(program)), "-D", str(self.folder / "data"), *arguments]
        subprocess.run(command, check=True, cwd=self.folder, stdout=subprocess.DEVNULL, **self.user)

    def start(self) -> None:
        settings = f"-p {self.port} -h 127.0.0.1 -k {self.folder} -c fsync=off"
        self.call("pg_ctl", "start", "-w", "-l", str(self.folder / "log"), "-o", settings)

    def stop(self) -> None:
        self.call("pg_ctl", "stop", "-m", "immediate")

    def url(self, name: str, secret: str = ESCAPED) -> str:
        return f"postgresql://ada:{secret}@127.0.0.1:{self.port}/{name}"

    def fresh(self) -> str:
        """The URL of a database in which nothing is yet."""
        name = f"study{next(self.numbers)}"
        engine = database.engine_of(self.url("postgres"))
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text(f"CREATE DATABASE {name}"))
        engine.dispose()
        return self.url(name)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if FOUND is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    user: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="assay-pg-", dir="/tmp") as place, socket.socket() as free:
        folder = Path(place)
        (folder / "password").write_text(SECRET)
        if os.getuid() == 0:
            names = {each.pw_name for each in pwd.getpwall()}
            user = {"user": "postgres" if "postgres" in names else "nobody", "extra_groups": []}
            for path in (folder, folder / "password"):
                shutil.chown(path, user["user"])
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        made = Server(folder, port, user, count())
        made.call("initdb", "-U", "ada", "-A", "scram-sha-256", "--pwfile", str(folder / "password"), "--no-sync")
        made.start()
        yield made
        made.stop()


def held(url: str, cells: int = 400) -> Store:
    store = Store(url)
    store.define("s", "{}", [], [{"key": key, "dataset": "d", "learner": key, "repeat": 0} for key in KEYS[:cells]])
    return store


def assert_complete(url: str, in_one_process: Study) -> Study:
    study = open_study(url)
    assert study.progress() == {"todo": 0, "running": 0, "done": 2 * SLOW_FITS, "failed": 0}
    assert_same(study, in_one_process)
    return study


def test_two_programs_on_an_empty_database_share_a_study(server: Server, in_one_process: Study, tmp_path: Path) -> None:
    file, url = study_file(tmp_path), server.fresh()
    both = [started("run", str(file), "--store", url, "--jobs", "1", "--format", "csv") for _ in range(2)]
    said = [running.communicate(timeout=180) for running in both]
    assert [running.returncode for running in both] == [0, 0], said
    study = assert_complete(url, in_one_process)
    owners = {cell["owner"].split("-")[-2] for cell in study.store.cells("study", "owner")}
    assert owners == {str(running.pid) for running in both}
    assert len(fits(tmp_path)) == SLOW_FITS  # each cell was run once
    assert said[0][0] == said[1][0] == study.to_csv()  # and both show all of it
    assert ESCAPED not in str(said) + study.store.definition("study")
    study.store.close()


def test_what_a_killed_program_held_is_taken_over(server: Server, in_one_process: Study, tmp_path: Path) -> None:
    file, url = study_file(tmp_path), server.fresh()
    arguments = ["run", str(file), "--store", url, "--backend", "here", "--lease", "4"]
    first, second = started(*arguments), started(*arguments)
    with first, second:
        until(lambda: {str(first.pid), str(second.pid)} <= set(fits(tmp_path)), first)
        first.send_signal(signal.SIGKILL)
        _, err = second.communicate(timeout=180)
    assert second.returncode == 0, err
    study = assert_complete(url, in_one_process)
    assert SLOW_FITS <= len(fits(tmp_path)) <= SLOW_FITS + 1  # a fit may have ended just before the kill
    study.store.close()


def test_each_cell_is_claimed_once(server: Server) -> None:
    stores = [held(server.fresh())]
    stores += [Store(stores[0].place) for _ in range(3)]

    def work(store: Store) -> list[str]:
        with store.driver("s") as driver:
            return [key for key in driver.take(KEYS, 5) if driver.finish(CellOutcome(key, predictions=b"x"))]

    with ThreadPoolExecutor(4) as pool:
        claimed = [key for mine in pool.map(work, stores) for key in mine]
    assert sorted(claimed) == sorted(KEYS)
    assert len(stores[0].cells("s", status="done")) == 400
    for store in stores:
        store.close()


def test_many_make_and_define_the_same_store_at_once(server: Server) -> None:
    url = server.fresh()
    gate = threading.Barrier(6)

    def come(_: int) -> int:
        gate.wait()
        with closing(held(url)) as store:
            return len(store.cells("s"))

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(come, range(6))) == {400}


def test_a_wrong_clock_does_not_make_a_driver_dead(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(held(server.fresh(), 2)) as store, store.driver("s") as driver:
        assert driver.claim(["k0"])
        monkeypatch.setattr(time, "time", lambda: 4e9)
        store.free_the_dead()
        assert len(store.cells("s", status="running")) == 1
        assert driver.finish(CellOutcome("k0", predictions=b"x"))


def test_only_the_lease_tells_who_is_dead(server: Server) -> None:
    with closing(held(server.fresh(), 2)) as store, store.driver("s") as driver:
        leases, cells = database.tables()["leases"], database.tables()["cells"]
        with store.engine.begin() as connection:
            row = connection.execute(sa.select(leases)).mappings().one()
            # A process number says nothing there: the driver may be on another machine of the same name.
            connection.execute(sa.insert(leases).values({**row, "owner": "far", "pid": 2**22 - 1}))
            connection.execute(sa.update(cells).where(cells.c.key == "k0").values(status="running", owner="far"))
        assert driver.left() == {"todo": 1, "running": 1}
        with store.engine.begin() as connection:
            connection.execute(sa.update(leases).where(leases.c.owner == "far").values(expires=row["expires"] - 500))
        assert driver.left() == {"todo": 2, "running": 0}


def test_a_server_that_is_started_anew_costs_a_wait(server: Server) -> None:
    with closing(held(server.fresh(), 2)) as store, store.driver("s") as driver:
        assert driver.claim(["k0"])
        server.stop()
        again = threading.Timer(1.5, server.start)
        again.start()
        assert driver.finish(CellOutcome("k0", predictions=b"x"))
        again.join()
        assert list(driver.take(KEYS[:2])) == ["k1"]


def test_a_password_is_never_shown(server: Server) -> None:
    url = server.fresh()
    with closing(Store(url)) as store:
        assert ESCAPED not in repr(store)
        assert "ada:***@127.0.0.1" in repr(store)
    with pytest.raises(InputError, match="password authentication failed") as refused:
        Store(server.url("postgres", "wrong%40pass"))
    assert "wrong" not in str(refused.value)


def test_damaged_cells_are_left_out_and_run_again(server: Server, in_one_process: Study, tmp_path: Path) -> None:
    file, url = study_file(tmp_path, seconds=0), server.fresh()
    said = read_study(file) | {"store": url}
    experiment(**said, jobs=1, progress=False, allow="tests").store.close()
    engine = database.engine_of(url)
    with engine.begin() as connection:
        for what in ("predictions = '\\x00'", "predictions = NULL", "status = 'dxne'", "train_cases = 1"):
            one = "SELECT key FROM cells WHERE status = 'done' AND train_cases > 1 AND predictions IS NOT NULL LIMIT 1"
            connection.execute(sa.text(f"UPDATE cells SET {what} WHERE key = ({one})"))
        connection.execute(
            sa.text("UPDATE cells SET predictions = predictions || '\\x00' WHERE fold = 4 AND repeat = 1")
        )
    engine.dispose()
    shown = open_study(url, "study")
    assert len(shown.damaged()) >= 6
    assert len(shown.table()) == 4
    shown.store.close()
    resumed = open_study(url, "study", to_run=True, allow="tests").run(jobs=1, progress=False)
    assert_same(resumed, in_one_process)
    resumed.store.close()


def test_a_database_with_tables_of_the_same_names_is_left_alone(server: Server) -> None:
    url = server.fresh()
    engine = database.engine_of(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE cells (microscope TEXT)"))
    engine.dispose()
    for create in (True, False):
        with pytest.raises(InputError, match="is another program's database"):
            Store(url, create=create)


def test_a_store_of_schema_1_is_read_and_brought_up_to_date(server: Server) -> None:
    url = server.fresh()
    held(url, 3).close()
    engine = database.engine_of(url)
    with engine.begin() as connection:
        for table in ("studies", "datasets", "cells"):
            connection.execute(sa.text(f"ALTER TABLE {table} DROP COLUMN checksum"))
        connection.execute(sa.text("UPDATE assay_schema SET version = 1"))
    engine.dispose()
    old = Store(url, create=False)
    assert (old.version, old.progress("s")["todo"]) == (1, 3)
    old.close()
    new = held(url, 4)
    assert (new.version, new.progress("s")["todo"]) == (2, 4)
    new.close()
