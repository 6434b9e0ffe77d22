"""Whether the figures of evidence agree with one another: checked once, where evidence is read.

A checksum shows that a file is as it was written, not that its figures are those of any cases. Everything that is
known twice (cases, classes, the confusion matrix, scores, sums over several classifiers) must say the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assay.errors import InputError
from assay.evidence.binning import Binned
from assay.evidence.confusion import ConfusionMatrix
from assay.evidence.reduction import Contribution, Reduced, Scores
from assay.sources._consistent_pairs import check_joint, check_joint_sums
from assay.sources._consistent_sums import check_class_sums
from assay.sources._consistent_tables import check_table, hidden_of, squares_of, totals_of
from assay.sources._figures import Sizes, must_agree, must_be_counts, must_be_squares

__all__ = ["refuse_inconsistent", "refuse_inconsistent_model"]

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
        known = {name: _checked(name, model) for name, model in part.models.items()}
        _check_models(part, known)


def refuse_inconsistent_model(model: Reduced) -> Sizes:
    """Refuse one model's evidence whose figures are not those of any cases; its classes' sizes otherwise.

    >>> matrix = ConfusionMatrix(np.array([[1, 0], [1, 1]]), ("no", "yes"))
    >>> refuse_inconsistent_model(Reduced(("no", "yes"), (1, 2), matrix)).weights
    array([1., 2.])
    """
    _check_classes(model)
    sizes = _sizes_of(model)
    if model.matrix is not None:
        _check_matrix(model.matrix, model, sizes)
    for place, scores in enumerate(model.scores):
        _check_scores(scores, model.classes, place, sizes)
    if model.threshold is not None:
        _check_threshold(model)
    if model.sums is not None:
        check_class_sums(model.sums, model.scores, sizes)
    return sizes


def _checked(name: str, model: Reduced) -> Sizes:
    try:
        return refuse_inconsistent_model(model)
    except InputError as error:
        raise InputError(f"{error.found}{f' (model {name!r})' if name else ''}", error.needed) from error


def _check_models(part: Contribution, known: Mapping[str, Sizes]) -> None:
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


def _check_classes(model: Reduced) -> None:
    if len(model.classes) < 2 or len(set(model.classes)) != len(model.classes):
        raise InputError("classes need names of their own", "two different ones at least")
    if len(model.cases) != len(model.classes) or min(model.cases) < 0 or not 0 < sum(model.cases) < 2**53:
        raise InputError(f"the numbers of cases are {list(model.cases)[:5]}", "a number for each class, some above 0")
    if model.matrix is None and not model.scores:
        raise InputError("there are neither scores nor decisions", "one of them")
    if len(model.classes) > 2 and model.matrix is None:
        raise InputError("there are many classes and no decisions", "the confusion matrix")
    if len(model.scores) not in (0, 1 if len(model.classes) == 2 else len(model.classes)):
        found = f"there are {len(model.scores)} tables of scores and {len(model.classes)} classes"
        raise InputError(found, "one of two classes, else one of each class")
    if model.sums is not None and (len(model.classes) == 2 or not model.scores):
        raise InputError("there are sums of many classes without their scores", "scores of three classes or more")


def _sizes_of(model: Reduced) -> Sizes:
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


def _check_scores(scores: Scores, classes: tuple[str, ...], place: int, sizes: Sizes) -> None:
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
        raise InputError(f"the threshold {threshold:g} decided nothing", "scores and decisions of two classes")
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
