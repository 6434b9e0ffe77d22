"""Comparing what two classifiers' decisions cost on the same cases, under any loss matrix.

Which of several classifiers is cheaper, each at its own cheapest threshold, on cases that did not choose it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from assay.comparison.adjustment import NOTHING_VARIES, Difference, bonferroni
from assay.comparison.resampling import inverted_p, percentile_p
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.evidence.paired import PairedDecisions
from assay.request import checked_between, checked_choice, checked_level, checked_seed, checked_whole
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import in_cells, percentile_limits

__all__ = [
    "FEWEST_CASES",
    "FEWEST_IN_CLASS",
    "MANY_TIMES",
    "METHODS",
    "TIMES",
    "Cheapest",
    "Limits",
    "Method",
    "bdeltacost",
    "cheapest_of",
    "cost_difference",
    "cost_matrix",
    "net_benefit_difference",
    "order_limits",
]


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
    found = _difference_from_cells(change.ravel(), paired.counts.ravel(), method, level, seed)
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
    found = _bootstrap_difference(float(change.mean()), means, lambda one: order_limits(means, one), level, len(change))
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


def _difference_from_cells(change: Floats, counts: Floats, method: Method, level: float, seed: int) -> Difference:
    n, value = float(counts.sum()), float(counts @ change) / float(counts.sum())
    spread = float(counts @ (change - value) ** 2) / (n - 1) if n > 1 else 0.0
    if method == "normal":
        return _t_difference(value, math.sqrt(spread / n), n, level)
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
        found = _bootstrap_difference(value, means, limits_at[method], level, n, percentile_p(means, value))
        return replace(found, method=titles[method])
    if not spread > 0:
        return replace(_undefined_difference(value, n, level), method=titles[method], undefined=NOTHING_VARIES)
    return replace(_bootstrap_difference(value, means, limits_at[method], level, n), method=titles[method])


def _undefined_difference(value: float, n: float, level: float) -> Difference:
    return Difference("expected_cost", "first", "second", value, math.nan, math.nan, level, math.nan, "", n)


def _bootstrap_difference(
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
        why = f"{counted(n, 'case')}: at least {FEWEST_CASES} needed"
        return replace(_undefined_difference(value, n, level), undefined=why)
    low, high = around(level)
    p_value = inverted_p(around, len(means)) if p_value is None else p_value
    return replace(_undefined_difference(value, n, level), low=low, high=high, p_value=p_value)


def _t_difference(value: float, error: float, n: float, level: float) -> Difference:
    found = replace(_undefined_difference(value, n, level), method="paired t")
    if not error > 0:
        return replace(found, undefined=NOTHING_VARIES)
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * error
    p_value = 2 * float(stdtr(n - 1, -abs(value) / error))
    return replace(found, low=value - half, high=value + half, p_value=p_value)


METHOD = "cross-fitted, paired"
FOLDS = 10
# One parting of many cases tells as much as the mean over several.
REPEATS, MANY_CASES = 5, 20_000
FEWEST_IN_CLASS = 10
# How errors vary together is told by so many cases of a class.
MOST_OF_CLASS = 20_000
# Cases added to either class on which one classifier alone errs, one each way: none seen is not none.
PSEUDO = 2.0


@dataclass(frozen=True)
class Cheapest:
    """At one weight of the misses: what each classifier costs, the best constant answer being 1, and who is cheapest.

    `differences` are those of the cheapest to each of the others, adjusted for all pairs, as it was found by looking.
    """

    weight: float
    costs: tuple[float, ...]
    best: int
    differences: tuple[Difference, ...]


def cheapest_of(
    truth: ArrayLike,
    scores: dict[str, ArrayLike],
    weights: Sequence[float] | Floats,
    level: float = 0.95,
    seed: int = 0,
) -> list[Cheapest]:
    """For each weight of the misses (the cost ratio times the odds of a positive) who is the cheapest, and by how much.

    Thresholds are chosen on nine tenths of the cases and judged on the tenth, the same for all; what two of them cost
    on the same cases is compared by a paired t interval within the classes, with pseudo-errors. Choosing costs one of
    them more than the other, so the limits also hold those of thresholds judged on the cases that chose them.

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(400) < 0.3
    >>> scores = {"a": truth + rng.normal(size=400), "b": rng.normal(size=400)}
    >>> cheapest_of(truth, scores, [0.5])[0].differences[0]
    a - b: -0.238 [-0.376, -0.115], p < 0.001 (cross-fitted, paired)
    """
    positive = np.asarray(truth, dtype=np.bool_)
    level, seed, smaller = checked_level(level), checked_seed(seed), int(min(positive.sum(), (~positive).sum()))
    if smaller < FEWEST_IN_CLASS:
        raise OptionError(f"{counted(smaller, 'case')} in a class", f"{FEWEST_IN_CLASS} of each to choose and to judge")
    weights = np.asarray(weights, dtype=np.float64)
    folds = _stratified_folds(positive, REPEATS if len(positive) <= MANY_CASES else 1, seed)
    ranked = [_Ranked.of(np.asarray(score, dtype=np.float64), positive, folds, weights) for score in scores.values()]
    rows = _subsampled_cases(positive, seed)
    sizes = float(positive.sum()), float((~positive).sum())
    seen = _Seen(positive[rows], folds[:, rows], sizes, int(positive[rows].sum()))
    cells = [one.cell[rows] for one in ranked]
    pairs = len(scores) * (len(scores) - 1) // 2
    return [
        _cheapest_at_weight(k, float(weight), ranked, cells, seen, tuple(scores), pairs, level)
        for k, weight in enumerate(weights)
    ]


class _Seen(NamedTuple):
    """The cases that say how errors vary together, positives first, their folds, and how many there are in all."""

    positive: NDArray[np.bool_]
    folds: NDArray[np.int8]
    sizes: tuple[float, float]
    positives: int


def _stratified_folds(positive: NDArray[np.bool_], repeats: int, seed: int) -> NDArray[np.int8]:
    """Which of ten folds each case is in, each class dealt out by itself, anew several times."""
    rng = np.random.default_rng([seed, FOLDS])
    folds = np.empty((repeats, len(positive)), dtype=np.int8)
    for fold in folds:
        for side in (positive, ~positive):
            fold[side] = rng.permutation(np.arange(int(side.sum())) % FOLDS)
    return folds


def _subsampled_cases(positive: NDArray[np.bool_], seed: int) -> NDArray[np.int64]:
    """All cases, positives first, or so many of a class drawn at random as tell how errors vary."""
    rng = np.random.default_rng([seed, MOST_OF_CLASS])
    sides = [np.flatnonzero(side) for side in (positive, ~positive)]
    return np.concatenate(
        [side if len(side) <= MOST_OF_CLASS else rng.choice(side, MOST_OF_CLASS, replace=False) for side in sides]
    )


@dataclass(frozen=True)
class _Ranked:
    """One classifier: the cell of neighbouring scores that each case is in, and what the cheapest cuts err in.

    `cuts[0]` are those of all cases but a fold's (repeat, fold, weight), `cuts[1]` those of all cases (weight);
    `errors[judged, class, weight]` are the shares of a class decided wrongly, on cases that did not choose, and on all.
    """

    cell: NDArray[np.int64]
    cuts: tuple[NDArray[np.int64], NDArray[np.int64]]
    errors: Floats

    @classmethod
    def of(cls, score: Floats, positive: NDArray[np.bool_], folds: NDArray[np.int8], weights: Floats) -> _Ranked:
        table, _ = in_cells(ScoreTable.of(score, positive))
        cell, count = np.searchsorted(table.score, score, side="right") - 1, len(table)
        held = np.zeros((len(folds), FOLDS, 2, count), dtype=np.int64)
        for repeat, fold in enumerate(folds):
            for k, side in enumerate((positive, ~positive)):
                places = fold[side].astype(np.int64) * count + cell[side]
                held[repeat, :, k] = np.bincount(places, minlength=FOLDS * count).reshape(FOLDS, count)
        sides = held[0].sum(0)
        of_all = _cheapest_cuts(sides, weights)
        by_fold = np.array([[_cheapest_cuts(sides - one, weights) for one in repeat] for repeat in held])
        apart = sum(_error_counts(one, cut) for repeat, cuts in zip(held, by_fold, strict=True)
                    for one, cut in zip(repeat, cuts, strict=True)) / len(folds)  # fmt: skip
        errors = np.stack([apart, _error_counts(sides, of_all)]) / np.maximum(sides.sum(1), 1)[:, None]
        return cls(cell, (by_fold, of_all), errors)

    def wrong(self, cell: NDArray[np.int64], seen: _Seen, place: int) -> Floats:
        """At one weight which cases are decided wrongly by others' cuts (the mean over partings), and by all cases'."""
        calls = [cell >= cuts[fold, place] for cuts, fold in zip(self.cuts[0], seen.folds, strict=True)]
        others = np.mean([called != seen.positive for called in calls], axis=0)
        return np.stack([others, (cell >= self.cuts[1][place]) != seen.positive])


def _error_counts(sides: NDArray[np.int64], cuts: NDArray[np.int64]) -> Floats:
    """How many positives and negatives cuts decide wrongly: positives below the cut, negatives from it on."""
    below = np.concatenate((np.zeros((2, 1), dtype=np.int64), np.cumsum(sides, axis=1)), axis=1)
    return np.stack([below[0, cuts], below[1, -1] - below[1, cuts]]).astype(np.float64)


def _cheapest_cuts(sides: NDArray[np.int64], weights: Floats) -> NDArray[np.int64]:
    """For each weight the lowest cell that the cheapest rule calls; the highest cells are called first."""
    hits, alarms = (np.concatenate(([0], np.cumsum(side[::-1]))) / max(side.sum(), 1) for side in sides)
    saved = weights[:, None] * hits
    saved -= alarms
    return np.asarray(len(hits) - 1 - saved.argmax(1))


def _cheapest_at_weight(
    place: int,
    weight: float,
    ranked: list[_Ranked],
    cells: list[NDArray[np.int64]],
    seen: _Seen,
    names: tuple[str, ...],
    pairs: int,
    level: float,
) -> Cheapest:
    """Who is the cheapest at one weight."""
    constant = min(weight, 1.0)
    shares = np.array([weight, 1.0]) / constant
    costs = np.array([shares @ one.errors[:, :, place].T for one in ranked])
    best = int(np.argmin(costs[:, 0]))
    wrong = [one.wrong(cell, seen, place) for one, cell in zip(ranked, cells, strict=True)]
    found = []
    for k in (k for k in range(len(names)) if k != best):
        values = costs[best] - costs[k]
        both = [_standard_error_and_freedom(apart, seen, shares) for apart in wrong[best] - wrong[k]]
        reach = [float(stdtrit(freedom, 1 - (1 - level) / (2 * pairs))) * error for error, freedom in both]
        ends = [value + sign * out for value, out in zip(values.tolist(), reach, strict=True) for sign in (-1, 1)]
        p = max(2 * float(stdtr(freedom, -abs(v) / error)) for v, (error, freedom) in zip(values, both, strict=True))
        p = bonferroni(p, pairs) if values[0] * values[1] > 0 else 1.0
        adjusted = f"{pairs} pairs" if pairs > 1 else None
        one = Difference("cost", names[best], names[k], float(values[0]), min(ends), max(ends), level, p, METHOD, 0.0)
        found.append(replace(one, n=sum(seen.sizes), adjusted=adjusted))
    return Cheapest(weight, tuple(costs[:, 0].tolist()), best, tuple(found))


def _standard_error_and_freedom(apart: Floats, seen: _Seen, shares: Floats) -> tuple[float, float]:
    """The standard error of a difference of costs, and its degrees of freedom, with pseudo-errors in either class."""
    parts = []
    for share, one, size in zip(shares.tolist(), np.split(apart, [seen.positives]), seen.sizes, strict=True):
        n = float(len(one))
        # Not by a linear algebra library: its threads wait for one another longer than such a sum takes.
        squares, sums = float(np.einsum("i,i->", one, one)), float(one.sum())
        square = (squares + PSEUDO) / (n + PSEUDO) - (sums / (n + PSEUDO)) ** 2
        parts.append((share**2 * square / size, size))
    total = sum(part for part, _ in parts)
    return math.sqrt(total), total**2 / sum(part**2 / (n - 1) for part, n in parts)
