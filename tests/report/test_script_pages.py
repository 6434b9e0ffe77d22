"""The page's script beyond its sliders: verdicts, weights, addresses, copies, names, speed, missing parts."""

from __future__ import annotations

import ast
import csv
import io
import json
import math
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.digits import EXAMPLES, SHARES
from tests.report.driving import ONE, SLIDER, Folder, Opened, hostile

from assay import compare, evaluate
from assay.cli import main
from assay.report.first_screen import better_finding
from assay.report.live_text import RATIOS
from assay.report.sections.comparison import Compared
from assay.report.sentences import plain
from assay.report.wording import bracketed, number

PREVALENCE = "input[data-control=prevalence]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The pages the script is tried on."""
    return Folder(tmp_path_factory.mktemp("script"))


def test_the_line_about_two_models_follows_level_and_margin(browser: Any, tmp_path: Path) -> None:
    place = np.arange(300)
    truth = place % 3 == 0
    noise = (place * 37 % 101) / 101
    found = compare(
        truth.astype(int), {"a": noise + 0.45 * truth, "b": (place * 53 % 97) / 97 + 0.4 * truth}, threshold=0.7
    )
    found.report(tmp_path / "compared.html")
    opened = Opened(browser, tmp_path / "compared.html")
    written = [opened.live(f"better.{part}") for part in ("finding", "evidence", "caution")]
    compared = Compared(found)
    for level, margin in ((0.9, None), (0.99, None), (0.9, 0.02), (0.95, 0.4), (0.999, 0.001)):
        opened.page.locator("select[data-control=level]").select_option(f"{level:g}")
        opened.page.locator("input[data-control=margin]").fill("" if margin is None else str(margin))
        opened.page.locator("input[data-control=margin]").press("Enter")
        wanted = better_finding(compared.answer_at(level, margin), compared.names)
        assert opened.live("better.finding") == plain(wanted.finding)
        assert opened.live("better.evidence") == plain(wanted.evidence)
        assert opened.live("better.caution") == plain(wanted.caution)
        assert wanted.mark in str(opened.page.locator("[data-mark=better]").get_attribute("class"))
    # What is no margin is put back to none, and no level is offered that means another.
    opened.page.locator("input[data-control=margin]").fill("99.99 percent")
    opened.page.locator("input[data-control=margin]").press("Enter")
    opened.page.locator("select[data-control=level]").select_option("0.95")
    assert opened.page.locator("input[data-control=margin]").input_value() == ""
    assert [opened.live(f"better.{part}") for part in ("finding", "evidence", "caution")] == written
    opened.close()


def test_the_script_writes_numbers_as_python_does(browser: Any, tmp_path: Path) -> None:
    place = np.arange(300)
    truth = (place % 3 == 0).astype(int)
    path = tmp_path / "digits.html"
    compare(truth, {"a": place * 37 % 101 / 101 + truth, "b": place * 53 % 97 / 97 + truth}).report(path)
    page = path.read_text(encoding="utf-8")
    (held,) = re.findall(r'id="assay-data">(.*?)</script>', page)
    data = json.loads(held)
    limits = [tuple(None if math.isnan(one) else one for one in three) for three, _ in EXAMPLES]
    levels = [None if low is None else [low, high] for _, low, high in limits]
    data["families"] = [
        {
            "role": "primary",
            "name": "roc_auc",
            "depends": "",
            "plain": f"<{k}>",
            "within": True,
            "title": f"<{k}>",
            "named": f"<{k}>",
            "better": "higher",
            "value": v,
            "levels": {"0.95": both},
        }
        for k, ((v, _, _), both) in enumerate(zip(limits, levels, strict=True))
    ]
    path.write_text(page.replace(held, json.dumps(data).replace("<", "\\u003c")), encoding="utf-8")
    opened = Opened(browser, path)
    for k, (_, words) in enumerate(EXAMPLES):
        found = f"<{k}> +{words}"
        assert found in opened.live("better.evidence"), words
    # As far as the control goes.
    for share, words in [each for each in SHARES if 0.001 <= each[0] <= 0.999]:
        opened.page.evaluate("hash => { location.hash = hash; }", f"prevalence={share}")
        assert opened.said("prevalence") == words.replace(" ", "\u00a0"), share
    opened.close()


