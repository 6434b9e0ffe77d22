"""A classifier whose probabilities are repaired, as scikit-learn's other classifiers are used."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.calibration import RECALIBRATIONS, Recalibration
from assay.errors import MissingExtra, OptionError
from assay.evidence import ScoreTable
from assay.request import checked_choice
from assay.types import Floats

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.frozen import FrozenEstimator
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtra("scikit-learn", extra="learn", purpose="wrapping classifiers") from error

__all__ = ["RecalibratedClassifier"]

# What scikit-learn has of its own, under its own name.
SKLEARN = {"platt": "sigmoid", "isotonic": "isotonic"}


class RecalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier with repaired probabilities; `fit` takes cases that the classifier was not fitted to.

    `method` is "platt" or "isotonic" (scikit-learn's CalibratedClassifierCV does the work, for any number of classes),
    "beta", "temperature" or "tilt" (two classes). The classifier itself is never fitted again.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(600, random_state=0)
    >>> bayes = GaussianNB().fit(X[:200], y[:200])
    >>> repaired = RecalibratedClassifier(bayes, method="beta").fit(X[200:400], y[200:400])
    >>> repaired.predict_proba(X[400:402]).round(2).sum(axis=1)
    array([1., 1.])
    """

    def __init__(self, classifier: Any, method: str = "platt") -> None:
        self.classifier = classifier
        self.method = method

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RecalibratedClassifier:  # noqa: N803 -- scikit-learn's
        """Fit the recalibration to what the classifier says of X."""
        check_is_fitted(self.classifier)
        checked_choice(self.method, RECALIBRATIONS, "method")
        self.classes_ = np.asarray(self.classifier.classes_)
        if self.method in SKLEARN:
            frozen = FrozenEstimator(self.classifier)
            self.calibrated_ = CalibratedClassifierCV(frozen, method=SKLEARN[self.method], ensemble=False)
            with warnings.catch_warnings():
                # The frozen classifier takes no weights, and needs none: it is not fitted again.
                warnings.filterwarnings("ignore", message="Since FrozenEstimator does not appear to accept")
                self.calibrated_.fit(X, y, sample_weight=sample_weight)
            return self
        if len(self.classes_) != 2:
            raise OptionError(
                f"there are {len(self.classes_)} classes, and {self.method!r} is for two",
                "'platt', which takes more",
            )
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        table = ScoreTable.of(self._said(X), np.asarray(y) == self.classes_[1], weight=weight)
        self.recalibration_: Recalibration = RECALIBRATIONS[self.method](table)
        self.recalibration_.refuse_unfitted()
        return self

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        """The repaired probabilities, a column a class."""
        check_is_fitted(self, "classes_")
        if self.method in SKLEARN:
            return np.asarray(self.calibrated_.predict_proba(X), dtype=np.float64)
        positive = self.recalibration_(self._said(X))
        return np.column_stack((1 - positive, positive))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """The class with the largest repaired probability."""
        largest = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[largest]
        return labels

    def _said(self, X: Any) -> Floats:  # noqa: N803
        """The classifier's own probability of its second class."""
        return np.asarray(self.classifier.predict_proba(X), dtype=np.float64)[:, 1]
