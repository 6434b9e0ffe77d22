"""Files as people have them: each is read in its one right way or refused, and what a refusal says to type works."""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run, run
from tests.sources import corpus
from tests.sources.corpus.case import Case
from tests.sources.test_bad_files import BAD

__all__ = ["run"]

MODULES = [
    importlib.import_module(f"{corpus.__name__}.{found.name}") for found in pkgutil.iter_modules(corpus.__path__)
]
CASES: list[Case] = [case for module in MODULES for case in getattr(module, "CASES", ())]
READ = [case for case in CASES if case.refused is None]
REFUSED = [case for case in CASES if case.refused is not None]


def named(case: Case) -> str:
    return f"{case.name}: {case.by}"


def written(case: Case, folder: Path) -> Path:
    path = folder / case.name
    case.write(path)
    return path


def pasted(err: str) -> Iterator[list[str]]:
    """What a refusal says to type: after `type` on its first line, or on a line of its own for each way."""
    first, *others = err.strip().splitlines()
    if first.endswith(("type one of:", "type:")):
        # What a way means stands behind it, three blanks away.
        yield from (shlex.split(re.split(r"\s{3,}", line.strip())[0]) for line in others)
    elif found := re.search(r"; type (--.*)$", first):
        yield shlex.split(found.group(1))


def roles_of(source: dict[str, Any]) -> dict[str, Any]:
    found = {**source["columns"], **({"id": source["design"]["id"]} if "id" in source["design"] else {})}
    return {**found, "not used": source["unused"]}


def value_of(record: dict[str, Any], figure: str) -> float:
    model, _, measure = figure.rpartition(".")
    held = record["models"][model] if model else record
    return float(held["measures"][measure]["value"])


@pytest.mark.parametrize("case", READ, ids=named)
def test_a_file_is_read_in_its_one_right_way(case: Case, tmp_path: Path, run: Run) -> None:
    answer = run("evaluate", str(written(case, tmp_path)), "--json", *case.options)
    assert answer.code == 0, answer.err
    record = json.loads(answer.out)
    first = next(iter(record["models"].values())) if "models" in record else record
    roles = roles_of(first["source"])
    expected = {"not used": [], **case.roles} if "not used" in case.roles or case in OURS else case.roles
    if case in OURS:
        assert roles == expected
    assert {role: roles[role] for role in expected} == expected
    for figure, value in case.figures.items():
        assert math.isclose(value_of(record, figure), value, abs_tol=1e-9), figure
    assert_narrated(case, answer.err)


def assert_narrated(case: Case, err: str) -> None:
    """The Read line names every column, in its role or as not used."""
    for role, held in case.roles.items():
        columns = held if isinstance(held, list) else [held]
        for column in columns[:6]:
            assert (column or "(no name)") in err, f"{role} {column!r} is not named: {err}"


@pytest.mark.parametrize("case", REFUSED, ids=named)
def test_a_refusal_says_what_works_when_it_is_pasted(case: Case, tmp_path: Path, run: Run) -> None:
    path = str(written(case, tmp_path))
    answer = run("evaluate", path, *case.options)
    assert answer.code in (2, 3), answer.out
    assert case.refused is not None
    assert case.refused in answer.err
    assert "COLUMN" not in answer.err
    for words in pasted(answer.err):
        kept = without(case.options, words)
        again = run("evaluate", path, *kept, *words)
        assert again.code == 0, f"{words} leads to: {again.err}"


def without(options: tuple[str, ...], words: list[str]) -> list[str]:
    """What was typed, without the flags that are typed anew; those that may come several times stay."""
    pairs = zip(options[::2], options[1::2], strict=True)
    again = {word for word in words if word.startswith("--")} - {"--ignore"}
    return [word for flag, value in pairs if flag not in again for word in (flag, value)]


NAMES = importlib.import_module(f"{corpus.__name__}.names")
OURS: list[Case] = list(NAMES.CASES)
# Refusals for which nothing can be typed: the labels themselves have to be mended.
SILENT = {"case.csv", "sign.csv", "offset.csv", "spellings.csv"}


@pytest.mark.parametrize("case", [case for case in OURS if case.refused is not None], ids=named)
def test_every_question_about_columns_offers_an_answer(case: Case, tmp_path: Path, run: Run) -> None:
    answer = run("evaluate", str(written(case, tmp_path)), *case.options)
    assert bool(list(pasted(answer.err))) == (case.name not in SILENT), answer.err


@pytest.mark.parametrize("case", OURS, ids=named)
def test_the_columns_command_shows_every_column(case: Case, tmp_path: Path, run: Run) -> None:
    path = str(written(case, tmp_path))
    answer = run("columns", path, "--json", *case.options)
    assert answer.code in (0, 3), answer.err
    if answer.code == 3:
        assert case.refused is not None
        assert case.refused in answer.err
        return
    record = json.loads(answer.out)
    found = {column["column"]: column["role"] for column in record["columns"]}
    for role, held in case.roles.items():
        for column in held if isinstance(held, list) else [held]:
            assert found[column] == role or role == "not used", column
    assert case.refused is None or case.refused in (record["stopped"] or case.refused)


@pytest.mark.parametrize(("name", "data", "sentence"), BAD, ids=[sentence[:60] for *_, sentence in BAD])
def test_hints_about_bad_files_work_when_they_are_pasted(
    name: str, data: bytes, sentence: str, tmp_path: Path, run: Run
) -> None:
    (tmp_path / name).write_bytes(data)
    answer = run("evaluate", name)
    assert answer.code == 3, answer.out
    for words in pasted(answer.err):
        again = run("evaluate", name, *words)
        assert again.code == 0, f"{words} leads to: {again.err}"


def test_the_corpus_is_large() -> None:
    assert len(OURS) >= 55
    assert len({case.name for case in OURS}) == len(OURS)