def test_weights_keep_their_intervals_until_the_threshold_moves(browser: Any, tmp_path: Path) -> None:
    place = np.arange(200)
    truth = (place % 4 == 0).astype(int)
    score = 1 / (1 + np.exp(-(4 * (place * 37 % 101) / 101 - 3.5 + 2 * truth)))
    ev = evaluate(truth, score, weight=1.0 + place % 3)
    ev.report(tmp_path / "weighted.html")
    opened = Opened(browser, tmp_path / "weighted.html")
    assert opened.said("recall-limits", 0) == bracketed(ev.estimate("recall"))
    opened.press(SLIDER, "ArrowLeft")
    assert opened.said("recall", 0) == number(ev.at(opened.threshold).estimate("recall").value)
    assert opened.said("recall-limits", 0) == "no interval"
    assert "weights" in opened.said("method-note")
    opened.press(SLIDER, "ArrowRight")
    assert opened.said("recall-limits", 0) == bracketed(ev.estimate("recall"))
    opened.close()


def test_the_address_reopens_the_view(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "three.html")
    opened.page.locator("input[name=model][value='1']").check()
    opened.press(SLIDER, *["ArrowLeft"] * 5)
    opened.press("input[data-control=ratio]", "PageUp")
    opened.press(PREVALENCE, "PageDown")
    opened.page.locator("input[name=unit][value=recall]").check()
    opened.press("svg[data-figure=roc]", "Shift+ArrowRight")
    opened.page.locator("[data-copy=link]").first.click()
    link = str(opened.page.evaluate("window.copied"))
    again = Opened(browser, folder / "three.html", "#" + link.split("#")[1])
    read = (
        "() => [...document.querySelectorAll('[data-out]')].map(out => out.dataset.out === 'copied' || out.textContent)"
    )
    assert again.page.evaluate(read) == opened.page.evaluate(read)
    assert again.threshold == opened.threshold
    assert again.page.locator("input[name=unit][value=recall]").is_checked()
    opened.close()
    again.close()
    for nonsense in ("#t=x&ratio=-3&prevalence=9&model=77&unit=%E0%A4%A&pick=all&mix=2", "#%", "#t=1e999"):
        odd = Opened(browser, folder / "three.html", nonsense)
        assert odd.said("ratio") == "1 : 1"
        odd.close()


def test_copies_hold_what_is_seen(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.press(SLIDER, "ArrowLeft", "ArrowLeft")
    at = ONE.at(opened.threshold)
    copied = {}
    for form in ("latex", "markdown", "csv", "python", "command"):
        opened.page.locator(f"[data-copy={form}]").first.click()
        copied[form] = str(opened.page.evaluate("window.copied"))
        assert "Copied" in opened.said("copied")
    for row in csv.DictReader(io.StringIO(copied["csv"])):
        assert float(row["threshold"]) == opened.threshold
        if row["measure"] != "expected_cost":
            found = at.estimate(row["measure"])
            got = tuple(float(row[end]) for end in ("value", "low", "high"))
            assert got == pytest.approx((found.value, found.low, found.high), rel=1e-12)
    recall = at.estimate("recall")
    assert f"| Recall | {number(recall.value)} | {bracketed(recall)} |" in copied["markdown"]
    assert f"Recall & {number(recall.value)} & {bracketed(recall)} \\\\" in copied["latex"]
    assert f"ev.at({opened.threshold!r})" in copied["python"]
    ast.parse(copied["python"])
    words = shlex.split(copied["command"].splitlines()[0])
    assert float(words[words.index("--threshold") + 1]) == opened.threshold
    opened.close()


def test_hostile_names_do_nothing(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "hostile.html")
    for model in range(len(hostile())):
        opened.page.locator(f"input[name=model][value='{model}']").check(force=True)
        opened.press(SLIDER, "ArrowLeft")
        for form in ("latex", "markdown", "csv", "python", "command"):
            opened.page.locator(f"[data-copy={form}]").first.click()
            text = str(opened.page.evaluate("window.copied"))
            if form == "python":
                ast.parse(text)
            if form == "command":
                assert shlex.split(text)[0] == "assay"
            if form == "csv":
                cells = [row["model"] for row in csv.DictReader(io.StringIO(text))]
                assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in cells)
    assert opened.page.locator("img").count() == 0
    opened.close()


