"""The page's script: every control, by mouse and by keyboard, shows the numbers Python has for the same choices."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logit
from tests.report.driving import AXES, ONE, SLIDER, THREE, TYPED, Folder, Opened

from assay.cli import main
from assay.costs import Costs
from assay.curves import roc_hull
from assay.evaluation import TwoClassEvaluation
from assay.measures import f1, informedness, ppv_at
from assay.measures.decision import expected_cost
from assay.report.live_text import RATIOS
from assay.report.wording import bracketed, count, number

# What stands where there is no number.
NONE = "\u2013"
MEASURES = ("recall", "precision", "accuracy", "f1")
PREVALENCE = "input[data-control=prevalence]"
FIGURES = ("roc", "pr", "cost", "gain")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The pages the script is tried on."""
    return Folder(tmp_path_factory.mktemp("script"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that `assay demo --html` makes."""
    path = tmp_path_factory.mktemp("demo") / "demo.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["assay", "demo", "--html", str(path)])
        main()
    return path


def check(opened: Opened, ev: TwoClassEvaluation, model: int = 0) -> None:
    """Counts, measures and their intervals are Python's for the same threshold."""
    at = ev.at(opened.threshold)
    assert at.matrix is not None
    for cell in ("tp", "fp", "fn", "tn"):
        assert opened.said(cell, model) == count(float(getattr(at.matrix, cell))), cell
    for name in MEASURES:
        found = at.estimate(name)
        assert opened.said(name, model) == (number(found.value) if math.isfinite(found.value) else NONE), name
        assert opened.said(f"{name}-limits", model) == (bracketed(found) or "undefined"), name
    x, y = opened.dot("roc", model)
    assert (x, y) == pytest.approx((at.estimate("fpr").value, at.estimate("recall").value), abs=0.001)


@pytest.mark.parametrize("name", ["demo", "three"])
def test_the_page_opens_alone_and_as_it_was_written(browser: Any, folder: Folder, demo: Path, name: str) -> None:
    path = demo if name == "demo" else folder / "three.html"
    plain = Opened(browser, path, java_script_enabled=False)
    alive = Opened(browser, path)
    read = """() => [...document.querySelectorAll("[data-out][data-model],[data-figure] [data-out]")]
                    .map(out => [out.dataset.out, out.textContent])"""
    drawn = "() => [...document.querySelectorAll('svg .dot, svg path')].map(mark => mark.outerHTML)"
    assert not plain.page.locator("#controls").is_visible()
    assert alive.page.locator("#controls").is_visible()
    texts = re.findall(r"<svg data-figure", path.read_text(encoding="utf-8"))
    assert len(texts) >= len(FIGURES)
    # Without script the browser cannot be asked, so what it would show is what the file says.
    marks, words = alive.page.evaluate(drawn), alive.page.evaluate(read)
    assert len(words) > 8
    page = path.read_text(encoding="utf-8")
    for out, text in words:
        if out not in ("sentence", "cost"):
            assert f'data-out="{out}"' in page
            assert text in page, out
    assert sum(mark.split('"')[1] in page for mark in marks) == len(marks)
    plain.close()
    alive.close()


def test_without_script_every_figure_and_number_is_there(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html", java_script_enabled=False)
    for figure in FIGURES:
        assert opened.page.locator(f"svg[data-figure={figure}]").is_visible(), figure
    text = opened.page.locator("body").inner_text()
    for name in MEASURES:
        found = ONE.estimate(name)
        assert number(found.value) in text
        assert bracketed(found) in text
    opened.close()


@pytest.mark.parametrize("unit", ["score", "flagged", "recall", "fpr"])
def test_keys_move_the_threshold(browser: Any, folder: Folder, unit: str) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.page.locator(f"input[name=unit][value={unit}]").check()
    before = opened.threshold
    sign = 1 if unit == "score" else -1
    assert ONE.scores is not None
    cuts = [float(ONE.scores.at(t).tp + ONE.scores.at(t).fp) for t in ONE.scores.thresholds()]
    for key, way in (
        ("ArrowRight", sign),
        ("ArrowUp", sign),
        ("ArrowLeft", -sign),
        ("PageUp", sign),
        ("PageDown", -sign),
    ):
        opened.press(SLIDER, key)
        after = opened.threshold
        assert (after - before) * way > 0, key
        if key.startswith("Arrow"):
            flagged = [cuts.index(float(ONE.scores.at(t).tp + ONE.scores.at(t).fp)) for t in (before, after)]
            assert abs(flagged[0] - flagged[1]) == 1, key
        check(opened, ONE)
        before = after
    slider = opened.page.locator(SLIDER)
    assert slider.get_attribute("aria-valuetext") == opened.live("bar")
    opened.close()


def test_what_the_threshold_flags_is_darker_on_the_densities(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.page.locator(TYPED).fill("0.8")
    opened.press(TYPED, "Enter")
    svg = opened.page.locator("svg[data-figure=densities]")
    low, high, left, width = (float(svg.get_attribute(f"data-{end}")) for end in ("x0", "x1", "left", "width"))
    assert svg.get_attribute("data-scale") == "log-odds"
    wanted = left + width * (logit(opened.threshold) - logit(low)) / (logit(high) - logit(low))
    for part in svg.locator("rect.beyond").all():
        x, wide = (float(part.get_attribute(name)) for name in ("x", "width"))
        assert x == pytest.approx(wanted, abs=0.1)
        assert x + wide == pytest.approx(left + width, abs=0.1)
    assert float(svg.locator(".cut").get_attribute("x1")) == pytest.approx(wanted, abs=0.1)
    assert ONE.scores is not None
    matrix = ONE.scores.at(opened.threshold)
    for cell in ("tp", "fn", "fp", "tn"):
        assert svg.locator(f'[data-out="{cell}"]').text_content() == f"{float(getattr(matrix, cell)):,.0f}"
    opened.close()


def test_a_page_key_moves_five_percent(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "many.html")
    opened.page.locator("input[name=unit][value=flagged]").check()
    value = float(opened.page.locator(SLIDER).input_value())
    opened.press(SLIDER, "PageUp")
    assert float(opened.page.locator(SLIDER).input_value()) == pytest.approx(value + 0.05, abs=0.005)
    opened.close()


def test_every_threshold_has_pythons_numbers(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    step = """names => { const slider = document.querySelector("input[data-control=threshold]"), rows = [];
      const say = name => document.querySelector(`[data-out="${name}"][data-model="0"]`).textContent;
      for (let i = 0; i < 400; i++) { slider.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight"})); }
      for (let i = 0; i < 150; i++) {
        rows.push([slider.dataset.at, ...names.map(say)]);
        slider.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft"}));
      } return rows; }"""
    names = [name for measure in MEASURES for name in (measure, f"{measure}-limits")]
    rows = opened.page.evaluate(step, names)
    assert len({row[0] for row in rows}) > 90
    for typed, *texts in rows:
        at = ONE.at(float(typed.replace("Infinity", "inf")))
        for name, value, limits in zip(MEASURES, texts[::2], texts[1::2], strict=True):
            found = at.estimate(name)
            if math.isfinite(found.value):
                assert (value, limits) == (number(found.value), bracketed(found)), (typed, name)
            else:
                assert (value, limits) == (NONE, "undefined"), (typed, name)
    opened.close()


def test_the_mouse_moves_the_threshold_of_the_chosen_model(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "three.html")
    names = list(THREE)
    for model in (2, 1, 0):
        opened.page.locator(f"input[name=model][value='{model}']").check()
        for share in (0.2, 0.7):
            opened.slide(SLIDER, share)
            check(opened, THREE[names[model]], model)
    opened.page.locator(TYPED).fill("0.31")
    opened.page.keyboard.press("Enter")
    assert opened.threshold == pytest.approx(0.31, abs=0.02)
    check(opened, THREE[names[0]])
    opened.close()


@pytest.mark.parametrize("figure", FIGURES)
def test_dragging_a_dot_moves_every_other(browser: Any, folder: Folder, figure: str) -> None:
    opened = Opened(browser, folder / "one.html")
    start = {name: opened.dot(name) for name in FIGURES}
    mouse = opened.page.mouse
    mouse.move(*opened.screen(figure, *start[figure]))
    mouse.down()
    x, y = start[figure]
    mouse.move(*opened.screen(figure, x + 0.1, y + 0.05), steps=4)
    mouse.up()
    check(opened, ONE)
    at = ONE.at(opened.threshold)
    assert at.matrix is not None
    flagged = float(at.matrix.tp + at.matrix.fp) / ONE.n
    cost = float(at.matrix.fp + at.matrix.fn) / float(at.matrix.positives)
    recall, precision = at.estimate("recall").value, at.estimate("precision").value
    wanted = {"pr": (recall, precision), "gain": (flagged, recall), "cost": (opened.threshold, cost)}
    for name, place in wanted.items():
        assert opened.dot(name) == pytest.approx(place, abs=0.003), name
        assert opened.dot(name) != pytest.approx(start[name], abs=1e-6), name
    opened.close()


def test_the_cost_ratio_rolls_the_tangent_round_the_hull(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    assert ONE.scores is not None
    hull = roc_hull(ONE.scores)
    seen = set()
    opened.page.locator("[data-pick=cost]").first.click()
    for keys in (
        ["Home"],
        ["PageUp"] * 5,
        ["PageUp"] * 4,
        ["ArrowRight"] * 8,
        ["PageUp"],
        ["ArrowRight"] * 3,
        ["ArrowUp"] * 3,
        ["End"],
    ):
        opened.press("input[data-control=ratio]", *keys)
        ratio = RATIOS[int(opened.page.locator("input[data-control=ratio]").input_value())]
        best = hull.at(ratio)
        corner = int(best.corner)
        seen.add(corner)
        at = ONE.at(opened.threshold)
        place = at.estimate("fpr").value, at.estimate("recall").value
        assert place == pytest.approx((hull.fpr[corner], hull.recall[corner]))
        assert opened.dot("roc") == pytest.approx(place, abs=0.001)
        cost = float(expected_cost(Costs(fp=1, fn=ratio))(at.matrix))
        share = ONE.class_shares[ONE.positive]
        relative = cost / min(ratio * share, 1 - share)
        assert float(re.findall(r"Cost ([\d.e-]+);", opened.live("bar"))[0]) == pytest.approx(relative, abs=6e-4)
        ends = [opened.mark("roc", ".tangent", (f"x{k}", f"y{k}")) for k in (1, 2)]
        slope = float(best.slope)
        for x, y in ends:
            # Steep lines: a tenth of a unit across is much upwards.
            assert y == pytest.approx(place[1] + slope * (x - place[0]), abs=0.002 * (1 + slope))
        assert opened.said("recall-limits", 0) == "no interval"
    assert len(seen) >= 3
    opened.close()


def test_prevalence_moves_precision_and_cost_but_not_the_roc(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    paths = "figure => [...document.querySelectorAll(`svg[data-figure=${figure}] path`)].map(path => path.outerHTML)"
    before = {figure: opened.page.evaluate(paths, figure) for figure in ("roc", "pr", "cost")}
    opened.press(PREVALENCE, "PageDown", "PageDown", "ArrowLeft")
    logit = float(opened.page.locator(PREVALENCE).input_value())
    share = 1 / (1 + math.exp(-logit))
    assert 0.03 < share < 0.24
    assert ONE.matrix is not None
    found = ppv_at(float(f"{share:.3g}")).estimate(ONE.matrix)
    assert (opened.said("precision", 0), opened.said("precision-limits", 0)) == (number(found.value), bracketed(found))
    recall = ONE.estimate("recall")
    assert (opened.said("recall", 0), opened.said("recall-limits", 0)) == (number(recall.value), bracketed(recall))
    assert opened.said("f1-limits", 0) == "no interval"
    cost = float(expected_cost(Costs(fp=1, fn=1, prevalence=share))(ONE.matrix))
    shown = float(f"{share:.3g}")
    relative = float(expected_cost(Costs(fp=1, fn=1, prevalence=shown))(ONE.matrix)) / min(shown, 1 - shown)
    assert f"Cost {number(relative)}; " in opened.live("bar")
    assert opened.dot("pr") == pytest.approx((recall.value, found.value), abs=0.001)
    after = {figure: opened.page.evaluate(paths, figure) for figure in before}
    assert after["roc"] == before["roc"]
    assert after["pr"] != before["pr"]
    assert after["cost"] != before["cost"]
    assert "This figure does not depend on the prevalence" in opened.said("why")
    # The curve goes through the dot again, wherever prevalence has moved it.
    assert _nearest(opened, "pr", opened.dot("pr")) < 0.01
    dot = opened.page.locator("svg[data-figure=cost] .dot")
    # What costs more than the axis has room for is not drawn at its end.
    assert dot.is_visible() == (cost / min(share, 1 - share) <= 1.5)
    opened.press(SLIDER, *["ArrowRight"] * 40)
    assert dot.is_visible()
    assert _nearest(opened, "cost", opened.dot("cost")) < 0.02
    opened.press(SLIDER, *["ArrowLeft"] * 40)
    opened.page.locator("[data-reset=prevalence]").first.click()
    assert opened.said("why") == ""
    assert (opened.said("precision", 0)) == number(ONE.estimate("precision").value)
    opened.close()


def _nearest(opened: Opened, figure: str, place: tuple[float, float]) -> float:
    """How far a place lies from the curve that is drawn, as a share of the plot."""
    svg = opened.page.locator(f"svg[data-figure={figure}]")
    ends = {key: float(svg.get_attribute(f"data-{key}")) for key in AXES}
    x = ends["left"] + ends["width"] * (place[0] - ends["x0"]) / (ends["x1"] - ends["x0"])
    y = ends["top"] + ends["height"] * (ends["y1"] - place[1]) / (ends["y1"] - ends["y0"])
    measure = """(path, at) => { let least = 1e9; const all = path.getTotalLength();
      for (let s = 0; s <= all; s += 0.5) { const p = path.getPointAtLength(s);
        least = Math.min(least, Math.hypot(p.x - at[0], p.y - at[1])); } return least; }"""
    return float(svg.locator("path.f-model-0").first.evaluate(measure, [x, y])) / ends["width"]


def test_gain_and_lift_follow_the_prevalence(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.press(PREVALENCE, *["PageUp"] * 4)
    share = float(f"{1 / (1 + math.exp(-float(opened.page.locator(PREVALENCE).input_value()))):.3g}")
    recall, fpr = ONE.estimate("recall").value, ONE.estimate("fpr").value
    flagged = share * recall + (1 - share) * fpr
    assert opened.dot("gain") == pytest.approx((flagged, recall), abs=0.002)
    assert opened.dot("lift") == pytest.approx((flagged, recall / flagged), abs=0.02)
    for figure in ("gain", "lift"):
        assert _nearest(opened, figure, opened.dot(figure)) < 0.01, figure
    opened.close()


@pytest.mark.parametrize("pick", ["f1", "youden"])
def test_picks_are_the_best_thresholds(browser: Any, folder: Folder, pick: str) -> None:
    opened = Opened(browser, folder / "three.html")
    opened.page.locator(f"[data-pick={pick}]").first.click()
    for model, ev in enumerate(THREE.values()):
        opened.page.locator(f"input[name=model][value='{model}']").check()
        measure = f1 if pick == "f1" else informedness
        assert ev.scores is not None
        values = np.asarray(measure(ev.scores.swept()))
        assert float(measure(ev.scores.at(opened.threshold))) == pytest.approx(np.nanmax(values))
        assert opened.said("recall-limits", model) == "no interval"
    assert "Chosen on these cases" in opened.said("method-note")
    opened.page.locator("[data-pick=used]").first.click()
    assert opened.threshold == 0.5
    check(opened, THREE["forest"], 2)
    opened.close()


def test_between_hull_and_curve_chance_reaches_further(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    assert ONE.scores is not None
    hull = roc_hull(ONE.scores)
    side = int(np.argmax(np.diff(hull.fpr) * np.diff(hull.recall)))
    fpr = float(hull.fpr[side : side + 2].mean())
    mixed = hull.mix(fpr=fpr)
    before = opened.threshold
    opened.page.mouse.click(*opened.screen("roc", fpr, mixed.recall - 0.004))
    words = opened.said("mixture")
    assert opened.threshold == before
    share = float(re.findall(r"a random ([\d.]+)\s%", words)[0]) / 100
    assert share == pytest.approx(mixed.share, abs=0.02)
    recall, rate = (
        float(text) for text in re.findall(r"recall ([\d.]+) at a false-positive rate of ([\d.]+)", words)[0]
    )
    assert (rate, recall) == pytest.approx((fpr, mixed.recall), abs=0.006)
    for owner in (mixed.first, mixed.second):
        assert math.isinf(owner.threshold) or any(
            np.array_equal(ONE.scores.at(float(text)).counts, ONE.scores.at(owner.threshold).counts)
            for text in re.findall(r"scores from ([\d.]+)", words)
        )
    opened.press("svg[data-figure=roc]", "Shift+ArrowRight")
    assert opened.said("mixture") != words
    opened.press("svg[data-figure=roc]", "Escape")
    assert opened.said("mixture") == ""
    opened.close()
