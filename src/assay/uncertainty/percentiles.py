"""Limits from replicates of an estimate, however they were drawn."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from assay.types import Floats

__all__ = ["percentile_limits"]

Kind = Literal["percentile", "basic", "normal", "bca"]


def percentile_limits(
    replicates: Floats, value: float, level: float, kind: Kind = "percentile", acceleration: float = 0.0
) -> tuple[float, float]:
    """Limits from replicates of an estimate: percentile, basic, normal (bias-corrected) or BCa.

    Quantiles between two replicates are interpolated on the normal scale (Davison & Hinkley 1997). `acceleration` is
    BCa's: a sixth of the skewness of how much each case moves the estimate, over their number's root (Efron 1987).

    >>> values = np.arange(1.0, 1000.0)
    >>> percentile_limits(values, 500.0, 0.95), percentile_limits(values, 500.0, 0.95, "basic")
    ((25.0, 975.0), (25.0, 975.0))
    """
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if kind == "normal":
        centre, half = 2 * value - replicates.mean(), float(ndtri(tails[1])) * replicates.std(ddof=1)
        return float(centre - half), float(centre + half)
    if kind == "bca":
        bias = float(ndtri(np.count_nonzero(replicates < value) / len(replicates)))
        shifted = bias + ndtri(tails)
        tails = ndtr(bias + shifted / (1 - acceleration * shifted))
    low, high = _quantiles(replicates, tails)
    return (2 * value - high, 2 * value - low) if kind == "basic" else (low, high)


def _quantiles(replicates: Floats, tails: Floats) -> tuple[float, float]:
    count = len(replicates)
    place = np.clip(tails * (count + 1), 1.0, count)
    # Against rounding: 0.025 * 1000 must be the 25th.
    below = np.floor(place + 1e-9)
    above = np.minimum(below + 1, count)
    place = np.where(place - below < 1e-9, below, place)
    ranks = (np.concatenate((below, above)) - 0.5) / count
    first, second = np.split(np.quantile(replicates, ranks, method="inverted_cdf"), 2)
    at, after, here = (ndtri(rank / (count + 1)) for rank in (below, above, place))
    part = np.divide(here - at, after - at, out=np.zeros(2), where=after > at)
    low, high = first + part * (second - first)
    return float(low), float(high)
