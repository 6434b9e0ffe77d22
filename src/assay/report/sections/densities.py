"""Score densities: how the scores of either class are spread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.curves import ScoreDensities, score_densities
from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.plots import Figure
from assay.plots.drawing import labelled
from assay.plots.figure import SideNote
from assay.plots.style import model_role
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import cut_at, drawn, points_of, scored, table_of
from assay.report.words import count, model_names, percent, threshold_words

__all__ = ["densities"]


def densities(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One figure a model: both classes of several models in one would hide one another."""
    names, blocks = model_names(models), list[Block]()
    for place, (key, ev) in enumerate(scored(models).items()):
        one = {key: ev}
        found = drawn(one, f"densities{place or ''}", one, _spread)
        if found is None:
            continue
        table = table_of(one, {key: points_of(found.made[key])})
        subtitle = "each class to its own height, darker where flagged"
        subtitle = f"{names[key]}: {subtitle}" if names[key] else subtitle
        figure = _cut(_in_colour(found.figure, place), ev, place)
        blocks.append(Picture(figure, _caption(ev), subtitle, table, ("why",)))
    return [Heading("Scores of either class"), *blocks] if blocks else None


def _spread(ev: TwoClassEvaluation) -> ScoreDensities:
    return score_densities(ev.curves.scores, spacing="log-odds" if ev.has_probabilities else "linear")


def _in_colour(figure: Figure, place: int) -> Figure:
    """A figure of one model in the colour that model has beside others."""

    def coloured(marks: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(replace(mark, role=mark.role.replace(model_role(0), model_role(place))) for mark in marks)

    areas = tuple(replace(area, model=place) for area in coloured(figure.areas))
    lines, labels, notes = (coloured(marks) for marks in (figure.lines, figure.labels, figure.notes))
    return replace(figure, areas=areas, lines=lines, labels=labels, notes=notes)


def _cut(figure: Figure, ev: TwoClassEvaluation, place: int) -> Figure:
    """The figure with the threshold, what it flags painted darker, and how many cases of either class that is."""
    marked = cut_at({"": ev}, figure)
    # Without a threshold nothing is painted, until a page's script moves one there.
    at = figure.x.high if ev.threshold_used is None else min(max(ev.threshold_used, figure.x.low), figure.x.high)
    flagged = tuple(replace(area, role=area.role.replace("-area", "-flagged"), beyond=at) for area in figure.areas)
    noted = replace(
        marked,
        areas=(*figure.areas, *flagged),
        rules=tuple(replace(rule, model=place) for rule in marked.rules),
        # The subtitle names the model.
        notes=_counts(ev, place),
    )
    # The words on the plot step aside for the notes.
    return labelled(noted)


def _counts(ev: TwoClassEvaluation, place: int) -> tuple[SideNote, ...]:
    """How many of either class are flagged; nothing where nothing was decided."""
    if ev.matrix is None:
        return ()
    cells = {"hits": "tp", "misses": "fn", "false alarms": "fp", "passed": "tn"}
    # What is not flagged stands grey behind what is.
    lines = tuple(
        (f"{words} {count(float(getattr(ev.matrix, cell)))}", cell in ("fn", "tn")) for words, cell in cells.items()
    )
    heading = "as decided" if ev.threshold_used is None else f"threshold {threshold_words(ev.threshold_used)}"
    first = ("decided-note", "") if ev.threshold_used is None else ("threshold", "threshold ")
    outs = (first, *((cell, f"{words} ") for words, cell in cells.items()))
    # At the bottom, where notes are never shortened: there is no other place that says how many.
    return (SideNote(heading, "threshold-words", lines, "bottom", outs, place),)


def _caption(ev: TwoClassEvaluation) -> str:
    """How many negatives reach what half of the positives reach."""
    table = ev.curves.scores
    # The median: the highest score that at least half of the positives reach.
    reached = np.cumsum(table.positive[::-1])[::-1]
    at = int(np.flatnonzero(reached >= table.positives / 2)[-1])
    share = float(table.negative[at:].sum() / table.negatives)
    median = threshold_words(float(table.score[at]))
    return f"Half of the positives score {median} or more; so do {percent(share)} of the negatives."
