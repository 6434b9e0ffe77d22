"""A file as it lies on disk: that it can be opened, what format it has and the names of its columns."""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, BinaryIO, cast

from assay.errors import InputError
from assay.sources._wording import WIDTH, shown

__all__ = ["ARROW_FILE", "HEAD", "WEKA", "Opened", "damaged", "delimiter", "header", "opened", "reading"]

HEAD = 1 << 20
STANDARD_INPUT = "standard input"
BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".arff": "arff",
}
FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"FEA1": "a Feather file of the first version",
    b"SQLite format 3": "an SQLite database",
    b"\x93NUMPY": "a numpy array",
    b"%PDF": "a PDF document",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
READABLE = "CSV, TSV, JSON lines, ARFF (each also gzipped), Parquet or Feather, in UTF-8"
ARROW_FILE, ARROW_STREAM = b"ARROW1", b"\xff\xff\xff\xff"
WEKA = re.compile(rb"^[ \t]*inst#[ ,\t]+actual[ ,\t]+predicted[ ,\t]+error", re.MULTILINE)
BINARY = ("parquet", "arrow")
UTF8_MARK = b"\xef\xbb\xbf"
DELIMITERS = (",", "\t", ";", "|")


@dataclass(frozen=True)
class Opened:
    """A file that exists, holds something and has a known format; `head` is its beginning, unpacked."""

    path: Path
    name: str
    format: str
    gzipped: bool
    sha256: str
    head: bytes


@contextlib.contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Opened]:
    """The file at a path, or standard input for "-", as something that can be read twice."""
    with contextlib.ExitStack() as stack:
        if str(path) == "-":
            name, where = STANDARD_INPUT, stack.enter_context(_spooled(sys.stdin.buffer))
        else:
            name, where = Path(path).name or str(path), Path(path).absolute()
            _refuse_unreadable(where, str(path))
            if not where.is_file():  # a pipe, as from a shell's <(...)
                where = stack.enter_context(_spooled(stack.enter_context(where.open("rb"))))
        file = _inspected(where, name)
        if _engine_cannot_open(file):
            with reading(file) as stream:
                stream.seek(len(UTF8_MARK) if file.head.startswith(UTF8_MARK) else 0)
                copy = stack.enter_context(_spooled(stream))
            file = replace(file, path=copy, gzipped=False, head=file.head.removeprefix(UTF8_MARK))
        yield file


def reading(file: Opened) -> IO[bytes]:
    """The file's bytes, unpacked."""
    return cast("IO[bytes]", gzip.open(file.path)) if file.gzipped else file.path.open("rb")


def delimiter(file: Opened) -> str:
    """What separates the values in the first line."""
    if file.format == "tsv":
        return "\t"
    line = io.BytesIO(file.head.removeprefix(UTF8_MARK)).readline().split(b"\r")[0]
    outside = b"".join(line.split(b'"')[::2]).decode("utf-8", "replace")
    return max(DELIMITERS, key=outside.count)


def header(file: Opened) -> tuple[str, ...]:
    """The column names in the first line of a text file."""
    text = file.head.decode("utf-8-sig", "surrogateescape")
    if len(file.head) == HEAD and "\n" not in text and "\r" not in text:
        raise InputError(f"line 1 of {shown(file.name)} is longer than 1 MB", "a line of column names first")
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter(file)), [])
    except csv.Error as error:
        raise InputError(f"line 1 of {shown(file.name)} is no list of column names", READABLE) from error
    if any("\udc80" <= character <= "\udcff" for name in names for character in name):
        raise InputError(f"line 1 of {shown(file.name)} is not UTF-8", "the file saved again as UTF-8")
    if not any(name.strip() for name in names):
        raise InputError(f"line 1 of {shown(file.name)} is blank", "a line of column names first")
    if all(_is_number(name) for name in names):
        raise InputError(
            f"line 1 of {shown(file.name)} holds numbers, not column names",
            "a line of column names first, such as y_true,score",
        )
    return tuple(name.strip() for name in names)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_unreadable(where: Path, path: str) -> None:
    name = shown(path if len(path) <= WIDTH else "..." + path[3 - WIDTH :])
    try:
        is_folder, exists = where.is_dir(), where.exists()
        if where.is_file():
            where.open("rb").close()
    except PermissionError as error:
        raise InputError(f"{name} may not be read", "permission to read it") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be opened", "the path of a file that can be read") from error
    if is_folder:
        raise InputError(f"{name} is a folder", "the path of a file")
    if not exists:
        raise InputError(f"there is no file {name}", "the path of a file that exists")


