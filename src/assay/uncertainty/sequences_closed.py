"""Limits that hold at every look in closed form: for bounded losses by name, and for losses without bounds.

Betting gives narrower limits for bounded losses; these are there by their names, and because a loss without bounds has
no other. Sources: as in `sequences`; Howard, Ramdas, McAuliffe & Sekhon, Time-uniform, nonparametric, nonasymptotic
confidence sequences, Annals of Statistics 49, 2021 (normal mixtures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from assay.errors import OptionError
from assay.request import checked_choice, checked_level, checked_whole
from assay.results import Estimate
from assay.types import Floats
from assay.uncertainty.sequences import NO_EVENTS, SIDES, Betting, Past, bounded, checked_bounds, held_estimate

__all__ = ["SEQUENCES", "Asymptotic", "Predictable", "Sequence", "normal_mixture", "normal_mixture_rho", "sequence_of"]

SEQUENCES = ("betting", "empirical Bernstein", "Hoeffding", "asymptotic")
# From here on the central limit theorem is trusted (docs/verification/streams.md).
FEWEST_EVENTS = 100
TOO_FEW = f"limits at every look of a loss without bounds need about {FEWEST_EVENTS} events"
# The variance of a bounded loss has the mean of the past in it, so the last bets must stay clear of 1.
HIGHEST_BET = 0.5


class Predictable:
    """Limits of the mean of a bounded loss at every look, from bets fixed before each event: a mean and a half-width.

    The centre is the mean of the losses weighted by the bets. `method="empirical Bernstein"` uses the variance seen so
    far, `"Hoeffding"` the largest possible one. The limits hold the same weighted mean of conditional means, so they
    suppose less than betting does, and are wider.

    >>> errors = Predictable("Hoeffding")
    >>> low, high = errors.extend([0, 0, 1, 0, 0, 0, 0, 1, 0, 0] * 20)
    >>> round(float(low[-1]), 3), round(float(high[-1]), 3)
    (0.085, 0.315)
    """

    def __init__(
        self,
        method: str = "empirical Bernstein",
        level: float = 0.95,
        *,
        side: str = "both",
        bounds: tuple[float, float] = (0.0, 1.0),
        highest_bet: float = HIGHEST_BET,
        keep: bool = False,
    ) -> None:
        self.kind = checked_choice(method, ("empirical Bernstein", "Hoeffding"), "method")
        self.level, self.side = checked_level(level), checked_choice(side, SIDES, "side")
        self.bounds, self.highest_bet, self.keep = checked_bounds(bounds), highest_bet, keep
        self.alpha = (1 - self.level) / (2 if side == "both" else 1)
        self.past = Past()
        # Of the bets, of the bets times the losses, and of what they cost below and above.
        self.sums = np.zeros(4)
        self.low, self.high = self.bounds

    @property
    def method(self) -> str:
        """The name of the method."""
        return f"{self.kind}, at every look"

    @property
    def n(self) -> int:
        """How many events came."""
        return self.past.n

    @property
    def mean(self) -> float:
        """The mean of all events; nan before the first."""
        share = (self.past.total - 0.5) / self.n if self.n else math.nan
        return self.bounds[0] + (self.bounds[1] - self.bounds[0]) * share

    def update(self, loss: float) -> tuple[float, float]:
        """The limits after one more event."""
        self.extend([loss])
        return self.low, self.high

    def extend(self, losses: ArrayLike) -> tuple[Floats, Floats]:
        """The limits after each of these events; with `keep`, intersected with all earlier ones."""
        x = bounded(losses, self.bounds)
        if not len(x):
            return x, x
        bets, down, up = self._bets(x)
        each = np.stack([bets, bets * x, down, up])
        sums = np.cumsum(np.concatenate((self.sums[:, None], each), axis=1), axis=1)[:, 1:]
        self.sums = sums[:, -1].copy()
        staked, weighted, down, up = sums
        enough = math.log(1 / self.alpha)
        return self._limits((weighted - enough - down) / staked, (weighted + enough + up) / staked)

    def _bets(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        """The bet on each event, and what it costs below and above."""
        means, variances = self.past.before(x)
        at = np.arange(self.n - len(x) + 1.0, self.n + 1.0)
        if self.kind == "Hoeffding":
            bets = np.minimum(1.0, np.sqrt(8 * math.log(1 / self.alpha) / (at * np.log1p(at))))
            return bets, bets**2 / 8, bets**2 / 8
        bets = np.minimum(self.highest_bet, self.past.stakes(variances, self.alpha))
        # Squares are taken from the plain mean so far; before the first event that is the end a limit starts from.
        guessed = (means * at - 0.5) / np.maximum(at - 1, 1)
        cost = -np.log1p(-bets) - bets
        return bets, cost * (x - guessed) ** 2, cost * (x - guessed - (at == 1)) ** 2

    def _limits(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        least, most = self.bounds
        low = np.clip(low, 0, 1) * (most - least) + least
        high = np.clip(high, 0, 1) * (most - least) + least
        low = np.full(len(low), least) if self.side == "upper" else low
        high = np.full(len(high), most) if self.side == "lower" else high
        if self.keep:
            low = np.maximum.accumulate(np.maximum(low, self.low))
            high = np.minimum.accumulate(np.minimum(high, self.high))
        self.low, self.high = float(low[-1]), float(high[-1])
        return low, high

    def estimate(self, name: str = "mean") -> Estimate:
        """The mean with its limits."""
        return held_estimate(self, name)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as plain numbers."""
        asked = {"method": self.kind, "level": self.level, "side": self.side, "bounds": list(self.bounds)}
        past = {"n": self.past.n, "total": self.past.total, "squares": self.past.squares}
        limits = {"highest_bet": self.highest_bet, "keep": self.keep, "low": self.low, "high": self.high}
        return {**asked, **limits, **past, "sums": self.sums.tolist()}

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> Predictable:
        """As if there had been no interruption."""
        asked = {key: state[key] for key in ("side", "highest_bet", "keep")}
        low, high = state["bounds"]
        made = cls(state["method"], state["level"], bounds=(low, high), **asked)
        made.past.n, made.past.total, made.past.squares = state["n"], state["total"], state["squares"]
        made.sums = np.array(state["sums"])
        made.low, made.high = state["low"], state["high"]
        return made


