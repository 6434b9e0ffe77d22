"""What rows of many classes lose, summed where they lie: in one query for all models.

How sure answers by the scores of many classes are, row by row, as expressions that every engine can compute.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.evidence.multiclass import ANSWERS, POWERS
from assay.sources.engine.scan import (
    Found,
    Subject,
    cluster_codes,
    kept_rows,
    of_model,
    of_subgroups,
    others_of,
    truth_codes,
)
from assay.sources.engine.tables import Survey, collected
from assay.sources.labels import Classes
from assay.sources.source_record import stage
from assay.types import Floats

__all__ = ["LossSums", "answer_column", "class_losses", "right_column", "with_answers", "with_given"]


def answer_column(scores: Sequence[str], answer: str) -> str:
    """What one of the answers of a model with such columns is called."""
    return f"{answer}_{scores[0]}"


def right_column(scores: Sequence[str]) -> str:
    """What is called 1 where the highest of such columns is that of the true class."""
    return f"right_{scores[0]}"


def with_answers(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with how sure the answer by some columns was, and whether it was right; `code` is the true class."""
    import narwhals as nw

    col = nw.col
    rows = _add_best_columns(with_given(rows, scores), scores)
    is_right = col("called") == col("code")
    lead = nw.when(is_right).then(col("best") - col("second")).otherwise(col("best") - col("given"))
    found = dict(zip(ANSWERS, (col("best"), col("best") - col("second"), lead), strict=True))
    right = nw.when(is_right).then(nw.lit(1, nw.Int64)).otherwise(nw.lit(0, nw.Int64))
    named = {answer_column(scores, answer): each for answer, each in found.items()}
    rows = rows.with_columns(**named, **{right_column(scores): right})
    return rows.drop("best", "second", "called", "given")


