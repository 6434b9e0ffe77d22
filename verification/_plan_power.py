"""The power of tests at the number of cases a plan names."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtri, stdtrit

from assay.comparison.power import (
    plan_brier_difference,
    plan_paired_difference,
    plan_unpaired_difference,
    score_test_power,
)
from verification._coverage import generator
from verification._label_rows import binomial, plan_row
from verification._row import Row

__all__ = ["power_loss", "power_paired", "power_unpaired"]


def power_paired(first: float, second: float, disagreement: float) -> list[Row]:
    """The score test of a paired difference, summed exactly."""
    plan = plan_paired_difference(first, second, disagreement=disagreement)
    power = score_test_power(plan.cases, disagreement, first - second)
    words = f"{first:g} and {second:g}, {disagreement:g} discordant"
    return [plan_row("plan: paired accuracy", plan.method, words, plan.cases, power)]


def power_unpaired(first: float, second: float) -> list[Row]:
    """The score test of two samples, summed exactly."""
    n = plan_unpaired_difference(first, second).cases
    one, other = binomial(n, first), binomial(n, second)
    x, y = (np.flatnonzero(weight > 1e-9) for weight in (one, other))
    pooled = (x[:, None] + y[None, :]) / (2 * n)
    error = np.sqrt(np.maximum(2 * pooled * (1 - pooled) / n * (2 * n) / (2 * n - 1), 1e-300))
    is_seen = np.abs(x[:, None] - y[None, :]) / n >= float(ndtri(0.975)) * error
    power = float(one[x] @ is_seen @ other[y])
    return [plan_row("plan: unpaired accuracy", "score test", f"{first:g} and {second:g}", n, power)]


def power_loss(difference: float, sd: float, replicates: int) -> list[Row]:
    """Skewed differences of losses, as Brier scores have them: a paired t test at the planned number of cases."""
    n = plan_brier_difference(difference, sd).cases
    draws = difference + sd * (generator("loss", difference, sd).gamma(4, 0.5, (replicates, n)) - 2)
    t = draws.mean(1) / (draws.std(1, ddof=1) / math.sqrt(n))
    return [
        plan_row(
            "plan: mean loss",
            "paired t",
            f"{difference:g}, sd {sd:g}",
            n,
            float((np.abs(t) > stdtrit(n - 1, 0.975)).mean()),
        )
    ]
