"""The rules of STYLE.md section 5 that syntax shows."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from tests.contracts.code import FILES, PACKAGE, ROOT, called_name, functions, name_of, tree_of, type_checked

from assay.measures import registry

BORDER = (
    "sources/",
    "predictions.py",
    "evaluation/_evaluate.py",
    "evaluation/_make.py",
    "evaluation/_counts.py",
    "evaluation/_compare.py",
    "costs.py",
    "decisions/",
    "experiments/",
    "ranks/_input.py",
    "ranks/_folds.py",
    "ranks/ranks.py",
    "errors.py",
)
SORTERS = {"sort", "argsort", "unique", "lexsort", "partition", "argpartition"}
# Where something other than evidence is put in order, and what.
MAY_SORT = {"sources/": "the distinct names of classes", "experiments/": "rows, learners and cells of a study"}
# Interval methods divide by what the estimate has shown to be non-zero: they are only asked when the value is defined.
INTERVAL_CODE = {"_influence", "log_scale", "_simel_positive", "_simel_negative", "_woolf", "_f_interval", "carried"}
ERRORS = {node.name for node in tree_of(PACKAGE / "errors.py").body if isinstance(node, ast.ClassDef)}
MEASURES = [path for path in FILES if name_of(path).startswith("measures/")]


def ids(path: Path) -> str:
    return name_of(path)


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_input_is_questioned_at_the_border_only(path: Path) -> None:
    raised = [node.exc for node in ast.walk(tree_of(path)) if isinstance(node, ast.Raise) and node.exc is not None]
    if not name_of(path).startswith(BORDER):
        assert [node.lineno for node in raised if called_name(node) == "InputError"] == []


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_only_evidence_sorts(path: Path) -> None:
    if not name_of(path).startswith(("evidence/", *MAY_SORT)):
        calls = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]
        assert [node.lineno for node in calls if called_name(node) in SORTERS] == []


@pytest.mark.parametrize("path", MEASURES, ids=ids)
def test_only_ratio_divides_by_data(path: Path) -> None:
    spared = {
        id(node)
        for function in functions(tree_of(path))
        if function.name == "ratio" or function.name in INTERVAL_CODE
        for node in ast.walk(function)
    }
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod):
            constant = isinstance(node.right, ast.Constant) or "shape" in ast.unparse(node.right)
            text = isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(node.op, ast.Mod)
            assert id(node) in spared or constant or text, f"line {node.lineno}: {ast.unparse(node)}"


@pytest.mark.parametrize("path", MEASURES, ids=ids)
def test_averages_are_reductions_and_no_parameter(path: Path) -> None:
    for function in functions(tree_of(path)):
        arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        assert "average" not in [argument.arg for argument in arguments]


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_files_and_functions_are_small(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 400, f"{lines} lines"
    for function in functions(tree_of(path)):
        assert function.end_lineno is not None
        length = function.end_lineno - function.lineno + 1
        assert length <= 60, f"{function.name} has {length} lines"


@pytest.mark.parametrize("path", [path for path in FILES if name_of(path) != "errors.py"], ids=ids)
def test_inheritance_is_flat(path: Path) -> None:
    """At most one base of our own, and that one has none of ours; errors alone are a tree.

    What only type checkers see may have both kinds for bases: nothing runs that could be hard to follow.
    """
    ours = {node.name: node for file in FILES for node in ast.walk(tree_of(file)) if isinstance(node, ast.ClassDef)}
    unseen = {id(node) for block in type_checked(tree_of(path)) for node in ast.walk(block)}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ClassDef) and id(node) not in unseen:
            for base in (ours[name] for b in node.bases if (name := called_name(b)) in ours.keys() - ERRORS):
                assert not any(called_name(b) in ours for b in base.bases), node.name


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
    assert [one for one in offenders if one[0] != "cli/_options.py" or one[1] not in styles] == []


def test_there_is_no_drawer_for_odds_and_ends() -> None:
    odd = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}
    assert [name_of(path) for path in FILES if path.stem.strip("_") in odd or path.parent.name.strip("_") in odd] == []


@pytest.mark.parametrize("name", registry)
def test_every_measure_states_its_facts(name: str) -> None:
    measure = registry[name]
    assert measure.title
    assert measure.notation
    assert measure.definition.endswith(".")
    assert measure.undefined
    assert measure.bounds[0] < measure.bounds[1]
    assert measure.better in ("higher", "lower", "neither")
    assert measure.intervals.methods
    assert measure.intervals.assumes
    assert name not in measure.aliases or name.startswith("f")


@pytest.mark.parametrize("name", [name for name in registry if not re.fullmatch(r"f\d+", name)])
def test_every_measure_shows_an_example(name: str) -> None:
    """The F measures are generated; their example stands on f_beta."""
    doc = inspect.getdoc(registry[name].formula) or ""
    assert f">>> {name}(" in doc
    assert len(doc.splitlines()) <= 25


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_everything_public_is_explained(path: Path) -> None:
    tree = tree_of(path)
    assert ast.get_docstring(tree) is not None or not path.read_text(encoding="utf-8").strip()
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"line {node.lineno}: {node.name} has no docstring"


def test_no_path_of_any_machine_is_written_down() -> None:
    written = re.compile(r"""["'\s(=](/(work|tmp|home|root|Users)/|[A-Z]:\\)""")
    kept = [*FILES, *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.py"), ROOT / "pyproject.toml"]
    kept += [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    found = [str(path) for path in kept if written.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_rules_look_at_the_package() -> None:
    assert PACKAGE / "__init__.py" in FILES
    assert len(MEASURES) >= 5
