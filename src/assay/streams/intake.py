"""Rows of a stream as its events: taken in order, each wholly or not at all, with the place up to which they were."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, OptionError
from assay.sources import RowRoles, known_pair, label_name, shown
from assay.streams._lines import LinePiece, Place
from assay.streams._reading import WHICH
from assay.streams._rows import RowReader, RowValues, seconds_in

if TYPE_CHECKING:
    from assay.streams.watch import StreamWatch

__all__ = ["Intake"]

NO_ID = "its truth, or an id by which it can come later"
MOST_MOMENTS = 256  # a watch hands out no more than the last of them: so many events at most are taken at once


class EventRow(NamedTuple):
    """One row: its true class, what was predicted of it, its id and when it happened, each if it is there."""

    truth: Any
    prediction: Any
    score: float | None
    scores: list[float] | None
    id: str | None
    time: float | None


class Intake:
    """What takes lines to a watch, which it has made as soon as the columns are known.

    A row with an id and no truth is a prediction, and a later row with the same id and a truth labels it. What is no
    row, or none that the stream can use, ends the intake with a sentence; with `skip_bad` it is counted instead. A
    watch keeps a moment after `every` so many events: `heard` is called before it has more than it holds.
    """

    def __init__(
        self,
        reader: RowReader,
        made: Callable[[RowRoles], StreamWatch],
        place: Callable[[LinePiece, int], Place],
        heard: Callable[[StreamWatch], object],
        *,
        every: int = 100,
        skip_bad: bool = False,
    ) -> None:
        self._at_once = MOST_MOMENTS * every
        self.reader, self._made, self._place, self._heard, self._skips = reader, made, place, heard, skip_bad
        self.watch: StreamWatch | None = None
        self.place: Place | None = None
        self.bad = 0
        self.first_bad = ""

    def take(self, piece: LinePiece | None) -> None:
        """Take a piece of lines; None is the end of all."""
        for each, rows in self.reader.read(piece):
            if self.watch is None:
                assert self.reader.roles is not None
                self.watch = self._made(self.reader.roles)
            self._take(each, rows, self.watch)
            self.place = self._place(each, len(each.lines))

    def _take(self, piece: LinePiece, rows: RowValues, watch: StreamWatch) -> None:
        taken = 0
        if not rows.faults and not watch.run.waiting:
            chunk = _chunk(rows)
            while chunk is not None and taken < len(rows):
                stop = taken + self._at_once
                try:
                    watch.update_many(**{name: values[taken:stop] for name, values in chunk.items()})
                except InputError:
                    break  # whose fault it is shows one by one
                self._heard(watch)
                taken = stop
        try:
            self._take_each(piece, rows, watch, taken)
        finally:
            self._heard(watch)  # also what came before a fault

    def _take_each(self, piece: LinePiece, rows: RowValues, watch: StreamWatch, taken: int) -> None:
        """Take rows one by one, from one of them on."""
        row = islice(_one_by_one(rows), taken, None)
        for count, k in enumerate(sorted([*rows.places[taken:], *rows.faults]), 1):
            if count % MOST_MOMENTS == 0:
                self._heard(watch)
            try:
                if k in rows.faults:
                    raise rows.faults[k]
                self._take_one(next(row), watch)
            except OptionError as error:
                self.place = self._place(piece, k)
                raise _with_labels(error, rows) from None
            except InputError as error:
                self._count(error if k in rows.faults else self._at(error, piece.first + k), piece, k)

    def _count(self, error: InputError, piece: LinePiece, k: int) -> None:
        if not self._skips:
            self.place = self._place(piece, k)
            raise error from None
        self.bad += 1
        self.first_bad = self.first_bad or error.for_command_line()

    def _at(self, error: InputError, number: int) -> InputError:
        return InputError(f"line {number:,} of {shown(self.reader.name)}: {error.found}", error.needed, ways=error.ways)

    def _take_one(self, row: EventRow | InputError, watch: StreamWatch) -> None:
        if isinstance(row, InputError):
            raise row
        said = {"score": row.score, "scores": row.scores}
        has_answer = row.prediction is not None or row.score is not None or row.scores is not None
        if row.truth is None:
            if row.id is None:
                raise InputError("there is no truth", NO_ID, {"id": "COLUMN"} if self._has_no_ids else None)
            watch.predicted(row.id, row.prediction, **said)
            return
        awaited = None if row.id is None else watch.run.awaited(row.id)
        if row.id is not None and (awaited is not None or not has_answer):
            if awaited is not None and has_answer:
                _refuse_other_answer(row, awaited)
            watch.labelled(row.id, row.truth, time=row.time)
            return
        watch.update(row.truth, row.prediction, **said, time=row.time)

    @property
    def _has_no_ids(self) -> bool:
        return self.reader.roles is not None and self.reader.roles.id is None

    def state(self) -> dict[str, Any]:
        """Up to where lines were taken and what they are, as plain values; not the watch."""
        assert self.place is not None
        known = {"bad": self.bad, "first_bad": self.first_bad}
        return {"place": self.place.to_dict(), "reader": self.reader.state(), **known}

    def restore(self, state: Mapping[str, Any], watch: StreamWatch) -> None:
        """Go on where another one was."""
        self.watch, self.place = watch, Place(**state["place"])
        self.reader.restore(state["reader"])
        self.bad, self.first_bad = int(state["bad"]), str(state["first_bad"])


def _with_labels(error: OptionError, rows: RowValues) -> OptionError:
    """Where a score came before any label, the positive class may be one of those that the next rows have."""
    if error.needed != WHICH:
        return error
    names = [label_name(value) for value in rows.columns.get("truth", ()) if not isinstance(value, list | dict)]
    labels = list(dict.fromkeys(name for name in names if name is not None))[:2] or ["CLASS"]
    known = known_pair(labels)
    ways = [({"positive": name}, "") for name in (known[1:] if known is not None else labels)]
    return OptionError(error.found, error.needed, ways=ways)


def _chunk(rows: RowValues) -> dict[str, Any] | None:
    """Rows as columns, where every one has its truth and its prediction; None where they need a look each."""
    found: dict[str, Any] = {}
    for role, values in rows.columns.items():
        if role == "id":
            continue
        if role in ("truth", "pred"):
            kinds = {*map(type, values)} - {str, int, bool, float}
            if kinds or any(label_name(value) is None for value in {*values}):
                return None
            found["truth" if role == "truth" else "prediction"] = values
        else:
            numbers = _numbers(values, role)
            if numbers is None:
                return None
            found[role] = numbers
    many = [found.pop(f"class {place}") for place in range(len(found)) if f"class {place}" in found]
    return {**found, "scores": [list(row) for row in zip(*many, strict=True)]} if many else found


def _numbers(values: list[Any], role: str) -> list[float] | None:
    """Values as numbers; None where one of them is none."""
    if role == "time":
        try:
            return [seconds_in(value) for value in values]
        except InputError:
            return None
    texts = [value for value in values if type(value) is str]
    if {*map(type, values)} - {str, int, float} or "_" in "".join(texts):
        return None
    try:
        numbers = list(map(float, values))
    except (ValueError, OverflowError):
        return None
    return None if math.isnan(math.fsum(numbers) if all(map(math.isfinite, numbers)) else math.nan) else numbers


def _one_by_one(rows: RowValues) -> Iterator[EventRow | InputError]:
    columns, count = rows.columns, len(rows)
    nothing = [None] * count
    many = [values for role, values in columns.items() if role.startswith("class ")]
    roles = ("truth", "pred", "score", "id", "time")
    for truth, pred, score, name, time, *scores in zip(
        *(columns.get(role, nothing) for role in roles), *many, strict=True
    ):
        try:
            yield EventRow(
                _label(truth, "truth"),
                _label(pred, "prediction"),
                _number(score),
                _scores(scores) if many else None,
                None if name is None or not str(name).strip() else str(name).strip(),
                None if time is None else seconds_in(time),
            )
        except InputError as error:
            yield error


def _label(value: Any, role: str) -> Any:
    """A label, or None where it is missing."""
    if isinstance(value, list | dict):
        raise InputError(f"the {role} is {shown(value)}", "one plain value")
    return None if label_name(value) is None else value


def _scores(values: list[Any]) -> list[float] | None:
    """The scores of all classes, or None where they are all missing."""
    numbers = [_number(value) for value in values]
    found = [number for number in numbers if number is not None]
    if found and len(found) < len(numbers):
        raise InputError("the score of a class is missing", "one for each class, or none at all")
    return found or None


def _number(value: Any) -> float | None:
    """A score, or None where it is missing."""
    if value is None or (not isinstance(value, list | dict) and label_name(value) is None):
        return None
    try:
        if isinstance(value, str | int | float) and not isinstance(value, bool) and "_" not in str(value):
            number = float(value)
            if math.isfinite(number):
                return number
    except (ValueError, OverflowError):
        pass
    raise InputError(f"the score is {shown(value)}", "a finite number, with a point before its decimals")


def _refuse_other_answer(row: EventRow, awaited: tuple[str, Any]) -> None:
    """Refuse a label that comes with another prediction than the one it was waited for with."""
    decided, value = awaited
    score = row.score if row.scores is None else row.scores
    is_other = score is not None and value is not None and score != value
    is_other |= row.prediction is not None and label_name(row.prediction) != decided
    if is_other:
        raise InputError(f"the id {shown(row.id)} was predicted otherwise before", "the same prediction, or none")
