"""Limits of many rates at once: at points of a curve whose threshold is itself estimated, and at given thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, ndtr, ndtri

from assay.types import Floats

__all__ = [
    "POSITION_WEIGHTS",
    "Side",
    "contrast_limits",
    "mixture_limits",
    "positions",
    "share_limits",
    "wilson_limits",
]

# Where the threshold may truly stand: so many positions, evenly spaced in standard errors up to four on either side.
_STEPS = np.linspace(-4.0, 4.0, 65)
POSITION_WEIGHTS = np.exp(-(_STEPS**2) / 2) / np.exp(-(_STEPS**2) / 2).sum()
# Halvings of a bracket some ten standard deviations wide.
HALVINGS = 16


@dataclass(frozen=True)
class Side:
    """One class along a curve: its weight and squared weight at each score, in the order the curve meets them.

    >>> side = Side(np.array([1.0, 0.0, 3.0]), np.array([1.0, 0.0, 3.0]))
    >>> side.shares
    array([0.  , 0.25, 0.25, 1.  ])
    >>> side.effective(np.array([0.25])), side.beyond(np.array([0.25, 0.5]))
    (array([4.]), array([1., 2.]))
    """

    weight: Floats
    squares: Floats

    @cached_property
    def size(self) -> float:
        """The weight of the class."""
        return float(self.weight.sum())

    @property
    def kish(self) -> float:
        """Kish's effective number of cases."""
        return self.size**2 / float(self.squares.sum())

    @cached_property
    def shares(self) -> Floats:
        """The share of the class before, between and after the scores; none of an empty class."""
        return self._weight_sums / (self.size or 1.0)

    def __add__(self, other: Side) -> Side:
        """All cases of either class."""
        weight = self.weight + other.weight
        is_counted = self.squares is self.weight and other.squares is other.weight
        return Side(weight, weight if is_counted else self.squares + other.squares)

    def parted(self, cut: NDArray[np.intp]) -> tuple[Floats, Floats]:
        """Weight and squared weight of what stands before each cut."""
        return self._weight_sums[cut], self._square_sums[cut]

    @cached_property
    def _weight_sums(self) -> Floats:
        return _vertices(self.weight)

    @cached_property
    def _square_sums(self) -> Floats:
        return self._weight_sums if self.squares is self.weight else _vertices(self.squares)

    @cached_property
    def is_weighted(self) -> bool:
        """Whether some cases count more than others."""
        if self.squares is self.weight:
            return False
        return not np.allclose(self.weight * self.squares.sum(), self.squares * self.size)

    def beyond(self, share: Floats) -> Floats:
        """The effective number of cases on the thinner side when this share of the class is parted off."""
        part, squares = share * self.size, np.interp(share, self.shares, self._square_sums)
        sides = ((part, squares), (self.size - part, self.squares.sum() - squares))
        below, above = (np.divide(w**2, s, out=np.zeros(np.shape(w)), where=s > 0) for w, s in sides)
        return np.minimum(below, above)

    def effective(self, share: Floats) -> Floats:
        """How many equally weighted cases tell as much about a share of the class."""
        part = np.interp(share, self.shares, self._square_sums)
        spread = part * (1 - share) ** 2 + (self.squares.sum() - part) * share**2
        inside = (share > 0) & (share < 1)
        out = np.full(np.shape(share), self.kish)
        effective: Floats = np.divide(share * (1 - share) * self.size**2, spread, out=out, where=inside & (spread > 0))
        return effective


def positions(side: Side, share: Floats) -> Floats:
    """Where, among the observed cases of a class, the score that truly parts off this share of it may stand.

    The number of observed cases beyond that score is binomial, so its share has about this Beta distribution; the
    answer holds such places along a last axis, to be counted with POSITION_WEIGHTS.

    >>> places = positions(Side(np.ones(50), np.ones(50)), np.array([0.1]))
    >>> (places @ POSITION_WEIGHTS).round(3)
    array([0.108])
    """
    n = side.effective(share)[..., None]
    at = share[..., None]
    found: Floats = np.asarray(betaincinv(n * at + 0.5, n * (1 - at) + 0.5, ndtr(_STEPS)), dtype=np.float64)
    return found


