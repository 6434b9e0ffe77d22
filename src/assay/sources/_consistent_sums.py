"""Whether the sums over cases of many classes are those of the scores beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import InputError
from assay.evidence.binning import Binned
from assay.evidence.multiclass import ANSWERS, MOST_PAIRED, POWERS, SIDES, ClassSums, paired
from assay.sources._consistent_tables import Scores, check_table, hidden_of, totals_of
from assay.sources._figures import ROUNDING, Sizes, must_agree, must_be_counts, must_be_squares
from assay.types import Floats

__all__ = ["check_class_sums"]

# Probabilities are held so far from 0 and 1 for the log loss.
SMALLEST_PROBABILITY = float(np.finfo(np.float64).eps)
OF_ALL = "a sum over the cases for each class"


def check_class_sums(sums: ClassSums, scores: Sequence[Scores], sizes: Sizes) -> None:
    """Refuse sums that are not of the cases whose scores these are."""
    if sums.by_truth and (len(sums.by_truth) != len(scores) or len(scores) > MOST_PAIRED):
        raise InputError("the true classes are not counted for each class", "counts for each of them, or for none")
    for place, (counts, each) in enumerate(zip(sums.by_truth, scores, strict=bool(sums.by_truth))):
        _check_by_truth(counts, paired(each), place, sizes)
    _check_answers(sums, sizes)
    for name, powers in sums.losses.items():
        _check_losses(name, powers, sizes)
        for place in range(len(scores)):
            _check_loss_of_scores(name, powers[0, place], sums, scores, place)
    if sums.losses and not sums.are_probabilities:
        raise InputError("there are losses of scores that are no probabilities", "probabilities")
    if sums.are_probabilities and not all(map(_within_one, scores)):
        raise InputError("the scores are probabilities by their sums and not by themselves", "scores from 0 to 1")
    _check_impossible(sums, scores, sizes)


def _check_by_truth(counts: Floats, at: Scores, place: int, sizes: Sizes) -> None:
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


def _check_answers(sums: ClassSums, sizes: Sizes) -> None:
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


def _check_losses(name: str, powers: Floats, sizes: Sizes) -> None:
    """Sums of a loss to the powers 0 to 4 are those of as many cases, and of numbers that are not negative."""
    what, shape = f"the sums of {name}", (len(sizes.classes), POWERS)
    if powers.shape not in ((1, *shape), (3, *shape)) or not (np.isfinite(powers).all() and (powers >= 0).all()):
        raise InputError(f"{what} are not sums of losses", OF_ALL)
    if sizes.is_weighted and len(powers) != 3:
        raise InputError(f"{what} lack squared weights", OF_ALL)
    must_agree(what, powers[0, :, 0], "there are", sizes.weights, sizes)
    if len(powers) == 3:
        must_agree(f"the squared weights in {what}", powers[1, :, 0], "there are", sizes.squares, _of_squares(sizes))
        must_be_squares(what, powers[1, :, 0], powers[2, :, 0], sizes.cases)
    # Cauchy and Schwarz: each power but the first and the last lies below the mean of its neighbours.
    with np.errstate(over="ignore"):
        is_above = powers[..., 1:-1] ** 2 > powers[..., :-2] * powers[..., 2:] * (1 + ROUNDING)
    if is_above.any():
        raise InputError(f"{what} are not those of the powers of one loss", OF_ALL)


def _check_loss_of_scores(name: str, powers: Floats, sums: ClassSums, scores: Sequence[Scores], place: int) -> None:
    """What the cases of a class lose is what their scores allow: of the log loss, and the mean of squared errors."""
    is_hidden = any(any(hidden_of(each)) for each in scores)
    least = most = np.zeros(0)
    if name == "surprise":
        ends, own = _ends(scores[place]), scores[place].positive
        lost = [-np.log(np.clip(end, SMALLEST_PROBABILITY, 1 - SMALLEST_PROBABILITY)) for end in ends]
        most, least = (np.array([own @ each**power for power in range(POWERS)]) for each in lost)
        found = powers
    elif name == "squared error" and sums.by_truth:
        counts = [(each[0][place], _ends(paired(kept))) for each, kept in zip(sums.by_truth, scores, strict=True)]
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


def _ends(scores: Scores) -> tuple[Floats, Floats]:
    """The least and the greatest that each score can be."""
    table = scores.table() if isinstance(scores, Binned) else scores
    return (table.score, table.score) if table.reach is None else (table.reach.low, table.reach.high)


def _check_impossible(sums: ClassSums, scores: Sequence[Scores], sizes: Sizes) -> None:
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


def _of_squares(sizes: Sizes) -> Sizes:
    return Sizes(sizes.classes, sizes.cases, sizes.squares, sizes.squares, sizes.is_weighted)


def _within_one(scores: Scores) -> bool:
    if isinstance(scores, Binned):
        return scores.grid.kind == "probability"
    return not len(scores) or bool(scores.score[0] >= 0 and scores.score[-1] <= 1)
