"""The first screen: what it answers without scrolling, that nothing on it contradicts itself, and that it fits."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import Opened
from tests.report.samples import labelled, many, scored
from tests.report.test_live_text import forest
from tests.report.test_looks import compared

import assay
from assay.evidence import ConfusionMatrix
from assay.report import write_html
from assay.report.blocks import Picture
from assay.report.first_screen import cheapest_finding, findings
from assay.report.live_text import RATIOS, Moved
from assay.report.sections.calibration import _other_signs_of_miscalibration
from assay.report.sections.comparison import Compared, cheapest, pairing
from assay.report.sentences import plain
from assay.text import bounds_words

BOX = "of => { const box = document.querySelector(of).getBoundingClientRect(); return [box.top, box.bottom]; }"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A forest's 2,500 predictions, a sixth of them positive."""
    path = tmp_path_factory.mktemp("first") / "forest.html"
    forest().report(path)
    return path


def open_at(browser: Any, path: Path, width: int, height: int = 900, hash_: str = "") -> Any:
    found = browser.new_context(viewport={"width": width, "height": height}).new_page()
    found.goto(path.as_uri() + hash_)
    return found


def test_a_stranger_sees_the_answers_the_controls_and_two_figures(browser: Any, page: Path) -> None:
    shown = open_at(browser, page, 1440)
    assert shown.locator(".finding").count() == 3
    assert shown.evaluate(BOX, ".findings")[1] < 300
    top, bottom = shown.evaluate(BOX, ".bar-of-page")
    assert bottom - top <= 120
    for figure in ("roc", "calibration"):
        assert shown.evaluate(BOX, f"svg[data-figure={figure}]")[0] < 560, figure
    # Nothing on the first screen is cut off.
    assert shown.evaluate("document.documentElement.scrollWidth") == 1440
    shown.context.close()


def test_pages_are_no_longer_than_they_should_be(browser: Any, page: Path, tmp_path: Path) -> None:
    compared("a", "b", "c")(tmp_path / "three.html")
    for path, most in ((page, 6_000), (tmp_path / "three.html", 9_000)):
        shown = open_at(browser, path, 1440)
        assert shown.evaluate("document.documentElement.scrollHeight") <= most
        shown.context.close()


@pytest.mark.parametrize("width", [768, 390])
def test_every_control_can_be_reached_on_small_screens(browser: Any, page: Path, width: int) -> None:
    shown = open_at(browser, page, width, 844)
    if width == 390:
        shown.locator("label.opens").click()
    for selector in (
        *("#threshold", "#ratio", "#prevalence", "[data-control=threshold-value]", "[data-pick=cost]"),
        *("[data-reset=prevalence]", "[data-copy=latex]", ".units label"),
    ):
        box = shown.locator(selector).first.bounding_box()
        assert box is not None, selector
        assert box["height"] >= 16, selector
        assert box["x"] >= 0, selector
        assert box["x"] + box["width"] <= width, selector
    assert shown.evaluate("document.documentElement.scrollWidth") <= width
    shown.context.close()


def test_at_another_threshold_nothing_on_the_page_speaks_of_the_old_one(browser: Any, page: Path) -> None:
    """Once: accuracy 0.259 above "right 89.8 %", and 1,844 false alarms above a caption that said 21."""
    ev = forest()
    opened = Opened(browser, page, "#t=0.02")
    at = ev.at(opened.threshold)
    assert at.matrix is not None
    alarms = f"{float(at.matrix.fp):,.0f}"
    assert opened.said("fp", 0) == alarms
    assert f"{alarms} of" in opened.live("confusion.caption", 0)
    assert f"{alarms} false positives" in opened.live("bar")
    text = str(opened.page.locator("main").inner_text())
    assert "decisions as given" not in text
    assert f"right {100 * ev.estimate('accuracy').value:.1f}" not in text
    assert "is the best while" not in text
    opened.close()


def test_a_matrix_at_another_prevalence_divides(browser: Any, page: Path) -> None:
    opened = Opened(browser, page, "#prevalence=0.02")
    cells = {name: float(opened.said(name, 0).replace(",", "")) for name in ("tp", "fn", "fp", "tn")}
    shares = {name: float(opened.said(f"{name}-{of}", 0).split()[0]) / 100 for name in cells for of in ("row",)}
    assert cells["tp"] / (cells["tp"] + cells["fn"]) == pytest.approx(shares["tp"], abs=0.01)
    assert cells["fp"] / (cells["fp"] + cells["tn"]) == pytest.approx(shares["fp"], abs=0.01)
    column = float(opened.said("tp-column", 0).split()[0]) / 100
    assert cells["tp"] / (cells["tp"] + cells["fp"]) == pytest.approx(column, abs=0.01)
    assert sum(cells.values()) == pytest.approx(2500, abs=2)
    assert "at 2.0 % positives" in opened.live("confusion.caption", 0)
    opened.close()


