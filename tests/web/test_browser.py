"""The workbench as somebody uses it: dropped, corrected, moved, read, copied; by mouse, by keys, on any screen."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.test_accessible import ASK, axe
from tests.web.desks import Desk
from tests.web.samples import eights, other
from tests.web.serving import Server

import assay

__all__ = ["axe"]

SCREENS = [(1440, "light"), (768, "dark"), (390, "light"), (1440, "dark")]


@pytest.fixture
def desk(browser: Any, server: Server) -> Iterator[Desk]:
    found = Desk(browser, server)
    yield found
    found.close()


def printed(text: str, server: Server) -> str:
    """What a copied script prints where it was served."""
    said = io.StringIO()
    with contextlib.chdir(server.folder), contextlib.redirect_stdout(said):
        exec(compile(text, "copied.py", "exec"), {"__name__": "__main__"})
    return said.getvalue()


def test_from_a_dropped_file_to_a_script_that_gives_the_same(desk: Desk) -> None:
    page = desk.page
    desk.drop("dropped.csv", eights())
    page.get_by_label("Role of ink").select_option("by")
    page.get_by_label("Role of score__bayes").select_option("not used")
    page.get_by_role("button", name="Read it so").click()
    assert page.get_by_label("Role of ink").input_value() == "by"
    assert "named by you" in page.locator("tr", has=page.get_by_label("Role of ink")).inner_text()
    page.get_by_role("button", name="Evaluate").click()
    report = desk.report()
    assert report.locator("#subgroups").count() == 1
    page.get_by_label("False positive").fill("1")
    page.get_by_label("False negative").fill("10")
    page.get_by_role("button", name="Find the threshold").click()
    told = page.locator("[data-told] .lead")
    told.wait_for()
    ev = assay.evaluate(desk.server.folder / "uploads" / "dropped.csv", score="score__logistic")
    choice = ev.threshold(costs=assay.Costs(fp=1, fn=10))
    assert page.locator("[data-told] p").first.text_content() == choice.words().splitlines()[0]
    # The report has gone there: its matrix is that of the threshold.
    report.locator("output[data-out=ratio]").get_by_text("10 : 1").wait_for()
    assert report.locator("#confusion .matrix button.to-rows").first.inner_text() == f"{choice.matrix.tp:g}"
    page.get_by_role("button", name="Python").click()
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("window.copied")
    assert printed(copied, desk.server) == choice.words() + "\n"


def test_every_control_moves_the_report_and_the_address(desk: Desk) -> None:
    report, page = desk.open("eights.csv"), desk.page
    bar = report.locator("#controls .live")
    said = {bar.inner_text()}
    for control in ("threshold", "ratio", "prevalence"):
        slider = report.locator(f"input[data-control={control}]")
        slider.focus()
        for _ in range(5):
            slider.press("PageUp")
        said.add(bar.inner_text())
    assert len(said) == 4
    page.wait_for_url(re.compile("prevalence"))
    address = ""
    while address != page.url:  # it follows the last key after a moment
        address = page.url
        page.wait_for_timeout(700)
    again = desk.window()
    again.goto(address)
    frame = again.frame_locator("iframe")
    frame.locator("#controls").wait_for()
    assert frame.locator("#controls .live").inner_text() == bar.inner_text()


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ({"Flag at most": "20", "of a day": "500"}, "predicted_prevalence at most 0.04"),
        ({"at least": "0.8", "with": "95"}, "recall at least 0.8 with 95 % confidence"),
        ({"Positives": "2", "False positive": "0.68", "False negative": "10", "True positive": "-1"}, "2 %"),
        ({"False positive": "much", "False negative": "10"}, "invalid cost_fp 'much'"),
    ],
)
def test_sentences_of_the_studio_are_taken_by_their_word(desk: Desk, typed: dict[str, str], word: str) -> None:
    desk.open("eights.csv")
    page = desk.page
    studio = page.locator("[data-threshold]")
    for label, value in typed.items():
        studio.get_by_role("textbox", name=label).fill(value)
    page.get_by_role("button", name="Find the threshold").click()
    page.locator("[data-told] > p").first.wait_for()
    assert word in page.locator("[data-told]").inner_text()
    desk.complaints[:] = [one for one in desk.complaints if "status of 422" not in one]


def test_rows_behind_a_cell_follow_the_threshold(desk: Desk) -> None:
    report, page = desk.open("eights.csv"), desk.page
    report.locator("#confusion .matrix").first.locator("button.to-rows").nth(1).click()
    title = page.locator("#behind-title")
    title.get_by_text("predicted as 0: rows 1 to 26 of 26, highest confidence first").wait_for()
    first = page.locator(".rws tbody tr").first.inner_text().split("\t")
    rows = {line.split(",")[0]: line.split(",") for line in eights().splitlines()[1:]}
    cells = rows[first[1]]
    assert cells[1] == "1"
    assert float(cells[2]) == min(float(row[2]) for row in rows.values() if row[1] == "1")
    assert first[-1] == cells[4]
    assert cells[3] in first  # what the other model made of it
    typed = report.locator("input[data-control=threshold-value]")
    typed.fill("0.02")
    typed.press("Enter")
    missed = sum(row[1] == "1" and float(row[2]) < 0.02 for row in rows.values())
    title.get_by_text(f"of {missed}, highest").wait_for()
    page.get_by_role("button", name="Close").click()
    assert not page.locator("[data-behind]").is_visible()


def test_rows_are_turned_page_by_page(desk: Desk) -> None:
    report, page = desk.open("eights.csv"), desk.page
    report.locator("#confusion .matrix").first.locator("button.to-rows").nth(3).click()
    title = page.locator("#behind-title")
    title.get_by_text("rows 1 to 50 of 803").wait_for()
    page.get_by_role("button", name="Later").click()
    title.get_by_text("rows 51 to 100 of 803").wait_for()
    page.get_by_role("button", name="Earlier").click()
    title.get_by_text("rows 1 to 50 of 803").wait_for()


def test_another_file_is_compared_and_the_report_saved(desk: Desk, tmp_path: Path) -> None:
    (desk.server.folder / "forest.csv").write_text(other())
    desk.open("eights.csv")
    page = desk.page
    page.locator("select[name=name]").select_option("forest.csv")
    before = page.url
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(lambda url: url != before)
    report = desk.report()
    assert "forest" in report.locator("header").inner_text()
    page.locator(".exp summary").click()
    with page.expect_download() as held:
        page.get_by_role("link", name="Report one HTML file").click()
    held.value.save_as(tmp_path / held.value.suggested_filename)
    saved = desk.window()
    saved.goto((tmp_path / held.value.suggested_filename).as_uri())
    assert saved.locator("h1").inner_text() == report.locator("h1").inner_text()
    desk.complaints[:] = [one for one in desk.complaints if "file://" not in one]


def test_by_keys_alone(desk: Desk) -> None:
    page = desk.home()

    def tab_to(selector: str) -> None:
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches({selector!r})"):
                return
        raise AssertionError(f"no key leads to {selector}")

    tab_to("[data-filter]")
    page.keyboard.type("eights")
    tab_to(".files button[value='eights.csv']")
    page.keyboard.press("Enter")
    page.wait_for_selector("table.cols")
    tab_to("select[aria-label='Role of ink']")
    page.keyboard.press("S")  # Score, then Subgroup
    page.keyboard.type("ubg")
    assert page.get_by_label("Role of ink").input_value() == "by"
    tab_to("button[name=evaluate]")
    page.keyboard.press("Enter")
    report = desk.report()
    tab_to("[name=cost_fp]")
    page.keyboard.type("1")
    tab_to("[name=cost_fn]")
    page.keyboard.type("10")
    page.keyboard.press("Enter")
    page.locator("[data-told] .lead").wait_for()
    cell = report.locator("#confusion .matrix").first.locator("button.to-rows").nth(1)
    cell.focus()
    page.keyboard.press("Enter")
    page.locator(".rws td").first.wait_for()
    assert page.evaluate("document.activeElement.id") == "behind-title"
    tab_to("[data-close]")
    page.keyboard.press("Enter")
    assert not page.locator("[data-behind]").is_visible()
    page.goto(f"{desk.server.root}/columns/{page.url.split('/')[-1].split('#')[0]}")
    page.get_by_label("Role of ink").select_option("not used")
    page.get_by_role("button", name="Read it so").click()
    page.wait_for_selector("table.cols")


def broken(page: Any, axe: str) -> list[str]:
    """What axe-core holds against a page when everything that folds is open."""
    page.evaluate("() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    page.evaluate(axe)
    found: list[str] = page.evaluate(ASK)
    return found


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_axe_finds_nothing_and_nothing_sticks_out(
    browser: Any, server: Server, axe: str, width: int, scheme: str
) -> None:
    desk = Desk(browser, server, width, color_scheme=scheme)
    page = desk.home()
    screens = {"open": (broken(page, axe), sticks_out(page))}
    page.goto(f"{server.root}/nowhere")
    screens["failed"] = (broken(page, axe), sticks_out(page))
    desk.complaints.clear()
    desk.home().get_by_role("button", name="eights.csv", exact=True).click()
    page.wait_for_selector("table.cols")
    screens["columns"] = (broken(page, axe), sticks_out(page))
    page.get_by_role("button", name="Evaluate").click()
    report = desk.report()
    if width < 900:
        page.get_by_role("button", name="Costs, limits, subgroups").click()
    page.get_by_label("False positive").fill("1")
    page.get_by_label("False negative").fill("10")
    page.get_by_role("button", name="Find the threshold").click()
    page.locator("[data-told] .lead").wait_for()
    report.locator("#confusion .matrix").first.locator("button.to-rows").nth(1).click()
    page.locator(".rws td").first.wait_for()
    screens["result"] = (broken(page, axe), sticks_out(page))
    assert screens == dict.fromkeys(screens, ([], 0))
    desk.close()


def sticks_out(page: Any) -> int:
    """By how many pixels a page is wider than its window."""
    found: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return max(0, found)


def test_of_many_classes_only_cells_open_rows(desk: Desk) -> None:
    names = ("one", "two", "three", "four")
    shares = ("0.4", "0.3", "0.2", "0.1")
    lines = [",".join((names[k % 4], *(shares[(j + k * k) % 4] for j in range(4)))) for k in range(80)]
    (desk.server.folder / "four.csv").write_text(
        "\n".join(["target," + ",".join(f"proba_{n}" for n in names), *lines, ""])
    )
    desk.home().get_by_role("button", name="four.csv", exact=True).click()
    desk.page.wait_for_selector("table.cols")
    desk.page.get_by_role("button", name="Evaluate").click()
    report = desk.page.frame_locator("iframe")
    report.locator("#confusion button.to-rows").first.wait_for()
    assert report.locator("#confusion button.to-rows").count() == 4  # cells that hold rows
    assert report.locator("#confusion td:not(.c) button.to-rows").count() == 0
    report.locator("#confusion td.c button.to-rows").nth(1).click()
    desk.page.locator("#behind-title").get_by_text("predicted as").wait_for()
