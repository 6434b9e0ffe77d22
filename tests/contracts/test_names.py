"""What a name may stand for: one class each, and private ones stay where they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

from tests.contracts.code import FILES, PACKAGE, classes, module_name, name_of, nodes_of, refuse


def imported(path: Path) -> Iterator[tuple[int, str, str]]:
    """Whatever a file imports: the line, the whole name, and the name it goes by in the file."""
    home = module_name(path) if path.name == "__init__.py" else module_name(path).rpartition(".")[0]
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), home)
            yield from ((node.lineno, f"{module}.{each.name}", each.asname or each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, each.name, each.asname or each.name) for each in node.names)


def is_private(name: str) -> bool:
    """Whether some part of a dotted name is private: `a._b.c`, and not `a.__init__`."""
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def is_ours(name: str) -> bool:
    """Whether a dotted name lies in the package."""
    return name.partition(".")[0] == PACKAGE.name


def package_of(name: str) -> str:
    """Which of our packages a dotted name of ours belongs to; packages within it are parts of it."""
    return name.partition(".")[2].partition(".")[0]


def reached(path: Path) -> Iterator[tuple[int, str]]:
    """Whatever a file imports, and each attribute it takes of that by name."""
    names: dict[str, str] = {}
    for line, name, alias in imported(path):
        names[alias] = name
        yield line, name
    for node in nodes_of(path):
        if isinstance(node, ast.Attribute) and (whole := names.get(ast.unparse(node.value))) is not None:
            yield node.lineno, f"{whole}.{node.attr}"


def test_a_package_leaves_private_parts_of_others_alone() -> None:
    refuse(
        f"{name_of(path)}:{line} reaches {name}, which is private to another package"
        for path in FILES
        for line, name in reached(path)
        if is_ours(name) and is_private(name) and package_of(name) != package_of(module_name(path))
    )


def test_private_parts_of_libraries_are_left_alone() -> None:
    refuse(
        f"{name_of(path)}:{line} imports {name}, which is private there"
        for path in FILES
        for line, name, _ in imported(path)
        if is_private(name) and not is_ours(name)
    )


def test_a_class_has_a_name_of_its_own() -> None:
    places: dict[str, list[str]] = {}
    for path in FILES:
        for node in classes(path):
            places.setdefault(node.name, []).append(f"{name_of(path)}:{node.lineno}")
    refuse(f"{' and '.join(each)} define {name}" for name, each in places.items() if len(each) > 1)


def test_the_rules_see_what_is_private() -> None:
    assert is_private("assay.sources._quoting.shown")
    assert is_private("assay.sources.files._open_relation")
    assert not is_private("assay.__version__")
    assert package_of("assay.report.sections._estimate_rows") == "report"
    assert not is_ours("numpy._core")
