"""Is one algorithm better than another over data sets? Signed ranks and signs of the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import bdtr, ndtr
from scipy.stats import rankdata

from assay.ranks._folds import settled
from assay.results import NAN, TestResult
from assay.types import Floats

Zeros = Literal["drop", "pratt"]
Method = Literal["auto", "exact", "normal", "normal, continuity corrected"]
NULL = "neither algorithm is better: differences are as often and as far up as down"
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
        return TestResult(name, NULL, NAN, NAN, method, "the two are equal on every data set")
    if method == "exact" or (method == "auto" and len(found.ranks) <= MOST_EXACT):
        return TestResult(name, NULL, found.up, _exact(found), f"exact, zeros {_words(zeros)}")
    correction = 0.5 if method == "normal, continuity corrected" else 0.0
    words = f"{'normal' if method == 'auto' else method}, zeros {_words(zeros)}"
    return TestResult(name, NULL, found.up, _normal(found, correction), words)


def _words(zeros: Zeros) -> str:
    return "dropped" if zeros == "drop" else "ranked and then dropped (Pratt)"


def _exact(found: SignedRanks) -> float:
    """Twice the share of sign patterns whose smaller sum is as small; doubled ranks are whole, ties included."""
    doubled = np.rint(2 * found.ranks).astype(np.int64)
    chances = np.ones(1)
    for rank in doubled:
        longer = np.zeros(len(chances) + rank)
        longer[: len(chances)] += chances / 2
        longer[rank:] += chances / 2
        chances = longer
    return min(1.0, 2 * float(chances[: round(2 * found.smaller) + 1].sum()))


def _normal(found: SignedRanks, correction: float) -> float:
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
        return TestResult("Sign test", NULL, NAN, NAN, "exact", "the two are equal on every data set")
    p_value = min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))
    return TestResult("Sign test", NULL, wins, p_value, "exact")
