"""A workbench that runs for a test: its own process, as a user starts it, and someone who asks it things."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

WAIT = 60.0


@dataclass
class Said:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Server:
    """A server, and the browser that has its cookie."""

    process: subprocess.Popen[str]
    folder: Path
    link: str
    cookie: str = ""
    lines: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(urlsplit(self.link).port or 0)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, headers: Mapping[str, str | None] | None = None
    ) -> Said:
        """An answer to a request; headers that are None are left out."""
        own: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        if method != "GET":
            own["Origin"] = self.root
        own |= headers or {}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if body is not None and "Content-Length" not in own:
                own["Content-Length"] = str(len(body))
            for name, value in own.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(body)
            answer = connection.getresponse()
            return Said(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def come_in(self) -> None:
        """Use the link."""
        said = self.ask(self.link.removeprefix(self.root), headers={"Cookie": None})
        assert said.status == 303, said.text
        self.cookie = said.headers["set-cookie"].split(";")[0]

    def stop(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=WAIT)


def started(folder: Path, *options: str) -> Server:
    """`assay serve` in a process of its own, which has said its link."""
    line = [sys.executable, "-m", "assay", "serve", str(folder), "--no-browser", *options]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    assert process.stderr is not None
    began = time.monotonic()
    while time.monotonic() - began < WAIT:
        said = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", said)
        if found:
            return Server(process, folder, found[0], lines=[said])
        if not said:
            break
    raise AssertionError(f"it did not start: {said}{process.stderr.read()}")


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Server]:
    """A server with somebody inside, stopped at the end."""
    server = started(folder, *options)
    try:
        server.come_in()
        yield server
    finally:
        server.stop()
