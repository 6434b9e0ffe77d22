"""`assay threshold`, from arguments to output."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.cli._main import COMMANDS
from assay.costs import Costs
from assay.decisions import at_least, at_most_flagged, choose_threshold
from assay.evaluation import evaluate

Run = Callable[..., Any]
COSTS = ("--cost-fp", "1", "--cost-fn", "10")


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is listed, wherever the list stands."""
    monkeypatch.setitem(COMMANDS, "threshold", "Choose a threshold for costs or for a measure.")


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Three hundred cases whose score says something about them."""
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.3
    score = 1 / (1 + np.exp(-(rng.standard_normal(300) + 2 * truth - 1)))
    path = tmp_path / "scored.csv"
    rows = "\n".join(f"{int(y)},{s:.6f}" for y, s in zip(truth, score, strict=True))
    path.write_text(f"target,score\n{rows}\n")
    return path


def table_of(path: Path) -> Any:
    return evaluate(path).scores


def test_narration_goes_to_stderr_and_the_answer_to_stdout(run: Run, scored: Path) -> None:
    outcome = run("threshold", str(scored), *COSTS, "--prevalence", "0.02")
    assert outcome.code == 0
    assert outcome.err.startswith("Read scored.csv: 300 rows.")
    assert outcome.out.startswith("Predict scores of at least")
    assert "where 2.0 % are positive" in outcome.out
    assert run("threshold", str(scored), *COSTS, "--quiet").err == ""


def test_json_is_the_librarys_record(run: Run, scored: Path) -> None:
    outcome = run("threshold", str(scored), *COSTS, "--prevalence", "0.02", "--json", "--seed", "3")
    record = json.loads(outcome.out)
    choice = choose_threshold(table_of(scored), costs=Costs(fp=1, fn=10), prevalence=0.02, seed=3)
    cautions = record.pop("cautions")
    assert record == {"schema": "assay.threshold/1", **json.loads(json.dumps(choice.to_dict())), "in_use": None}
    assert [caution["code"] for caution in cautions] == ["A306", "A307"]
    again = run("threshold", str(scored), *COSTS, "--prevalence", "0.02", "--format", "json", "--seed", "3")
    assert again.out == outcome.out


def test_csv_and_markdown_hold_the_same_numbers(run: Run, scored: Path) -> None:
    choice = choose_threshold(table_of(scored), "f1")
    rows = list(csv.DictReader(io.StringIO(run("threshold", str(scored), "--maximise", "f1", "--format", "csv").out)))
    found = {row["quantity"]: row["value"] for row in rows}
    assert float(found["threshold"]) == choice.threshold
    assert float(found["f1_apparent"]) == choice.apparent
    text = run("threshold", str(scored), "--maximise", "f1", "--format", "markdown").out
    assert rf"| f1\_apparent | {choice.apparent:.3f} |" in text
    latex = run("threshold", str(scored), "--maximise", "f1", "--format", "latex").out
    assert rf"f1\_apparent & {choice.apparent:.3f} \\" in latex


def test_demands(run: Run, scored: Path) -> None:
    asked = ("--at-least", "specificity=0.9", "--confidence", "0.95", "--json")
    record = json.loads(run("threshold", str(scored), *asked).out)
    choice = choose_threshold(table_of(scored), constraint=at_least("specificity", 0.9, confidence=0.95))
    assert record["threshold"] == choice.threshold
    assert record["constraints"] == ["specificity at least 0.9 with 95 % confidence"]
    assert record["criterion"]["name"] == "recall"


def test_capacity(run: Run, scored: Path) -> None:
    asked = ("--maximise", "recall", "--at-most-flagged", "200", "--per", "5000", "--json")
    record = json.loads(run("threshold", str(scored), *asked).out)
    choice = choose_threshold(table_of(scored), "recall", constraint=at_most_flagged(200, per=5000))
    assert record["threshold"] == choice.threshold
    assert record["flagged"] <= 0.04


def test_the_threshold_in_use_is_held_against_the_hull(run: Run, scored: Path) -> None:
    outcome = run("threshold", str(scored), *COSTS, "--threshold", "0.5")
    assert "The threshold in use, 0.5, is the best" in outcome.out
    record = json.loads(run("threshold", str(scored), *COSTS, "--threshold", "0.5", "--json").out)
    assert record["in_use"]["if_calibrated"] == pytest.approx(1.0)


def test_benefits(run: Run, scored: Path) -> None:
    asked = ("--cost-fp", "1", "--cost-fn", "4", "--cost-tp", "-6", "--json")
    record = json.loads(run("threshold", str(scored), *asked).out)
    assert record["threshold"] == choose_threshold(table_of(scored), costs=Costs(fp=1, fn=4, tp=-6)).threshold


def test_several_models(run: Run, tmp_path: Path, scored: Path) -> None:
    lines = scored.read_text().splitlines()[1:]
    rows = [f"{line.split(',')[0]},{line.split(',')[1]},{1 - float(line.split(',')[1]):.6f}" for line in lines]
    path = tmp_path / "two.csv"
    path.write_text("target,score__good,score__bad\n" + "\n".join(rows) + "\n")
    record = json.loads(run("threshold", str(path), *COSTS, "--json").out)
    assert list(record["models"]) == ["good", "bad"]
    text = run("threshold", str(path), *COSTS).out
    assert text.splitlines()[0] == "good"
    assert {
        row["model"] for row in csv.DictReader(io.StringIO(run("threshold", str(path), *COSTS, "--format", "csv").out))
    } == {
        "good",
        "bad",
    }
    assert "### bad" in run("threshold", str(path), *COSTS, "--format", "markdown").out


def test_output_goes_to_a_file(run: Run, scored: Path, tmp_path: Path) -> None:
    outcome = run("threshold", str(scored), *COSTS, "--output", str(tmp_path / "answer.txt"))
    assert outcome.out == ""
    assert (tmp_path / "answer.txt").read_text().startswith("Predict scores")
    bad = run("threshold", str(scored), *COSTS, "--output", str(tmp_path / "nowhere" / "answer.txt"))
    assert bad.code == 2
    assert "cannot write" in bad.err


USAGE: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing asked": ((), "needed: --cost-fp 1 --cost-fn 10, or --maximise f1"),
    "half of the costs": (("--cost-fp", "1"), "--cost-fp is given without --cost-fn; type --cost-fn 10"),
    "unreasonable costs": (("--cost-fp", "1", "--cost-fn", "0"), "never costs less"),
    "two things asked": ((*COSTS, "--maximise", "f1"), "one of them"),
    "a misspelt measure": (("--maximise", "f11"), "there is no measure 'f11'"),
    "a bound that is none": (
        ("--at-least", "specificity"),
        "--at-least is 'specificity'; needed: a measure and its bound",
    ),
    "a bound that is no number": (("--at-most", "fpr=low"), "--at-most is 'fpr=low'; needed: a measure and its bound"),
    "no number of cases": (("--at-most-flagged", "200"), "--at-most-flagged is given without --per; type --per 1000"),
    "more than there are": (("--at-most-flagged", "200", "--per", "100"), "no more than there are"),
    "a prevalence above 1": ((*COSTS, "--prevalence", "2"), "prevalence is 2; needed: a number from 0 to 1"),
    "precision with confidence": (("--at-least", "precision=0.9", "--confidence", "0.9"), "is not monotone"),
    "a confidence above 1": (("--at-least", "recall=0.9", "--confidence", "95"), "between 0 and 1"),
}


@pytest.mark.parametrize("name", USAGE)
def test_a_wrong_request_is_exit_code_2_and_one_sentence(run: Run, scored: Path, name: str) -> None:
    arguments, words = USAGE[name]
    outcome = run("threshold", str(scored), *arguments)
    assert outcome.code == 2
    assert words in outcome.err
    assert outcome.out == ""


DATA: dict[str, tuple[str, tuple[str, ...], str]] = {
    "no scores": ("target,pred\n0,1\n1,0\n", COSTS, "needs scores of two classes"),
    "one class": ("target,score\n1,0.1\n1,0.2\n", (*COSTS, "--positive", "1"), "class"),
    "demands against each other": (
        "target,score\n0,0.1\n1,0.2\n0,0.3\n1,0.4\n",
        ("--at-least", "recall=0.9", "--at-least", "specificity=0.9"),
        "no threshold has recall at least 0.9 and specificity at least 0.9",
    ),
}


@pytest.mark.parametrize("name", DATA)
def test_data_that_cannot_be_used_is_exit_code_3_and_one_sentence(run: Run, tmp_path: Path, name: str) -> None:
    text, arguments, words = DATA[name]
    path = tmp_path / "data.csv"
    path.write_text(text)
    outcome = run("threshold", str(path), *arguments)
    assert outcome.code == 3
    assert words in outcome.err
    assert outcome.out == ""


def test_the_same_source_options_as_evaluate(run: Run, tmp_path: Path, scored: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text(scored.read_text().replace("target,score", "outcome,risk"))
    outcome = run("threshold", str(path), *COSTS, "--truth", "outcome", "--score", "risk", "--positive", "1", "--json")
    assert (
        json.loads(outcome.out)["threshold"] == choose_threshold(table_of(scored), costs=Costs(fp=1, fn=10)).threshold
    )
