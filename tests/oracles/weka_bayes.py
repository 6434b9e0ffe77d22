"""WEKA's NaiveBayes of numbers, written down from its documentation of estimators: what cost-sensitive schemes hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from sklearn.base import BaseEstimator, ClassifierMixin

Floats = NDArray[np.float64]


class WekaNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Normal densities over steps as wide as the mean gap between values; class shares with one case added to each."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WekaNaiveBayes:  # noqa: N803
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        sizes = np.bincount(codes, weight)
        self.share = (sizes + 1) / (sizes.sum() + len(sizes))
        self.step = np.array([np.ptp(column) / (len(np.unique(column)) - 1) for column in X.T])
        rounded = self._rounded(X)
        own = (codes[:, None] == np.arange(len(sizes))) * weight[:, None]
        self.mean = own.T @ rounded / sizes[:, None]
        spread = np.sqrt(np.abs(own.T @ rounded**2 / sizes[:, None] - self.mean**2))
        self.sd = np.maximum(self.step / 6, spread)
        return self

    def _rounded(self, features: Floats) -> Floats:
        return np.asarray(np.rint(features / self.step) * self.step)

    def predict_proba(self, X: Any) -> Floats:  # noqa: N803
        away = self._rounded(X)[:, None, :] - self.mean
        density = ndtr((away + self.step / 2) / self.sd) - ndtr((away - self.step / 2) / self.sd)
        joint = self.share * np.maximum(density, 1e-75).prod(axis=2)
        return np.asarray(joint / joint.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
