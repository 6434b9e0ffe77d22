"""The page of ranks: Python's numbers, sound markup, inert names, and what a real browser makes of it."""

from __future__ import annotations

import math
import os
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import Opened
from tests.report.many import NAMES, accuracies, folds, results
from tests.report.samples import HOSTILE
from tests.report.test_looks import SCALE, differences, grey
from tests.report.test_page import Page

from assay.ranks import Ranks, rank_algorithms
from assay.report.pages.benchmarks import render_ranks
from assay.report.pages.ranks import not_told_apart, otherwise_by_difference, rank_diagram
from assay.text import number

GALLERY = Path(__file__).parents[2] / "docs" / "pictures" / "ranks.png"
SNAPSHOTS = Path(__file__).parent / "snapshots"
# What of a name that is no word may stand on a page as it is.
UNSAFE = ("\x1b", "\x00", "\u202e", "<img", "<script")


def section(page: str, name: str) -> list[list[str]]:
    """The rows of one section's tables."""
    part = re.search(rf'<section id="{name}".*?</section>', page, re.S)
    assert part is not None, name
    return [row for row in Page(part[0]).rows if row]


@pytest.fixture
def ranks(tmp_path: Path) -> Ranks:
    """Four algorithms on fourteen data sets, from a file."""
    return rank_algorithms(results(tmp_path))


def p_shown(p_value: float) -> str:
    return "-" if math.isnan(p_value) else "< 0.001" if p_value < 0.001 else f"{p_value:.3f}"


def test_the_page_holds_pythons_numbers(ranks: Ranks) -> None:
    page = render_ranks(ranks.answer(rope=0.01))
    table = ranks.table().columns
    shown = section(page, "ranking")[1:]
    assert [row[:2] for row in shown] == [
        [name, f"{rank:.3f}"] for name, rank in zip(table["algorithm"], table["mean_rank"], strict=True)
    ]
    tests = ranks.omnibus()
    assert [row[2] for row in section(page, "omnibus")[1:]] == [p_shown(test.p_value) for test in tests.values()]
    assert [row[1] for row in section(page, "omnibus")[1:]] == [f"{test.statistic:.4g}" for test in tests.values()]
    pairs = {f"{pair.first} and {pair.second}": pair for pair in ranks.compare().pairs}
    for label, apart, _, plain, adjusted, score, better in section(page, "pairs")[1:]:
        pair = pairs.pop(label)
        assert (plain, adjusted) == (p_shown(pair.p_value), p_shown(pair.adjusted))
        assert apart == f"{pair.difference:.3f}"
        assert score == f"{pair.wins}, {pair.ties}, {pair.losses}"
        assert better == (pair.better(0.05) or "inconclusive")
    assert pairs == {}
    assert f"critical difference {ranks.critical_difference().difference:.3g} (Nemenyi)" in page
    likely = [[f"{one.first} and {one.second}", "", number(one.first_better)] for one in ranks.bayesian(0.01)]
    assert [row[:3] for row in section(page, "bayesian")[1:] if float(row[2]) >= 0.0005] == [
        row for row in likely if float(row[2]) >= 0.0005
    ]


def test_every_adjustment_is_on_the_page(ranks: Ranks) -> None:
    page = render_ranks(ranks.answer())
    head, *rows = section(page, "adjustments")
    table = ranks.every_adjustment()
    assert [cell.lower() for cell in head[2:]] == list(table.columns)[3:]
    for row, numbers in zip(rows, table.rows(), strict=True):
        assert row[1:] == [p_shown(p_value) for p_value in numbers[2:]]
    assert 'id="adjustments"' not in render_ranks(ranks.answer(test="nemenyi"))


def test_the_verdict_says_how_many_are_beaten(ranks: Ranks) -> None:
    best = ranks.order[0]
    pairs = [pair for pair in ranks.compare().pairs if best in (pair.first, pair.second)]
    beaten = sum(pair.better(0.05) == best for pair in pairs)
    assert 0 < beaten < 3
    page = render_ranks(ranks.answer())
    words = ("no", "one", "two", "three")
    assert f"<h1>{best} ranks first and is significantly better than {words[beaten]} of the other three; " in page
    two = rank_algorithms(accuracies(algorithms=2), algorithms=["a", "b"])
    assert re.search(r"<h1>a is significantly better than b, p [=&]", render_ranks(two.answer()))
    tied = rank_algorithms([[1.0, 1.0, 0.5]] * 9, algorithms=["a", "b", "c"])
    assert "<h1>a and b share the best mean rank, 1.50 of 3</h1>" in render_ranks(tied.answer())
    apart = rank_algorithms([[1.0, 0.0], [0.0, 1.0]] * 4, algorithms=["a", "b"])
    assert "<h1>No significant difference between a and b on 8 data sets</h1>" in render_ranks(apart.answer())


