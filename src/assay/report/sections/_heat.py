"""The heat map of a confusion matrix of many classes: the darker a square, the more of a true class is called so."""

from __future__ import annotations

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.measures import f1, ratio
from assay.plots import Figure
from assay.plots.figure import Axis, Tiles, linear_ticks
from assay.plots.style import SHADES
from assay.report.blocks import Picture
from assay.report.words import percent, shortened
from assay.results import Table
from assay.types import Floats

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
        x=Axis("Called, by rank of F1", _ticks(size)),
        y=Axis("True class, by rank of F1", _ticks(size)),
        lines=(),
        dots=(),
        labels=(),
        notes=(),
        drawn=size,
        points=len(matrix.classes),
        is_square=True,
        tiles=_tiles(share),
    )
    kept = f"the {size} of {len(matrix.classes):,} classes with the lowest F1" if size < len(matrix.classes) else "all"
    white = f"white below {percent(FROM[0])}"
    subtitle = f"share of each true class, {kept}, lowest F1 first, {white}; right answers lie on the diagonal"
    return Picture(figure, _caption(matrix), subtitle, _table(matrix, order))


def _ticks(size: int) -> tuple[float, ...]:
    inner = tuple(tick for tick in linear_ticks(0, size) if 0 < tick < size)
    return (0.0, *inner, float(size))


def _tiles(share: Floats) -> tuple[Tiles, ...]:
    """The squares of each shade; those below the first share are left white."""
    shade = np.searchsorted(FROM, np.nan_to_num(share), side="right")
    found = []
    for k in range(1, SHADES + 1):
        rows, columns = np.nonzero(shade == k)
        if len(rows):
            found.append(Tiles(columns.astype(np.float64), rows.astype(np.float64), f"heat-{k - 1}"))
    return tuple(found)


def _caption(matrix: ConfusionMatrix) -> str:
    recall = ratio(np.diagonal(matrix.counts), matrix.actual)
    held = np.isfinite(recall)
    poor = int((recall[held] < 0.5).sum())
    return f"Of {int(held.sum()):,} classes, {poor:,} have fewer than half of their cases called rightly."


def _table(matrix: ConfusionMatrix, order: list[int]) -> Table:
    """For the classes with the lowest F1, what they are most often taken for."""
    wrong = matrix.counts.copy()
    np.fill_diagonal(wrong, 0)
    shown = order[:MOST_NAMED]
    taken = [int(wrong[i].argmax()) for i in shown]
    return Table(
        {
            "rank": list(range(1, len(shown) + 1)),
            "class": [shortened(matrix.classes[i], 24) for i in shown],
            "most often taken for": [
                shortened(matrix.decisions[j], 24) if wrong[i, j] else "nothing else"
                for i, j in zip(shown, taken, strict=True)
            ],
            "share": [
                percent(float(wrong[i, j] / matrix.actual[i])) if matrix.actual[i] else "-"
                for i, j in zip(shown, taken, strict=True)
            ],
        }
    )
