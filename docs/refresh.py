"""Rewrite the outputs that tutorials show to what is printed today: `python -m docs.refresh [PAGE ...]`.

Every Python block and every command of a page runs, as its test runs them; an output that differs is replaced.
"""

from __future__ import annotations

import os
import sys
import tempfile
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, DocTest, DocTestParser, DocTestRunner, Example
from pathlib import Path
from typing import Any

from tests.tutorials.test_tutorials import PAGES, code_of, typed


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


def main(names: list[str]) -> None:
    """Refresh the pages named, or all."""
    for page in PAGES:
        if not names or page.stem in names:
            text, code = page.read_text(encoding="utf-8"), code_of(page)
            here = Path.cwd()
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                try:
                    changed = refreshed(text, code, page.name)
                finally:
                    os.chdir(here)
            if changed != text:
                page.write_text(changed, encoding="utf-8")
                print(f"{page.stem}: refreshed")


if __name__ == "__main__":
    main(sys.argv[1:])
