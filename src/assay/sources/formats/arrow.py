"""Feather and other Arrow files, read through pyarrow where it is installed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.sources.column_data import Origin, refuse_long_texts
from assay.sources.formats.compression import UnpackingLimit
from assay.sources.formats.detection import ARROW_FILE, Opened
from assay.sources.frames import read_frame
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

__all__ = ["read"]

# What stands before the length of a message, but in the oldest files.
MARKED = 0xFFFFFFFF


def read(file: Opened, request: Request) -> Reading:
    """The predictions in a Feather file, or in an Arrow file or stream."""
    table = _read_arrow_table(file)
    refuse_long_texts(file.name, sum(map(_text_bytes, table.itercolumns())), request)
    return read_frame(table, request, Origin(file.name, "feather", file.sha256, file.notes))


def _read_arrow_table(file: Opened) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtra("pyarrow", extra="arrow", purpose="reading Feather files") from None
    from pyarrow import ipc

    try:
        with pa.memory_map(str(file.path)) as source:
            is_file = file.head.startswith(ARROW_FILE)
            whole = source.read_buffer()
            _count_unpacked_bytes(
                _file_messages(whole) if is_file else _stream_messages(whole), UnpackingLimit.of(file.path, file.name)
            )
            with ipc.open_file(whole) if is_file else ipc.open_stream(whole) as opened:
                table = opened.read_all()
            table.validate(full=True)  # it is read as it lies there: lengths and places in it may say anything
            return table
    except InputError:
        raise
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError, struct.error, IndexError):
        raise InputError(
            f"{shown(file.name)} is an Arrow file that is damaged or cut short", "the whole file"
        ) from None


def _text_bytes(column: Any) -> int:
    """How many bytes the texts of a column take that stores each once for many rows."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_dictionary(column.type):
        return 0
    texts = column.type.value_type
    if not any(is_one(texts) for is_one in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return 0
    lengths = ((compute.binary_length(one.dictionary), one.indices) for one in column.chunks)
    return sum(compute.sum(compute.cast(each.take(indices), "int64")).as_py() or 0 for each, indices in lengths)


# A message: its metadata, its body, and whether it holds the values of a dictionary.
Message = tuple[bytes, Any, bool]


def _count_unpacked_bytes(messages: Iterator[Message], limit: UnpackingLimit) -> None:
    """Count the bytes that the compressed parts of messages give as their size, and a number for each of their rows."""
    for metadata, body, is_dictionary in messages:
        batch = _record_batch_offset(metadata, is_dictionary=is_dictionary)
        limit.count(8 * _read_scalar("q", metadata, _field_offset(metadata, batch, 0)))
        if body is not None and _field_offset(metadata, batch, 3):  # its parts are compressed
            for start, length in _read_structs(metadata, _field_offset(metadata, batch, 2), "<qq", 16):
                if length >= 8:
                    limit.count(max(0, struct.unpack_from("<q", body, start)[0]))


def _stream_messages(whole: Any) -> Iterator[Message]:
    from pyarrow import BufferReader, ipc

    for message in ipc.MessageReader.open_stream(BufferReader(whole)):
        if message.type in ("record batch", "dictionary"):
            yield message.metadata.to_pybytes(), message.body, message.type == "dictionary"


def _file_messages(whole: Any) -> Iterator[Message]:
    """The messages that the last part of a file points at, which are those that are read."""
    end = whole.size - len(ARROW_FILE) - 4
    size = int(struct.unpack_from("<i", whole, end)[0])
    footer = whole[end - size : end].to_pybytes()
    root = _read_scalar("I", footer, 0)
    for number in (2, 3):
        for offset, length, body in _read_structs(footer, _field_offset(footer, root, number), "<qi4xq", 24):
            marked = 8 if struct.unpack_from("<I", whole, offset)[0] == MARKED else 4
            start = offset + length
            yield whole[offset + marked : start].to_pybytes(), whole[start : start + body], number == 2


def _record_batch_offset(metadata: bytes, *, is_dictionary: bool) -> int:
    """The place of the table of a record batch in a message: FlatBuffers, as Arrow's Message.fbs lays them out."""
    message = _read_scalar("I", metadata, 0)
    header = _table_offset(metadata, _field_offset(metadata, message, 2))
    return _table_offset(metadata, _field_offset(metadata, header, 1)) if is_dictionary else header


def _read_structs(metadata: bytes, place: int, form: str, size: int) -> Iterator[tuple[int, ...]]:
    """The structs of a vector at a place."""
    if place:
        vector = _table_offset(metadata, place)
        for k in range(_read_scalar("I", metadata, vector)):
            yield struct.unpack_from(form, metadata, vector + 4 + size * k)


def _table_offset(metadata: bytes, place: int) -> int:
    return place + int(_read_scalar("I", metadata, place))


def _field_offset(metadata: bytes, table: int, number: int) -> int:
    """The place of a field of a table, 0 where it has its default."""
    fields = table - _read_scalar("i", metadata, table)
    entry = 4 + 2 * number
    offset = _read_scalar("H", metadata, fields + entry) if entry < _read_scalar("H", metadata, fields) else 0
    return table + offset if offset else 0


def _read_scalar(kind: str, metadata: bytes, place: int) -> int:
    return int(struct.unpack_from(f"<{kind}", metadata, place)[0]) if place or kind == "I" else 0
