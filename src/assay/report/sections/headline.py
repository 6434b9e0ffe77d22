"""The headline: how well scores rank and how good they are as probabilities."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.report.blocks import Block, Estimates, Sentence
from assay.report.sections._rows import rows_by_measure

__all__ = ["headline"]

MEASURES = ("roc_auc", "average_precision", "brier")
OF_MANY = ("accuracy", "balanced_accuracy", "macro_f1", "kappa", "hand_till", "log_loss", "brier")

SEVERAL = (
    "Overlapping intervals do not decide whether one model is better than another: that takes a paired comparison on "
    "the same cases: assay compare."
)


def headline(models: Mapping[str, Evaluation], *, is_compared: bool = False) -> list[Block] | None:
    """The few numbers that do not depend on a threshold (of many classes: that look at all), beside their baselines.

    Where the models are compared elsewhere on the page, nothing need be said against comparing them here.
    """
    is_binary = isinstance(next(iter(models.values())), TwoClassEvaluation)
    rows = rows_by_measure(models, MEASURES if is_binary else OF_MANY)
    blocks: list[Block] = [Estimates(rows, is_headline=True)] if rows else []
    if len(models) > 1 and not is_compared:
        blocks.append(Sentence(SEVERAL))
    return blocks or None
