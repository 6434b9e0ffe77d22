"""The first lines of a table in text: what stands above the column names, what separates values, the names."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.errors import InputError
from assay.results import counted
from assay.sources._decoded import not_utf8
from assay.sources._unpacked import CHUNK
from assay.sources._wording import shown
from assay.sources._written import FITS

if TYPE_CHECKING:
    from assay.sources._formats import Opened

__all__ = ["Layout", "column_names", "layout"]

DELIMITERS = (",", "\t", ";", "|")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # what Excel writes and reads above a table


@dataclass(frozen=True)
class Layout:
    """How a table in text is laid out: how many lines to pass over before that of the names, and what it holds."""

    names: tuple[str, ...]
    delimiter: str
    skipped: int = 0
    comments: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return (f"without {counted(self.comments, 'comment line')} above",) if self.comments else ()


@lru_cache(maxsize=8)
def layout(file: Opened) -> Layout:
    """The layout of a text file that holds a table."""
    text = file.head.decode("utf-8-sig", "surrogateescape")
    above, separator, comments = _above(text)
    place, skipped = sum(map(len, above)), len(above)
    # numpy.savetxt writes the names as a comment; so do some tools that call their first column '#'.
    if comments and _is_heading(above[-1], LINE.match(text, place)):
        place, skipped, comments = place - len(above[-1]), skipped - 1, comments - 1
    heading = text[place:]
    if skipped < len(above):
        heading = heading[1:]
    if len(file.head) == CHUNK and "\n" not in heading and "\r" not in heading:
        raise InputError(f"line 1 of {shown(file.name)} is longer than 1 MB", "a line of column names first")
    delimiter = separator or _delimiter(_line(heading), is_tsv=file.format == "tsv")
    if delimiter == " " and "  " in _line(heading).strip():
        found = f"line {skipped + 1:,} of {shown(file.name)} has runs of blanks between names"
        raise InputError(found, "one blank, comma, semicolon or tab between values")
    return Layout(_names(file, heading, delimiter, skipped + 1), delimiter, skipped, comments)


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Names without blanks around them; one that is blank is called by its place, unless nothing follows it.

    >>> column_names(["", " y_true ", "score", ""])
    ('column 1', 'y_true', 'score', '')
    """
    names = [cell.strip() for cell in cells]
    last = max((place for place, name in enumerate(names) if name), default=-1)
    return tuple(name or (f"column {place + 1}" if place < last else "") for place, name in enumerate(names))


def is_number(text: str) -> bool:
    """Whether a text is a number, however it is written."""
    return any(re.fullmatch(pattern, text.strip()) for pattern in FITS.values())


def _above(text: str) -> tuple[list[str], str | None, int]:
    """The lines above the names: Excel's separator, comments and blank lines below them."""
    lines: list[str] = []
    separator, comments, place = None, 0, 0
    while found := LINE.match(text, place):
        line = found.group()
        said = SEPARATOR.fullmatch(line) if not lines else None
        if said:
            separator = said.group(1)
        elif line.startswith("#"):
            comments += 1
        elif not (comments and line and not line.strip()):
            break
        lines.append(line)
        place = found.end()
    return lines, separator, comments


def _is_heading(comment: str, below: re.Match[str] | None) -> bool:
    if not comment.startswith("#") or below is None:
        return False
    delimiter = _delimiter(comment[1:].strip(), is_tsv=False)
    names, first = (_cells(line.strip(), delimiter) for line in (comment[1:], below.group()))
    return len(names) == len(first) > 1 and any(map(is_number, first)) and not all(map(is_number, names))


def _line(text: str) -> str:
    found = LINE.match(text)
    return found.group().rstrip("\r\n") if found else ""


def _delimiter(line: str, *, is_tsv: bool) -> str:
    """What separates the names; a blank only where nothing else could, since names may hold blanks."""
    outside = "".join(line.strip(" ").split('"')[::2])
    if is_tsv and "\t" in outside:
        return "\t"
    found = max(DELIMITERS, key=outside.count)
    return found if found in outside or " " not in outside else " "


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _names(file: Opened, heading: str, delimiter: str, number: int) -> tuple[str, ...]:
    where = f"line {number:,} of {shown(file.name)}"
    try:
        cells = next(csv.reader(io.StringIO(heading.lstrip(" "), newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{where} is no list of column names", "a line of column names first") from error
    if any("\udc80" <= character <= "\udcff" for cell in cells for character in cell):
        with file.path.open("rb") as stream:
            raise not_utf8(stream, where)
    if not any(cell.strip() for cell in cells):
        raise InputError(f"{where} is blank", "a line of column names first")
    if all(is_number(cell) for cell in cells):
        raise InputError(
            f"{where} holds numbers, not column names", "a line of column names first, such as y_true,score"
        )
    return column_names(cells)