def test_links_lead_to_their_section_and_leave_the_controls_alone(browser: Any, page: Path) -> None:
    opened = Opened(browser, page, "#t=0.02&ratio=10")
    before = opened.threshold, opened.live("threshold.finding")
    links = opened.page.locator(".strip nav a")
    assert links.count() >= 6
    for place in range(links.count()):
        links.nth(place).click()
        target = str(links.nth(place).get_attribute("href"))
        assert opened.page.evaluate(BOX, target)[0] < 900, target
    opened.page.evaluate("document.querySelector('#measures').open = false")
    opened.page.locator('.strip a[href="#measures"]').click()
    assert opened.page.locator("#measures .inside").is_visible()
    assert opened.page.locator(".strip a[aria-current]").count() == 1
    for link in opened.page.locator(".mind a").all():
        assert opened.page.locator(str(link.get_attribute("href"))).count() == 1
        link.click()
    assert (opened.threshold, opened.live("threshold.finding")) == before
    assert "t=0.02" in opened.page.url
    opened.close()


def test_rows_behind_a_cell_leave_the_figures_beside_it_where_they_are(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.3
    assay.evaluate(truth.astype(int), (truth + rng.normal(size=400)).round(2), threshold=0.5).report(
        tmp_path / "rows.html", embed_rows=True
    )
    opened = Opened(browser, tmp_path / "rows.html")
    opened.page.set_viewport_size({"width": 1440, "height": 900})
    before = opened.page.evaluate(BOX, "svg[data-figure=cost]")
    opened.page.locator("#confusion .to-rows").first.click()
    assert opened.page.evaluate(BOX, "svg[data-figure=cost]") == before
    assert opened.page.locator(".behind table").bounding_box()["y"] > before[1]
    opened.close()


def test_a_caution_and_the_line_beside_it_name_the_same_range() -> None:
    ev = forest(seed=4)
    squeezed = assay.evaluate(
        np.repeat([0, 1], [300, 300]), np.concatenate((np.linspace(0.3, 0.5, 300), np.linspace(0.5, 0.7, 300)))
    )
    shown = 0
    for one in (ev, squeezed):
        line = next(found for found in findings({"": one}) if found.question == "Calibrated?")
        named = [caution.message for caution in one.cautions if caution.code == "A203"]
        span = re.search(r"probabilities (from \S+ to \S+|of \S+) are (too \w+)", plain(line.finding))
        assert (span is not None) == bool(named)
        if span is not None:
            shown += 1
            assert span[2] in named[0]
    assert shown


def test_the_panel_of_a_class_called_by_a_number_is_not_read_as_one(browser: Any, tmp_path: Path) -> None:
    """Once "2 177 cases" for the 177 cases of class 2."""
    write_html({"": many(4, names=("1", "2", "3", "4"))}, tmp_path / "numbers.html")
    opened = Opened(browser, tmp_path / "numbers.html")
    for text in opened.page.locator(".panel > summary").all_text_contents():
        assert re.match(r"\d+ · [\d,]+ cases", text.replace("\u00a0", " ")), text
    opened.close()


@pytest.mark.parametrize("models", [7, 10])
def test_models_can_be_told_apart(browser: Any, tmp_path: Path, models: int) -> None:
    compared(*"abcdefghij"[:models])(tmp_path / "several.html")
    opened = Opened(browser, tmp_path / "several.html")
    looks = opened.page.evaluate(
        """() => [...document.querySelectorAll("[data-figure=roc] path[data-model]:not([class$=-area])")].map(path => {
          const style = getComputedStyle(path);
          return [style.stroke, style.strokeDasharray, style.strokeWidth].join(); })"""
    )
    assert len(looks) == len(set(looks)) == models
    opened.close()


def test_what_cannot_be_told_is_said_so() -> None:
    twelve = findings({"": scored(cases=12)})
    assert [line.mark for line in twelve] == ["open", "sought", "open"]
    labels = findings({"": labelled(ConfusionMatrix.binary(tp=30, fn=10, fp=5, tn=55))})
    assert [line.question for line in labels] == ["Good?", "Errors?"]
    assert plain(labels[0].finding) == 'Accuracy 85.0 % [76.7 %, 90.7 %]; always "0": 60.0 %'
    nobody = findings({"": labelled(ConfusionMatrix.binary(tp=0, fn=10, fp=0, tn=55))})
    assert plain(nobody[1].evidence) == "no predicted positives"
    assert nobody[0].mark == "open"


def test_a_line_never_says_more_than_its_interval() -> None:
    """Better than chance only where the interval lies above one half, and so with every other line."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        truth = rng.random(80) < 0.4
        ev = assay.evaluate(truth.astype(int), (0.3 * truth + rng.normal(size=80)).round(2), threshold=0.0)
        line = findings({"": ev})[0]
        found = ev.estimate("roc_auc")
        decided = found.low > 0.5 or found.high < 0.5
        assert (line.mark == "told") is decided
        assert plain(line.finding).startswith("Better than chance") is (found.low > 0.5)


def test_who_is_cheapest_where_says_what_the_line_says_at_each_ratio() -> None:
    rng = np.random.default_rng(8)
    truth = rng.random(600) < 0.3
    scores = {name: gap * truth + rng.normal(size=600) for name, gap in (("sharp", 2.5), ("blunt", 0.5))}
    found = pairing(assay.evaluate_models(truth.astype(int), scores, threshold=0.5))
    assert isinstance(found, Compared)
    blocks = cheapest(found)
    assert blocks is not None
    picture = blocks[-1]
    assert isinstance(picture, Picture)
    assert picture.table is not None
    columns = picture.table.columns
    for place in range(0, len(RATIOS), 5):
        line = plain(cheapest_finding(found, Moved(ratio=RATIOS[place])).finding)
        is_told = columns["high"][place] < 0 or columns["low"][place] > 0
        assert ("No significant difference" not in line) is is_told
    assert "sharp from " in picture.caption
    assert "blunt nowhere" in picture.caption
    assert found.comparison.cheapest(1.0).costs == pytest.approx(found.cheapest[0][RATIOS.index(1.0)].costs)


def test_what_cells_leave_open_is_on_the_first_screen(tmp_path: Path) -> None:
    """Bounds that reach below chance: no claim of beating it, the bounds beside the numbers, and no count of a part."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    score = 1 / (1 + np.exp(-rng.normal(1.2 * truth, 1)))
    ev: Any = assay.reduce(truth, score, least=8).evaluate()
    assert ev.roc_auc.low > 0.5 > ev.roc_auc.bounds[0]
    line = findings({"": ev})[0]
    assert plain(line.finding).startswith("Inconclusive with binned scores: a 1 outscores a 0 in ")
    assert line.code == "A114"
    ev.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    words = f"binned: {ev.roc_auc.bounds[0]:.3f} to {ev.roc_auc.bounds[1]:.3f}"
    assert words in re.sub(
        r"<[^>]+>|\u2060|&nbsp;|\u00a0", lambda tag: " " if tag[0] in ("&nbsp;", "\u00a0") else "", page
    )
    missed, positives = int(ev.matrix.fn), int(ev.matrix.fn + ev.matrix.tp)
    assert f"{missed} of {positives} positives are missed" in page.replace("\u00a0", " ").replace("&nbsp;", " ")


def test_bounds_stand_beside_calibration_and_in_the_table_of_all_measures(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 120)
    ev: Any = assay.reduce(truth, 1 / (1 + np.exp(-rng.normal(1.2 * truth, 1))), bits=1).evaluate()
    told, record = re.sub(r"\s+", " ", str(ev)), ev.to_dict()["calibration"]
    for name in ("observed_to_expected", "slope", "miscalibration"):
        found = ev.calibration.numbers[name]
        assert f"binned: {bounds_words(found)}" in told, name
        assert record[name]["bounds"] == list(found.bounds)
    assert record["in_the_large"]["bounds"] == list(ev.calibration.cox.in_the_large.bounds)
    ev.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    table = page[page.index('<table class="measures">') :]
    assert table.count('<span class="remark">binned') >= 8


def test_limits_and_tests_of_calibration_decide_nothing_that_cells_leave_open() -> None:
    rng = np.random.default_rng(8)
    p = rng.random(700)
    truth = rng.random(700) < 1 / (1 + np.exp(-0.8 * np.log(p / (1 - p))))
    exact: Any = assay.evaluate(truth, p)
    coarse: Any = assay.reduce(truth, p, bits=0).evaluate()
    slope = coarse.calibration.cox.slope
    assert exact.calibration.cox.slope.high < 1
    assert slope.high < 1 < slope.high + slope.bounds[1] - slope.value
    assert "slope (below 1)" in _other_signs_of_miscalibration(exact)
    assert "Slope" not in _other_signs_of_miscalibration(coarse)
    assert exact.calibration.test.bounds is None
    assert "need the rows" in coarse.calibration.brier_test.test.caution
