"""Answers: one set of blocks for each, the same numbers in every format, and names that do no harm in any."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import assay
from assay.decisions import choose_threshold, implied_costs
from assay.ranks import rank_algorithms
from assay.report import Compared, answers
from assay.report.answers import Answer, render
from assay.results import Table
from assay.testing import Gate

HOSTILE = "<img src=x>|\x1b[31m\u202e\n=cmd `a` \\input{x} @you"
FORMS = ("table", "markdown", "latex", "csv", "html", "json")


def scores() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(5)
    truth = rng.random(150) < 0.4
    return truth, {name: truth * gap + rng.normal(size=150) for name, gap in ((HOSTILE, 2.0), ("b", 1.0), ("c", 0.5))}


def found() -> dict[str, Answer]:
    truth, models = scores()
    cmp = assay.compare(truth, models, by=np.where(np.arange(150) % 2, HOSTILE, "rest"))
    chosen: dict[str, answers.Chosen] = {}
    for name, ev in assay.evaluate_models(truth, models).items():
        assert isinstance(ev, assay.TwoClassEvaluation)
        assert ev.scores is not None
        choice = choose_threshold(ev.scores, "f1", draws=100)
        chosen[name] = (choice, implied_costs(ev.scores, 0.5), ev.threshold_cautions(choice))
    gate = Gate.of(truth, models)
    values = {name: [0.8 + k / 100 + (k * j) % 3 / 50 for k in range(8)] for j, name in enumerate(models)}
    ranked = rank_algorithms({"dataset": [f"d{k}" for k in range(8)], **values})
    return {
        "comparison": answers.comparison(Compared(cmp, ("roc_auc",))),
        "thresholds": answers.thresholds(chosen),
        "gates": answers.gates(gate.check("roc_auc > 0.7"), next(iter(gate.models.values())).source),
        "ranks": answers.ranks(ranked.answer()),
        "curve": answers.curve(Table({HOSTILE: [0.5], "low": [0.25]}, title="Curve"), HOSTILE, "tree"),
    }


FOUND = found()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FOUND)
def test_names_do_no_harm_in_any_format(name: str, form: str) -> None:
    text = render(FOUND[name], form)
    assert text.strip()
    if form == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not any(cell.startswith("=") for cell in cells)
        return
    assert "\x1b" not in text
    assert "\u202e" not in text
    if form in ("markdown", "html"):
        assert "<img" not in text
    if form == "latex":
        assert "\\input" not in text


def test_a_table_that_may_end_early_says_how_much_is_left_out() -> None:
    truth, models = scores()
    outcomes = Gate.of(truth, models["b"]).check("roc_auc > 0.1") * 1000
    text = render(answers.gates(outcomes, assay.evaluate(truth, models["b"]).source), "markdown")
    assert len(text.encode()) < 62_000
    assert f"_{1000 - text.count('| **pass**'):,} more rows are left out" in text
