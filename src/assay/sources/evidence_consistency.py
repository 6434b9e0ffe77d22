"""Whether the figures of evidence agree with one another: checked once, where evidence is read.

A checksum shows that a file is as it was written, not that its figures are those of any cases. Everything that is
known twice (cases, classes, the confusion matrix, scores, sums over several classifiers) must say the same.

Whether sums over several models are of the models beside them.

Whether the sums over cases of many classes are those of the scores beside them.

Whether a table of scores can be one of cases: scores in order, cells on their grid, numbers of cases beside each.

What numbers of cases must be, and how closely two sums over the same cases must agree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.errors import InputError
from assay.evidence.binning import BEYOND, Binned, Cells, ScoreGrid
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.joint_sums import MOST_BITS as CONSISTENT_PAIRS_MOST_BITS
from assay.evidence.joint_sums import SPAN, JointLosses, JointScores, ModelSums, Pair
from assay.evidence.multiclass import ANSWERS, MOST_PAIRED, POWERS, SIDES, ClassSums, paired
from assay.evidence.paired import JointCorrectness, PairedDecisions
from assay.evidence.reduction import Contribution, Reduced
from assay.evidence.reduction import Scores as ConsistencyScores
from assay.evidence.score_table import ScoreTable
from assay.types import Floats

__all__ = [
    "Sizes",
    "check_class_sums",
    "check_grid",
    "check_joint",
    "check_joint_sums",
    "check_table",
    "hidden_of",
    "must_agree",
    "must_be_counts",
    "must_be_squares",
    "refuse_inconsistent",
    "refuse_inconsistent_model",
    "squares_of",
    "totals_of",
]


# Sums of the same weights in another order differ by less than this, and counts not at all.
ROUNDING = 1e-9
# Whole numbers are exact in a double up to here.
MOST_COUNTED = 2.0**53
LARGEST_WEIGHT = 1e12


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many cases each class has, what they weigh, and the sum of their squared weights."""

    classes: tuple[str, ...]
    cases: Floats
    weights: Floats
    squares: Floats
    is_weighted: bool

    def against(self, place: int) -> Sizes:
        """The same of all other classes together, and of one."""
        pairs = [np.array([each.sum() - each[place], each[place]]) for each in (self.cases, self.weights, self.squares)]
        return Sizes(("all others", self.classes[place]), pairs[0], pairs[1], pairs[2], self.is_weighted)

    @property
    def total(self) -> Sizes:
        """The same of all classes together."""
        sums = [np.array([each.sum()]) for each in (self.cases, self.weights, self.squares)]
        return Sizes(("all",), sums[0], sums[1], sums[2], self.is_weighted)

    def are_near(self, one: Floats, other: Floats) -> bool:
        """Whether sums agree: counts exactly, sums of weights but for rounding in all of them."""
        if one.shape != other.shape:
            return False
        if not self.is_weighted:
            return bool((one == other).all())
        slack = ROUNDING * np.maximum(np.abs(one), np.abs(other)).max(initial=0)
        return bool((np.abs(one - other) <= slack).all())


def must_agree(what: str, found: Floats, other: str, expected: Floats, sizes: Sizes) -> None:
    """Refuse sums over each class that are not those of the cases.

    >>> of_two = Sizes(("no", "yes"), np.array([3.0, 4.0]), np.array([3.0, 4.0]), np.array([3.0, 4.0]), False)
    >>> must_agree("the scores", np.array([3.0, 5.0]), "there are", of_two.weights, of_two)
    Traceback (most recent call last):
    assay.errors.InputError: the scores hold 5 of class 'yes', and there are 4; needed: the same in both
    """
    for name, mine, theirs in zip(sizes.classes, found.tolist(), expected.tolist(), strict=True):
        near = mine == theirs if not sizes.is_weighted else abs(mine - theirs) <= ROUNDING * float(expected.sum())
        if not near:
            verb = "holds" if what.endswith("matrix") else "hold"
            raise InputError(f"{what} {verb} {mine:,.15g} of class {name!r}, and {other} {theirs:,.15g}", SAME)


