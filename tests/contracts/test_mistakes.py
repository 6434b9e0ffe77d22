"""The page of mistakes: each is made again, its message is short, and what it says to type works."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.mistakes import (
    COMMANDS,
    LONGEST,
    PAGE,
    PYTHON,
    before_fix,
    names,
    of_commands,
    of_python,
    page,
    run,
    write_files,
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the commands are about."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_says_what_happens() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "python -m docs.mistakes writes it anew"
    assert len(COMMANDS) + len(PYTHON) >= 50


def test_messages_are_short_and_no_bugs(folder: Path) -> None:
    for one in (*of_commands(), *of_python()):
        assert len(before_fix(one.message)) < LONGEST, one.message
        assert "internal error" not in one.message


@pytest.mark.parametrize("fix", sorted({fix for _, fix in COMMANDS}))
def test_fixes_on_the_command_line_work(fix: str, folder: Path) -> None:
    assert run(fix)[0] == 0


def test_commands_that_messages_suggest_work(folder: Path) -> None:
    suggested = [
        line.strip() for one in of_commands() for line in one.message.split("\n") if line.startswith("  try  ")
    ]
    assert len(suggested) >= 10
    for line in suggested:
        command = line.removeprefix("try").strip().removeprefix("assay ")
        assert run(command)[0] == 0, command


@pytest.mark.parametrize("fix", sorted({fix for _, fix in PYTHON}))
def test_fixes_in_python_work(fix: str) -> None:
    eval(fix, names())
