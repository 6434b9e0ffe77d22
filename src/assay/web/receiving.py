"""What a browser sends, taken in bit by bit: files go to disk as they come, and too much is refused while it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import BinaryIO
from urllib.parse import parse_qsl

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from assay.web.records import Received

__all__ = ["Refused", "is_parted", "received"]

# Forms and JSON are small; whoever sends more sends something else.
MOST_TEXT = 8_000_000
MOST_PARTS, MOST_NAME = 200, 1_000
# Who sends nothing for so long has gone.
SECONDS = 60.0
Form = dict[str, tuple[str, ...]]


class Refused(Exception):
    """A request that is not taken in, with the status that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def is_parted(request: Request) -> bool:
    """Whether a request holds a form in parts, which may be files."""
    return _kind(request)[0] == b"multipart/form-data"


def _kind(request: Request) -> tuple[bytes, dict[bytes, bytes]]:
    return parse_options_header(request.headers.get("content-type", ""))


async def received(request: Request, most: int, folder: Path | None) -> tuple[Form, tuple[Received, ...], bytes | None]:
    """The form, the files and the JSON of a request; files lie in `folder` until somebody keeps them."""
    kind, options = _kind(request)
    cap = MOST_TEXT if folder is None else most
    claimed = request.headers.get("content-length", "0")
    if not claimed.isascii() or not claimed.isdigit() or int(claimed) > cap:
        raise Refused(413, f"More than {cap:,} bytes are not taken.")
    body = _counted(request, cap)
    if folder is not None:
        return *await _parted(body, options.get(b"boundary", b""), folder), None
    whole = b"".join([chunk async for chunk in body])
    if kind == b"application/json":
        return {}, (), whole
    if kind == b"application/x-www-form-urlencoded":
        return _form(whole), (), None
    if whole:
        raise Refused(415, "A request holds a form, JSON or files.")
    return {}, (), None


def _form(whole: bytes) -> Form:
    form: Form = {}
    try:
        pairs = parse_qsl(whole.decode(), keep_blank_values=True, max_num_fields=100_000)
    except ValueError:
        raise Refused(400, "The request holds no form.") from None
    for name, value in pairs:
        form[name] = (*form.get(name, ()), value)
    return form


async def _counted(request: Request, cap: int) -> AsyncIterator[bytes]:
    """The body as it comes: no more of it than may be, and nobody is waited for without end."""
    stream, taken = request.stream(), 0
    while True:
        try:
            chunk = await asyncio.wait_for(anext(stream), SECONDS)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused(408, "Nothing came any more.") from None
        taken += len(chunk)
        if taken > cap:
            raise Refused(413, f"More than {cap:,} bytes are not taken.")
        yield chunk


async def _parted(body: AsyncIterator[bytes], boundary: bytes, folder: Path) -> tuple[Form, tuple[Received, ...]]:
    """The fields and files of a form in parts."""
    parts = _Parts(folder)
    try:
        parser = MultipartParser(boundary, parts.callbacks())  # type: ignore[arg-type]
        async for chunk in body:
            await asyncio.to_thread(parser.write, chunk)
        parser.finalize()
    except (MultipartParseError, UnicodeDecodeError):
        raise Refused(400, "The request holds no form in parts.") from None
    finally:
        parts.close()
    if not parts.is_whole:
        raise Refused(400, "The request ended before its form did.")
    return parts.form, tuple(parts.files)


class _Parts:
    """One part of a form after the other: fields are held, files written as they come."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.form, self.files = folder, Form(), list[Received]()
        self.is_whole, self._count, self._text = False, 0, 0
        self._begin()

    def callbacks(self) -> dict[str, object]:
        """What the parser calls."""
        return {
            "on_part_begin": self._begin, "on_part_data": self._data, "on_part_end": self._end, "on_end": self._whole,
            "on_header_field": self._header_name, "on_header_value": self._header_value,
            "on_header_end": self._header_end, "on_headers_finished": self._headers_end,
        }  # fmt: skip

    def close(self) -> None:
        """Leave no file open."""
        if self._file is not None:
            self._file.close()

    def _begin(self) -> None:
        self._headers: dict[bytes, bytes] = {}
        self._name = self._value = b""
        self._held = bytearray()
        self._field, self._called = "", ""
        self._file: BinaryIO | None = None

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _header_end(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name = self._value = b""

    def _headers_end(self) -> None:
        self._count += 1
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._field = options.get(b"name", b"").decode()[:MOST_NAME]
        if self._count > MOST_PARTS or not self._field:
            raise Refused(400, "A form has few parts, and each has a name.")
        if b"filename" in options:
            self._called = options[b"filename"].decode()[:MOST_NAME]
            self._file = (self.folder / f"part-{self._count}").open("wb")

    def _data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
            return
        self._text += end - start
        if self._text > MOST_TEXT:
            raise Refused(413, f"More than {MOST_TEXT:,} bytes of text are not taken.")
        self._held += data[start:end]

    def _end(self) -> None:
        if self._file is None:
            self.form[self._field] = (*self.form.get(self._field, ()), self._held.decode())
            return
        self._file.close()
        self.files.append(Received(self._called, Path(self._file.name)))
        self._file = None

    def _whole(self) -> None:
        self.is_whole = True
