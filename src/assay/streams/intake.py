"""Rows of a stream as its events: taken in order, each wholly or not at all, with the place up to which they were.

Lines as rows: values by the part that their columns play, and what is wrong with those that are none.

Bytes as whole lines, in whatever pieces they come, and the place after each.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.results import counted
from assay.sources import Layout, RowRoles, heading, known_pair, label_name, roles_of_rows, rows_format, shown
from assay.state import Saved, Stateful
from assay.streams.events import WHICH

if TYPE_CHECKING:
    from assay.streams.watch import StreamWatch

__all__ = ["LONGEST", "Intake", "LineCutter", "LinePiece", "Place", "RowReader", "RowValues", "seconds_in"]


LONGEST = 1_000_000  # bytes of a line; of a longer one only that it is longer is kept


@dataclass(frozen=True)
class Place:
    """Up to where something was read: after so many whole lines and bytes of a file, and which file that is.

    A file is known again by hashes of its first line and of the last bytes before the place, and by its number on the
    disk where it was renamed. `file` counts those that took its place since.
    """

    line: int = 0
    offset: int = 0
    file: int = 0
    inode: int = 0
    head: str = ""
    tail: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, from which it can be made again."""
        return asdict(self)


@dataclass(frozen=True)
class LinePiece:
    """Whole lines that came together, without their ends: the first has the number `first` and begins at `start`.

    >>> piece = LinePiece([b"y,p", b"1,0.5"], 1, 0, 10)
    >>> [piece.offset(count) for count in range(3)]
    [0, 4, 10]
    """

    lines: list[bytes]
    first: int
    start: int
    end: int
    file: int = 0

    def offset(self, count: int) -> int:
        """Where the line after so many of them begins."""
        return self.end if count == len(self.lines) else self.start + sum(map(len, self.lines[:count])) + count


class LineCutter:
    """Bytes, in whatever pieces they come, as whole lines: what is cut in half waits for its rest.

    >>> cutter = LineCutter()
    >>> [piece.lines for part in (b"a\\nb", b"", b"c\\n\\nd") for piece in cutter.feed(part)], cutter.rest
    ([[b'a'], [b'bc'], [b'']], b'd')
    """

    def __init__(self, place: Place | None = None) -> None:
        place = place or Place()
        self.file, self.line, self.offset = place.file, place.line, place.offset
        self._held = bytearray()
        self._lost = 0  # bytes of a line that is too long, beyond those that are kept

    @property
    def rest(self) -> bytes:
        """What waits for its line end."""
        return bytes(self._held)

    def feed(self, data: bytes) -> Iterator[LinePiece]:
        """The lines that end in these bytes."""
        cut = data.rfind(b"\n")
        if cut < 0:
            self._buffer_incomplete_line(data)
            return
        first, *others = data[:cut].split(b"\n")
        self._buffer_incomplete_line(first)
        yield from self.last(ended=True)
        if others and len(max(others, key=len)) > LONGEST:
            for line in others:
                yield self._next_piece([line[: LONGEST + 1]], len(line) + 1)
        elif others:
            yield self._next_piece(others, cut - len(first))
        self._buffer_incomplete_line(data[cut + 1 :])

    def last(self, *, ended: bool = False) -> Iterator[LinePiece]:
        """What is held, as a line: it has `ended`, or there is something and no rest can come."""
        if self._held or ended:
            line, size = self.rest, len(self._held) + self._lost + ended
            self._held.clear()
            self._lost = 0
            yield self._next_piece([line], size)

    def _buffer_incomplete_line(self, data: bytes) -> None:
        room = LONGEST + 1 - len(self._held)
        self._held += data[:room]
        self._lost += max(len(data) - room, 0)

    def _next_piece(self, lines: list[bytes], size: int) -> LinePiece:
        made = LinePiece(lines, self.line + 1, self.offset, self.offset + size, self.file)
        self.line, self.offset = self.line + len(lines), self.offset + size
        return made


LOOKED = 100  # so many rows are looked at where names do not tell the columns
MOST_HELD = 100_000  # lines above the first row
NO_ROWS = "a header line and data lines, or one JSON object on each line"
MARK = b"\xef\xbb\xbf"
ONE_ROW = 'one row on each line, paired quotes, and "" for a quote inside a value'
Values = list[Any]