def ladder(datasets: int, algorithms: int = 3) -> Ranks:
    """Every algorithm better than the next on every data set."""
    values = [[0.9 - 0.1 * a - 0.001 * d * (a + 1) for a in range(algorithms)] for d in range(datasets)]
    return rank_algorithms(values, algorithms=list("abcdefgh"[:algorithms]))


@pytest.mark.parametrize(("datasets", "algorithms"), [(2, 2), (2, 3), (4, 2), (5, 3), (6, 3)])
def test_so_few_data_sets_make_no_one_the_best(datasets: int, algorithms: int) -> None:
    page = render_ranks(ladder(datasets, algorithms).answer())
    whom = "both algorithms" if algorithms == 2 else "3 algorithms"
    assert f"<h1>With {datasets} data sets, no difference between {whom} can be significant</h1>" in page


def test_the_sentence_names_whom_the_first_cannot_be_told_from() -> None:
    assert "<h1>a ranks first and is significantly better than both others</h1>" in render_ranks(ladder(9).answer())
    values = np.array([[0.9, 0.8, 0.7]] * 9) + 0.001 * np.arange(9)[:, None]
    values[:4, 1] += 0.15
    page = render_ranks(rank_algorithms(values, algorithms=["a", "b", "c"]).answer())
    words = "a ranks first and is significantly better than one of the other two; no significant difference from b"
    assert f"<h1>{words}</h1>" in page
    turns = rank_algorithms([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.5, 0.2, 1.0]] * 3, algorithms=["a", "b", "c"])
    page = render_ranks(turns.answer())
    assert "<h1>c ranks first, but is not significantly better than any of the other two</h1>" in page
    page = render_ranks(ladder(9).answer(control="b"))
    assert "<h1>Two of two differ significantly from the control b: a better, c worse</h1>" in page


def test_the_diagram_comes_first_and_its_bars_are_of_the_same_test(ranks: Ranks) -> None:
    answer = ranks.answer()
    page = render_ranks(answer)
    places = [page.index(f'id="{name}"') for name in ("lede", "critical-difference", "ranking", "by-data-set", "pairs")]
    assert places == sorted(places)
    drawn = rank_diagram(answer)
    at = {name.text: name.x for name in drawn.names}
    groups = [{name for name, x in at.items() if x in bar.dots} for bar in drawn.bars]
    near = {frozenset((pair.first, pair.second)) for pair in answer.comparisons.pairs if pair.better(0.05) is None}
    assert near == {frozenset(pair) for group in groups for pair in combinations(group, 2)}
    assert [len(bar.dots) for bar in drawn.bars] == [len(group) for group in groups]


def test_groups_need_not_be_neighbours() -> None:
    # The first is told from the second, not from the third, which wins by far where it wins.
    values = np.array([[0.9, 0.88, 0.80]] * 12) + 0.0001 * np.arange(12)[:, None] * [1, 2, 3]
    values[:5, 2] += 0.3
    answer = rank_algorithms(values, algorithms=["a", "b", "c"]).answer()
    assert not_told_apart(answer, answer.ranks.order) == [("a", "c"), ("c", "b")]
    against = rank_algorithms(values, algorithms=["a", "b", "c"]).answer(control="a")
    assert not_told_apart(against, against.ranks.order) == [("a", "c")]


