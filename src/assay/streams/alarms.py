"""Alarms that stay honest however often one looks: a loss has risen over a reference, by more than a margin.

Sources: Podkopaev & Ramdas, Tracking the risk of a deployed model and detecting harmful distribution shifts, ICLR 2022
(a limit of the source's risk against a sequence of limits of the target's).

An alarm for a change at an unknown moment, and McNemar's test on a stream that forgets.

Sources: Shin, Ramdas & Rinaldo, E-detectors: a nonparametric framework for sequential change detection, 2023; Gama,
Sebastiao & Rodrigues, On evaluating stream learning algorithms, Machine Learning 90, 2013.

AUC while a stream runs: each positive is held against one negative as they arrive, and no case is used twice.

What a stream is held against: a known number, or an estimate that enters with its own limit.

Means of so many events together: what is left of dependence between them is far less than between the events.

What a stream hands over event by event, questioned once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from assay.errors import OptionError
from assay.request import checked_between, checked_number, checked_whole
from assay.results import Estimate, TestResult
from assay.state import Resumable, Saved, Stateful, as_list
from assay.text import number
from assay.types import Bools, Floats
from assay.uncertainty import PROPORTION_METHODS, Asymptotic, Betting, bounded, checked_bounds, sequence_of

__all__ = [
    "DIFFERENCE",
    "Alarm",
    "ArrivingPairs",
    "Bounds",
    "ChangeAlarm",
    "FadedMcNemar",
    "Lag",
    "Reference",
    "Together",
    "checked_alike",
    "checked_bar",
    "checked_margin",
    "flags",
    "reference_of",
]


Bounds = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference with its upper limit, which is itself where the reference is known; `spent` is the limit's alpha."""

    value: float
    high: float
    cases: int | None = None
    spent: float = 0.0

    @property
    def words(self) -> str:
        """How sentences name it."""
        if self.cases is None:
            return f"the reference {number(self.value)}"
        return f"the reference {number(self.value)} (upper limit {number(self.high)}, {self.cases:,} cases)"


def reference_of(reference: Any, cases: Any, bounds: Bounds, alpha: float) -> Reference:
    """The reference with an upper limit that fails in at most `alpha` of samples, where it is an estimate.

    >>> reference_of(0.1, 500, (0.0, 1.0), 0.025).high.__round__(4)
    0.1297
    """
    if isinstance(reference, Estimate):
        way = {"reference": float(reference), "cases": int(reference.n)}
        raise OptionError(
            "reference is an Estimate, whose interval has another level", "its value and number of cases", way
        )
    if isinstance(reference, Real):
        value = _checked_reference(checked_number(reference, "reference"), bounds)
        return Reference(value, value) if cases is None else _reference_from_share(value, cases, bounds, alpha)
    if cases is not None:
        raise OptionError("cases cannot be used with a list of losses", "the losses alone", about="cases")
    return _reference_from_losses(np.asarray(reference, dtype=np.float64), bounds, alpha)


def _checked_reference(value: float, bounds: Bounds) -> float:
    return value if bounds is None else checked_between(value, "reference", *bounds, closed=True)


def _reference_from_share(value: float, cases: Any, bounds: Bounds, alpha: float) -> Reference:
    if bounds != (0.0, 1.0):
        needed = "reference as a list of losses"
        raise OptionError(
            "cases can only be used with an error rate, and this loss has other bounds", needed, about="cases"
        )
    n = checked_whole(cases, "cases")
    return Reference(value, _upper_share_limit(value * n, n, alpha), n, alpha)


def _upper_share_limit(part: float, whole: float, alpha: float) -> float:
    return float(PROPORTION_METHODS["Clopper-Pearson"](part, whole, 1 - 2 * alpha)[1])


def _reference_from_losses(losses: Floats, bounds: Bounds, alpha: float) -> Reference:
    if losses.ndim != 1 or not len(losses):
        raise OptionError(
            "reference is neither a number nor a list of losses", "a number, or a list of losses", about="reference"
        )
    n, mean = len(losses), float(losses.mean())
    if bounds == (0.0, 1.0) and np.all((losses == 0) | (losses == 1)):
        return Reference(mean, _upper_share_limit(float(losses.sum()), n, alpha), n, alpha)
    # A limit that holds at every look holds at the last one too.
    sequence = sequence_of(level=1 - alpha, side="upper", bounds=bounds)
    sequence.extend(losses)
    if math.isnan(sequence.high):
        raise OptionError(
            f"reference has only {n} losses without bounds", "at least 100 losses, or bounds", about="reference"
        )
    return Reference(mean, max(sequence.high, mean), n, alpha)


