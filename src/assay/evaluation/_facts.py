"""The facts of an evaluation that cautions are judged by."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from assay.cautions import Facts
from assay.evidence import ConfusionMatrix
from assay.measures import accuracy, certain_and_wrong
from assay.uncertainty import exceedance_p_value

if TYPE_CHECKING:
    from assay.evaluation._evaluation import Evaluation

__all__ = ["facts_of"]

# Rules that look at an interval use this level, so that blameless data rarely trips any of them.
STRICT = 0.99


def facts_of(ev: Evaluation) -> Facts:
    """Everything the cautions may look at."""
    scores, matrix = ev.scores, ev.matrix
    return Facts(
        class_sizes=ev.class_sizes,
        positive=ev.positive,
        score_range=(float(scores.score[0]), float(scores.score[-1])) if scores is not None else None,
        threshold=ev.threshold,
        threshold_was_given=ev.threshold_was_given,
        accuracy=float(accuracy(matrix)) if matrix is not None else math.nan,
        p_below_majority=_p_below_majority(matrix) if matrix is not None else math.nan,
        auc_high=_strict_high(ev, "roc_auc"),
        informedness_high=_strict_high(ev, "informedness") if scores is None else math.nan,
        brier_skill_high=_strict_high(ev, "brier_skill"),
        certain_and_wrong=certain_and_wrong(scores) if scores is not None and ev.has_probabilities else 0.0,
        unseen_labels=_unseen(matrix) if matrix is not None else {},
        dropped=ev.source.dropped,
        unused_columns=ev.source.design,
    )


def _strict_high(ev: Evaluation, measure: str) -> float:
    return ev.estimate(measure, level=STRICT).high if ev.applies(measure) is None else math.nan


def _p_below_majority(matrix: ConfusionMatrix) -> float:
    """Sign test on the cases where the classifier and the commonest answer differ and one of them is right."""
    commonest = int(np.argmax(matrix.actual))
    lost = float(matrix.actual[commonest] - matrix.counts[commonest, commonest])
    won = float(matrix.correct - matrix.counts[commonest, commonest])
    return exceedance_p_value(lost, lost + won, 0.5) if lost + won else 1.0


def _unseen(matrix: ConfusionMatrix) -> dict[str, float]:
    extra = matrix.counts.sum(0)[len(matrix.classes) :]
    return {name: float(size) for name, size in zip(matrix.decisions[len(matrix.classes) :], extra, strict=True)}
