"""The HTML page: the same numbers as the JSON, sound markup, and what a real browser makes of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.report.samples import HOSTILE, labelled, scored, single_class

from assay.evaluation import Evaluation
from assay.measures import registry
from assay.plots.style import DARK, LIGHT
from assay.report import render_html, render_json, render_text, write_html
from assay.text import in_digits

VOID = {"meta", "link", "line", "path", "circle", "rect", "input", "br"}


class Page(HTMLParser):
    """Rows of text, headings, and whether every tag is closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.headings: list[int] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td") and self.rows:
            self.rows[-1].append("")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.rows and ("td" in self.open or "th" in self.open):
            self.rows[-1][-1] += data.replace("↓", "").strip()


@pytest.mark.parametrize(
    "ev", [scored(), scored(level=0.9), scored(as_logits=True, threshold=0.0), single_class()], ids=str
)
def test_page_and_json_hold_the_same_numbers(ev: Evaluation) -> None:
    record = json.loads(render_json({"": ev}))
    rows = {row[0]: row for row in Page(render_html({"": ev})).rows if row}
    checked = 0
    for name, found in record["measures"].items():
        if found["value"] is None:
            continue
        row = rows[registry[name].title]
        low, high = (math.nan if found[side] is None else found[side] for side in ("low", "high"))
        words = in_digits(SimpleNamespace(value=found["value"], low=low, high=high))
        assert row[1] == words.value, name
        if found["low"] is not None:
            assert row[2] == f"[{words.low}, {words.high}]", name
        else:
            assert found["undefined"] in row[2], name
        checked += 1
    assert checked >= 10


def test_page_text_and_json_hold_the_same_confusion_matrix(one: dict[str, Evaluation]) -> None:
    record = json.loads(render_json(one))
    page, text = render_html(one), render_text(one, full=True)
    for row in record["confusion"]["counts"]:
        for cell in row:
            assert f">{cell:,}<" in page
            assert f"{cell:,} (" in text


@pytest.mark.parametrize("models", ["one", "three"])
def test_markup_is_sound(models: str, request: pytest.FixtureRequest) -> None:
    page = Page(render_html(request.getfixturevalue(models)))
    assert page.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(page.headings, page.headings[1:], strict=False))
    assert page.headings.count(1) == 1
    for tag, attributes in page.attributes:
        assert "style" not in attributes
        if tag == "th":
            assert "scope" in attributes
        if tag == "svg":
            assert attributes.get("aria-hidden") == "true" or attributes.get("role") == "img"
    ids = [attributes["id"] for _, attributes in page.attributes if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read(colours: dict[str, str]) -> None:
    inks = [token for token in colours if token in ("ink", "muted", "threshold-text") or token.startswith("model-")]
    for ink in inks:
        assert _contrast(colours[ink], colours["paper"]) >= 4.5, ink
    assert _contrast(colours["muted"], colours["wash"]) >= 4.5


def _contrast(first: str, second: str) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _opened(browser: Any, path: Path, **context: Any) -> tuple[Any, list[str]]:
    """A page and everything that went wrong in it or left it."""
    page = browser.new_context(**context).new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
    page.on("request", lambda r: None if r.url in (path.as_uri(), "data:,") else complaints.append(f"request: {r.url}"))
    page.goto(path.as_uri())
    return page, complaints


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Pages of every shape, on disk."""
    folder = tmp_path_factory.mktemp("pages")
    matrix = scored().matrix
    assert matrix is not None
    shapes: dict[str, Mapping[str, Evaluation]] = {
        "one": {"": scored()},
        "three": {name: scored(strength=k) for k, name in enumerate(("a", "b", "c"))},
        "labels": {"": labelled(matrix)},
        "single": {"": single_class()},
        "hostile": {name: scored(classes=("a", name), name=name) for name in HOSTILE},
    }
    for name, models in shapes.items():
        write_html(models, folder / f"{name}.html")
    return [folder / f"{name}.html" for name in shapes]


@pytest.mark.parametrize("width", [420, 920, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it(browser: Any, pages: list[Path], width: int, scheme: str) -> None:
    for path in pages:
        page, complaints = _opened(browser, path, viewport={"width": width, "height": 900}, color_scheme=scheme)
        assert complaints == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        assert page.locator("h1").count() == 1
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 26)")
        page.context.close()


def test_a_browser_reads_the_numbers(browser: Any, tmp_path: Path) -> None:
    ev = scored()
    write_html({"": ev}, tmp_path / "page.html")
    page, complaints = _opened(browser, tmp_path / "page.html", java_script_enabled=False)
    assert complaints == []
    area = ev.estimate("roc_auc")
    assert f"{100 * area.value:.1f}" in page.locator("h1").inner_text()
    assert "At 0.50, " in page.locator("#roc figcaption").inner_text()
    assert page.locator("#roc svg .f-dot").count() == 1
    assert page.locator("body").inner_text().count("A305") == 2
    page.context.close()
