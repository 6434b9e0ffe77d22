"""Batches of a loop: cases as they come, checked against classes that are fixed before any is seen.

Chunks of a stream: labels and numbers of whatever kind a user has, a few at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evidence import span, zero_one
from assay.predictions import Predictions
from assay.sources.arrays import _as_array, _coded_labels, _parse_class_names, _parse_floats
from assay.sources.column_values import LARGEST_SCORE
from assay.sources.labels import BITS, aligned, label_name, settle
from assay.sources.probabilities import first_other_sum
from assay.sources.quoting import listed, shown
from assay.types import Codes, Floats

__all__ = ["BatchReader", "labels_of", "numbers_of"]


def labels_of(values: Any, column: str) -> tuple[list[str], Codes]:
    """The different names among labels in the order they come, and the place among these of every label.

    >>> labels_of(["spam", "ham", "spam"], "truth")
    (['spam', 'ham'], array([0, 1, 0]))
    >>> labels_of([1, None], "truth")
    Traceback (most recent call last):
    assay.errors.InputError: row 2: 'truth' is missing; needed: a class for every event
    """
    array = _as_array(values, column)
    if len(array) == 0:
        return [], np.zeros(0, np.intp)
    coded = _coded_labels(array, column, None)
    if coded.codes.min() < 0:
        raise _missing_value_error(column, int(coded.codes.argmin()))
    occurs = np.bincount(coded.codes, minlength=len(coded.values)) > 0
    first = np.full(len(coded.values), len(array))
    np.minimum.at(first, coded.codes, np.arange(len(array)))
    places: dict[str, int] = {}
    of_value = np.full(len(coded.values), -1)
    # By their first row, so that no split into chunks changes the order in which classes are met.
    for value in sorted(np.flatnonzero(occurs).tolist(), key=first.__getitem__):
        name = label_name(coded.values[value])
        if name is None:
            raise _missing_value_error(column, int(first[value]))
        of_value[value] = places.setdefault(name, len(places))
    return list(places), of_value[coded.codes]


def numbers_of(values: Any, column: str) -> Floats:
    """Numbers as float64, of one dimension or two; nothing is parsed from text.

    >>> numbers_of([0.5, 1], "score")
    array([0.5, 1. ])
    >>> numbers_of(["0.5"], "score")
    Traceback (most recent call last):
    assay.errors.InputError: row 1: 'score' holds '0.5'; needed: a number for every event
    """
    found = _parse_floats(_as_array(values, column), column)
    if found.fault is not None:
        raise found.fault
    if found.text is not None:
        row, text = found.text
        raise InputError(f"row {row:,}: {shown(column)} holds {shown(text)}", "a number for every event")
    return found.values


def _missing_value_error(column: str, row: int) -> InputError:
    return InputError(f"row {row + 1:,}: {shown(column)} is missing", "a class for every event")


TRUTH, SCORE, PRED = "y_true", "y_score", "y_pred"
OTHER_SCORES = "probabilities from 0 to 1, or grid='real' for scores such as logits"


@dataclass(frozen=True)
class BatchReader:
    """What all batches of a loop have in common: the classes, the positive one of two last, and what scores are.

    `columns` are the classes in the order of the columns of scores.

    >>> batches = BatchReader.of(["no", "yes"])
    >>> batches.read(["yes", "no"], [0.8, 0.3])
    Predictions(2 cases of 'no', 'yes'; positive 'yes'; with score)
    >>> batches.read(["yes", "perhaps"], [0.8, 0.3])
    Traceback (most recent call last):
    assay.errors.InputError: row 2: 'y_true' holds 'perhaps'; needed: one of the classes 'no', 'yes'
    """

    classes: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Literal["probability", "real"] = "probability"

    @classmethod
    def of(
        cls, classes: Sequence[Any], positive: Any = None, kind: Literal["probability", "real"] = "probability"
    ) -> BatchReader:
        """Classes by name, of two of them which is positive, and whether scores are probabilities."""
        names = _parse_class_names(classes)
        if len(names) > 2:
            if positive is not None:
                raise OptionError(
                    f"positive is given, but there are {len(names)} classes", "two classes, or no positive class"
                )
            return cls(names, names, kind)
        return cls(settle(names, (), positive, column="classes", rows=len(names)).names, names, kind)

    def read(
        self, y_true: Any, y_score: Any = None, y_pred: Any = None, weight: Any = None, count: Any = None
    ) -> Predictions | None:
        """The predictions of one batch; None where no case in it counts."""
        plain = self._read_binary_batch(y_true, y_score) if y_pred is weight is count is None else None
        if plain is not None:
            return plain
        truth = self._class_codes(y_true, TRUTH)
        if y_score is None and y_pred is None:
            raise InputError("no scores or predicted labels are given", f"{SCORE} or {PRED}")
        found: dict[str, Any] = {}
        if y_score is not None:
            found |= self._checked_scores(y_score, len(truth))
        if y_pred is not None:
            found["decision"] = self._class_codes(y_pred, PRED)
            _refuse_other_length(found["decision"], truth, "predicted labels")
        design = {"weight": weight, "count": count}
        found |= {role: _nonnegative_numbers(given, role, truth) for role, given in design.items() if given is not None}
        kept = np.ones(len(truth), dtype=np.bool_)
        for role in design:
            # Padding weighs nothing.
            kept &= found[role] != 0 if role in found else True
        if not kept.any():
            return None
        # Loops fill the same memory again with the next batch, so that nothing of it may be kept.
        rows = {name: values.copy() if kept.all() else values[kept] for name, values in found.items()}
        return Predictions(self.classes, truth if kept.all() else truth[kept], **rows)

    def _read_binary_batch(self, y_true: Any, y_score: Any) -> Predictions | None:
        """What is read where nothing need be asked: 0 and 1 beside probabilities, which is how most batches come."""
        if self.classes != BITS or self.kind != "probability" or y_score is None:
            return None
        truth, score = (
            _flatten_single_column(_as_array(values, name)) for values, name in ((y_true, TRUTH), (y_score, SCORE))
        )
        is_plain = truth.dtype.kind in "iu" and score.dtype.kind == "f" and truth.ndim == score.ndim == 1
        if not is_plain or len(truth) != len(score) or not len(truth) or (codes := zero_one(truth)) is None:
            return None
        chances = score.astype(np.float64)
        low, high = span(chances)
        return Predictions.checked((BITS[0], BITS[1]), codes.copy(), chances) if low >= 0 and high <= 1 else None

    def _class_codes(self, values: Any, column: str) -> Codes:
        found, place = labels_of(_flatten_single_column(_as_array(values, column)), column)
        lookup = {name: code for code, name in enumerate(self.classes)}
        codes = np.array([lookup.get(name, -1) for name in aligned(found, self.classes)], dtype=np.int64)
        if codes.min(initial=0) < 0:
            row = int((codes[place] < 0).argmax())
            held = shown(found[place[row]])
            raise InputError(
                f"row {row + 1:,}: {shown(column)} holds {held}", f"one of the classes {listed(self.classes)}"
            )
        return np.asarray(codes[place])

    def _checked_scores(self, values: Any, rows: int) -> dict[str, Floats]:
        """The score of the positive class of two, or the scores of many classes."""
        given = _flatten_single_column(numbers_of(values, SCORE))
        if len(given) != rows:
            raise InputError(f"there are {rows:,} true labels but {len(given):,} scores", "one of each per case")
        if given.ndim == 1 and len(self.classes) > 2:
            needed = f"one column per class: {listed(self.columns)}"
            raise InputError(f"there is one score per case, but {len(self.classes)} classes", needed)
        if given.ndim > 2 or (given.ndim == 2 and given.shape[1] != len(self.columns)):
            needed = f"one score per case, or one column per class: {listed(self.columns)}"
            raise InputError(f"{shown(SCORE)} has shape {given.shape}", needed)
        found = _refuse_infinite(given, SCORE)
        if self.kind == "probability" and rows:
            _refuse_no_probabilities(found)
        if found.ndim == 1:
            return {"score": found}
        if len(self.classes) == 2:
            return {"score": np.ascontiguousarray(found[:, self.columns.index(self.classes[1])])}
        return {"probability": found}


def _flatten_single_column(values: NDArray[Any]) -> NDArray[Any]:
    """A single column, as networks with one output make it, as the values in it."""
    return values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values


def _refuse_no_probabilities(scores: Floats) -> None:
    is_outside = ((scores < 0) | (scores > 1)).reshape(len(scores), -1)
    if is_outside.any():
        row = int(is_outside.any(1).argmax())
        value = scores.reshape(len(scores), -1)[row, int(is_outside[row].argmax())]
        raise InputError(f"row {row + 1:,}: {shown(SCORE)} holds {value:g}, which is not a probability", OTHER_SCORES)
    if scores.ndim == 2 and (row_off := first_other_sum(list(scores.T))) is not None:
        total = scores[row_off].sum()
        raise InputError(f"row {row_off + 1:,}: {shown(SCORE)} sums to {total:.6g} over the classes", OTHER_SCORES)


def _nonnegative_numbers(values: Any, role: str, truth: Codes) -> Floats:
    found = _refuse_infinite(numbers_of(values, role), role)
    if found.ndim != 1:
        raise InputError(f"{shown(role)} has shape {found.shape}", "one number for each case")
    if (found < 0).any():
        row = int((found < 0).argmax())
        raise InputError(f"row {row + 1:,}: the {role} is {found[row]:g}", "a number that is not negative")
    _refuse_other_length(found, truth, f"{role}s")
    return found


def _refuse_infinite(values: Floats, column: str) -> Floats:
    fits = np.abs(values) <= LARGEST_SCORE
    if not fits.all():
        place = np.unravel_index(int(fits.argmin()), fits.shape)
        held = f"row {place[0] + 1:,}: {shown(column)} holds {values[place]:g}"
        raise InputError(held, "a finite number for every case; leave out cases without one")
    return values


def _refuse_other_length(values: NDArray[Any], truth: Codes, what: str) -> None:
    if len(values) != len(truth):
        raise InputError(f"there are {len(truth):,} true labels but {len(values):,} {what}", "one of each per case")
