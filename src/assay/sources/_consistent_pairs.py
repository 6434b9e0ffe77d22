"""Whether sums over several models are of the models beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from assay.errors import InputError
from assay.evidence.binning import Binned, Cells, ScoreGrid
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.joint_sums import MOST_BITS, SPAN, JointLosses, JointScores, ModelSums, Pair
from assay.evidence.paired import JointCorrectness, PairedDecisions
from assay.evidence.reduction import Reduced
from assay.sources._consistent_tables import Scores, check_grid, squares_of
from assay.sources._figures import ROUNDING, Sizes, must_agree, must_be_counts, must_be_squares
from assay.types import Floats

__all__ = ["check_joint", "check_joint_sums"]

SAME = "the same in both"


def check_joint(joint: JointCorrectness, models: Mapping[str, Reduced], sizes: Sizes) -> None:
    """Refuse numbers of cases that several models were right about which are not those of their matrices."""
    what = "the cases that models were right about"
    if joint.names != tuple(models):
        raise InputError(f"{what} are of other models", "the models of the file")
    right, squares = _right(list(models.values()))
    _check_products(what, joint.counts, sizes.weights.sum(), right, sizes)
    must_be_counts(what, joint.counts, sizes)
    if sizes.is_weighted != (joint.squares is not None):
        raise InputError(f"the squared weights of {what} are missing, or too many", "weights in all figures or in none")
    if joint.squares is not None:
        _check_products(f"the squared weights of {what}", joint.squares, sizes.squares.sum(), squares, sizes)


def check_joint_sums(both: ModelSums, models: Mapping[str, Reduced], sizes: Sizes) -> None:
    """Refuse sums over pairs of models that are not of these models and cases."""
    if both.names != tuple(models):
        raise InputError("the sums over several models are of other models", "the models of the file")
    every, each = list(combinations(range(len(models)), 2)), list(models.values())
    for held in (both.scores, both.decisions):
        if held and list(held) != every:
            raise InputError("the sums over several models lack a pair of them", "each pair once")
    for pair, scores in both.scores.items():
        _check_pair_of_scores(scores, [each[k] for k in pair], sizes)
    for pair, decisions in both.decisions.items():
        _check_pair_of_decisions(decisions, [each[k] for k in pair], pair, sizes)
    for name, losses in both.losses.items():
        _check_losses(name, losses, sizes)


def _right(models: Sequence[Reduced]) -> tuple[list[float | None], list[float | None]]:
    """What the cases weigh that each model was right about, and the sums of their squared weights."""
    found = [None if each.matrix is None else each.matrix for each in models]
    counts = [None if each is None else float(np.trace(each.counts)) for each in found]
    return counts, [None if each is None else float(np.trace(each.squared_weights)) for each in found]


def _check_products(what: str, table: Floats, total: float, right: Sequence[float | None], sizes: Sizes) -> None:
    """A square table of how much two things hold of together, with all cases first, is one of these cases."""
    if table.shape != (len(right) + 1,) * 2 or not (np.isfinite(table).all() and (table >= 0).all()):
        raise InputError(f"{what} are no square table of numbers", "a number for each two models")
    alone = table.diagonal()
    expected = [total, *(own if own is not None else known for own, known in zip(right, alone[1:], strict=True))]
    is_table = (
        sizes.are_near(alone, np.array(expected))
        and sizes.are_near(table, table.T)
        and sizes.are_near(table[0], alone)
        and bool((table <= np.minimum(alone, alone[:, None]) * (1 + ROUNDING)).all())
        and bool((alone + alone[:, None] - table <= total * (1 + ROUNDING)).all())
    )
    if not is_table:
        raise InputError(f"{what} are not those of the confusion matrices", SAME)


def _check_pair_of_scores(joint: JointScores, models: Sequence[Reduced], sizes: Sizes) -> None:
    what, table = "the scores of two models together", joint.pairs
    if len(sizes.classes) != 2 or table.is_weighted != sizes.is_weighted or not (np.diff(table.score) > 0).all():
        raise InputError(f"{what} are not in order, or of other classes or weights", "two classes, each pair once")
    for side in (table.negative, table.positive):
        must_be_counts(what, side, sizes)
    must_agree(what, np.array([table.negative.sum(), table.positive.sum()]), "there are", sizes.weights, sizes)
    if table.is_weighted:
        for side, squares in zip((table.negative, table.positive), squares_of(table), strict=True):
            must_be_squares(what, side, squares, sizes.cases.sum())
        sums = np.array([each.sum() for each in squares_of(table)])
        if not sizes.are_near(sums, sizes.squares):
            raise InputError(f"the squared weights of {what} are not those of the cases", SAME)
    if not _are_same_scores(joint, models, sizes):
        raise InputError(f"{what} are not those of each", SAME)


def _are_same_scores(joint: JointScores, models: Sequence[Reduced], sizes: Sizes) -> bool:
    """Whether the cells of two models together are those of each, where these can be put on the same grid."""
    table = joint.pairs
    for grid in joint.grids:
        check_grid(grid, MOST_BITS)
    if np.abs(table.score).max(initial=0) >= SPAN**2:
        return False
    for grid, cells, model in zip(joint.grids, joint.cells, models, strict=True):
        for scores in model.scores:
            held = _cells_on(scores, grid)
            if held is not None and not _are_same_cells((cells, table.negative, table.positive), held, sizes):
                return False
    return True


Counted = tuple[Cells, Floats, Floats]


def _cells_on(scores: Scores, grid: ScoreGrid) -> Counted | None:
    """The cells of one model's scores on the grid of a pair; None where they cannot be put there."""
    if not isinstance(scores, Binned):
        return grid.cells(scores.score), scores.negative, scores.positive
    if any(scores.hidden) or scores.grid.kind != grid.kind or scores.grid.bits < grid.bits:
        return None
    coarse = scores.coarser(grid.bits)
    return coarse.cell, coarse.negative, coarse.positive


