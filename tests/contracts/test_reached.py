"""No second house: whatever a module offers is used by another, held by users, or a measure of the registries."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.contracts.code import FILES, called_name, name_of, tree_of

import assay
from assay.measures import on_request, on_request_of_many, registry, registry_of_many

# What nobody reaches yet, and what it waits for.
WAITING = {
    "decisions/bayes.py matrix_with_rejection": "an evaluation of cases that are rejected within a region",
    "streams/drift.py river": "the command and the page of streams",
}
REGISTERS = {"rule", "command", "group", "renders"}
# What only readers of tests and documents need by name.
HELD = {
    "deprecated.py": "packages resolve old names with it",
    "testing/": "assertions that users import",
    "report/sections/": "sections are listed by their package",
}


def offered(path: Path) -> list[str]:
    """The functions and classes a module does not keep to itself; what is put into a register is reached through it."""
    made = [node for node in tree_of(path).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    registered = {id(node) for node in made for mark in node.decorator_list if called_name(mark) in REGISTERS}
    return [node.name for node in made if not (node.name.startswith("_") or id(node) in registered)]


def test_everything_offered_is_reached() -> None:
    users: dict[str, set[str]] = defaultdict(set)
    for path in FILES:
        if path.name != "__init__.py":
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.Name | ast.Attribute):
                    users[node.id if isinstance(node, ast.Name) else node.attr].add(name_of(path))
    held = {*assay.__all__, *assay.streams.__all__, *registry, *registry_of_many, *on_request, *on_request_of_many}
    held |= {measure.formula.__name__ for measure in {**registry_of_many, **on_request, **on_request_of_many}.values()}
    alone = [
        f"{name_of(path)} {name}"
        for path in FILES
        if path.name != "__init__.py" and not name_of(path).startswith(tuple(HELD))
        for name in offered(path)
        if name not in held and not users[name]
    ]
    assert sorted(set(alone) - set(WAITING)) == [], "make it reachable from what users hold, or take it out"
    assert sorted(set(WAITING) - set(alone)) == [], "reached now: take it off the list"
