"""Evidence on which a measure takes another value: each class reweighted as little as that takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from scipy.optimize import brentq

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, matrix_influence
from assay.types import Floats

__all__ = ["tilted"]

Tiltable = TypeVar("Tiltable", bound=ConfusionMatrix | ScoreTable)
# The largest exponent of a weight, and how much of a case of either class is added with the other class's scores or
# predictions, so that a value which the sample happens to rule out can be reached.
STEEPEST, ADDED = 30.0, 0.5


def tilted(measure: Measure, evidence: Tiltable, value: float) -> Tiltable | None:
    """Return evidence of as many cases of either class on which `measure` is `value`; None where there is none.

    Cases are weighted by exp(t u), u their influence on the measure (exponential tilting, Efron 1981): of all
    distributions on these cases with that value the one nearest to theirs.

    >>> from assay.measures import roc_auc
    >>> table = ScoreTable.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0, 0, 1, 0, 1, 1])
    >>> round(float(roc_auc(tilted(roc_auc, table, 0.7))), 6)
    0.7
    """
    sides, influence, rebuild = _parts_of(measure, evidence)
    if influence is None:
        return None
    scale = max(float(np.abs(influence[sides > 0]).max(initial=0.0)), 1e-300)

    def at(t: float) -> Floats:
        weights = sides * np.exp(t * np.clip(influence / scale, -1, 1))
        total = weights.sum(-1, keepdims=True)
        return np.asarray(weights / np.where(total > 0, total, 1.0) * sides.sum(-1, keepdims=True))

    def beyond(t: float) -> float:
        return float(measure(rebuild(at(t)))) - value

    low, high = beyond(-STEEPEST), beyond(STEEPEST)
    if not (math.isfinite(low) and math.isfinite(high) and low * high <= 0):
        return None
    return rebuild(at(float(brentq(beyond, -STEEPEST, STEEPEST, xtol=1e-6))))


Parts = tuple[Floats, Floats | None, Callable[[Floats], Tiltable]]


def _parts_of(measure: Measure, evidence: Tiltable) -> Parts[Tiltable]:
    """The cases of each class (rows), how each moves the measure, and what makes evidence of other numbers of them."""
    parts: Any = _of_matrix if isinstance(evidence, ConfusionMatrix) else _of_table
    return parts(measure, evidence)  # type: ignore[no-any-return]


def _of_matrix(measure: Measure, matrix: ConfusionMatrix) -> Parts[ConfusionMatrix]:
    known = matrix.counts
    sides = known + ADDED / known.shape[-1] * (known.sum(-1, keepdims=True) > 0)
    sides = sides if matrix.clusters is None else known

    def rebuild(counts: Floats) -> ConfusionMatrix:
        factor = np.divide(counts, known, out=np.ones_like(counts), where=known > 0)
        squares = None if matrix.squares is None else matrix.squares * factor
        clusters = None if matrix.clusters is None else matrix.clusters * factor
        return replace(matrix, counts=counts, squares=squares, clusters=clusters, ends=None)

    return sides, matrix_influence(measure, rebuild(sides)), rebuild


def _of_table(measure: Measure, table: ScoreTable) -> Parts[ScoreTable]:
    known = np.stack([table.negative, table.positive])
    sizes = known.sum(-1, keepdims=True)
    other = known[::-1] * ADDED / np.maximum(sizes[::-1], 1e-300)
    sides = known if table.rows is not None or table.is_weighted else (known + other) * sizes / (sizes + ADDED)

    def rebuild(counts: Floats) -> ScoreTable:
        factor = np.divide(counts, known, out=np.ones_like(counts), where=known > 0)
        of_negatives, of_positives = (
            None if squares is None else squares * each
            for squares, each in zip((table.negative_squares, table.positive_squares), factor, strict=True)
        )
        rows = table.rows
        if rows is not None:
            weight = rows.weight * factor[rows.is_positive.astype(np.intp), rows.position]
            rows = rows._replace(weight=weight)
        return ScoreTable(table.score, counts[0], counts[1], table.classes, of_negatives, of_positives, rows)

    return sides, _influence(measure, rebuild(sides)), rebuild


def _influence(measure: Measure, table: ScoreTable) -> Floats | None:
    """What a negative (first row) and a positive at each score move a measure by."""
    if measure.pairs is not None:
        of_negatives, of_positives = table.positives_above, table.negatives_below
        sides = np.stack([of_negatives / float(table.positives), of_positives / float(table.negatives)])
        return np.asarray(
            math.copysign(1.0, measure.pairs.scale) * (sides - float((sides[1] @ table.positive) / table.positives))
        )
    if measure.moved_by is None:
        return None
    return np.asarray(np.stack([np.broadcast_to(side, table.score.shape) for side in measure.moved_by(table)]))
