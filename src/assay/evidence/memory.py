"""What score tables know beside what they are, and how to forget it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.scores import ScoreTable

__all__ = ["forget_long"]


def forget_long(table: ScoreTable) -> None:
    """Forget what was computed of a table that is as long as it is: where it is needed, it is computed again.

    >>> table = ScoreTable.of([0.1, 0.4, 0.8], [False, True, True])
    >>> swept = table.swept()
    >>> forget_long(table)
    >>> table.swept() is swept, table.swept() == swept
    (False, True)
    """
    for key in [key for key, value in table._known.items() if _size(value) >= max(1, len(table))]:
        del table._known[key]


def _size(value: Any) -> int:
    """How many numbers the largest array in a value holds."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, ConfusionMatrix | ScoreTable):
        value = list(vars(value).values())
    return max(map(_size, value), default=0) if isinstance(value, tuple | list) else 0
