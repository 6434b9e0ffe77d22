"""Evidence on the command line: reduced at each site, merged anywhere, and read by every command."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.cli.conftest import Run


@pytest.fixture
def sites(tmp_path: Path, run: Run) -> Path:
    """Three sites and the file of all their rows."""
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(1.5 * truth - 0.7, 1)))
    lines = [f"{'ill' if y else 'well'},{s:.9f}" for y, s in zip(truth, score, strict=True)]
    for name, part in {"all": lines, **{f"site-{k}": lines[k::3] for k in range(3)}}.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["outcome,risk", *part, ""]))
    columns = ("--truth", "outcome", "--score", "risk", "--positive", "ill")
    for k in range(3):
        outcome = run("reduce", f"site-{k}.csv", *columns, "-o", f"site-{k}.evidence")
        assert outcome.code == 0, outcome.err
        assert "200 cases of 'well', 'ill'" in outcome.err
        assert re.search(r"Wrote site-\d\.evidence: [\d,]+ bytes", outcome.err)
    return tmp_path


def test_what_is_merged_says_what_the_rows_say(sites: Path, run: Run) -> None:
    files = [f"site-{k}.evidence" for k in range(3)]
    assert run("merge", *files, "-o", "all.evidence").code == 0
    told = run("evaluate", "all.evidence")
    assert "3 parts put together: site-0, site-1, site-2" in told.err
    assert "Positive class: ill" in told.err
    asked = ("--truth", "outcome", "--score", "risk", "--positive", "ill", "--json", "--quiet")
    rows = json.loads(run("evaluate", "all.csv", *asked).out)
    found = json.loads(run("evaluate", "all.evidence", "--json", "--quiet").out)
    for name, known in rows["measures"].items():
        again = found["measures"][name]
        for key in ("value", "low", "high"):
            assert again[key] == pytest.approx(known[key], rel=1e-4, abs=1e-4), name
    assert found["confusion"] == rows["confusion"]
    low, high = found["measures"]["roc_auc"]["bounds"]
    assert low <= rows["measures"]["roc_auc"]["value"] <= high
    assert found["source"]["format"] == "evidence"


@pytest.mark.parametrize(
    "line",
    [
        ("threshold", "site-0.evidence", "--cost-fp", "1", "--cost-fn", "5"),
        ("check", "site-0.evidence", "--require", "roc_auc >= 0.5"),
        ("curve", "site-0.evidence"),
        ("evaluate", "site-0.evidence", "--measure", "recall", "--method", "wald"),
        ("evaluate", "site-0.evidence", "--full"),
        ("evaluate", "site-0.evidence", "--style", "weka"),
        ("evaluate", "site-0.evidence", "--html", "page.html"),
        ("evaluate", "site-0.evidence", "--threshold", "0.3", "--level", "0.9"),
    ],
)
def test_every_command_that_judges_reads_it(sites: Path, run: Run, line: tuple[str, ...]) -> None:
    outcome = run(*line)
    assert outcome.code == 0, outcome.err
    assert outcome.out or "--html" in line


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("merge", "site-0.evidence", "site-0.evidence", "-o", "x.evidence"), "made from the same rows"),
        (("merge", "site-0.evidence", "site-0.csv", "-o", "x.evidence"), "is not an evidence file"),
        (("merge", "nothing.evidence", "-o", "x.evidence"), "there is no file 'nothing.evidence'"),
        (("merge", "site-0.evidence"), "no output file is given for the evidence; type --output all.evidence"),
        (("reduce", "site-0.csv"), "no output file is given for the evidence; type --output site-a.evidence"),
        (("reduce", "site-0.evidence", "-o", "x.evidence"), "this is evidence already"),
        (("reduce", "site-0.csv", "-o", "-"), "evidence is a binary file"),
        (("reduce", "site-0.csv", "-o", "site-0.csv"), "which is read"),
        (("evaluate", "site-0.evidence", "--positive", "well"), "--positive does not apply to evidence"),
        (("evaluate", "site-0.evidence", "--weight", "w"), "--weight does not apply to evidence"),
        (("evaluate", "site-0.evidence", "--embed-rows", "--html", "x.html"), "--embed-rows does not apply to"),
        (("columns", "site-0.evidence"), "is evidence, which holds no rows"),
        (("compare", "site-0.evidence"), "one classifier|no rows|two"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(sites: Path, run: Run, line: tuple[str, ...], words: str) -> None:
    outcome = run(*line)
    assert outcome.code in (2, 3)
    assert re.search(words, outcome.err), outcome.err
    assert len(outcome.err.strip().splitlines()[-1]) < 300


def test_small_cells_are_hidden_and_exact_scores_are_warned_about(sites: Path, run: Run) -> None:
    columns = ("--truth", "outcome", "--score", "risk", "--positive", "ill")
    assert run("reduce", "all.csv", *columns, "--least", "5", "-o", "small.evidence").code == 0
    told = run("evaluate", "small.evidence")
    assert "bins too small to be shown" in " ".join(told.err.split())
    assert re.search(r"binned: 0\.\d+ to 0\.\d+", told.out)
    exact = run("reduce", "all.csv", *columns, "--exact", "-o", "exact.evidence")
    assert "discloses as much as the rows" in exact.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_read_once(sites: Path, run: Run) -> None:
    os.mkfifo(sites / "pipe")
    writer = threading.Thread(target=lambda: (sites / "pipe").write_text((sites / "all.csv").read_text()))
    writer.start()
    outcome = run("evaluate", "pipe", "--truth", "outcome", "--score", "risk", "--positive", "ill", "--quiet")
    writer.join()
    assert outcome.code == 0, outcome.err
    assert "ROC AUC" in outcome.out
