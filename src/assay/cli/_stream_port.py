"""Metrics on a port of this machine alone: one path is answered, to who asks for this machine by name."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer

from assay.errors import OptionError

HERE = "127.0.0.1"
KIND = "text/plain; version=0.0.4; charset=utf-8"


class _Server(ThreadingTCPServer):
    """One that, unlike the library's for HTTP, asks nobody what this machine is called."""

    daemon_threads, allow_reuse_address = True, True


class MetricsServer:
    """Answers `GET /metrics` on 127.0.0.1 with what it was given last, until it is closed.

    A page in a browser may send requests here under a name that it made lead here: these are refused by their Host.
    """

    def __init__(self, port: int) -> None:
        self.text = b""
        try:
            self._server = _Server((HERE, port), _handler(lambda: self.text, lambda: self.port))
        except OSError as error:
            why = (error.strerror or "it failed").lower()
            raise OptionError(f"port {port} cannot be used: {why}", "one that is free", about="port") from None
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(held: Callable[[], bytes], port: Callable[[], int]) -> type[BaseHTTPRequestHandler]:
    class Metrics(BaseHTTPRequestHandler):
        """One answer."""

        server_version, sys_version = "assay", ""
        timeout = 10

        def do_GET(self) -> None:
            if self.headers.get("Host") not in (f"{HERE}:{port()}", f"localhost:{port()}"):
                self.send_error(403)
            elif self.path != "/metrics":
                self.send_error(404)
            else:
                data = held()
                self.send_response(200)
                self.send_header("Content-Type", KIND)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing: the terminal is the stream's."""

    return Metrics