class Asymptotic:
    """Limits at every look of the mean of a loss that has no bounds (log loss, influence values): from 100 events on.

    A normal mixture with the variance seen so far, narrowest about `planned` events. By the central limit theorem, so
    not before about 100 events: until then the limits are nan and `undefined` says so. What it limits is the running
    average of the losses' conditional means.

    >>> losses = Asymptotic()
    >>> low, high = losses.extend(np.linspace(0, 3, 200) % 1)
    >>> round(float(low[-1]), 3), round(float(high[-1]), 3)
    (0.426, 0.564)
    >>> Asymptotic().estimate("log_loss")
    undefined: no event has come yet
    """

    method = "asymptotic, at every look"

    def __init__(self, level: float = 0.95, *, side: str = "both", planned: int = 1000) -> None:
        self.level, self.side = checked_level(level), checked_choice(side, SIDES, "side")
        self.planned = checked_whole(planned, "planned")
        self.alpha = 1 - self.level
        self.n, self.mean, self.squares = 0, math.nan, 0.0

    def update(self, loss: float) -> tuple[float, float]:
        """The limits after one more event."""
        low, high = self.extend([loss])
        return float(low[0]), float(high[0])

    def extend(self, losses: ArrayLike) -> tuple[Floats, Floats]:
        """The limits after each of these events."""
        values = np.atleast_1d(np.asarray(losses, dtype=np.float64))
        if not np.all(np.isfinite(values)):
            raise OptionError("a loss is not a finite number", "finite losses: a probability of 0 has no log loss")
        seen = np.empty((3, len(values)))
        # Welford's recursion, event by event: chunks leave no trace, and large means cost no digits.
        for i, value in enumerate(values.tolist()):
            self.n += 1
            before = self.mean if self.n > 1 else 0.0
            self.mean = before + (value - before) / self.n
            self.squares += (value - before) * (value - self.mean)
            seen[:, i] = self.n, self.mean, self.squares
        return self._limits(*seen)

    def _limits(self, n: Floats, mean: Floats, squares: Floats) -> tuple[Floats, Floats]:
        # In units of the standard deviation the variance of the sum is n: one boundary serves every loss.
        one_sided = self.side != "both"
        rho = normal_mixture_rho(self.planned, self.alpha, one_sided=one_sided)
        bound = normal_mixture(n, self.alpha, rho, one_sided=one_sided) / n
        half = np.where(n >= FEWEST_EVENTS, np.sqrt(squares / n) * bound, math.nan)
        low = mean - half if self.side != "upper" else np.full(len(n), -math.inf)
        high = mean + half if self.side != "lower" else np.full(len(n), math.inf)
        return low, high

    @property
    def low(self) -> float:
        """The lower limit now; nan before 100 events."""
        return self._now()[0]

    @property
    def high(self) -> float:
        """The upper limit now; nan before 100 events."""
        return self._now()[1]

    def _now(self) -> tuple[float, float]:
        if not self.n:
            return math.nan, math.nan
        low, high = self._limits(np.array([float(self.n)]), np.array([self.mean]), np.array([self.squares]))
        return float(low[0]), float(high[0])

    def estimate(self, name: str = "mean") -> Estimate:
        """The mean with its limits, or the sentence that says why there are none yet."""
        low, high = self._now()
        why = NO_EVENTS if not self.n else TOO_FEW if self.n < FEWEST_EVENTS else None
        if why:
            low, high = math.nan, math.nan
        return Estimate(name, self.mean, low, high, self.level, self.method, self.n, undefined=why)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as plain numbers."""
        asked = {"level": self.level, "side": self.side, "planned": self.planned}
        return {**asked, "n": self.n, "mean": self.mean if self.n else None, "squares": self.squares}

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> Asymptotic:
        """As if there had been no interruption."""
        made = cls(state["level"], side=state["side"], planned=state["planned"])
        made.n, made.squares = state["n"], state["squares"]
        made.mean = math.nan if state["mean"] is None else state["mean"]
        return made


Sequence = Betting | Predictable | Asymptotic


def sequence_of(
    method: str | None = None,
    level: float = 0.95,
    *,
    side: str = "both",
    bounds: tuple[float, float] | None = (0.0, 1.0),
) -> Sequence:
    """Limits at every look by name: betting for a loss with bounds, asymptotic for one without, unless asked otherwise.

    >>> sequence_of(bounds=(-1, 1)).method
    'betting, at every look'
    >>> sequence_of("betting", bounds=None)
    Traceback (most recent call last):
    assay.errors.OptionError: method 'betting' needs bounds of the loss; needed: bounds=(0, 1) ...
    """
    method = checked_choice(method or ("asymptotic" if bounds is None else "betting"), SEQUENCES, "method")
    if method == "asymptotic":
        return Asymptotic(level, side=side)
    if bounds is None:
        needed = "bounds=(0, 1) or whatever a loss lies between, or method='asymptotic'"
        raise OptionError(f"method {method!r} needs bounds of the loss", needed, about="method")
    if method == "betting":
        return Betting(level, side=side, bounds=bounds)
    return Predictable(method, level, side=side, bounds=bounds)


def normal_mixture(variance: Floats, alpha: float, rho: float, *, one_sided: bool) -> Floats:
    """What a sum of mean 0 exceeds at any time in at most alpha of all streams, by the variance it has gathered.

    >>> rho = normal_mixture_rho(100, 0.05, one_sided=False)
    >>> normal_mixture(np.array([100.0]), 0.05, rho, one_sided=False).round(3)
    array([30.352])
    """
    spread = np.asarray(variance, dtype=np.float64) + rho
    if not one_sided:
        return np.asarray(np.sqrt(spread * np.log(spread / (rho * alpha**2))))
    wanted = np.log(spread / rho) / 2 - math.log(2 * alpha)
    # Newton's steps from above the root of a convex function stay above it and come down.
    z = np.sqrt(2 * (wanted + math.log(2)))
    for _ in range(8):
        slope = z + np.exp(-z * z / 2 - log_ndtr(z)) / math.sqrt(2 * math.pi)
        z = z - (z * z / 2 + log_ndtr(z) - wanted) / slope
    return np.asarray(np.sqrt(spread) * z)


def normal_mixture_rho(planned: float, alpha: float, *, one_sided: bool) -> float:
    """The mixture's parameter for which limits are about narrowest when the variance has reached `planned`."""
    doubled = -2 * math.log(min(alpha * (2 if one_sided else 1), 0.9))
    return planned / (doubled + math.log1p(doubled))
