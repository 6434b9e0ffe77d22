"""What commands write: targets are looked at before any work, and what was there before is kept or replaced whole."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from assay.request import (
    CurveRequest,
    MergeRequest,
    ModelRequest,
    PredictionsRequest,
    RankRequest,
    Request,
    StreamRequest,
    StudyRequest,
)

Run = Callable[..., Any]
COMMANDS = {
    "evaluate": ("evaluate", "predictions.csv"),
    "columns": ("columns", "predictions.csv"),
    "compare": ("compare", "predictions.csv"),
    "threshold": ("threshold", "predictions.csv", "--maximise", "f1"),
    "check": ("check", "predictions.csv", "--require", "roc_auc > 0.1"),
    "demo": ("demo",),
    "reduce": ("reduce", "predictions.csv"),
    "merge": ("merge", "north.evidence"),
    "rank": ("rank", "predictions.csv"),
    "run": ("experiment", "run", "study.toml"),
    "resume": ("experiment", "resume", "study.toml"),
    "show": ("experiment", "show", "study.toml"),
    "curve": ("curve", "predictions.csv"),
    "experiment curve": ("experiment", "curve", "study.toml"),
    "stream": ("stream", "predictions.csv"),
    "model": ("experiment", "model", "study.toml"),
    "score": ("experiment", "score", "study.toml", "new.csv"),
    "pool": ("pool", "predictions.csv", "--by", "site"),
    "chance": ("experiment", "chance", "study.toml"),
    "predictions": ("experiment", "predictions", "study.toml"),
}
RECORDS = (
    Request,
    MergeRequest,
    RankRequest,
    StudyRequest,
    CurveRequest,
    StreamRequest,
    ModelRequest,
    PredictionsRequest,
)
TARGETS = sorted(
    {
        (f"experiment {command}" if record is CurveRequest else command, name)
        for record in RECORDS
        for name, each in record.options().items()
        if each.kind == "file"
        for command in each.commands
    }
)
BAD = {"": "needed: the path of a file", ".": "is a directory", "no/such": "no such file or directory"}
STUDY = 'datasets = [{ path = "predictions.csv", target = "target" }]\nlearners = ["nb"]\nplan = { kind = "kfold" }\n'


def started(folder: Path, *arguments: str, script: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A command in a process of its own; `script` is what a shell does with it, as "$@"."""
    command = [sys.executable, "-m", "assay", *arguments]
    shell = ["sh", "-c", script, "sh"] if script else []
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]}
    # A limit on the size of files must not cut what Python keeps beside its modules.
    env |= {"PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run([*shell, *command], cwd=folder, capture_output=True, env=env, check=False, timeout=120)


@pytest.mark.parametrize(
    ("command", "option", "target"),
    [(*each, target) for each, target in zip(TARGETS, cycle(BAD), strict=False)],
)
def test_a_target_is_looked_at_before_any_work(
    run: Run, tmp_path: Path, command: str, option: str, target: str
) -> None:
    # Nothing that the command would read is there: it would complain about that, were it looked at first.
    outcome = run(*COMMANDS[command], f"--{option}", target)
    assert (outcome.code, outcome.out) == (2, "")
    assert BAD[target] in outcome.err
    assert outcome.err.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["output", "html"])
@pytest.mark.parametrize("link", ["", "symlink_to", "hardlink_to"])
def test_what_is_read_is_not_written_over(run: Run, tmp_path: Path, predictions: Path, option: str, link: str) -> None:
    target, before = predictions, predictions.read_bytes()
    if link:
        target = tmp_path / "other.csv"
        getattr(target, link)(predictions)
    outcome = run("evaluate", "predictions.csv", f"--{option}", str(target))
    assert outcome.code == 2
    assert f"--{option} is {target}, which is read; needed: another file" in outcome.err
    assert predictions.read_bytes() == before


@pytest.mark.parametrize("target", ["study.toml", "study.db", "predictions.csv"])
@pytest.mark.parametrize("command", ["run", "resume", "show", "experiment curve", "model", "score", "chance"])
def test_a_study_does_not_write_over_its_own_files(
    run: Run, tmp_path: Path, predictions: Path, command: str, target: str
) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    before = predictions.read_bytes()
    outcome = run(*COMMANDS[command], "--output", target)
    assert outcome.code == 2
    assert f"--output is {target}, which is read" in outcome.err
    assert (tmp_path / "study.toml").read_text() == STUDY
    assert predictions.read_bytes() == before
    assert not (tmp_path / "study.db").exists()


def test_a_card_is_not_written_over(run: Run, tmp_path: Path, predictions: Path) -> None:
    (tmp_path / "card.toml").write_text('trust = "little"')
    outcome = run("evaluate", "predictions.csv", "--card", "card.toml", "--output", "card.toml")
    assert outcome.code == 2
    assert "--output is card.toml, which is read" in outcome.err
    assert (tmp_path / "card.toml").read_text() == 'trust = "little"'


