"""The recalibrated classifier behaves as scikit-learn's do."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB

from assay.calibration import RECALIBRATIONS
from assay.errors import OptionError, UnknownName
from assay.estimators import RecalibratedClassifier
from assay.evidence import ScoreTable
from assay.measures import brier

METHODS = list(RECALIBRATIONS)


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    """Cases to fit, to recalibrate and to judge by, with redundant features that make naive Bayes overconfident."""
    features, y = make_classification(1800, 20, n_informative=3, n_redundant=15, flip_y=0.2, random_state=1)
    labels = np.array(["no", "yes"])[y]
    return (features[:600], labels[:600]), (features[600:1200], labels[600:1200]), (features[1200:], labels[1200:])


@pytest.fixture(scope="module")
def bayes(data: Any) -> GaussianNB:
    return GaussianNB().fit(*data[0])


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_get_better_and_the_classifier_stays(method: str, data: Any, bayes: GaussianNB) -> None:
    means = bayes.theta_.copy()
    repaired = RecalibratedClassifier(bayes, method).fit(*data[1])
    features, y = data[2]
    before, after = (
        float(brier(ScoreTable.of(model.predict_proba(features)[:, 1], y == "yes"))) for model in (bayes, repaired)
    )
    assert after < before
    assert repaired.predict_proba(features).sum(axis=1) == pytest.approx(np.ones(len(features)))
    assert set(repaired.predict(features)) <= {"no", "yes"}
    assert repaired.score(features, y) > 0.7
    assert (bayes.theta_ == means).all()


@pytest.mark.parametrize("method", ["beta", "temperature", "tilt"])
def test_it_is_the_recalibration_of_its_probabilities(method: str, data: Any, bayes: GaussianNB) -> None:
    features, y = data[1]
    repaired = RecalibratedClassifier(bayes, method).fit(features, y)
    fitted = RECALIBRATIONS[method](ScoreTable.of(bayes.predict_proba(features)[:, 1], y == "yes"))
    other = data[2][0]
    assert repaired.predict_proba(other)[:, 1] == pytest.approx(fitted(bayes.predict_proba(other)[:, 1]))


@pytest.mark.parametrize(("method", "name"), [("platt", "sigmoid"), ("isotonic", "isotonic")])
def test_scikit_learn_does_what_it_can_do(method: str, name: str, data: Any, bayes: GaussianNB) -> None:
    ours = RecalibratedClassifier(bayes, method).fit(*data[1])
    theirs = CalibratedClassifierCV(FrozenEstimator(bayes), method=name, ensemble=False).fit(*data[1])
    assert (ours.predict_proba(data[2][0]) == theirs.predict_proba(data[2][0])).all()


def test_many_classes_where_scikit_learn_has_them() -> None:
    features, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(features[::2], y[::2])
    assert RecalibratedClassifier(model, "platt").fit(features[1::2], y[1::2]).predict_proba(features).shape == (150, 3)
    with pytest.raises(OptionError, match=r"nothing was fitted to class '0'.*needed: 'isotonic' or 'venn_abers'"):
        RecalibratedClassifier(model, "beta").fit(features, y)


def test_weights_are_used(data: Any, bayes: GaussianNB) -> None:
    features, y = data[1]
    weight = np.where(y == "yes", 5.0, 1.0)
    for method in METHODS:
        plain, weighted = (
            RecalibratedClassifier(bayes, method).fit(features, y, sample_weight=w).predict_proba(features)[:, 1].mean()
            for w in (None, weight)
        )
        # A temperature has no way to shift the mean much.
        assert weighted > plain + 0.1 or (method == "temperature" and weighted != plain)


def test_it_can_be_cloned_kept_and_asked_for_its_parameters(data: Any, bayes: GaussianNB) -> None:
    repaired = RecalibratedClassifier(bayes, "beta")
    assert clone(repaired).get_params()["method"] == "beta"
    kept = pickle.loads(pickle.dumps(repaired.fit(*data[1])))
    assert (kept.predict(data[2][0]) == repaired.predict(data[2][0])).all()


def test_what_cannot_be_done_is_said(data: Any, bayes: GaussianNB) -> None:
    with pytest.raises(UnknownName, match="method is 'magic'; needed: 'tilt', 'platt'"):
        RecalibratedClassifier(bayes, "magic").fit(*data[1])
    with pytest.raises(NotFittedError):
        RecalibratedClassifier(bayes).predict(data[2][0])
    with pytest.raises(NotFittedError):
        RecalibratedClassifier(GaussianNB()).fit(*data[1])
    features, y = data[1]
    with pytest.raises(ValueError, match="single class"):
        RecalibratedClassifier(bayes, "beta").fit(features[y == "yes"], y[y == "yes"])


def test_without_scikit_learn_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import assay.estimators"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "'scikit-learn>=1.6'" in done.stderr


@pytest.mark.parametrize("method", ["platt", "isotonic", "beta", "venn_abers"])
def test_every_method_takes_the_same_folds(method: str, data: Any) -> None:
    """A splitter or a seed is used by all of them, whoever does the work."""
    from sklearn.model_selection import StratifiedKFold

    features, y = data[0]

    def said(**asked: Any) -> Any:
        return RecalibratedClassifier(GaussianNB(), method, **asked).fit(features, y).predict_proba(features[:50])

    first = said(cv=4, random_state=1)
    assert (said(cv=4, random_state=1) == first).all()
    assert not (said(cv=4, random_state=2) == first).all()
    by_hand = StratifiedKFold(4, shuffle=True, random_state=np.random.RandomState(1))
    assert (said(cv=by_hand) == first).all()
    with pytest.raises(OptionError, match="cv is 'many'"):
        said(cv="many")
