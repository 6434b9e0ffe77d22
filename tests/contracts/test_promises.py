"""Every promise of docs/promises.md names a test, and every test that it names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = [
    line.strip("| ").split(" | ")
    for line in (ROOT / "docs" / "promises.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| promise")
]


def named_in(path: str) -> set[str]:
    """The names of the test functions in a file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_promise_is_held_by_tests_that_are_there() -> None:
    assert len(LINES) > 25
    for promise, held_by in LINES:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", held_by)
        assert named, promise
        for path, test in named:
            assert test in named_in(path), f"{promise}: {path}::{test}"


def test_what_runs_elsewhere_is_marked() -> None:
    for promise, held_by in LINES:
        for path, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", held_by):
            text = (ROOT / path).read_text(encoding="utf-8")
            whole = re.search(r"^pytestmark = .*engines", text, re.MULTILINE) is not None
            alone = re.search(rf"mark\.engines[^\n]*\n(?:@.*\n)*def {test}\(", text) is not None
            assert (whole or alone) == promise.endswith("*"), f"{promise}: {path}::{test}"
