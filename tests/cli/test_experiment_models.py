"""`assay experiment model | score | chance`: from a study file or a store, refusals in one sentence, files whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

STUDY = """
datasets = ["weather"]
learners = ["logistic", { preset = "tree", params = { max_depth = 2 } }]
plan = { kind = "kfold", folds = 2 }
backend = "here"
"""


@pytest.fixture
def lab(run: Run, tmp_path: Path) -> Run:
    """A study of the weather with its models, in the folder where commands run."""
    (tmp_path / "study.toml").write_text(STUDY)
    assert run("experiment", "run", "study.toml", "--keep-models", "--quiet").code == 0
    return run


def test_a_laboratory_from_study_to_scored_cases(lab: Run, tmp_path: Path) -> None:
    shown = lab("experiment", "show", "study.toml", "--models", "--quiet").out
    assert "scikit-learn" in shown
    tree = lab("experiment", "model", "study.toml", "--learner", "tree").out
    assert "leaves 4, depth 2" in tree
    assert tree.count("cases)") == 4
    rated = json.loads(lab("experiment", "model", "study.db", "--learner", "tree", "--name", "study", "--json").out)
    assert rated["importances"] is None
    new = tmp_path / "new.csv"
    source = Path(__file__).parents[2] / "src" / "assay" / "data" / "weather.csv"
    new.write_text(source.read_text())
    scored = lab(
        *("experiment", "score", "study.toml", "new.csv", "--learner", "logistic", "--id", "Date"),
        *("--cost-fp", "1", "--cost-fn", "4", "--output", "out.csv"),
    )
    assert scored.code == 0, scored.err
    assert scored.out == ""
    assert "Not used: Location, RISK_MM." in scored.err
    assert (tmp_path / "out.csv").read_text().startswith("Date,truth,prediction,score\n2031-11-01,")
    judged = json.loads(lab("evaluate", "out.csv", "--json", "--quiet").out)
    assert judged["n"] == 366
    tested = lab("experiment", "chance", "study.toml", "--learner", "logistic", "--permutations", "4").out
    assert "p = 0.2" in tested


def test_wrong_uses_are_one_sentence(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    score = ("experiment", "score", "study.toml", "new.csv", "--learner", "tree", "--output", "out.csv")
    wrong = {
        ("experiment", "model", "study.toml"): "2 learners",
        (
            "experiment",
            "model",
            "study.toml",
            "--learner",
            "tree",
            "--importances",
        ): "--importances is given without --fold",
        score: "no column 'MinTemp'",
        (*score, "--threshold", "youden", "--cost-fp", "1", "--cost-fn", "2"): "are both given",
        (*score[:-1], "new.csv"): "which is read",
        ("experiment", "score", "study.toml", "none.csv", "--learner", "tree"): "none.csv",
        ("experiment", "chance", "none.toml"): "no study file",
        ("experiment", "chance", "study.toml", "--learner", "tree", "--permutations", "0"): "--permutations",
        ("experiment", "chance", "study.toml", "--learner", "tree", "--measure", "astrology"): "astrology",
        ("experiment", "model", "study.toml", "--learner", "tree", "--fold", "-1"): "--fold",
        ("experiment", "model", "study.toml", "--learner", "\x1b[31m"): "no learner",
        (*score, "--threshold", "nan"): "--threshold",
        (*score, "--recalibrate", "\n"): "recalibrate",
    }
    for words, said in wrong.items():
        outcome = lab(*words)
        assert outcome.code in (2, 3), outcome
        assert said in outcome.err, outcome.err
        assert "a bug of ours" not in outcome.err
    assert not (tmp_path / "out.csv").exists()


def test_a_card_on_the_command_line(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("truth,score\n" + "1,0.9\n0,0.2\n1,0.4\n0,0.3\n" * 5)
    (tmp_path / "card.toml").write_text('interpretability = "one rule"\n')
    assert "one rule" in lab("evaluate", "p.csv", "--card", "card.toml").out
    assert lab("evaluate", "p.csv", "--card", "card.toml", "--format", "csv").code == 2
    assert lab("evaluate", "p.csv", "--card", "card.toml", "--html", "p.html", "--quiet").code == 0
    assert "one rule" in (tmp_path / "p.html").read_text(encoding="utf-8")
