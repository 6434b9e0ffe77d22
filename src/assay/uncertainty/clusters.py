"""Standard errors where rows come in clusters (patients, sites, documents) and depend on one another inside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.results import Interval, counted
from assay.types import Floats
from assay.uncertainty.scales import scale_of

__all__ = ["auc_error", "between_clusters", "fewest_with_a_class", "matrix_error", "matrix_influence", "table_error"]

# Below this many clusters a standard error from them means nothing.
FEW_CLUSTERS = 3

NOTHING_VARIES = "it does not vary between these clusters, so they cannot tell how uncertain it is"


def between_clusters(
    value: float, error: float, clusters: int, bounds: tuple[float, float], level: float, name: str
) -> Interval:
    """The value plus or minus t standard errors on a scale that keeps it in its range, with t on clusters - 1 degrees.

    >>> between_clusters(0.8, 0.05, 20, (0.0, 1.0), 0.95, "cluster-robust").method
    'cluster-robust, logit, 20 clusters'
    """
    scale = scale_of(bounds)
    label = f"{name}, {scale.name}, {counted(clusters, 'cluster')}"
    if clusters < FEW_CLUSTERS:
        why = f"{counted(clusters, 'cluster')}: below {FEW_CLUSTERS} nothing tells how they vary"
        return Interval.missing(label, why)
    if not error > 0 or not math.isfinite(scale.forward(value)):
        return Interval.missing(label, NOTHING_VARIES)
    half = float(stdtrit(clusters - 1, 0.5 + level / 2)) * error * scale.slope(value)
    ends = scale.backward(scale.forward(value) - half), scale.backward(scale.forward(value) + half)
    return Interval(min(ends), max(ends), label)


def fewest_with_a_class(sizes: Floats) -> int:
    """Of all classes that occur, how many clusters hold the one that is in the fewest: what its numbers rest on.

    >>> fewest_with_a_class(np.array([[8.0, 0.0], [8.0, 0.0], [0.0, 8.0]]))
    1
    """
    holding = np.count_nonzero(sizes, axis=0)
    return int(holding[holding > 0].min())


def matrix_error(formula: Callable[[ConfusionMatrix], Any], matrix: ConfusionMatrix) -> float:
    """The standard error between clusters of a function of a confusion matrix."""
    assert matrix.clusters is not None
    each = matrix.clusters.reshape(len(matrix.clusters), -1)
    return _error(each @ matrix_influence(formula, matrix).ravel(), float(matrix.total))


def table_error(influence: tuple[Floats, Floats], table: ScoreTable) -> float:
    """The standard error between clusters of an estimate with this influence function at each score."""
    assert table.rows is not None
    negative, positive = table.rows.sums(*influence)
    return _error(negative + positive, float(table.total))


def auc_error(table: ScoreTable) -> float:
    """The standard error of an AUC of clustered cases (Obuchowski 1997).

    A cluster may hold cases of both classes; then the placements of its positives and of its negatives go together.
    """
    assert table.rows is not None
    n0, n1 = float(table.negatives), float(table.positives)
    of_positives, of_negatives = table.negatives_below / n0, table.positives_above / n1
    auc = float(table.positive @ of_positives) / n1
    ones = np.ones(len(table))
    lost, won = table.rows.sums(of_negatives - auc, of_positives - auc)
    with_negatives, with_positives = (int(np.count_nonzero(size)) for size in table.rows.sums(ones, ones))
    if min(with_negatives, with_positives) < 2:
        return math.nan
    between_positives = _bessel(with_positives) * float(won @ won) / n1**2
    between_negatives = _bessel(with_negatives) * float(lost @ lost) / n0**2
    together = _bessel(len(won)) * float(won @ lost) / (n0 * n1)
    return math.sqrt(max(between_positives + between_negatives + 2 * together, 0.0))


def matrix_influence(formula: Callable[[ConfusionMatrix], Any], matrix: ConfusionMatrix) -> Floats:
    """How much one more case in each cell would move a function of the cells' shares, times the number of cases.

    By central differences; an empty cell can only grow.

    >>> matrix = ConfusionMatrix.binary(tp=40, fn=10, fp=20, tn=30)
    >>> matrix_influence(lambda m: m.correct / m.total, matrix).round(3)
    array([[ 0.3, -0.7],
           [-0.7,  0.3]])
    """
    counts, total = matrix.counts, float(matrix.total)
    up = np.eye(counts.size).reshape(-1, *counts.shape) * 1e-5 * total
    down = np.minimum(up, counts * 0.5)
    above, below = (
        formula(ConfusionMatrix(moved, matrix.classes, matrix.decisions)) for moved in (counts + up, counts - down)
    )
    slopes = np.nan_to_num((above - below) / (up + down).sum((-2, -1))).reshape(counts.shape) * total
    centred: Floats = slopes - float((slopes * counts).sum()) / total
    return centred


def _error(sums: Floats, total: float) -> float:
    return math.sqrt(_bessel(len(sums)) * float(sums @ sums)) / total if len(sums) > 1 else math.nan


def _bessel(count: int) -> float:
    return count / (count - 1)
