"""Which algorithms differ? Comparisons of all pairs, or of all with one, and the critical difference.

Is one algorithm better than another over data sets? Signed ranks and signs of the differences.

P-values of many comparisons at once, adjusted so that each can be held against alpha directly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import bdtr, log_ndtr, ndtr, ndtri
from scipy.stats import rankdata

from assay.ranks.input import settled
from assay.ranks.omnibus import aligned_ranks, quade_weights, ranks_within
from assay.renderers import in_notebook
from assay.request import checked_between, checked_choice
from assay.results import NAN, PairRow, PairTable, TestResult
from assay.types import Floats

Zeros = Literal["drop", "pratt"]
Method = Literal["auto", "exact", "normal", "normal, continuity corrected"]
NULL = "the differences between the algorithms are symmetric about 0"
# Up to so many data sets the whole distribution is counted.
MOST_EXACT = 200


@dataclass(frozen=True)
class SignedRanks:
    """The ranks of the absolute differences, summed over those for the first and those for the second algorithm.

    `ranks` are those of the differences that are not zero.
    """

    up: float
    down: float
    ranks: Floats

    @property
    def smaller(self) -> float:
        """The smaller sum, which tables call T."""
        return min(self.up, self.down)


def signed_ranks(differences: Floats, zeros: Zeros = "drop") -> SignedRanks:
    """Rank sums of differences: zeros are left out before ranking ("drop") or only after it ("pratt").

    >>> signed_ranks(np.array([0.3, -0.1, 0.2, 0.0]))
    SignedRanks(up=5.0, down=1.0, ranks=array([3., 1., 2.]))
    """
    gone = settled(differences)
    kept = gone if zeros == "pratt" else gone[gone != 0]
    ranks = rankdata(np.abs(kept))
    return SignedRanks(float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum()), ranks[kept != 0])


def typical_difference(differences: Floats) -> float:
    """The difference that leaves signed ranks in balance: the median of the means of all pairs of differences.

    >>> typical_difference(np.array([0.1, 0.2, 0.9]))
    0.35

    References: Hodges & Lehmann (1963).
    """
    i, j = np.triu_indices(len(differences))
    return float(np.median(settled((differences[i] + differences[j]) / 2)))


def wilcoxon(first: Floats, second: Floats, *, zeros: Zeros = "drop", method: Method = "auto") -> TestResult:
    """Whether one algorithm is better than another over data sets, by Wilcoxon's signed ranks, two-sided.

    It looks at these two algorithms alone. The exact distribution counts every way the signs could have fallen, given
    the ranks, tied ones included; it is used up to 200 differences. The statistic is the sum of the first's ranks.

    >>> first, second = np.array([0.9, 0.8, 0.7, 0.9, 0.6, 0.8]), np.array([0.8, 0.6, 0.4, 0.5, 0.1, 0.2])
    >>> wilcoxon(first, second).p_value
    0.03125

    References: Wilcoxon (1945); Pratt (1959); Demsar (2006).
    """
    found = signed_ranks(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), zeros)
    name = "Wilcoxon signed-rank"
    if not len(found.ranks):
        return TestResult(name, NULL, NAN, NAN, method, "both algorithms are equal on every data set")
    if method == "exact" or (method == "auto" and len(found.ranks) <= MOST_EXACT):
        return TestResult(name, NULL, found.up, _exact_p_value(found), f"exact, zeros {_zeros_words(zeros)}")
    correction = 0.5 if method == "normal, continuity corrected" else 0.0
    words = f"{'normal' if method == 'auto' else method}, zeros {_zeros_words(zeros)}"
    return TestResult(name, NULL, found.up, _signed_rank_normal(found, correction), words)


def _zeros_words(zeros: Zeros) -> str:
    return "dropped" if zeros == "drop" else "ranked and then dropped (Pratt)"


def _exact_p_value(found: SignedRanks) -> float:
    """Twice the share of sign patterns whose smaller sum is as small; doubled ranks are whole, ties included."""
    doubled = np.rint(2 * found.ranks).astype(np.int64)
    chances = np.ones(1)
    for rank in doubled:
        longer = np.zeros(len(chances) + rank)
        longer[: len(chances)] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    return min(1.0, 2 * float(chances[: round(2 * found.smaller) + 1].sum()))


def _signed_rank_normal(found: SignedRanks, correction: float) -> float:
    spread = np.sqrt((found.ranks**2).sum()) / 2
    z = max(0.0, (found.up + found.down) / 2 - found.smaller - correction) / spread
    return float(2 * ndtr(-z))


def sign_test(first: Floats, second: Floats) -> TestResult:
    """Whether one algorithm wins on more data sets than another, by the exact two-sided sign test; ties are left out.

    The statistic is the number of data sets the first one wins.

    >>> round(sign_test(np.array([3.0, 3, 3, 3, 3, 1, 2]), np.array([1.0, 1, 1, 1, 1, 2, 2])).p_value, 5)
    0.21875
    """
    gone = settled(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64))
    wins, losses = int((gone > 0).sum()), int((gone < 0).sum())
    if not wins + losses:
        return TestResult("Sign test", NULL, NAN, NAN, "exact", "both algorithms are equal on every data set")
    p_value = min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
    return TestResult("Sign test", NULL, wins, p_value, "exact")


# The partitions of more algorithms than these no longer fit into memory.
MOST_FOR_BERGMANN = 10
# Rom's factors need binomial coefficients that a double no longer holds for more comparisons than these.
MOST_FOR_ROM = 1000


def pairs_of(count: int) -> list[tuple[int, int]]:
    """All pairs of algorithms, in the order in which their p-values stand."""
    return list(combinations(range(count), 2))


def _sorted_p_values(p: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The p-values from the smallest, and where each of the given ones stands among them."""
    order = sorted(range(len(p)), key=lambda i: float(p[i]))
    place = np.empty(len(p), dtype=np.int64)
    place[order] = np.arange(len(p))
    return p[order], place


