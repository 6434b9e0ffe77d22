"""The workbench started and ended: a port of this machine alone, the link, the browser."""

from __future__ import annotations

import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

from assay.errors import MissingExtra, OptionError
from assay.request import Request, ServeRequest, memory_bytes
from assay.text import visible
from assay.web.study_runs import running_studies
from assay.web.workbench import Workbench

__all__ = ["run"]

# Seconds that what is still being loaded may take when the server ends.
PATIENCE = 10.0
# What waits to be answered, at most; a browser asks for a few at a time.
WAITING = 1_000


def run(folder: Path, request: ServeRequest, tell: Callable[[str], None]) -> None:
    """Serve a folder until it is stopped; `tell` says the link."""
    try:
        import uvicorn
    except ImportError:
        raise MissingExtra("uvicorn", extra="web", purpose="the workbench") from None
    from assay.web.server import HERE, served

    _keep_libraries_quiet()
    workbench = Workbench(folder, allow=request.allow, upload=memory_bytes(request.upload))
    with _listening_socket(workbench, request.port, HERE) as listener:
        port: int = listener.getsockname()[1]
        workbench.listing.keep_port(port)
        workbench.address = f"{HERE}:{port}"
        application = served(workbench, port)
        server = uvicorn.Server(
            uvicorn.Config(
                application,
                http="h11",
                ws="none",
                lifespan="off",
                loop="asyncio",
                log_level="critical",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=2,
                backlog=WAITING,
            )
        )

        def link() -> str:
            return f"http://{workbench.address}/?token={workbench.door.token}"

        tell(f"Serving {workbench.folder} at {link()}")
        tell("The link works in one browser, and for no other user of this machine. Ctrl-C ends it.")
        workbench.door.on_used = lambda: tell(f"Opened. For another browser: {link()}")
        if not request.no_browser:
            threading.Thread(target=webbrowser.open, args=(link(),), daemon=True).start()
        warming = threading.Thread(target=_warm_up, daemon=True)
        warming.start()
        try:
            server.run(sockets=[listener])
        finally:
            # The engine must not be at work in a thread of its own when the program ends: it would abort.
            warming.join(PATIENCE)
            for name in running_studies(workbench):
                tell(f"{visible(name)} continues in the background; start the workbench again to see or cancel it.")


def _keep_libraries_quiet() -> None:
    """Let no library write to the terminal: what goes wrong with a file is on its page, in a sentence of ours."""
    logging.captureWarnings(True)
    root = logging.getLogger()
    if not root.handlers:
        root.addHandler(logging.NullHandler())


def _warm_up() -> None:
    """Evaluate the bundled example once, so that whatever is loaded for the first file is there before it comes."""
    from assay.evaluation import evaluated
    from assay.report import render_html

    with as_file(files("assay") / "data" / "demo.csv") as path:
        render_html(evaluated(path, Request()))


def _listening_socket(workbench: Workbench, port: int, host: str) -> socket.socket:
    """A socket at the port given; without one at that of the last time, so that pages left open find it again."""
    last = 0 if port else workbench.listing.last_port()
    if last:
        with suppress(OptionError):
            return _bind_socket(host, last)
    return _bind_socket(host, port)


def _bind_socket(host: str, port: int) -> socket.socket:
    """A socket of this machine alone."""
    try:
        listener = socket.create_server((host, port), backlog=WAITING)
    except OSError as error:
        why = (error.strerror or "it failed").lower()
        raise OptionError(f"port {port} cannot be used: {why}", "a free port", about="port") from None
    return listener
