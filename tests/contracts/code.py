"""The source as syntax trees, for rules that machines can check."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "assay"
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """A file's path below the package, as rules name it."""
    return path.relative_to(PACKAGE).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def called_name(node: ast.AST) -> str:
    """The last part of what a call or a raise names: `sort` for `np.sort(x)` and `x.sort()`."""
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def type_checked(tree: ast.AST) -> Iterator[ast.stmt]:
    """What stands below `if TYPE_CHECKING:`, which never runs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from node.body
