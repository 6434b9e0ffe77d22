"""Whether a table of scores can be one of cases: scores in order, cells on their grid, numbers of cases beside each."""

from __future__ import annotations

import numpy as np

from assay.errors import InputError
from assay.evidence.binning import BEYOND, Binned, ScoreGrid
from assay.evidence.score_table import ScoreTable
from assay.sources._figures import Sizes, must_be_counts, must_be_squares
from assay.types import Floats

__all__ = ["check_grid", "check_table", "hidden_of", "squares_of", "totals_of"]

Scores = Binned | ScoreTable

# The most bits that a grid has anywhere: rows that stay where they lie are put into cells of up to so many.
MOST_BITS = 40
# Scores beyond this are refused where predictions are read.
LARGEST_SCORE = 1e100


def check_table(scores: Scores, what: str, sizes: Sizes) -> None:
    """Refuse scores that are not in order or not where they can be, and numbers that are not of cases."""
    sides = (scores.negative, scores.positive)
    if isinstance(scores, Binned):
        _check_cells(scores, what)
        must_be_counts(what, np.array(scores.hidden), sizes)
    elif not ((np.abs(scores.score) <= LARGEST_SCORE).all() and (np.diff(scores.score) > 0).all()):
        raise InputError(f"{what} are not in order, or beyond 1e100", "finite numbers, each once")
    for side in sides:
        if side.shape != (len(scores),):
            raise InputError(f"{what} have other numbers of cases than of scores", "one of each class for each")
        must_be_counts(what, side, sizes)
    if not (sides[0] + sides[1] > 0).all():
        raise InputError(f"{what} hold some that no case has", "one case at least")
    if scores.is_weighted:
        for side, squares in zip(sides, squares_of(scores), strict=True):
            must_be_squares(what, side, squares, sizes.cases.sum())


def _check_cells(binned: Binned, what: str) -> None:
    grid, cell = binned.grid, binned.cell
    check_grid(grid, MOST_BITS)
    if not (np.diff(cell) > 0).all():
        raise InputError(f"the cells of {what} are not in order", "each once, in order")
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = grid.edges(cell)
        ends = (0.0, 1.0) if grid.kind == "probability" else (-BEYOND, BEYOND)
        is_on_grid = (low >= ends[0]) & (high <= ends[1]) & (grid.cells(low + (high - low) / 2) == cell)
    if not is_on_grid.all():
        raise InputError(f"the cells of {what} do not lie on the grid", "cells of that grid")
    is_known = ~(np.isnan(binned.least) & np.isnan(binned.greatest))
    ends_known = (binned.least[is_known], binned.greatest[is_known])
    if (
        not all((grid.cells(end) == cell[is_known]).all() for end in ends_known)
        or (ends_known[0] > ends_known[1]).any()
    ):
        raise InputError(f"{what} do not lie in their cells", "the score of a tie inside its cell")


def check_grid(grid: ScoreGrid, most: int) -> None:
    """Refuse a grid that there is not."""
    if grid.kind not in ("probability", "real") or not 0 <= grid.bits <= most:
        raise InputError(f"there is no grid of {grid.kind!r} scores with {grid.bits} bits", f"at most {most} bits")


def totals_of(scores: Scores) -> tuple[float, float]:
    """What the cases of the two sides of a table weigh, hidden ones included."""
    hidden = hidden_of(scores)
    return float(scores.negative.sum() + hidden[0]), float(scores.positive.sum() + hidden[1])


def squares_of(scores: Scores) -> tuple[Floats, Floats]:
    """The sums of squared weights of weighted scores."""
    found = (scores.negative_squares, scores.positive_squares)
    if found[0] is None or found[1] is None:
        raise InputError("one class of the scores is weighted and the other is not", "weights of both")
    if any(side.shape != (len(scores),) for side in found if side is not None):
        raise InputError("there are other squared weights than scores", "one of each class for each score")
    return found[0], found[1]


def hidden_of(scores: Scores) -> tuple[float, float]:
    """The negatives and positives that are in no cell, since theirs were too small to be shown."""
    return scores.hidden if isinstance(scores, Binned) else (0.0, 0.0)
