"""Importing does nothing: heavy libraries load where they are used."""

from __future__ import annotations

import subprocess
import sys

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


def test_the_front_door_does_not_even_load_numpy() -> None:
    code = "import sys, assay; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_page_loads_no_more_than_its_templates_need() -> None:
    """A first page has two seconds for 10^6 cases: what pages of ranks and studies load would take a third of them."""
    written = (
        "import assay, tempfile; folder = tempfile.TemporaryDirectory(); "
        "assay.evaluate([0, 1, 1, 0], [0.1, 0.9, 0.6, 0.7]).report(folder.name + '/page.html')"
    )
    assert loaded_after(written) == ["jinja2"]
