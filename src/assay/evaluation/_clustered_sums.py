"""Classifiers compared whose rows are elsewhere and depend on one another: from what each cluster adds up to.

Their tables say what each cluster has: the same clusters, in the same order, in all. What a cluster moves an estimate
by is a sum over its cells, so that nothing need be known of pairs of scores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison import Joint, Rows, joint_influence
from assay.errors import OptionError
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._jointly import limits_of, weighs
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure, registry
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import matrix_influence

if TYPE_CHECKING:
    from assay.evaluation._differences import PairedRows

__all__ = ["cluster_rows", "has_clusters", "joint_of_clusters"]


def has_clusters(ev: Evaluation) -> bool:
    """Whether what is known of a classifier says which cases depend on one another."""
    scores = _scores(ev)
    return (scores is not None and scores.rows is not None) or (
        ev.matrix is not None and ev.matrix.clusters is not None
    )


def cluster_rows(ev: Evaluation) -> Rows:
    """Two rows for each cluster, as many cases as it has of the positive class and of the rest."""
    sizes = _summed(ev, None)
    cluster, is_positive = np.repeat(np.arange(len(sizes)), 2), np.tile([False, True], len(sizes))
    return Rows(is_positive, None, sizes.ravel(), cluster)


def joint_of_clusters(models: PairedRows, measure: Measure, method: str, rows: str, refusal: str | None) -> Joint:
    """Estimates of a measure and how they vary together, from what each cluster moves them by.

    `rows` is what would be needed where that does not suffice, `refusal` why no interval is honest.
    """
    is_score = measure.needs is ScoreTable and (measure.pairs is not None or measure.moved_by is not None)
    if method not in ("", "normal", "Obuchowski") or not (is_score or measure.needs is ConfusionMatrix):
        how = f" by {method}" if method else ""
        raise OptionError(f"{measure.title} of clusters is not compared{how} without rows", rows)
    found = [(ev, models.evidence(measure, k)) for k, ev in enumerate(models.evaluations)]
    sums = np.stack([_summed(ev, _moves(measure, evidence)).ravel() for ev, evidence in found])
    count = models.rows.times
    moved = np.divide(sums, count, out=np.zeros_like(sums), where=count > 0)
    values = np.array([float(measure(evidence)) for _, evidence in found])
    joint = joint_influence(
        measure.name, models.names, values, moved, models.rows, models.kept,
        refusal=None if measure.pairs is not None else refusal, weighs=weighs(measure),
        of_one=limits_of(models, measure, method),
    )  # fmt: skip
    joint = replace(joint, n=float(sum(models.evaluations[0].class_counts.values())))
    if measure.pairs is not None:
        joint = replace(joint, method=f"Obuchowski, {counted(models.rows.units, 'cluster')}")
    return joint


def _moves(measure: Measure, evidence: Any) -> Any:
    """What a case moves a measure by: at each score as a negative and as a positive, or in each cell."""
    if isinstance(evidence, ConfusionMatrix):
        return matrix_influence(measure, evidence)
    if measure.pairs is None:
        assert measure.moved_by is not None
        return measure.moved_by(evidence)
    of_gini = registry["gini"].moved_by
    assert of_gini is not None
    return tuple(0.5 * measure.pairs.scale * side for side in of_gini(evidence))


def _summed(ev: Evaluation, moved: Any) -> Floats:
    """For each cluster the sums over its cases that are not positive, and over its positives; None: their sizes."""
    scores = _scores(ev)
    if scores is not None and scores.rows is not None and not isinstance(moved, np.ndarray):
        ones = np.ones(len(scores))
        return np.stack(scores.rows.sums(*((ones, ones) if moved is None else moved)), axis=-1)
    assert ev.matrix is not None
    assert ev.matrix.clusters is not None
    by_class = (ev.matrix.clusters * (1.0 if moved is None else moved)).sum(-1)
    return np.stack((by_class.sum(1) - by_class[:, 1], by_class[:, 1]), axis=-1)


def _scores(ev: Evaluation) -> ScoreTable | None:
    held = ev.evidence_for(registry["roc_auc"]) if len(ev.classes) == 2 else None
    return held if isinstance(held, ScoreTable) else None