# So many events wait in memory for the last of their block.
MOST_TOGETHER = 1_000_000


class Together:
    """Puts events together by so many and gives the mean of each such block when it is full.

    >>> blocks = Together(3)
    >>> blocks.means(np.array([0.0, 1.0])).tolist(), blocks.means(np.array([0.5, 1.0])).tolist(), blocks.pending
    ([], [0.5], [1.0])
    """

    def __init__(self, size: int) -> None:
        self.size = checked_whole(size, "together", most=MOST_TOGETHER)
        self.pending: list[float] = []

    def means(self, values: Floats) -> Floats:
        """The means of the blocks that these events fill."""
        if self.size == 1:
            return values
        every = np.concatenate((self.pending, values))
        full = len(every) // self.size
        self.pending = every[full * self.size :].tolist()
        return np.asarray(every[: full * self.size].reshape(full, self.size).mean(axis=1))


# Autocorrelation this plain is said: far from 0, and by more than chance would have it.
PLAIN_CORRELATION = 0.1
PLAIN_ERRORS = 3.0
DIFFERENCE = "loss of the first classifier minus the second's"
# A limit of a grid is as good as the bar itself when only rounding lies between them.
ROUNDING = 1e-12


class Lag(Stateful):
    """Whether the last event says something about the next one: the autocorrelation at lag 1 of a stream.

    >>> lag = Lag()
    >>> lag.extend(np.array([0, 0, 0, 0, 1, 1, 1, 1] * 20))
    >>> round(lag.correlation, 2), lag.is_plain
    (0.5, True)
    """

    _saved = tuple(map(Saved, ("n", "last", "shift", "total", "squares", "products")))

    def __init__(self) -> None:
        self.n, self.last, self.shift = 0, 0.0, 0.0
        self.total, self.squares, self.products = 0.0, 0.0, 0.0  # the last of each with the one before

    def update(self, x: float) -> None:
        """One more event."""
        if not self.n:
            self.shift = float(x)
        # Measured from the first value, so that a large mean does not swallow the digits.
        moved = float(x) - self.shift
        self.total += moved
        self.squares += moved * moved
        self.products += moved * self.last
        self.n, self.last = self.n + 1, moved

    def extend(self, x: Floats) -> None:
        """More of the stream."""
        if not len(x):
            return
        if not self.n:
            self.shift = float(x[0])
        moved = np.asarray(x, dtype=np.float64) - self.shift
        self.total += float(moved.sum())
        self.squares += float(moved @ moved)
        self.products += float(moved[0] * self.last + moved[1:] @ moved[:-1])
        self.n, self.last = self.n + len(moved), float(moved[-1])

    @property
    def correlation(self) -> float:
        """The autocorrelation at lag 1; nan where nothing varies."""
        if self.n < 2:
            return math.nan
        away = self.total * self.total / self.n
        variance = self.squares - away
        return (self.products - away) / variance if variance > ROUNDING else math.nan

    def words(self, together: int = 1) -> str:
        """How sentences put it."""
        of = f" of means of {together} events" if together > 1 else ""
        return f"autocorrelation{of} {number(self.correlation)}"

    @property
    def is_plain(self) -> bool:
        """Whether it is plainly not 0."""
        found = abs(self.correlation)
        return self.n > 0 and found > max(PLAIN_CORRELATION, PLAIN_ERRORS / math.sqrt(self.n))


