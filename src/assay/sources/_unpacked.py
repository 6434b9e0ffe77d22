"""Files out of what they are packed in: gzip, bzip2, xz, or a zip archive that holds one file."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import IO, Any, BinaryIO

from assay.errors import InputError
from assay.sources._wording import listed, shown

__all__ = ["CHUNK", "DAMAGED", "ZIP", "archive", "damaged", "packed_as", "spooled", "unpacked"]

CHUNK = 1 << 20
ZIP = b"PK\x03\x04"
# What packs, its suffix and the module that unpacks it, loaded where it is needed: not every Python has all of them.
PACKED = {
    b"\x1f\x8b": ("gzip", ".gz", "gzip"),
    b"BZh": ("bzip2", ".bz2", "bz2"),
    b"\xfd7zXZ\x00": ("xz", ".xz", "lzma"),
}
DAMAGED = (EOFError, OSError, zlib.error, zipfile.BadZipFile)
UNSEEN = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # what operating systems leave in archives


@contextlib.contextmanager
def spooled(stream: BinaryIO | IO[bytes]) -> Iterator[Path]:
    """A stream as a file that can be read twice, copied piece by piece."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder, "spooled")
        with path.open("wb") as copy:
            shutil.copyfileobj(stream, copy, CHUNK)
        yield path


def packed_as(start: bytes) -> str | None:
    """What packed a file that starts so, if anything did."""
    return next((kind for mark, (kind, _, _) in PACKED.items() if start.startswith(mark)), None)


@contextlib.contextmanager
def unpacked(path: Path, name: str, kind: str) -> Iterator[tuple[Path, str]]:
    """A packed file's content as a file of its own, and the name it has without the packing."""
    suffix, module = next((suffix, module) for found, suffix, module in PACKED.values() if found == kind)
    unpacker: Any = import_module(module)
    with contextlib.ExitStack() as stack:
        try:
            copy = stack.enter_context(spooled(stack.enter_context(unpacker.open(path))))
        except (*DAMAGED, getattr(unpacker, "LZMAError", EOFError)) as error:
            raise damaged(name, kind) from error
        yield copy, name[: -len(suffix)] if name.lower().endswith(suffix) else name


@contextlib.contextmanager
def archive(path: Path, name: str) -> Iterator[tuple[Path, str] | str]:
    """What a zip archive is: a format of its own (excel, npz), or the one file in it and that file's name."""
    with contextlib.ExitStack() as stack:
        try:
            held = stack.enter_context(zipfile.ZipFile(path))
            names = held.namelist()
            own = _own_format(held, names)
            if own is None:
                member = _only_member(name, [each for each in held.infolist() if not each.is_dir()])
                copy = stack.enter_context(spooled(stack.enter_context(held.open(member))))
        except (NotImplementedError, RuntimeError) as error:
            found = f"{shown(name)} is a zip archive with a password or an unusual packing"
            raise InputError(found, "the file in it") from error
        except DAMAGED as error:
            raise damaged(name, "zip") from error
        yield own if own is not None else (copy, Path(member.filename).name)


def _own_format(held: zipfile.ZipFile, names: list[str]) -> str | None:
    if "[Content_Types].xml" in names and any(each.startswith("xl/workbook.") for each in names):
        return "excel"
    if "mimetype" in names and held.read("mimetype").startswith(b"application/vnd.oasis.opendocument.spreadsheet"):
        return "excel"
    return "npz" if names and all(each.endswith(".npy") for each in names) else None


def _only_member(name: str, members: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    seen = [each for each in members if not any(part in each.filename for part in UNSEEN)]
    if len(seen) == 1:
        return seen[0]
    held = f"{len(seen)} files ({listed([each.filename for each in seen], 4)})" if seen else "no file"
    raise InputError(f"{shown(name)} is a zip archive of {held}", "one file, or an archive of one")


def damaged(name: str, kind: str = "gzip") -> InputError:
    """What to say of a packed file that cannot be unpacked to its end."""
    what = "zip archive" if kind == "zip" else f"{kind} file"
    return InputError(f"{shown(name)} is a {what} that is damaged or cut short", "the whole file")
