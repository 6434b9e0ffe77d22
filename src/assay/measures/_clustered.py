"""What clusters tell of each kind of measure."""

from __future__ import annotations

from typing import Any

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures._measure import Measure, matrix_influence, ratio
from assay.results import Interval
from assay.uncertainty import (
    Between,
    between_classes,
    between_clusters,
    between_rows,
    between_shares,
    class_sizes,
)


def clustered_interval(measure: Measure, evidence: Any, level: float) -> Interval:
    """The interval when rows come in clusters: the value, from what each cluster moves it by."""
    found = _between(measure, evidence)
    if found is None:
        return Interval.missing("cluster-robust", "no interval for clustered rows is known for this measure")
    value = float(measure(evidence))
    return between_clusters(value, found, measure.bounds, level, "cluster-robust", skewed=measure.is_mean_loss)


def _between(measure: Measure, evidence: Any) -> Between | None:
    """What clusters tell; of scores it is kept, since no level changes it."""
    if isinstance(evidence, ConfusionMatrix):
        return _of_matrix(measure, evidence) if measure.clustered is None else measure.clustered(evidence)
    key = ("between clusters", measure)
    if key not in evidence.cache:
        tell = measure.clustered
        evidence.cache[key] = _of_table(measure, evidence) if tell is None else tell(evidence)
    found: Between | None = evidence.cache[key]
    return found


def _of_matrix(measure: Measure, matrix: ConfusionMatrix) -> Between:
    assert matrix.clusters is not None
    sizes = matrix.clusters.sum(-1)
    if measure.parts is not None:
        part, whole = measure.parts(each_cluster(matrix))
        return between_shares(part, whole, sizes)
    cells = matrix.clusters.reshape(len(matrix.clusters), -1)
    return between_rows(cells @ matrix_influence(measure, matrix).ravel(), sizes)


def each_cluster(matrix: ConfusionMatrix) -> ConfusionMatrix:
    """The confusion matrices of the clusters, as a batch."""
    assert matrix.clusters is not None
    return ConfusionMatrix(matrix.clusters, matrix.classes, matrix.decisions)


def _of_table(measure: Measure, table: ScoreTable) -> Between | None:
    assert table.rows is not None
    if measure.moved_by is None:
        return None
    negative, positive = table.rows.sums(*measure.moved_by(table))
    sizes = class_sizes(table)
    if measure.needs_probability:
        return between_rows(negative + positive, sizes)
    lost, won = (ratio(side, table.total) for side in (negative, positive))
    return between_classes(lost, won, sizes, mixed=not measure.of_each_class)
