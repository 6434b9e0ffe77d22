"""What the cases of many classes are summed to, before they are let go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.evidence import Binned, ClassScores, ClassSums, ScoreTable
from assay.measures import class_losses

__all__ = ["class_sums"]


def class_sums(
    scores: ClassScores, kept: Sequence[Binned | ScoreTable], put: Callable[[ScoreTable], Any] = lambda table: table
) -> ClassSums:
    """The sums of cases whose scores against the rest are `kept`; how sure answers were as `put` keeps a table."""
    return ClassSums.of(scores, kept, class_losses(scores) if scores.are_probabilities else {}, put)
