"""From curves to a figure: which points, which labels where, which notes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from assay.curves import Curve, Sweep
from assay.measures import Measure, find
from assay.plots.figure import Axis, Dot, Figure, Floats, Label, Line, Note
from assay.plots.style import model_role, text_role
from assay.plots.words import bracketed, number, shortened, threshold_words
from assay.results import Estimate

__all__ = ["KNOTS", "OperatingPoint", "draw_curve"]

# Points kept of one curve, and of all curves of a figure together.
KNOTS = 1500
KNOTS_IN_ALL = 4500
# A margin text longer than this leaves the frame on a phone.
LONGEST_NOTE = 16
# How far a label stands off its curve, as a share of an axis.
LABEL_DISTANCE = 0.05

NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class OperatingPoint:
    """Where a classifier's decisions stand on a curve; the threshold is None where labels were given."""

    x: Estimate
    y: Estimate
    threshold: float | None


def draw_curve(
    curves: Mapping[str, Curve | None],
    *,
    operating_points: Mapping[str, OperatingPoint] = NONE,
    summaries: Mapping[str, Estimate] = NONE,
) -> Figure:
    """One figure of curves of the same kind, by model name; a single model may be called "".

    A model without a curve is left out and yet keeps its place, so that the others look as they do beside it.

    >>> from assay.curves import roc
    >>> from assay.evidence import ScoreTable
    >>> figure = draw_curve({"": roc(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, False, True, True]))})
    >>> figure.title, figure.x.title, figure.drawn, figure.points
    ('ROC curve', 'False-positive rate', 3, 5)
    """
    shown = {name: curve for name, curve in curves.items() if curve is not None and curve.is_defined}
    if not shown:
        raise ValueError("there is no curve to draw: truth holds a single class")
    place = {name: k for k, name in enumerate(curves)}
    kind = next(iter(shown.values())).kind
    knots = min(KNOTS, KNOTS_IN_ALL // len(shown))
    thinned = {name: _thinned(curve, knots) for name, curve in shown.items()}
    lines = tuple(Line(x, y, model_role(place[name]), name) for name, (x, y, _) in thinned.items())
    chance = _chance(kind)
    points = {name: point for name, point in operating_points.items() if name in shown and _is_placed(point)}
    dots = tuple(Dot(point.x.value, point.y.value) for point in points.values())
    return Figure(
        name=kind.name,
        title=kind.title,
        x=Axis(kind.x.title),
        y=Axis(kind.y.title),
        lines=chance + lines,
        dots=dots,
        labels=_labels(chance, lines, dots, place),
        notes=(*_threshold_note(points), *_model_notes(list(shown), place, summaries)),
        drawn=sum(len(line.x) for line in lines),
        points=sum(len(curve) for curve in shown.values()),
        off_by=max(off_by for _, _, off_by in thinned.values()),
        is_square=kind.chance == ((0.0, 0.0), (1.0, 1.0)),
    )


def _chance(kind: Sweep) -> tuple[Line, ...]:
    if kind.chance is None:
        return ()
    x, y = np.array(kind.chance).T
    return (Line(x, y, "reference", "chance"),)


def _is_placed(point: OperatingPoint) -> bool:
    return math.isfinite(point.x.value) and math.isfinite(point.y.value)


def _thinned(curve: Curve, knots: int) -> tuple[Floats, Floats, float]:
    """The corners of a curve, or so many of them that none of the others is further away than the third number says.

    Corners are taken at equal steps of the way along the curve (right plus up), so those left out lie within one step.
    """
    corners = curve.corners()
    x, y = corners.x, corners.y
    if len(x) <= knots:
        return x, y, 0.0
    way = _way(x, y)
    steps = np.linspace(0.0, way[-1], knots)
    taken = np.minimum(np.searchsorted(way, steps), len(x) - 1)
    is_new = np.concatenate(([True], np.diff(taken) > 0))
    taken = taken[is_new]
    return x[taken], y[taken], float(steps[1])


def _way(x: Floats, y: Floats) -> Floats:
    """How far along the curve each point is."""
    return np.concatenate(([0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))))


