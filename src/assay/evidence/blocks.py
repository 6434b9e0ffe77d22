"""The scores of a table that positives have: precision is averaged over these alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats

__all__ = ["PositiveBlocks"]


class PositiveBlocks(NamedTuple):
    """The scores that positives have, from the lowest up, with what is called when each is the threshold.

    `place` is where they stand in the table, `up_to` how many of them stand up to each place of it; `positive` and
    `cases` have such a score, `hits` (positives) and `flags` (cases) have at least it.
    """

    place: NDArray[np.intp]
    up_to: NDArray[np.intp]
    positive: Floats
    cases: Floats
    hits: Floats
    flags: Floats

    def spread(self, at_each: Floats) -> Floats:
        """A sum over these scores at every score of the table: over those of them that are not above it."""
        return np.concatenate(([0.0], np.cumsum(at_each)))[self.up_to]

    def placed(self, at_each: Floats) -> Floats:
        """Values of these scores at their places in the table, and 0 at all others."""
        values = np.zeros(len(self.up_to))
        values[self.place] = at_each
        return values
