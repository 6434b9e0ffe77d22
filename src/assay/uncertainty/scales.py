"""Scales on which an estimate is nearer to normal than on its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.special import expit, logit

__all__ = ["FISHER", "IDENTITY", "LOG", "LOGIT", "LOG_OF_REST", "Scale", "scale_of"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The way to a scale, how steep it is there (without sign), and the way back.

    >>> round(LOGIT.backward(LOGIT.forward(0.8)), 6), round(LOGIT.slope(0.8), 6)
    (0.8, 6.25)
    """

    name: str
    forward: Callable[[float], float]
    slope: Callable[[float], float]
    backward: Callable[[float], float]


def _exp(power: float) -> float:
    """e to a power, infinite where no number holds it."""
    return math.exp(power) if power < 700 else math.inf


# The values' own, for what has no end in reach.
IDENTITY = Scale("plain", lambda x: x, lambda x: 1.0, lambda y: y)
LOGIT = Scale("logit", lambda x: float(logit(x)), lambda x: 1 / (x * (1 - x)), lambda y: float(expit(y)))
# Fisher's z, for what runs from -1 to 1.
FISHER = Scale(
    "z",
    lambda x: math.atanh(x) if abs(x) < 1 else math.copysign(math.inf, x),
    lambda x: 1 / (1 - x * x),
    math.tanh,
)
LOG = Scale("log", lambda x: math.log(x) if x > 0 else -math.inf, lambda x: 1 / x, _exp)
# For a skill: the logarithm of the share of the baseline's loss that is left.
LOG_OF_REST = Scale(
    "log", lambda x: math.log1p(-x) if x < 1 else -math.inf, lambda x: 1 / (1 - x), lambda y: 1 - _exp(y)
)


def scale_of(bounds: tuple[float, float]) -> Scale:
    """The scale on which a range has no end in reach.

    >>> scale_of((0.0, 1.0)).name
    'logit'
    >>> round(scale_of((0.0, 0.2)).forward(0.15), 6) == round(LOGIT.forward(0.75), 6)
    True
    """
    scales = {(0.0, 1.0): LOGIT, (-1.0, 1.0): FISHER, (0.0, math.inf): LOG, (-math.inf, 1.0): LOG_OF_REST}
    return scales.get(bounds) or _between(*bounds)


def _between(low: float, high: float) -> Scale:
    """The logit of how far a value lies between two ends."""
    width = high - low
    return Scale(
        LOGIT.name,
        lambda x: LOGIT.forward((x - low) / width),
        lambda x: LOGIT.slope((x - low) / width) / width,
        lambda y: low + width * LOGIT.backward(y),
    )
