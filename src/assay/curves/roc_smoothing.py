"""Smooth ROC curves as pROC's `smooth` makes them: kernels, normal classes, and a line through normal deviates."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from assay.curves.binormal import area_of
from assay.curves.curve import Drawable, Drawing, Ruler, Trace
from assay.curves.threshold import line, roc
from assay.errors import OptionError
from assay.evidence import ScoreTable, quantiles
from assay.measures import fpr, recall
from assay.request import checked_choice, checked_level, checked_positive, checked_seed, checked_whole
from assay.results import Estimate, Table
from assay.types import Floats

NOT_SIMULATED = 'no interval was simulated for it: pass method="bootstrap", or use binormal(), which has one'
GRID = 512
# Kernels are summed over at most so many places; a bin is then far narrower than a kernel.
MOST_PLACES = 2048
BOOTSTRAP = "bootstrap percentile, stratified"


class Smooth(NamedTuple):
    """One smooth curve: its points, its area, and what it was made with."""

    fpr: Floats
    recall: Floats
    area: float
    made_with: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class SmoothRoc(Drawable):
    """A smooth ROC curve; `made_with` holds its bandwidth, or its coefficients.

    A kernel adds its own spread to that of the scores, so that its area is a little too low.
    """

    scores: ScoreTable
    method: str
    level: float
    seed: int
    curve: Smooth
    bandwidth: float | None = None

    def __repr__(self) -> str:
        return f"<ROC curve smoothed by {self.method}: area {self.curve.area:.3f}>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a curve."""
        return math.isfinite(self.curve.area)

    @property
    def made_with(self) -> dict[str, float]:
        """The bandwidth, the parameters of the normal classes, or the coefficients of the line."""
        return self.curve.made_with

    @property
    def auc(self) -> Estimate:
        """The area under the smooth curve, without an interval."""
        return self.area()

    def area(self, method: str | None = None, draws: int = 1000) -> Estimate:
        """The area under the smooth curve; by "bootstrap" with limits from resampled cases of either class."""
        value, n = self.curve.area, float(self.scores.total)
        nothing = Estimate("smooth_auc", value, math.nan, math.nan, self.level, "none", n, undefined=NOT_SIMULATED)
        if not self.is_defined or method is None:
            return nothing
        checked_choice(method, ("bootstrap",), "method")
        if self.scores.rows is not None or self.scores.is_weighted:
            raise OptionError("the bootstrap here draws single cases, and these have weights or clusters", "neither")
        areas = self._resampled(checked_whole(draws, "draws", least=100))
        tail = (1 - self.level) / 2
        low, high = (float(end) for end in quantiles(areas, [tail, 1 - tail]))
        return Estimate("smooth_auc", value, min(low, value), max(high, value), self.level, BOOTSTRAP, n)

    def _resampled(self, draws: int) -> Floats:
        rng = np.random.default_rng(self.seed)
        sides = [
            rng.multinomial(int(side.sum()), side / side.sum(), size=draws)
            for side in (self.scores.negative, self.scores.positive)
        ]
        found = []
        for negative, positive in zip(*sides, strict=True):
            kept = negative + positive > 0
            drawn = ScoreTable(self.scores.score[kept], negative[kept].astype(float), positive[kept].astype(float))
            found.append(WAYS[self.method](drawn, self.bandwidth).area)
        return np.array(found)

    def at(self, rates: ArrayLike) -> Floats:
        """The recall at false-positive rates."""
        return np.interp(np.asarray(rates, dtype=np.float64), self.curve.fpr, self.curve.recall)

    def table(self) -> Table:
        """The curve on a grid of false-positive rates."""
        rates = np.linspace(0.05, 0.95, 19)
        return Table({"fpr": rates.tolist(), "recall": self.at(rates).tolist()}, title=f"ROC curve, {self.method}")

    def drawing(self) -> Drawing:
        """The smooth curve, with the empirical one in grey."""
        plain = roc(self.scores)
        return Drawing(
            name="smooth_roc",
            title=f"ROC curve smoothed by {self.method}",
            x=Ruler(fpr.title),
            y=Ruler(recall.title),
            traces=(
                line((0, 0), (1, 1), "chance"),
                Trace(plain.x, plain.y, "negatives", "empirical"),
                Trace(self.curve.fpr, self.curve.recall),
            ),
            points=len(plain),
            is_square=True,
        )


def smooth_roc(
    table: ScoreTable, method: str = "kernel", *, bandwidth: float | None = None, level: float = 0.95, seed: int = 0
) -> SmoothRoc:
    """A smooth ROC curve by "kernel", by "normal" classes, or by a "regression" on normal deviates (pROC's binormal).

    `bandwidth` is that of the kernel; without one it is Silverman's rule for the scores of both classes together.

    >>> table = ScoreTable.of([0.1, 0.4, 0.35, 0.8, 0.2, 0.6], [0, 0, 1, 1, 0, 1])
    >>> smooth_roc(table, "normal")
    <ROC curve smoothed by normal: area 0.942>
    """
    checked_choice(method, WAYS, "method")
    if bandwidth is not None:
        checked_positive(bandwidth, "bandwidth")
        if method != "kernel":
            raise OptionError(f"a curve by {method} has no bandwidth", 'method="kernel", or no bandwidth')
    if not (table.negatives > 0 and table.positives > 0):
        raise OptionError("all true labels are of one class, so there is no curve", "cases of both classes")
    found = WAYS[method](table, bandwidth)
    return SmoothRoc(table, method, checked_level(level), checked_seed(seed), found, bandwidth)