class Alarm(Resumable):
    """An alarm when a loss has risen by more than `margin` over the reference, with false-alarm probability `alpha`.

    However often one looks: after every event, every day, or only when one is worried. The reference is a number, or an
    estimate: a share of errors with the number of its `cases`, or the list of its losses. An estimate enters with its
    own upper limit, and half of alpha is spent on that. Losses lie within `bounds`; `bounds=None` is for those that
    have none (log loss), whose limits are asymptotic and start after 100 events. What rings is the lower limit of the
    mean since the start, or since the last `reset`, when it reaches the reference's upper limit plus the margin; one
    that rang stays so until it is reset. A long good past hides a rise from a mean since the start: `ChangeAlarm` does
    not let it. Where the errors depend on the past the level is that of streams whose conditional mean never exceeds
    the bar. `together=20` bets on means of 20 events, which depend on one another far less, and rings a little later.
    `steps` is the fineness of the limit that is told, not of the bar.

    >>> alarm = Alarm(0.1, margin=0.02)
    >>> alarm.extend([0, 0, 1, 0, 1, 0, 0, 1, 0, 0] * 100)
    34
    >>> print(alarm.words)
    the error is autocorrelated (autocorrelation -0.429): ...; alarm after 35 events: the error since the start is
    at least 0.247, more than 0.020 above the reference 0.100; false-alarm probability at most 0.05, ...
    """

    _saved = (
        *map(Saved, ("reference", "margin", "alpha", "bounds", "name", "together", "steps")),
        Saved("pending", "blocks.pending"),
        *map(Saved, ("started", "rang_at", "sequence", "lag")),
    )

    def __init__(
        self,
        reference: float | ArrayLike,
        margin: float = 0.02,
        alpha: float = 0.05,
        *,
        cases: int | None = None,
        bounds: Bounds = (0.0, 1.0),
        name: str = "error",
        together: int = 1,
        steps: int = 1000,
    ) -> None:
        self.margin, self.alpha = checked_margin(margin), checked_between(alpha, "alpha")
        self.bounds = None if bounds is None else checked_bounds(bounds)
        self.name, self.together, self.steps = name, together, steps
        self.reference = reference_of(reference, cases, self.bounds, self.alpha / 2)
        self._reset_statistics(0)

    @classmethod
    def between(cls, margin: float = 0.02, alpha: float = 0.05, *, largest: float = 1.0, together: int = 1) -> Alarm:
        """Rings when the first of two classifiers has come to lose by more than `margin`: fed first loss minus second.

        Both losses lie between 0 and `largest`.
        """
        return cls(0.0, margin, alpha, bounds=(-largest, largest), name=DIFFERENCE, together=together)

    def _reset_statistics(self, at: int) -> None:
        self.bar = checked_bar(self.reference.high + self.margin, self.bounds)
        level = 1 - (self.alpha - self.reference.spent)
        if self.bounds is None:
            self.sequence: Betting | Asymptotic = Asymptotic(level, side="lower")
        else:
            self.sequence = Betting(level, side="lower", bounds=self.bounds, at=(self.bar,), steps=self.steps)
        self.lag, self.blocks, self.started, self.rang_at = Lag(), Together(self.together), at, None

    rang_at: int | None
    """The position in the stream, from 0, of the event of the alarm."""

    @property
    def n(self) -> int:
        """How many events came, those before a reset included."""
        return self.started + self.sequence.n * self.together + len(self.blocks.pending)

    @property
    def rings(self) -> bool:
        """Whether it has rung since the last reset."""
        return self.rang_at is not None

    def update(self, loss: float) -> bool:
        """Whether it rings at this event, for the first time."""
        if self.together > 1:
            return self.extend([loss]) is not None
        rang = self.rings
        low, _ = self.sequence.update(loss)
        self.lag.update(loss)
        if not rang and low >= self.bar - ROUNDING:
            self.rang_at = self.n - 1
        return self.rings and not rang

    def extend(self, losses: ArrayLike) -> int | None:
        """The place among these losses at which it rings for the first time; None if it does not, or did before."""
        values = np.atleast_1d(np.asarray(losses, dtype=np.float64))
        if self.bounds is not None:
            # Each by itself: a mean within bounds can hide one beyond them.
            bounded(values, self.bounds)
        before, waited, rang = self.n, len(self.blocks.pending), self.rings
        means = self.blocks.means(values)
        low, _ = self.sequence.extend(means)
        self.lag.extend(means)
        above = np.flatnonzero(low >= self.bar - ROUNDING)
        if rang or not len(above):
            return None
        place = (int(above[0]) + 1) * self.together - waited - 1
        self.rang_at = before + place
        return place

    def reset(self) -> None:
        """Begin anew with the next event, without those that wait to be put together.

        Each new beginning may ring falsely with chance alpha of its own.
        """
        self._reset_statistics(self.n)

    def estimate(self) -> Estimate:
        """The mean loss since the start or the last reset with its lower limit, which holds at every look."""
        return self.sequence.estimate(self.name)

    @property
    def words(self) -> str:
        """One sentence: the objection first, then when, by how much at least, and at what level."""
        low, since = self.sequence.low, f"event {self.started:,}" if self.started else "the start"
        if self.rang_at is None:
            known = "" if math.isnan(low) else f" (now {number(low)})"
            held = f"the lower limit of the {self.name} since {since} has not exceeded {number(self.bar)}{known}"
            return f"{self._dependence_note}no alarm after {self.n:,} events: {held}"
        return (
            f"{self._dependence_note}alarm after {self.rang_at + 1:,} events: the {self.name} since "
            f"{since} is at least "
            f"{number(max(low, self.bar))}, more than {number(self.margin)} above {self.reference.words}; "
            f"false-alarm probability at most {self.alpha:.3g}, valid under continuous monitoring{self._reset_note}"
        )

    @property
    def _reset_note(self) -> str:
        return " (separately after each reset)" if self.started else ""

    @property
    def _dependence_note(self) -> str:
        """What a careful reader would object to, where there is something."""
        if not self.lag.is_plain:
            return ""
        found = f"the {self.name} is autocorrelated ({self.lag.words(self.together)})"
        if self.bounds is None:
            return f"{found}: the limit is for the running mean of conditional means; "
        return f"{found}: the false-alarm probability assumes a conditional mean of at most {number(self.bar)}; "

    def to_dict(self) -> dict[str, Any]:
        """What is known, as JSON holds it."""
        low = self.sequence.low
        return {
            "rang_at": self.rang_at,
            "n": self.n,
            "low": low if math.isfinite(low) else None,
            "bar": self.bar,
            "reference": self.reference.value,
            "margin": self.margin,
            "alpha": self.alpha,
            "words": self.words,
        }

    @classmethod
    def _made(cls, state: Mapping[str, Any]) -> Alarm:
        options = {name: state[name] for name in ("margin", "alpha", "bounds", "name", "together", "steps")}
        made = cls(state["reference"]["value"], **options)
        made.reference = Reference(**state["reference"])
        made._reset_statistics(state["started"])
        return made


