"""Streams of losses to draw from: independent ones, and ones in which the past says something about the next."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.special import ndtri

__all__ = ["STREAMS", "autoregression", "clinging"]

Floats = NDArray[np.float64]


def clinging(rng: np.random.Generator, n: int, rate: float, stay: float) -> Floats:
    """Errors of a two-state Markov chain.

    >>> clinging(np.random.default_rng(1), 100_000, 0.2, 0.5).mean().round(1).item()
    0.2
    """
    fresh, kept = (rng.random(n) < rate).astype(np.float64), rng.random(n) < stay
    kept[0] = False
    return np.asarray(fresh[np.maximum.accumulate(np.where(kept, 0, np.arange(n)))])


def latent(rng: np.random.Generator, n: int, rate: float, coefficient: float) -> Floats:
    """Errors wherever a Gaussian autoregression is below its quantile."""
    return np.asarray(autoregression(rng, n, coefficient) < ndtri(rate), dtype=np.float64)


def autoregression(rng: np.random.Generator, n: int, coefficient: float) -> Floats:
    """A Gaussian autoregression of order 1 with variance 1, begun as it goes on."""
    noise = rng.standard_normal(n)
    noise[0] /= math.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1.0], [1.0, -coefficient], noise) * math.sqrt(1 - coefficient**2))


def differences(rng: np.random.Generator, n: int, rate: float, _: float = 0.0) -> Floats:
    """Losses whose mean given the past stays the same while their spread is that of the sign of the one before."""
    wide = (rng.random(n) < rate).astype(np.float64)
    narrow = rate * 2 * rng.random(n)
    found, last = np.empty(n), 0.0
    for i, (one, other) in enumerate(zip(wide.tolist(), narrow.tolist(), strict=True)):
        last = one if last <= rate else other
        found[i] = last
    return found


STREAMS: dict[str, Callable[..., Floats]] = {
    "independent": lambda rng, n, rate, _: (rng.random(n) < rate).astype(np.float64),
    "martingale differences": differences,
    "clinging": clinging,
    "latent": latent,
    "exponential": lambda rng, n, rate, _: rng.exponential(rate, n),
    "normal": lambda rng, n, rate, _: rng.normal(rate, 1.0, n),
}
