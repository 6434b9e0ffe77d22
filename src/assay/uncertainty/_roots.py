"""Where a function crosses zero: plain bisection, which cannot fail on a bracket."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["crossing"]


def crossing(function: Callable[[float], float], inside: float, outside: float) -> float:
    """The point between `inside` (function below zero) and `outside` (at or above zero) where the sign changes.

    >>> round(crossing(lambda x: x * x - 2, 0.0, 2.0), 9)
    1.414213562
    """
    # Sixty halvings leave less than one unit in the last place of a bracket inside [0, 1].
    for _ in range(60):
        middle = (inside + outside) / 2
        if function(middle) < 0:
            inside = middle
        else:
            outside = middle
    return (inside + outside) / 2