def must_be_counts(what: str, values: Floats, sizes: Sizes) -> None:
    """Refuse what is no number of cases: negative, not finite, more than there are, or a fraction without weights."""
    most = float(sizes.cases.sum()) * (LARGEST_WEIGHT if sizes.is_weighted else 1.0)
    if not (values.min(initial=0) >= 0 and values.max(initial=0) <= min(most, MOST_COUNTED * LARGEST_WEIGHT)):
        raise InputError(f"{what} hold numbers that are not those of cases", f"numbers from 0 to {most:,.15g}")
    if not sizes.is_weighted and not (values == np.floor(values)).all():
        raise InputError(f"{what} hold fractions of cases, and there are no weights", "whole numbers, or weights")


def must_be_squares(
    what: str, weights: Floats, squares: Floats, cases: Floats | float, *, is_partial: bool = False
) -> None:
    """Refuse sums of squared weights that no cases with these sums of weights have.

    Of n cases they are at least the n-th part of the squared sum, and at most the squared sum. Where they are
    `is_partial`, the squares of some are missing.
    """
    if squares.shape != weights.shape or not (np.isfinite(squares).all() and squares.min(initial=0) >= 0):
        raise InputError(f"the squared weights of {what} are no numbers", "a finite number for each sum of weights")
    with np.errstate(over="ignore"):
        whole = weights**2
        fits = (squares <= whole * (1 + ROUNDING)) & (is_partial | (squares * cases >= whole * (1 - ROUNDING)))
    if not fits.all():
        raise InputError(f"the squared weights of {what} do not fit the weights", "those of as many cases as there are")


Scores = Binned | ScoreTable

# The most bits that a grid has anywhere: rows that stay where they lie are put into cells of up to so many.
MOST_BITS = 40
# Scores beyond this are refused where predictions are read.
LARGEST_SCORE = 1e100


def check_table(scores: Scores, what: str, sizes: Sizes) -> None:
    """Refuse scores that are not in order or not where they can be, and numbers that are not of cases."""
    sides = (scores.negative, scores.positive)
    if isinstance(scores, Binned):
        _check_bins(scores, what)
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


def _check_bins(binned: Binned, what: str) -> None:
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


SAME = "the same in both"


def check_joint(joint: JointCorrectness, models: Mapping[str, Reduced], sizes: Sizes) -> None:
    """Refuse numbers of cases that several models were right about which are not those of their matrices."""
    what = "the correct predictions"
    if joint.names != tuple(models):
        raise InputError(f"{what} are of other models", "the models of the file")
    right, squares = _correct_weights(list(models.values()))
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
        _check_joint_scores(scores, [each[k] for k in pair], sizes)
    for pair, decisions in both.decisions.items():
        _check_paired_decisions(decisions, [each[k] for k in pair], pair, sizes)
    for name, losses in both.losses.items():
        _check_joint_losses(name, losses, sizes)


def _correct_weights(models: Sequence[Reduced]) -> tuple[list[float | None], list[float | None]]:
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


def _check_joint_scores(joint: JointScores, models: Sequence[Reduced], sizes: Sizes) -> None:
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
        check_grid(grid, CONSISTENT_PAIRS_MOST_BITS)
    if np.abs(table.score).max(initial=0) >= SPAN**2:
        return False
    for grid, cells, model in zip(joint.grids, joint.cells, models, strict=True):
        for scores in model.scores:
            held = _counts_on_grid(scores, grid)
            if held is not None and not _have_equal_counts((cells, table.negative, table.positive), held, sizes):
                return False
    return True


Counted = tuple[Cells, Floats, Floats]


def _counts_on_grid(scores: Scores, grid: ScoreGrid) -> Counted | None:
    """The cells of one model's scores on the grid of a pair; None where they cannot be put there."""
    if not isinstance(scores, Binned):
        return grid.cells(scores.score), scores.negative, scores.positive
    if any(scores.hidden) or scores.grid.kind != grid.kind or scores.grid.bits < grid.bits:
        return None
    coarse = scores.coarser(grid.bits)
    return coarse.cell, coarse.negative, coarse.positive


