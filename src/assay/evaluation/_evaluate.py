"""The way in: from whatever a user has to an Evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.evaluation._kinds import AnyEvaluation
from assay.evaluation._make import evaluation_of, with_subgroups
from assay.evaluation._several import Evaluations
from assay.predictions import Predictions
from assay.sources import Choices, Reading, Source, from_arrays, from_estimator, from_file, from_frame

__all__ = ["check_options", "evaluate", "evaluate_models"]

DESIGN = ("weight", "count", "cluster", "fold", "by", "ignore", "default_class", "out_of_bag", "id", "keep_ids")


def evaluate(
    data: Any,
    y_score: Any = None,
    y: Any = None,
    *,
    y_pred: Any = None,
    y_proba: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    truth: str | None = None,
    score: str | None = None,
    pred: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    missing: str = "refuse",
    seed: int = 0,
    **design: Any,
) -> AnyEvaluation:
    """How good one classifier's predictions are.

    `data` is the truth beside `y_score` (scores of the positive class), `y_proba` (a column a class, in the order of
    `classes` or of their sorted names) and/or `y_pred` (labels); or a DataFrame or the path of a file, whose columns
    `truth`, `score` and `pred` name where their names do not tell; or `Predictions`; or a fitted classifier, followed
    by the cases X and their true classes y: `evaluate(model, X, y)`; with `out_of_bag=True` an ensemble's answers about
    the cases it was fitted to, each from the members that did not see it.

    `weight`, `count`, `cluster` and `fold` (arrays, or the names of columns) say what the rows are, `by` parts them
    into subgroups, each evaluated by itself as well; `ignore` names columns to leave alone, `default_class` the class
    of cases without a label of their own. `id` (an array, or the name of a column) is what rows are called where they
    are shown; `keep_ids=True` takes a column called id, if there is one.

    >>> ev = evaluate(["ham", "ham", "spam"], y_pred=["ham", "spam", "spam"], positive="spam")
    >>> ev.accuracy
    0.667 [0.208, 0.939]
    """
    models = evaluate_models(
        data,
        y_score,
        y,
        y_pred=y_pred,
        y_proba=y_proba,
        classes=classes,
        positive=positive,
        truth=truth,
        score=score,
        pred=pred,
        threshold=threshold,
        level=level,
        missing=missing,
        seed=seed,
        **design,
    )
    if len(models) != 1:
        names = ", ".join(repr(name) for name in models)
        raise InputError(f"there are {len(models)} models ({names})", "one; assay.evaluate_models takes them all")
    return next(iter(models.values()))


def evaluate_models(
    data: Any,
    y_score: Any = None,
    y: Any = None,
    *,
    y_pred: Any = None,
    y_proba: Any = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    model: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    missing: str = "refuse",
    seed: int = 0,
    **design: Any,
) -> Evaluations:
    """How good several classifiers' predictions are, by name.

    Models come as several score columns (`score__<model>`), as a column `model` that names them, or as a mapping of
    names to scores in `y_score`.

    >>> evaluations = evaluate_models([0, 1, 1, 0], {"a": [0.1, 0.9, 0.6, 0.3], "b": [0.5, 0.4, 0.6, 0.7]})
    >>> {name: ev.roc_auc.value for name, ev in evaluations.items()}
    {'a': 1.0, 'b': 0.25}
    """
    check_options(level, threshold)
    _check_design(design)
    columns = {"truth": truth, "score": _names(score), "pred": _names(pred), "model": model}
    spoken = {"positive": None if positive is None else str(positive), "missing": missing}
    arrays = {"y_score": y_score, "y_pred": y_pred, "y_proba": y_proba, "classes": classes}
    reading = _read(data, arrays, design, {**columns, **spoken}, y)
    found = {name: evaluation_of(rows, reading.source, threshold, level, seed) for name, rows in reading.models.items()}
    if reading.by is not None:
        found = {name: with_subgroups(ev, name, reading.by) for name, ev in found.items()}
    return Evaluations(found)


def _read(
    data: Any, arrays: Mapping[str, Any], design: Mapping[str, Any], chosen: Mapping[str, Any], y: Any
) -> Reading:
    if isinstance(data, Predictions):
        return Reading({"": data}, Source("predictions", "arrays", rows=len(data)))
    given = {role: value for role, value in design.items() if value is not None}
    out_of_bag = bool(given.pop("out_of_bag", False))
    if out_of_bag and not hasattr(data, "predict"):
        raise InputError("out_of_bag is for an ensemble", "a fitted one, followed by the X and y it was fitted to")
    if isinstance(data, str | PathLike):
        return from_file(data, Choices(**chosen, **given))
    if all(values is None for values in arrays.values()) and hasattr(type(data), "columns"):
        return from_frame(data, Choices(**chosen, **given))
    for of_columns in ("ignore", "keep_ids"):
        given.pop(of_columns, None)
    if hasattr(data, "predict"):
        given.pop("default_class", None)
        spoken = {"positive": chosen["positive"], "missing": chosen["missing"]}
        return from_estimator(data, arrays["y_score"], y, **given, **spoken, out_of_bag=out_of_bag)
    if y is not None:
        raise InputError("there is a y beside arrays", "a fitted classifier first, if X and y are to follow")
    return from_arrays(data, **arrays, **given, positive=chosen["positive"], missing=chosen["missing"])


def check_options(level: float, threshold: float | None) -> None:
    """Refuse what can be no level and no threshold."""
    if not 0 < level < 1:
        raise InputError(f"the level is {level:g}", "a number between 0 and 1, such as 0.95")
    if threshold is not None and not np.isfinite(threshold):
        raise InputError(f"the threshold is {threshold}", "a finite number")


def _check_design(design: Mapping[str, Any]) -> None:
    """What rows are may be said with these names alone."""
    for name in design:
        if name not in DESIGN:
            raise TypeError(f"there is no option {name!r}; what rows are is said with {', '.join(DESIGN)}")


def _names(columns: str | Sequence[str] | None) -> tuple[str, ...]:
    if columns is None:
        return ()
    return (columns,) if isinstance(columns, str) else tuple(columns)
