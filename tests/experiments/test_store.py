"""The store: each cell claimed once, the dead give back what they held, and nothing in it is a pickle."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

from assay.errors import AssayError, InputError
from assay.experiments import store as module
from assay.experiments.store import Store
from assay.experiments.task import Outcome, Rows


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
            mine = [key for key in KEYS if driver.claim(key)]
            for key in mine:
                assert driver.finish(Outcome(key, predictions=b"x"))
            return mine

    with ThreadPoolExecutor(4) as pool:
        claimed = [key for mine in pool.map(work, [store, *others]) for key in mine]
    assert sorted(claimed) == sorted(KEYS)
    assert set(states(store).values()) == {"done"}
    for held in others:
        held.close()


def test_a_driver_that_leaves_gives_back_what_it_did_not_finish(store: Store) -> None:
    with store.driver("s") as driver:
        assert driver.claim("k0")
        assert driver.claim("k1")
        assert driver.finish(Outcome("k0", predictions=b"x"))
        assert states(store)["k1"] == "running"
    assert states(store)["k0"] == "done"
    assert states(store)["k1"] == "todo"


def test_the_living_keep_and_the_dead_give_back(store: Store) -> None:
    with store.driver("s") as living:
        assert living.claim("k0")
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
        drivers = module._tables()["drivers"]
        with store.engine.begin() as connection:
            row = connection.execute(sa.select(drivers)).mappings().one()
            connection.execute(sa.insert(drivers).values({**row, "owner": "dead", "pid": int(gone.stdout)}))
            far = {**row, "owner": "far away", "host": "elsewhere", "heard": row["heard"] - module.LEASE - 1}
            connection.execute(sa.insert(drivers).values(far))
            near = {**row, "owner": "not heard of for a while", "host": "elsewhere", "heard": row["heard"] - 60}
            connection.execute(sa.insert(drivers).values(near))
            held = module._tables()["cells"]
            for key, owner in (("k1", "dead"), ("k2", "far away"), ("k3", "not heard of for a while")):
                connection.execute(sa.update(held).where(held.c.key == key).values(status="running", owner=owner))
        with store.driver("s"):
            assert {key: states(store)[key] for key in ("k0", "k1", "k2", "k3")} == {
                "k0": "running",
                "k1": "todo",
                "k2": "todo",
                "k3": "running",
            }
        assert living.finish(Outcome("k0", predictions=b"x"))


def test_a_result_that_comes_too_late_does_not_stand(store: Store) -> None:
    with store.driver("s") as slow:
        assert slow.claim("k0")
        store._free([slow.owner])
        with store.driver("s") as quick:
            assert quick.claim("k0")
            assert quick.finish(Outcome("k0", predictions=b"quick"))
        assert not slow.finish(Outcome("k0", predictions=b"slow"))
    assert store.cells("s", "predictions", key="k0")[0]["predictions"] == b"quick"


def test_a_heart_beats_while_a_driver_works(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAT", 0.01)
    drivers = module._tables()["drivers"]
    with store.driver("s"), store.engine.connect() as connection:
        first = connection.execute(sa.select(drivers.c.heard)).scalar_one()
        connection.rollback()
        for _ in range(500):
            if connection.execute(sa.select(drivers.c.heard)).scalar_one() > first:
                break
            connection.rollback()
        else:
            pytest.fail("the driver was not heard of again")


def test_a_failed_cell_is_run_again_only_if_asked(store: Store) -> None:
    with store.driver("s") as driver:
        assert driver.claim("k0")
        driver.finish(Outcome("k0", error="Traceback"))
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
    with pytest.raises(InputError, match="has schema 99, this release writes 1"):
        Store(store.place)


def test_predictions_are_arrays_and_never_pickles() -> None:
    rows = Rows(np.arange(3), np.array([0, 1, 0]), probability=np.array([[0.2, 0.8]] * 3))
    packed = rows.packed()
    again = Rows.unpacked(packed)
    np.testing.assert_array_equal(again.probability, rows.probability)
    assert again.score is None
    with pytest.raises(ValueError, match="allow_pickle"):
        Rows(np.array([{}], dtype=object), np.array([0])).packed()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("no/such/folder/s.db", "cannot be used"),
        ("nonsense://", "cannot be reached"),
        ("mysql+nonsense://host/db", "cannot be reached"),
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
    with pytest.raises(AssayError, match="there is no store"):
        Store(tmp_path / "s.db", create=False)
    assert list(tmp_path.iterdir()) == []
