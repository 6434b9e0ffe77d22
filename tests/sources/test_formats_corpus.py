"""Every file of the formats corpus, through the command line: its roles and figures, or a refusal whose hint works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import Run, run
from tests.sources.corpus.case import Case
from tests.sources.corpus.formats import CASES

__all__ = ["run"]

READ = [case for case in CASES if case.refused is None]
REFUSED = [case for case in CASES if case.refused is not None]
# What the Read line says of how a file is written.
NOTES = {
    "pandas_european.csv": "decimal comma",
    "quoted_commas.csv": "decimal comma",
    "said.csv": "decimal comma",
    "percent.csv": "percentages: score",
    "percent_european.csv": "decimal comma, percentages: score",
    "unicode_text.txt": "UTF-16, decimal comma",
    "utf16_unmarked.csv": "UTF-16-LE",
    "cp1252.csv": "cp1252, decimal comma",
    "comments.csv": "without 2 comment lines above",
    "packed.zip": "preds.csv in it",
    "second_sheet.xlsx": "sheet Results",
    "numbers_as_text.xlsx": "sheet Sheet1, decimal comma",
    "weka_comma.txt": "decimal comma",
}


def named(case: Case) -> str:
    return case.name


def test_the_corpus_has_each_file_once() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 30
    assert NOTES.keys() <= {case.name for case in READ}


@pytest.mark.parametrize("case", READ, ids=named)
def test_a_file_is_read_rightly(case: Case, run: Run, tmp_path: Path) -> None:
    case.write(tmp_path / case.name)
    outcome = run("evaluate", case.name, *case.options, "--json")
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert found["source"]["columns"].items() >= case.roles.items()
    for measure, value in case.figures.items():
        assert found["measures"][measure]["value"] == pytest.approx(value, abs=1e-12), measure
    assert outcome.err.startswith(f"Read {case.name}")
    noted = re.match(r"Read \S+ \((.*?)\): ", outcome.err)
    assert (noted.group(1) if noted else "") == ", ".join(found["source"]["notes"])
    if case.name in NOTES:
        assert ", ".join(found["source"]["notes"]) == NOTES[case.name]


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_a_file_is_refused_and_the_hint_works(case: Case, run: Run, tmp_path: Path) -> None:
    case.write(tmp_path / case.name)
    outcome = run("evaluate", case.name, *case.options)
    assert outcome.code in (2, 3)
    assert outcome.out == ""
    assert str(case.refused) in outcome.err
    hint = re.search(r"; type (--.*)$", outcome.err.strip())
    if hint:
        again = run("evaluate", case.name, *case.options, *shlex.split(hint.group(1)))
        assert again.code == 0, again.err
