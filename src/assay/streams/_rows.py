"""Lines as rows: values by the part that their columns play, and what is wrong with those that are none."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from assay.errors import InputError
from assay.request import Request
from assay.results import counted
from assay.sources import Layout, RowRoles, heading, label_name, roles_of_rows, rows_format, shown
from assay.streams._lines import LONGEST, LinePiece

__all__ = ["RowReader", "RowValues", "seconds_in"]

LOOKED = 100  # so many rows are looked at where names do not tell the columns
MOST_HELD = 100_000  # lines above the first row
NO_ROWS = "a line of column names and rows below it, or one JSON object on each line"
MARK = b"\xef\xbb\xbf"
ONE_ROW = 'one row on each line, quotes in pairs, and "" for a quote inside a value'
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


class RowReader:
    """What turns lines into rows, once it knows their format and columns: from names, and where these do not tell
    from the first rows, which are held until then. Whatever way lines come together, the answer is the same."""

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
        if self._held and self._is_ready(is_end=piece is None):
            held, self._held = self._held, []
            for each in held:
                yield each, self._rows(each)
        elif sum(len(each.lines) for each in self._held) > MOST_HELD:
            raise InputError(f"the first {MOST_HELD:,} lines of {shown(self.name)} hold no rows", NO_ROWS)

    def _is_ready(self, *, is_end: bool) -> bool:
        lines = [_plain(line, each.first + k == 1) for each in self._held for k, line in enumerate(each.lines)]
        if self._form is None:
            first = next((line for line in lines if line.strip()), None)
            if first is None:
                return False
            self._form = rows_format(self.name, first)
        if self._form != "jsonl" and self._layout is None and not self._find_names(lines):
            return False
        if self.roles is None:
            below = self._body - self._held[0].first
            self.roles = self._settled(lines[below:], is_end=is_end)
        elif self._layout is not None:
            self._refuse_other_names(self._layout)
        return self.roles is not None

    def _find_names(self, lines: Sequence[bytes]) -> bool:
        """Look for the line of column names, which may stand below comments."""
        for count, line in enumerate(lines, 1):
            if line.strip() and not line.startswith(b"#") and not line.lower().lstrip(b'"').startswith(b"sep="):
                self._text(line, count)
                self._layout = heading(b"\n".join(lines[:count]) + b"\n", self.name, self._form or "csv")
                self._body = self._held[0].first + self._layout.skipped + 1
                return True
        return False

    def _refuse_other_names(self, found: Layout) -> None:
        assert self.roles is not None
        gone = [column for column in self.roles.columns.values() if column not in found.names]
        if gone:
            held = f"line 1 of the new {shown(self.name)} holds no column {shown(gone[0])}"
            raise InputError(held, "the column names that the file before it had")

    def _settled(self, lines: Sequence[bytes], *, is_end: bool) -> RowRoles | None:
        """The part that each column plays; None where names do not tell and there are too few rows to look at."""
        request = self._request
        rows: list[Any] = []
        names: dict[str, None] = {}
        if self._form == "jsonl":  # what was named may come in later rows
            names = dict.fromkeys(filter(None, (request.truth, *request.score, *request.pred, request.id, self._time)))
        tried = -1
        for number, line in enumerate(lines, self._body):
            row = self._read_line(line, number)
            if isinstance(row, InputError) and not self._skips:
                raise row
            if row is None or isinstance(row, InputError):
                continue
            rows.append(row)
            names |= dict.fromkeys(self._layout.names if self._layout else row)
            if len(names) > tried:
                tried = len(names)
                try:
                    return self._roles(tuple(names), None)
                except InputError:
                    if self._layout and request.truth and (request.score or request.pred):
                        raise  # no row could tell more
            if len(rows) == LOOKED:
                break
        if not rows or (len(rows) < LOOKED and not is_end):
            return None
        held = rows if self._layout else [[row.get(name) for name in names] for row in rows]
        return self._roles(tuple(names), held)

    def _roles(self, names: tuple[str, ...], rows: Sequence[Sequence[Any]] | None) -> RowRoles:
        return roles_of_rows(names, self._request, rows, time=self._time, timed=self._timed)

    def _rows(self, piece: LinePiece) -> RowValues:
        assert self.roles is not None
        above = min(max(self._body - piece.first, 0), len(piece.lines))
        cells = None if self._layout is None else self._plain_cells(piece.lines[above:])
        if cells is not None:
            columns = list(zip(*cells, strict=True))
            return RowValues(
                {role: list(columns[at]) if columns else [] for role, at in self._at().items()},
                range(above, len(piece.lines)),
            )
        found: list[Any] = []
        places, faults = [], {}
        for k, line in enumerate(piece.lines[above:], above):
            row = self._read_line(_plain(line, piece.first + k == 1), piece.first + k)
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

    def _plain_cells(self, lines: Sequence[bytes]) -> list[list[str]] | None:
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

    def _read_line(self, line: bytes, number: int) -> Any:
        """One line as a list of cells or a JSON object; None where it is blank, and an error where it is neither."""
        try:
            text = self._text(line, number)
            if not text.strip():
                return None
            return self._object(text, number) if self._form == "jsonl" else self._cells(text, number)
        except InputError as error:
            return error

    def _text(self, line: bytes, number: int) -> str:
        if len(line) > LONGEST:
            raise self._fault(number, "is longer than 1 MB", "one row on each line (is a line end missing?)")
        if b"\0" in line:
            raise self._fault(number, "holds a NUL byte", "text")
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._fault(number, f"(byte 0x{line[error.start]:02x}) is not UTF-8", "text in UTF-8") from None

    def _cells(self, text: str, number: int) -> list[str]:
        assert self._layout is not None
        count, delimiter = len(self._layout.names), self._layout.delimiter
        try:
            cells = next(csv.reader([text], delimiter=delimiter, strict=True)) if '"' in text else text.split(delimiter)
        except csv.Error:
            raise self._fault(number, "has quotes that do not close, or text beside them", ONE_ROW) from None
        if "\r" in text:
            raise self._fault(number, "holds a carriage return", "lines that end in a line feed")
        if len(cells) == count + 1 and cells[-1] == "":
            cells.pop()  # a delimiter at the end of a line is read as if it were not there
        if len(cells) != count:
            held = f"holds {counted(len(cells), 'value')} under {counted(count, 'column name')}"
            raise self._fault(number, held, "as many of one as of the other")
        return cells

    def _object(self, text: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(text, object_pairs_hook=_once)
        except RecursionError:
            raise self._fault(number, "is nested too deeply", "one JSON object of plain values") from None
        except InputError as error:
            raise self._fault(number, error.found, error.needed) from None
        except ValueError:
            raise self._fault(number, "is no JSON", "one JSON object on each line") from None
        if not isinstance(found, dict):
            raise self._fault(number, "is no JSON object", "one JSON object on each line")
        return found

    def _fault(self, number: int, found: str, needed: str) -> InputError:
        return InputError(f"line {number:,} of {shown(self.name)} {found}", needed)

    def state(self) -> dict[str, Any]:
        """What it knows, as plain values."""
        roles = None if self.roles is None else dict(self.roles.__dict__)
        layout = None if self._layout is None else {"names": self._layout.names, "delimiter": self._layout.delimiter}
        return {"form": self._form, "roles": roles, "layout": layout, "file": self._file}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Know what another one knew."""
        said, layout = dict(state["roles"]), state["layout"]
        said["per_class"] = tuple((name, column) for name, column in said["per_class"])
        self.roles = RowRoles(**{**said, "unused": tuple(said["unused"])})
        self._layout = None if layout is None else Layout(tuple(layout["names"]), layout["delimiter"])
        self._form, self._file = state["form"], int(state["file"])


def _plain(line: bytes, is_first: bool) -> bytes:
    """A line without the mark that may stand at the beginning of a file, and without what Windows ends it with."""
    return (line.removeprefix(MARK) if is_first else line).removesuffix(b"\r")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
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
