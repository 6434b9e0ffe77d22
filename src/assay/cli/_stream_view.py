"""A stream on a terminal: its measures as they are now, drawn over a few times a second."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assay.report.stream_lines import watched_cells
from assay.results import counted
from assay.text import visible

if TYPE_CHECKING:
    from assay.streams.session import StreamSession

PAUSE = 0.25  # seconds between two pictures
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
            return Text(f"{visible(self._session.name)}: no event has been judged yet", style="dim")
        moment = watch.now()
        self._seen.append((now, watch.events))
        parts: list[RenderableType] = [Text(self._heading(watch.events)), Text("")]
        head, *rows = watched_cells(moment)
        table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
        for place, name in enumerate(head):
            table.add_column(Text(name), justify="left" if place == 0 else "right", no_wrap=True)
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
            Text(("\n" if place == 0 else "") + f"! {visible(said)}", "dim") for place, said in enumerate(cautions)
        ]
        return Group(*parts)

    def _heading(self, events: int) -> str:
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        speed = f", {(after - before) / (end - start):,.0f} a second" if end > start else ""
        assert self._session.watch is not None
        labels, (left_out, _) = self._session.watch.run.labels, self._session.left_out
        waiting = f", {labels.waiting:,} wait for their label" if labels.waiting else ""
        bad = f", {counted(left_out, 'line')} left out" if left_out else ""
        return f"{visible(self._session.name)}: {counted(events, 'event')}{speed}{waiting}{bad}"
