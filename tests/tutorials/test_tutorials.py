"""The tutorials say what the package prints: every Python block and every command of a page runs, and its output is
compared."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTestParser, DocTestRunner
from pathlib import Path

import pytest

from assay.cli import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))
FENCE = re.compile(r"^```(python|console)?")


def code_of(page: Path) -> str:
    """The lines of a page's Python and console blocks, all others empty, so that a failure names the line of the page.

    A command becomes a call that types it, and an empty line among what it prints what doctest calls so.
    """
    kept, inside = [], ""
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = FENCE.match(line)
        if fence:
            inside = "" if inside else fence.group(1) or "other"
            kept.append("")
        elif inside == "console":
            kept.append(f">>> typed({line[2:]!r})" if line.startswith("$ ") else line or "<BLANKLINE>")
        else:
            kept.append(line if inside == "python" else "")
    return "\n".join(kept) + "\n"


def typed(line: str) -> None:
    """Type a command at a prompt: what goes to the screen is printed, what is told beside it is not."""
    argv, heard = sys.argv, io.StringIO()
    sys.argv = shlex.split(line)
    try:
        with contextlib.redirect_stderr(heard):
            main()
    except SystemExit as stop:
        if stop.code:
            print(f"exit {stop.code}: {heard.getvalue()}")
    finally:
        sys.argv = argv


def failures(text: str, name: str) -> tuple[int, str]:
    """How many examples print something else than the text says, and which."""
    said: list[str] = []
    runner = DocTestRunner(optionflags=NORMALIZE_WHITESPACE | ELLIPSIS)
    found = DocTestParser().get_doctest(text, {"__name__": "__main__", "typed": typed}, name, name, 0)
    return runner.run(found, out=said.append).failed, "".join(said)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
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
