"""Feather and other Arrow files, read through pyarrow where it is installed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.sources._formats import ARROW_FILE, Opened
from assay.sources._loaded import Origin
from assay.sources._records import Reading
from assay.sources._unpacked import UnpackingLimit
from assay.sources._wording import shown
from assay.sources.frames import read_frame

__all__ = ["read"]


def read(file: Opened, request: Request) -> Reading:
    """The predictions in a Feather file, or in an Arrow file or stream."""
    return read_frame(_table(file), request, Origin(file.name, "feather", file.sha256, file.notes))


def _table(file: Opened) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("pyarrow", extra="arrow", purpose="reading Feather files") from None
    from pyarrow import ipc

    try:
        with pa.memory_map(str(file.path)) as source:
            # A file is a stream between two marks. Its last part says where what lies, which may be anything.
            whole = source.read_buffer()
            stream = whole[len(ARROW_FILE) + 2 :] if file.head.startswith(ARROW_FILE) else whole
            _count(stream, UnpackingLimit.of(file.path, file.name))
            with ipc.open_stream(stream) as opened:
                table = opened.read_all()
            table.validate(full=True)  # it is read as it lies there: lengths and places in it may say anything
            return table
    except InputError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError, struct.error, IndexError):
        raise InputError(
            f"{shown(file.name)} is an Arrow file that is damaged or cut short", "the whole file"
        ) from None


def _count(stream: Any, limit: UnpackingLimit) -> None:
    """Count the bytes that the compressed parts of a stream give as their size, and a number for each of its rows."""
    from pyarrow import BufferReader, ipc

    for message in ipc.MessageReader.open_stream(BufferReader(stream)):
        if message.type not in ("record batch", "dictionary"):
            continue
        metadata, body = message.metadata.to_pybytes(), message.body
        batch = _batch(metadata, is_dictionary=message.type == "dictionary")
        limit.count(8 * _read("q", metadata, _field(metadata, batch, 0)))
        if body is not None and _field(metadata, batch, 3):  # its parts are compressed
            for start, length in _buffers(metadata, batch):
                if length >= 8:
                    limit.count(max(0, struct.unpack_from("<q", body, start)[0]))


def _batch(metadata: bytes, *, is_dictionary: bool) -> int:
    """The place of the table of a record batch in a message: FlatBuffers, as Arrow's Message.fbs lays them out."""
    message = _read("I", metadata, 0)
    header = _table_at(metadata, _field(metadata, message, 2))
    return _table_at(metadata, _field(metadata, header, 1)) if is_dictionary else header


def _buffers(metadata: bytes, batch: int) -> Iterator[tuple[int, int]]:
    place = _field(metadata, batch, 2)
    if place:
        vector = _table_at(metadata, place)
        for k in range(_read("I", metadata, vector)):
            yield struct.unpack_from("<qq", metadata, vector + 4 + 16 * k)


def _table_at(metadata: bytes, place: int) -> int:
    return place + int(_read("I", metadata, place))


def _field(metadata: bytes, table: int, number: int) -> int:
    """The place of a field of a table, 0 where it has its default."""
    fields = table - _read("i", metadata, table)
    entry = 4 + 2 * number
    offset = _read("H", metadata, fields + entry) if entry < _read("H", metadata, fields) else 0
    return table + offset if offset else 0


def _read(kind: str, metadata: bytes, place: int) -> int:
    return int(struct.unpack_from(f"<{kind}", metadata, place)[0]) if place or kind == "I" else 0