def checked_margin(margin: Any) -> float:
    """How much a loss may rise without an alarm: 0 or more."""
    return checked_between(margin, "margin", 0.0, math.inf, closed=True)


def checked_bar(bar: float, bounds: Bounds) -> float:
    """The bar of an alarm, which a loss can exceed; refused where none can."""
    if bounds is not None and not bounds[0] < bar < bounds[1]:
        found = f"reference plus margin is {bar:.6g}, but losses are at most {bounds[1]:g}"
        needed = f"a reference and a margin whose sum is between {bounds[0]:g} and {bounds[1]:g}"
        raise OptionError(found, needed, about=("reference", "margin"))
    return bar


def flags(values: ArrayLike, name: str) -> Bools:
    """Yes or no for each event, given as booleans or as 0 and 1; anything else would merely be taken for one.

    >>> flags(["spam"], "positive")
    Traceback (most recent call last):
    assay.errors.OptionError: positive has 'spam'; needed: True and False, or 1 and 0
    """
    given = np.atleast_1d(np.asarray(values))
    odd = [] if given.dtype == bool else [each for each in given.tolist() if each not in (0, 1)]
    if odd:
        raise OptionError(f"{name} has {odd[0]!r}", "True and False, or 1 and 0", about=name)
    return given.astype(bool)


def checked_alike(one: Sized, other: Sized, names: str) -> None:
    """Refuse two columns of different length."""
    if len(one) != len(other):
        raise OptionError(f"{names} must have the same length ({len(one)} and {len(other)})", "the same events in both")


# Bets as shares of the largest possible one: each is best for a rise of that share of the way from the bar to the end.
BETS = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64])
EVENLY = np.full(len(BETS), 1 / len(BETS))
LARGEST = 1e100
# Even beside a bar of 1e-6, so many bets in a row multiply the capital by less than 1e100.
BETS_BEFORE_CLIPPING = 16
# Fewer discordant events' worth than that say nothing by the normal distribution.
FEWEST_DISCORDANT = 10.0
POINTWISE = "valid at a single time point, not for monitoring"


