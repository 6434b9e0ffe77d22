"""Which rows stand for a cell of a confusion matrix where not all of them can be shown."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.types import Floats


def rows_behind(cell: NDArray[np.integer], wrongness: Floats, most: int) -> NDArray[np.intp]:
    """The rows to show: cell by cell, the most wrong first, and every cell has its share of `most`.

    Of too many rows the first of each cell are taken, then the second of each, until there are enough.

    >>> rows_behind(np.array([0, 0, 0, 1]), np.array([0.1, 0.9, 0.5, 0.2]), 3)
    array([1, 2, 3])
    """
    order = np.lexsort((-wrongness, cell))
    sizes = np.bincount(cell)
    starts = np.cumsum(sizes) - sizes
    rank = np.arange(len(order)) - starts[cell[order]]
    taken = np.zeros(len(order), dtype=np.bool_)
    taken[rank.argsort(kind="stable")[:most]] = True
    kept: NDArray[np.intp] = order[taken]
    return kept
