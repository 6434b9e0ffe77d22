"""The table of the code's shape: each figure of a small package whose shape is known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.shape import (
    ROOT,
    components,
    import_lines,
    imports_of,
    layers_of,
    longest_chain,
    read_tree,
    shape,
    sharing,
    tree_of,
    upward_calls,
    value_names,
)

from assay.evidence import ScoreTable
from assay.measures import find

FILES = {
    "assay/__init__.py": "",
    "assay/low/__init__.py": "from assay.low._rows import rows\n",
    "assay/low/_rows.py": "def rows(given):\n    from assay.high import words\n    found = given\n    return found\n",
    "assay/high/__init__.py": "from assay import low\n__all__ = [\n    'words',\n]\n",
    "assay/high/rows.py": "import typing\nfrom . import words\nif typing.TYPE_CHECKING:\n    import assay.low\n",
    "assay/high/words.py": "from ..low import rows\nfor said in (): pass\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    layers = 'type = "layers"\nlayers = ["high", "low"]\nignore_imports = ["assay.low._rows -> assay.high"]'
    (tmp_path / "pyproject.toml").write_text(f"[tool.importlinter]\n[[tool.importlinter.contracts]]\n{layers}\n")
    return tmp_path


def test_imports_are_those_that_run(root: Path) -> None:
    modules = read_tree(root)
    top = {name: imports_of(source, modules, inside=False) for name, source in modules.items()}
    assert top["assay.low"] == {"assay.low._rows"}
    assert top["assay.low._rows"] == set()
    assert top["assay.high.rows"] == {"assay.high.words"}  # what type checkers alone read is none
    assert top["assay.high.words"] == {"assay.low"}
    assert imports_of(modules["assay.low._rows"], modules, inside=True) == {"assay.high.words"}


def test_chains_and_cycles(root: Path) -> None:
    modules = read_tree(root)
    top = {name: imports_of(source, modules, inside=False) for name, source in modules.items()}
    every = {name: imports_of(source, modules, inside=True) for name, source in modules.items()}
    assert longest_chain(top) == ["assay.high.rows", "assay.high.words", "assay.low", "assay.low._rows"]
    largest = max((sorted(names) for names in components(every)), key=len)
    assert largest == ["assay.high.words", "assay.low", "assay.low._rows"]
    assert longest_chain({"a": {"b"}, "b": {"a", "c"}, "c": set(), "d": {"a"}}) == ["d", "a", "b", "c"]


def test_lines_names_and_layers(root: Path) -> None:
    modules = read_tree(root)
    assert import_lines(modules["assay.high"]) == 4
    assert sharing(modules) == ["assay.high.rows", "assay.low._rows"]
    assert value_names(modules["assay.low._rows"]) == {"given": 1, "found": 1}
    assert layers_of(root) == ({"low": 0, "high": 1}, 1)
    rows, packages = shape(root)
    assert dict(rows)["Python files in src/assay"] == "6"
    assert dict(rows)["values with a banned name"] == "said 1, found 1, given 1"
    assert ("low", 2, 5) in packages


def test_a_commit_and_the_working_tree_are_read() -> None:
    with tree_of(None) as here, tree_of("HEAD") as there:
        assert here == ROOT
        assert (there / "src" / "assay" / "__init__.py").exists()


def test_calls_from_below_are_counted() -> None:
    heights, _ = layers_of(ROOT)
    table = ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])
    measure = find("roc_auc")
    assert upward_calls(lambda: measure(table), heights).total() == 0
    lowered = {**heights, "measures": -1}  # now what measures call lies above them
    assert upward_calls(lambda: find("brier")(ScoreTable.of([0.2, 0.9], [False, True])), lowered).total() > 0
