"""A figure as data: what is drawn, where, and in which role. Drawing it is someone else's work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from assay.curves import Scale
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
