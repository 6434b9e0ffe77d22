"""Comparing what two classifiers' decisions cost on the same cases, under any loss matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from assay.comparison.adjustment import NOTHING_VARIES, Difference
from assay.comparison.resampling import inverted_p, percentile_p
from assay.errors import OptionError
from assay.evidence.paired import PairedDecisions
from assay.request import checked_between, checked_choice, checked_level, checked_seed, checked_whole
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import percentile_limits

Method = Literal["smoothed", "bdeltacost", "bca", "normal"]
METHODS: tuple[str, ...] = get_args(Method)
Limits = tuple[float, float]

TIMES = 1_000  # as many as in the method's first description
MANY_TIMES = 10_000
# With fewer cases than this no interval of a cost difference was looked at (docs/verification/score_tests.md).
FEWEST_CASES = 30


def cost_matrix(*, fp: float = 1.0, fn: float = 1.0, tp: float = 0.0, tn: float = 0.0) -> Floats:
    """What each decision about each class costs: rows are the truth, columns the decision, negative first.

    >>> cost_matrix(fp=1, fn=10).tolist()
    [[0.0, 1.0], [10.0, 0.0]]
    """
    return np.array([[tn, fp], [fn, tp]], dtype=np.float64)


def cost_difference(
    paired: PairedDecisions,
    losses: ArrayLike,
    *,
    method: Method = "smoothed",
    measure: str = "expected_cost",
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """How much more the first classifier's decisions cost per case than the second's.

    `losses[truth, decision]` is the loss. "smoothed" redraws the cells of (truth, decision, decision) with half a case
    added to each, so that dear errors that have not happened are not taken for impossible; "bdeltacost" redraws them
    as they are (Margineantu & Dietterich 2000), "bca" corrects that for bias and skewness, "normal" is the paired t.

    >>> counts = np.array([[[400.0, 20], [10, 30]], [[30, 10], [20, 80]]])
    >>> cost_difference(PairedDecisions(counts, ("no", "yes"), ("no", "yes")), cost_matrix(fp=1, fn=5))
    first - second: -0.100 [-0.192, -0.010], p = 0.030 (smoothed bootstrap)
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_choice(method, METHODS, "method")
    loss = np.asarray(losses, dtype=np.float64)
    if loss.shape != paired.counts.shape[:2]:
        needed = f"{paired.counts.shape[0]} true classes by {paired.counts.shape[1]} decisions"
        raise OptionError(f"the losses have shape {loss.shape}", needed)
    if paired.squares is not None or paired.clusters is not None:
        they = "these cases have weights" if paired.squares is not None else "these cases come in clusters"
        raise OptionError(f"{they}, so their cells cannot be redrawn", "the losses of each row, to be compared")
    change = loss[:, :, None] - loss[:, None, :]
    found = _of_cells(change.ravel(), paired.counts.ravel(), method, level, seed)
    return replace(found, measure=measure, first=names[0], second=names[1])


def net_benefit_difference(
    paired: PairedDecisions, threshold: float, *, method: Method = "smoothed", level: float = 0.95, seed: int = 0
) -> Difference:
    """How much higher the first classifier's net benefit is at a threshold probability (Vickers & Elkin 2006).

    >>> counts = np.array([[[400.0, 20], [10, 30]], [[30, 10], [20, 80]]])
    >>> net_benefit_difference(PairedDecisions(counts, ("no", "yes"), ("no", "yes")), 0.2).value.__round__(4)
    0.0208
    """
    checked_between(threshold, "threshold")
    gains = cost_matrix(tp=1.0, fp=-threshold / (1 - threshold), fn=0.0)
    return cost_difference(paired, gains, method=method, measure="net_benefit", level=level, seed=seed)


