"""No figure outlives its data: after a control has moved it is recomputed, or names what it was computed at."""

from __future__ import annotations

import csv
import io
import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import Opened
from tests.report.samples import labelled, many
from tests.report.test_downloads import SVG, saved, saving
from tests.report.test_live import drawn_states, forest, wanted_of

import assay
from assay.comparison import Difference
from assay.evaluation import Evaluation, Evaluations, TwoClassEvaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.report import write_html
from assay.report.computed_at import FIGURES, PARTS, RECOMPUTED, computed_at, depends_on, thresholds_words
from assay.report.data import CLASS_KNOTS
from assay.report.findings import findings
from assay.report.findings._moved import better_at, difference_at
from assay.report.findings._one import good_finding
from assay.report.findings._several import cheapest_finding
from assay.report.knots import KNOTS, RATIOS
from assay.report.live import Moved, Moving, confusion_caption, roc_caption, saving_words, threshold_finding
from assay.report.live_cautions import default_caution, majority_caution, recomputed
from assay.report.said import plain
from assay.report.sections import OF_COMPARISON, SECTIONS
from assay.report.sections._compared import Compared
from assay.report.sections.calibration import misfit_words
from assay.report.words import bracketed, count, signed
from assay.results import Estimate
from assay.sources import Source

# Every text with a figure: its section, the text, and whether a note beside it names what it was computed at.
FIGURES_ON_PAGE = """() => {
  const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim().replaceAll("\\u00a0", " "), of = walk.currentNode.parentElement;
    if (of.closest("script, style, #controls, nav, dt, code, .axis, [hidden]") || !/\\d/.test(text)) continue;
    const part = of.closest("main > section, main > details");
    const notes = [...(part ?? document.querySelector("header")).querySelectorAll("[data-depends]:not([hidden])")];
    const holds = note => (note.closest(".finding, tr") ?? note.parentElement).contains(of);
    const isHeld = of.localName === "h1" ? text.includes("(computed at") : notes.some(holds);
    found.push([part ? part.id : "first", text, isHeld]);
  }
  return found; }"""
# What Python answers by key, at one state after another.
READ = """hashes => hashes.map(hash => { location.hash = hash; window.dispatchEvent(new HashChangeEvent("hashchange"));
  const text = one => one.closest("[hidden]") ? "" : one.textContent.replaceAll("\\u00a0", " "), texts = {};
  for (const one of document.querySelectorAll("[data-live], [data-out]"))
    texts[`${one.dataset.live ?? one.dataset.out} ${one.dataset.model ?? ""}`.trim()] = text(one);
  for (const one of document.querySelectorAll("[data-depends]")) texts[`at ${one.dataset.depends}`] = text(one);
  for (const one of document.querySelectorAll("[data-mark]")) texts[`${one.dataset.mark}.mark`] = one.className;
  for (const one of document.querySelectorAll("tr[data-measure]"))
    texts[`row ${one.dataset.measure}`] = [...one.querySelectorAll(".n, .i")].map(text).join(" ");
  texts.headline = text(document.querySelector("h1"));
  texts.findings = [...document.querySelectorAll(".finding")].map(line => {
    const note = line.querySelector(".of-data")?.textContent.replace("Computed", "computed").replace(/\\.$/, "");
    return text(line.querySelector(".found")) + (note ? ` (${note.replaceAll("\u00a0", " ")})` : ""); }).join("; ");
  return texts; })"""


def two_models(cases: int = 900, seed: int = 3) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    """A tenth positive: a timid model, and one that flags far too many."""
    rng = np.random.default_rng(seed)
    truth, noise = rng.random(cases) < 0.1, rng.normal(size=cases)
    logits = {"logistic": 2.5 * truth - 2.5 + 0.6 * noise, "bayes": 2.2 * truth - 0.8 + 0.6 * noise}
    scores = {name: 1 / (1 + np.exp(-(logit + 0.8 * rng.normal(size=cases)))) for name, logit in logits.items()}
    return truth.astype(int), {name: score.round(4) for name, score in scores.items()}


