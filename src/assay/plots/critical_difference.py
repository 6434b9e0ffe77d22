"""The critical-difference diagram as a figure: a dot for each algorithm, a bar over each group."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assay.plots.figure import Axis, Dot, Figure, Label, Line, SideNote
from assay.ranks.diagram import CriticalDifference
from assay.renderers import renders
from assay.text import shortened

# Names no longer than this stand beside their dots; half a letter and the gap to a dot, as shares of the axis.
LONGEST_NAME = 18
HALF_A_LETTER = 0.011
GAP = 0.025
# More rows than this leave no room for a name in each.
MOST_NAMED = 16
MOST_TICKS = 10


@renders("figure", CriticalDifference)
def difference_figure(diagram: CriticalDifference) -> Figure:
    """Return the diagram as data: a dot for each algorithm, a bar over each group, the difference from the best one."""
    k = len(diagram.algorithms)
    step = max(1, -(-(k - 1) // (MOST_TICKS - 1)))
    ticks = tuple(float(t) for t in dict.fromkeys((*range(1, k, step), k)))
    dots = tuple(
        Dot(rank, float(place), "model-0-dot", name)
        for place, (name, rank) in enumerate(zip(diagram.algorithms, diagram.mean_ranks, strict=True), 1)
    )
    lines = tuple(_bars(diagram))
    # Names stand at their dots as long as they fit there; else the best of them are listed.
    named = dots[:MOST_NAMED] if k > MOST_NAMED else ()
    listed = [(f"{dot.y:.0f} {shortened(dot.label, 8)} {dot.x:.2f}", False) for dot in named]
    listed += [(f"and {k - MOST_NAMED:,} more", True)] if named else []
    heading = "no test" if diagram.undefined else f"difference {diagram.difference:.3g}"
    return Figure(
        name="critical_difference",
        title="Critical difference",
        x=Axis("Mean rank (1 is best)", ticks),
        y=Axis("Place", ticks[::-1]),
        lines=lines,
        dots=dots,
        labels=tuple(_labels(diagram)),
        notes=(SideNote(heading, "words", ((f"{diagram.method}, {diagram.alpha:g}", True), *listed), "top"),),
        drawn=sum(len(line.x) for line in lines),
        points=k,
    )


def _bars(diagram: CriticalDifference) -> Iterator[Line]:
    if diagram.undefined is not None:
        return
    place = {name: i for i, name in enumerate(diagram.algorithms)}
    for group in diagram.groups:
        ends = np.array([diagram.mean_ranks[place[group[0]]], diagram.mean_ranks[place[group[-1]]]])
        # Between the row of its first algorithm and the next: no two groups begin with the same one.
        yield Line(ends, np.full(2, place[group[0]] + 1.5), "mark", "no significant difference")
    # From the best one everything lies on one side, from a control on either.
    row = _difference_height(diagram)
    own = diagram.mean_ranks[row - 1]
    reach = np.array([own - diagram.difference * (diagram.control is not None), own + diagram.difference])
    limits = np.clip(reach, 1.0, len(diagram.algorithms))
    yield Line(limits, np.full(2, float(row)), "reference", "critical difference")


def _difference_height(diagram: CriticalDifference) -> int:
    """Where the difference is drawn: beside the best algorithm, or the control."""
    return 1 if diagram.control is None else 1 + diagram.algorithms.index(diagram.control)


def _labels(diagram: CriticalDifference) -> Iterator[Label]:
    k = len(diagram.algorithms)
    if k > MOST_NAMED:
        return
    for place, (name, rank) in enumerate(zip(diagram.algorithms, diagram.mean_ranks, strict=True), 1):
        words = shortened(name, LONGEST_NAME)
        away = (GAP + HALF_A_LETTER * len(words)) * (k - 1)
        # The difference runs to the right of its row, so that the name stands on the left if there is room.
        is_left = (rank - 1) / (k - 1) > 0.5 or (place == _difference_height(diagram) and rank - 2 * away > 1)
        yield Label(rank - away if is_left else rank + away, float(place), words, "words")
