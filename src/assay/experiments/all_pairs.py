"""All pairs of algorithms on one data set, by one test and one adjustment for all of them at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.comparison import bonferroni_level
from assay.errors import InputError
from assay.experiments._differences import gap_between, gap_not_shown
from assay.experiments.algorithms import ASKED_FOR, AlgorithmDifference, corrected_t, paired_t
from assay.experiments.estimates import FoldScores
from assay.ranks import ADJUSTMENTS
from assay.ranks.posthoc import adjusted
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level
from assay.results import PairRow, PairTable, Table

TESTS = ("corrected-t", "paired-t")
STEPWISE = "{} goes through the p-values step by step, and has no limits"
MADE_FOR = "the test was made for folds and random splits"
NOT_DRAWN = (
    f"{MADE_FOR}, which these were not said to be; random=True of given() says so, or ask for a test by name "
    "(--method, method=)"
)
OVERLAP = "takes splits that share cases for independent: rejects too often"


@dataclass(frozen=True)
class Pair:
    """Two algorithms: the first less the second, with limits and a p-value that hold for all pairs at once."""

    first: str
    second: str
    difference: float
    low: float
    high: float
    statistic: float
    df: int
    p_value: float
    adjusted: float
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs:
    """All pairs of algorithms by one test and one adjustment, and the values on splits behind them."""

    test: str
    adjustment: str
    level: float
    pairs: tuple[Pair, ...]
    scores: Mapping[str, FoldScores]

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    def table(self) -> PairTable:
        """Return a row for each pair."""
        some = f"All {len(self.pairs)} pairs" if len(self.pairs) > 1 else "The one pair"
        title = f"{some} by {self.test}, {self.adjustment}, {100 * self.level:g} % for all at once"
        keys = {"first": [pair.first for pair in self.pairs], "second": [pair.second for pair in self.pairs]}
        rows = [
            PairRow(
                pair.difference, pair.low, pair.high, None, pair.statistic, pair.df, pair.p_value, pair.adjusted,
                f"{self.test}, {self.adjustment}", note=pair.note,
            )
            for pair in self.pairs
        ]  # fmt: skip
        return PairTable.of(keys, rows, title)

    def summary(self) -> Table:
        """How the values of each algorithm spread over the splits: extremes, quartiles, mean, and how many are missing.

        >>> sizes = np.full(3, 60.0), np.full(3, 30.0)
        >>> values = {"tree": [0.7, 0.8, 0.9], "knn": [0.5, 0.7, 0.6]}
        >>> scores = {name: FoldScores("accuracy", np.array(each), *sizes) for name, each in values.items()}
        >>> print(all_pairs(scores).summary())
        algorithm  minimum  first_quartile  median   mean  third_quartile  maximum  missing
        tree         0.700           0.750   0.800  0.800           0.850    0.900        0
        knn          0.500           0.550   0.600  0.600           0.650    0.700        0
        """
        rows = []
        for name, scores in self.scores.items():
            known = scores.values[np.isfinite(scores.values)]
            least, low, middle, high, most = (
                np.quantile(known, [0, 0.25, 0.5, 0.75, 1]) if len(known) else [math.nan] * 5
            )
            mean = float(known.mean()) if len(known) else math.nan
            rows.append((name, *map(float, (least, low, middle, mean, high, most)), len(scores.values) - len(known)))
        names = ("algorithm", "minimum", "first_quartile", "median", "mean", "third_quartile", "maximum", "missing")
        return Table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)), title="Values over the splits")

    def correlation(self) -> Table:
        """How the algorithms' values go together over the splits (Pearson): all of them see the same cases."""
        values = np.array([scores.values for scores in self.scores.values()])
        spread = values.std(1) > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.where(np.outer(spread, spread), np.corrcoef(values), math.nan)
        columns: dict[str, Any] = {"algorithm": list(self.scores)}
        return Table(
            columns | dict(zip(self.scores, found.T.tolist(), strict=True)), title="Correlation over the splits"
        )


def all_pairs(
    scores: Mapping[str, FoldScores],
    level: float = 0.95,
    *,
    method: str | None = None,
    adjust: str = "bonferroni",
    why: str | None = None,
) -> AllPairs:
    """Every pair of algorithms that were tried on the same splits, by one test with one adjustment for all pairs.

    `method` is "corrected-t", the default, or "paired-t", which textbooks and R's caret take and which rejects too
    often where splits share cases. `adjust` is "bonferroni", by which limits and p-values hold for all pairs at once,
    "none", or a stepwise one ("holm", "hochberg", "benjamini-hochberg", ...), which adjusts p-values and has no limits.
    `why` is what speaks against limits beside the measure; a `method` asked for by name is made all the same.

    >>> sizes = np.full(10, 90.0), np.full(10, 10.0)
    >>> m1 = np.array([0.81, 0.79, 0.86, 0.77, 0.80, 0.84, 0.79, 0.83, 0.80, 0.81])
    >>> scores = {"a": FoldScores("accuracy", m1, *sizes), "b": FoldScores("accuracy", m1 - 0.02 * (m1 > 0.8), *sizes)}
    >>> found = all_pairs({**scores, "c": FoldScores("accuracy", m1[::-1].copy(), *sizes)})
    >>> [(pair.first, pair.second, round(pair.adjusted, 3)) for pair in found.pairs]
    [('a', 'b', 0.207), ('a', 'c', 1.0), ('b', 'c', 1.0)]
    """
    level = checked_level(level)
    checked_choice(adjust, ADJUSTMENTS, "adjust")
    test = TESTS[0] if method is None else checked_choice(method, TESTS, "method")
    if len(scores) < 2:
        raise InputError(f"there is {len(scores)} algorithm to compare", "two or more, beside the one of no feature")
    named = list(combinations(scores, 2))
    each = bonferroni_level(level, len(named)) if adjust == "bonferroni" else level
    against = why or gap_not_shown(next(iter(scores.values())))
    found = [_pair(scores, names, test, each, against, is_asked=method is not None) for names in named]
    raised = adjusted(np.array([pair.p_value for pair in found]), adjust, len(scores), 1 - level)
    pairs = [replace(pair, adjusted=float(p)) for pair, p in zip(found, raised, strict=True)]
    if adjust not in ("bonferroni", "none"):
        pairs = [
            replace(pair, low=math.nan, high=math.nan, note=pair.note or STEPWISE.format(adjust)) for pair in pairs
        ]
    return AllPairs(test, adjust, level, tuple(pairs), scores)


def _pair(
    scores: Mapping[str, FoldScores],
    names: tuple[str, str],
    test: str,
    level: float,
    against: str | None,
    *,
    is_asked: bool,
) -> Pair:
    one, other = (scores[name] for name in names)
    if against is not None and not is_asked:
        apart = float(gap_between(one, other).values.mean())
        return Pair(*names, apart, math.nan, math.nan, math.nan, len(one.values) - 1, math.nan, math.nan, against)
    found: AlgorithmDifference = (
        corrected_t(one, other, level) if test == TESTS[0] else paired_t(one.values, other.values, level)
    )
    note = found.test.undefined or (OVERLAP if test == TESTS[1] else "" if against is None else ASKED_FOR)
    gap, df = found.difference, len(one.values) - 1
    statistic, p_value = found.test.statistic, found.test.p_value
    return Pair(*names, gap.value, gap.low, gap.high, statistic, df, p_value, p_value, note)