def figures_on(browser: Any, path: Path, hash_: str = "") -> list[tuple[str, str, bool]]:
    opened = Opened(browser, path, hash_)
    found = [tuple(each) for each in opened.page.evaluate(FIGURES_ON_PAGE)]
    opened.close()
    return found


def models_of(kind: str) -> Mapping[str, Evaluation]:
    truth, scores = two_models()
    if kind == "one":
        return {"": assay.evaluate(truth, scores["bayes"])}
    if kind == "weighted":
        return {"": assay.evaluate(truth, scores["bayes"], weight=np.tile([1.0, 1.5], 450))}
    more = {"forest": (0.9 * scores["logistic"]).round(4)} if kind == "three" else {}
    return assay.evaluate_models(truth, scores | more)


@pytest.mark.parametrize("kind", ["one", "weighted", "two", "three"])
def test_no_figure_of_another_threshold_is_left(browser: Any, tmp_path: Path, kind: str) -> None:
    """Beside the page that Python writes at a threshold, the page moved there holds no figure of the one it left."""
    models = models_of(kind)
    key, ev = next(iter(models.items()))
    assert isinstance(ev, TwoClassEvaluation)
    write_html(models, tmp_path / "page.html")
    written = {text[:2] for text in figures_on(browser, tmp_path / "page.html")}
    thresholds, draw = Moving(ev, KNOTS).threshold, random.Random(kind)
    for _ in range(2):
        threshold = float(thresholds[draw.randrange(1, len(thresholds))])
        there = {key: ev.at(threshold)} | {name: one for name, one in models.items() if name != key}
        write_html(there if len(there) == 1 else Evaluations(there), tmp_path / "there.html")
        wanted = {text[:2] for text in figures_on(browser, tmp_path / "there.html")}
        moved = figures_on(browser, tmp_path / "page.html", f"#t={threshold!r}")
        left = [text for *text, has_note in moved if not has_note and tuple(text) in written - wanted]
        assert "\n".join(sorted(map(str, left))) == "", threshold


def cases_words(moving: Moving, moved: Moved) -> str:
    """How many positives the matrix is about: as many as there are, or as are to be expected."""
    table = moving.table
    if moved.prevalence is None:
        return f"{count(float(table.positives))} cases"
    expected = float(table.total) * moved.prevalence
    return f"{count(float(f'{expected:.{0 if expected >= 100 else 1}f}'))} cases"


def test_every_caution_note_and_description_is_pythons(browser: Any, tmp_path: Path) -> None:
    """At settings drawn at random: cautions that follow the threshold, notes, the first line, the title."""
    ev = models_of("one")[""]
    assert isinstance(ev, TwoClassEvaluation)
    write_html({"": ev}, tmp_path / "page.html")
    moving = Moving(ev, KNOTS)
    states = drawn_states(moving, random.Random(4), 25)
    opened = Opened(browser, tmp_path / "page.html")
    for (address, moved), texts in zip(states, opened.page.evaluate(READ, [a for a, _ in states]), strict=True):
        assert moved.at is not None
        threshold = float(moving.threshold[moved.at])
        majority = majority_caution(moving, moved)
        line = good_finding(ev if moved.at == moving.used else ev.at(threshold))
        wanted = {
            "A301 0": majority,
            "A305": default_caution({"": moving}, [moved]),
            "good.code": line.code,
            "good.caution": majority if line.code == "A301" else plain(line.caution),
            "headline": texts["findings"],
            "positives 0": cases_words(moving, moved),
        }
        for key in [key for key in texts if key.startswith("at ")]:
            wanted[key] = computed_at({"": moving}, [moved], key.removeprefix("at "))
        assert {key: texts[key] for key in wanted} == wanted, address
    opened.close()


