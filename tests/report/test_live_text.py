"""Every number and sentence that follows the controls, at states drawn at random, beside what Python says there.

No figure outlives its data: after a control has moved it is recomputed, or names what it was computed at.
"""

from __future__ import annotations

import csv
import io
import math
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

import assay
from assay.comparison import Difference
from assay.evaluation import Evaluation, Evaluations, TwoClassEvaluation
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, find
from assay.report import write_html
from assay.report.first_screen import better_at, cheapest_finding, difference_at, findings, good_finding
from assay.report.live_text import (
    FIGURES,
    KNOTS,
    PARTS,
    RATIOS,
    RECOMPUTED,
    Moved,
    Moving,
    bar_sentence,
    computed_at,
    confusion_caption,
    default_caution,
    depends_on,
    majority_caution,
    recomputed,
    roc_caption,
    saving_words,
    threshold_finding,
    thresholds_words,
)
from assay.report.page_data import CLASS_KNOTS
from assay.report.sections import OF_COMPARISON, SECTIONS
from assay.report.sections.calibration import misfit_words
from assay.report.sections.comparison import LEVELS, Compared, pairing
from assay.report.sentences import FoundLine, plain, said
from assay.report.wording import bracketed, count, number, percent, signed, value_words
from assay.results import Estimate
from assay.sources import Source

STATES = 60
# Everything that is written where the controls stand, at one state after another, in one go.
READ = """hashes => hashes.map(hash => { location.hash = hash; window.dispatchEvent(new HashChangeEvent("hashchange"));
  const texts = {};
  for (const one of document.querySelectorAll("[data-live]")) {
    texts[`${one.dataset.live} ${one.dataset.model ?? ""}`.trim()] = one.textContent; }
  for (const one of document.querySelectorAll("[data-out]")) {
    texts[`${one.dataset.out} ${one.dataset.model ?? ""}`.trim()] = one.textContent; }
  for (const one of document.querySelectorAll("[data-mark]")) texts[`${one.dataset.mark}.mark`] = one.className;
  for (const one of document.querySelectorAll("[data-bar]")) {
    const base = one.querySelector(".base");
    texts[`${one.dataset.bar}.base ${one.dataset.model}`] = base ? base.getAttribute("x1") : ""; }
  texts.box = document.querySelector("[data-control=threshold-value]").value;
  return texts; })"""


def forest(cases: int = 2500, *, seed: int = 1, digits: int = 3) -> TwoClassEvaluation:
    """Scores like a forest's, a sixth of the cases positive."""
    rng = np.random.default_rng(seed)
    truth = rng.random(cases) < 1 / 6
    score = 1 / (1 + np.exp(-(2.2 * truth - 2.4 + 1.3 * rng.normal(size=cases))))
    found = assay.evaluate(truth.astype(int), score.round(digits))
    assert isinstance(found, TwoClassEvaluation)
    return found


def drawn_states(moving: Moving, rng: random.Random, states: int) -> list[tuple[str, Moved]]:
    """Addresses, and what they mean in Python."""
    found = []
    for _ in range(states):
        at = rng.randrange(len(moving.threshold))
        ratio = rng.choice([1.0, rng.choice(RATIOS), float(f"{10 ** rng.uniform(-2, 2):.4g}")])
        share = rng.choice([None, None, float(f"{rng.uniform(0.001, 0.999):.3g}")])
        pick = rng.choice(["", "", "", "cost"])
        parts = [f"ratio={ratio!r}"] + ([] if share is None else [f"prevalence={share!r}"])
        moved = Moved(at, pick, ratio, share)
        if pick == "cost":
            parts.append("pick=cost")
            moved = Moved(moving.cheapest(moving.weight(moved)), pick, ratio, share)
        elif rng.random() < 0.2:
            moved = Moved(moving.used, "", ratio, share)
        else:
            t = float(moving.threshold[at])
            parts.append("t=Infinity" if math.isinf(t) else f"t={t!r}")
        found.append(("#" + "&".join(parts), moved))
    return found


