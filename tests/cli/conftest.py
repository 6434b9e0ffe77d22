"""Running the command line as a user does: a process of its own, or (quicker) its entry point in this one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.cli import main


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Call `assay` with these arguments, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["assay", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    """A small file of predictions with a score and a label."""
    rows = ["target,score,pred"]
    rows += [f"{int(i % 3 == 0)},{(i * 37 % 100) / 100},{int(i * 37 % 100 > 60)}" for i in range(120)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(rows) + "\n")
    return path
