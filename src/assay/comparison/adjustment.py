"""Differences of two classifiers, and what makes several of them hold at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.notebook import in_notebook
from assay.request import checked_level
from assay.words import bracketed, signed

NOTHING_VARIES = "it does not vary between these cases, so they cannot tell how uncertain it is"


@dataclass(frozen=True, slots=True)
class Difference:
    """How much higher the first classifier's value is than the second's, with its interval and the p-value beside it.

    Interval and p-value come from one test: 0 lies outside the interval exactly where p is below 1 - level. `adjusted`
    says for how many comparisons at once they hold, where there were several.

    >>> Difference("roc_auc", "bayes", "svm", 0.021, 0.008, 0.034, 0.95, 0.002, "paired DeLong", 2500)
    bayes - svm: +0.021 [0.008, 0.034], p = 0.002 (paired DeLong)
    """

    measure: str
    first: str
    second: str
    value: float
    low: float
    high: float
    level: float
    p_value: float
    method: str
    n: float
    undefined: str | None = None
    adjusted: str | None = None
    target: str = "these classifiers"

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        what = f"{self.first} - {self.second}: "
        if math.isnan(self.value):
            return f"{what}undefined: {self.undefined}"
        if math.isnan(self.low):
            return f"{what}{signed(self)} [no interval: {self.undefined}]"
        shown = f"{what}{signed(self)} {bracketed(self)}, {p_text(self.p_value)}"
        return f"{shown} ({self.method}{f', {self.adjusted}' if self.adjusted else ''})"

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return (self.high - self.low) / 2

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None."""
        plain = {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in asdict(self).items()}
        return plain | {"n": int(self.n) if self.n == int(self.n) else self.n}


def p_text(p_value: float) -> str:
    """A p-value in as many digits as it deserves.

    >>> p_text(0.0234), p_text(0.00001), p_text(1.0)
    ('p = 0.023', 'p < 0.001', 'p = 1.000')
    """
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def bonferroni(p_value: float, count: int) -> float:
    """A p-value that keeps its level among `count` of them."""
    return min(1.0, count * p_value)


def bonferroni_level(level: float, count: int) -> float:
    """The level of each of `count` intervals for all to hold at `level`.

    >>> round(bonferroni_level(0.95, 5), 6)
    0.99
    """
    return 1 - (1 - checked_level(level)) / count


def holm(p_values: Sequence[float], level: float = 0.95) -> list[bool]:
    """Which of several unadjusted p-values Holm's step-down procedure rejects: decisions, without intervals.

    >>> holm([0.04, 0.01, 0.02])
    [True, True, True]
    >>> holm([0.04, 0.03, 0.02])
    [False, False, False]
    """
    level = checked_level(level)
    left = {place: p for place, p in enumerate(p_values) if not math.isnan(p)}
    rejected: set[int] = set()
    while left:
        place = min(left, key=lambda k: left[k])
        if left.pop(place) * (len(left) + 1) > 1 - level:
            break
        rejected.add(place)
    return [place in rejected for place in range(len(p_values))]
