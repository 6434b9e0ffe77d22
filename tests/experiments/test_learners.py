"""Learners: presets that can be fitted, recipes that say all of an estimator, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import BaggingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags

from assay.errors import InputError
from assay.experiments.learners import (
    PRESETS,
    estimator_of,
    learner_of,
    learners_of,
    recipe_of,
    requests_metadata,
)
from assay.experiments.task import fit_with

IRIS = load_iris()
HOLES = np.where(np.random.default_rng(0).random(IRIS.data.shape) < 0.1, np.nan, IRIS.data)


class Constant(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner of the tests: always the same class."""

    def __init__(self, label: int = 0) -> None:
        self.label = label

    def fit(self, X: Any, y: Any) -> Constant:  # noqa: N803
        self.classes_ = np.arange(int(max(y)) + 1)
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.full(len(X), self.label)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_learns_where_values_are_missing(name: str) -> None:
    said = {"preset": name, "params": {"fpr": 0.1}} if name == "hull-mixture" else name
    model = learner_of(said).build(seed=1)
    y = IRIS.target if get_tags(model).classifier_tags.multi_class else IRIS.target == 2
    fit_with(model, HOLES, y, (HOLES[::3], y[::3]))
    assert model.predict(HOLES).shape == (150,)


ESTIMATORS = [
    DecisionTreeClassifier(max_depth=3, class_weight={"0": 1.0, "1": 2.0}),
    make_pipeline(StandardScaler(), SVC(C=3.5)),
    make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()),
    BaggingClassifier(DecisionTreeClassifier(min_samples_split=20), n_estimators=30),
    VotingClassifier([("a", SVC()), ("b", LogisticRegression(C=np.float64(2.0)))]),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_a_recipe_says_all_of_an_estimator(estimator: Any) -> None:
    learner = learner_of(estimator)
    assert learner.given is None
    again = learner_of({"path": "sklearn.svm.SVC"})
    built = type(again)("again", json.loads(json.dumps(learner.recipe))).build(seed=5)
    theirs = {key: value for key, value in estimator.get_params().items() if not hasattr(value, "fit")}
    ours = built.get_params()
    for key, value in theirs.items():
        if "steps" in key or key == "estimators":
            continue
        assert ours[key] == (5 if key.endswith("random_state") else value), key


def test_classes_given_by_import_path_are_public_paths() -> None:
    assert learner_of(SVC()).recipe == {"path": "sklearn.svm.SVC", "params": {}}
    assert learner_of(SVC).recipe == learner_of("sklearn.svm.SVC").recipe


def test_every_free_random_state_is_fixed_and_no_other() -> None:
    pipeline = make_pipeline(StandardScaler(), BaggingClassifier(DecisionTreeClassifier(random_state=9)))
    params = learner_of(pipeline).build(seed=4).get_params()
    assert params["baggingclassifier__random_state"] == 4
    assert params["baggingclassifier__estimator__random_state"] == 9


def test_what_has_no_recipe_is_kept_and_still_has_a_fingerprint() -> None:
    def one() -> Any:
        return learner_of(make_pipeline(FunctionTransformer(lambda x: x + 1), SVC()), name="shifted")

    learner = one()
    assert learner.given is not None
    assert learner.hash == one().hash
    other = learner_of(make_pipeline(FunctionTransformer(lambda x: x + 2), SVC()), name="shifted")
    assert learner.hash != other.hash


def test_the_fingerprint_is_that_of_class_and_parameters() -> None:
    tree = learner_of("tree")
    assert tree.hash == learner_of(DecisionTreeClassifier()).hash
    assert tree.hash != learner_of(DecisionTreeClassifier(max_depth=2)).hash
    assert tree.hash != learner_of("stump").hash


def test_a_grid_is_a_learner_for_each_combination() -> None:
    grid = {"preset": "tree", "params": {"min_samples_leaf": 5}, "grid": {"max_depth": [1, 2], "criterion": ["gini"]}}
    found = learners_of([grid])
    assert [one.name for one in found] == [
        "dummy",
        "tree(max_depth=1, criterion=gini)",
        "tree(max_depth=2, criterion=gini)",
    ]
    assert found[2].build(0).get_params()["max_depth"] == 2
    assert found[2].build(0).get_params()["min_samples_leaf"] == 5


def test_tuning_happens_inside_the_learner() -> None:
    built = learner_of({"preset": "svm", "tune": {"C": [0.1, 10.0]}, "folds": 4}).build(0)
    assert type(built).__name__ == "GridSearchCV"
    assert built.cv == 4
    assert set(built.fit(IRIS.data, IRIS.target).best_params_) == {"learn__C"}


def test_the_dummy_is_always_there_and_once() -> None:
    assert [one.name for one in learners_of("tree")] == ["dummy", "tree"]
    assert [one.name for one in learners_of(["tree", "dummy"])] == ["tree", "dummy"]
    assert [one.name for one in learners_of({"mine": Constant(1), "tree": "tree"})] == ["dummy", "mine", "tree"]


REFUSED: dict[str, tuple[Any, str]] = {
    "misspelt preset": ({"preset": "forrest"}, "unknown learner 'forrest'; needed: one of dummy"),
    "misspelt path": ("sklearn.svm.SVG", "no class 'sklearn.svm.SVG'"),
    "misspelt parameter": ({"preset": "tree", "params": {"depth": 2}}, "depth"),
    "no estimator": ("sklearn.model_selection.KFold", "is not an estimator class"),
    "no package allowed": ("collections.OrderedDict", "not allowed; .*; pass allow='collections'"),
    "no classifier": ("sklearn.preprocessing.StandardScaler", "is not an estimator class"),
    "misspelt name": ("oak", "unknown learner 'oak'"),
    "no fit": (17, "int has no fit"),
    "unknown key": ({"preset": "tree", "colour": 1}, "a learner has 'colour'"),
    "preset and path": ({"preset": "tree", "path": "sklearn.svm.SVC"}, "a preset or a path"),
    "empty grid": ({"preset": "tree", "grid": {"max_depth": []}}, "a list of values for each parameter"),
    "huge grid": ({"preset": "tree", "grid": {"max_depth": list(range(1, 1002))}}, "1,001 combinations"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals_say_what_is_needed(case: str) -> None:
    given, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        learners_of([given])


def test_two_learners_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="duplicate learner name 'SVC'"):
        learners_of([SVC(C=1.0), SVC(C=2.0)])


def test_requests_of_metadata_are_in_the_recipe() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, LogisticRegression().set_fit_request(sample_weight="w"))
    recipe = recipe_of(pipeline)
    assert recipe is not None
    assert requests_metadata(recipe)
    assert not requests_metadata(recipe_of(make_pipeline(StandardScaler(), LogisticRegression())))
    again = estimator_of(json.loads(json.dumps(recipe)))
    with sklearn.config_context(enable_metadata_routing=True):
        for known, made in zip(pipeline, again, strict=True):
            assert made.get_metadata_routing().fit.requests == known.get_metadata_routing().fit.requests
