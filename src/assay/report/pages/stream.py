"""The page of a stream: is it still as good, since when not, what rang; and what each limit holds for.

The figures of a stream: the error with its bar, and one panel a measure, lines by view, over the events.

What is known at a chosen moment of a stream: the confusion matrix of the main view and every measure.

A stream as its page shows it: moments, the error of the main view, what rang and what changed.

The page of a stream, and the same as text, Markdown or JSON.
"""

from __future__ import annotations

import inspect
import math
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.measures import Measure
from assay.plots import Figure
from assay.plots.figure import Area, Axis, Label, Line, Segment, SideNote, linear_ticks
from assay.plots.labels import LOW_SIDE, SIDE, text_width
from assay.plots.style import CHANGES, area_role, model_role, text_role
from assay.renderers import renders
from assay.report.blocks import Block, Cell, Grid, Heading, Note, Notes, Picture, Sentence
from assay.report.pages.ranks import grid
from assay.report.renderers.html import Part, render_fragment, render_watched, write_page
from assay.report.renderers.json import json_text
from assay.report.renderers.markdown import markdown_blocks
from assay.report.renderers.text import render_blocks
from assay.report.sections.provenance import versions
from assay.report.wording import bracketed, count, number, percent, short_names, shortened, tamed, value_words, visible
from assay.results import Estimate, Table, counted
from assay.streams import Alarm, ChangeAlarm, Moment, StreamWatch, ViewSpec, watch
from assay.types import Floats
from assay.uncertainty import ONE_LOOK as USED_UP

if TYPE_CHECKING:
    from assay.streams import Detections

__all__ = [
    "Happening",
    "WatchShown",
    "about_stream",
    "error_figure",
    "estimate_words",
    "matrix_at",
    "panels",
    "render_stream",
    "stops_data",
    "stops_words",
    "stream_lede",
    "stream_sections",
    "stream_verdict",
    "values_at",
    "with_limits",
]


# Between so many moments a reader may choose, fewer where each holds a large matrix.
MOST_STOPS = 200
MOST_CELLS = 60_000
# Matrices of more classes are not shown.
MOST_CLASSES = 30


@dataclass(frozen=True)
class Happening:
    """An alarm that rang or a change that a detector found, after so many events; `kind` counts the detectors."""

    events: int
    name: str
    says: str
    kind: int | None = None


