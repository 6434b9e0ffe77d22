"""The scores of a table that positives have: precision is averaged over these alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats

__all__ = ["PositiveBlocks"]


class PositiveBlocks(NamedTuple):
    """The scores that positives have, from the lowest up, with what is called when each is the threshold.

    `place` is where they stand in the table; `positive` and `cases` have such a score, `hits` (positives) and `flags`
    (cases) have at least it.
    """

    place: NDArray[np.intp]
    positive: Floats
    cases: Floats
    hits: Floats
    flags: Floats
