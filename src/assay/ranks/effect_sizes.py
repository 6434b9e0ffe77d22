"""How far apart two algorithms lie, beside whether they differ: Cliff's delta and Akinshin's gamma."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc, stdtrit

from assay.ranks.input import settled
from assay.results import NAN, Estimate, Table, counted
from assay.types import Floats
from assay.uncertainty.proportions import wilson

# Fewer data sets than this were not simulated (verification/effect_sizes.py).
FEWEST = 5
# The median absolute deviation of normal values, times this, is their standard deviation.
NORMAL = 1.4826
METHOD = "Wilson on data sets, or influence where wider"
TARGET = "data sets like these"
NO_INTERVAL = "no interval with verified coverage for results on the same data sets"
ALIKE = "no spread: at least half of the values of each algorithm are equal"


@dataclass(frozen=True)
class EffectSize:
    """Two algorithms over data sets: how often a value of the first is better, and how many spreads the medians differ.

    `delta` is the share of all pairs of data sets in which the first is better on its one than the second on its
    other, less the share in which it is worse: from -1 to 1, 0 for no difference. It sets data sets against one
    another, so that hard and easy ones bring it towards 0. `gamma` is the difference of medians over the pooled median
    absolute deviation, on the scale of Cohen's d. Both are positive where the first is better.
    """

    first: str
    second: str
    delta: Estimate
    gamma: Estimate

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        found = {name: getattr(self, name).to_dict() for name in ("delta", "gamma")}
        return {"first": self.first, "second": self.second, **found}


def effect_size(first: Floats, second: Floats, names: tuple[str, str], level: float) -> EffectSize:
    """The effect sizes of two algorithms, of which larger values are better."""
    return EffectSize(*names, cliff_delta(first, second, level), akinshin_gamma(first, second, level))


def cliff_delta(first: Floats, second: Floats, level: float = 0.95) -> Estimate:
    """How much more often a value of the first is the larger one, over all pairs of data sets.

    The limits are those of a share that every data set has one vote in (Wilson), or of the spread between data sets
    where that is wider; results on the same data set may depend on one another.

    >>> cliff_delta(np.array([0.9, 0.8, 0.7, 0.9, 0.8]), np.array([0.8, 0.7, 0.6, 0.7, 0.7]))
    0.720 [-0.147, 0.961]

    References: Cliff (1993); Wilson (1927).
    """
    n = len(first)
    signs = np.sign(settled(first[:, None] - second[None, :]))
    value = float(signs.mean())
    if n < FEWEST:
        why = f"too few data sets ({n}); intervals need at least {FEWEST}"
        return Estimate("cliff_delta", value, NAN, NAN, level, "none", n, TARGET, why)
    low, high = (2 * limit - 1 for limit in wilson(n * (value + 1) / 2, n, level))
    moved = signs.mean(1) + signs.mean(0) - 2 * value
    error = math.sqrt(float((moved**2).sum()) / (n * (n - 1)))
    if error > 0 and abs(value) < 1:
        # On the scale on which limits cannot pass -1 and 1.
        reach = float(stdtrit(n - 1, (1 + level) / 2)) * error / (1 - value**2)
        low = min(low, math.tanh(math.atanh(value) - reach))
        high = max(high, math.tanh(math.atanh(value) + reach))
    return Estimate("cliff_delta", value, max(low, -1.0), min(high, 1.0), level, METHOD, n, TARGET)


def akinshin_gamma(first: Floats, second: Floats, level: float = 0.95) -> Estimate:
    """The difference of the medians in pooled median absolute deviations; medians by Harrell and Davis.

    >>> round(akinshin_gamma(np.array([3.0, 4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0, 4.0])).value, 4)
    1.349

    References: Akinshin (2020); Harrell & Davis (1982).
    """
    n = len(first)
    spread = math.sqrt((_standard_deviation(first) ** 2 + _standard_deviation(second) ** 2) / 2)
    apart = smooth_median(first) - smooth_median(second)
    if spread <= 1e-12 * max(1.0, abs(apart)):
        return Estimate("akinshin_gamma", NAN, NAN, NAN, level, "none", n, TARGET, ALIKE)
    return Estimate("akinshin_gamma", apart / spread, NAN, NAN, level, "none", n, TARGET, NO_INTERVAL)


def smooth_median(values: Floats) -> float:
    """Harrell and Davis's median: all values, weighed by how likely each is the middle one of a new sample.

    >>> smooth_median(np.array([1.0, 2.0, 3.0]))
    2.0
    """
    n = len(values)
    below = (values[:, None] > values).sum(1)
    equal = (values[:, None] == values).sum(1)
    shape = (n + 1) / 2
    weight = (betainc(shape, shape, (below + equal) / n) - betainc(shape, shape, below / n)) / equal
    return float(weight @ values)


def _standard_deviation(values: Floats) -> float:
    return NORMAL * smooth_median(np.abs(values - smooth_median(values)))


def effects_table(found: tuple[EffectSize, ...]) -> Table:
    """A row for each pair."""
    columns: dict[str, list[Any]] = {name: [getattr(one, name) for one in found] for name in ("first", "second")}
    columns |= {
        "cliff_delta": [one.delta.value for one in found],
        "low": [one.delta.low for one in found],
        "high": [one.delta.high for one in found],
        "akinshin_gamma": [one.gamma.value for one in found],
        "note": [_effect_note(one) for one in found],
    }
    return Table(columns, title="Effect sizes")


def _effect_note(one: EffectSize) -> str:
    why = (("delta", one.delta.undefined), ("gamma", one.gamma.undefined if math.isnan(one.gamma.value) else None))
    return "; ".join(f"{name}: {reason}" for name, reason in why if reason)


def effects_words(found: tuple[EffectSize, ...], n: int) -> str:
    """What the columns mean, in sentences."""
    limits = (
        ""
        if any(math.isnan(one.delta.low) for one in found)
        else (f" Limits at level {100 * found[0].delta.level:g} % ({METHOD}), separately for each pair.")
    )
    return (
        f"Effect sizes over {counted(n, 'data set')}, positive if the first algorithm is better. Cliff's "
        f"delta: share of pairs of data sets with a higher minus share with a lower value.{limits} Akinshin's gamma: "
        f"difference of medians in pooled median absolute deviations; {NO_INTERVAL}."
    )
