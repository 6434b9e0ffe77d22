"""What is known at a chosen moment of a stream: the confusion matrix of the main view and every measure."""

from __future__ import annotations

import math
from typing import Any

from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections.stream_shown import WatchShown, estimate_words, with_limits
from assay.report.words import count, percent, shortened
from assay.streams import Moment

__all__ = ["matrix_at", "stops_data", "stops_words", "values_at"]

# Cells of so many classes have room for shares.
MOST_WITH_SHARES = 6


def matrix_at(shown: WatchShown) -> list[Block] | None:
    """The matrix of the main view as of now; the page's script shows other moments in its place."""
    if not shown.has_matrix:
        return None
    names, k = shown.now.classes, len(shown.now.classes)
    order, cells = _order(k), counts_at(shown.now, shown.now.classes)
    heading = Heading(f"Confusion matrix, {shown.views[shown.watch.main]}")
    rows = tuple((Cell(shortened(names[i], 16)), tuple(_cell(cells, i, j, k) for j in order)) for i in order)
    columns = tuple(shortened(names[j], 16) for j in order)
    grid = Grid("True class", columns, rows, across="Called", is_matrix=True, is_plain=k > 2)
    is_fading = shown.watch.run.view(shown.watch.main).spec.kind == "fading"
    fades = [Sentence("Events weigh what is left of them.")] if is_fading else []
    return [heading, grid, Sentence(f"As of event {count(shown.now.events)}, the last."), *fades]


def _order(classes: int) -> list[int]:
    """Two classes are shown as textbooks do, the positive one first."""
    return [1, 0] if classes == 2 else list(range(classes))


def _cell(cells: list[list[float]], i: int, j: int, classes: int) -> Cell:
    note = "" if classes > MOST_WITH_SHARES else _shares(cells, i, j)
    return Cell(count(cells[i][j]), note, is_match=i == j, out=f"cell-{i}-{j}")


def _shares(cells: list[list[float]], i: int, j: int) -> str:
    wholes = {"row": sum(cells[i]), "column": sum(row[j] for row in cells)}
    return ", ".join(f"{_share(cells[i][j], whole)} of {name}" for name, whole in wholes.items())


def _share(part: float, whole: float) -> str:
    return percent(part / whole) if whole else "\u2013"


def counts_at(moment: Moment, classes: tuple[str, ...]) -> list[list[float]]:
    """The counts of a moment in the order of the classes known now; those not met then have none."""
    place = {name: k for k, name in enumerate(moment.classes)}
    return [[moment.matrix[place[i]][place[j]] if i in place and j in place else 0.0 for j in classes] for i in classes]


def values_at(shown: WatchShown) -> list[Block]:
    """Every measure under every view as of now, with the limits of one look."""
    level = f"{100 * shown.watch.level:g} % limits, one look"
    columns = tuple(words for view in shown.views.values() for words in (view, level))
    values = _values(shown, shown.now)
    rows = []
    for i, title in enumerate(shown.measures.values()):
        cells = [
            Cell(words, out=f"value-{i}-{j}-{part}")
            for j, pair in enumerate(values[i])
            for part, words in enumerate(pair)
        ]
        rows.append((Cell(title), tuple(cells)))
    heading = Heading("Every measure at that moment")
    note = Sentence("Where there are no limits, \u201cWhat each limit holds for\u201d says why.")
    return [heading, Grid("Measure", columns, tuple(rows)), note]


def _values(shown: WatchShown, moment: Moment) -> list[list[tuple[str, str]]]:
    return [
        [estimate_words(moment.estimates.get(view, {}).get(name)) for view in shown.views] for name in shown.measures
    ]


def stops_words(moment: Moment, is_last: bool = False) -> str:
    """What is said of a moment in one line."""
    last = ", the last" if is_last else ""
    rang = f"; {len(moment.alarms)} of the alarms rang" if moment.alarms else ""
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
            "values": _values(shown, moment),
        }
        if shown.has_matrix:
            stop["counts"] = [[_plain(cell) for cell in row] for row in counts_at(moment, shown.now.classes)]
        stops.append(stop)
    return {"stops": stops}


def _plain(cell: float) -> float | int:
    """Counts without a point; what is left of fading events to six digits."""
    return round(cell) if cell == math.floor(cell) else float(f"{cell:.6g}")
