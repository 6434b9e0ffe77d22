"""An alarm for a change at an unknown moment, and McNemar's test on a stream that forgets.

Sources: Shin, Ramdas & Rinaldo, E-detectors: a nonparametric framework for sequential change detection, 2023; Gama,
Sebastiao & Rodrigues, On evaluating stream learning algorithms, Machine Learning 90, 2013.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from assay.errors import OptionError
from assay.request import checked_between
from assay.results import TestResult
from assay.streams._flags import checked_alike, flags
from assay.streams._reference import reference_of
from assay.streams._together import Together
from assay.streams.alarms import DIFFERENCE, Lag, checked_bar, checked_margin
from assay.text import number
from assay.types import Floats
from assay.uncertainty import bounded, checked_bounds

__all__ = ["ChangeAlarm", "FadedMcNemar"]

# Bets as shares of the largest possible one: each is best for a rise of that share of the way from the bar to the end.
BETS = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64])
EVENLY = np.full(len(BETS), 1 / len(BETS))
LARGEST = 1e100
# Even beside a bar of 1e-6, so many bets in a row multiply the capital by less than 1e100.
BETS_BEFORE_CLIPPING = 16
# Fewer discordant events' worth than that say nothing by the normal distribution.
FEWEST_DISCORDANT = 10.0
POINTWISE = "holds at one moment: looking again and again uses it up"


class ChangeAlarm:
    """Rings when a loss has risen over the reference by more than `margin`, at whatever moment that was.

    A bet on a rise is begun at every event, and the alarm rings when all of them together have won enough (one
    recursion, however long the stream is). What came before the change does not hide it, as it does in a mean since the
    start. Bets are mixed over rises from small to large. What may go wrong is chosen: with `alpha` (0.05 unless said)
    it rings falsely in at most that share of streams, ever, however often one looks; with `run_length` false alarms
    are at least so many events apart on average, which rings sooner and will ring falsely one day. Both hold as long
    as the conditional mean of the loss stays at or below the reference plus margin. A reference that is an estimate
    enters with its own upper limit, which fails in half of alpha of samples (beside a run length, in alpha of them).
    `together=20` bets on means of 20 events, which depend on one another far less, and rings a little later.

    >>> alarm = ChangeAlarm(0.1)
    >>> alarm.extend([0, 0, 0, 0, 1, 0, 0, 0, 0, 0] * 200)
    >>> alarm.extend([0, 0, 1, 0, 1, 0, 0, 1, 0, 0] * 20)
    124
    >>> print(alarm.words)
    the past predicts ...; alarm after 2,125 events: the error has risen over 0.120 since about event 2,002, ...
    """

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
            needed = "one of them: alpha beside a run length is for a reference that is an estimate"
            raise OptionError("alpha and run_length are given", needed, about=("alpha", "run_length"))
        self.bar = checked_bar(self.reference.high + self.margin, self.bounds)
        self.together, self.lag = together, Lag()
        self._start(0)

    @classmethod
    def between(
        cls, margin: float = 0.02, alpha: float = 0.05, *, largest: float = 1.0, together: int = 1
    ) -> ChangeAlarm:
        """Rings when the first of two classifiers has come to lose by more than `margin`: fed first loss minus second.

        Both losses lie between 0 and `largest`.
        """
        return cls(0.0, margin, alpha, bounds=(-largest, largest), name=DIFFERENCE, together=together)

    rang_at: int | None
    """The place in the stream, from 0, of the event at which it rang."""
    changed_at: int | None
    """Where the bet that won by most began: about where the change was."""

    def _start(self, at: int) -> None:
        self.rang_at, self.changed_at, self.started, self.bets = None, None, at, 0
        self.blocks = Together(self.together)
        self.sums, self.best, self.since = np.zeros(len(BETS)), np.ones(len(BETS)), np.full(len(BETS), at)

    @property
    def n(self) -> int:
        """How many events came, those before a reset included."""
        return self._place + len(self.blocks.pending)

    @property
    def _place(self) -> int:
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
            self._bet(stake, factor)
            if self.rang_at is None and self.evidence >= self.needed:
                self.rang_at, found = self._place - 1, (block + 1) * self.together - waited - 1
                self.changed_at = int(self.since[np.argmax(self.sums)])
        return found

    def _bet(self, stake: float, factor: Floats) -> None:
        self.sums = (self.sums + stake) * factor
        self.since[self.best <= 1] = self._place
        self.best = np.maximum(self.best, 1) * factor
        self.bets += 1
        if self.bets % BETS_BEFORE_CLIPPING == 0:
            # Kept below what would overflow: a stream that never stops may go on long after it rang.
            self.sums, self.best = np.minimum(self.sums, LARGEST), np.minimum(self.best, LARGEST)

    def reset(self) -> None:
        """Begin anew with the next event, and with the same chance of a false alarm as before."""
        self._start(self.n)

    @property
    def words(self) -> str:
        """One sentence: the objection first, then when, over what, and how often it may ring falsely."""
        objection = ""
        if self.lag.is_plain:
            found = f"the past predicts the {self.name} here ({self.lag.words(self.together)})"
            objection = f"{found}: the promise is for a conditional mean that never exceeds {number(self.bar)}; "
        if self.rang_at is None:
            return f"{objection}no alarm after {self.n:,} events: no rise of the {self.name} over {number(self.bar)}"
        return (
            f"{objection}alarm after {self.rang_at + 1:,} events: the {self.name} has risen over {number(self.bar)} "
            f"since about event {self.changed_at:,}, more than {number(self.margin)} above {self.reference.words}; "
            f"such an alarm rings falsely {self._promise}"
        )

    @property
    def _promise(self) -> str:
        if self.run_length is None:
            return f"in at most {self.alpha:.3g} of streams, however often one looks"
        return f"once in at least {self.run_length:,.0f} events on average"

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as numbers and lists of numbers."""
        plain = {key: value for key, value in vars(self).items() if key not in ("reference", "lag", "blocks")}
        arrays = {key: getattr(self, key).tolist() for key in ("sums", "best", "since")}
        known = {key: getattr(self.reference, key) for key in ("value", "high", "cases", "spent")}
        lag = dict(vars(self.lag))
        arrays["pending"] = list(self.blocks.pending)
        return {**plain, **arrays, "bounds": list(self.bounds), "reference": known, "lag": lag}

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> ChangeAlarm:
        """As if there had been no interruption."""
        low, high = state["bounds"]
        made = cls(state["reference"]["value"], state["margin"], bounds=(low, high))
        made.reference = type(made.reference)(**state["reference"])
        for key in ("alpha", "run_length", "name", "bar", "together", "started", "bets", "rang_at", "changed_at"):
            setattr(made, key, state[key])
        made.blocks = Together(state["together"])
        made.blocks.pending = list(state["pending"])
        made.sums, made.best = np.array(state["sums"]), np.array(state["best"])
        made.since = np.array(state["since"])
        vars(made.lag).update(state["lag"])
        return made


