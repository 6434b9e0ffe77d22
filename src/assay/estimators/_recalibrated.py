"""A classifier whose probabilities are repaired, as scikit-learn's other classifiers are used."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.calibration import RECALIBRATIONS, ClassRecalibration, Recalibration, fit_many
from assay.errors import UnknownAttribute
from assay.estimators._learning import PREFIT, LabelledCases, WrappedClassifier, held_out, probabilities_of, splits
from assay.estimators._sklearn import CalibratedClassifierCV, FrozenEstimator, check_is_fitted
from assay.evidence import ClassScores
from assay.request import checked_choice
from assay.types import Floats

# What scikit-learn has of its own, under its own name.
SKLEARN = {"platt": "sigmoid", "isotonic": "isotonic"}


class RecalibratedClassifier(WrappedClassifier):
    """A classifier with repaired probabilities, the repair fitted to cases that it had not seen.

    `method` is "platt" or "isotonic" (scikit-learn's CalibratedClassifierCV does the work), "beta", "temperature",
    "tilt" or "venn_abers". Of more than two classes each is repaired against the rest and the row scaled to sum to 1,
    but for a temperature, which is one for all of them. `cv` is "prefit" for a classifier that was fitted to other
    cases and is not fitted again, a number of folds, or a share of cases to hold out.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(600, random_state=0)
    >>> bayes = GaussianNB().fit(X[:200], y[:200])
    >>> repaired = RecalibratedClassifier(bayes, method="beta").fit(X[200:400], y[200:400])
    >>> repaired.predict_proba(X[400:402]).round(2).sum(axis=1)
    array([1., 1.])
    """

    expected_failed_checks: Mapping[str, str] = {
        "check_sample_weight_equivalence_on_dense_data": "the new case of Venn-Abers weighs what others do on average",
    }

    def __init__(self, classifier: Any, method: str = "platt", *, cv: Any = PREFIT, random_state: Any = None) -> None:
        self.classifier = classifier
        self.method = method
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RecalibratedClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the recalibration to what the classifier says of cases it had not seen."""
        checked_choice(self.method, RECALIBRATIONS, "method")
        cases = self._cases(X, y, sample_weight)
        if self.method in SKLEARN:
            self._fit_theirs(cases)
            return self
        found = held_out(self.classifier, cases, probabilities_of, self.cv, self.random_state)
        self.classifier_, self.recalibration_ = found.classifier, self._fitted(found.cases, found.answers)
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The repaired probabilities, a column a class."""
        asked = self._asked(X)
        if self.method in SKLEARN:
            return np.asarray(self.calibrated_.predict_proba(asked), dtype=np.float64)
        said = probabilities_of(self.classifier_, asked)
        if isinstance(self.recalibration_, ClassRecalibration):
            return self.recalibration_(said)
        positive = self.recalibration_(said[:, 1])
        return np.column_stack((1 - positive, positive))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class with the largest repaired probability."""
        largest = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[largest]
        return labels

    @property
    def decision_function(self) -> Any:
        """Nothing: what counts are the repaired probabilities."""
        raise UnknownAttribute("what is recalibrated are probabilities", "predict_proba")

    def _fitted(self, cases: LabelledCases, answers: Floats) -> Recalibration | ClassRecalibration:
        if len(self.classes_) > 2:
            names = [str(name) for name in self.classes_.tolist()]
            return fit_many(ClassScores.of(answers, cases.codes, names, weight=cases.weight), self.method)
        found = RECALIBRATIONS[self.method](cases.table(answers[:, 1]))
        found.refuse_unfitted()
        return found

    def _fit_theirs(self, cases: LabelledCases) -> None:
        """Let scikit-learn do it: by folds, or on what a fitted classifier says of these cases."""
        method = SKLEARN[self.method]
        if not (isinstance(self.cv, str) and self.cv == PREFIT) and not isinstance(self.cv, float):
            folds = list(splits(cases, self.cv, self.random_state))
            self.calibrated_ = CalibratedClassifierCV(self.classifier, method=method, cv=folds, ensemble=False)
            self.calibrated_.fit(cases.features, cases.labels, sample_weight=cases.weight)
            return
        found = held_out(self.classifier, cases, _nothing, self.cv, self.random_state)
        check_is_fitted(found.classifier)
        self.classifier_ = found.classifier
        self.calibrated_ = CalibratedClassifierCV(FrozenEstimator(found.classifier), method=method, ensemble=False)
        with warnings.catch_warnings():
            # The frozen classifier takes no weights, and needs none: it is not fitted again.
            warnings.filterwarnings("ignore", message="Since FrozenEstimator does not appear to accept")
            self.calibrated_.fit(found.cases.features, found.cases.labels, sample_weight=found.cases.weight)


def _nothing(classifier: Any, features: Any) -> Floats:
    """No answer: scikit-learn asks for its own."""
    return np.empty(0)
