"""Drawings of calibration: what was promised against what happened, for readers who want to see it.

Each one is data (arrays, a table) that can be drawn as SVG or with matplotlib, like every curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.calibration.decomposition import CovarianceParts, covariance_parts
from assay.calibration.groups import Groups, equal_size
from assay.calibration.isotonic import CalibrationBand, IsotonicFit, confidence_band, isotonic_fit
from assay.calibration.recalibration import Recalibration
from assay.curves import Drawable, Drawing, Ruler, Spot, Trace
from assay.evidence import ScoreTable, in_bins
from assay.request import checked_level
from assay.results import Table
from assay.text import number
from assay.types import Floats

GROUPS = 10
# Bars of the histogram that stands at the foot of the diagram, and how high the highest reaches.
BINS = 40
STRIP = 0.12
GRID = 201
ENDS = np.array([0.0, 1.0])
NOTHING = np.empty(0)
# The axes of a class's own probabilities, and of the highest ones.
TITLES = {False: ("Predicted probability", "Share of positives"), True: ("Highest probability", "Accuracy")}


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityDiagram(Drawable):
    """How often the event happened against the probability that was given: right probabilities lie on the diagonal.

    The line is the isotonic fit, the band holds the whole true curve (none where `band.undefined` says why), points are
    `groups` of cases with Wilson's bars, and at the foot stands how the probabilities are spread.
    """

    fit: IsotonicFit
    band: CalibrationBand | None
    groups: Groups | None
    cases: Floats
    level: float
    # Whether the event is that the answer was right, and the probability the highest of all classes.
    is_of_answers: bool = False

    def __repr__(self) -> str:
        return f"<Reliability diagram: {len(self.fit):,} blocks of {self.fit.scores:,} scores>"

    @property
    def is_defined(self) -> bool:
        """Whether there are cases."""
        return len(self.fit) > 0

    def table(self) -> Table:
        """The groups with their bars, or without groups the blocks of the line."""
        return self.fit.table() if self.groups is None else self.groups.as_table(level=self.level)

    def drawing(self) -> Drawing:
        """Diagonal, band, histogram, bars, line and points."""
        knots = np.column_stack((self.fit.low, self.fit.high)).ravel()
        bars, spots = self._points()
        given, happened = TITLES[self.is_of_answers]
        return Drawing(
            name="reliability",
            title="Reliability diagram",
            x=Ruler(given),
            y=Ruler(happened),
            traces=(
                Trace(ENDS, ENDS, "reference", "ideal"),
                *self._band(),
                *self._histogram(),
                *bars,
                Trace(knots, np.repeat(self.fit.rate, 2)),
            ),
            points=len(knots),
            spots=spots,
            is_square=True,
        )

    def _band(self) -> tuple[Trace, ...]:
        if self.band is None or self.band.undefined is not None:
            return ()
        # Limits move in steps, so they are read just before and at every score where one of them moves.
        at = np.column_stack((np.nextafter(self.band.score, -1), self.band.score)).ravel()
        at = at[(at >= 0) & (at <= 1)]
        low, high = self.band.at(at)
        return (Trace(at, high, "model", "", low),)

    def _histogram(self) -> tuple[Trace, ...]:
        if not self.cases.size:
            return ()
        x = np.repeat(np.linspace(0, 1, len(self.cases) + 1), 2)[1:-1]
        height = STRIP * np.repeat(self.cases / self.cases.max(), 2)
        return (Trace(x, height, "negatives", "", np.zeros(len(x))),)

    def _points(self) -> tuple[tuple[Trace, ...], tuple[Spot, ...]]:
        if self.groups is None:
            return (), ()
        estimates, mean = self.groups.estimates(self.level), self.groups.mean
        bars = np.array([[e.low, e.high, np.nan] for e in estimates]).ravel()
        spots = tuple(Spot(float(x), e.value, "") for x, e in zip(mean, estimates, strict=True))
        return (Trace(np.repeat(mean, 3), bars, "mark"),), spots


def reliability_diagram(
    table: ScoreTable,
    *,
    groups: int | None = GROUPS,
    with_band: bool = True,
    level: float = 0.95,
    are_of_answers: bool = False,
) -> ReliabilityDiagram:
    """How often the event happened against the probability given, with a band for the whole curve.

    With `groups=None` there is the line alone, without points and histogram: several models fit one figure so. Axes of
    probabilities that `are_of_answers`, the highest of many classes, are called so.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> print(reliability_diagram(table, groups=2).table())
    group   from     to  cases  probability   rate    low   high
        1  0.040  0.510      5        0.326  0.200  0.036  0.624
        2  0.590  0.920      5        0.734  0.800  0.376  0.964

    References: Dimitriadis, Gneiting & Jordan (2021); Dimitriadis et al. (2023).
    """
    level = checked_level(level)
    band = confidence_band(table, level=level) if with_band else None
    made, cases = None, NOTHING
    if groups is not None:
        fewer = max(1, min(groups, int(min(float(table.total), sum(table.kish)))))
        made = equal_size(table, fewer)
        cases = in_bins(table.score, table.negative + table.positive, np.linspace(0, 1, BINS + 1))
    return ReliabilityDiagram(isotonic_fit(table), band, made, cases, level, are_of_answers)


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationFunction(Drawable):
    """What a recalibration makes of every probability; grey where it had to be held at 0 or 1."""

    recalibration: Recalibration
    x: Floats
    y: Floats

    def __repr__(self) -> str:
        return f"<Calibration function: {self.recalibration.method}>"

    @property
    def is_defined(self) -> bool:
        """Whether it could be fitted."""
        return bool(np.isfinite(self.y).all())

    def table(self) -> Table:
        """Each probability with what becomes of it."""
        columns = {"given": self.x.tolist(), "recalibrated": self.y.tolist()}
        return Table(columns, title=f"Calibration function, {self.recalibration.method}")

    def drawing(self) -> Drawing:
        """The function, the identity, and the region where it is held."""
        is_held = (self.y <= 0) | (self.y >= 1)
        x = np.repeat(self.x, 2)[1:]
        held = Trace(x, np.repeat(is_held.astype(np.float64), 2)[:-1], "negatives", "", np.zeros(len(x)))
        return Drawing(
            name="calibration_function",
            title="Calibration function",
            x=Ruler("Predicted probability"),
            y=Ruler("Probability recalibrated"),
            traces=(Trace(ENDS, ENDS, "reference", "identity"), held, Trace(self.x, self.y)),
            points=len(self.x),
            is_square=True,
        )


def calibration_function(recalibration: Recalibration, *, points: int = GRID) -> CalibrationFunction:
    """What a recalibration makes of every probability from 0 to 1.

    >>> tilt = Recalibration("tilt", {"intercept": -0.5, "slope": 2.0}, 4.0)
    >>> calibration_function(tilt, points=5).y
    array([0. , 0. , 0.5, 1. , 1. ])
    """
    x = np.linspace(0.0, 1.0, points)
    return CalibrationFunction(recalibration, x, recalibration(x))


@dataclass(frozen=True, eq=False, repr=False)
class CovarianceGraph(Drawable):
    """The probabilities of either class, their means joined: the steeper the line and the closer they lie, the better.

    The line rises by Yates's slope; where it crosses the prevalence stands the mean probability of all cases.
    """

    parts: CovarianceParts
    prevalence: float
    negative: Floats
    positive: Floats

    def __repr__(self) -> str:
        return f"<Covariance graph: slope {number(self.parts.slope)}, scatter {number(self.parts.scatter)}>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return self.parts.undefined is None

    def table(self) -> Table:
        """Cases, mean and standard deviation of either class."""
        return self.parts.graph

    def drawing(self) -> Drawing:
        """The ideal line, histograms of either class beside it, and the line that joins their means."""
        means = np.array(self.parts.graph.columns["mean"], dtype=np.float64)
        names = [f"mean {number(mean)}" if self.negative.size else "" for mean in means]
        bars = (self._bars(self.negative, 0.0, 1.0), self._bars(self.positive, 1.0, -1.0)) if self.negative.size else ()
        return Drawing(
            name="covariance",
            title="Covariance graph",
            x=Ruler("Outcome"),
            y=Ruler("Predicted probability"),
            traces=(
                Trace(ENDS, ENDS, "reference", "perfect"),
                Trace(ENDS, np.repeat(self.prevalence, 2), "reference", "prevalence"),
                *bars,
                Trace(ENDS, means),
            ),
            points=2,
            spots=tuple(Spot(x, float(mean), name) for x, mean, name in zip(ENDS, means, names, strict=True)),
            is_square=True,
        )

    def _bars(self, cases: Floats, foot: float, direction: float) -> Trace:
        """A histogram that lies on its side, as an outline: areas stand upright."""
        y = np.repeat(np.linspace(0, 1, len(cases) + 1), 2)
        length = np.concatenate(([0.0], np.repeat(cases / cases.max(), 2), [0.0]))
        return Trace(foot + direction * 2 * STRIP * length, y, "negatives")


def covariance_graph(table: ScoreTable, *, with_cases: bool = True) -> CovarianceGraph:
    """How far apart the probabilities of either class lie on average, and how much they scatter.

    Without the cases there is the line alone: several models fit one figure so.

    >>> table = ScoreTable.of([.04, .21, .41, .46, .51, .59, .61, .75, .8, .92], [0, 0, 0, 1, 0, 0, 1, 1, 1, 1])
    >>> covariance_graph(table)
    <Covariance graph: slope 0.356, scatter 0.033>

    References: Yates (1982); Arkes et al. (1995).
    """
    edges = np.linspace(0, 1, BINS // 2 + 1)
    sides = (table.negative, table.positive)
    negative, positive = (in_bins(table.score, side, edges) if with_cases else NOTHING for side in sides)
    prevalence = float(table.positives) / float(table.total)
    return CovarianceGraph(covariance_parts(table), prevalence, negative, positive)
