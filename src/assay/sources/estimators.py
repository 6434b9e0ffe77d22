"""Predictions from a fitted estimator: whatever behaves as scikit-learn's classifiers do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources._records import Reading
from assay.sources._wording import shown
from assay.sources.arrays import from_arrays

__all__ = ["from_estimator"]


def from_estimator(
    estimator: Any,
    X: Any,  # noqa: N803 -- so called wherever estimators are
    y: Any,
    *,
    positive: Any = None,
    weight: Any = None,
    count: Any = None,
    cluster: Any = None,
    fold: Any = None,
    by: Any = None,
    missing: str = "refuse",
) -> Reading:
    """What a fitted classifier predicts for X, beside the truth y.

    Its probabilities are asked for, else its decision function (of two classes), else its labels. Labels are kept
    beside probabilities only where they are not simply those of the largest one.

    >>> class Coin:
    ...     classes_ = ["no", "yes"]
    ...     def predict_proba(self, X):
    ...         return np.full((len(X), 2), 0.5)
    ...     def predict(self, X):
    ...         return ["no"] * len(X)
    >>> from_estimator(Coin(), [[1], [2]], ["no", "yes"]).models["model"]
    Predictions(2 cases of 'no', 'yes'; positive 'yes'; with score and decision)
    """
    reading = from_arrays(
        y,
        **_answers(estimator, X),
        classes=getattr(estimator, "classes_", None),
        positive=positive,
        weight=weight,
        count=count,
        cluster=cluster,
        fold=fold,
        by=by,
        missing=missing,
    )
    return replace(reading, source=replace(reading.source, name=type(estimator).__name__, format="estimator"))


def _answers(estimator: Any, features: Any) -> dict[str, Any]:
    """What the estimator says of each case, as the arguments of `from_arrays`."""
    labels = _asked(estimator, "predict", features)
    if labels is None:
        found = f"{type(estimator).__name__} has no predict"
        raise InputError(found, "a fitted estimator, such as one of scikit-learn's classifiers")
    classes = getattr(estimator, "classes_", None)
    proba = _asked(estimator, "predict_proba", features)
    if proba is not None:
        follow = classes is not None and _follow(labels, np.asarray(proba), np.asarray(classes))
        return {"y_proba": proba} | ({} if follow else {"y_pred": labels})
    if classes is None or len(classes) == 2:
        decided = _asked(estimator, "decision_function", features)
        if decided is not None:
            # One column for each class, so that it does not matter which of them is the positive one.
            towards_second = np.asarray(decided, dtype=np.float64).reshape(-1)
            return {"y_score": np.column_stack([-towards_second, towards_second]), "y_pred": labels}
    return {"y_pred": labels}


def _asked(estimator: Any, method: str, features: Any) -> Any:
    """What a method of the estimator answers, or nothing where it has none."""
    function: Callable[[Any], Any] | None = getattr(estimator, method, None)
    if not callable(function):
        return None
    name = type(estimator).__name__
    try:
        return function(features)
    except Exception as error:
        if type(error).__name__ == "NotFittedError":
            raise InputError(
                f"the {name} is not fitted", "an estimator that has been fitted to training data"
            ) from None
        if not isinstance(error, ValueError):
            raise
        reason = shown(str(error).partition("\n")[0][:200].rstrip("."))
        raise InputError(
            f"the {name} cannot predict these cases: {reason}", "cases like those it was fitted to"
        ) from error


def _follow(labels: Any, proba: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Whether labels are simply those of the largest probability, with nothing on the edge between two classes."""
    if proba.ndim != 2 or proba.shape[1] != len(classes) or (len(classes) == 2 and (proba[:, 0] == proba[:, 1]).any()):
        return False
    return bool(np.all(np.asarray(labels) == classes[proba.argmax(1)]))