@dataclass(frozen=True, eq=False)
class WatchShown:
    """What a page says of a watch; everything is worked out once. `moments` are the true ones, where they are known."""

    watch: StreamWatch
    moments: tuple[int, ...] = ()
    tolerance: int | None = None

    @cached_property
    def kept(self) -> tuple[Moment, ...]:
        """The moments that were kept, and what is known now."""
        now, kept = self.watch.now(), self.watch.moments
        return kept if kept and kept[-1].events == now.events else (*kept, now)

    @property
    def now(self) -> Moment:
        """What is known after the last event."""
        return self.kept[-1]

    @cached_property
    def events(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """After how many events each moment is."""
        return np.array([moment.events for moment in self.kept], dtype=np.float64)

    @cached_property
    def stops(self) -> tuple[Moment, ...]:
        """The moments that a reader may choose among: at equal distances, the last one among them."""
        cells = max(1, len(self.now.classes) ** 2) if self.has_matrix else 1
        most = max(2, min(MOST_STOPS, MOST_CELLS // cells))
        step = -(-len(self.kept) // most)
        return self.kept[::-1][::step][::-1]

    @property
    def has_matrix(self) -> bool:
        """Whether there are few enough classes for a matrix."""
        return 2 <= len(self.now.classes) <= MOST_CLASSES

    @cached_property
    def views(self) -> dict[str, str]:
        """What each view is called."""
        return short_names(self.watch.run.views, 24)

    @cached_property
    def measures(self) -> dict[str, str]:
        """What each measure is called; those that could not be computed at any moment come last."""
        view = self.watch.run.view(self.watch.main)
        titles = {step.name: step.name if step.measure is None else step.measure.title for step in
                  view.steps(self.watch.measures)}  # fmt: skip
        known = [name for name in titles if any(self._is_known(name, moment) for moment in self.kept)]
        return {name: titles[name] for name in (*known, *(each for each in titles if each not in known))}

    def _is_known(self, name: str, moment: Moment) -> bool:
        found = (each.get(name) for each in moment.estimates.values())
        return any(one is not None and not math.isnan(one.value) for one in found)

    def series(self, view: str, name: str) -> list[Estimate | None]:
        """A measure of a view at every moment; None where it was not looked at."""
        return [moment.estimates.get(view, {}).get(name) for moment in self.kept]

    def error_at(self, moment: Moment, view: str) -> Estimate | None:
        """The error of a view, from whichever watched measure is the share of right or of wrong answers."""
        held = moment.estimates.get(view, {})
        for step in self.watch.run.view(view).steps(self.watch.measures):
            facts, found = step.measure, held.get(step.name)
            if found is None or not isinstance(facts, Measure) or facts.answers is None:
                continue
            if facts.answers.within is None:
                return found if facts.answers.sign < 0 else _error_rate_estimate(found)
        return None

    @cached_property
    def lately(self) -> Estimate | None:
        """The error of the main view now, where that is known."""
        return self.error_at(self.now, self.watch.main)

    @property
    def bar(self) -> float | None:
        """What the error must not exceed; None without a reference."""
        return self.watch.alarms[0].bar if self.watch.alarms else None

    @property
    def rung(self) -> list[Alarm | ChangeAlarm]:
        """The alarms that rang, the first one first."""
        return sorted((alarm for alarm in self.watch.alarms if alarm.rings), key=lambda alarm: alarm.rang_at or 0)

    @property
    def since(self) -> int | None:
        """The event since which the error has risen, about; None where no alarm says so."""
        return next((alarm.changed_at for alarm in self.rung if isinstance(alarm, ChangeAlarm)), None)

    @property
    def clings(self) -> str:
        """That errors depend on those before, where that is plain."""
        found = next((alarm for alarm in self.watch.alarms if alarm.lag.is_plain), None)
        return "" if found is None else found.lag.words(found.together)

    @property
    def misfit(self) -> str:
        """Why no error that stays the same fits the stream, where that is so."""
        return self.now.error.undefined or ""

    @cached_property
    def happenings(self) -> tuple[Happening, ...]:
        """What rang and what was found to change, in the order of the stream."""
        names = {name: k for k, name in enumerate(dict.fromkeys(change.detector for change in self.watch.changes))}
        rung = [Happening((alarm.rang_at or 0) + 1, alarm_name(alarm), alarm.words) for alarm in self.rung]
        found = [
            Happening(change.events, change.detector, "change detected", names[change.detector])
            for change in self.watch.changes
        ]
        return tuple(sorted([*rung, *found], key=lambda one: one.events))

    @cached_property
    def judged(self) -> dict[str, Detections]:
        """What alarms and detectors were worth, where the true moments are known."""
        return self.watch.detection_results(self.moments, tolerance=self.tolerance) if self.moments else {}


def alarm_name(alarm: Alarm | ChangeAlarm) -> str:
    """What an alarm is called beside detectors."""
    return "change alarm" if isinstance(alarm, ChangeAlarm) else "alarm"


def _error_rate_estimate(right: Estimate) -> Estimate:
    """The share of wrong answers, from that of right ones."""
    return replace(right, name="error", value=1 - right.value, low=1 - right.high, high=1 - right.low)


LOOKS = {"every": "anytime-valid", "one": "at one time point"}


def with_limits(estimate: Estimate, look: str) -> str:
    """An estimate with its limits and the look that they hold at, or with the word that it has none."""
    value, limits = estimate_words(estimate)
    return f"{value} {limits}, {LOOKS[look]}" if limits else f"{value} (no limits)"


def estimate_words(estimate: Estimate | None) -> tuple[str, str]:
    """The value and the limits in words, a dash for what is not there."""
    if estimate is None or math.isnan(estimate.value):
        return "\u2013", ""
    return value_words(estimate), bracketed(estimate)


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
    every = f"{START} (solid) with anytime-valid limits"
    subtitle = f"{every}{f'; {name} (dashed) with limits valid at one time point' if len(lines) > 1 else ''}"
    return [Heading("Error over time"), Picture(figure, _error_finding(shown), subtitle, _moments_table(shown, lines))]


def _error_finding(shown: WatchShown) -> str:
    """One finding of the figure, with its number."""
    whole = f"{START} {with_limits(shown.now.error, 'every')}"
    if shown.lately is None:
        return f"Error after {count(shown.now.events)} events: {whole}."
    return f"Error {whole}; {shown.views[shown.watch.main]} {with_limits(shown.lately, 'one')}."


def panels(shown: WatchShown) -> Iterator[tuple[str, list[Block]]]:
    """One figure a measure."""
    for k, (name, title) in enumerate(shown.measures.items()):
        lines = {words: shown.series(view, name) for view, words in shown.views.items()}
        lines = {words: found for words, found in lines.items() if any(map(_has_value, found))}
        if not lines:
            why = next((each.undefined for each in shown.series(shown.watch.main, name) if each is not None), None)
            yield f"panel-{k}", [Heading(title, 2), Picture(None, f"Not drawn: {why or 'it was not computed'}.")]
            continue
        places = {words: list(shown.views.values()).index(words) for words in lines}
        figure = _Panel(shown, f"stream-m{k}", title, lines, {}, SIDE, places).figure()
        drawn = "; ".join(f"{words} ({_line_style(place)})" for words, place in places.items())
        yield (
            f"panel-{k}",
            [Heading(title, 2), Picture(figure, _panel_finding(shown, name), drawn, _moments_table(shown, lines))],
        )


def _panel_finding(shown: WatchShown, name: str) -> str:
    """What it is now, of the main view."""
    now = shown.series(shown.watch.main, name)[-1]
    assert now is not None
    why = f": {now.undefined}" if now.undefined else ""
    return f"{shown.views[shown.watch.main]} now: {with_limits(now, 'one')}{why}."


def _line_style(place: int) -> str:
    return LINES[place] if place < len(LINES) else f"line {place + 1}"


def _has_value(found: Estimate | None) -> bool:
    return found is not None and not math.isnan(found.value)


def _moments_table(shown: WatchShown, lines: dict[str, list[Estimate | None]]) -> Table:
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
            words: tuple(_limit_values(found, part) for part in ("value", "low", "high"))
            for words, found in lines.items()
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
        marks, names = self._event_marks()
        return Figure(
            name=self.name,
            title=f"{self.title} over the events of the stream",
            x=self.x,
            y=self.y,
            lines=(*self._reference_lines(), *self._value_lines()),
            dots=(),
            labels=(*names, *self._reference_labels()),
            notes=tuple(self._notes()),
            drawn=len(self.shown.kept),
            points=len(self.shown.kept),
            areas=tuple(self._limit_areas()),
            rules=(*marks, Segment((last, low), (last, high), "cut")),
            width=None if self.width == SIDE else self.width,
        )

    def _value_lines(self) -> Iterator[Line]:
        for words, (value, _, _) in self.lines.items():
            place = self.places[words]
            inside = np.where((value >= self.y.low) & (value <= self.y.high), value, np.nan)
            yield Line(self.shown.events, inside, model_role(place), words, model=place)

    def _limit_areas(self) -> Iterator[Area]:
        """The limits of each line, in pieces where some moments have none."""
        for words, (_, low, high) in self.lines.items():
            place, known = self.places[words], np.isfinite(low) & np.isfinite(high)
            ends = np.flatnonzero(np.diff(np.concatenate(([False], known, [False]))))
            for start, stop in ends.reshape(-1, 2).tolist():
                floor, top = (np.clip(each[start:stop], self.y.low, self.y.high) for each in (low, high))
                yield Area(self.shown.events[start:stop], floor, top, area_role(place), model=place)

    def _reference_lines(self) -> Iterator[Line]:
        ends = np.array([0.0, float(self.shown.now.events)])
        for level in self.levels.values():
            yield Line(ends, np.full(2, level), "reference")

    def _reference_labels(self) -> Iterator[Label]:
        """Names of the reference below its line, of the bar above it, at the left."""
        off = 9 / LOW_SIDE * (self.y.high - self.y.low)
        for k, (words, level) in enumerate(self.levels.items()):
            aside = (text_width(words) / 2 + 6) / self.width
            yield Label(self.x.value(aside), level + (off if k else -off), words, "muted-words")

    def _event_marks(self) -> tuple[list[Segment], list[Label]]:
        """Upright lines at alarms, changes and true moments, with their names where there is room."""
        ends = [(float(one.events), _mark_role(one.kind), one.name) for one in self.shown.happenings]
        ends += [(float(moment), "reference", "true change") for moment in self.shown.moments]
        times = Counter(name for _, _, name in ends)
        marks = [Segment((at, self._mark_length(times[name])), (at, self.y.high), role) for at, role, name in ends]
        taken: list[list[tuple[float, float]]] = [[] for _ in range(NAME_ROWS)]
        names: list[Label] = []
        said: Counter[str] = Counter()
        # Alarms first: they are what must not go without a name.
        for at, role, name in sorted(ends, key=lambda end: (end[1] != "mark", end[0])):
            if said[name] < MOST_NAMED and (label := self._mark_label(at, role, name, taken)) is not None:
                said[name] += 1
                names.append(label)
        return marks, names

    def _mark_length(self, times: int) -> float:
        """How far down a mark reaches: where there are many of a kind they hang from the top, so as to hide no line."""
        return self.y.low if times <= MOST_WHOLE else self.y.high - HANGING * (self.y.high - self.y.low)

    def _mark_label(self, at: float, role: str, name: str, taken: list[list[tuple[float, float]]]) -> Label | None:
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


def _mark_role(kind: int | None) -> str:
    return "mark" if kind is None else f"change-{kind % len(CHANGES)}"


def _limit_values(found: Sequence[Estimate | None], part: str) -> Floats:
    return np.array([math.nan if each is None else getattr(each, part) for each in found], dtype=np.float64)


# Cells of so many classes have room for shares.
MOST_WITH_SHARES = 6


def matrix_at(shown: WatchShown) -> list[Block] | None:
    """The matrix of the main view as of now; the page's script shows other moments in its place."""
    if not shown.has_matrix:
        return None
    names, k = shown.now.classes, len(shown.now.classes)
    order, cells = _class_order(k), counts_at(shown.now, shown.now.classes)
    heading = Heading(f"Confusion matrix, {shown.views[shown.watch.main]}")
    rows = tuple((Cell(shortened(names[i], 16)), tuple(_matrix_cell(cells, i, j, k) for j in order)) for i in order)
    columns = tuple(shortened(names[j], 16) for j in order)
    grid = Grid("True label", columns, rows, across="Predicted label", is_matrix=True, is_plain=k > 2)
    is_fading = shown.watch.run.view(shown.watch.main).spec.kind == "fading"
    fades = [Sentence("Counts are the faded weights of events.")] if is_fading else []
    return [heading, grid, Sentence(f"As of event {count(shown.now.events)}, the last."), *fades]


def _class_order(classes: int) -> list[int]:
    """Two classes are shown as textbooks do, the positive one first."""
    return [1, 0] if classes == 2 else list(range(classes))


def _matrix_cell(cells: list[list[float]], i: int, j: int, classes: int) -> Cell:
    note = "" if classes > MOST_WITH_SHARES else _cell_shares(cells, i, j)
    return Cell(count(cells[i][j]), note, is_match=i == j, out=f"cell-{i}-{j}")


def _cell_shares(cells: list[list[float]], i: int, j: int) -> str:
    wholes = {"row": sum(cells[i]), "column": sum(row[j] for row in cells)}
    return ", ".join(f"{_percentage(cells[i][j], whole)} of {name}" for name, whole in wholes.items())


def _percentage(part: float, whole: float) -> str:
    return percent(part / whole) if whole else "\u2013"


def counts_at(moment: Moment, classes: tuple[str, ...]) -> list[list[float]]:
    """The counts of a moment in the order of the classes known now; those not met then have none."""
    place = {name: k for k, name in enumerate(moment.classes)}
    return [[moment.matrix[place[i]][place[j]] if i in place and j in place else 0.0 for j in classes] for i in classes]


def values_at(shown: WatchShown) -> list[Block]:
    """Every measure under every view as of now, with the limits of one look."""
    level = f"{100 * shown.watch.level:g} % limits at one time point"
    columns = tuple(words for view in shown.views.values() for words in (view, level))
    values = _moment_values(shown, shown.now)
    rows = []
    for i, title in enumerate(shown.measures.values()):
        cells = [
            Cell(words, out=f"value-{i}-{j}-{part}")
            for j, pair in enumerate(values[i])
            for part, words in enumerate(pair)
        ]
        rows.append((Cell(title), tuple(cells)))
    heading = Heading("All measures at that event")
    note = Sentence("Without limits: see \u201cValidity of the limits\u201d for the reason.")
    return [heading, Grid("Measure", columns, tuple(rows)), note]


def _moment_values(shown: WatchShown, moment: Moment) -> list[list[tuple[str, str]]]:
    return [
        [estimate_words(moment.estimates.get(view, {}).get(name)) for view in shown.views] for name in shown.measures
    ]


def stops_words(moment: Moment, is_last: bool = False) -> str:
    """What is said of a moment in one line."""
    last = ", the last" if is_last else ""
    rang = f"; {len(moment.alarms)} of the alarms active" if moment.alarms else ""
    return (
        f"After {count(moment.events)} events{last}: error since the start {with_limits(moment.error, 'every')}{rang}."
    )


def stops_data(shown: WatchShown) -> dict[str, Any]:
    """What the page's script needs: of each moment its events, its sentence, its values and its counts."""
    stops = []
    for moment in shown.stops:
        stop: dict[str, Any] = {
            "events": moment.events,
            "said": stops_words(moment, moment is shown.now),
            "values": _moment_values(shown, moment),
        }
        if shown.has_matrix:
            stop["counts"] = [[_plain_number(cell) for cell in row] for row in counts_at(moment, shown.now.classes)]
        stops.append(stop)
    return {"stops": stops}


def _plain_number(cell: float) -> float | int:
    """Counts without a point; what is left of fading events to six digits."""
    return round(cell) if cell == math.floor(cell) else float(f"{cell:.6g}")


MOST_HAPPENINGS = 100
ONE_LOOK = (
    "Limits of windows and of all events so far, by the long-run variance of the influence values, which allows for "
    "autocorrelated errors. Valid at a single time point chosen in advance, not for repeated looks or for the worst "
    "moment of a figure; for monitoring use the anytime-valid limits."
)
EVERY_LOOK = (
    "Limits of the error since the start, by betting (Waudby-Smith & Ramdas 2024): anytime-valid, for any number of "
    "looks, if the conditional mean of the error is constant. If the error changes, it was above the lower limit at "
    "some time, and below the upper one at some time."
)
DETECTORS = (
    "A detector reports that the error changed, without a guaranteed false-alarm rate: on a stream without changes it "
    "will report one sooner or later."
)
NO_ALARM = "No reference error rate, so no alarm is possible: pass reference="


def about_stream(shown: WatchShown) -> list[str]:
    """What was watched: events, classes, views."""
    classes = len(shown.now.classes)
    kinds = [f"{classes} classes"] if classes else []
    views = ", ".join(shown.views.values())
    looks = f"{counted(len(shown.kept), 'time point')} stored"
    return ["a stream", counted(shown.watch.events, "event"), *kinds, views, looks]


def stream_verdict(shown: WatchShown) -> str:
    """Whether the error has risen, since when, and what rang; the objection first where there is one."""
    rung = shown.rung
    if not shown.watch.alarms:
        return _changes_sentence(shown)
    alarm = shown.watch.alarms[0]
    above = f"{number(alarm.margin)} above {alarm.reference.words}"
    objection = ""
    if shown.clings:
        objection = f"Errors depend on previous ones ({shown.clings}), so the level is approximate; "
    if not rung:
        found = f"no alarm in {count(shown.watch.events)} events: the error is not significantly more than {above}"
        return _capitalized(f"{objection}{found}")
    since = "" if shown.since is None else f" since about event {count(shown.since)}"
    first = count((rung[0].rang_at or 0) + 1)
    return _capitalized(f"{objection}the error is significantly more than {above}{since}: alarm after {first} events")


def _changes_sentence(shown: WatchShown) -> str:
    changes = shown.watch.changes
    if not shown.watch.detectors:
        return f"{counted(shown.watch.events, 'event')} evaluated; no alarm or detector: pass a reference or a detector"
    if not changes:
        return f"No change detected in {counted(shown.watch.events, 'event')}; no alarm without a reference"
    last = changes[-1]
    found = f"{counted(len(changes), 'change')} detected, the last by {last.detector} after {count(last.events)} events"
    return f"{found}; no alarm without a reference"


def _capitalized(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def stream_sections(shown: WatchShown) -> dict[str, list[Block]]:
    """All sections of the page that have something to say, in its order."""
    found: dict[str, list[Block] | None] = {
        "error": error_figure(shown),
        "moment": matrix_at(shown),
        **dict(panels(shown)),
        "values": values_at(shown),
        "happenings": _event_blocks(shown),
        "detections": _detection_blocks(shown),
        "cautions": _caution_blocks(shown),
        "limits": _limit_blocks(shown),
        "reproduce": _reproduction_blocks(shown),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def stream_lede(shown: WatchShown) -> str:
    """What the sentence rests on, and what is known now."""
    parts = [f"error since the start {with_limits(shown.now.error, 'every')}"]
    if shown.lately is not None:
        lately = with_limits(shown.lately, "one")
        parts.append(f"{shown.views[shown.watch.main]} {lately}{_margin_sentence(shown)}")
    names: dict[str, int] = {}
    for change in shown.watch.changes:
        names[change.detector] = names.get(change.detector, 0) + 1
    parts += [f"{name}: {counted(times, 'change')}" for name, times in names.items()]
    if shown.judged:
        parts.append(f"{counted(len(shown.moments), 'true change')} known")
    return " \u00b7 ".join(parts)


def _margin_sentence(shown: WatchShown) -> str:
    found, bar = shown.lately, shown.bar
    if found is None or bar is None or math.isnan(found.low):
        return ""
    where = "above" if found.low > bar else "below" if found.high < bar else ""
    return f", {where} the bar {number(bar)}" if where else f", not significantly above or below the bar {number(bar)}"


def _event_blocks(shown: WatchShown) -> list[Block]:
    heading = Heading("Alarms and changes")
    if not shown.happenings:
        return [heading, Sentence(_no_alarm_sentence(shown))]
    # Alarms stay, however many changes there are.
    rung = [one for one in shown.happenings if one.kind is None]
    room = MOST_HAPPENINGS - len(rung)
    changes = [one for one in shown.happenings if one.kind is not None]
    kept = sorted([*rung, *changes[-room:]], key=lambda one: one.events)
    rows = [(count(one.events), (one.name, tamed(one.says))) for one in kept]
    left = len(shown.happenings) - len(kept)
    more = [Sentence(f"{counted(left, 'earlier change')} are left out here.")] if left else []
    silent = [Sentence(f"No alarm: {tamed(alarm.words)}.") for alarm in shown.watch.alarms if not alarm.rings]
    return [heading, grid("After events", ("Event", "Message"), rows), *more, *silent]


def _no_alarm_sentence(shown: WatchShown) -> str:
    said = "; ".join(tamed(alarm.words) for alarm in shown.watch.alarms)
    return f"{_capitalized(said)}." if said else f"No alarms and no changes detected. {NO_ALARM}0.1."


def _detection_blocks(shown: WatchShown) -> list[Block] | None:
    if not shown.judged:
        return None
    rows = []
    for name, found in shown.judged.items():
        share, between = found.found_share(), found.between_false_alarms()
        delay = found.delay()
        cells = (
            f"{len(found.moments) - found.missed} of {len(found.moments)}",
            "\u2013" if math.isnan(share.low) else f"[{share.low:.2f}, {share.high:.2f}]",
            "\u2013" if math.isnan(delay.value) else f"{delay.value:,.0f}",
            count(len(found.false_alarms)),
            f"at least {between.low:,.0f}" if not math.isfinite(between.value) else f"{between.value:,.0f}",
        )
        rows.append((name, cells))
    columns = ("Detected", "95 % limits of the share", "Mean delay", "False alarms", "Events between false alarms")
    first = next(iter(shown.judged.values()))
    within = "before the next one" if first.tolerance is None else f"within {counted(first.tolerance, 'event')}"
    moments = ", ".join(count(moment) for moment in shown.moments)
    note = f"True changes at {moments}. A change is detected by the first alarm {within}; every other alarm is false."
    return [Heading("Performance of the detectors"), grid("Detector", columns, rows), Sentence(note)]


def _caution_blocks(shown: WatchShown) -> list[Block] | None:
    # What holds at one look is said of every limit further down.
    said = [words for words in shown.watch.cautions if words != USED_UP]
    items = [Note("stream", tamed(f"{_capitalized(words)}.")) for words in said]
    if shown.misfit:
        items.insert(0, Note("error", f"{_capitalized(shown.misfit)}."))
    return [Heading("Cautions"), Notes(tuple(items))] if items else None


def _limit_blocks(shown: WatchShown) -> list[Block]:
    items = [Note("anytime-valid", EVERY_LOOK), Note("one time point", ONE_LOOK)]
    items += [Note("alarms", _alarm_description(shown))]
    items += [Note("changes", DETECTORS)] if shown.watch.detectors else []
    for view, words in shown.views.items():
        why = dict.fromkeys(
            found.undefined
            for name in shown.measures
            if (found := shown.now.estimates[view].get(name)) is not None and found.undefined
        )
        items += [Note(f"none, {words}", tamed(f"{_capitalized(reason)}.")) for reason in why]
    return [Heading("Validity of the limits"), Notes(tuple(items))]


def _alarm_description(shown: WatchShown) -> str:
    alarms = shown.watch.alarms
    if not alarms:
        return f"{NO_ALARM}0.1."
    alpha, bar = sum(alarm.alpha for alarm in alarms), number(alarms[0].bar)
    return (
        f"One alarm tests the error since the start, one a rise at any time (Shin, Ramdas & Rinaldo 2023), each at "
        f"{alpha / 2:g}: together their false-alarm rate per stream is at most {alpha:g}, for any number "
        f"of looks, while the conditional mean of the error is at or below the bar {bar}."
    )


def _reproduction_blocks(shown: WatchShown) -> list[Block]:
    call = f"watch = streams.watch({_watch_options(shown)})"
    given = "".join(f", {name}={value!r}" for name, value in (("moments", list(shown.moments)),
                    ("tolerance", shown.tolerance)) if value)  # fmt: skip
    lines = [
        "from assay import streams",
        visible(call),
        "watch.update_many(truth, ...)  # the events, in their order",
        f"watch.report('stream.html'{given})",
    ]
    items = (Note("Python", "\n".join(lines), is_code=True), versions("numpy", "scipy"))
    return [Heading("Reproduce"), Notes(items)]


def _watch_options(shown: WatchShown) -> str:
    """What the watch was asked for otherwise than by default, as Python has it."""
    defaults = {name: each.default for name, each in inspect.signature(watch).parameters.items()}
    given = {name: value for name, value in shown.watch.options.items() if name in defaults}
    views = ", ".join(f"streams.{_view_call(spec)}" for spec in given.pop("views"))
    # Losses of a reference are the user's own data, and a page holds none.
    others = [
        f"{name}={'LOSSES' if isinstance(value, list) and name == 'reference' else repr(value)}"
        for name, value in given.items()
        if value != defaults[name]
    ]
    return ", ".join([f"views=({views},)", *others])


def _view_call(spec: ViewSpec) -> str:
    asked = {"": spec.events, "seconds=": spec.seconds, "factor=": spec.factor if spec.factor < 1 else None}
    return f"{spec.kind}({''.join(f'{name}{value!r}' for name, value in asked.items() if value is not None)})"


# How many of twelve columns sections take; those not named take all of them.
COLUMNS = {"error": 8, "moment": 4}
# Of so many classes the matrix needs the whole width.
FEW_CLASSES = 3


def render_stream(shown: WatchShown) -> str:
    """The page: figures, and a slider over the moments that its script moves."""
    is_narrow = shown.has_matrix and len(shown.now.classes) <= FEW_CLASSES
    parts = [Part(name, _section_shape(name, is_narrow), blocks) for name, blocks in stream_sections(shown).items()]
    stops = {"last": len(shown.stops) - 1, "said": stops_words(shown.now, True), "lede": stream_lede(shown)}
    return render_watched(about_stream(shown), stream_verdict(shown), parts, {"stream": stops_data(shown)}, stops)


def _section_shape(name: str, is_narrow: bool) -> str:
    if name.startswith("panel"):
        return "c4"
    return f"c{COLUMNS.get(name, 12) if is_narrow else 12}"


@renders("page", StreamWatch)
def write_stream(
    watch: StreamWatch, path: str | os.PathLike[str], moments: tuple[int, ...] = (), tolerance: int | None = None
) -> None:
    """Write that page; a name that ends in .txt, .md or .json gets the same as text, Markdown or a record."""
    shown = WatchShown(watch, moments, tolerance)
    forms = {".txt": lambda: render_blocks(_page_blocks(shown), full=True),
             ".md": lambda: markdown_blocks(_page_blocks(shown)),
             ".json": lambda: json_text(_page_record(shown))}  # fmt: skip
    write_page(forms.get(PurePath(path).suffix.lower(), lambda: render_stream(shown)), path)


def _page_blocks(shown: WatchShown) -> list[Block]:
    """What a page says, in words and tables: figures say their captions."""
    sections = stream_sections(shown).values()
    first: list[Block] = [Heading(stream_verdict(shown)), Sentence(stream_lede(shown))]
    blocks = [*first, *(block for section in sections for block in section)]
    return [Sentence(block.caption) if isinstance(block, Picture) else block for block in blocks]


def _page_record(shown: WatchShown) -> dict[str, object]:
    judged = {name: {"words": found.words, **found.table().to_dict()} for name, found in shown.judged.items()}
    return {
        "schema": "assay.stream-report/1",
        "said": stream_verdict(shown),
        "rings": shown.watch.has_alarm,
        "alarms": [alarm.words for alarm in shown.watch.alarms],
        "changes": [change.to_dict() for change in shown.watch.changes],
        "cautions": list(shown.watch.cautions),
        "moments": [moment.to_dict() for moment in shown.kept],
        **({"detections": judged} if judged else {}),
    }


@renders("view", StreamWatch)
def show_stream(watch: StreamWatch) -> str:
    """A watch in a notebook: what it says, and the error over time."""
    if not watch.events:
        return render_fragment([Sentence(repr(watch))])
    shown = WatchShown(watch)
    return render_fragment([Heading(stream_verdict(shown)), *stream_sections(shown)["error"][1:]])
