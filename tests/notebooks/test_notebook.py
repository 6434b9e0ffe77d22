"""A notebook as a user would run it: every cell runs, and shows what it should."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from tests.contracts.code import ROOT
from tests.notebooks.held import held

NOTEBOOK = ROOT / "docs" / "tutorials" / "first-notebook.ipynb"
# How JupyterLab sets tables, which a view must not inherit, and its two themes.
AROUND = """
body{margin:0;background:#fff;color:#000}body[data-jp-theme-light=false]{background:#111;color:#ddd}
.jp-RenderedHTMLCommon table{border-collapse:collapse;border:none;font-size:12px;table-layout:fixed;margin:0 auto 1em}
.jp-RenderedHTMLCommon td,.jp-RenderedHTMLCommon th{vertical-align:middle;text-align:right;padding:.5em;max-width:none}
.jp-RenderedHTMLCommon tbody tr:nth-child(odd){background:#f5f5f5}
"""
UNREADABLE = """() => {
  const light = c => { const v = c.map(x => x / 255).map(x => x <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
                       return .2126 * v[0] + .7152 * v[1] + .0722 * v[2] };
  const parts = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const below = e => { for (let at = e; at; at = at.parentElement) { const b = getComputedStyle(at).backgroundColor;
                         if (b.startsWith('color(')) return null;
                         if (parts(b).length === 3 || parts(b)[3] > 0) return parts(b).slice(0, 3) } };
  const found = [];
  for (const e of document.querySelectorAll('.assay-report :is(p,th,td,dd,dt,figcaption,summary,span)')) {
    if (!e.textContent.trim() || !e.checkVisibility({opacityProperty: true})) continue;
    const behind = below(e); if (!behind) continue;
    const pair = [light(parts(getComputedStyle(e).color)), light(behind)].sort((a, b) => b - a);
    if ((pair[0] + .05) / (pair[1] + .05) < 4.5) found.push(e.outerHTML.slice(0, 120));
  }
  return found;
}"""


def read() -> Any:
    """The notebook as it is kept."""
    untyped: Any = nbformat
    return untyped.read(NOTEBOOK, as_version=4)


@cache
def ran() -> tuple[Any, list[str]]:
    """The notebook after it ran in an empty folder, and what it left there."""
    notebook = read()
    with TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
        return notebook, [path.name for path in Path(folder).rglob("*")]


def shown(source: str, kind: str = "text/html") -> str:
    """What the cell that ends in some code shows, in a format."""
    cells = [cell for cell in ran()[0].cells if cell.cell_type == "code" and cell.source.endswith(source)]
    outputs = [output.data for cell in cells for output in cell.outputs if "data" in output]
    return "".join(str(data.get(kind, "")) for data in outputs)


def test_the_notebook_is_kept_without_its_outputs() -> None:
    notebook = read()
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in notebook.cells if "outputs" in cell)


def test_every_object_shows_itself() -> None:
    notebook, _ = ran()
    for ending in ("\nev", "ev.roc_auc", "ev.roc", "ev.matrix", "ev.per_class", "ev.calibration", "\ncmp", "\nstudy"):
        assert 'class="assay-report"' in shown(ending), ending
    assert "<svg" in shown("ev.roc")
    assert "<svg" in shown("ev.calibration")
    assert "<b" in shown("ev.matrix") or "<td" in shown("ev.matrix")
    assert not any(output.output_type == "error" for cell in notebook.cells for output in cell.get("outputs", ()))


def test_an_estimate_is_its_number_there() -> None:
    text = shown("1 - ev.accuracy", "text/plain")
    number = text.split("'")[1]
    assert 0.9 < float(number) < 1
    assert f'<td class="n">{number}</td>' in shown("ev.roc_auc")
    assert ", True, 0." in text
    refused = next(cell for cell in ran()[0].cells if cell.source.startswith("try:")).outputs[0].text
    assert refused.startswith("roc_auc - roc_auc of two estimates would lose their intervals; needed: assay.compare(")


def test_long_work_shows_how_far_it_is_and_leaves_no_file() -> None:
    assert '<progress value="30" max="30" aria-label="runs"></progress> 30 of 30 runs' in shown("\nstudy")
    assert "30 done" in shown("\nstudy")
    assert ran()[1] == []


def test_off_a_terminal_nothing_is_drawn() -> None:
    code = "import assay; print(assay.experiment('iris', 'nb', assay.plans.kfold(2), jobs=1))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout == "Study('study': 1 data sets x 2 learners by 2 folds, stratified; 4 done)\n"


def page(theme: str) -> str:
    """Every view below the other, as JupyterLab would set them."""
    views = [one._repr_html_() for one in held().values()]
    views += [
        str(output.data["text/html"])
        for cell in ran()[0].cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", ())
    ]
    body = "".join(f'<div class="jp-RenderedHTMLCommon">{view}</div>' for view in views)
    head = f"<!doctype html><html lang=en><meta charset=utf-8><title>views</title><style>{AROUND}</style>"
    return f'{head}<body data-jp-theme-light="{theme}">{body}'


@pytest.mark.parametrize("theme", ["true", "false"])
@pytest.mark.parametrize("width", [1000, 420])
def test_views_can_be_read_in_a_browser(browser: Any, tmp_path: Path, theme: str, width: int) -> None:
    file = tmp_path / "views.html"
    file.write_text(page(theme), encoding="utf-8", errors="strict")
    # The reader's own choice is the other one: the notebook's theme decides.
    window = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme="dark" if theme == "true" else "light"
    )
    faults: list[str] = []
    window.on("console", lambda message: faults.append(message.text))
    window.on("pageerror", lambda error: faults.append(str(error)))
    window.on("request", lambda request: faults.append(request.url) if "views.html" not in request.url else None)
    window.goto(file.as_uri())
    paper = window.evaluate("getComputedStyle(document.querySelector('.assay-report')).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if theme == "true" else "rgb(20, 23, 26)")
    assert window.evaluate(UNREADABLE) == []
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    assert window.evaluate("document.querySelectorAll('script, .assay-report img').length") == 0
    assert faults == []
    assert len(window.screenshot(full_page=False)) > 5_000
    window.close()
