"""Axes: where they end and which few ticks they carry."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logit

from assay.curves import Ruler
from assay.plots.figure import SPACINGS, Axis
from assay.types import Floats

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
    find = {"linear": linear_ticks, "log": _decades, "probit": _rates, "log-odds": _odds}[ruler.scale]
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
    cuts = [(nice * power, *_cut(low, high, nice * power)) for nice in NICE]
    # The tightest: as little empty room as round numbers allow.
    step, first, last = min(
        (cut for cut in cuts if 2 <= cut[2] - cut[1] <= MOST_PIECES), key=lambda cut: cut[0] * (cut[2] - cut[1])
    )
    return tuple(round(k * step, 12) for k in range(first, last + 1))


def _cut(low: float, high: float, step: float) -> tuple[int, int]:
    return math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)


def _decades(low: float, high: float) -> tuple[float, ...]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = math.ceil((last - first) / MOST_PIECES) or 1
    return tuple(10.0**k for k in range(first, max(last, first + 1) + every, every))


def _odds(low: float, high: float) -> tuple[float, ...]:
    """Both ends and, where there is room, one half and powers of ten on either side of it.

    >>> _odds(0.001, 0.999), _odds(1e-6, 0.99)
    ((0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999), (1e-06, 0.0001, 0.01, 0.1, 0.5, 0.9, 0.99))
    """
    below, above = ([10.0**-k for k in range(1, round(-math.log10(end)))] for end in (low, 1 - high))
    kept = [low, high]
    for tick in (0.5, *below[1::2], *(1 - share for share in above[1::2]), *below[::2], *(1 - s for s in above[::2])):
        away = ((other, abs(logit(tick) - logit(other)) / (logit(high) - logit(low))) for other in kept)
        if all(apart >= LETTER * (len(f"{tick:g}{other:g}") / 2 + 1) for other, apart in away):
            kept.append(tick)
    return tuple(sorted(kept))


def _rates(low: float, high: float) -> tuple[float, ...]:
    """Rates from just below to just above, only every other one where there are too many.

    >>> _rates(0.02, 0.9), _rates(0, 1)
    ((0.01, 0.05, 0.2, 0.5, 0.8, 0.95), (0.001, 0.05, 0.5, 0.95, 0.999))
    """
    first = max((k for k, rate in enumerate(RATES) if rate <= low), default=0)
    last = min((k for k, rate in enumerate(RATES) if rate >= high), default=len(RATES) - 1)
    last = max(last, first + 1)
    if last - first <= MOST_RATES:
        return RATES[first : last + 1]
    inner = RATES[first + 2 : last - 1 : 2]
    return (RATES[first], *inner, RATES[last])
