"""The grey line above a figure says the point under the hand, and gives back what stood there."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.report.driving import ONE, THREE, Folder, Opened

from assay.evaluation import TwoClassEvaluation
from assay.report.wording import bracketed, number, threshold_words, value_words

EVERY = ("roc", "pr", "calibration", "cost", "densities", "gain", "lift", "reject", "net_benefit", "cost_curve")
LINE = "xpath=ancestor::figure/p[contains(concat(' ', @class, ' '), ' subtitle ')]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The pages that are pointed at."""
    return Folder(tmp_path_factory.mktemp("readouts"))


def line(opened: Opened, figure: str) -> Any:
    """The line above a figure."""
    return opened.page.locator(f"svg[data-figure={figure}]").locator(LINE)


def place(opened: Opened, figure: str, across: float, up: float) -> tuple[float, float]:
    """Where on the screen a place on a plot lies, both given as shares of its sides; in sight, below what sticks."""
    svg = opened.page.locator(f"svg[data-figure={figure}]")
    svg.evaluate("svg => svg.scrollIntoView({block: 'end'})")
    data = {key: float(svg.get_attribute(f"data-{key}")) for key in ("left", "top", "width", "height")}
    at = [data["left"] + across * data["width"], data["top"] + (1 - up) * data["height"]]
    to_screen = "(svg, at) => { const p = new DOMPoint(...at).matrixTransform(svg.getScreenCTM()); return [p.x, p.y]; }"
    x, y = svg.evaluate(to_screen, at)
    return float(x), float(y)


def point_at(opened: Opened, figure: str, across: float, up: float) -> str:
    """What a figure says while a mouse is there."""
    opened.page.mouse.move(*place(opened, figure, across, up))
    return str(line(opened, figure).text_content())


def leave(opened: Opened) -> None:
    opened.page.mouse.move(2, 2)


def at_threshold(ev: TwoClassEvaluation, text: str) -> TwoClassEvaluation:
    """The evaluation at the threshold that a read-out names."""
    return ev.at(float(re.findall(r"from ([\d.e-]+):", text)[0]))


@pytest.mark.parametrize("figure", EVERY)
def test_a_figure_says_the_point_under_the_mouse_and_takes_it_back(browser: Any, folder: Folder, figure: str) -> None:
    opened = Opened(browser, folder / "one.html")
    svg = opened.page.locator(f"svg[data-figure={figure}]")
    before = line(opened, figure).inner_html()
    box = line(opened, figure).evaluate("p => p.offsetHeight")
    said = point_at(opened, figure, 0.4, 0.5)
    assert said != line(opened, figure).evaluate("(p, html) => { p.dataset.html = html; return html; }", before)
    assert re.search(r"\d", said)
    assert svg.locator(".readout-mark").count() == 1
    assert line(opened, figure).evaluate("p => [p.offsetHeight, getComputedStyle(p).color]") == [
        box,
        opened.page.evaluate("getComputedStyle(document.body).color"),
    ]
    leave(opened)
    assert line(opened, figure).inner_html() == before
    assert svg.locator(".readout-mark").count() == 0
    opened.close()


SAYS: dict[str, Callable[[TwoClassEvaluation], str]] = {
    "roc": lambda ev: f"FPR {value_words(ev.estimate('fpr'))}, recall {_limited(ev, 'recall')}",
    "pr": lambda ev: f"recall {value_words(ev.estimate('recall'))}, precision {_limited(ev, 'precision')}",
    "gain": lambda ev: (
        f"flagged share {number(ev.estimate('predicted_prevalence').value)}, recall {_limited(ev, 'recall')}"
    ),
}


def _limited(ev: TwoClassEvaluation, name: str) -> str:
    return f"{value_words(ev.estimate(name))} {bracketed(ev.estimate(name))}"


@pytest.mark.parametrize("figure", SAYS)
def test_numbers_and_limits_are_those_of_python(browser: Any, folder: Folder, figure: str) -> None:
    opened = Opened(browser, folder / "one.html")
    for across, up in ((0.2, 0.7), (0.5, 0.6), (0.8, 0.9)):
        said = point_at(opened, figure, across, up)
        assert said.split(": ", 1)[1] == SAYS[figure](at_threshold(ONE, said)), said
    opened.close()