def _step_down(p: Floats, stepped: Callable[[Floats, Floats], Floats]) -> Floats:
    """From the smallest up: none may be below one that is more extreme."""
    rising, place = _sorted_p_values(p)
    steps: Floats = np.minimum(1.0, np.maximum.accumulate(stepped(rising, np.arange(1.0, len(p) + 1))))
    return steps[place]


def _step_up(p: Floats, stepped: Callable[[Floats, Floats], Floats]) -> Floats:
    """From the largest down: none may be above one that is less extreme."""
    rising, place = _sorted_p_values(p)
    raised = stepped(rising, np.arange(1.0, len(p) + 1))
    steps: Floats = np.minimum(1.0, np.minimum.accumulate(raised[::-1])[::-1])
    return steps[place]


def _log_kept(p: Floats) -> Floats:
    return np.log1p(-np.minimum(p, 1 - 1e-16))


def _rom(p: Floats, alpha: float = 0.05) -> Floats:
    """Rom's factors hold for one alpha: these p-values may be held against that one only."""
    factors = _rom_factors(len(p), alpha)
    return _step_up(p, lambda rising, i: factors[::-1] * rising)


def _rom_factors(count: int, alpha: float) -> Floats:
    """What the largest p-value, the next one and so on are multiplied by: alpha over Rom's critical values."""
    critical = [alpha, alpha / 2][:count]
    for i in range(3, count + 1):
        powers = sum(alpha**j for j in range(1, i))
        taken = sum(math.comb(i, j) * critical[j] ** (i - j) for j in range(1, i - 1))
        critical.append((powers - taken) / i)
    return alpha / np.array(critical)


def _li(p: Floats) -> Floats:
    """Two steps: every p-value is weighed against the largest."""
    kept = 1 - float(p.max())
    return p / np.maximum(p + kept, np.finfo(float).tiny)


def _hommel(p: Floats) -> Floats:
    """The closed test of Simes' test, by its shortcut."""
    rising, place = _sorted_p_values(p)
    count = len(p)
    best = np.full(count, (count * rising / np.arange(1, count + 1)).min())
    found = best.copy()
    for size in range(count - 1, 1, -1):
        upper = np.arange(count - size + 1, count)
        least = (size * rising[upper] / np.arange(2, size + 1)).min()
        lower = np.arange(count - size + 1)
        found[lower] = np.minimum(size * rising[lower], least)
        found[upper] = found[count - size]
        best = np.maximum(best, found)
    return np.asarray(np.maximum(best, rising)[place])


# By name, what is done to p-values that know nothing of one another.
ADJUSTMENTS: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "none": lambda p: p.copy(),
        "bonferroni": lambda p: np.minimum(1.0, len(p) * p),
        "holm": lambda p: _step_down(p, lambda rising, i: (len(p) - i + 1) * rising),
        "hochberg": lambda p: _step_up(p, lambda rising, i: (len(p) - i + 1) * rising),
        "hommel": _hommel,
        "holland": lambda p: _step_down(p, lambda rising, i: -np.expm1((len(p) - i + 1) * _log_kept(rising))),
        "finner": lambda p: _step_down(p, lambda rising, i: -np.expm1(len(p) / i * _log_kept(rising))),
        "rom": _rom,
        "li": _li,
        "benjamini-hochberg": lambda p: _step_up(p, lambda rising, i: len(p) / i * rising),
    }
)


