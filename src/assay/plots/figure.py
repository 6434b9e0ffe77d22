"""A figure as data: what is drawn, where, and in which role. Drawing it is someone else's work.

Axes: where they end and which few ticks they carry.

Lines made fit to draw: thinned to what the eye can tell apart, and cut at the edges of the plot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtr, ndtri

from assay.curves import Ruler, Scale
from assay.types import Floats

# What a mark stands for; `style.py` says how that looks. Models count from "model-0".
Role = str


def _log10(values: Any) -> Any:
    """Where values stand on a logarithmic axis; those that are not positive stand nowhere."""
    return np.log10(np.where(np.asarray(values) > 0, values, np.nan))


# For each scale, the way from values to where they stand, and back.
SPACINGS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = MappingProxyType(
    {
        "linear": (np.asarray, np.asarray),
        "log": (_log10, lambda place: 10.0**place),
        "probit": (ndtri, ndtr),
        "log-odds": (logit, expit),
    }
)


@dataclass(frozen=True)
class Axis:
    """A titled range with a few ticks; the axis runs from the first to the last.

    Values are spaced as `scale` says, and yet ticks are read in the values' own unit.

    >>> Axis("Miss rate", (0.01, 0.5, 0.99), "probit").position(np.array([0.01, 0.5, 0.99])).round(3).tolist()
    [0.0, 0.5, 1.0]
    """

    title: str
    ticks: tuple[float, ...] = (0.0, 0.5, 1.0)
    scale: Scale = "linear"
    is_bare: bool = False
    # What stands beside each tick, where that is no number: names of rows.
    words: tuple[str, ...] = ()

    @property
    def low(self) -> float:
        """Where the axis begins."""
        return self.ticks[0]

    @property
    def high(self) -> float:
        """Where the axis ends."""
        return self.ticks[-1]

    def spaced(self, values: Any) -> Floats:
        """The values on the scale they are spaced by."""
        spaced: Floats = SPACINGS[self.scale][0](values)
        return spaced

    def value(self, position: float) -> float:
        """The value that lies at a position."""
        low, high = self.spaced(self.low), self.spaced(self.high)
        return float(SPACINGS[self.scale][1](low + position * (high - low)))

    def position(self, values: Any) -> Floats:
        """How far along the axis values lie: 0 at its beginning, 1 at its end."""
        low, high = self.spaced(self.low), self.spaced(self.high)
        share: Floats = (self.spaced(values) - low) / (high - low)
        return share

    def tick_words(self) -> tuple[str, ...]:
        """What stands beside each tick.

        >>> Axis("Cases", (0.0, 2500.0, 5000.0)).tick_words(), Axis("Cost", (0.0, 0.25)).tick_words()
        (('0', '2,500', '5,000'), ('0', '0.25'))
        """
        if self.words:
            return self.words
        return tuple(f"{tick:,.0f}" if abs(tick) >= 1000 else f"{tick:g}" for tick in self.ticks)


@dataclass(frozen=True, eq=False)
class Line:
    """Points joined in order; nan parts one piece from the next."""

    x: Floats
    y: Floats
    role: Role
    name: str = ""
    # The words that stand on the plot beside it.
    label: str = ""
    # For a page's script: whose it is, and which quantity its heights follow when a control moves.
    model: int | None = None
    moves: str = ""


@dataclass(frozen=True)
class Segment:
    """A straight line between two points, cut at the edges of the plot: a threshold, or a line of equal cost."""

    start: tuple[float, float]
    end: tuple[float, float]
    role: Role = "cut"
    model: int | None = None
    # Written for a page's script, which shows it once there is something to show.
    is_hidden: bool = False


@dataclass(frozen=True, eq=False)
class Tiles:
    """Unit squares of a heat map, by their lower left corners."""

    x: Floats
    y: Floats
    role: Role


@dataclass(frozen=True, eq=False)
class Area:
    """Everything between two lines over the same places: a band, or bars standing on zero.

    Where `beyond` says so, only what lies from there on is painted: what a threshold flags.
    """

    x: Floats
    low: Floats
    high: Floats
    role: Role
    model: int | None = None
    moves: str = ""
    beyond: float | None = None


@dataclass(frozen=True)
class Dot:
    """A point of its own: the one that decisions stand on, or a classifier that has no other."""

    x: float
    y: float
    role: Role = "dot"
    label: str = ""
    model: int | None = None
    is_hidden: bool = False
    # Its radius, where that tells something.
    size: float | None = None


@dataclass(frozen=True)
class Label:
    """Words on the plot, centred on a point."""

    x: float
    y: float
    text: str
    role: Role
    moves: str = ""


@dataclass(frozen=True)
class SideNote:
    """A block of words in an empty corner of the plot: a heading, then (text, whether it is set grey) lines.

    What is grey stands behind the line before it. `outs` says, for the heading and each line, which number a page's
    script writes there and after which words. A note that `is_row` stands in one row, heading and all.
    """

    heading: str
    role: Role
    lines: tuple[tuple[str, bool], ...]
    place: Literal["top", "bottom"]
    outs: tuple[tuple[str, str], ...] = ()
    model: int | None = None
    is_row: bool = False


@dataclass(frozen=True, eq=False)
class Figure:
    """Everything there is to draw. `drawn` and `points` say how many points of how many the lines keep."""

    name: str
    title: str
    x: Axis
    y: Axis
    lines: tuple[Line, ...]
    dots: tuple[Dot, ...]
    labels: tuple[Label, ...]
    notes: tuple[SideNote, ...]
    drawn: int
    points: int
    # How far the drawn lines may be from the curves, as a share of an axis; 0 where only points on straight lines go.
    off_by: float = 0.0
    is_square: bool = False
    areas: tuple[Area, ...] = ()
    rules: tuple[Segment, ...] = ()
    tiles: tuple[Tiles, ...] = ()
    # Of what the y axis counts, where a page's script must know: "relative" to the best constant answer.
    unit: str = ""
    # Where curves end that are told apart by letters beside the plot, the one to be named highest first.
    letters: tuple[Label, ...] = ()
    # How wide and high the plot is, in units of the drawing, where it is to be otherwise than others, and how much room
    # is left for words on either side of it.
    width: int | None = None
    height: int | None = None
    margins: tuple[int, int] | None = None
    # Words on the right of the plot, at their heights.
    beside: tuple[Label, ...] = ()

    @property
    def description(self) -> str:
        """The notes as one sentence, for readers who do not see the figure."""
        blocks = (" ".join(filter(None, (note.heading, *(text for text, _ in note.lines)))) for note in self.notes)
        return "; ".join([f"{self.y.title} against {self.x.title}", *blocks]) + "."


# An axis is cut into at most so many pieces.
MOST_PIECES = 3
NICE = (1.0, 2.0, 2.5, 5.0, 10.0, 20.0)
# Rates that a probit axis may begin, end or stop at: shares of one normal distribution.
# More stops than these do not fit beside one another.
MOST_RATES = 5
# As a share of the axis, what a letter beside it takes.
LETTER = 0.022
RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def axis_of(ruler: Ruler, values: Floats) -> Axis:
    """The axis for values along a ruler: as long as the ruler says, or else as they need."""
    if ruler.ends == (0.0, 1.0) and ruler.scale == "linear":
        return Axis(ruler.title)
    placed = values[np.isfinite(SPACINGS[ruler.scale][0](values))] if ruler.ends is None else np.array(ruler.ends)
    low, high = (float(placed.min()), float(placed.max())) if len(placed) else (0.0, 1.0)
    find = {"linear": linear_ticks, "log": _decade_ticks, "probit": _rate_ticks, "log-odds": _odds_ticks}[ruler.scale]
    return Axis(ruler.title, (low, high) if ruler.is_bare else find(low, high), ruler.scale, ruler.is_bare)


def linear_axis(title: str, low: float, high: float) -> Axis:
    """An axis of round numbers that holds both ends.

    >>> linear_axis("ROC AUC", 0.71, 0.93).ticks
    (0.7, 0.8, 0.9, 1.0)
    """
    return Axis(title, linear_ticks(low, high))


def linear_ticks(low: float, high: float) -> tuple[float, ...]:
    """A few round numbers from just below `low` to just above `high`.

    >>> linear_ticks(0, 1), linear_ticks(-0.03, 0.37), linear_ticks(12, 870), linear_ticks(3, 3)
    ((0.0, 0.5, 1.0), (-0.2, 0.0, 0.2, 0.4), (0.0, 500.0, 1000.0), (2.0, 3.0, 4.0))
    """
    if low == high:
        low, high = low - 1, high + 1
    power = 10.0 ** math.floor(math.log10((high - low) / MOST_PIECES))
    cuts = [(nice * power, *_tick_range(low, high, nice * power)) for nice in NICE]
    # The tightest: as little empty room as round numbers allow.
    step, first, last = min(
        (cut for cut in cuts if 2 <= cut[2] - cut[1] <= MOST_PIECES), key=lambda cut: cut[0] * (cut[2] - cut[1])
    )
    return tuple(round(k * step, 12) for k in range(first, last + 1))


def _tick_range(low: float, high: float, step: float) -> tuple[int, int]:
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)


def _decade_ticks(low: float, high: float) -> tuple[float, ...]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = math.ceil((last - first) / MOST_PIECES) or 1
    return tuple(10.0**k for k in range(first, max(last, first + 1) + every, every))


def _odds_ticks(low: float, high: float) -> tuple[float, ...]:
    """Both ends and, where there is room, one half and powers of ten on either side of it.

    >>> _odds_ticks(0.001, 0.999), _odds_ticks(1e-6, 0.99)
    ((0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999), (1e-06, 0.0001, 0.01, 0.1, 0.5, 0.9, 0.99))
    """
    below, above = ([10.0**-k for k in range(1, round(-math.log10(end)))] for end in (low, 1 - high))
    kept = [low, high]
    for tick in (0.5, *below[1::2], *(1 - share for share in above[1::2]), *below[::2], *(1 - s for s in above[::2])):
        away = ((other, abs(logit(tick) - logit(other)) / (logit(high) - logit(low))) for other in kept)
        if all(apart >= LETTER * (len(f"{tick:g}{other:g}") / 2 + 1) for other, apart in away):
            kept.append(tick)
    return tuple(sorted(kept))


def _rate_ticks(low: float, high: float) -> tuple[float, ...]:
    """Rates from just below to just above, only every other one where there are too many.

    >>> _rate_ticks(0.02, 0.9), _rate_ticks(0, 1)
    ((0.01, 0.05, 0.2, 0.5, 0.8, 0.95), (0.001, 0.05, 0.5, 0.95, 0.999))
    """
    first = max((k for k, rate in enumerate(RATES) if rate <= low), default=0)
    last = min((k for k, rate in enumerate(RATES) if rate >= high), default=len(RATES) - 1)
    last = max(last, first + 1)
    if last - first <= MOST_RATES:
        return RATES[first : last + 1]
    inner = RATES[first + 2 : last - 1 : 2]
    return (RATES[first], *inner, RATES[last])


# Shares of a plot's side that nobody sees: points so near a straight line between others need not be drawn.
UNSEEN = 2e-4


def thinned(x: Floats, y: Floats, across: Axis, up: Axis, knots: int) -> tuple[Floats, Floats, float]:
    """A line through at most `knots` of the points, from which none of the others is further than the third number.

    Points are taken at equal steps of the way along the line (right plus up), so those left out lie within one step;
    where the line is all but straight, fewer are enough.
    """
    if len(x) <= knots:
        return x, y, 0.0
    # What lies off the plot, perhaps infinitely far, takes no part of the way there.
    right, high = across.position(x), up.position(y)
    for places in (right, high):
        np.clip(places, 0.0, 1.0, out=places)
    gone = way(right, high)
    steps = np.linspace(0.0, gone[-1], knots)
    taken = np.minimum(np.searchsorted(gone, steps), len(x) - 1)
    is_new = np.concatenate(([True], np.diff(taken) > 0))
    taken = taken[is_new]
    taken = taken[_simplified_indices(right[taken], high[taken])]
    return x[taken], y[taken], float(steps[1]) + UNSEEN


def _simplified_indices(x: Floats, y: Floats) -> NDArray[np.intp]:
    """The points whose joining line passes all others unseen: halves are parted at their furthest point, over again.

    >>> _simplified_indices(np.array([0.0, 0.1, 0.2, 0.3, 0.4]), np.array([0.0, 0.1, 0.2, 0.1, 0.0]))
    array([0, 2, 4])
    """
    found, open_parts = [0, len(x) - 1], [(0, len(x) - 1)]
    while open_parts:
        first, last = open_parts.pop()
        if last - first < 2:
            continue
        along, up = x[last] - x[first], y[last] - y[first]
        inside = slice(first + 1, last)
        off = np.abs(along * (y[inside] - y[first]) - up * (x[inside] - x[first]))
        length = np.hypot(along, up)
        # Ends in one place make no line: then the distance from that place counts.
        off = off / length if length > 0 else np.hypot(x[inside] - x[first], y[inside] - y[first])
        furthest = first + 1 + int(np.argmax(off))
        if off[furthest - first - 1] > UNSEEN:
            found.append(furthest)
            open_parts += [(first, furthest), (furthest, last)]
    return np.array(sorted(set(found)), dtype=np.intp)


def way(x: Floats, y: Floats) -> Floats:
    """How far along a line each of its points is."""
    across, up = np.diff(x), np.diff(y)
    step = np.add(np.abs(across, out=across), np.abs(up, out=up), out=across)
    gone = np.zeros(len(x))
    np.cumsum(step, out=gone[1:])
    return gone


def along(x: Floats, y: Floats, count: int) -> Floats:
    """Points at equal steps along a line, whatever gaps it has; none where nothing of it is on the plot."""
    is_there = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_there], y[is_there]
    if not len(x):
        return np.empty((0, 2))
    gone = way(x, y)
    at = np.linspace(0.0, gone[-1], count)
    return np.column_stack((np.interp(at, gone, x), np.interp(at, gone, y)))


def clipped(x: Floats, y: Floats, across: Axis, up: Axis) -> tuple[Floats, Floats]:
    """The line where it lies on the plot: it ends at the edge where it leaves, and nan stands where it is gone.

    >>> clipped(np.array([0.0, 1.0]), np.array([0.5, -0.5]), Axis("x"), Axis("y"))
    (array([0. , 0.5, nan]), array([0.5, 0. , nan]))
    """
    x, y = _clipped_line(x, y, up.low, up.high)
    y, x = _clipped_line(y, x, across.low, across.high)
    return x, y


def _clipped_line(x: Floats, y: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    if not ((y < low) | (y > high)).any():
        return x, y
    for edge in (low, high):
        crossed = np.flatnonzero((y[:-1] - edge) * (y[1:] - edge) < 0)
        share = (edge - y[crossed]) / (y[crossed + 1] - y[crossed])
        x = np.insert(x, crossed + 1, x[crossed] + share * (x[crossed + 1] - x[crossed]))
        y = np.insert(y, crossed + 1, edge)
    is_outside = (y < low) | (y > high)
    return np.where(is_outside, np.nan, x), np.where(is_outside, np.nan, y)
