"""Learners of the tests, importable by worker processes."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

__all__ = ["ANSWERS", "Dying", "Fussy", "Odd", "Slow", "Wrong", "dying_recipe"]


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


class Wrong(GaussianNB):  # type: ignore[misc]
    """A learner whose answers are not what they should be: `how` names one of `ANSWERS`."""

    def __init__(self, how: str = "short") -> None:
        super().__init__()
        self.how = how

    def __sklearn_clone__(self) -> Wrong:
        return Wrong(self.how)

    def predict(self, X: Any) -> Any:  # noqa: N803
        return ANSWERS[self.how][0](super().predict(X))

    def predict_proba(self, X: Any) -> Any:  # noqa: N803
        return ANSWERS[self.how][1](super().predict_proba(X))


def same(answer: Any) -> Any:
    return answer


# What becomes of the labels and of the probabilities, and what is said of it.
ANSWERS: dict[str, tuple[Any, Any, str]] = {
    "short": (lambda said: said[:-1], same, "predict returned shape (74,); needed: one value for each of 75 cases"),
    "long": (lambda said: np.append(said, 0), same, "predict returned shape (76,)"),
    "scalar": (lambda said: 0, same, "predict returned shape ()"),
    "nothing": (lambda said: None, same, "predict returned shape ()"),
    "table": (lambda said: np.column_stack([said, said]), same, "predict returned shape (75, 2)"),
    "unknown class": (lambda said: said + 7, same, "not a class code"),
    "halves": (lambda said: said + 0.5, same, "not a class code"),
    "texts": (lambda said: said.astype(str), same, "not a class code"),
    "ragged": (lambda said: [[1], [1, 2]], same, "cannot be converted to an array"),
    "nan": (same, lambda said: said * np.nan, "predict_proba returned values that are nan or infinite"),
    "too large": (same, lambda said: said + 1, "probabilities from 0 to 1"),
    "negative": (same, lambda said: -said, "probabilities from 0 to 1"),
    "no sum": (same, lambda said: said / 2, "sum to 0.5"),
    "fewer columns": (same, lambda said: said[:, :2], "predict_proba returned shape (75, 2)"),
    "fewer rows": (same, lambda said: said[1:], "predict_proba returned shape (74, 3)"),
    "texts for probabilities": (same, lambda said: np.full(said.shape, "high"), "needed: numbers"),
}


class Odd(Fussy):
    """Does in `fit` what a well-behaved learner does not: `what` it is."""

    def __init__(self, what: str = "print") -> None:
        super().__init__()
        self.what = what

    def fit(self, X: Any, y: Any) -> Odd:  # noqa: N803
        if self.what == "print":
            print("Epoch 1 of 10")
            os.write(1, b"compiled code says so\n")
        elif self.what == "leave":
            raise SystemExit(3)
        elif self.what == "hang":
            time.sleep(1000)
        elif self.what == "crash":
            os.abort()
        self.inner_ = GaussianNB().fit(X, y)
        self.classes_ = self.inner_.classes_
        return self
