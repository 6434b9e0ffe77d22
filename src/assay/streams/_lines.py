"""Bytes as whole lines, in whatever pieces they come, and the place after each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["LONGEST", "LineCutter", "LinePiece", "Place"]

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
            self._hold(data)
            return
        first, *others = data[:cut].split(b"\n")
        self._hold(first)
        yield from self.last(ended=True)
        if others and len(max(others, key=len)) > LONGEST:
            for line in others:
                yield self._piece([line[: LONGEST + 1]], len(line) + 1)
        elif others:
            yield self._piece(others, cut - len(first))
        self._hold(data[cut + 1 :])

    def last(self, *, ended: bool = False) -> Iterator[LinePiece]:
        """What is held, as a line: it has `ended`, or there is something and no rest can come."""
        if self._held or ended:
            line, size = self.rest, len(self._held) + self._lost + ended
            self._held.clear()
            self._lost = 0
            yield self._piece([line], size)

    def _hold(self, data: bytes) -> None:
        room = LONGEST + 1 - len(self._held)
        self._held += data[:room]
        self._lost += max(len(data) - room, 0)

    def _piece(self, lines: list[bytes], size: int) -> LinePiece:
        made = LinePiece(lines, self.line + 1, self.offset, self.offset + size, self.file)
        self.line, self.offset = self.line + len(lines), self.offset + size
        return made
