"""From p-values and intervals of comparisons to rows, and the distributions their samples come from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from assay.results import Interval
from verification._row import Row, lowest_allowed

__all__ = [
    "DRAWS",
    "NO_FLOOR",
    "binomial",
    "interval_row",
    "joint_events",
    "multinomial",
    "one_row",
    "plan_row",
    "size_row",
    "summed_row",
]

Floats = NDArray[np.float64]

NO_FLOOR = 0.0
DRAWS = 2000


def one_row(what: str, method: str, design: str, n: float, coverage: float, **facts: Any) -> Row:
    """A row with the facts most of them share."""
    facts = {
        "positives": math.nan,
        "truth": 0.0,
        "level": 0.95,
        "error": 0.0,
        "width": math.nan,
        "missing": 0.0,
    } | facts
    bar = facts.pop("bar", lowest_allowed(facts["level"]))
    return Row(what, method, design, n, coverage=coverage, bar=bar, **facts)


def size_row(what: str, method: str, design: str, n: float, p_values: Sequence[float], **facts: Any) -> Row:
    """The share of null samples a test says nothing about; one it refuses is said nothing about."""
    p = np.array(p_values)
    quiet = float(np.mean(~(p < 0.05)))
    error = math.sqrt(max(quiet * (1 - quiet), 0.25 / len(p)) / len(p))
    return one_row(what, method, design, n, quiet, error=error, missing=0.0, **facts)


def interval_row(what: str, design: str, n: float, truth: float, found: Sequence[Interval], **facts: Any) -> Row:
    """Coverage, width and refusals of intervals over drawn samples."""
    low, high = (np.array([getattr(one, side) for one in found]) for side in ("low", "high"))
    shown = ~np.isnan(low)
    share = float(shown.mean())
    held = float(((low <= truth) & (truth <= high))[shown].mean()) if shown.any() else math.nan
    missed = share * (1 - held) if shown.any() else 0.0
    error = math.sqrt(max(missed * (1 - missed), 0.25 / len(found)) / len(found))
    width = float((high - low)[shown].mean()) if shown.any() else math.nan
    facts = {"truth": truth, "error": error, "width": width, "missing": 1 - share} | facts
    return one_row(what, found[0].method.split(",")[0], design, n, held, **facts)


def plan_row(what: str, method: str, design: str, n: int, power: float) -> Row:
    """The power of a plan that was asked for 80 %."""
    # Within three standard errors of what 2,000 draws would show.
    slack = 3 * math.sqrt(0.8 * 0.2 / DRAWS)
    return one_row(what, method, design, n, power, truth=math.nan, bar=NO_FLOOR, expected=0.8, slack=slack)


def summed_row(
    what: str,
    method: str,
    design: str,
    n: int,
    truth: float,
    found: Iterable[Interval],
    weight: Floats,
    level: float,
    bar: float,
    wanted: float,
) -> Row:
    """Coverage of intervals over all samples, each with its probability."""
    intervals = list(found)
    low, high = (np.array([getattr(one, side) for one in intervals]) for side in ("low", "high"))
    held = float(weight[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum())
    width = float(weight @ (high - low))
    return one_row(what, method, design, n, held, truth=truth, level=level, width=width, bar=bar, expected=wanted)


def multinomial(n: int, shares: Sequence[float]) -> tuple[NDArray[np.int64], Floats]:
    """All counts of the named cells, with their probabilities; what is left over goes into one more cell."""
    axes = np.indices((n + 1,) * len(shares)).reshape(len(shares), -1).T
    counts = axes[axes.sum(1) <= n]
    rest, left = n - counts.sum(1), 1 - sum(shares)
    logs = gammaln(n + 1) - gammaln(counts + 1).sum(1) - gammaln(rest + 1)
    logs = logs + xlogy(counts, np.array(shares)).sum(1) + xlogy(rest, max(left, 0.0))
    return counts, np.exp(logs)


def binomial(n: int, p: float) -> Floats:
    """The probabilities of all counts of one event."""
    return multinomial(n, (p,))[1]


def joint_events(p: float, q: float, rho: float) -> Floats:
    """Two events with these chances and this correlation, as near as their chances allow."""
    both = min(max(p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q)), p + q - 1, 0.0), p, q)
    return np.array([[1 - p - q + both, q - both], [p - both, both]])
