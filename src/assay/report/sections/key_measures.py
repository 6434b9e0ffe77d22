"""Key measures: what scores and decisions are worth, beside what answers give that look at no case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.report.blocks import Block, Estimates, Heading
from assay.report.sections._rows import decisions_by, in_cells, of_labels_alone, rows_by_measure

__all__ = ["key_measures"]

OF_SCORES = ("roc_auc", "average_precision", "brier_skill")
OF_DECISIONS = ("recall", "precision", "specificity", "accuracy", "f1")
OF_LABELS = ("recall", "precision", "specificity", "accuracy", "balanced_accuracy", "f1", "kappa", "mcc")


def key_measures(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The few measures of two classes that a page begins with."""
    if isinstance(next(iter(models.values())), ManyClassEvaluation):
        return None
    deciding = {key: ev for key, ev in models.items() if ev.matrix is not None}
    only_labels = all(map(of_labels_alone, models.values()))
    of_scores = () if only_labels else rows_by_measure(models, OF_SCORES)
    of_decisions = rows_by_measure(deciding, OF_LABELS if only_labels else OF_DECISIONS) if deciding else ()
    blocks: list[Block] = [Heading("Key measures")]
    if of_scores:
        # Bounds are no remark to leave out: without them the interval would be taken for all that is open.
        blocks.append(
            Estimates(tuple(replace(row, remark=in_cells(row.estimate)) for row in of_scores), is_headline=True)
        )
    if of_decisions:
        title, threshold = decisions_by(deciding)
        blocks.append(Estimates(of_decisions, title, threshold, is_headline=True))
    return blocks if len(blocks) > 1 else None
