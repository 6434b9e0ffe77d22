"""Stores that were damaged, are another's, full, old or secret: what is whole is shown, the rest is one sentence."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.cli.conftest import Run
from tests.cli.conftest import run as run
from tests.experiments.driving import assert_same

from assay.errors import AssayError, InputError
from assay.experiments import Study, experiment, open_study
from assay.experiments.database import without_secrets
from assay.experiments.plans import kfold
from assay.experiments.store import Store

DEFINITION = "the definition of study 'study' in the store is damaged"
TRUTH = "the true labels of a data set in the store are damaged"
# What is done to one cell of nb, and whether a release that wrote no checksums could tell.
DAMAGE = {
    "a flipped bit": (
        "predictions = CAST(substr(predictions, 1, 200) || x'ff' || substr(predictions, 202) AS BLOB)",
        True,
    ),
    "no text": ("warnings = CAST(x'ff41' AS TEXT)", False),
    "garbage": ("predictions = x'00ff'", True),
    "nothing": ("predictions = x''", True),
    "NULL": ("predictions = NULL", True),
    "text": ("predictions = 'text'", True),
    "another fold's": (
        "predictions = (SELECT predictions FROM cells AS o WHERE o.fold = 2 AND o.learner = 'nb')",
        False,
    ),
    "cases learned from": ("train_cases = 'many'", True),
    "another fold": ("fold = 7", False),
    "an unknown state": ("status = 'dxne'", True),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    study = experiment("iris", "nb", kfold(3), store=tmp_path_factory.mktemp("whole") / "s.db", jobs=1)
    yield study
    study.store.close()


@pytest.fixture
def place(whole: Study, tmp_path: Path) -> Path:
    """A copy of a store to be damaged."""
    whole.store.save(tmp_path / "s.db")
    return tmp_path / "s.db"


def changed(place: Path, *statements: str) -> None:
    with closing(sqlite3.connect(place)) as connection:
        for each in statements:
            connection.execute(each)
        connection.commit()


def of_one_cell(what: str) -> str:
    return f"UPDATE cells SET {what} WHERE learner = 'nb' AND fold = 1"


def made_old(place: Path) -> None:
    """The store as the release before checksums wrote it."""
    tables = ("studies", "datasets", "cells")
    changed(place, *(f"ALTER TABLE {name} DROP COLUMN checksum" for name in tables), "DELETE FROM assay_schema")
    changed(place, "INSERT INTO assay_schema VALUES (1)")


# Of a store without checksums only what can be told without one.
CASES = [(name, old) for name, (_, is_told_without) in DAMAGE.items() for old in (False, True)[: 1 + is_told_without]]


@pytest.mark.parametrize(("damage", "old"), CASES)
def test_a_damaged_cell_is_left_out_named_and_run_again(damage: str, old: bool, whole: Study, place: Path) -> None:
    what, _ = DAMAGE[damage]
    if old:
        made_old(place)
    changed(place, of_one_cell(what))
    before = place.read_bytes()
    study = open_study(place)
    assert study.damaged().columns["learner"] == ["nb"]
    assert study.progress() == {"todo": 1, "running": 0, "done": 5, "failed": 0}
    assert len(study.fold_scores("iris", "nb").values) == 2
    assert study.table().columns["splits"] == [3, 2]
    study.store.close()
    assert place.read_bytes() == before
    again = open_study(place, to_run=True)
    assert again.progress()["todo"] == 1
    again.run(jobs=1)
    assert_same(again, whole)
    again.store.close()
    (mended := open_study(place)).store.close()
    assert len(mended.damaged()) == 0


def test_the_command_line_names_damaged_cells(run: Run, place: Path) -> None:
    changed(place, of_one_cell("predictions = NULL"))
    shown = run("experiment", "show", str(place))
    assert shown.code == 0
    assert "Damaged in the store, excluded; resume repeats them: 1 run of nb on iris." in shown.err
    resumed = run("experiment", "resume", str(place), "--backend", "here")
    assert resumed.code == 0
    assert "Damaged in the store, to be repeated: 1 run of nb on iris." in resumed.err
    assert "Damaged" not in run("experiment", "show", str(place)).err


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "UPDATE studies SET definition = replace(definition, 'iris', 'wine')",
            "definition of study 'study' .* damaged",
        ),
        ("UPDATE studies SET definition = NULL", DEFINITION),
        (
            "UPDATE studies SET definition = '[[[', checksum = NULL",
            "definition of study 'study' in the store is damaged",
        ),
        ("UPDATE datasets SET classes = '[1]'", TRUTH),
        ("UPDATE datasets SET target = x'00'", TRUTH),
        ("DELETE FROM datasets", TRUTH),
        ("DROP TABLE cells", "cannot be used: no such table: cells"),
        ("UPDATE assay_schema SET version = 99", "has schema 99"),
    ],
)
def test_what_every_cell_rests_on_is_refused_in_a_sentence(statement: str, message: str, place: Path) -> None:
    changed(place, statement)
    with pytest.raises(InputError, match=message):
        open_study(place).table()


@pytest.mark.parametrize("table", ["studies", "datasets"])
def test_running_a_study_again_mends_what_it_rests_on(table: str, whole: Study, place: Path) -> None:
    changed(place, f"UPDATE {table} SET {'definition' if table == 'studies' else 'target'} = 'x'")
    study = experiment("iris", "nb", kfold(3), store=place, jobs=1)
    assert study.wide().columns == whole.wide().columns
    study.store.close()


def test_an_old_store_is_read_as_it_is_and_brought_up_to_date_when_it_runs(whole: Study, place: Path) -> None:
    made_old(place)
    before = place.read_bytes()
    study = open_study(place)
    assert study.wide().columns == whole.wide().columns
    study.store.close()
    assert place.read_bytes() == before
    more = experiment("iris", "nb", kfold(3), store=place, seed=0, jobs=1)
    assert more.progress() == {"todo": 0, "running": 0, "done": 6, "failed": 0}
    assert more.store.version == 2
    more.store.close()


@pytest.mark.parametrize("kept", [0, 50, 3000, 20000])
def test_a_truncated_store_is_refused_in_a_sentence(kept: int, place: Path) -> None:
    place.write_bytes(place.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"cannot be used|has no study"):
        open_study(place).table()


def test_another_programs_database_is_left_as_it_is(run: Run, tmp_path: Path) -> None:
    changed(tmp_path / "bookmarks.db", "CREATE TABLE bookmarks (url TEXT)")
    before = (tmp_path / "bookmarks.db").read_bytes()
    (tmp_path / "s.toml").write_text('datasets = ["iris"]\nlearners = ["nb"]\nstore = "bookmarks.db"\n')
    for line in (("show", "bookmarks.db"), ("resume", "bookmarks.db"), ("run", "s.toml")):
        done = run("experiment", *line)
        assert done.code == 3
        assert "bookmarks.db' is another program's database" in done.err
    assert (tmp_path / "bookmarks.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bookmarks.db", "s.toml"]


def test_a_learner_that_changes_the_folder_does_not_move_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    store = Store("s.db")
    monkeypatch.chdir(tmp_path / "other")
    store.engine.dispose()  # its next connection is a new one
    store.define("s", "{}", [], [])
    store.close()
    assert list((tmp_path / "other").iterdir()) == []


SECRETS = [
    "postgresql://ada:hidden@host/db",
    "postgresql://ada:hid@den/hidden@host/db",
    "postgresql://ada@host/db?password=hidden",
    "postgresql://ada@host/db?sslmode=require&sslpassword=hidden",
    "postgresql://ada@host/db?PASSWORD=hidden;x=1",
    "postgresql://ada@host/db?p%61ssword=hidden",
    "postgresql://ada@host/db?options=-c%20my.secret=hidden",
    "postgresql://host/db?passfile=hidden&sslkey=hidden",
    "host=db password=hidden user=ada",
]


@pytest.mark.parametrize("place", SECRETS)
def test_no_secret_of_a_place_is_shown(place: str) -> None:
    shown = without_secrets(place)
    assert "hid" not in shown
    assert "***" in shown
    try:
        Store(place, create=False)
    except AssayError as error:
        shown = str(error)
    assert "hid" not in shown


def test_a_database_that_repeats_a_secret_is_not_quoted() -> None:
    from assay.experiments.database import one_sentence

    fault = sa.exc.OperationalError("SELECT", {}, Exception('login of "ada" with "hidden" failed\nSELECT'))
    with pytest.raises(AssayError) as refused, one_sentence("postgresql://ada:hidden@host/db"):
        raise fault
    assert "hidden" not in str(refused.value)
    assert 'login of "ada" with "***" failed' in str(refused.value)


def full(connection: Any, *_: Any) -> None:
    connection.execute("PRAGMA max_page_count = 1")


def test_a_full_disk_is_one_sentence_and_changes_nothing(whole: Study, place: Path) -> None:
    before = shutil.copy(place, place.with_name("before.db"))
    store = Store(place)
    sa.event.listen(store.engine, "checkout", lambda connection, *_: full(connection))
    cells = [{"key": f"k{n}", "dataset": "d" * 1000, "learner": "l", "repeat": 0, "fold": n} for n in range(500)]
    with pytest.raises(InputError, match="database or disk is full; needed: free disk space"):
        store.define("study", "{}", [], cells)
    store.close()
    assert_same(open_study(place), open_study(before))
