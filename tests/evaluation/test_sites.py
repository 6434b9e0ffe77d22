"""Sites: the table of each before any mean, the summary, the forest plot, the page, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.special import expit, logit

import assay
from assay.comparison import pooled
from assay.errors import InputError, OptionError
from assay.evaluation import Sites


def drawn(n: int, seed: int, gap: float = 1.2, share: float = 0.4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    return truth, expit(rng.normal(2 * gap * truth - gap, 1.0))


@pytest.fixture(scope="module")
def sites() -> Sites:
    """Five sites of unequal size that hardly differ."""
    sizes = {"a": 80, "b": 150, "c": 60, "d": 240, "e": 100}
    return assay.pool({name: assay.evaluate(*drawn(n, k)) for k, (name, n) in enumerate(sizes.items())})


@pytest.fixture(scope="module")
def apart() -> Sites:
    """Six sites that differ much, in prevalence too."""
    gaps, shares = (0.1, 0.5, 1.0, 1.6, 2.0, 2.4), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    each = {f"site {k}": assay.evaluate(*drawn(200, k, *both)) for k, both in enumerate(zip(gaps, shares, strict=True))}
    return assay.pool(each)


def test_the_table_of_the_sites_comes_before_any_mean(sites: Sites) -> None:
    table = sites.table("roc_auc")
    assert list(table.columns["site"]) == ["a", "b", "c", "d", "e"]
    assert table.columns["cases"] == [80, 150, 60, 240, 100]
    assert [a + b for a, b in zip(table.columns["of 0"], table.columns["of 1"], strict=True)] == table.columns["cases"]
    assert table.columns["low"][0] == sites.evaluations["a"].roc_auc.low
    said = repr(sites)
    assert said.index("ROC AUC at each site") < said.index("over 5 sites")
    assert sites.to_dict()["sites"]["a"]["cases"] == 80
    assert list(sites.to_dict()).index("sites") < list(sites.to_dict()).index("summary")


def test_the_summary_is_that_of_logits_and_delongs_errors(sites: Sites) -> None:
    found = sites.summary("roc_auc", method="dl", limits="hartung-knapp")
    by_delong = [ev.estimate("roc_auc", method="delong") for ev in sites.evaluations.values()]
    value, error = np.array([[e.value, e.se] for e in by_delong]).T
    whole = pooled(logit(value), (error / (value * (1 - value))) ** 2, method="dl", limits="hartung-knapp")
    assert found.estimate.value == pytest.approx(expit(whole.estimate), rel=1e-12)
    assert found.estimate.low == pytest.approx(expit(whole.low), rel=1e-12)
    assert found.estimate.method == "DerSimonian-Laird, Hartung-Knapp, logit"
    assert (found.tau2, found.i2) == (whole.tau2, whole.i2)
    assert sum(found.weights.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "measure", ["recall", "mcc", "brier", "log_loss", "brier_skill", "average_precision", "f1", "gini"]
)
def test_every_measure_with_a_standard_error_is_pooled_on_its_own_scale(sites: Sites, measure: str) -> None:
    found = sites.summary(measure)
    low, high = found.measure.bounds
    values = [ev.estimate(measure).value for ev in sites.evaluations.values()]
    assert min(values) <= found.estimate.value <= max(values)
    assert low <= found.prediction.low <= found.estimate.low <= found.estimate.value
    assert found.estimate.value <= found.estimate.high <= found.prediction.high <= high


def test_a_measure_without_a_standard_error_is_refused_by_name(sites: Sites) -> None:
    with pytest.raises(OptionError, match="Smirnov"):
        sites.summary("ks")


def test_the_test_and_the_interval_agree(sites: Sites) -> None:
    found = sites.summary("roc_auc")
    assert found.test(found.estimate.low - 0.001).p_value < 0.05 < found.test(found.estimate.low + 0.001).p_value
    assert found.test(0.5).p_value < 0.001


def test_sites_of_one_file_are_its_subgroups() -> None:
    truth, score = drawn(400, 9)
    where = np.array(["north", "south", "east", "west"])[np.arange(400) % 4]
    by_column = assay.pool(assay.evaluate(truth, score, by=where))
    by_hand = {name: assay.evaluate(truth[where == name], score[where == name]) for name in by_column.names}
    assert by_column.by == "by"
    assert by_column.summary().estimate.value == pytest.approx(assay.pool(by_hand).summary().estimate.value, rel=1e-12)


def test_a_site_without_errors_or_without_a_class_is_named() -> None:
    truth, score = drawn(300, 3)
    perfect = assay.evaluate([0] * 10 + [1] * 10, np.arange(20) / 20)
    one_class = assay.evaluate([0] * 8, np.arange(8) / 8)
    parts = {f"part {k}": assay.evaluate(truth[k::3], score[k::3]) for k in range(3)}
    found = assay.pool({**parts, "perfect": perfect, "healthy": one_class})
    summary = found.summary("roc_auc")
    assert summary.left_out == {"healthy": "all true labels are of one class, so there is no pair to rank"}
    assert "perfect" in summary.remarks
    assert "added at either end of its scores): perfect." in repr(summary)
    assert [one.code for one in found.cautions("roc_auc")] == ["A601", "A603"]
    assert "healthy" in repr(found)
    weights = found.to_dict("roc_auc")["sites"]
    assert weights["healthy"]["weight"] is None
    assert weights["healthy"]["left_out"]


def test_sites_that_differ_are_told_by_the_new_site_first(apart: Sites) -> None:
    found = apart.summary("roc_auc")
    assert found.i2 > 0.8
    assert found.sentences[0].startswith("A new site's true value is expected between")
    codes = [one.code for one in apart.cautions("roc_auc")]
    assert codes == ["A602", "A605"]
    moved = {one.code: one.message for one in apart.cautions("precision")}
    assert "depends on that share" in moved["A602"]
    assert "does not depend on that share" in {one.code: one.message for one in apart.cautions("roc_auc")}["A602"]


def test_one_site_dominates() -> None:
    sizes = {"huge": 4000, "b": 60, "c": 60, "d": 60, "e": 60}
    found = assay.pool({name: assay.evaluate(*drawn(n, k)) for k, (name, n) in enumerate(sizes.items())})
    said = {one.code: one.message for one in found.cautions("roc_auc", method="fixed")}
    assert said["A604"].startswith("'huge' has 9")
    rest = found.leave_one_out("roc_auc", method="fixed")
    assert list(rest.columns["without"]) == list(sizes)
    assert rest.columns["high"][0] - rest.columns["low"][0] > rest.columns["high"][1] - rest.columns["low"][1]


def test_two_sites_are_pooled_with_a_caution_and_one_is_refused(sites: Sites) -> None:
    two = assay.pool({name: sites.evaluations[name] for name in ("a", "b")})
    found = two.summary("roc_auc")
    assert found.prediction.undefined is None
    assert two.summary("roc_auc", prediction="k-2").prediction.undefined is not None
    assert "A601" in [one.code for one in two.cautions()]
    with pytest.raises(OptionError, match="one site"):
        assay.pool({"a": sites.evaluations["a"]})
    with pytest.raises(OptionError, match="three at least"):
        two.leave_one_out()


def test_what_is_no_set_of_sites_is_refused(sites: Sites) -> None:
    ev = sites.evaluations["a"]
    for given, words in (([ev], "list"), (ev, "by='site'"), ({}, "no site"), ({"a": 1}, "mapping")):
        with pytest.raises(InputError, match=words):
            assay.pool(given)  # type: ignore[arg-type]
    other = assay.evaluate(["x", "y"] * 20, y_pred=["x", "y", "y", "x"] * 10, positive="y")
    with pytest.raises(InputError, match="the same classes"):
        assay.pool({"a": ev, "b": other})
    with pytest.raises(OptionError, match="'fixed'"):
        sites.summary("roc_auc", method="fixed", limits="hartung-knapp")
    with pytest.raises(OptionError, match="method"):
        sites.summary("roc_auc", method="dersimonian")


def test_many_classes_are_pooled_too() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, 300)
    chance = rng.dirichlet([1, 1, 1], 300) + 0.4 * np.eye(3)[truth]
    ev = assay.evaluate(truth, y_proba=chance / chance.sum(1, keepdims=True), by=np.arange(300) % 4)
    for measure in ("macro_roc_auc", "accuracy", "macro_f1"):
        assert 0 < assay.pool(ev).summary(measure).estimate.value < 1


def test_the_forest_plot_draws_every_site_the_mean_and_a_new_one(sites: Sites, tmp_path: Path) -> None:
    drawing = sites.forest("roc_auc")
    figure = drawing.figure()
    assert figure.y.tick_words()[1:-1] == ("A new site", "Mean of sites", "e", "d", "c", "b", "a")
    assert [dot.label for dot in figure.dots] == ["a", "b", "c", "d", "e"]
    assert max(figure.dots, key=lambda dot: dot.size or 0).label == "d"
    root = ElementTree.fromstring(drawing.svg())
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Mean of sites" in words
    assert any(word and word.endswith(" %") for word in words)
    assert drawing.table().columns["site"] == ["a", "b", "c", "d", "e", "Mean of sites", "A new site"]
    sites.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("Sites</h2>") < page.index("Forest plot</h2>") < page.index("Heterogeneity between sites</h2>")
    assert 'data-figure="sites_forest"' in page


def test_the_forest_plot_by_matplotlib(sites: Sites) -> None:
    from matplotlib.figure import Figure as Canvas

    axes = sites.forest("roc_auc").plot(Canvas().add_subplot())
    assert [label.get_text() for label in axes.get_yticklabels()][-2] == "a"


def test_notebooks_show_sites(sites: Sites) -> None:
    assert "sites_forest" in sites._repr_html_()
    assert "Cochran" in sites.summary()._repr_html_()


def test_sites_closer_together_than_chance_have_no_limits_of_no_width(sites: Sites) -> None:
    """Q below what any variance between sites, 0 included, would give in 97.5 % of samples."""
    ev = next(iter(sites.evaluations.values()))
    found = assay.pool({f"copy {k}": ev for k in range(6)}).summary()
    assert (
        "0.0 % of the variance between sites is not sampling error (I2; no limits: closer than chance expects)"
        in found.sentences[2]
    )


def test_small_sites_are_tested_for(sites: Sites) -> None:
    assert sites.small_sites("roc_auc").test == "Egger"
    alike = assay.pool(dict.fromkeys(("a", "b", "c"), sites.evaluations["a"]))
    assert alike.small_sites("roc_auc").undefined is not None


def test_the_parts_of_merged_evidence_are_sites() -> None:
    rng = np.random.default_rng(3)
    parts, alone = [], {}
    for name, shift in (("north", 1.0), ("south", 1.5), ("west", 2.0)):
        truth = (rng.random(300) < 0.4).astype(int)
        score = 1 / (1 + np.exp(-rng.normal(shift * truth, 1)))
        parts.append(assay.reduce(truth, score, name=name))
        alone[name] = assay.evaluate(truth, score)
    merged, rows = assay.pool(assay.merge(*parts)), assay.pool(alone)
    assert merged.names == rows.names
    assert merged.summary("roc_auc").estimate.value == pytest.approx(rows.summary("roc_auc").estimate.value, abs=1e-5)
    assert merged.summary("recall").tau2 == pytest.approx(rows.summary("recall").tau2)
    at = assay.pool(assay.merge(*parts), threshold=0.75)
    assert at.table("recall").to_dict()["estimate"][0] == pytest.approx(alone["north"].at(0.75).recall.value, abs=0.01)
    with pytest.raises(OptionError, match="threshold is given beside evaluations"):
        assay.pool(alone, threshold=0.75)
    with pytest.raises(OptionError, match="there is one site"):
        assay.pool(parts[0])
