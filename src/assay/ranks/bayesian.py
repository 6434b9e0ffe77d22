"""How likely is it that one algorithm is better, worse or practically the same? The Bayesian signed-rank test."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.ranks.input import settled
from assay.renderers import in_notebook
from assay.request import checked_seed, checked_whole
from assay.text import number
from assay.types import Floats

DRAWS = 50_000
# Draws that are held in memory at once, times data sets.
AT_ONCE = 2_000_000


@dataclass(frozen=True)
class SignedRankPosterior:
    """How likely it is, given the data sets, that the first is mostly better, both mostly the same, the second better.

    Mostly: where the mean of the differences on two data sets, drawn from where these came from, lies most often:
    above the rope, in it, or below it. `error` is the largest Monte-Carlo standard error of the three.
    """

    first: str
    second: str
    first_better: float
    same: float
    second_better: float
    rope: float
    error: float

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        shares = (
            f"{number(self.first_better)}, same {number(self.same)}, {self.second} better {number(self.second_better)}"
        )
        return f"{self.first} better {shares} (rope {self.rope:g})"

    def likely(self, sure: float = 0.95) -> str | None:
        """What is at least so likely: "first", "same" or "second"; None if nothing is."""
        shares = {"first": self.first_better, "same": self.same, "second": self.second_better}
        return next((name for name, share in shares.items() if share >= sure), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def bayesian_signed_rank(
    first: Floats,
    second: Floats,
    *,
    rope: float = 0.0,
    names: tuple[str, str] = ("first", "second"),
    prior: float = 0.5,
    draws: int = DRAWS,
    seed: int = 0,
) -> SignedRankPosterior:
    """The probability that the mean of two data sets' differences lies mostly above the rope, in it, or below it.

    Differences over data sets follow a distribution about which nothing is assumed (a Dirichlet process, with `prior`
    data sets' worth of belief in no difference). In each distribution drawn from the posterior, two data sets drawn at
    random have a mean difference that lies most often above the rope, below it or in it; the three shares count in how
    many distributions which was so. Without a rope the first share is the posterior probability that the pseudomedian
    (the median of such means, which the Wilcoxon test is about) is above 0. It is not the probability of a win on the
    next data set: sixty wins in a hundred like data sets make the first nearly certain, and leave the other at 0.6.

    >>> gains = np.array([0.05, 0.08, 0.02, 0.06, 0.07, 0.03, 0.04, 0.09])
    >>> bayesian_signed_rank(gains, np.zeros(8), rope=0.01, names=("tree", "bayes"))
    tree better 0.9999, same 0.0001, bayes better 0.000 (rope 0.01)

    References: Benavoli et al. (2014, 2017).
    """
    seed = checked_seed(seed)
    checked_whole(draws, "draws")
    gone = np.append(0.0, np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64))
    means = settled(gone[:, None] + gone) / 2
    # A mean on the edge of the rope is inside; without a rope what is exactly equal goes half to either side.
    above, below = (means > rope).astype(np.float64), (means < -rope).astype(np.float64)
    if rope == 0:
        above, below = above + (means == 0) / 2, below + (means == 0) / 2
    counts = _shares_of_draws(above, below, prior=prior, draws=draws, seed=seed, has_rope=rope > 0)
    up, same, down = (float(count) / draws for count in counts)
    error = max(math.sqrt(share * (1 - share) / draws) for share in (up, same, down))
    return SignedRankPosterior(*names, up, same, down, rope, error)


def _shares_of_draws(above: Floats, below: Floats, *, prior: float, draws: int, seed: int, has_rope: bool) -> Floats:
    """How many of the drawn distributions favour the first, neither and the second; ties are shared out."""
    rng = np.random.default_rng(seed)
    weights = np.append(prior, np.ones(len(above) - 1))
    counts = np.zeros(3)
    left = draws
    while left:
        size = min(left, max(1, AT_ONCE // len(above)))
        drawn = rng.dirichlet(weights, size)
        up, down = (((drawn @ side) * drawn).sum(1) for side in (above, below))
        same = 1 - up - down if has_rope else np.full(size, -1.0)
        shares = np.stack((up, same, down), axis=1)
        best = np.isclose(shares, shares.max(1, keepdims=True), rtol=0, atol=1e-12)
        counts += (best / best.sum(1, keepdims=True)).sum(0)
        left -= size
    return counts