def mixture_limits(successes: Floats, failures: Floats, level: float) -> tuple[Floats, Floats]:
    """The middle of a mixture of Beta distributions, one for each position of the threshold along the last axis.

    Given where the threshold stands, a rate has the Jeffreys posterior of the cases found there.

    >>> low, high = mixture_limits(np.full((1, 65), 8.0), np.full((1, 65), 2.0), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.497]), array([0.956]))
    """
    a, b = successes + 0.5, failures + 0.5
    centre = a / (a + b)
    mean = centre @ POSITION_WEIGHTS
    spread = (centre * (1 - centre) / (a + b + 1) + centre**2) @ POSITION_WEIGHTS - mean**2
    tail = (1 - level) / 2
    # No more than a tail lies beyond this distance, whatever the distribution (Chebyshev).
    reach = np.sqrt(np.maximum(spread, 0.0) / tail)
    start = np.maximum(mean - reach, 0.0)
    step = np.minimum(mean + reach, 1.0) - start
    tails = np.array([tail, 1 - tail]).reshape(2, *[1] * mean.ndim)
    below = np.broadcast_to(start, (2, *start.shape)).copy()
    for _ in range(HALVINGS):
        step = step / 2
        reached = betainc(a, b, (below + step)[..., None]) @ POSITION_WEIGHTS
        below += step * (reached < tails)
    middle = below + step / 2
    return middle[0], middle[1]


def share_limits(part: Any, whole: Any, level: float) -> tuple[Floats, Floats]:
    """Clopper and Pearson's limits of many shares: each covers at least `level`, always.

    >>> low, high = share_limits(np.array([0.0, 8.0]), 10.0, 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.4439]), array([0.3085, 0.9748]))
    """
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    tail = (1 - level) / 2
    # One in place of zero only keeps the function defined; those limits are replaced.
    low = np.where(part > 0, betaincinv(np.maximum(part, 1), whole - part + 1, tail), 0.0)
    high = np.where(part < whole, betaincinv(part + 1, np.maximum(whole - part, 1), 1 - tail), 1.0)
    return low, high


def wilson_limits(share: Any, n: Any, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits of many shares of n cases, which need not be whole numbers.

    >>> low, high = wilson_limits(np.array([0.0, 0.8]), 10.0, 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.4902]), array([0.2775, 0.9433]))
    """
    z2 = float(ndtri(0.5 + level / 2)) ** 2
    centre = (share * n + z2 / 2) / (n + z2)
    half = np.sqrt(z2) / (n + z2) * np.sqrt(n * share * (1 - share) + z2 / 4)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def contrast_limits(
    first: tuple[Floats, Floats, Floats], second: tuple[Floats, Floats, Floats], weight: Floats, correlation: Any
) -> tuple[Floats, Floats]:
    """Limits of first - weight * second recovered from those of either (Zou & Donner 2008).

    Each is given as (value, low, high); `correlation` is that of the two estimates.

    >>> limits = contrast_limits((np.array([0.3]), np.array([0.2]), np.array([0.4])),
    ...                          (np.array([0.1]), np.array([0.05]), np.array([0.2])), np.array([1.0]), 0.0)
    >>> [limit.round(4).item() for limit in limits]
    [0.0586, 0.3118]
    """
    value = first[0] - weight * second[0]
    down, up = first[0] - first[1], first[2] - first[0]
    of_down, of_up = weight * (second[2] - second[0]), weight * (second[0] - second[1])
    low = value - np.sqrt(np.maximum(down**2 + of_down**2 - 2 * correlation * down * of_down, 0.0))
    high = value + np.sqrt(np.maximum(up**2 + of_up**2 - 2 * correlation * up * of_up, 0.0))
    return low, high


def _vertices(weights: Floats) -> Floats:
    """Running totals, starting at none."""
    return np.concatenate(([0.0], np.cumsum(weights)))
