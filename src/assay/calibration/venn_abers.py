"""Venn-Abers probabilities: isotonic regression tried with the new case in either class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.evidence import ScoreTable
from assay.types import Codes, Floats

__all__ = ["placed", "venn_abers_pair"]


def venn_abers_pair(table: ScoreTable) -> tuple[Floats, Floats]:
    """The isotonic rate at every place a new score can have, if the new case is negative, and if it is positive.

    Places run from below the lowest score over each score and each gap between two to above the highest: two for a
    score and one more. A new case weighs what those of the table weigh on average.

    >>> low, high = venn_abers_pair(ScoreTable.of([0.2, 0.6], [False, True]))
    >>> low.round(3), high.round(3)
    (array([0. , 0. , 0. , 0.5, 0.5]), array([0.5, 0.5, 1. , 1. , 1. ]))

    References: Vovk, Petej & Fedorova (2015).
    """
    weight = table.negative + table.positive
    x, y = (np.concatenate(([0.0], np.cumsum(part))) for part in (weight, table.positive))
    added = float(sum(side.sum() for side in table.squared_weights) / weight.sum())
    chains = _hull_to_the_left(x, y), _hull_to_the_right(x, y)
    return _rates(x, y, chains, added, 0.0), _rates(x, y, chains, added, 1.0)


def placed(scores: Floats, at: Floats) -> NDArray[np.intp]:
    """Where scores stand among those of a table, as `venn_abers_pair` counts places.

    >>> placed(np.array([0.2, 0.6]), np.array([0.1, 0.2, 0.3, 0.6, 0.7])).tolist()
    [0, 1, 2, 3, 4]
    """
    left: NDArray[np.intp] = np.searchsorted(scores, at, side="left")
    right: NDArray[np.intp] = np.searchsorted(scores, at, side="right")
    return left + right


def _rates(x: Floats, y: Floats, chains: tuple[Codes, Codes], added: float, truth: float) -> Floats:
    """The isotonic rate of a case that is added at each place.

    With the sums of weights and of positives as points, it is the slope of the line that touches from below both the
    points up to the new case, which are moved back by its own weight, and those beyond it. Both ends walk outwards
    along their hulls, for all places at once, until neither finds a line that lies lower.
    """
    back, on = chains
    place = np.arange(2 * len(x) - 1)
    a, b = place // 2, (place + 1) // 2
    rise, run = added * truth, added

    def slope(start: Codes, end: Codes) -> Floats:
        return np.asarray((y[end] - y[start] + rise) / (x[end] - x[start] + run))

    walking = place
    while len(walking):
        start, end = a[walking], b[walking]
        here = slope(start, end)
        further = on[end]
        moves_on = (further != end) & (slope(start, further) <= here)
        end = np.where(moves_on, further, end)
        here = slope(start, end)
        further = back[start]
        moves_back = (further != start) & (slope(further, end) >= here)
        a[walking], b[walking] = np.where(moves_back, further, start), end
        walking = walking[moves_on | moves_back]
    return slope(a, b)


def _hull_to_the_right(x: Floats, y: Floats) -> Codes:
    """For each point the next one of the lower hull of it and all points to its right."""
    back = _hull_to_the_left(-x[::-1], y[::-1])
    return np.asarray(len(x) - 1 - back[::-1])


def _hull_to_the_left(x: Floats, y: Floats) -> Codes:
    """For each point the next one, to the left, of the lower hull of it and all points before it."""
    across, up = x.tolist(), y.tolist()
    before = [0] * len(across)
    for i in range(1, len(across)):
        j = i - 1
        while j > 0:
            k = before[j]
            # A point that lies on or above the line from here to the one behind it is no corner.
            if (up[i] - up[j]) * (across[j] - across[k]) > (up[j] - up[k]) * (across[i] - across[j]):
                break
            j = k
        before[i] = j
    return np.array(before, dtype=np.intp)