def bdeltacost(
    first: ArrayLike,
    second: ArrayLike,
    *,
    times: int = TIMES,
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """BDeltaCost: the mean difference of the costs of each case, between two of 1000 bootstrap means.

    The 26th and the 975th of them in order bound 95 %, so that 950 lie between. It is about classifiers, not about the
    algorithms that made them, and blind to dear errors that have not happened yet: see `cost_difference`.

    >>> rng = np.random.default_rng(1)
    >>> bdeltacost(rng.exponential(1.0, 200), rng.exponential(1.3, 200), names=("a", "b"))
    a - b: -0.125 [-0.353, 0.079], p = 0.276 (BDeltaCost, 1,000 means)
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(times, "times")
    change = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    rng = np.random.default_rng(seed)
    means = np.array([change[rng.integers(0, len(change), len(change))].mean() for _ in range(times)])
    found = _found(float(change.mean()), means, lambda one: order_limits(means, one), level, len(change))
    return replace(found, method=f"BDeltaCost, {times:,} means", first=names[0], second=names[1])


def order_limits(means: Floats, level: float) -> Limits:
    """The two bootstrap means between which `level` of them lie: the 26th and 975th of 1000 at 95 %.

    >>> order_limits(np.arange(1.0, 1001.0), 0.95)
    (26.0, 975.0)
    """
    count = len(means)
    outside = min(math.floor(count * (1 - level) / 2 + 1e-9), (count - 1) // 2)
    places = ((outside + 0.5) / count, (count - outside - 0.5) / count)
    low, high = np.quantile(means, places, method="inverted_cdf")
    return float(low), float(high)


def _of_cells(change: Floats, counts: Floats, method: Method, level: float, seed: int) -> Difference:
    n, value = float(counts.sum()), float(counts @ change) / float(counts.sum())
    spread = float(counts @ (change - value) ** 2) / (n - 1) if n > 1 else 0.0
    if method == "normal":
        return _student(value, math.sqrt(spread / n), n, level)
    added = 0.5 if method == "smoothed" else 0.0
    share = (counts + added) / (n + added * len(counts))
    times = TIMES if method == "bdeltacost" else MANY_TIMES
    means = np.random.default_rng(seed).multinomial(round(n), share, times) @ change / n
    skewness = float(counts @ (change - value) ** 3) / (6 * ((n - 1) * spread) ** 1.5) if spread else 0.0
    limits_at: dict[str, Callable[[float], Limits]] = {
        "smoothed": lambda one: percentile_limits(means, value, one),
        "bdeltacost": lambda one: order_limits(means, one),
        "bca": lambda one: percentile_limits(means, value, one, "bca", skewness),
    }
    titles = {"smoothed": "smoothed bootstrap", "bdeltacost": f"BDeltaCost, {times:,} means", "bca": "BCa bootstrap"}
    if method == "smoothed":
        found = _found(value, means, limits_at[method], level, n, percentile_p(means, value))
        return replace(found, method=titles[method])
    if not spread > 0:
        return replace(_empty(value, n, level), method=titles[method], undefined=NOTHING_VARIES)
    return replace(_found(value, means, limits_at[method], level, n), method=titles[method])


def _empty(value: float, n: float, level: float) -> Difference:
    return Difference("expected_cost", "first", "second", value, math.nan, math.nan, level, math.nan, "", n)


def _found(
    value: float,
    means: Floats,
    limits_at: Callable[[float], Limits],
    level: float,
    n: float,
    p_value: float | None = None,
) -> Difference:
    """Limits that hold the estimate, and the p-value that belongs to them."""

    def around(one: float) -> Limits:
        low, high = limits_at(one)
        return min(low, value), max(high, value)

    if n < FEWEST_CASES:
        why = f"{counted(n, 'case')}: below {FEWEST_CASES} no interval of a cost difference was shown to hold"
        return replace(_empty(value, n, level), undefined=why)
    low, high = around(level)
    p_value = inverted_p(around, len(means)) if p_value is None else p_value
    return replace(_empty(value, n, level), low=low, high=high, p_value=p_value)


def _student(value: float, error: float, n: float, level: float) -> Difference:
    found = replace(_empty(value, n, level), method="paired t")
    if not error > 0:
        return replace(found, undefined=NOTHING_VARIES)
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    p_value = 2 * float(stdtr(n - 1, -abs(value) / error))
    return replace(found, low=value - half, high=value + half, p_value=p_value)