def silverman(table: ScoreTable) -> float:
    """Silverman's rule of thumb for all scores together (R's bw.nrd0).

    >>> round(silverman(ScoreTable.of([1, 2, 3, 4, 5], [0, 1, 0, 1, 1])), 4)
    0.9736
    """
    weight = table.negative + table.positive
    n, mean = float(weight.sum()), float(weight @ table.score / weight.sum())
    spread = math.sqrt(max(float(weight @ (table.score - mean) ** 2) / max(n - 1, 1e-12), 0.0))
    # Quartiles as R takes them: between the order statistics around 1 + (n - 1) p.
    places = np.cumsum(weight)
    low, high = (_order_statistic(table.score, places, (n - 1) * share) for share in (0.25, 0.75))
    narrow = min(spread, (high - low) / 1.34) if high > low else spread
    return float(0.9 * (narrow or abs(mean) or 1.0) * n**-0.2)


def _order_statistic(score: Floats, places: Floats, at: float) -> float:
    below, part = math.floor(at), at - math.floor(at)
    first, second = (score[min(int(np.searchsorted(places, k + 1 - 1e-9)), len(score) - 1)] for k in (below, below + 1))
    return float(first + part * (second - first))


def _kernel_smooth(table: ScoreTable, bandwidth: float | None) -> Smooth:
    width = silverman(table) if bandwidth is None else bandwidth
    score, negative, positive = _binned_scores(table)
    grid = np.linspace(score[-1] + 4 * width, score[0] - 4 * width, GRID)
    above = ndtr((score[None, :] - grid[:, None]) / width)
    rates = [above @ side / side.sum() for side in (negative, positive)]
    ends = [np.concatenate(([0.0], side, [1.0])) for side in rates]
    # The chance that a positive, kernel and all, is above a negative.
    pairs = ndtr((score[None, :] - score[:, None]) / (width * math.sqrt(2)))
    area = float(negative @ pairs @ positive / (negative.sum() * positive.sum()))
    return Smooth(ends[0], ends[1], area, {"bandwidth": width})


def _binned_scores(table: ScoreTable) -> tuple[Floats, Floats, Floats]:
    """The scores and their counts; of very many, in bins of equal width."""
    if len(table.score) <= MOST_PLACES:
        return table.score, table.negative, table.positive
    low, high = float(table.score[0]), float(table.score[-1])
    edges = np.linspace(low, high, MOST_PLACES + 1)
    code = np.clip(np.searchsorted(edges, table.score, side="right") - 1, 0, MOST_PLACES - 1)
    negative, positive = (
        np.bincount(code, side, minlength=MOST_PLACES).astype(np.float64) for side in (table.negative, table.positive)
    )
    return (edges[:-1] + edges[1:]) / 2, negative, positive


def _normal_smooth(table: ScoreTable, bandwidth: float | None) -> Smooth:
    sides = (table.negative, table.positive)
    means = [float(side @ table.score / side.sum()) for side in sides]
    spreads = [
        math.sqrt(float(side @ (table.score - mean) ** 2 / side.sum())) for side, mean in zip(sides, means, strict=True)
    ]
    names = ("negative_mean", "negative_sd", "positive_mean", "positive_sd")
    with_ = dict(zip(names, (means[0], spreads[0], means[1], spreads[1]), strict=True))
    if not min(spreads) > 0:
        return Smooth(np.array([0.0, 1.0]), np.array([math.nan] * 2), math.nan, with_)
    a, b = (means[1] - means[0]) / spreads[1], spreads[0] / spreads[1]
    return Smooth(*_binormal_points(a, b), area_of(a, b), with_)


def _regression_smooth(table: ScoreTable, bandwidth: float | None) -> Smooth:
    """Least squares of the specificity's normal deviate on the recall's, over the points inside the plot."""
    swept = table.swept()
    sp, se = ndtri(swept.tn / swept.negatives), ndtri(swept.tp / swept.positives)
    kept = np.isfinite(sp) & np.isfinite(se)
    if kept.sum() < 2 or np.ptp(se[kept]) == 0 or np.ptp(sp[kept]) == 0:
        return Smooth(np.array([0.0, 1.0]), np.array([math.nan] * 2), math.nan, {})
    design = np.column_stack((np.ones(int(kept.sum())), se[kept]))
    intercept, slope = np.linalg.lstsq(design, sp[kept], rcond=None)[0]
    a, b = -intercept / slope, -1 / slope
    area = float(ndtr(intercept / math.sqrt(1 + slope**2)))
    return Smooth(*_binormal_points(a, b), area, {"intercept": float(intercept), "slope": float(slope)})


def _binormal_points(a: float, b: float) -> tuple[Floats, Floats]:
    rates = np.concatenate(([0.0], np.geomspace(1e-6, 0.01, 64), np.linspace(0.011, 1.0, 2 * GRID)))
    return rates, np.asarray(ndtr(a + b * ndtri(rates)))


WAYS: dict[str, Callable[[ScoreTable, float | None], Smooth]] = {
    "kernel": _kernel_smooth,
    "normal": _normal_smooth,
    "regression": _regression_smooth,
}
