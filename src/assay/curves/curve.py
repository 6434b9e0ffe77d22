"""What a curve is, as data: what all of them can do, and those that a moving threshold traces.

What there is to draw of a curve, as data: lines, areas and axes. Making a picture of it is someone else's work.

What curves need of scores beside an order, and of the numbers they are asked about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import OptionError
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import Measure
from assay.renderers import in_notebook, plot, svg
from assay.request import checked_between
from assay.results import Table
from assay.types import Floats

Scale = Literal["linear", "log", "probit", "log-odds"]
# What a trace stands for. "model" and "positives" take the colour of the model drawn, "negatives" are grey, a
# "reference" is what the curve is read against, "faint" lines are what it is made of, a "mark" measures something.
Role = Literal["model", "positives", "negatives", "reference", "faint", "mark"]

# How much room a threshold axis leaves beyond the scores, as a share of their range.
ROOM = 0.04


@dataclass(frozen=True)
class Ruler:
    """One direction of a drawing: its title, its ends (None: wherever the data end) and how values are spaced.

    One that is bare has no ticks: only what is more and what is less can be read from it.
    """

    title: str
    ends: tuple[float, float] | None = (0.0, 1.0)
    scale: Scale = "linear"
    is_bare: bool = False


@dataclass(frozen=True, eq=False)
class Trace:
    """Points joined in order or, with a `base`, the area between them and it."""

    x: Floats
    y: Floats
    role: Role = "model"
    name: str = ""
    base: Floats | None = None


@dataclass(frozen=True)
class Spot:
    """One named point."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything a curve has to show; `points` says how many points it has."""

    name: str
    title: str
    x: Ruler
    y: Ruler
    traces: tuple[Trace, ...]
    points: int
    spots: tuple[Spot, ...] = ()
    is_square: bool = False


