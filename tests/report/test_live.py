"""Every number and sentence that follows the controls, at states drawn at random, beside what Python says there."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.report.driving import Opened

import assay
from assay.evaluation import TwoClassEvaluation
from assay.measures import find
from assay.report.findings._moved import better_at
from assay.report.findings._several import cheapest_finding
from assay.report.knots import KNOTS, RATIOS
from assay.report.live import Moved, Moving, bar_sentence, confusion_caption, roc_caption, threshold_finding
from assay.report.said import FoundLine, plain, said
from assay.report.sections._compared import LEVELS, Compared, pairing
from assay.report.words import bracketed, count, number, percent, value_words

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
    assert "Above every score you flag 0 of 2,500" in opened.live("bar")
    assert number(1.0) in opened.live("bar")
    opened.close()