@dataclass(frozen=True)
class RowValues:
    """The rows in a piece of lines: for each part a column of values, and which line of the piece each row is.

    `faults` are lines that are no row, by their place in the piece, and why.
    """

    columns: Mapping[str, Values]
    places: Sequence[int]
    faults: Mapping[int, InputError] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.places)


class RowReader(Stateful):
    """What turns lines into rows, once it knows their format and columns: from names, and where these do not tell
    from the first rows, which are held until then. Whatever way lines come together, the answer is the same."""

    _saved = (
        Saved("form", "_form"),
        Saved("roles", read=lambda state: _roles_from_state(state)),
        Saved("layout", "_layout", read=lambda state: _layout_from_state(state)),
        Saved("file", "_file"),
    )

    def __init__(
        self, name: str, request: Request, *, time: str | None = None, timed: bool = False, skip_bad: bool = False
    ) -> None:
        self.name, self._request, self._time, self._timed, self._skips = name, request, time, timed, skip_bad
        self.roles: RowRoles | None = None
        self._form: str | None = None
        self._layout: Layout | None = None
        self._body = 0  # the number of the first line below the names
        self._file = -1
        self._held: list[LinePiece] = []

    def read(self, piece: LinePiece | None) -> Iterator[tuple[LinePiece, RowValues]]:
        """The rows of a piece, and of those held before it; None is the end, where what is held has to do."""
        if piece is not None:
            if piece.file != self._file:
                self._file, self._layout, self._body = piece.file, None, 1
            self._held.append(piece)
        if self._held and self._has_roles(is_end=piece is None):
            held, self._held = self._held, []
            for each in held:
                yield each, self._parse_rows(each)
        elif sum(len(each.lines) for each in self._held) > MOST_HELD:
            raise InputError(f"the first {MOST_HELD:,} lines of {shown(self.name)} have no rows", NO_ROWS)

    def _has_roles(self, *, is_end: bool) -> bool:
        lines = [_strip_line(line, each.first + k == 1) for each in self._held for k, line in enumerate(each.lines)]
        if self._form is None:
            first = next((line for line in lines if line.strip()), None)
            if first is None:
                return False
            self._form = rows_format(self.name, first)
        if self._form != "jsonl" and self._layout is None and not self._find_header_line(lines):
            return False
        if self.roles is None:
            below = self._body - self._held[0].first
            self.roles = self._infer_roles(lines[below:], is_end=is_end)
        elif self._layout is not None:
            self._refuse_missing_columns(self._layout)
        return self.roles is not None

    def _find_header_line(self, lines: Sequence[bytes]) -> bool:
        """Look for the line of column names, which may stand below comments."""
        for count, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(b"#") and not line.lower().lstrip(b'"').startswith(b"sep="):
                self._decode_line(line, count)
                self._layout = heading(b"\n".join(lines[:count]) + b"\n", self.name, self._form or "csv")
                self._body = self._held[0].first + self._layout.skipped + 1
                return True
        return False

    def _refuse_missing_columns(self, found: Layout) -> None:
        assert self.roles is not None
        gone = [column for column in self.roles.columns.values() if column not in found.names]
        if gone:
            held = f"the new {shown(self.name)} has no column {shown(gone[0])} in line 1"
            raise InputError(held, "the column names of the previous file")

    def _infer_roles(self, lines: Sequence[bytes], *, is_end: bool) -> RowRoles | None:
        """The part that each column plays; None where names do not tell and there are too few rows to look at."""
        request = self._request
        rows: list[Any] = []
        names: dict[str, None] = {}
        if self._form == "jsonl":  # what was named may come in later rows
            names = dict.fromkeys(filter(None, (request.truth, *request.score, *request.pred, request.id, self._time)))
        tried = -1
        for number, line in enumerate(lines, self._body):
            row = self._parse_line(line, number)
            if isinstance(row, InputError) and not self._skips:
                raise row
            if row is None or isinstance(row, InputError):
                continue
            rows.append(row)
            names |= dict.fromkeys(self._layout.names if self._layout else row)
            if len(names) > tried:
                tried = len(names)
                try:
                    return self._roles_from_rows(tuple(names), None)
                except InputError:
                    if self._layout and request.truth and (request.score or request.pred):
                        raise  # no row could tell more
            if len(rows) == LOOKED:
                break
        if not rows or (len(rows) < LOOKED and not is_end):
            return None
        held = rows if self._layout else [[row.get(name) for name in names] for row in rows]
        return self._roles_from_rows(tuple(names), held)

    def _roles_from_rows(self, names: tuple[str, ...], rows: Sequence[Sequence[Any]] | None) -> RowRoles:
        return roles_of_rows(names, self._request, rows, time=self._time, timed=self._timed)

    def _parse_rows(self, piece: LinePiece) -> RowValues:
        assert self.roles is not None
        above = min(max(self._body - piece.first, 0), len(piece.lines))
        cells = None if self._layout is None else self._split_unquoted_lines(piece.lines[above:])
        if cells is not None:
            columns = list(zip(*cells, strict=True))
            return RowValues(
                {role: list(columns[at]) if columns else [] for role, at in self._at().items()},
                range(above, len(piece.lines)),
            )
        found: list[Any] = []
        places, faults = [], {}
        for k, line in enumerate(piece.lines[above:], above):
            row = self._parse_line(_strip_line(line, piece.first + k == 1), piece.first + k)
            if isinstance(row, InputError):
                faults[k] = row
            elif row is not None:
                found.append(row)
                places.append(k)
        if self._layout is not None:
            return RowValues({role: [row[at] for row in found] for role, at in self._at().items()}, places, faults)
        wanted = self.roles.columns.items()
        return RowValues({role: [row.get(column) for row in found] for role, column in wanted}, places, faults)

    def _at(self) -> dict[str, int]:
        """Where the column of each part stands."""
        assert self.roles is not None
        assert self._layout is not None
        return {role: self._layout.names.index(column) for role, column in self.roles.columns.items()}

    def _split_unquoted_lines(self, lines: Sequence[bytes]) -> list[list[str]] | None:
        """The cells of lines that have neither quotes nor anything else to question; None where one has."""
        assert self._layout is not None
        data = b"\n".join(lines)
        if b'"' in data or b"\0" in data or (lines and len(max(lines, key=len)) > LONGEST):
            return None
        if b"\r" in data:
            data = (data + b"\n").replace(b"\r\n", b"\n")[:-1]
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        count, delimiter = len(self._layout.names), self._layout.delimiter
        cells = [line.split(delimiter) for line in text.split("\n")] if lines else []
        is_even = "\r" not in text and all(len(row) == count for row in cells)
        return cells if is_even and (count > 1 or "" not in text.split("\n")) else None

    def _parse_line(self, line: bytes, number: int) -> Any:
        """One line as a list of cells or a JSON object; None where it is blank, and an error where it is neither."""
        try:
            text = self._decode_line(line, number)
            if not text.strip():
                return None
            return (
                self._parse_json_line(text, number)
                if self._form == "jsonl"
                else self._parse_delimited_line(text, number)
            )
        except InputError as error:
            return error

    def _decode_line(self, line: bytes, number: int) -> str:
        if len(line) > LONGEST:
            raise self._line_error(number, "is longer than 1 MB", "one row on each line (is a line end missing?)")
        if b"\0" in line:
            raise self._line_error(number, "holds a NUL byte", "text")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._line_error(number, f"(byte 0x{line[error.start]:02x}) is not UTF-8", "text in UTF-8") from None

    def _parse_delimited_line(self, text: str, number: int) -> list[str]:
        assert self._layout is not None
        count, delimiter = len(self._layout.names), self._layout.delimiter
        try:
            cells = next(csv.reader([text], delimiter=delimiter, strict=True)) if '"' in text else text.split(delimiter)
        except csv.Error:
            raise self._line_error(number, "has unpaired quotes, or text next to a closing quote", ONE_ROW) from None
        if "\r" in text:
            raise self._line_error(number, "has a carriage return", "lines that end in a line feed")
        if len(cells) == count + 1 and cells[-1] == "":
            cells.pop()  # a delimiter at the end of a line is read as if it were not there
        if len(cells) != count:
            held = f"has {counted(len(cells), 'value')} for {counted(count, 'column')}"
            raise self._line_error(number, held, "one value for each column")
        return cells

    def _parse_json_line(self, text: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(text, object_pairs_hook=_refuse_duplicate_keys)
        except RecursionError:
            raise self._line_error(number, "is nested too deeply", "one JSON object of single values") from None
        except InputError as error:
            raise self._line_error(number, error.found, error.needed) from None
        except ValueError:
            raise self._line_error(number, "is not valid JSON", "one JSON object on each line") from None
        if not isinstance(found, dict):
            raise self._line_error(number, "is not a JSON object", "one JSON object on each line")
        return found

    def _line_error(self, number: int, found: str, needed: str) -> InputError:
        return InputError(f"line {number:,} of {shown(self.name)} {found}", needed)


def _roles_from_state(state: Mapping[str, Any]) -> RowRoles:
    per_class = tuple((name, column) for name, column in state["per_class"])
    return RowRoles(**{**state, "per_class": per_class, "unused": tuple(state["unused"])})


def _layout_from_state(state: Mapping[str, Any] | None) -> Layout | None:
    return None if state is None else Layout(tuple(state["names"]), state["delimiter"])


def _strip_line(line: bytes, is_first: bool) -> bytes:
    """A line without the mark that may stand at the beginning of a file, and without what Windows ends it with."""
    return (line.removeprefix(MARK) if is_first else line).removesuffix(b"\r")


def _refuse_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise InputError(f"has {shown(again)} twice", "one value for each name")
    return found


def seconds_in(value: Any) -> float:
    """A time in seconds: a number as it is, a date in ISO 8601 since 1970, in UTC unless it says otherwise.

    >>> seconds_in("60"), seconds_in("1970-01-01T00:01:00Z"), seconds_in("1970-01-01 01:00+00:30")
    (60.0, 60.0, 1800.0)
    """
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        try:
            moment = datetime.fromisoformat(value.strip())
        except (AttributeError, TypeError, ValueError):
            found = math.nan
        else:
            found = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if not math.isfinite(found) or label_name(value) is None or isinstance(value, bool):
        raise InputError(f"the time is {shown(value)}", "seconds, or a date such as 2026-01-31T12:00:00Z")
    return found


NO_ID = "the true label, or an id under which it comes later"
MOST_MOMENTS = 256  # a watch hands out no more than the last of them: so many events at most are taken at once


class EventRow(NamedTuple):
    """One row: its true class, what was predicted of it, its id and when it happened, each if it is there."""

    truth: Any
    prediction: Any
    score: float | None
    scores: list[float] | None
    id: str | None
    time: float | None


class Intake(Stateful):
    """What takes lines to a watch, which it has made as soon as the columns are known.

    A row with an id and no truth is a prediction, and a later row with the same id and a truth labels it. What is no
    row, or none that the stream can use, ends the intake with a sentence; with `skip_bad` it is counted instead. A
    watch keeps a moment after `every` so many events: `heard` is called before it has more than it holds.
    """

    # Up to where lines were taken and what they are; not the watch.
    _saved = (Saved("place", read=lambda state: Place(**state)), *map(Saved, ("reader", "bad", "first_bad")))

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
            self._process_rows(each, rows, self.watch)
            self.place = self._place(each, len(each.lines))

    def _process_rows(self, piece: LinePiece, rows: RowValues, watch: StreamWatch) -> None:
        taken = 0
        if not rows.faults and not watch.run.waiting:
            chunk = _complete_rows_as_columns(rows)
            while chunk is not None and taken < len(rows):
                stop = taken + self._at_once
                try:
                    watch.update_many(**{name: values[taken:stop] for name, values in chunk.items()})
                except InputError:
                    break  # whose fault it is shows one by one
                self._heard(watch)
                taken = stop
        try:
            self._process_rows_singly(piece, rows, watch, taken)
        finally:
            self._heard(watch)  # also what came before a fault

    def _process_rows_singly(self, piece: LinePiece, rows: RowValues, watch: StreamWatch, taken: int) -> None:
        """Take rows one by one, from one of them on."""
        row = islice(_iterate_rows(rows), taken, None)
        for count, k in enumerate(sorted([*rows.places[taken:], *rows.faults]), 1):
            if count % MOST_MOMENTS == 0:
                self._heard(watch)
            try:
                if k in rows.faults:
                    raise rows.faults[k]
                self._process_row(next(row), watch)
            except OptionError as error:
                self.place = self._place(piece, k)
                raise _suggest_positive_class(error, rows) from None
            except InputError as error:
                self._count_bad_row(error if k in rows.faults else self._at(error, piece.first + k), piece, k)

    def _count_bad_row(self, error: InputError, piece: LinePiece, k: int) -> None:
        if not self._skips:
            self.place = self._place(piece, k)
            raise error from None
        self.bad += 1
        self.first_bad = self.first_bad or error.for_command_line()

    def _at(self, error: InputError, number: int) -> InputError:
        return InputError(f"line {number:,} of {shown(self.reader.name)}: {error.found}", error.needed, ways=error.ways)

    def _process_row(self, row: EventRow | InputError, watch: StreamWatch) -> None:
        if isinstance(row, InputError):
            raise row
        said = {"score": row.score, "scores": row.scores}
        has_answer = row.prediction is not None or row.score is not None or row.scores is not None
        if row.truth is None:
            if row.id is None:
                raise InputError("the true label is missing", NO_ID, {"id": "COLUMN"} if self._has_no_ids else None)
            watch.predicted(row.id, row.prediction, **said)
            return
        awaited = None if row.id is None else watch.run.awaited(row.id)
        if row.id is not None and (awaited is not None or not has_answer):
            if awaited is not None and has_answer:
                _refuse_changed_prediction(row, awaited)
            watch.labelled(row.id, row.truth, time=row.time)
            return
        watch.update(row.truth, row.prediction, **said, time=row.time)

    @property
    def _has_no_ids(self) -> bool:
        return self.reader.roles is not None and self.reader.roles.id is None


def _suggest_positive_class(error: OptionError, rows: RowValues) -> OptionError:
    """Where a score came before any label, the positive class may be one of those that the next rows have."""
    if error.needed != WHICH:
        return error
    names = [label_name(value) for value in rows.columns.get("truth", ()) if not isinstance(value, list | dict)]
    labels = list(dict.fromkeys(name for name in names if name is not None))[:2] or ["CLASS"]
    known = known_pair(labels)
    ways = [({"positive": name}, "") for name in (known[1:] if known is not None else labels)]
    return OptionError(error.found, error.needed, ways=ways)


def _complete_rows_as_columns(rows: RowValues) -> dict[str, Any] | None:
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
            numbers = _parse_numbers(values, role)
            if numbers is None:
                return None
            found[role] = numbers
    many = [found.pop(f"class {place}") for place in range(len(found)) if f"class {place}" in found]
    return {**found, "scores": [list(row) for row in zip(*many, strict=True)]} if many else found


def _parse_numbers(values: list[Any], role: str) -> list[float] | None:
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


def _iterate_rows(rows: RowValues) -> Iterator[EventRow | InputError]:
    columns, count = rows.columns, len(rows)
    nothing = [None] * count
    many = [values for role, values in columns.items() if role.startswith("class ")]
    roles = ("truth", "pred", "score", "id", "time")
    for truth, pred, score, name, time, *scores in zip(
        *(columns.get(role, nothing) for role in roles), *many, strict=True
    ):
        try:
            yield EventRow(
                _parse_label(truth, "true label"),
                _parse_label(pred, "prediction"),
                _parse_score(score),
                _parse_scores(scores) if many else None,
                None if name is None or not str(name).strip() else str(name).strip(),
                None if time is None else seconds_in(time),
            )
        except InputError as error:
            yield error


def _parse_label(value: Any, role: str) -> Any:
    """A label, or None where it is missing."""
    if isinstance(value, list | dict):
        raise InputError(f"the {role} is {shown(value)}", "a single value")
    return None if label_name(value) is None else value


def _parse_scores(values: list[Any]) -> list[float] | None:
    """The scores of all classes, or None where they are all missing."""
    numbers = [_parse_score(value) for value in values]
    found = [number for number in numbers if number is not None]
    if found and len(found) < len(numbers):
        raise InputError("the score of a class is missing", "a score for each class, or no scores")
    return found or None


def _parse_score(value: Any) -> float | None:
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
    raise InputError(f"the score is {shown(value)}", "a finite number with a decimal point")


def _refuse_changed_prediction(row: EventRow, awaited: tuple[str, Any]) -> None:
    """Refuse a label that comes with another prediction than the one it was waited for with."""
    decided, value = awaited
    score = row.score if row.scores is None else row.scores
    is_other = score is not None and value is not None and score != value
    is_other |= row.prediction is not None and label_name(row.prediction) != decided
    if is_other:
        raise InputError(f"the id {shown(row.id)} has a different earlier prediction", "the same prediction, or none")
