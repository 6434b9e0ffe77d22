"""From curves to a figure: which points, which labels where, which notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from assay.curves import Drawable, Drawing, Ruler, Trace
from assay.errors import OptionError, UnknownName
from assay.measures import find
from assay.plots.figure import Area, Axis, Dot, Figure, Line, Segment, SideNote, axis_of, clipped, thinned
from assay.plots.labels import FAR_AWAY, end_letters, letter, notes_box, placed_labels, plot_of
from assay.plots.style import area_role, model_role, text_role
from assay.results import Estimate
from assay.text import bracketed, shortened, threshold_words, value_words
from assay.types import Floats

# Points kept of one curve; where there are more curves than this they share what that many may have.
KNOTS = 1500
CURVES_IN_FULL = 3
# Names on a plot are no longer than this.
LONGEST_NOTE = 16
# From so many models on letters stand beside the plot: on it they would hide the curves.
FEWEST_BESIDE = 3

# What stands beside the plot for a title that is too long.
SHORT: Mapping[str, str] = MappingProxyType({"average_precision": "AP"})
# Measures that a page's script works out at any threshold, so that what is written beside a plot never falls behind.
FOLLOWING = ("recall", "specificity", "precision", "npv", "accuracy", "f1", "fpr")

NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class OperatingPoint:
    """Where a classifier's decisions stand on a curve; the threshold is None where labels were given."""

    x: Estimate
    y: Estimate
    threshold: float | None


class BandLike(Protocol):
    """Lower and upper limits of a curve over places on its x axis."""

    @property
    def x(self) -> Floats: ...
    @property
    def low(self) -> Floats: ...
    @property
    def high(self) -> Floats: ...


