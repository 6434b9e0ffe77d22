"""How the scores of either class are spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit, logit

from assay.curves.curve import Drawable, Drawing, Role, Ruler, Trace
from assay.evidence import ScoreTable, in_bins
from assay.measures import ratio
from assay.results import Table
from assay.types import Floats

Spacing = Literal["linear", "log-odds"]

BINS = 20
GRID = 101
# Scores are put into so many bins before they are smoothed, far narrower than any bandwidth.
FINE_BINS = 2048
# Of a class, the share that may lie beyond the ends of a scale of log-odds; and how far out those may be.
MOST_BEYOND = 0.02
FEWEST_DIGITS, MOST_DIGITS = 2, 6


@dataclass(frozen=True, eq=False, repr=False)
class ScoreDensities(Drawable):
    """Histograms of the scores of either class, each with area 1, and smooth densities on `grid`.

    `bandwidths` are the standard deviations of the Gaussian kernels, negatives first; nan where the scores of a class
    do not vary, so that nothing can be smoothed. With the `spacing` of log-odds, areas and bandwidths are those on that
    scale, and scores beyond its ends stand at them.
    """

    edges: Floats
    negatives: Floats
    positives: Floats
    grid: Floats
    smooth_negatives: Floats
    smooth_positives: Floats
    bandwidths: tuple[float, float]
    spacing: Spacing = "linear"

    def __repr__(self) -> str:
        widths = " and ".join(f"{width:.4g}" for width in self.bandwidths)
        return f"<Score densities: {len(self.edges) - 1:,} bins, bandwidths {widths}>"

    @property
    def is_defined(self) -> bool:
        """Whether any class is present."""
        return bool(np.isfinite(self.negatives).any() or np.isfinite(self.positives).any())

    def table(self) -> Table:
        """Each bin of the histograms, with the density of either class in it."""
        columns = {
            "from": self.edges[:-1],
            "to": self.edges[1:],
            "negatives": self.negatives,
            "positives": self.positives,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Score densities")

    def drawing(self) -> Drawing:
        """The positives above, the negatives below, each as high as there is room.

        They are smooth, or bars where there is nothing to smooth.
        """
        above = self._side("positives", self.positives, self.smooth_positives, 1)
        below = self._side("negatives", self.negatives, self.smooth_negatives, -1)
        title = "Score, spaced by log-odds" if self.spacing == "log-odds" else "Score"
        return Drawing(
            name="score_densities",
            title="Scores of either class",
            x=Ruler(title, (float(self.edges[0]), float(self.edges[-1])), self.spacing),
            y=Ruler("Density of positives above, of negatives below", (-1.0, 1.0), is_bare=True),
            traces=(*above, *below),
            points=len(self.edges) - 1,
        )

    def _side(self, role: Role, bars: Floats, smooth: Floats, sign: int) -> tuple[Trace, ...]:
        """One class, as an area and its outline; nothing where it has no case."""
        if np.isfinite(smooth).all():
            x, y = self.grid, smooth
        elif np.isfinite(bars).all():
            x, y = np.repeat(self.edges, 2)[1:-1], np.repeat(bars, 2)
        else:
            return ()
        y = sign * y / y.max()
        return Trace(x, y, role, "", np.zeros(len(x))), Trace(x, y, role, role)


def score_densities(
    table: ScoreTable,
    *,
    bins: int = BINS,
    bandwidth: float | None = None,
    bounds: tuple[float, float] | None = None,
    spacing: Spacing = "linear",
) -> ScoreDensities:
    """Histograms and smooth densities of the scores of either class.

    The bandwidth is Silverman's for each class (0.9 times the smaller of standard deviation and quartile range / 1.34,
    over the fifth root of the number of cases) unless one is given. At `bounds`, which are 0 and 1 where all scores lie
    between them, what would leak out is folded back. Probabilities, most of which tend to crowd at either end, are
    easier to see with the `spacing` of their "log-odds".

    >>> score_densities(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, False, True, True]), bins=2).positives.tolist()
    [1.0, 1.0]
    """
    score = table.score
    if spacing == "log-odds":
        low, high = _log_odds_range(table)
        score, bounds = logit(np.clip(score, low, high)), (float(logit(low)), float(logit(high)))
    low, high = float(score[0]), float(score[-1])
    if bounds is None and low >= 0 and high <= 1:
        bounds = (0.0, 1.0)
    edges = np.linspace(*(bounds or (low, high if high > low else low + 1)), bins + 1)
    grid = np.linspace(edges[0], edges[-1], GRID)
    width = edges[1] - edges[0]
    heights, smooth, used = [], [], []
    for side, cases in zip((table.negative, table.positive), table.kish, strict=True):
        heights.append(ratio(in_bins(score, side, edges), side.sum() * width))
        used.append(_silverman(score, side, cases) if bandwidth is None else bandwidth)
        smooth.append(_kernel_density(score, side, used[-1], grid, bounds))
    if spacing == "log-odds":
        edges, grid = expit(edges), expit(grid)
    return ScoreDensities(edges, heights[0], heights[1], grid, smooth[0], smooth[1], (used[0], used[1]), spacing)


def _log_odds_range(table: ScoreTable) -> tuple[float, float]:
    """Where a scale of log-odds begins and ends: powers of ten that leave hardly a case of either class beyond."""
    low, high = (_powers_of_ten(table, below) for below in (table.score, 1 - table.score))
    return 10.0**-low, 1 - 10.0**-high


def _powers_of_ten(table: ScoreTable, from_end: Floats) -> int:
    """How many powers of ten to go towards an end from which the scores are so far."""
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        is_beyond = from_end < 10.0**-digits
        beyond = [ratio(side[is_beyond].sum(), side.sum()) for side in (table.negative, table.positive)]
        if np.nanmax(beyond) <= MOST_BEYOND:
            return digits
    return MOST_DIGITS


def _silverman(score: Floats, weight: Floats, cases: float) -> float:
    """Silverman's rule of thumb; nan where the scores do not vary."""
    total = weight.sum()
    mean = ratio(weight @ score, total)
    spread = float(np.sqrt(ratio(weight @ (score - mean) ** 2, total)))
    if not cases > 1 or not spread > 1e-9 * max(1.0, float(np.abs(score).max())):
        return float("nan")
    below = np.cumsum(weight)
    quartiles = score[np.minimum(np.searchsorted(below, [0.25 * total, 0.75 * total]), len(score) - 1)]
    within = float(quartiles[1] - quartiles[0]) / 1.34
    return float(0.9 * (min(spread, within) if within > 0 else spread) * cases**-0.2)


def _kernel_density(
    score: Floats, weight: Floats, bandwidth: float, grid: Floats, bounds: tuple[float, float] | None
) -> Floats:
    if np.isnan(bandwidth) or not weight.any():
        return np.full(len(grid), np.nan)
    if len(score) > FINE_BINS:
        edges = np.linspace(score[0], score[-1], FINE_BINS + 1)
        weight = in_bins(score, weight, edges)
        score = 0.5 * (edges[1:] + edges[:-1])
    centres = [score] if bounds is None else [score, 2 * bounds[0] - score, 2 * bounds[1] - score]
    kernels = sum(np.exp(-0.5 * ((grid[:, None] - centre) / bandwidth) ** 2) for centre in centres)
    return np.asarray(kernels @ weight / (weight.sum() * bandwidth * np.sqrt(2 * np.pi)))
