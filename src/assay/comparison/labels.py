"""Are two classifiers equally often right about the same cases? Only cases about which one of them is wrong can tell.

The default is the score test with Tango's interval, which holds exactly the differences that test does not reject, so
that the two never contradict one another. McNemar's test in its other forms and other intervals go by their names.

Who was right, where cases come in clusters (patients, sites, documents) and depend on one another inside them.

Several classifiers on the same cases, and the labels two of them give: omnibus tests with the pairs behind them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import bdtr, stdtr, stdtrit

from assay.comparison.adjustment import bonferroni_level
from assay.comparison.pair_table import (
    Compared,
    chi_square,
    furthest,
    obstacle,
    pair_table,
    quantile,
    refused,
    two_sided,
)
from assay.errors import OptionError
from assay.evidence import ConfusionMatrix
from assay.evidence.paired import JointCorrectness, PairedCorrectness
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Interval, NullDistribution, PairTable, TestResult, counted, counted_of
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS, larger_cluster_shift

# Below this many clusters nothing tells how they vary.
FEWEST_CLUSTERS = 3


def clustered_test(clusters: Floats, level: float = 0.95) -> Compared:
    """Whether two classifiers are right equally often about clustered cases, and the interval of the difference.

    The test is Obuchowski's contrast (1998): each cluster's cases only the first got right less those only the second
    did, referred to t with one degree fewer than clusters. The interval holds every difference D for which the
    clusters' wins less D times their sizes pass the same test (Fieller). Both also allow for a cluster larger than any
    in the sample (`larger_cluster_shift`): the test rejects only what it would also reject with one. `clusters` has who
    was right in each.

    >>> tables = np.array([[[1, 1], [2, 6]], [[0, 2], [4, 4]], [[2, 1], [3, 4]], [[1, 0], [0, 9]]])
    >>> test, interval = clustered_test(tables)
    >>> round(test.p_value, 4), round(interval.low, 4), round(interval.high, 4)
    (0.0796, -0.0273, 0.2773)
    """
    level = checked_level(level)
    sizes = clusters.sum((-2, -1))
    # Those without a case of the class that a rate is about take no part.
    of = len(sizes)
    clusters, sizes = clusters[sizes > 0], sizes[sizes > 0]
    wins, groups = clusters[:, 1, 0] - clusters[:, 0, 1], len(sizes)
    said = counted_of(groups, of, "cluster")
    name, label = "clustered difference", f"Obuchowski's contrast, t, {said}"
    if groups < FEWEST_CLUSTERS:
        why = f"{said}: at least {FEWEST_CLUSTERS} needed"
        return refused(name, EQUAL, why), Interval.missing(label, why)
    if not wins.any():
        why = "the classifiers do not differ in any cluster"
        return TestResult(name, EQUAL, 0.0, 1.0, label), Interval.missing(label, why)
    spread = float(np.var(wins, ddof=1))
    if spread == 0:
        why = "every cluster has the same net wins, so their variance is 0"
        return refused(name, EQUAL, why), Interval.missing(label, why)
    won, more = float(wins.sum()), _wins_with_larger_cluster(wins, sizes)
    # The same sign with and without a larger cluster, or nothing is significant.
    nearer = min(won, more, key=abs) if won * more > 0 else 0.0
    t = nearer / math.sqrt(spread * groups)
    test = TestResult(name, EQUAL, t, float(2 * stdtr(groups - 1, -abs(t))), label)
    label = f"Fieller, t, {said}"
    first, second = (_fieller(wins, sizes, net, level, label) for net in (won, more))
    if first.undefined is not None or second.undefined is not None:
        return test, first
    return test, Interval(min(first.low, second.low), max(first.high, second.high), label)


def _wins_with_larger_cluster(wins: Floats, sizes: Floats) -> float:
    """The net wins of as many cases, were there a cluster larger than any in the sample."""
    total, won = float(sizes.sum()), float(wins.sum())
    return won + total * larger_cluster_shift((wins - won / total * sizes) / total, sizes / total)


def _fieller(wins: Floats, sizes: Floats, won: float, level: float, label: str) -> Interval:
    """Where the t test of wins - D sizes is not significant, of so many net wins: between the roots of a parabola."""
    groups = len(sizes)
    reach = float(stdtrit(groups - 1, 0.5 + level / 2)) ** 2 * groups
    ww, wn, _, nn = (float(x) for x in np.cov(wins, sizes).ravel())
    total = float(sizes.sum())
    curve = total**2 - reach * nn
    if curve <= 0:
        return Interval.missing(label, "a few clusters have most of the cases, so the difference has no bound")
    middle, end = won * total - reach * wn, won**2 - reach * ww
    half = math.sqrt(max(middle**2 - curve * end, 0.0))
    return Interval(max(-1.0, (middle - half) / curve), min(1.0, (middle + half) / curve), label)


def clustered_mcnemar(paired: PairedCorrectness, form: str = "Obuchowski") -> TestResult:
    """McNemar's test adjusted for clusters, by the name of its author, referred to chi-square as published.

    "Obuchowski" (1998) counts every case alike, "Durkalski" (2003) every cluster alike, whatever its size.

    >>> tables = np.array([[[1, 1], [2, 6]], [[0, 2], [4, 4]], [[2, 1], [3, 4]], [[1, 0], [0, 9]]])
    >>> paired = PairedCorrectness(tables.sum(0), clusters=tables)
    >>> [round(clustered_mcnemar(paired, form).p_value, 4) for form in ("Obuchowski", "Durkalski")]
    [0.1489, 0.0956]
    """
    checked_choice(form, ("Obuchowski", "Durkalski"), "form")
    name = "McNemar for clustered pairs"
    if paired.clusters is None:
        return refused(name, EQUAL, "these cases have no clusters; use mcnemar")
    sizes = paired.clusters.sum((-2, -1))
    clusters, sizes = paired.clusters[sizes > 0], sizes[sizes > 0]
    wins = clusters[:, 1, 0] - clusters[:, 0, 1]
    if len(sizes) < FEWEST_CLUSTERS:
        said = counted_of(len(sizes), len(paired.clusters), "cluster")
        return refused(name, EQUAL, f"{said}: at least {FEWEST_CLUSTERS} needed")
    if not wins.any():
        return chi_square(name, EQUAL, 0.0, 0, form)
    each = wins if form == "Obuchowski" else wins / sizes
    bessel = (len(sizes) - 1) / len(sizes) if form == "Obuchowski" else 1.0
    return chi_square(name, EQUAL, bessel * float(each.sum() ** 2 / (each @ each)), 1, form)


EQUAL = "both classifiers have the same accuracy"
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
    few = f"{counted(n, 'case')}: at least {FEWEST_CASES} needed"

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


def _exact_mcnemar(b: float, c: float) -> tuple[float, float]:
    return b, min(1.0, 2 * float(bdtr(min(b, c), int(b + c), 0.5)))


def _mid_p_mcnemar(b: float, c: float) -> tuple[float, float]:
    """Twice the tail less the probability of what was seen; not clipped first, so that b = c gives exactly 1."""
    fewer, m = min(b, c), int(b + c)
    below = float(bdtr(fewer - 1, m, 0.5)) if fewer > 0 else 0.0
    return b, min(1.0, float(bdtr(fewer, m, 0.5)) + below)


def _corrected_mcnemar(b: float, c: float) -> tuple[float, float]:
    # Never past the centre: b = c is no evidence, whatever the correction subtracts.
    z = max(abs(b - c) - 1, 0.0) / math.sqrt(b + c)
    return z * z, two_sided(z)


def _uncorrected_mcnemar(b: float, c: float) -> tuple[float, float]:
    z = (b - c) / math.sqrt(b + c)
    return z * z, two_sided(z)


MCNEMAR_FORMS: Mapping[str, Callable[[float, float], tuple[float, float]]] = MappingProxyType(
    {
        "mid-p": _mid_p_mcnemar,
        "exact": _exact_mcnemar,
        "corrected": _corrected_mcnemar,
        "uncorrected": _uncorrected_mcnemar,
    }
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
        why = "the classifiers do not differ on any case"
        return Estimate("discordant_odds", math.nan, math.nan, math.nan, level, name, 0, undefined=why)
    low, high = (_odds_of_share(share) for share in PROPORTION_METHODS[name](b, b + c, level))
    return Estimate("discordant_odds", _odds_of_share(b / (b + c)), low, high, level, name, b + c)


def _odds_of_share(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def tango_limits(b: Any, c: Any, n: Any, level: float) -> tuple[Any, Any]:
    """All differences the score test does not reject (Tango 1998), for one table or whole arrays of them.

    >>> [round(limit, 5) for limit in tango_limits(1.0, 7.0, 21.0, 0.95)]
    [-0.51723, -0.026]
    """
    z = quantile(level)
    # The lower limit is the upper one with the classifiers exchanged.
    return -_tango_upper_limit(c, b, n, z), _tango_upper_limit(b, c, n, z)


def _tango_upper_limit(b: Any, c: Any, n: Any, z: float) -> Any:
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
    few = f"{counted(float(paired.total), 'case')}: at least {FEWEST_CASES} needed"

    def limits() -> Interval:
        _, b, c, _, n = _paired_cells(paired)
        se = math.sqrt(max(b + c - (b - c) ** 2 / n, 0.0)) / n if method == "Wald" else None
        return Interval(*DIFFERENCE_METHODS[method](paired, level), method, se=se)

    return limits() if float(paired.total) >= FEWEST_CASES else Interval.missing(method, few, limits)


def _tango_limits(paired: PairedCorrectness, level: float) -> Limits:
    _, b, c, _, n = _paired_cells(paired)
    low, high = tango_limits(b, c, n, level)
    return low, high


def _newcombe_limits(paired: PairedCorrectness, level: float) -> Limits:
    """Newcombe (1998) method 10: from Wilson's limits of either accuracy, with their correlation."""
    a, b, c, d, n = _paired_cells(paired)
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