def with_given(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with what each was given for its true class."""
    import narwhals as nw

    given: Any = nw.col(scores[0])
    for code, score in enumerate(scores[1:], 1):
        given = nw.when(nw.col("code") == code).then(nw.col(score)).otherwise(given)
    return rows.with_columns(given=given)


def _add_best_columns(rows: Any, scores: Sequence[str]) -> Any:
    """The rows with their highest score, the second, and the class that is called: the first of them in a tie."""
    import narwhals as nw

    col, lit = nw.col, nw.lit
    first, second = col(scores[0]), col(scores[1])
    is_more = second > first
    rows = rows.with_columns(
        best=nw.when(is_more).then(second).otherwise(first),
        second=nw.when(is_more).then(first).otherwise(second),
        called=nw.when(is_more).then(lit(1, nw.Int64)).otherwise(lit(0, nw.Int64)),
    )
    for code, score in enumerate(scores[2:], 2):
        is_more, is_next = col(score) > col("best"), col(score) > col("second")
        runner = (
            nw.when(is_more).then(col("best")).otherwise(nw.when(is_next).then(col(score)).otherwise(col("second")))
        )
        rows = rows.with_columns(
            best=nw.when(is_more).then(col(score)).otherwise(col("best")),
            second=runner,
            called=nw.when(is_more).then(lit(code, nw.Int64)).otherwise(col("called")),
        )
    return rows


# Probabilities are held so far from 0 and 1 for the log loss, as they are of rows in memory.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
LOSSES = ("squared error", "surprise", "steps missed")
# Sums over the cases of each true class, how many were called impossible, and the sums of each cluster.
LossSums = tuple[dict[str, Floats], float, dict[str, Floats]]


def class_losses(
    survey: Survey, subjects: Sequence[Subject], classes: Classes, scored: Mapping[str, Any]
) -> dict[str, dict[str | None, LossSums]]:
    """What cases lose, by the names of models and of subgroups (None: all); `scored` are the scores as read."""
    import narwhals as nw

    ways = list(dict.fromkeys(subject.scores for subject in subjects if len(subject.scores) > 1))
    if not classes.are_many or not ways:
        return {}
    stage(f"{survey.rows:,} rows: losses")
    lying, col = survey.lying, nw.col
    used = {name: scored[name] for way in ways for name in way}
    own = {"own": col("weight")} if "weight" in lying.columns else {}
    rows = kept_rows(survey, code=truth_codes(survey, classes), **own, **used)
    weights = [col("weight") if lying.weights else nw.lit(1.0)]
    if own:
        # Of weights, the squares and the fourth powers tell how uncertain a mean is; a count is as many equal cases.
        rows = rows.with_columns(twice=col("own") * col("own"))
        weights += [col("squares"), col("squares") * col("twice")]
    for place, way in enumerate(ways):
        rows = _add_loss_columns(rows, way, place)
    powers = [
        _loss_power_name(name, place, power)
        for place in range(len(ways))
        for name in LOSSES
        for power in range(1, POWERS)
    ]
    impossible = [f"impossible_{place}" for place in range(len(ways))]
    summed = {f"{kind}_total": each for kind, each in enumerate(weights)}
    for kind, each in enumerate(weights):
        summed |= {f"{kind}_{name}": col(name) * each if lying.weights else col(name) for name in powers}
    summed |= {f"0_{name}": col(name) * weights[0] for name in impossible}
    rows = rows.with_columns(**summed)
    found = collected(rows.group_by(*others_of(lying), "code").agg(*(col(name).sum() for name in summed)))
    return {
        subject.name: {
            group: _loss_sums(survey, only, ways.index(subject.scores), len(classes.names), len(weights))
            for group, only in of_subgroups(survey, of_model(survey, found, subject)).items()
        }
        for subject in subjects
        if subject.scores in ways
    }


def _add_loss_columns(rows: Any, scores: Sequence[str], place: int) -> Any:
    """The rows with what each loses by each measure, to the powers 1 to 4, and whether its class was impossible."""
    import narwhals as nw

    col, lit = nw.col, nw.lit
    rows = with_given(rows, scores)
    squares = sum((col(score) * col(score) for score in scores[1:]), col(scores[0]) * col(scores[0]))
    rows = rows.with_columns(squared=squares - 2.0 * col("given") + 1.0, reached=lit(0.0), steps=lit(0.0))
    surprise = -col("given").clip(SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY).log()
    for code, score in enumerate(scores[:-1]):
        reached = col("reached") + col(score)
        missed = reached - nw.when(col("code") <= code).then(lit(1.0)).otherwise(lit(0.0))
        rows = rows.with_columns(reached=reached, steps=col("steps") + missed * missed)
    impossible = nw.when(col("given") <= 0).then(lit(1.0)).otherwise(lit(0.0))
    each = (col("squared"), surprise, col("steps") / (len(scores) - 1))
    rows = rows.with_columns(
        **{_loss_power_name(name, place, 1): loss for name, loss in zip(LOSSES, each, strict=True)},
        **{f"impossible_{place}": impossible},
    ).drop("given", "reached", "steps", "squared")
    for power in range(2, POWERS):
        more = {
            _loss_power_name(name, place, power): col(_loss_power_name(name, place, power - 1))
            * col(_loss_power_name(name, place, 1))
            for name in LOSSES
        }
        rows = rows.with_columns(**more)
    return rows


def _loss_power_name(name: str, place: int, power: int) -> str:
    return f"{name.split()[0]}_{place}_{power}" if power else "total"


def _loss_sums(survey: Survey, found: Found, place: int, classes: int, kinds: int) -> LossSums:
    cluster = cluster_codes(survey, found) if survey.lying.clusters else np.zeros(len(found["code"]), np.intp)
    at, size = cluster * classes + found["code"].astype(np.intp), (int(cluster.max()) + 1) * classes

    def of_clusters(name: str) -> Floats:
        return np.bincount(at, found[name].astype(np.float64), size).astype(np.float64).reshape(-1, classes)

    losses, clusters = {}, {}
    for loss in LOSSES:
        names = [[f"{kind}_{_loss_power_name(loss, place, power)}" for power in range(POWERS)] for kind in range(kinds)]
        each = np.array([[of_clusters(name) for name in row] for row in names])
        losses[loss] = each.sum(2).swapaxes(1, 2)
        if survey.lying.clusters:
            clusters[loss] = np.moveaxis(each[0, :2], 0, -1)
    return losses, float(of_clusters(f"0_impossible_{place}").sum()), clusters
