"""Files out of what they are packed in: gzip, bzip2, xz, or a zip archive that holds one file."""

from __future__ import annotations

import contextlib
import copy
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, BinaryIO

from assay.errors import InputError
from assay.sources.quoting import listed, shown

__all__ = [
    "CHUNK",
    "DAMAGED",
    "ZIP",
    "UnpackingLimit",
    "archive",
    "damaged",
    "linked",
    "packed_as",
    "spooled",
    "temporary_copy",
    "unpacked",
]

CHUNK = 1 << 20
MOST_TIMES = 100
SHARE_OF_MEMORY = 64
SMALL_MEMORY = 1 << 32  # where nothing says how much there is
DENSEST = 1_032  # so many bytes at most come out of one in gzip
# Of what is packed otherwise in a zip archive, Python unpacks all at once, however much that is.
PLAIN_PACKING = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ZIP = b"PK\x03\x04"
# What packs, its suffix and the module that unpacks it, loaded where it is needed: not every Python has all of them.
PACKED = {
    b"\x1f\x8b": ("gzip", ".gz", "gzip"),
    b"BZh": ("bzip2", ".bz2", "bz2"),
    b"\xfd7zXZ\x00": ("xz", ".xz", "lzma"),
    b"\x28\xb5\x2f\xfd": ("zstd", ".zst", ""),
}
# What unpacks zstd: Python from 3.14 on, or a library that is installed.
OF_ZSTD = ("compression.zstd", "backports.zstd", "zstandard", "pyarrow")
DAMAGED = (EOFError, OSError, zlib.error, zipfile.BadZipFile)
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
UNSEEN = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # what operating systems leave in archives


@contextlib.contextmanager
def spooled(stream: BinaryIO | IO[bytes], limit: UnpackingLimit | None = None) -> Iterator[Path]:
    """A stream as a file that can be read twice, copied piece by piece."""
    with temporary_copy() as (path, append):
        while piece := stream.read(CHUNK):
            if limit is not None:
                limit.count(len(piece))
            append(piece)
        yield path


@contextlib.contextmanager
def temporary_copy() -> Iterator[tuple[Path, Callable[[bytes], None]]]:
    """A file that is gone afterwards, and what appends to it; what fails there is no fault of what is copied."""
    with contextlib.ExitStack() as stack:
        try:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-")), "copy")
            file = stack.enter_context(path.open("wb", buffering=0))
        except OSError as error:
            raise _no_disk_space_error("there is no temporary folder", error) from None

        def append(piece: bytes) -> None:
            left = memoryview(piece)
            try:
                while left:
                    left = left[file.write(left) :]
            except OSError as error:
                raise _no_disk_space_error(
                    f"the temporary folder {shown(path.parent.parent)} takes no copy", error
                ) from None

        yield path, append


