"""`assay check`, from arguments to output and exit code."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import assay
from assay.cli._main import COMMANDS
from assay.evidence import multiplied
from assay.testing import Gate, parse
from assay.testing.item_gate import parse_of_items

Run = Callable[..., Any]
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is listed, wherever the list stands."""
    monkeypatch.setitem(COMMANDS, "check", "Check requirements; fail where predictions do not meet them.")


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    """Three hundred cases whose score says something about them, and a base that says less."""
    rng = np.random.default_rng(3)
    truth = rng.random(300) < 0.3
    for name, gap in (("scored.csv", 2.0), ("base.csv", 0.7)):
        score = 1 / (1 + np.exp(-(rng.standard_normal(300) + gap * truth - 1)))
        rows = (f"{int(y)},{s:.6f},{'ns'[i % 2]}" for i, (y, s) in enumerate(zip(truth, score, strict=True)))
        (tmp_path / name).write_text("target,score,site\n" + "\n".join(rows) + "\n")
    return tmp_path / "scored.csv"


def between(path: Path) -> str:
    """A requirement these cases cannot decide."""
    return f"roc_auc >= {assay.evaluate(path).roc_auc.value:.3f}"


def required(*texts: str) -> list[str]:
    return [part for text in texts for part in ("--require", text)]


def test_a_gate_that_passes(run: Run, scored: Path) -> None:
    outcome = run("check", str(scored), *required("roc_auc >= 0.80", "delta(roc_auc, base.csv) >= -0.01"))
    assert outcome.code == 0
    assert outcome.err.startswith("Read scored.csv: 300 rows.")
    lines = outcome.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == [
        "PASS          roc_auc >= 0.8",
        'PASS          delta(roc_auc, "base.csv") >= -0.01',
        "",
        "2 passed, 0 failed, 0 inconclusive.",
    ]
    assert all(len(line) <= 100 for line in lines)
    assert "matched by the order of the rows" in " ".join(outcome.out.split())
    assert run("check", str(scored), *required("accuracy > 0"), "--quiet").err == ""


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("form", ["table", "json", "junit", "markdown", "csv", "latex"])
def test_exit_codes(run: Run, scored: Path, form: str, strict: bool) -> None:
    unsure, passes, fails = between(scored), "roc_auc > 0.5", "roc_auc > 0.99"
    flags = ["--format", form, *(["--strict"] if strict else [])]
    for texts, code in (
        ([passes], 0),
        ([unsure, passes], 4 if strict else 0),
        ([unsure, fails], 1),
        ([f"{passes} and {fails}"], 1),
        (["roc_auc.value > 0.99"], 1),
        (["precision_at(50) > 0.1"], 5),
        (["precision_at(50) > 0.1", unsure, passes], 5),
        (["precision_at(50) > 0.1", fails], 1),
        (["precision_at(50).value > 0.1"], 0),
    ):
        outcome = run("check", str(scored), *required(*texts), *flags)
        assert outcome.code == code, texts
        assert outcome.out


def test_inconclusive_says_what_rows_could_do(run: Run, scored: Path) -> None:
    words = " ".join(run("check", str(scored), *required(between(scored))).out.split())
    assert words.startswith("INCONCLUSIVE roc_auc >= ")
    (more,) = re.findall(r"About ([\d,]+) more rows like these would halve the width of the interval", words)
    now, factor = assay.evaluate(scored), 1 + int(more.replace(",", "")) / 300
    assert now.scores is not None
    later = now.find("roc_auc").estimate(multiplied(now.scores, factor))
    assert (later.high - later.low) / (now.roc_auc.high - now.roc_auc.low) == pytest.approx(0.5, abs=0.01)
    assert "0 passed, 0 failed, 1 inconclusive. Decide on new cases" in words


def test_json_is_the_librarys_record(run: Run, scored: Path) -> None:
    texts = ["roc_auc >= 0.80", "delta(brier, base.csv) < 0", 'recall.low in "n" > 0.99']
    outcome = run(
        "check", str(scored), *required(*texts), "--json", "--by", "site", "--level", "0.9", "--threshold", "0.3"
    )
    record = json.loads(outcome.out)
    gate = Gate.of(scored, by="site", level=0.9, threshold=0.3)
    assert record["requirements"] == [gate.check(text)[0].to_dict() for text in texts]
    assert record["schema"] == "assay.check/1"
    assert (record["status"], record["strict"]) == ("fail", False)
    assert record["source"] == next(iter(gate.models.values())).source.to_dict()
    assert list(record["requirements"][0]["demands"][0]["found"]) == (
        ["value", "low", "high", "level", "method", "method_id", "n", "target", "undefined", "se"]
    )


