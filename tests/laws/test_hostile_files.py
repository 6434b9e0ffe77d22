"""Damaged files of every format end in an evaluation or one sentence, never in anything else and never in a warning."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.laws.hostile import FAILED, Tally, by_format, outcome, tried

EXAMPLES = 220


def test_damaged_files_are_evaluated_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tally, rng = Tally(), random.Random(20)
    for _ in range(EXAMPLES):
        tried(rng, tmp_path, tally)
    with capsys.disabled():
        print(f"\n{tally}")
    assert tally.outcomes.total() == EXAMPLES
    assert len(tally.formats) >= 12
    assert tally.outcomes["evaluated"] > EXAMPLES / 20  # or damage went so far that nothing behind the door was tried


@pytest.mark.parametrize("path", sorted(FAILED.iterdir()), ids=lambda path: path.name)
def test_what_failed_once_fails_no_more(path: Path) -> None:
    outcome(path)


def test_sound_files_of_every_format_are_among_them() -> None:
    suffixes = {"".join(Path(each.name).suffixes) for kind in by_format() for each in kind}
    known = {".csv", ".tsv", ".json", ".jsonl", ".parquet", ".feather", ".arrow", ".arff", ".xlsx", ".npy", ".npz"}
    assert known <= suffixes | {".csv.gz", ".csv.bz2", ".csv.xz"}
