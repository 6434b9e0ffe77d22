"""A figure saved from a page: a picture that looks right alone, and a table that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.report.driving import Folder, Opened
from tests.report.samples import scored

from assay.plots.style import DARK, LIGHT
from assay.report import write_html

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The pages that are saved from."""
    return Folder(tmp_path_factory.mktemp("downloads"))


@contextmanager
def saving(browser: Any, path: Path, **context: Any) -> Iterator[Opened]:
    opened = Opened(browser, path, accept_downloads=True, **context)
    yield opened
    # A file that the page made itself is no request to anywhere.
    opened.complaints[:] = [said for said in opened.complaints if not said.startswith("request: blob:")]
    opened.close()


def saved(opened: Opened, section: str, kind: str) -> tuple[str, str]:
    """The name and the text of what a button saves."""
    with opened.page.expect_download() as found:
        opened.page.locator(f"#{section} .tools button", has_text=kind).first.click()
    return str(found.value.suggested_filename), Path(found.value.path()).read_text(encoding="utf-8")


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))})"


def test_every_figure_has_buttons_and_none_without_the_script(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    figures = opened.page.locator("figure:has(svg[data-figure])").count()
    assert opened.page.locator(".tools button", has_text="SVG").count() == figures > 8
    opened.close()
    plain = Opened(browser, folder / "one.html", java_script_enabled=False)
    assert plain.page.locator(".tools").count() == 0
    plain.close()


@pytest.mark.parametrize(("scheme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_a_picture_carries_its_colours(browser: Any, folder: Folder, scheme: str, colours: dict[str, str]) -> None:
    with saving(browser, folder / "three.html", color_scheme=scheme) as opened:
        name, text = saved(opened, "roc", "SVG")
    assert name == "roc.svg"
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert (root.attrib["width"], root.attrib["height"], root.attrib["viewBox"]) == ("384", "376", "0 0 384 376")
    assert "Helvetica" in root.attrib["font-family"]
    paper = root[0]
    assert (paper.tag, paper.attrib["fill"]) == (f"{SVG}rect", colours["paper"].lower())
    strokes = {path.attrib.get("stroke") for path in root.iter(f"{SVG}path")}
    assert {rgb(colours[f"model-{k}"]) for k in range(3)} <= strokes
    assert not re.search(r"class=|data-|style=|tabindex|var\(", text)
    assert {path.attrib.get("stroke-dasharray") for path in root.iter(f"{SVG}path")} >= {"6px, 3px"}


def test_a_picture_is_the_figure_as_it_stands(browser: Any, folder: Folder) -> None:
    with saving(browser, folder / "one.html", hash_="#t=0.8") as opened:
        _, text = saved(opened, "roc", "SVG")
        x, y = (opened.page.locator("svg[data-figure=roc] .dot").first.get_attribute(name) for name in ("cx", "cy"))
        said = opened.page.locator('svg[data-figure=roc] [data-out="threshold"]').text_content()
    root = ElementTree.fromstring(text)
    dots = [(dot.attrib["cx"], dot.attrib["cy"]) for dot in root.iter(f"{SVG}circle")]
    assert (x, y) in dots
    assert f"threshold {said}" in " ".join("".join(words.itertext()) for words in root.iter(f"{SVG}text"))
    # What the pointer was on is no part of the figure.
    assert "5.5" not in {dot.attrib["r"] for dot in root.iter(f"{SVG}circle")}


def test_a_picture_looks_like_the_figure(browser: Any, folder: Folder) -> None:
    with saving(browser, folder / "one.html") as opened:
        _, text = saved(opened, "roc", "SVG")
        page = opened.page.context.new_page()
        page.set_content(text)
        looks = "(mark => { const look = getComputedStyle(mark); return [look.fill, look.stroke, look.strokeWidth]; })"
        inside = f"root => [...root.querySelectorAll('path, circle, line, text')].map({looks})"
        alone = page.locator("svg").evaluate(inside)
        drawn = opened.page.locator("svg[data-figure=roc]").evaluate(
            "root => [...root.querySelectorAll('path, circle, line, text')]"
            f".filter(mark => getComputedStyle(mark).display !== 'none').map({looks})"
        )
    assert alone == drawn


def test_a_table_is_the_one_behind_the_figure(browser: Any, folder: Folder) -> None:
    with saving(browser, folder / "three.html") as opened:
        name, text = saved(opened, "roc", "CSV")
        cells = opened.page.locator("#roc .data tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        )
    assert name == "roc.csv"
    assert list(csv.reader(io.StringIO(text))) == [[cell.replace(",", "") for cell in row] for row in cells]


FORMULAS = ("=1+1", "+sum(a)", "-2+3", "@x", '"quoted", name', "plain")


def test_no_cell_is_a_formula(browser: Any, tmp_path: Path) -> None:
    write_html({name: scored(name=name) for name in FORMULAS}, tmp_path / "hostile.html")
    with saving(browser, tmp_path / "hostile.html") as opened:
        _, text = saved(opened, "cost-curve", "CSV")
    names = {row[0] for row in list(csv.reader(io.StringIO(text)))[1:]}
    assert names == {"'=1+1", "'+sum(a)", "'-2+3", "'@x", '"quoted", name', "plain"}


def test_a_negative_number_stays_a_number(browser: Any, folder: Folder) -> None:
    with saving(browser, folder / "one.html") as opened:
        opened.page.locator("#net-benefit .data td").first.evaluate("cell => { cell.textContent = '-1,234.5'; }")
        _, text = saved(opened, "net-benefit", "CSV")
    assert next(iter(list(csv.reader(io.StringIO(text)))[1:]))[0] == "-1234.5"
