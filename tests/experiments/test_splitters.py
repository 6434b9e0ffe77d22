"""Splitters, times, searches, weights and early stopping: what people use with scikit-learn, and its own figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeavePGroupsOut,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import assay
from assay.errors import InputError
from assay.experiments import experiment
from assay.experiments.datasets import dataset_of

RNG = np.random.default_rng(8)
X = RNG.normal(size=(160, 3))
Y = np.where(X[:, 0] + RNG.normal(size=160) > 0, "yes", "no")
GROUPS = RNG.integers(0, 8, size=160)
WEIGHT = RNG.integers(1, 9, size=160).astype(float)
SPLITTERS: dict[str, tuple[Any, bool]] = {
    "GroupKFold": (GroupKFold(4), True),
    "StratifiedGroupKFold": (StratifiedGroupKFold(3), True),
    "LeaveOneGroupOut": (LeaveOneGroupOut(), True),
    "LeavePGroupsOut": (LeavePGroupsOut(2), True),
    "GroupShuffleSplit": (GroupShuffleSplit(3, random_state=1), True),
    "KFold": (KFold(4, shuffle=True, random_state=1), False),
    "RepeatedStratifiedKFold": (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=1), False),
    "ShuffleSplit": (ShuffleSplit(4, random_state=1), False),
    "StratifiedShuffleSplit": (StratifiedShuffleSplit(4, random_state=1), False),
    "TimeSeriesSplit": (TimeSeriesSplit(4), False),
}


@pytest.mark.parametrize("name", SPLITTERS)
def test_any_splitter_parts_as_for_scikit_learn(name: str) -> None:
    splitter, is_grouped = SPLITTERS[name]
    theirs = cross_validate(GaussianNB(), X, Y, cv=splitter, groups=GROUPS if is_grouped else None)
    data = (X, Y, GROUPS) if is_grouped else (X, Y)
    study = experiment({"d": data}, {"nb": GaussianNB()}, splitter, jobs=1, progress=False)
    np.testing.assert_allclose(study.fold_scores("d", "nb").values, theirs["test_score"], rtol=0, atol=1e-12)
    study.store.close()


def test_a_time_column_orders_the_cases_whatever_the_order_of_rows() -> None:
    day = np.sort(RNG.integers(0, 40, size=160))
    dates = pandas.Timestamp("2024-01-01") + pandas.to_timedelta(day, unit="D")
    mixed = RNG.permutation(160)
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "when": dates, "y": Y}).iloc[mixed]
    data = dataset_of(frame, time="when")
    assert [column.name for column in data.columns] == ["a", "b"]
    plan = assay.plans.time_series(4)
    study = experiment({"d": data}, {"nb": GaussianNB()}, plan, jobs=1, progress=False)
    assert study.progress()["failed"] == 0
    splits = list(plan.each(data.target, None, 0, None, data.time))
    when = frame["when"].to_numpy()
    for split in splits:
        assert when[split.train].max() < when[split.test].min()
    sizes = study.flow("d").table().columns["cases"]
    assert sizes[0] == len(splits[0].train)
    with pytest.raises(InputError, match="trains on cases later than"):
        experiment({"d": data}, "nb", assay.plans.kfold(3), run=False)
    with pytest.raises(InputError, match="has '3/4/2024', which is not a time"):
        dataset_of(frame.assign(when="3/4/2024"), time="when")
    study.store.close()


def test_settings_of_every_search_are_listed_by_fold() -> None:
    searches = {
        "grid": GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}),
        "random": RandomizedSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 9]}, n_iter=2, random_state=0),
        "within a pipeline": make_pipeline(StandardScaler(), GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]})),
        "plain": GaussianNB(),
    }
    plan = assay.plans.nested(assay.plans.kfold(3), assay.plans.kfold(2))
    study = experiment({"d": (X, Y)}, searches, plan, jobs=1, progress=False)
    found = study.settings().columns
    assert found["learner"] == [name for name in list(searches)[:3] for _ in range(3)]
    inner = {c["learner"]: c for c in study.store.cells("study", "learner", "key")}
    assert len(inner) == 5
    for fold, split in enumerate(plan.splits(Y)):
        own = GridSearchCV(
            DecisionTreeClassifier(random_state=0),
            {"max_depth": [1, 4]},
            cv=[(part.train, part.test) for part in assay.plans.kfold(2).splits(Y[split.train])],
        ).fit(X[split.train], Y[split.train])
        assert found["max_depth"][fold] == own.best_params_["max_depth"]
    study.store.close()


class BySite:
    """A splitter of a user's own, which needs the groups."""

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: N803
        return 3

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:  # noqa: N803
        return GroupKFold(3).split(X, y, groups)