def drawn_settings(moving: Mapping[str, Moving], draw: random.Random) -> tuple[str, list[Moved], float, float | None]:
    """An address with every control moved or left alone, and what it means for each model."""
    at = [draw.choice([one.used, draw.randrange(1, len(one.threshold))]) for one in moving.values()]
    ratio, share = draw.choice([1.0, draw.choice(RATIOS)]), draw.choice([None, 0.01, 0.3, 0.9])
    level, margin = draw.choice([0.95, 0.99]), draw.choice([None, None, 0.05])
    if draw.random() < 0.2:
        moved = [
            Moved(one.cheapest(one.weight(Moved(None, "", ratio, share))), "cost", ratio, share)
            for one in moving.values()
        ]
        where = "pick=cost"
    else:
        moved = [Moved(place, "", ratio, share) for place in at]
        words = [repr(float(one.threshold[place or 0])) for one, place in zip(moving.values(), at, strict=True)]
        where = f"t={'_'.join(words)}"
    parts = [where, f"ratio={ratio}", f"level={level}", f"model={draw.randrange(len(moving))}"]
    parts += [] if share is None else [f"prevalence={share}"]
    parts += [] if margin is None else [f"margin={margin}"]
    return "#" + "&".join(parts), moved, level, margin


def row_of(measure: Measure, found: Difference, moving: Mapping[str, Moving], moved: list[Moved]) -> str:
    """A row of the figure of differences: value and interval."""
    if computed_at(moving, moved, depends_on(measure)) and measure.name in RECOMPUTED:
        value = difference_at(measure, found, moving, moved)
        return (
            "\u2013 undefined"
            if np.isnan(value)
            else f"{signed(replace(found, value=value, low=np.nan, high=np.nan))} no interval"
        )
    return f"{signed(found)} {bracketed(found)}"