def test_the_mark_is_the_nearest_point_of_the_curve(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    said = point_at(opened, "roc", 0.35, 0.6)
    at = at_threshold(ONE, said)
    x, y = opened.mark("roc", ".readout-mark", ("cx", "cy"))
    assert (x, y) == pytest.approx((at.estimate("fpr").value, at.estimate("recall").value), abs=0.001)
    assert ONE.scores is not None
    away = min(
        (float(ONE.at(float(t)).estimate("fpr").value) - 0.35) ** 2
        + (float(ONE.at(float(t)).estimate("recall").value) - 0.6) ** 2
        for t in ONE.scores.thresholds()
    )
    assert (x - 0.35) ** 2 + (y - 0.6) ** 2 == pytest.approx(away, abs=0.005)
    opened.close()


def test_groups_of_cases_are_said_with_their_bars(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    said = point_at(opened, "calibration", 0.5, 0.5)
    given, rate, low, high = (float(found) for found in re.findall(r"\d\.\d+", said))
    rows = ONE.calibration.overall.scores
    assert rows is not None
    assert low <= rate <= high
    assert re.fullmatch(r"Predicted probability [\d.]+: share of positives [\d.]+ \[[\d.]+, [\d.]+\]", said)
    cells = opened.page.locator("#calibration .data tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => Number(cell.textContent)))"
    )
    assert any(abs(row[4] - given) < 0.006 and abs(row[5] - rate) < 0.006 for row in cells)
    opened.close()


def test_keys_walk_along_a_curve_and_enter_sets_the_threshold(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    before = line(opened, "roc").inner_html()
    used = opened.threshold
    opened.press("svg[data-figure=roc]", "ArrowRight", "ArrowRight", "PageUp")
    said = str(line(opened, "roc").text_content())
    assert said.startswith("from ")
    # Walking along it changes nothing but the read-out.
    assert opened.threshold == used
    opened.page.keyboard.press("Enter")
    assert threshold_words(opened.threshold) == re.findall(r"from ([\d.]+):", said)[0]
    opened.page.keyboard.press("Escape")
    assert line(opened, "roc").inner_html() == before
    opened.close()


@pytest.mark.parametrize("figure", ["calibration", "reject", "net_benefit", "cost_curve"])
def test_keys_walk_along_what_is_only_drawn(browser: Any, folder: Folder, figure: str) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.press(f"svg[data-figure={figure}]", "ArrowRight")
    first = line(opened, figure).text_content()
    opened.page.keyboard.press("ArrowRight")
    assert line(opened, figure).text_content() != first
    opened.page.keyboard.press("Tab")
    assert not line(opened, figure).evaluate("p => p.classList.contains('reads')")
    opened.close()


def test_a_click_brings_the_model_that_was_named_there(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "three.html")
    said = point_at(opened, "roc", 0.5, 0.55)
    assert said.startswith("forest, from ")
    x, y = place(opened, "roc", 0.5, 0.55)
    opened.page.mouse.click(x, y)
    at = at_threshold(THREE["forest"], said)
    assert opened.page.locator("#controls input[name=model]:checked").input_value() == "2"
    assert opened.dot("roc", 2) == pytest.approx((at.estimate("fpr").value, at.estimate("recall").value), abs=0.001)
    opened.close()


def test_up_and_down_go_from_model_to_model(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "three.html")
    opened.press("svg[data-figure=pr]", "ArrowRight")
    names = []
    for _ in range(3):
        names.append(str(line(opened, "pr").text_content()).split(",")[0])
        opened.page.keyboard.press("ArrowDown")
    assert names == list(THREE)
    opened.close()


def test_words_that_follow_the_controls_go_on_following_them(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    ratio = opened.page.locator("input[data-control=ratio]")
    point_at(opened, "cost", 0.5, 0.5)
    # The ratio moves while the line says something else.
    ratio.evaluate("slider => { slider.value = 30; slider.dispatchEvent(new Event('input')); }")
    leave(opened)
    assert "10 : 1" in str(line(opened, "cost").text_content())
    opened.close()


def test_a_finger_reads_as_a_mouse_does(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html", has_touch=True)
    x, y = place(opened, "cost", 0.4, 0.5)
    send = """(svg, [kind, x, y]) => svg.dispatchEvent(
        new PointerEvent(kind, {pointerType: "touch", clientX: x, clientY: y, bubbles: true}))"""
    svg = opened.page.locator("svg[data-figure=cost]")
    svg.evaluate(send, ["pointermove", x, y])
    assert re.match(
        r"from [\d.]+: cost [\d.]+, \d+ false negatives, \d+ false positives", str(line(opened, "cost").text_content())
    )
    svg.evaluate(send, ["pointerleave", x, y])
    assert "1 : 1" in str(line(opened, "cost").text_content())
    opened.close()


def test_at_another_prevalence_what_is_said_is_what_is_drawn(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html", "#prevalence=0.05")
    assert "[" not in point_at(opened, "calibration", 0.5, 0.5)
    said = point_at(opened, "net_benefit", 0.2, 0.5)
    ticks = opened.page.locator("svg[data-figure=net_benefit] g[text-anchor=end]>text[dy]").all_text_contents()
    assert max(abs(float(value)) for value in re.findall(r"-?\d\.\d+", said)[1:]) <= max(map(float, ticks)) + 0.01
    at = ONE.at(float(re.findall(r"from ([\d.e-]+):", point_at(opened, "pr", 0.6, 0.5))[0]))
    x, _ = opened.mark("pr", ".readout-mark", ("cx", "cy"))
    assert x == pytest.approx(at.estimate("recall").value, abs=0.001)
    opened.close()


def test_hostile_names_are_said_as_text(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "hostile.html")
    assert point_at(opened, "roc", 0.3, 0.7)
    assert line(opened, "roc").locator("*").count() == 0
    opened.close()


def test_pointing_at_a_row_fades_the_curves_of_the_others(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "three.html")
    curves = [opened.page.locator(f'#roc path[data-model="{k}"]:not([class$=area])').first for k in range(3)]
    seen = "each => Number(getComputedStyle(each).opacity)"
    assert [curve.evaluate(seen) for curve in curves] == [1, 1, 1]
    opened.page.locator("#key .several td.model.s1").first.hover()
    assert [curve.evaluate(seen) for curve in curves] == pytest.approx([0.14, 1, 0.14])
    opened.page.locator("#controls .choice label.model.s2").hover()
    assert [curve.evaluate(seen) for curve in curves] == pytest.approx([0.14, 0.14, 1])
    opened.page.mouse.move(5, 5)
    assert [curve.evaluate(seen) for curve in curves] == [1, 1, 1]
    opened.close()
