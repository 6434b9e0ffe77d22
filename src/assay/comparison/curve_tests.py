"""Whether two ROC curves are the same everywhere, by permutation (Venkatraman & Begg, 1996; Venkatraman, 2000).

Two curves that cross may have the same area; these tests see that they differ.

Whether two classifiers have the same recall where both keep one specificity, or specificity at one recall.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr

from assay.comparison.adjustment import ALTERNATIVES, Alternative
from assay.comparison.paired_influence import Rows
from assay.comparison.resampling import Placed, bootstrap
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import find
from assay.request import checked_choice, checked_seed, checked_whole
from assay.results import TestResult
from assay.types import Bools, Floats

NULL = "both ROC curves are the same at every threshold"
TIMES = 2_000
# Numbers of a permutation test: p-values come in steps of one over so many.
FEWEST_TIMES = 99


def venkatraman_paired(
    is_positive: Bools, first: Floats, second: Floats, *, times: int = TIMES, seed: int = 0
) -> TestResult:
    """Whether two classifiers have the same ROC curve, on the same cases.

    The statistic sums, over all numbers of cases called, how many more errors one makes than the other. The ranks that
    two classifiers give a case are exchanged at random to see how large it becomes by chance.

    >>> y = np.arange(60) % 2 == 1
    >>> rng = np.random.default_rng(1)
    >>> good, bad = rng.normal(2 * y), rng.normal(0 * y)
    >>> venkatraman_paired(y, good, bad, times=199).p_value
    0.005
    """
    times, seed = _checked_replicates(is_positive, times, seed)
    ranks = np.stack([_midranks(score, is_positive) for score in (first, second)])
    found = 2 * float(
        np.abs(_positives_among_lowest(ranks[0], is_positive) - _positives_among_lowest(ranks[1], is_positive)).sum()
    )
    rng, larger = np.random.default_rng(seed), 0
    for _ in range(times):
        # One shared draw a case: both classifiers' ranks stay, who gave which is tossed for.
        swapped = np.where(rng.random(len(is_positive)) < 0.5, ranks, ranks[::-1])
        by_chance = 2 * float(
            np.abs(
                _positives_among_lowest(swapped[0], is_positive) - _positives_among_lowest(swapped[1], is_positive)
            ).sum()
        )
        larger += by_chance >= found - 1e-9
    return TestResult("Venkatraman", NULL, found, (1 + larger) / (1 + times), f"paired, {times:,} permutations")


def venkatraman_unpaired(first: ScoreTable, second: ScoreTable, *, times: int = TIMES, seed: int = 0) -> TestResult:
    """Whether two samples of different cases have the same ROC curve.

    The statistic is the area between the curves of errors against the share called, both classes mixed as in the two
    samples together. Cases of a class are given to either sample at random, by the place they have in their own. pROC
    1.18 divides the positives of both samples by twice the size of the first in place of the size of both, so that its
    statistic is another where the samples are not equally large.

    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(80) % 2 == 1
    >>> good, bad = (ScoreTable.of(rng.normal(shift * y), y) for shift in (2, 0))
    >>> venkatraman_unpaired(good, bad, times=199).p_value
    0.005
    """
    tables = (first, second)
    for table in tables:
        if table.is_weighted or table.rows is not None:
            raise OptionError("the test permutes single cases, and these have weights or clusters", "neither of them")
    sizes = np.array([[float(table.negatives), float(table.positives)] for table in tables])
    _check_sizes(sizes.min(), times, seed)
    share = float(sizes[:, 1].sum() / sizes.sum())
    found = _area_between(*(_error_curve(table.negative, table.positive, share) for table in tables))
    # The place of each block in its own sample, which is what the two have in common if the curves are the same.
    places = [_block_positions(table, share) for table in tables]
    pooled = [
        np.concatenate([np.repeat(at, side.astype(int)) for at, side in zip(places, of_both, strict=True)])
        for of_both in ((first.negative, second.negative), (first.positive, second.positive))
    ]
    counts = sizes[0].astype(int)
    rng, larger = np.random.default_rng(seed), 0
    for _ in range(times):
        mixed = [rng.permutation(side) for side in pooled]
        drawn = []
        for part in (slice(None), slice(None, None, -1)):
            taken = [
                side[part][: counts[k] if part.step is None else len(side) - counts[k]] for k, side in enumerate(mixed)
            ]
            drawn.append(ScoreTable.of(np.concatenate(taken), np.repeat([False, True], [len(one) for one in taken])))
        larger += _area_between(*(_error_curve(one.negative, one.positive, share) for one in drawn)) >= found - 1e-12
    return TestResult("Venkatraman", NULL, found, (1 + larger) / (1 + times), f"unpaired, {times:,} permutations")


class _Errors(NamedTuple):
    """The share of cases not called along a curve, and the share of errors there; both classes mixed as asked."""

    place: Floats
    errors: Floats


def _error_curve(negative: Floats, positive: Floats, share: float) -> _Errors:
    below = [np.concatenate(([0.0], np.cumsum(side) / side.sum())) for side in (negative, positive)]
    place = (1 - share) * below[0] + share * below[1]
    return _Errors(place, share * below[1] + (1 - share) * (1 - below[0]))


def _block_positions(table: ScoreTable, share: float) -> Floats:
    """Where each block lies on the way from calling all to calling none."""
    place = _error_curve(table.negative, table.positive, share).place
    return (place[1:] + place[:-1]) / 2


def _area_between(first: _Errors, second: _Errors) -> float:
    """The area between two curves that run straight between their points, crossings and all."""
    at = ScoreTable.of(
        np.concatenate((first.place, second.place)), np.zeros(len(first.place) + len(second.place))
    ).score
    gap = np.interp(at, *first) - np.interp(at, *second)
    width, left, right = np.diff(at), gap[:-1], gap[1:]
    whole = np.abs(left) + np.abs(right)
    crosses = left * right < 0
    # Of two triangles where the sign changes, of one trapezoid elsewhere.
    squares = np.divide(left**2 + right**2, whole, out=np.zeros_like(whole), where=whole > 0)
    return float((width * np.where(crosses, squares, whole)).sum() / 2)


def _midranks(score: Floats, is_positive: Bools) -> Floats:
    """The midrank of each case."""
    table = ScoreTable.of(score, is_positive)
    counts = table.negative + table.positive
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[table.places(score)])


def _positives_among_lowest(ranks: Floats, is_positive: Bools) -> Floats:
    """How many positives are among the k lowest, for every k; within ties as many as expected."""
    table = ScoreTable.of(ranks, is_positive)
    reached = np.cumsum(table.negative + table.positive)
    return np.interp(
        np.arange(1, len(ranks)),
        np.concatenate(([0.0], reached)),
        np.concatenate(([0.0], np.cumsum(table.positive))),
    )


def _checked_replicates(is_positive: Bools, times: int, seed: int) -> tuple[int, int]:
    positives = int(is_positive.sum())
    return _check_sizes(min(positives, len(is_positive) - positives), times, seed)


def _check_sizes(smallest: float, times: int, seed: int) -> tuple[int, int]:
    if not (math.isfinite(smallest) and smallest >= 2):
        raise OptionError("a class has fewer than two cases", "two cases of each class at least")
    return checked_whole(times, "times", least=FEWEST_TIMES), checked_seed(seed)


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
