"""Cross-validated predictions: each fold was scored by a model of its own."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evidence import DecidedRows, ScoreTable
from assay.measures import Measure
from assay.results import Estimate
from assay.uncertainty import cross_validated_auc

__all__ = ["cross_validated", "tables_of_folds"]


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
    """The mean of the folds' AUCs: an estimate about the algorithm, not about one classifier."""
    value, found = cross_validated_auc(folds, level)
    limits = (found.low, found.high)
    return Estimate(measure.name, value, *limits, level, found.method, n, "the models of these folds", found.undefined)
