"""The confusion matrix: who was called what.

What is confused, and how well each class does: one table whose rows are the classes, the worst recall first.

Per class: each class against the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.evaluation import Evaluation, ManyClassEvaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.measures import registry
from assay.report.blocks import (
    Block,
    Cell,
    ClassCell,
    ClassLine,
    ClassMatrix,
    ClassName,
    Grid,
    Heading,
    IntervalAxis,
    Picture,
    Sentence,
)
from assay.report.live_text import confusion_caption
from assay.report.sections.estimate_rows import by_class, decisions_by, estimate_cell, of_labels_alone
from assay.report.sections.figures import by_f1, heat_map, movable
from assay.report.sentences import plain, said
from assay.report.wording import count, model_names, number, percent, share_limits, short_names, shortened, visible
from assay.results import Estimate, counted
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS

__all__ = [
    "MOST_IN_MATRIX",
    "class_matrix",
    "confusion",
    "largest_cells",
    "matrix_blocks",
    "matrix_in_brief",
    "most_confused",
    "pair_count",
    "pair_share",
    "pairs_have_limits",
    "per_class",
    "what_it_confuses",
    "worst_classes",
    "wrong_answers",
]


# What the four cells of two classes are called, by (is positive, was called positive).
NAMES = {
    (True, True): "true positives",
    (True, False): "false negatives",
    (False, True): "false positives",
    (False, False): "true negatives",
}
# What a page's script writes into them.
OUTS = {(True, True): "tp", (True, False): "fn", (False, True): "fp", (False, False): "tn"}
# A matrix of so many classes is read as it stands, of so many folded away behind a heat map; of more only pairs are
# shown.
MOST_IN_TEXT = 12
# Models with scores whose matrices stand in a short text.
MOST_WITH_MATRIX = 4
MOST_IN_GRID = 30
MOST_PAIRS = 12
OWN = " than the true one"
NO_LIMITS = "intervals of pairs selected on the same data need equal, independent cases"
# Cells of so many classes have room for a share.
MOST_WITH_SHARES = 6
# Shares of the true class from which on a wrong label is set on a darker ground.
SHADES = (0.0, 0.05, 0.15, 0.3)


def confusion(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One matrix a model, the positive class of two first; of many classes the pairs most confused."""
    names, numbers = model_names(models), movable(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        if ev.matrix is None:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        is_binary, place = isinstance(ev, TwoClassEvaluation), numbers.get(key)
        blocks.extend(_two_class_blocks(ev.matrix, place) if is_binary else _many_class_blocks(ev.matrix, ev.level))
    if not blocks:
        return None
    title, threshold = decisions_by(models)
    by = f"{title[0].lower()}{title[1:]} {threshold}".strip()
    is_live, out = bool(numbers), "decided" if len(models) == 1 else "decided-several"
    return [Heading(f"Confusion matrix {by}", live=(out, by) if is_live else None), *blocks]


def matrix_blocks(matrix: ConfusionMatrix, level: float) -> Iterator[Block]:
    """One matrix by itself, with what is to be seen in it."""
    return _two_class_blocks(matrix, None) if len(matrix.classes) == 2 else _many_class_blocks(matrix, level)


def matrix_in_brief(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The counts of a few models; of too many classes the pairs most confused, where there are labels alone."""
    names = model_names(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        is_small = len(models) <= MOST_WITH_MATRIX and ev.matrix is not None and len(ev.matrix.classes) <= MOST_IN_TEXT
        if ev.matrix is None or not (is_small or of_labels_alone(ev)):
            continue
        blocks += [Heading(names[key], 3)] if names[key] else []
        if len(ev.matrix.classes) <= MOST_IN_TEXT:
            blocks.append(_count_grid(ev.matrix))
        else:
            _, *others = _many_class_blocks(ev.matrix, ev.level)
            blocks += [block for block in others if not (isinstance(block, Grid) and block.fold)]
    return blocks or None


def _count_grid(matrix: ConfusionMatrix) -> Grid:
    """The matrix without what else its cells and rows say."""
    grid = _matrix_grid(matrix)
    rows = ((replace(name, note=""), tuple(replace(cell, note="") for cell in cells)) for name, cells in grid.rows)
    totals = None
    if len(matrix.classes) == 2:
        columns = [1, 0, *range(2, len(matrix.decisions))]
        of_columns = [float(matrix.counts[:, j].sum()) for j in columns]
        of_rows = tuple(count(float(matrix.actual[i])) for i in (1, 0))
        totals = (of_rows, (*map(count, of_columns), count(float(matrix.total))))
    return replace(grid, rows=tuple(rows), totals=totals)


def _two_class_blocks(matrix: ConfusionMatrix, place: int | None) -> Iterator[Block]:
    yield _matrix_grid(matrix, place)
    yield Sentence(plain(confusion_caption(matrix)), live="confusion.caption" if place is not None else "", place=place)


def _many_class_blocks(matrix: ConfusionMatrix, level: float) -> Iterator[Block]:
    classes = len(matrix.classes)
    is_heat = classes > MOST_IN_TEXT
    yield heat_map(matrix) if is_heat else _matrix_grid(matrix)
    pairs = most_confused(matrix)
    if pairs:
        yield _confused_pairs_grid(matrix, pairs, level)
    if is_heat and classes <= MOST_IN_GRID and len(matrix.decisions) <= MOST_IN_GRID + 2:
        yield replace(_matrix_grid(matrix), fold=f"Counts of all {classes} classes")
    wrong = int(np.count_nonzero(matrix.counts)) - int(np.count_nonzero(np.diagonal(matrix.counts)))
    yield Sentence(_error_sentence(matrix, shown=len(pairs), of=wrong))


def pairs_have_limits(matrix: ConfusionMatrix) -> bool:
    """Whether shares of pairs picked for being frequent can have limits: exact ones count independent cases."""
    return matrix.squares is None and matrix.clusters is None


def _matrix_grid(matrix: ConfusionMatrix, place: int | None = None) -> Grid:
    is_binary = len(matrix.classes) == 2
    # Two classes are shown as textbooks do, the positive one first; labels unknown to truth stay last.
    rows = [1, 0] if is_binary else list(range(len(matrix.classes)))
    columns = [*rows, *range(len(rows), len(matrix.decisions))]
    return Grid(
        corner="True label",
        across="Predicted label",
        columns=tuple(shortened(matrix.decisions[j], 16) for j in columns),
        rows=tuple(
            (
                _row_head(matrix, i, place if is_binary and len(matrix.decisions) == 2 else None),
                tuple(_matrix_cell(matrix, i, j, place, is_binary=is_binary) for j in columns),
            )
            for i in rows
        ),
        is_matrix=True,
        is_plain=not is_binary,
    )


def _row_head(matrix: ConfusionMatrix, i: int, place: int | None) -> Cell:
    """A true class and how many cases it has; of two classes a page's script rewrites that."""
    found = Cell(shortened(matrix.classes[i], 16), counted(float(matrix.actual[i]), "case"))
    return found if place is None else replace(found, out=("negatives", "positives")[i], place=place)


def _matrix_cell(matrix: ConfusionMatrix, i: int, j: int, place: int | None, *, is_binary: bool) -> Cell:
    cases = float(matrix.counts[i, j])
    if not is_binary:
        shade = sum(cases > share * float(matrix.actual[i]) for share in SHADES) if i != j else 0
        cell = Cell(count(cases), is_match=i == j, shade=shade)
        if len(matrix.classes) <= MOST_WITH_SHARES:
            return replace(cell, note=_cell_shares(matrix, i, j))
        wholes = (float(matrix.actual[i]), float(matrix.counts[:, j].sum()))
        shares = tuple(percent(cases / whole) if whole else "-" for whole in wholes)
        return replace(cell, shares=shares) if len(matrix.classes) <= MOST_IN_TEXT else cell
    name, out = (NAMES[i == 1, j == 1], OUTS[i == 1, j == 1]) if j < 2 else ("", "")
    # Beside labels that truth never holds a threshold decides nothing.
    out = out if place is not None and len(matrix.decisions) == 2 else ""
    note = ", ".join(word for word in (name, _cell_shares(matrix, i, j)) if word)
    return Cell(count(cases), note, is_match=i == j, out=out, place=place)


def _cell_shares(matrix: ConfusionMatrix, i: int, j: int) -> str:
    """A cell as shares of its row and of its column, where these hold cases."""
    cases, row, column = (float(part) for part in (matrix.counts[i, j], matrix.actual[i], matrix.counts[:, j].sum()))
    shares = (f"{percent(cases / whole)} of {name}" for name, whole in (("row", row), ("column", column)) if whole)
    return ", ".join(shares)


def most_confused(matrix: ConfusionMatrix) -> list[tuple[int, int]]:
    """The pairs of true class and wrong label that hold most cases."""
    counts = matrix.counts.copy()
    np.fill_diagonal(counts, 0)
    # Of equal ones the first: rows and columns in the order of the classes.
    found = []
    for _ in range(min(MOST_PAIRS, int(np.count_nonzero(counts)))):
        i, j = divmod(int(counts.argmax()), counts.shape[1])
        found.append((i, j))
        counts[i, j] = 0
    return found


def largest_cells(matrix: ConfusionMatrix) -> list[tuple[int, int]]:
    """The wrong cells that hold most cases, those that hold as many together; the largest share of its class first."""
    wrong = wrong_answers(matrix)
    most = float(wrong.max(initial=0.0))
    if not most > 0:
        return []
    tied = [(int(i), int(j)) for i, j in zip(*np.nonzero(wrong == most), strict=True)]
    return sorted(tied, key=lambda cell: -most / float(matrix.actual[cell[0]]))


def wrong_answers(matrix: ConfusionMatrix) -> Floats:
    """The counts without those of right answers."""
    wrong: Floats = matrix.counts.astype(np.float64)
    np.fill_diagonal(wrong, 0)
    return wrong


def _confused_pairs_grid(matrix: ConfusionMatrix, pairs: list[tuple[int, int]], level: float) -> Grid:
    return Grid(
        corner="True label",
        columns=("Predicted", "Cases", "Of the true class"),
        rows=tuple(
            (
                Cell(shortened(matrix.classes[i], 24), counted(float(matrix.actual[i]), "case")),
                (
                    Cell(shortened(matrix.decisions[j], 24)),
                    Cell(count(float(matrix.counts[i, j]))),
                    _confusion_share_cell(matrix, i, j, level),
                ),
            )
            for i, j in pairs
        ),
        is_plain=True,
    )


def _confusion_share_cell(matrix: ConfusionMatrix, i: int, j: int, level: float) -> Cell:
    """What share of a class is given another one, with limits that hold for all pairs: these were picked by looking."""
    share = pair_share(matrix, i, j, level)
    return estimate_cell(share) if pairs_have_limits(matrix) else Cell(percent(share.value))


def pair_share(matrix: ConfusionMatrix, i: int, j: int, level: float) -> Estimate:
    """What share of a class is given another one; the limits hold for all pairs at once, where they can."""
    cases, whole = float(matrix.counts[i, j]), float(matrix.actual[i])
    if not pairs_have_limits(matrix):
        return Estimate("share", cases / whole, math.nan, math.nan, level, "", whole, undefined=NO_LIMITS)
    low, high = PROPORTION_METHODS["Clopper-Pearson"](cases, whole, 1 - (1 - level) / pair_count(matrix))
    return Estimate("share", cases / whole, low, high, level, "Clopper-Pearson, Bonferroni", whole)


def pair_count(matrix: ConfusionMatrix) -> int:
    """How many pairs of a class that occurs and another label there are to pick from."""
    return int((matrix.actual > 0).sum()) * (len(matrix.decisions) - 1)


def _error_sentence(matrix: ConfusionMatrix, *, shown: int, of: int) -> str:
    wrong = (
        f"{count(float(matrix.total - matrix.correct))} of {count(float(matrix.total))} cases are "
        "predicted as another class"
    )
    words = f"{wrong}; the {shown} most frequent of {of:,} pairs are shown" if shown < of else wrong + OWN
    if not shown or not pairs_have_limits(matrix):
        return f"{words}."
    return f"{words}. Intervals are simultaneous over all {pair_count(matrix):,} pairs, which allows for the selection."


# Labels up to which cells have room for counts, and up to which the matrix holds all of them.
MOST_WITH_COUNTS = 12
MOST_IN_MATRIX = 40
# Of more, so many classes have rows of their own.
MOST_OF_MORE = 20
# Columns up to which the bars beside them have room for ticks.
MOST_WITH_TICKS = 21
LONGEST_NAME = 16
CLASS_MATRIX_SHADES = 20
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
        blocks += [class_matrix(ev, ev.matrix), *_class_matrix_pairs(ev, ev.matrix)]
    return [Heading("Confusions and results of each class"), *blocks] if blocks else None


def _class_matrix_pairs(ev: ManyClassEvaluation, matrix: ConfusionMatrix) -> list[Block]:
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
    rows = _classes_by_recall(matrix, range(len(matrix.classes)) if is_whole else _classes_with_most_errors(matrix))
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
        recall=_interval_axis(drawn[0], only_ends=is_tight),
        precision=_interval_axis(drawn[1], only_ends=is_tight),
        said=made.chosen_words,
        found=plain(said("many.cell.found")),
        note=plain(said("many.cell.note" if is_whole else "many.cell.others", classes=f"{len(matrix.classes):,}")),
        is_small=made.is_small,
        is_tight=is_tight,
    )


def _classes_by_recall(matrix: ConfusionMatrix, classes: Sequence[int]) -> list[int]:
    """Classes from the lowest recall up; those without a case last."""
    right = {k: float(matrix.counts[k, k]) / float(matrix.actual[k]) if matrix.actual[k] else 2.0 for k in classes}
    return sorted(classes, key=lambda k: (right[k], k))


def _classes_with_most_errors(matrix: ConfusionMatrix) -> list[int]:
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
        alone = [self._error_count(i, j) for i in range(len(pooled.rows)) for j in range(len(pooled.columns))]
        self.most = max(alone, default=0.0)
        largest = largest_cells(matrix)
        self.chosen = next((cell for cell in largest if self._is_shown(cell)), None)

    def _is_shown(self, cell: tuple[int, int]) -> bool:
        return [cell[0]] in self.pooled.rows and [cell[1]] in self.pooled.columns

    def _error_count(self, i: int, j: int) -> float:
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
        wrong = self._error_count(i, j)
        shares = (float(cases / row), float(cases / column))
        return ClassCell(
            text=count(float(cases)),
            says=f"{count(float(cases))} of {count(float(row))}, {self._share_words(place, shares[0])}",
            shade=_cell_shade(wrong / self.most) if wrong else 0,
            is_match=is_match,
            is_chosen=place is not None and place == self.chosen,
            shares=() if self.is_small else tuple(percent(share).removesuffix(" %") for share in shares),
            place=place,
        )

    def _share_words(self, place: tuple[int, int] | None, share: float) -> str:
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


def _cell_shade(share: float) -> int:
    """How dark, of 20 steps: ink at 0.06 + 0.76 share^0.7.

    >>> _cell_shade(1.0), _cell_shade(0.0001)
    (20, 1)
    """
    return 1 + round((CLASS_MATRIX_SHADES - 1) * float(share**0.7))


def _interval_axis(found: Sequence[Estimate], *, only_ends: bool) -> IntervalAxis:
    """From the lowest limit, down to a tenth, up to 1."""
    values = [one.value for one in found if not math.isnan(one.value)]
    ends = [one.low if not math.isnan(one.low) else one.value for one in found if not math.isnan(one.value)]
    low = min(0.9, max(0.0, math.floor(10 * min(ends, default=0.0) + 1e-9) / 10))
    step = next((step for step in STEPS if (1 - low) / step < MOST_TICKS + 0.5), STEPS[-1])
    ticks = [round(1 - k * step, 2) for k in range(round((1 - low) / step + 0.5) + 1)]
    kept = tuple(sorted(tick for tick in ticks if tick >= low - 1e-9))
    return IntervalAxis(low, (low, 1.0) if only_ends else kept, sum(values) / len(values) if values else math.nan)


MEASURES = ("precision", "recall", "f1")
OF_SCORES = ("roc_auc",)
# So many classes fit a page; of more, those that fare worst are shown. A short table has room for fewer.
MOST_CLASSES = 30
MOST_IN_BRIEF = 12
# A page has room for so many in all, the others folded away.
MOST_FOLDED = 150


def per_class(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """One table a model, a row a class."""
    blocks = _per_class_tables(models, MOST_CLASSES)
    return [Heading("Per class"), *blocks] if blocks else None


def worst_classes(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """The same in brief, for more than two classes, or where there are labels alone."""
    having = {key: ev for key, ev in models.items() if by_class(ev)}
    return _per_class_tables(having, MOST_IN_BRIEF) or None


def _per_class_tables(models: Mapping[str, Evaluation], most: int) -> list[Block]:
    names = model_names(models)
    blocks: list[Block] = []
    for series, (key, ev) in enumerate(models.items()):
        if not ev.per_class:
            continue
        if names[key]:
            blocks.append(Heading(names[key], 3))
        with_scores = isinstance(ev, ManyClassEvaluation) and ev.has_scores and most > MOST_IN_BRIEF
        blocks.append(_per_class_grid(ev, _shown_classes(ev, most), OF_SCORES if with_scores else (), series))
        if len(ev.classes) > most:
            blocks.append(Sentence(_other_classes_words(ev, most)))
            if most == MOST_CLASSES:
                more = _classes_by_f1(ev)[most:MOST_FOLDED]
                fold = f"The next {len(more):,} classes, lowest F1 first"
                blocks.append(replace(_per_class_grid(ev, more, (), series), fold=fold))
    return blocks


def _shown_classes(ev: Evaluation, most: int) -> list[str]:
    """All classes in their order, the positive one of two first; where they are too many those with the lowest F1."""
    if not isinstance(ev, ManyClassEvaluation):
        return list(reversed(ev.classes))
    return list(ev.classes) if len(ev.classes) <= most else _classes_by_f1(ev)[:most]


def _classes_by_f1(ev: Evaluation) -> list[str]:
    """The classes that have an F1, the lowest first; then the others."""
    return [ev.classes[k] for k in by_f1(ev.matrix)] if ev.matrix is not None else []


def _other_classes_words(ev: Evaluation, most: int) -> str:
    rest = [ev.per_class[name]["f1"].value for name in _classes_by_f1(ev)[most:]]
    defined = [value for value in rest if not np.isnan(value)]
    span = f", with F1 from {number(min(defined))} to {number(max(defined))}" if defined else ""
    picked = "Selected classes look worse than they are: each interval is valid for a class chosen in advance."
    return f"These {most} of {len(ev.classes):,} classes have the lowest F1; and {len(rest):,} more{span}. {picked}"


def _per_class_grid(ev: Evaluation, classes: list[str], of_scores: tuple[str, ...], series: int) -> Grid:
    """A row a class: what a classification report has, then what its scores say."""

    def cells(name: str) -> tuple[Cell, ...]:
        labels, scores = (
            tuple(estimate_cell(ev.per_class[name][measure], series) for measure in measures)
            for measures in (MEASURES, of_scores)
        )
        return (*labels, Cell(count(ev.class_counts[name])), *scores)

    return Grid(
        corner="Class",
        columns=(*(registry[m].title for m in MEASURES), "Cases", *(registry[m].title for m in of_scores)),
        rows=tuple((Cell(shortened(name, 24)), cells(name)) for name in classes),
        is_plain=isinstance(ev, ManyClassEvaluation),
    )