GRID = {"max_depth": [1, 2, 3, 4, 6], "min_samples_leaf": [1, 5, 9]}
SITES = np.array(list("hgfedcba"))[GROUPS]


GROUPED = [GroupKFold(3), StratifiedGroupKFold(3), LeaveOneGroupOut()]


# A splitter of a user's own requests no metadata, so that none are routed to it.
@pytest.mark.parametrize(
    ("inner", "routing"), [(BySite(), False), *((each, routing) for each in GROUPED for routing in (False, True))]
)
def test_a_search_with_grouped_folds_gets_the_groups_as_by_scikit_learn(inner: Any, routing: bool) -> None:
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), GRID, cv=inner)
    named = {"params": {"groups": SITES}} if routing else {"params": {"groups": SITES}, "groups": SITES}
    with sklearn.config_context(enable_metadata_routing=routing):
        theirs = cross_validate(search, X, Y, cv=GroupKFold(4), return_estimator=True, **named)
        study = experiment({"d": (X, Y, SITES)}, {"s": search}, GroupKFold(4), jobs=1, progress=False)
    assert study.failures().columns["error"] == []
    np.testing.assert_allclose(study.fold_scores("d", "s").values, theirs["test_score"], rtol=0, atol=1e-12)
    settings = study.settings().columns
    for name in GRID:
        assert settings[name] == [fitted.best_params_[name] for fitted in theirs["estimator"]]
    study.store.close()


def test_a_search_within_a_pipeline_gets_the_groups_too() -> None:
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), GRID, cv=GroupKFold(3))
    learner = make_pipeline(StandardScaler(), search)
    named = {"gridsearchcv__groups": SITES}
    theirs = cross_validate(learner, X, Y, cv=GroupKFold(4), groups=SITES, params=named)
    study = experiment({"d": (X, Y, SITES)}, {"s": learner}, GroupKFold(4), jobs=1, progress=False)
    np.testing.assert_allclose(study.fold_scores("d", "s").values, theirs["test_score"], rtol=0, atol=1e-12)
    assert len(study.settings()) == 4
    study.store.close()


TREE = DecisionTreeClassifier(max_depth=3, random_state=0)
WEIGHTED: dict[str, tuple[Any, str]] = {
    "a search": (GridSearchCV(TREE, {"max_depth": [1, 4]}, cv=3), "sample_weight"),
    "a search in a pipeline": (
        make_pipeline(StandardScaler(), GridSearchCV(TREE, {"max_depth": [1, 4]}, cv=3)),
        "gridsearchcv__sample_weight",
    ),
    "a search of a pipeline": (
        GridSearchCV(make_pipeline(StandardScaler(), TREE), {"decisiontreeclassifier__max_depth": [1, 4]}, cv=3),
        "decisiontreeclassifier__sample_weight",
    ),
    "votes": (VotingClassifier([("a", TREE), ("b", GaussianNB())], voting="soft"), "sample_weight"),
    "stacked": (StackingClassifier([("a", TREE), ("b", GaussianNB())], cv=3), "sample_weight"),
    "recalibrated": (CalibratedClassifierCV(TREE, cv=3), "sample_weight"),
}


@pytest.mark.parametrize("name", WEIGHTED)
def test_weights_reach_what_holds_other_estimators(name: str) -> None:
    learner, named = WEIGHTED[name]
    splitter = KFold(4, shuffle=True, random_state=1)
    theirs = cross_validate(learner, X, Y, cv=splitter, params={named: WEIGHT})["test_score"]
    frame = pandas.DataFrame(X, columns=list("abc")).assign(w=WEIGHT, y=Y)
    study = experiment({"d": dataset_of(frame, weight="w")}, {"l": learner}, splitter, jobs=1, progress=False)
    np.testing.assert_allclose(study.fold_scores("d", "l").values, theirs, rtol=0, atol=1e-12)
    assert not np.allclose(theirs, cross_validate(learner, X, Y, cv=splitter)["test_score"])
    study.store.close()