def stepped(threshold: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The line of a quantity that is constant between thresholds, which come from the highest down, infinity first.

    A value holds from its threshold down to just above the next one.

    >>> stepped(np.array([np.inf, 0.8, 0.2]), np.array([0.0, 1.0, 2.0]))
    (array([0. , 0.2, 0.2, 0.8, 0.8, 1. ]), array([2., 2., 1., 1., 0., 0.]))
    """
    rising = threshold[:0:-1]
    low, high = float(rising[0]), float(rising[-1])
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    else:
        room = ROOM * (high - low) or 1.0
        low, high = low - room, high + room
    return np.concatenate(([low], np.repeat(rising, 2), [high])), np.repeat(y[::-1], 2)


# How two neighbouring points are joined: by a straight line; through the counts between them, which move in proportion
# as a tie block is called case by case; or by a step, where nothing lies between two thresholds.
Join = Literal["straight", "counts", "step"]

# A segment that bends is drawn through so many points if it is longer than this share of the plot.
POINTS_IN_BEND = 16
SHORTEST_BEND = 0.01

# Where the cells of a two-class matrix stand, in the order TP, FP, TN, FN.
CELLS = ((1, 1), (0, 1), (0, 0), (1, 0))


class Drawable(ABC):
    """What every curve can do beside being data: be a table, and be drawn."""

    _repr_html_ = in_notebook
    plot = plot
    svg = svg

    @property
    @abstractmethod
    def is_defined(self) -> bool:
        """Whether there is a curve at all."""

    @abstractmethod
    def table(self) -> Table:
        """Its points as a table."""

    @abstractmethod
    def drawing(self) -> Drawing:
        """What there is to draw."""


@dataclass(frozen=True)
class Quantity:
    """Something read off the confusion matrix at a threshold that is no measure: a count, a gain, a cost."""

    name: str
    title: str
    formula: Callable[[ConfusionMatrix], Any]
    bounds: tuple[float, float] = (0.0, 1.0)

    def __call__(self, matrix: ConfusionMatrix) -> Any:
        return self.formula(matrix)


def _refuse_formula(matrix: ConfusionMatrix) -> Any:
    raise OptionError("a confusion matrix does not know the threshold that made it", "a table of scores")


THRESHOLD = Quantity("threshold", "Threshold", _refuse_formula, (-np.inf, np.inf))


@dataclass(frozen=True)
class Sweep:
    """A kind of curve: what stands on which axis as the threshold moves."""

    name: str
    title: str
    x: Measure | Quantity
    y: Measure | Quantity
    join: Join = "counts"
    # The lines to read the curve against, given the prevalence.
    references: Callable[[float], tuple[Trace, ...]] | None = None
    # Where nothing is predicted positive some quantities are undefined for every classifier.
    starts_at_first_block: bool = False
    scale: Literal["linear", "probit"] = "linear"
    cells: tuple[str, str, str, str] = ("TP", "FP", "TN", "FN")

    def __call__(self, table: ScoreTable) -> Curve:
        swept, threshold = table.swept(), table.thresholds()
        x, y = (threshold if axis is THRESHOLD else axis(swept) for axis in (self.x, self.y))
        start = int(self.starts_at_first_block)
        return Curve(self, x[..., start:], y[..., start:], threshold[start:], swept.counts[..., start:, :, :])

    def ruler(self, axis: Measure | Quantity) -> Ruler:
        """The axis of a drawing that a quantity stands on."""
        is_bounded = axis.bounds == (0.0, 1.0) and self.scale == "linear"
        return Ruler(axis.title, (0.0, 1.0) if is_bounded else None, self.scale)


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Drawable):
    """A curve as arrays: the point (x[i], y[i]) belongs to calling scores of at least threshold[i] positive.

    `counts` holds the confusion matrix behind each point, rows truth. Tied scores make one segment, never a staircase,
    because no threshold parts them.
    """

    kind: Sweep
    x: Floats
    y: Floats
    threshold: Floats
    counts: Floats

    def __len__(self) -> int:
        return len(self.threshold)

    def __repr__(self) -> str:
        return f"<{self.kind.title}: {len(self):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a curve at all (both classes are present)."""
        return bool((np.isfinite(self.y) & ~np.isnan(self.x)).any())

    @property
    def prevalence(self) -> float:
        """The share of positives among the cases."""
        actual = self.counts[0].sum(-1)
        return float(actual[1] / actual.sum())

    def table(self) -> Table:
        """Threshold, the four counts and both quantities at every point, as textbooks print it.

        >>> from assay.curves import roc
        >>> print(roc(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).table())
        threshold  TP  FP  TN  FN    fpr  recall
              inf   0   0   1   2  0.000   0.000
            0.900   1   0   1   1  0.000   0.500
            0.800   1   1   0   1  1.000   0.500
            0.400   2   1   0   0  1.000   1.000
        """
        columns = {"threshold": self.threshold.tolist()}
        columns |= {name: whole(self.counts[:, i, j]) for name, (i, j) in zip(self.kind.cells, CELLS, strict=True)}
        axes = {self.kind.x.name: self.x, self.kind.y.name: self.y}
        columns |= {name: values.tolist() for name, values in axes.items() if name not in columns}
        return Table(columns, title=self.kind.title)

    def corners(self) -> Curve:
        """The same curve without points that lie on a straight line between their neighbours."""
        if len(self) < 3:
            return self
        keep = self._turns()
        return Curve(self.kind, self.x[keep], self.y[keep], self.threshold[keep], self.counts[keep])

    def _turns(self) -> NDArray[np.bool_]:
        """Which points are ends of the curve or places where it turns."""
        across, up = np.diff(self.x), np.diff(self.y)
        turns = np.ones(len(self), dtype=np.bool_)
        turns[1:-1] = across[:-1] * up[1:] != up[:-1] * across[1:]
        return turns

    def drawing(self) -> Drawing:
        """The line through the points as its kind joins them, and what it is read against."""
        kind = self.kind
        x, y = {"straight": self._straight, "counts": self._bent, "step": self._steps}[kind.join]()
        is_drawn = np.isfinite(x) & np.isfinite(y)
        references = () if kind.references is None else kind.references(self.prevalence)
        return Drawing(
            name=kind.name,
            title=kind.title,
            x=kind.ruler(kind.x),
            y=kind.ruler(kind.y),
            traces=(*references, Trace(x, y) if is_drawn.all() else Trace(x[is_drawn], y[is_drawn])),
            points=len(self),
            is_square=kind.x.bounds == kind.y.bounds == (0.0, 1.0),
        )

    def _straight(self) -> tuple[Floats, Floats]:
        keep = self._turns()
        return self.x[keep], self.y[keep]

    def _steps(self) -> tuple[Floats, Floats]:
        return stepped(self.threshold, self.y)

    def _bent(self) -> tuple[Floats, Floats]:
        """The points with others between them wherever a segment is long, read off the counts in between.

        A curve that starts at its first tie block is drawn from where that block starts.
        """
        x, y, counts = self.x, self.y, self.counts
        if self.kind.starts_at_first_block:
            nothing = np.stack((counts[:1].sum(-1), np.zeros((1, 2))), axis=-1)
            x, y, counts = np.append(np.nan, x), np.append(np.nan, y), np.concatenate((nothing, counts))
        # A ratio may be infinite, which is nowhere on a plot.
        x, y = (np.where(np.isfinite(axis), axis, np.nan) for axis in (x, y))
        length = sum(np.abs(np.diff(axis)) / _largest_finite(axis) for axis in (x, y))
        # What has no length, because one of its ends is nowhere, may be long.
        bends = np.flatnonzero(~(length <= SHORTEST_BEND))
        share = np.arange(1, POINTS_IN_BEND) / POINTS_IN_BEND
        between = counts[bends, None] + share[:, None, None] * (counts[bends + 1] - counts[bends])[:, None]
        matrix = ConfusionMatrix(between.reshape(-1, 2, 2))
        place = np.repeat(bends + 1, len(share))
        return np.insert(x, place, self.kind.x(matrix)), np.insert(y, place, self.kind.y(matrix))


def whole(counts: Floats) -> list[Any]:
    """Counts as integers where they are whole."""
    listed: list[Any] = (counts.astype(np.int64) if (counts == counts.round()).all() else counts).tolist()
    return listed


def _largest_finite(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) or 1.0 if len(finite) else 1.0


def need_probabilities(table: ScoreTable, otherwise: str = "") -> None:
    """Refuse scores that are no probabilities, and say what else would do.

    >>> need_probabilities(ScoreTable.of([-1.0, 0.5], [False, True]))
    Traceback (most recent call last):
    assay.errors.OptionError: the scores run from -1 to 0.5; needed: probabilities, from 0 to 1: ...
    """
    low, high = (table.score[0], table.score[-1]) if len(table) else (0.0, 1.0)
    if not (low >= 0 and high <= 1):
        found = f"the scores run from {low:g} to {high:g}"
        raise OptionError(found, f"probabilities, from 0 to 1: calibrate them first{otherwise}")


def need_between(values: NDArray[np.float64], name: str, high: float = 1.0) -> None:
    """Refuse numbers below 0 or above `high`, one or many of them.

    >>> need_between(np.array([0.2, 1.5]), "recall")
    Traceback (most recent call last):
    assay.errors.OptionError: recall is 1.5; needed: a number from 0 to 1
    """
    outside = values[~((values >= 0) & (values <= high))]
    if outside.size:
        checked_between(float(outside[0]), name, 0.0, high, closed=True)
