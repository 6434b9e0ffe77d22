"""What there is to draw of a curve, as data: lines, areas and axes. Making a picture of it is someone else's work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

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
