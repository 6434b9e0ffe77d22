"""Classifiers compared whose rows are elsewhere and depend on one another: from what each cluster adds up to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.comparison import Joint, Rows, joint_influence
from assay.errors import OptionError
from assay.evaluation._differences import Aligned
from assay.evaluation._evaluation import Evaluation
from assay.evaluation._jointly import limits_of, weighs
from assay.evaluation._without_rows import ROWS, AlignedSums
from assay.evidence import ConfusionMatrix, ModelSums, ScoreTable
from assay.measures import Measure, registry
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import matrix_influence

__all__ = ["aligned_by"]


@dataclass(frozen=True, eq=False)
class AlignedClusters(AlignedSums):
    """Evaluations without rows whose tables say what each cluster has: the same clusters, in the same order, in all.

    What a cluster moves an estimate by is a sum over its cells, so that nothing need be known of pairs of scores.
    """

    @cached_property
    def rows(self) -> Rows:
        """Two rows for each cluster, as many cases as it has of the positive class and of the rest."""
        sizes = self._summed(None, 0)
        cluster, is_positive = np.repeat(np.arange(len(sizes)), 2), np.tile([False, True], len(sizes))
        return Rows(is_positive, None, sizes.ravel(), cluster)

    @cached_property
    def truth(self) -> NDArray[np.integer]:
        """Which of them are positive."""
        return self.rows.is_positive.astype(np.intp)

    def joint(self, measure: Measure, method: str = "") -> Joint:
        """Estimates of a measure and how they vary together, from what each cluster moves them by."""
        is_score = measure.needs is ScoreTable and (measure.pairs is not None or measure.moved_by is not None)
        if method not in ("", "normal", "Obuchowski") or not (is_score or measure.needs is ConfusionMatrix):
            how = f" by {method}" if method else ""
            raise OptionError(f"{measure.title} of clusters is not compared{how} without rows", ROWS)
        each = range(len(self.names))
        sums = np.stack([self._summed(self._case_moves(measure, k), k).ravel() for k in each])
        count = self.rows.times
        moved = np.divide(sums, count, out=np.zeros_like(sums), where=count > 0)
        values = np.array([float(measure(self.evidence(measure, k))) for k in each])
        refusal = None if measure.pairs is not None else self._why_not(measure, self._kish)
        joint = joint_influence(
            measure.name, self.names, values, moved, self.rows, self.kept, refusal=refusal, weighs=weighs(measure),
            of_one=limits_of(self, measure, method),
        )  # fmt: skip
        joint = replace(joint, n=float(sum(self.evaluations[0].class_counts.values())))
        if measure.pairs is not None:
            joint = replace(joint, method=f"Obuchowski, {counted(self.rows.units, 'cluster')}")
        return joint.asked_for() if method else joint

    def _case_moves(self, measure: Measure, k: int) -> Any:
        """What a case moves a measure by: at each score as a negative and as a positive, or in each cell."""
        evidence = self.evidence(measure, k)
        if isinstance(evidence, ConfusionMatrix):
            return matrix_influence(measure, evidence)
        if measure.pairs is None:
            assert measure.moved_by is not None
            return measure.moved_by(evidence)
        of_gini = registry["gini"].moved_by
        assert of_gini is not None
        return tuple(0.5 * measure.pairs.scale * side for side in of_gini(evidence))

    def _summed(self, moved: Any, k: int) -> Floats:
        """For each cluster the sums over its cases that are not positive, and over its positives; None: their sizes."""
        ev = self.evaluations[k]
        held = ev.evidence_for(registry["roc_auc"]) if len(ev.classes) == 2 else None
        if isinstance(held, ScoreTable) and held.rows is not None and not isinstance(moved, np.ndarray):
            ones = np.ones(len(held))
            return np.stack(held.rows.sums(*((ones, ones) if moved is None else moved)), axis=-1)
        assert ev.matrix is not None
        assert ev.matrix.clusters is not None
        by_class = (ev.matrix.clusters * (1.0 if moved is None else moved)).sum(-1)
        return np.stack((by_class.sum(1) - by_class[:, 1], by_class[:, 1]), axis=-1)


def aligned_by(sums: ModelSums | None, models: Mapping[str, Evaluation], places: Any, seed: int) -> Aligned:
    """What a comparison looks at: sums over the cases where there are such, else the rows of each."""
    if sums is None:
        return Aligned(models, places, seed)
    first = next(iter(models.values()))
    scores = first.evidence_for(registry["roc_auc"]) if len(first.classes) == 2 else None
    of_scores = isinstance(scores, ScoreTable) and scores.rows is not None
    is_clustered = of_scores or (first.matrix is not None and first.matrix.clusters is not None)
    return (AlignedClusters if is_clustered else AlignedSums)(models, None, seed, together=sums)
