"""Tests of calibration: can these probabilities be right, given what happened?

Their null is that every case is positive with its predicted probability. A large p is no proof that it was, and
with many cases even a harmless departure is found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from assay.calibration.groups import Groups, of_the_middle, why_dependent
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_flag
from assay.results import NullDistribution, Table, TestResult, counted, percent
from assay.types import Floats

RIGHT = "every case is positive with its predicted probability"
TAKES_WEIGHTS = "brier_test() or cox(), which take weights"
# Expected counts below this make the chi-squared distribution a poor stand-in.
FEWEST_EXPECTED = 5.0
# Outputs beyond these spoil it too: where most were, it rejected calibrated probabilities up to twice too often.
LOW, HIGH = 0.1, 0.9


def calibration_in_the_large_test(table: ScoreTable) -> TestResult:
    """Whether as many positives happened as the probabilities promise, by the spread they themselves imply.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> calibration_in_the_large_test(table)
    Calibration in the large (normal): statistic -0.220839, p = 0.825; null: every case is positive with ...
    """
    p = table.score
    return _weighted_sum_test("Calibration in the large", table, np.ones(len(p)), "every probability is 0 or 1")


@dataclass(frozen=True, slots=True)
class BrierTest:
    """Spiegelhalter's test: is the Brier score the one these probabilities themselves lead to expect?

    `contradicted` counts cases given probability 0 or 1 that turned out otherwise. They leave the null no chance,
    whatever the p-value says, which cannot weigh them: what has probability 0 has no spread.
    """

    test: TestResult
    brier: float
    expected: float
    contradicted: float

    _repr_html_ = in_notebook


def brier_test(table: ScoreTable) -> BrierTest:
    """Spiegelhalter's z: how far the Brier score lies from what right probabilities would give, in standard errors.

    It is blind to errors that mirror one another around 1/2, and to probabilities of exactly 1/2.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> found = brier_test(table)
    >>> round(found.test.statistic, 6), round(found.test.p_value, 5), round(found.brier, 5)
    (-0.90008, 0.36808, 0.13746)

    References: Spiegelhalter (1986).
    """
    p, n, each = table.score, float(table.total), table.negative + table.positive
    no_spread = "every probability is 0, 1/2 or 1, at which the Brier score has no spread"
    contradicted = float(table.positive[p == 0].sum() + table.negative[p == 1].sum())
    brier = float(table.negative @ p**2 + table.positive @ (1 - p) ** 2) / n
    test = _weighted_sum_test("Brier score as expected", table, 1 - 2 * p, no_spread)
    return BrierTest(test, brier, float(each @ (p * (1 - p))) / n, contradicted)


def _weighted_sum_test(name: str, table: ScoreTable, factor: Floats, no_spread: str) -> TestResult:
    """The sum of factor times (outcome - probability), over its standard deviation under the null."""
    if table.rows is not None:
        return TestResult(name, RIGHT, math.nan, math.nan, "normal", why_dependent(table, TAKES_WEIGHTS))
    p, (negative, positive) = table.score, table.squared_weights
    missed = float((factor * (1 - p)) @ table.positive - (factor * p) @ table.negative)
    variance = float((negative + positive) @ (factor**2 * p * (1 - p)))
    if not variance > 0:
        return TestResult(name, RIGHT, math.nan, math.nan, "normal", no_spread)
    z = missed / math.sqrt(variance)
    return TestResult(name, RIGHT, z, 2 * float(ndtr(-abs(z))), "normal", caution=of_the_middle(table))


@dataclass(frozen=True, slots=True)
class HosmerLemeshow:
    """The Hosmer-Lemeshow test with the table it sums over, its degrees of freedom, and what to be careful about."""

    test: TestResult
    freedom: int
    table: Table
    cautions: tuple[str, ...]

    _repr_html_ = in_notebook


def hosmer_lemeshow(groups: Groups, *, fitted: bool = False) -> HosmerLemeshow:
    """Whether each group has as many positives as its probabilities promise, in one chi-squared.

    Groups of equal size make it the C form, fixed bins or cut points the H form. On cases the probabilities were not
    fitted to, there are as many degrees of freedom as groups; `fitted=True` takes two away, for the very cases that a
    logistic regression was fitted to. The p-value depends on how groups are cut: prefer cox() and brier_test().

    >>> from assay.calibration.groups import equal_size
    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> found = hosmer_lemeshow(equal_size(table, 3))
    >>> round(found.test.statistic, 6), found.freedom, round(found.test.p_value, 4)
    (2.459762, 3, 0.4826)

    References: Hosmer & Lemeshow (1980); Hosmer, Lemeshow & Sturdivant (2013).
    """
    name, method, fitted = "Hosmer-Lemeshow", "chi-squared", checked_flag(fitted, "fitted")
    spread = groups.expected * (1 - groups.mean)
    is_kept = spread > 0
    freedom = int(is_kept.sum()) - 2 * fitted
    refused = why_dependent(groups.table, TAKES_WEIGHTS)
    if refused is None and freedom < 1:
        refused = f"{counted(int(is_kept.sum()), 'group')} with any spread leave no degree of freedom"
    sums, cautions = groups.as_table(sums=True), _small_group_remarks(groups, is_kept)
    if refused is not None:
        return HosmerLemeshow(TestResult(name, RIGHT, math.nan, math.nan, method, refused), freedom, sums, cautions)
    away = (groups.positive - groups.expected)[is_kept] ** 2
    statistic = float((away / spread[is_kept]).sum())
    method = f"{method}, {counted(freedom, 'degree')} of freedom; {groups.rule}"
    caution = of_the_middle(groups.table)
    distribution, p_value = NullDistribution("chi-square", (freedom,)), float(chdtrc(freedom, statistic))
    test = TestResult(name, RIGHT, statistic, p_value, method, caution=caution, null_distribution=distribution)
    return HosmerLemeshow(test, freedom, sums, cautions)


def _small_group_remarks(groups: Groups, is_kept: NDArray[np.bool_]) -> tuple[str, ...]:
    found = [
        f"group {groups.place[i] + 1} is left out: every probability in it is "
        f"{groups.mean[i]:g}{_group_remark(groups, i)}"
        for i in np.flatnonzero(~is_kept).tolist()
    ]
    if len(groups) < groups.asked:
        found.append(
            f"{groups.asked} groups asked, {len(groups)} made: the others hold no case, or equal probabilities"
        )
    least = np.minimum(groups.expected, groups.total - groups.expected)
    small = groups.place[is_kept & (least < FEWEST_EXPECTED)] + 1
    if len(small):
        listed = ", ".join(map(str, small))
        found.append(f"fewer than {FEWEST_EXPECTED:g} positives or negatives expected in group {listed}: p is rough")
    p, each = groups.table.score, groups.table.negative + groups.table.positive
    extreme = float(each[(p < LOW) | (p > HIGH)].sum()) / float(groups.table.total)
    if extreme > 0:
        found.append(f"{percent(extreme)} of the probabilities are below {LOW} or above {HIGH}: many make p too small")
    return tuple(found)


def _group_remark(groups: Groups, i: int) -> str:
    otherwise = float(groups.positive[i] if groups.mean[i] == 0 else groups.total[i] - groups.positive[i])
    return f", yet {counted(otherwise, 'case')} had the other label" if otherwise else ""
