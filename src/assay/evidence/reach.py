"""What the scores of a table could be, where it says only which cell each lies in: what every bound is made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.types import Floats

__all__ = ["Reach"]


@dataclass(frozen=True, eq=False)
class Reach:
    """The least and the greatest that the scores at each entry of a table could be; equal where they are true ties.

    `negatives` and `positives` are cases of which nothing is known but their class, since their cells were too small
    to be shown. They stand at no entry of the table, and their scores could be anything from `least` to `greatest`.
    """

    low: Floats
    high: Floats
    negatives: float = 0.0
    positives: float = 0.0
    least: float = 0.0
    greatest: float = 1.0

    @property
    def hidden(self) -> float:
        """Cases of which nothing is known but their class."""
        return self.negatives + self.positives

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left open."""
        return self.hidden == 0 and bool((self.low == self.high).all())

    def split_by(self, threshold: float) -> tuple[int, int]:
        """From where to where entries of the table lie that a threshold may split: scores on both sides of it."""
        below = int(np.searchsorted(self.high, threshold, side="left"))
        return below, max(below, int(np.searchsorted(self.low, threshold, side="left")))
