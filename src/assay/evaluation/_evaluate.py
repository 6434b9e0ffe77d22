"""The way in: from whatever a user has to an Evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import InputError
from assay.evaluation._evaluation import Evaluation, Evaluations
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.predictions import Predictions
from assay.sources import Choices, Reading, Source, from_arrays, from_file, from_frame

__all__ = ["evaluate", "evaluate_models", "from_counts"]

DEFAULT_THRESHOLD = 0.5


def evaluate(
    data: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    positive: Any = None,
    truth: str | None = None,
    score: str | None = None,
    pred: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    missing: str = "refuse",
    seed: int = 0,
) -> Evaluation:
    """How good one classifier's predictions are.

    `data` is the truth beside `y_score` (scores of the positive class) and/or `y_pred` (labels); or a DataFrame or the
    path of a file, whose columns `truth`, `score` and `pred` name where their names do not tell.

    >>> ev = evaluate(["ham", "ham", "spam"], y_pred=["ham", "spam", "spam"], positive="spam")
    >>> ev.accuracy
    0.667 [0.208, 0.939]
    """
    models = evaluate_models(
        data,
        y_score,
        y_pred=y_pred,
        positive=positive,
        truth=truth,
        score=score,
        pred=pred,
        threshold=threshold,
        level=level,
        missing=missing,
        seed=seed,
    )
    if len(models) != 1:
        names = ", ".join(repr(name) for name in models)
        raise InputError(f"there are {len(models)} models ({names})", "one; assay.evaluate_models takes them all")
    return next(iter(models.values()))


def evaluate_models(
    data: Any,
    y_score: Any = None,
    *,
    y_pred: Any = None,
    positive: Any = None,
    truth: str | None = None,
    score: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    model: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    missing: str = "refuse",
    seed: int = 0,
) -> Evaluations:
    """How good several classifiers' predictions are, by name.

    Models come as several score columns (`score__<model>`), as a column `model` that names them, or as a mapping of
    names to scores in `y_score`.

    >>> evaluations = evaluate_models([0, 1, 1, 0], {"a": [0.1, 0.9, 0.6, 0.3], "b": [0.5, 0.4, 0.6, 0.7]})
    >>> {name: ev.roc_auc.value for name, ev in evaluations.items()}
    {'a': 1.0, 'b': 0.25}
    """
    _check_options(level, threshold)
    choices = Choices(
        truth=truth,
        score=_names(score),
        pred=_names(pred),
        positive=None if positive is None else str(positive),
        model=model,
        missing=missing,
    )
    reading = _read(data, y_score, y_pred, choices)
    return Evaluations(
        {
            name: _evaluation(predictions, reading.source, threshold=threshold, level=level, seed=seed)
            for name, predictions in reading.models.items()
        }
    )


def from_counts(
    counts: ArrayLike | None = None,
    *,
    tp: float | None = None,
    fn: float | None = None,
    fp: float | None = None,
    tn: float | None = None,
    classes: Sequence[str] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Evaluation:
    """An evaluation from a confusion matrix someone printed: four named cells, or a matrix whose rows are the truth.

    >>> from_counts(tp=154, fn=29, fp=5, tn=1202, classes=["ham", "spam"]).kappa
    0.887 [0.843, 0.919]
    """
    _check_options(level, None)
    matrix = _matrix(counts, {"tp": tp, "fn": fn, "fp": fp, "tn": tn})
    names = tuple(str(name) for name in classes) if classes is not None else ("0", "1")
    if len(set(names)) != 2 or len(names) != 2:
        found = f"the class names are {', '.join(map(repr, names))}"
        raise InputError(found, "two different ones: the negative class, then the positive one")
    source = Source("counts", "counts", rows=round(float(matrix.sum())))
    return Evaluation(ConfusionMatrix(matrix, names), None, None, source, level=level, seed=seed)


def _matrix(counts: ArrayLike | None, cells: Mapping[str, float | None]) -> Any:
    named = {name: value for name, value in cells.items() if value is not None}
    if (counts is None) == (not named):
        raise InputError("there are no counts, or two kinds of them", "either tp, fn, fp and tn, or a matrix")
    if counts is None and len(named) < 4:
        raise InputError(f"only {', '.join(named)} given", "all of tp, fn, fp and tn")
    given = [[cells["tn"], cells["fp"]], [cells["fn"], cells["tp"]]] if counts is None else counts
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("the counts are no matrix of numbers", "two rows (truth) of two counts each") from None
    if matrix.shape != (2, 2):
        raise InputError(
            f"the matrix has shape {matrix.shape}", "two rows (truth) and two columns; more is not yet built"
        )
    if not (
        np.isfinite(matrix).all() and (matrix >= 0).all() and (matrix == matrix.round()).all() and matrix.sum() > 0
    ):
        raise InputError("some counts are negative, fractional or all are zero", "whole numbers of cases")
    return matrix


def _read(data: Any, y_score: Any, y_pred: Any, choices: Choices) -> Reading:
    if isinstance(data, str | PathLike):
        return from_file(data, choices)
    if y_score is None and y_pred is None and hasattr(type(data), "columns"):
        return from_frame(data, choices)
    return from_arrays(data, y_score, y_pred=y_pred, positive=choices.positive, missing=choices.missing)


def _evaluation(
    predictions: Predictions, source: Source, *, threshold: float | None, level: float, seed: int
) -> Evaluation:
    classes = predictions.classes
    scores = None
    if predictions.score is not None:
        scores = ScoreTable.of(predictions.score, predictions.truth == 1, (classes[0], classes[1]))
    return _decide(predictions, scores, source, threshold=threshold, level=level, seed=seed)


def _decide(
    predictions: Predictions,
    scores: ScoreTable | None,
    source: Source,
    *,
    threshold: float | None,
    level: float,
    seed: int,
) -> Evaluation:
    """Where decisions come from: a threshold that was given, else labels that were given, else 0.5 on probabilities."""
    given = threshold is not None
    if threshold is None and predictions.decision is None and scores is not None:
        is_probability = scores.score[0] >= 0 and scores.score[-1] <= 1
        threshold = DEFAULT_THRESHOLD if is_probability else None
    matrix = None
    if threshold is not None:
        if scores is None:
            raise InputError("there are labels but no scores", "a score column, if a threshold is to be used")
        matrix = scores.at(threshold)
    elif predictions.decision is not None:
        matrix = ConfusionMatrix.of(predictions.truth, predictions.decision, predictions.classes, predictions.decisions)
    return Evaluation(
        matrix,
        scores,
        threshold,
        source,
        threshold_was_given=given,
        level=level,
        seed=seed,
        predictions=predictions,
    )


def _check_options(level: float, threshold: float | None) -> None:
    if not 0 < level < 1:
        raise InputError(f"the level is {level:g}", "a number between 0 and 1, such as 0.95")
    if threshold is not None and not np.isfinite(threshold):
        raise InputError(f"the threshold is {threshold}", "a finite number")


def _names(columns: str | Sequence[str] | None) -> tuple[str, ...]:
    if columns is None:
        return ()
    return (columns,) if isinstance(columns, str) else tuple(columns)
