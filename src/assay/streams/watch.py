"""A stream under watch: measures with limits, limits of the error at every look, alarms and changes.

What is known of a watched stream at one moment, as values and as a line of JSON.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.deprecated import with_old_names
from assay.errors import InputError, OptionError
from assay.measures import registry, registry_of_many
from assay.renderers import in_notebook, render
from assay.request import front_door
from assay.results import Estimate, Table
from assay.state import Saved, Stateful
from assay.streams.alarms import Alarm, ChangeAlarm
from assay.streams.drift import Detections, Detector, detections, detector, table_of_detectors
from assay.streams.events import Event
from assay.streams.prequential import MOST_SCORES, Prequential, checked_options, options_of
from assay.streams.view import BASELINES
from assay.streams.windows import Chunk, ViewSpec, cumulative, sliding
from assay.types import Bools
from assay.uncertainty import Betting

__all__ = ["Change", "Moment", "StreamWatch", "resume_watch", "watch"]


@dataclass(frozen=True)
class Change:
    """A change that a detector found, after so many events."""

    events: int
    detector: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"events": self.events, "detector": self.detector}


@dataclass(frozen=True)
class Moment:
    """What is known after so many events.

    `estimates` are the measures of each view with limits that hold at one look, `error` the share of wrong answers
    since the start with limits that hold at every look at once, `matrix` the confusion matrix of the main view.
    """

    events: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    error: Estimate
    classes: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    alarms: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, one line of JSON."""
        return {
            "events": self.events,
            "views": {
                view: {name: estimate.to_dict() for name, estimate in each.items()}
                for view, each in self.estimates.items()
            },
            "error_at_every_look": self.error.to_dict(),
            "classes": list(self.classes),
            "matrix": [list(row) for row in self.matrix],
            "alarms": list(self.alarms),
            "changes": [change.to_dict() for change in self.changes],
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Moment:
        """The moment that a record was written from."""
        views = {
            view: {name: _estimate_from_record(name, each) for name, each in held.items()}
            for view, held in record["views"].items()
        }
        return cls(
            record["events"],
            views,
            _estimate_from_record("error_rate", record["error_at_every_look"]),
            tuple(record["classes"]),
            tuple(tuple(row) for row in record["matrix"]),
            tuple(record["alarms"]),
            tuple(Change(**change) for change in record["changes"]),
        )


def _estimate_from_record(name: str, record: Mapping[str, Any]) -> Estimate:
    """The estimate that a record was written from: nan is None there, and infinities have a name."""
    value, low, high, level = (
        math.nan if record[key] is None else float(record[key]) for key in ("value", "low", "high", "level")
    )
    n, undefined = float(record["n"]), record["undefined"]
    return Estimate(name, value, low, high, level, record["method"], n, record["target"], undefined)


WATCH_VERSION = 1
# Of the moments kept for a page every second one is let go when there are so many.
MOST_MOMENTS = 512
NOT_CHANGES = "detectors signal that the error rate changed, not why, and have no guaranteed false-alarm rate"


class _Heard(Prequential):
    """A run that tells someone of every event it has taken, and when a moment is due."""

    def __init__(self, options: Mapping[str, Any], hearer: StreamWatch) -> None:
        super().__init__(options)
        self._hearer, self._every = hearer, options["every"]

    def _take(self, event: Event, has_label: bool) -> None:
        super()._take(event, has_label)
        self._hearer.hear(np.array([event[0] != event[1]]))
        if self.events % self._every == 0:
            self._hearer.record_moment()

    def _take_piece(self, piece: Chunk) -> None:
        at = 0
        while at < len(piece):
            stop = min(at + self._every - self.events % self._every, len(piece))
            part = piece.cut(at, stop)
            super()._take_piece(part)
            self._hearer.hear(part.truth != part.decision)
            if self.events % self._every == 0:
                self._hearer.record_moment()
            at = stop


@dataclass(frozen=True)
class _WatchedFor:
    """What a watch was asked for beside the options of its run."""

    measures: tuple[str, ...] | None
    reference: float | list[float] | None
    reference_cases: int | None
    margin: float
    alpha: float
    detectors: tuple[str, ...]
    together: int


@dataclass
class _Ears:
    """Everything that is told of errors."""

    error: Betting
    alarms: tuple[Alarm | ChangeAlarm, ...]
    detectors: Mapping[str, Detector]
    changes: list[Change] = field(default_factory=list)


@with_old_names
class StreamWatch(Stateful):
    """A stream under watch: feed it as a `Prequential`, and ask what is known `now`, or at the moments it kept.

    With a reference two alarms listen, each with half of alpha: one on the error since the start, one for a rise at
    any moment. Together they ring falsely in at most alpha of streams, however often one looks, as long as the error
    given the past stays at or below the reference plus margin.
    """

    _saved = (
        Saved("watch", by=lambda _: WATCH_VERSION),
        Saved("asked", by=attrgetter("_asked")),
        Saved("run"),
        Saved("error", "_ears.error"),
        Saved("alarms", "_ears.alarms"),
        Saved("detectors", "_ears.detectors"),
        Saved(
            "changes",
            "_ears.changes",
            lambda changes: [change.to_dict() for change in changes],
            lambda changes: [Change(**change) for change in changes],
        ),
        Saved(
            "moments",
            "_moments",
            lambda moments: [moment.to_dict() for moment in moments],
            lambda moments: [Moment.of(moment) for moment in moments],
        ),
        Saved("counters", "_counters"),
    )

    def __init__(self, options: Mapping[str, Any], asked: _WatchedFor) -> None:
        self._asked, self.options = asked, {**options, **vars(asked)}
        self.level: float = options["level"]
        self.run = _Heard(options, self)
        for view in self.run.views.values():
            view.steps(asked.measures or ())  # what nobody knows is refused now, and not by the first event
        self.main = next(
            (name for name, view in self.run.views.items() if view.spec.is_window), next(iter(self.run.views))
        )
        self._ears = _Ears(
            Betting(self.level),
            _create_alarms(asked),
            {name: detector(name) for name in asked.detectors},
        )
        self._moments: list[Moment] = []
        self._step, self._skipped = 1, 0
        self._new: list[Moment] = []
        self._told = 0

    def __repr__(self) -> str:
        return f"<watch over {self.events:,} events: {', '.join(self.run.views)}>"

    @property
    def events(self) -> int:
        """How many events were judged."""
        return self.run.events

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that are watched: those asked for, or a few that tell most streams."""
        if self._asked.measures is not None:
            return self._asked.measures
        known = registry if self.run.class_count <= 2 else registry_of_many
        usual = [one.name for one in known.values() if one.is_watched and (one.pairs is None or self.run.has_score)]
        return (*usual, *dict.fromkeys(kappa.name for kappa in BASELINES.values()))

    @property
    def alarms(self) -> tuple[Alarm | ChangeAlarm, ...]:
        """The alarms that listen; none without a reference."""
        return self._ears.alarms

    @property
    def detectors(self) -> tuple[str, ...]:
        """The detectors that listen, by name."""
        return self._asked.detectors

    @property
    def has_alarm(self) -> bool:
        """Whether an alarm has rung."""
        return any(alarm.rings for alarm in self.alarms)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every change that a detector found."""
        return tuple(self._ears.changes)

    def update(self, truth: Any, prediction: Any = None, **given: Any) -> None:
        """One event, as `Prequential.update` takes it."""
        self.run.update(truth, prediction, **given)

    def update_many(self, truth: Any, prediction: Any = None, **given: Any) -> None:
        """A chunk of events, as `Prequential.update_many` takes it."""
        self.run.update_many(truth, prediction, **given)

    def predicted(self, event_id: Hashable, prediction: Any = None, **given: Any) -> None:
        """What is said of an event whose true class comes later."""
        self.run.predicted(event_id, prediction, **given)

    def labelled(self, event_id: Hashable, truth: Any, **given: Any) -> None:
        """The true class of an event predicted before."""
        self.run.labelled(event_id, truth, **given)

    def hear(self, wrong: Bools) -> None:
        """Events that the run has taken: which of them were answered wrongly."""
        errors = wrong.astype(np.float64)
        before = self.events - len(errors)
        for listener in (self._ears.error, *self.alarms):
            listener.extend(errors)
        found = [
            Change(place + 1, name) for name, each in self._ears.detectors.items() for place in each.extend(errors)
        ]
        assert all(before < change.events <= self.events for change in found)
        self._ears.changes.extend(sorted(found, key=lambda change: change.events))

    def now(self) -> Moment:
        """What is known after the last event."""
        if not self.events:
            raise OptionError("no events yet", "watch.update(truth, ...) first")
        run, main = self.run, self.run.view(self.main)
        is_shown = run.class_count > 1
        return Moment(
            self.events,
            {name: {each: view.estimate(each) for each in self.measures} for name, view in run.views.items()},
            self._ears.error.estimate("error_rate"),
            run.classes if is_shown else (),
            tuple(tuple(row) for row in main.matrix.counts.tolist()) if is_shown else (),
            tuple(alarm.words for alarm in self.alarms if alarm.rings),
            tuple(self._ears.changes[self._told :]),
        )

    def record_moment(self) -> None:
        """Keep what is known now as a moment."""
        moment = self.now()
        self._told = len(self._ears.changes)
        self._new.append(moment)
        del self._new[:-MOST_MOMENTS]
        self._skipped += 1
        if self._skipped == self._step:
            self._skipped = 0
            self._moments.append(moment)
        if len(self._moments) == MOST_MOMENTS:
            self._moments = self._moments[1::2]
            self._step *= 2

    @property
    def moments(self) -> tuple[Moment, ...]:
        """Moments of the whole stream at equal distances, fewer than 512 of them however long it is."""
        return tuple(self._moments)

    def new_moments(self) -> list[Moment]:
        """The moments that became due since this was last asked, the last 512 of them."""
        found, self._new = self._new, []
        return found

    def detection_results(self, moments: Iterable[int], *, tolerance: int | None = None) -> dict[str, Detections]:
        """What each alarm and each detector was worth, where the changes were at these true moments."""
        true = tuple(moments)
        rang = {"alarm": Alarm, "change alarm": ChangeAlarm}
        heard = {
            name: [alarm.rang_at for alarm in self.alarms if type(alarm) is kind and alarm.rang_at is not None]
            for name, kind in rang.items()
            if self.alarms
        }
        heard |= {
            name: [change.events - 1 for change in self.changes if change.detector == name] for name in self.detectors
        }
        return {
            name: detections(true, places, self.events, tolerance=tolerance, level=self.level)
            for name, places in heard.items()
        }

    def detections(self, moments: Iterable[int], *, tolerance: int | None = None) -> Table:
        """How good the detectors were: what each found of the true changes, how late, and its false alarms."""
        return table_of_detectors(self.detection_results(moments, tolerance=tolerance))

    def report(self, path: str | PathLike[str], *, moments: Iterable[int] = (), tolerance: int | None = None) -> None:
        """Write a page anyone can open: one offline HTML file; a name that ends in .txt, .md or .json gets that.

        Where the true moments of change are given, the page says how good the detectors were.
        """
        true = tuple(moments)
        if tolerance is not None and not true:
            raise OptionError("tolerance needs moments", "the positions of the true changes", {"moments": [2500]})
        render("page", self, path, true, tolerance)

    _repr_html_ = in_notebook

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to keep in mind, of the stream and of its views, each said once."""
        said = [*self.run.cautions, *(caution for view in self.run.views.values() for caution in view.cautions)]
        return tuple(dict.fromkeys([*said, *([NOT_CHANGES] if self._asked.detectors else [])]))

    @property
    def _counters(self) -> list[int]:
        return [self._step, self._skipped, self._told]

    @_counters.setter
    def _counters(self, counters: Sequence[int]) -> None:
        self._step, self._skipped, self._told = counters


def _create_alarms(asked: _WatchedFor) -> tuple[Alarm | ChangeAlarm, ...]:
    if asked.reference is None:
        return ()
    each: dict[str, Any] = {"cases": asked.reference_cases, "together": asked.together}
    return (
        Alarm(asked.reference, asked.margin, asked.alpha / 2, **each),
        ChangeAlarm(asked.reference, asked.margin, asked.alpha / 2, **each),
    )


@front_door
def watch(
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    threshold: float | None = None,
    views: Sequence[ViewSpec] | None = None,
    measures: Sequence[str] | None = None,
    every: int = 100,
    reference: float | ArrayLike | None = None,
    reference_cases: int | None = None,
    margin: float = 0.02,
    alpha: float = 0.05,
    detectors: Sequence[str] = ("adwin",),
    together: int = 1,
    expire_after: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> StreamWatch:
    """StreamWatch a stream: measures under views with limits, limits of the error at every look, alarms, and changes.

    `every` so many events a moment is kept. `reference` is the error rate to hold the stream against (a number; with
    `reference_cases` a share estimated from so many cases; or the list of 0 and 1 itself), and alarms ring once the
    error has risen by more than `margin` over it, falsely in at most `alpha` of streams. `together` puts so many
    events together before alarms bet on them, where errors cling to one another. The other options are those of
    `prequential`.

    >>> from assay import streams
    >>> seen = streams.watch(classes=("no", "yes"), views=(streams.sliding(200),), reference=0.1, every=100)
    >>> right, wrong = ["no", "yes"] * 300, ["no", "no"] * 300
    >>> seen.update_many(right, right)
    >>> seen.update_many(right, wrong)
    >>> seen.has_alarm, seen.changes[0].detector, [moment.events for moment in seen.moments][:3]
    (True, 'adwin', [100, 200, 300])
    >>> seen.now().estimates["sliding 200"]["accuracy"].value
    0.5
    """
    options = checked_options(
        positive=positive,
        classes=classes,
        threshold=threshold,
        views=(cumulative(), sliding(1000)) if views is None else views,
        record=(),
        every=every,
        peeks=False,
        most_scores=MOST_SCORES,
        expire_after=expire_after,
        level=level,
        seed=seed,
    )
    if isinstance(measures, str) or isinstance(detectors, str):
        raise OptionError("measures and detectors must be lists", "a list of names", {"measures": ["accuracy"]})
    if reference is None and reference_cases is not None:
        raise OptionError("reference_cases needs a reference", "the error rate too", {"reference": 0.1})
    held: Any = reference
    if np.ndim(held) > 0:
        held = np.asarray(held, np.float64).tolist()
    named = None if measures is None else tuple(measures)
    asked = _WatchedFor(named, held, reference_cases, margin, alpha, tuple(detectors), together)
    return StreamWatch(options, asked)


def resume_watch(state: Mapping[str, Any]) -> StreamWatch:
    """The watch that a state was taken from, as it was then.

    >>> from assay import streams
    >>> seen = streams.watch(classes=("no", "yes"))
    >>> seen.update_many(["no", "yes"] * 80, ["no", "no"] * 80)
    >>> streams.resume_watch(seen.state()).now().to_dict() == seen.now().to_dict()
    True
    """
    if state.get("watch") != WATCH_VERSION:
        raise InputError(f"the state has version {state.get('watch')!r}", f"version {WATCH_VERSION} of a watch")
    asked = state["asked"]
    lists = {name: None if asked[name] is None else tuple(asked[name]) for name in ("measures", "detectors")}
    found = StreamWatch(options_of(state["run"]), _WatchedFor(**{**asked, **lists}))
    found.restore(state)
    return found