def test_junit_goes_to_a_file_and_the_summary_to_stderr(run: Run, scored: Path, tmp_path: Path) -> None:
    texts = ["roc_auc > 0.5", "roc_auc > 0.99", between(scored)]
    outcome = run("check", str(scored), *required(*texts), "--format", "junit", "--output", "gates.xml")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1] == "1 passed, 1 failed, 1 inconclusive."
    (suite,) = ElementTree.parse(tmp_path / "gates.xml").getroot()
    assert suite.attrib == {"name": "scored.csv", "tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    strict = run("check", str(scored), *required(*texts), "--format", "junit", "--strict").out
    assert ElementTree.fromstring(strict.encode()).get("failures") == "2"


def test_what_cannot_be_judged_is_counted_named_and_comes_before_what_is_inconclusive(run: Run, scored: Path) -> None:
    asked = required(between(scored), "precision_at(50) > 0.1")
    words = " ".join(run("check", str(scored), *asked).out.split())
    assert "UNJUDGED precision_at(50) > 0.1" in words
    assert "0 passed, 0 failed, 1 inconclusive, 1 not evaluated." in words
    rows = run("check", str(scored), *asked, "--format", "markdown").out.splitlines()[4:]
    assert [row.split(" | ")[0] for row in rows] == ["| **unjudged**", "| **inconclusive**"]
    record = json.loads(run("check", str(scored), *asked, "--json").out)
    assert record["status"] == "unjudged"


def test_markdown_has_a_row_a_requirement_the_worst_first(run: Run, scored: Path) -> None:
    texts = ["roc_auc > 0.5", between(scored), "roc_auc > 0.99"]
    lines = run("check", str(scored), *required(*texts), "--format", "markdown").out.splitlines()
    assert lines[0] == "**scored.csv**: 1 passed, 1 failed, 1 inconclusive."
    rows = lines[4:]
    assert [row.split(" | ")[0] for row in rows] == ["| **fail**", "| **inconclusive**", "| **pass**"]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines[2:]}) == 1


def test_markdown_stays_below_64_kb_and_keeps_what_failed(run: Run, scored: Path) -> None:
    texts = [*(f"roc_auc > 0.{i:04}" for i in range(1, 600)), "roc_auc > 0.99"]
    outcome = run("check", str(scored), *required(*texts), "--format", "markdown")
    assert outcome.code == 1
    assert len(outcome.out.encode()) < 64_000
    assert "**fail** | roc\\_auc &gt; 0.99" in outcome.out
    shown = outcome.out.count("| **pass**")
    assert f"_{599 - shown} more rows are left out" in outcome.out


def test_csv_has_a_row_a_demand_with_its_numbers(run: Run, scored: Path) -> None:
    text = run("check", str(scored), *required("roc_auc > 0.5 and accuracy > 0.99"), "--format", "csv").out
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["demand"], row["status"]) for row in rows] == [("roc_auc > 0.5", "pass"), ("accuracy > 0.99", "fail")]
    assert {row["outcome"] for row in rows} == {"fail"}
    assert float(rows[0]["value"]) == assay.evaluate(scored).roc_auc.value


