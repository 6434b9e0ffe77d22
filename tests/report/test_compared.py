"""The page of a comparison: the same numbers as the comparison, in every rendering."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.report.samples import HOSTILE

from assay.evaluation import Comparison, compare
from assay.report import Compared, render_html, render_latex, render_markdown, render_text
from assay.report.blocks import Forest
from assay.report.first_screen import findings
from assay.report.sections import written
from assay.report.sentences import plain


def comparison(*names: str, cases: int = 240) -> Comparison:
    """Classifiers of falling strength on the same cases."""
    place = np.arange(cases)
    truth = place % 4 == 0
    scores = {
        name: 1 / (1 + np.exp(-(4 * ((place * (37 + 4 * k) % 101) / 101 - 0.5) + (2.5 - k) * truth - 1.5)))
        for k, name in enumerate(names)
    }
    return compare(truth, scores)


def compared(*names: str, margin: float | None = None) -> Compared:
    return Compared(comparison(*names), (), margin)


@pytest.fixture(scope="module")
def two() -> Compared:
    """Two classifiers, and a margin."""
    return compared("good", "poor", margin=0.02)


def test_the_page_holds_the_numbers_of_the_comparison(two: Compared) -> None:
    found = two.comparison.difference("roc_auc", "good", "poor")
    numbers = (f"{found.value:+.3f}", f"[{found.low:.3f}, {found.high:.3f}]")
    page = render_html(two.comparison.models, two)
    assert all(number in page for number in numbers)
    for text in (render_markdown(two.comparison.models, two), render_text(two.comparison.models, compared=two)):
        assert f"{found.low:.3f}" in text
        assert f"{found.value:.3f}" in text
    assert "Difference" in render_latex(two.comparison.models, two)
    right = two.comparison.joint_correctness("good", "poor")
    assert f">{float(right.both):,.0f}<" in page
    assert "assay compare" not in page  # made from arrays, so there is no command to repeat
    assert "Overlapping intervals" not in page


def test_the_first_line_gives_the_primary_verdict_and_then_the_secondary_ones(two: Compared) -> None:
    line = findings(two.comparison.models, two)[0]
    assert plain(line.finding) == (
        "good has a significantly higher ROC AUC than poor. "
        "Secondary measures: good has the better Brier score; no significant difference in accuracy at threshold 0.50"
    )
    assert "ROC AUC" in plain(line.evidence)
    assert "ROC AUC, the primary measure, is not adjusted for the others" in plain(line.caution)
    assert "adjusted for 2 secondary measures" in plain(line.caution)


def test_what_has_no_interval_speaks_for_nobody_in_the_first_line() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(2000) < 0.3
    good = 1 / (1 + np.exp(-rng.normal(2 * truth - 1.5, 1)))
    # Certain and wrong here and there: the log loss has no honest limits.
    noisy = np.clip(good + rng.normal(0, 0.3, 2000), 0, 1)
    found = Compared(compare(truth, {"good": good, "noisy": noisy}), ("roc_auc", "log_loss"))
    (of_losses,) = found.answer.differences["log_loss"]
    assert np.isnan(of_losses.low)
    assert plain(findings(found.comparison.models, found)[0].finding) == (
        "good has a significantly higher ROC AUC than noisy. Secondary measures: log loss not tested"
    )


def test_three_have_a_win_matrix_and_owners_of_the_hull() -> None:
    three = compared("a", "b", "c")
    blocks = written(three.comparison.models, ("headline",), three)
    assert list(blocks) == ["verdicts", "differences", "who-was-right", "wins", "hull", "headline"]
    forest = next(block for block in blocks["differences"] if isinstance(block, Forest))
    assert len([row for row in forest.rows if row.title == "ROC AUC"]) == 3
    assert {row.title for row in forest.rows} == {"ROC AUC", "Brier score", "Accuracy"}
    drawn = [abs(row.difference.high) for row in forest.rows if row.is_drawn]
    assert max(drawn) <= forest.reach <= 5 * max(drawn)
    assert "significantly better than" in plain(findings(three.comparison.models, three)[0].finding)


def test_a_comparison_writes_its_page(tmp_path: Path) -> None:
    path = tmp_path / "comparison.html"
    comparison(HOSTILE[0], HOSTILE[2]).report(path, margin=0.01)
    page = path.read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("<script") == 2
    assert 'data-live="better.finding"' in page
