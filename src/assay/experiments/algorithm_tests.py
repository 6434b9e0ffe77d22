"""Is one algorithm better than another on this kind of data? Tests over the splits of one plan, paired.

Splits share cases, so that a plain t test over them rejects far too often; the corrected ones are to be used, and the
plain one stands here because textbooks set it as an exercise. All differences are first minus second.

What tests over splits share: the same splits for both, and differences that vary.

What is to be believed of two algorithms after trying both: the Bayesian correlated t test.

All pairs of algorithms on one data set, by one test and one adjustment for all of them at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, stdtr, stdtrit

from assay.comparison import bonferroni_level
from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.errors import InputError, OptionError
from assay.experiments.estimates import FEWEST_SPLITS, FoldScores, varies
from assay.ranks import ADJUSTMENTS
from assay.ranks.posthoc import adjusted
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_level
from assay.results import Estimate, NullDistribution, PairRow, PairTable, Table, TestResult, counted
from assay.text import number
from assay.types import Floats

NOTHING_VARIES = "every split gives the same difference, so its variance is 0"


# Kinds of measures whose differences over any splits have limits that hold; see docs/verification/studies.md.
SHOWN = ("share", "loss")
INSTEAD = "use accuracy, error_rate, brier or log_loss, or choose a test by name (--method, method=)"
NOT_SHOWN = "no verified coverage for differences of this measure over splits (kappa, ten folds: .66)"
TWICE = "no verified coverage for its difference if cases are tested more than once; use one pass of k folds"


def gap_not_shown(scores: FoldScores) -> str | None:
    """Why a difference of this measure over such splits has no limits by default, if so.

    Of ROC AUC one pass of folds gives some: of equal weak learners .94 to .97 were covered.
    """
    if scores.kind in SHOWN:
        return None
    if scores.kind == "ranking" and scores.moved is not None:
        is_one_pass = math.isclose(float(scores.test.sum()), scores.cases)
        return None if is_one_pass else f"{TWICE}, or {INSTEAD}"
    return f"{NOT_SHOWN}; {INSTEAD}"


def gap_between(first: FoldScores, second: FoldScores) -> FoldScores:
    """First less second on the same splits, with how far each case moves that where both know it of theirs.

    A learner whose own losses are all alike hides what is of the order of one case, in a difference as in a mean.
    """
    if len(first.values) != len(second.values) or (first.test != second.test).any():
        raise OptionError("the algorithms were evaluated on different splits", "the same splits for both")
    moved = None if first.moved is None or second.moved is None else first.moved - second.moved
    one_case = max((each.one_case for each in (first, second) if each.is_alike), default=0.0)
    name, apart = f"difference of {first.name}", first.values - second.values
    gap = FoldScores(name, apart, first.train, first.test, first.repeat, moved, one_case)
    return replace(gap, refusal=first.refusal or second.refusal)


def why_not(apart: NDArray[np.float64], fewest: int) -> str | None:
    """Why differences allow no test, if they do not."""
    if len(apart) < fewest:
        return f"{counted(len(apart), 'split')}: at least {fewest} needed"
    if not np.isfinite(apart).all():
        return "a split has no value"
    return NOTHING_VARIES if not varies(apart) else None


@dataclass(frozen=True)
class Posterior(Drawable):
    """What is to be believed of the mean difference after the splits: Student's t with `df` about `mean`.

    `left`, `inside` and `right` are the probabilities that the second is better by more than the region of practical
    equivalence `rope`, that they are practically equal, and that the first is better.
    """

    mean: float
    scale: float
    df: int
    rope: tuple[float, float]
    left: float
    inside: float
    right: float
    undefined: str | None = None

    def __repr__(self) -> str:
        if math.isnan(self.left):
            return f"undefined: {self.undefined}"
        low, high = self.rope
        return (
            f"P(below {low:g}) = {number(self.left)}, P({low:g} to {high:g}) = {number(self.inside)}, "
            f"P(above {high:g}) = {number(self.right)}"
        )

    @property
    def is_defined(self) -> bool:
        """Whether the differences vary, so that there is a density to draw."""
        return self.scale > 0

    def table(self) -> Table:
        """The three probabilities."""
        low, high = self.rope
        where = [f"second better: below {low:g}", f"practically equal: {low:g} to {high:g}"]
        return Table(
            {
                "mean difference": [*where, f"first better: above {high:g}"],
                "probability": [self.left, self.inside, self.right],
            }
        )

    def drawing(self) -> Drawing:
        """The density of the mean difference, and the region of practical equivalence."""
        spread = np.linspace(-5, 5, 201)
        density = (1 + spread**2 / self.df) ** (-(self.df + 1) / 2)
        edges = [Trace(np.full(2, edge), np.array([0.0, 1.0]), "reference") for edge in self.rope]
        return Drawing(
            name="posterior",
            title="Mean difference of two algorithms",
            x=Ruler("First minus second", None),
            y=Ruler("Density, its peak being 1"),
            traces=(*edges, Trace(self.mean + self.scale * spread, density)),
            points=len(spread),
        )


def correlated_t(first: FoldScores, second: FoldScores, rope: float | tuple[float, float] = 0.01) -> Posterior:
    """The probability that an algorithm is better, practically equal or worse (Benavoli et al. 2017).

    The Bayesian twin of `corrected_t`: differences of splits correlate by the share rho of cases tested on, and the
    mean has Student's t with variance (1/J + rho/(1 - rho)) of theirs. `rope` is the difference that does not matter in
    practice, either way or as a pair of ends.

    >>> sizes = np.full(5, 80.0), np.full(5, 20.0)
    >>> a = FoldScores("accuracy", np.array([0.90, 0.80, 0.85, 0.95, 0.80]), *sizes)
    >>> b = FoldScores("accuracy", np.array([0.80, 0.80, 0.80, 0.85, 0.80]), *sizes)
    >>> correlated_t(a, b)
    P(below -0.01) = 0.074, P(-0.01 to 0.01) = 0.075, P(above 0.01) = 0.851
    """
    gap = gap_between(first, second)
    apart = gap.values
    low, high = (-rope, rope) if isinstance(rope, int | float) else rope
    if low > high:
        raise OptionError(f"the region of practical equivalence runs from {low:g} to {high:g}", "the lower end first")
    mean, df = float(apart.mean()), len(apart) - 1
    why = why_not(apart, FEWEST_SPLITS) or gap.untold
    if why is not None:
        is_same = len(apart) >= FEWEST_SPLITS and not apart.any() and low < 0 < high
        shares = (0.0, 1.0, 0.0) if is_same else (math.nan,) * 3
        return Posterior(mean, 0.0, df, (low, high), *shares, None if is_same else why)
    # rho / (1 - rho) of rho = tested / all is tested / learned, which is the spread's own factor.
    scale = math.sqrt(max(gap.spread, gap.least))
    left, right = float(stdtr(df, (low - mean) / scale)), float(stdtr(df, (mean - high) / scale))
    return Posterior(mean, scale, df, (low, high), left, 1 - left - right, right)


Alternative = Literal["two-sided", "less", "greater"]
UNKNOWN = math.nan, math.nan, math.nan, math.nan, math.nan
# The test, the difference with its limits, the statistic and its critical value, the p-value, a note.
TestRow = tuple[str, float, float, float, float, float, float, str]

EQUAL = "both algorithms perform equally well on average over training sets of this size"
EQUAL_HALVES = "both algorithms perform equally well when trained on half of the cases"
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
ASKED_FOR = "requested by name: its level is not verified here"


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
    found = _t_test(first.name, gap.values, gap.ratio, level, alternative, method, FEWEST_SPLITS, least=gap.least)
    if gap.untold is None or math.isnan(found.difference.low):
        return found
    difference = replace(found.difference, low=math.nan, high=math.nan, undefined=gap.untold)
    return AlgorithmDifference(difference, _undefined_test(method, EQUAL, found.test.method, gap.untold))


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
    return _t_test("difference", apart, 0.0, level, alternative, method, 2, shrunk)


def five_by_two_t(differences: ArrayLike) -> TestResult:
    """Dietterich's (1998) 5 x 2 test: the first difference over the spread within five pairs of halves, t with 5 df.

    `differences[i, j]` is first minus second on fold j of repeat i. It speaks of learning from half the cases. It keeps
    its level only for stable learners and many cases (simulated: .025 to .113 at .05).

    >>> pairs = [[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, 0.1]]
    >>> five_by_two_t(pairs)
    5 x 2 cv t (t with 5 df): statistic 1.19523, p = 0.286; null: both algorithms perform equally well when ...
    """
    apart, spread = _five_by_two_variance(differences)
    if not spread > 0:
        return _undefined_test("5 x 2 cv t", EQUAL_HALVES, "t with 5 df", NOTHING_VARIES)
    t = float(apart[0, 0]) / math.sqrt(spread / 5)
    null = NullDistribution("t", (5,))
    return TestResult(
        "5 x 2 cv t", EQUAL_HALVES, t, _t_test_p_value(t, 5, "two-sided"), str(null), null_distribution=null
    )


def five_by_two_f(differences: ArrayLike) -> TestResult:
    """Alpaydin's (1999) 5 x 2 test: all ten squared differences over twice the spread within pairs, F with 10 and 5 df.

    The numerator has the ten squares, not the squares of five means; significant at 5 % above 4.735.

    >>> pairs = [[0.1, 0.2], [0.0, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, 0.1]]
    >>> five_by_two_f(pairs)
    5 x 2 cv F (F with 10 and 5 df): statistic 3.28571, p = 0.101; null: both algorithms perform equally well ...
    """
    apart, spread = _five_by_two_variance(differences)
    if not spread > 0:
        return _undefined_test("5 x 2 cv F", EQUAL_HALVES, "F with 10 and 5 df", NOTHING_VARIES)
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
        rows = [row for row in _test_rows(first, second, level, rope) if row[0] == title]
        if not rows:
            raise OptionError(
                f"{title} cannot be used with these splits", "five times two folds: the plan five_by_two()"
            )
        rows = rows if why is None else [(*row[:-1], f"{row[-1]}; {ASKED_FOR}") for row in rows]
    elif why is None:
        rows = [*_test_rows(first, second, level, rope)]
    else:
        gap = gap_between(first, second).values
        rows.append((METHODS["corrected-t"], float(gap.mean()), *UNKNOWN, why))
    return table_of_tests(rows, "Two algorithms")


def table_of_tests(rows: Sequence[TestRow], title: str) -> Table:
    """Return the tests of one pair of algorithms, a row for each."""
    names = ("test", "difference", "low", "high", "statistic", "critical", "p", "note")
    return Table({name: [row[k] for row in rows] for k, name in enumerate(names)}, title=title)


def _test_rows(
    first: FoldScores, second: FoldScores, level: float, rope: float | tuple[float, float]
) -> Iterator[TestRow]:
    yield from _frequentist_test_rows(first, second, level)
    posterior = correlated_t(first, second, rope)
    yield METHODS["bayesian"], posterior.mean, *UNKNOWN, repr(posterior)


def _frequentist_test_rows(first: FoldScores, second: FoldScores, level: float) -> Iterator[TestRow]:
    corrected, plain = corrected_t(first, second, level), paired_t(first.values, second.values, level)
    notes = {"paired t": "assumes independent splits, which share cases: rejects too often"}
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


def _t_test(
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
        same = TestResult(test, EQUAL, 0.0, 1.0, "both are equal on every split")
        return AlgorithmDifference(gap, same if is_same else _undefined_test(test, EQUAL, method, why))
    error = math.sqrt(max((1 / n + ratio) * float(apart.var(ddof=1)) * shrunk, least))
    low, high = _confidence_limits(mean, error, n - 1, level, alternative)
    gap = Estimate(name, mean, low, high, level, test, n, TARGET)
    t, null = mean / error, NullDistribution("t", (n - 1,))
    p_value = _t_test_p_value(t, n - 1, alternative)
    found = TestResult(test, EQUAL, t, p_value, method, null_distribution=null, alternative=alternative)
    return AlgorithmDifference(gap, found)


def _confidence_limits(
    mean: float, error: float, df: int, level: float, alternative: Alternative
) -> tuple[float, float]:
    """The differences the test does not reject: open at one end if the alternative is one-sided."""
    if alternative == "two-sided":
        half = float(stdtrit(df, 0.5 + level / 2)) * error
        return mean - half, mean + half
    half = float(stdtrit(df, level)) * error
    return (-math.inf, mean + half) if alternative == "less" else (mean - half, math.inf)


def _t_test_p_value(t: float, df: int, alternative: Alternative) -> float:
    if alternative == "two-sided":
        return 2 * float(stdtr(df, -abs(t)))
    return float(stdtr(df, t if alternative == "less" else -t))


def _five_by_two_variance(differences: ArrayLike) -> tuple[Floats, float]:
    """The differences and the sum over repeats of their squared spread within a pair."""
    apart = np.asarray(differences, dtype=np.float64)
    if apart.shape != (5, 2):
        raise OptionError(f"the differences have shape {apart.shape}", "5 repeats of 2 folds, for a 5 x 2 test")
    spread = float(((apart - apart.mean(1, keepdims=True)) ** 2).sum())
    return apart, 0.0 if spread <= 1e-24 else spread


def _undefined_test(test: str, null: str, method: str, why: str) -> TestResult:
    return TestResult(test, null, math.nan, math.nan, method, why)


TESTS = ("corrected-t", "paired-t")
STEPWISE = "{} is a stepwise adjustment without simultaneous intervals"
MADE_FOR = "the test is valid for folds and random splits"
NOT_DRAWN = (
    f"{MADE_FOR}; declare given splits random by given(random=True), or choose a test by name (--method, method=)"
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
        raise InputError(f"only {len(scores)} algorithm to compare", "at least two besides the baseline")
    named = list(combinations(scores, 2))
    each = bonferroni_level(level, len(named)) if adjust == "bonferroni" else level
    against = why or gap_not_shown(next(iter(scores.values())))
    found = [_compare_pair(scores, names, test, each, against, is_asked=method is not None) for names in named]
    raised = adjusted(np.array([pair.p_value for pair in found]), adjust, len(scores), 1 - level)
    pairs = [replace(pair, adjusted=float(p)) for pair, p in zip(found, raised, strict=True)]
    if adjust not in ("bonferroni", "none"):
        pairs = [
            replace(pair, low=math.nan, high=math.nan, note=pair.note or STEPWISE.format(adjust)) for pair in pairs
        ]
    return AllPairs(test, adjust, level, tuple(pairs), scores)


def _compare_pair(
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