def _are_same_cells(one: Counted, other: Counted, sizes: Sizes) -> bool:
    every, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    places = place[: len(one[0])], place[len(one[0]) :]

    def sums(side: int) -> list[Floats]:
        return [
            np.bincount(at, held[side], len(every)).astype(np.float64)
            for at, held in zip(places, (one, other), strict=True)
        ]

    return all(sizes.are_near(*sums(side)) for side in (1, 2))


def _check_pair_of_decisions(joint: PairedDecisions, models: Sequence[Reduced], pair: Pair, sizes: Sizes) -> None:
    what = f"the decisions of models {pair[0] + 1} and {pair[1] + 1} together"
    matrices = [model.matrix for model in models]
    names = (joint.classes, joint.decisions)
    shape = (len(joint.classes), len(joint.decisions), len(joint.decisions))
    if joint.classes != sizes.classes or joint.counts.shape != shape:
        raise InputError(f"{what} are of other classes", "the classes of the file")
    must_be_counts(what, joint.counts, sizes)
    if sizes.is_weighted != (joint.squares is not None):
        raise InputError(f"the squared weights of {what} are missing, or too many", "weights in all figures or in none")
    if joint.squares is not None:
        must_be_squares(what, joint.counts, joint.squares, sizes.cases[:, None, None])
    for mine, known in zip((joint.first, joint.second), matrices, strict=True):
        if known is None or (known.classes, known.decisions) != names or not _are_same(mine, known, sizes):
            raise InputError(f"{what} are not those of their confusion matrices", SAME)


def _are_same(one: ConfusionMatrix, other: ConfusionMatrix, sizes: Sizes) -> bool:
    return sizes.are_near(one.counts, other.counts) and sizes.are_near(one.squared_weights, other.squared_weights)


def _check_losses(name: str, losses: JointLosses, sizes: Sizes) -> None:
    """Sums and products of losses are those of as many cases: no product is larger than its squares allow."""
    what, sums, products = f"the sums of {name} of several models", losses.sums, losses.products
    size = len(losses.names) + 1
    if sums.shape != (size,) or products.shape != (size, size):
        raise InputError(f"{what} are of other models", "a sum for each model")
    if not all(np.isfinite(each).all() and (each >= 0).all() for each in (sums, products)):
        raise InputError(f"{what} are no sums of losses", "finite numbers")
    total, squares = sizes.weights.sum(), sizes.squares.sum()
    if abs(sums[0] - total) > ROUNDING * total or abs(products[0, 0] - squares) > ROUNDING * squares:
        raise InputError(f"{what} are of {sums[0]:,.15g} cases, and there are {total:,.15g}", SAME)
    roots = np.sqrt(products.diagonal())
    # Cauchy and Schwarz: no two losses go together more closely than each with itself.
    is_table = np.allclose(products, products.T, rtol=ROUNDING, atol=0) and bool(
        (products <= np.outer(roots, roots) * (1 + ROUNDING)).all()
    )
    if not is_table or not (sizes.is_weighted or np.allclose(products[0], sums, rtol=ROUNDING, atol=0)):
        raise InputError(f"the products of {what} are not those of their sums", SAME)