def _wald_method(added: float = 0.0, cases: float = 0.0, *, corrected: bool = False) -> Callable[..., Limits]:
    """Wald's interval after adding so many cases to either kind of discordant ones, and in all."""

    def limits(paired: PairedCorrectness, level: float) -> Limits:
        _, b, c, _, n = _paired_cells(paired)
        return _wald_limits(b + added, c + added, n + cases, level, extra=1 / n if corrected else 0.0)

    return limits


def _wald_limits(b: float, c: float, n: float, level: float, extra: float = 0.0) -> Limits:
    difference = (b - c) / n
    half = quantile(level) * math.sqrt(max(b + c - n * difference**2, 0.0)) / n + extra
    return max(-1.0, difference - half), min(1.0, difference + half)


def _paired_cells(paired: PairedCorrectness) -> tuple[float, float, float, float, float]:
    a, b, c, d = (float(x) for x in (paired.both, paired.only_first, paired.only_second, paired.neither))
    return a, b, c, d, a + b + c + d


# Only Tango's interval belongs to a test; beside the others no p-value may stand.
DIFFERENCE_METHODS: Mapping[str, Callable[[PairedCorrectness, float], Limits]] = MappingProxyType(
    {
        TANGO: _tango_limits,
        "Newcombe 10": _newcombe_limits,
        "Bonett-Price": _wald_method(1, 2),  # (2012)
        "Agresti-Min": _wald_method(0.5, 2),  # (2005): half a case in every cell
        "Wald": _wald_method(),
        "Wald, continuity corrected": _wald_method(corrected=True),  # Fleiss (1981), as the slides mean it
    }
)