def test_where_the_critical_difference_disagrees_the_pairs_are_named(ranks: Ranks) -> None:
    answer = ranks.answer()
    found = answer.difference
    lost = [
        f"{pair.first} and {pair.second}"
        for pair in answer.comparisons.pairs
        if pair.better(0.05) is not None
        and abs(ranks.mean_ranks[pair.first] - ranks.mean_ranks[pair.second]) <= found.difference
    ]
    said = otherwise_by_difference(answer)
    assert all(pair in said for pair in lost)
    assert ("gives the same result" in said) == (not lost)
    wide = ladder(9)
    gap = wide.mean_ranks["b"] - wide.mean_ranks["a"]
    assert gap < wide.critical_difference().difference
    assert "By the critical difference alone these pairs (a and b, b and c) would not be significant: its ranks" in (
        otherwise_by_difference(wide.answer())
    )
    assert otherwise_by_difference(wide.answer(test="nemenyi")) == ""


def test_every_value_stands_with_its_rank(ranks: Ranks) -> None:
    head, *rows = section(render_ranks(ranks.answer()), "by-data-set")
    assert head[1:] == list(ranks.order)
    for d, row in enumerate(rows):
        places = [ranks.results.algorithms.index(name) for name in ranks.order]
        assert row[1:] == [f"{number(ranks.results.values[d, k])}{ranks.ranks[d, k]:g}" for k in places]


def test_wekas_table_stands_where_there_are_folds(ranks: Ranks) -> None:
    assert 'id="weka"' not in render_ranks(ranks.answer())
    found = folds()
    table = found.weka()
    rows = section(render_ranks(found.answer()), "weka")
    assert rows[0][1:] == list(table.algorithms)
    for d, row in enumerate(rows[1:15]):
        assert row[0] == f"data {d}10 folds"
        for j, cell in enumerate(row[1:]):
            mark = {1: "v", 0: "", -1: "*"}[int(table.better[d, j, 0])]
            assert cell == f"{table.means[d, j]:.3f} ({table.deviations[d, j]:.3f}){mark}"
    assert rows[15][2] == "({}/{}/{})".format(*table.counts(1))


def test_only_what_applies_is_cited(ranks: Ranks) -> None:
    plain = render_ranks(ranks.answer())
    assert "Wilcoxon (1945)" in plain
    assert "Nemenyi (1963)" in plain
    for absent in ("Benavoli et al. (2014, 2017)", "Nadeau", "Bergmann &amp; Hommel", "Dunn (1961)", "Quade, z"):
        assert absent not in plain
    asked = render_ranks(ranks.answer(test="quade", adjust="finner", control="bayes", rope=0.1))
    assert all(name in asked for name in ("Finner (1993)", "Dunn (1961)", "Benavoli et al. (2014, 2017)"))
    assert "Wilcoxon" not in asked


def test_cautions_follow_from_the_data(ranks: Ranks) -> None:
    assert "depend on ranks among all algorithms" in render_ranks(ranks.answer())
    two = rank_algorithms(accuracies(3, 2), algorithms=["a", "b"])
    page = render_ranks(two.answer())
    assert "ranks among all algorithms" not in page
    assert "the smallest possible p-value is 0.25" in page


def test_the_command_makes_the_page_again(tmp_path: Path) -> None:
    found = rank_algorithms(results(tmp_path), better="lower", alpha=0.1)
    page = render_ranks(found.answer(test="ranks", adjust="li", rope=0.02))
    assert "assay rank results.csv --dataset dataset --better lower --alpha 0.1 --test ranks --adjust li" in page
    assert "--rope 0.02 --html report.html" in page
    assert found.results.source is not None
    assert str(found.results.source.sha256) in page
    assert str(tmp_path) not in page


def test_markup_is_sound_and_names_are_inert(tmp_path: Path) -> None:
    names = tuple(dict.fromkeys(name.strip() for name in HOSTILE if "\x00" not in name and "\ud800" not in name))
    page = render_ranks(rank_algorithms(results(tmp_path, names)).answer(rope=0.01))
    assert not any(unsafe in page for unsafe in UNSAFE)
    parsed = Page(page)
    assert parsed.headings[0] == 1
    assert all(after <= before + 1 for before, after in zip(parsed.headings, parsed.headings[1:], strict=False))
    ids = [attributes["id"] for _, attributes in parsed.attributes if "id" in attributes]
    assert len(ids) == len(set(ids))
    for tag, attributes in parsed.attributes:
        assert "style" not in attributes
        assert tag != "script"
        if tag == "th":
            assert "scope" in attributes


