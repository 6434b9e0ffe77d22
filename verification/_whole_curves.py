"""Whole ROC curves of populations drawn at random, inside simultaneous bands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.curves.roc_bands import roc_band
from assay.evidence import ScoreTable
from assay.measures import roc_auc
from assay.types import Floats
from assay.uncertainty.curve_bands import Band
from verification._coverage import Design, Limits, row_of
from verification._row import Row, lowest_allowed
from verification._space import Population, drawn

__all__ = ["NAME", "summed_up", "whole_curves"]

NAME = "whole ROC curve, drawn population"
SAID = """Simultaneous ROC bands on populations drawn at random (`verification/_space.py`, by odd seeds; the formula was
looked at on even ones). The whole true curve is looked at in 223 places, from a rate of 1/10,000 on, and at each of its
own corners where there are few. "Mean width" is the median over populations of the mean width. The rows of each
population are below."""

HEAD = "| method | level | populations | least | 5 % | median | mean width |\n|---|--:|--:|--:|--:|--:|--:|\n"
LEVELS = (0.9, 0.95, 0.99)
# The exact band takes its time to find the limits of every class size: it is there for its width.
METHODS = {"likelihood balls": 1, "equal local levels": 15}
ENDS = np.geomspace(1e-4, 4e-3, 12)
PLACES = np.concatenate((ENDS, np.arange(1, 200) / 200, 1 - ENDS[::-1]))
# Where a curve has at most so many corners, all are looked at.
FEW_CORNERS = 50
MANY_CASES = 5_000


def whole_curves(seed: int, replicates: int) -> list[Row]:
    """One population: its whole curve inside bands of each level, and of the exact method for comparison."""
    population = drawn(seed)
    at, truth = _true_curve(population)
    count = replicates if population.n < MANY_CASES else replicates // 4
    tables = [ScoreTable.of(one.score, one.truth) for one in population.samples(count, seed)]
    rows = []
    for method, share in METHODS.items():
        for level in LEVELS if share == 1 else (0.95,):
            some = tables[: max(1, count // share)]
            bands = [roc_band(table, level, kind="simultaneous", at=at, method=method) for table in some]
            rows.append(_row(population, truth, bands, level))
    return rows


def summed_up(rows: Sequence[Row]) -> str:
    """A line for each method and level over all populations."""
    lines = [f"\n## Simultaneous ROC bands on populations drawn at random\n\n{SAID}\n\n{HEAD}"]
    for method, level in dict.fromkeys((row.method, row.level) for row in rows):
        some = [row for row in rows if (row.method, row.level) == (method, level)]
        least, fifth, median = np.quantile([row.coverage for row in some], [0, 0.05, 0.5])
        width = np.median([row.width for row in some])
        lines.append(
            f"| {method} | {level:g} | {len(some)} | {least:.3f} | {fifth:.3f} | {median:.3f} | {width:.3f} |\n"
        )
    return "".join(lines)


def _true_curve(population: Population) -> tuple[Floats, Floats]:
    whole = population.whole
    table = ScoreTable.of(whole.score, whole.truth, weight=population.target * 1e5)
    across, up = (
        np.concatenate(([0.0], np.cumsum(side[::-1]) / side.sum())) for side in (table.negative, table.positive)
    )
    at = np.union1d(PLACES, across[1:-1]) if len(table) <= FEW_CORNERS else PLACES
    return at, np.interp(at, across, up)


def _row(population: Population, truth: Floats, bands: list[Band], level: float) -> Row:
    """A band that misses the curve anywhere becomes an interval that misses 0."""
    low, high = (np.array([getattr(band, side) for band in bands]) for side in ("low", "high"))
    outside = ((truth < low - 1e-9) | (truth > high + 1e-9)).any(1)
    width = (high - low).mean(1)
    ends = np.where(outside, width, -width / 2)
    design = Design(population.words, population.n, round(population.n * population.prevalence, 1))
    # With few samples of the exact method its coverage says little.
    bar = 0.0 if bands[0].method != "likelihood balls" else lowest_allowed(level)
    limits = Limits(ends, ends + width, bands[0].method)
    row = row_of(roc_auc, design, 0.0, limits, level=level, replicates=len(bands), bar=bar)
    return replace(row, measure=NAME)