def _have_equal_counts(one: Counted, other: Counted, sizes: Sizes) -> bool:
    every, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    places = place[: len(one[0])], place[len(one[0]) :]

    def sums(side: int) -> list[Floats]:
        return [
            np.bincount(at, held[side], len(every)).astype(np.float64)
            for at, held in zip(places, (one, other), strict=True)
        ]

    return all(sizes.are_near(*sums(side)) for side in (1, 2))


def _check_paired_decisions(joint: PairedDecisions, models: Sequence[Reduced], pair: Pair, sizes: Sizes) -> None:
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
        if known is None or (known.classes, known.decisions) != names or not _are_equal_matrices(mine, known, sizes):
            raise InputError(f"{what} are not those of their confusion matrices", SAME)


def _are_equal_matrices(one: ConfusionMatrix, other: ConfusionMatrix, sizes: Sizes) -> bool:
    return sizes.are_near(one.counts, other.counts) and sizes.are_near(one.squared_weights, other.squared_weights)


def _check_joint_losses(name: str, losses: JointLosses, sizes: Sizes) -> None:
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


# Probabilities are held so far from 0 and 1 for the log loss.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
OF_ALL = "a sum over the cases for each class"


def check_class_sums(sums: ClassSums, scores: Sequence[Scores], sizes: Sizes) -> None:
    """Refuse sums that are not of the cases whose scores these are."""
    if sums.by_truth and (len(sums.by_truth) != len(scores) or len(scores) > MOST_PAIRED):
        raise InputError("the true classes are not counted for each class", "counts for each of them, or for none")
    for place, (counts, each) in enumerate(zip(sums.by_truth, scores, strict=bool(sums.by_truth))):
        _check_true_class_counts(counts, paired(each), place, sizes)
    _check_confidence_tables(sums, sizes)
    for name, powers in sums.losses.items():
        _check_loss_powers(name, powers, sizes)
        for place in range(len(scores)):
            _check_loss_bounds(name, powers[0, place], sums, scores, place)
    if sums.losses and not sums.are_probabilities:
        raise InputError("there are losses of scores that are no probabilities", "probabilities")
    if sums.are_probabilities and not all(map(_is_in_unit_interval, scores)):
        raise InputError("the scores are probabilities by their sums and not by themselves", "scores from 0 to 1")
    _check_zero_probability_cases(sums, scores, sizes)


def _check_true_class_counts(counts: Floats, at: Scores, place: int, sizes: Sizes) -> None:
    """In each cell, the cases of the class itself and of all others are those of its scores."""
    what = "the counts of true classes"
    if counts.ndim != 3 or counts.shape[0] not in (1, 2) or counts.shape[1:] != (len(sizes.classes), len(at)):
        raise InputError(f"{what} have another shape than the scores", "a number for each class and score")
    if sizes.is_weighted and len(counts) != 2:
        raise InputError(f"{what} lack squared weights", "squared weights, as the scores have them")
    must_be_counts(what, counts[0], sizes)
    others = np.delete(counts[0], place, axis=0).sum(0)
    if not (sizes.are_near(counts[0][place], at.positive) and sizes.are_near(others, at.negative)):
        raise InputError(f"{what} are not those of the scores of class {sizes.classes[place]!r}", "the same in both")
    by_class, hidden = counts[0].sum(1), any(hidden_of(at))
    if (by_class > sizes.weights * (1 + ROUNDING)).any() or not (hidden or sizes.are_near(by_class, sizes.weights)):
        must_agree(what, by_class, "there are", sizes.weights, sizes)
    if len(counts) == 2:
        must_be_squares(what, counts[0], counts[1], sizes.cases[:, None])
        squares = counts[1].sum(1)
        if (squares > sizes.squares * (1 + ROUNDING)).any() or not (hidden or sizes.are_near(squares, sizes.squares)):
            raise InputError(f"the squared weights of {what} are not those of the cases", "the same in both")