def test_weights_reach_fit_as_by_scikit_learn(capfd: pytest.CaptureFixture[str]) -> None:
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": WEIGHT, "y": Y})
    learners = {
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression()),
        "knn": KNeighborsClassifier(),
    }
    splitter = KFold(4, shuffle=True, random_state=1)
    study = experiment({"d": dataset_of(frame, weight="w")}, learners, splitter, jobs=1)
    assert "learner 'knn' does not support sample_weight: the weights of 'd' are not used" in capfd.readouterr().err
    theirs = cross_validate(learners["tree"], frame[["a", "b"]], Y, cv=splitter, params={"sample_weight": WEIGHT})
    np.testing.assert_allclose(study.fold_scores("d", "tree").values, theirs["test_score"], rtol=0, atol=1e-12)
    named = {"logisticregression__sample_weight": WEIGHT}
    theirs = cross_validate(learners["pipeline"], frame[["a", "b"]], Y, cv=splitter, params=named)
    np.testing.assert_allclose(study.fold_scores("d", "pipeline").values, theirs["test_score"], rtol=0, atol=1e-12)
    study.store.close()


@pytest.mark.parametrize("jobs", [1, 2])
def test_metadata_are_routed_where_that_is_switched_on(jobs: int) -> None:
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": WEIGHT, "y": Y})
    splitter = KFold(3, shuffle=True, random_state=1)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression().set_fit_request(sample_weight=True),
        )
        plain = get_scorer("accuracy").set_score_request(sample_weight=False)
        weights = {"sample_weight": WEIGHT}
        theirs = cross_validate(routed, frame[["a", "b"]], Y, cv=splitter, params=weights, scoring=plain)
        data = dataset_of(frame, weight="w")
        study = experiment({"d": data}, {"routed": routed}, splitter, jobs=jobs, progress=False)
    np.testing.assert_allclose(study.fold_scores("d", "routed").values, theirs["test_score"], rtol=0, atol=1e-12)
    study.store.close()


@pytest.mark.parametrize("request_weight", [True, False, None])
def test_weights_go_where_they_are_requested_and_an_open_request_is_a_failure(request_weight: bool | None) -> None:
    frame = pandas.DataFrame(X, columns=list("abc")).assign(w=WEIGHT, y=Y)
    splitter = KFold(4, shuffle=True, random_state=1)
    with sklearn.config_context(enable_metadata_routing=True):
        learner = DecisionTreeClassifier(max_depth=3, random_state=0)
        if request_weight is not None:
            learner.set_fit_request(sample_weight=request_weight)
        learners = {"mine": learner, "preset": "tree", "neighbours": KNeighborsClassifier()}
        study = experiment({"d": dataset_of(frame, weight="w")}, learners, splitter, jobs=1, progress=False)
    failed = study.failures().columns
    assert set(failed["learner"]) == ({"mine"} if request_weight is None else set())
    if request_weight is None:
        assert "not explicitly set as requested or not requested for DecisionTreeClassifier.fit" in failed["error"][0]
    else:
        given = {"sample_weight": WEIGHT} if request_weight else {}
        theirs = cross_validate(learner, X, Y, cv=splitter, params=given)
        np.testing.assert_allclose(study.fold_scores("d", "mine").values, theirs["test_score"], rtol=0, atol=1e-12)
    study.store.close()


class Stopping(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns as XGBoost and LightGBM do: it is given pairs to stop on, and keeps how many cases they had."""

    def fit(self, X: Any, y: Any, eval_set: Any = None) -> Stopping:  # noqa: N803
        self.seen_ = 0 if eval_set is None else len(eval_set[0][0])
        self.classes_, self.n_features_in_ = np.unique(y), self.seen_
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.repeat(self.classes_[int(self.seen_ > 0)], len(X))


def test_learners_that_stop_on_an_eval_set_get_the_validation_part() -> None:
    learners = {"stops": Stopping(), "in a pipeline": make_pipeline(StandardScaler(), Stopping())}
    study = experiment({"d": (X, Y)}, learners, assay.plans.train_validation_test(), jobs=1, progress=False)
    for name in learners:
        table = study.predictions("d", name, part="validation")
        assert set(table.columns["prediction"]) == {"yes"}
    study.store.close()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """scikit-learn's settings stay as they were."""
    before = sklearn.get_config()
    yield
    assert sklearn.get_config() == before
