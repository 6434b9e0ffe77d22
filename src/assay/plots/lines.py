"""Lines made fit to draw: thinned to what the eye can tell apart, and cut at the edges of the plot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.plots.figure import Axis
from assay.types import Floats

# Shares of a plot's side that nobody sees: points so near a straight line between others need not be drawn.
UNSEEN = 2e-4


def thinned(x: Floats, y: Floats, across: Axis, up: Axis, knots: int) -> tuple[Floats, Floats, float]:
    """A line through at most `knots` of the points, from which none of the others is further than the third number.

    Points are taken at equal steps of the way along the line (right plus up), so those left out lie within one step;
    where the line is all but straight, fewer are enough.
    """
    if len(x) <= knots:
        return x, y, 0.0
    # What lies off the plot, perhaps infinitely far, takes no part of the way there.
    right, high = across.position(x), up.position(y)
    for places in (right, high):
        np.clip(places, 0.0, 1.0, out=places)
    gone = way(right, high)
    steps = np.linspace(0.0, gone[-1], knots)
    taken = np.minimum(np.searchsorted(gone, steps), len(x) - 1)
    is_new = np.concatenate(([True], np.diff(taken) > 0))
    taken = taken[is_new]
    taken = taken[_bends(right[taken], high[taken])]
    return x[taken], y[taken], float(steps[1]) + UNSEEN


def _bends(x: Floats, y: Floats) -> NDArray[np.intp]:
    """The points whose joining line passes all others unseen: halves are parted at their furthest point, over again.

    >>> _bends(np.array([0.0, 0.1, 0.2, 0.3, 0.4]), np.array([0.0, 0.1, 0.2, 0.1, 0.0]))
    array([0, 2, 4])
    """
    found, open_parts = [0, len(x) - 1], [(0, len(x) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        along, up = x[last] - x[first], y[last] - y[first]
        inside = slice(first + 1, last)
        off = np.abs(along * (y[inside] - y[first]) - up * (x[inside] - x[first]))
        length = np.hypot(along, up)
        # Ends in one place make no line: then the distance from that place counts.
        off = off / length if length > 0 else np.hypot(x[inside] - x[first], y[inside] - y[first])
        furthest = first + 1 + int(np.argmax(off))
        if off[furthest - first - 1] > UNSEEN:
            found.append(furthest)
            open_parts += [(first, furthest), (furthest, last)]
    return np.array(sorted(set(found)), dtype=np.intp)


def way(x: Floats, y: Floats) -> Floats:
    """How far along a line each of its points is."""
    across, up = np.diff(x), np.diff(y)
    step = np.add(np.abs(across, out=across), np.abs(up, out=up), out=across)
    gone = np.zeros(len(x))
    np.cumsum(step, out=gone[1:])
    return gone


def along(x: Floats, y: Floats, count: int) -> Floats:
    """Points at equal steps along a line, whatever gaps it has; none where nothing of it is on the plot."""
    is_there = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_there], y[is_there]
    if not len(x):
        return np.empty((0, 2))
    gone = way(x, y)
    at = np.linspace(0.0, gone[-1], count)
    return np.column_stack((np.interp(at, gone, x), np.interp(at, gone, y)))


def clipped(x: Floats, y: Floats, across: Axis, up: Axis) -> tuple[Floats, Floats]:
    """The line where it lies on the plot: it ends at the edge where it leaves, and nan stands where it is gone.

    >>> clipped(np.array([0.0, 1.0]), np.array([0.5, -0.5]), Axis("x"), Axis("y"))
    (array([0. , 0.5, nan]), array([0.5, 0. , nan]))
    """
    x, y = _cut(x, y, up.low, up.high)
    y, x = _cut(y, x, across.low, across.high)
    return x, y


def _cut(x: Floats, y: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    if not ((y < low) | (y > high)).any():
        return x, y
    for edge in (low, high):
        crossed = np.flatnonzero((y[:-1] - edge) * (y[1:] - edge) < 0)
        share = (edge - y[crossed]) / (y[crossed + 1] - y[crossed])
        x = np.insert(x, crossed + 1, x[crossed] + share * (x[crossed + 1] - x[crossed]))
        y = np.insert(y, crossed + 1, edge)
    is_outside = (y < low) | (y > high)
    return np.where(is_outside, np.nan, x), np.where(is_outside, np.nan, y)
