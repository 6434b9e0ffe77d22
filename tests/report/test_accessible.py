"""Everyone can use the page: axe-core finds nothing to complain about, in either colour scheme."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.drifting import CHANGED, drifting
from tests.report.many import folds, study
from tests.report.samples import many

from assay import compare, evaluate_models
from assay.report import write_html

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
# Each broken rule in a line: its name, what it asks for, and the first elements that break it.
ASK = """async () => (await axe.run()).violations.map(rule => `${rule.id}: ${rule.help}: `
    + rule.nodes.slice(0, 4).map(node => `${node.target.join(" ")} ${node.failureSummary}`).join("; "))"""


def demo(path: Path) -> None:
    """The bundled example, as `assay demo --html` writes it."""
    with as_file(files("assay") / "data" / "demo.csv") as data:
        write_html(evaluate_models(data), path)


def three(path: Path) -> None:
    """A comparison of three models on the same cases."""
    place = np.arange(300)
    truth = (place % 3 == 0).astype(int)
    scores = {name: (place * step % 101) / 101 + lift * truth for name, step, lift in MODELS}
    compare(truth, scores, threshold=0.7).report(path)


def thirty(path: Path) -> None:
    """One model of thirty classes."""
    write_html({"": many(30, 1500)}, path)


def rows(path: Path) -> None:
    """One model of four classes, with the rows behind its confusion matrix."""
    write_html({"": many()}, path, embed_rows=True)


def ten(path: Path) -> None:
    """One model of ten classes, whose matrix shows counts or shares."""
    write_html({"": many(10, 400)}, path, embed_rows=True)


def ranks(path: Path) -> None:
    """Algorithms ranked over data sets."""
    folds().report(path, rope=0.01)


def learners(path: Path) -> None:
    """A study of learners."""
    found = study(path.parent)
    found.report(path)
    found.store.close()


def stream(path: Path) -> None:
    """A stream that drifts, with its slider."""
    drifting().report(path, moments=[CHANGED])


MODELS = (("boosting", 37, 0.45), ("logistic", 53, 0.4), ("forest", 29, 0.2))
PAGES: dict[str, Callable[[Path], None]] = {
    "demo": demo,
    "three": three,
    "ten": ten,
    "thirty": thirty,
    "ranks": ranks,
    "learners": learners,
    "rows": rows,
    "stream": stream,
}


@pytest.fixture(scope="module")
def axe() -> str:
    """The text of axe-core; its absence skips, or fails where everything is required."""
    if not AXE.exists():
        message = "needs axe-core; type: make frontend"
        pytest.fail(message) if os.environ.get("ASSAY_REQUIRE_ALL") == "1" else pytest.skip(message)
    return AXE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, on disk."""
    path = tmp_path_factory.mktemp("accessible")
    for name, write in PAGES.items():
        write(path / f"{name}.html")
    return path


def broken_rules(browser: Any, axe: str, path: Path, **context: Any) -> list[str]:
    """What axe-core holds against a page when everything that folds or opens is open."""
    page = browser.new_context(**context).new_page()
    page.goto(path.as_uri())
    page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    if page.locator(".to-rows").count():
        page.locator(".to-rows").nth(1).click()
    # The page's policy stops scripts in its markup; what a browser's own tools evaluate is not in its markup.
    page.evaluate(axe)
    found: list[str] = page.evaluate(ASK)
    page.context.close()
    return found


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(browser: Any, axe: str, folder: Path, name: str, scheme: str) -> None:
    assert broken_rules(browser, axe, folder / f"{name}.html", color_scheme=scheme) == []


@pytest.mark.parametrize("name", ["three", "ranks", "learners", "stream"])
def test_axe_finds_no_violation_on_a_phone(browser: Any, axe: str, folder: Path, name: str) -> None:
    assert broken_rules(browser, axe, folder / f"{name}.html", viewport={"width": 420, "height": 900}) == []


def test_axe_would_find_one(browser: Any, axe: str, folder: Path, tmp_path: Path) -> None:
    page = (folder / "demo.html").read_text(encoding="utf-8").replace('<html lang="en">', "<html>")
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    assert [rule.split(":")[0] for rule in broken_rules(browser, axe, tmp_path / "page.html")] == ["html-has-lang"]
