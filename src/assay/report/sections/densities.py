"""Score densities: how the scores of either class are spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from assay.curves import Drawing, Ruler, ScoreDensities
from assay.evaluation import Evaluation
from assay.report.blocks import Block, Heading, Picture
from assay.report.sections._pictures import cut_at, drawn, movable, table_of
from assay.report.words import model_names, percent, threshold_words

__all__ = ["densities"]


def densities(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One figure a model: both classes of several models in one would hide one another."""
    names, blocks = model_names(models), list[Block]()
    for key in movable(models):
        one = {key: models[key]}
        spread = models[key].curves.densities
        found = drawn(one, f"densities{movable(models)[key] or ''}", partial(_drawing, spread))
        if found is None:
            continue
        table = spread.table()
        subtitle = "histograms and smooth densities, each of area 1"
        subtitle = f"{names[key]}: {subtitle}" if names[key] else subtitle
        figure = cut_at(one, found.figure)
        blocks.append(Picture(figure, _caption(models[key]), subtitle, table_of(one, {key: table})))
    return [Heading("Scores of either class"), *blocks] if blocks else None


def _drawing(found: ScoreDensities, _: Evaluation) -> Drawing:
    """The drawing no higher than its bars: a smooth line may have a peak that leaves room for nothing else."""
    highest = float(np.nanmax([found.negatives, found.positives]))
    drawing = found.drawing()
    return replace(drawing, y=Ruler(drawing.y.title, (0.0, highest)))


def _caption(ev: Evaluation) -> str:
    """How many negatives reach what half of the positives reach."""
    assert ev.scores is not None
    table = ev.scores
    # The median: the highest score that at least half of the positives reach.
    reached = np.cumsum(table.positive[::-1])[::-1]
    at = int(np.flatnonzero(reached >= table.positives / 2)[-1])
    share = float(table.negative[at:].sum() / table.negatives)
    median = threshold_words(float(table.score[at]))
    return f"Half of the positives score {median} or more; so do {percent(share)} of the negatives."
