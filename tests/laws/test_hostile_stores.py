"""Stores and lists in SQLite, and texts in TOML, that somebody else made so that reading them never ends."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from assay.errors import AssayError, InputError
from assay.experiments import experiment, open_study
from assay.experiments.database import PredictedRows
from assay.experiments.study_file import read_study
from assay.request.toml import toml_of
from assay.web import Workbench
from assay.web.workbench import LIBRARY

ENDLESS = "WITH RECURSIVE r(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM r)"
# What a store may be given beside its tables, and what is said of it.
STORES = {
    "view": (
        "ALTER TABLE cells RENAME TO other; CREATE VIEW cells AS " + ENDLESS + " SELECT other.* FROM other, r",
        "view 'cells'",
    ),
    "unused view": ("CREATE VIEW unused AS SELECT 1", "view 'unused'"),
    "trigger": (
        "CREATE TRIGGER made AFTER UPDATE ON cells BEGIN UPDATE studies SET definition = ''; END",
        "trigger 'made'",
    ),
    "virtual": ("CREATE VIRTUAL TABLE found USING fts5(a)", "virtual table 'found'"),
    "generated": ("ALTER TABLE cells ADD COLUMN big AS (hex(zeroblob(400000000)))", "generated column 'big'"),
    "stored": ("CREATE TABLE more (a, b AS (a + 1) STORED)", "generated column 'b'"),
    "index": ("CREATE INDEX made ON cells (lower(learner))", "index of an expression 'made'"),
}
LIST = {
    "view": "DROP TABLE opened; CREATE VIEW opened AS " + ENDLESS + " SELECT k AS id FROM r",
    "trigger": "CREATE TRIGGER made AFTER INSERT ON opened BEGIN DELETE FROM steps; END",
}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a store of a small study."""
    folder = tmp_path_factory.mktemp("stored")
    rows = "x,z,kind\n" + "".join(f"{k * 7 % 13},{k * 5 % 11},{'spam' if k % 3 else 'ham'}\n" for k in range(60))
    (folder / "mail.csv").write_text(rows)
    data = [{"path": str(folder / "mail.csv"), "target": "kind", "positive": "spam"}]
    study = experiment(data, ["nb"], "swapped_halves", jobs=1)
    study.save(folder / "mail.db")
    study.store.close()
    return (folder / "mail.db").read_bytes()


def changed(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


@pytest.mark.parametrize("kind", STORES)
def test_a_store_that_computes_is_refused_by_what_it_holds(kind: str, stored: bytes, tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    path.write_bytes(stored)
    script, words = STORES[kind]
    changed(path, script)
    before = path.read_bytes()
    for to_run in (False, True):
        with pytest.raises(InputError, match=f"holds the {words}, but only plain tables are read"):
            open_study(path, to_run=to_run)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", LIST)
def test_a_list_of_the_workbench_that_computes_is_refused(kind: str, tmp_path: Path) -> None:
    Workbench(tmp_path)
    changed(tmp_path / LIBRARY, LIST[kind])
    with pytest.raises(InputError, match=f"holds the {kind}"):
        Workbench(tmp_path)


def test_predictions_of_a_cell_that_unpack_without_measure_are_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.sources.formats.compression.memory", lambda: 0)
    rng = np.random.default_rng(0)
    plain = PredictedRows(
        np.sort(rng.choice(90_000, 30_000, replace=False)), np.zeros(30_000, int), score=np.ones(30_000)
    )
    assert PredictedRows.unpacked(plain.packed()).score is not None  # what a constant learner answers is taken
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("rows.npy", "w") as member:
        for _ in range(64):
            member.write(bytes(1 << 20))
    opened = []
    monkeypatch.setattr("numpy.load", lambda *_, **__: opened.append(1))
    with pytest.raises(InputError, match="the predictions of a run are damaged; needed: the study resumed"):
        PredictedRows.unpacked(file.getvalue())
    assert not opened


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" + ".a" * 40_000 + " = 1", "more than 64 parts"),
        ("[a" + " . a" * 40_000 + "]", "more than 64 parts"),
        ("x = 1\ny = {" + "'a'.\"b\"." * 20_000 + "c = 1}", r"more than 64 parts \(at line 2\)"),
        ("x = " + "[" * 50_000 + "]" * 50_000, "too deeply"),
        ("x = " + "{a=" * 20_000 + "1" + "}" * 20_000, "too deeply"),
        ("x = " + "9" * 100_000, "digits"),
    ],
)
def test_toml_that_takes_more_than_its_length_is_refused_at_once(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=words):
        toml_of(text)
    path = tmp_path / "mail.toml"
    path.write_text(text)
    with pytest.raises(AssayError, match=r"'mail\.toml' cannot be read as TOML"):
        read_study(path)


def test_long_texts_and_many_numbers_are_toml_as_before() -> None:
    numbers = [k / 10 for k in range(1000)]
    said = toml_of(f'x = {numbers}\nname = "{"A sentence. " * 500}"\nlong = "{"a" * 1_000_000}"\na.b.c = 1')
    assert said["x"] == numbers
    assert said["a"] == {"b": {"c": 1}}