def draw_curve(
    curves: Mapping[str, Drawable | Drawing | None],
    *,
    operating_points: Mapping[str, OperatingPoint] = NONE,
    summaries: Mapping[str, Estimate] = NONE,
    bands: Mapping[str, BandLike] = NONE,
    knots: int = KNOTS,
) -> Figure:
    """One figure of curves of the same kind, by model name; a single model may be called "".

    A model without a curve is left out and yet keeps its place, so that the others look as they do beside it. What
    curves are read against is drawn once, as the first of them has it.

    >>> from assay.curves import roc
    >>> from assay.evidence import ScoreTable
    >>> figure = draw_curve({"": roc(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, False, True, True]))})
    >>> figure.title, figure.x.title, figure.drawn, figure.points
    ('ROC curve', 'False-positive rate', 3, 5)
    """
    shown = {name: drawing for name, curve in curves.items() if (drawing := _drawing_of(curve)) is not None}
    if not shown:
        raise OptionError("there is no curve to draw: the true labels have a single class", "cases of both classes")
    place = {name: k for k, name in enumerate(curves)}
    drawings = list(shown.values())
    first = drawings[0]
    x, y = (_axis(drawings, direction) for direction in ("x", "y"))
    pens = [
        _Pen(name, place[name], len(place), x, y, min(knots, CURVES_IN_FULL * knots // len(shown))) for name in shown
    ]
    lines = tuple(line for pen, drawing in zip(pens, drawings, strict=True) for line in pen.lines(drawing, first))
    named = lines if len(place) >= FEWEST_BESIDE else ()
    points = {name: point for name, point in operating_points.items() if name in shown and _has_coordinates(point)}
    own = (Dot(point.x.value, point.y.value, model=place[name]) for name, point in points.items())
    dots = (*_threshold_dots(shown, place), *own)
    figure = Figure(
        name=first.name,
        title=first.title,
        x=x,
        y=y,
        lines=lines,
        dots=dots,
        labels=(),
        notes=(*_threshold_note(points), *_model_notes(list(shown), place, summaries)),
        drawn=sum(len(line.x) for line in lines if line.role not in ("reference", "faint")),
        points=sum(drawing.points for drawing in drawings),
        off_by=max(pen.off_by for pen in pens),
        is_square=first.is_square,
        areas=tuple(_areas(shown, place, bands, y)),
        rules=tuple(_interval_segments(points, place)),
        letters=end_letters(named, x, y),
    )
    return labelled(figure)


def labelled(figure: Figure) -> Figure:
    """The figure with the words of its lines and dots where neither curves nor notes stand."""
    # Models whose letters stand beside the plot need none on it.
    on_plot = tuple(
        replace(line, label="") if figure.letters and line.model is not None else line for line in figure.lines
    )
    free = _note_corner_points(replace(figure, labels=()))
    return replace(figure, labels=placed_labels(on_plot, figure.dots, figure.x, figure.y, free))


def _note_corner_points(figure: Figure) -> Floats:
    """Points all over the corner where the notes will stand, as shares of the plot's sides."""
    plot = plot_of(figure)
    box = notes_box(figure, plot)
    if box is None:
        return FAR_AWAY
    across, down = np.meshgrid(*(np.linspace(box[k], box[k + 2], 6) for k in (0, 1)))
    right, up = (across - plot.left) / plot.width, 1 - (down - plot.top) / plot.height
    return np.column_stack((right.ravel(), up.ravel()))


def _drawing_of(curve: Drawable | Drawing | None) -> Drawing | None:
    """What there is to draw of a curve; nothing where there is no curve."""
    if curve is None or isinstance(curve, Drawing):
        return curve
    return curve.drawing() if curve.is_defined else None


def _axis(drawings: list[Drawing], direction: str) -> Axis:
    """The axis that holds what all drawings have to show, apart from what they are read against."""
    ruler: Ruler = getattr(drawings[0], direction)
    if ruler.ends is not None:
        return axis_of(ruler, np.empty(0))
    values = [
        getattr(part, direction)
        for drawing in drawings
        for part in (*(trace for trace in drawing.traces if trace.role != "reference"), *drawing.spots)
    ]
    return axis_of(ruler, np.concatenate([np.atleast_1d(value) for value in values]))


class _Pen:
    """Draws the lines of one model, and remembers how far off it was."""

    def __init__(self, name: str, place: int, models: int, x: Axis, y: Axis, knots: int) -> None:
        self.name, self.place, self.models = name, place, models
        self.x, self.y, self.knots = x, y, knots
        self.off_by = 0.0

    def lines(self, drawing: Drawing, first: Drawing) -> Iterator[Line]:
        """Every line of a drawing; those to read curves against only from the first."""
        for trace in drawing.traces:
            if trace.base is None and (drawing is first or trace.role in ("model", "positives", "negatives")):
                x, y, off_by = thinned(trace.x, trace.y, self.x, self.y, self.knots)
                self.off_by = max(self.off_by, off_by)
                x, y = clipped(x, y, self.x, self.y)
                whose = self.place if trace.role == "model" else None
                yield Line(x, y, self.role(trace), self.name or trace.name, self._label(trace), whose)

    def role(self, trace: Trace) -> str:
        """Models have looks of their own, everything else looks like what it is."""
        return model_role(self.place) if trace.role in ("model", "positives") else trace.role

    def _label(self, trace: Trace) -> str:
        if trace.role not in ("model", "positives") or self.models == 1:
            return trace.name
        return letter(self.place)


def _areas(
    shown: Mapping[str, Drawing], place: Mapping[str, int], bands: Mapping[str, BandLike], up: Axis
) -> Iterator[Area]:
    """Bands around curves, and whatever a drawing fills itself; cut at the edges of the plot."""
    for name, drawing in shown.items():
        for trace in drawing.traces:
            if trace.base is not None:
                role = "negatives-area" if trace.role == "negatives" else area_role(place[name])
                yield Area(trace.x, trace.base, np.clip(trace.y, up.low, up.high), role, place[name])
        if name in bands:
            band = bands[name]
            is_there = np.isfinite(band.low) & np.isfinite(band.high)
            low, high = (np.clip(limit[is_there], up.low, up.high) for limit in (band.low, band.high))
            yield Area(band.x[is_there], low, high, area_role(place[name]), place[name])


def _threshold_dots(shown: Mapping[str, Drawing], place: Mapping[str, int]) -> Iterator[Dot]:
    for name, drawing in shown.items():
        for spot in drawing.spots:
            yield Dot(spot.x, spot.y, f"{model_role(place[name])}-dot", spot.name, place[name])


def _interval_segments(points: Mapping[str, OperatingPoint], place: Mapping[str, int]) -> Iterator[Segment]:
    """The intervals of an operating point, along either axis."""
    for name, point in points.items():
        x, y = point.x, point.y
        if math.isfinite(x.low):
            yield Segment((x.low, y.value), (x.high, y.value), "whisker-x", place[name])
        if math.isfinite(y.low):
            yield Segment((x.value, y.low), (x.value, y.high), "whisker-y", place[name])


def _has_coordinates(point: OperatingPoint) -> bool:
    return math.isfinite(point.x.value) and math.isfinite(point.y.value)


def _threshold_note(points: Mapping[str, OperatingPoint]) -> tuple[SideNote, ...]:
    """What the orange dot stands for; its rates too where there is only one."""
    if not points:
        return ()
    thresholds = {point.threshold for point in points.values()}
    only = next(iter(thresholds)) if len(thresholds) == 1 else math.nan
    if only is None:
        heading = "as predicted"
    else:
        heading = "own thresholds" if math.isnan(only) else f"threshold {threshold_words(only)}"
    point = next(iter(points.values()))
    shown = [e for e in (point.y, point.x) if e.name in FOLLOWING] if len(points) == 1 else []
    lines = tuple(line for estimate in shown for line in _estimate_lines(estimate))
    first = ("decided-note", "") if only is None else ("threshold", "threshold ")
    outs = (first, *(out for estimate in shown for out in _output_attributes(estimate)))
    # Of several models a page's script writes the whole heading.
    outs = (("decided-all", ""),) if len(points) > 1 else outs
    return (SideNote(heading, "threshold-words", lines, "top", outs),)


def _model_notes(names: list[str], place: Mapping[str, int], summaries: Mapping[str, Estimate]) -> tuple[SideNote, ...]:
    """What sums up each model: of one in rows, of several in a row each below the measure's name."""
    is_single = len(place) == 1
    titles = dict.fromkeys(_short_title(summaries[name].name) for name in names if name in summaries)
    notes = [] if is_single else [SideNote("", "words", ((title, True),), "bottom", is_row=True) for title in titles]
    for name in names:
        heading = name if is_single else f"{letter(place[name])} {name}"
        lines = _estimate_lines(summaries[name]) if name in summaries else ()
        if not is_single and lines:
            lines = ((value_words(summaries[name]), False), *lines[1:])
        if heading or lines:
            role = text_role(model_role(place[name]))
            notes.append(SideNote(shortened(heading, LONGEST_NOTE), role, lines, "bottom", is_row=not is_single))
    return tuple(notes)


def _estimate_lines(estimate: Estimate) -> tuple[tuple[str, bool], ...]:
    limits = bracketed(estimate)
    lines: tuple[tuple[str, bool], ...] = ((f"{_short_title(estimate.name)} {value_words(estimate)}", False),)
    return (*lines, (limits, True)) if limits else lines


def _output_attributes(estimate: Estimate) -> tuple[tuple[str, str], ...]:
    """What a page's script writes in place of the lines of an estimate."""
    outs = ((estimate.name, f"{_short_title(estimate.name)} "),)
    return (*outs, (f"{estimate.name}-limits", "")) if bracketed(estimate) else outs


def _short_title(name: str) -> str:
    try:
        title = find(name).title
    except UnknownName:
        title = name
    if len(title) > LONGEST_NOTE - 6:
        return SHORT.get(name, name.replace("_", " ").upper())
    # Inside a note nothing but an acronym begins with a capital.
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def figure_of(result: Any) -> Figure:
    """Return the figure of a result: a curve is drawn, other results have one of their own."""
    figure: Figure = draw_curve({"": result}) if isinstance(result, Drawable) else result.figure()
    return figure