def of_data(moving: Moving, moved: Moved) -> str:
    """At another prevalence lines that do not follow it say whose they are."""
    return "" if moved.prevalence is None else plain(said("good.of_data", share=percent(moving.share)))


def wanted_of(line: FoundLine) -> dict[str, str]:
    return {
        f"{line.key}.finding": plain(line.finding),
        f"{line.key}.evidence": plain(line.evidence),
        f"{line.key}.caution": plain(line.caution),
        f"{line.key}.code": line.code,
        f"{line.key}.mark": f"mark {line.mark}",
    }


def expected_cells(moving: Moving, moved: Moved) -> dict[str, str]:
    """What the matrix holds: counts, or what is to be expected of as many cases elsewhere."""
    matrix = moving.matrix(moved.at)
    assert matrix is not None
    cells = {"tp": matrix.tp, "fn": matrix.fn, "fp": matrix.fp, "tn": matrix.tn}
    if moved.prevalence is None:
        return {name: count(float(cell)) for name, cell in cells.items()}
    n, p = float(matrix.total), moved.prevalence
    scale = {"tp": n * p / matrix.positives, "fp": n * (1 - p) / matrix.negatives}
    scale |= {"fn": scale["tp"], "tn": scale["fp"]}
    found = {name: float(cells[name] * scale[name]) for name in cells}
    return {name: count(float(f"{cell:.{0 if cell >= 100 else 1}f}")) for name, cell in found.items()}


def of_one(moving: Moving, moved: Moved) -> dict[str, str]:
    """Everything that Python says of one model at a state."""
    texts = wanted_of(threshold_finding(moving, moved))
    texts |= {"bar": plain(bar_sentence(moving, moved)), "of_data": of_data(moving, moved)}
    matrix = moving.matrix(moved.at)
    assert matrix is not None
    texts["roc.caption"] = plain(roc_caption(moving, moved))
    texts["confusion.caption 0"] = plain(confusion_caption(matrix, moved.prevalence))
    texts |= {f"{name} 0": cell for name, cell in expected_cells(moving, moved).items()}
    share = moving.share if moved.prevalence is None else moved.prevalence
    texts["prevalence"] = percent(share)
    assert moved.at is not None
    threshold = float(moving.threshold[moved.at])
    texts["box"] = "above all" if math.isinf(threshold) else f"{threshold!r}".removesuffix(".0")
    if moved.prevalence is None and not moved.pick:
        at = moving.ev.at(threshold)
        for name in ("recall", "precision", "specificity", "accuracy", "f1"):
            one = at.estimate(name)
            texts[f"{name} 0"] = "\u2013" if math.isnan(one.value) else value_words(one)
            if not math.isnan(one.low):
                texts[f"{name}-limits 0"] = bracketed(one)
    return texts


@pytest.mark.parametrize("seed", [1, 2])
def test_every_sentence_and_number_of_one_model_is_pythons(browser: Any, tmp_path: Path, seed: int) -> None:
    """A property: whatever the controls are moved to, the page says what Python says there."""
    ev = forest(seed=seed)
    ev.report(tmp_path / "page.html")
    moving = Moving(ev, KNOTS)
    states = drawn_states(moving, random.Random(seed), STATES)
    opened = Opened(browser, tmp_path / "page.html")
    shown = opened.page.evaluate(READ, [address for address, _ in states])
    for (address, moved), texts in zip(states, shown, strict=True):
        for key, wanted in of_one(moving, moved).items():
            assert texts[key].replace("\u00a0", " ") == wanted, (address, key)
    opened.close()


