"""The store: each cell claimed once, the dead give back what they held, and nothing in it is a pickle."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from assay.errors import AssayError, InputError
from assay.experiments import worker as module
from assay.experiments.database import PredictedRows, tables
from assay.experiments.store import Store
from assay.experiments.task import CellOutcome


def cell(key: str) -> dict[str, Any]:
    return {"key": key, "dataset": "d", "learner": key, "repeat": 0, "fold": 0, "data_hash": "x"}


KEYS = [f"k{number}" for number in range(40)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    held = Store(tmp_path / "s.db")
    held.define("s", "{}", [], [cell(key) for key in KEYS])
    yield held
    held.close()


def states(store: Store) -> dict[str, str]:
    return {each["key"]: each["status"] for each in store.cells("s")}


def test_every_cell_is_claimed_by_one_of_several_drivers(store: Store) -> None:
    others = [Store(store.place) for _ in range(3)]

    def work(held: Store) -> list[str]:
        with held.driver("s") as driver:
            mine = [key for key in KEYS if driver.claim([key])]
            for key in mine:
                assert driver.finish(CellOutcome(key, predictions=b"x"))
            return mine

    with ThreadPoolExecutor(4) as pool:
        claimed = [key for mine in pool.map(work, [store, *others]) for key in mine]
    assert sorted(claimed) == sorted(KEYS)
    assert set(states(store).values()) == {"done"}
    for held in others:
        held.close()


def test_a_driver_that_leaves_gives_back_what_it_did_not_finish(store: Store) -> None:
    with store.driver("s") as driver:
        assert driver.claim(["k0"])
        assert driver.claim(["k1"])
        assert driver.finish(CellOutcome("k0", predictions=b"x"))
        assert states(store)["k1"] == "running"
    assert states(store)["k0"] == "done"
    assert states(store)["k1"] == "todo"


def test_the_living_keep_and_the_dead_give_back(store: Store) -> None:
    with store.driver("s") as living:
        assert living.claim(["k0"])
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
        leases, held = tables()["leases"], tables()["cells"]
        with store.engine.begin() as connection:
            row = connection.execute(sa.select(leases)).mappings().one()
            far = {**row, "host": "elsewhere"}
            changes = {
                "dead": {**row, "pid": int(gone.stdout)},
                "far away": {**far, "expires": time.time() - 1},
                "not heard of for a while": {**far, "expires": time.time() + 10},
            }
            for owner, lease in changes.items():
                connection.execute(sa.insert(leases).values({**lease, "owner": owner}))
            for key, owner in zip(("k1", "k2", "k3", "k4"), (*changes, "without a lease"), strict=True):
                connection.execute(sa.update(held).where(held.c.key == key).values(status="running", owner=owner))
        store.free_the_dead()
        after = states(store)
        assert [after[f"k{n}"] for n in range(5)] == ["running", "todo", "todo", "running", "todo"]
        assert living.finish(CellOutcome("k0", predictions=b"x"))


def test_a_result_that_comes_too_late_does_not_stand(store: Store) -> None:
    with store.driver("s") as slow:
        assert slow.claim(["k0"])
        store.free([slow.owner])
        with store.driver("s") as quick:
            assert quick.claim(["k0"])
            assert quick.finish(CellOutcome("k0", predictions=b"quick"))
        assert not slow.finish(CellOutcome("k0", predictions=b"slow"))
    assert store.cells("s", "predictions", key="k0")[0]["predictions"] == b"quick"


def test_a_heart_beats_while_a_driver_works(store: Store) -> None:
    leases = tables()["leases"]
    with store.driver("s", lease=0.4), store.engine.connect() as connection:
        first = connection.execute(sa.select(leases.c.expires)).scalar_one()
        connection.rollback()
        for _ in range(500):
            if connection.execute(sa.select(leases.c.expires)).scalar_one() > first:
                break
            connection.rollback()
            time.sleep(0.01)
        else:
            pytest.fail("the driver was not heard of again")


def test_a_driver_that_was_given_up_takes_part_again(store: Store) -> None:
    with store.driver("s", lease=0.4) as slow:
        assert slow.claim(["k0"])
        store.free([slow.owner])
        time.sleep(0.2)  # by now it was heard of again
        assert slow.claim(["k1"])
        store.free_the_dead()
        assert (states(store)["k0"], states(store)["k1"]) == ("todo", "running")


def test_several_cells_are_claimed_in_one_step_and_in_their_order(store: Store) -> None:
    with store.driver("s") as one, store.driver("s") as other:
        assert len(other.claim(KEYS[:4], 2)) == 2
        mine = one.claim(KEYS, 10)
        assert len(mine) == 10
        assert mine == [key for key in KEYS if key in mine]
        rest = list(one.take(KEYS, 7))
        assert sorted([*mine, *rest, *_of(store, other.owner)]) == sorted(KEYS)
        assert one.left() == {"todo": 38, "running": 2}  # what it does not run it gives back


def test_a_claim_looks_at_the_cells_it_was_asked_about_only(store: Store) -> None:
    plans = list[str]()

    def noted(connection: Any, cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("WITH"):
            plans.extend(str(row) for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall())

    with store.driver("s") as driver:
        sa.event.listen(store.engine, "before_cursor_execute", noted)
        assert driver.claim(KEYS[:3]) == ["k0"]
    searches = [plan for plan in plans if "SEARCH cells" in plan]
    assert len(searches) == 2
    assert all("study=? AND key=?" in plan for plan in searches), searches


def _of(store: Store, owner: str) -> list[str]:
    return [each["key"] for each in store.cells("s", "key", owner=owner)]


def test_a_database_that_does_not_answer_is_asked_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSES", (0, 0))

    def answering(silent: list[int]) -> str:
        if silent:
            silent.pop()
            raise sa.exc.OperationalError("SELECT", {}, Exception("server closed the connection\nmore"))
        return "answer"

    with store.driver("s") as driver:
        assert driver._retry_while_unavailable(answering, [1, 2]) == "answer"
        with pytest.raises(
            AssayError, match="does not respond: server closed the connection; finished runs are stored, resume"
        ):
            driver._retry_while_unavailable(answering, [1, 2, 3])


@pytest.mark.parametrize("text", ["zero \0 byte", "half \ud800 a character"])
def test_any_text_a_learner_says_can_be_kept(store: Store, text: str) -> None:
    with store.driver("s") as driver:
        assert driver.claim(["k0"])
        assert driver.finish(CellOutcome("k0", error=text))
    (kept,) = store.cells("s", "error", key="k0")
    assert kept["error"].startswith(text[:4])
    assert "\\" in kept["error"]


def test_a_failed_cell_is_run_again_only_if_asked(store: Store) -> None:
    with store.driver("s") as driver:
        assert driver.claim(["k0"])
        driver.finish(CellOutcome("k0", error="Traceback"))
    store.define("s", "{}", [], [cell(key) for key in KEYS])
    assert states(store)["k0"] == "failed"
    store.define("s", "{}", [], [cell(key) for key in KEYS], retry=True)
    assert states(store)["k0"] == "todo"


def test_what_a_study_no_longer_has_is_stale_and_not_deleted(store: Store) -> None:
    store.define("s", "{}", [], [cell(key) for key in KEYS[:10]])
    assert len(store.cells("s")) == 10
    assert len(store.cells("s", stale=True)) == 30
    store.define("s", "{}", [], [cell(key) for key in KEYS])
    assert len(store.cells("s")) == 40


def test_studies_share_a_store_and_not_their_cells(store: Store) -> None:
    store.define("other", json.dumps({"a": 1}), [], [cell("k0")])
    assert len(store.cells("s")) == 40
    assert len(store.cells("other")) == 1
    assert json.loads(store.definition("other")) == {"a": 1}


def test_the_file_is_in_wal_mode_and_knows_its_schema(store: Store) -> None:
    with store.engine.begin() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar_one() == "wal"
        connection.execute(sa.text("INSERT INTO assay_schema VALUES (99)"))
    with pytest.raises(InputError, match="has schema 99, this release writes 2"):
        Store(store.place)


def test_predictions_are_arrays_and_never_pickles() -> None:
    rows = PredictedRows(np.arange(3), np.array([0, 1, 0]), probability=np.array([[0.2, 0.8]] * 3))
    packed = rows.packed()
    again = PredictedRows.unpacked(packed)
    np.testing.assert_array_equal(again.probability, rows.probability)
    assert again.score is None
    with pytest.raises(ValueError, match="allow_pickle"):
        PredictedRows(np.array([{}], dtype=object), np.array([0])).packed()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no/such/folder/s.db", "cannot be used"),
        ("nonsense://", "cannot be reached"),
        ("mysql://host/db", "is an SQLite file or a PostgreSQL database"),
        ("postgresql://ada:se@cret@host/db", "write the @ of a password as %40"),
        ("postgresql+psycopg2://host/db", "cannot be reached: No module named"),
        ("postgresql://host:port/db", "not a database URL"),
    ],
)
def test_a_place_that_cannot_hold_a_store_is_refused(place: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Store(place if "://" in place else tmp_path / place)


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.db").write_text("these are no tables" * 100)
    with pytest.raises(InputError, match="cannot be used"):
        Store(tmp_path / "s.db")


def test_reading_makes_no_store(tmp_path: Path) -> None:
    with pytest.raises(AssayError, match="no store"):
        Store(tmp_path / "s.db", create=False)
    assert list(tmp_path.iterdir()) == []