def _check_confidence_tables(sums: ClassSums, sizes: Sizes) -> None:
    """How sure the answers were is known of all cases, and in each form the same ones were right."""
    if set(sums.answers) != set(ANSWERS):
        raise InputError("there are other answers", ", ".join(ANSWERS))
    totals = []
    for name in ANSWERS:
        each, what = sums.answers[name], f"the answers by {name}"
        if each.classes != SIDES or each.is_weighted != sizes.is_weighted:
            raise InputError(f"{what} are of other classes or weights", ", ".join(SIDES))
        check_table(each, what, sizes)
        totals.append(totals_of(each))
        must_agree(what, np.array([sum(totals[-1])]), "there are", sizes.total.weights, sizes.total)
    right = Sizes(SIDES, *(np.array(totals[0]),) * 3, sizes.is_weighted)
    for name, found in zip(ANSWERS[1:], totals[1:], strict=True):
        must_agree(f"the answers by {name}", np.array(found), f"by {ANSWERS[0]}", right.weights, right)


def _check_loss_powers(name: str, powers: Floats, sizes: Sizes) -> None:
    """Sums of a loss to the powers 0 to 4 are those of as many cases, and of numbers that are not negative."""
    what, shape = f"the sums of {name}", (len(sizes.classes), POWERS)
    if powers.shape not in ((1, *shape), (3, *shape)) or not (np.isfinite(powers).all() and (powers >= 0).all()):
        raise InputError(f"{what} are not sums of losses", OF_ALL)
    if sizes.is_weighted and len(powers) != 3:
        raise InputError(f"{what} lack squared weights", OF_ALL)
    must_agree(what, powers[0, :, 0], "there are", sizes.weights, sizes)
    if len(powers) == 3:
        must_agree(f"the squared weights in {what}", powers[1, :, 0], "there are", sizes.squares, _squared_sizes(sizes))
        must_be_squares(what, powers[1, :, 0], powers[2, :, 0], sizes.cases)
    # Cauchy and Schwarz: each power but the first and the last lies below the mean of its neighbours.
    with np.errstate(over="ignore"):
        is_above = powers[..., 1:-1] ** 2 > powers[..., :-2] * powers[..., 2:] * (1 + ROUNDING)
    if is_above.any():
        raise InputError(f"{what} are not those of the powers of one loss", OF_ALL)


def _check_loss_bounds(name: str, powers: Floats, sums: ClassSums, scores: Sequence[Scores], place: int) -> None:
    """What the cases of a class lose is what their scores allow: of the log loss, and the mean of squared errors."""
    is_hidden = any(any(hidden_of(each)) for each in scores)
    least = most = np.zeros(0)
    if name == "surprise":
        ends, own = _score_bounds(scores[place]), scores[place].positive
        lost = [-np.log(np.clip(end, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)) for end in ends]
        most, least = (np.array([own @ each**power for power in range(POWERS)]) for each in lost)
        found = powers
    elif name == "squared error" and sums.by_truth:
        counts = [
            (each[0][place], _score_bounds(paired(kept))) for each, kept in zip(sums.by_truth, scores, strict=True)
        ]
        errors = [
            (weights, *sorted(((low - (k == place)) ** 2, (high - (k == place)) ** 2), key=np.sum))
            for k, (weights, (low, high)) in enumerate(counts)
        ]
        least, most = (np.array([sum(each[0] @ each[side] for each in errors)]) for side in (1, 2))
        found = powers[1:2]
    else:
        return
    slack = ROUNDING * (1 + most)
    if (found < least - slack).any() or (not is_hidden and (found > most + slack).any()):
        raise InputError(f"the sums of {name} are not those of the scores", "the same in both")


def _score_bounds(scores: Scores) -> tuple[Floats, Floats]:
    """The least and the greatest that each score can be."""
    table = scores.table() if isinstance(scores, Binned) else scores
    return (table.score, table.score) if table.reach is None else (table.reach.low, table.reach.high)


def _check_zero_probability_cases(sums: ClassSums, scores: Sequence[Scores], sizes: Sizes) -> None:
    """Cases whose own class was given no probability are those whose score for it is 0 or less."""
    least = most = 0.0
    for each in scores:
        # 0 has a cell of its own on every grid, numbered 0.
        is_impossible = each.cell <= 0 if isinstance(each, Binned) else each.score <= 0
        least += float(each.positive[is_impossible].sum())
        most += float(hidden_of(each)[1])
    most += least
    slack = ROUNDING * float(sizes.weights.sum()) if sizes.is_weighted else 0.0
    if not least - slack <= sums.certain_and_wrong <= most + slack:
        found = f"{sums.certain_and_wrong:,.15g} cases were given no probability of their class"
        raise InputError(f"{found}, and by the scores {least:,.15g}", "the same in both")