def test_thresholds_of_the_page_call_the_same_cases_in_python_and_in_every_unit(browser: Any, tmp_path: Path) -> None:
    """At a thousand settings box, address and `ev.at` agree to the last case."""
    ev = forest(digits=6)
    assert len(ev.curves.scores) > KNOTS
    ev.report(tmp_path / "page.html")
    moving, rng = Moving(ev, KNOTS), random.Random(5)
    opened = Opened(browser, tmp_path / "page.html")
    found = opened.page.evaluate(
        """texts => { const box = document.querySelector("[data-control=threshold-value]"), seen = [];
          for (const [unit, text] of texts) {
            const radio = document.querySelector(`input[name=unit][value=${unit}]`);
            if (!radio.checked) { radio.checked = true; radio.dispatchEvent(new Event("change")); }
            box.value = text; box.dispatchEvent(new Event("change"));
            const at = document.querySelector("#threshold").dataset.at;
            seen.push([box.value, at, document.querySelector('[data-out=tp]').textContent,
                       document.querySelector('[data-out=fp]').textContent]); }
          return seen; }""",
        typed := [
            (unit, f"{rng.uniform(-0.1, 1.2):.4f}" if unit != "flagged" else f"{rng.uniform(0, 100):.2f}")
            for unit in ("score", "flagged", "recall", "fpr")
            for _ in range(250)
        ],
    )
    for (unit, text), (box, at, tp, fp) in zip(typed, found, strict=True):
        threshold = math.inf if at == "Infinity" else float(at)
        matrix = ev.curves.scores.at(threshold)
        assert (tp, fp) == (count(float(matrix.tp)), count(float(matrix.fp))), (unit, text)
        if unit == "score":
            # The next one up that the page holds, and the box shows that very number.
            held = moving.threshold[moving.threshold >= float(text)].min()
            assert threshold == held
            assert (math.inf if box == "above all" else float(box)) == threshold
        elif unit == "flagged":
            assert float(box.removesuffix(" %")) == pytest.approx(
                100 * float((matrix.tp + matrix.fp) / matrix.total), rel=1e-3
            )
        else:
            assert float(box) == pytest.approx(float(find(unit)(matrix)), rel=1e-3, abs=1e-9)
    opened.close()


@pytest.mark.parametrize("models", [2, 3])
def test_every_line_about_several_models_is_pythons(browser: Any, tmp_path: Path, models: int) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(900) < 0.25
    scores = {
        name: (1 / (1 + np.exp(-((2.0 - 0.4 * k) * truth - 1.5 + rng.normal(size=900))))).round(3)
        for k, name in enumerate("abc"[:models])
    }
    evs = assay.evaluate_models(truth.astype(int), scores)
    evs.report(tmp_path / "page.html")
    compared = pairing(evs)
    assert isinstance(compared, Compared)
    draw = random.Random(models)
    states = []
    for _ in range(STATES):
        moved = Moved(ratio=draw.choice([*RATIOS, 3.7]), prevalence=draw.choice([None, 0.02, 0.4, 0.9]))
        level, margin = draw.choice(LEVELS), draw.choice([None, 0.01, 0.2])
        parts = [f"ratio={moved.ratio!r}", f"level={level:g}"]
        parts += [] if moved.prevalence is None else [f"prevalence={moved.prevalence!r}"]
        parts += [] if margin is None else [f"margin={margin!r}"]
        states.append(("#" + "&".join(parts), moved, level, margin))
    opened = Opened(browser, tmp_path / "page.html")
    shown = opened.page.evaluate(READ, [address for address, *_ in states])
    for (address, moved, level, margin), texts in zip(states, shown, strict=True):
        wanted = wanted_of(cheapest_finding(compared, moved))
        if models == 2:
            each = {key: Moving(ev, KNOTS) for key, ev in evs.items() if isinstance(ev, TwoClassEvaluation)}
            places = [replace(moved, at=one.used) for one in each.values()]
            wanted |= wanted_of(better_at(compared.answer_at(level, margin), compared.names, each, places))
        for key, words in wanted.items():
            assert texts[key].replace("\u00a0", " ") == words, (address, key)
    opened.close()