ONE_BY_ONE = "the score test of each pair (right_pairs)"
# Eigenvalues of a covariance below this share of the largest are rounding.
NEGLIGIBLE = 1e-10


def cochran_q(joint: JointCorrectness) -> TestResult:
    """Tests that several classifiers are right equally often about the same cases (Cochran 1950).

    Only cases about which they disagree count. With two classifiers it is McNemar's test without correction.

    >>> right = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0]], dtype=bool)
    >>> cochran_q(JointCorrectness.of(right, ("a", "b", "c")))
    Cochran's Q (chi-square, 2 degrees): statistic 5.2, p = 0.0743; null: all classifiers have the same accuracy
    """
    name, null = "Cochran's Q", "all classifiers have the same accuracy"
    reason = obstacle(joint, ONE_BY_ONE)
    if reason is not None:
        return refused(name, null, reason)
    together = joint.counts[1:, 1:]
    each, k = np.diagonal(together), len(together)
    total = float(each.sum())
    disagreement = k * total - float(together.sum())
    statistic = (k - 1) * float(k * (each**2).sum() - total**2) / disagreement if disagreement > 0 else 0.0
    degrees = k - 1 if disagreement > 0 else 0
    return chi_square(name, null, statistic, degrees, f"chi-square, {k - 1} degrees")


def right_pairs(joint: JointCorrectness, level: float = 0.95) -> PairTable:
    """Every pair's difference in accuracy with the score test, intervals and p-values adjusted alike (Bonferroni).

    >>> right = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 1, 0], [1, 0, 0]] * 3, dtype=bool)
    >>> print(right_pairs(JointCorrectness.of(right, ("a", "b", "c"))).text(72))
    first  second             difference  p_value
    a      b       0.167 [-0.241, 0.519]    0.952
    a      c        0.667 [0.264, 0.862]    0.002
    b      c        0.500 [0.138, 0.746]    0.008
    <BLANKLINE>
    method: score, Bonferroni over 3
    """
    pairs = list(combinations(range(len(joint.names)), 2))
    each = [joint.pair(i, j) for i, j in pairs]
    found = [compare_correctness(pair, _adjusted_level(level, len(pairs))) for pair in each]
    differences = [float((pair.only_first - pair.only_second) / pair.total) for pair in each]
    return pair_table(_pairs_by_name(joint.names, pairs), differences, found, "Accuracy, pair by pair")


