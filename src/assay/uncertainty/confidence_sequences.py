"""Limits of a mean that hold at every look at once: a stream may be watched as often as one likes.

Each is fed one event at a time or in chunks, needs the same memory however long the stream is, and gives the same
limits however the events were cut into chunks. Source: Waudby-Smith & Ramdas, Estimating means of bounded random
variables by betting, JRSS B 86, 2024; Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, Time-uniform central limit theory,
Annals of Statistics 52, 2024.

Limits that hold at every look in closed form: for bounded losses by name, and for losses without bounds.

Betting gives narrower limits for bounded losses; these are there by their names, and because a loss without bounds has
no other. Sources: as in `sequences`; Howard, Ramdas, McAuliffe & Sekhon, Time-uniform, nonparametric, nonasymptotic
confidence sequences, Annals of Statistics 49, 2021 (normal mixtures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from assay.errors import OptionError
from assay.request import checked_choice, checked_level, checked_whole
from assay.results import Estimate
from assay.state import Resumable, Saved, Stateful, as_list, finite_or_none
from assay.types import Floats

__all__ = [
    "SEQUENCES",
    "SIDES",
    "Asymptotic",
    "Betting",
    "Past",
    "Predictable",
    "Sequence",
    "bounded",
    "normal_mixture",
    "normal_mixture_rho",
    "sequence_of",
]


SIDES = ("both", "lower", "upper")
# Half of what may be staked without going bankrupt.
HIGHEST_STAKE = 0.5
# Products of so many factors stay far from the largest and the smallest number a computer holds.
AT_ONCE = 32
CROSSED = "no one mean fits all events: the limits from earlier and from later ones exclude one another"
MOVED = "the mean of all events lies outside the limits that earlier ones gave: it may have changed since"
NO_EVENTS = "no event has come yet"


class Past:
    """What is known of the mean and the variance of a stream in [0, 1] before each event, from the events before it.

    It starts from one event that never was, with mean 1/2 and variance 1/4, so that the first bet is defined too.

    >>> past = Past()
    >>> means, variances = past.before(np.array([0.0, 1.0]))
    >>> means.tolist(), variances.tolist(), past.n
    ([0.5, 0.25], [0.25, 0.15625], 2)
    """

    def __init__(self) -> None:
        self.n, self.total, self.squares = 0, 0.5, 0.25

    def before(self, x: Floats) -> tuple[Floats, Floats]:
        """Mean and variance as they were before each of these events, which then belong to the past themselves."""
        # Summed one after another from where the last chunk ended: the chunks leave no trace, not even in rounding.
        cases = np.arange(self.n + 1.0, self.n + len(x) + 2.0)
        totals = np.cumsum(np.concatenate(([self.total], x)))
        means = totals / cases
        squares = np.cumsum(np.concatenate(([self.squares], (x - means[1:]) ** 2)))
        self.n, self.total, self.squares = self.n + len(x), float(totals[-1]), float(squares[-1])
        return means[:-1], squares[:-1] / cases[:-1]

    def before_one(self, x: float) -> tuple[float, float]:
        """The same of a single event, without the cost of arrays."""
        cases = self.n + 1.0
        mean, variance = self.total / cases, self.squares / cases
        self.n, self.total = self.n + 1, self.total + x
        self.squares += (x - self.total / (cases + 1)) ** 2
        return mean, variance

    def stakes(self, variances: Floats, alpha: float) -> Floats:
        """The bets on the last events, from the variances before each: large while little is known, then less."""
        at = np.arange(self.n - len(variances) + 1.0, self.n + 1.0)
        return np.asarray(np.sqrt(2 * math.log(1 / alpha) / (variances * at * np.log1p(at))))


PAST = tuple(Saved(name, f"past.{name}") for name in ("n", "total", "squares"))


class _Capital(Stateful):
    """What a player holds who bets, against each of many values, that the mean is higher.

    Where the mean is not higher, the capital grows by a factor of 1 / alpha in at most alpha of all streams, ever.
    Against a lower value it is never less, so the values refuted by an event are those below some place.
    """

    _saved: ClassVar = (as_list("logs"), as_list("product"), Saved("refuted"))

    def __init__(self, values: Floats, alpha: float) -> None:
        self.values, self.enough = values, math.log(1 / alpha)
        self.most = np.divide(HIGHEST_STAKE, values, out=np.full(len(values), math.inf), where=values > 0)
        self.logs, self.product = np.zeros(len(values)), np.ones(len(values))
        self.refuted = 0
        self._look_ahead()

    def _restored(self, state: Mapping[str, Any]) -> None:
        self._look_ahead()

    def _look_ahead(self) -> None:
        # What the product must reach: no logarithm is taken at each event, only where a product is put away.
        self.needed = np.exp(np.clip(self.enough - self.logs, -700, 700))

    def bet(self, x: Floats, stakes: Floats, done: int) -> Floats:
        """How many of the values are refuted after each event; `done` events came before."""
        found = np.empty(len(x))
        start = 0
        while start < len(x):
            stop = min(start + AT_ONCE - (done + start) % AT_ONCE, len(x))
            found[start:stop] = self._bet_block(x[start:stop], stakes[start:stop])
            if (done + stop) % AT_ONCE == 0:
                self._put_away()
            start = stop
        highest = np.maximum.accumulate(np.maximum(found, self.refuted))
        self.refuted = int(highest[-1])
        return np.asarray(highest)

    def bet_one(self, x: float, stake: float, done: int) -> None:
        """The same for a single event: only the lowest value that still stands needs a look."""
        factors = np.minimum(stake, self.most)
        factors *= x - self.values
        factors += 1
        self.product *= factors
        while self.refuted < len(self.values) and self.product[self.refuted] >= self.needed[self.refuted]:
            self.refuted += 1
        if (done + 1) % AT_ONCE == 0:
            self._put_away()

    def _put_away(self) -> None:
        self.logs += np.log(self.product)
        self.product = np.ones(len(self.values))
        self._look_ahead()

    def _bet_block(self, x: Floats, stakes: Floats) -> Floats:
        factors = np.minimum(stakes[:, None], self.most)
        factors *= x[:, None] - self.values
        factors += 1
        factors[0] *= self.product
        np.multiply.accumulate(factors, axis=0, out=factors)
        self.product = factors[-1].copy()
        return np.asarray(np.count_nonzero(factors >= self.needed, axis=1), dtype=np.float64)

    def refuted_now(self) -> int:
        """How many values this moment alone refutes, whatever earlier ones did."""
        return int(np.count_nonzero(self.product >= self.needed))

    def wealth(self) -> Floats:
        """The logarithm of the capital against each value."""
        return np.asarray(self.logs + np.log(self.product))


class Betting(Resumable):
    """Limits of the mean of a bounded loss that hold at every event at once, by betting against each possible mean.

    A value leaves the interval for good as soon as betting against it would have multiplied a stake by 1 / alpha, which
    happens to the true mean in at most alpha of all streams. Nothing is assumed but that every loss lies within
    `bounds` and that its mean, given the past, stays the same; for one side (`side="lower"`), that it stays at or below
    (above) the limit asked about. Limits lie on a grid of so many `steps`, rounded outwards; `at` adds values to it.

    >>> errors = Betting()
    >>> low, high = errors.extend([0, 0, 1, 0, 0, 0, 0, 1, 0, 0] * 20)
    >>> float(low[-1]), float(high[-1])
    (0.115, 0.296)
    >>> errors.estimate("error_rate")
    0.200 [0.115, 0.296]
    """

    method = "betting, at every look"
    _options = ("level", "side", "bounds", "at", "steps")
    _saved = (*map(Saved, _options), *PAST, Saved("rise", "_rise"), Saved("fall", "_fall"))

    def __init__(
        self,
        level: float = 0.95,
        *,
        side: str = "both",
        bounds: tuple[float, float] = (0.0, 1.0),
        at: tuple[float, ...] = (),
        steps: int = 1000,
    ) -> None:
        self.level, self.side = checked_level(level), checked_choice(side, SIDES, "side")
        self.bounds, self.at, self.steps = checked_bounds(bounds), tuple(map(float, at)), checked_whole(steps, "steps")
        self.alpha = (1 - self.level) / (2 if side == "both" else 1)
        self.past = Past()
        grid = _mean_grid(self.steps, [(each - self.bounds[0]) / (self.bounds[1] - self.bounds[0]) for each in self.at])
        self._rise, self._fall = _Capital(grid, self.alpha), _Capital(1 - grid[::-1], self.alpha)
        # By how many values are refuted: the highest of them is the limit, so that rounding is outwards.
        self._lower, self._upper = np.concatenate(([0.0], grid)), np.concatenate(([1.0], grid[::-1]))

    @property
    def n(self) -> int:
        """How many events came."""
        return self.past.n

    @property
    def mean(self) -> float:
        """The mean of all events; nan before the first."""
        return self._back((self.past.total - 0.5) / self.n) if self.n else math.nan

    def update(self, loss: float) -> tuple[float, float]:
        """The limits after one more event."""
        x, done = bounded_one(loss, self.bounds), self.n
        _, variance = self.past.before_one(x)
        stake = math.sqrt(2 * math.log(1 / self.alpha) / (variance * self.n * math.log1p(self.n)))
        if self.side != "upper":
            self._rise.bet_one(x, stake, done)
        if self.side != "lower":
            self._fall.bet_one(1 - x, stake, done)
        return self.low, self.high

    def extend(self, losses: ArrayLike) -> tuple[Floats, Floats]:
        """The limits after each of these events."""
        x = bounded(losses, self.bounds)
        if not len(x):
            return x, x
        done = self.n
        stakes = self.past.stakes(self.past.before(x)[1], self.alpha)
        low = self._rise.bet(x, stakes, done) if self.side != "upper" else np.zeros(len(x))
        high = self._fall.bet(1 - x, stakes, done) if self.side != "lower" else np.zeros(len(x))
        return self._lows(low), self._highs(high)

    @property
    def low(self) -> float:
        """The lower limit now: the highest that any event up to now gave."""
        return float(self._back(self._lower[self._rise.refuted]))

    @property
    def high(self) -> float:
        """The upper limit now: the lowest that any event up to now gave."""
        return float(self._back(self._upper[self._fall.refuted]))

    def now(self) -> tuple[float, float]:
        """The limits by all events together, without those that some earlier moment gave: never narrower."""
        low, high = self._lower[self._rise.refuted_now()], self._upper[self._fall.refuted_now()]
        return float(self._back(low)), float(self._back(high))

    def log_capital(self, value: float) -> tuple[float, float]:
        """The logarithm of what betting on a higher and on a lower mean than `value` (of the grid) has made of 1."""
        scaled = (value - self.bounds[0]) / (self.bounds[1] - self.bounds[0])
        rise = self._rise.wealth()[np.argmin(np.abs(self._rise.values - scaled))]
        fall = self._fall.wealth()[np.argmin(np.abs(self._fall.values - (1 - scaled)))]
        return float(rise), float(fall)

    def estimate(self, name: str = "mean") -> Estimate:
        """The mean with its limits; where earlier and later events exclude one another, the sentence that says so."""
        return held_estimate(self, name)

    def _lows(self, refuted: Floats) -> Floats:
        return np.asarray(self._back(self._lower[refuted.astype(np.intp)]))

    def _highs(self, refuted: Floats) -> Floats:
        return np.asarray(self._back(self._upper[refuted.astype(np.intp)]))

    def _back(self, scaled: Any) -> Any:
        return self.bounds[0] + (self.bounds[1] - self.bounds[0]) * scaled


def held_estimate(sequence: Any, name: str) -> Estimate:
    """The mean of a sequence with its limits; nan and a sentence where there are none, or where they do not fit it."""
    mean, low, high = sequence.mean, sequence.low, sequence.high
    if not sequence.n:
        return Estimate(name, math.nan, math.nan, math.nan, sequence.level, sequence.method, 0, undefined=NO_EVENTS)
    if not low <= mean <= high:
        why = CROSSED if low > high else MOVED
        return Estimate(name, mean, math.nan, math.nan, sequence.level, sequence.method, sequence.n, undefined=why)
    return Estimate(name, mean, low, high, sequence.level, sequence.method, sequence.n)


def bounded(losses: ArrayLike, bounds: tuple[float, float]) -> Floats:
    """Losses as shares of the way from the one bound to the other; refused where one lies outside.

    >>> bounded([-1, 0, 1], (-1.0, 1.0)).tolist()
    [0.0, 0.5, 1.0]
    """
    values = np.atleast_1d(np.asarray(losses, dtype=np.float64))
    low, high = bounds
    outside = values[~((values >= low) & (values <= high))]
    if len(outside):
        raise _out_of_bounds_error(float(outside[0]), bounds)
    return (values - low) / (high - low)


def bounded_one(loss: float, bounds: tuple[float, float]) -> float:
    """The same for one loss."""
    low, high = bounds
    if not low <= loss <= high:
        raise _out_of_bounds_error(loss, bounds)
    return (float(loss) - low) / (high - low)


def _out_of_bounds_error(loss: float, bounds: tuple[float, float]) -> OptionError:
    needed = "the least and the greatest that a loss can be, or bounds=None where it has none"
    return OptionError(f"a loss is {loss:g} where bounds are {bounds[0]:g} and {bounds[1]:g}", needed, about="bounds")


def checked_bounds(bounds: Any) -> tuple[float, float]:
    """Two finite numbers, the lower first."""
    found = tuple(bounds) if isinstance(bounds, tuple | list) and len(bounds) == 2 else ()
    try:
        low, high = (float(each) for each in found)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not -math.inf < low < high < math.inf:
        raise OptionError(f"bounds is {bounds!r}", "two numbers, the lower first, such as (0, 1)", about="bounds")
    return low, high


def _mean_grid(steps: int, more: list[float]) -> Floats:
    """The possible means, from 0 to 1 by equal steps, and some more."""
    grid = np.arange(steps + 1) / steps
    for each in more:
        if not np.any(grid == each):
            grid = np.insert(grid, int(np.searchsorted(grid, each)), each)
    return grid


SEQUENCES = ("betting", "empirical Bernstein", "Hoeffding", "asymptotic")
# From here on the central limit theorem is trusted (docs/verification/streams.md).
FEWEST_EVENTS = 100
TOO_FEW = f"limits at every look of a loss without bounds need about {FEWEST_EVENTS} events"
# The variance of a bounded loss has the mean of the past in it, so the last bets must stay clear of 1.
HIGHEST_BET = 0.5


class Predictable(Resumable):
    """Limits of the mean of a bounded loss at every look, from bets fixed before each event: a mean and a half-width.

    The centre is the mean of the losses weighted by the bets. `method="empirical Bernstein"` uses the variance seen so
    far, `"Hoeffding"` the largest possible one. The limits hold the same weighted mean of conditional means, so they
    suppose less than betting does, and are wider.

    >>> errors = Predictable("Hoeffding")
    >>> low, high = errors.extend([0, 0, 1, 0, 0, 0, 0, 1, 0, 0] * 20)
    >>> round(float(low[-1]), 3), round(float(high[-1]), 3)
    (0.085, 0.315)
    """

    _options = ("method", "level", "side", "bounds", "highest_bet", "keep")
    _saved = (
        Saved("method", "kind"),
        *map(Saved, ("level", "side", "bounds", "highest_bet", "keep", "low", "high")),
        *PAST,
        as_list("sums"),
    )

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


class Asymptotic(Resumable):
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
    _options = ("level", "side", "planned")
    _saved = (*map(Saved, _options), Saved("n"), finite_or_none("mean", absent=math.nan), Saved("squares"))

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
