"""Cleveland's (1979) locally weighted line, without robustness passes, as R's `lowess(iter = 0)` computes it."""

from __future__ import annotations

import math

import numpy as np

from assay.types import Floats

# The share of cases in a window, and how far apart (as a share of the range) lines are fitted; R's own choices.
SPAN = 2 / 3
APART = 0.01


def lowess(x: Floats, y: Floats, cases: Floats) -> Floats:
    """The local line's value at each of the increasing x, where `cases` cases have the mean outcome y.

    Lines are fitted at points at least a hundredth of the range apart, and joined by straight lines.

    >>> lowess(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0, 3.0]), np.ones(4)).round(6)
    array([0., 1., 2., 3.])
    """
    edges = np.cumsum(cases)
    window = min(max(int(SPAN * edges[-1] + 1e-7), 2), int(edges[-1]))
    at, left = 0, 0
    places: list[int] = []
    values: list[float] = []
    while True:
        left = _moved(x, edges, at, left, window)
        value = _line_at(x, y, cases, edges, float(x[at]), left, window)
        places.append(at)
        values.append(y[at] if math.isnan(value) else value)
        if at == len(x) - 1:
            return np.interp(x, x[places], values)
        reached = int(np.searchsorted(x, x[at] + APART * (x[-1] - x[0]), side="right"))
        at = max(at + 1, reached - 1)


def _moved(x: Floats, edges: Floats, at: int, left: int, window: int) -> int:
    """The first case of the window about x[at]: it moves right while the case beyond its end is nearer than its first.

    Cases are counted one by one: equal scores move the window as many times as there are of them.
    """
    total = int(edges[-1])
    while left + window < total:
        first, beyond = (int(np.searchsorted(edges, case, side="right")) for case in (left, left + window))
        if x[at] - x[first] <= x[beyond] - x[at]:
            break
        # Every case at the first score is as far away, and every one at the score beyond the end as near.
        left += min(int(edges[first]) - left, int(edges[beyond]) - (left + window))
    return left


def _line_at(x: Floats, y: Floats, cases: Floats, edges: Floats, where: float, left: int, window: int) -> float:
    """A line through the window's cases, weighted by how near they are; nan where no case is near."""
    first, last = (int(np.searchsorted(edges, case, side="right")) for case in (left, left + window - 1))
    width = max(where - x[first], x[last] - where)
    distance = np.abs(x[first:] - where)
    # Beyond .999 of the width nothing counts, within .001 everything counts in full: R's guard against rounding.
    share = np.minimum(distance, width) / (width or 1.0)
    nearness = np.where(distance <= 0.001 * width, 1.0, (1 - share**3) ** 3)
    weight = np.where(distance <= 0.999 * width, nearness, 0.0) * cases[first:]
    weight[0] *= (edges[first] - left) / cases[first]
    if not weight.sum() > 0:
        return math.nan
    weight /= weight.sum()
    centre = float(weight @ x[first:])
    spread = float(weight @ (x[first:] - centre) ** 2)
    if math.sqrt(spread) > 0.001 * (x[-1] - x[0]):
        weight *= 1 + (where - centre) / spread * (x[first:] - centre)
    return float(weight @ y[first:])
