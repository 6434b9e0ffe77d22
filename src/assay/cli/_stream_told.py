"""Where the moments of a stream go: lines on the screen or in a file, a live view, metrics, and at the end a page."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._streams import printed, tell
from assay.errors import OptionError
from assay.output_files import STANDARD_OUTPUT, GrowingFile, write_all
from assay.request import StreamRequest
from assay.results import counted

if TYPE_CHECKING:
    from assay.cli._stream_port import MetricsServer
    from assay.cli._stream_view import LiveView
    from assay.streams import Moment

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
            from assay.cli._stream_port import MetricsServer

            self._server = MetricsServer(request.port)
            stack.callback(self._server.close)
            self.say(f"Metrics at http://127.0.0.1:{self._server.port}/metrics")
        is_shown = self.request.used("format") == "text" and request.output != STANDARD_OUTPUT
        if is_shown and sys.stdout is not None and sys.stdout.isatty():
            from assay.cli._stream_view import LiveView

            self._view = LiveView(self.session)
            stack.callback(self._view.close)

    def _take_up(self, kept: Mapping[str, Any]) -> None:
        """Go on with the file that a checkpoint was written beside."""
        if self._file is None:
            found = f"the checkpoint was written beside {kept['path']}"
            raise OptionError(found, "it to be written on", {"output": kept["path"]}, about="output")
        self._lines = GrowingFile(self._file, kept)
        self._stack.callback(self._lines.close)

    @property
    def _file(self) -> Path | None:
        return None if self.request.output == STANDARD_OUTPUT else self.request.output

    @property
    def rings(self) -> bool:
        """Whether an alarm has rung."""
        return self.session.watch is not None and self.session.watch.rings

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
            self.say(f"Left out {counted(count, 'line')} that could not be used; the first: {first}")
        labels = watch.run.labels
        if labels.waiting:
            self.say(f"Without a label so far: {counted(labels.waiting, 'prediction')}.")
        if self._view is None:
            for caution in watch.cautions:
                self.say(f"Caution: {caution}")
