"""Are two classifiers equally often right about the same cases? Only cases about which one of them is wrong can tell.

The default is the score test with Tango's interval, which holds exactly the differences that test does not reject, so
that the two never contradict one another. McNemar's test in its other forms and other intervals go by their names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from scipy.special import bdtr

from assay.comparison._tables import Compared, furthest, obstacle, quantile, refused, two_sided
from assay.comparison.clustered import clustered_test
from assay.errors import OptionError
from assay.evidence.paired import PairedCorrectness
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Interval, NullDistribution, TestResult, counted
from assay.uncertainty import PROPORTION_METHODS

EQUAL = "both classifiers are right equally often"
SCORE = "score test of a paired difference"
TANGO = "Tango"
# Below this Tango's interval falls short of 92 % (summed exactly: .919 with 5 cases).
FEWEST_CASES = 8

Limits = tuple[float, float]


def score_test(b: float, c: float, n: float, level: float = 0.95) -> Compared:
    """Whether two classifiers are right equally often, and the interval of the difference: first minus second.

    `b` cases only the first got right, `c` only the second, of `n`. The p-value is McNemar's without correction; the
    interval (Tango 1998) holds every difference the same test does not reject.

    >>> test, interval = score_test(47, 10, 569)
    >>> round(test.p_value, 9), round(interval.low, 5), round(interval.high, 5)
    (9.55e-07, 0.04061, 0.09248)
    >>> score_test(0, 0, 40)[0].p_value
    1.0
    """
    level = checked_level(level)
    if n <= 0:
        reason = "there are no cases"
        return refused(SCORE, EQUAL, reason), Interval.missing(TANGO, reason)
    z = (b - c) / math.sqrt(b + c) if b + c > 0 else 0.0
    test = TestResult(SCORE, EQUAL, z, two_sided(z), "score")
    few = f"{counted(n, 'case')}: below {FEWEST_CASES} Tango's interval did not keep its level"

    def limits() -> Interval:
        return Interval(*tango_limits(b, c, n, level), TANGO)

    return test, limits() if n >= FEWEST_CASES else Interval.missing(TANGO, few, limits)


def compare_correctness(paired: PairedCorrectness, level: float = 0.95) -> Compared:
    """The score test and its interval for any design: equal cases, weighted ones, or cases in clusters.

    With weights the counts are those of equally weighted cases that would be as informative about a difference. With
    clusters a t test of the clusters' net wins takes the test's place (see `clustered_test`).

    >>> compare_correctness(PairedCorrectness.named(both=483, only_first=47, only_second=10, neither=29))[1].method
    'Tango'
    """
    if paired.clusters is not None:
        return clustered_test(paired.clusters, level)
    b, c, n = (float(x) for x in (paired.only_first, paired.only_second, paired.total))
    if paired.squares is None or n == 0:
        return score_test(b, c, n, level)
    spread = float(paired.squares[1, 0] + paired.squares[0, 1])
    # The null variance of a weighted difference is the squared weights of discordant cases: matching it sets the scale.
    # Never more than Kish's number of cases: where the light ones happen to differ, that variance is too small.
    kish = n / float(paired.squares.sum())
    scale = min((b + c) / spread, kish) if spread > 0 else kish
    test, interval = score_test(scale * b, scale * c, scale * n, level)
    note = f", effective n {scale * n:.4g}"
    return replace(test, method=test.method + note), replace(interval, method=interval.method + note, otherwise=None)


def mcnemar(b: float, c: float, form: str = "mid-p") -> TestResult:
    """McNemar's test that neither classifier is right more often, from the cases only one of them got right.

    `form` is "mid-p" (the nearest to its level of the small-sample forms), "exact" (never above it, often far below),
    "corrected" (as textbooks print it; more conservative still) or "uncorrected" (the score test).

    >>> [round(mcnemar(1, 7, form).p_value, 4) for form in ("uncorrected", "corrected", "exact", "mid-p")]
    [0.0339, 0.0771, 0.0703, 0.0391]
    >>> mcnemar(0, 0, "corrected").p_value
    1.0
    """
    checked_choice(form, MCNEMAR_FORMS, "form")
    if form in ("mid-p", "exact") and (b % 1 or c % 1):
        found = f"{b:g} and {c:g} are no whole cases, and the {form} form counts them"
        raise OptionError(found, "form='uncorrected', which takes weights")
    statistic, p_value = MCNEMAR_FORMS[form](b, c) if b + c > 0 else (0.0, 1.0)
    distribution = NullDistribution("chi-square", (1,)) if form in ("corrected", "uncorrected") else None
    return TestResult("McNemar", EQUAL, statistic, p_value, form, null_distribution=distribution)


def mcnemar_of(paired: PairedCorrectness, form: str = "mid-p") -> TestResult:
    """McNemar's test of a table; refuses weights and clusters, which `compare_correctness` takes."""
    reason = obstacle(paired, "the score test (compare_correctness)")
    if reason is not None:
        return refused("McNemar", EQUAL, reason)
    return mcnemar(float(paired.only_first), float(paired.only_second), form)


