"""The page of a study: the store's numbers, what the baseline is, what failed, and what a real browser makes of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.report.driving import Opened
from tests.report.many import study
from tests.report.samples import HOSTILE
from tests.report.test_page import Page
from tests.report.test_ranks_page import UNSAFE, assert_text_as_kept, section

from assay.comparison import Difference
from assay.errors import InputError
from assay.experiments import Study, experiment
from assay.experiments.algorithm_tests import corrected_t
from assay.report.pages.benchmarks import render_study
from assay.report.pages.study import Shown


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """Three learners and the one that looks at no feature on two data sets; one of them fails."""
    found = study(tmp_path_factory.mktemp("two"))
    yield found
    found.store.close()


@pytest.fixture(scope="module")
def page(two: Study) -> str:
    return render_study(two)


def test_the_page_holds_the_stores_numbers(two: Study, page: str) -> None:
    rows = section(page, "estimates")[1:]
    wanted = [(d, learner) for d in two.datasets for learner in two.learners]
    for row, (dataset, learner) in zip(rows, wanted, strict=True):
        found = two.estimate(dataset, learner)
        assert row[:2] == [dataset, learner]
        assert row[2] == ("\u2013" if math.isnan(found.value) else f"{found.value:.3f}")
        limits = f"[{found.low:.3f}, {found.high:.3f}]"
        assert row[3] == limits if not math.isnan(found.low) else str(found.undefined) in row[3]
    assert page.count("dummy 0.") == 0  # the last learner failed, so that no tick is named
    assert "The vertical line is the dummy learner, which uses no feature" in page


def test_the_baseline_is_the_learner_that_looks_at_no_feature(two: Study, page: str) -> None:
    at = f'x1="{100 * two.estimate("small", "dummy").value:.2f}%"'
    assert page.count(f'<line class="base" {at}') == 2  # of the two others that have a value


def test_the_best_two_allow_for_the_choice(two: Study, page: str) -> None:
    shown = Shown(two, "accuracy", 0.95)
    first, second = shown.order[:2]
    assert shown.pairs == 1  # the learner that looks at no feature is in none
    for dataset in two.datasets:
        one, other = (two.fold_scores(dataset, name) for name in (first, second))
        plain = corrected_t(one, other, 0.95)
        found = shown.best_two[dataset]
        assert (found.low, found.high) == (plain.difference.low, plain.difference.high)
        assert found.p_value == plain.test.p_value
        assert f"[{found.low:.3f}, {found.high:.3f}]" in page


def test_a_winner_is_one_whose_interval_leaves_out_nothing(two: Study) -> None:
    def gap(low: float, high: float) -> Difference:
        return Difference("accuracy", "a", "b", (low + high) / 2, low, high, 0.95, 0.01, "t", 5)

    shown, lower = Shown(two, "accuracy", 0.95), Shown(two, "error_rate", 0.95)
    assert shown.winner(gap(0.1, 0.2)) == "a"
    assert lower.winner(gap(0.1, 0.2)) == "b"
    assert shown.winner(gap(-0.2, -0.1)) == "b"
    assert shown.winner(gap(-0.1, 0.2)) is None
    assert shown.winner(gap(math.nan, math.nan)) is None


def test_what_failed_is_said(two: Study, page: str) -> None:
    assert "10 runs failed; means are over the other splits." in page
    assert "Precomputed matrix must be a square matrix" in page
    assert [row[-2:] for row in section(page, "speed")[1:]] == [["10", "0"]] * 3 + [["0", "10"]]


def test_the_plan_and_the_data_are_shown(two: Study, page: str) -> None:
    assert "Plan: 5 folds, stratified" in page
    assert "5 splits of small, each tested on 12 cases." in page
    counts = two.class_counts("large")
    assert sum(counts.values()) == 90
    rows = section(page, "data-sets")
    assert rows[2][:3] == ["large", "90", "2"]
    assert rows[2][3] == ", ".join(f"{name} {100 * size / 90:.1f} %" for name, size in counts.items())


def test_learners_are_ranked_over_data_sets(two: Study, page: str, tmp_path: Path) -> None:
    ranks = two.ranks()
    best = ranks.order[0]
    # Two data sets make no one the best.
    assert "<h1>With 2 data sets, no difference between both algorithms can be significant, by Accuracy</h1>" in page
    assert f"{best}: mean rank {ranks.mean_ranks[best]:.2f} of 2 over 2 data sets" in page
    assert page.index('id="critical-difference"') < page.index('id="estimates"') < page.index('id="cautions"')
    assert [row[0] for row in section(page, "ranking")[1:]] == [*ranks.order, "dummy"]
    alone = study(tmp_path, ("alone",))
    single = render_study(alone, "kappa", level=0.9)
    alone.store.close()
    assert 'id="ranking"' not in single
    assert "has the best Cohen" in single
    assert "90\u00a0% interval" in single


def test_where_nothing_is_better_nothing_is_ranked(two: Study) -> None:
    page = render_study(two, "prevalence")
    assert "<h1>Prevalence: neither high nor low values are better, so no learner is best</h1>" in page
    assert 'id="ranking"' not in page
    assert 'id="best-two"' not in page


def test_a_plan_without_a_test_has_none(tmp_path: Path) -> None:
    found = experiment("iris", ["nb", "stump"], "holdout", store=tmp_path / "study.db", jobs=1, progress=False)
    page = render_study(found)
    found.store.close()
    assert "1 split of iris, tested on" in page
    assert "On iris: no test." in page
    assert "esampled t" not in page
    assert "not significantly better than the other</h1>" in page
    assert section(page, "best-two")[1][3].startswith("the test is valid for folds and random splits, not for")


def test_a_study_that_is_not_run_says_so(tmp_path: Path) -> None:
    found = experiment("iris", "nb", store=tmp_path / "study.db", run=False)
    page = render_study(found)
    found.store.close()
    assert "<h1>No learner has a value on every data set yet</h1>" in page
    assert "20 runs not finished: these numbers will change." in page


def test_a_measure_nobody_knows_is_refused(two: Study, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no measure 'astrology' for 2 classes"):
        two.report(tmp_path / "page.html", "astrology")
    assert not (tmp_path / "page.html").exists()


def test_the_way_back(two: Study, page: str) -> None:
    assert "assay experiment show study.db --name study --measure accuracy --html report.html" in page
    assert (
        "open_study(&#39;study.db&#39;, &#39;study&#39;).report(&#39;report.html&#39;, measure=&#39;accuracy&#39;)"
        in page
    )
    assert str(Path(two.store.place).parent) not in page


def test_the_text_stays_as_it_is(page: str) -> None:
    assert_text_as_kept(page, "study.txt")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of names that try to be more than names, on disk."""
    folder = tmp_path_factory.mktemp("hostile")
    found = study(folder, (HOSTILE[0], HOSTILE[2], HOSTILE[5], HOSTILE[7]), HOSTILE[6].replace("\x00", ""))
    found.report(folder / "page.html")
    found.store.close()
    return folder / "page.html"