@contextlib.contextmanager
def linked(path: Path) -> Iterator[Path]:
    """A link to a file, by a plain name."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        link = Path(folder, "link")
        link.symlink_to(path)
        yield link


def _no_disk_space_error(found: str, error: OSError) -> InputError:
    needed = "room in a folder that the environment variable TMPDIR names"
    return InputError(f"{found}: {(error.strerror or 'it failed').lower()}", needed)


@dataclass
class UnpackingLimit:
    """How much may come out of a packed file: so many times its size, or a small part of memory if that is more.

    Predictions do not pack that well; what does was made to fill a memory or a disk. Of a file packed several times
    everything that comes out counts, against the size of the file itself.
    """

    name: str
    packed: int
    counted: int = 0

    @classmethod
    def of(cls, path: Path, name: str) -> UnpackingLimit:
        """That of a packed file."""
        return cls(name, path.stat().st_size)

    @property
    def most(self) -> int:
        """How many bytes may come out."""
        return max(MOST_TIMES * self.packed, memory() // SHARE_OF_MEMORY)

    def count(self, size: int) -> None:
        """Refuse the file once more came out than may."""
        self.counted += size
        if self.counted > self.most:
            raise InputError(
                f"{shown(self.name)} unpacks to more than {MOST_TIMES} times its size and {self.most / 1e6:,.0f} MB",
                "the file unpacked, if that is what it should hold",
            )

    def count_all(self, stream: IO[bytes], packed: int) -> None:
        """Unpack without keeping anything, unless so little is packed that all of it may come out."""
        if packed * DENSEST + self.counted > self.most:
            while piece := stream.read(CHUNK):
                self.count(len(piece))


def memory() -> int:
    """How many bytes of memory there are for this program: the machine's, or those it is held to."""
    found = []
    with contextlib.suppress(AttributeError, OSError, ValueError):
        found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(OSError, ValueError):
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    with contextlib.suppress(ImportError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        found += [limit] if limit != resource.RLIM_INFINITY else []
    return min((size for size in found if size > 0), default=SMALL_MEMORY)


def packed_as(start: bytes) -> str | None:
    """What packed a file that starts so, if anything did."""
    found = next((kind for mark, (kind, _, _) in PACKED.items() if start.startswith(mark)), None)
    return None if found == "zstd" and _zstd_opener() is None else found


@cache
def _zstd_opener() -> Callable[[Path], Any] | None:
    """What opens a file packed with zstd; None where nothing that does is installed."""
    for name in OF_ZSTD:
        with contextlib.suppress(ImportError):
            module: Any = import_module(name)
            if name == "pyarrow":
                return lambda path: module.input_stream(str(path), compression="zstd")
            return lambda path: module.open(path, "rb")
    return None


@contextlib.contextmanager
def unpacked(path: Path, name: str, kind: str, limit: UnpackingLimit) -> Iterator[tuple[Path, str]]:
    """A packed file's content as a file of its own, and the name it has without the packing."""
    suffix, module = next((suffix, module) for found, suffix, module in PACKED.values() if found == kind)
    unpacker: Any = import_module(module) if module else None
    open_ = _zstd_opener() if unpacker is None else unpacker.open
    # What a library says of a damaged file has no end of kinds.
    faults = Exception if unpacker is None else (*DAMAGED, getattr(unpacker, "LZMAError", EOFError))
    with contextlib.ExitStack() as stack:
        try:
            taken = stack.enter_context(spooled(stack.enter_context(open_(path)), limit))  # type: ignore[misc]
        except InputError:
            raise
        except faults as error:
            raise damaged(name, kind) from error
        yield taken, name[: -len(suffix)] if name.lower().endswith(suffix) else name


@contextlib.contextmanager
def archive(path: Path, name: str, limit: UnpackingLimit) -> Iterator[tuple[Path, str] | str]:
    """What a zip archive is: a format of its own (excel, npz), or the one file in it and that file's name."""
    with contextlib.ExitStack() as stack:
        try:
            held = stack.enter_context(zipfile.ZipFile(path))
            names = held.namelist()
            own = _zip_based_format(held, names)
            if own is not None:
                _count_unpacked_members(held, own, limit)
            else:
                member = _single_member(name, [each for each in held.infolist() if not each.is_dir()])
                _refuse_unsupported_packing([member])
                taken = stack.enter_context(spooled(stack.enter_context(held.open(member)), limit))
        except (NotImplementedError, RuntimeError) as error:
            found = f"{shown(name)} is a zip archive with a password or an unusual packing"
            raise InputError(found, "the file in it") from error
        except InputError:
            raise
        except (*DAMAGED, LookupError, ValueError, struct.error) as error:  # names and sizes in it may be anything
            raise damaged(name, "zip") from error
        yield own if own is not None else (taken, Path(member.filename).name)


def _zip_based_format(held: zipfile.ZipFile, names: list[str]) -> str | None:
    if "[Content_Types].xml" in names and any(each.startswith("xl/workbook.") for each in names):
        return "excel"
    if "mimetype" in names:
        with held.open("mimetype") as member:
            if member.read(len(SPREADSHEET)) == SPREADSHEET:
                return "excel"
    return "npz" if names and all(each.endswith(".npy") for each in names) else None


def _count_unpacked_members(held: zipfile.ZipFile, own: str, limit: UnpackingLimit) -> None:
    """Count what comes out of every member: of a workbook that is found out, since its sizes may be anything."""
    _refuse_unsupported_packing(held.infolist())
    for member in held.infolist():
        if own == "npz":
            limit.count(member.file_size)  # numpy reads no more of it than that
            continue
        whole = copy.copy(member)
        whole.file_size = 2 * limit.most
        with held.open(whole) as stream:
            while piece := stream.read(CHUNK):
                limit.count(len(piece))


def _refuse_unsupported_packing(members: list[zipfile.ZipInfo]) -> None:
    if any(member.compress_type not in PLAIN_PACKING for member in members):
        raise NotImplementedError


def _single_member(name: str, members: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    seen = [each for each in members if not any(part in each.filename for part in UNSEEN)]
    if len(seen) == 1:
        return seen[0]
    held = f"{len(seen)} files ({listed([each.filename for each in seen], 4)})" if seen else "no file"
    raise InputError(f"{shown(name)} is a zip archive of {held}", "one file, or an archive of one")


def damaged(name: str, kind: str = "gzip") -> InputError:
    """What to say of a packed file that cannot be unpacked to its end."""
    what = "zip archive" if kind == "zip" else f"{kind} file"
    return InputError(f"{shown(name)} is a {what} that is damaged or cut short", "the whole file")
