"""Learners of the tests, importable by worker processes."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

__all__ = ["Dying", "Fussy", "Slow", "dying_recipe"]


class Fussy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fails on the training parts that lack a case with a first feature of `needed`."""

    def __init__(self, needed: float = 0.0) -> None:
        self.needed = needed

    def fit(self, X: Any, y: Any) -> Fussy:  # noqa: N803
        if self.needed not in X[:, 0]:
            raise ValueError(f"no case of {self.needed}")
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict(X)


class Dying(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Ends its whole process when it is fitted, as one that takes too much memory would."""

    def fit(self, X: Any, y: Any) -> Dying:  # noqa: N803
        os._exit(9)

    def predict(self, X: Any) -> Any:  # noqa: N803
        return np.zeros(len(X), dtype=int)


class Slow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Takes its time, and leaves a line in a file for every fit, so that fits can be counted from outside."""

    def __init__(self, seconds: float = 0.05, log: str = "") -> None:
        self.seconds = seconds
        self.log = log

    def fit(self, X: Any, y: Any) -> Slow:  # noqa: N803
        time.sleep(self.seconds)
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        if self.log:
            with open(self.log, "a", encoding="utf-8") as file:  # noqa: PTH123 -- appended by several processes
                file.write(f"{X.sum():.12g} {len(X)} {os.getpid()}\n")
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict(X)

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        return self.inner_.predict_proba(X)


def dying_recipe() -> dict[str, Any]:
    """How a study file names the learner that ends its process."""
    return {"path": f"{__name__}.Dying", "params": {}}
