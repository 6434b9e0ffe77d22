"""Lines of a file that grows, or of a pipe: whole ones only, each once, through renaming and cutting."""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from assay.errors import InputError
from assay.sources import shown
from assay.streams.intake import LineCutter, LinePiece, Place

__all__ = ["FollowedFile", "PipedLines", "follow"]

CHUNK = 1 << 18
POLL = 0.1  # seconds between two looks at what has not grown
HEAD, TAIL = 4096, 256
Say = Callable[[str], object]
ANOTHER = "the original input, or another checkpoint"


def follow(
    source: str | Path, say: Say, place: Place | None = None, *, forever: bool = False, is_whole: bool = True
) -> FollowedFile | PipedLines:
    """The lines of a file, or of standard input for "-", from a place on.

    With `forever` a file is waited for as it grows. A last line without a line end is taken only if `is_whole`: where
    more may be written to it, it is left for the next time. `say` is told what is not plain: a file begun anew, a line
    left.
    """
    if str(source) == "-":
        if sys.stdin is None:
            raise InputError("standard input is closed", "an open standard input, or the path of a file")
        return PipedLines(sys.stdin.buffer, "standard input", say, place, is_whole=is_whole)
    path = Path(source)
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        if not forever:
            found = f"there is no file {shown(str(path))}"
            raise InputError(
                found, "the path of an existing file, or follow to wait for it", {"follow": True}
            ) from None
        return FollowedFile(path, say, place, forever=forever, is_whole=is_whole)
    except (OSError, ValueError) as error:
        raise _unreadable_file_error(path) from error
    if stat.S_ISDIR(kind):
        raise InputError(f"{shown(str(path))} is a folder", "the path of a file")
    if not stat.S_ISREG(kind):  # a pipe, as from a shell's <(...)
        return PipedLines(_open_unbuffered(path), path.name, say, place, is_whole=is_whole)
    return FollowedFile(path, say, place, forever=forever, is_whole=is_whole)


class FollowedFile:
    """A file that may grow, be renamed away and begun again, or be cut to nothing: every line of it once, in order."""

    def __init__(self, path: Path, say: Say, place: Place | None, *, forever: bool, is_whole: bool) -> None:
        self.path, self.name = path, path.name or str(path)
        self._say, self._forever, self._is_whole = say, forever, is_whole
        self._resumed = place
        self._cutter = LineCutter(place)
        self._read = self._cutter.offset  # how far, lines cut in half included
        self._last = b""  # the last bytes before that
        self._file: IO[bytes] | None = None
        self._is_leaving = False

    def pieces(self) -> Iterator[LinePiece | None]:
        """Lines as they come, None whenever there is none for now; it ends where the file does, if ever."""
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: self._file is None or self._file.close())
            has_said = False
            while self._file is None and not self._open_file():
                if not has_said:
                    self._say(f"Waiting for {self.name}, which does not exist yet.")
                has_said = True
                yield None
                time.sleep(POLL)
            yield from self._iterate_pieces()

    def _iterate_pieces(self) -> Iterator[LinePiece | None]:
        while True:
            data = self._unread_part()
            if data is None:
                self._restart_at_line_one("was truncated and rewritten", "lines that had not been read are lost")
                continue
            if data:
                self._read += len(data)
                self._last = (self._last + data)[-TAIL:]
                yield from self._cutter.feed(data)
                continue
            if self._is_replaced():
                if self._is_leaving:  # looked at twice: whoever wrote to the old one may have ended a moment ago
                    self._switch_to_new_file()
                self._is_leaving = True
            elif not self._forever:
                yield from self._last_pieces()
                return
            yield None
            time.sleep(POLL)

    def _last_pieces(self) -> Iterator[LinePiece]:
        if self._is_whole:
            yield from self._cutter.last()
        elif self._cutter.rest:
            line = self._cutter.line + 1
            self._say(f"Line {line:,} of {self.name} has no line end and will be read when it is complete.")

    def _read_bytes(self, start: int, count: int) -> bytes:
        assert self._file is not None
        self._file.seek(start)
        return self._file.read(count)

    def _unread_part(self) -> bytes | None:
        """What follows on what was read last, None where that no longer stands there.

        Both in one read: between two of them the file may be cut and grow beyond where it was read.
        """
        known = len(self._last)
        data = self._read_bytes(self._read - known, known + CHUNK)
        return data[known:] if data.startswith(self._last) else None

    def _is_replaced(self) -> bool:
        """Whether the path leads to another file by now; where it leads nowhere, one is waited for."""
        assert self._file is not None
        with contextlib.suppress(OSError):
            return not os.path.samestat(self.path.stat(), os.fstat(self._file.fileno()))
        return False

    def _switch_to_new_file(self) -> None:
        assert self._file is not None
        with contextlib.suppress(FileNotFoundError):
            new = _open_unbuffered(self.path)
            self._file.close()
            self._file = new
            self._restart_at_line_one("was renamed and replaced by a new file", "the old file was read to its end")

    def _restart_at_line_one(self, what: str, of_the_old: str) -> None:
        """Go on with line 1 of what now goes by the name."""
        half = (
            ""
            if not self._cutter.rest
            else f"; its last line, {self._cutter.line + 1:,}, had no line end and is ignored"
        )
        self._say(f"{self.name} {what} after line {self._cutter.line:,}: {of_the_old}{half}.")
        self._cutter = LineCutter(Place(file=self._cutter.file + 1))
        self._read, self._last, self._is_leaving = 0, b"", False

    def _open_file(self) -> bool:
        """Open it, if it is there: where it was read before, the very file that was."""
        if self._resumed is not None and self._resumed.offset:
            return self._reopen_at_checkpoint(self._resumed)
        with contextlib.suppress(FileNotFoundError):
            self._file = _open_unbuffered(self.path)
        return self._file is not None

    def _reopen_at_checkpoint(self, place: Place) -> bool:
        for path in (self.path, *self._rotated_paths(place)):
            with contextlib.suppress(FileNotFoundError):
                self._file = _open_unbuffered(path)
                if self._checkpoint_hashes(place.offset) == (place.head, place.tail):
                    self._last = self._read_bytes(max(place.offset - TAIL, 0), min(place.offset, TAIL))
                    if path is not self.path:
                        self._say(
                            f"{self.name} was renamed to {path.name}: reading its remaining lines first, then "
                            "the new file."
                        )
                    return True
                self._file.close()
        if not self._forever:
            raise InputError(f"the checkpoint belongs to another file than {shown(self.name)}", ANOTHER)
        with contextlib.suppress(FileNotFoundError):
            self._file = _open_unbuffered(self.path)
            self._restart_at_line_one(
                "was replaced by a new file", "lines of the old file that had not been read are lost"
            )
        self._resumed = None
        return self._file is not None

    def _rotated_paths(self, place: Place) -> Iterator[Path]:
        """Where the file of a checkpoint may have been renamed to: beside its old place, as log.csv.1 or log-1.csv."""
        with contextlib.suppress(OSError):
            for path in self.path.parent.iterdir():
                with contextlib.suppress(OSError):
                    is_named_alike = path.name.startswith(self.path.stem) and path.name != self.path.name
                    if is_named_alike and path.stat().st_ino == place.inode:
                        yield path

    def place(self, piece: LinePiece, count: int) -> Place:
        """The place after so many lines of the last piece that came."""
        assert self._file is not None
        offset = piece.offset(count)
        head, tail = self._checkpoint_hashes(offset)
        inode = os.fstat(self._file.fileno()).st_ino
        return Place(piece.first + count - 1, offset, piece.file, inode, head, tail)

    def _checkpoint_hashes(self, offset: int) -> tuple[str, str]:
        """The first line and the last bytes before a place, as hashes."""
        head = self._read_bytes(0, min(HEAD, offset)).split(b"\n")[0]
        return _short_sha256(head), _short_sha256(self._read_bytes(max(offset - TAIL, 0), min(offset, TAIL)))


