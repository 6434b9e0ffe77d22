"""A study: the numbers of a plain scikit-learn loop, failures beside successes, and what a changed study says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tests.experiments.learning import Fussy

from assay.errors import AssayError, InputError
from assay.experiments.datasets import dataset_of
from assay.experiments.plans import bootstrap, grouped_kfold, kfold, nested, repeated_kfold, resubstitution
from assay.experiments.study import Study, experiment, open_study

DATA = {"iris": load_iris(), "breast_cancer": load_breast_cancer(), "wine": load_wine()}
LEARNERS: dict[str, Any] = {
    "nb": make_pipeline(SimpleImputer(strategy="median"), GaussianNB()),
    "tree": DecisionTreeClassifier(random_state=3),
    "logistic": make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), LogisticRegression(max_iter=1000)),
    "svm": make_pipeline(StandardScaler(), SVC(random_state=3)),
}
PRESETS = {"nb": "nb", "tree": LEARNERS["tree"], "logistic": "logistic", "svm": LEARNERS["svm"]}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    store = tmp_path_factory.mktemp("study") / "study.db"
    done = experiment(list(DATA), PRESETS, kfold(5), store=store, seed=3, jobs=1)
    yield done
    done.store.close()


def by_hand(name: str, learner: str) -> Iterator[tuple[Any, Any, Any]]:
    """Each fold's fitted model with its test rows and their classes, as anyone would write it."""
    data = DATA[name]
    for train, test in StratifiedKFold(5, shuffle=True, random_state=3).split(data.data, data.target):
        yield clone(LEARNERS[learner]).fit(data.data[train], data.target[train]), data.data[test], data.target[test]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", DATA)
def test_a_study_is_the_plain_loop(study: Study, name: str, learner: str) -> None:
    theirs = [accuracy_score(y, model.predict(x)) for model, x, y in by_hand(name, learner)]
    np.testing.assert_allclose(study.fold_scores(name, learner).values, theirs, rtol=0, atol=1e-12)
    assert study.estimate(name, learner).value == pytest.approx(np.mean(theirs), abs=1e-12)


@pytest.mark.parametrize("learner", LEARNERS)
def test_scores_are_those_of_the_models(study: Study, learner: str) -> None:
    method = "decision_function" if learner == "svm" else "predict_proba"
    theirs = []
    for model, x, y in by_hand("breast_cancer", learner):
        scores = getattr(model, method)(x)
        theirs.append(roc_auc_score(y, scores if scores.ndim == 1 else scores[:, 1]))
    ours = study.fold_scores("breast_cancer", learner, "roc_auc").values
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_the_dummy_and_everything_else_is_in_the_table(study: Study) -> None:
    table = study.table()
    assert len(table) == 3 * 5
    assert table.columns["learner"][:5] == ["dummy", *LEARNERS]
    assert set(table.columns["splits"]) == {5}
    assert min(table.columns["fit_seconds"]) > 0
    assert min(table.columns["model_bytes"]) > 100
    assert study.wide().columns["dummy"][0] == pytest.approx(1 / 3)
    assert study.progress() == {"todo": 0, "running": 0, "done": 75, "failed": 0}


def test_the_evaluation_pools_the_folds(study: Study) -> None:
    ev = study.evaluation("breast_cancer", "logistic")
    assert ev.n == 569
    assert ev.positive == "benign"
    assert ev.predictions is not None
    assert ev.predictions.fold is not None
    assert np.bincount(ev.predictions.fold).tolist() == [114, 114, 114, 114, 113]
    assert ev.threshold_used == 0.5
    folds = study.fold_scores("breast_cancer", "logistic", "roc_auc")
    assert ev.roc_auc.value == pytest.approx(folds.values.mean(), abs=1e-12)  # LeDell's is the mean over folds
    accuracy = study.fold_scores("breast_cancer", "logistic")
    assert ev.accuracy.value == pytest.approx((accuracy.values * accuracy.test).sum() / 569, abs=1e-12)
    assert study.evaluation("iris", "svm").class_scores is None  # labels alone, where there are no probabilities


def test_two_learners_are_compared_on_the_same_splits(study: Study) -> None:
    table = study.compare("wine", "logistic", "tree")
    gap = study.fold_scores("wine", "logistic").values - study.fold_scores("wine", "tree").values
    assert gap.mean() in [pytest.approx(value) for value in table.columns["difference"] if value == value]


def test_every_cell_comes_out_as_csv(study: Study) -> None:
    lines = study.to_csv("accuracy", "kappa").splitlines()
    assert lines[0].startswith("dataset,learner,repeat,fold,status,accuracy,kappa,fit_seconds")
    assert len(lines) == 1 + 75
    first = next(line for line in lines if line.startswith("wine,tree,0,0"))
    assert float(first.split(",")[5]) == study.fold_scores("wine", "tree").values[0]


