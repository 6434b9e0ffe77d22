"""The confusion matrix: who was called what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from assay.evaluation import Evaluation, TwoClassEvaluation
from assay.evidence import ConfusionMatrix
from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.live import confusion_caption
from assay.report.said import plain
from assay.report.sections._heat import heat_map
from assay.report.sections._pictures import movable
from assay.report.sections._rows import decisions_by, estimate_cell, of_labels_alone
from assay.report.words import count, model_names, percent, shortened
from assay.results import Estimate, counted
from assay.types import Floats
from assay.uncertainty import PROPORTION_METHODS

__all__ = [
    "confusion",
    "largest_cells",
    "matrix_blocks",
    "matrix_in_brief",
    "most_confused",
    "pair_count",
    "pair_share",
    "pairs_have_limits",
    "wrong_answers",
]

# What the four cells of two classes are called, by (is positive, was called positive).
NAMES = {(True, True): "hits", (True, False): "misses", (False, True): "false alarms", (False, False): "rightly passed"}
# What a page's script writes into them.
OUTS = {(True, True): "tp", (True, False): "fn", (False, True): "fp", (False, False): "tn"}
# A matrix of so many classes is read as it stands, of so many folded away behind a heat map; of more only pairs are
# shown.
MOST_IN_TEXT = 12
MOST_IN_GRID = 30
MOST_PAIRS = 12
OWN = " than their own"
NO_LIMITS = "limits of pairs picked by looking need equal, independent cases"
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
        blocks.extend(_of_two(ev.matrix, place) if is_binary else _of_many(ev.matrix, ev.level))
    if not blocks:
        return None
    title, threshold = decisions_by(models)
    by = f"{title[0].lower()}{title[1:]} {threshold}".strip()
    is_live, out = bool(numbers), "decided" if len(models) == 1 else "decided-several"
    return [Heading(f"Confusion matrix {by}", live=(out, by) if is_live else None), *blocks]


def matrix_blocks(matrix: ConfusionMatrix, level: float) -> Iterator[Block]:
    """One matrix by itself, with what is to be seen in it."""
    return _of_two(matrix, None) if len(matrix.classes) == 2 else _of_many(matrix, level)


def matrix_in_brief(models: Mapping[str, Evaluation]) -> list[Block] | None:
    """Where there are labels alone, the counts; of too many classes the pairs most confused."""
    names = model_names(models)
    blocks: list[Block] = []
    for key, ev in models.items():
        if ev.matrix is None or not of_labels_alone(ev):
            continue
        blocks += [Heading(names[key], 3)] if names[key] else []
        if len(ev.matrix.classes) <= MOST_IN_TEXT:
            blocks.append(_counts(ev.matrix))
        else:
            _, *others = _of_many(ev.matrix, ev.level)
            blocks += [block for block in others if not (isinstance(block, Grid) and block.fold)]
    return blocks or None


def _counts(matrix: ConfusionMatrix) -> Grid:
    """The matrix without what else its cells and rows say."""
    grid = _grid(matrix)
    rows = ((replace(name, note=""), tuple(replace(cell, note="") for cell in cells)) for name, cells in grid.rows)
    return replace(grid, rows=tuple(rows))


def _of_two(matrix: ConfusionMatrix, place: int | None) -> Iterator[Block]:
    yield _grid(matrix, place)
    yield Sentence(plain(confusion_caption(matrix)), live="confusion.caption" if place is not None else "", place=place)


def _of_many(matrix: ConfusionMatrix, level: float) -> Iterator[Block]:
    classes = len(matrix.classes)
    is_heat = classes > MOST_IN_TEXT
    yield heat_map(matrix) if is_heat else _grid(matrix)
    pairs = most_confused(matrix)
    if pairs:
        yield _pairs(matrix, pairs, level)
    if is_heat and classes <= MOST_IN_GRID and len(matrix.decisions) <= MOST_IN_GRID + 2:
        yield replace(_grid(matrix), fold=f"Counts of all {classes} classes")
    wrong = int(np.count_nonzero(matrix.counts)) - int(np.count_nonzero(np.diagonal(matrix.counts)))
    yield Sentence(_errors(matrix, shown=len(pairs), of=wrong))


def pairs_have_limits(matrix: ConfusionMatrix) -> bool:
    """Whether shares of pairs picked for being frequent can have limits: exact ones count independent cases."""
    return matrix.squares is None and matrix.clusters is None


def _grid(matrix: ConfusionMatrix, place: int | None = None) -> Grid:
    is_binary = len(matrix.classes) == 2
    # Two classes are shown as textbooks do, the positive one first; labels unknown to truth stay last.
    rows = [1, 0] if is_binary else list(range(len(matrix.classes)))
    columns = [*rows, *range(len(rows), len(matrix.decisions))]
    return Grid(
        corner="True class",
        across="Called",
        columns=tuple(shortened(matrix.decisions[j], 16) for j in columns),
        rows=tuple(
            (
                _row_head(matrix, i, place if is_binary and len(matrix.decisions) == 2 else None),
                tuple(_cell(matrix, i, j, place, is_binary=is_binary) for j in columns),
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


def _cell(matrix: ConfusionMatrix, i: int, j: int, place: int | None, *, is_binary: bool) -> Cell:
    cases = float(matrix.counts[i, j])
    if not is_binary:
        shade = sum(cases > share * float(matrix.actual[i]) for share in SHADES) if i != j else 0
        cell = Cell(count(cases), is_match=i == j, shade=shade)
        if len(matrix.classes) <= MOST_WITH_SHARES:
            return replace(cell, note=_shares(matrix, i, j))
        wholes = (float(matrix.actual[i]), float(matrix.counts[:, j].sum()))
        shares = tuple(percent(cases / whole) if whole else "-" for whole in wholes)
        return replace(cell, shares=shares) if len(matrix.classes) <= MOST_IN_TEXT else cell
    name, out = (NAMES[i == 1, j == 1], OUTS[i == 1, j == 1]) if j < 2 else ("", "")
    # Beside labels that truth never holds a threshold decides nothing.
    out = out if place is not None and len(matrix.decisions) == 2 else ""
    note = ", ".join(word for word in (name, _shares(matrix, i, j)) if word)
    return Cell(count(cases), note, is_match=i == j, out=out, place=place)


def _shares(matrix: ConfusionMatrix, i: int, j: int) -> str:
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


def _pairs(matrix: ConfusionMatrix, pairs: list[tuple[int, int]], level: float) -> Grid:
    return Grid(
        corner="True class",
        columns=("Called", "Cases", "Of the true class"),
        rows=tuple(
            (
                Cell(shortened(matrix.classes[i], 24), counted(float(matrix.actual[i]), "case")),
                (
                    Cell(shortened(matrix.decisions[j], 24)),
                    Cell(count(float(matrix.counts[i, j]))),
                    _share(matrix, i, j, level),
                ),
            )
            for i, j in pairs
        ),
        is_plain=True,
    )


def _share(matrix: ConfusionMatrix, i: int, j: int, level: float) -> Cell:
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


def _errors(matrix: ConfusionMatrix, *, shown: int, of: int) -> str:
    wrong = (
        f"{count(float(matrix.total - matrix.correct))} of {count(float(matrix.total))} cases are given another class"
    )
    words = f"{wrong}; these are the {shown} most frequent of {of:,} kinds of error" if shown < of else wrong + OWN
    if not shown or not pairs_have_limits(matrix):
        return f"{words}."
    return f"{words}. Limits hold for all {pair_count(matrix):,} pairs at once, so that picking is paid for."
