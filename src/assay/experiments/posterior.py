"""What is to be believed of two algorithms after trying both: the Bayesian correlated t test."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.errors import OptionError
from assay.experiments._differences import gap_between, why_not
from assay.experiments.estimates import FEWEST_SPLITS, FoldScores
from assay.results import Table
from assay.text import number


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