class FadedMcNemar:
    """Which of two classifiers is wrong more often lately: McNemar's test on counts that fade by `fading` an event.

    The statistic is as published: the squared difference of the faded counts over their sum, with the sign of the one
    that is wrong more often (positive: the first). Faded counts vary less than counts, so that it is not chi-squared;
    the p-value here divides by the faded squares instead. It holds at one moment: looking again and again uses it up,
    and `Alarm.between` is the form that does not.

    >>> test = FadedMcNemar(fading=0.99)
    >>> test.extend([1, 0, 0, 1, 1, 0, 0, 1] * 20, [0, 0, 1, 0, 0, 0, 0, 0] * 20)
    >>> test.result()
    McNemar, faded (fading 0.99, pointwise): statistic 18.2341, p = 3.66e-08; null: both are wrong equally often
    """

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
        null = "both are wrong equally often"
        worth = both * both / self.squares if self.squares else 0.0
        statistic = math.copysign(difference**2 / both, difference) if both else math.nan
        if worth < FEWEST_DISCORDANT:
            why = f"fewer than {FEWEST_DISCORDANT:g} events' worth on which only one was wrong"
            return TestResult("McNemar, faded", null, statistic, math.nan, method, why)
        p_value = 2 * float(ndtr(-abs(difference) / math.sqrt(self.squares)))
        return TestResult("McNemar, faded", null, statistic, p_value, method)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on, as plain numbers."""
        return dict(vars(self))

    @classmethod
    def resume(cls, state: Mapping[str, Any]) -> FadedMcNemar:
        """As if there had been no interruption."""
        made = cls(state["fading"])
        vars(made).update(state)
        return made
