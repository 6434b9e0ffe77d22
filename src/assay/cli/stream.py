"""`assay stream FILE|-`."""

from __future__ import annotations

import shlex
import signal
import sys
from contextlib import ExitStack, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from assay.cli._console import tell
from assay.cli._options import asks, refuse_overwritten
from assay.errors import InputError, NotWritten
from assay.request import StreamRequest

if TYPE_CHECKING:
    from assay.cli._stream_output import ToldStream

__all__ = ["command"]

ALARM_RANG = 1
BY_SIGNAL = 128  # and the number of the signal


@click.command("stream", short_help="Monitor a stream of predictions, with alarms valid at every look.")
@click.argument("file", metavar="FILE|-")
@asks("stream", StreamRequest)
def command(file: str, request: StreamRequest) -> None:
    """Monitor the predictions in a growing file or on standard input, line by line.

    \b assay stream log.csv --follow                       a live view, until Ctrl-C assay stream log.csv --window 500
    --reference 0.1   an alarm once the error exceeds 0.1 + 0.02 tail -f log.jsonl | assay stream - --format json    one
    JSON object for every 100 events

    Lines are CSV with a line of column names, TSV, or JSON objects. A row with an id and no true label is a prediction;
    a later row with that id and a true label labels it. With --checkpoint the progress is saved: the same command
    resumes there, even after kill -9, and --output is as without the interruption. Standard input cannot be read again:
    the lines already processed are skipped. Exit code 1: an alarm, with --fail-on-alarm; 130 and 143: stopped by Ctrl-C
    or SIGTERM.
    """
    from assay.cli._stream_output import ToldStream

    refuse_overwritten(request, [file, *([] if request.reference_file is None else [request.reference_file])])
    with ExitStack() as stack:
        stop = stack.enter_context(_Stop())
        told = ToldStream(file, request, stack)
        _follow_stream(told, stop)
    if stop.signal is not None:
        _print_how_to_resume(told)
        sys.exit(BY_SIGNAL + stop.signal)
    if request.fail_on_alarm and told.rings:
        sys.exit(ALARM_RANG)


class _Stop:
    """Ctrl-C and SIGTERM as something to look at between two pieces of a stream; asked twice, it stops at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Stop:
        for each in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError):  # in a thread there are none
                self._before[each] = signal.signal(each, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _heard(self, number: int, _: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number


def _follow_stream(told: ToldStream, stop: _Stop) -> None:
    """Go through the stream to its end or until stopped, and keep how far it came in either case."""
    session = told.session
    try:
        for _ in session.run():
            told.look()
            if stop.signal is not None:
                break
            if session.is_due:
                session.save(told.mark())
    except NotWritten:
        raise  # events were taken whose moments are nowhere: the last checkpoint holds
    except InputError:
        session.save(told.mark())  # up to the line that is at fault
        raise
    session.save(told.mark())
    told.end(is_stopped=stop.signal is not None)


def _print_how_to_resume(told: ToldStream) -> None:
    watch = told.session.watch
    events = 0 if watch is None else watch.events
    if told.request.checkpoint is None:
        tell(f"Stopped after {events:,} events; with --checkpoint stream.state it can be resumed.")
    else:
        tell(f"Stopped after {events:,} events. To resume: {shlex.join(['assay', *sys.argv[1:]])}")
