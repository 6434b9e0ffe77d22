"""Lines of files that grow: whole ones alone, each once, however the bytes come and whatever becomes of the file."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.streams import line_follower
from assay.streams.intake import LONGEST, LineCutter, LinePiece, Place
from assay.streams.line_follower import FollowedFile, PipedLines, follow

Line = tuple[int, bytes, int]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_follower, "POLL", 0.001)


def numbered(pieces: Iterator[LinePiece | None]) -> list[Line]:
    """The number of each line, what it holds and where it ends."""
    return [
        (piece.first + k, line, piece.offset(k + 1))
        for piece in pieces
        if piece is not None
        for k, line in enumerate(piece.lines)
    ]


@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\n\n", b"\r\n", b"", b"\xff\0"])), st.data())
def test_any_cut_of_the_bytes_gives_the_same_lines(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    cutter = LineCutter()
    pieces = [whole[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    found = [line for piece in pieces for line in numbered(cutter.feed(piece))]
    lines = whole.split(b"\n")
    ends = [len(b"\n".join(lines[: k + 1])) + 1 for k in range(len(lines) - 1)]
    assert found == list(zip(range(1, len(lines)), lines, ends, strict=False))
    assert cutter.rest == lines[-1]


@pytest.mark.parametrize("size", [1, 1000, LONGEST, LONGEST + 1, 3 * LONGEST])
@pytest.mark.parametrize("step", [70_000, 10**7])
def test_of_a_line_without_end_little_is_kept(size: int, step: int) -> None:
    whole = b"a\n" + b"x" * size + b"\nb\n"
    cutter = LineCutter()
    found = []
    for start in range(0, len(whole), step):
        found += numbered(cutter.feed(whole[start : start + step]))
        assert len(cutter.rest) <= LONGEST + 1
    assert [(number, len(line), end) for number, line, end in found] == [
        (1, 1, 2),
        (2, min(size, LONGEST + 1), size + 3),
        (3, 1, size + 5),
    ]


class Reading:
    """A file that is followed in a thread of its own, as far as it has come."""

    def __init__(self, source: FollowedFile | PipedLines) -> None:
        self.lines: list[bytes] = []
        self.places: list[Place] = []
        self._stops = False
        self._source = source
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        for piece in self._source.pieces():
            if self._stops:
                return
            if piece is not None:
                self.places.append(self._source.place(piece, len(piece.lines)))
                self.lines += piece.lines

    def comes_to(self, lines: list[bytes]) -> None:
        """Wait until so much was read, and stop."""
        until = time.monotonic() + 20
        while len(self.lines) < len(lines) and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(0.02)
        self._stops = True
        self._thread.join()
        assert self.lines == lines

    def waits_for(self, count: int) -> None:
        """Wait until so many lines were read, and read on."""
        until = time.monotonic() + 20
        while len(self.lines) < count and time.monotonic() < until:
            time.sleep(0.002)
        assert len(self.lines) == count


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_line_cut_in_half_waits_for_its_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    append(path, b"one\nhal")
    reading = Reading(follow(path, print, forever=True))
    reading.waits_for(1)
    time.sleep(0.02)
    assert reading.lines == [b"one"]
    append(path, b"f\ntw")
    append(path, b"o\n")
    reading.comes_to([b"one", b"half", b"two"])


def test_a_file_that_is_not_there_is_waited_for_only_if_it_is_followed(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    with pytest.raises(InputError, match=r"there is no file .* or follow to wait for it; pass follow=True"):
        follow(path, said.append)
    reading = Reading(follow(path, said.append, forever=True))
    time.sleep(0.02)
    append(path, b"one\n")
    reading.comes_to([b"one"])
    assert said == ["Waiting for a.csv, which does not exist yet."]


def test_a_file_renamed_away_is_read_to_its_end_and_then_the_new_one(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    append(path, b"one\n")
    reading = Reading(follow(path, said.append, forever=True))
    reading.waits_for(1)
    path.rename(tmp_path / "a.csv.1")
    append(tmp_path / "a.csv.1", b"two\n")  # whoever writes does not know yet
    append(path, b"three\n")
    reading.comes_to([b"one", b"two", b"three"])
    assert said == ["a.csv was renamed and replaced by a new file after line 2: the old file was read to its end."]
    assert [place.file for place in reading.places] == [0, 0, 1]


def test_while_nothing_took_its_place_the_old_one_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    append(path, b"one\n")
    reading = Reading(follow(path, print, forever=True))
    reading.waits_for(1)
    path.rename(tmp_path / "a.csv.1")
    time.sleep(0.02)
    append(tmp_path / "a.csv.1", b"two\n")
    reading.comes_to([b"one", b"two"])


def test_half_a_line_at_the_end_of_the_old_one_is_left_out_and_said(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    append(path, b"one\nhal")
    reading = Reading(follow(path, said.append, forever=True))
    reading.waits_for(1)
    path.rename(tmp_path / "a.csv.1")
    append(path, b"two\n")
    reading.comes_to([b"one", b"two"])
    assert said[0].endswith("the old file was read to its end; its last line, 2, had no line end and is ignored.")


@pytest.mark.parametrize("new", [b"x\n", b"a new one that is longer than the old\n"])
def test_a_file_cut_in_place_is_read_anew(tmp_path: Path, new: bytes) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    append(path, b"one\ntwo\n")
    reading = Reading(follow(path, said.append, forever=True))
    reading.waits_for(2)
    path.write_bytes(new)  # cut, and perhaps grown beyond where it was read
    reading.comes_to([b"one", b"two", new.strip()])
    assert said == ["a.csv was truncated and rewritten after line 2: lines that had not been read are lost."]


def taken(source: FollowedFile | PipedLines, count: int | None = None) -> tuple[list[bytes], Place]:
    """The first lines and the place after them; all of them where no number is said."""
    lines: list[bytes] = []
    place = Place()
    for piece in source.pieces():
        if piece is not None:
            wanted = len(piece.lines) if count is None else min(count - len(lines), len(piece.lines))
            lines += piece.lines[:wanted]
            place = source.place(piece, wanted)
            if count == len(lines):
                break
    return lines, place


LINES = [f"line {k}".encode() for k in range(50)]


@pytest.mark.parametrize("count", [1, 7, 49, 50])
def test_reading_goes_on_at_any_place(tmp_path: Path, count: int) -> None:
    path = tmp_path / "a.csv"
    append(path, b"".join(line + b"\n" for line in LINES))
    first, place = taken(follow(path, print), count)
    append(path, b"more\n")
    rest, _ = taken(follow(path, print, Place(**place.to_dict())))
    assert first + rest == [*LINES, b"more"]
    assert (place.line, place.offset) == (count, len(b"".join(first)) + count)


def test_what_was_renamed_meanwhile_is_found_and_what_is_another_file_is_refused(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    append(path, b"".join(line + b"\n" for line in LINES))
    first, place = taken(follow(path, print), 10)
    copy = tmp_path / "copy.csv"
    copy.write_bytes(path.read_bytes())
    assert taken(follow(copy, print, place))[0] == LINES[10:]  # the same bytes, restored from somewhere
    path.rename(tmp_path / "a.csv.1")
    append(path, b"new\n")
    rest, _ = taken(follow(path, said.append, place))
    assert first + rest == [*LINES, b"new"]
    assert said[0] == "a.csv was renamed to a.csv.1: reading its remaining lines first, then the new file."
    (tmp_path / "a.csv.1").unlink()
    copy.unlink()
    with pytest.raises(InputError, match=r"the checkpoint belongs to another file than 'a\.csv'"):
        taken(follow(path, print, place))
    reading = Reading(follow(path, said.append, place, forever=True))
    reading.comes_to([b"new"])
    assert said[-1].endswith("lines of the old file that had not been read are lost.")


def test_the_last_line_without_an_end_is_taken_only_from_what_is_whole(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    append(path, b"one\ntwo")
    assert taken(follow(path, said.append))[0] == [b"one", b"two"]
    lines, place = taken(follow(path, said.append, is_whole=False))
    assert lines == [b"one"]
    assert said == ["Line 2 of a.csv has no line end and will be read when it is complete."]
    append(path, b"-thirds\n")
    assert taken(follow(path, said.append, place, is_whole=False))[0] == [b"two-thirds"]


def piped(data: bytes, place: Place | None = None, say: Callable[[str], object] = print) -> PipedLines:
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return PipedLines(os.fdopen(reading, "rb"), "standard input", say, place, is_whole=True)


@pytest.mark.parametrize("count", [1, 7, 50])
def test_of_a_pipe_read_again_the_lines_taken_are_passed_over(count: int) -> None:
    data, said = b"".join(line + b"\n" for line in LINES), list[str]()
    first, place = taken(piped(data), count)
    rest, after = taken(piped(data, place, said.append))
    assert first + rest == LINES
    assert said == [f"The first {count:,} lines of standard input are skipped: they are in the checkpoint."]
    if rest:
        assert after.line == len(LINES)
    with pytest.raises(InputError, match="belongs to another input"):
        taken(piped(b"other\n" * 60, place))
    with pytest.raises(InputError, match="fewer than the checkpoint"):
        taken(piped(b"line 0\n" * (count - 1), place)) if count > 1 else taken(piped(b"", place))


def test_what_cannot_be_followed_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        follow(tmp_path, print)
    with pytest.raises(InputError, match="cannot be opened"):
        follow("a\0b", print)
