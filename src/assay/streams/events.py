"""From what a user gives for an event or a chunk to checked codes: an event is taken wholly or not at all.

The classes of a stream: said at the start, or met one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.evidence.multiclass import highest_class
from assay.request import checked_threshold
from assay.sources import aligned, in_order, known_pair, label_name, labels_of, listed, numbers_of, settle, shown
from assay.state import Saved, Stateful, finite_or_none
from assay.streams.windows import Chunk
from assay.types import Codes, Floats

__all__ = ["WHICH", "Event", "Reader", "StreamClasses"]


MOST_CLASSES = 1000
AT_LEAST_TWO = "at least two different classes"


class StreamClasses(Stateful):
    """Names behind class codes. With two the positive one has code 1; those met as they come are in that order.

    What is read may hold classes that were not met before: these wait (`pending`) until the whole event or chunk has
    been found good, and are forgotten otherwise.

    >>> classes = StreamClasses(None, None)
    >>> classes.find("b", "truth"), classes.find("a", "truth"), classes.names
    (0, 1, [])
    >>> classes.commit()
    >>> classes.names, classes.order()
    (['b', 'a'], [1, 0])
    """

    _saved = (Saved("names"), Saved("is_open"), Saved("is_unnamed", "_is_unnamed"))

    def __init__(self, classes: Sequence[Any] | None, positive: Any) -> None:
        self.names: list[str] = []
        self.pending: list[str] = []
        self.has_news = False  # whether something was met that was not known before
        self.is_open = classes is None
        # Whether the other of two classes has not been met, and what it is called as soon as it has been.
        self._is_unnamed, self._name = False, ""
        self._is_completed = False  # from what is being read
        # A positive class means that there are two.
        self.positive = None if positive is None else label_name(positive)
        if positive is not None and self.positive is None:
            raise OptionError(f"positive is the missing value {shown(positive)}", "a class")
        self.known: dict[type, dict[Any, int]] = {}
        self.said: list[int] = []  # where each class stood among those that were said, as scores of classes do
        if classes is not None:
            self._set_classes(classes)
        elif self.positive is not None:
            self.names = list(settle([self.positive], [], self.positive, column="positive", rows=1).names)
            self._is_unnamed = True

    def _set_classes(self, classes: Sequence[Any]) -> None:
        names = [label_name(value) for value in classes]
        kept = [name for name in names if name is not None]
        if len(kept) < len(names) or len(set(kept)) < len(kept) or len(kept) < 2:
            raise OptionError(f"the classes are {listed(list(classes))}", AT_LEAST_TWO)
        if len(kept) > MOST_CLASSES:
            raise OptionError(f"too many classes ({len(kept):,})", f"at most {MOST_CLASSES:,}")
        if self.positive is not None and len(kept) > 2:
            found = f"positive={shown(self.positive)} cannot be used with {len(kept)} classes"
            raise OptionError(found, "two classes, or no positive class")
        # Said by hand, each once: no column of ids or measurements.
        self.names = list(settle(kept, [], self.positive, column="classes", rows=2 * len(kept)).names)
        self.said = [kept.index(name) for name in self.names]

    def complete(self, first: Sequence[str]) -> None:
        """Settle which two classes a stream of scores has, from the first that is met: scores point to one of them."""
        if self.is_open and not self.names:
            settled = settle(list(first)[:1], [], None, column="truth", rows=1)
            self.names, self.is_open = list(settled.names), False
            self._is_completed = self.has_news = True

    def as_said(self) -> tuple[str, ...]:
        """The names in the order in which they were said, which is that of scores of classes."""
        return tuple(sorted(self.names, key=dict(zip(self.names, self.said, strict=True)).__getitem__))

    def order(self) -> list[int]:
        """The codes in the order in which classes are shown, the positive one of two last."""
        if not self.is_open or self.positive is not None:
            return list(range(len(self.names)))
        shown_as = (known_pair(self.names) if len(self.names) == 2 else None) or in_order(self.names)
        return [self.names.index(name) for name in shown_as]

    @property
    def is_undecided(self) -> bool:
        """Whether there are two classes of which nobody said which one is positive."""
        is_pair = self.is_open and self.positive is None and len(self.names) == 2
        return is_pair and known_pair(self.names) is None

    def which_is_positive(self) -> InputError:
        """What to say where it matters."""
        ways = [({"positive": name}, "") for name in self.names]
        return InputError(f"the classes are {listed(self.names)}", "which one is positive", ways=ways)

    def find(self, value: Any, role: str) -> int:
        """The code of one label."""
        if np.ndim(value) or not isinstance(value, Hashable):
            raise InputError(f"the {role} is not a single value: {shown(value)}", "a single value for each event")
        name = label_name(value)
        if name is None:
            raise InputError(f"the {role} is missing ({shown(value)})", "a class for each event")
        code = self._class_code(name, role)
        if not self.has_news:
            self.known.setdefault(type(value), {})[value] = code
        return code

    def find_many(self, values: Any, role: str) -> Codes:
        """The codes of a chunk of labels."""
        names, places = labels_of(values, role)
        codes: Codes = np.array([self._class_code(name, role) for name in names], dtype=np.int64)
        return codes[places] if len(codes) else np.zeros(0, np.int64)

    def _class_code(self, name: str, role: str) -> int:
        known = [*self.names, *self.pending]
        (spelt,) = aligned([name], known) if known else (name,)
        if self._is_unnamed and spelt != self.positive and self._name in ("", spelt):
            return self._name_negative_class(spelt)
        if spelt in known and not (self._name and spelt == self.names[0]):
            return known.index(spelt)
        if not self.is_open or self.positive is not None:
            raise self._unknown_class_error(spelt, role)
        if len(known) >= MOST_CLASSES:
            raise InputError(f"more than {MOST_CLASSES:,} different labels", "classes, not ids")
        self.pending.append(spelt)
        self.has_news = True
        return len(known)

    def _name_negative_class(self, name: str) -> int:
        """The first label that is not the positive one names the other class; until then it has a likely name."""
        self._name, self.has_news = name, True
        return 0

    def _unknown_class_error(self, name: str, role: str) -> InputError:
        known = [self._name or self.names[0], *self.names[1:], *self.pending] if self.names else []
        found = f"the {role} {shown(name)} is none of the classes {listed(known)}"
        return InputError(found, "one of them, or all classes listed at the start", {"classes": (*known, name)})

    def in_order_met(self, truth: Codes, decision: Codes) -> tuple[Codes, Codes]:
        """Codes of a chunk as if its events had come one by one: new classes are numbered by where they are first met.

        >>> classes = StreamClasses(None, None)
        >>> truth, decision = classes.find_many(["a", "b"], "truth"), classes.find_many(["c", "a"], "prediction")
        >>> [each.tolist() for each in classes.in_order_met(truth, decision)], classes.pending
        ([[0, 2], [1, 0]], ['a', 'c', 'b'])
        """
        known, fresh = len(self.names), len(self.pending)
        places = np.full(known + fresh, 2 * len(truth))
        np.minimum.at(places, truth, 2 * np.arange(len(truth)))
        np.minimum.at(places, decision, 2 * np.arange(len(truth)) + 1)
        met = sorted(range(known, known + fresh), key=places.__getitem__)
        code = np.arange(known + fresh)
        code[met] = known + np.arange(fresh)
        self.pending = [self.pending[old - known] for old in met]
        return code[truth], code[decision]

    def commit(self, most: int | None = None) -> None:
        """Keep the classes that were met for the first time, or as many as `most` in all."""
        if most is not None and self.pending and most < len(self.names) + len(self.pending):
            count = max(most - len(self.names), 0)
            self.names += self.pending[:count]
            del self.pending[:count]
            return
        self.names += self.pending
        if self._is_unnamed and self._name:
            self.names[0], self._is_unnamed = self._name, False
        self._is_completed = False
        self.rollback()

    def rollback(self) -> None:
        """Forget them: what they came with was refused."""
        if self._is_completed:
            self.names, self.is_open, self._is_completed = [], True, False
        self.pending.clear()
        self._name, self.has_news = "", False


DEFAULT_THRESHOLD = 0.5
Event = tuple[int, int, Any, float]
# What is needed where a score comes first.
WHICH = "which class is positive"
ONE_KIND = "the same kind of prediction for every event of a stream"


class Reader(Stateful):
    """What is known of the events of a stream: its classes, what they were predicted by, and the latest time.

    `width` is how many scores an event has: 0 with labels alone, 1 with two classes, one a class with more; None until
    the first event shows it.
    """

    _saved = (Saved("width"), Saved("by_labels"), finite_or_none("latest", absent=-math.inf))

    def __init__(self, classes: StreamClasses, threshold: float | None, *, timed: bool) -> None:
        self.classes, self.timed = classes, timed
        self.threshold = None if threshold is None else checked_threshold(threshold)
        self.width: int | None = None
        self.by_labels: bool | None = None
        self.latest = -math.inf

    def one(self, truth: Any, prediction: Any, score: Any, scores: Any, time: Any) -> Event:
        """An event's codes, score and time."""
        classes = self.classes
        if type(score) is float and self.width == 1 and prediction is None and scores is None and not self.by_labels:
            # The usual case, without a question that was answered before.
            try:
                code = classes.known[type(truth)][truth]
            except (KeyError, TypeError):
                code = classes.find(truth, "true label")
            at = self.threshold
            if at is None and 0.0 <= score <= 1.0:
                at = DEFAULT_THRESHOLD
            elif at is None or score - score:
                at = self._threshold_for_score(score)
            return code, 1 if score >= at else 0, score, self.moment(time) if self.timed or time is not None else 0.0
        at_time = self.moment(time)
        value = self._parse_event_scores(truth, score, scores)
        code = self.code(truth, "true label")  # before the prediction: classes are numbered in the order they are met
        return code, self._predicted_class_code(prediction, value), value, at_time

    def code(self, value: Any, role: str) -> int:
        """The code of one label."""
        try:
            return self.classes.known[type(value)][value]
        except (KeyError, TypeError):
            return self.classes.find(value, role)

    def answer(self, prediction: Any, score: Any, scores: Any) -> tuple[int, Any]:
        """What was decided, as a code, and the score or scores behind it, of an event whose class is not known."""
        value = self._parse_event_scores(None, score, scores)
        return self._predicted_class_code(prediction, value), value

    def _predicted_class_code(self, prediction: Any, value: Any) -> int:
        if value is None and prediction is None:
            raise InputError("neither a prediction nor a score", "one of prediction=, score= and scores=")
        self._refuse_other_prediction_kind(prediction is not None, value)
        if prediction is not None:
            return self.code(prediction, "prediction")
        if isinstance(value, float):
            return int(value >= self._threshold_for_score(value))
        return max(range(len(value)), key=value.__getitem__)

    def _parse_event_scores(self, truth: Any, score: Any, scores: Any) -> float | list[float] | None:
        if score is not None and scores is not None:
            raise OptionError("both score and scores are set", "score= for two classes, scores= for more")
        if score is not None:
            self._resolve_positive_class(None if truth is None else [truth])
            try:
                value = float(score)
            except (TypeError, ValueError, OverflowError):
                raise InputError(f"the score is {shown(score)}", "a finite number") from None
            if isinstance(score, str | bytes) or not math.isfinite(value):
                raise InputError(f"the score is {shown(score)}", "a finite number")
            return value
        if scores is None:
            return None
        row = self._order_score_columns(numbers_of(scores, "scores")[None, :])[0]
        return float(row) if np.ndim(row) == 0 else row.tolist()

    def _resolve_positive_class(self, truth: Any) -> None:
        """A score points to one of two classes, and it must be known which."""
        classes = self.classes
        if classes.is_open and not classes.names and truth is not None and len(truth):
            name = label_name(truth[0])
            if name is not None:
                classes.complete([name])
        if len(classes.names) > 2 or (classes.is_open and classes.positive is None):
            if not classes.names:
                raise OptionError("a score without a known positive class: no label has come yet", WHICH)
            found = f"one score for {len(classes.names)} classes"
            ways = [({"positive": name}, "") for name in classes.names[:2]] if len(classes.names) <= 2 else []
            raise OptionError(found, "scores= with one for each class, or two classes and the positive one", ways=ways)

    def _order_score_columns(self, values: Floats) -> Floats:
        """Scores of each class: as they are for more than two, those of the positive one of two."""
        count = len(self.classes.names)
        if self.classes.is_open:
            raise OptionError("scores= needs the classes", "classes= in the order of the scores")
        if values.ndim != 2 or values.shape[1] != count:
            raise InputError(f"the scores have shape {values.shape[1:]}", f"one score for each of the {count} classes")
        bad = ~np.isfinite(values).all(1)
        if bad.any():
            row = f"row {int(bad.argmax()) + 1:,}: " if len(values) > 1 else ""
            raise InputError(f"{row}a score is nan or infinite", "finite numbers")
        values = values[:, self.classes.said] if self.classes.said else values
        return values[:, 1] if count == 2 else values

    def _refuse_other_prediction_kind(self, has_label: bool, value: Any) -> None:
        """Whether an event was predicted as those before it were."""
        width = 0 if value is None else 1 if np.ndim(value) == 0 else len(value)
        if self.width is not None and (width, has_label) != (self.width, self.by_labels):
            kinds = {0: "labels", 1: "a score"}
            found = f"this event has {_prediction_kind_text(has_label, kinds.get(width, 'scores'))}, those before it "
            raise InputError(
                found + _prediction_kind_text(bool(self.by_labels), kinds.get(self.width, "scores"), " had "), ONE_KIND
            )
        if has_label and self.threshold is not None:
            raise OptionError("threshold cannot be used with predicted labels", "one of them", about="threshold")

    def _threshold_for_score(self, score: float) -> float:
        """The threshold for a score, which without one must be a probability."""
        at = self.threshold
        if not (score - score == 0.0):
            raise InputError(f"the score is {score!r}", "a finite number")
        if at is None:
            if not 0.0 <= score <= 1.0:
                raise self._missing_threshold_error(score)
            return DEFAULT_THRESHOLD
        return at

    def _missing_threshold_error(self, score: float) -> InputError:
        found = f"the score {score:g} is outside [0, 1], so there is no default threshold"
        return InputError(found, "the threshold: the lowest score that is predicted positive", {"threshold": 0.0})

    def moment(self, time: Any) -> float:
        """When an event happened, in seconds; time does not go backwards."""
        if not self.timed:
            if time is not None:
                raise OptionError(
                    "time is not used: no view is by time", "a view such as sliding(seconds=3600), or no time"
                )
            return 0.0
        if time is None:
            raise InputError("time is missing, and a view is by time", "time= for each event, in seconds or as a date")
        if np.ndim(time):
            raise InputError(f"the time is {shown(time)}", "one time for each event, in seconds or as a date")
        moment = time.timestamp() if isinstance(time, datetime) else float(seconds_of([time])[0])
        if not moment >= self.latest or math.isinf(moment):
            raise _decreasing_time_error("the event", moment, self.latest)
        return moment

    def many(self, truth: Any, prediction: Any, score: Any, scores: Any, time: Any) -> Chunk:
        """The codes, scores and times of a chunk; which events repeat the class before them is left for the run."""
        values = self._parse_batch_scores(truth, score, scores)
        truths = self.classes.find_many(truth, "truth")
        if values is None and prediction is None:
            raise InputError("neither a prediction nor a score", "one of prediction=, score= and scores=")
        given = None if prediction is None else self.classes.find_many(prediction, "prediction")
        for what, found in (("predictions", given), ("scores", values)):
            if found is not None and len(found) != len(truths):
                raise InputError(
                    f"true labels and {what} must have the same length ({len(truths):,} and {len(found):,})",
                    "one of each for each event",
                )
        if len(truths):
            self._refuse_other_prediction_kind(given is not None, None if values is None else values[0])
        moments = self._parse_times(time, len(truths))
        decided = self._predicted_class_codes(given, values)
        if self.classes.pending:
            truths, decided = self.classes.in_order_met(truths, decided)
        return Chunk(truths, decided, np.zeros(len(truths), np.int64), values, moments)

    def _parse_batch_scores(self, truth: Any, score: Any, scores: Any) -> Floats | None:
        if score is not None and scores is not None:
            raise OptionError("both score and scores are set", "score= for two classes, scores= for more")
        if scores is not None:
            return self._order_score_columns(numbers_of(scores, "scores"))
        if score is None:
            return None
        values = numbers_of(score, "score")
        if values.ndim != 1:
            raise InputError(
                f"'score' has shape {values.shape}", "one score for each event; scores= takes a row of them"
            )
        if len(values):
            names, _ = labels_of(truth, "truth")
            self._resolve_positive_class(names)
        finite = np.isfinite(values)
        if not finite.all():
            row = int(finite.argmin())
            raise InputError(f"row {row + 1:,}: the score is {values[row]}", "a finite number for each event")
        return values

    def _predicted_class_codes(self, given: Codes | None, values: Floats | None) -> Codes:
        if given is not None:
            return given
        assert values is not None
        if values.ndim == 2:
            return highest_class(values, tuple(self.classes.names)).astype(np.int64)
        if self.threshold is None and len(values) and not (values.min() >= 0 and values.max() <= 1):
            beyond = values[(values < 0) | (values > 1)]
            raise self._missing_threshold_error(float(beyond[0]))
        return (values >= self.cut).astype(np.int64)

    @property
    def cut(self) -> float:
        """The score from which on an event is called positive."""
        return DEFAULT_THRESHOLD if self.threshold is None else self.threshold

    def _parse_times(self, time: Any, count: int) -> Floats | None:
        if not self.timed or time is None:
            if count and (self.timed or time is not None):
                self.moment(time)
            return np.zeros(0) if self.timed else None
        moments = seconds_of(time)
        if moments.shape != (count,):
            raise InputError(f"times of shape {moments.shape} for {count:,} events", "one time for each event")
        before = np.concatenate(([self.latest], moments[:-1]))
        wrong = ~(moments >= before) | np.isinf(moments)
        if wrong.any():
            row = int(wrong.argmax())
            raise _decreasing_time_error(f"row {row + 1:,}", float(moments[row]), float(before[row]))
        return moments

    def accept(self, width: int, has_label: bool) -> None:
        """Remember how the first events were predicted."""
        if self.width is None:
            self.width, self.by_labels = width, has_label


def seconds_of(times: Any) -> Floats:
    """Times as seconds: numbers as they are, dates since 1970.

    >>> seconds_of(np.array(["1970-01-01T00:01"], dtype="datetime64[s]")), seconds_of([1.5])
    (array([60.]), array([1.5]))
    """
    if isinstance(times, Sequence) and times and isinstance(times[0], datetime):
        return np.array([moment.timestamp() for moment in times])
    array = np.asarray(times)
    if array.dtype.kind == "M":
        return array.astype("datetime64[ns]").astype(np.int64) / 1e9
    return numbers_of(times, "time")


def _decreasing_time_error(what: str, moment: float, latest: float) -> InputError:
    return InputError(
        f"{what} has the time {moment:.15g}, before the previous {latest:.15g}", "times in increasing order"
    )


def _prediction_kind_text(has_label: bool, scored: str, verb: str = "") -> str:
    kinds = ["labels"] if scored == "labels" else [*(["labels"] if has_label else []), scored]
    return verb.lstrip() + " and ".join(kinds)
