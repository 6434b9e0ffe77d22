"""`assay experiment`: a study file run, shown and resumed; every format; what is said and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
STUDY = """
plan = { kind = "kfold", folds = 3 }
datasets = ["iris", { path = "mail.csv", target = "kind", ignore = ["id"] }]
learners = ["nb", { preset = "tree", params = { max_depth = 2 } }]
jobs = 1
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study file beside a data set it names."""
    rows = [
        f"{i},{i * 37 % 50},{'red' if i % 4 else 'blue'},{'spam' if i * 37 % 50 > 30 else 'ham'}" for i in range(60)
    ]
    (tmp_path / "mail.csv").write_text("id,size,colour,kind\n" + "\n".join(rows) + "\n")
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_a_study_is_run_shown_and_resumed(run: Run, study: Path) -> None:
    done = run("experiment", "run", str(study))
    assert done.code == 0, done.err
    assert "2 data sets x 3 learners by 3 folds, stratified: 18 cells, 0 done, 0 failed, 18 missing." in done.err
    assert "Positive class of mail: spam." in done.err
    lines = done.out.splitlines()
    assert lines[1].split()[:5] == ["dataset", "learner", "accuracy", "low", "high"]
    assert len(lines) == 2 + 6
    assert study.with_suffix(".db").exists()
    shown = run("experiment", "show", str(study))
    assert shown.out == done.out
    again = run("experiment", "resume", str(study.with_suffix(".db")))
    assert again.code == 0, again.err
    assert "18 done, 0 failed, 0 missing" in again.err
    assert again.out == done.out
    assert run("experiment", "resume", str(study), "--quiet").err == ""


def test_every_format(run: Run, study: Path, tmp_path: Path) -> None:
    record = json.loads(run("experiment", "run", str(study), "--json", "--measure", "kappa", "--quiet").out)
    assert record["schema"] == "assay.experiment/1"
    assert record["cells"] == {"todo": 0, "running": 0, "done": 18, "failed": 0}
    assert record["plan"] == {"kind": "kfold", "folds": 3, "stratified": True}
    assert record["table"]["learner"] == ["dummy", "nb", "tree"] * 2
    assert record["table"]["kappa"][0] == 0
    text = run("experiment", "show", str(study), "--format", "csv").out.splitlines()
    assert text[0].startswith("dataset,learner,repeat,fold,status,accuracy")
    assert len(text) == 1 + 18
    markdown = run("experiment", "show", str(study), "--format", "markdown").out
    assert markdown.startswith("| dataset | learner | accuracy |")
    run("experiment", "show", str(study), "--output", "found.txt", "--quiet")
    assert (tmp_path / "found.txt").read_text() == run("experiment", "show", str(study)).out


def test_two_learners_are_compared(run: Run, study: Path) -> None:
    run("experiment", "run", str(study), "--quiet")
    shown = run("experiment", "show", str(study), "--compare", "tree", "nb")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines()[0] == "accuracy: tree less nb"
    assert {line.split()[0] for line in shown.out.splitlines()[2:]} == {"iris", "mail"}


def test_failures_are_shown_and_a_changed_study_says_so(run: Run, study: Path) -> None:
    study.write_text(STUDY.replace('"nb"', '{ path = "sklearn.svm.SVC", params = { kernel = "precomputed" } }'))
    done = run("experiment", "run", str(study))
    assert done.code == 0
    assert "6 cells failed; assay experiment show --failures says why" in done.err
    failures = run("experiment", "show", str(study), "--failures").out
    assert failures.count("Traceback") == 6
    assert "mail, SVC, repeat 1, fold 2:" in failures
    study.write_text(STUDY.replace("folds = 3", "folds = 4"))
    changed = run("experiment", "run", str(study))
    assert "Stale, kept but not used: 3 cells of tree on iris: the plan changed." in changed.err
    assert run("experiment", "show", str(study), "--failures").out == "Nothing failed.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("datasets = [", "cannot be read as TOML"),
        ('datasets = ["iris"]', "names no learners"),
        ('datasets = ["iris"]\nlearners = ["tree"]\ncolour = 1', "has 'colour'"),
        ('datasets = ["iris"]\nlearners = ["oak"]', "there is no 'oak'"),
        ('datasets = ["iris"]\nlearners = ["tree"]\nplan = "kfolds"', "there is no plan 'kfolds'"),
        ('datasets = ["irises"]\nlearners = ["tree"]', "irises"),
    ],
)
def test_a_study_file_that_cannot_be_run_is_refused(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    done = run("experiment", "run", "study.toml")
    assert done.code == 3
    assert message in done.err
    assert "a bug of ours" not in done.err


def test_there_must_be_something_to_show_and_to_resume(run: Run, study: Path) -> None:
    for verb in ("show", "resume"):
        done = run("experiment", verb, str(study))
        assert done.code == 3
        assert "there is no store" in done.err
    assert run("experiment", "run", "nowhere.toml").code == 3


def test_the_example_can_be_read() -> None:
    from assay.experiments.learners import learners_of
    from assay.experiments.plans import plan_of
    from assay.experiments.study_file import read_study

    said = read_study(ROOT / "examples" / "study.toml")
    assert plan_of(said["plan"]).name == "2 times 5 folds, stratified"
    names = [learner.name for learner in learners_of(said["learners"])]
    assert names == ["dummy", "logistic", "tree(max_depth=2)", "tree(max_depth=4)", "forest of 50", "svm tuned"]
