"""Dominance: does one ROC curve lie above another everywhere, or do they cross?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.curves.hull import ROUNDING
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.types import Floats


@dataclass(frozen=True)
class Dominance:
    """How two ROC curves lie to one another, as drawn: `verdict` is "first", "second", "equal" or "cross".

    A curve that dominates is nowhere below the other, and above it somewhere. `fpr` and `recall` are the points where
    the curves cross. Sampling noise makes curves cross: a band of their difference says whether it means anything.
    """

    verdict: str
    fpr: tuple[float, ...]
    recall: tuple[float, ...]

    _repr_html_ = in_notebook


def dominance(first: ScoreTable, second: ScoreTable) -> Dominance:
    """Whether one ROC curve lies above another everywhere, and where they cross if not.

    >>> good = ScoreTable.of([0.9, 0.8, 0.3, 0.2], [1, 1, 0, 0])
    >>> dominance(good, ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])).verdict
    'first'
    >>> dominance(ScoreTable.of([4, 3, 2, 1], [1, 0, 0, 1]), ScoreTable.of([4, 3, 2, 1], [0, 1, 1, 0]))
    Dominance(verdict='cross', fpr=(0.5,), recall=(0.5,))
    """
    (along_a, above_a), (along_b, above_b) = _turned(first), _turned(second)
    along = _merged(along_a, along_b)
    gap = np.interp(along, along_a, above_a) - np.interp(along, along_b, above_b)
    gap[np.abs(gap) < ROUNDING] = 0.0
    sign = np.sign(gap)
    if not (sign > 0).any() or not (sign < 0).any():
        verdict = "first" if (sign > 0).any() else "second" if (sign < 0).any() else "equal"
        return Dominance(verdict, (), ())
    at = np.flatnonzero(sign)
    turn = np.flatnonzero(sign[at[1:]] != sign[at[:-1]])
    left, right = at[turn], at[turn + 1]
    # Between the last point on one side and the first on the other: in the middle of where they run together, if so.
    share = np.where(right - left > 1, 0.5, gap[left] / (gap[left] - gap[right]))
    start, end = np.where(right - left > 1, left + 1, left), np.where(right - left > 1, right - 1, right)
    where = along[start] + share * (along[end] - along[start])
    height = np.interp(where, along_a, above_a)
    fpr, recall = (where - height) / 2, (where + height) / 2
    return Dominance("cross", tuple(fpr.tolist()), tuple(recall.tolist()))


def _turned(table: ScoreTable) -> tuple[Floats, Floats]:
    """The curve turned by 45 degrees, where even its vertical pieces are a function: recall + fpr, recall - fpr."""
    swept = table.swept()
    x, y = swept.fp / table.negatives, swept.tp / table.positives
    return x + y, y - x


def _merged(a: Floats, b: Floats) -> Floats:
    """Two rising arrays as one."""
    both = np.empty(len(a) + len(b))
    both[np.arange(len(a)) + np.searchsorted(b, a, side="left")] = a
    both[np.arange(len(b)) + np.searchsorted(a, b, side="right")] = b
    return both
