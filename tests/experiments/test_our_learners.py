"""The learners of Assay in experiments, by name in a study file, and what they hand on in the matrix."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

from assay import Costs, experiment, plans
from assay.errors import InputError, UnknownName
from assay.estimators import MetaCostClassifier, RejectClassifier
from assay.experiments.learners import learner_of
from assay.experiments.study_file import read_study

STUDY = """
name = "ours"
datasets = ["breast_cancer"]
plan = { kind = "kfold", folds = 2 }
learners = [
  "rankboost",
  "margin-svm",
  { preset = "threshold", params = { classifier = "nb", costs = { fp = 1, fn = 5 } } },
  { preset = "metacost", params = { classifier = "sklearn.naive_bayes.GaussianNB", costs = [[0, 1], [5, 0]] } },
  { preset = "reject", params = { costs = { reject = 0.1 }, classifier = { preset = "tree" } } },
  { preset = "hull-mixture", params = { classifiers = ["nb", "tree"], fpr = 0.1 } },
  { preset = "votes", params = { classifier = { preset = "forest", params = { n_estimators = 10 } } } },
  { path = "assay.estimators.CostSensitiveClassifier", params = { classifier = "lda", costs = { fp = 1, fn = 5 } } },
]
"""


def test_every_one_runs_by_name_from_a_study_file(tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(STUDY)
    study = experiment(**read_study(file), jobs=1)
    assert list(study.learners)[1:] == [
        "rankboost",
        "margin-svm",
        "threshold",
        "metacost",
        "reject",
        "hull-mixture",
        "votes",
        "CostSensitiveClassifier",
    ]
    assert study.table("accuracy").columns["failed"] == [0] * 9
    better = dict(zip(*(study.table("accuracy").columns[name] for name in ("learner", "accuracy")), strict=True))
    assert min(value for name, value in better.items() if name not in ("dummy", "reject")) > better["dummy"] + 0.2


def test_what_was_handed_on_is_in_the_matrix_and_in_every_mean() -> None:
    learners: dict[str, Any] = {"plain": GaussianNB(), "reject": RejectClassifier(GaussianNB(), costs={"reject": 0.02})}
    study = experiment(["breast_cancer"], learners, plan=plans.kfold(3), seed=1, jobs=1)
    ev = study.evaluation("breast_cancer", "reject")
    assert ev.matrix is not None
    assert ev.matrix.decisions == ("malignant", "benign", "rejected")
    handed_on = float(ev.matrix.counts[:, 2].sum())
    assert handed_on > 0
    plain = study.evaluation("breast_cancer", "plain")
    assert plain.matrix is not None
    assert plain.matrix.decisions == ("malignant", "benign")
    # Folds without an abstention are pooled with those that have some.
    assert ev.matrix.total == plain.matrix.total == 569
    accuracy = dict(zip(*(study.table("accuracy").columns[name] for name in ("learner", "accuracy")), strict=True))
    assert accuracy["reject"] == pytest.approx(float(ev.matrix.correct) / 569, abs=0.002)
    assert ev.rows is not None


def test_three_classes_may_be_handed_on_too() -> None:
    study = experiment(
        ["iris"], {"reject": RejectClassifier(GaussianNB(), costs={"reject": 0.05})}, plan=plans.kfold(3), jobs=1
    )
    matrix = study.evaluation("iris", "reject").matrix
    assert matrix is not None
    assert matrix.decisions[-1] == "rejected"
    assert matrix.counts[:, 3].sum() > 0


def test_a_classifier_within_is_named_as_learners_are() -> None:
    built = learner_of({"preset": "metacost", "params": {"classifier": "tree", "n_estimators": 3}}).build(seed=7)
    assert isinstance(built, MetaCostClassifier)
    assert (built.random_state, built.classifier.random_state) == (7, 7)
    with pytest.raises(UnknownName, match="unknown learner 'oak'"):
        learner_of({"preset": "metacost", "params": {"classifier": "oak"}})
    with pytest.raises(InputError, match=r"'os.system' is from a package that is not allowed"):
        learner_of({"preset": "metacost", "params": {"classifier": "os.system"}})


def test_recipes_hold_plain_costs_and_say_where_they_cannot() -> None:
    assert learner_of(RejectClassifier(GaussianNB(), costs={"reject": 0.2})).given is None
    assert learner_of(RejectClassifier(GaussianNB(), costs=Costs(fp=1, fn=2, reject=0.2))).given is not None


def test_what_a_learner_needs_is_one_sentence_in_the_failures() -> None:
    """RankBoost is of two classes and iris has three; a mixture without its point decides nowhere."""
    study = experiment(["iris"], ["nb", "rankboost", "hull-mixture"], plan=plans.kfold(2), jobs=1)
    failed = study.failures()
    assert set(failed.columns["learner"]) == {"rankboost", "hull-mixture"}
    assert not any("Traceback" in error or "\n" in error for error in failed.columns["error"])
    assert (
        "learner 'rankboost': Only binary classification is supported. y holds 3 classes" in failed.columns["error"][-1]
    )
