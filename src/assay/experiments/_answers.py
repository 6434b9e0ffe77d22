"""What a learner answered, checked before it is kept: a wrong answer must fail its cell, not every table after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError

ROUNDING = 1e-6  # by how much probabilities may miss 0, 1 and a sum of 1


class WrongAnswer(InputError):
    """What a learner said of its test cases cannot be used."""


def checked_labels(
    said: Any, cases: int, classes: int, abstention: Any = None, spelling: Sequence[Any] | None = None
) -> NDArray[np.int32]:
    """One class code for each case; one past the classes where the learner abstained.

    `spelling` are the labels behind the codes, where the learner was given those.

    >>> checked_labels([0, 2, 1], 3, 3)
    array([0, 2, 1], dtype=int32)
    >>> checked_labels([0, -1, 1], 3, 2, abstention=-1)
    array([0, 2, 1], dtype=int32)
    >>> checked_labels(["ham", "spam"], 2, 2, spelling=["spam", "ham"])
    array([1, 0], dtype=int32)
    >>> checked_labels([0, 2], 3, 3)
    Traceback (most recent call last):
    assay.experiments._answers.WrongAnswer: predict gave shape (2,); needed: one answer for each of 3 cases
    """
    labels = checked_length(said, "predict", cases)
    if abstention is not None:
        abstained = np.asarray(labels == abstention)
        known = 0 if spelling is None else spelling[0]
        some = labels.astype(object) if spelling is not None else labels.copy()
        some[abstained] = known
        return np.where(abstained, np.int32(classes), checked_labels(some, cases, classes, spelling=spelling))
    if spelling is not None:
        return _codes_of(labels, spelling, "predict")
    if labels.dtype.kind not in "iufb" or not np.isin(labels, np.arange(classes)).all():
        found = labels[~np.isin(labels, np.arange(classes))] if labels.dtype.kind in "iufb" else labels
        raise WrongAnswer(f"predict gave {str(found[0])[:40]!r}, which is no class code", "the codes it learned from")
    return labels.astype(np.int32)


def _codes_of(labels: NDArray[Any], spelling: Sequence[Any], method: str) -> NDArray[np.int32]:
    """The codes of labels in their own spelling."""
    place = {label: code for code, label in enumerate(spelling)}
    values = labels.tolist()
    try:
        return np.array([place[value] for value in values], dtype=np.int32)
    except (KeyError, TypeError):
        odd = next(value for value in values if not _is_known(value, place))
        needed = f"the labels it learned from, such as {spelling[0]!r}"
        raise WrongAnswer(f"{method} gave {str(odd)[:40]!r}, which is no label of the data", needed) from None


def _is_known(value: Any, place: dict[Any, int]) -> bool:
    try:
        return value in place
    except TypeError:
        return False


def checked_scores(said: Any, cases: int) -> NDArray[np.float64]:
    """One finite score for each case."""
    return _finite(checked_length(said, "decision_function", cases), "decision_function")


def checked_probabilities(
    said: Any, known: Any, cases: int, classes: int, spelling: Sequence[Any] | None = None
) -> NDArray[np.float64]:
    """A row of probabilities for each case, in the columns of the classes that the learner knows.

    >>> checked_probabilities([[0.25, 0.75]], [0, 2], 1, 3)
    array([[0.25, 0.  , 0.75]])
    >>> checked_probabilities([[0.25, 1.75]], [0, 2], 1, 3)
    Traceback (most recent call last):
    assay.experiments._answers.WrongAnswer: predict_proba gave 1.75; needed: probabilities from 0 to 1
    """
    columns = known_classes(known, classes, spelling)
    found = _finite(_array(said, "predict_proba"), "predict_proba")
    if found.shape != (cases, len(columns)):
        needed = f"a row for each of {cases} cases and a column for each of {len(columns)} classes"
        raise WrongAnswer(f"predict_proba gave shape {found.shape}", needed)
    outside = found[(found < -ROUNDING) | (found > 1 + ROUNDING)]
    if len(outside):
        raise WrongAnswer(f"predict_proba gave {outside[0]:.6g}", "probabilities from 0 to 1")
    sums = found.sum(axis=1)
    if not (np.abs(sums - 1) < 1e3 * ROUNDING).all():
        worst = sums[np.abs(sums - 1).argmax()]
        raise WrongAnswer(f"predict_proba gave probabilities that sum to {worst:.6g}", "rows that sum to 1")
    probability = np.zeros((cases, classes))
    probability[:, columns] = np.clip(found, 0, 1)
    return probability


def known_classes(said: Any, classes: int, spelling: Sequence[Any] | None = None) -> NDArray[np.intp]:
    """The class codes a learner says that it knows, each once."""
    known = np.atleast_1d(_array(said, "classes_"))
    if spelling is not None and known.ndim == 1:
        known = _codes_of(known, spelling, "classes_")
    fits = known.ndim == 1 and known.dtype.kind in "iufb" and np.isin(known, np.arange(classes)).all()
    if not fits or len(np.unique(known)) != len(known):
        raise WrongAnswer(f"classes_ is {str(known.tolist())[:60]}", f"class codes below {classes}, each once")
    return known.astype(np.intp)


def checked_length(said: Any, method: str, cases: int) -> NDArray[Any]:
    """One value for each case; a table of one column is as good.

    >>> checked_length([["yes"], ["no"]], "predict", 2).tolist()
    ['yes', 'no']
    """
    found = _array(said, method)
    if found.shape not in ((cases,), (cases, 1)):
        raise WrongAnswer(f"{method} gave shape {found.shape}", f"one answer for each of {cases} cases")
    return found.reshape(cases)


def _array(said: Any, method: str) -> NDArray[Any]:
    try:
        return np.asarray(said)
    except Exception as error:  # whatever it is, it makes no array
        raise WrongAnswer(f"{method} gave a {type(said).__name__}, which makes no array", "an array") from error


def _finite(found: NDArray[Any], method: str) -> NDArray[np.float64]:
    try:
        numbers = found.astype(np.float64)
    except (TypeError, ValueError):
        raise WrongAnswer(f"{method} gave values of type {found.dtype}", "numbers") from None
    if not np.isfinite(numbers).all():
        raise WrongAnswer(f"{method} gave values that are nan or infinite", "finite ones")
    return numbers
