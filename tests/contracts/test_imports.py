"""Importing does nothing: heavy libraries load where they are used."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assay
from assay import renderers
from assay.errors import UnknownName

SOURCE = Path(assay.__file__).parent

HEAVY = [
    "click",
    "duckdb",
    "jinja2",
    "matplotlib",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "rich",
    "scipy.stats",
    "sklearn",
]
LIGHT = [
    "assay",
    "assay.measures",
    "assay.testing",
    "assay.calibration",
    "assay.evidence",
    "assay.uncertainty",
    "assay.cautions",
    "assay.curves",
    "assay.decisions",
    "assay.comparison",
]


def loaded_after(statement: str) -> list[str]:
    code = f"import sys; {statement}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_loads_nothing_heavy() -> None:
    """One process imports them all, and says after each what is loaded."""
    said = f"; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    code = "import sys; " + "; ".join(f"import {module}; print({module!r}, end=': '){said}" for module in LIGHT)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{module}: " for module in LIGHT]


def test_arrays_are_evaluated_without_engines_and_data_frames() -> None:
    used = (
        "import assay; ev = assay.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.6, 0.7]); ev.measures; ev.cautions; ev.to_dict()"
    )
    assert loaded_after(used) == []


def test_the_front_door_loads_neither_numpy_nor_another_module_of_ours() -> None:
    code = "import sys, assay; print(*[name for name in sys.modules if name.startswith(('assay.', 'numpy'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_former_modules_are_found_once_however_often_the_package_is_imported() -> None:
    code = (
        "import sys, assay; del sys.modules['assay']; import assay; import assay.evidence.scores as old;"
        "print(sum(finder.__module__ == 'assay' for finder in sys.meta_path), old.ScoreTable.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "assay.evidence.score_table"]


def test_a_page_loads_no_more_than_its_templates_need() -> None:
    """A first page has two seconds for 10^6 cases: what pages of ranks and studies load would take a third of them."""
    written = (
        "import assay, tempfile; folder = tempfile.TemporaryDirectory(); "
        "assay.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.6, 0.7]).report(folder.name + '/page.html')"
    )
    assert loaded_after(written) == ["jinja2"]


def test_every_registry_of_renderers_leads_to_a_renderer() -> None:
    """A row of the table whose module registers nothing would be a result that cannot show itself."""
    for (form, package), module in renderers.MODULES.items():
        importlib.import_module(module)
        kinds = [kind for each, kind in renderers._renderers if each == form]
        inside = [kind for kind in kinds if kind.__module__.startswith(f"assay.{package}")]
        assert inside or (not package and kinds), (form, package)


def test_results_reach_reports_and_plots_through_the_registry_alone() -> None:
    """The layer contract sees imports; this sees modules that are imported by name."""
    above = ("assay.report", "assay.plots")
    packages = {"report", "plots", "web", "cli", "testing"}
    for path in sorted(SOURCE.rglob("*.py")):
        module = path.relative_to(SOURCE)
        if module.parts[0] in packages or module.name in ("renderers.py", "moved.py"):
            continue
        texts = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
        assert not [text for text in texts if isinstance(text, str) and text.startswith(above)], module


def test_the_layer_contract_has_no_exceptions() -> None:
    settings = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert not [each for each in settings["contracts"] if each["type"] == "layers" and each.get("ignore_imports")]


def test_a_class_without_a_renderer_is_an_error_of_ours() -> None:
    with pytest.raises(UnknownName, match="there is no figure of int"):
        renderers.render("figure", 3)
