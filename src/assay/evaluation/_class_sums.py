"""What the cases of many classes are summed to, before they are let go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.evidence import Binned, ClassScores, ClassSums, ScoreTable
from assay.measures import on_request_of_many, registry_of_many
from assay.types import Floats

__all__ = ["class_sums"]


def class_sums(
    scores: ClassScores, kept: Sequence[Binned | ScoreTable], put: Callable[[ScoreTable], Any] = lambda table: table
) -> ClassSums:
    """The sums of cases whose scores against the rest are `kept`; how sure answers were as `put` keeps a table."""
    return ClassSums.of(scores, kept, _losses(scores) if scores.are_probabilities else {}, put)


def _losses(scores: ClassScores) -> dict[str, Floats]:
    """What each case costs, by the names of measures that are means of it: how it moves the mean, and the mean."""
    every = {**registry_of_many, **on_request_of_many}
    means = (one for one in every.values() if one.is_mean_loss and one.better == "lower" and one.influence is not None)
    return {one.name: one.influence(scores) + float(one(scores)) for one in means if one.influence is not None}
