"""What is confused, and how well each class does: one table whose rows are the classes, the worst recall first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.report.blocks import Block, ClassMatrix, Grid, Heading, Picture
from assay.report.page_blocks import ClassCell, ClassLine, ClassName, IntervalAxis
from assay.report.said import plain, said
from assay.report.sections.confusion import largest_cells, matrix_blocks, pair_count, pair_share, pairs_have_limits
from assay.report.words import count, model_names, percent, share_limits, short_names, visible
from assay.results import Estimate
from assay.types import Floats

__all__ = ["MOST_IN_MATRIX", "class_matrix", "what_it_confuses"]

# Labels up to which cells have room for counts, and up to which the matrix holds all of them.
MOST_WITH_COUNTS = 12
MOST_IN_MATRIX = 40
# Of more, so many classes have rows of their own.
MOST_OF_MORE = 20
# Columns up to which the bars beside them have room for ticks.
MOST_WITH_TICKS = 21
LONGEST_NAME = 16
SHADES = 20
OTHERS = "others"
# Ticks of the axes of recall and precision, from the top down; the widest step that leaves at least two.
STEPS = (0.1, 0.2, 0.5)
MOST_TICKS = 4


def what_it_confuses(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """For each model of many classes the matrix with its classes, and below it the pairs most confused."""
    names = model_names(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        if not isinstance(ev, ManyClassEvaluation) or ev.matrix is None or not ev.matrix.total:
            continue
        blocks += [Heading(names[key], 3)] if names[key] else []
        blocks += [class_matrix(ev, ev.matrix), *_pairs(ev, ev.matrix)]
    return [Heading("What it confuses, and how well each class does"), *blocks] if blocks else None


def _pairs(ev: ManyClassEvaluation, matrix: ConfusionMatrix) -> list[Block]:
    """The pairs most confused, and how many errors there are: what else a text says of a matrix."""
    kept: list[Block] = [
        block
        for block in matrix_blocks(matrix, ev.level)
        if not isinstance(block, Picture) and not (isinstance(block, Grid) and (block.is_matrix or block.fold))
    ]
    return [Heading("Largest confusions", 3), *kept] if any(isinstance(block, Grid) for block in kept) else kept


def class_matrix(ev: ManyClassEvaluation, matrix: ConfusionMatrix) -> ClassMatrix:
    """The table of one model."""
    is_whole = len(matrix.decisions) <= MOST_IN_MATRIX
    rows = _by_recall(matrix, range(len(matrix.classes)) if is_whole else _with_most_errors(matrix))
    foreign = range(len(matrix.classes), len(matrix.decisions))
    columns = [*rows, *(foreign if is_whole else ())]
    pooled = _Pooled(matrix, rows, columns)
    made = _Made(ev, matrix, pooled, is_small=len(columns) > MOST_WITH_COUNTS)
    is_tight = len(pooled.columns) > MOST_WITH_TICKS
    lines = tuple(made.line(place) for place in range(len(pooled.rows)))
    drawn = [[found for line in lines if (found := getattr(line, name))] for name in ("recall", "precision")]
    return ClassMatrix(
        columns=tuple(made.name(group) for group in pooled.columns),
        lines=lines,
        recall=_axis(drawn[0], only_ends=is_tight),
        precision=_axis(drawn[1], only_ends=is_tight),
        said=made.chosen_words,
        found=plain(said("many.cell.found")),
        note=plain(said("many.cell.note" if is_whole else "many.cell.others", classes=f"{len(matrix.classes):,}")),
        is_small=made.is_small,
        is_tight=is_tight,
    )


def _by_recall(matrix: ConfusionMatrix, classes: Sequence[int]) -> list[int]:
    """Classes from the lowest recall up; those without a case last."""
    right = {k: float(matrix.counts[k, k]) / float(matrix.actual[k]) if matrix.actual[k] else 2.0 for k in classes}
    return sorted(classes, key=lambda k: (right[k], k))


def _with_most_errors(matrix: ConfusionMatrix) -> list[int]:
    wrong = matrix.actual - np.diagonal(matrix.counts)
    return sorted(range(len(matrix.classes)), key=lambda k: (-float(wrong[k]), k))[:MOST_OF_MORE]


class _Pooled:
    """Counts of some classes by themselves, and of all others together in a last row and column."""

    def __init__(self, matrix: ConfusionMatrix, rows: list[int], columns: list[int]) -> None:
        self.rows = [[k] for k in rows]
        self.columns = [[k] for k in columns]
        if len(rows) < len(matrix.classes):
            self.rows.append([k for k in range(len(matrix.classes)) if k not in set(rows)])
        if len(columns) < len(matrix.decisions):
            self.columns.append([k for k in range(len(matrix.decisions)) if k not in set(columns)])
        down = np.array([matrix.counts[group].sum(0) for group in self.rows])
        self.counts: Floats = np.array([down[:, group].sum(1) for group in self.columns]).T
        self.actual: Floats = self.counts.sum(1)
        # Shares of a column are shares of all that are called so.
        self.called: Floats = self.counts.sum(0)


class _Made:
    """Names, words and shades of one matrix."""

    def __init__(self, ev: ManyClassEvaluation, matrix: ConfusionMatrix, pooled: _Pooled, *, is_small: bool) -> None:
        self.ev, self.matrix, self.pooled, self.is_small = ev, matrix, pooled, is_small
        self.short = list(short_names(matrix.decisions, LONGEST_NAME).values())
        alone = [self._wrong(i, j) for i in range(len(pooled.rows)) for j in range(len(pooled.columns))]
        self.most = max(alone, default=0.0)
        largest = largest_cells(matrix)
        self.chosen = next((cell for cell in largest if self._is_shown(cell)), None)

    def _is_shown(self, cell: tuple[int, int]) -> bool:
        return [cell[0]] in self.pooled.rows and [cell[1]] in self.pooled.columns

    def _wrong(self, i: int, j: int) -> float:
        """Wrong answers of a cell; what others are called among themselves is neither right nor wrong."""
        rows, columns = self.pooled.rows[i], self.pooled.columns[j]
        is_wrong = rows != columns and not (len(rows) > 1 and len(columns) > 1)
        return float(self.pooled.counts[i, j]) if is_wrong else 0.0

    def name(self, group: list[int]) -> ClassName:
        """A class, or all the others."""
        if len(group) > 1:
            return ClassName(OTHERS, f"{len(group):,} others", len(self.matrix.decisions))
        return ClassName(self.short[group[0]], visible(self.matrix.decisions[group[0]]), group[0])

    def line(self, i: int) -> ClassLine:
        """A true class, or all the others."""
        group, cases = self.pooled.rows[i], float(self.pooled.actual[i])
        name, found = self.name(group), {}
        if len(group) == 1:
            found = {m: self.ev.per_class[self.matrix.classes[group[0]]][m] for m in ("recall", "precision")}
        words = {"class": f'"{name.text}"', "cells": f"{pair_count(self.matrix):,}"}
        has_limits = pairs_have_limits(self.matrix) and len(group) == 1
        of = plain(said("many.cell.of" if has_limits else "many.cell.bare", **words))
        cells = tuple(self.cell(i, j) for j in range(len(self.pooled.columns)))
        return ClassLine(name, count(cases), cells, f" {of}", f"0 of {count(cases)}", **found)

    def cell(self, i: int, j: int) -> ClassCell:
        """A cell with its count, its shares and what is said of it."""
        cases, row, column = self.pooled.counts[i, j], self.pooled.actual[i], self.pooled.called[j]
        rows, columns = self.pooled.rows[i], self.pooled.columns[j]
        place = (rows[0], columns[0]) if len(rows) == len(columns) == 1 else None
        is_match = place is not None and rows == columns
        if not cases:
            return ClassCell("", is_match=is_match)
        wrong = self._wrong(i, j)
        shares = (float(cases / row), float(cases / column))
        return ClassCell(
            text=count(float(cases)),
            says=f"{count(float(cases))} of {count(float(row))}, {self._share(place, shares[0])}",
            shade=_shade(wrong / self.most) if wrong else 0,
            is_match=is_match,
            is_chosen=place is not None and place == self.chosen,
            shares=() if self.is_small else tuple(percent(share).removesuffix(" %") for share in shares),
            place=place,
        )

    def _share(self, place: tuple[int, int] | None, share: float) -> str:
        """A share of the true class, with limits where it is one cell."""
        if place is None:
            return percent(share)
        i, j = place
        found = (
            self.ev.per_class[self.matrix.classes[i]]["recall"]
            if i == j
            else pair_share(self.matrix, i, j, self.ev.level)
        )
        return f"{percent(share)} {share_limits(found.low, found.high)}".rstrip()

    @property
    def chosen_words(self) -> tuple[str, str]:
        """What the read-out line says first: names, and the rest."""
        if self.chosen is None:
            return "", plain(said("many.cell.nothing"))
        i, j = self.pooled.rows.index([self.chosen[0]]), self.pooled.columns.index([self.chosen[1]])
        line, truth, called = self.line(i), self.short[self.chosen[0]], self.short[self.chosen[1]]
        named, back = (plain(said("many.cell", truth=a, called=b)) for a, b in ((truth, called), (called, truth)))
        mirrored = ""
        if [self.chosen[1]] in self.pooled.rows:
            other = self.pooled.rows.index([self.chosen[1]])
            cases, whole = (
                self.pooled.counts[other, self.pooled.columns.index([self.chosen[0]])],
                self.pooled.actual[other],
            )
            mirrored = f" · {back}: {count(float(cases))} of {count(float(whole))}"
        return named, f": {line.cells[j].says}{line.of}{mirrored}"


def _shade(share: float) -> int:
    """How dark, of 20 steps: ink at 0.06 + 0.76 share^0.7.

    >>> _shade(1.0), _shade(0.0001)
    (20, 1)
    """
    return 1 + round((SHADES - 1) * float(share**0.7))


def _axis(found: Sequence[Estimate], *, only_ends: bool) -> IntervalAxis:
    """From the lowest limit, down to a tenth, up to 1."""
    values = [one.value for one in found if not math.isnan(one.value)]
    ends = [one.low if not math.isnan(one.low) else one.value for one in found if not math.isnan(one.value)]
    low = min(0.9, max(0.0, math.floor(10 * min(ends, default=0.0) + 1e-9) / 10))
    step = next((step for step in STEPS if (1 - low) / step < MOST_TICKS + 0.5), STEPS[-1])
    ticks = [round(1 - k * step, 2) for k in range(round((1 - low) / step + 0.5) + 1)]
    kept = tuple(sorted(tick for tick in ticks if tick >= low - 1e-9))
    return IntervalAxis(low, (low, 1.0) if only_ends else kept, sum(values) / len(values) if values else math.nan)
