"""The thin layer between a browser and the handlers: who may ask, how much may be sent, and how answers go out."""

from __future__ import annotations

import json
from collections.abc import MutableMapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from assay.errors import MissingExtra
from assay.web.records import Answer, Asked, parts_of
from assay.web.routes import answer
from assay.web.workbench import Workbench

try:
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response, StreamingResponse

    from assay.web.receiving import Refused, is_parted, received
except ImportError as error:
    raise MissingExtra("starlette", extra="web", purpose="the workbench") from error

__all__ = ["HERE", "served"]

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
COMES_IN = "This opens with the link that `assay serve` printed last; each is good for one browser."


def served(workbench: Workbench, port: int) -> Any:
    """The workbench as a server runs it, at a port of this machine."""
    hosts = {f"{name}:{port}" for name in NAMES}

    async def application(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await _answered(workbench, request, hosts, f"assay_{port}")
        except ClientDisconnect:
            return
        for name, value in SAFE.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", NO_PAGE)
        await response(scope, receive, send)

    return application


async def _answered(workbench: Workbench, request: Request, hosts: set[str], cookie: str) -> Response:
    host, origin = request.headers.getlist("host"), request.headers.getlist("origin")
    # A page elsewhere may make a name of its own lead here; its browser still says that name.
    if len(host) != 1 or host[0] not in hosts:
        return _refused(403, "This is not the name of this server.")
    own = f"http://{host[0]}"
    if origin not in ([own], [] if request.method in READING else [own]):
        return _refused(403, "The request comes from another page.")
    if "token" in request.query_params and request.url.path == "/":
        return _admitted(workbench, request, cookie)
    if not workbench.door.knows(request.cookies.get(cookie, "")):
        return _refused(401, COMES_IN)
    with workbench.receiving() if is_parted(request) else nullcontext() as folder:
        try:
            asked = await _asked(workbench, request, folder)
        except Refused as refused:
            return _refused(refused.status, str(refused))
        return _written(await run_in_threadpool(answer, workbench, asked), request.method)


def _admitted(workbench: Workbench, request: Request, cookie: str) -> Response:
    """Take the token out of the address and give a cookie for it."""
    response = Response(status_code=303, headers={"Location": "/"})
    if workbench.door.knows(request.cookies.get(cookie, "")):
        return response
    given = workbench.door.admit(request.query_params["token"])
    if not given:
        return _refused(401, COMES_IN)
    response.set_cookie(cookie, given, httponly=True, samesite="strict", path="/")
    return response


async def _asked(workbench: Workbench, request: Request, folder: Path | None) -> Asked:
    form, files, held = await received(request, workbench.upload, folder)
    try:
        told = json.loads(held) if held is not None else None
    except (ValueError, RecursionError):
        raise Refused(400, "The request holds no JSON.") from None
    method = "GET" if request.method == "HEAD" else request.method
    return Asked(method, parts_of(request.url.path), {}, dict(request.query_params), form, told, files)


def _refused(status: int, sentence: str) -> Response:
    return Response(f"{sentence}\n", status, media_type="text/plain")


def _written(answered: Answer, method: str) -> Response:
    headers = dict(answered.headers)
    if isinstance(answered.body, str | bytes):
        body = b"" if method == "HEAD" else answered.body
        return Response(body, answered.status, headers, media_type=answered.kind)
    return StreamingResponse(answered.body, answered.status, headers, media_type=answered.kind)
