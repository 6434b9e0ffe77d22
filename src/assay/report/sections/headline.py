"""The headline: how well scores rank and how good they are as probabilities."""

from __future__ import annotations

from collections.abc import Mapping

from assay.evaluation import Evaluation
from assay.report.blocks import Block, Estimates, Sentence
from assay.report.sections._rows import rows_by_measure

__all__ = ["headline"]

MEASURES = ("roc_auc", "average_precision", "brier")

SEVERAL = (
    "Overlapping intervals do not decide whether one model is better than another: that takes a paired comparison on "
    "the same cases (assay compare), which is not yet built."
)


def headline(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The few numbers that do not depend on a threshold, beside their baselines."""
    rows = rows_by_measure(models, MEASURES)
    blocks: list[Block] = [Estimates(rows, is_headline=True)] if rows else []
    if len(models) > 1:
        blocks.append(Sentence(SEVERAL))
    return blocks or None
