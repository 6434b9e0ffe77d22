"""The pages for newcomers name what is there: every package, and no file or function that does not exist."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest
from tests.contracts.code import PACKAGE

ROOT = PACKAGE.parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
# `evaluation/binary.py TwoClassEvaluation`, as a walk shows it.
STEP = re.compile(r"\b((?:[a-z_]+/)*[a-z_]+\.py) ([A-Za-z_]+)\b")
PATH = re.compile(r"`((?:[\w.]+/)+[\w.]*|[\w.]+\.(?:py|md|toml))`")


def test_every_package_and_module_is_named() -> None:
    packages = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(rows) == packages
    modules = [path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")]
    assert [name for name in modules if f"`{name}`" not in PAGE] == []


def test_packages_are_in_the_order_of_the_layers() -> None:
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    layers = [layer.replace(" ", "").split("|") for layer in contract["layers"]]
    place = {name: at for at, names in enumerate(layers) for name in names}
    rows = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert [place[name] for name in rows] == sorted(place[name] for name in rows)


@pytest.mark.parametrize(("path", "name"), sorted(set(STEP.findall(PAGE.split("## Where to add what")[0]))))
def test_each_step_of_a_walk_exists(path: str, name: str) -> None:
    tree = ast.parse((PACKAGE / path).read_text(encoding="utf-8"))
    made = {getattr(node, "name", None) for node in ast.walk(tree)}
    made |= {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert name in made


@pytest.mark.parametrize("text", [PAGE, GUIDE], ids=["architecture", "contributing"])
def test_each_path_that_is_named_exists(text: str) -> None:
    places = (ROOT, PACKAGE, ROOT / "docs", ROOT / "docs" / "changes")
    named = {path for path in PATH.findall(text) if "." in path or path.endswith("/")}
    assert [path for path in sorted(named) if not any((place / path).exists() for place in places)] == []
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    home = ROOT / "docs" if text is PAGE else ROOT
    assert [link for link in links if not (home / link).exists()] == []


def test_each_target_of_make_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)", PAGE + GUIDE)) <= targets
