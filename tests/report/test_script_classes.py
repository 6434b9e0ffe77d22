"""The menu of classes: each of many against the rest, with the numbers Python has for it, script or none."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import SLIDER, TYPED, Opened
from tests.report.samples import HOSTILE, many

from assay import evaluate
from assay.curves import roc_hull
from assay.evaluation import TwoClassEvaluation
from assay.report import render_html, write_html
from assay.report.live_text import RATIOS
from assay.report.sections.classes import MOST_OF_EACH, panels
from assay.report.wording import bracketed, count, number

FOUR = many(4, 400)
MENU = "select[data-control=class]"
MEASURES = ("recall", "precision", "accuracy", "f1")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model of four classes, on disk."""
    path = tmp_path_factory.mktemp("classes") / "four.html"
    FOUR.report(path)
    return path


def of_class(opened: Opened, place: int) -> Any:
    return opened.page.locator(f"[data-class='{place}']")


def said(opened: Opened, place: int, name: str) -> str:
    return str(of_class(opened, place).locator(f'[data-out="{name}"]').first.text_content())


def check(opened: Opened, place: int, ev: TwoClassEvaluation) -> None:
    """Counts, measures, intervals and the dot on the ROC curve are Python's."""
    assert ev.matrix is not None
    for cell in ("tp", "fp", "fn", "tn"):
        assert said(opened, place, cell) == count(float(getattr(ev.matrix, cell))), cell
    for name in MEASURES:
        found = ev.estimate(name)
        assert said(opened, place, name) == number(found.value), name
        assert said(opened, place, f"{name}-limits") == bracketed(found), name
    at = opened.mark(f"roc-{place}", ".dot[data-model='0']", ("cx", "cy"))
    assert at == pytest.approx((ev.estimate("fpr").value, ev.estimate("recall").value), abs=0.001)


def test_a_class_against_the_rest_is_an_evaluation_of_two_classes() -> None:
    one = FOUR.against("class 2")
    assert one.positive == "class 2"
    assert one.matrix is not None
    np.testing.assert_array_equal(one.matrix.counts, FOUR.one_vs_rest_matrices[2].counts)
    for name in ("recall", "precision", "f1", "roc_auc"):
        assert one.estimate(name).value == FOUR.per_class["class 2"][name].value
    with pytest.raises(ValueError, match="no class 'kiwi'"):
        FOUR.against("kiwi")
    with pytest.raises(ValueError, match="positive='0'"):
        evaluate([0, 1, 1], [0.1, 0.4, 0.9]).against("0")
    odd = many(3, 60, names=("rest", "b", "c")).against("rest")
    assert list(odd.class_sizes) == ["all others", "rest"]
    assert sum(odd.class_sizes.values()) == 60


def test_a_class_keeps_its_weights() -> None:
    place = np.arange(90)
    weight = 1.0 + place % 3
    p = np.eye(3)[place * 7 % 3] * 0.5 + 1 / 6
    ev = evaluate(place % 3, y_proba=p, weight=weight)
    one = ev.against("1")
    assert one.class_sizes["1"] == weight[place % 3 == 1].sum()
    assert one.n == 90
    assert one.estimate("recall").low == ev.per_class["1"]["recall"].low


