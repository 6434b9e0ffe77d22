"""The rules of STYLE.md section 5 that syntax shows."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.code import (
    FILES,
    PACKAGE,
    ROOT,
    called_name,
    classes,
    functions,
    name_of,
    nodes_of,
    refuse,
    tree_of,
    type_checked,
)

from assay.measures import Measure, on_request, on_request_of_many, registry, registry_of_many
from assay.measures.measure import FAMILIES

BORDER = (
    "sources/",
    "request/toml.py",
    "predictions.py",
    "evaluation/entry_points.py",
    "evaluation/construction.py",
    "evaluation/label_samples.py",
    "costs.py",
    "decisions/",
    "experiments/",
    "streams/",
    "ranks/input.py",
    "ranks/ranks.py",
    "errors.py",
    "state.py",
    "web/",
)
SORTERS = {"sort", "argsort", "unique", "lexsort", "partition", "argpartition"}
# Where something other than evidence is put in order, and what.
MAY_SORT = {
    "sources/": "the distinct names of classes",
    "plots/labels.py": "places along a drawn line",
    "estimators/": "the values of features, which are no evidence",
    "experiments/": "rows, learners and cells of a study",
    "labelling/": "rows by score, most of them without a label to count",
}
# Interval methods divide by what the estimate has shown to be non-zero: they are only asked when the value is defined.
INTERVAL_CODE = {
    "_influence",
    "matrix_influence",
    "log_scale",
    "_simel_positive",
    "_simel_negative",
    "_woolf",
    "_f_interval",
    "carried",
}
ERRORS = {node.name for node in tree_of(PACKAGE / "errors.py").body if isinstance(node, ast.ClassDef)}
# What saves and restores the states of others.
STATES = {node.name for node in tree_of(PACKAGE / "state.py").body if isinstance(node, ast.ClassDef)}
MEASURES = [path for path in FILES if name_of(path).startswith("measures/")]


def test_input_is_questioned_at_the_border_only() -> None:
    refuse(
        f"{name_of(path)}:{node.lineno} raises InputError"
        for path in FILES
        if not name_of(path).startswith(BORDER)
        for node in nodes_of(path)
        if isinstance(node, ast.Raise) and node.exc is not None and called_name(node.exc) == "InputError"
    )


def test_only_evidence_sorts() -> None:
    refuse(
        f"{name_of(path)}:{node.lineno} sorts: {ast.unparse(node)}"
        for path in FILES
        if not name_of(path).startswith(("evidence/", *MAY_SORT))
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and called_name(node) in SORTERS
    )


def test_only_ratio_divides_by_data() -> None:
    refuse(
        f"{name_of(path)}:{node.lineno} divides: {ast.unparse(node)}" for path in MEASURES for node in quotients(path)
    )


def quotients(path: Path) -> Iterator[ast.BinOp]:
    """Divisions by something that may be zero."""
    spared = {
        id(node)
        for function in functions(path)
        if function.name == "ratio" or function.name in INTERVAL_CODE
        for node in ast.walk(function)
    }
    for node in nodes_of(path):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            constant = isinstance(node.right, ast.Constant) or "shape" in ast.unparse(node.right)
            text = isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(node.op, ast.Mod)
            if not (id(node) in spared or constant or text):
                yield node


def test_averages_are_reductions_and_no_parameter() -> None:
    refuse(
        f"{name_of(path)}:{function.lineno} {function.name} has a parameter 'average'"
        for path in MEASURES
        for function in functions(path)
        for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        if argument.arg == "average"
    )


def test_inheritance_is_flat() -> None:
    """At most one base of our own, and that one has none of ours; errors alone are a tree.

    The two mixins that save and restore states count for none: they bring no behaviour that a class could change.
    What only type checkers see may have both kinds for bases, and so may the fields of a typed dictionary: nothing
    runs that could be hard to follow.
    """
    ours = {node.name: node for path in FILES for node in classes(path)}
    unseen = {id(node) for path in FILES for block in type_checked(path) for node in ast.walk(block)}
    refuse(
        f"{name_of(path)}:{node.lineno} {node.name} has the base {base}, which has a base of ours itself"
        for path in FILES
        if name_of(path) != "errors.py"
        for node in classes(path)
        if id(node) not in unseen and all(key.arg != "total" for key in node.keywords)
        for base in map(called_name, node.bases)
        if base in ours.keys() - ERRORS - STATES
        and any(called_name(other) in ours.keys() - STATES for other in ours[base].bases)
    )


def test_states_are_saved_and_restored_in_one_way() -> None:
    """By the tables of `state.py`, so that what is saved is what is restored; an accumulator packs arrays alone."""
    by_hand = {
        f"{name_of(path)}:{owner.name}.{node.name}"
        for path in FILES
        if name_of(path) != "state.py"
        for owner in classes(path)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name in {"state", "restore", "resume", "of_state"}
    }
    assert by_hand == {"evaluation/accumulator.py:Accumulator.state", "evaluation/accumulator.py:Accumulator.of_state"}


def test_commands_write_no_answer_themselves() -> None:
    """What formats an answer stands in the report; commands hold arguments, narration and exit codes."""
    formats = re.compile(r"textwrap|json$|dumps|csv|markdown|latex|render_|_blocks$")
    offenders = []
    for path in [path for path in FILES if name_of(path).startswith("cli/")]:
        for node in ast.walk(tree_of(path)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            names += [node.id] if isinstance(node, ast.Name) else [node.attr] if isinstance(node, ast.Attribute) else []
            found = [name for name in names if formats.search(name) and name != "as_json"]
            offenders += [(name_of(path), name) for name in found]
    # Evaluations can be written as other systems would; the one function that puts them out knows how.
    styles = {"render_text", "render_weka", "render_caret"}
    # Pages are made only where one was asked for: what makes them is handed on, to whatever writes all files at once.
    pages = {
        "render_battles",
        "render_comparison",
        "render_html",
        "render_items",
        "render_judge",
        "render_ranks",
        "render_sites",
        "render_study",
    }
    allowed = {("cli/_options.py", name) for name in styles}
    assert [one for one in offenders if one not in allowed and one[1] not in pages] == []


def test_every_measure_states_its_facts() -> None:
    refuse(f"{name} lacks {fact}" for name, measure in registry.items() for fact in lacking(name, measure))


def test_every_measure_is_of_a_family() -> None:
    """What was not stated would be the family of users' own measures."""
    every = (registry, registry_of_many, on_request, on_request_of_many)
    refuse(f"{name} is {one.family!r}" for known in every for name, one in known.items() if one.family not in FAMILIES)


