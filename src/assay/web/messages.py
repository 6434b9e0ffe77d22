"""What a browser asks and what it is answered: plain records, so that handlers need no web server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import OptionError, UnknownName

if TYPE_CHECKING:
    from assay.web.workbench import Workbench

__all__ = [
    "Answer",
    "Asked",
    "BrowserAnswer",
    "BrowserAsked",
    "Handler",
    "Received",
    "Route",
    "events_of",
    "json_of",
    "sent_to",
]

HTML, JSON = "text/html; charset=utf-8", "application/json"


@dataclass(frozen=True)
class Received:
    """A file that a browser sent: what it calls it, and where it lies until somebody keeps it."""

    name: str
    path: Path


@dataclass(frozen=True)
class BrowserAsked:
    """One request: everything in it is what somebody typed, and to be looked at before it is used.

    >>> asked = BrowserAsked("GET", ("result", "3f"), names={"id": "3f"}, query={"page": "2"})
    >>> asked.name("id"), asked.query.get("page")
    ('3f', '2')
    """

    method: str
    parts: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    json: Any = None
    files: tuple[Received, ...] = ()

    def name(self, part: str) -> str:
        """What stands in the address for a part that the route names."""
        return self.names[part]

    def said(self, name: str) -> str:
        """The one value of a field of a form; without it the request is refused."""
        values = self.form.get(name, ())
        if len(values) != 1:
            raise OptionError(f"{name} occurs {len(values)} times", "one value", about=name)
        return values[0]

    @property
    def told(self) -> Mapping[str, Any]:
        """The fields of a JSON object."""
        if not isinstance(self.json, dict):
            raise OptionError("the request has no JSON object", "one")
        return self.json


@dataclass(frozen=True)
class BrowserAnswer:
    """One answer: text, bytes, or an iterator of bytes for what comes bit by bit."""

    body: str | bytes | Iterator[bytes]
    kind: str = HTML
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The body as text, where it is whole."""
        assert isinstance(self.body, str | bytes)
        return self.body if isinstance(self.body, str) else self.body.decode()


# What handlers call them.
Asked = BrowserAsked
Answer = BrowserAnswer
Handler = Callable[["Workbench", Asked], Answer]


@dataclass(frozen=True)
class Route:
    """An address and who answers it: `/result/{id}` names its second part. With a title it stands in the navigation."""

    method: str
    pattern: str
    handler: Handler
    title: str = ""

    def match(self, parts: tuple[str, ...]) -> dict[str, str] | None:
        """The named parts of an address, or None where it is not this one's.

        >>> Route("GET", "/result/{id}", lambda workbench, asked: Answer("")).match(("result", "3f"))
        {'id': '3f'}
        """
        wanted = parts_of(self.pattern)
        if len(wanted) != len(parts):
            return None
        pairs = list(zip(wanted, parts, strict=True))
        if any(word != part for word, part in pairs if not word.startswith("{")):
            return None
        return {word[1:-1]: part for word, part in pairs if word.startswith("{")}


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of an address between its slashes.

    >>> parts_of("/"), parts_of("/result/3f")
    ((), ('result', '3f'))
    """
    return tuple(path.split("/")[1:]) if path.strip("/") else ()


def json_of(value: Any, status: int = 200) -> Answer:
    """An answer for a script."""
    return Answer(json.dumps(value, allow_nan=False), JSON, status)


def sent_to(path: str) -> Answer:
    """An answer that sends the browser elsewhere in the workbench, which it then asks for."""
    return Answer("", status=303, headers=(("Location", path),))


def events_of(values: Iterator[Mapping[str, Any] | None]) -> Answer:
    """Server-sent events, one for each value; None keeps the line open while there is nothing to tell."""

    def lines() -> Iterator[bytes]:
        for value in values:
            yield b": still here\n\n" if value is None else f"data: {json.dumps(value)}\n\n".encode()

    return Answer(lines(), "text/event-stream", headers=(("X-Accel-Buffering", "no"),))


def found(mapping: Mapping[str, Any], name: str, what: str) -> Any:
    """What goes by a name, or a refusal that names it."""
    if name not in mapping:
        raise UnknownName(f"there is no {what} {name!r}"[:120], "one of those listed")
    return mapping[name]