def test_the_menu_shows_one_class_and_its_numbers(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    for place in (2, 0, 3):
        opened.page.locator(MENU).select_option(str(place))
        shown = [k for k in range(4) if of_class(opened, k).is_visible()]
        assert shown == [place]
        one = FOUR.against(f"class {place}")
        check(opened, place, one)
        assert "By the highest score" in said(opened, place, "decided-title")
        assert opened.live("bar").startswith("By the highest score, ")
        opened.press(SLIDER, "ArrowLeft", "ArrowLeft")
        check(opened, place, one.at(opened.threshold))
        assert said(opened, place, "decided-title").startswith("At threshold 0.")
        cut = of_class(opened, place).locator("svg[data-figure^=densities] .cut")
        assert cut.get_attribute("display") is None
        opened.page.locator("[data-pick=used]").first.click()
        check(opened, place, one)
        assert cut.get_attribute("display") == "none"
    opened.close()


def test_costs_and_prevalence_are_those_of_the_class(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    opened.page.locator(MENU).select_option("1")
    one = FOUR.against("class 1")
    assert one.scores is not None
    hull = roc_hull(one.scores)
    opened.page.locator("[data-pick=cost]").first.click()
    for keys in (["PageUp"] * 3, ["PageDown"] * 8, ["Home"]):
        opened.press("input[data-control=ratio]", *keys)
        ratio = RATIOS[int(opened.page.locator("input[data-control=ratio]").input_value())]
        corner = int(hull.at(ratio).corner)
        at = opened.mark("roc-1", ".dot[data-model='0']", ("cx", "cy"))
        assert at == pytest.approx((hull.fpr[corner], hull.recall[corner]), abs=0.001)
        ring = opened.mark("roc-1", ".optimum", ("cx", "cy"))
        assert ring == pytest.approx(at, abs=0.001)
    assert opened.said("prevalence") == f"{100 * one.class_shares['class 1']:.1f}\u00a0%"
    opened.press("input[data-control=prevalence]", "PageUp")
    assert opened.said("prevalence") != f"{100 * one.class_shares['class 1']:.1f}\u00a0%"
    opened.page.locator(MENU).select_option("2")
    assert opened.said("prevalence") == f"{100 * FOUR.class_shares['class 2']:.1f}\u00a0%"
    opened.close()


def test_dragging_a_dot_stays_in_its_class(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    opened.page.locator(MENU).select_option("3")
    mouse = opened.page.mouse
    mouse.move(*opened.screen("roc-3", *opened.mark("roc-3", ".dot", ("cx", "cy"))))
    mouse.down()
    mouse.move(*opened.screen("roc-3", 0.4, 0.9), steps=4)
    mouse.up()
    check(opened, 3, FOUR.against("class 3").at(opened.threshold))
    opened.page.locator(MENU).select_option("0")
    check(opened, 0, FOUR.against("class 0"))
    opened.close()


def test_the_address_names_the_class(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    opened.page.locator(MENU).select_option("3")
    opened.press(SLIDER, "ArrowLeft")
    opened.page.locator("[data-copy=link]").first.click()
    link = str(opened.page.evaluate("window.copied"))
    again = Opened(browser, page, "#" + link.split("#")[1])
    assert again.page.locator(MENU).input_value() == "3"
    assert again.threshold == opened.threshold
    check(again, 3, FOUR.against("class 3").at(again.threshold))
    opened.close()
    again.close()
    odd = Opened(browser, page, "#class=77&t=x")
    assert odd.page.locator(TYPED).input_value() == "as predicted"
    odd.close()


def test_copies_name_the_class(browser: Any, page: Path) -> None:
    opened = Opened(browser, page)
    opened.page.locator(MENU).select_option("2")
    opened.press(SLIDER, "ArrowLeft")
    at = FOUR.against("class 2").at(opened.threshold)
    copied = {}
    for form in ("latex", "markdown", "csv", "python", "command"):
        opened.page.locator(f"[data-copy={form}]").first.click()
        copied[form] = str(opened.page.evaluate("window.copied"))
    for row in csv.DictReader(io.StringIO(copied["csv"])):
        assert row["class"] == "class 2"
        if row["measure"] != "expected_cost":
            assert float(row["value"]) == pytest.approx(at.estimate(row["measure"]).value, rel=1e-12)
    assert all("class 2" in copied[form] for form in ("latex", "markdown", "python"))
    assert '.against("class 2")' in copied["python"]
    ast.parse(copied["python"])
    assert copied["command"].startswith("assay evaluate")
    assert "--positive 'class 2'" in copied["command"]
    assert f"--threshold {opened.threshold:.12g}" in copied["command"]
    opened.close()


def test_without_script_every_class_is_there_and_printed(browser: Any, page: Path) -> None:
    plain = Opened(browser, page, java_script_enabled=False)
    for place in range(4):
        panel = of_class(plain, place)
        assert panel.locator("summary").first.is_visible()
        if not panel.locator("svg[data-figure^=roc]").is_visible():
            panel.locator("summary").first.click()
        for figure in ("roc", "pr", "cost", "densities"):
            assert panel.locator(f"svg[data-figure={figure}-{place}]").is_visible()
        assert number(FOUR.per_class[f"class {place}"]["recall"].value) in panel.inner_text()
    plain.close()
    printed = Opened(browser, page)
    printed.page.emulate_media(media="print")
    for place in range(4):
        assert of_class(printed, place).locator(f"svg[data-figure=roc-{place}]").is_visible()
    printed.close()


def test_several_models_share_a_panel(browser: Any, tmp_path: Path) -> None:
    models = {"first": many(4, 400), "second": many(4, 320)}
    write_html(models, tmp_path / "two.html")
    opened = Opened(browser, tmp_path / "two.html")
    opened.page.locator(MENU).select_option("1")
    opened.page.locator("input[name=model][value='1']").check()
    opened.press(SLIDER, "ArrowLeft")
    at = models["second"].against("class 1").at(opened.threshold)
    assert at.matrix is not None
    found = of_class(opened, 1).locator('[data-out="tp"][data-model="1"]').first.text_content()
    assert found == count(float(at.matrix.tp))
    assert "Confusion" in of_class(opened, 1).inner_text()
    opened.close()


def test_pages_of_thirty_and_of_a_thousand_classes_stay_small() -> None:
    thirty, thousand = many(30, 6000), many(1000, 4000)
    text = render_html({"": thirty})
    assert len(text.encode()) < 1_100_000
    assert text.count('<details class="panel"') == 30
    text = render_html({"": thousand})
    assert len(text.encode()) < 520_000
    shown = panels({"": thousand})
    assert MOST_OF_EACH <= len(shown) <= 2 * MOST_OF_EACH
    assert f"{len(shown)} of 1,000 classes have figures" in text
    assert all(panel.title in text for panel in shown)
    data = json.loads(re.search(r'id="assay-data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert [each["class"] for each in data["classes"]] == [panel.name for panel in shown]


def test_classes_without_scores_or_cases_have_no_figures() -> None:
    truth, pred = ["a", "b", "c"] * 20, ["a", "b", "b"] * 20
    assert panels({"": evaluate(truth, y_pred=pred)}) == []
    assert panels({"": evaluate([0, 1] * 20, [0.2, 0.6] * 20)}) == []


def test_hostile_classes_do_nothing(browser: Any, tmp_path: Path) -> None:
    names = tuple(f"{k}{name}" for k, name in enumerate(HOSTILE[:6]))
    write_html({"": many(6, 300, names=names)}, tmp_path / "hostile.html")
    opened = Opened(browser, tmp_path / "hostile.html")
    for place in range(6):
        opened.page.locator(MENU).select_option(str(place))
        opened.press(SLIDER, "ArrowLeft")
        for form in ("latex", "markdown", "csv", "python", "command"):
            opened.page.locator(f"[data-copy={form}]").first.click()
            text = str(opened.page.evaluate("window.copied"))
            if form == "python":
                ast.parse(text)
    assert opened.page.locator("img").count() == 0
    opened.close()