def stuart_maxwell(matrix: ConfusionMatrix) -> TestResult:
    """Tests that two sets of labels hold each class equally often: marginal homogeneity (Stuart 1955, Maxwell 1970).

    Of two classifiers' decisions (`PairedDecisions.labels()`), or of truth and decisions (a confusion matrix).

    >>> stuart_maxwell(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]])))
    Stuart-Maxwell (chi-square, 2 degrees): statistic 0.819048, p = 0.664; null: both hold each class equally often
    """
    name, null = "Stuart-Maxwell", "both hold each class equally often"
    reason = obstacle(matrix, "class_shares on the effective number of cases")
    if reason is not None:
        return refused(name, null, reason)
    counts = _square_matrix(matrix)
    rows, columns = counts.sum(1), counts.sum(0)
    covariance = np.diag(rows + columns) - counts - counts.T
    degrees = int(np.linalg.matrix_rank(covariance, tol=NEGLIGIBLE * counts.sum(), hermitian=True))
    distance = rows - columns
    statistic = float(distance @ np.linalg.pinv(covariance, rcond=NEGLIGIBLE, hermitian=True) @ distance)
    return chi_square(name, null, statistic if degrees else 0.0, degrees, f"chi-square, {degrees} degrees")


def bowker(matrix: ConfusionMatrix) -> TestResult:
    """Tests that two sets of labels are exchanged equally often either way: symmetry (Bowker 1948).

    Pairs of classes that were never exchanged say nothing and take no degree of freedom.

    >>> bowker(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]])))
    Bowker (chi-square, 3 degrees): statistic 5.85714, p = 0.119; null: each two classes are exchanged equally often...
    """
    name, null = "Bowker", "each two classes are exchanged equally often either way"
    reason = obstacle(matrix, "label_pairs on the effective number of cases")
    if reason is not None:
        return refused(name, null, reason)
    counts = _square_matrix(matrix)
    above = np.triu_indices(len(counts), 1)
    one, other = counts[above], counts.T[above]
    seen = one + other > 0
    statistic = float(((one - other)[seen] ** 2 / (one + other)[seen]).sum())
    degrees = int(seen.sum())
    return chi_square(name, null, statistic, degrees, f"chi-square, {degrees} degrees")


def class_shares(matrix: ConfusionMatrix, level: float = 0.95) -> PairTable:
    """Behind Stuart-Maxwell: for each class its share among the rows' labels less that among the columns'.

    Each is a score test of a paired difference with its interval, adjusted alike (Bonferroni).

    >>> class_shares(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]]))).columns["difference"]
    [-0.024..., -0.012..., 0.036...]
    """
    counts, names = _square_matrix(matrix.effective()), matrix.decisions
    rows, columns, same, n = counts.sum(1), counts.sum(0), np.diagonal(counts), float(counts.sum())
    inner = _adjusted_level(level, len(names))
    cells = list(zip((rows - same).tolist(), (columns - same).tolist(), strict=True))
    found = [score_test(b, c, n, inner) for b, c in cells]
    return pair_table(
        {"class": names}, [(b - c) / n for b, c in cells], found, "Share of each class, rows less columns"
    )


def label_pairs(matrix: ConfusionMatrix, level: float = 0.95) -> PairTable:
    """Behind Bowker: for each two classes how much oftener one became the other than the other way round.

    >>> print(label_pairs(ConfusionMatrix(np.array([[20, 5, 1], [2, 30, 3], [6, 1, 15]]), ("a", "b", "c"))).text(72))
    first  second              difference  p_value
    a      b        0.036 [-0.054, 0.136]    0.771
    a      c       -0.060 [-0.162, 0.023]    0.176
    b      c        0.024 [-0.054, 0.112]    0.952
    <BLANKLINE>
    method: score, Bonferroni over 3
    """
    counts, names = _square_matrix(matrix.effective()), matrix.decisions
    pairs = list(combinations(range(len(names)), 2))
    n = float(counts.sum())
    cells = [(float(counts[i, j]), float(counts[j, i])) for i, j in pairs]
    found = [score_test(b, c, n, _adjusted_level(level, len(pairs))) for b, c in cells]
    return pair_table(
        _pairs_by_name(names, pairs), [(b - c) / n for b, c in cells], found, "Exchanged labels, pair by pair"
    )


def _pairs_by_name(names: Sequence[str], pairs: Sequence[tuple[int, int]]) -> dict[str, list[str]]:
    return {"first": [names[i] for i, _ in pairs], "second": [names[j] for _, j in pairs]}


def _adjusted_level(level: float, comparisons: int) -> float:
    return bonferroni_level(level, max(comparisons, 1))


def _square_matrix(matrix: ConfusionMatrix) -> Floats:
    """The counts with a row for every decision: labels that never occur among the rows have an empty one."""
    counts = matrix.counts
    padded: Floats = np.zeros((counts.shape[1], counts.shape[1]))
    padded[: counts.shape[0]] = counts
    return padded
