"""The matrix of many classes on a page: its numbers, its names, and what a real browser makes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import Opened
from tests.report.samples import HOSTILE, labelled, many

from assay.evaluation import Evaluation, ManyClassEvaluation, evaluate
from assay.evidence import ConfusionMatrix
from assay.report import render_html, render_text, write_html
from assay.report.blocks import ClassMatrix
from assay.report.sections.confusion import what_it_confuses
from assay.report.wording import percent
from assay.uncertainty import PROPORTION_METHODS

# What a cell of a page is: its class, and the words of its count.
CELL = re.compile(r'<td class="c( match| w\d+)?( chosen)?"[^>]*>(?:<b>([\d,]+)</b>)?')


def block(models: Mapping[str, Evaluation]) -> ClassMatrix:
    found = [each for each in what_it_confuses(models) or [] if isinstance(each, ClassMatrix)]
    return found[0]


@pytest.fixture(scope="module")
def ten() -> ManyClassEvaluation:
    """Ten classes of forty cases."""
    return many(10, 400)


def test_rows_go_from_the_worst_recall_up_and_hold_pythons_numbers(ten: ManyClassEvaluation) -> None:
    shown = block({"": ten})
    assert ten.matrix is not None
    recall = [ten.per_class[line.name.whole]["recall"] for line in shown.lines]
    assert [line.recall for line in shown.lines] == recall
    assert [found.value for found in recall] == sorted(found.value for found in recall)
    order = [ten.classes.index(line.name.whole) for line in shown.lines]
    counts = ten.matrix.counts[np.ix_(order, order)]
    assert [[cell.text or "0" for cell in line.cells] for line in shown.lines] == [
        [f"{n:.0f}" for n in row] for row in counts
    ]
    assert [column.whole for column in shown.columns] == [line.name.whole for line in shown.lines]
    assert shown.recall.mean == pytest.approx(ten.estimate("balanced_accuracy").value)
    low = min(found.low for found in recall)
    assert shown.recall.low <= low < shown.recall.low + 0.1


def test_a_cell_says_its_share_with_limits_for_all_cells(ten: ManyClassEvaluation) -> None:
    shown = block({"": ten})
    (line, cell) = next((line, cell) for line in shown.lines for cell in line.cells if cell.is_chosen)
    cases, whole = float(cell.text), ten.class_counts[line.name.whole]
    low, high = PROPORTION_METHODS["Clopper-Pearson"](cases, whole, 1 - 0.05 / 90)
    assert cell.says == f"{cases:.0f} of {whole:.0f}, {percent(cases / whole)} [{percent(low)}, {percent(high)}]"
    assert shown.said[1].startswith(f': {cell.says} of "{line.name.text}", adjusted for 90 pairs · ')
    assert cell.shade == 20
    # The darkest are the largest, and nothing is as dark with fewer.
    wrong = [(float(each.text or 0), each.shade) for row in shown.lines for each in row.cells if not each.is_match]
    assert [shade for _, shade in sorted(wrong)] == sorted(shade for _, shade in wrong)


def test_the_page_has_one_table_in_place_of_two_and_texts_keep_theirs(ten: ManyClassEvaluation) -> None:
    page = render_html({"": ten})
    part = page.split('id="confusion"')[1].split("</section>")[0]
    assert part.count('class="confused"') == 1
    assert 'id="per-class"' not in page
    assert len(CELL.findall(part)) == 100
    assert "style=" not in part
    text = render_text({"": ten}, full=True)
    assert "What it confuses" not in text
    assert "Per class" in text


@pytest.mark.parametrize(
    ("classes", "rows", "has_counts"), [(12, 12, True), (13, 13, False), (40, 40, False), (41, 21, False)]
)
def test_cells_give_way_to_more_classes_and_names_never_do(classes: int, rows: int, has_counts: bool) -> None:
    shown = block({"": many(classes, 50 * classes)})
    assert len(shown.lines) == len(shown.columns) == rows
    assert shown.is_small != has_counts
    assert all(column.text for column in shown.columns)
    if classes > 40:
        assert (shown.lines[-1].name.text, shown.lines[-1].name.whole) == ("others", "21 others")
        assert shown.lines[-1].recall is None
        assert "the 20 of 41 classes with most errors" in shown.note
        assert 'id="per-class"' in render_html({"": many(classes, 50 * classes)})


def test_all_cases_are_in_the_matrix_of_too_many_classes() -> None:
    ev = many(60, 1200)
    shown = block({"": ev})
    cells = [[int(cell.text.replace(",", "") or 0) for cell in line.cells] for line in shown.lines]
    assert sum(map(sum, cells)) == 1200
    assert [sum(row) for row in cells] == [int(line.cases.replace(",", "")) for line in shown.lines]
    assert ev.matrix is not None
    misses = sorted((ev.matrix.actual - np.diagonal(ev.matrix.counts)).tolist(), reverse=True)
    kept = [ev.classes.index(line.name.whole) for line in shown.lines[:-1]]
    assert sorted((float(ev.matrix.actual[k] - ev.matrix.counts[k, k]) for k in kept), reverse=True) == misses[:20]


def test_classes_never_called_or_never_true_have_a_row_without_a_bar() -> None:
    counts = np.array([[8.0, 2, 0], [3, 7, 0], [1, 4, 0]])
    names = ("a", "b", "never called")
    page = render_html({"": labelled(ConfusionMatrix(counts, names, names))})
    assert "no interval" in page.split('id="confusion"')[1].split("</section>")[0]
    foreign = evaluate(["a", "b", "c"] * 20, y_pred=["a", "b", "x"] * 20)
    shown = block({"": foreign})
    assert [column.text for column in shown.columns][-1] == "x"
    assert len(shown.columns) == len(shown.lines) + 1


def test_no_wrong_answer_is_said() -> None:
    shown = block({"": evaluate(["a", "b", "c"] * 20, y_pred=["a", "b", "c"] * 20)})
    assert shown.said == ("", "No errors.")
    assert render_html({"": evaluate(["a", "b", "c"] * 20, y_pred=["a", "b", "c"] * 20)})


def hostile() -> ManyClassEvaluation:
    return many(len(HOSTILE), 400, names=tuple(f"{k}{name}" for k, name in enumerate(HOSTILE)))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, ten: ManyClassEvaluation) -> Path:
    """Pages of several sizes, on disk."""
    folder = tmp_path_factory.mktemp("classes")
    write_html({"": ten}, folder / "ten.html", embed_rows=True)
    write_html({"": many(30, 1500)}, folder / "thirty.html")
    write_html({"": many(60, 1200)}, folder / "sixty.html")
    write_html({"": hostile()}, folder / "hostile.html")
    return folder


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["ten", "thirty", "sixty", "hostile"])
def test_nothing_leaves_the_page_and_names_stay_in_their_cells(
    browser: Any, pages: Path, name: str, width: int, scheme: str
) -> None:
    opened = Opened(browser, pages / f"{name}.html", color_scheme=scheme)
    opened.page.set_viewport_size({"width": width, "height": 900})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    spilled = opened.page.evaluate(
        """() => [...document.querySelectorAll(".confused tbody th, .confused td.v")].filter(each =>
        getComputedStyle(each).overflowX === "visible" && each.scrollWidth > each.clientWidth + 1).length"""
    )
    assert spilled == 0
    assert opened.page.evaluate("() => document.querySelector('.confused td.bar').clientWidth") >= 50
    opened.close()


def test_cells_are_as_large_as_they_should_be(browser: Any, pages: Path) -> None:
    for name, size in (("ten", (41, 34)), ("thirty", (20, 20))):
        opened = Opened(browser, pages / f"{name}.html")
        box = opened.page.locator(".confused td.c").first.bounding_box()
        assert (round(box["width"]), round(box["height"])) == pytest.approx(size, abs=1)
        opened.close()


def test_the_read_out_says_what_is_pointed_at(browser: Any, pages: Path, ten: ManyClassEvaluation) -> None:
    opened, shown = Opened(browser, pages / "ten.html"), block({"": ten})
    said, line = opened.page.locator(".readout"), shown.lines[3]

    def plain() -> str:
        return str(said.text_content()).replace("\u00a0", " ")

    first = plain()
    assert first == f"{''.join(shown.said)} · Enter lists the rows"
    cells = opened.page.locator(".confused tbody tr").nth(3).locator("td.c")
    place = next(k for k, cell in enumerate(line.cells) if cell.text and not cell.is_match)
    cells.nth(place).hover()
    assert plain().startswith(f"{line.name.text} as {shown.columns[place].text}: {line.cells[place].says}{line.of} · ")
    assert cells.nth(place).evaluate("cell => cell.classList.contains('chosen')")
    assert opened.page.locator(".confused .on").all_text_contents() == [shown.columns[place].text, line.name.text]
    cells.nth(3).hover()
    assert plain().startswith(f"{line.name.text} as {line.name.text}: {line.cells[3].says} recall")
    opened.page.mouse.move(5, 5)
    assert plain() == first
    opened.close()


def test_arrows_walk_and_enter_opens_the_rows_below_the_block(browser: Any, pages: Path) -> None:
    opened = Opened(browser, pages / "ten.html")
    page, chosen = opened.page, ".confused td.c.chosen"
    before = page.locator(".classes").bounding_box()
    page.locator(".confused td.c[tabindex='0']").focus()
    start = [int(page.locator(chosen).get_attribute(name)) for name in ("data-i", "data-j")]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    assert [int(page.locator(chosen).get_attribute(name)) for name in ("data-i", "data-j")] == start
    assert page.locator(".confused td.c[tabindex='0']").count() == 1
    cases = int(page.locator(chosen).locator("b").text_content())
    page.keyboard.press("Enter")
    assert page.locator(".behind tbody tr").count() == cases
    rows, after = page.locator(".behind").bounding_box(), page.locator(".classes").bounding_box()
    assert (after["width"], after["height"]) == (before["width"], before["height"])
    assert rows["y"] >= after["y"] + after["height"]
    assert rows["width"] == pytest.approx(after["width"], abs=2)
    opened.close()


def test_a_click_lists_the_rows_of_that_cell_in_any_order(browser: Any, pages: Path) -> None:
    opened = Opened(browser, pages / "ten.html")
    page = opened.page

    def names() -> list[str]:
        return [str(name) for name in page.locator(".confused tbody th").all_text_contents()]

    first = names()
    for order in ("given", "recall"):
        page.locator(f"input[name=order][value={order}]").check()
        assert names() == (first if order == "recall" else [f"class {k}" for k in range(10)])
        assert names() == page.locator(".confused thead .c span").all_text_contents()
        cell = page.locator(".confused tbody tr").nth(2).locator("td.c").nth(2)
        assert cell.get_attribute("class").startswith("c match")
        cell.locator("button").click()
        assert f"{names()[2]} predicted as {names()[2]}" in page.locator(".behind .sentence").text_content()
        assert page.locator(".behind tbody tr").count() == int(cell.locator("b").text_content())
        cell.locator("button").click()
    opened.close()


def test_without_script_the_matrix_is_complete(browser: Any, pages: Path, ten: ManyClassEvaluation) -> None:
    opened = Opened(browser, pages / "ten.html", java_script_enabled=False)
    shown = block({"": ten})
    assert opened.page.locator(".readout").inner_text().replace("\u00a0", " ") == "".join(shown.said)
    assert opened.page.locator("input[name=order]").first.is_hidden()
    text = opened.page.locator(".confused").inner_text()
    assert all(f"{line.recall.value:.3f}" in text for line in shown.lines if line.recall is not None)
    opened.close()