class PipedLines:
    """The lines of a pipe, which come once: of one that was read before, as many are passed over as were taken."""

    def __init__(self, stream: IO[bytes], name: str, say: Say, place: Place | None, *, is_whole: bool) -> None:
        self.name, self._stream, self._say, self._is_whole = name, stream, say, is_whole
        self._skipped = place or Place()
        self._head = ""
        self._cutter = LineCutter()

    def pieces(self) -> Iterator[LinePiece | None]:
        """Lines as they come, None whenever there is none for now, until the pipe is closed."""
        if self._skipped.line:
            self._say(f"The first {self._skipped.line:,} lines of {self.name} are skipped: they are in the checkpoint.")
        try:
            yield from self._iterate_pieces()
        finally:
            if sys.stdin is None or self._stream is not sys.stdin.buffer:
                self._stream.close()

    def _iterate_pieces(self) -> Iterator[LinePiece | None]:
        while (data := self._read_bytes()) != b"":
            if data is None:
                yield None
                continue
            for piece in self._cutter.feed(data):
                yield from self._unread_part(piece)
        if self._is_whole:
            for piece in self._cutter.last():
                yield from self._unread_part(piece)
        elif self._cutter.rest:
            self._say(f"The last line of {self.name} has no line end and is ignored.")
        if self._cutter.line < self._skipped.line:
            found = f"{self.name} has {self._cutter.line:,} lines, fewer than the checkpoint"
            raise InputError(found, ANOTHER)

    def _read_bytes(self) -> bytes | None:
        """What has come, nothing at the end, and None where nothing has come for a while."""
        try:
            handle = self._stream.fileno()
            if not select.select([handle], [], [], POLL)[0]:
                return None
            return os.read(handle, CHUNK)
        except (OSError, ValueError):  # what is no pipe of the system's is read as it is
            stream: Any = self._stream
            data: bytes = stream.read(CHUNK)
            return data

    def _unread_part(self, piece: LinePiece) -> Iterator[LinePiece]:
        """What of a piece was not taken before."""
        if piece.first == 1:
            self._head = _short_sha256(piece.lines[0])
            if self._skipped.line and self._head != self._skipped.head:
                raise InputError(f"the checkpoint belongs to another input than {self.name}", ANOTHER)
        known = min(max(self._skipped.line - piece.first + 1, 0), len(piece.lines))
        if known < len(piece.lines):
            yield (
                replace(piece, lines=piece.lines[known:], first=piece.first + known, start=piece.offset(known))
                if known
                else piece
            )

    def place(self, piece: LinePiece, count: int) -> Place:
        """The place after so many lines of the last piece that came."""
        return Place(piece.first + count - 1, piece.offset(count), head=self._head)


def _open_unbuffered(path: Path) -> IO[bytes]:
    """A file, unbuffered: what is read is what it holds now."""
    try:
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        raise
    except PermissionError as error:
        raise InputError(f"no permission to read {shown(str(path))}", "read permission") from error
    except (OSError, ValueError) as error:
        raise _unreadable_file_error(path) from error


def _unreadable_file_error(path: Path) -> InputError:
    return InputError(f"{shown(str(path))} cannot be opened", "the path of a readable file")


def _short_sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]
