"""Predictions from a fitted estimator: whatever behaves as scikit-learn's classifiers do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evidence.multiclass import highest_class
from assay.predictions import REJECTED
from assay.request import Request
from assay.sources.arrays import DESIGN, from_arrays
from assay.sources.labels import label_name
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

__all__ = ["abstention_of", "from_estimator"]


def from_estimator(estimator: Any, request: Request) -> Reading:
    """What a fitted classifier predicts for the cases X (`y_score` of the request), beside their true classes `y`.

    Its probabilities are asked for, else its decision function (of two classes), else its labels. Labels are kept
    beside probabilities only where they are not simply those of the largest one. What one that abstains gives instead
    of a label (its `abstention_`) becomes "rejected", a column of the confusion matrix. With `out_of_bag` an ensemble
    is asked what it kept about each case it was fitted to, from the members that did not see it: X and y must be those
    cases, and cases that every member saw are left out and counted.

    >>> class Coin:
    ...     classes_ = ["no", "yes"]
    ...     def predict_proba(self, X):
    ...         return np.full((len(X), 2), 0.5)
    ...     def predict(self, X):
    ...         return ["no"] * len(X)
    >>> from_estimator(Coin(), Request(y_score=[[1], [2]], y=["no", "yes"])).models["model"]
    Predictions(2 cases of 'no', 'yes'; positive 'yes'; with score and decision)
    """
    if isinstance(estimator, type):
        name = estimator.__name__
        raise InputError(f"{name} is a class, not an estimator", f"a fitted estimator: {name}().fit(X_train, y_train)")
    features, truth, never_out = request.y_score, request.y, 0
    if features is None or truth is None:
        raise InputError(f"no X and y beside the {type(estimator).__name__}", "evaluate(model, X, y)")
    of_rows: dict[str, Any] = {}
    if request.out_of_bag:
        proba, kept = _out_of_bag_probabilities(estimator, truth)
        answers, truth, never_out = {"y_proba": proba[kept]}, np.asarray(truth)[kept], int((~kept).sum())
        said = {role: getattr(request, role) for role in DESIGN}
        of_rows = {role: np.asarray(values)[kept] for role, values in said.items() if values is not None}
    else:
        answers = _estimator_predictions(estimator, features)
    known = getattr(estimator, "classes_", None)
    if known is not None and len(known) == 2 and answers.keys() == {"y_pred"}:
        known = None  # two classes order columns of scores, and there are none
    # The classifier's own answers take the place of X and y among the arrays.
    arrays = {
        "y_score": None,
        "y": None,
        "classes": known,
        "out_of_bag": False,
        **answers,
        **of_rows,
    }
    reading = from_arrays(truth, request.replace(arrays))
    read = reading.source
    source = replace(
        read,
        name=type(estimator).__name__,
        format="estimator",
        rows=read.rows + never_out,
        dropped=read.dropped + never_out,
    )
    return replace(reading, source=source)


def _out_of_bag_probabilities(estimator: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The probabilities an ensemble kept of its own training cases, and which cases some member never saw."""
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    name, found = type(last).__name__, getattr(last, "oob_decision_function_", None)
    if found is None:
        raise InputError(f"the {name} has no out-of-bag predictions", "a bootstrap ensemble fitted with oob_score=True")
    proba = np.asarray(found, dtype=np.float64)
    if len(proba) != len(y):
        raise InputError(f"the {name} was fitted to {len(proba):,} cases, but y has {len(y):,}", "the training cases")
    # Of a case that every member saw, forests say 0 for every class and bags of other learners nan.
    kept: NDArray[np.bool_] = np.nan_to_num(proba).sum(1) > 0
    return proba, kept


def _estimator_predictions(estimator: Any, features: Any) -> dict[str, Any]:
    """What the estimator says of each case, as the arguments of `from_arrays`."""
    labels = _call_prediction_method(estimator, "predict", features)
    if labels is None:
        found = f"{type(estimator).__name__} has no predict"
        raise InputError(found, "a fitted estimator, such as one of scikit-learn's classifiers")
    classes = getattr(estimator, "classes_", None)
    labels = _name_abstentions(labels, classes, abstention_of(estimator))
    proba = _call_prediction_method(estimator, "predict_proba", features)
    if proba is not None:
        follow = classes is not None and _labels_match_probabilities(labels, np.asarray(proba), np.asarray(classes))
        return {"y_proba": proba} | ({} if follow else {"y_pred": labels})
    if classes is None or len(classes) == 2:
        decided = _call_prediction_method(estimator, "decision_function", features)
        if decided is not None:
            # One column for each class, so that it does not matter which of them is the positive one.
            towards_second = np.asarray(decided, dtype=np.float64).reshape(-1)
            return {"y_score": np.column_stack([-towards_second, towards_second]), "y_pred": labels}
    return {"y_pred": labels}


def abstention_of(estimator: Any) -> Any:
    """What a fitted classifier gives in place of a label where it abstains; None where it never does.

    A pipeline and a search answer as what they hold does.
    """
    if hasattr(estimator, "steps"):
        return abstention_of(estimator.steps[-1][1])
    return getattr(getattr(estimator, "best_estimator_", estimator), "abstention_", None)


def _name_abstentions(labels: Any, classes: Any, abstention: Any) -> Any:
    """The labels with every abstention under its one name."""
    given = np.asarray(labels)
    if abstention is None or given.ndim != 1 or not (abstained := given == abstention).any():
        return labels
    if classes is not None and REJECTED in {str(name) for name in np.asarray(classes).tolist()}:
        raise InputError(f"a class is named {REJECTED!r}, the label of abstentions", "another name for this class")
    named = given.astype(object)
    named[abstained] = REJECTED
    return named


def _call_prediction_method(estimator: Any, method: str, features: Any) -> Any:
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
                f"the {name} is not fitted", "a fitted estimator: call fit on training data first"
            ) from None
        if not isinstance(error, ValueError):
            raise
        reason = shown(str(error).partition("\n")[0][:200].rstrip("."))
        raise InputError(
            f"the {name} cannot predict these cases: {reason}", "cases with the training columns"
        ) from error


def _labels_match_probabilities(labels: Any, proba: NDArray[Any], classes: NDArray[Any]) -> bool:
    """Whether labels are those of the largest probability, ties broken as here and none between two classes."""
    if proba.ndim != 2 or proba.shape[1] != len(classes) or (len(classes) == 2 and (proba[:, 0] == proba[:, 1]).any()):
        return False
    names = tuple(label_name(value) or str(value) for value in classes.tolist())
    return bool(np.all(np.asarray(labels) == classes[highest_class(proba, names)]))