def _squared_sizes(sizes: Sizes) -> Sizes:
    return Sizes(sizes.classes, sizes.cases, sizes.squares, sizes.squares, sizes.is_weighted)


def _is_in_unit_interval(scores: Scores) -> bool:
    if isinstance(scores, Binned):
        return scores.grid.kind == "probability"
    return not len(scores) or bool(scores.score[0] >= 0 and scores.score[-1] <= 1)


REST = "rest"


def refuse_inconsistent(parts: Sequence[Contribution]) -> None:
    """Refuse parts whose figures are not those of any cases, or that were made of the same rows.

    >>> from assay.evidence.reduction import Reduced
    >>> matrix = ConfusionMatrix(np.array([[1, 0], [0, 1]]), ("no", "yes"))
    >>> refuse_inconsistent([Contribution("north", {"": Reduced(("no", "yes"), (100, 100), matrix)})])
    Traceback (most recent call last):
    assay.errors.InputError: the confusion matrix holds 1 of class 'no', and there are 100; needed: ...
    """
    seen: dict[str, str] = {}
    for part in parts:
        for source in part.sources:
            if source in seen:
                found = f"{seen[source]!r} and {part.name!r} were made from the same rows"
                raise InputError(f"{found} (SHA-256 {source[:12]}...)", "each source once")
            seen[source] = part.name
        known = {name: _checked_model_sizes(name, model) for name, model in part.models.items()}
        _check_joint_models(part, known)


def refuse_inconsistent_model(model: Reduced) -> Sizes:
    """Refuse one model's evidence whose figures are not those of any cases; its classes' sizes otherwise.

    >>> matrix = ConfusionMatrix(np.array([[1, 0], [1, 1]]), ("no", "yes"))
    >>> refuse_inconsistent_model(Reduced(("no", "yes"), (1, 2), matrix)).weights
    array([1., 2.])
    """
    _check_class_sizes(model)
    sizes = _class_sizes(model)
    if model.matrix is not None:
        _check_matrix(model.matrix, model, sizes)
    for place, scores in enumerate(model.scores):
        _check_scores(scores, model.classes, place, sizes)
    if model.threshold is not None:
        _check_threshold(model)
    if model.sums is not None:
        check_class_sums(model.sums, model.scores, sizes)
    return sizes


def _checked_model_sizes(name: str, model: Reduced) -> Sizes:
    try:
        return refuse_inconsistent_model(model)
    except InputError as error:
        raise InputError(f"{error.found}{f' (model {name!r})' if name else ''}", error.needed) from error


def _check_joint_models(part: Contribution, known: Mapping[str, Sizes]) -> None:
    """The sums over several models are of these models, and of the same cases."""
    if part.joint is None and part.together is None:
        return
    first, *others = known.values()
    for each in others:
        must_agree("cases of each class", each.weights, "those of another model", first.weights, first)
    if part.joint is not None:
        check_joint(part.joint, part.models, first)
    if part.together is not None:
        check_joint_sums(part.together, part.models, first)


def _check_class_sizes(model: Reduced) -> None:
    if len(model.classes) < 2 or len(set(model.classes)) != len(model.classes):
        raise InputError("classes need unique names", "at least two different classes")
    if len(model.cases) != len(model.classes) or min(model.cases) < 0 or not 0 < sum(model.cases) < 2**53:
        raise InputError(f"the numbers of cases are {list(model.cases)[:5]}", "a number per class, some above 0")
    if model.matrix is None and not model.scores:
        raise InputError("there are no scores or predicted labels", "one of them")
    if len(model.classes) > 2 and model.matrix is None:
        raise InputError("there are many classes, but no predicted labels", "the confusion matrix")
    if len(model.scores) not in (0, 1 if len(model.classes) == 2 else len(model.classes)):
        found = f"there are {len(model.scores)} tables of scores and {len(model.classes)} classes"
        raise InputError(found, "one of two classes, else one of each class")
    if model.sums is not None and (len(model.classes) == 2 or not model.scores):
        raise InputError("there are sums of many classes without their scores", "scores of three classes or more")


