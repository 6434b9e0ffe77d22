"""At another prevalence the page shows what Python finds where the classes are mixed so, or says that it does not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.report.driving import AXES, ONE, Folder, Opened

from assay.calibration.diagrams import reliability_diagram
from assay.curves import decision_curve
from assay.evaluation.curves import Curves
from assay.evidence import ScoreTable

Floats = NDArray[np.float64]
SHARES = (0.05, 0.5, 0.9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The pages the script is tried on."""
    return Folder(tmp_path_factory.mktemp("prevalence"))


def mixed(share: float) -> ScoreTable:
    """The same scores of either class where this share of the cases is positive."""
    assert ONE.scores is not None
    table = ONE.scores
    negative, positive = table.negative / table.negatives, table.positive / table.positives
    return ScoreTable(table.score, negative * (1 - share), positive * share)


def corners(opened: Opened, figure: str, selector: str, scale: float = 1.0) -> Floats:
    """The corners of a line in the units of its axes, the pieces below one another."""
    svg = opened.page.locator(f"svg[data-figure={figure}]")
    data = {key: float(svg.get_attribute(f"data-{key}")) for key in AXES}
    text = str(svg.locator(selector).first.get_attribute("d"))
    at = np.array([[float(n) for n in pair.split(" ")] for pair in re.findall(r"[\d.-]+ [\d.-]+", text)])
    at = at.reshape(-1, 2)
    x = data["x0"] + (at[:, 0] - data["left"]) / data["width"] * (data["x1"] - data["x0"])
    y = data["y1"] - (at[:, 1] - data["top"]) / data["height"] * (data["y1"] - data["y0"])
    return np.column_stack((x, scale * y))


@pytest.mark.parametrize("share", SHARES)
def test_net_benefit_follows(browser: Any, folder: Folder, share: float) -> None:
    opened = Opened(browser, folder / "one.html", f"#prevalence={share}")
    own = 0.25
    for selector, name in (("path.f-model-0", "net_benefit"), ("path.f-reference", "act_on_all")):
        found = corners(opened, "net_benefit", selector, share / own)
        curve = decision_curve(mixed(share))
        place = np.abs(curve.threshold[None, :] - found[:, 0, None]).argmin(1)
        near = np.abs(curve.threshold[place] - found[:, 0]) < 1e-3
        assert near.sum() > 5
        wanted = getattr(curve, name)[place][near]
        # A tenth of a unit of the drawing, steep where acting on everyone turns harmful.
        assert found[near, 1] == pytest.approx(wanted, abs=0.003 * share / own + 0.02 * (name == "act_on_all"))
    ticks = opened.page.locator("svg[data-figure=net_benefit] g[text-anchor=end]>text[dy]").all_text_contents()
    assert float(ticks[-1]) == pytest.approx(0.4 * share / own, rel=0.02)
    assert not opened.page.locator("svg[data-figure=net_benefit] path.f-model-0-area").is_visible()
    assert "Using the same scores at" in opened.page.locator("#net-benefit figcaption").inner_text()
    opened.close()


@pytest.mark.parametrize("share", SHARES)
def test_the_reject_curve_follows(browser: Any, folder: Folder, share: float) -> None:
    opened = Opened(browser, folder / "one.html", f"#prevalence={share}")
    found, curve = corners(opened, "reject", "path.f-model-0"), Curves(mixed(share)).reject
    known = np.isfinite(curve.y)
    points = np.column_stack((curve.x, curve.y))[known]
    assert len(found) > 10
    away = np.hypot(*(found[:, None, :] - points[None, :, :]).transpose(2, 0, 1)).min(1)
    assert away.max() < 0.002
    random = corners(opened, "reject", "path.f-reference")
    if len(random):
        assert random[:, 1] == pytest.approx(float(curve.y[-1]), abs=0.001)
    opened.close()


@pytest.mark.parametrize("share", SHARES)
def test_what_a_score_means_follows_bayes(browser: Any, folder: Folder, share: float) -> None:
    opened = Opened(browser, folder / "one.html", f"#prevalence={share}")
    found = corners(opened, "calibration", "path.f-model-0")
    diagram = reliability_diagram(mixed(share), groups=None, with_band=False)
    line = diagram.drawing().traces[-1]
    points = np.column_stack((line.x, line.y))
    away = np.hypot(*(found[:, None, :] - points[None, :, :]).transpose(2, 0, 1)).min(1)
    assert away.max() < 0.003
    svg = opened.page.locator("svg[data-figure=calibration]")
    for part in ("path.f-mark", "path.f-negatives-area", "circle.f-model-0-dot"):
        assert not svg.locator(part).first.is_visible()
    assert "Bayes" in opened.page.locator("#calibration figcaption").inner_text()
    opened.close()


def test_nothing_of_another_prevalence_goes_unsaid(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html", "#prevalence=0.05")
    assert "at the 25.0\u00a0% positives of the data" in opened.said("method-note")
    for section in ("roc", "densities"):
        assert (
            "This figure does not depend on the prevalence"
            in opened.page.locator(f"#{section} figcaption").inner_text()
        )
    for section in ("precision-recall", "gain", "lift", "covariance"):
        assert "25.0\u00a0% positives" in opened.page.locator(f"#{section} figcaption").inner_text()
    assert ONE.matrix is not None
    tp, fp = float(ONE.matrix.tp) / 50 * 0.05, float(ONE.matrix.fp) / 150 * 0.95
    assert opened.said("tp-column", 0) == f"{100 * tp / (tp + fp):.1f}\u00a0%"
    assert opened.said("fp-column", 0) == f"{100 * fp / (tp + fp):.1f}\u00a0%"
    assert opened.said("tp-row", 0) == f"{100 * float(ONE.matrix.tp) / 50:.1f}\u00a0%"
    opened.close()


def test_the_way_back_leads_to_the_page_as_written(browser: Any, folder: Folder) -> None:
    opened = Opened(browser, folder / "one.html")
    read = """() => [...document.querySelectorAll('main figure')]
        .map(figure => figure.outerHTML.replace(/ data-tick="[^"]*"/g, ''))"""
    before = opened.page.evaluate(read)
    opened.press("input[data-control=prevalence]", "PageUp", "PageUp")
    assert opened.page.evaluate(read) != before
    opened.page.locator("[data-reset=prevalence]").first.click()
    after = opened.page.evaluate(read)
    # Costs are worked out anew, to the same tenth of a unit; all else is put back.
    differing = [k for k, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]
    assert all('data-figure="cost"' in before[k] for k in differing)
    opened.close()


def test_a_page_without_probabilities_has_nothing_to_follow(browser: Any, tmp_path: Path) -> None:
    from tests.report.samples import scored

    scored(as_logits=True, threshold=0.0).report(tmp_path / "logits.html")
    opened = Opened(browser, tmp_path / "logits.html", "#prevalence=0.5")
    assert opened.page.locator("svg[data-figure=calibration]").count() == 0
    opened.close()


@pytest.mark.parametrize("share", SHARES)
def test_a_perfect_ranking_finds_all_positives_among_so_many_cases(browser: Any, folder: Folder, share: float) -> None:
    opened = Opened(browser, folder / "one.html", f"#prevalence={share}")
    chance, perfect = (corners(opened, "gain", f"path.f-reference >> nth={k}") for k in (0, 1))
    assert chance[:, 0] == pytest.approx(chance[:, 1], abs=0.001)
    assert perfect[1] == pytest.approx([share, 1.0], abs=0.001)
    opened.close()