def lacking(name: str, measure: Measure) -> Iterator[str]:
    """What a measure does not say of itself."""
    stated = {
        "a title": measure.title,
        "a notation": measure.notation,
        "a definition that ends in a full stop": measure.definition.endswith("."),
        "when it is undefined": measure.undefined,
        "bounds in order": measure.bounds[0] < measure.bounds[1],
        "which way is better": measure.better in ("higher", "lower", "neither"),
        "a method of intervals": measure.intervals.methods,
        "what its intervals suppose": measure.intervals.assumes,
        "aliases that are not its name": name not in measure.aliases or name.startswith("f"),
    }
    return (fact for fact, is_stated in stated.items() if not is_stated)


def test_every_measure_shows_a_short_example() -> None:
    """The F measures are generated; their example stands on f_beta."""
    docs = {name: inspect.getdoc(measure.formula) or "" for name, measure in registry.items()}
    own = {name: doc for name, doc in docs.items() if not re.fullmatch(r"f\d+", name)}
    refuse(
        [
            *(f"{name} shows no example" for name, doc in own.items() if f">>> {name}(" not in doc),
            *(f"{name} is explained in more than 25 lines" for name, doc in own.items() if len(doc.splitlines()) > 25),
        ]
    )


def test_everything_public_is_explained() -> None:
    refuse(f"{name_of(path)}:{line} {name} has no docstring" for path in FILES for line, name in unexplained(path))


def unexplained(path: Path) -> Iterator[tuple[int, str]]:
    """The module, where the file holds anything, and what is public in it, where they have no docstring."""
    if ast.get_docstring(tree_of(path)) is None and path.read_text(encoding="utf-8").strip():
        yield 1, "the module"
    named = (node for node in tree_of(path).body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    yield from ((each.lineno, each.name) for each in named if not (each.name[0] == "_" or ast.get_docstring(each)))


def test_no_path_of_any_machine_is_written_down() -> None:
    written = re.compile(r"""["'\s(=](/(work|tmp|home|root|Users)/|[A-Z]:\\)""")
    kept = [*FILES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.py"), ROOT / "pyproject.toml"]
    kept += [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    refuse(
        f"{path.relative_to(ROOT)}:{number} names a path of a machine: {line.strip()}"
        for path in kept
        for number, line in enumerate(f"\n{path.read_text(encoding='utf-8')}".split("\n"))
        if written.search(f"\n{line}")
    )


def test_the_rules_look_at_the_package() -> None:
    assert PACKAGE / "__init__.py" in FILES
    assert len(MEASURES) >= 5