class ChangeAlarm(Resumable):
    """Rings when a loss has risen over the reference by more than `margin`, at whatever moment that was.

    A bet on a rise is begun at every event, and the alarm rings when all of them together have won enough (one
    recursion, however long the stream is). What came before the change does not hide it, as it does in a mean since the
    start. Bets are mixed over rises from small to large. What may go wrong is chosen: with `alpha` (0.05 unless said)
    it rings falsely in at most that share of streams, ever, however often one looks; with `run_length` false alarms are
    at least so many events apart on average, which rings sooner and will ring falsely one day. Both hold as long as the
    conditional mean of the loss stays at or below the reference plus margin. A reference that is an estimate enters
    with its own upper limit, which fails in half of alpha of samples (beside a run length, in alpha of them).
    `together=20` bets on means of 20 events, which depend on one another far less, and rings a little later.

    >>> alarm = ChangeAlarm(0.1)
    >>> alarm.extend([0, 0, 0, 0, 1, 0, 0, 0, 0, 0] * 200)
    >>> alarm.extend([0, 0, 1, 0, 1, 0, 0, 1, 0, 0] * 20)
    124
    >>> print(alarm.words)
    the error is ...; alarm after 2,125 events: the error has risen above 0.120 since about event 2,002, ...
    """

    _saved = (
        *map(Saved, ("alpha", "run_length", "margin", "bounds", "name", "bar", "together")),
        *map(Saved, ("rang_at", "changed_at", "started", "bets")),
        *map(as_list, ("sums", "best", "since")),
        Saved("pending", "blocks.pending"),
        *map(Saved, ("reference", "lag")),
    )

    def __init__(
        self,
        reference: float | ArrayLike,
        margin: float = 0.02,
        alpha: float | None = None,
        *,
        run_length: float | None = None,
        cases: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        name: str = "error",
        together: int = 1,
    ) -> None:
        self.alpha = checked_between(0.05 if alpha is None else alpha, "alpha")
        self.run_length = None if run_length is None else checked_between(run_length, "run_length", 1.0, math.inf)
        self.margin, self.bounds, self.name = checked_margin(margin), checked_bounds(bounds), name
        self.reference = reference_of(reference, cases, self.bounds, self.alpha / (2 if run_length is None else 1))
        if alpha is not None and run_length is not None and self.reference.cases is None:
            needed = "one of them; both only if the reference is an estimate"
            raise OptionError("both alpha and run_length are set", needed, about=("alpha", "run_length"))
        self.bar = checked_bar(self.reference.high + self.margin, self.bounds)
        self.together, self.lag = together, Lag()
        self._reset_statistics(0)

    @classmethod
    def between(
        cls, margin: float = 0.02, alpha: float = 0.05, *, largest: float = 1.0, together: int = 1
    ) -> ChangeAlarm:
        """Rings when the first of two classifiers has come to lose by more than `margin`: fed first loss minus second.

        Both losses lie between 0 and `largest`.
        """
        return cls(0.0, margin, alpha, bounds=(-largest, largest), name=DIFFERENCE, together=together)

    rang_at: int | None
    """The position in the stream, from 0, of the event of the alarm."""
    changed_at: int | None
    """Where the bet that won by most began: about where the change was."""

    def _reset_statistics(self, at: int) -> None:
        self.rang_at, self.changed_at, self.started, self.bets = None, None, at, 0
        self.blocks = Together(self.together)
        self.sums, self.best, self.since = np.zeros(len(BETS)), np.ones(len(BETS)), np.full(len(BETS), at)

    @property
    def n(self) -> int:
        """How many events came, those before a reset included."""
        return self._next_block_start + len(self.blocks.pending)

    @property
    def _next_block_start(self) -> int:
        """Where the next block begins."""
        return self.started + self.bets * self.together

    @property
    def needed(self) -> float:
        """What the evidence must reach for it to ring."""
        return 1 / (self.alpha - self.reference.spent) if self.run_length is None else self.run_length

    @property
    def evidence(self) -> float:
        """What all bets together have won: of stakes that add up to 1, or of 1 each beside a run length."""
        return float(self.sums.dot(EVENLY))

    def _stakes(self, events: int) -> Floats:
        """What is staked at each of the next events."""
        if self.run_length is not None:
            return np.ones(events)
        # They add up to 1 over all events there will ever be, and fall hardly faster than 1 / t.
        at = np.arange(self.bets + 2.0, self.bets + events + 2.0)
        return np.asarray(1 / np.log2(at) - 1 / np.log2(at + 1))

    @property
    def rings(self) -> bool:
        """Whether it has rung since the last reset."""
        return self.rang_at is not None

    def update(self, loss: float) -> bool:
        """Whether it rings at this event, for the first time."""
        return self.extend([loss]) is not None

    def extend(self, losses: ArrayLike) -> int | None:
        """The place among these losses at which it rings for the first time; None if it does not, or did before."""
        waited, found = len(self.blocks.pending), None
        x = self.blocks.means(bounded(losses, self.bounds))
        self.lag.extend(x)
        low, high = self.bounds
        bar = (self.bar - low) / (high - low)
        factors = 1 + BETS / bar * (x[:, None] - bar)
        for block, (stake, factor) in enumerate(zip(self._stakes(len(x)).tolist(), factors, strict=True)):
            self._update_wealth(stake, factor)
            if self.rang_at is None and self.evidence >= self.needed:
                self.rang_at, found = self._next_block_start - 1, (block + 1) * self.together - waited - 1
                self.changed_at = int(self.since[np.argmax(self.sums)])
        return found

    def _update_wealth(self, stake: float, factor: Floats) -> None:
        self.sums = (self.sums + stake) * factor
        self.since[self.best <= 1] = self._next_block_start
        self.best = np.maximum(self.best, 1) * factor
        self.bets += 1
        if self.bets % BETS_BEFORE_CLIPPING == 0:
            # Kept below what would overflow: a stream that never stops may go on long after it rang.
            self.sums, self.best = np.minimum(self.sums, LARGEST), np.minimum(self.best, LARGEST)

    def reset(self) -> None:
        """Begin anew with the next event, and with the same chance of a false alarm as before."""
        self._reset_statistics(self.n)

    @property
    def words(self) -> str:
        """One sentence: the objection first, then when, over what, and how often it may ring falsely."""
        objection = ""
        if self.lag.is_plain:
            found = f"the {self.name} is autocorrelated ({self.lag.words(self.together)})"
            objection = f"{found}: the false-alarm rate assumes a conditional mean of at most {number(self.bar)}; "
        if self.rang_at is None:
            return f"{objection}no alarm after {self.n:,} events: no rise of the {self.name} above {number(self.bar)}"
        return (
            f"{objection}alarm after {self.rang_at + 1:,} events: the {self.name} has risen above {number(self.bar)} "
            f"since about event {self.changed_at:,}, more than {number(self.margin)} above {self.reference.words}; "
            f"{self._false_alarms}"
        )

    @property
    def _false_alarms(self) -> str:
        if self.run_length is None:
            return f"false-alarm probability at most {self.alpha:.3g}, valid under continuous monitoring"
        return f"at most one false alarm in {self.run_length:,.0f} events on average"

    @classmethod
    def _made(cls, state: Mapping[str, Any]) -> ChangeAlarm:
        options = {name: state[name] for name in ("margin", "bounds", "name", "together")}
        return cls(state["reference"]["value"], **options)


