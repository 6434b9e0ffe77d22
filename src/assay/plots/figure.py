"""A figure as data: what is drawn, where, and in which role. Drawing it is someone else's work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axis", "Dot", "Figure", "Floats", "Label", "Line", "Note", "Role"]

Floats = NDArray[np.float64]
# What a mark stands for; `style.py` says how that looks. Models count from "model-0".
Role = str


@dataclass(frozen=True)
class Axis:
    """A titled range with a few ticks; the axis runs from the first to the last."""

    title: str
    ticks: tuple[float, ...] = (0.0, 0.5, 1.0)

    @property
    def low(self) -> float:
        """Where the axis begins."""
        return self.ticks[0]

    @property
    def high(self) -> float:
        """Where the axis ends."""
        return self.ticks[-1]


@dataclass(frozen=True, eq=False)
class Line:
    """Points joined in order."""

    x: Floats
    y: Floats
    role: Role
    name: str = ""


@dataclass(frozen=True)
class Dot:
    """The one point that decisions stand on."""

    x: float
    y: float


@dataclass(frozen=True)
class Label:
    """Words on the plot, centred on a point."""

    x: float
    y: float
    text: str
    role: Role


@dataclass(frozen=True)
class Note:
    """A block in the column beside the plot: a heading, then (text, whether it is set grey) lines."""

    heading: str
    role: Role
    lines: tuple[tuple[str, bool], ...]
    place: Literal["top", "bottom"]


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
    notes: tuple[Note, ...]
    drawn: int
    points: int
    # How far the drawn lines may be from the curves, as a share of an axis; 0 where only points on straight lines go.
    off_by: float = 0.0
    is_square: bool = False

    @property
    def description(self) -> str:
        """The notes as one sentence, for readers who do not see the figure."""
        blocks = (" ".join([note.heading, *(text for text, _ in note.lines)]) for note in self.notes)
        return "; ".join([f"{self.y.title} against {self.x.title}", *blocks]) + "."
