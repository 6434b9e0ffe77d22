"""What is public is listed: sorted, complete, existing. In the manner of httpx's test_exported_members."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.contracts.code import FILES, PACKAGE, module_name, name_of, refuse, tree_of

import assay

# Packages whose parts are reached through one name of theirs.
REACHED_OTHERWISE = {"report/sections/__init__.py": "SECTIONS"}
PACKAGES = [path for path in FILES if path.name == "__init__.py"]


def bound_names(tree: ast.Module, package: str) -> set[str]:
    """Public names a package binds at its top: taken from its own modules, defined, assigned."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            found |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return {name for name in found if not name.startswith("_")}


def test_a_package_lists_exactly_what_it_exports() -> None:
    refuse(f"{name_of(path)}:{line_of_list(path)} {fault}" for path in PACKAGES for fault in faults_of_list(path))


def faults_of_list(path: Path) -> Iterator[str]:
    """What is wrong with a package's list of its names."""
    listed = list(getattr(importlib.import_module(module_name(path)), "__all__", []))
    if listed != ordered(listed):
        yield f"lists its names out of order: {ordered(listed)} is right"
    yield from (f"lists {name} twice" for name in set(listed) if listed.count(name) > 1)
    if path.parent != PACKAGE and name_of(path) not in REACHED_OTHERWISE:
        yield from (f"does not list {name}" for name in bound_names(tree_of(path), module_name(path)) - set(listed))


def test_what_is_listed_exists() -> None:
    refuse(
        f"{name_of(path)}:{line_of_list(path)} lists {name}, which does not exist"
        for path in FILES
        if name_of(path) != "__main__.py"
        for module in [importlib.import_module(module_name(path))]
        for name in getattr(module, "__all__", [])
        if not hasattr(module, name)
    )


def line_of_list(path: Path) -> int:
    """Where a file says what it exports."""
    named = (node for node in tree_of(path).body if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node))
    return next((node.lineno for node in named), 1)


def test_the_front_door_is_the_lazy_table() -> None:
    homes: dict[str, str] = assay._HOMES
    assert set(assay.__all__) == {*homes, "__version__"}
    for name, home in homes.items():
        assert getattr(assay, name) is getattr(importlib.import_module(home), name)
        assert name in importlib.import_module(home).__all__
    assert dir(assay) == sorted(assay.__all__)


def test_type_checkers_see_the_same_front_door() -> None:
    tree = tree_of(PACKAGE / "__init__.py")
    imported = {
        alias.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == assay._HOMES


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        _ = assay.evalute


def test_what_users_are_given_says_where_it_lives() -> None:
    for name in assay.__all__:
        thing = getattr(assay, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name


def ordered(names: list[str]) -> list[str]:
    """The order ruff keeps: constants, then classes, then everything else."""
    return sorted(names, key=lambda name: (0 if name.isupper() else 1 if name[:1].isupper() else 2, name))