def test_several_models_are_named(run: Run, tmp_path: Path) -> None:
    rows = [f"{k % 2},{(k % 2) * 0.4 + (k % 7) / 20},{(k % 5) / 5}" for k in range(200)]
    path = tmp_path / "wide.csv"
    path.write_text("target,score__a,score__b\n" + "\n".join(rows) + "\n")
    outcome = run("check", str(path), *required("roc_auc > 0.8"))
    assert outcome.code == 1
    assert "PASS          roc_auc > 0.8  (a)" in outcome.out
    assert "FAIL          roc_auc > 0.8  (b)" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "type --require 'roc_auc >= 0.80'"),
        (required("roc_auc => 0.8"), 2, "  roc_auc => 0.8\n          ^"),
        (required("acuracy > 0.8"), 2, "did you mean accuracy?"),
        (required('recall["2"] > 0.8'), 2, "there is no class '2'; the classes are '0', '1'"),
        (required('recall in "n" > 0.8'), 2, "--by COLUMN"),
        ([*required("roc_auc > 0.8"), "--output", "nowhere/x.xml"], 2, "cannot write"),
        (
            [*required("roc_auc > 0.8"), "--format", "html"],
            2,
            "--format is 'html'; needed: one of table, json, csv, markdown, latex, junit",
        ),
        ([*required("roc_auc > 0.8"), "--level", "2"], 2, "--level is 2"),
        ([*required("roc_auc > 0.8"), "--score", "points"], 3, "points"),
        (required("delta(roc_auc, gone.csv) > 0"), 3, "there is no file 'gone.csv'"),
        ([*required("delta(roc_auc, base.csv) > 0"), "--id", "case"], 3, "case"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    run: Run, scored: Path, arguments: list[str], code: int, words: str
) -> None:
    outcome = run("check", str(scored), *arguments)
    assert outcome.code == code
    assert words in outcome.err
    assert outcome.out == ""


def test_a_requirement_is_read_before_the_file(run: Run) -> None:
    assert run("check", "gone.csv", *required("roc_auc")).code == 2
    assert run("check", "gone.csv", *required("roc_auc > 0.5")).code == 3


def test_names_do_no_harm_on_a_terminal_or_in_a_comment(run: Run, tmp_path: Path) -> None:
    name = "spam\x1b[2J<img>|@you\u202e"
    path = tmp_path / "p.csv"
    path.write_text("target,pred\n" + f"{name},{name}\nham,ham\n" * 40, encoding="utf-8")
    asked = required(f'recall["{name}"] > 0.5')
    text = run("check", str(path), *asked, "--positive", "ham")
    assert text.code == 0
    assert "\x1b" not in text.out
    assert "\u202e" not in text.out
    comment = run("check", str(path), *asked, "--positive", "ham", "--format", "markdown").out
    assert "<img>" not in comment
    assert "@you" not in comment
    assert "\u202e" not in comment
    assert "\x1b" not in run("check", str(path), *asked, "--positive", "ham", "--format", "latex").out


def test_a_gate_that_fails_says_so_even_if_nobody_reads(scored: Path) -> None:
    code = "from assay.cli import _main; _main.COMMANDS['check'] = ''; _main.main()"
    read, write = os.pipe()
    os.close(read)
    asked = [sys.executable, "-c", code, "check", str(scored), "--require", "roc_auc > 0.99"]
    done = subprocess.run(asked, stdout=write, stderr=subprocess.PIPE, cwd=scored.parent, text=True)
    os.close(write)
    assert done.returncode == 1
    assert "BrokenPipe" not in done.stderr


def test_same_input_and_seed_give_the_same_bytes(run: Run, scored: Path) -> None:
    asked = ["check", str(scored), *required("f1 > 0.5", "delta(f1, base.csv) > 0"), "--json", "--seed", "4"]
    assert len({run(*asked).out for _ in range(2)}) == 1


def test_the_help_shows_the_language(run: Run) -> None:
    text = run("check", "--help").out
    for example in re.findall(r"--require '([^']*)'", text):
        (parse_of_items if "score" in example else parse)(example)
    assert "delta(roc_auc, base.csv)" in text


def test_the_workflow_in_the_docs_is_the_file_and_its_requirements_are_read() -> None:
    page, workflow = ((DOCS / name).read_text(encoding="utf-8") for name in ("gates.md", "github-action.yml"))
    assert f"```yaml\n{workflow}```" in page
    asked = re.findall(r"--require '([^']*)'", workflow)
    assert asked
    for example in [*asked, *re.findall(r"--require '([^']*)'", page), *re.findall(r"^\| `([^`]*)` \|", page, re.M)]:
        parse(example.replace("\\|", "|"))


@pytest.fixture
def streamed(tmp_path: Path) -> Path:
    """Two streams of labels: one whose error stays at 0.1, and one where it doubles after 2,000 events."""
    rng = np.random.default_rng(2)
    for name, late in (("steady.csv", 0.1), ("risen.csv", 0.2)):
        truth = rng.random(4000) < 0.4
        wrong = rng.random(4000) < np.where(np.arange(4000) < 2000, 0.1, late)
        rows = (f"{int(y)},{int(y ^ w)}" for y, w in zip(truth, wrong, strict=True))
        (tmp_path / name).write_text("target,prediction\n" + "\n".join(rows) + "\n")
    return tmp_path


