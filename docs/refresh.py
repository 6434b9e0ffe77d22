"""Rewrite the outputs that tutorials and the README show: `python -m docs.refresh [PAGE ...]`.

Every Python block and every command of a tutorial runs, as its test runs them; an output that differs is replaced. Of
the README those blocks run that start with `$ assay`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTest, DocTestParser, DocTestRunner, Example
from pathlib import Path
from typing import Any

from tests.tutorials.test_tutorials import PAGES, code_of, typed

README = Path(__file__).parents[1] / "README.md"


class Outputs(DocTestRunner):
    """What examples print where it is not what the page shows."""

    def __init__(self) -> None:
        super().__init__(optionflags=NORMALIZE_WHITESPACE | ELLIPSIS)
        self.printed: list[tuple[Example, str]] = []

    def report_failure(self, out: Any, test: DocTest, example: Example, got: str) -> None:
        """Keep an output that differs."""
        self.printed.append((example, got))

    def report_unexpected_exception(self, out: Any, test: DocTest, example: Example, exc_info: Any) -> None:
        """Name an example that raises an error; it is left as it stands."""
        print(f"{test.name}:{example.lineno + 1}: {exc_info[0].__name__}: {exc_info[1]}", file=sys.stderr)


def refreshed(text: str, code: str, name: str) -> str:
    """Return the text of a page with the outputs that its code prints."""
    runner = Outputs()
    runner.run(DocTestParser().get_doctest(code, {"__name__": "__main__", "typed": typed}, name, name, 0))
    lines = text.splitlines()
    for example, got in reversed(runner.printed):
        first = example.lineno + example.source.count("\n")
        in_console = lines[example.lineno].startswith("$ ")
        blank = "" if in_console else "<BLANKLINE>"
        shown = [line.rstrip() or blank for line in got.rstrip("\n").split("\n")] if got.strip() else []
        lines[first : first + example.want.count("\n")] = shown
    return "\n".join(lines) + "\n"


def refreshed_readme(text: str) -> str:
    """Return the text of the README with what its commands print, on a file of the demo."""

    def printed(block: re.Match[str]) -> str:
        line = [sys.executable, "-m", *shlex.split(block[1].removeprefix("$ "))]
        run = subprocess.run(  # noqa: S603 -- commands of our own page
            line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        )
        return f"```\n{block[1]}\n{run.stdout}```"

    with contextlib.redirect_stdout(io.StringIO()):
        typed("assay demo --save demo.csv")
    return re.sub(r"```\n(\$ assay [^\n]*)\n.*?```", printed, text, flags=re.DOTALL)


@contextlib.contextmanager
def in_new_folder() -> Iterator[None]:
    """Work in an empty folder."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(here)


def main(names: list[str]) -> None:
    """Refresh the pages named, or all."""
    if not names or "README" in names:
        text = README.read_text(encoding="utf-8")
        with in_new_folder():
            changed = refreshed_readme(text)
        if changed != text:
            README.write_text(changed, encoding="utf-8")
            print("README: refreshed")
    for page in PAGES:
        if not names or page.stem in names:
            text, code = page.read_text(encoding="utf-8"), code_of(page)
            with in_new_folder():
                changed = refreshed(text, code, page.name)
            if changed != text:
                page.write_text(changed, encoding="utf-8")
                print(f"{page.stem}: refreshed")


if __name__ == "__main__":
    main(sys.argv[1:])
