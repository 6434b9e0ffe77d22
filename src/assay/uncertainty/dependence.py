"""Intervals of a mean over a stretch of a stream, where events depend on those before: at one look, fixed beforehand.

What a mean of dependent events varies by is their long-run variance: the variance and twice all autocovariances. It is
found on what an autoregression of order 1 leaves (prewhitening, Andrews & Monahan 1992), by Bartlett's kernel with the
bandwidth of Andrews (1991) but at least `LEAST_BANDWIDTH` roots of n, and never below the variance of independent
events. How little is known of it enters as degrees of freedom: of the kernel (Kiefer & Vogelsang's fixed-b, 3 / (2 b)),
and of the autoregression, whose coefficient's error is taken as White (1980) does, since rare errors vary unevenly.
Constants were chosen on even seeds of simulated streams, and docs/verification/streams.md reports others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtrit

from assay.errors import OptionError
from assay.request import checked_choice, checked_level, checked_seed
from assay.results import Estimate, Interval
from assay.types import Floats
from assay.uncertainty.influence import scale_of

__all__ = [
    "ONE_LOOK",
    "LongRun",
    "dependent_interval",
    "dependent_mean",
    "long_run",
]

ONE_LOOK = "window intervals are valid at a single time point; for monitoring use the anytime-valid limits"
METHODS = ("long-run variance", "block bootstrap")
LEAST_BANDWIDTH = 2.0
# Where autocorrelation is nearer to 1 than that, a stretch is a single event.
HIGHEST_CORRELATION = 0.97
FEWEST_FREEDOM = 2.0
# What was found to hold: from so many errors, or other losses, on; and so many independent events' worth of the rarer
# outcome, or of all of them.
FEWEST_EVENTS = 100
FEWEST_LOSSES = 200
FEWEST_RARE = 2.5
FEWEST_WORTH = 15.0
DRAWS = 2000


@dataclass(frozen=True, slots=True)
class LongRun:
    """How a mean of dependent events varies.

    `variance` is that of the mean times n, `plain` the variance of a single event, `freedom` how well the first is
    known, `correlation` the autocorrelation at lag 1, `bandwidth` how many lags were looked at.
    """

    n: int
    variance: float
    plain: float
    freedom: float
    correlation: float
    bandwidth: float

    @property
    def worth(self) -> float:
        """How many independent events would tell as much; nan where nothing varies."""
        return self.n * self.plain / self.variance if self.variance > 0 else math.nan

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return math.sqrt(self.variance / self.n)


def long_run(values: ArrayLike) -> LongRun:
    """The long-run variance of events in their order, and how well it is known.

    >>> found = long_run([0, 0, 0, 0, 1, 1, 0, 0, 0, 1] * 40)
    >>> round(found.plain, 3), round(found.variance, 3), round(found.correlation, 3)
    (0.211, 0.211, 0.05)
    """
    x = np.asarray(values, dtype=np.float64)
    n, centred = len(x), x - x.mean()
    squares = float(centred @ centred)
    if n < 4 or not squares > 1e-12 * max(float(x @ x), 1e-300):
        return LongRun(n, 0.0, 0.0, FEWEST_FREEDOM, math.nan, 0.0)
    found = float(centred[1:] @ centred[:-1]) / squares
    # An estimated autocorrelation is too low by about this much (Kendall 1954).
    corrected = min(max(found + (1 + 3 * max(found, 0.0)) / n, 0.0), HIGHEST_CORRELATION)
    left = centred[1:] - corrected * centred[:-1]
    doubt = float(np.square(left * centred[:-1]).sum()) / squares**2 / (1 - corrected) ** 2
    left = left - left.mean()
    bandwidth = min(max(_andrews_bandwidth(left), LEAST_BANDWIDTH * math.sqrt(n)), n - 1.0)
    plain = squares / (n - 1)
    variance = max(_bartlett_variance(left, bandwidth) * n / (n - 2) / (1 - corrected) ** 2, plain)
    freedom = 1 / (2 * doubt + bandwidth / (1.5 * n))
    return LongRun(n, variance, plain, max(freedom, FEWEST_FREEDOM), found, bandwidth)


def _andrews_bandwidth(x: Floats) -> float:
    """Andrews' bandwidth of Bartlett's kernel, had the events an autoregression of order 1."""
    squares = float(x @ x)
    rho = float(x[1:] @ x[:-1]) / squares if squares > 0 else 0.0
    rho = min(max(rho, -HIGHEST_CORRELATION), HIGHEST_CORRELATION)
    return float(1.1447 * (4 * rho**2 / ((1 - rho) ** 2 * (1 + rho) ** 2) * len(x)) ** (1 / 3))


def _bartlett_variance(x: Floats, bandwidth: float) -> float:
    lags = math.ceil(bandwidth)
    spectrum = np.abs(np.fft.rfft(x, 2 * len(x))) ** 2
    covariances = np.fft.irfft(spectrum)[:lags] / len(x)
    weights = np.clip(1 - np.arange(lags) / bandwidth, 0, None)
    return float(covariances[0] + 2 * (weights[1:] @ covariances[1:]))


def dependent_mean(
    losses: ArrayLike,
    level: float = 0.95,
    *,
    method: str | None = None,
    name: str = "mean",
    seed: int = 0,
) -> Estimate:
    """The mean of a stretch of a stream, with limits that respect that events depend on those before.

    Errors (0 and 1) have Wilson's interval on as many independent events as tell as much; other losses a t interval. By
    default there are no limits where they were not found to hold: below 100 events, or where the rarer outcome has
    fewer than 2.5 independent events' worth (other losses: below 200 events, or 15 events' worth). `method` names one
    whatever the data are: "long-run variance", or "block bootstrap" (circular; it falls short where errors are rare or
    cling). The limits hold at one look.

    >>> dependent_mean([0, 0, 0, 0, 1, 1, 0, 0, 0, 1] * 40, name="error_rate")
    0.300 [0.253, 0.351]
    """
    level, x = checked_level(level), np.asarray(losses, dtype=np.float64)
    chosen = METHODS[0] if method is None else checked_choice(method, METHODS, "method")
    if not np.all(np.isfinite(x)):
        raise OptionError("a loss is not a finite number", "finite losses: a probability of 0 has no log loss")
    if not len(x):
        return Estimate(name, math.nan, math.nan, math.nan, level, chosen, 0, undefined="there are no events")
    mean, found = float(x.mean()), long_run(x)
    is_share = bool(np.all((x == 0) | (x == 1)))
    why = _no_limits_reason(found, mean, is_share=is_share) if method is None else _no_variance_reason(found)
    if why:
        interval = Interval.missing(chosen, why)
    elif chosen == "block bootstrap":
        interval = _block_bootstrap_interval(x, level, checked_seed(seed))
    else:
        interval = _wilson_interval(mean, found, level) if is_share else _student_interval(mean, found, level)
    return Estimate(
        name, mean, interval.low, interval.high, level, interval.method, len(x), undefined=interval.undefined
    )


def dependent_interval(
    value: float, moves: ArrayLike, level: float = 0.95, *, bounds: tuple[float, float] = (-math.inf, math.inf)
) -> Interval:
    """The interval of an estimate over a stretch of a stream, from how much each event moves it (its influence).

    A t interval on the scale on which the measure's range has no end in reach; by default none below 200 events or 15
    independent events' worth. It holds at one look.

    >>> moves = np.tile([0.25, 0.25, -0.75, 0.25], 100)
    >>> found = dependent_interval(0.75, moves, bounds=(0.0, 1.0))
    >>> round(found.low, 2), round(found.high, 2), found.method
    (0.7, 0.79, 'long-run variance, one look, logit')
    """
    level, found = checked_level(level), long_run(moves)
    method = "long-run variance, one look"
    why = _no_limits_reason(found, value, is_share=False)
    if why or not math.isfinite(value):
        return Interval.missing(method, why or "the estimate itself is not defined")
    reach = float(stdtrit(found.freedom, 0.5 + level / 2)) * found.error
    if bounds == (-math.inf, math.inf) or not bounds[0] < value < bounds[1]:
        low, high = max(value - reach, bounds[0]), min(value + reach, bounds[1])
        return Interval(low, high, method)
    scale = scale_of(bounds)
    middle, reach = scale.forward(value), reach * scale.slope(value)
    ends = sorted((scale.backward(middle - reach), scale.backward(middle + reach)))
    return Interval(ends[0], ends[1], f"{method}, {scale.name}")


def _no_variance_reason(found: LongRun) -> str | None:
    return None if found.variance > 0 else "all events are alike: nothing shows how they depend on one another"


def _no_limits_reason(found: LongRun, mean: float, *, is_share: bool) -> str | None:
    """Why the default shows no limits, if it does not."""
    fewest = FEWEST_EVENTS if is_share else FEWEST_LOSSES
    if found.n < fewest:
        return f"limits under dependence keep their level from {fewest} events on"
    if why := _no_variance_reason(found):
        return why
    if is_share and found.worth * min(mean, 1 - mean) < FEWEST_RARE:
        return f"the rarer outcome has fewer than {FEWEST_RARE:g} independent events' worth"
    if not is_share and found.worth < FEWEST_WORTH:
        return f"fewer than {FEWEST_WORTH:g} independent events' worth"
    return None


def _wilson_interval(mean: float, found: LongRun, level: float) -> Interval:
    t, worth = float(stdtrit(found.freedom, 0.5 + level / 2)), found.worth
    centre = (mean + t * t / (2 * worth)) / (1 + t * t / worth)
    half = t / (1 + t * t / worth) * math.sqrt(mean * (1 - mean) / worth + t * t / (4 * worth * worth))
    low, high = max(min(centre - half, mean), 0.0), min(max(centre + half, mean), 1.0)
    return Interval(low, high, "Wilson, long-run variance, one look")


def _student_interval(mean: float, found: LongRun, level: float) -> Interval:
    half = float(stdtrit(found.freedom, 0.5 + level / 2)) * found.error
    return Interval(mean - half, mean + half, "long-run variance, one look")


def _block_bootstrap_interval(x: Floats, level: float, seed: int) -> Interval:
    """Percentiles of means of blocks put together at random; the stretch is closed to a circle, so all weigh alike.

    Blocks are as long as Andrews' bandwidth, and the percentiles as far out as a t distribution has them whose freedom
    is that of the kernel which such blocks amount to.
    """
    n, length = len(x), max(math.ceil(_andrews_bandwidth(x - x.mean())), 1)
    tail = float(ndtr(-stdtrit(1.5 * n / length, 0.5 + level / 2)))
    blocks = math.ceil(n / length)
    sums = np.cumsum(np.concatenate(([0.0], x, x[:length])))
    means = (sums[length : n + length] - sums[:n]) / length
    starts = np.random.default_rng(seed).integers(0, n, size=(DRAWS, blocks))
    drawn = means[starts].mean(axis=1)
    low, high = np.quantile(drawn, [tail, 1 - tail])
    mean = float(x.mean())
    return Interval(min(float(low), mean), max(float(high), mean), f"block bootstrap, blocks of {length}, one look")
