"""The page on learners prints what it says, and its pictures are there."""

from __future__ import annotations

import re

import pytest
from docs.learner_pictures import pictures
from tests.tutorials.test_tutorials import DOCS, code_of, failures

from assay import estimators

PAGE = DOCS / "learners" / "README.md"


def test_the_page_prints_what_it_says() -> None:
    failed, said = failures(code_of(PAGE), PAGE.name)
    assert failed == 0, said


@pytest.mark.parametrize("name", estimators.__all__)
def test_every_learner_has_its_section(name: str) -> None:
    sections = PAGE.read_text(encoding="utf-8").split("\n## ")
    (own,) = [section for section in sections if f"\n`{name}(" in section]
    assert "**Mind**" in own


def test_its_pictures_are_those_that_are_drawn() -> None:
    shown = set(re.findall(r"\]\(\.\./(pictures/[^)]+)\)", PAGE.read_text(encoding="utf-8")))
    drawn = pictures()
    assert shown == set(drawn)
    for name, svg in drawn.items():
        assert (DOCS / name).read_text(encoding="utf-8")[:200] == svg[:200]
