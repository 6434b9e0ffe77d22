"""How a curve becomes a picture of a page: one figure of all models, thinned, with the numbers behind it.

The heat map of a confusion matrix of many classes: the darker a square, the more of a true class is called so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard, TypeVar

import numpy as np

from assay.curves import Curve, Drawable, Drawing
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.measures import f1, ratio
from assay.plots import Figure, OperatingPoint, draw_curve
from assay.plots.figure import Axis, Dot, Segment, Tiles, linear_ticks
from assay.plots.labels import letter
from assay.plots.style import SHADES
from assay.report.blocks import Picture
from assay.report.wording import count, model_names, number, percent, shortened
from assay.results import Estimate, Table
from assay.types import Floats

Kind = TypeVar("Kind", bound=Evaluation)

# Points of a curve that a page keeps: a plot is 312 units wide.
KNOTS = 400
# Rows of the table behind a figure, of all models together.
MOST_ROWS = 12


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of a curve over places on its x axis."""

    x: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Drawn:
    """A figure and, by model, what it was drawn from."""

    figure: Figure
    made: Mapping[str, Drawable | Drawing]


def has_both_classes(ev: Evaluation) -> TypeGuard[TwoClassEvaluation]:
    """Whether there are scores of two classes, and cases of both."""
    return isinstance(ev, TwoClassEvaluation) and ev.scores is not None and all(ev.class_sizes.values())


def scored(models: Mapping[str, Evaluation]) -> dict[str, TwoClassEvaluation]:
    """The models that have scores of two classes, and cases of both."""
    return {key: ev for key, ev in models.items() if has_both_classes(ev)}


def movable(models: Mapping[str, Evaluation]) -> dict[str, int]:
    """The models with a threshold that can be moved, numbered as the page's script numbers them.

    Where cases are hidden, decisions are known of all of them at the threshold that decided, and of some at others.
    """
    return {key: k for k, (key, ev) in enumerate(scored(models).items()) if not hides_cases(ev)}


def hides_cases(ev: TwoClassEvaluation) -> bool:
    """Whether some cases are in no cell that is shown, so that scores tell of the others alone."""
    reach = None if ev.scores is None else ev.scores.reach
    return reach is not None and reach.hidden > 0


def operating(ev: TwoClassEvaluation, x: str, y: str) -> OperatingPoint | None:
    """Where decisions stand by two measures of them; None where nothing was decided."""
    return None if ev.matrix is None else OperatingPoint(ev.estimate(x), ev.estimate(y), ev.threshold_used)


def drawn(
    models: Mapping[str, Evaluation],
    name: str,
    having: Mapping[str, Kind],
    make: Callable[[Kind], Drawable | Drawing | None],
    *,
    point: Callable[[Kind], OperatingPoint | None] = lambda ev: None,
    summary: Callable[[Kind], Estimate] | None = None,
    band: Callable[[Kind], Any] = lambda ev: None,
) -> Drawn | None:
    """One figure of a curve of every model `having` it; None where there is none.

    `point` says where decisions stand, `summary` what a note on the plot says, `band` what limits the curve has. Of
    several models the first alone has its band: more of them would hide one another.
    """
    names = model_names(models)
    made = {key: curve for key, ev in having.items() if (curve := make(ev)) is not None}
    if not made:
        return None
    first = next(iter(made))
    limits = band(having[first])
    figure = draw_curve(
        {names[key]: made.get(key) for key in models},
        operating_points={names[key]: found for key in made if (found := point(having[key])) is not None},
        summaries={} if summary is None else {names[key]: summary(having[key]) for key in made},
        bands={} if limits is None else {names[first]: limits},
        knots=KNOTS,
    )
    numbers = movable(models)
    to = {place: numbers.get(key) for place, key in enumerate(models)}
    return Drawn(numbered(replace(figure, name=name), to), made)


