"""Learners that answer wrongly, print, crash, hang or leave: each costs its own cells, and the study is whole."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.experiments.driving import environment
from tests.experiments.learning import ANSWERS, Odd, Wrong

from assay.errors import InputError, OptionError
from assay.experiments import Study, experiment, open_study
from assay.experiments.datasets import dataset_of
from assay.experiments.fitting import curve_of
from assay.experiments.learners import learner_of
from assay.experiments.plans import holdout, kfold
from assay.experiments.runner import LOST

STUDY = """
plan = "holdout"
datasets = ["iris"]
jobs = 1
cell_timeout = 3
learners = [
  "nb",
  { name = "prints", path = "tests.experiments.learning.Odd" },
  { name = "hangs", path = "tests.experiments.learning.Odd", params = { what = "hang" } },
  { name = "crashes", path = "tests.experiments.learning.Odd", params = { what = "crash" } },
]
"""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    """A study of learners each of which answers wrongly in its own way."""
    store = tmp_path_factory.mktemp("wrong") / "s.db"
    study = experiment("iris", {how: Wrong(how) for how in ANSWERS} | {"nb": "nb"}, kfold(2), store=store, jobs=1)
    yield study
    study.store.close()


@pytest.mark.parametrize("how", ANSWERS)
def test_a_wrong_answer_is_a_failed_cell_and_one_sentence(wrong: Study, how: str) -> None:
    cells = wrong.store.cells("study", "error", "status", "predictions", learner=how)
    assert [(cell["status"], cell["predictions"]) for cell in cells] == [("failed", None)] * 2
    for cell in cells:
        assert cell["error"].startswith(f"learner {how!r}: ")
        assert ANSWERS[how][2] in cell["error"]
        assert "\n" not in cell["error"]


def test_the_study_of_a_bad_learner_can_be_shown_and_resumed(wrong: Study) -> None:
    assert len(wrong.table()) == len(ANSWERS) + 2
    assert wrong.learners_without_results() == tuple(ANSWERS)
    again = experiment("iris", {"short": Wrong("short")}, kfold(2), store=wrong.store.place, jobs=1, retry=True)
    assert again.progress()["failed"] == 2
    again.store.close()
    study = open_study(wrong.store.place)
    assert study.wide().columns["dummy"] == pytest.approx([1 / 3])
    study.store.close()


def test_one_that_calls_exit_costs_its_cell() -> None:
    study = experiment("iris", {"leaves": Odd("leave")}, holdout(), jobs=1)
    assert study.progress() == {"todo": 0, "running": 0, "done": 1, "failed": 1}
    assert "SystemExit: 3" in study.failures().columns["error"][0]


def test_what_a_learner_prints_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    study = experiment("iris", {"prints": Odd("print")}, holdout(), jobs=1)
    print("the answer", flush=True)
    out, err = capfd.readouterr()
    assert out == "the answer\n"
    assert err == "Epoch 1 of 10\ncompiled code says so\n"
    assert study.progress()["done"] == 2


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (Odd("leave"), "'bad' cannot be fitted to these cases: 3"),
        (Wrong("short"), "learner 'bad': predict returned shape"),
    ],
)
def test_a_model_of_all_cases_that_cannot_be_had_is_one_sentence(learner: Any, message: str) -> None:
    study = experiment("iris", {"bad": learner}, holdout(), run=False)
    with pytest.raises(InputError, match=message):
        study.refitted("iris", "bad")
    with pytest.raises(InputError, match=message):
        study.nested_error("iris", "bad", repeats=1)
    with pytest.raises(InputError, match=message):
        curve_of(dataset_of("iris"), learner_of(learner, name="bad"), "learning", repeats=5)


def test_a_time_limit_needs_a_process_that_can_be_ended() -> None:
    study = experiment("iris", "nb", holdout(), run=False)
    with pytest.raises(OptionError, match="pass backend='processes'"):
        study.run(backend="here", cell_timeout=1)
    with pytest.raises(OptionError, match="cell_timeout is -1; needed: a number of seconds above 0"):
        study.run(cell_timeout=-1)


def test_the_command_line_survives_a_crash_a_hang_and_printing(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    command = [sys.executable, "-m", "assay", "experiment", "run", "study.toml", "--allow", "tests", "--json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=180)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["cells"] == {"todo": 0, "running": 0, "done": 3, "failed": 2}
    assert "Epoch 1 of 10" in done.stderr
    assert "error: every run of hangs, crashes failed" in done.stderr
    study = open_study(tmp_path / "study.db", "study")
    failures = study.failures().columns
    said = dict(zip(failures["learner"], failures["error"], strict=True))
    assert said["crashes"] == LOST
    assert said["hangs"].startswith("learner 'hangs' took longer than 3 seconds on this run and was stopped")
    study.store.close()