def test_markup_is_sound_and_names_are_inert(hostile: Path) -> None:
    text = hostile.read_text(encoding="utf-8")
    assert not any(unsafe in text for unsafe in UNSAFE)
    parsed = Page(text)
    ids = [attributes["id"] for _, attributes in parsed.attributes if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert all("style" not in attributes for _, attributes in parsed.attributes)
    assert all(after <= before + 1 for before, after in zip(parsed.headings, parsed.headings[1:], strict=False))


@pytest.mark.parametrize("width", [420, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_shows_it(browser: Any, page: str, hostile: Path, tmp_path: Path, width: int, scheme: str) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    for path in (tmp_path / "page.html", hostile):
        opened = Opened(browser, path, color_scheme=scheme)
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        assert opened.page.locator("h1").count() == 1
        opened.close()


def test_without_javascript_everything_is_there(browser: Any, two: Study, page: str, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    opened = Opened(browser, tmp_path / "page.html", java_script_enabled=False)
    shown = opened.page.locator("main").inner_text()
    for dataset in two.datasets:
        assert f"{two.estimate(dataset, 'nb').value:.3f}" in shown
    assert opened.page.locator("#plan svg path").count() >= 4
    assert opened.page.locator("#best-two svg circle").count() == 2
    opened.close()
