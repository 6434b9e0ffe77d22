"""Where the moments of a stream go: lines on the screen or in a file, a live view, metrics, and at the end a page.

Metrics on a port of this machine alone: one path is answered, to who asks for this machine by name.

A stream on a terminal: its measures as they are now, drawn over a few times a second.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assay.cli._console import printed, tell
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT, GrowingFile, write_all
from assay.report.stream_lines import watched_cells
from assay.request import StreamRequest
from assay.results import counted
from assay.text import visible

if TYPE_CHECKING:
    from assay.streams import Moment
    from assay.streams.session import StreamSession


PAUSE = 0.25  # seconds between two writings of the metrics


class ToldStream:
    """A session and everyone who is told of it; what is opened for that is closed with `stack`."""

    def __init__(self, file: str, request: StreamRequest, stack: ExitStack) -> None:
        from assay.streams.session import StreamSession

        self._is_quiet, self._written = request.quiet, 0.0
        self._heard: set[int] = set()
        self._is_new = self._is_said = False
        self._view: LiveView | None = None
        self._lines: GrowingFile | None = None
        self._server: MetricsServer | None = None
        self.request = request
        self.session = StreamSession(file, request, self.say, self._put)
        self.request = self.session.request
        self._stack = stack
        if self.session.output is not None:
            self._take_up(self.session.output)
        if request.port is not None:
            self._server = MetricsServer(request.port)
            stack.callback(self._server.close)
            self.say(f"Metrics at http://127.0.0.1:{self._server.port}/metrics")
        is_shown = self.request.used("format") == "text" and request.output != STANDARD_OUTPUT
        if is_shown and sys.stdout is not None and sys.stdout.isatty():
            self._view = LiveView(self.session)
            stack.callback(self._view.close)

    def _take_up(self, kept: Mapping[str, Any]) -> None:
        """Go on with the file that a checkpoint was written beside."""
        if self._file is None:
            found = f"the checkpoint belongs to output {kept['path']}"
            raise OptionError(found, "the same output file", {"output": kept["path"]}, about="output")
        self._lines = GrowingFile(self._file, kept)
        self._stack.callback(self._lines.close)

    @property
    def _file(self) -> Path | None:
        return None if self.request.output == STANDARD_OUTPUT else self.request.output

    @property
    def rings(self) -> bool:
        """Whether an alarm has rung."""
        return self.session.watch is not None and self.session.watch.has_alarm

    def say(self, sentence: str) -> None:
        """Say what is not plain, unless that was not wanted."""
        if self._is_quiet:
            return
        if self._view is not None:
            self._view.say(sentence)
        else:
            tell(sentence)

    def _put(self, moment: Moment) -> None:
        from assay.report.stream_lines import moment_line

        watch = self.session.watch
        assert watch is not None
        if self._lines is None and self._file is not None:
            # Not before there is something to write: what was there is worth more than nothing.
            self._lines = GrowingFile(self._file)
            self._stack.callback(self._lines.close)
        if self._view is None or self._lines is not None:
            line = moment_line(moment, watch.main, self.request.used("format")) + "\n"
            (printed if self._lines is None else self._lines.write)(line)
        for place, alarm in enumerate(watch.alarms):
            if alarm.rings and place not in self._heard:
                self._heard.add(place)
                if self._view is None:  # which shows it all the time
                    self.say(f"ALARM: {alarm.words.removeprefix('alarm ')}")
        self._is_new = True

    def look(self) -> None:
        """Show how things stand, where that is shown and was not a moment ago."""
        self._say_positive()
        if self._view is not None:
            self._view.look()
        if self._is_new and time.monotonic() - self._written >= PAUSE:
            self._write_metrics()

    def _say_positive(self) -> None:
        """Say which of two classes scores are taken to point to, where nobody did."""
        run = None if self.session.watch is None else self.session.watch.run
        if self._is_said or run is None or not (run.events and run.has_score):
            return
        self._is_said = True
        if self.request.positive is None:
            negative, positive = run.classes
            self.say(f"Positive class: {positive}        change: --positive {negative}")

    def _write_metrics(self) -> None:
        from assay.report.stream_lines import prometheus_text

        watch = self.session.watch
        if watch is None or not watch.events or (self.request.metrics is None and self._server is None):
            return
        text = prometheus_text(watch, watch.now(), self.session.left_out[0])
        if self._server is not None:
            self._server.text = text.encode()
        if self.request.metrics is not None:
            write_all({self.request.metrics: text})
        self._written, self._is_new = time.monotonic(), False

    def mark(self) -> dict[str, Any] | None:
        """How far the output was written."""
        return None if self._lines is None else {**self._lines.mark(), "path": str(self._file)}

    def end(self, *, is_stopped: bool) -> None:
        """Tell what is known at the end; where it ended by itself, after the last event and not only at a moment."""
        watch = self.session.watch
        if watch is None:
            return
        self._say_positive()
        if not is_stopped and watch.events % self.request.used("every"):
            self._put(watch.now())  # after the checkpoint: what goes on from there does not have it twice
        self._write_metrics()
        if self.request.html is not None and watch.events:
            watch.report(self.request.html)
            self.say(f"Wrote {self.request.html}")
        count, first = self.session.left_out
        if count:
            self.say(f"Skipped {counted(count, 'invalid line')}; the first: {first}")
        labels = watch.run.labels
        if labels.waiting:
            self.say(f"No label so far: {counted(labels.waiting, 'prediction')}.")
        if self._view is None:
            for caution in watch.cautions:
                self.say(f"Caution: {caution}")


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
            self._server = _Server((HERE, port), _metrics_handler(lambda: self.text, lambda: self.port))
        except OSError as error:
            why = (error.strerror or "it failed").lower()
            raise OptionError(f"port {port} cannot be used: {why}", "a free port", about="port") from None
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _metrics_handler(held: Callable[[], bytes], port: Callable[[], int]) -> type[BaseHTTPRequestHandler]:
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


SPAN = 20  # pictures over which the speed is told
LAST_CHANGES, MOST_CAUTIONS = 5, 6


class LiveView:
    """The picture of a stream; whatever it holds of a user's is text, and no part of it is obeyed."""

    def __init__(self, session: StreamSession) -> None:
        self._session = session
        self._live = Live(console=Console(highlight=False, markup=False, emoji=False), auto_refresh=False)
        self._seen: deque[tuple[float, int]] = deque(maxlen=SPAN)
        self._drawn = 0.0
        self._live.start()

    def say(self, sentence: str) -> None:
        """A sentence above the picture, where it stays."""
        self._live.console.print(Text(visible(sentence)))

    def look(self, *, at_once: bool = False) -> None:
        """Draw what is known now, unless that was done a moment ago."""
        now = time.monotonic()
        if at_once or now - self._drawn >= PAUSE:
            self._drawn = now
            self._live.update(self._picture(now), refresh=True)

    def close(self) -> None:
        """Leave the last picture standing."""
        self.look(at_once=True)
        self._live.stop()

    def _picture(self, now: float) -> RenderableType:
        watch = self._session.watch
        if watch is None or not watch.events:
            return Text(f"{visible(self._session.name)}: no labelled event yet", style="dim")
        moment = watch.now()
        self._seen.append((now, watch.events))
        parts: list[RenderableType] = [Text(self._heading(watch.events), "bold"), Text("")]
        head, *rows = watched_cells(moment)
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for place, name in enumerate(head):
            head_style = "bright_black"
            table.add_column(Text(name, head_style), justify="left" if place == 0 else "right", no_wrap=True)
        for row in rows:
            table.add_row(*map(Text, row))
        parts.append(table)
        parts += [
            Text(f"\nALARM: {visible(words.removeprefix('alarm '))}", style="bold red") for words in moment.alarms
        ]
        changes = watch.changes
        if changes:
            last = ", ".join(f"{each.events:,} ({each.detector})" for each in changes[-LAST_CHANGES:])
            parts.append(Text(f"\n{counted(len(changes), 'change')}; the last after {last}", style="yellow"))
        cautions = watch.cautions[:MOST_CAUTIONS]
        parts += [
            Text(("\n" if place == 0 else "") + f"caution  {visible(said)}", "yellow")
            for place, said in enumerate(cautions)
        ]
        return Group(*parts)

    def _heading(self, events: int) -> str:
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        speed = f", {(after - before) / (end - start):,.0f} per second" if end > start else ""
        assert self._session.watch is not None
        labels, (left_out, _) = self._session.watch.run.labels, self._session.left_out
        waiting = f", {labels.waiting:,} without a label so far" if labels.waiting else ""
        bad = f", {counted(left_out, 'invalid line')} skipped" if left_out else ""
        return f"{visible(self._session.name)}: {counted(events, 'event')}{speed}{waiting}{bad}"
