"""Files that hold one class alone: the classes are given, and what is reduced of them adds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import assay

Run = Callable[..., Any]


def test_classes_are_said_of_files_and_frames(run: Run, tmp_path: Path) -> None:
    lines = {"one": ["ham,0.2", "ham,0.7"], "two": ["ham,0.3", "spam,0.8"]}
    for name, rows in lines.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["y_true,score", *rows, ""]))
    said = ("--classes", "ham", "--classes", "spam", "--positive", "spam")
    for name in lines:
        assert run("reduce", f"{name}.csv", "-o", f"{name}.evidence", *said).code == 0
    assert run("merge", "one.evidence", "two.evidence", "-o", "all.evidence").code == 0
    merged = assay.load(tmp_path / "all.evidence")
    assert merged.evaluate().class_counts == {"ham": 3, "spam": 1}
    # Where rows stay in the engine it is the same.
    known: dict[str, Any] = {"classes": ["ham", "spam"], "positive": "spam"}
    there = assay.reduce(tmp_path / "one.csv", memory="1kB", **known)
    assert there.parts[0].models["model"].classes == ("ham", "spam")
    assert assay.evaluate(tmp_path / "one.csv", **known).class_counts == {"ham": 2, "spam": 0}
    for wrong, words in (
        (("--classes", "ham"), "at least two different classes"),
        (("--classes", "spam", "--classes", "eggs"), "'y_true' holds 'ham', not among the classes 'spam', 'eggs'"),
    ):
        outcome = run("reduce", "one.csv", "-o", "x.evidence", *wrong)
        assert outcome.code != 0
        assert words in outcome.err
