"""Feather and other Arrow files, read through pyarrow where it is installed."""

from __future__ import annotations

from typing import Any

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.sources._formats import ARROW_FILE, Opened
from assay.sources._loaded import Origin
from assay.sources._records import Reading
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
        source = pa.memory_map(str(file.path))
        opened = ipc.open_file(source) if file.head.startswith(ARROW_FILE) else ipc.open_stream(source)
        with source, opened:
            table = opened.read_all()
            table.validate(full=True)  # it is read as it lies there: lengths and places in it may say anything
            return table
    except (pa.ArrowException, OSError, EOFError, ValueError, KeyError):
        raise InputError(
            f"{shown(file.name)} is an Arrow file that is damaged or cut short", "the whole file"
        ) from None
