"""Rows behind the cells of a confusion matrix: only where they were asked for, the most surely wrong first."""

from __future__ import annotations

import html
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.driving import SLIDER, Opened
from tests.report.samples import HOSTILE, labelled, many, scored

from assay import Evaluation, compare, evaluate
from assay.cli import main
from assay.evidence import ConfusionMatrix, rows_behind
from assay.predictions import Predictions
from assay.report import render_csv, render_html, render_json, render_latex, render_markdown, render_text
from assay.report.renderers.html import MOST_LETTERS, MOST_ROWS, about_rows, embedded_rows
from assay.report.wording import number, shortened

PLACE = np.arange(300)
TRUTH = (PLACE % 3 == 0).astype(int)
SCORE = np.round(((PLACE * 37 % 101) / 101 + 0.5 * TRUTH) / 1.5, 4)


def two() -> Evaluation:
    """Two classes, with the rows they came from."""
    return evaluate(TRUTH, SCORE)


def island(page: str) -> Any:
    found = re.search(r'id="assay-data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1, max_size=60), st.integers(1, 70))
def test_every_cell_has_its_share_and_begins_with_the_most_wrong(rows: list[tuple[int, float]], most: int) -> None:
    cell, wrongness = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    kept = rows_behind(cell, wrongness, most)
    assert len(kept) == min(most, len(rows)) == len(set(kept.tolist()))
    taken = np.bincount(cell[kept], minlength=4)
    whole = np.bincount(cell, minlength=4)
    for k in range(4):
        own = wrongness[kept[cell[kept] == k]]
        assert list(own) == sorted(wrongness[cell == k], reverse=True)[: len(own)]
        # A cell that gives up rows has as many as any other, but for one.
        if taken[k] < whole[k]:
            assert taken[k] >= taken.max() - 1


def test_no_row_is_there_unless_it_was_asked_for() -> None:
    page = render_html({"": two()})
    assert "rows" not in island(page)
    assert "no individual rows" in page
    page = render_html({"": two()}, embed_rows=True)
    assert "includes rows of the data" in page
    assert len(island(page)["rows"][0]["row"]) == 300


def test_rows_that_were_left_out_have_no_number(tmp_path: Path) -> None:
    file = tmp_path / "gaps.csv"
    file.write_text("truth,score\n0,0.2\n,0.4\n1,0.8\n0,0.6\n")
    ev = evaluate(file, missing="drop")
    assert "numbers do not count the 1 left out" in about_rows({"": ev})


def test_too_many_rows_are_cut_and_the_page_says_so() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.3
    ev = evaluate(truth, 1 / (1 + np.exp(-rng.normal(truth, 1))))
    (held,) = embedded_rows({"": ev})
    assert held is not None
    assert len(held["row"]) == MOST_ROWS
    assert "5,000 of 20,000" in about_rows({"": ev})
    worst = max((s, -k) for k, (s, t) in enumerate(zip(ev.predictions.score, truth, strict=True)) if not t)  # type: ignore[union-attr,arg-type]
    first = next(k for k, (t, c) in enumerate(zip(held["truth"], held["called"], strict=True)) if (t, c) == (0, 1))
    assert held["row"][first] == 1 - worst[1]


def test_many_classes_have_the_score_of_the_label_and_of_the_truth() -> None:
    ev = many(4, 160)
    (held,) = embedded_rows({"": ev})
    assert held is not None
    assert ev.class_scores is not None
    for row, truth, called, score, own in zip(
        *(held[name] for name in ("row", "truth", "called", "score", "own")), strict=True
    ):
        probability = ev.class_scores.probability[row - 1]
        assert (ev.class_scores.truth[row - 1], probability.argmax()) == (truth, called)
        assert (probability[called], probability[truth]) == (score, own)


def test_counts_alone_have_no_rows_and_say_so() -> None:
    matrix = ConfusionMatrix.binary(tp=3, fn=1, fp=1, tn=5)
    page = render_html({"": labelled(matrix)}, embed_rows=True)
    assert "without rows" in page
    assert '"rows"' not in page
    assert "without rows" in render_html({"": scored()}, embed_rows=True)


def test_ids_are_in_the_page_alone_and_say_so() -> None:
    ev = evaluate(TRUTH, SCORE, id=[f"case {place}" for place in PLACE])
    (held,) = embedded_rows({"": ev})
    assert held is not None
    assert held["id"] == [f"case {row - 1}" for row in held["row"]]
    assert "each with its id" in about_rows({"": ev})
    assert "its id" not in about_rows({"": two()})
    for rendered in (render_html, render_json, render_csv, render_markdown, render_latex, render_text):
        assert "case 7" not in rendered({"": ev})


def test_an_id_is_cut_where_it_is_long() -> None:
    (held,) = embedded_rows({"": evaluate([0, 1], [0.1, 0.2], id=["\u202e" + "x" * 5000, "short"])})
    assert held is not None
    assert held["id"][1] == "short"
    assert len(held["id"][0]) == MOST_LETTERS
    assert "\u202e" not in held["id"][0]


def rows_of(opened: Opened) -> list[list[str]]:
    read = "() => [...document.querySelectorAll('.behind tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    found: list[list[str]] = opened.page.evaluate(read)
    return found


def wanted(truth: int, called: int, threshold: float) -> list[int]:
    """The rows of a cell, those furthest on the wrong side first, or last where they are right."""
    places = [k for k in range(300) if TRUTH[k] == truth and (SCORE[k] >= threshold) == called]
    return [k + 1 for k in sorted(places, key=lambda k: SCORE[k] if truth else -SCORE[k])]


@pytest.mark.parametrize(("cell", "truth", "called"), [(0, 1, 1), (1, 1, 0), (2, 0, 1), (3, 0, 0)])
def test_a_cell_opens_its_rows_by_mouse_and_key(
    browser: Any, tmp_path: Path, cell: int, truth: int, called: int
) -> None:
    two().report(tmp_path / "two.html", embed_rows=True)
    opened = Opened(browser, tmp_path / "two.html")
    button = opened.page.locator("#confusion .to-rows").nth(cell)
    button.click()
    found = rows_of(opened)
    assert [row[3] for row in found] == [number(SCORE[int(row[0]) - 1]) for row in found]
    assert sorted(int(row[0]) for row in found) == sorted(wanted(truth, called, 0.5))
    assert all(row[1:3] == [str(truth), str(called)] for row in found)
    scores = [SCORE[int(row[0]) - 1] for row in found]
    assert scores == sorted(scores, reverse=not truth)
    button.click()
    assert rows_of(opened) == []
    button.focus()
    opened.page.keyboard.press("Enter")
    assert len(rows_of(opened)) == len(found)
    opened.press(SLIDER, *["ArrowLeft"] * 6)
    moved = rows_of(opened)
    assert sorted(int(row[0]) for row in moved) == sorted(wanted(truth, called, opened.threshold))
    assert "300 of 300 rows" in opened.page.locator(".behind").inner_text()
    opened.close()


def test_many_classes_open_rows_of_cells_and_of_pairs(browser: Any, tmp_path: Path) -> None:
    for classes, selector in ((4, "table.confused td:not(.match) .to-rows"), (40, "table.grid .to-rows")):
        ev = many(classes, 400)
        ev.report(tmp_path / "many.html", embed_rows=True)
        opened = Opened(browser, tmp_path / "many.html")
        button = opened.page.locator(f"#confusion {selector}").nth(1)
        shown = int(button.inner_text())
        button.click()
        found = rows_of(opened)
        assert len(found) == shown
        assert ev.class_scores is not None
        for row in found:
            place = int(row[0]) - 1
            assert row[1] == ev.classes[ev.class_scores.truth[place]]
            assert row[2] == ev.classes[int(ev.class_scores.probability[place].argmax())]
        assert [float(row[3]) for row in found] == sorted((float(row[3]) for row in found), reverse=True)
        opened.close()


def test_each_model_of_a_comparison_has_its_own(browser: Any, tmp_path: Path) -> None:
    other = (PLACE * 53 % 97) / 97
    found = compare(TRUTH, {"a": SCORE, "b": other})
    found.report(tmp_path / "compared.html", embed_rows=True)
    opened = Opened(browser, tmp_path / "compared.html")
    opened.page.locator("#confusion .to-rows").nth(6).click()
    rows = [int(row[0]) - 1 for row in rows_of(opened)]
    assert sorted(rows) == [k for k in range(300) if not TRUTH[k] and other[k] >= 0.5]
    opened.close()


def test_labels_alone_come_as_they_are(browser: Any, tmp_path: Path) -> None:
    evaluate(TRUTH, y_pred=(SCORE >= 0.4).astype(int), positive=1).report(tmp_path / "labels.html", embed_rows=True)
    opened = Opened(browser, tmp_path / "labels.html")
    opened.page.locator("#confusion .to-rows").nth(1).click()
    rows = [int(row[0]) for row in rows_of(opened)]
    assert rows == [k + 1 for k in range(300) if TRUTH[k] and SCORE[k] < 0.4]
    opened.close()


def test_names_in_rows_are_only_names(browser: Any, tmp_path: Path) -> None:
    many(6, 120, names=tuple(f"{k}{name}" for k, name in enumerate(HOSTILE[:6]))).report(
        tmp_path / "hostile.html", embed_rows=True
    )
    opened = Opened(browser, tmp_path / "hostile.html")
    buttons = opened.page.locator("#confusion .to-rows")
    for k in range(buttons.count()):
        buttons.nth(k).click()
    assert opened.page.locator("img").count() == 0
    opened.close()


def test_rows_go_by_their_ids_whatever_is_in_them(browser: Any, tmp_path: Path) -> None:
    ids = [f"{place}{HOSTILE[place % len(HOSTILE)]}" for place in PLACE]
    evaluate(TRUTH, SCORE, id=ids).report(tmp_path / "ids.html", embed_rows=True)
    opened = Opened(browser, tmp_path / "ids.html")
    opened.page.locator("#confusion .to-rows").nth(1).click()
    heads = opened.page.locator(".behind th").all_inner_texts()
    assert [head.lower() for head in heads] == ["id", "row", "true label", "predicted", "score"]
    found = rows_of(opened)
    assert [int(row[1]) for row in found] == wanted(1, 0, 0.5)
    for row in found:
        assert row[0] == shortened(ids[int(row[1]) - 1], MOST_LETTERS).encode("utf-8", "backslashreplace").decode()
    assert opened.page.locator("img").count() == 0
    opened.close()


def run(*words: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["assay", *words])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def test_the_commands_take_the_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = tmp_path / "predictions.csv", tmp_path / "page.html"
    lines = [f"{t},{s:.4f},{1 - s:.4f}" for t, s in zip(TRUTH, SCORE, strict=True)]
    file.write_text("\n".join(["target,score__a,score__b", *lines]), encoding="utf-8")
    for verb in ("evaluate", "compare"):
        assert run(verb, str(file), "--html", str(page), "--embed-rows", "--quiet") == 0
        held = island(page.read_text(encoding="utf-8"))["rows"][0]
        assert [held["truth"][k] for k in range(9)] == [int(TRUTH[held["row"][k] - 1]) for k in range(9)]
        assert run(verb, str(file), "--embed-rows") == 2
        assert "--embed-rows is given without --html; type --html report.html" in capsys.readouterr().err


def command_in(page: Path) -> list[str]:
    """The words of the command that the page says makes it again."""
    (found,) = re.findall(r">(assay [^<]* --html report.html[^<]*)<", page.read_text(encoding="utf-8"))
    return shlex.split(html.unescape(found))


def test_the_commands_show_a_column_of_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [(place, t, s, 1 - s) for place, t, s in zip(PLACE, TRUTH, SCORE, strict=True)]
    wide = [f"row-{place:04d},{t},{a:.4f},{b:.4f}" for place, t, a, b in rows]
    long = [f"row-{place:04d},{t},{name},{s}" for place, t, *both in rows for name, s in zip("ab", both, strict=True)]
    for name, lines in (("wide", ["{},target,score__a,score__b", *wide]), ("long", ["{},target,model,score", *long])):
        for column, said in (("id", []), ("case", ["--id", "case"])):
            Path("file.csv").write_text("\n".join(lines).format(column), encoding="utf-8")
            for verb in ("evaluate", "compare"):
                assert run(verb, "file.csv", "--html", "page.html", "--embed-rows", *said) == 0, name
                (held, _) = island(Path("page.html").read_text(encoding="utf-8"))["rows"]
                assert held["id"] == [f"row-{row - 1:04d}" for row in held["row"]]
                assert run(*command_in(Path("page.html"))[1:], "--quiet") == 0
                assert island(Path("report.html").read_text(encoding="utf-8"))["rows"][0]["id"] == held["id"]
                assert run(verb, "file.csv", "--json", "--html", "page.html", *said) == 0
                assert "row-0007" not in capsys.readouterr().out + Path("page.html").read_text(encoding="utf-8")


def test_an_id_that_is_missing_stops_the_page_and_says_what_to_type(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, page = tmp_path / "gaps.csv", tmp_path / "page.html"
    file.write_text("id,target,score\nx,0,0.2\n,1,0.8\n", encoding="utf-8")
    words = ("evaluate", str(file), "--html", str(page), "--embed-rows")
    assert run(*words) == 3
    assert "row 2: the id in 'id' is missing; needed: an id in every row; type --ignore id" in capsys.readouterr().err
    assert not page.exists()
    assert run(*words, "--ignore", "id") == 0
    assert "id" not in island(page.read_text(encoding="utf-8"))["rows"][0]


@pytest.mark.parametrize("threshold", [None, 0.3, 0.62])
@pytest.mark.parametrize("is_file", [True, False])
def test_a_probability_for_either_of_two_classes_gives_the_rows_of_the_matrix(
    tmp_path: Path, is_file: bool, threshold: float | None
) -> None:
    """Such predictions once were called by the higher probability, whatever the threshold that made their matrix."""
    file = tmp_path / "both.csv"
    lines = [f"{'ba'[t]},{s:.4f},{1 - s:.4f}" for t, s in zip(TRUTH, SCORE, strict=True)]
    file.write_text("\n".join(["truth,proba_a,proba_b", *lines]))
    both = Predictions(("b", "a"), TRUTH, probability=np.stack((1 - SCORE, SCORE), 1))
    ev = evaluate(file, positive="a", threshold=threshold) if is_file else evaluate(both, threshold=threshold)
    assert ev.matrix is not None
    (held,) = island(render_html({"": ev}, embed_rows=True))["rows"]
    counts = np.zeros((2, 2))
    np.add.at(counts, (held["truth"], held["called"]), 1)
    assert (counts == ev.matrix.counts).all()
    # What the page's script does while its threshold stands where the matrix was made.
    at = 0.5 if threshold is None else threshold
    assert [int(score >= at) for score in held["score"]] == held["called"]
    assert "own" not in held
