"""The ways to a run: its options, checked, and a state it was left in.

Prequential evaluation: every event is judged as it comes, and every view of the stream is up to date after it.

Measures over time: values of some measures of every view, every so many events.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError, OptionError, UnknownName
from assay.request import checked_flag, checked_level, checked_seed, checked_whole, front_door
from assay.results import Interval, Table
from assay.state import Saved, Stateful
from assay.streams.delayed_labels import ANY_LABEL, Labels, Waiting
from assay.streams.events import Event, Reader, StreamClasses
from assay.streams.history import Memory
from assay.streams.view import View
from assay.streams.windows import Chunk, ViewSpec, Window, cumulative
from assay.types import Floats, Places

if TYPE_CHECKING:
    from assay.streams.online_learning import Interleaved, PeriodicHoldout

__all__ = [
    "MOST_SCORES",
    "STATE_VERSION",
    "Prequential",
    "Record",
    "checked_options",
    "options_of",
    "prequential",
    "resume",
]


class Record(Stateful):
    """What was asked to be kept, and what was kept: for each view and measure a value at each of `positions`."""

    _saved = (Saved("positions"), Saved("values", by=lambda record: list(record.values.values())))

    def __init__(self, names: Sequence[str], every: int, views: Sequence[str]) -> None:
        self.names, self.every = tuple(names), every
        self.positions = array("q")
        self.values = {(view, name): array("d") for view in views for name in self.names}

    def is_due(self, events: int) -> bool:
        """Whether values are kept after so many events."""
        return bool(self.names) and events % self.every == 0

    def due(self, before: int, count: int) -> Places:
        """Which of the next events (from 1) values are kept after."""
        first = self.every - before % self.every
        return np.arange(first, count + 1, self.every)

    def keep(self, view: str, name: str, values: Floats) -> None:
        """Values of one measure, in the order of their positions."""
        self.values[view, name].frombytes(np.ascontiguousarray(values, dtype=np.float64).tobytes())

    def series(self, view: str, name: str) -> tuple[Places, Floats]:
        """After how many events, and the values."""
        if (view, name) not in self.values:
            if not self.names:
                raise OptionError("no measures were recorded", "prequential(record=[...], every=100)")
            raise UnknownName(f"{name!r} of {view!r} was not recorded", "a recorded view and measure")
        return np.array(self.positions, dtype=np.intp), np.array(self.values[view, name])

    def table(self) -> Table:
        """One row for each position, view and measure."""
        keys, count = list(self.values), len(self.positions)
        # Rows run by position, so that the latest stand together at the end.
        values = np.array([self.values[key] for key in keys]).reshape(len(keys), count).T
        return Table(
            {
                "events": np.repeat(np.array(self.positions, dtype=np.int64), len(keys)).tolist(),
                "view": [view for view, _ in keys] * count,
                "measure": [name for _, name in keys] * count,
                "value": values.ravel().tolist(),
            },
            title="Measures over time",
        )

    def _restored(self, state: Mapping[str, Any]) -> None:
        for key, values in zip(self.values, state["values"], strict=True):
            self.values[key] = array("d", np.asarray(values, np.float64).tobytes())


MOST_SCORES = 1 << 16
# A chunk is worked through in pieces of about so many numbers, so that no long chunk needs much room.
NUMBERS_AT_ONCE = 1 << 22
EVENTS_AT_ONCE = 1 << 16
STATE_VERSION = 1
Tally = Window | Memory


class Prequential(Stateful):
    """A stream as it is judged: feed it events, read any measure of any view at any moment.

    `update` takes one event, `update_many` a chunk, `predicted` and `labelled` an event whose true class comes later,
    `drive` a classifier that learns as it goes. Whatever way the events come, and however they are cut into chunks, the
    state is the same, bit for bit. What is refused leaves no trace.
    """

    _saved = (
        Saved("version", by=lambda _: STATE_VERSION),
        Saved("options", by=attrgetter("_options")),
        *(Saved(name, f"_{name}") for name in ("classes", "reader")),
        *map(Saved, ("events", "unpredicted")),
        Saved("previous", "_previous"),
        Saved("tallies", by=attrgetter("_tallies")),
        *(Saved(name, f"_{name}") for name in ("record", "waiting")),
    )

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = dict(options)
        views: Sequence[ViewSpec] = options["views"]
        self.level, self.seed, self.threshold = options["level"], options["seed"], options["threshold"]
        self.peeks: bool = options["peeks"]
        self._classes = StreamClasses(options["classes"], options["positive"])
        self._reader = Reader(self._classes, options["threshold"], timed=any(v.seconds is not None for v in views))
        self.threshold = self._reader.threshold
        self.views = {spec.name: View(self, spec) for spec in views}
        self._tallies: dict[str, Tally] = {}
        self._record = Record(options["record"], options["every"], list(self.views))
        self._waiting = Waiting(options["expire_after"])
        # What no-change answers: before the first event nothing, or with MOA the first class.
        self._previous = 0 if self.peeks else -1
        self.events = self.unpredicted = self.stage = 0
        self._refresh_class_info()
        for view in self.views.values():
            view.steps(self._record.names)  # what nobody knows is refused now, and not by the first event

    def _refresh_class_info(self) -> None:
        """What views ask for with every reading, kept until the classes or the kind of predictions change."""
        self.stage += 1
        self.class_count = len(self._classes.names)
        self.order = self._classes.order()
        self.is_undecided = self._classes.is_undecided

    def __repr__(self) -> str:
        return f"<stream of {self.events:,} events: {', '.join(self.views)}>"

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes, the positive one of two last; those met so far where they were not said."""
        return tuple(self._classes.names[code] for code in self.order)

    @property
    def classes_of_scores(self) -> tuple[str, ...]:
        """The classes in the order of `scores`: as they were said."""
        return self._classes.as_said() if self._classes.said else self.classes

    @property
    def is_open(self) -> bool:
        """Whether classes are added as they are met."""
        return self._classes.is_open and self._classes.positive is None

    @property
    def knows_how_many(self) -> bool:
        """Whether it was said how many classes there are; else measures of fewer or more have no value yet."""
        return self._options["classes"] is not None or self._options["positive"] is not None

    @property
    def has_score(self) -> bool:
        """Whether events of two classes have a score."""
        return self._reader.width == 1

    @property
    def threshold_used(self) -> float | None:
        """The score from which on events are called positive; None where labels were given."""
        return self._reader.cut if self.has_score and not self._reader.by_labels else None

    def refuse_undecided(self) -> None:
        """Refuse where it matters which of two classes is positive and nobody said it."""
        if self.is_undecided:
            raise self._classes.which_is_positive()

    def view(self, name: str) -> View:
        """A view by its name, such as "sliding 1000"."""
        if name not in self.views:
            raise UnknownName(f"there is no view {name!r}", f"one of {', '.join(map(repr, self.views))}")
        return self.views[name]

    def update(
        self,
        truth: Any,
        prediction: Any = None,
        *,
        score: Any = None,
        scores: Any = None,
        time: Any = None,
        weight: None = None,
    ) -> None:
        """One event: its true class, and what was said of it before that was known.

        `prediction` is a label, `score` how strongly it was taken for the positive class of two, `scores` one for each
        class. `time` (seconds, or a date) is needed where a view is by time, and refused elsewhere.
        """
        if weight is not None:
            raise _weight_not_supported_error()
        try:
            event = self._reader.one(truth, prediction, score, scores, time)
        except Exception:
            self._classes.rollback()
            raise
        self._take(event, prediction is not None)

    def _take(self, event: Event, has_label: bool) -> None:
        """Count an event that was found good."""
        truth, decision, score, time = event
        reader = self._reader
        if reader.width is None or self._classes.has_news:
            self._register_classes(_score_width(score), has_label)
        if reader.timed:
            reader.latest = time
        same = 1 if truth == self._previous else 0
        for tally in self._tallies.values():
            tally.add(truth, decision, same, score, time)
        self._previous = truth
        self.events += 1
        if self._record.names and self._record.is_due(self.events):
            self._record_values()

    def _register_classes(self, width: int, has_label: bool, known: int | None = None) -> None:
        """Make room for what an event has shown for the first time: its kind, or classes."""
        self._reader.accept(width, has_label)
        self._classes.commit(known)
        self._refresh_class_info()
        for name, view in self.views.items():
            tally = self._tallies.get(name)
            if tally is None:
                view.tally = self._tallies[name] = self._new_tally(view.spec, width)
            elif tally.classes != self.class_count:
                tally.grow(self.class_count)

    def _new_tally(self, spec: ViewSpec, width: int) -> Tally:
        if spec.is_window:
            return Window(spec, self.class_count, width, peeks=self.peeks)
        return Memory(spec, self.class_count, width, peeks=self.peeks, most_scores=self._options["most_scores"])

    def update_many(
        self,
        truth: Any,
        prediction: Any = None,
        *,
        score: Any = None,
        scores: Any = None,
        time: Any = None,
        weight: None = None,
    ) -> None:
        """A chunk of events in their order: arrays, lists or columns of what `update` takes."""
        if weight is not None:
            raise _weight_not_supported_error()
        try:
            chunk = self._reader.many(truth, prediction, score, scores, time)
        except Exception:
            self._classes.rollback()
            raise
        if len(chunk):
            self._take_many(chunk, prediction is not None)

    def _take_many(self, chunk: Chunk, has_label: bool) -> None:
        if chunk.time is not None:
            self._reader.latest = float(chunk.time[-1])
        before = np.concatenate(([self._previous], chunk.truth[:-1]))
        whole = Chunk(chunk.truth, chunk.decision, (chunk.truth == before).astype(np.int64), chunk.score, chunk.time)
        width = 0 if chunk.score is None else 1 if chunk.score.ndim == 1 else chunk.score.shape[1]
        for start, stop, known in self._split_at_new_classes(whole):
            if self._reader.width is None or self._classes.has_news:
                self._register_classes(width, has_label, known)
            step = max(min(EVENTS_AT_ONCE, NUMBERS_AT_ONCE // self.class_count**2), 1)
            for at in range(start, stop, step):
                self._take_piece(whole.cut(at, min(at + step, stop)))

    def _split_at_new_classes(self, chunk: Chunk) -> Iterator[tuple[int, int, int | None]]:
        """Stretches of a chunk that meet new classes at their start alone, and how many are known then."""
        if not self._classes.pending:
            yield 0, len(chunk), None
            return
        known = np.maximum.accumulate(np.maximum(chunk.truth, chunk.decision)) + 1
        known = np.maximum(known, self.class_count)
        cuts = [0, *(np.flatnonzero(np.diff(known)) + 1).tolist(), len(chunk)]
        for start, stop in pairwise(cuts):
            yield start, stop, int(known[start])

    def _take_piece(self, piece: Chunk) -> None:
        """Count a piece of a chunk, and keep what is recorded along it."""
        due = self._record.due(self.events, len(piece)) if self._record.names else np.zeros(0, np.intp)
        if len(due) and not self._is_vectorizable():
            at = 0
            for end in due.tolist():
                self._add_to_tallies(piece.cut(at, end))
                self._record_values()
                at = end
            piece, due = piece.cut(at, len(piece)), due[:0]
        if len(piece):
            self._add_to_tallies(piece, due)

    def _add_to_tallies(self, piece: Chunk, due: Places | None = None) -> None:
        wanted = due if due is not None and len(due) else None
        for name, tally in self._tallies.items():
            steps = [] if wanted is None else self.views[name].steps(self._record.names)
            moments = tally.add_many(piece, wanted, {step.kind for step in steps})
            for step in steps if moments is not None else ():
                assert moments is not None
                self._record.keep(name, step.name, self.views[name].at(moments, step))
        if wanted is not None:
            self._record.positions.frombytes((self.events + wanted).astype(np.int64).tobytes())
        self._previous = int(piece.truth[-1])
        self.events += len(piece)

    def _is_vectorizable(self) -> bool:
        """Whether everything recorded can be read at many moments at once, and need not be at one after the other."""
        return all(
            step.kind in ("cells", "pairs", "baseline")
            for view in self.views.values()
            for step in view.steps(self._record.names)
        )

    def _record_values(self) -> None:
        for name, view in self.views.items():
            for measure, value in view.values(self._record.names).items():
                self._record.values[name, measure].append(value)
        self._record.positions.append(self.events)

    def history(self) -> Table:
        """Every recorded measure of every view over time, a row for each; `record=` and `every=` say what is kept."""
        return self._record.table()

    def series(self, view: str, name: str) -> tuple[Places, Floats]:
        """One recorded measure of one view: after how many events, and its values."""
        return self._record.series(self.view(view).name, name)

    def predicted(self, event_id: Hashable, prediction: Any = None, *, score: Any = None, scores: Any = None) -> None:
        """What is said of an event whose true class is not known yet; `labelled` tells it later, by the same id."""
        try:
            decision, value = self._reader.answer(prediction, score, scores)
            self._waiting.expect(event_id, decision, value, prediction is not None)
        except Exception:
            self._classes.rollback()
            raise
        if self._reader.width is None or self._classes.has_news:
            self._register_classes(_score_width(value), prediction is not None)

    def labelled(self, event_id: Hashable, truth: Any, *, time: Any = None) -> None:
        """The true class of an event predicted before: it is judged now, in the order in which labels arrive."""
        found = self._waiting.find(event_id)
        if found is None:
            return
        try:
            event = (self._reader.code(truth, "true label"), found.decision, found.value, self._reader.moment(time))
        except Exception:
            self._classes.rollback()
            raise
        self._waiting.settle(event_id)
        self._take(event, found.has_label)

    def awaited(self, event_id: Hashable) -> tuple[str, Any] | None:
        """The class and the score or scores that an event waits for its label with; None where it does not wait."""
        found = self._waiting.held(event_id)
        return None if found is None else (self._classes.names[found.decision], found.value)

    @property
    def labels(self) -> Labels:
        """How many predictions have got their label, wait for it or never got it."""
        return self._waiting.labels()

    def accuracy_bounds(self) -> Interval:
        """Between what the accuracy over all predictions lies, whatever the labels that have not come are."""
        name = "cumulative"
        if name not in self.views:
            return Interval.missing(ANY_LABEL, "there is no cumulative view to count from")
        tally = self.views[name].tally
        counts = [] if tally is None else tally.counts
        correct = sum(counts[:: self.class_count + 1]) if counts else 0.0
        return self.labels.accuracy_bounds(correct, float(self.events))

    @property
    def waiting(self) -> int:
        """How many predictions wait for their label."""
        return self.labels.waiting

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to keep in mind about all views of this stream."""
        said = list(self._waiting.cautions())
        bounds = self.accuracy_bounds() if self.labels.expired and self._tallies else None
        if bounds is not None and bounds.undefined is None:
            said.append(
                f"whatever the missing labels are, the accuracy of all predictions is between {bounds.low:.3f} and "
                f"{bounds.high:.3f}"
            )
        if self.unpredicted:
            said.append(f"{self.unpredicted:,} events came before the classifier could predict and are not evaluated")
        return tuple(said)

    def drive(
        self, model: Any, x: Any, y: Any, plan: Interleaved | PeriodicHoldout | None = None, *, default: Any = None
    ) -> None:
        """Let a classifier predict every event before it learns it; `plan` says when it is tested and when taught.

        It needs `partial_fit`, as scikit-learn's have, or `learn_one`, as river's. What comes before it can predict is
        counted in `unpredicted` and judged only if there is a `default` class to answer.
        """
        from assay.streams.online_learning import Interleaved, driven

        driven(self, model, x, y, Interleaved() if plan is None else plan, default)

    def fresh(self) -> Prequential:
        """An empty run with the same options."""
        return Prequential(self._options)

    def __add__(self, other: Prequential) -> Prequential:
        """Two parts of a stream as one, in views that add: cumulative ones. The baselines stay each part's own."""
        windows = [name for name, view in self.views.items() if view.spec.kind != "cumulative"]
        if windows or set(self.views) != set(other.views):
            raise OptionError(
                f"the views {', '.join(self.views)} cannot be added", "the same cumulative views in both runs"
            )
        if (self._classes.names, self._reader.width) != (other._classes.names, other._reader.width):
            raise OptionError(
                "the runs have different classes or kinds of predictions", "the same classes and kind of predictions"
            )
        whole = self.fresh()
        whole.restore(self.state())
        for name, tally in other._tallies.items():
            mine = whole._tallies[name]
            assert isinstance(mine, Memory)
            assert isinstance(tally, Memory)
            mine.merge(tally)
        whole.events += other.events
        whole.unpredicted += other.unpredicted
        whole._previous = other._previous
        return whole

    def _restored(self, state: Mapping[str, Any]) -> None:
        self._refresh_class_info()
        for name, held in state["tallies"].items():
            tally = self._new_tally(self.views[name].spec, self._reader.width or 0)
            tally.restore(held)
            self.views[name].tally = self._tallies[name] = tally


def _score_width(score: Any) -> int:
    return 0 if score is None else 1 if isinstance(score, float) else len(score)


def _weight_not_supported_error() -> OptionError:
    return OptionError(
        "weight is not supported: every event of a stream counts once", "fading(factor) to down-weight old events"
    )


FEWEST_SCORES = 64


@front_door
def prequential(
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    threshold: float | None = None,
    views: Sequence[ViewSpec] | None = None,
    record: Sequence[str] = (),
    every: int = 1,
    peeks: bool = False,
    most_scores: int = MOST_SCORES,
    expire_after: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Prequential:
    """A run that judges the events of a stream as they come, under one or several views.

    `classes` are all there are; without them they are added as they are met. `positive` is one of two. Scores from 0 to
    1 call an event positive from `threshold` on, 0.5 unless it is given. `record` names measures whose values are kept
    after `every` so many events. `most_scores` bounds how many different scores a view of the whole past keeps exactly.
    `expire_after` gives up a label that has not come after so many further predictions.

    Kappa temporal is held against repeating the true class of the event before, kappa M against the commonest class of
    the view before the event; with nothing seen before, neither answers. With `peeks` they are MOA's: the commonest
    class is counted with the very event it is to answer, and before the first event the first class is answered.

    >>> import assay
    >>> run = assay.streams.prequential(positive="yes", classes=("no", "yes"))
    >>> run.update_many(["no", "yes", "yes", "no"], score=[0.2, 0.7, 0.4, 0.1])
    >>> run.view("cumulative").values(["accuracy", "roc_auc", "kappa_temporal"])
    {'accuracy': 0.75, 'roc_auc': 1.0, 'kappa_temporal': 0.6666666666666666}
    """
    if isinstance(classes, str | bytes):
        raise OptionError(f"classes is {classes!r}", "a list of class names")
    return Prequential(
        checked_options(
            positive=positive,
            classes=classes,
            threshold=threshold,
            views=(cumulative(),) if views is None else views,
            record=record,
            every=every,
            peeks=peeks,
            most_scores=most_scores,
            expire_after=expire_after,
            level=level,
            seed=seed,
        )
    )


def checked_options(
    *, views: Sequence[ViewSpec], record: Sequence[str], expire_after: int | None, **options: Any
) -> dict[str, Any]:
    """What a run is made with, each option questioned once."""
    specs = tuple(views)
    if not specs or not all(isinstance(spec, ViewSpec) for spec in specs):
        raise OptionError("views has an element that is no view", "views such as streams.sliding(1000)")
    if len({spec.name for spec in specs}) < len(specs):
        raise OptionError("duplicate view", "different views")
    if isinstance(record, str):
        raise OptionError(f"record is {record!r}", "a list of measures", {"record": [record]})
    return {
        **options,
        "views": specs,
        "record": tuple(record),
        "every": checked_whole(options["every"], "every"),
        "peeks": checked_flag(options["peeks"], "peeks"),
        "most_scores": checked_whole(options["most_scores"], "most_scores", FEWEST_SCORES),
        "expire_after": None if expire_after is None else checked_whole(expire_after, "expire_after"),
        "level": checked_level(options["level"]),
        "seed": checked_seed(options["seed"]),
    }


def resume(state: Mapping[str, Any]) -> Prequential:
    """The run that a state was taken from, as it was then.

    >>> from assay import streams
    >>> run = streams.prequential(views=(streams.sliding(2),))
    >>> run.update_many(["a", "b", "a"], ["a", "b", "b"])
    >>> again = streams.resume(run.state())
    >>> again.view("sliding 2").value("accuracy")
    0.5
    """
    run = Prequential(options_of(state))
    run.restore(state)
    return run


def options_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the run that a state was taken from."""
    if state.get("version") != STATE_VERSION:
        raise InputError(f"the state has version {state.get('version')!r}", f"version {STATE_VERSION}")
    views = tuple(ViewSpec(**view) for view in state["options"]["views"])
    return {**state["options"], "views": views, "record": tuple(state["options"]["record"])}