def test_two_hundred_algorithms_make_a_page_of_some_size() -> None:
    names = [f"algorithm {k}" for k in range(200)]
    page = render_ranks(rank_algorithms(accuracies(6, 200), algorithms=names).answer(test="ranks"))
    assert len(page) < 400_000
    assert "19,700 comparisons with larger p-values are left out" in page
    assert "The 30 best; 170 more are ranked." in page


def test_the_text_stays_as_it_is(tmp_path: Path) -> None:
    page = render_ranks(rank_algorithms(results(tmp_path)).answer(rope=0.01))
    assert_text_as_kept(page, "ranks.txt")


def assert_text_as_kept(page: str, name: str) -> None:
    """The words of a page, without versions, hashes and seconds, are those that someone looked at."""
    body = re.sub(r"<style>.*?</style>|<desc.*?</desc>", "", page, flags=re.S)
    lines = (" ".join(re.sub(r"<[^>]+>", " ", line).split()) for line in body.splitlines())
    text = "\n".join(line for line in lines if line) + "\n"
    text = re.sub(r"Assay [\d.]+ \(\w+ kernels\), Python.*|Assay \d[\w.]+\.", "(versions)", text)
    text = re.sub(r"\b[0-9a-f]{8}(…|[0-9a-f]{56})", "(hash)", text)
    text = re.sub(r"\b0\.\d{4} 0\.\d{4} [\d.]+ (?=\d+ \d+$)", "(costs) ", text, flags=re.M)
    path = SNAPSHOTS / name
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of every shape, on disk."""
    folder = tmp_path_factory.mktemp("ranks")
    names = tuple(dict.fromkeys(name.strip() for name in HOSTILE if "\x00" not in name and "\ud800" not in name))
    folds().report(folder / "folds.html", rope=0.01)
    rank_algorithms(results(folder, names)).report(folder / "hostile.html", rope=0.01)
    rank_algorithms(accuracies(1, 2)).report(folder / "one.html")
    rank_algorithms(accuracies(6, 200)).report(folder / "many.html", test="ranks")
    return folder


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["folds", "hostile", "one", "many"])
def test_a_browser_shows_it(browser: Any, pages: Path, name: str, width: int, scheme: str) -> None:
    opened = Opened(browser, pages / f"{name}.html", color_scheme=scheme, java_script_enabled=name != "one")
    opened.page.set_viewport_size({"width": width, "height": 900})
    if name != "one":
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    assert opened.page.locator("h1").count() == 1
    assert opened.page.locator("#critical-difference svg circle").count() >= 2
    opened.close()


def test_without_javascript_everything_is_there(browser: Any, pages: Path) -> None:
    opened = Opened(browser, pages / "folds.html", java_script_enabled=False)
    shown = opened.page.locator("main").inner_text()
    ranks = folds()
    assert all(f"{ranks.mean_ranks[name]:.3f}" in shown for name in NAMES)
    assert opened.page.locator("#bayesian svg rect").count() == 3 * 6
    assert opened.page.locator("#weka tbody tr").count() == 14 + 1 + 4
    opened.close()


def test_the_gallery_shows_it(browser: Any, pages: Path) -> None:
    page = browser.new_context(viewport={"width": 1280, "height": 1500}).new_page()
    page.goto((pages / "folds.html").as_uri())
    taken = page.screenshot()
    if os.environ.get("ASSAY_SNAPSHOTS") == "write":
        GALLERY.write_bytes(taken)
    whole = {"page": [0.0, 0.0, 1280 / SCALE, 1500 / SCALE]}
    assert differences((grey(GALLERY.read_bytes()), whole), (grey(taken), whole)) == []
    page.evaluate("() => document.querySelector('main').remove()")
    assert differences((grey(GALLERY.read_bytes()), whole), (grey(page.screenshot()), whole)) != []
    page.context.close()


def test_no_mark_of_the_diagram_lies_outside_its_frame(browser: Any, pages: Path) -> None:
    for name in ("folds", "hostile", "many"):
        opened = Opened(browser, pages / f"{name}.html")
        spilled = opened.page.evaluate(
            """() => { const svg = document.querySelector("#critical-difference svg");
            const box = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("text,circle,path")].map(each => [each.getBoundingClientRect(), each])
              .filter(([own]) => own.left < box.left - 4 || own.right > box.right + 4 || own.bottom > box.bottom + 4)
              .map(([, each]) => each.outerHTML) }"""
        )
        assert spilled == [], name
        opened.close()
