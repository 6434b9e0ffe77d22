"""JSON read piece by piece: lines, and the entries of one large object, each value of a bounded size."""

from __future__ import annotations

import codecs
import json
from collections.abc import Collection, Iterator
from typing import IO, Any

from assay.errors import InputError
from assay.sources.quoting import shown

LARGEST_VALUE = 1 << 26  # bytes of one line or one entry
PIECE = 1 << 18
SPACE = " \t\r\n"
ENDS = frozenset(f"{SPACE},:]}}")


def json_lines(stream: IO[bytes], name: str) -> Iterator[dict[str, Any]]:
    """Yield the object on each line of a stream; empty lines are left out.

    >>> import io
    >>> list(json_lines(io.BytesIO(b'{"id": 1}\\n\\n{"id": 2}'), "log.jsonl"))
    [{'id': 1}, {'id': 2}]
    """
    place = 0
    while line := stream.readline(LARGEST_VALUE + 1):
        place += 1
        if len(line) > LARGEST_VALUE:
            raise InputError(f"line {place:,} of {shown(name)} has more than {LARGEST_VALUE >> 20} MB", "shorter lines")
        text = line.removeprefix(codecs.BOM_UTF8) if place == 1 else line
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            cut = "" if line.endswith(b"\n") else " (the last line; the file may be cut short)"
            raise InputError(f"line {place:,} of {shown(name)} is not JSON{cut}", "one JSON object on a line") from None
        if not isinstance(value, dict):
            raise InputError(f"line {place:,} of {shown(name)} is not a JSON object", "one JSON object on a line")
        yield value


def json_entries(
    stream: IO[bytes], name: str, *, each_of: Collection[str] = (), inside: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of one JSON object, a value at a time.

    Of an array under a key in `each_of` every element comes by itself; an object under a key in `inside` is entered,
    and its keys are written after a point.

    >>> import io
    >>> text = b'{"version": 2, "samples": [{"id": 1}, {"id": 2}]}'
    >>> list(json_entries(io.BytesIO(text), "log.json", each_of=["samples"]))
    [('version', 2), ('samples', {'id': 1}), ('samples', {'id': 2})]
    """
    reader = _Window(stream, name)
    yield from _object_entries(reader, "", each_of, inside)


def json_elements(stream: IO[bytes], name: str) -> Iterator[Any]:
    """Yield the elements of one JSON array, one at a time."""
    yield from _array_elements(_Window(stream, name))


def _object_entries(
    reader: _Window, prefix: str, each_of: Collection[str], inside: Collection[str]
) -> Iterator[tuple[str, Any]]:
    reader.take("{")
    if reader.takes("}"):
        return
    while True:
        key = prefix + str(reader.value())
        reader.take(":")
        if key in inside and reader.peek() == "{":
            yield from _object_entries(reader, f"{key}.", each_of, inside)
        elif key in each_of and reader.peek() == "[":
            yield from ((key, element) for element in _array_elements(reader))
        else:
            yield key, reader.value()
        if reader.takes("}"):
            return
        reader.take(",")


def _array_elements(reader: _Window) -> Iterator[Any]:
    reader.take("[")
    if reader.takes("]"):
        return
    while True:
        yield reader.value()
        if reader.takes("]"):
            return
        reader.take(",")


class _Window:
    """A window of text that moves over a stream."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.stream, self.name = stream, name
        self.text, self.place, self.is_at_end = "", 0, False
        self.decoded = codecs.getincrementaldecoder("utf-8-sig")()
        self.decoder = json.JSONDecoder()

    def fill(self, size: int = PIECE) -> None:
        try:
            piece = self.stream.read(size)
            more = self.decoded.decode(piece, final=not piece)
        except UnicodeDecodeError:
            raise InputError(f"{shown(self.name)} is not UTF-8", "a log as the tool wrote it") from None
        self.is_at_end = not piece
        self.text, self.place = self.text[self.place :] + more, 0

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self.place < len(self.text) and self.text[self.place] in SPACE:
                self.place += 1
            if self.place < len(self.text) or self.is_at_end:
                return self.text[self.place : self.place + 1]
            self.fill()

    def takes(self, mark: str) -> bool:
        is_next = self.peek() == mark
        self.place += is_next
        return is_next

    def take(self, mark: str) -> None:
        if not self.takes(mark):
            raise self.broken()

    def value(self) -> Any:
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.place)
            except RecursionError:
                raise self.broken() from None
            except ValueError:
                end = len(self.text)
                if self.is_at_end:
                    raise self.broken() from None
            # A number may go on beyond the window.
            if self.text[end : end + 1] in ENDS or self.is_at_end:
                self.place = end
                return value
            size = len(self.text) - self.place
            if size > LARGEST_VALUE:
                raise InputError(f"an entry of {shown(self.name)} has more than {LARGEST_VALUE >> 20} MB", "less in it")
            self.fill(max(PIECE, size))

    def broken(self) -> InputError:
        found = f"{shown(self.name)} ends before its JSON does" if self.is_at_end else f"{shown(self.name)} is not JSON"
        return InputError(found, "the whole log, as the tool wrote it")
