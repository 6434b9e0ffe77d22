"""The way in: from whatever a user has to an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from assay.errors import InputError
from assay.evaluation._kinds import AnyEvaluation
from assay.evaluation._make import evaluation_of, with_subgroups
from assay.evaluation._misplaced import misplaced
from assay.evaluation._several import Evaluations
from assay.predictions import Predictions
from assay.request import Request, checked_choice, front_door
from assay.sources import Reading, Source, from_arrays, from_estimator, from_file, from_frame

__all__ = ["evaluate", "evaluate_models", "evaluated", "evaluations_of", "kind_of"]

READERS: dict[str, Callable[[Any, Request], Reading]] = {
    "arrays": from_arrays,
    "frame": from_frame,
    "file": from_file,
    "estimator": from_estimator,
}


@front_door
def evaluate(
    y_true: Any,
    y_score: Any = None,
    y: Any = None,
    *,
    y_pred: Any = None,
    y_proba: Any = None,
    classes: Sequence[Any] | None = None,
    out_of_bag: bool = False,
    truth: str | None = None,
    score: str | Sequence[str] = (),
    pred: str | Sequence[str] = (),
    certainty: str | None = None,
    positive: Any = None,
    model: str | None = None,
    id: Any = None,  # noqa: A002 -- the column's own name
    keep_ids: bool | None = None,
    missing: str = "refuse",
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    weight: Any = None,
    count: Any = None,
    cluster: Any = None,
    fold: Any = None,
    by: Any = None,
    ignore: str | Sequence[str] = (),
    default_class: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> AnyEvaluation:
    """How good one classifier's predictions are.

    `y_true` is the truth beside `y_score` (scores of the positive class), `y_proba` (a column a class, in the order of
    `classes` or of their sorted names) and/or `y_pred` (labels); or, in its place, a DataFrame or the path of a file,
    whose columns `truth`, `score` and `pred` name where their names do not tell; or `Predictions`; or a fitted
    classifier, followed by the cases X and their true classes y: `evaluate(model, X, y)`; with `out_of_bag=True` an
    ensemble's answers about the cases it was fitted to, each from the members that did not see it.

    `weight`, `count`, `cluster` and `fold` (arrays, or the names of columns) say what the rows are, `by` parts them
    into subgroups, each evaluated by itself as well; `ignore` names columns to leave alone, `default_class` the class
    of cases without a label of their own. `id` (an array, or the name of a column) is what rows are called where they
    are shown; `keep_ids=True` takes a column called id, if there is one. `decimal` ("," or "."), `encoding` and `sheet`
    say how a file is written where that does not show. What a source cannot use is refused.

    >>> ev = evaluate(["ham", "ham", "spam"], y_pred=["ham", "spam", "spam"], positive="spam")
    >>> ev.accuracy
    0.667 [0.208, 0.939]
    """
    models = evaluated(y_true, Request.of(locals()))
    if len(models) != 1:
        names = ", ".join(repr(name) for name in models)
        raise InputError(f"there are {len(models)} models ({names})", "one; assay.evaluate_models takes them all")
    return next(iter(models.values()))


@front_door
def evaluate_models(
    y_true: Any,
    y_score: Any = None,
    y: Any = None,
    *,
    y_pred: Any = None,
    y_proba: Any = None,
    classes: Sequence[Any] | None = None,
    out_of_bag: bool = False,
    truth: str | None = None,
    score: str | Sequence[str] = (),
    pred: str | Sequence[str] = (),
    certainty: str | None = None,
    positive: Any = None,
    model: str | None = None,
    id: Any = None,  # noqa: A002 -- the column's own name
    keep_ids: bool | None = None,
    missing: str = "refuse",
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    weight: Any = None,
    count: Any = None,
    cluster: Any = None,
    fold: Any = None,
    by: Any = None,
    ignore: str | Sequence[str] = (),
    default_class: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Evaluations:
    """How good several classifiers' predictions are, by name.

    Models come as several score columns (`score__<model>`), as a column `model` that names them, or as a mapping of
    names to scores in `y_score`. All else is said as to `evaluate`.

    >>> evaluations = evaluate_models([0, 1, 1, 0], {"a": [0.1, 0.9, 0.6, 0.3], "b": [0.5, 0.4, 0.6, 0.7]})
    >>> {name: ev.roc_auc.value for name, ev in evaluations.items()}
    {'a': 1.0, 'b': 0.25}
    """
    return evaluated(y_true, Request.of(locals()))


def evaluated(data: Any, request: Request) -> Evaluations:
    """The evaluation of every model in a source, as requested."""
    return evaluations_of(_read(data, request), request)


def evaluations_of(reading: Reading, request: Request) -> Evaluations:
    """The same from predictions that have been read."""
    threshold, level, seed = request.threshold, request.level_used, request.seed_used
    found = {name: evaluation_of(rows, reading.source, threshold, level, seed) for name, rows in reading.models.items()}
    if reading.by is not None:
        found = {name: with_subgroups(ev, name, reading.by) for name, ev in found.items()}
    return Evaluations(found)


def kind_of(data: Any, request: Request) -> str:
    """Which kind of source this is: what can be said about it depends on that."""
    if isinstance(data, Predictions):
        return "predictions"
    if isinstance(data, str | PathLike):
        return "file"
    if hasattr(data, "predict"):
        return "estimator"
    if not hasattr(type(data), "columns"):
        return "arrays"
    arrays = (request.y_score, request.y_pred, request.y_proba)
    # A frame of one column may hold the truth beside arrays.
    return "frame" if all(values is None for values in arrays) or len(data.columns) > 1 else "arrays"


def _read(data: Any, request: Request) -> Reading:
    kind = kind_of(data, request)
    request.refuse_unused(kind)
    checked_choice(request.missing, ("refuse", "drop"), "missing")
    if kind == "predictions":
        return Reading({"": data}, Source("predictions", "arrays", rows=len(data)))
    try:
        return READERS[kind](data, request)
    except InputError as error:
        raise (misplaced(data, request) if kind == "arrays" else None) or error from None
