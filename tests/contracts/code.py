"""The source as syntax trees, for rules that machines can check."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "assay"
FILES = sorted(PACKAGE.rglob("*.py"))


def refuse(offenders: Iterable[str]) -> None:
    """Fail with all of them, one a line, if there are any."""
    found = list(offenders)
    assert not found, "\n".join(["", *found])


def name_of(path: Path) -> str:
    """A file's path below the package, as rules name it."""
    return path.relative_to(PACKAGE).as_posix()


def module_name(path: Path) -> str:
    """The name by which a file is imported."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Everything in the parsed file, walked once."""
    return tuple(ast.walk(tree_of(path)))


def called_name(node: ast.AST) -> str:
    """The last part of what a call or a raise names: `sort` for `np.sort(x)` and `x.sort()`."""
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method."""
    return (node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def classes(path: Path) -> Iterator[ast.ClassDef]:
    """Every class."""
    return (node for node in nodes_of(path) if isinstance(node, ast.ClassDef))


def type_checked(path: Path) -> Iterator[ast.stmt]:
    """What stands below `if TYPE_CHECKING:`, which never runs."""
    for node in nodes_of(path):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from node.body
