"""Members of a zip archive, also those packed by zstandard: how many there may be, and how much may come out."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from assay.errors import InputError, MissingExtra
from assay.sources.formats.compression import DAMAGED, PLAIN_PACKING, UnpackingLimit, damaged
from assay.sources.quoting import shown

ZSTANDARD = 93
MOST_MEMBERS = 200_000
LARGEST_DIRECTORY = 1 << 26
END, END_64, LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
LARGEST_COMMENT = 1 << 16


class LogArchive:
    """A zip archive that is only ever read member by member, as streams; nothing is written to disk.

    What comes out of all members together is limited by the size of the file.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        _refuse_large_directory(path)
        self.limit = UnpackingLimit.of(path, self.name)
        self.file = path.open("rb")
        try:
            self.archive = zipfile.ZipFile(self.file)
            self.members = {member.filename: member for member in self.archive.infolist()}
        except (*DAMAGED, LookupError, ValueError, struct.error, NotImplementedError) as error:
            self.file.close()
            raise damaged(self.name, "zip") from error

    def __enter__(self) -> LogArchive:
        return self

    def __exit__(self, *error: object) -> None:
        self.archive.close()
        self.file.close()

    def open(self, member: str) -> IO[bytes]:
        """The unpacked bytes of a member, as a stream."""
        info = self.members[member]
        if info.compress_type not in (ZSTANDARD, *PLAIN_PACKING):
            raise InputError(f"{shown(self.name)} is packed in an unusual way", "its JSON: inspect log dump")
        try:
            is_plain = info.compress_type in PLAIN_PACKING
            stream = self.archive.open(info) if is_plain else _open_zstandard(self._compressed_member(info))
        except (*DAMAGED, struct.error, RuntimeError, NotImplementedError) as error:
            raise damaged(self.name, "zip") from error
        return cast("IO[bytes]", io.BufferedReader(_Counted(stream, self.limit)))

    def _compressed_member(self, info: zipfile.ZipInfo) -> IO[bytes]:
        """The packed bytes of a member, which Python's zipfile opens only where it can unpack them."""
        self.file.seek(info.header_offset)
        name, extra = struct.unpack("<HH", self.file.read(30)[26:30])
        self.file.seek(name + extra, 1)
        return io.BytesIO(self.file.read(info.compress_size))


class _Counted(io.RawIOBase):
    """A stream whose bytes count against a limit."""

    def __init__(self, stream: Any, limit: UnpackingLimit) -> None:
        self.stream, self.limit = stream, limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self.stream.read(len(buffer))
        except (InputError, MemoryError):
            raise
        except Exception as error:  # each unpacker has exceptions of its own
            raise damaged(self.limit.name, "zip") from error
        self.limit.count(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed:
            self.stream.close()
        super().close()


# Libraries that unpack zstandard: Python's own from 3.14 on, zstandard, or pyarrow where that is installed.
UNPACKERS: tuple[tuple[str, Callable[[Any, IO[bytes]], Any]], ...] = (
    ("compression.zstd", lambda module, packed: module.ZstdFile(packed)),
    ("zstandard", lambda module, packed: module.ZstdDecompressor().stream_reader(packed)),
    ("pyarrow", lambda module, packed: module.CompressedInputStream(packed, "zstd")),
)


def _open_zstandard(packed: IO[bytes]) -> Any:
    """Unpack with whichever of these libraries is installed."""
    for name, unpacker in UNPACKERS:
        try:
            module = import_module(name)
        except ImportError:
            continue
        return unpacker(module, packed)
    purpose = "a log of inspect in its .eval form (or type: inspect log dump LOG.eval > LOG.json)"
    raise MissingExtra("zstandard", extra="logs", purpose=purpose)


def _refuse_large_directory(path: Path) -> None:
    """Refuse an archive by the size of its directory, before Python reads that into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - LARGEST_COMMENT - 22))
        tail = file.read()
        place = tail.rfind(END)
        if place < 0 or place + 22 > len(tail):
            raise damaged(path.name, "zip")
        count, length = struct.unpack("<HI", tail[place + 10 : place + 16])
        locator = tail.rfind(LOCATOR_64, 0, place)
        if (count == 0xFFFF or length == 0xFFFFFFFF) and locator >= 0:
            file.seek(struct.unpack("<Q", tail[locator + 8 : locator + 16])[0])
            record = file.read(56)
            if not record.startswith(END_64) or len(record) < 56:
                raise damaged(path.name, "zip")
            count, length = struct.unpack("<QQ", record[32:48])
    if count > MOST_MEMBERS or length > LARGEST_DIRECTORY:
        found = f"{shown(path.name)} is a zip archive with more than {MOST_MEMBERS:,} members, or very long names"
        raise InputError(found, "logs of fewer samples, one file each")
