"""Fitted estimators: scikit-learn's own, and what merely behaves as they do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.sources.reading import from_estimator

from assay.errors import InputError

linear_model: Any = pytest.importorskip("sklearn.linear_model")
calibration: Any = pytest.importorskip("sklearn.calibration")
ensemble: Any = pytest.importorskip("sklearn.ensemble")
model_selection: Any = pytest.importorskip("sklearn.model_selection")
pipeline: Any = pytest.importorskip("sklearn.pipeline")
preprocessing: Any = pytest.importorskip("sklearn.preprocessing")
svm: Any = pytest.importorskip("sklearn.svm")

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(90, 2))
OF_TWO = np.where(X[:, 0] + RANDOM.normal(size=90) > 0, "spam", "ham")
OF_THREE = np.digitize(X[:, 0] + RANDOM.normal(size=90) / 2, [-0.5, 0.5])


def logistic() -> Any:
    return linear_model.LogisticRegression()


@pytest.mark.parametrize(
    "estimator",
    [
        logistic(),
        pipeline.make_pipeline(preprocessing.StandardScaler(), logistic()),
        model_selection.GridSearchCV(logistic(), {"C": [0.1, 1.0]}, cv=2),
    ],
    ids=["plain", "pipeline", "search"],
)
def test_probabilities_are_asked_for_first(estimator: Any) -> None:
    two = from_estimator(estimator.fit(X, OF_TWO), X, OF_TWO, positive="ham", weight=np.ones(90))
    found = two.models["model"]
    assert (two.source.name, two.source.format) == (type(estimator).__name__, "estimator")
    assert found.classes == ("spam", "ham")
    np.testing.assert_array_equal(found.score, estimator.predict_proba(X)[:, 0])
    assert found.decision is None  # they are those at 0.5
    assert found.weight is not None
    many = from_estimator(estimator.fit(X, OF_THREE), X, OF_THREE).models["model"]
    assert many.classes == ("0", "1", "2")
    np.testing.assert_array_equal(many.probability, estimator.predict_proba(X))
    assert many.decision is None


def test_the_decision_function_points_to_the_positive_class() -> None:
    estimator = svm.LinearSVC().fit(X, OF_TWO)
    for positive, sign in {"spam": 1, "ham": -1}.items():
        found = from_estimator(estimator, X, OF_TWO, positive=positive).models["model"]
        np.testing.assert_array_equal(found.score, sign * estimator.decision_function(X))
        assert found.decision is not None
        assert [found.decisions[code] for code in found.decision] == estimator.predict(X).tolist()


def test_labels_are_all_that_is_left_of_margins_of_many_classes() -> None:
    estimator = svm.LinearSVC().fit(X, OF_THREE)
    found = from_estimator(estimator, X, OF_THREE).models["model"]
    assert (found.score, found.probability) == (None, None)
    assert found.decision is not None
    assert found.decision.tolist() == estimator.predict(X).tolist()


def test_labels_are_kept_where_they_are_not_those_of_the_largest_probability() -> None:
    estimator = model_selection.FixedThresholdClassifier(logistic(), threshold=0.2).fit(X, OF_TWO == "spam")
    found = from_estimator(estimator, X, OF_TWO == "spam").models["model"]
    assert found.score is not None
    assert found.decision is not None
    assert found.decision.tolist() == estimator.predict(X).astype(int).tolist()


def test_a_class_that_the_cases_lack_is_a_class() -> None:
    estimator = logistic().fit(X, OF_THREE)
    few = OF_THREE != 1
    found = from_estimator(estimator, X[few], OF_THREE[few]).models["model"]
    assert found.classes == ("0", "1", "2")
    assert set(found.truth.tolist()) == {0, 2}


def test_an_outlier_detector_has_no_classes_of_its_own() -> None:
    estimator = ensemble.IsolationForest(random_state=0).fit(X)
    truth = np.where(np.abs(X).max(1) > 2, -1, 1)
    found = from_estimator(estimator, X, truth).models["model"]
    np.testing.assert_array_equal(found.score, estimator.decision_function(X))


@pytest.mark.parametrize(
    ("estimator", "truth", "sentence"),
    [
        (
            logistic(),
            OF_TWO,
            "the LogisticRegression is not fitted; needed: a fitted estimator: call fit on training data first",
        ),
        (
            pipeline.make_pipeline(preprocessing.StandardScaler(), logistic()),
            OF_TWO,
            "the Pipeline is not fitted; needed: a fitted estimator: call fit on training data first",
        ),
        ("spam", OF_TWO, "str has no predict; needed: a fitted estimator, such as one of scikit-learn's classifiers"),
        (
            logistic().fit(X, OF_TWO),
            OF_THREE,
            "'y_true' holds '0', '1', '2', not among the classes 'ham', 'spam'; needed: true labels",
        ),
        (
            linear_model.LinearRegression().fit(X, OF_THREE),
            OF_THREE,
            "'y_pred' holds numbers",
        ),
        (
            logistic().fit(X[:, :1], OF_TWO),
            OF_TWO,
            "the LogisticRegression cannot predict these cases: 'X has 2 features",
        ),
        (
            logistic().fit(X, OF_TWO),
            OF_TWO,
            "'y_true' holds 'ham' and 'spam'; needed: which class is positive; pass one of:\n  positive='ham' ",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:This Pipeline instance is not fitted yet")
def test_what_cannot_be_evaluated_gets_one_sentence(estimator: Any, truth: Any, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        from_estimator(estimator, X, truth)
    assert str(caught.value).startswith(sentence)


def test_an_ensemble_is_asked_about_its_own_cases_out_of_bag() -> None:
    forest = ensemble.RandomForestClassifier(100, oob_score=True, random_state=0)
    weight = np.arange(1.0, 91.0)
    two = from_estimator(forest.fit(X, OF_TWO), X, OF_TWO, positive="ham", weight=weight, out_of_bag=True)
    found = two.models["model"]
    np.testing.assert_array_equal(found.score, forest.oob_decision_function_[:, 0])
    np.testing.assert_array_equal(found.weight, weight)
    assert two.source.dropped == 0
    assert found.score is not None
    assert not np.array_equal(found.score, forest.predict_proba(X)[:, 0])
    many = from_estimator(forest.fit(X, OF_THREE), X, OF_THREE, out_of_bag=True).models["model"]
    np.testing.assert_array_equal(many.probability, forest.oob_decision_function_)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["RandomForestClassifier", "BaggingClassifier"])
def test_cases_that_every_member_saw_are_left_out_and_counted(kind: str) -> None:
    few = getattr(ensemble, kind)(n_estimators=3, oob_score=True, random_state=0)
    steps = pipeline.make_pipeline(preprocessing.StandardScaler(), few).fit(X, OF_TWO)
    never = np.nan_to_num(steps[-1].oob_decision_function_).sum(1) == 0
    assert 0 < never.sum() < 40
    reading = from_estimator(steps, X, OF_TWO, positive="spam", cluster=np.arange(90), out_of_bag=True)
    assert (reading.source.rows, reading.source.dropped) == (90, never.sum())
    found = reading.models["model"]
    assert len(found) == 90 - never.sum()
    assert [found.classes[code] for code in found.truth] == OF_TWO[~never].tolist()


def test_out_of_bag_needs_an_ensemble_that_kept_them_and_its_own_cases() -> None:
    forest = ensemble.RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, OF_TWO)
    with pytest.raises(InputError, match="was fitted to 90 cases, but y has 60; needed: the training cases"):
        from_estimator(forest, X[:60], OF_TWO[:60], out_of_bag=True)
    with pytest.raises(InputError, match=r"has no out-of-bag predictions; needed: .* oob_score=True"):
        from_estimator(logistic().fit(X, OF_TWO), X, OF_TWO, out_of_bag=True)