def test_a_study_reopened_is_the_same_study(study: Study) -> None:
    again = open_study(study.store.place)
    assert again.wide().columns == study.wide().columns
    with pytest.raises(AssayError, match="opened without its data"):
        again.run()
    again.store.close()
    with pytest.raises(InputError, match="unknown study 'other' in the store; needed: one of: 'study'"):
        open_study(study.store.place, "other")


def test_unknown_names_are_refused(study: Study) -> None:
    with pytest.raises(InputError, match="no learner 'svn'; needed: one of dummy, nb"):
        study.fold_scores("iris", "svn")
    with pytest.raises(InputError, match="no data set 'irises'"):
        study.evaluation("irises", "nb")
    expected = r"^no measure 'acuracy' for 3 classes: there is no measure 'acuracy'; did you mean accuracy\?$"
    with pytest.raises(InputError, match=expected):
        study.fold_scores("iris", "nb", "acuracy")


def test_a_measure_of_one_class_stands_for_its_macro_average_where_there_are_more(study: Study) -> None:
    table = study.table("roc_auc")
    assert "roc_auc (macro_roc_auc of iris, wine)" in table.title
    found = dict(
        zip(zip(table.columns["dataset"], table.columns["learner"], strict=True), table.columns["roc_auc"], strict=True)
    )
    assert found["iris", "nb"] == study.estimate("iris", "nb", "macro_roc_auc").value
    assert found["breast_cancer", "nb"] == study.estimate("breast_cancer", "nb", "roc_auc").value


def test_running_again_runs_nothing(study: Study, tmp_path: Path) -> None:
    before = study.store.cells(study.name, "key", "finished", "owner")
    study.run(jobs=1)
    assert study.store.cells(study.name, "key", "finished", "owner") == before


def test_one_failing_fold_is_recorded_and_the_rest_goes_on(tmp_path: Path) -> None:
    features = np.arange(20.0).reshape(20, 1)
    study = experiment(
        (features, [0, 1] * 10), {"fussy": Fussy(3.0), "nb": "nb"}, kfold(5), store=tmp_path / "s.db", jobs=1
    )
    failed = study.failures()
    assert len(failed) == 1
    assert "ValueError: no case of 3.0" in failed.columns["error"][0]
    assert "Traceback" in failed.columns["error"][0]
    assert study.progress() == {"todo": 0, "running": 0, "done": 14, "failed": 1}
    assert study.table().columns["failed"] == [0, 1, 0]
    assert len(study.fold_scores("data", "fussy").values) == 4
    assert study.compare("data", "fussy", "nb").columns["difference"]
    lines = study.to_csv().splitlines()
    assert sum(line.endswith("ValueError: no case of 3.0") for line in lines) == 1
    again = experiment(
        (features, [0, 1] * 10), {"fussy": Fussy(3.0), "nb": "nb"}, kfold(5), store=tmp_path / "s.db", jobs=1
    )
    assert len(again.failures()) == 1
    for each in (study, again):
        each.store.close()


def test_warnings_of_a_learner_are_kept(tmp_path: Path) -> None:
    hasty = LogisticRegression(max_iter=1)
    study = experiment("iris", {"hasty": hasty}, kfold(2), store=tmp_path / "s.db", jobs=1)
    said = [cell["warnings"] for cell in study.store.cells("study", "warnings", learner="hasty")]
    assert all("ConvergenceWarning" in each for each in said)
    study.store.close()


def changed(study: Study) -> set[tuple[str, str, str]]:
    stale = study.stale()
    return set(zip(*(stale.columns[name] for name in ("dataset", "learner", "because")), strict=True))


