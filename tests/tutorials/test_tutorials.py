"""The tutorials say what the package prints: every Python block of a page runs, and its output is compared."""

from __future__ import annotations

import re
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, DocTestRunner
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))
FENCE = re.compile(r"^```(python)?")


def code_of(page: Path) -> str:
    """The lines of a page's Python blocks, all others empty, so that a failure names the line of the page."""
    kept, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        inside = not inside and fence.group(1) is not None if fence else inside
        kept.append(line if inside and not fence else "")
    return "\n".join(kept) + "\n"


def failures(text: str, name: str) -> tuple[int, str]:
    """How many examples print something else than the text says, and which."""
    said: list[str] = []
    runner = DocTestRunner(optionflags=NORMALIZE_WHITESPACE | ELLIPSIS)
    found = DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, name, 0)
    return runner.run(found, out=said.append).failed, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path) -> None:
    failed, said = failures(code_of(page), page.name)
    assert failed == 0, said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_python_block_is_a_dialogue(page: Path) -> None:
    """A block without a prompt would not be run, and could say anything."""
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    assert all(block.startswith(">>> ") for block in blocks)


def test_a_wrong_output_is_noticed() -> None:
    page = next(page for page in PAGES if page.stem == "rattle-lab")
    text = code_of(page)
    assert text.count("0.204 [0.118, 0.329]") == 2
    first_block = text[: text.index(">>> def ")].replace("0.204 [0.118, 0.329]", "0.203 [0.118, 0.329]")
    assert failures(first_block, page.name)[0] == 1


def test_links_lead_somewhere() -> None:
    """Every page of the documentation that is linked is there, and every tutorial is linked from the first page."""
    index = DOCS / "README.md"
    for page in (index, *PAGES):
        for target in re.findall(r"\]\(([^)#:]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
    for page in PAGES:
        assert f"(tutorials/{page.name})" in index.read_text(encoding="utf-8")
