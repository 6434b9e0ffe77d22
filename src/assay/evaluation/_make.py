"""From predictions to an evaluation: evidence, and the decisions that a matrix is made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assay.errors import InputError
from assay.evaluation._evaluation import Evaluation
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.predictions import Predictions
from assay.sources import Groups, Source

__all__ = ["evaluation_of", "with_subgroups"]

DEFAULT_THRESHOLD = 0.5
MOST_GROUPS = 100
MOST_CELLS = 50_000_000


def evaluation_of(
    predictions: Predictions, source: Source, threshold: float | None, level: float, seed: int
) -> Evaluation:
    """How good one classifier's predictions are, decided by a threshold where one is given."""
    classes, score = predictions.classes, predictions.score
    if len(classes) > 2:
        return _of_many(predictions, source, threshold=threshold, level=level, seed=seed)
    if score is None and predictions.probability is not None:
        score = predictions.probability[:, 1]
    scores = None
    if score is not None:
        scores = ScoreTable.of(score, predictions.truth == 1, (classes[0], classes[1]), **_design(predictions))
    return _decide(predictions, scores, source, threshold=threshold, level=level, seed=seed)


def with_subgroups(ev: Evaluation, model: str, groups: Groups) -> Evaluation:
    """The evaluation together with those of its subgroups, decided as the whole is."""
    assert ev.predictions is not None
    if len(groups.names) > MOST_GROUPS:
        found = f"{groups.column!r} parts the cases into {len(groups.names):,} subgroups"
        raise InputError(found, f"a column of at most {MOST_GROUPS} different values; dependent rows take cluster=")
    subgroups = {}
    for code, name in enumerate(groups.names):
        here = groups.codes[model] == code
        if here.any():
            source = replace(ev.source, rows=int(here.sum()))
            part = evaluation_of(ev.predictions.only(here), source, ev.cutoff, ev.level, ev.seed)
            part = part if ev.matrix is not None else replace(part, matrix=None, cutoff=None)
            subgroups[name] = replace(part, threshold_was_given=ev.threshold_was_given)
    return replace(ev, by=groups.column, subgroups=subgroups)


def _of_many(
    predictions: Predictions, source: Source, *, threshold: float | None, level: float, seed: int
) -> Evaluation:
    """Many classes: the given labels decide, else the class with the highest score, the first of them in a tie."""
    if threshold is not None:
        raise InputError(f"there are {len(predictions.classes)} classes", "two, if a threshold is to part them")
    design, classes = _design(predictions), predictions.classes
    _refuse_huge_tables(predictions)
    scores = None
    if predictions.probability is not None:
        scores = ClassScores.of(predictions.probability, predictions.truth, classes, **design)
    decision, decisions = predictions.decision, predictions.decisions
    if decision is None:
        if scores is None:
            found = f"there is one score for each case and {len(classes)} classes"
            raise InputError(found, "a score for each class, or predicted labels")
        decision, decisions = scores.decided(), classes
    matrix = ConfusionMatrix.of(predictions.truth, decision, classes, decisions, **design)
    return Evaluation(matrix, None, None, source, level=level, seed=seed, predictions=predictions, class_scores=scores)


def _refuse_huge_tables(predictions: Predictions) -> None:
    """Every cluster has a confusion matrix of its own, which many classes make large."""
    if predictions.cluster is None:
        return
    clusters, classes = int(predictions.cluster.max()) + 1, len(predictions.classes)
    if clusters * classes * classes > MOST_CELLS:
        found = f"{clusters:,} clusters of {classes:,} classes make {clusters * classes * classes:,} cells"
        raise InputError(found, f"at most {MOST_CELLS:,}: fewer classes, or clusters put together")


def _design(predictions: Predictions) -> dict[str, Any]:
    """What the rows are, for evidence to take into account."""
    return {"weight": predictions.weight, "count": predictions.count, "cluster": predictions.cluster}


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
        matrix = ConfusionMatrix.of(
            predictions.truth,
            predictions.decision,
            predictions.classes,
            predictions.decisions,
            **_design(predictions),
        )
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
