"""A stream as its page shows it: moments, the error of the main view, what rang and what changed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from assay.measures import Measure
from assay.report.words import bracketed, short_names, value_words
from assay.results import Estimate
from assay.streams import Alarm, ChangeAlarm, Moment

if TYPE_CHECKING:
    from assay.streams import Detections, StreamWatch

__all__ = ["Happening", "WatchShown", "estimate_words", "with_limits"]

# Between so many moments a reader may choose, fewer where each holds a large matrix.
MOST_STOPS = 200
MOST_CELLS = 60_000
# Matrices of more classes are not shown.
MOST_CLASSES = 30


@dataclass(frozen=True)
class Happening:
    """An alarm that rang or a change that a detector found, after so many events; `kind` counts the detectors."""

    events: int
    name: str
    says: str
    kind: int | None = None


@dataclass(frozen=True, eq=False)
class WatchShown:
    """What a page says of a watch; everything is worked out once. `moments` are the true ones, where they are known."""

    watch: StreamWatch
    moments: tuple[int, ...] = ()
    tolerance: int | None = None

    @cached_property
    def kept(self) -> tuple[Moment, ...]:
        """The moments that were kept, and what is known now."""
        now, kept = self.watch.now(), self.watch.moments
        return kept if kept and kept[-1].events == now.events else (*kept, now)

    @property
    def now(self) -> Moment:
        """What is known after the last event."""
        return self.kept[-1]

    @cached_property
    def events(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """After how many events each moment is."""
        return np.array([moment.events for moment in self.kept], dtype=np.float64)

    @cached_property
    def stops(self) -> tuple[Moment, ...]:
        """The moments that a reader may choose among: at equal distances, the last one among them."""
        cells = max(1, len(self.now.classes) ** 2) if self.has_matrix else 1
        most = max(2, min(MOST_STOPS, MOST_CELLS // cells))
        step = -(-len(self.kept) // most)
        return self.kept[::-1][::step][::-1]

    @property
    def has_matrix(self) -> bool:
        """Whether there are few enough classes for a matrix."""
        return 2 <= len(self.now.classes) <= MOST_CLASSES

    @cached_property
    def views(self) -> dict[str, str]:
        """What each view is called."""
        return short_names(self.watch.run.views, 24)

    @cached_property
    def measures(self) -> dict[str, str]:
        """What each measure is called; those that could not be computed at any moment come last."""
        view = self.watch.run.view(self.watch.main)
        titles = {step.name: step.name if step.measure is None else step.measure.title for step in
                  view.steps(self.watch.measures)}  # fmt: skip
        known = [name for name in titles if any(self._is_known(name, moment) for moment in self.kept)]
        return {name: titles[name] for name in (*known, *(each for each in titles if each not in known))}

    def _is_known(self, name: str, moment: Moment) -> bool:
        found = (each.get(name) for each in moment.estimates.values())
        return any(one is not None and not math.isnan(one.value) for one in found)

    def series(self, view: str, name: str) -> list[Estimate | None]:
        """A measure of a view at every moment; None where it was not looked at."""
        return [moment.estimates.get(view, {}).get(name) for moment in self.kept]

    def error_at(self, moment: Moment, view: str) -> Estimate | None:
        """The error of a view, from whichever watched measure is the share of right or of wrong answers."""
        held = moment.estimates.get(view, {})
        for step in self.watch.run.view(view).steps(self.watch.measures):
            facts, found = step.measure, held.get(step.name)
            if found is None or not isinstance(facts, Measure) or facts.answers is None:
                continue
            if facts.answers.within is None:
                return found if facts.answers.sign < 0 else _of_errors(found)
        return None

    @cached_property
    def lately(self) -> Estimate | None:
        """The error of the main view now, where that is known."""
        return self.error_at(self.now, self.watch.main)

    @property
    def bar(self) -> float | None:
        """What the error must not exceed; None without a reference."""
        return self.watch.alarms[0].bar if self.watch.alarms else None

    @property
    def rung(self) -> list[Alarm | ChangeAlarm]:
        """The alarms that rang, the first one first."""
        return sorted((alarm for alarm in self.watch.alarms if alarm.rings), key=lambda alarm: alarm.rang_at or 0)

    @property
    def since(self) -> int | None:
        """The event since which the error has risen, about; None where no alarm says so."""
        return next((alarm.changed_at for alarm in self.rung if isinstance(alarm, ChangeAlarm)), None)

    @property
    def clings(self) -> str:
        """That errors depend on those before, where that is plain."""
        found = next((alarm for alarm in self.watch.alarms if alarm.lag.is_plain), None)
        return "" if found is None else found.lag.words(found.together)

    @property
    def misfit(self) -> str:
        """Why no error that stays the same fits the stream, where that is so."""
        return self.now.error.undefined or ""

    @cached_property
    def happenings(self) -> tuple[Happening, ...]:
        """What rang and what was found to change, in the order of the stream."""
        names = {name: k for k, name in enumerate(dict.fromkeys(change.detector for change in self.watch.changes))}
        rung = [Happening((alarm.rang_at or 0) + 1, alarm_name(alarm), alarm.words) for alarm in self.rung]
        found = [
            Happening(change.events, change.detector, "a change was found", names[change.detector])
            for change in self.watch.changes
        ]
        return tuple(sorted([*rung, *found], key=lambda one: one.events))

    @cached_property
    def judged(self) -> dict[str, Detections]:
        """What alarms and detectors were worth, where the true moments are known."""
        return self.watch.judged(self.moments, tolerance=self.tolerance) if self.moments else {}


def alarm_name(alarm: Alarm | ChangeAlarm) -> str:
    """What an alarm is called beside detectors."""
    return "change alarm" if isinstance(alarm, ChangeAlarm) else "alarm"


def _of_errors(right: Estimate) -> Estimate:
    """The share of wrong answers, from that of right ones."""
    return replace(right, name="error", value=1 - right.value, low=1 - right.high, high=1 - right.low)


def with_limits(estimate: Estimate, look: str) -> str:
    """An estimate with its limits and the look that they hold at, or with the word that it has none."""
    value, limits = estimate_words(estimate)
    return f"{value} {limits}, at {look} look" if limits else f"{value} (no limits)"


def estimate_words(estimate: Estimate | None) -> tuple[str, str]:
    """The value and the limits in words, a dash for what is not there."""
    if estimate is None or math.isnan(estimate.value):
        return "\u2013", ""
    return value_words(estimate), bracketed(estimate)
