"""Reports of many classes stay readable and within bounds, whatever their number."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.samples import HOSTILE, many

from assay.evaluation import Evaluation, evaluate
from assay.report import render_csv, render_html, render_json, render_latex, render_markdown, render_text, write_html
from assay.report.sections.confusion import most_confused
from assay.report.wording import percent
from assay.uncertainty import PROPORTION_METHODS


@pytest.fixture(scope="module")
def thirty() -> dict[str, Evaluation]:
    """Thirty classes of fifty cases."""
    return {"": many(30, 1500)}


@pytest.fixture(scope="module")
def thousand() -> dict[str, Evaluation]:
    """A thousand classes of four cases."""
    return {"": many(1000, 4000)}


def test_the_short_table_names_what_looks_at_all_classes(four: dict[str, Evaluation]) -> None:
    text = render_text(four)
    for title in (
        "Accuracy",
        "Balanced accuracy",
        "Macro F1",
        "Cohen's kappa",
        "Hand-Till M",
        "Log loss",
        "Brier score",
    ):
        assert title in text
    assert all(name in text for name in four[""].classes)
    assert re.search(r"Accuracy +0\.\d+  \[0\.\d+, 0\.\d+\]", text)
    assert 'Always predicting "class 0" has an accuracy of 0.' in text


@pytest.mark.parametrize("full", [False, True])
def test_text_is_never_wider_than_promised(
    full: bool, thirty: dict[str, Evaluation], thousand: dict[str, Evaluation]
) -> None:
    for models in (thirty, thousand):
        text = render_text(models, full=full)
        assert max(map(len, text.splitlines())) <= 100
        assert len(text.splitlines()) < (270 if full else 60)


def test_the_worst_classes_stand_for_all(thirty: dict[str, Evaluation]) -> None:
    text = render_text(thirty)
    assert "These 12 of 30 classes have the lowest F1; and 18 more" in text
    ev = thirty[""]
    worst = min(ev.classes, key=lambda name: ev.per_class[name]["f1"].value)
    assert worst in text


def test_markdown_fits_a_comment_and_pages_stay_small(thousand: dict[str, Evaluation]) -> None:
    assert len(render_markdown(thousand).encode()) < 65_536
    assert len(render_html(thousand).encode()) < 520_000
    assert len(render_latex(thousand).encode()) < 100_000


def test_thirty_classes_have_a_matrix_of_all_and_a_thousand_of_some(
    thirty: dict[str, Evaluation], thousand: dict[str, Evaluation]
) -> None:
    for models, right, cells in ((thirty, 30, 900), (thousand, 20, 441)):
        page = render_html(models).split('id="confusion"')[1].split("</section>")[0]
        assert page.count('<td class="c match') == right
        assert len(re.findall(r'<td class="c[ "]', page)) == cells
        assert "most frequent of" in page


def test_json_and_csv_hold_every_class(thirty: dict[str, Evaluation]) -> None:
    record = json.loads(render_json(thirty))
    assert len(record["per_class"]) == 30
    assert record["positive"] is None
    lines = render_csv(thirty).splitlines()
    assert len(lines) == 1 + len(record["measures"]) + sum(map(len, record["per_class"].values()))


def test_names_are_only_names() -> None:
    models = {"": many(len(HOSTILE), 400, names=tuple(f"{k}{name}" for k, name in enumerate(HOSTILE)))}
    page = render_html(models)
    assert page.count("<script") == 2  # the data and the script itself
    assert "<img" not in page
    text = render_text(models, full=True)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
    for render in (render_markdown, render_latex, render_csv, render_json):
        assert render(models)


def test_several_models_of_many_classes_stand_beside_one_another() -> None:
    models = {"first": many(), "second": many(4, 200)}
    for text in (render_text(models), render_markdown(models), render_html(models), render_latex(models)):
        assert "first" in text
        assert "second" in text


def test_the_likeliest_class_is_asked_whether_its_probability_is_right(four: dict[str, Evaluation]) -> None:
    page, numbers = render_html(four), four[""].calibration.overall.numbers
    assert "Calibration of the highest probability" in page
    assert ">Highest probability<" in page
    assert re.search(rf"Right / expected +{numbers['observed_to_expected'].value:.3f}", render_text(four))
    assert "Right / expected" in page
    # Beside the reject curve, below the matrix.
    assert page.index('id="confusion"') < page.index('id="calibration"') < page.index('id="reject"')


def test_few_classes_show_more_of_each_than_many(four: dict[str, Evaluation], thirty: dict[str, Evaluation]) -> None:
    for models, shown in ((four, 4), (thirty, 0)):
        panels = render_html(models).split('id="one-class"')[1]
        assert panels.count('data-figure="net_benefit') == panels.count('data-figure="calibration') == shown
        assert panels.count('data-figure="roc') == len(models[""].classes)


def test_the_more_cases_a_wrong_cell_holds_the_darker_it_is(four: dict[str, Evaluation]) -> None:
    matrix = four[""].matrix
    assert matrix is not None
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    page = render_html(four).split('id="confusion"')[1].split("</section>")[0]
    shades = [1 + round(19 * (n / wrong.max()) ** 0.7) for n in wrong[wrong > 0]]
    for shade in range(1, 21):
        assert len(re.findall(rf'<td class="c w{shade}[ "]', page)) == shades.count(shade)


def test_intervals_of_classes_are_drawn(four: dict[str, Evaluation]) -> None:
    section = render_html(four).split('id="confusion"')[1].split("</table>")[0]
    assert section.count('class="limits"') == 2 * len(four[""].classes)


@pytest.mark.parametrize("has_script", [True, False])
def test_a_matrix_shows_counts_or_shares(browser: Any, tmp_path: Path, has_script: bool) -> None:
    ev = many(10, 400)
    write_html({"": ev}, tmp_path / "ten.html", embed_rows=True)
    page = browser.new_context(java_script_enabled=has_script).new_page()
    page.goto((tmp_path / "ten.html").as_uri())
    assert ev.matrix is not None
    counts = ev.matrix.counts
    shown = {"counts": counts, "row %": counts / counts.sum(1, keepdims=True), "column %": counts / counts.sum(0)}
    order = sorted(range(10), key=lambda k: (counts[k, k] / counts[k].sum(), k))
    for value, wanted in shown.items():
        page.locator(f".classes input[value='{value}']").check()
        row = page.locator("#confusion .confused tbody tr").nth(2)
        words = [cell.inner_text().strip() for cell in row.locator("td.c").all()]
        wanted_words = [f"{n:.0f}" if value == "counts" else percent(n).split()[0] for n in wanted[order[2], order]]
        assert words == [said if counts[order[2], j] else "" for said, j in zip(wanted_words, order, strict=True)]
    page.context.close()


def test_pairs_picked_for_being_frequent_have_limits_that_hold_for_all(four: dict[str, Evaluation]) -> None:
    matrix = four[""].matrix
    assert matrix is not None
    (i, j), *_ = most_confused(matrix)
    cases, whole = matrix.counts[i, j], matrix.actual[i]
    # Four classes, three others for each: a twelfth of the error for every pair.
    low, high = PROPORTION_METHODS["Clopper-Pearson"](cases, whole, 1 - 0.05 / 12)
    text = render_text(four, full=True)
    assert f"{cases / whole:.3f} [{low:.3f}, {high:.3f}]" in text
    assert "Intervals are simultaneous over all 12 pairs" in " ".join(text.split())
    assert "Pairs confused" in text


def test_pairs_of_weighted_cases_have_none() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 4, 200)
    weighted = {"": evaluate(truth, y_pred=(truth + (rng.random(200) < 0.3)) % 4, weight=rng.random(200) + 0.5)}
    text = render_text(weighted, full=True)
    assert "Of the true class" in text
    assert "pairs at once" not in text
    assert "Pairs confused" not in text


def test_the_worst_classes_are_said_to_be_picked(thirty: dict[str, Evaluation], four: dict[str, Evaluation]) -> None:
    assert "look worse than they are" in " ".join(render_text(thirty).split())
    assert "look worse than they are" not in render_text(four)
