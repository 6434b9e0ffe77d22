"""Which standard error between clusters a measure takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.results import Interval
from assay.uncertainty import between_clusters, fewest_with_a_class, matrix_error, table_error

if TYPE_CHECKING:
    from assay.measures._measure import Measure


def clustered_interval(measure: Measure, evidence: Any, level: float) -> Interval:
    """The interval when rows come in clusters: Obuchowski's for the AUC, from influence functions for the rest."""
    value, name = float(measure(evidence)), "cluster-robust"
    if isinstance(evidence, ConfusionMatrix):
        assert evidence.clusters is not None
        clusters, error = _telling(measure, evidence.clusters), matrix_error(measure, evidence)
    else:
        assert evidence.rows is not None
        clusters = fewest_with_a_class(np.stack(evidence.rows.sums(*np.ones((2, len(evidence)))), axis=-1))
        if measure.clustered is not None:
            name, its_own = measure.clustered
            error = its_own(evidence)
        elif measure.moved_by is not None:
            error = table_error(measure.moved_by(evidence), evidence)
        else:
            return Interval.missing(name, "no interval for clustered rows is known for this measure")
    return between_clusters(value, error, clusters, measure.bounds, level, name)


def _telling(measure: Measure, clusters: Any) -> int:
    """How many clusters have a say: those in a share's denominator, or those that hold the rarest class."""
    if measure.parts is not None:
        return int(np.count_nonzero(measure.parts(ConfusionMatrix(clusters))[1]))
    return fewest_with_a_class(clusters.sum(-1))