def shaffer(p: Floats, algorithms: int) -> Floats:
    """Holm's steps, with as many hypotheses as can still be true together: all pairs of algorithms are compared.

    References: Shaffer (1986), the static version.

    >>> shaffer(np.array([0.01, 0.02, 0.03]), 3).round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    possible = np.array(sorted(_true_together(algorithms)), dtype=np.float64)
    left = len(p) - np.arange(len(p))
    most = possible[np.searchsorted(possible, left, side="right") - 1]
    return _step_down(p, lambda rising, i: most * rising)


def _true_together(algorithms: int) -> set[int]:
    """How many pairs can be equal at once: those within the groups of some partition."""
    sizes: list[set[int]] = [{0}, {0}]
    for k in range(2, algorithms + 1):
        sizes.append({math.comb(j, 2) + rest for j in range(1, k + 1) for rest in sizes[k - j]})
    return sizes[algorithms]


def bergmann_hommel(p: Floats, algorithms: int) -> Floats:
    """The most powerful of these: every set of pairs that can be equal at once is tested, for up to 10 algorithms.

    As published, none is below that of a pair with a smaller p-value, though the sets alone would allow it.

    References: Bergmann & Hommel (1988); Garcia & Herrera (2008).

    >>> bergmann_hommel(np.array([0.01, 0.02, 0.03]), 3).round(3).tolist()
    [0.03, 0.03, 0.03]
    """
    together = _exhaustive_sets(algorithms)
    bounds = together.sum(1) * np.where(together, p, np.inf).min(1)
    highest: Floats = np.where(together, bounds[:, None], 0.0).max(0)
    rising, place = _sorted_p_values(p)
    by_size = np.empty_like(rising)
    by_size[place] = highest
    return np.asarray(np.minimum(1.0, np.maximum.accumulate(by_size))[place])


def _exhaustive_sets(algorithms: int) -> NDArray[np.bool_]:
    """For each partition of the algorithms into groups (but the one into single ones), which pairs share a group."""
    labels = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, algorithms):
        # Another algorithm joins any group there is, or opens the next one.
        widths = labels.max(1) + 2
        before = np.repeat(labels, widths, axis=0)
        last = np.arange(len(before)) - np.repeat(np.cumsum(widths) - widths, widths)
        labels = np.column_stack((before, last.astype(np.int8)))
    first, second = np.array(pairs_of(algorithms)).T
    shared: NDArray[np.bool_] = labels[:, first] == labels[:, second]
    together: NDArray[np.bool_] = shared[shared.any(1)]
    return together


# Those that know that the hypotheses are all pairs of so many algorithms, and gain from it.
LOGICAL: Mapping[str, Callable[[Floats, int], Floats]] = MappingProxyType(
    {"shaffer": shaffer, "bergmann-hommel": bergmann_hommel}
)


def adjusted(p: Floats, method: str, algorithms: int = 0, alpha: float = 0.05) -> Floats:
    """P-values adjusted by name; a nan stays one and counts among the comparisons as if its p were 1.

    `alpha` matters to "rom" alone, whose p-values may be held against that alpha and no other.

    >>> adjusted(np.array([0.01, 0.04, 0.03]), "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    checked_choice(method, (*ADJUSTMENTS, *LOGICAL), "method")
    alpha = checked_between(alpha, "alpha")
    known = np.where(np.isnan(p), 1.0, p)
    if method in LOGICAL:
        found = LOGICAL[method](known, algorithms)
    else:
        found = _rom(known, alpha) if method == "rom" else ADJUSTMENTS[method](known)
    return np.where(np.isnan(p), np.nan, found)


# What of two algorithms is compared: the sizes of their differences, their signs, or ranks among all algorithms.
Test = Literal["wilcoxon", "sign", "ranks", "nemenyi", "aligned", "quade"]
Pairs = Sequence[tuple[int, int]]
# Differences, statistics and p-values of pairs of columns.
Compared = tuple[Floats, Floats, Floats]
Compare = Callable[[Floats, Pairs], Compared]
# The sum that stands for the integral over the largest of several normal values: a smooth curve, so it converges fast.
STEP = 0.02
GRID = np.arange(-9.0, 38.0, STEP)


def range_tail(width: Any, algorithms: int) -> Floats:
    """How likely so many standard normal values spread over more than `width`: the studentized range, infinite df.

    >>> range_tail([0.0, 3.6331596], 4).round(6).tolist()
    [1.0, 0.05]
    """
    reach = np.atleast_1d(np.asarray(width, dtype=np.float64))[..., None]
    below = np.exp(log_ndtr(GRID - reach) - log_ndtr(GRID))
    with np.errstate(divide="ignore"):
        outside = -np.expm1((algorithms - 1) * np.log1p(-below))
    density = np.exp(-(GRID**2) / 2 + (algorithms - 1) * log_ndtr(GRID)) / np.sqrt(2 * np.pi)
    tail: Floats = algorithms * STEP * (density * outside).sum(-1)
    return np.minimum(1.0, tail).reshape(np.shape(width))


def nemenyi_quantile(algorithms: int, alpha: float = 0.05) -> float:
    """How many standard errors two mean ranks must differ by, for any number of algorithms and any alpha.

    >>> [round(nemenyi_quantile(k), 3) for k in (2, 3, 7)]
    [1.96, 2.344, 2.948]
    """
    alpha = checked_between(alpha, "alpha")
    root: float = brentq(lambda width: float(range_tail(width, algorithms)) - alpha, 1e-9, 60.0, xtol=1e-13)
    return root / math.sqrt(2)


def rank_error(algorithms: int, datasets: int) -> float:
    """The standard error of the difference of two mean ranks."""
    return math.sqrt(algorithms * (algorithms + 1) / (6 * datasets))


def nemenyi_difference(algorithms: int, datasets: int, alpha: float = 0.05) -> float:
    """The critical difference: mean ranks further apart differ beyond chance, all pairs considered.

    >>> round(nemenyi_difference(4, 14), 4)
    1.2536

    References: Nemenyi (1963); Demsar (2006).
    """
    return nemenyi_quantile(algorithms, alpha) * rank_error(algorithms, datasets)


def bonferroni_dunn_difference(algorithms: int, datasets: int, alpha: float = 0.05) -> float:
    """The same where all others are compared with one control only.

    >>> round(bonferroni_dunn_difference(4, 14), 4)
    1.1681

    References: Dunn (1961); Demsar (2006).
    """
    return bonferroni_dunn_quantile(algorithms, alpha) * rank_error(algorithms, datasets)


def bonferroni_dunn_quantile(algorithms: int, alpha: float = 0.05) -> float:
    """Return the normal quantile of a comparison with one control, adjusted for all others (Bonferroni).

    >>> [round(bonferroni_dunn_quantile(k), 3) for k in (2, 3, 7)]
    [1.96, 2.241, 2.638]
    """
    alpha = checked_between(alpha, "alpha")
    return float(-ndtri(alpha / (2 * (algorithms - 1))))


def nemenyi_p_value(apart: Any, algorithms: int, datasets: int) -> Floats:
    """How likely the largest difference of mean ranks is as large as `apart` by chance."""
    return range_tail(np.abs(np.asarray(apart)) / rank_error(algorithms, datasets) * np.sqrt(2), algorithms)


@dataclass(frozen=True)
class PairComparison:
    """Two algorithms, and how likely chance alone makes them differ so much.

    `difference` is what the test looks at, positive if `first` is better: that of mean ranks, or the typical one of
    values over data sets (Hodges and Lehmann's for signed ranks, the median for signs).
    `adjusted` takes account of all comparisons made; it is what alpha is held against. Both p-values are nan where the
    two are equal on every data set.
    """

    first: str
    second: str
    difference: float
    statistic: float
    p_value: float
    adjusted: float
    wins: int
    ties: int
    losses: int

    def better(self, alpha: float) -> str | None:
        """The one that is better beyond chance, if any."""
        if not self.adjusted <= alpha:
            return None
        ahead = self.difference if self.difference != 0 else self.wins - self.losses
        return self.first if ahead > 0 else self.second


@dataclass(frozen=True, repr=False)
class Comparisons:
    """All pairs of algorithms, or all others with a control, by one test and one adjustment."""

    test: str
    adjustment: str
    control: str | None
    pairs: tuple[PairComparison, ...]

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return str(self.table())

    def table(self) -> PairTable:
        """Return a row for each comparison."""

        def column(name: str) -> list[Any]:
            return [getattr(pair, name) for pair in self.pairs]

        rows = [
            PairRow(
                pair.difference, statistic=pair.statistic, p_value=pair.p_value, adjusted=pair.adjusted,
                method=f"{self.test}, {self.adjustment}",
            )
            for pair in self.pairs
        ]  # fmt: skip
        keys = {name: column(name) for name in ("first", "second")}
        return PairTable.of(keys, rows, self.test, beside={name: column(name) for name in ("wins", "ties", "losses")})

    def to_dict(self) -> dict[str, Any]:
        """Plain values, nan as None."""
        return {
            "test": self.test,
            "adjustment": self.adjustment,
            "control": self.control,
            "pairs": self.table().to_dict(),
        }


def _by_ranks(gains: Floats, pairs: Pairs) -> Compared:
    count, k = gains.shape
    return _normal(ranks_within(gains).mean(0), rank_error(k, count), pairs)


def _by_aligned_ranks(gains: Floats, pairs: Pairs) -> Compared:
    count, k = gains.shape
    return _normal(aligned_ranks(gains).mean(0), math.sqrt(k * (count * k + 1) / 6), pairs)


def _by_quade(gains: Floats, pairs: Pairs) -> Compared:
    count, k = gains.shape
    means = quade_weights(gains) @ ranks_within(gains) / (count * (count + 1) / 2)
    error = math.sqrt(k * (k + 1) * (2 * count + 1) * (k - 1) / (18 * count * (count + 1)))
    return _normal(means, error, pairs)


def _by_nemenyi(gains: Floats, pairs: Pairs) -> Compared:
    apart, z, _ = _by_ranks(gains, pairs)
    return apart, z, nemenyi_p_value(apart, *gains.shape[::-1])


def _normal(means: Floats, error: float, pairs: Pairs) -> Compared:
    """Ranks count from the best, so that the second's minus the first's says how much better the first is."""
    apart = np.array([means[j] - means[i] for i, j in pairs])
    z = apart / error
    return apart, z, 2 * ndtr(-np.abs(z))


def _singly(test: Callable[[Floats, Floats], TestResult], typical: Callable[[Floats], Any]) -> Compare:
    """A test that looks at two algorithms alone, pair by pair."""

    def compare(gains: Floats, pairs: Pairs) -> Compared:
        found = [test(gains[:, i], gains[:, j]) for i, j in pairs]
        apart = np.array([float(typical(settled(gains[:, i] - gains[:, j]))) for i, j in pairs])
        return apart, np.array([one.statistic for one in found]), np.array([one.p_value for one in found])

    return compare


# By name: what the test is called, and its differences, statistics and p-values for pairs of columns.
TESTS: Mapping[str, tuple[str, Compare]] = MappingProxyType(
    {
        "wilcoxon": ("Wilcoxon signed-rank", _singly(wilcoxon, typical_difference)),
        "sign": ("sign test", _singly(sign_test, np.median)),
        "ranks": ("Friedman ranks, z", _by_ranks),
        "nemenyi": ("Nemenyi", _by_nemenyi),
        "aligned": ("aligned ranks, z", _by_aligned_ranks),
        "quade": ("Quade, z", _by_quade),
    }
)


def compare_pairs(
    gains: Floats,
    names: Sequence[str],
    *,
    test: Test = "wilcoxon",
    adjust: str = "holm",
    control: str | None = None,
    alpha: float = 0.05,
) -> Comparisons:
    """Compare all pairs of algorithms (columns of gains, higher is better), or every other one with a control.

    Nemenyi's p-values take account of all pairs already and are adjusted no further. `alpha` matters to "rom" alone.

    >>> gains = np.array([[0.9, 0.8], [0.8, 0.7], [0.9, 0.6], [0.7, 0.3], [0.9, 0.4], [0.8, 0.2]])
    >>> print(compare_pairs(gains, ["tree", "bayes"]))
    first  second  difference  statistic  p_value  adjusted  wins  ties  losses  method
    tree   bayes        0.350         21    0.031     0.031     6     0       0  Wilcoxon signed-rank, holm
    """
    checked_choice(test, TESTS, "test")
    alpha = checked_between(alpha, "alpha")
    title, compare = TESTS[test]
    k = len(names)
    wanted = names.index(checked_choice(control, names, "control")) if control is not None else None
    pairs = pairs_of(k) if wanted is None else [(wanted, j) for j in range(k) if j != wanted]
    apart, statistics, p_values = compare(gains, pairs)
    method = "none" if test == "nemenyi" else adjust
    corrected = adjusted(p_values, method, k, alpha)
    found = []
    for place, (i, j) in enumerate(pairs):
        gone = settled(gains[:, i] - gains[:, j])
        counts = (int((gone > 0).sum()), int((gone == 0).sum()), int((gone < 0).sum()))
        apart_by, statistic, p_value, adjusted_p = (
            float(values[place]) for values in (apart, statistics, p_values, corrected)
        )
        found.append(PairComparison(names[i], names[j], apart_by, statistic, p_value, adjusted_p, *counts))
    return Comparisons(title, "all pairs at once" if test == "nemenyi" else method, control, tuple(found))
