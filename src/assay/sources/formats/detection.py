"""A file as it lies on disk: that it can be opened, what it is packed in, its encoding and its format.

Files in formats that are not read, such as R's: what each is, and how to make CSV of the table in it.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import IO, cast

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources.evidence_archive import is_evidence
from assay.sources.formats.compression import (
    CHUNK,
    DAMAGED,
    ZIP,
    UnpackingLimit,
    archive,
    damaged,
    linked,
    packed_as,
    spooled,
    unpacked,
)
from assay.sources.formats.encodings import UTF8_MARK, decoded, encoding_of
from assay.sources.logs.recognition import BATTLES, HEAD, kind_of_head, refuse_log
from assay.sources.quoting import WIDTH, shown

__all__ = ["ARROW_FILE", "READABLE", "WEKA", "Opened", "opened", "reading", "refuse_foreign"]


READABLE = "CSV, TSV, JSON lines, ARFF, Parquet, Feather, .xlsx, .npy or .npz, as it is or in gzip, bzip2, xz or zip"


@dataclass(frozen=True)
class Foreign:
    """A format: what a file of it is, its suffixes and first bytes, and how to get a table that is read."""

    kind: str
    suffixes: tuple[str, ...] = ()
    marks: tuple[bytes, ...] = ()
    export: str = ""
    # What it is read as where these libraries are installed.
    read_as: str = ""
    by: tuple[str, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether what reads it is installed."""
        return bool(self.read_as) and all(find_spec(name) is not None for name in self.by)


