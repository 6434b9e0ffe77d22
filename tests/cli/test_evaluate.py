"""`assay evaluate` and `assay demo`, from arguments to output."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay import evaluate
from assay.cli._main import COMMANDS

Run = Callable[..., Any]


def test_data_goes_to_stdout_and_narration_to_stderr(run: Run, predictions: Path) -> None:
    outcome = run("evaluate", str(predictions))
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "Read predictions.csv: 120 rows. truth=target  score=score  prediction=pred",
        "Positive class: 1 (33.3 %, 40 rows)        change: --positive 0",
    ]
    head = next(line for line in outcome.out.splitlines() if line.startswith("Measure"))
    assert head.split() == ["Measure", "Estimate", "95", "%", "interval", "0", "1", "Method"]
    assert "ROC AUC" in outcome.out


def test_json_is_the_evaluation_and_nothing_else(run: Run, predictions: Path) -> None:
    outcome = run("evaluate", str(predictions), "--format", "json")
    record = json.loads(outcome.out)
    expected = evaluate(predictions).to_dict()
    assert record == json.loads(json.dumps(expected))
    assert record["threshold"] is None  # the labels that were given make the matrix
    assert run("evaluate", str(predictions), "--json").out == outcome.out


@pytest.mark.parametrize(
    ("command", "typed", "sentence"),
    [
        ("evaluate", "50", "needed: a threshold between 0 and 1; type:\n  --threshold 0.5   if 50 % is meant"),
        ("evaluate", "2", "--threshold is 2, and the scores are probabilities (0 to 0.99); needed: a threshold"),
        ("check", "50", "--threshold 0.5   if 50 % is meant"),
        ("reduce", "50", "--threshold 0.5   if 50 % is meant"),
        ("evidence", "50", "--threshold 0.5   if 50 % is meant"),
    ],
)
def test_a_percentage_as_threshold_of_probabilities_is_refused(
    command: str, typed: str, sentence: str, run: Run, predictions: Path
) -> None:
    if command == "evidence":
        command, predictions = "evaluate", predictions.with_suffix(".evidence")
        assert run("reduce", "predictions.csv", "--output", str(predictions)).code == 0
    more = {"check": ["--require", "roc_auc >= 0.1"], "reduce": ["--output", "a.evidence"]}.get(command, [])
    outcome = run(command, str(predictions), "--threshold", typed, *more)
    assert outcome.code == 2
    assert sentence in outcome.err


@pytest.mark.parametrize("typed", ["-0.5", "1.5", "101"])
def test_another_threshold_beyond_the_scores_has_a_caution(typed: str, run: Run, predictions: Path) -> None:
    outcome = run("evaluate", str(predictions), "--threshold", typed)
    assert outcome.code == 0
    assert "A308" in outcome.out


def test_a_threshold_outside_the_scores_is_cautioned(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,score\n" + "".join(f"{k % 2},{k % 7 + 2 * (k % 2)}\n" for k in range(60)))
    sentences = {
        "50": "A308  The threshold 50 is above every score (0 to 8). No case is predicted positive.",
        "-1": "A308  The threshold -1 is below every score (0 to 8). Every case is predicted positive.",
    }
    for typed, sentence in sentences.items():
        outcome = run("evaluate", "a.csv", "--threshold", typed)
        assert outcome.code == 0
        assert sentence in " ".join(outcome.out.split()).replace("A308 ", "A308  ")
    assert "A308" not in run("evaluate", "a.csv", "--threshold", "4").out


def test_a_given_threshold_overrides_given_labels(run: Run, predictions: Path) -> None:
    record = json.loads(run("evaluate", str(predictions), "--json", "--threshold", "0.3").out)
    assert record["threshold"] == 0.3
    assert record["confusion"]["counts"] != evaluate(predictions).to_dict()["confusion"]["counts"]


def test_same_input_and_seed_give_the_same_bytes(predictions: Path) -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-m", "assay", "evaluate", str(predictions), "--format", form, "--seed", "3"],
            check=True,
            capture_output=True,
        ).stdout
        for form in ("json", "json")
    }
    assert len(outputs) == 1


def test_csv_has_one_row_for_each_number(run: Run, predictions: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(run("evaluate", str(predictions), "--format", "csv").out)))
    whole = {row["measure"]: row for row in rows if not row["class"]}
    assert float(whole["roc_auc"]["value"]) == evaluate(predictions).roc_auc.value
    assert {row["class"] for row in rows} == {"", "0", "1"}


@pytest.mark.parametrize("form", ["markdown", "latex", "table"])
def test_every_format_shows_the_same_auc(run: Run, predictions: Path, form: str) -> None:
    outcome = run("evaluate", str(predictions), "--format", form)
    assert outcome.code == 0
    assert f"{evaluate(predictions).roc_auc.value:.3f}" in outcome.out


def test_standard_input(predictions: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "evaluate", "-", "--json"],
        input=predictions.read_bytes(),
        check=True,
        capture_output=True,
    )
    record, expected = json.loads(done.stdout), evaluate(predictions).to_dict()
    assert record["source"]["name"] == "standard input"
    assert record["measures"] == json.loads(json.dumps(expected["measures"]))


def test_level_reaches_every_interval(run: Run, predictions: Path) -> None:
    record = json.loads(run("evaluate", str(predictions), "--json", "--level", "0.8").out)
    assert {measure["level"] for measure in record["measures"].values()} == {0.8}
    wide = json.loads(run("evaluate", str(predictions), "--json").out)
    assert record["measures"]["recall"]["low"] > wide["measures"]["recall"]["low"]


def test_output_and_html_are_written(run: Run, predictions: Path, tmp_path: Path) -> None:
    page, text = tmp_path / "page.html", tmp_path / "table.txt"
    outcome = run("evaluate", str(predictions), "--html", str(page), "--output", str(text), "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert page.read_text().startswith("<!doctype html>")
    assert "ROC AUC" in text.read_text()


def test_a_page_that_cannot_be_written_is_one_sentence(run: Run, predictions: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", str(predictions), "--html", str(tmp_path / "no" / "page.html"))
    assert outcome.code == 2
    assert "cannot write" in outcome.err.splitlines()[-1]
    assert outcome.out == ""


def test_several_models(run: Run, predictions: Path, tmp_path: Path) -> None:
    lines = predictions.read_text().splitlines()
    wide = tmp_path / "wide.csv"
    wide.write_text("\n".join(["target,score__a,pred__a", *lines[1:]]).replace("score__a,pred__a", "score__a,score__b"))
    record = json.loads(run("evaluate", str(wide), "--json").out)
    assert record["schema"] == "assay.evaluations/1"
    assert list(record["models"]) == ["a", "b"]
    assert all(model["schema"] == "assay.evaluation/1" for model in record["models"].values())


def test_demo_needs_no_file(run: Run) -> None:
    outcome = run("demo")
    assert outcome.code == 0
    assert "logistic" in outcome.out
    assert "bayes" in outcome.out


def test_measures_and_explain_come_from_the_registry(run: Run) -> None:
    listed = run("measures").out
    facts = json.loads(run("measures", "--json").out)
    assert all(name in listed for name in facts)
    for name, fact in facts.items():
        for spelling in (name, *fact["aliases"]):
            assert fact["title"] in run("explain", spelling).out
    assert "Only one class" in run("explain", "A101").out
    assert json.loads(run("explain", "sensitivity", "--json").out)["name"] == "recall"


def test_unknown_names_are_usage_errors(run: Run) -> None:
    outcome = run("explain", "acuracy")
    assert outcome.code == 2
    assert "did you mean accuracy?" in outcome.err


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(run: Run, command: str) -> None:
    outcome = run(command, "--help")
    assert outcome.code == 0
    assert f"assay {command}" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--level", "1.5"], "--level is 1.5; needed: a number between 0 and 1, such as 0.95"),
        (["--threshold", "nan"], "--threshold is nan; needed: a finite number"),
    ],
)
def test_bad_options(run: Run, predictions: Path, arguments: list[str], sentence: str) -> None:
    outcome = run("evaluate", str(predictions), *arguments)
    assert (outcome.code, outcome.err) == (2, f"error: {sentence}\n")


def test_bad_data_is_one_sentence_and_exit_code_3(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "nowhere.csv"
    outcome = run("evaluate", str(missing))
    assert outcome.code == 3
    assert outcome.out == ""
    assert len(outcome.err.splitlines()) == 1


def test_a_closed_pipe_is_no_error(predictions: Path) -> None:
    command = f"{sys.executable} -m assay evaluate {predictions} --format csv | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("model,")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_a_bug_of_ours_says_so(run: Run, predictions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a wheel came off")

    monkeypatch.setattr("assay.evaluation.evaluated", broken)
    outcome = run("evaluate", str(predictions))
    assert outcome.code == 70
    assert outcome.err.startswith("error: internal error in Assay (RuntimeError: a wheel came off)")


def test_cases_without_a_score_take_the_default_class_and_are_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("y,score\n1,.75\n0,0\n1,1\n0,\n")
    done = run("evaluate", "votes.csv", "--default-class", "0")
    assert done.code == 0
    assert "Default class used for 1 case with a missing prediction." in done.err
    assert "A109" in done.out
    refused = run("evaluate", "votes.csv")
    assert refused.code != 0
    assert "row 4: 'score' is missing" in refused.err