def _exact(b: float, c: float) -> tuple[float, float]:
    return b, min(1.0, 2 * float(bdtr(min(b, c), int(b + c), 0.5)))


def _mid_p(b: float, c: float) -> tuple[float, float]:
    """Twice the tail less the probability of what was seen; not clipped first, so that b = c gives exactly 1."""
    fewer, m = min(b, c), int(b + c)
    below = float(bdtr(fewer - 1, m, 0.5)) if fewer > 0 else 0.0
    return b, min(1.0, float(bdtr(fewer, m, 0.5)) + below)


def _corrected(b: float, c: float) -> tuple[float, float]:
    # Never past the centre: b = c is no evidence, whatever the correction subtracts.
    z = max(abs(b - c) - 1, 0.0) / math.sqrt(b + c)
    return z * z, two_sided(z)


def _uncorrected(b: float, c: float) -> tuple[float, float]:
    z = (b - c) / math.sqrt(b + c)
    return z * z, two_sided(z)


MCNEMAR_FORMS: Mapping[str, Callable[[float, float], tuple[float, float]]] = MappingProxyType(
    {"mid-p": _mid_p, "exact": _exact, "corrected": _corrected, "uncorrected": _uncorrected}
)


def discordant_odds(b: float, c: float, level: float = 0.95, form: str = "mid-p") -> Estimate:
    """How many times as often the first alone is right as the second alone, with limits from McNemar's own test.

    The limits are those of the share b / (b + c): Clopper-Pearson's for the exact form, mid-p's for mid-p. They hold 1
    if and only if that form's p-value is above 1 - level.

    >>> discordant_odds(13, 6, form="exact")
    2.17 [0.77, 6.95]
    """
    level = checked_level(level)
    checked_choice(form, ("mid-p", "exact"), "form")
    name = "Clopper-Pearson" if form == "exact" else "mid-p"
    if b + c == 0:
        why = "no case tells the classifiers apart"
        return Estimate("discordant_odds", math.nan, math.nan, math.nan, level, name, 0, undefined=why)
    low, high = (_odds(share) for share in PROPORTION_METHODS[name](b, b + c, level))
    return Estimate("discordant_odds", _odds(b / (b + c)), low, high, level, name, b + c)


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def tango_limits(b: Any, c: Any, n: Any, level: float) -> tuple[Any, Any]:
    """All differences the score test does not reject (Tango 1998), for one table or whole arrays of them.

    >>> [round(limit, 5) for limit in tango_limits(1.0, 7.0, 21.0, 0.95)]
    [-0.51723, -0.026]
    """
    z = quantile(level)
    # The lower limit is the upper one with the classifiers exchanged.
    return -_upper(c, b, n, z), _upper(b, c, n, z)


def _upper(b: Any, c: Any, n: Any, z: float) -> Any:
    def is_inside(difference: Any) -> Any:
        # Multiplied out: at the ends of the range the error is 0.
        return b - c - n * difference > -z * null_error(b, c, n, difference)

    return furthest(is_inside, (b - c) / n, 1.0)


def tango_excludes(b: Any, c: Any, n: Any, difference: float, level: float) -> tuple[Any, Any]:
    """Whether Tango's interval lies all above a difference, and whether all below it: for one table or whole arrays.

    >>> tango_excludes(47.0, 10.0, 569.0, 0.0, 0.95), tango_excludes(20.0, 15.0, 569.0, 0.0, 0.95)
    ((True, False), (False, False))
    """
    z = quantile(level)
    above = c - b + n * difference <= -z * null_error(c, b, n, -difference)
    below = b - c - n * difference <= -z * null_error(b, c, n, difference)
    # Without a discordant case nothing is excluded but what the error of that difference excludes.
    return above & ((b - c) / n > difference), below & ((b - c) / n < difference)