def _along(line: Line, count: int) -> Floats:
    """Points at equal steps along a line."""
    way = _way(line.x, line.y)
    at = np.linspace(0.0, way[-1], count)
    return np.column_stack((np.interp(at, way, line.x), np.interp(at, way, line.y)))


def _labels(
    chance: tuple[Line, ...], lines: tuple[Line, ...], dots: tuple[Dot, ...], place: Mapping[str, int]
) -> tuple[Label, ...]:
    """A letter beside each of several curves and a word on the reference, each where there is most room."""
    taken = [np.array([[dot.x, dot.y]]) for dot in dots]
    samples = [_along(line, 200) for line in lines]
    labels: list[Label] = []
    for k, line in enumerate(lines if len(lines) > 1 else ()):
        others = samples[:k] + samples[k + 1 :] + taken
        x, y = _roomiest(_beside(samples[k]), np.concatenate(others))
        labels.append(Label(x, y, letter(place[line.name]), text_role(line.role)))
        taken.append(np.array([[x, y]]))
    for line in chance:
        x, y = _roomiest(_along(line, 41)[8:-6], np.concatenate(samples + taken))
        labels.append(Label(x, y, line.name, "muted-words"))
    return tuple(labels)


def _beside(points: Floats) -> Floats:
    """Places a label's distance off a curve, on either side, that lie on the plot."""
    middle = points[20:180:4]
    step = points[24:184:4] - points[16:176:4]
    across = np.column_stack((-step[:, 1], step[:, 0])) / np.maximum(np.hypot(*step.T), 1e-12)[:, None]
    places = np.concatenate((middle + LABEL_DISTANCE * across, middle - LABEL_DISTANCE * across))
    is_inside = ((places > LABEL_DISTANCE / 2) & (places < 1 - LABEL_DISTANCE / 2)).all(1)
    return places[is_inside] if is_inside.any() else middle


def _roomiest(places: Floats, obstacles: Floats) -> tuple[float, float]:
    """The place whose nearest obstacle is furthest away."""
    distance = np.hypot(*(places[:, None, :] - obstacles[None, :, :]).transpose(2, 0, 1))
    x, y = places[int(distance.min(1).argmax())]
    return float(x), float(y)


def letter(index: int) -> str:
    """A, B, ..., Z, A2, B2, ...: what a model is called on the plot.

    >>> letter(0), letter(27)
    ('A', 'B2')
    """
    turn, place = divmod(index, 26)
    return chr(ord("A") + place) + (str(turn + 1) if turn else "")


def _threshold_note(points: Mapping[str, OperatingPoint]) -> tuple[Note, ...]:
    """What the orange dot stands for; its rates too where there is only one."""
    if not points:
        return ()
    thresholds = {point.threshold for point in points.values()}
    only = next(iter(thresholds)) if len(thresholds) == 1 else math.nan
    if only is None:
        heading = "given labels"
    else:
        heading = "own thresholds" if math.isnan(only) else f"threshold {threshold_words(only)}"
    point = next(iter(points.values()))
    lines = (*_estimate_lines(point.y), *_estimate_lines(point.x)) if len(points) == 1 else ()
    return (Note(heading, "threshold-words", lines, "top"),)


def _model_notes(names: list[str], place: Mapping[str, int], summaries: Mapping[str, Estimate]) -> tuple[Note, ...]:
    notes = []
    for name in names:
        heading = name if len(place) == 1 else f"{letter(place[name])} {name}"
        lines = _estimate_lines(summaries[name]) if name in summaries else ()
        if heading or lines:
            notes.append(Note(shortened(heading, LONGEST_NOTE), text_role(model_role(place[name])), lines, "bottom"))
    return tuple(notes)


def _estimate_lines(estimate: Estimate) -> tuple[tuple[str, bool], ...]:
    limits = bracketed(estimate)
    lines: tuple[tuple[str, bool], ...] = ((f"{_short_title(find(estimate.name))} {number(estimate.value)}", False),)
    return (*lines, (limits, True)) if limits else lines


def _short_title(measure: Measure) -> str:
    return measure.title if len(measure.title) <= LONGEST_NOTE - 6 else measure.name.replace("_", " ").upper()
