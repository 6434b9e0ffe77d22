"""Cross-validated predictions: each fold was scored by a model of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.evidence import DecidedRows, ScoreTable
from assay.measures import Measure
from assay.results import Estimate
from assay.uncertainty import cross_validated_auc, widened_level

__all__ = ["OF_FOLDS", "WIDENED", "cross_validated", "tables_of_folds", "widened"]

OF_FOLDS, WIDENED = "the models of these folds", "widened for folds"


def tables_of_folds(rows: DecidedRows, whole: ScoreTable) -> list[ScoreTable]:
    """The scores of each fold by themselves; none without folds, or where rows depend on one another."""
    if rows.fold is None or rows.score is None or rows.cluster is not None:
        return []
    weights = {"weight": rows.weight, "count": rows.count}
    return [
        ScoreTable.of(
            rows.score[here],
            rows.truth[here] == 1,
            whole.classes,
            **{name: None if values is None else values[here] for name, values in weights.items()},
        )
        for here in (rows.fold == fold for fold in range(int(rows.fold.max()) + 1))
    ]


def cross_validated(measure: Measure, folds: Sequence[ScoreTable], n: float, level: float) -> Estimate:
    """The mean over folds of a share of pairs: an estimate about the models of these folds, not of one classifier."""
    auc, found = cross_validated_auc(folds, level)
    assert measure.pairs is not None
    value, low, high = (measure.pairs.scale * part + measure.pairs.shift for part in (auc, found.low, found.high))
    se = None if found.se is None else measure.pairs.scale * found.se
    return Estimate(measure.name, value, low, high, level, found.method, n, OF_FOLDS, found.undefined, se)


def widened(find: Callable[[float], Estimate], level: float, folds: int) -> Estimate:
    """An estimate of pooled folds with the interval that holds for their models, found at a level further out."""
    found = find(widened_level(level, folds))
    method = found.method if math.isnan(found.low) else f"{found.method}, {WIDENED}"
    return replace(found, level=level, method=method, target=OF_FOLDS)
