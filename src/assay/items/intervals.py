"""Intervals of a mean of item scores and of the difference of two, with and without clusters of items.

The spread of the items' means holds both kinds of chance, between items and within them, so that nothing is added for
repeats. Clusters are handled by the delete-one-cluster jackknife (CR3) with effective degrees of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from assay.types import Floats
from assay.uncertainty import between_rows, design_freedom

__all__ = ["ItemSpread", "difference_limits", "difference_p_value", "half_items", "mean_limits", "spread_of"]

MEAN_METHOD = "wider of logit t and pseudo-items"
DIFFERENCE_METHOD = "wider of t and half-items"
FEW_CLUSTERS, FEWEST_WORTH = 3, 2.0


@dataclass(frozen=True)
class ItemSpread:
    """How the mean of item values varies: their number, the variance of the mean, its degrees of freedom.

    `worth` is the effective number of clusters, or of items without clusters; `design_df` are the degrees of freedom
    by the sizes of clusters alone. `item_variance` is the variance of the values between items.
    """

    n: int
    mean: float
    variance: float
    df: float
    design_df: float
    worth: float
    item_variance: float
    clusters: int | None = None
    undefined: str | None = None

    @property
    def se(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(self.variance)


def spread_of(values: Floats, clusters: Sequence[str] | None = None) -> ItemSpread:
    """Return how the mean of these item values varies.

    >>> spread_of(np.array([0.0, 1.0, 1.0, 1.0])).se
    0.25
    >>> found = spread_of(np.array([0.0, 1.0, 1.0, 1.0, 0.5, 1.0]), ["a", "a", "b", "b", "c", "c"])
    >>> found.clusters, round(found.se, 4)
    (3, 0.1443)
    """
    n = len(values)
    mean = float(np.mean(values)) if n else math.nan
    between = float(np.var(values, ddof=1)) if n > 1 else math.nan
    if clusters is None:
        why = None if n > 1 else "one item tells nothing of how items vary" if n else "no item has a score"
        return ItemSpread(n, mean, between / n if n > 1 else math.nan, n - 1, max(2, n - 1), n, between, None, why)
    codes: dict[str, int] = {}
    places = [codes.setdefault(name, len(codes)) for name in clusters]
    sums, sizes = np.zeros(len(codes)), np.zeros((len(codes), 2))
    np.add.at(sums, places, values - mean)
    np.add.at(sizes[:, 0], places, 1.0)
    found = between_rows(sums, sizes)
    worth = found.worth[0]
    why = None
    if len(codes) < FEW_CLUSTERS:
        why = f"{len(codes)} clusters: at least {FEW_CLUSTERS} needed"
    elif worth < FEWEST_WORTH:
        why = f"items in effectively {worth:.1f} clusters: at least {FEWEST_WORTH:g} needed"
    design = max(2.0, design_freedom(sizes)[0])
    return ItemSpread(n, mean, found.error**2, found.freedom, design, worth, between, len(codes), why)


def mean_limits(spread: ItemSpread, level: float) -> tuple[float, float]:
    """Return the limits of a mean of scores in [0, 1]: the wider of t on the logit scale and two pseudo-items.

    >>> [round(limit, 3) for limit in mean_limits(spread_of(np.repeat([0.0, 1.0], [11, 13])), 0.95)]
    [0.332, 0.745]
    >>> [round(limit, 3) for limit in mean_limits(spread_of(np.ones(20)), 0.95)]
    [0.82, 1.0]
    """
    theta, n = spread.mean, spread.n
    by_logit = _logit_limits(spread, level)
    weight = 1.0
    if spread.clusters is not None:
        most = n / spread.worth
        inner = theta * (1 - theta)
        weight = most if spread.variance == 0 or inner == 0 else min(max(n * spread.variance / inner, 1.0), most)
    total = n + 2 * weight
    centre = (n * theta + weight) / total
    variance = spread.variance * (n / total) ** 2 + weight**2 * ((1 - centre) ** 2 + centre**2) / total**2
    reach = _t_quantile(spread.design_df, level) * math.sqrt(variance)
    low, high = min(centre - reach, theta, by_logit[0]), max(centre + reach, theta, by_logit[1])
    return max(low, 0.0), min(high, 1.0)


def _logit_limits(spread: ItemSpread, level: float) -> tuple[float, float]:
    theta = spread.mean
    if not 0 < theta < 1:
        # Wilson's limits with effective clusters for cases and t for z.
        t, n = _t_quantile(spread.design_df, level), spread.worth
        end = t * t / (n + t * t)
        return (0.0, end) if theta <= 0 else (1 - end, 1.0)
    reach = _t_quantile(spread.df, level) * spread.se / (theta * (1 - theta))
    middle = math.log(theta / (1 - theta))
    return _expit(middle - reach), _expit(middle + reach)


def difference_limits(spread: ItemSpread, level: float) -> tuple[float, float]:
    """Return the limits of a mean difference in [-1, 1]: the wider of t and two half-items that differ fully.

    >>> [round(limit, 3) for limit in difference_limits(spread_of(np.zeros(50)), 0.95)]
    [-0.028, 0.028]
    """
    low, high = (spread.mean + sign * _t_quantile(spread.df, level) * spread.se for sign in (-1, 1))
    centre, variance = half_items(spread)
    reach = _t_quantile(spread.design_df, level) * math.sqrt(variance)
    low, high = min(low, centre - reach, spread.mean), max(high, centre + reach, spread.mean)
    return max(low, -1.0), min(high, 1.0)


def half_items(spread: ItemSpread) -> tuple[float, float]:
    """Return a mean difference and its variance with one half-item at +1 and one at -1."""
    n, weight = spread.n, 1.0
    if spread.clusters is not None:
        most = n / spread.worth
        between = spread.item_variance
        weight = most if between == 0 else min(max(n * spread.variance / between, 1.0), most)
    half = weight / 2
    total = n + 2 * half
    centre = n * spread.mean / total
    added = half**2 * ((1 - centre) ** 2 + (1 + centre) ** 2) / total**2
    return centre, spread.variance * (n / total) ** 2 + added


def difference_p_value(spread: ItemSpread) -> float:
    """Return the p-value of no difference: below 1 - level where the limits of that level exclude 0.

    >>> difference_p_value(spread_of(np.zeros(50)))
    1.0
    >>> values = np.repeat([0.0, 1.0], [20, 10])
    >>> found = difference_p_value(spread_of(values))
    >>> difference_limits(spread_of(values), 1 - found)[0].__round__(9)
    0.0
    """
    centre, variance = half_items(spread)
    by_half_items = _two_sided_p_value(centre, variance, spread.design_df)
    return max(by_half_items, _two_sided_p_value(spread.mean, spread.variance, spread.df))


def _two_sided_p_value(value: float, variance: float, df: float) -> float:
    if variance == 0:
        return 0.0 if value else 1.0
    return float(2 * stdtr(df, -abs(value) / math.sqrt(variance)))


def _t_quantile(df: float, level: float) -> float:
    return float(stdtrit(df, 0.5 + level / 2))


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
