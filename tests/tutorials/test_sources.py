"""Every line of the page about the sources runs and gives what the page says; what is not there yet has a subject."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
ROW = re.compile(
    r"^\| ([^|]+) \| ([^|]+) \| (?:`([^`|]+)` \| (?:`([^`|]+)`|shown by `(test_\w+)`)|not yet: ([^|]+) \|) \|$"
)
NOTIONS = Path(__file__).with_name("test_notions.py")
NOT_ROWS = ("| where |", "|---")


@dataclass(frozen=True)
class Row:
    """One notion of a source: where it stands, the line that does it, and what that gives."""

    document: str
    where: str
    line: str
    gives: str
    missing: str
    test: str = ""


def rows_of(text: str) -> Iterator[Row]:
    """The rows of every table; a line that looks like one and cannot be read is an error of the page."""
    document = ""
    for line in text.splitlines():
        if line.startswith("## "):
            document = line[3:]
        elif line.startswith("| ") and not line.startswith(NOT_ROWS):
            found = ROW.match(line)
            assert found, f"cannot be read: {line}"
            where, _, code, gives, test, missing = found.groups()
            yield Row(document, where.strip(), code or "", gives or "", (missing or "").strip(), test or "")


ROWS = list(rows_of(PAGE.read_text(encoding="utf-8")))
DOCUMENTS = list(dict.fromkeys(row.document for row in ROWS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of the page are."""
    return tmp_path_factory.mktemp("sources")


@pytest.fixture(scope="module")
def given(folder: Path) -> dict[str, Any]:
    """What the lines start from: the page's own block."""
    (block,) = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.chdir(folder):
        exec(compile(block, PAGE.name, "exec"), names)  # the page is ours
    return names


def flat(text: str) -> str:
    """Text on one line; the last digits of a double are the processor's business."""
    return re.sub(r"\d+\.\d{7,}", lambda digits: f"{float(digits[0]):.4g}", " ".join(text.split()))


def said(line: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a line prints: a command at a prompt, or an expression in Python."""
    if not line.startswith("$ "):
        return flat(str(eval(line, given)))  # the page is ours
    heard = io.StringIO()
    monkeypatch.setattr(sys, "argv", shlex.split(line[2:]))
    with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard), contextlib.suppress(SystemExit):
        main()
    return flat(heard.getvalue())


def wrong(row: Row, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str | None:
    """What is wrong with a row, if anything is."""
    try:
        found = said(row.line, given, monkeypatch)
    except Exception as error:  # whatever a line raises, the page is wrong about it
        return f"{row.where}: {row.line}\n    raised {type(error).__name__}: {error}"
    return None if row.gives in found else f"{row.where}: {row.line}\n    gave {found[:300]}, not {row.gives}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_line_gives_what_the_page_says(
    document: str, folder: Path, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with contextlib.chdir(folder):
        here = [row for row in ROWS if row.document == document and row.line]
        found = [wrong(row, given, monkeypatch) for row in here]
    assert here
    assert not any(found), "\n".join(each for each in found if each)


def test_what_a_line_cannot_print_is_shown_by_a_test_that_is_there() -> None:
    functions = {
        node.name: node
        for node in ast.parse(NOTIONS.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    named = [row.test for row in ROWS if row.test]
    assert set(named) <= set(functions)
    assert len(named) >= 12
    for name in named:
        assert any(isinstance(node, ast.Assert) for node in ast.walk(functions[name])), name


def test_a_wrong_line_is_noticed(folder: Path, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.chdir(folder):
        assert wrong(Row("", "", "slides.accuracy", "0.851", ""), given, monkeypatch)
        assert wrong(Row("", "", "slides.acuracy", "0.850", ""), given, monkeypatch)
        assert wrong(Row("", "", "$ assay evaluate preds.csv", "ROC AUC 0.5", ""), given, monkeypatch)


def test_every_heading_of_the_catalogue_has_a_row() -> None:
    named = {item for row in ROWS for item in re.findall(r"2J|2b|\d+", row.where.rpartition(" · ")[2])}
    assert {*map(str, range(1, 80)), "2J", "2b"} <= named
    assert len(ROWS) >= 230
    assert len(DOCUMENTS) == 6


def test_what_is_missing_has_a_subject_and_no_number() -> None:
    missing = [row.missing for row in ROWS if not row.line]
    assert all(re.fullmatch(r"[^#]{10,}", subject) for subject in missing), missing
    assert len(missing) < len(ROWS) / 10