FORMATS = (
    Foreign("an R data file", (".rds",), (b"X\n\x00\x00\x00", b"A\n2\n", b"A\n3\n"),
            "in R: write.csv(readRDS('{name}'), '{csv}', row.names = FALSE)"),
    Foreign("an R workspace", (".rdata", ".rda"), (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"),
            "in R: load('{name}'), then write.csv(predictions, '{csv}', row.names = FALSE)"),
    Foreign("a file of joblib, which may run anything when it is read", (".joblib",), (),
            "in Python, if you trust the file: joblib.load('{name}').to_csv('{csv}', index=False)"),
    Foreign("a pickle, which may run anything when it is read", (".pkl", ".pickle"),
            tuple(bytes([0x80, version]) for version in range(2, 6)),
            "in Python, if you trust the file: pandas.read_pickle('{name}').to_csv('{csv}', index=False)"),
    Foreign("an SPSS file", (".sav", ".zsav", ".por"), (b"$FL2", b"$FL3"),
            "in Python: pandas.read_spss('{name}').to_csv('{csv}', index=False)", "spss", ("pandas", "pyreadstat")),
    Foreign("a Stata file", (".dta",), (b"<stata_dta>",),
            "in Stata: export delimited using '{csv}', nolabel", "stata", ("pandas",)),
    Foreign("a SAS file", (".sas7bdat", ".xpt"), (b"HEADER RECORD***",),
            "in Python: pandas.read_sas('{name}').to_csv('{csv}', index=False)"),
    Foreign("a MATLAB file", (".mat",), (b"MATLAB 5.0 MAT-file", b"MATLAB 7.3 MAT-file"),
            "in MATLAB: writetable(predictions, '{csv}')"),
    Foreign("an HDF5 file", (".h5", ".hdf5", ".hdf", ".keras"), (b"\x89HDF\r\n\x1a\n",),
            "in Python: pandas.read_hdf('{name}').to_csv('{csv}', index=False)"),
    Foreign("an Excel workbook of before 2007, or one with a password", (".xls",), (b"\xd0\xcf\x11\xe0",),
            "the workbook saved as .xlsx without a password, or as CSV"),
    Foreign("a Feather file of the first version", (), (b"FEA1",),
            "in Python: pandas.read_feather('{name}').to_csv('{csv}', index=False)"),
    Foreign("an ORC file", (".orc",), (b"ORC",), "in Python: pandas.read_orc('{name}').to_csv('{csv}', index=False)"),
    Foreign("an Avro file", (".avro",), (b"Obj\x01",)),
    Foreign("an SQLite database", (".sqlite", ".sqlite3", ".db"), (b"SQLite format 3",),
            "its table as CSV: sqlite3 -header -csv '{name}' 'SELECT * FROM predictions' > '{csv}'", "sqlite"),
    Foreign("a file of PyTorch, tensors or a model", (".pt", ".pth"), (),
            "in Python: pandas.DataFrame({{k: v.tolist() for k, v in torch.load('{name}', weights_only=True).items()}})"
            ".to_csv('{csv}', index=False)"),
    Foreign("a model, not its predictions", (".onnx", ".pb", ".safetensors", ".ubj", ".cbm"), (),
            "its predictions beside the true labels"),
    Foreign("a PDF document", (".pdf",), (b"%PDF",), "the table that it was made from"),
    Foreign("a picture", (".png", ".jpg", ".jpeg", ".gif", ".webp", ".tif", ".tiff"),
            (b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "the table that it was made from"),
    Foreign("compressed with zstd", (".zst",), (b"\x28\xb5\x2f\xfd",),
            "the file unpacked: zstd -d '{name}'; or pip install zstandard"),
)  # fmt: skip


TORCH = (".pt", ".pth")
SHORT = (b"ORC", b"A\n2", b"A\n3")


def refuse_foreign(name: str, head: bytes) -> str | None:
    """Refuse a file that begins as one of these formats does, or that is called so and holds no text.

    Returns what one is read as that a library which is installed reads, and None for any other.

    >>> refuse_foreign("preds.rds", b"X\\n\\x00\\x00\\x00\\x03")
    Traceback (most recent call last):
    assay.errors.InputError: 'preds.rds' is an R data file; needed: CSV; in R: write.csv(readRDS('preds.rds'),
    'preds.csv', row.names = FALSE)
    """
    suffix = PurePath(name.lower().removesuffix(".gz")).suffix
    called = next((each for each in FORMATS if suffix in each.suffixes), None)
    if called is not None and (not _is_text(head) or head.startswith(called.marks)):
        if called.is_read:
            return called.read_as
        raise _unsupported_format_error(name, called)
    marked = next((each for each in FORMATS if each.marks and head.startswith(each.marks)), None)
    # Three letters may begin a table.
    if marked is not None and not (_is_text(head) and head[:3] in SHORT):
        if marked.is_read:
            return marked.read_as
        raise _unsupported_format_error(name, marked)
    return None


def _unsupported_format_error(name: str, found: Foreign) -> InputError:
    export = found.export.format(name=name, csv=f"{PurePath(name).stem}.csv")
    plain = export.startswith(("the ", "its "))
    needed = export if plain else f"CSV; {export}" if export else READABLE
    return InputError(f"{shown(name)} is {found.kind}", needed)


def _is_text(head: bytes) -> bool:
    """Whether the beginning of a file can be text in UTF-8, but for a character that its end cuts in two."""
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 4
    return True


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
    ".xlsx": "excel",
    ".npy": "npy",
    ".npz": "npz",
}
ARROW_FILE, ARROW_STREAM, NUMPY_FILE = b"ARROW1", b"\xff\xff\xff\xff", b"\x93NUMPY"
BINARY_MARKS = {b"PAR1": "parquet", ARROW_FILE: "arrow", ARROW_STREAM: "arrow", NUMPY_FILE: "npy"}
CALLED = {
    "parquet": "a Parquet file",
    "arrow": "an Arrow file",
    "excel": "an Excel workbook",
    "npy": "a numpy array",
    "npz": "an archive of numpy arrays",
    "csv": "a CSV file",
    "tsv": "a TSV file",
    "jsonl": "a JSON file",
    "arff": "an ARFF file",
    "weka": "WEKA's output",
    "sqlite": "an SQLite database",
    "stata": "a Stata file",
    "spss": "an SPSS file",
}
BINARY = ("parquet", "arrow", "excel", "npy", "npz", "sqlite", "stata", "spss")
TEXT = tuple(name for name in CALLED if name not in BINARY)
WEKA = re.compile(rb"^[ \t]*inst#[ ,\t]+actual[ ,\t]+predicted[ ,\t]+error", re.MULTILINE)
# Which formats can use what is said about how a file is written.
USES = {"encoding": TEXT, "sheet": ("excel",), "decimal": (*TEXT, "excel", "parquet")}
MOST_WRAPPED = 3  # a gzip file in a zip archive is somebody's habit; more is a trap


@dataclass(frozen=True)
class Opened:
    """A file that exists, holds something and has a known format; `head` is its beginning, unpacked and decoded.

    `path` is where it lies as the readers can read it, which may be a copy; `sha256` is that of the file itself;
    `notes` say what was done to read it.
    """

    path: Path
    name: str
    format: str
    gzipped: bool
    sha256: str
    head: bytes
    notes: tuple[str, ...] = ()


@contextlib.contextmanager
def opened(path: str | os.PathLike[str], request: Request | None = None, *, is_alone: bool = True) -> Iterator[Opened]:
    """The file at a path, or standard input for "-", as something that can be read twice.

    One that is not alone is part of a table: then a hash of it tells of nothing, and none is made of binary files.
    """
    from assay.sources.formats.nested import unfolded  # which is made of what is opened here

    request = request or Request()
    with contextlib.ExitStack() as stack:
        if str(path) == "-":
            if sys.stdin is None:
                raise InputError("standard input is closed", "something to read, or the path of a file")
            name, where = STANDARD_INPUT, stack.enter_context(spooled(sys.stdin.buffer))
        else:
            name, where = Path(path).name or str(path), Path(path).absolute()
            _refuse_unreadable_path(where, str(path))
            if not where.is_file():  # a pipe, as from a shell's <(...)
                where = stack.enter_context(spooled(stack.enter_context(where.open("rb"))))
        file = _inspect_file(where, name, stack, request, is_alone=is_alone)
        _refuse_unused_options(file, request)
        yield unfolded(_readable_copy(file, stack), request, stack)


def reading(file: Opened) -> IO[bytes]:
    """The file's bytes, unpacked."""
    return cast("IO[bytes]", gzip.open(file.path)) if file.gzipped else file.path.open("rb")


def _refuse_unreadable_path(where: Path, path: str) -> None:
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


def _inspect_file(
    original: Path, name: str, stack: contextlib.ExitStack, request: Request, *, is_alone: bool = True
) -> Opened:
    """The file out of whatever it is packed in, with its format; what is gzipped is left to the readers."""
    path, inner = original, name
    notes: tuple[str, ...] = ()
    found: str | None = None
    if is_evidence(_first_bytes(original, 64)):
        needed = "the rows that it was made from, or the path of its file where evidence is read"
        raise InputError(f"{shown(name)} is evidence, which holds no rows", needed)
    kind_of_log = kind_of_head(_first_bytes(original, HEAD))
    # Battles are a table like any other, and are read by its columns.
    refuse_log(None if kind_of_log is BATTLES else kind_of_log, name)
    limit = UnpackingLimit.of(original, name)
    for _ in range(MOST_WRAPPED):
        start = _first_bytes(path, 16)
        if not start:
            raise InputError(f"{shown(name)} is empty", "a line of column names and at least one row")
        kind = packed_as(start)
        if start.startswith(ZIP):
            if PurePath(inner.lower()).suffix in TORCH:  # newer files of PyTorch are zip archives
                refuse_foreign(inner, b"\0" + start)
            held = stack.enter_context(archive(path, name, limit))
            if isinstance(held, str):
                found = held
                break
            (path, inner), notes = held, (f"{held[1]} in it",)
        elif kind is not None and (kind != "gzip" or _is_compressed(_unpacked_head(path, name)[:16])):
            path, inner = stack.enter_context(unpacked(path, inner, kind, limit))
        else:
            break
    gzipped = _first_bytes(path, 2) == b"\x1f\x8b"
    head = _unpacked_head(path, name, limit) if gzipped else _first_bytes(path, CHUNK)
    inner = inner.lower().removesuffix(".gz") if gzipped else inner.lower()
    binary = found or _binary_format(inner, name, head) or ""
    digest, nul = _digest_and_first_nul(original) if is_alone or not binary else ("", None)
    if path != original and not gzipped:
        nul = _digest_and_first_nul(path)[1]
    file = Opened(path, name, binary, gzipped, digest, head, notes)
    return file if file.format else _decode_text_file(file, inner, stack, request, None if gzipped else nul)


def _is_compressed(start: bytes) -> bool:
    return start.startswith(ZIP) or packed_as(start) is not None


def _decode_text_file(
    file: Opened, inner: str, stack: contextlib.ExitStack, request: Request, nul: int | None
) -> Opened:
    encoding = encoding_of(file.head, request.encoding, file.name)
    if encoding is not None:
        try:
            copy = stack.enter_context(decoded(stack.enter_context(reading(file)), encoding, file.name))
        except DAMAGED as error:
            raise damaged(file.name) from error
        notes = (*file.notes, encoding.upper() if encoding.startswith("utf") else encoding)
        file = replace(file, path=copy, gzipped=False, head=_first_bytes(copy, CHUNK), notes=notes)
        nul = _digest_and_first_nul(copy)[1]
    elif request.encoding is not None:
        file = replace(file, notes=(*file.notes, request.encoding))
    file = replace(file, format=_text_format(inner, file.head))
    if nul is not None:
        raise _binary_data_error(file, nul)
    return file


def _readable_copy(file: Opened, stack: contextlib.ExitStack) -> Opened:
    """A copy of what the readers cannot open as it is: packed binary files, JSON with a byte-order mark; and a link to
    a file whose name the engine would take for a pattern, or is not UTF-8."""
    marked = file.format == "jsonl" and file.head.startswith(UTF8_MARK)
    is_odd = any(letter in "*?[" or "\ud800" <= letter <= "\udfff" for letter in str(file.path))
    if not (marked or is_odd or (file.gzipped and file.format in BINARY)):
        return file
    if is_odd and not marked and not (file.gzipped and file.format in BINARY):
        with contextlib.suppress(OSError):  # not every system lets everybody make links
            return replace(file, path=stack.enter_context(linked(file.path)))
    with reading(file) as stream:
        stream.seek(len(UTF8_MARK) if marked else 0)
        try:
            copy = stack.enter_context(spooled(stream))
        except DAMAGED as error:
            raise damaged(file.name) from error
    return replace(file, path=copy, gzipped=False, head=file.head.removeprefix(UTF8_MARK))


def _refuse_unused_options(file: Opened, request: Request) -> None:
    for option, formats in USES.items():
        if getattr(request, option) is not None and file.format not in formats:
            found = f"{option} is given, and {shown(file.name)} is {CALLED[file.format]}"
            raise OptionError(found, f"it left out: {option} changes nothing there", about=option)


def _binary_format(name: str, shown_name: str, head: bytes) -> str | None:
    if (read_as := refuse_foreign(shown_name, head)) is not None:
        return read_as
    for mark, format_ in BINARY_MARKS.items():
        if head.startswith(mark):
            return format_
    by_suffix = BY_SUFFIX.get(Path(name).suffix)
    if by_suffix in BINARY:
        raise InputError(f"{shown(shown_name)} is not {CALLED[by_suffix]}, despite its name", READABLE)
    return None


def _text_format(name: str, head: bytes) -> str:
    if b"inst#" in head and WEKA.search(head):
        return "weka"
    by_suffix = BY_SUFFIX.get(Path(name).suffix)
    if by_suffix is not None:
        return by_suffix
    plain = head.removeprefix(UTF8_MARK)
    if plain.lstrip()[:1] in (b"{", b"["):
        return "jsonl"
    # Blanks within lines only: were line ends among them, there would be countless ways to match blank lines.
    if re.match(rb"(?:[ \t\r\f\v]*(?:%[^\n]*)?\n)*[ \t\r\f\v]*@relation\b", plain, re.IGNORECASE):
        return "arff"
    return "tsv" if b"\t" in head.split(b"\n", 1)[0] else "csv"


def _first_bytes(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _unpacked_head(path: Path, name: str, limit: UnpackingLimit | None = None) -> bytes:
    """The beginning of what a gzip file holds; with a limit, all that it holds must be within it."""
    try:
        with gzip.open(path) as stream:
            head = stream.read(CHUNK)
            if limit is not None:
                limit.count(len(head))
                limit.count_all(cast("IO[bytes]", stream), path.stat().st_size)
    except DAMAGED as error:
        raise damaged(name) from error
    if not head:
        raise InputError(f"{shown(name)} is empty", "a line of column names and at least one row")
    return head


def _digest_and_first_nul(path: Path) -> tuple[str, int | None]:
    """The SHA-256 of a file and the place of the first NUL byte, in one pass over it."""
    digest, seen, nul = hashlib.sha256(), 0, None
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
            if nul is None and (place := chunk.find(b"\0")) >= 0:
                nul = seen + place
            seen += len(chunk)
    return digest.hexdigest(), nul


def _binary_data_error(file: Opened, nul: int) -> InputError:
    try:
        file.head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(file.head) - 4:  # not merely a character that the end of the head cuts in two
            return InputError(f"{shown(file.name)} holds binary data", READABLE)
    with file.path.open("rb") as stream:
        line = stream.read(nul).count(b"\n") + 1
    return InputError(f"line {line:,} of {shown(file.name)} holds a NUL byte", READABLE)