class FadedMcNemar(Resumable):
    """McNemar's test of two classifiers on recent events: counts are multiplied by `fading` with each event.

    The statistic is as published: the squared difference of the faded counts over their sum, with the sign of the one
    that has more errors (positive: the first). Faded counts vary less than counts, so it is not chi-squared;
    the p-value here divides by the faded squares instead. It is valid at a single time point, not for monitoring;
    use `Alarm.between` for monitoring.

    >>> test = FadedMcNemar(fading=0.99)
    >>> test.extend([1, 0, 0, 1, 1, 0, 0, 1] * 20, [0, 0, 1, 0, 0, 0, 0, 0] * 20)
    >>> test.result()
    McNemar, faded (fading 0.99, pointwise): statistic 18.2341, p = 3.66e-08; null: both have the same error rate
    """

    _options = ("fading",)
    _saved = tuple(map(Saved, ("fading", "first", "second", "squares", "n")))

    def __init__(self, fading: float = 0.999) -> None:
        self.fading = checked_between(fading, "fading", 0.0, 1.0 + 1e-12)
        self.first, self.second, self.squares, self.n = 0.0, 0.0, 0.0, 0

    def update(self, first_wrong: bool, second_wrong: bool) -> None:
        """One more event: which of the two was wrong."""
        self.extend([first_wrong], [second_wrong])

    def extend(self, first_wrong: ArrayLike, second_wrong: ArrayLike) -> None:
        """More events."""
        first_flags, second_flags = flags(first_wrong, "first_wrong"), flags(second_wrong, "second_wrong")
        checked_alike(first_flags, second_flags, "first_wrong and second_wrong")
        for first, second in zip(first_flags.tolist(), second_flags.tolist(), strict=True):
            self.n += 1
            self.first = self.fading * self.first + (first and not second)
            self.second = self.fading * self.second + (second and not first)
            self.squares = self.fading**2 * self.squares + (first != second)

    def result(self) -> TestResult:
        """The test as of now."""
        both, difference = self.first + self.second, self.first - self.second
        method = f"fading {self.fading:g}, pointwise"
        null = "both have the same error rate"
        worth = both * both / self.squares if self.squares else 0.0
        statistic = math.copysign(difference**2 / both, difference) if both else math.nan
        if worth < FEWEST_DISCORDANT:
            why = f"too few discordant events (effective number below {FEWEST_DISCORDANT:g})"
            return TestResult("McNemar, faded", null, statistic, math.nan, method, why)
        p_value = 2 * float(ndtr(-abs(difference) / math.sqrt(self.squares)))
        return TestResult("McNemar, faded", null, statistic, p_value, method)