HELD = ("--stream", "--reference", "0.1", "--margin", "0.02")


def test_a_stream_fails_where_an_alarm_rang(run: Run, streamed: Path) -> None:
    risen = run("check", str(streamed / "risen.csv"), *HELD)
    assert risen.code == 1
    message = " ".join(risen.out.split())
    assert message.startswith("FAIL error_rate <= 0.12 at every look")
    assert "the error has risen above 0.120 since about event" in message
    assert "false-alarm probability at most 0.025, valid under continuous monitoring" in message


def test_no_alarm_is_not_a_requirement_met(run: Run, streamed: Path) -> None:
    """It passes only where all limits keep the bound; a narrower margin leaves the same quiet stream open."""
    wide, narrow, strict = (
        run("check", str(streamed / "steady.csv"), "--stream", "--reference", "0.1", "--margin", *margin)
        for margin in (("0.05",), ("0.01",), ("0.01", "--strict"))
    )
    assert (wide.code, narrow.code, strict.code) == (0, 0, 4)
    assert wide.out.startswith("PASS          error_rate <= 0.15 at every look")
    assert "all of the interval is at most 0.150" in " ".join(wide.out.split())
    assert narrow.out.startswith("INCONCLUSIVE  error_rate <= 0.11 at every look")
    message = " ".join(narrow.out.split())
    assert "No alarm after 4,000 events" in message
    assert "part of the interval is above 0.110, so the bound is not confirmed" in message
    assert "Decide on new cases" not in message, "limits that are valid at every look allow for more events"


@pytest.mark.parametrize("seed", range(12))
def test_the_gates_of_a_stream_and_of_its_rows_do_not_contradict(run: Run, tmp_path: Path, seed: int) -> None:
    """What one of them passes the other does not fail, whatever the error rate is and wherever it changes."""
    rng = np.random.default_rng(seed)
    n, early, late = rng.integers(300, 3000), *rng.uniform(0.02, 0.2, 2)
    wrong = rng.random(n) < np.where(np.arange(n) < n * rng.random(), early, late)
    lines = "".join(f"{k % 2},{(k + w) % 2}\n" for k, w in enumerate(wrong.tolist()))
    (tmp_path / "labels.csv").write_text(f"target,prediction\n{lines}")
    record = json.loads(
        run(
            *("check", str(tmp_path / "labels.csv"), "--stream", "--reference", "0.08", "--window", "300"),
            *("--require", "error_rate <= 0.1", "--json", "--quiet"),
        ).out
    )
    of_rows, of_stream = record["requirements"]
    assert of_stream["requirement"] == "error_rate <= 0.1 at every look"
    if of_stream["status"] == "pass":
        assert of_rows["status"] != "fail"
        assert of_stream["demands"][0]["found"]["high"] <= 0.1
        assert "above" not in of_stream["sentence"].replace("no rise of the error above 0.100", "")


def test_a_stream_that_got_worse_lately_is_not_passed(run: Run, tmp_path: Path) -> None:
    """The error rate since the start is below the bound, that of the last events above it, without an alarm."""
    wrong = [k % 20 == 0 for k in range(6000)] + [k % 5 == 0 for k in range(150)]
    (tmp_path / "late.csv").write_text(
        "target,prediction\n" + "".join(f"{k % 2},{(k + w) % 2}\n" for k, w in enumerate(wrong))
    )
    flags = ("--stream", "--reference", "0.09", "--margin", "0.01", "--window", "150", "--alpha", "0.000001")
    answer = run("check", str(tmp_path / "late.csv"), *flags)
    assert answer.out.startswith("INCONCLUSIVE")
    assert "but the last events are above it" in " ".join(answer.out.split())


def test_an_alarm_rings_on_without_a_warning(run: Run, tmp_path: Path) -> None:
    """Events that are all wrong beside a very low bound multiply what the alarm bets until it is clipped."""
    (tmp_path / "wrong.csv").write_text("target,prediction\n" + "0,1\n1,0\n" * 600)
    answer = run("check", str(tmp_path / "wrong.csv"), "--stream", "--reference", "0.0001", "--margin", "0.0001")
    assert answer.code == 1
    assert "Warning" not in answer.err


