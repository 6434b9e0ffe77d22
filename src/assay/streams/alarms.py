"""Alarms that stay honest however often one looks: a loss has risen over a reference, by more than a margin.

Sources: Podkopaev & Ramdas, Tracking the risk of a deployed model and detecting harmful distribution shifts, ICLR 2022
(a limit of the source's risk against a sequence of limits of the target's).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import OptionError
from assay.request import checked_between
from assay.results import Estimate
from assay.streams._reference import Bounds, Reference, reference_of
from assay.streams._together import Together
from assay.text import number
from assay.types import Floats
from assay.uncertainty import Asymptotic, Betting, bounded, checked_bounds

__all__ = ["DIFFERENCE", "Alarm", "Lag", "checked_bar", "checked_margin"]

# Autocorrelation this plain is said: far from 0, and by more than chance would have it.
PLAIN_CORRELATION = 0.1
PLAIN_ERRORS = 3.0
DIFFERENCE = "first classifier's loss less the second's"
# A limit of a grid is as good as the bar itself when only rounding lies between them.
ROUNDING = 1e-12


class Lag:
    """Whether the last event says something about the next one: the autocorrelation at lag 1 of a stream.

    >>> lag = Lag()
    >>> lag.extend(np.array([0, 0, 0, 0, 1, 1, 1, 1] * 20))
    >>> round(lag.correlation, 2), lag.is_plain
    (0.5, True)
    """

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


class Alarm:
    """Rings once a loss has risen by more than `margin` over the reference; falsely in at most `alpha` of streams.

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
    the past predicts the error here (autocorrelation -0.429): ...; alarm after 35 events: the error since the start is
    at least 0.247, more than 0.020 above the reference 0.100; such an alarm rings falsely in at most 0.05 of ...
    """

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
        self._start(0)

    @classmethod
    def between(cls, margin: float = 0.02, alpha: float = 0.05, *, largest: float = 1.0, together: int = 1) -> Alarm:
        """Rings when the first of two classifiers has come to lose by more than `margin`: fed first loss minus second.

        Both losses lie between 0 and `largest`.
        """
        return cls(0.0, margin, alpha, bounds=(-largest, largest), name=DIFFERENCE, together=together)

    def _start(self, at: int) -> None:
        self.bar = checked_bar(self.reference.high + self.margin, self.bounds)
        level = 1 - (self.alpha - self.reference.spent)
        if self.bounds is None:
            self.sequence: Betting | Asymptotic = Asymptotic(level, side="lower")
        else:
            self.sequence = Betting(level, side="lower", bounds=self.bounds, at=(self.bar,), steps=self.steps)
        self.lag, self.blocks, self.started, self.rang_at = Lag(), Together(self.together), at, None

    rang_at: int | None
    """The place in the stream, from 0, of the event at which it rang."""

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
        self._start(self.n)

    def estimate(self) -> Estimate:
        """The mean loss since the start or the last reset with its lower limit, which holds at every look."""
        return self.sequence.estimate(self.name)

    @property
    def words(self) -> str:
        """One sentence: the objection first, then when, by how much at least, and at what level."""
        low, since = self.sequence.low, f"event {self.started:,}" if self.started else "the start"
        if self.rang_at is None:
            known = "" if math.isnan(low) else f", and it is at least {number(low)} now"
            held = f"the {self.name} since {since} would have to be above {number(self.bar)} for certain{known}"
            return f"{self._objection}no alarm after {self.n:,} events: {held}"
        return (
            f"{self._objection}alarm after {self.rang_at + 1:,} events: the {self.name} since {since} is at least "
            f"{number(max(low, self.bar))}, more than {number(self.margin)} above {self.reference.words}; "
            f"such an alarm rings falsely in at most {self.alpha:.3g} of streams, however often one looks{self._again}"
        )

    @property
    def _again(self) -> str:
        return "; it was reset, and each beginning has that chance of its own" if self.started else ""

    @property
    def _objection(self) -> str:
        """What a careful reader would object to, where there is something."""
        if not self.lag.is_plain:
            return ""
        found = f"the past predicts the {self.name} here ({self.lag.words(self.together)})"
        if self.bounds is None:
            return f"{found}: the limit is for the running average of conditional means; "
        return f"{found}: the level is for a conditional mean that never exceeds {number(self.bar)}; "

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

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as numbers and lists of numbers."""
        known = self.reference
        return {
            "reference": {"value": known.value, "high": known.high, "cases": known.cases, "spent": known.spent},
            "margin": self.margin,
            "alpha": self.alpha,
            "bounds": None if self.bounds is None else list(self.bounds),
            "name": self.name,
            "together": self.together,
            "steps": self.steps,
            "pending": list(self.blocks.pending),
            "started": self.started,
            "rang_at": self.rang_at,
            "sequence": self.sequence.state(),
            "lag": dict(vars(self.lag)),
        }

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> Alarm:
        """As if there had been no interruption."""
        bounds = None if state["bounds"] is None else (state["bounds"][0], state["bounds"][1])
        asked = {key: state[key] for key in ("margin", "alpha", "name", "together", "steps")}
        made = cls(state["reference"]["value"], bounds=bounds, **asked)
        made.reference = Reference(**state["reference"])
        made._start(state["started"])
        made.rang_at, made.blocks.pending = state["rang_at"], list(state["pending"])
        made.sequence = (Asymptotic if bounds is None else Betting).resume(state["sequence"])
        vars(made.lag).update(state["lag"])
        return made


def checked_margin(margin: Any) -> float:
    """How much a loss may rise without an alarm: 0 or more."""
    return checked_between(margin, "margin", 0.0, math.inf, closed=True)


def checked_bar(bar: float, bounds: Bounds) -> float:
    """The bar of an alarm, which a loss can exceed; refused where none can."""
    if bounds is not None and not bounds[0] < bar < bounds[1]:
        found = f"the reference's upper limit plus margin is {bar:.6g}, and no loss is beyond {bounds[1]:g}"
        needed = f"a margin and a reference with a bar between {bounds[0]:g} and {bounds[1]:g}"
        raise OptionError(found, needed, about=("reference", "margin"))
    return bar
