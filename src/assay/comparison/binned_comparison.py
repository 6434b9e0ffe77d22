"""Measures of scores of several classifiers whose rows are elsewhere: from tables and joint histograms that add."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.comparison.joint import Joint, Limits, OfClass, Pair
from assay.comparison.paired_influence import Rows
from assay.comparison.roc_areas import (
    RANKED_ALIKE,
    held_by_enough,
    joint_auc,
    on_how_many,
    score_influence,
    too_few_for_areas,
)
from assay.comparison.small_sample_limits import OfOne, careful_limits
from assay.evidence import JointScores, ScoreTable
from assay.evidence.paired import PairedDecisions
from assay.measures import Measure, matrix_influence
from assay.types import Floats
from assay.uncertainty import AucMoments

__all__ = ["error_within_cells", "influence_of_cells", "joint_areas"]


def joint_areas(
    names: tuple[str, ...],
    tables: Sequence[ScoreTable],
    joints: Mapping[Pair, JointScores],
    *,
    distribution: str | None = None,
) -> Joint:
    """The AUCs of tables, with the covariance that DeLong's placements have on the cells of each pair.

    `joints` holds a histogram for each two of them, the earlier one first. All classifiers' cells are the same in each
    of theirs, so what comes of the pairs is one covariance.

    >>> truth, first, second = [0, 0, 1, 1, 1, 0] * 20, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1], [0.2, 0.6, 0.3, 0.4, 0.9, 0.1]
    >>> tables = [ScoreTable.of(score * 20, truth) for score in (first, second)]
    >>> joint_areas(("a", "b"), tables, {(0, 1): JointScores.of(first * 20, second * 20, truth)}).difference(0, 1)
    a - b: +0.111 [0.054, 0.182], p < 0.001 (paired DeLong, with MOVER)
    """
    classes = _covariance_by_class(len(names), joints)
    values = np.array([AucMoments.of(table).auc for table in tables])
    rests_on = 0.0
    if not np.isnan(values).any():
        rests_on = min(on_how_many(table, float(value)) for table, value in zip(tables, values, strict=True))
    joint = Joint(
        "roc_auc", names, values, classes[0].covariance + classes[1].covariance, float(tables[0].total),
        "paired DeLong", refusal=too_few_for_areas(min(one.cases for one in classes)),
        alike=None if distribution == "normal" else RANKED_ALIKE,
    )  # fmt: skip
    return held_by_enough(joint, classes, rests_on, distribution)


def _covariance_by_class(count: int, joints: Mapping[Pair, JointScores]) -> tuple[OfClass, ...]:
    """What either class adds to the covariance of all, from what it adds to that of each two."""
    whole, cases = np.zeros((2, count, count)), [math.inf, math.inf]
    for pair, held in joints.items():
        cells, positive, weight, times = held.rows()
        found = joint_auc(Rows(positive, weight, times), {"first": cells[0], "second": cells[1]})
        for side, part in enumerate(found.classes):
            whole[side][np.ix_(pair, pair)] = part.covariance
            cases[side] = min(cases[side], part.cases)
    return tuple(OfClass(covariance, known) for covariance, known in zip(whole, cases, strict=True))


def influence_of_cells(
    measure: Measure,
    names: tuple[str, ...],
    values: Floats,
    joints: Mapping[Pair, JointScores | PairedDecisions],
    n: float,
    *,
    method: str = "paired influence, on cells",
    refusal: str | None = None,
    moves: Floats | None = None,
    of_one: OfOne | None = None,
    of_pair: Limits | None = None,
) -> Joint:
    """Estimates that vary together as cases move them that stand in the middle of their cells.

    `moves`, `of_one` and `of_pair` as `joint_influence` takes them. Of decisions the covariance is that of the rows; of
    scores how far it is off is measured, not bounded.
    """
    covariance, freedom = np.zeros((2, len(names), len(names)))
    cases = math.inf
    if np.isnan(values).any():
        return Joint(measure.name, names, values, np.full_like(covariance, math.nan), n, method, refusal=refusal)
    for (i, j), held in joints.items():
        found = (
            _influence_in_bins(measure, held) if isinstance(held, JointScores) else _influence_of_labels(measure, held)
        )
        pair, (rows, moved) = np.ix_((i, j), (i, j)), found
        kept = np.ones(moved.shape, dtype=np.bool_)
        each = moved / rows.sizes(kept)[:, None]
        sums = rows.sums(each)
        covariance[pair] = rows.bessel(kept) * (sums @ sums.T)
        freedom[i, j] = freedom[j, i] = _degrees_of_freedom(rows, each[0] - each[1])
        cases = min(cases, float(rows.kish(kept).min()))
    careful = careful_limits(values, covariance, np.full_like(covariance, cases), moves, of_one, of_pair)
    return Joint(measure.name, names, values, covariance, n, method, freedom, refusal=refusal, careful=careful)


def _influence_in_bins(measure: Measure, held: JointScores) -> tuple[Rows, Floats]:
    """How much each row of cells moves a measure of either classifier."""
    cells, positive, weight, times = held.rows()
    moved = []
    for grid, cell in zip(held.grids, cells, strict=True):
        low, high = grid.edges(cell)
        middle = low + (high - low) / 2
        table = ScoreTable.of(middle, positive, weight=weight, count=times)
        moved.append(score_influence(measure, table, middle, positive))
    return Rows(positive, weight, times), np.stack(moved)


def _influence_of_labels(measure: Measure, held: PairedDecisions) -> tuple[Rows, Floats]:
    """How much each kind of case, told by its class and both decisions, moves a measure of either classifier."""
    truth, one, other = np.nonzero(held.counts)
    sums = held.counts[truth, one, other]
    squares = sums if held.squares is None else held.squares[truth, one, other]
    rows = Rows(truth == 1, None if held.squares is None else squares / sums, sums**2 / squares)
    moves = [matrix_influence(measure, matrix) for matrix in (held.first, held.second)]
    return rows, np.stack([moves[0][truth, one], moves[1][truth, other]])


def _degrees_of_freedom(rows: Rows, moved: Floats) -> float:
    """As `spread_freedom`, of rows that are several cases each."""
    squares, times = np.square(moved * rows.each), rows.times * (moved != 0)
    size, whole = float(times.sum()), float(times @ squares)
    if size < 2 or not whole > 0:
        return 1.0
    share = float(times @ squares**2) / whole**2 - 1 / size
    return max(1.0, 2 / share) if share > 0 else math.inf


def error_within_cells(held: JointScores, ties: tuple[NDArray[np.int64], NDArray[np.int64]]) -> float:
    """How far the standard error of a difference of two AUCs can be off, whatever the scores within their cells are.

    A case beats all of the other class in lower cells, and of those in its own cell none, some or all: its placement is
    off by half their share at most. Standard errors are lengths of vectors of placements, so that they differ by no
    more than the length of what separates these. `ties` are the cells that hold one score only, and leave nothing open.

    >>> held = JointScores.of([0.1, 0.4, 0.4, 0.9], [0.1, 0.2, 0.6, 0.9], [False, False, True, True])
    >>> none = np.zeros(0, dtype=np.int64)
    >>> error_within_cells(held, (none, none)), error_within_cells(held, held.cells)
    (0.25, 0.0)
    """
    cells, positive, weight, times = held.rows()
    rows, squared = Rows(positive, weight, times), 0.0
    each = rows.each * rows.times
    left_open = np.sum([_half_of_tied_share(rows, cell, tied) for cell, tied in zip(cells, ties, strict=True)], axis=0)
    for side in (positive, ~positive):
        here: Floats = (left_open * side)[None]
        size = float(each @ side)
        if held.is_weighted:
            # The mean is taken with other weights than the squares, and may be off itself.
            here = here + side * float(here[0] @ each) / size
        factor = float(rows.bessel(side[None])[0, 0])
        squared += factor * float(np.square(rows.sums(here)).sum()) / size**2
    return math.sqrt(squared)


def _half_of_tied_share(rows: Rows, cell: Floats, tied: NDArray[np.int64]) -> Floats:
    """Half the share of the other class that each row has in its cell, where that holds different scores."""
    table = rows.table(cell, np.ones(len(cell), dtype=np.bool_))
    is_open = ~np.isin(table.score, tied)
    for_negatives = is_open * table.positive / (2 * float(table.positives))
    for_positives = is_open * table.negative / (2 * float(table.negatives))
    return table.of_cases(cell, rows.is_positive, for_negatives, for_positives)
