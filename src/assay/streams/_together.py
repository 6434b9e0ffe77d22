"""Means of so many events together: what is left of dependence between them is far less than between the events."""

from __future__ import annotations

import numpy as np

from assay.request import checked_whole
from assay.types import Floats

__all__ = ["Together"]

# So many events wait in memory for the last of their block.
MOST_TOGETHER = 1_000_000


class Together:
    """Puts events together by so many and gives the mean of each such block when it is full.

    >>> blocks = Together(3)
    >>> blocks.means(np.array([0.0, 1.0])).tolist(), blocks.means(np.array([0.5, 1.0])).tolist(), blocks.pending
    ([], [0.5], [1.0])
    """

    def __init__(self, size: int) -> None:
        self.size = checked_whole(size, "together", most=MOST_TOGETHER)
        self.pending: list[float] = []

    def means(self, values: Floats) -> Floats:
        """The means of the blocks that these events fill."""
        if self.size == 1:
            return values
        every = np.concatenate((self.pending, values))
        full = len(every) // self.size
        self.pending = every[full * self.size :].tolist()
        return np.asarray(every[: full * self.size].reshape(full, self.size).mean(axis=1))
