"""Is one algorithm better than another on this kind of data? Tests over the splits of one plan, paired.

Splits share cases, so that a plain t test over them rejects far too often; the corrected ones are to be used, and the
plain one stands here because textbooks set it as an exercise. All differences are first minus second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, stdtr, stdtrit

from assay.errors import OptionError
from assay.experiments._differences import NOTHING_VARIES, gap_between, gap_not_shown, why_not
from assay.experiments.estimates import FEWEST_SPLITS, FoldScores
from assay.experiments.posterior import correlated_t
from assay.request import checked_choice, checked_level
from assay.results import Estimate, NullDistribution, Table, TestResult
from assay.types import Floats

Alternative = Literal["two-sided", "less", "greater"]
UNKNOWN = math.nan, math.nan, math.nan, math.nan, math.nan
# The test, the difference with its limits, the statistic and its critical value, the p-value, a note.
TestRow = tuple[str, float, float, float, float, float, float, str]

EQUAL = "both algorithms do equally well on average over training sets of this size"
EQUAL_HALVES = "both algorithms do equally well, learning from half as many cases as there are"
TARGET = "the difference between the algorithms"
# Tests of two algorithms by the names they are asked for by.
METHODS = MappingProxyType(
    {
        "corrected-t": "corrected resampled t",
        "paired-t": "paired t",
        "5x2-t": "5 x 2 cv t",
        "5x2-f": "5 x 2 cv F",
        "bayesian": "Bayesian correlated t",
    }
)
ASKED_FOR = "asked for by name: here it was not shown to hold"


@dataclass(frozen=True)
class AlgorithmDifference:
    """A difference between two algorithms with its interval, and the test that the interval belongs to."""

    difference: Estimate
    test: TestResult


def corrected_t(
    first: FoldScores, second: FoldScores, level: float = 0.95, alternative: Alternative = "two-sided"
) -> AlgorithmDifference:
    """Whether two algorithms differ, from the same splits: the corrected resampled t test (Nadeau & Bengio 2003).

    The variance of the mean of J differences is taken as (1/J + tested/learned) of theirs; for repeated k-fold
    cross-validation that is Bouckaert & Frank's (2004) test, and WEKA's. Where the cases are at hand it is no less than
    what the differences of their losses give: folds make two learners that hardly look at features seem too steady.

    >>> sizes = np.full(10, 90.0), np.full(10, 10.0)
    >>> m1 = np.array([30.5, 32.2, 20.7, 20.6, 31.0, 41.0, 27.7, 26.0, 21.5, 26.0])
    >>> m2 = np.array([22.4, 14.5, 22.4, 19.6, 20.7, 20.4, 22.1, 19.4, 16.2, 35.0])
    >>> found = corrected_t(FoldScores("error", m1, *sizes), FoldScores("error", m2, *sizes))
    >>> round(found.test.statistic, 4), round(found.test.p_value, 3), found.difference
    (1.6135, 0.141, 6.5 [-2.6, 15.5])
    """
    method, gap = "corrected resampled t", gap_between(first, second)
    found = _t(first.name, gap.values, gap.ratio, level, alternative, method, FEWEST_SPLITS, least=gap.least)
    if gap.untold is None or math.isnan(found.difference.low):
        return found
    difference = replace(found.difference, low=math.nan, high=math.nan, undefined=gap.untold)
    return AlgorithmDifference(difference, _refused(method, EQUAL, found.test.method, gap.untold))


def paired_t(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    deviation: Literal["sample", "population"] = "sample",
    alternative: Alternative = "two-sided",
) -> AlgorithmDifference:
    """The paired t test over folds as textbooks set it: it takes splits that share cases for independent ones.

    `deviation="population"` divides the squares by k instead of k - 1, as some solutions do, which goes with no t
    distribution. Over many random splits it rejects in more than half of all samples without any difference.

    >>> m1 = [30.5, 32.2, 20.7, 20.6, 31.0, 41.0, 27.7, 26.0, 21.5, 26.0]
    >>> m2 = [22.4, 14.5, 22.4, 19.6, 20.7, 20.4, 22.1, 19.4, 16.2, 35.0]
    >>> round(paired_t(m1, m2).test.statistic, 5), round(paired_t(m1, m2, deviation="population").test.statistic, 5)
    (2.34442, 2.47124)
    """
    checked_choice(deviation, ("sample", "population"), "deviation")
    apart = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    method = "paired t" if deviation == "sample" else "paired t, population deviation"
    # Squares divided by k are (k - 1) / k of the sample variance.
    shrunk = 1.0 if deviation == "sample" else 1 - 1 / max(len(apart), 1)
    return _t("difference", apart, 0.0, level, alternative, method, 2, shrunk)


def five_by_two_t(differences: ArrayLike) -> TestResult:
    """Dietterich's (1998) 5 x 2 test: the first difference over the spread within five pairs of halves, t with 5 df.

    `differences[i, j]` is first minus second on fold j of repeat i. It speaks of learning from half the cases. It keeps
    its level only for stable learners and many cases (simulated: .025 to .113 at .05).

    >>> pairs = [[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, 0.1]]
    >>> five_by_two_t(pairs)
    5 x 2 cv t (t with 5 df): statistic 1.19523, p = 0.286; null: both algorithms do equally well, learning ...
    """
    apart, spread = _five_by_two(differences)
    if not spread > 0:
        return _refused("5 x 2 cv t", EQUAL_HALVES, "t with 5 df", NOTHING_VARIES)
    t = float(apart[0, 0]) / math.sqrt(spread / 5)
    null = NullDistribution("t", (5,))
    return TestResult("5 x 2 cv t", EQUAL_HALVES, t, _p_value(t, 5, "two-sided"), str(null), null_distribution=null)


def five_by_two_f(differences: ArrayLike) -> TestResult:
    """Alpaydin's (1999) 5 x 2 test: all ten squared differences over twice the spread within pairs, F with 10 and 5 df.

    The numerator has the ten squares, not the squares of five means; significant at 5 % above 4.735.

    >>> pairs = [[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, 0.1]]
    >>> five_by_two_f(pairs)
    5 x 2 cv F (F with 10 and 5 df): statistic 3.28571, p = 0.101; null: both algorithms do equally well, ...
    """
    apart, spread = _five_by_two(differences)
    if not spread > 0:
        return _refused("5 x 2 cv F", EQUAL_HALVES, "F with 10 and 5 df", NOTHING_VARIES)
    f = float((apart**2).sum()) / (2 * spread)
    null = NullDistribution("F", (10, 5))
    return TestResult("5 x 2 cv F", EQUAL_HALVES, f, float(fdtrc(10, 5, f)), str(null), null_distribution=null)


def compare_algorithms(
    first: FoldScores,
    second: FoldScores,
    level: float = 0.95,
    rope: float | tuple[float, float] = 0.01,
    method: str | None = None,
    *,
    why: str | None = None,
) -> Table:
    """Every test that two algorithms' values on the same splits allow, the corrected one first.

    Of measures whose differences were not shown to have limits that hold there is the difference alone. `method` names
    one test ("corrected-t", "paired-t", "5x2-t", "5x2-f", "bayesian"), which is then made of any measure; `why` is what
    else speaks against limits.

    >>> sizes = np.full(5, 80.0), np.full(5, 20.0)
    >>> a = FoldScores("accuracy", np.array([0.90, 0.80, 0.85, 0.95, 0.80]), *sizes)
    >>> b = FoldScores("accuracy", np.array([0.80, 0.80, 0.80, 0.85, 0.80]), *sizes)
    >>> print(Table({name: compare_algorithms(a, b).columns[name] for name in ("test", "difference", "p")}))
    test                   difference      p
    corrected resampled t       0.050  0.210
    paired t                    0.050  0.089
    Bayesian correlated t       0.050      -
    """
    level = checked_level(level)
    why = why or gap_not_shown(first)
    rows = []
    if method is not None:
        title = METHODS[checked_choice(method, METHODS, "method")]
        rows = [row for row in _rows(first, second, level, rope) if row[0] == title]
        if not rows:
            raise OptionError(f"there is no {title} of these splits", "five times two folds, which five_by_two() makes")
        rows = rows if why is None else [(*row[:-1], f"{row[-1]}; {ASKED_FOR}") for row in rows]
    elif why is None:
        rows = [*_rows(first, second, level, rope)]
    else:
        gap = gap_between(first, second).values
        rows.append((METHODS["corrected-t"], float(gap.mean()), *UNKNOWN, why))
    return table_of_tests(rows, "Two algorithms")


def table_of_tests(rows: Sequence[TestRow], title: str) -> Table:
    """Return the tests of one pair of algorithms, a row for each."""
    names = ("test", "difference", "low", "high", "statistic", "critical", "p", "note")
    return Table({name: [row[k] for row in rows] for k, name in enumerate(names)}, title=title)


def _rows(first: FoldScores, second: FoldScores, level: float, rope: float | tuple[float, float]) -> Iterator[TestRow]:
    yield from _tests(first, second, level)
    posterior = correlated_t(first, second, rope)
    yield METHODS["bayesian"], posterior.mean, *UNKNOWN, repr(posterior)


def _tests(first: FoldScores, second: FoldScores, level: float) -> Iterator[TestRow]:
    corrected, plain = corrected_t(first, second, level), paired_t(first.values, second.values, level)
    notes = {"paired t": "takes splits that share cases for independent: rejects too often"}
    for found in (corrected, plain):
        gap, test = found.difference, found.test
        note = test.undefined or notes.get(test.test, f"{test.method}; null: {test.null}")
        yield test.test, gap.value, gap.low, gap.high, test.statistic, test.critical_value(level), test.p_value, note
    if first.is_five_by_two:
        apart = (first.values - second.values).reshape(5, 2)
        for one in (five_by_two_t(apart), five_by_two_f(apart)):
            note = one.undefined or f"{one.method}; null: {one.null}"
            limits = math.nan, math.nan
            yield one.test, float(apart.mean()), *limits, one.statistic, one.critical_value(level), one.p_value, note


def _t(
    name: str,
    apart: Floats,
    ratio: float,
    level: float,
    alternative: Alternative,
    test: str,
    fewest: int,
    shrunk: float = 1.0,
    least: float = 0.0,
) -> AlgorithmDifference:
    """A t test of the mean of differences and its interval; undefined where nothing varies, unless nothing differs."""
    level = checked_level(level)
    checked_choice(alternative, ("two-sided", "less", "greater"), "alternative")
    mean, n = float(apart.mean()) if len(apart) else math.nan, len(apart)
    why, method = why_not(apart, fewest), f"t with {n - 1} df"
    if why is not None:
        gap = Estimate(name, mean, math.nan, math.nan, level, test, n, TARGET, why)
        is_same = why is NOTHING_VARIES and not apart.any()
        same = TestResult(test, EQUAL, 0.0, 1.0, "no split tells them apart")
        return AlgorithmDifference(gap, same if is_same else _refused(test, EQUAL, method, why))
    error = math.sqrt(max((1 / n + ratio) * float(apart.var(ddof=1)) * shrunk, least))
    low, high = _limits(mean, error, n - 1, level, alternative)
    gap = Estimate(name, mean, low, high, level, test, n, TARGET)
    t, null = mean / error, NullDistribution("t", (n - 1,))
    p_value = _p_value(t, n - 1, alternative)
    found = TestResult(test, EQUAL, t, p_value, method, null_distribution=null, alternative=alternative)
    return AlgorithmDifference(gap, found)


def _limits(mean: float, error: float, df: int, level: float, alternative: Alternative) -> tuple[float, float]:
    """The differences the test does not reject: open at one end if the alternative is one-sided."""
    if alternative == "two-sided":
        half = float(stdtrit(df, 0.5 + level / 2)) * error
        return mean - half, mean + half
    half = float(stdtrit(df, level)) * error
    return (-math.inf, mean + half) if alternative == "less" else (mean - half, math.inf)


def _p_value(t: float, df: int, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return 2 * float(stdtr(df, -abs(t)))
    return float(stdtr(df, t if alternative == "less" else -t))


def _five_by_two(differences: ArrayLike) -> tuple[Floats, float]:
    """The differences and the sum over repeats of their squared spread within a pair."""
    apart = np.asarray(differences, dtype=np.float64)
    if apart.shape != (5, 2):
        raise OptionError(f"the differences have shape {apart.shape}", "5 repeats of 2 folds, for a 5 x 2 test")
    spread = float(((apart - apart.mean(1, keepdims=True)) ** 2).sum())
    return apart, 0.0 if spread <= 1e-24 else spread


def _refused(test: str, null: str, method: str, why: str) -> TestResult:
    return TestResult(test, null, math.nan, math.nan, method, why)
