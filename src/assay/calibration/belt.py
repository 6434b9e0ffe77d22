"""The calibration belt: a polynomial of the log odds, as high as the data ask for, with the region it may lie in.

The polynomial is chosen by looking, and both the test and the belt know that: their law is that of the statistic given
the degree chosen (Nattino, Finazzi & Bertolini, 2014; the GiViTI belt).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri, expit, logit

from assay.calibration.groups import of_the_middle
from assay.calibration.smoothing import over_diagonal
from assay.curves import Drawable, Drawing
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_level
from assay.results import Table, TestResult, counted
from assay.types import Floats
from assay.uncertainty.logistic import LogisticFit, fit_logistic, log_likelihood

MOST_DEGREES = 4
# A further power must gain more than chance would in one sample of twenty.
ENTRY = float(chdtri(1, 0.05))
CLIP = 1e-12
GRID = 101
# Simulated from so many cases in a class on (verification/smooth_curves.py).
FEWEST_OF_A_CLASS = 50
NULL = "the probabilities are calibrated everywhere"


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationBelt(Drawable):
    """Where the true share of positives lies at each probability, for all of them at once; `test` is the belt's own.

    `degree` is that of the polynomial of log odds that was chosen. The belt ends where the probabilities do.
    """

    score: Floats
    rate: Floats
    low: Floats
    high: Floats
    level: float
    degree: int
    test: TestResult
    n: float
    undefined: str | None = None

    def __repr__(self) -> str:
        return f"<calibration belt of degree {self.degree}: {self.test}>"

    @property
    def is_defined(self) -> bool:
        """Whether a curve could be fitted."""
        return bool(np.isfinite(self.rate).any())

    @property
    def outside(self) -> list[tuple[float, float, str]]:
        """Where the belt leaves the diagonal: from, to, and whether the probabilities are too high or too low there."""
        side = np.where(self.high < self.score, -1, np.where(self.low > self.score, 1, 0))
        ends = np.flatnonzero(np.diff(np.concatenate(([0], side, [0]))))
        parts = [(a, b - 1) for a, b in pairwise(ends) if side[a] != 0]
        words = {-1: "too high", 1: "too low"}
        return [(float(self.score[a]), float(self.score[b]), words[int(side[a])]) for a, b in parts]

    def table(self) -> Table:
        """The curve and the belt on a grid of probabilities."""
        columns = {"score": self.score, "rate": self.rate, "low": self.low, "high": self.high}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Calibration belt")

    def drawing(self) -> Drawing:
        """The belt and its curve over the diagonal of right probabilities."""
        curve = self.score, self.rate, self.low, self.high
        return over_diagonal("calibration_belt", "Calibration belt", *curve)


def calibration_belt(table: ScoreTable, *, level: float = 0.95) -> CalibrationBelt:
    """The calibration belt of probabilities given to cases they were not fitted to.

    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> belt = calibration_belt(ScoreTable.of(p, rng.random(2000) < p**2))
    >>> belt.test.p_value < 0.001, belt.outside[0][2]
    (True, 'too high')
    """
    level = checked_level(level)
    if table.is_weighted or table.rows is not None:
        raise OptionError("the belt is of single cases, and these have weights or clusters", "ev.calibration.smooth")
    odds = logit(np.clip(table.score, CLIP, 1 - CLIP))
    degree, fit, statistic = _selected_degree(table, odds)
    grid = np.linspace(max(float(table.score[0]), 0.001), min(float(table.score[-1]), 0.999), GRID)
    smaller = float(min(table.negatives, table.positives))
    n, nothing = float(table.total), np.full(GRID, np.nan)
    method = f"degree {degree}, given the degree chosen"
    if fit.undefined is not None or not grid[-1] > grid[0]:
        why = fit.undefined or "every case has the same probability, so there is no curve"
        test = TestResult("calibration belt", NULL, np.nan, np.nan, method, undefined=why)
        return CalibrationBelt(grid, nothing, nothing, nothing, level, degree, test, n, why)
    design = _log_odds_powers(logit(grid), degree)
    middle = design @ fit.coefficients
    few = f"{counted(round(smaller), 'case')} in a class: at least {FEWEST_OF_A_CLASS} needed"
    if smaller < FEWEST_OF_A_CLASS:
        test = TestResult("calibration belt", NULL, statistic, np.nan, method, undefined=few)
        return CalibrationBelt(grid, expit(middle), nothing, nothing, level, degree, test, n, few)
    p_value, caution = beyond(statistic, degree), of_the_middle(table)
    test = TestResult("calibration belt", NULL, statistic, p_value, method, caution=caution)
    reach = brentq(lambda t: beyond(t, degree) - (1 - level), 0.0, 200.0)
    spread = np.sqrt(np.einsum("ij,jk,ik->i", design, np.linalg.inv(fit.information), design))
    half = np.sqrt(reach) * spread
    return CalibrationBelt(grid, expit(middle), expit(middle - half), expit(middle + half), level, degree, test, n)


def _log_odds_powers(odds: Floats, degree: int) -> Floats:
    return np.stack([odds**k for k in range(degree + 1)], 1)


def _selected_degree(table: ScoreTable, odds: Floats) -> tuple[int, LogisticFit, float]:
    """The degree that forward steps lead to, its fit, and twice what it gains over right probabilities."""
    cases = table.negative + table.positive
    degree, found = 1, fit_logistic(_log_odds_powers(odds, 1), table.negative, table.positive)
    if found.undefined is not None:
        return degree, found, float("nan")
    reached = log_likelihood(_log_odds_powers(odds, 1) @ found.coefficients, cases, table.positive)
    while degree < MOST_DEGREES:
        design = _log_odds_powers(odds, degree + 1)
        higher = fit_logistic(design, table.negative, table.positive)
        if higher.undefined is not None:
            break
        gained = log_likelihood(design @ higher.coefficients, cases, table.positive)
        if 2 * (gained - reached) <= ENTRY:
            break
        degree, found, reached = degree + 1, higher, gained
    return degree, found, 2 * (reached - log_likelihood(odds, cases, table.positive))


@cache
def _quadrature_nodes() -> tuple[Floats, Floats]:
    """Places and weights to integrate over an interval from 0 to 1."""
    places, weights = np.polynomial.legendre.leggauss(80)
    return (places + 1) / 2, weights / 2


def _gain_density(steps: int, at: Floats) -> Floats:
    """The density of what so many steps gain together, each beyond its entry, times exp(gain / 2).

    So tilted, the density of a squared normal is 1 / sqrt(x), and sums of one and two of them have closed forms.
    """
    one = 1 / (0.05 * np.sqrt(2 * np.pi))
    reached = np.maximum(at, steps * ENTRY)
    if steps == 1:
        found = one / np.sqrt(reached)
    elif steps == 2:
        ends = (np.arcsin(np.sqrt(end / reached)) for end in (ENTRY, reached - ENTRY))
        low, high = ends
        found = 2 * one**2 * (high - low)
    else:
        places, weights = _quadrature_nodes()
        width = reached - steps * ENTRY
        inner = (steps - 1) * ENTRY + places * width[:, None]
        rest = _gain_density(1, (reached[:, None] - inner).ravel()).reshape(inner.shape)
        found = width * ((_gain_density(steps - 1, inner.ravel()).reshape(inner.shape) * rest) @ weights)
    return np.where(at >= steps * ENTRY, found, 0.0)


def beyond(statistic: float, degree: int) -> float:
    """The chance of so large a statistic under right probabilities, given the degree chosen.

    Two coefficients gain a chi-square of two degrees, each further power a squared normal beyond its entry.

    >>> round(beyond(5.991, 1), 3), beyond(3.0, 2)
    (0.05, 1.0)
    """
    steps, t = degree - 1, max(float(statistic), 0.0)
    if steps == 0:
        return float(np.exp(-t / 2))
    start = steps * ENTRY
    if t <= start:
        return 1.0
    places, weights = _quadrature_nodes()
    # Steps alone may gain that much; else the two coefficients must gain the rest.
    further = t + 60 * places
    alone = 60 * float((_gain_density(steps, further) * np.exp(-further / 2)) @ weights)
    inner = start + (t - start) * places
    return min(1.0, alone + float(np.exp(-t / 2)) * (t - start) * float(_gain_density(steps, inner) @ weights))
