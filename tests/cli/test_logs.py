"""Logs on the command line: recognised by what they hold, with the first screen and the options about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from docs.generate import schemas
from jsonschema import Draft202012Validator
from tests.cli.conftest import Run
from tests.items.logs import (
    BATTLES,
    CODE_A,
    CODE_B,
    INSPECT_A,
    INSPECT_B,
    JUDGE,
    MLFLOW,
    MODEL_A,
    MODEL_B,
    PROMPTFOO,
    READABLE,
    SUMS_A,
    SUMS_B,
)


@pytest.mark.parametrize("path", [*READABLE, MODEL_A], ids=lambda path: path.name[:40])
def test_every_log_is_evaluated_and_its_record_fits_the_schema(run: Run, path: Path) -> None:
    outcome = run("evaluate", str(path), "--json")
    assert outcome.code == 0, outcome.err
    record = json.loads(outcome.out)
    Draft202012Validator(schemas()["items-1"]).validate(record)
    for form in ("table", "csv", "markdown", "latex"):
        assert run("evaluate", str(path), "--format", form).code == 0


def test_the_first_screen(run: Run) -> None:
    outcome = run("evaluate", str(INSPECT_A), "--scorer", "match", "--cluster", "metadata.passage")
    lines = outcome.out.splitlines()
    assert "16" in lines[0]
    assert "items; 3 to 4 answers per item; 5 clusters; 1 error; 1 refusal; 9 truncated answers." in lines[1]
    assert "match   16  3 to 4" in outcome.out.replace("      ", "   ").replace("    16", "   16")
    assert "Letters as numbers: C = 1, I = 0, P = 0.5, N = 0." in outcome.out
    filters = run("evaluate", str(SUMS_A)).out
    assert "24 items; 1 answer per item" in filters
    assert "3 scorers, each separately. Choose one: --scorer exact_match" in filters
    assert "bleu is a metric of the whole set" in filters


def test_what_is_offered_can_be_typed(run: Run) -> None:
    assert run("evaluate", str(SUMS_A), "--scorer", "exact_match").code == 0
    assert run("evaluate", str(SUMS_A), "--cluster", "passage", "--filter", "strict").code == 0
    assert run("evaluate", str(MLFLOW), "--scorer", "close").code == 0
    assert run("evaluate", str(MODEL_A), "--task", "toy_sums").code == 0


def test_pass_at_k(run: Run) -> None:
    found = json.loads(run("evaluate", str(CODE_A), "--at", "1,5", "--majority", "3", "--json").out)
    values = {line["measure"]: line["estimate"]["value"] for line in found["lines"]}
    assert values["pass@1"] == pytest.approx(0.81)
    assert values["pass@5"] == 1.0
    assert "majority@3" in values
    refused = run("evaluate", str(CODE_A), "--at", "11")
    assert refused.code == 2
    assert "item 'Toy/0' has 10" in refused.err
    assert run("evaluate", str(CODE_A), "--at", "five").code == 2


def test_options_of_predictions_are_refused_beside_a_log(run: Run) -> None:
    for option in (("--pred", "acc"), ("--truth", "target"), ("--threshold", "0.5"), ("--score", "answer/value")):
        outcome = run("evaluate", str(MLFLOW), *option)
        assert outcome.code == 2
        assert option[0] in outcome.err


def test_options_of_logs_are_refused_beside_predictions(run: Run, predictions: Path) -> None:
    for option in (("--scorer", "x"), ("--at", "1"), ("--range", "0", "1"), ("--partial",), ("--task", "x")):
        outcome = run("evaluate", str(predictions), *option)
        assert outcome.code == 2
        assert option[0] in outcome.err
        assert "--item" in outcome.err


def test_a_table_by_its_columns(run: Run, tmp_path: Path) -> None:
    columns = ("--item", "item", "--score", "judge", "--model", "model", "--cluster", "passage")
    outcome = run("evaluate", str(JUDGE), *columns)
    assert outcome.code == 0, outcome.err
    assert "100" in outcome.out
    assert "--score" in run("evaluate", str(JUDGE), "--item", "item").err
    assert "no column" in run("evaluate", str(JUDGE), "--item", "question", "--score", "judge").err
    scores = tmp_path / "ratings.csv"
    scores.write_text("id,rating\n" + "".join(f"{k},{1 + k % 5}\n" for k in range(30)))
    refused = run("evaluate", str(scores), "--item", "id", "--score", "rating")
    assert "--range" in refused.err
    assert run("evaluate", str(scores), "--item", "id", "--score", "rating", "--range", "1", "5").code == 0


def test_a_page_of_a_log(run: Run, tmp_path: Path) -> None:
    assert run("evaluate", str(PROMPTFOO), "--html", "page.html").code == 0
    assert "16 lines" in (tmp_path / "page.html").read_text()


def test_a_file_that_would_be_overwritten_is_refused(run: Run, tmp_path: Path) -> None:
    copy = tmp_path / "log.jsonl"
    copy.write_bytes(SUMS_A.read_bytes())
    assert run("evaluate", "log.jsonl", "-o", "log.jsonl").code != 0
    assert copy.read_bytes() == SUMS_A.read_bytes()


@pytest.mark.parametrize(
    "arguments",
    [
        (SUMS_A, SUMS_B, "--scorer", "exact_match", "--filter", "strict"),
        (MODEL_A, MODEL_B, "--task", "toy_animals", "--scorer", "acc", "--margin", "0.1"),
        (INSPECT_A, INSPECT_B, "--scorer", "match", "--cluster", "passage"),
        (CODE_A, CODE_B, "--at", "5"),
        (PROMPTFOO, "--scorer", "score"),
    ],
    ids=["lm-eval", "folders", "inspect", "human-eval", "promptfoo"],
)
def test_models_are_compared_and_the_record_fits_the_schema(run: Run, arguments: tuple[object, ...]) -> None:
    line = [str(each) for each in arguments]
    outcome = run("compare", *line, "--json")
    assert outcome.code == 0, outcome.err
    Draft202012Validator(schemas()["items-comparison-1"]).validate(json.loads(outcome.out))
    for form in ("table", "csv", "markdown", "latex"):
        assert run("compare", *line, "--format", form).code == 0
    assert run("compare", *line, "--html", "page.html").code == 0


def test_what_a_comparison_needs_can_be_pasted(run: Run) -> None:
    refused = run("compare", str(SUMS_A), str(SUMS_B))
    assert refused.code == 2
    assert "--filter strict" in refused.err
    assert "needed: one task" in run("compare", str(MODEL_A), str(MODEL_B)).err
    assert "--at" in run("compare", str(CODE_A), str(CODE_B), "--at", "1,5").err
    assert "--missing" in run("compare", str(CODE_A), str(CODE_B), "--missing", "drop").err
    assert "--truth" in run("compare", str(CODE_A), str(CODE_B), "--truth", "x").err


def test_a_gate_on_a_log(run: Run) -> None:
    line = ("check", str(INSPECT_A), "--scorer", "match", "--require")
    passed = run(*line, "score >= 0.5", "--json")
    assert passed.code == 0
    record = json.loads(passed.out)
    Draft202012Validator(schemas()["check-1"]).validate(record)
    assert record["status"] == "pass"
    assert run(*line, "score >= 0.95").code == 1
    unsure = run(*line, f'delta(score, "{INSPECT_B}") >= -0.02', "--strict", "--aa")
    assert unsure.code == 4
    words = " ".join(unsure.out.split())
    assert "a true difference of -0.04 would pass in" in words
    assert "A/A, this log against itself" in words
    Draft202012Validator(schemas()["check-1"]).validate(
        json.loads(run(*line, f'delta(score, "{INSPECT_B}") >= -0.02', "--json").out)
    )


def test_what_a_gate_on_a_log_refuses(run: Run) -> None:
    log = str(INSPECT_A)
    assert "score >= 0.80" in run("check", log).err
    assert (
        "write a requirement such as score >= 0.8"
        in run("check", log, "--scorer", "match", "--require", "accuracy >= 0.5").err
    )
    assert "--aa" in run("check", log, "--scorer", "match", "--require", "score >= 0.5", "--aa").err
    assert "--power-for" in run("check", log, "--scorer", "match", "--require", "score > 0", "--power-for", "0.1").err
    assert "--scorer" in run("check", log, "--require", "score >= 0.5").err


def test_a_judge_and_humans(run: Run) -> None:
    line = ("evaluate", str(JUDGE), "--judge", "judge")
    outcome = run(*line, "--human", "human", "--by", "model", "--json")
    assert outcome.code == 0, outcome.err
    Draft202012Validator(schemas()["judge-1"]).validate(json.loads(outcome.out))
    rates = run(*line, "--by", "model", "--sensitivity", "90/100", "--specificity", "60/80", "--json")
    Draft202012Validator(schemas()["judge-1"]).validate(json.loads(rates.out))
    for form in ("table", "csv", "markdown", "latex"):
        assert run(*line, "--human", "human", "--format", form).code == 0
    assert run(*line, "--human", "human", "--html", "page.html").code == 0
    assert "--human human" in run(*line).err
    assert "--cluster" in run(*line, "--human", "human", "--cluster", "passage").err
    assert "--scorer" in run(*line, "--human", "human", "--scorer", "x").err


def test_battles(run: Run) -> None:
    outcome = run("evaluate", str(BATTLES), "--json")
    assert outcome.code == 0, outcome.err
    Draft202012Validator(schemas()["battles-1"]).validate(json.loads(outcome.out))
    for form in ("table", "csv", "markdown", "latex"):
        assert run("evaluate", str(BATTLES), "--format", form).code == 0
    assert run("evaluate", str(BATTLES), "--html", "page.html", "--cluster", "question_id").code == 0
    assert "--scorer" in run("evaluate", str(BATTLES), "--scorer", "x").err
    assert "assay evaluate FILE" in run("compare", str(BATTLES), str(BATTLES)).err
