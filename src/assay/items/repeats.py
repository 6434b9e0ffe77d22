"""Several answers to one item: pass@k, majority@k, and what more repeats or more items would give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.items.intervals import ItemSpread
from assay.types import Floats

__all__ = ["VarianceSplit", "majority_at", "pass_at", "variance_split"]


def pass_at(right: int, answers: int, k: int) -> float:
    """Return the chance that at least one of k answers drawn without replacement is right (Chen et al. 2021).

    >>> pass_at(1, 4, 2), pass_at(0, 4, 2), pass_at(3, 4, 2)
    (0.5, 0.0, 1.0)
    """
    return 1 - math.comb(answers - right, k) / math.comb(answers, k)


def majority_at(right: int, answers: int, k: int) -> float:
    """Return the chance that most of k answers drawn without replacement are right; an even split counts one half.

    >>> majority_at(3, 4, 3), majority_at(2, 4, 4)
    (1.0, 0.5)
    """
    whole = math.comb(answers, k)
    chance = 0.0
    for drawn in range(max(0, k - (answers - right)), min(k, right) + 1):
        worth = 1.0 if 2 * drawn > k else 0.5 if 2 * drawn == k else 0.0
        chance += worth * math.comb(right, drawn) * math.comb(answers - right, k - drawn) / whole
    return chance


@dataclass(frozen=True)
class VarianceSplit:
    """The variance of a mean split into that between items and that within them, between repeats of one item.

    `se` is the standard error now; `se_endless_repeats` that of repeats without end on these items, and
    `se_twice_items` that of twice the items with these repeats. `undefined` says why there is no split.
    """

    between: float
    within: float
    repeats: float
    n: int
    factor: float = 1.0
    undefined: str | None = None
    is_copied: bool = False

    def se(self, repeats: float | None = None, items: int | None = None) -> float:
        """The standard error with so many repeats of so many items like these."""
        each = self.within / (self.repeats if repeats is None else repeats)
        return math.sqrt(self.factor * (self.between + each) / (self.n if items is None else items))

    def to_dict(self) -> dict[str, Any]:
        """The variances and what more repeats or items would give, as plain values."""
        if self.undefined is not None:
            return {"undefined": self.undefined}
        return {
            "between_items": self.between,
            "within_items": self.within,
            "se": self.se(),
            "se_endless_repeats": self.se(math.inf),
            "se_twice_items": self.se(items=2 * self.n),
            "are_copies": self.is_copied,
            "undefined": None,
        }


def variance_split(scores: Sequence[Floats], spread: ItemSpread) -> VarianceSplit:
    """Return the split of the variance of a mean of item scores; undefined where each item has one answer.

    >>> scores = [np.array([1.0, 0.0]), np.array([1.0, 1.0]), np.array([0.0, 0.0])]
    >>> from assay.items.intervals import spread_of
    >>> split = variance_split(scores, spread_of(np.array([0.5, 1.0, 0.0])))
    >>> round(split.within, 4), round(split.between, 4)
    (0.1667, 0.1667)
    """
    several = [each for each in scores if len(each) > 1]
    if not several or spread.n < 2:
        why = "one answer for each item: the variance within items cannot be estimated"
        return VarianceSplit(math.nan, math.nan, 1.0, spread.n, undefined=why)
    within = float(np.mean([np.var(each, ddof=1) for each in several]))
    each_within = [float(np.var(each, ddof=1)) / len(each) if len(each) > 1 else within for each in scores]
    between = max(0.0, spread.item_variance - float(np.mean(each_within)))
    # The harmonic mean: the variance of an item's mean is an average of one over its repeats.
    repeats = 1 / float(np.mean([1 / len(each) for each in scores]))
    plain = spread.item_variance / spread.n
    factor = spread.variance / plain if spread.clusters is not None and plain > 0 else 1.0
    is_copied = all(float(np.ptp(each)) == 0 for each in several)
    return VarianceSplit(between, within, repeats, spread.n, factor, None, is_copied)