def test_what_a_gate_compares_with_is_not_written_over(run: Run, tmp_path: Path, predictions: Path) -> None:
    base = tmp_path / "base.csv"
    base.write_bytes(predictions.read_bytes())
    outcome = run("check", "predictions.csv", "--require", "delta(roc_auc, base.csv) > -1", "--output", "base.csv")
    assert outcome.code == 2
    assert "--output is base.csv, which is read" in outcome.err
    assert base.read_bytes() == predictions.read_bytes()


def test_two_things_are_not_put_into_one_file(run: Run, predictions: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", "predictions.csv", "--html", "x", "--output", "./x")
    assert outcome.code == 2
    assert "and so is" in outcome.err
    assert not (tmp_path / "x").exists()


def test_a_page_is_not_left_where_the_other_file_cannot_be(run: Run, predictions: Path, tmp_path: Path) -> None:
    assert run("evaluate", "predictions.csv", "--html", "x.html", "--output", "no/such").code == 2
    assert not (tmp_path / "x.html").exists()


# As a shell has it.


def test_a_disk_that_fills_up_leaves_the_old_file(predictions: Path, tmp_path: Path) -> None:
    old = tmp_path / "x.json"
    old.write_text("old")
    found = started(
        tmp_path, "evaluate", "predictions.csv", "--json", "--output", "x.json", script='ulimit -f 8; exec "$@"'
    )
    assert found.returncode == 2
    assert b"cannot write x.json: file too large" in found.stderr
    assert old.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"predictions.csv", "x.json"}


@pytest.mark.parametrize("blocks", [4, 16])
def test_a_store_that_a_full_disk_does_not_take_is_not_there(predictions: Path, tmp_path: Path, blocks: int) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    found = started(tmp_path, "experiment", "run", "study.toml", script=f'ulimit -f {blocks}; exec "$@"')
    assert found.returncode != 0
    assert b"Traceback" not in found.stderr
    assert b"study.db" in found.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"predictions.csv", "study.toml"}


# What /dev/stdout is, under a name of our own: whoever may write anywhere would lose the machine's if this failed.
@pytest.mark.parametrize("target", ["stdout", "-"])
def test_a_page_goes_to_standard_output_as_it_is(predictions: Path, tmp_path: Path, target: str) -> None:
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    asked = ("evaluate", "predictions.csv", "--quiet", "--output", "x.txt", "--html", target)
    started(tmp_path, *asked, script='echo first > all; "$@" >> all')
    page = (tmp_path / "all").read_bytes()
    assert page.startswith(b"first\n<!doctype html>")
    assert page.rstrip().endswith(b"</html>")
    assert (tmp_path / "stdout").is_symlink()
    both = started(tmp_path, "evaluate", "predictions.csv", "--html", target)
    assert (both.returncode, both.stdout) == (2, b"")
    assert b"and so is standard output" in both.stderr


STREAMS = {
    "full": ('"$@" > /dev/full', 2, b"cannot write to standard output: no space left on device"),
    "closed": ('"$@" >&-', 2, b"standard output is closed"),
    "gone": ('("$@"; echo $? > code) | head -1', 0, b""),
    "full stderr": ('"$@" 2> /dev/full', 2, b""),
    "all closed": ('"$@" <&- >&- 2>&-', 2, b""),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_that_are_full_closed_or_gone(tmp_path: Path, name: str) -> None:
    script, code, said = STREAMS[name]
    found = started(tmp_path, *(("plan", "f2") if name == "full stderr" else ("explain", "f1")), script=script)
    assert found.returncode == code
    assert said in found.stderr
    assert b"Traceback" not in found.stderr
    assert b"Exception" not in found.stderr
    assert b"bug of ours" not in found.stderr
    if name == "gone":
        assert (tmp_path / "code").read_text() == "0\n"


def test_standard_input_that_is_closed_is_said(tmp_path: Path) -> None:
    found = started(tmp_path, "evaluate", "-", script='"$@" <&-')
    assert (found.returncode, found.stderr) == (
        3,
        b"error: standard input is closed; needed: something to read, or the path of a file\n",
    )


def test_a_poor_environment_changes_nothing(predictions: Path, tmp_path: Path) -> None:
    # Without HOME, too: none is passed on.
    named = tmp_path / "\u00e9.csv"
    rows = (line.rsplit(",", 1)[0] for line in predictions.read_text().splitlines())
    named.write_text("\n".join(rows).replace("\n1,", "\nm\u00fcller,").replace("\n0,", "\nmayer,"), encoding="utf-8")
    asked = ("evaluate", "\u00e9.csv", "--positive", "mayer", "--style", "weka", "--quiet")
    found = started(tmp_path, *asked, LC_ALL="POSIX", PYTHONUTF8="0", TMPDIR="/no")
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"m\xc3\xbcller" in found.stdout
