"""Evidence of several times as many cases, distributed as these are: it predicts a larger sample's intervals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from assay.evidence.clustered import ClusteredRows
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.paired import PairedCorrectness, PairedDecisions
from assay.evidence.scores import ScoreTable
from assay.types import Floats

__all__ = ["is_scalable", "multiplied"]

Counts = ConfusionMatrix | PairedCorrectness | PairedDecisions
Scalable = TypeVar("Scalable", bound=Counts | ScoreTable)


def is_scalable(evidence: Any) -> bool:
    """Whether `multiplied` takes this kind of evidence."""
    return isinstance(evidence, Counts | ScoreTable)


def multiplied(evidence: Scalable, times: float) -> Scalable:
    """Return the evidence of `times` as many cases; of clusters, of a whole number of times as many clusters.

    >>> table = ScoreTable.of([0.1, 0.4, 0.9], [False, True, True])
    >>> multiplied(table, 3) == table + table + table
    True
    """
    if isinstance(evidence, ScoreTable):
        found: Any = _multiplied_table(evidence, times)
        return found  # type: ignore[no-any-return]
    clusters = evidence.clusters
    if clusters is not None:
        times = max(1, round(times))
        clusters = np.concatenate([clusters] * int(times))
    squares = None if evidence.squares is None else times * evidence.squares
    more = replace(evidence, counts=times * evidence.counts, squares=squares, clusters=clusters)
    # What scores in bins leave open is no matter of sample size.
    return replace(more, ends=None) if isinstance(more, ConfusionMatrix) else more


def _multiplied_table(table: ScoreTable, times: float) -> ScoreTable:
    rows = table.rows
    if rows is not None:
        times = max(1, round(times))
        rows = _copied_rows(rows, int(times))

    def more(side: Floats | None) -> Floats | None:
        return None if side is None else times * side

    found = ScoreTable(
        table.score, times * table.negative, times * table.positive, table.classes,
        more(table.negative_squares), more(table.positive_squares), rows,
    )  # fmt: skip
    if not table.knows_pairs:
        return found
    wins, of_positives, of_negatives = table.placement_sums
    return found.with_pairs((times**2 * wins, times**3 * of_positives, times**3 * of_negatives))


def _copied_rows(rows: ClusteredRows, times: int) -> ClusteredRows:
    """The same rows several times over, each copy in clusters of its own."""
    clusters = int(rows.cluster.max()) + 1
    # Codes of few clusters may be too narrow for those of many.
    codes = rows.cluster.astype(np.intp)
    own = np.concatenate([codes + copy * clusters for copy in range(times)])
    position, is_positive, weight = (np.tile(part, times) for part in (rows.position, rows.is_positive, rows.weight))
    return ClusteredRows(position, is_positive, weight, own)