def null_error(b: Any, c: Any, n: Any, difference: Any) -> Any:
    """The standard error of b - c were this the true difference, with the share of c that then fits best.

    >>> round(null_error(13.0, 6.0, 569.0, 0.0) ** 2, 9)  # at no difference, that of McNemar's test
    19.0
    """
    linear = -b - c + (2 * n - b + c) * difference
    # Neither is below 0 but for rounding.
    root = abs(linear * linear + 8 * n * c * difference * (1 - difference)) ** 0.5
    return abs((root - linear) / 2 + n * difference * (1 - difference)) ** 0.5


def difference_interval(paired: PairedCorrectness, level: float = 0.95, method: str = TANGO) -> Interval:
    """The interval of the first's accuracy less the second's by the method named; only Tango's belongs to a test.

    >>> table = PairedCorrectness.named(both=36, only_first=12, only_second=2, neither=0)
    >>> found = difference_interval(table, method="Newcombe 10")
    >>> round(found.low, 5), round(found.high, 5)
    (0.05693, 0.34043)
    """
    level = checked_level(level)
    checked_choice(method, DIFFERENCE_METHODS, "method")
    reason = obstacle(paired, "the score test (compare_correctness)")
    if reason is not None:
        return Interval.missing(method, reason)
    few = f"{counted(float(paired.total), 'case')}: below {FEWEST_CASES} no interval kept its level"

    def limits() -> Interval:
        _, b, c, _, n = _cells(paired)
        se = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n if method == "Wald" else None
        return Interval(*DIFFERENCE_METHODS[method](paired, level), method, se=se)

    return limits() if float(paired.total) >= FEWEST_CASES else Interval.missing(method, few, limits)


def _tango(paired: PairedCorrectness, level: float) -> Limits:
    _, b, c, _, n = _cells(paired)
    low, high = tango_limits(b, c, n, level)
    return low, high


def _newcombe(paired: PairedCorrectness, level: float) -> Limits:
    """Newcombe (1998) method 10: from Wilson's limits of either accuracy, with their correlation."""
    a, b, c, d, n = _cells(paired)
    wilson = PROPORTION_METHODS["Wilson"]
    (low1, high1), (low2, high2) = wilson(a + b, n, level), wilson(a + c, n, level)
    p1, p2, phi = (a + b) / n, (a + c) / n, _corrected_phi(a, b, c, d)
    below, above = (p1 - low1, high2 - p2), (high1 - p1, p2 - low2)
    reach = (math.sqrt(max(x * x - 2 * phi * x * y + y * y, 0.0)) for x, y in (below, above))
    down, up = reach
    return p1 - p2 - down, p1 - p2 + up


def _corrected_phi(a: float, b: float, c: float, d: float) -> float:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    half, product = (a + b + c + d) / 2, a * d - b * c
    if product > 0:
        product = max(product - half, 0.0)
    return product / math.sqrt(margins)


def _wald(added: float = 0.0, cases: float = 0.0, *, corrected: bool = False) -> Callable[..., Limits]:
    """Wald's interval after adding so many cases to either kind of discordant ones, and in all."""

    def limits(paired: PairedCorrectness, level: float) -> Limits:
        _, b, c, _, n = _cells(paired)
        return _wald_limits(b + added, c + added, n + cases, level, extra=1 / n if corrected else 0.0)

    return limits


def _wald_limits(b: float, c: float, n: float, level: float, extra: float = 0.0) -> Limits:
    difference = (b - c) / n
    half = quantile(level) * math.sqrt(max(b + c - n * difference**2, 0.0)) / n + extra
    return max(-1.0, difference - half), min(1.0, difference + half)


def _cells(paired: PairedCorrectness) -> tuple[float, float, float, float, float]:
    a, b, c, d = (float(x) for x in (paired.both, paired.only_first, paired.only_second, paired.neither))
    return a, b, c, d, a + b + c + d


# Only Tango's interval belongs to a test; beside the others no p-value may stand.
DIFFERENCE_METHODS: Mapping[str, Callable[[PairedCorrectness, float], Limits]] = MappingProxyType(
    {
        TANGO: _tango,
        "Newcombe 10": _newcombe,
        "Bonett-Price": _wald(1, 2),  # (2012)
        "Agresti-Min": _wald(0.5, 2),  # (2005): half a case in every cell
        "Wald": _wald(),
        "Wald, continuity corrected": _wald(corrected=True),  # Fleiss (1981), as the slides mean it
    }
)
