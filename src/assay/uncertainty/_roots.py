"""Where a function crosses zero: halving, which cannot fail on a bracket, helped by straight lines where they serve."""

from __future__ import annotations

import math
from collections.abc import Callable

# The bracket that is left: less than one unit in the last place of one inside [0, 1], or a few units of its own ends.
LEFT = 2.0**-60
FEW_UNITS = 2.0**-52


def crossing(function: Callable[[float], float], inside: float, outside: float) -> float:
    """The point between `inside` (function below zero) and `outside` (at or above zero) where the sign changes.

    Where a line through both ends meets zero, the end that stays counting half (the Illinois method); the middle
    whenever three such steps have not halved the bracket, so that no function takes much longer than halving. A line
    that meets zero at an end of the bracket, or all but there, is asked a little inside: the other end would stay far
    away otherwise. The ends themselves are never asked.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 9)
    1.414213562
    """
    least = abs(outside - inside) * LEFT
    goal, steps, moved = abs(outside - inside), 0, ""
    below = above = math.nan
    while (left := abs(gap := outside - inside)) > (few := FEW_UNITS * (abs(inside) + abs(outside))) and left > least:
        if left <= goal / 2:
            goal, steps = left, 0
        steps += 1
        at = middle = inside + gap / 2
        if middle in (inside, outside):
            break
        rise = above - below
        if steps <= 3 and rise > 0:
            share, edge = -below / rise, min(few / left, 0.5)
            at = inside + gap * (edge if share < edge else 1 - edge if share > 1 - edge else share)
        value = function(at)
        if value < 0:
            inside, below, above, moved = at, value, above / 2 if moved == "inside" else above, "inside"
        else:
            outside, above, below, moved = at, value, below / 2 if moved == "outside" else below, "outside"
    return (inside + outside) / 2