@pytest.mark.parametrize("name", ["many", "thirty"])
@pytest.mark.parametrize("control", ["threshold", "ratio", "prevalence"])
def test_a_step_takes_less_than_a_frame(browser: Any, folder: Folder, control: str, name: str) -> None:
    opened = Opened(browser, folder / f"{name}.html")
    # Other tests run beside this one: what they take away is no part of a step.
    assert min(opened.step_ms(control) for _ in range(3)) < 16
    opened.close()


@pytest.mark.parametrize("body", ["", '<script type="application/json" id="assay-data">%s</script>', "%s"])
def test_a_page_that_lacks_parts_stays_quiet(browser: Any, folder: Folder, tmp_path: Path, body: str) -> None:
    page = (folder / "one.html").read_text(encoding="utf-8")
    data = re.search(r'id="assay-data">(.*?)</script>', page, re.DOTALL)
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["schema"] == 2
    text = body % data[1] if body else ""
    path = tmp_path / "bare.html"
    icon = '<link rel="icon" href="data:,">'
    path.write_text(
        f"<!doctype html>{icon}<p data-out='recall'></p>{text}<script>{script[-1]}</script>", encoding="utf-8"
    )
    opened = Opened(browser, path)
    opened.close()
    labels = Opened(browser, folder / "labels.html")
    labels.close()


def test_sliders_say_in_words_where_they_stand(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    opened.press("input[data-control=ratio]", "PageUp")
    opened.press(PREVALENCE, "PageUp")
    words = {name: opened.page.locator(f"#{name}").get_attribute("aria-valuetext") for name in ("ratio", "prevalence")}
    ratio = RATIOS[int(opened.page.locator("#ratio").input_value())]
    assert words["ratio"] == f"a false negative costs {ratio:.3g} false positives"
    assert words["prevalence"] == f"{opened.said('prevalence')} of cases are positive"
    opened.close()


def test_copied_python_and_commands_run_and_find_the_same(
    browser: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = np.arange(200)
    truth = (place % 4 == 0).astype(int)
    score = np.round(1 / (1 + np.exp(-(4 * (place * 37 % 101) / 101 - 3.5 + 2 * truth))), 6)
    lines = [f"{t},{s}" for t, s in zip(truth, score, strict=True)]
    (tmp_path / "predictions.csv").write_text("\n".join(["target,score", *lines]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    evaluate(Path("predictions.csv")).report("page.html")
    opened = Opened(browser, tmp_path / "page.html")
    opened.press("input[data-control=ratio]", "PageUp", "PageUp")
    opened.press(PREVALENCE, "PageDown")
    opened.page.locator("[data-pick=cost]").first.click()
    optimum = opened.live("threshold.finding")
    for form in ("python", "command"):
        opened.page.locator(f"[data-copy={form}]").first.click()
        text = str(opened.page.evaluate("window.copied"))
        if form == "python":
            exec(text, {})
        for line in text.splitlines() if form == "command" else ():
            monkeypatch.setattr(sys, "argv", shlex.split(line))
            main()
        said = capsys.readouterr().out
        assert opened.said("recall", 0) in said, form
        # Python names the very score; the page the shortest number that calls the same cases.
        threshold = float(re.findall(r"use threshold ([\d.]+):", optimum)[0])
        named = [float(number) for number in re.findall(r"\d\.\d+", said)]
        assert any(np.array_equal(score >= found, score >= threshold) for found in named), form
    opened.close()


def test_limits_of_folds_stay_as_wide_wherever_the_threshold_is(browser: Any, tmp_path: Path) -> None:
    place = np.arange(300)
    truth = place % 3 == 0
    score = np.clip(0.3 * truth + (place * 37 % 101) / 150, 0.01, 0.99)
    ev: Any = evaluate(truth, score, fold=place % 5, positive=True)
    ev.report(tmp_path / "folds.html")
    opened = Opened(browser, tmp_path / "folds.html")
    for key in ("ArrowLeft", "PageUp", "PageDown"):
        opened.press(SLIDER, key)
        at = ev.at(opened.threshold)
        for name in ("recall", "precision", "accuracy"):
            assert opened.said(f"{name}-limits", 0) == bracketed(at.estimate(name))
            assert at.estimate(name).method.endswith("widened for folds")
    opened.close()
