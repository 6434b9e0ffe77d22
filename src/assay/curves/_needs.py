"""What curves need of scores beside an order, and of the numbers they are asked about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_between


def need_probabilities(table: ScoreTable, otherwise: str = "") -> None:
    """Refuse scores that are no probabilities, and say what else would do.

    >>> need_probabilities(ScoreTable.of([-1.0, 0.5], [False, True]))
    Traceback (most recent call last):
    assay.errors.OptionError: the scores run from -1 to 0.5; needed: probabilities, from 0 to 1: ...
    """
    low, high = (table.score[0], table.score[-1]) if len(table) else (0.0, 1.0)
    if not (low >= 0 and high <= 1):
        found = f"the scores run from {low:g} to {high:g}"
        raise OptionError(found, f"probabilities, from 0 to 1: calibrate them first{otherwise}")


def need_between(values: NDArray[np.float64], name: str, high: float = 1.0) -> None:
    """Refuse numbers below 0 or above `high`, one or many of them.

    >>> need_between(np.array([0.2, 1.5]), "recall")
    Traceback (most recent call last):
    assay.errors.OptionError: recall is 1.5; needed: a number from 0 to 1
    """
    outside = values[~((values >= 0) & (values <= high))]
    if outside.size:
        checked_between(float(outside[0]), name, 0.0, high, closed=True)