def test_baselines_follow_the_threshold_and_the_prevalence(browser: Any, tmp_path: Path) -> None:
    ev = forest()
    ev.report(tmp_path / "page.html")
    moving = Moving(ev, KNOTS)
    states = [state for state in drawn_states(moving, random.Random(7), 30) if state[1].pick == ""]
    opened = Opened(browser, tmp_path / "page.html")
    for (_, moved), texts in zip(states, opened.page.evaluate(READ, [a for a, _ in states]), strict=True):
        matrix = moving.matrix(moved.at)
        assert matrix is not None
        share = moving.share if moved.prevalence is None else moved.prevalence
        recall, fpr = float(matrix.tp / matrix.positives), float(matrix.fp / matrix.negatives)
        flagged = share * recall + (1 - share) * fpr
        wanted = {"recall": flagged, "specificity": 1 - flagged, "precision": share, "accuracy": max(share, 1 - share)}
        for name, value in wanted.items():
            if moved.at != moving.used:
                assert float(texts[f"{name}.base 0"].removesuffix("%")) == pytest.approx(100 * value, abs=0.006), name
    opened.close()


def test_what_is_not_a_number_is_put_back(browser: Any, tmp_path: Path) -> None:
    forest().report(tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    box = opened.page.locator("[data-control=threshold-value]")
    for text in ("", "abc", "0,5", "--"):
        box.fill(text)
        box.press("Enter")
        assert box.input_value() == "0.5", text
    box.fill("5")
    box.press("Enter")
    assert (box.input_value(), opened.said("tp", 0)) == ("above all", "0")
    assert "Above every score, 0 of 2,500 flagged" in opened.live("bar")
    assert number(1.0) in opened.live("bar")
    opened.close()


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
LINK = """hashes => hashes.map(hash => { location.hash = hash; window.dispatchEvent(new HashChangeEvent("hashchange"));
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
    for (address, moved), texts in zip(states, opened.page.evaluate(LINK, [a for a, _ in states]), strict=True):
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
    shown = opened.page.evaluate(LINK, [address for address, *_ in states])
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
    assert ' not tested. Always "0" has a higher accuracy (0.' in opened.live("better.finding")
    assert f"Accuracy {difference:+.3f}, no interval" in opened.live("better.evidence")
    opened.close()


def test_a_caution_about_a_threshold_beside_the_scores_names_the_threshold(browser: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    ev = assay.evaluate(truth, (4 + truth + rng.normal(size=200)).round(2), threshold=50)
    write_html({"": ev}, tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    note = opened.page.locator("#cautions dd").filter(has_text="is above every score").first
    assert "Computed at" not in note.inner_text()
    opened.page.evaluate(LINK, ["#t=4.5"])
    assert "Computed at threshold above every score" in note.inner_text().replace("\u00a0", " ")
    opened.close()


def test_the_panel_of_a_class_follows_its_threshold(browser: Any, tmp_path: Path) -> None:
    ev = many(4, 400)
    write_html({"": ev}, tmp_path / "page.html")
    opened = Opened(browser, tmp_path / "page.html")
    for place, name in enumerate(ev.classes):
        moving = Moving(ev.against(name), CLASS_KNOTS)
        at = len(moving.threshold) // 2
        moved = Moved(at)
        opened.page.evaluate(LINK, [f"#class={place}&t={float(moving.threshold[at])!r}"])
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
        assert caption.replace("\u00a0", " ").endswith("Computed at 10.6 % positives."), section
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
    assert "At 0.20, 82.9 % of 1 are true positives" in found.text.replace("\u00a0", " ")
    assert "computed at" not in table[0]


def test_a_saved_table_names_the_settings_it_was_computed_at(browser: Any, tmp_path: Path) -> None:
    ev = forest()
    ev.report(tmp_path / "page.html")
    with saving(browser, tmp_path / "page.html", hash_="#ratio=5&prevalence=0.5") as opened:
        heads, *rows = csv.reader(io.StringIO(saved(opened, "expected-cost", "CSV")[1]))
    share = f"{100 * ev.class_shares['1']:.1f}"
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
    shown = opened.page.evaluate(LINK, [address for address, _ in states])
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
    assert plain(line.caution) == "No caution. The baseline always predicts the most frequent class."


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
