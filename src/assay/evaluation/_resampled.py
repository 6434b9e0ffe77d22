"""Bootstrap intervals by name where cases have weights or come in clusters: rows, or whole clusters, are redrawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison import Placed, Rows, bootstrap
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, DecidedRows, ScoreTable
from assay.measures import Measure
from assay.measures.interval_methods import BOOTSTRAP, bootstrap_caution, from_replicates
from assay.results import Estimate, counted

if TYPE_CHECKING:
    from assay.evaluation._evaluation import Evaluation

__all__ = ["is_clustered", "placed_rows", "resampled_estimate"]


def resampled_estimate(ev: Evaluation, measure: Measure, level: float) -> Estimate:
    """The bootstrap interval of a measure of weighted or clustered rows; classes keep their size in neither."""
    evidence = ev.evidence_for(measure)
    value, n = float(measure(evidence)), measure.cases(evidence)  # type: ignore[arg-type]
    if math.isnan(value):
        return Estimate(measure.name, value, value, value, level, "none", n, undefined=measure.undefined)
    drawn_rows, placed = _drawn_from(ev, measure, evidence)
    drawn = bootstrap([[placed]], [measure], drawn_rows, seed=ev.seed)
    of_what = "" if drawn_rows.cluster is None else f", {counted(drawn_rows.units, 'cluster')}"
    found = from_replicates(drawn.values[0, 0], value, level, BOOTSTRAP + of_what)
    if found.undefined is not None:
        return Estimate(measure.name, value, math.nan, math.nan, level, found.method, n, undefined=found.undefined)
    low, high = min(found.low, value), max(found.high, value)
    caution = bootstrap_caution(measure)
    return Estimate(measure.name, value, low, high, level, found.method, n, se=found.se, caution=caution)


def is_clustered(evidence: Any) -> bool:
    """Whether evidence says what each cluster adds to it, so that clusters can be redrawn without rows."""
    held = evidence.rows if isinstance(evidence, ScoreTable) else getattr(evidence, "clusters", None)
    return held is not None


def _drawn_from(ev: Evaluation, measure: Measure, evidence: Any) -> tuple[Rows, Placed]:
    """What is redrawn: the rows, or without them what each cluster has in each cell."""
    rows = ev.rows
    if rows is not None:
        drawn = Rows(rows.truth == 1, rows.weight, rows.count, rows.cluster)
        return drawn, placed_rows(measure, evidence, rows)
    if isinstance(evidence, ScoreTable):
        held = evidence.rows
        assert held is not None
        cell = held.position + held.is_positive * len(evidence)
        return Rows(held.is_positive, None, held.weight, held.cluster), Placed(evidence, cell)
    cluster, truth, decision = np.nonzero(evidence.clusters)
    counts = evidence.clusters[cluster, truth, decision]
    return Rows(truth == 1, None, counts, cluster), Placed.of_decisions(evidence, truth, decision)


def placed_rows(measure: Measure, evidence: Any, rows: DecidedRows) -> Placed:
    """Which cell of its evidence each row falls into."""
    if measure.needs is ScoreTable and rows.score is not None:
        return Placed.of_scores(evidence, rows.score + 0.0, rows.truth == 1)
    if measure.needs is ConfusionMatrix and rows.decision is not None:
        return Placed.of_decisions(evidence, rows.truth, rows.decision)
    raise OptionError(f"the bootstrap of {measure.title} takes one score or label a case", "another method")