# So many cases of one class may wait for the other; beyond that the oldest is let go.
MOST_WAITING = 256


class ArrivingPairs(Resumable):
    """Whether positives score higher than negatives, pair by pair as they arrive: 1, 1/2 for a tie, or 0.

    Each pair is independent of the others, so their mean is the AUC and limits that hold at every look apply to it. It
    uses part of the data only: show the AUC of a window with a pointwise interval beside it.

    >>> pairs = ArrivingPairs()
    >>> pairs.extend([1, 1, 0, 0, 0], [0.9, 0.4, 0.2, 0.4, 0.7]).tolist()
    [1.0, 0.5]
    >>> pairs.unpaired
    1
    """

    _saved = (Saved("waiting"), Saved("positive", "waiting_positive"), Saved("let_go"))

    @classmethod
    def _made(cls, state: Mapping[str, Any]) -> ArrivingPairs:
        return cls()

    def __init__(self) -> None:
        self.waiting: list[float] = []
        self.waiting_positive = False
        self.let_go = 0

    @property
    def unpaired(self) -> int:
        """How many cases are in no pair: those that wait, and those that were let go."""
        return len(self.waiting) + self.let_go

    def update(self, positive: bool, score: float) -> float | None:
        """The pair that this case completes, if it does."""
        if self.waiting and self.waiting_positive != bool(positive):
            other = self.waiting.pop(0)
            higher, lower = (score, other) if positive else (other, score)
            return 1.0 if higher > lower else 0.5 if higher == lower else 0.0
        self.waiting_positive = bool(positive)
        self.waiting.append(float(score))
        if len(self.waiting) > MOST_WAITING:
            # By age, never by score: a choice by score would not be a fair sample.
            self.waiting.pop(0)
            self.let_go += 1
        return None

    def extend(self, positive: ArrayLike, score: ArrayLike) -> Floats:
        """The pairs that these cases complete, in order."""
        is_positive, values = flags(positive, "positive"), np.atleast_1d(np.asarray(score, dtype=np.float64))
        checked_alike(is_positive, values, "positive and score")
        if np.any(np.isnan(values)):
            raise OptionError("a score is nan", "a number for each case", about="score")
        found = (self.update(*case) for case in zip(is_positive.tolist(), values.tolist(), strict=True))
        return np.array([each for each in found if each is not None])
