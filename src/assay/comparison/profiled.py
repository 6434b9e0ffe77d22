"""Limits that allow for not knowing how far sites differ: averaged over every variance that Q does not contradict."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtrc, ndtr, ndtri

from assay.types import Floats

__all__ = ["Profiled"]

# Variances between sites that are looked at, from far less than any site's own to far more than their spread.
GRID, LEAST, MOST = 400, 1e-3, 1e10
# Standard deviations beyond which nothing is looked for.
FAR = 40.0


class Profiled:
    """Where the mean of sites, or a new site, lies, whatever the variance between sites may be.

    Cochran's Q with weights for a variance t between sites is chi-square if t is the true one, so that the chance of a
    larger Q than was seen tells how far up t may reach: a confidence distribution of t, the one behind the Q-profile
    limits. The mean given t is normal, and so is a new site; both are averaged over that distribution, as Nagashima,
    Noma and Furukawa (2019) do for DerSimonian and Laird's estimator by drawing from it.

    >>> found = Profiled(np.array([1.2, 1.6, 0.9, 1.4]), np.array([0.02, 0.05, 0.04, 0.03]))
    >>> [round(found.quantile(q), 2) for q in (0.025, 0.975)]
    [0.8, 1.75]
    >>> [round(found.quantile(q, of_new=True), 2) for q in (0.025, 0.975)]
    [0.25, 2.29]
    """

    def __init__(self, values: Floats, variances: Floats) -> None:
        most = MOST * (float(np.var(values)) + float(variances.max()))
        grid = np.concatenate(([0.0], np.geomspace(LEAST * float(variances.min()), most, GRID)))
        weights = 1 / (variances + grid[:, None])
        sums = weights.sum(axis=1)
        self.between, self.means, self.errors = grid, weights @ values / sums, 1 / sums
        spread = (weights * (values - self.means[:, None]) ** 2).sum(axis=1)
        reached = chdtrc(len(values) - 1, spread)
        self.chances = np.diff(reached, prepend=0.0) / reached[-1]

    def below(self, value: float, *, of_new: bool = False) -> float:
        """The chance that the mean, or a new site, lies below a value."""
        spread = self.errors + self.between if of_new else self.errors
        return float(self.chances @ ndtr((value - self.means) / np.sqrt(spread)))

    def normal_score(self, value: float) -> float:
        """How far the mean is above a value, as far as a standard normal is with the same chance of the other side."""
        apart = (value - self.means) / np.sqrt(self.errors)
        below, above = (min(1.0, float(self.chances @ ndtr(side))) for side in (apart, -apart))
        return float(ndtri(above)) if above < below else -float(ndtri(below))

    def quantile(self, share: float, *, of_new: bool = False) -> float:
        """The value below which the mean, or a new site, lies with this chance."""
        spread = np.sqrt(self.errors + self.between if of_new else self.errors)
        low, high = float((self.means - FAR * spread).min()), float((self.means + FAR * spread).max())
        return float(
            brentq(lambda x: self.below(x, of_new=of_new) - share, low, high, xtol=1e-300, rtol=1e-12, maxiter=500)
        )
