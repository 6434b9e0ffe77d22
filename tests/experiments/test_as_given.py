"""What a user gives reaches the user's learners as it is: the same scores as scikit-learn's own cross-validation."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.experiments.as_given import (
    COUNTS,
    FRAME,
    IMAGES,
    IS_SPAM,
    LABELS,
    NUMBERS,
    SMALL,
    TARGET,
    TEXTS,
    Spy,
    about,
    assert_scored_as_by_cross_validate,
    by_name,
    pipelines,
)
from tests.experiments.driving import environment

import assay
from assay.errors import InputError
from assay.experiments import experiment
from assay.experiments.containers import case_count, fingerprint, put_container, row_keys, rows_of, stored_container
from assay.experiments.datasets import dataset_of
from assay.experiments.fitting import curve_of
from assay.experiments.learners import learner_of
from assay.experiments.preparation import learner_input

PIPELINES = pipelines()
CONTAINERS: dict[str, tuple[Any, Any]] = {
    "pandas": (FRAME, TARGET),
    "polars": (polars.DataFrame(FRAME[SMALL].to_dict("list")), polars.Series("kind", LABELS)),
    "Arrow": (pyarrow.table(FRAME[SMALL].to_dict("list")), pyarrow.array(LABELS.tolist())),
    "texts": (TEXTS, LABELS.tolist()),
    "rows in lists": (NUMBERS.tolist(), tuple(LABELS.tolist())),
    "float32": (NUMBERS.astype(np.float32), IS_SPAM),
    "integers": (COUNTS.toarray(), np.where(IS_SPAM, 7, 3)),
    "images": (IMAGES, LABELS.astype(object)),
    "csr matrix": (COUNTS, LABELS),
    "csc array": (sparse.csc_array(COUNTS), LABELS),
    "coo array": (sparse.coo_array(COUNTS), LABELS),
    "bytes": (np.array([text.encode() for text in TEXTS]), LABELS),
    "categories as labels": (NUMBERS, pandas.Series(pandas.Categorical(LABELS))),
}


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scores_are_those_of_cross_validate(name: str) -> None:
    assert_scored_as_by_cross_validate(*PIPELINES[name])


def test_there_are_twenty_pipelines_at_least() -> None:
    assert len(PIPELINES) >= 20


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("jobs", [1, 2])
def test_spies_see_the_very_types_names_and_labels(name: str, jobs: int, tmp_path: Path) -> None:
    if jobs > 1 and name not in ("pandas", "polars", "Arrow", "texts", "csr matrix"):
        jobs = 1
    X, y = CONTAINERS[name]  # noqa: N806
    study = experiment((X, y), Spy(str(tmp_path / "log")), assay.plans.holdout(), jobs=jobs, progress=False)
    assert study.progress()["failed"] == 0, study.failures()
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert {line["call"] for line in lines} == {"fit", "predict"}
    of_all = json.loads(json.dumps([about(X), about(y)]))
    for line in lines:
        assert line["X"] == of_all[0]
        if line["call"] == "fit":
            assert line["y"] == of_all[1]
    study.store.close()


@pytest.mark.parametrize("kind", ["pandas", "polars", "Arrow"])
def test_a_frame_with_its_column_of_classes_loses_that_column_alone(kind: str, tmp_path: Path) -> None:
    whole = {**FRAME[SMALL].to_dict("list"), "site": (np.arange(len(FRAME)) // 4).tolist(), "kind": LABELS.tolist()}
    made: dict[str, Callable[[Any], Any]] = {
        "pandas": pandas.DataFrame,
        "polars": polars.DataFrame,
        "Arrow": pyarrow.table,
    }
    frame = made[kind](whole)
    data = dataset_of(frame, target="kind", group="site", ignore=["visits"])
    assert type(data.given) is type(frame)
    assert about(data.given)["columns"] == ["age", "wind"]
    assert [str(label) for label in data.spelling] == list(data.classes)
    study = experiment(data, Spy(str(tmp_path / "log")), assay.plans.grouped_kfold(3), jobs=1, progress=False)
    line = json.loads((tmp_path / "log").read_text().splitlines()[0])
    assert line["X"] == json.loads(json.dumps(about(data.given)))
    study.store.close()


@pytest.mark.parametrize("name", CONTAINERS)
def test_rows_are_taken_by_the_containers_own_means(name: str, tmp_path: Path) -> None:
    X, _ = CONTAINERS[name]  # noqa: N806
    rows = np.array([5, 0, 7], dtype=np.int32)
    some = rows_of(X, rows)
    assert type(some) is type(X)
    assert case_count(some) == 3
    every = row_keys(X)
    assert row_keys(some) == [every[row] for row in rows]
    put_container(tmp_path, "X", X)
    again = stored_container(tmp_path, "X")
    assert type(again) is type(X)
    assert fingerprint(again) == fingerprint(X)
    assert fingerprint(some) != fingerprint(X)


def test_presets_encode_text_inside_the_fold_and_show_it() -> None:
    frame = FRAME[SMALL].assign(kind=LABELS)
    frame.loc[frame.index[0], "wind"] = None
    data = dataset_of(frame, target="kind", positive="spam")
    study = experiment(data, {"tree": "tree", "knn": "knn"}, assay.plans.kfold(3), jobs=1, progress=False)
    assert study.progress()["failed"] == 0
    model = study.model("frame", "knn", fold=0)
    names = [name for name, _ in model.estimator.steps]
    assert names == ["encode", "fill", "scale", "learn"]
    assert "TableEncoder > SimpleImputer > StandardScaler > KNeighborsClassifier" in str(study.preparation())
    assert (
        "wind is" in study.model("frame", "tree", fold=0).words()
        or "age" in study.model("frame", "tree", fold=0).words()
    )
    # A value that the training part lacks has no column.
    rare = FRAME[["visits"]].assign(wind=["only here", *["N", "S"] * 59, "N"], kind=LABELS)
    only = experiment(dataset_of(rare, target="kind"), "tree", assay.plans.kfold(3), jobs=1, progress=False)
    columns = [only.model(learner="tree", fold=fold).estimator[0].get_feature_names_out() for fold in range(3)]
    assert sorted("wind=only here" in names for names in columns) == [False, True, True]
    study.store.close()
    only.store.close()


def test_class_weights_of_a_preset_go_by_label() -> None:
    weighted = {"preset": "tree", "params": {"max_depth": 2, "class_weight": {"spam": 9, "ham": 1}}}
    study = experiment(
        (NUMBERS, LABELS),
        {"w": weighted, "plain": {"preset": "tree", "params": {"max_depth": 2}}},
        assay.plans.kfold(3),
        jobs=1,
        positive="spam",
        progress=False,
    )
    recall = study.wide("recall").columns
    assert recall["w"][0] > recall["plain"][0]
    study.store.close()


@pytest.mark.parametrize("positive", ["spam", "ham"])
def test_scores_speak_for_the_positive_class_whatever_the_order_of_labels(positive: str) -> None:
    from sklearn.svm import LinearSVC

    study = experiment(
        dataset_of((NUMBERS, LABELS), positive=positive),
        {"svc": LinearSVC()},
        assay.plans.kfold(3),
        jobs=1,
        progress=False,
    )
    assert study.estimate("data", "svc", "roc_auc").value > 0.7
    study.store.close()


def test_what_a_learner_cannot_take_is_said_first_and_never_refused(capfd: pytest.CaptureFixture[str]) -> None:
    study = experiment({"mail": (TEXTS, LABELS)}, {"tree": DecisionTreeClassifier()}, assay.plans.kfold(3), jobs=1)
    said = capfd.readouterr().err.splitlines()
    assert said[0].startswith("Trial: learner 'tree' fails on a sample of data set 'mail': ValueError: ")
    assert said[-1].startswith("every run of 'tree' failed (3): ValueError: ")
    assert "every run of 'tree' failed" in repr(study)
    assert study.progress() == {"todo": 0, "running": 0, "done": 3, "failed": 3}
    study.store.close()


def test_a_trial_leaves_random_states_alone() -> None:
    state = np.random.RandomState(3)
    before = state.get_state(legacy=False)["state"]["key"].tolist()
    learner = DecisionTreeClassifier(random_state=state, max_features=1)
    study = experiment((NUMBERS, LABELS), {"tree": learner}, assay.plans.kfold(3), jobs=1, progress=False)
    assert state.get_state(legacy=False)["state"]["key"].tolist() == before
    splits = [(split.train, split.test) for split in assay.plans.kfold(3).splits(LABELS)]
    fresh = [
        DecisionTreeClassifier(random_state=np.random.RandomState(3), max_features=1)
        .fit(NUMBERS[train], LABELS[train])
        .score(NUMBERS[test], LABELS[test])
        for train, test in splits
    ]
    assert study.fold_scores("data", "tree").values.tolist() == fresh
    study.store.close()


def test_the_command_line_ends_with_1_and_the_reason_on_top(tmp_path: Path) -> None:
    pandas.DataFrame({"a": np.where(IS_SPAM, np.nan, 1.0), "y": LABELS}).to_csv(tmp_path / "d.csv", index=False)
    (tmp_path / "s.toml").write_text(
        'plan = "holdout"\njobs = 1\ndatasets = [{ path = "d.csv" }]\n'
        '[[learners]]\npath = "sklearn.linear_model.LogisticRegression"\n'
    )
    command = [sys.executable, "-m", "assay", "experiment", "run", "s.toml"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert "Trial: learner 'LogisticRegression' fails on a sample" in done.stderr
    assert "every run of 'LogisticRegression' failed (1): ValueError: Input X contains NaN." in done.stderr
    assert done.stdout.startswith("Every run of 'LogisticRegression' failed (1): ValueError: Input X contains NaN.")


def test_labels_of_files_reach_a_users_learner_in_their_own_spelling(tmp_path: Path) -> None:
    pandas.DataFrame({"a": NUMBERS[:, 0], "kind": LABELS}).to_csv(tmp_path / "mail.csv", index=False)
    log = tmp_path / "log"
    learner = {"path": "sklearn.linear_model.LogisticRegression", "params": {"class_weight": {"spam": 3.0, "ham": 1.0}}}
    data = dataset_of(tmp_path / "mail.csv", target="kind", positive="ham")
    study = experiment(data, [learner, Spy(str(log))], assay.plans.holdout(), jobs=1, progress=False)
    assert study.progress()["failed"] == 0
    assert json.loads(log.read_text().splitlines()[0])["y"]["of"] == ["str"]
    study.store.close()


def test_what_is_as_it_always_was_keeps_its_digest() -> None:
    for data in (dataset_of("iris"), dataset_of("weather"), dataset_of((NUMBERS, IS_SPAM.astype(int)))):
        for learner in (learner_of("tree"), learner_of(DecisionTreeClassifier())):
            study = experiment(data, {"x": DecisionTreeClassifier()}, run=False)
            assert not study.has_other_input(data.name, "x")
            assert learner_input(data, learner).fields()["form"] == "features"
            study.store.close()


def test_texts_are_refused_where_numbers_are_needed() -> None:
    study = experiment((TEXTS, LABELS), {"words": pipelines()["a list of texts"][2]()}, assay.plans.kfold(3), jobs=1)
    words = learner_of(pipelines()["a list of texts"][2](), name="words")
    with pytest.raises(InputError, match=r"takes data set 'data' as a list; needed: an array of numbers"):
        curve_of(dataset_of((TEXTS, LABELS)), words, "missing")
    assert study.nested_error("data", "words", repeats=1).value < 0.5
    study.store.close()


def test_more_than_folds_is_made_of_what_was_given() -> None:
    study = experiment(
        {"mail": (FRAME[SMALL], TARGET)},
        {"mine": by_name()},
        assay.plans.kfold(3),
        jobs=1,
        keep_models=True,
        progress=False,
    )
    assert study.refitted("mail", "mine") is not None
    assert study.bootstrap_validation("mail", "mine", replicates=20) is not None
    assert study.against_chance("mail", "mine", permutations=3).p_value <= 1
    model = study.model("mail", "mine")
    assert list(model.estimator.predict(FRAME[SMALL][:3])) == list(model.estimator.predict(FRAME[SMALL])[:3])
    scored = study.score(FRAME[SMALL][:5], "mail", "mine")
    assert scored.columns["prediction"] == list(model.estimator.predict(FRAME[SMALL][:5]))
    importances = study.model("mail", "mine", fold=0).importances(repeats=10)
    assert {one.name for one in importances.found} == set(SMALL)
    study.store.close()


def test_a_baseline_looks_at_nothing() -> None:
    study = experiment((IMAGES, LABELS), DummyClassifier(strategy="prior"), assay.plans.kfold(3), jobs=1)
    assert study.progress()["failed"] == 0
    study.store.close()