def test_a_stream_that_got_better_has_no_limits_and_is_inconclusive(run: Run, tmp_path: Path) -> None:
    """The mean of all events has left the limits that its bad beginning gave."""
    wrong = np.random.default_rng(1).random(6000) < np.where(np.arange(6000) < 1500, 0.3, 0.02)
    (tmp_path / "better.csv").write_text("target,prediction\n" + "".join(f"1,{int(not w)}\n0,0\n" for w in wrong))
    answer = run("check", str(tmp_path / "better.csv"), "--stream", "--reference", "0.4")
    assert answer.code == 0
    assert answer.out.startswith("INCONCLUSIVE")
    assert "(no limits: " in answer.out
    assert "nan" not in answer.out


def test_a_stream_is_judged_as_the_watch_judges_it(run: Run, streamed: Path) -> None:
    record = json.loads(run("check", str(streamed / "risen.csv"), *HELD, "--json", "--quiet").out)
    rows = list(csv.reader((streamed / "risen.csv").read_text().splitlines()))[1:]
    seen = assay.streams.watch(classes=("0", "1"), reference=0.1, margin=0.02)
    seen.update_many([row[0] for row in rows], [row[1] for row in rows])
    found = record["requirements"][0]["demands"][0]
    assert record["status"] == "fail"
    assert found["found"] == seen.now().error.to_dict()
    assert seen.alarms[1].words[1:] in found["sentence"]
    outcome = assay.testing.assert_stream(
        [row[0] for row in rows[:2000]], y_pred=[row[1] for row in rows[:2000]], reference=0.1, margin=0.05
    )
    assert outcome.status == "pass"
    with pytest.raises(AssertionError, match="the bound is not confirmed"):
        assay.testing.assert_stream(
            [row[0] for row in rows[:2000]], y_pred=[row[1] for row in rows[:2000]], reference=0.1, strict=True
        )


@pytest.mark.parametrize("form", ["table", "json", "junit", "markdown", "csv", "latex"])
def test_a_stream_answers_in_every_form(run: Run, streamed: Path, form: str) -> None:
    both = ("--require", "accuracy > 0.5")
    for name, code in (("steady.csv", 0), ("risen.csv", 1)):
        outcome = run("check", str(streamed / name), *HELD, *both, "--format", form)
        assert outcome.code == code
        assert "accuracy" in outcome.out.lower()
    if form == "junit":
        suite = ElementTree.fromstring(outcome.out)
        assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_what_could_not_fail_is_not_passed(run: Run, streamed: Path) -> None:
    lines = (streamed / "steady.csv").read_text().splitlines()[:4]
    (streamed / "few.csv").write_text("\n".join(lines) + "\n")
    outcome = run("check", str(streamed / "few.csv"), "--stream", "--reference", "0.5")
    assert outcome.code == 5
    assert "too few for an alarm even if all were misclassified" in " ".join(outcome.out.split())
    (streamed / "scores.csv").write_text("target,score\n" + "1,7.5\n0,-3.1\n" * 50)
    undecided = run("check", str(streamed / "scores.csv"), *HELD)
    assert undecided.code == 5
    assert "the scores decide nothing by themselves" in " ".join(undecided.out.split())


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--stream",), "--stream is given without --reference; type --reference 0.1"),
        (("--reference", "0.1"), "--reference is given without --stream"),
        (("--margin", "0.1", "--require", "accuracy > 0"), "--margin is given without --stream; type --stream"),
        (("--stream", "--reference", "0.99"), "--reference plus --margin is 1.01, but losses are at most 1"),
        (("--stream", "--reference", "1.5"), "--reference is 1.5"),
        (("--stream", "--reference", "0.1", "--weight", "w"), "weight"),
    ],
)
def test_a_stream_refuses_by_name(run: Run, streamed: Path, flags: tuple[str, ...], said: str) -> None:
    text = (streamed / "steady.csv").read_text().splitlines()
    rows = [f"{line},{'w' if k == 0 else k % 3 + 1}" for k, line in enumerate(text)]
    (streamed / "steady.csv").write_text("\n".join(rows) + "\n")
    outcome = run("check", str(streamed / "steady.csv"), *flags)
    assert outcome.code in (2, 3)
    assert said in outcome.err