@contextlib.contextmanager
def _spooled(stream: BinaryIO | IO[bytes]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder, "spooled")
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy, HEAD)
        yield path


def _engine_cannot_open(file: Opened) -> bool:
    """Byte-order marks in JSON, and names in which a backslash stands beside what the engine takes for a pattern."""
    marked = file.format == "jsonl" and file.head.startswith(UTF8_MARK)
    return marked or (os.sep == "/" and "\\" in str(file.path) and any(sign in str(file.path) for sign in "*?["))


def _inspected(path: Path, name: str) -> Opened:
    with path.open("rb") as stream:
        start = stream.read(16)
    if not start:
        raise InputError(f"{shown(name)} is empty", "a line of column names and at least one row")
    gzipped = start.startswith(b"\x1f\x8b")
    head = _unpacked_head(path, name) if gzipped else _head(path)
    found = _format(name.lower().removesuffix(".gz"), name, head)
    digest, nul = _digest(path)
    if nul is not None and found not in BINARY and not gzipped:
        raise _binary(path, name, head, nul)
    return Opened(path, name, found, gzipped, digest, head)


def _format(name: str, shown_name: str, head: bytes) -> str:
    for mark, kind in FOREIGN.items():
        if head.startswith(mark):
            raise InputError(f"{shown(shown_name)} is {kind}", READABLE)
    by_suffix = BY_SUFFIX.get(Path(name).suffix)
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((ARROW_FILE, ARROW_STREAM)):
        return "arrow"
    if by_suffix in BINARY:
        called = "a Parquet" if by_suffix == "parquet" else "an Arrow"
        raise InputError(f"{shown(shown_name)} is called {called} file but is none", READABLE)
    if b"inst#" in head and WEKA.search(head):
        return "weka"
    if by_suffix is not None:
        return by_suffix
    if head.removeprefix(UTF8_MARK).lstrip()[:1] in (b"{", b"["):
        return "jsonl"
    if re.match(rb"(\s*(%.*)?\n)*\s*@relation\b", head.removeprefix(UTF8_MARK), re.IGNORECASE):
        return "arff"
    return "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"


def _head(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(HEAD)


def _unpacked_head(path: Path, name: str) -> bytes:
    try:
        with gzip.open(path) as stream:
            head = stream.read(HEAD)
    except (EOFError, OSError, zlib.error) as error:
        raise damaged(name) from error
    if not head:
        raise InputError(f"{shown(name)} is empty", "a line of column names and at least one row")
    return head


def damaged(name: str) -> InputError:
    """What to say of a gzip file that cannot be unpacked to its end."""
    return InputError(f"{shown(name)} is a gzip file that is damaged or cut short", "the whole file")


def _digest(path: Path) -> tuple[str, int | None]:
    """The SHA-256 of a file and the place of the first NUL byte, in one pass over it."""
    digest, seen, nul = hashlib.sha256(), 0, None
    with path.open("rb") as stream:
        while chunk := stream.read(HEAD):
            digest.update(chunk)
            if nul is None and (place := chunk.find(b"\0")) >= 0:
                nul = seen + place
            seen += len(chunk)
    return digest.hexdigest(), nul


def _binary(path: Path, name: str, head: bytes, nul: int) -> InputError:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4:  # not merely a character that the end of the head cuts in two
            return InputError(f"{shown(name)} holds binary data", READABLE)
    with path.open("rb") as stream:
        line = stream.read(nul).count(b"\n") + 1
    return InputError(f"line {line:,} of {shown(name)} holds a NUL byte", READABLE)
