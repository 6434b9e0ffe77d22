"""Every learner has a page that prints what it says, its picture, its warning, and a place in a tutorial."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from docs.learner_pictures import pictures
from tests.tutorials.test_tutorials import DOCS, code_of, failures

from assay import estimators
from assay.experiments.learners import PRESETS, learner_of

FOLDER = DOCS / "learners"
OURS = {path.rpartition(".")[2]: name for name, (path, *_) in PRESETS.items() if path.startswith("assay.estimators.")}


def page_of(learner: str) -> Path:
    return FOLDER / f"{OURS[learner]}.md"


def test_every_learner_has_a_name_and_there_are_no_other_pages() -> None:
    assert sorted(OURS) == sorted(estimators.__all__)
    assert {path.stem for path in FOLDER.glob("*.md")} == {"README", *OURS.values()}


@pytest.mark.parametrize("name", estimators.__all__)
def test_the_page_prints_what_it_says(name: str) -> None:
    failed, said = failures(code_of(page_of(name)), page_of(name).name)
    assert failed == 0, said


@pytest.mark.parametrize("name", estimators.__all__)
def test_the_page_has_what_it_is_for_a_picture_a_warning_and_a_place_in_a_tutorial(name: str) -> None:
    text = page_of(name).read_text(encoding="utf-8")
    assert text.split("\n\n")[1].startswith(f"`{name}(")
    assert "](../pictures/learner-" in text
    assert "\n**Mind**: " in text
    assert f"({page_of(name).name})" in (FOLDER / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"\(\.\./(tutorials/[^)]+)\)", text)
    assert linked
    assert any(name in (DOCS / each).read_text(encoding="utf-8") for each in linked)


@pytest.mark.parametrize("name", estimators.__all__)
def test_the_line_for_a_study_file_is_one(name: str) -> None:
    (line,) = re.findall(
        r"In a \[study file\]\(\.\./studies\.md\): `(.+)`\.", page_of(name).read_text(encoding="utf-8")
    )
    made = learner_of(tomllib.loads(f"learner = {line}")["learner"]).build(seed=0)
    assert type(made.steps[-1][1] if hasattr(made, "steps") else made).__name__ == name


def test_the_pictures_are_those_that_are_drawn() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md"))
    shown, drawn = set(re.findall(r"\]\(\.\./(pictures/[^)]+)\)", pages)), pictures()
    assert shown == set(drawn)
    for name, svg in drawn.items():
        assert (DOCS / name).read_text(encoding="utf-8")[:200] == svg[:200]
