"""How the scores of either class are spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Floats, Role, Ruler, Trace
from assay.evidence import ScoreTable
from assay.measures import ratio
from assay.results import Table

__all__ = ["ScoreDensities", "score_densities"]

BINS = 20
GRID = 201
# Scores are put into so many bins before they are smoothed, far narrower than any bandwidth.
FINE_BINS = 2048


@dataclass(frozen=True, eq=False, repr=False)
class ScoreDensities(Drawable):
    """Histograms of the scores of either class, each with area 1, and smooth densities on `grid`.

    `bandwidths` are the standard deviations of the Gaussian kernels, negatives first; nan where the scores of a class
    do not vary, so that nothing can be smoothed.
    """

    edges: Floats
    negatives: Floats
    positives: Floats
    grid: Floats
    smooth_negatives: Floats
    smooth_positives: Floats
    bandwidths: tuple[float, float]

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
        """Bars and smooth lines of both classes."""
        x = np.repeat(self.edges, 2)[1:-1]
        sides: tuple[tuple[Role, Floats, Floats], ...] = (
            ("positives", self.positives, self.smooth_positives),
            ("negatives", self.negatives, self.smooth_negatives),
        )
        bars = [Trace(x, np.repeat(high, 2), role, "", np.zeros(len(x))) for role, high, _ in sides]
        lines = [Trace(self.grid, smooth, role, role) for role, _, smooth in sides if np.isfinite(smooth).all()]
        seen = [bar for bar in bars if np.isfinite(bar.y).all()]
        highest = np.concatenate([trace.y for trace in (*seen, *lines)]).max()
        return Drawing(
            name="score_densities",
            title="Scores of either class",
            x=Ruler("Score", (float(self.edges[0]), float(self.edges[-1]))),
            y=Ruler("Density", (0.0, float(highest))),
            traces=(*seen, *lines),
            points=len(self.edges) - 1,
        )


def score_densities(
    table: ScoreTable, *, bins: int = BINS, bandwidth: float | None = None, bounds: tuple[float, float] | None = None
) -> ScoreDensities:
    """Histograms and smooth densities of the scores of either class.

    The bandwidth is Silverman's for each class (0.9 times the smaller of standard deviation and quartile range / 1.34,
    over the fifth root of the number of cases) unless one is given. At `bounds`, which are 0 and 1 where all scores lie
    between them, what would leak out is folded back.

    >>> score_densities(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, False, True, True]), bins=2).positives.tolist()
    [1.0, 1.0]
    """
    low, high = float(table.score[0]), float(table.score[-1])
    if bounds is None and low >= 0 and high <= 1:
        bounds = (0.0, 1.0)
    edges = np.linspace(*(bounds or (low, high if high > low else low + 1)), bins + 1)
    grid = np.linspace(edges[0], edges[-1], GRID)
    width = edges[1] - edges[0]
    heights, smooth, used = [], [], []
    for side, cases in zip((table.negative, table.positive), table.kish, strict=True):
        heights.append(ratio(np.histogram(table.score, edges, weights=side)[0], side.sum() * width))
        used.append(_silverman(table.score, side, cases) if bandwidth is None else bandwidth)
        smooth.append(_smoothed(table.score, side, used[-1], grid, bounds))
    return ScoreDensities(edges, heights[0], heights[1], grid, smooth[0], smooth[1], (used[0], used[1]))


def _silverman(score: Floats, weight: Floats, cases: float) -> float:
    """Silverman's rule of thumb; nan where the scores do not vary."""
    share = ratio(weight, weight.sum())
    spread = float(np.sqrt(np.maximum((share * score**2).sum() - (share * score).sum() ** 2, 0.0)))
    if not cases > 1 or not spread > 1e-9 * max(1.0, float(np.abs(score).max())):
        return float("nan")
    below = np.cumsum(share)
    quartiles = score[np.minimum(np.searchsorted(below, [0.25, 0.75]), len(score) - 1)]
    within = float(quartiles[1] - quartiles[0]) / 1.34
    return float(0.9 * (min(spread, within) if within > 0 else spread) * cases**-0.2)


def _smoothed(
    score: Floats, weight: Floats, bandwidth: float, grid: Floats, bounds: tuple[float, float] | None
) -> Floats:
    if np.isnan(bandwidth) or not weight.any():
        return np.full(len(grid), np.nan)
    if len(score) > FINE_BINS:
        weight, edges = np.histogram(score, FINE_BINS, weights=weight)
        score = 0.5 * (edges[1:] + edges[:-1])
    centres = [score] if bounds is None else [score, 2 * bounds[0] - score, 2 * bounds[1] - score]
    kernels = sum(np.exp(-0.5 * ((grid[:, None] - centre) / bandwidth) ** 2) for centre in centres)
    density: Floats = kernels @ weight / (weight.sum() * bandwidth * np.sqrt(2 * np.pi))
    return density
