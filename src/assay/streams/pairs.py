"""AUC while a stream runs: each positive is held against one negative as they arrive, and no case is used twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.streams._flags import checked_alike, flags
from assay.types import Floats

__all__ = ["ArrivingPairs"]

# So many cases of one class may wait for the other; beyond that the oldest is let go.
MOST_WAITING = 256


class ArrivingPairs:
    """Whether positives score higher than negatives, pair by pair as they arrive: 1, 1/2 for a tie, or 0.

    Each pair is independent of the others, so their mean is the AUC and limits that hold at every look apply to it. It
    uses part of the data only: show the AUC of a window with a pointwise interval beside it.

    >>> pairs = ArrivingPairs()
    >>> pairs.extend([1, 1, 0, 0, 0], [0.9, 0.4, 0.2, 0.4, 0.7]).tolist()
    [1.0, 0.5]
    >>> pairs.unpaired
    1
    """

    def __init__(self) -> None:
        self.waiting: list[float] = []
        self.waiting_positive = False
        self.let_go = 0

    @property
    def unpaired(self) -> int:
        """How many cases are in no pair: those that wait, and those that were let go."""
        return len(self.waiting) + self.let_go

    def update(self, positive: bool, score: float) -> float | None:
        """The pair that this case completes, if it does."""
        if self.waiting and self.waiting_positive != bool(positive):
            other = self.waiting.pop(0)
            higher, lower = (score, other) if positive else (other, score)
            return 1.0 if higher > lower else 0.5 if higher == lower else 0.0
        self.waiting_positive = bool(positive)
        self.waiting.append(float(score))
        if len(self.waiting) > MOST_WAITING:
            # By age, never by score: a choice by score would not be a fair sample.
            self.waiting.pop(0)
            self.let_go += 1
        return None

    def extend(self, positive: ArrayLike, score: ArrayLike) -> Floats:
        """The pairs that these cases complete, in order."""
        is_positive, values = flags(positive, "positive"), np.atleast_1d(np.asarray(score, dtype=np.float64))
        checked_alike(is_positive, values, "positive and score")
        if np.any(np.isnan(values)):
            raise OptionError("a score is nan", "a number for every case", about="score")
        found = (self.update(*case) for case in zip(is_positive.tolist(), values.tolist(), strict=True))
        return np.array([each for each in found if each is not None])

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as plain numbers."""
        return {"waiting": list(self.waiting), "positive": self.waiting_positive, "let_go": self.let_go}

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> ArrivingPairs:
        """As if there had been no interruption."""
        made = cls()
        made.waiting, made.waiting_positive = list(state["waiting"]), state["positive"]
        made.let_go = state["let_go"]
        return made