def _class_sizes(model: Reduced) -> Sizes:
    """How much the cases of each class weigh: their numbers, or of weighted cases what the matrix or scores hold."""
    cases, matrix = np.array(model.cases, dtype=np.float64), model.matrix
    weighted = [each.is_weighted for each in model.scores] + ([] if matrix is None else [matrix.squares is not None])
    if any(weighted) != all(weighted):
        raise InputError("some figures are weighted and others are not", "weights in all of them, or in none")
    if not any(weighted):
        return Sizes(model.classes, cases, cases, cases, is_weighted=False)
    if matrix is not None:
        weights, squares = matrix.counts.sum(1), matrix.squared_weights.sum(1)
    else:
        weights = np.array(totals_of(model.scores[0]))
        squares = np.array([side.sum() for side in squares_of(model.scores[0])])
    sizes = Sizes(model.classes, cases, weights, squares, is_weighted=True)
    is_partial = matrix is None and any(any(hidden_of(each)) for each in model.scores)
    must_be_squares("the classes", weights, squares, cases, is_partial=is_partial)
    return sizes


def _check_matrix(matrix: ConfusionMatrix, model: Reduced, sizes: Sizes) -> None:
    decisions, shape = matrix.decisions, (len(model.classes), len(matrix.decisions))
    if matrix.classes != model.classes or decisions[: len(model.classes)] != model.classes:
        raise InputError("the confusion matrix is of other classes", "the classes in the same order, in both")
    if len(set(decisions)) != len(decisions) or matrix.counts.shape != shape:
        raise InputError("the labels of the confusion matrix do not fit its columns", "a name for each of them")
    must_be_counts("the confusion matrix", matrix.counts, sizes)
    must_agree("the confusion matrix", matrix.counts.sum(1), "there are", sizes.weights, sizes)
    if matrix.squares is not None:
        must_be_squares("the confusion matrix", matrix.counts, matrix.squares, sizes.cases[:, None])


def _check_scores(scores: ConsistencyScores, classes: tuple[str, ...], place: int, sizes: Sizes) -> None:
    """The scores are of these classes, and of all their cases."""
    expected = classes if len(classes) == 2 else (REST, classes[place])
    if scores.classes != expected:
        found = f"the scores are of the classes {', '.join(map(repr, scores.classes))}"
        raise InputError(found, f"scores of {', '.join(map(repr, expected))}")
    check_table(scores, "the scores", sizes)
    known = sizes if len(classes) == 2 else sizes.against(place)
    must_agree("the scores", np.array(totals_of(scores)), "there are", known.weights, known)
    hidden = hidden_of(scores)
    if scores.is_weighted:
        sums = np.array([side.sum() for side in squares_of(scores)])
        if (sums > known.squares * (1 + 1e-9)).any() or (not any(hidden) and not known.are_near(sums, known.squares)):
            raise InputError("the squared weights of the scores are not those of the cases", "the same in both")


def _check_threshold(model: Reduced) -> None:
    """What the threshold decided is what the scores leave open of it, or exactly what they say."""
    matrix, threshold = model.matrix, model.threshold
    assert threshold is not None
    if matrix is None or len(model.scores) != 1 or matrix.decisions != model.classes or not math.isfinite(threshold):
        raise InputError(
            f"threshold {threshold:g} is given without predicted labels", "scores and predicted labels of two classes"
        )
    (scores,) = model.scores
    table = scores.table() if isinstance(scores, Binned) else scores
    low, high = (table.score, table.score) if table.reach is None else (table.reach.low, table.reach.high)
    for name, side, some, found in zip(
        model.classes, (table.negative, table.positive), hidden_of(scores), matrix.counts[:, 1], strict=True
    ):
        least, most = float(side[low >= threshold].sum()), float(side[high >= threshold].sum() + some)
        if not least * (1 - 1e-9) <= found <= most * (1 + 1e-9):
            at = f"at the threshold {threshold:g} the confusion matrix holds {found:,.15g} predicted positives"
            most_least = f"{least:,.15g}" if least == most else f"{least:,.15g} to {most:,.15g}"
            raise InputError(f"{at} of class {name!r}, and the scores {most_least}", "the same in both")