def test_a_changed_study_says_what_is_stale_and_runs_only_what_is_new(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    features, target = np.random.default_rng(0).normal(size=(40, 2)), [0, 1] * 20
    data = {"a": (features, target), "b": (features + 1, target)}
    first = experiment(data, {"nb": "nb", "tree": "tree"}, kfold(4), store=place, jobs=1)
    assert len(first.stale()) == 0
    finished = {cell["key"]: cell["finished"] for cell in first.store.cells("study", "key", "finished")}

    second = experiment(data, {"nb": "nb", "tree": DecisionTreeClassifier(max_depth=2)}, kfold(4), store=place, jobs=1)
    assert changed(second) == {("a", "tree", "the learner changed"), ("b", "tree", "the learner changed")}
    kept = second.store.cells("study", "key", "finished", learner="nb")
    assert all(finished[cell["key"]] == cell["finished"] for cell in kept)

    moved = data | {"b": (features + 2, target)}
    third = experiment(moved, {"nb": "nb"}, kfold(4), store=place, jobs=1)
    assert ("b", "nb", "the data changed") in changed(third)
    assert ("a", "tree", "the learner is no longer in the study") in changed(third)
    assert third.progress()["done"] == 2 * 2 * 4

    back = experiment(data, {"nb": "nb", "tree": "tree"}, kfold(4), store=place, jobs=1)
    assert {cell["key"]: cell["finished"] for cell in back.store.cells("study", "key", "finished")} == finished

    other = experiment(data, {"nb": "nb"}, kfold(4), store=place, seed=1, jobs=1)
    assert ("a", "nb", "the plan changed") in changed(other)
    for each in (first, second, third, back, other):
        each.store.close()


def test_more_repeats_keep_the_first_ones(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    first = experiment("iris", "nb", repeated_kfold(3, 2), store=place, jobs=1)
    before = {cell["key"]: cell["finished"] for cell in first.store.cells("study", "key", "finished")}
    more = experiment("iris", "nb", repeated_kfold(3, 4), store=place, jobs=1)
    after = {cell["key"]: cell["finished"] for cell in more.store.cells("study", "key", "finished")}
    assert before.items() <= after.items()
    assert len(after) == 2 * 12
    assert len(more.stale()) == 0
    assert more.evaluation("iris", "nb", repeat=3).n == 150
    for each in (first, more):
        each.store.close()


def test_a_learner_without_a_recipe_runs_and_says_why_it_cannot_be_resumed(tmp_path: Path) -> None:
    odd = make_pipeline(FunctionTransformer(lambda x: x[:, :2]), GaussianNB())
    study = experiment("iris", {"odd": odd}, kfold(3), store=tmp_path / "s.db", jobs=1)
    assert study.progress()["done"] == 6
    with pytest.raises(InputError, match="learner 'odd' was given as an object"):
        open_study(tmp_path / "s.db", to_run=True)
    study.store.close()


def test_a_study_of_arrays_cannot_be_resumed_without_them(tmp_path: Path) -> None:
    study = experiment((np.eye(8), [0, 1] * 4), "nb", kfold(2), store=tmp_path / "s.db", jobs=1)
    with pytest.raises(InputError, match="data set 'data' was given as arrays"):
        open_study(tmp_path / "s.db", to_run=True)
    study.store.close()


def test_settings_are_tuned_by_the_inner_plan(tmp_path: Path) -> None:
    learners = {"tuned": {"preset": "tree", "tune": {"max_depth": [1, 5]}}}
    study = experiment("iris", learners, nested(kfold(3), kfold(2)), store=tmp_path / "s.db", jobs=1)
    assert study.progress() == {"todo": 0, "running": 0, "done": 6, "failed": 0}
    other = experiment("iris", learners, nested(kfold(3), kfold(4)), store=tmp_path / "s.db", jobs=1)
    assert changed(other) == {("iris", "tuned", "the seed or the inner plan changed")}
    for each in (study, other):
        each.store.close()


def test_groups_stay_together_and_plans_that_part_them_are_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    data = dataset_of((rng.normal(size=(60, 2)), rng.integers(0, 2, 60), np.repeat(np.arange(12), 5)), name="patients")
    study = experiment([data], "nb", grouped_kfold(4), store=tmp_path / "s.db", jobs=1)
    assert study.progress()["done"] == 8
    with pytest.raises(
        InputError, match="data set 'patients': the plan '5 folds, stratified' separates cases of a group"
    ):
        experiment([data], "nb", kfold(5), store=tmp_path / "s.db", jobs=1)
    study.store.close()


@pytest.mark.parametrize("plan", [resubstitution(), bootstrap(6)], ids=lambda plan: plan.kind)
def test_no_interval_stands_where_it_was_not_made_for(plan: Any, tmp_path: Path) -> None:
    study = experiment("iris", "tree", plan, store=tmp_path / "s.db", jobs=1)
    found = study.estimate("iris", "tree")
    assert found.value > 0.8
    assert np.isnan(found.low)
    assert found.undefined
    study.store.close()


def test_learners_are_ranked_over_the_data_sets(study: Study) -> None:
    ranks = study.ranks()
    means = {name: np.mean(study.fold_scores("iris", name).values) for name in study.learners}
    first = ranks.results.datasets.index("iris")
    by_name = dict(zip(ranks.results.algorithms, ranks.results.values[first], strict=True))
    assert by_name == pytest.approx({name: mean for name, mean in means.items() if name != "dummy"})
    assert ranks.results.baseline_values is not None
    assert ranks.results.baseline_values[first].tolist() == pytest.approx([means["dummy"]])
    assert ranks.table().columns["algorithm"][-1] == "dummy"
    # Among the tests only if somebody asks for it.
    assert "dummy" not in {name for pair in ranks.compare().pairs for name in (pair.first, pair.second)}
    assert "dummy" not in ranks.critical_difference().algorithms
    assert "dummy" in study.ranks(baseline="none").results.algorithms
