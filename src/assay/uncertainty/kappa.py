"""The standard error of kappa, plain and weighted."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["kappa_error"]


def kappa_error(counts: NDArray[np.float64], agreement: NDArray[np.float64]) -> float:
    """Fleiss, Cohen & Everitt (1969): the standard error of kappa where agreement is real, from the delta method.

    `agreement` is how much each cell counts as agreement, 1 on the diagonal.

    >>> round(kappa_error(np.array([[10.0, 7.0], [8.0, 75.0]]), np.eye(2)), 6)
    0.115014
    """
    n = float(counts.sum())
    p = counts / n
    rows, columns = p.sum(1), p.sum(0)
    reached, by_chance = float((p * agreement).sum()), float(rows @ agreement @ columns)
    left_open = 1 - by_chance
    value = (reached - by_chance) / left_open
    expected = (agreement @ columns)[:, None] + (rows @ agreement)[None, :]
    spread = float((p * (agreement - expected * (1 - value)) ** 2).sum()) - (value - by_chance * (1 - value)) ** 2
    return math.sqrt(max(spread, 0.0) / n) / left_open
