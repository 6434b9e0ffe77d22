"""Whether two classifiers have the same recall where both keep one specificity, or specificity at one recall."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import ndtr

from assay.comparison._rows import Rows
from assay.comparison.adjustment import ALTERNATIVES, Alternative
from assay.comparison.resampling import Placed, bootstrap
from assay.evidence import ScoreTable
from assay.measures import find
from assay.request import checked_choice
from assay.results import TestResult
from assay.types import Bools, Floats

TIMES = 2_000


def fixed_rate_test(
    is_positive: Bools,
    first: Floats,
    second: Floats,
    at: float,
    *,
    fixed: Literal["specificity", "recall"] = "specificity",
    alternative: Alternative = "two-sided",
    times: int = TIMES,
    seed: int = 0,
) -> TestResult:
    """Whether two recalls at one specificity (or the other way round) are the same, on the same cases.

    With the `alternative` "greater" or "less", whether the first is higher or lower.

    Either threshold is estimated too, so that the spread of the difference is that of bootstrap samples of cases, drawn
    within each class; the difference over it is held against the normal distribution.

    >>> y = np.arange(100) % 2 == 1
    >>> rng = np.random.default_rng(1)
    >>> good, bad = rng.normal(2 * y), rng.normal(0 * y)
    >>> fixed_rate_test(y, good, bad, 0.8, times=500).p_value < 0.001
    True
    """
    other = {"specificity": "recall", "recall": "specificity"}[
        checked_choice(fixed, ("specificity", "recall"), "fixed")
    ]
    checked_choice(alternative, ALTERNATIVES, "alternative")
    measure = find(f"{other}({fixed}={at!r})")
    tables = [ScoreTable.of(score, is_positive) for score in (first, second)]
    placed = [
        [Placed.of_scores(table, score + 0.0, is_positive)]
        for table, score in zip(tables, (first, second), strict=True)
    ]
    value = float(measure(tables[0])) - float(measure(tables[1]))
    found = bootstrap(placed, [measure], Rows(is_positive), times=times, seed=seed, stratified=True).values[0]
    spread = float(np.std(found[0] - found[1], ddof=1))
    null, method = f"both have the same {other} at a {fixed} of {at:g}", f"stratified bootstrap, {times:,} samples"
    if not spread > 0 and value == 0:
        return TestResult(f"{other} at fixed {fixed}", null, 0.0, 1.0, method)
    if not spread > 0:
        why = "the difference does not vary between samples of these cases"
        return TestResult("fixed rate", null, math.nan, math.nan, method, undefined=why)
    statistic = value / spread
    side = {"two-sided": 2 * ndtr(-abs(statistic)), "greater": ndtr(-statistic), "less": ndtr(statistic)}
    how = method if alternative == "two-sided" else f"{method}, {alternative}"
    return TestResult(f"{other} at fixed {fixed}", null, statistic, float(side[alternative]), how)
