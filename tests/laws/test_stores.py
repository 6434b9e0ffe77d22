"""A store in which anything was changed: what is shown is what was kept, and a study that is resumed is whole again."""

from __future__ import annotations

import math
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws.fuzzing import fuzzed
from tests.laws.test_study_files import ROWS

from assay.errors import AssayError
from assay.experiments import Study, experiment, open_study

Values = dict[tuple[Any, ...], float]
ODD = [
    None,
    "",
    "x",
    b"",
    b"\x00\xff",
    -1,
    0,
    7,
    2**40,
    1.5,
    math.inf,
    "[]",
    "{}",
    "null",
    '{"plan": 3}',
    "done",
    "todo",
]
BIT = st.tuples(st.floats(0, 0.9999), st.integers(0, 7))
SOME = fuzzed(40)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Values]:
    """A small study that has been run, and the value of each of its cells."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "mail.csv").write_text(ROWS)
    data = [{"path": str(folder / "mail.csv"), "target": "kind", "positive": "spam"}]
    study = experiment(data, ["nb", "stump"], "swapped_halves", jobs=1)
    study.save(folder / "mail.db")
    return folder / "mail.db", values(study)


def values(study: Study) -> Values:
    """The value of each cell that is done, by its place."""
    table = study.folds("accuracy").columns
    where = zip(table["learner"], table["repeat"], table["fold"], strict=True)
    found = dict(zip(where, table["accuracy"], strict=True))
    return {place: value for place, value in found.items() if not math.isnan(value)}


def shown(place: Path) -> Values:
    """All that a study shows without being run, and the values of its cells."""
    study = open_study(place)
    with closing(study.store):
        for each in (study.table, study.wide, study.costs, study.failures, study.stale, study.damaged, study.progress):
            each()
        assert isinstance(study.cautions, tuple)
        return values(study)


def resumed(place: Path) -> Values:
    study = open_study(place, to_run=True, retry=True)
    with closing(study.store):
        return values(study.run(jobs=1, progress=False))


def refused(act: Callable[[Path], Values], place: Path) -> Values | None:
    """What an act found, or nothing where it was refused in one sentence."""
    try:
        return act(place)
    except AssayError as error:
        said = str(error)
    assert "\n" not in said
    assert "SELECT" not in said
    return None


def assert_true_or_refused(place: Path, known: Values) -> None:
    before = place.read_bytes()
    found = refused(shown, place)
    assert place.read_bytes() == before  # what is read is never changed
    assert found is None or found.items() <= known.items()
    again = refused(resumed, place)
    assert again is None or again == known


@SOME
@given(
    bits=st.lists(st.tuples(st.floats(0, 0.9999), st.integers(0, 7)), min_size=1, max_size=3), kept=st.floats(0.02, 1.4)
)
def test_flipped_bits_and_a_lost_end(
    bits: list[tuple[float, int]], kept: float, whole: tuple[Path, Values], tmp_path_factory: Any
) -> None:
    place = tmp_path_factory.mktemp("flipped") / "mail.db"
    content = bytearray(whole[0].read_bytes())
    for where, bit in bits:
        content[int(where * len(content))] ^= 1 << bit
    place.write_bytes(content[: int(kept * len(content))])
    assert_true_or_refused(place, whole[1])
    shutil.rmtree(place.parent)


def columns(place: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(place)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [(name, row[1]) for name in names for row in connection.execute(f"PRAGMA table_info({name})")]


@SOME
@given(column=st.integers(0, 10**6), row=st.integers(0, 5), value=st.sampled_from(ODD))
def test_any_value_in_any_column(
    column: int, row: int, value: Any, whole: tuple[Path, Values], tmp_path_factory: Any
) -> None:
    place = tmp_path_factory.mktemp("changed") / "mail.db"
    shutil.copy(whole[0], place)
    every = columns(place)
    table, name = every[column % len(every)]
    with closing(sqlite3.connect(place)) as connection:
        rows = [number for (number,) in connection.execute(f"SELECT rowid FROM {table} ORDER BY rowid")]
        if rows:
            number = rows[row % len(rows)]
            try:
                connection.execute(f'UPDATE {table} SET "{name}" = ? WHERE rowid = ?', (value, number))
            except sqlite3.Error:
                return  # the database itself does not take it there
            connection.commit()
    assert_true_or_refused(place, whole[1])
    shutil.rmtree(place.parent)
