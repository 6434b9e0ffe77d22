"""The headline: how well scores rank and how good they are as probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Estimates, Sentence
from assay.report.sections._rows import of_labels_alone, rows_by_measure

__all__ = ["headline"]

MEASURES = ("roc_auc", "average_precision", "brier")
OF_LABELS = ("accuracy", "balanced_accuracy", "kappa", "mcc")
OF_MANY = ("accuracy", "balanced_accuracy", "macro_f1", "kappa", "hand_till", "log_loss", "brier")

SEVERAL = (
    "Overlapping intervals do not decide whether one model is better than another: that takes a paired comparison on "
    "the same cases"
)


def headline(models: Mapping[str, Evaluation], said: Sequence[str] | None = None) -> list[Block] | None:
    """The few numbers that do not depend on a threshold (of many classes: that look at all), beside their baselines.

    What may be `said` about several models is what their comparison found; nothing where it is said elsewhere.
    """
    is_binary = isinstance(next(iter(models.values())), TwoClassEvaluation)
    of_two = OF_LABELS if all(map(of_labels_alone, models.values())) else MEASURES
    rows = rows_by_measure(models, of_two if is_binary else OF_MANY)
    blocks: list[Block] = [Estimates(rows, is_headline=True)] if rows else []
    if len(models) > 1:
        blocks.extend(map(Sentence, [f"{SEVERAL}: assay compare."] if said is None else said))
    return blocks or None