# Of comparisons: how the cases depend on one another, and what is requested.
COMPARED: Mapping[str, tuple[Mapping[str, Any], tuple[str, ...], float | None]] = {
    "as usual": ({}, (), None),
    "labels first": ({"threshold": 0.2}, ("accuracy", "roc_auc", "f1"), None),
    "with a margin": ({"level": 0.9}, ("recall", "kappa", "average_precision"), 0.02),
    "one measure": ({}, ("brier",), 0.1),
    "weighted": ({"weight": np.tile([1.0, 1.5, 0.4], 300)}, (), None),
    "clustered": ({"cluster": np.arange(900) // 6}, ("f1", "log_loss"), None),
}


@pytest.mark.parametrize("kind", COMPARED)
def test_two_models_follow_every_control(browser: Any, tmp_path: Path, kind: str) -> None:
    """At settings drawn at random: the verdict, the figure of differences, cautions, headings and notes."""
    options, measures, own_margin = COMPARED[kind]
    compared = Compared(assay.compare(*two_models(), **options), measures, own_margin)
    models = compared.comparison.models
    write_html(models, tmp_path / "page.html", compared)
    moving = {name: Moving(ev, KNOTS) for name, ev in models.items() if isinstance(ev, TwoClassEvaluation)}
    draw = random.Random(2)
    states = [drawn_settings(moving, draw) for _ in range(25)]
    opened = Opened(browser, tmp_path / "page.html")
    shown = opened.page.evaluate(READ, [address for address, *_ in states])
    for (address, moved, level, other_margin), texts in zip(states, shown, strict=True):
        named = thresholds_words(moving, [one.at for one in moved])
        margin = own_margin if other_margin is None else other_margin
        answer = compared.answer_at(level, margin)
        wanted = {
            "headline": texts["findings"],
            **wanted_of(better_at(answer, compared.names, moving, moved)),
            **(wanted_of(cheapest_finding(compared, moved[0])) if compared.cheapest[0] else {}),
        }
        if "decided-several" in texts:
            wanted["decided-several"] = f"at threshold {named}"
        if kind == "as usual":
            wanted["thresholds"] = named
            wanted["decided-all"] = "own thresholds" if "(" in named else f"threshold {named}"
        if not options:
            wanted["A305"] = default_caution(moving, moved)
        # Of weighted and of clustered cases the caution stays, with the threshold that it was computed at.
        for k, (name, one) in enumerate(moving.items()):
            if recomputed(one.ev):
                wanted[f"A301 {k}"] = majority_caution(one, moved[k], name)
        for measure in answer.measures:
            wanted[f"row {measure.name}"] = row_of(measure, answer.differences[measure.name][0], moving, moved)
        for key in [key for key in texts if key.startswith("at ")]:
            levels, margins = (compared.comparison.level, level), (own_margin, margin)
            wanted[key] = computed_at(moving, moved, key.removeprefix("at "), levels=levels, margins=margins)
        assert {key: texts[key] for key in wanted} == wanted, address
    opened.close()


def test_a_model_that_flags_nearly_all_is_not_praised(browser: Any, tmp_path: Path) -> None:
    """Where always predicting the commonest class is right more often, the verdict names no winner by accuracy."""
    models = models_of("two")
    write_html(models, tmp_path / "page.html")
    first, second = (ev for ev in models.values() if isinstance(ev, TwoClassEvaluation))
    opened = Opened(browser, tmp_path / "page.html", "#t=0.0001")
    low = opened.threshold
    difference = first.at(low).estimate("accuracy").value - second.estimate("accuracy").value
    assert difference < -0.5
    assert "better Brier score; accuracy at thresholds" in opened.live("better.finding")
    assert opened.live("better.finding").endswith("not tested")
    assert f"Accuracy {difference:+.3f}, no interval" in opened.live("better.evidence")
    assert 'always "0" has a higher accuracy' in opened.live("better.evidence")
    opened.close()


def test_the_panel_of_a_class_follows_its_threshold(browser: Any, tmp_path: Path) -> None:
    ev = many(4, 400)
    write_html({"": ev}, tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    for place, name in enumerate(ev.classes):
        moving = Moving(ev.against(name), CLASS_KNOTS)
        at = len(moving.threshold) // 2
        moved = Moved(at)
        opened.page.evaluate(READ, [f"#class={place}&t={float(moving.threshold[at])!r}"])
        panel = opened.page.locator(f'[data-class="{place}"]')
        words = str(panel.locator('[data-live="roc.caption"]').text_content()).replace("\u00a0", " ")
        assert words == plain(roc_caption(moving, moved))
        matrix = moving.matrix(at)
        assert matrix is not None
        assert panel.locator('[data-live="confusion.caption"]').text_content() == plain(confusion_caption(matrix))
        note = str(panel.locator("svg[data-figure^=roc] desc").text_content())
        recall = float(matrix.tp / matrix.positives)
        assert f"threshold {thresholds_words({'': moving}, [at])} recall {recall:.3f}" in note
    opened.close()


def test_every_section_is_constant_live_or_names_what_it_was_computed_at() -> None:
    """A section that is new must be put in one of these lists."""
    live = {
        *("key", "cautions", "roc", "precision-recall", "calibration", "expected-cost", "confusion", "densities"),
        *("reject", "gain", "lift", "net-benefit", "differences", "covariance", "murphy", "cost-weights"),
    }
    # Some have no threshold, some name the prevalence they are of, and those of a page without controls stand still.
    constant = {"card", "cost-curve", "methods", "reproduce", "hull"}
    not_on_page = {"headline", "operating-point", "worst-classes", "matrix"}
    by_measure = {"verdicts", "wins"}
    lists = [live, constant, not_on_page, by_measure, set(PARTS)]
    assert sum(map(len, lists)) == len(set().union(*lists))
    assert {*SECTIONS, *OF_COMPARISON} == set().union(*lists)


def test_captions_of_figures_that_stay_name_their_prevalence(browser: Any, tmp_path: Path) -> None:
    """Also where the axis is not linear, so that no mark on the figure moves."""
    write_html(models_of("two"), tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html", "#prevalence=0.4")
    for section in ("cheapest", "cost-weights", "covariance"):
        caption = str(opened.page.locator(f"#{section} figcaption").first.text_content())
        assert caption.replace("\u00a0", " ").endswith("This is of 10.6 % positives."), section
    opened.close()


def test_a_saved_picture_describes_the_figure_as_it_stands(browser: Any, tmp_path: Path) -> None:
    ev = forest()
    ev.report(tmp_path / "page.html")
    with saving(browser, tmp_path / "page.html", hash_="#t=0.2") as opened:
        root = ElementTree.fromstring(saved(opened, "roc", "SVG")[1])
        table = list(csv.reader(io.StringIO(saved(opened, "precision-recall", "CSV")[1])))
    found = root.find(f"{SVG}desc")
    assert found is not None
    assert found.text is not None
    recall = ev.at(0.2).estimate("recall")
    assert f"threshold 0.20 recall {recall.value:.3f}" in found.text
    assert "0.50" not in found.text
    assert "At 0.20 it finds" in found.text.replace("\u00a0", " ")
    assert "computed at" not in table[0]


def test_a_saved_table_names_the_settings_it_was_computed_at(browser: Any, tmp_path: Path) -> None:
    ev = forest()
    ev.report(tmp_path / "page.html")
    with saving(browser, tmp_path / "page.html", hash_="#ratio=5&prevalence=0.5") as opened:
        heads, *rows = csv.reader(io.StringIO(saved(opened, "expected-cost", "CSV")[1]))
    share = f"{100 * ev.shares['1']:.1f}"
    assert heads[-1] == "computed at"
    assert {row[-1].replace("\u00a0", " ") for row in rows} == {f"{share} % positives and 1 : 1"}
    assert FIGURES["cost"] == "prevalence ratio"


def test_a_negative_saving_is_called_more_expensive(browser: Any, tmp_path: Path) -> None:
    found = Estimate("saving", -0.018, -0.05, 0.01, 0.95, "", 100.0)
    assert saving_words(found) == {"saving": "1.8 % more expensive", "limits": "[-1.0 %, 5.0 %]"}
    # Nearly worthless scores: no threshold saves anything.
    rng = np.random.default_rng(2)
    truth = (rng.random(300) < 0.3).astype(int)
    ev = assay.evaluate(truth, (0.5 * rng.random(300) + 0.02 * truth).round(3))
    ev.report(tmp_path / "page.html")
    moving = Moving(ev, KNOTS)
    opened = Opened(browser, tmp_path / "page.html")
    states = drawn_states(moving, random.Random(1), 40)
    shown = opened.page.evaluate(READ, [address for address, _ in states])
    is_seen = False
    for (address, moved), texts in zip(states, shown, strict=True):
        line = threshold_finding(moving, moved)
        assert texts["threshold.evidence"] == plain(line.evidence), address
        assert texts["threshold.finding"] == plain(line.finding), address
        said = texts["threshold.evidence"] + texts["threshold.finding"]
        is_seen = is_seen or "more expensive" in said
        assert "-" not in said.split(" cheaper")[0].rsplit(" ", 2)[-2] if " cheaper" in said else True
    assert is_seen
    opened.close()


def test_labels_alone_have_no_order_of_scores() -> None:
    ev = labelled(ConfusionMatrix(np.array([[90, 10], [20, 80]]), ("0", "1")))
    (line, *_) = findings({"": ev})
    assert plain(line.caution) == "No caution: accuracy is compared with always answering the commonest class."


def test_the_caution_about_log_loss_leads_to_log_loss() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(400) % 2
    score = np.where(truth == 1, 0.7, 0.3) + 0.2 * rng.normal(size=400).round(2)
    ev = assay.evaluate(truth, np.clip(score, 0, 1).round(2))
    line = good_finding(ev)
    assert (line.code, line.link, line.link_words) == ("A202", "measures", "All measures")


def test_one_probability_that_is_wrong_is_named_by_itself() -> None:
    score, positive = np.repeat([0.0, 1.0], 300), np.tile([True, False, False], 200)
    table = ScoreTable.of(score, positive)
    source = Source("a.csv", "csv", rows=600)
    ev = TwoClassEvaluation(source=source, matrix=table.at(0.5), scores=table, threshold_used=0.5)
    words = misfit_words(ev)
    assert "confident at 0" in words
    assert "from at" not in words