def numbered(figure: Figure, to: Mapping[int, int | None]) -> Figure:
    """The figure with its marks numbered as the page's script numbers the models."""

    def moved(marks: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(mark if mark.model is None else replace(mark, model=to[mark.model]) for mark in marks)

    lines, dots, areas, rules = (moved(marks) for marks in (figure.lines, figure.dots, figure.areas, figure.rules))
    return replace(figure, lines=lines, dots=dots, areas=areas, rules=rules)


def cut_at(models: Mapping[str, Evaluation], figure: Figure) -> Figure:
    """The figure with an upright line at the threshold of every model; hidden where it has none that can be seen."""
    low, high = figure.y.low, figure.y.high
    cuts = []
    for place, ev in enumerate(scored(models).values()):
        used = ev.threshold_used
        is_seen = used is not None and figure.x.low <= used <= figure.x.high
        x = used if used is not None and is_seen else figure.x.low
        cuts.append(Segment((x, low), (x, high), "cut", place, is_hidden=not is_seen))
    return replace(figure, rules=(*figure.rules, *cuts))


def best_dot(x: float, y: float, place: int | None) -> Dot:
    """The ring around the cheapest threshold."""
    return Dot(x, y, "optimum", model=place)


def points_drawn(figure: Figure) -> str:
    """How many points of how many are drawn, and what becomes of the others."""
    if figure.drawn >= figure.points:
        return f"All {count(figure.points)} points are drawn."
    left_out = f"within {number(figure.off_by)} of the line" if figure.off_by else "on straight lines between them"
    return f"{count(figure.drawn)} of {count(figure.points)} points are drawn, the others are {left_out}."


def pointwise(models: Mapping[str, Evaluation], found: Drawn) -> str:
    """Whose band is drawn and what it holds, where there is one."""
    return banded(models, found, "pointwise band") if found.figure.areas else ""


def banded(models: Mapping[str, Evaluation], found: Drawn, band: str) -> str:
    """The words for a band: beside other models it says whose it is.

    The first model drawn has it, and goes by the letter of its place on the page.
    """
    words = f"{100 * next(iter(models.values())).level:g} % {band}"
    first = list(models).index(next(iter(found.made)))
    return words if len(models) == 1 else f"{letter(first)} with its {words}"


def points_of(curve: Drawable | Drawing, most: int = MOST_ROWS) -> Table:
    """The table of a curve at some of its points, evenly taken: nobody reads a million rows."""
    assert isinstance(curve, Drawable)
    if not isinstance(curve, Curve) or len(curve) <= most:
        return some_rows(curve.table(), most)
    at = np.linspace(0, len(curve) - 1, most).round().astype(np.intp)
    return Curve(curve.kind, curve.x[at], curve.y[at], curve.threshold[at], curve.counts[at]).table()


def some_rows(table: Table, most: int = MOST_ROWS) -> Table:
    """A table of at most so many rows, evenly taken, the first and the last among them.

    >>> some_rows(Table({"x": list(range(100))}), 3).columns["x"]
    [0, 50, 99]
    """
    if len(table) <= most:
        return table
    taken = np.linspace(0, len(table) - 1, most).round().astype(np.intp).tolist()
    return Table({name: [values[i] for i in taken] for name, values in table.columns.items()}, table.title)


def exact(table: Table, columns: Mapping[str, str]) -> Table:
    """Some columns of a table, under other names."""
    return Table({title: table.columns[name] for name, title in columns.items()}, table.title)


# How columns of the tables behind figures are headed where their own names would not do.
HEADS = {"fpr": "FPR", "taken": "flagged share"}


def heads(*columns: str) -> dict[str, str]:
    """Return these columns of a table, each with its head."""
    return {name: HEADS.get(name, name) for name in columns}


def table_of(
    models: Mapping[str, Evaluation], tables: Mapping[str, Table], columns: Mapping[str, str] | None = None
) -> Table | None:
    """The numbers behind a figure: some rows of the table of each model, below one another."""
    if not tables:
        return None
    names, most = model_names(models), max(MOST_ROWS // len(tables), 4)
    parts = {key: some_rows(table if columns is None else exact(table, columns), most) for key, table in tables.items()}
    first = next(iter(parts.values()))
    joined: dict[str, list[Any]] = {
        name: [value for part in parts.values() for value in part.columns[name]] for name in first.columns
    }
    if any(names.values()):
        joined = {"model": [names[key] for key, part in parts.items() for _ in range(len(part))], **joined}
    return Table(joined, first.title)


# Squares of more classes could not be told apart.
MOST_CLASSES = 100
# The shares from which on squares are darker: errors are a few percent of a class, right answers most of it.
FROM = (0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 0.9)
# Classes that the table behind the picture names.
MOST_NAMED = 12


def by_f1(matrix: ConfusionMatrix) -> list[int]:
    """The classes that have an F1, the lowest first; then the others."""
    values = np.nan_to_num(np.where(matrix.actual > 0, f1(matrix.one_vs_rest()), np.nan), nan=2.0)
    return sorted(range(len(matrix.classes)), key=lambda k: (float(values[k]), k))


def heat_map(matrix: ConfusionMatrix) -> Picture:
    """Shares of each true class by what it is called, the classes in the order of their F1, the lowest first."""
    order = by_f1(matrix)[:MOST_CLASSES]
    share = ratio(matrix.counts, matrix.actual[:, None])[np.ix_(order, order)]
    size = len(order)
    figure = Figure(
        name="heat",
        title="Confusion of many classes",
        x=Axis("Predicted class, by rank of F1", _class_ticks(size)),
        y=Axis("True class, by rank of F1", _class_ticks(size)),
        lines=(),
        dots=(),
        labels=(),
        notes=(),
        drawn=size,
        points=len(matrix.classes),
        is_square=True,
        tiles=_shaded_tiles(share),
    )
    kept = f"the {size} of {len(matrix.classes):,} classes with the lowest F1" if size < len(matrix.classes) else "all"
    white = f"white below {percent(FROM[0])}"
    subtitle = f"share of each true class, {kept}, lowest F1 first, {white}; correct predictions on the diagonal"
    return Picture(figure, _matrix_caption(matrix), subtitle, _lowest_f1_table(matrix, order))


def _class_ticks(size: int) -> tuple[float, ...]:
    inner = tuple(tick for tick in linear_ticks(0, size) if 0 < tick < size)
    return (0.0, *inner, float(size))


def _shaded_tiles(share: Floats) -> tuple[Tiles, ...]:
    """The squares of each shade; those below the first share are left white."""
    shade = np.searchsorted(FROM, np.nan_to_num(share), side="right")
    found = []
    for k in range(1, SHADES + 1):
        rows, columns = np.nonzero(shade == k)
        if len(rows):
            found.append(Tiles(columns.astype(np.float64), rows.astype(np.float64), f"heat-{k - 1}"))
    return tuple(found)


def _matrix_caption(matrix: ConfusionMatrix) -> str:
    recall = ratio(np.diagonal(matrix.counts), matrix.actual)
    held = np.isfinite(recall)
    poor = int((recall[held] < 0.5).sum())
    return f"Of {int(held.sum()):,} classes, {poor:,} have a recall below 50 %."


def _lowest_f1_table(matrix: ConfusionMatrix, order: list[int]) -> Table:
    """For the classes with the lowest F1, what they are most often taken for."""
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    shown = order[:MOST_NAMED]
    taken = [int(wrong[i].argmax()) for i in shown]
    return Table(
        {
            "rank": list(range(1, len(shown) + 1)),
            "class": [shortened(matrix.classes[i], 24) for i in shown],
            "most often predicted as": [
                shortened(matrix.decisions[j], 24) if wrong[i, j] else "nothing else"
                for i, j in zip(shown, taken, strict=True)
            ],
            "share": [
                percent(float(wrong[i, j] / matrix.actual[i])) if matrix.actual[i] else "-"
                for i, j in zip(shown, taken, strict=True)
            ],
        }
    )
