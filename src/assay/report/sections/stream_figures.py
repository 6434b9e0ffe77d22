"""The figures of a stream: the error with its bar, and one panel a measure, lines by view, over the events."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from assay.plots import Figure
from assay.plots.figure import Area, Axis, Label, Line, Segment, SideNote, linear_ticks
from assay.plots.labels import LOW_SIDE, SIDE, text_width
from assay.plots.style import CHANGES, area_role, model_role, text_role
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections.stream_shown import WatchShown, estimate_words, with_limits
from assay.report.words import count, number, shortened
from assay.results import Estimate, Table
from assay.types import Floats

__all__ = ["error_figure", "panels"]

# The plot of the error takes two thirds of the page.
WIDE = 720
# Rows of names above one another, at the top of a plot; what finds room in none of them is in the table alone.
NAME_ROWS, ROW_HEIGHT, GAP = 4, 15, 8
LONGEST_NAME = 14
# So many marks of one detector are named, and so many reach down to the axis.
MOST_NAMED, MOST_WHOLE, HANGING = 2, 8, 0.25
# Limits in so small a share of moments do not stretch an axis: the first ones are wide.
FEW = 0.05
START = "since the start"
# How lines of views look, in words, from the first on.
LINES = ("solid", "dashed", "dotted", "dash and dot", "thin", "short dashes", "thin blue", "long dashes")


def error_figure(shown: WatchShown) -> list[Block]:
    """The error since the start with limits that hold at every look, that of the main view, reference and bar."""
    main, name = shown.watch.main, shown.views[shown.watch.main]
    lines: dict[str, list[Estimate | None]] = {START: [moment.error for moment in shown.kept]}
    lately = [shown.error_at(moment, main) for moment in shown.kept]
    if any(map(_has_value, lately)) and shown.watch.run.views[main].spec.kind != "cumulative":
        lines[name] = lately
    levels = {}
    if shown.bar is not None:
        alarm = shown.watch.alarms[0]
        levels = {f"reference {number(alarm.reference.value)}": alarm.reference.value,
                  f"bar {number(shown.bar)}": shown.bar}  # fmt: skip
    is_wide = len(shown.now.classes) <= 3
    figure = _Panel(shown, "stream-error", "Error rate", lines, levels, WIDE if is_wide else WIDE + 408).figure()
    every = f"{START} (solid) with limits at every look"
    subtitle = f"{every}{f'; {name} (dashed) with limits at one look' if len(lines) > 1 else ''}"
    return [Heading("Error over time"), Picture(figure, _about_error(shown), subtitle, _table(shown, lines))]


def _about_error(shown: WatchShown) -> str:
    """One finding of the figure, with its number."""
    whole = f"{START} {with_limits(shown.now.error, 'every')}"
    if shown.lately is None:
        return f"Wrong after {count(shown.now.events)} events: {whole}."
    return f"Wrong {whole}; {shown.views[shown.watch.main]} {with_limits(shown.lately, 'one')}."


def panels(shown: WatchShown) -> Iterator[tuple[str, list[Block]]]:
    """One figure a measure."""
    for k, (name, title) in enumerate(shown.measures.items()):
        lines = {words: shown.series(view, name) for view, words in shown.views.items()}
        lines = {words: found for words, found in lines.items() if any(map(_has_value, found))}
        if not lines:
            why = next((each.undefined for each in shown.series(shown.watch.main, name) if each is not None), None)
            yield f"panel-{k}", [Heading(title, 2), Picture(None, f"Not drawn: {why or 'it was not looked at'}.")]
            continue
        places = {words: list(shown.views.values()).index(words) for words in lines}
        figure = _Panel(shown, f"stream-m{k}", title, lines, {}, SIDE, places).figure()
        drawn = "; ".join(f"{words} ({_look(place)})" for words, place in places.items())
        yield f"panel-{k}", [Heading(title, 2), Picture(figure, _about_panel(shown, name), drawn, _table(shown, lines))]


def _about_panel(shown: WatchShown, name: str) -> str:
    """What it is now, of the main view."""
    now = shown.series(shown.watch.main, name)[-1]
    assert now is not None
    why = f": {now.undefined}" if now.undefined else ""
    return f"{shown.views[shown.watch.main]} now: {with_limits(now, 'one')}{why}."


def _look(place: int) -> str:
    return LINES[place] if place < len(LINES) else f"line {place + 1}"


def _has_value(found: Estimate | None) -> bool:
    return found is not None and not math.isnan(found.value)


def _table(shown: WatchShown, lines: dict[str, list[Estimate | None]]) -> Table:
    columns: dict[str, list[str]] = {"events": [count(moment.events) for moment in shown.kept]}
    for words, found in lines.items():
        said = list(map(estimate_words, found))
        columns |= {words: [value for value, _ in said], f"{words}, limits": [limits for _, limits in said]}
    return Table(columns)


class _Panel:
    """One figure over the events of a stream."""

    def __init__(
        self,
        shown: WatchShown,
        name: str,
        title: str,
        lines: dict[str, list[Estimate | None]],
        levels: dict[str, float],
        width: int,
        places: dict[str, int] | None = None,
    ) -> None:
        self.shown, self.name, self.title, self.levels, self.width = shown, name, title, levels, width
        self.places = places or {words: k for k, words in enumerate(lines)}
        self.lines = {
            words: tuple(_part(found, part) for part in ("value", "low", "high")) for words, found in lines.items()
        }
        self.last = {words: found[-1] for words, found in lines.items()}
        self.x = Axis("Events", linear_ticks(0, float(shown.now.events)))
        self.y = Axis(title, self._ticks())

    def _ticks(self) -> tuple[float, ...]:
        ends = [*self.levels.values()]
        for value, low, high in self.lines.values():
            ends += value.tolist()
            limits = np.isfinite(low)
            if limits.any():
                ends += [float(np.quantile(low[limits], FEW)), float(np.quantile(high[limits], 1 - FEW))]
        finite = [end for end in ends if math.isfinite(end)]
        return linear_ticks(min(finite), max(finite))

    def figure(self) -> Figure:
        """Everything there is to draw."""
        low, high = self.y.low, self.y.high
        last = float(self.shown.now.events)
        marks, names = self._marks()
        return Figure(
            name=self.name,
            title=f"{self.title} over the events of the stream",
            x=self.x,
            y=self.y,
            lines=(*self._levels(), *self._drawn()),
            dots=(),
            labels=(*names, *self._level_names()),
            notes=tuple(self._notes()),
            drawn=len(self.shown.kept),
            points=len(self.shown.kept),
            areas=tuple(self._bands()),
            rules=(*marks, Segment((last, low), (last, high), "cut")),
            width=None if self.width == SIDE else self.width,
        )

    def _drawn(self) -> Iterator[Line]:
        for words, (value, _, _) in self.lines.items():
            place = self.places[words]
            inside = np.where((value >= self.y.low) & (value <= self.y.high), value, np.nan)
            yield Line(self.shown.events, inside, model_role(place), words, model=place)

    def _bands(self) -> Iterator[Area]:
        """The limits of each line, in pieces where some moments have none."""
        for words, (_, low, high) in self.lines.items():
            place, known = self.places[words], np.isfinite(low) & np.isfinite(high)
            ends = np.flatnonzero(np.diff(np.concatenate(([False], known, [False]))))
            for start, stop in ends.reshape(-1, 2).tolist():
                floor, top = (np.clip(each[start:stop], self.y.low, self.y.high) for each in (low, high))
                yield Area(self.shown.events[start:stop], floor, top, area_role(place), model=place)

    def _levels(self) -> Iterator[Line]:
        ends = np.array([0.0, float(self.shown.now.events)])
        for level in self.levels.values():
            yield Line(ends, np.full(2, level), "reference")

    def _level_names(self) -> Iterator[Label]:
        """Names of the reference below its line, of the bar above it, at the left."""
        off = 9 / LOW_SIDE * (self.y.high - self.y.low)
        for k, (words, level) in enumerate(self.levels.items()):
            aside = (text_width(words) / 2 + 6) / self.width
            yield Label(self.x.value(aside), level + (off if k else -off), words, "muted-words")

    def _marks(self) -> tuple[list[Segment], list[Label]]:
        """Upright lines at alarms, changes and true moments, with their names where there is room."""
        ends = [(float(one.events), _role(one.kind), one.name) for one in self.shown.happenings]
        ends += [(float(moment), "reference", "true change") for moment in self.shown.moments]
        times = Counter(name for _, _, name in ends)
        marks = [Segment((at, self._foot(times[name])), (at, self.y.high), role) for at, role, name in ends]
        taken: list[list[tuple[float, float]]] = [[] for _ in range(NAME_ROWS)]
        names: list[Label] = []
        said: Counter[str] = Counter()
        # Alarms first: they are what must not go without a name.
        for at, role, name in sorted(ends, key=lambda end: (end[1] != "mark", end[0])):
            if said[name] < MOST_NAMED and (label := self._named(at, role, name, taken)) is not None:
                said[name] += 1
                names.append(label)
        return marks, names

    def _foot(self, times: int) -> float:
        """How far down a mark reaches: where there are many of a kind they hang from the top, so as to hide no line."""
        return self.y.low if times <= MOST_WHOLE else self.y.high - HANGING * (self.y.high - self.y.low)

    def _named(self, at: float, role: str, name: str, taken: list[list[tuple[float, float]]]) -> Label | None:
        """The name of a mark in the first row that has room for it."""
        words = shortened(name, LONGEST_NAME)
        half = text_width(words) / 2 + GAP / 2
        middle = min(max(float(self.x.position(at)) * self.width, half), self.width - half)
        row = next((k for k, row in enumerate(taken) if _is_free(row, middle - half, middle + half)), None)
        if row is None:
            return None
        taken[row].append((middle - half, middle + half))
        up = self.y.high - (ROW_HEIGHT * row + 8) / LOW_SIDE * (self.y.high - self.y.low)
        return Label(self.x.value(middle / self.width), up, words, text_role(role))

    def _notes(self) -> Iterator[SideNote]:
        for words, found in self.last.items():
            value, limits = estimate_words(found)
            lines = ((value, False), (limits, True)) if limits else ((value, False),)
            yield SideNote(words, text_role(model_role(self.places[words])), lines, "bottom", is_row=True)


def _is_free(row: Sequence[tuple[float, float]], left: float, right: float) -> bool:
    return all(right <= start or left >= end for start, end in row)


def _role(kind: int | None) -> str:
    return "mark" if kind is None else f"change-{kind % len(CHANGES)}"


def _part(found: Sequence[Estimate | None], part: str) -> Floats:
    return np.array([math.nan if each is None else getattr(each, part) for each in found], dtype=np.float64)
