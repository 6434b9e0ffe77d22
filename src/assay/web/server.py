"""The thin layer between a browser and the handlers: who may ask, how much may be sent, and how answers go out.

What a browser sends, taken in bit by bit: files go to disk as they come, and too much is refused while it comes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from assay.errors import MissingExtra
from assay.web.messages import Answer, Asked, Received, parts_of
from assay.web.routes import answer
from assay.web.workbench import Workbench

__all__ = ["HERE", "Refused", "is_parted", "received", "served"]


try:
    from python_multipart.exceptions import MultipartParseError
    from python_multipart.multipart import MultipartParser, parse_options_header
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response, StreamingResponse

except ImportError as error:
    raise MissingExtra("starlette", extra="web", purpose="the workbench") from error


HERE = "127.0.0.1"
NAMES = (HERE, "localhost")
READING = ("GET", "HEAD")
# What every answer says: nothing is kept by browsers, guessed at, shown inside other pages or told to them.
SAFE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
NO_PAGE = "default-src 'none'; frame-ancestors 'none'"
COMES_IN = "Open the link that `assay serve` printed last; each link works in one browser."


def served(workbench: Workbench, port: int) -> Any:
    """The workbench as a server runs it, at a port of this machine."""
    hosts = {f"{name}:{port}" for name in NAMES}

    async def application(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await _answer_request(workbench, request, hosts, f"assay_{port}")
        except ClientDisconnect:
            return
        for name, value in SAFE.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", NO_PAGE)
        await response(scope, receive, send)

    return application


async def _answer_request(workbench: Workbench, request: Request, hosts: set[str], cookie: str) -> Response:
    host, origin = request.headers.getlist("host"), request.headers.getlist("origin")
    # A page elsewhere may make a name of its own lead here; its browser still says that name.
    if len(host) != 1 or host[0] not in hosts:
        return _refusal_response(403, "This is not the name of this server.")
    own = f"http://{host[0]}"
    if origin not in ([own], [] if request.method in READING else [own]):
        return _refusal_response(403, "The request comes from another page.")
    if "token" in request.query_params and request.url.path == "/":
        return _admit_by_token(workbench, request, cookie)
    if not workbench.door.knows(request.cookies.get(cookie, "")):
        return _refusal_response(401, COMES_IN)
    with workbench.receiving() if is_parted(request) else nullcontext() as folder:
        try:
            asked = await _read_request(workbench, request, folder)
        except Refused as refused:
            return _refusal_response(refused.status, str(refused))
        return _response_of(await run_in_threadpool(answer, workbench, asked), request.method)


def _admit_by_token(workbench: Workbench, request: Request, cookie: str) -> Response:
    """Take the token out of the address and give a cookie for it."""
    response = Response(status_code=303, headers={"Location": "/"})
    if workbench.door.knows(request.cookies.get(cookie, "")):
        return response
    given = workbench.door.admit(request.query_params["token"])
    if not given:
        return _refusal_response(401, COMES_IN)
    response.set_cookie(cookie, given, httponly=True, samesite="strict", path="/")
    return response


async def _read_request(workbench: Workbench, request: Request, folder: Path | None) -> Asked:
    form, files, held = await received(request, workbench.upload, folder)
    try:
        told = json.loads(held) if held is not None else None
    except (ValueError, RecursionError):
        raise Refused(400, "The request holds no JSON.") from None
    method = "GET" if request.method == "HEAD" else request.method
    return Asked(method, parts_of(request.url.path), {}, dict(request.query_params), form, told, files)


def _refusal_response(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, media_type="text/plain")


def _response_of(answered: Answer, method: str) -> Response:
    headers = dict(answered.headers)
    if isinstance(answered.body, str | bytes):
        body = b"" if method == "HEAD" else answered.body
        return Response(body, answered.status, headers, media_type=answered.kind)
    return StreamingResponse(answered.body, answered.status, headers, media_type=answered.kind)


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
    return _content_type(request)[0] == b"multipart/form-data"


def _content_type(request: Request) -> tuple[bytes, dict[bytes, bytes]]:
    return parse_options_header(request.headers.get("content-type", ""))


async def received(request: Request, most: int, folder: Path | None) -> tuple[Form, tuple[Received, ...], bytes | None]:
    """The form, the files and the JSON of a request; files lie in `folder` until somebody keeps them."""
    kind, options = _content_type(request)
    cap = MOST_TEXT if folder is None else most
    claimed = request.headers.get("content-length", "0")
    if not claimed.isascii() or not claimed.isdigit() or int(claimed) > cap:
        raise Refused(413, f"More than {cap:,} bytes are not taken.")
    body = _limited_body(request, cap)
    if folder is not None:
        return *await _parse_multipart(body, options.get(b"boundary", b""), folder), None
    whole = b"".join([chunk async for chunk in body])
    if kind == b"application/json":
        return {}, (), whole
    if kind == b"application/x-www-form-urlencoded":
        return _parse_form(whole), (), None
    if whole:
        raise Refused(415, "A request holds a form, JSON or files.")
    return {}, (), None


def _parse_form(whole: bytes) -> Form:
    form: Form = {}
    try:
        pairs = parse_qsl(whole.decode(), keep_blank_values=True, max_num_fields=100_000)
    except ValueError:
        raise Refused(400, "The request holds no form.") from None
    for name, value in pairs:
        form[name] = (*form.get(name, ()), value)
    return form


async def _limited_body(request: Request, cap: int) -> AsyncIterator[bytes]:
    """The body as it comes: no more of it than may be, and nobody is waited for without end."""
    stream, taken = request.stream(), 0
    while True:
        try:
            chunk = await asyncio.wait_for(anext(stream), SECONDS)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise Refused(408, "The upload stopped.") from None
        taken += len(chunk)
        if taken > cap:
            raise Refused(413, f"More than {cap:,} bytes are not taken.")
        yield chunk


async def _parse_multipart(
    body: AsyncIterator[bytes], boundary: bytes, folder: Path
) -> tuple[Form, tuple[Received, ...]]:
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
            raise Refused(400, "The form has too many parts, or a part without a name.")
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
