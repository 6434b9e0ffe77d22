"""Which algorithms differ? Comparisons of all pairs, or of all with one, and the critical difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from assay.ranks._folds import settled
from assay.ranks.adjustments import adjusted, pairs_of
from assay.ranks.friedman import aligned_ranks, quade_weights, ranks_within
from assay.ranks.signed_rank import sign_test, typical_difference, wilcoxon
from assay.renderers import in_notebook
from assay.request import checked_between, checked_choice
from assay.results import PairRow, PairTable, TestResult
from assay.types import Floats

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
