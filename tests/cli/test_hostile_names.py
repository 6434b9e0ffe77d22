"""Names of columns, classes, models, subgroups and files that would command a terminal, a spreadsheet or LaTeX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.results import csv_text
from assay.text import visible

Run = Callable[..., Any]
# Escape sequences that set titles and colours, C1 controls that do the same, what turns text round, what ends a line.
HOSTILE = "\x1b]0;owned\x07\x1b[31m\x9b2J\u202e\u2066\x7f\b\rx"
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
LABEL = f"yes{HOSTILE}"


def quoted(*cells: Any) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """A file in which everything that has a name has a hostile one."""
    path = tmp_path / f"a{HOSTILE}.csv"
    text = quoted("target", f"score__one{HOSTILE}", f"score__two{HOSTILE}", f"site{HOSTILE}", HOSTILE, "=1+1")
    for k in range(90):
        label, scores = LABEL if k % 3 == 0 else f"no{HOSTILE}", (k * 37 % 90 / 90, k * 53 % 90 / 90)
        text += quoted(label, *scores, f"{'north' if k % 2 else '@south'}{HOSTILE}", HOSTILE, k)
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


ASKED = {
    "evaluate": ("--by", f"site{HOSTILE}"),
    "columns": (),
    "compare": (),
    "threshold": ("--maximise", "f1"),
    "check": ("--require", "roc_auc > 0.1"),
}


@pytest.mark.parametrize(
    ("command", "form"),
    [
        *(("evaluate", form) for form in ("table", "json", "csv", "markdown", "latex")),
        *((command, form) for command in ("columns", "compare", "threshold", "check") for form in ("table", "csv")),
    ],
)
def test_no_control_reaches_a_terminal(run: Run, hostile: str, command: str, form: str) -> None:
    found = run(command, hostile, "--positive", LABEL, "--format", form, *ASKED[command])
    assert found.code == 0, found.err
    assert not UNSEEN.search(found.out)
    assert not UNSEEN.search(found.err)
    if form == "json":
        assert json.dumps(HOSTILE)[1:-1] in found.out  # exact, as JSON writes it
    if form == "csv":
        assert not any(cell.startswith(("=", "@")) for row in csv.reader(io.StringIO(found.out)) for cell in row)


@pytest.mark.parametrize(
    "arguments",
    [
        ("evaluate", "FILE"),
        ("evaluate", "FILE", "--positive", "\x1b[31m"),
        ("evaluate", "FILE", "--truth", "\x1b[31m"),
        ("evaluate", "FILE", "--format", "\x1b[31m"),
        ("evaluate", "FILE", "--html", "no\x1b[31m/x"),
        ("evaluate", "FILE", "--\x1b[31m"),
        ("evaluate", "no\x1b[31m"),
        ("\x1b[31m",),
        ("explain", "\x1b[31m"),
        ("plan", "\x1b[31m"),
        ("check", "FILE", "--require", "\x1b[31m"),
        ("threshold", "FILE", "--maximise", "\x1b[31m", "--positive", LABEL),
        ("threshold", "FILE", "--at-least", "\x1b[31m", "--positive", LABEL),
        ("compare", "FILE", "--control", "\x1b[31m", "--positive", LABEL),
        ("compare", "FILE", "--measure", "\x1b[31m", "--positive", LABEL),
        ("rank", "FILE"),
        ("rank", "FILE", "--dataset", "\x1b[31m"),
        ("experiment", "run", "FILE"),
        ("experiment", "show", "no\x1b[31m.db"),
    ],
    ids=lambda arguments: visible(" ".join(arguments[:3])),
)
def test_no_refusal_carries_one(run: Run, hostile: str, arguments: tuple[str, ...]) -> None:
    found = run(*(hostile if word == "FILE" else word for word in arguments))
    assert found.code in (2, 3)
    assert found.err
    assert not UNSEEN.search(found.out + found.err)


def test_ranked_algorithms_with_hostile_names(run: Run, tmp_path: Path) -> None:
    text = quoted(f"dataset{HOSTILE}", f"tree{HOSTILE}", "=knn", "+forest")
    text += "".join(quoted(f"d{k}{HOSTILE}", 0.7 + k % 3 / 20, 0.72 + k % 4 / 25, 0.8 + k % 5 / 30) for k in range(12))
    (tmp_path / "results.csv").write_text(text, encoding="utf-8", newline="")
    for form in ("table", "csv"):
        found = run("rank", "results.csv", "--format", form)
        assert found.code == 0, found.err
        assert not UNSEEN.search(found.out + found.err)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.text("=+-@\t\r\n\x1b\x9b\u202e\uff1d\ud800\x00 ,\"'ab\u00e9", max_size=12))
def test_a_cell_is_one_cell_that_shows_all_and_runs_nothing(text: str) -> None:
    ((found,),) = csv.reader(io.StringIO(csv_text([text or "x"], [])))
    assert not UNSEEN.search(found)
    assert "\n" not in found
    assert not found.startswith(("=", "+", "-", "@"))
    if found == text:
        assert visible(text) == text
