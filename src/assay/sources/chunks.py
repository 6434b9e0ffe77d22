"""Chunks of a stream: labels and numbers of whatever kind a user has, a few at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import InputError
from assay.sources._labels import label_name
from assay.sources._wording import shown
from assay.sources.arrays import _array, _floats, _labels
from assay.types import Codes, Floats

__all__ = ["labels_of", "numbers_of"]


def labels_of(values: Any, column: str) -> tuple[list[str], Codes]:
    """The different names among labels in the order they come, and the place among these of every label.

    >>> labels_of(["spam", "ham", "spam"], "truth")
    (['spam', 'ham'], array([0, 1, 0]))
    >>> labels_of([1, None], "truth")
    Traceback (most recent call last):
    assay.errors.InputError: row 2: 'truth' is missing; needed: a class for every event
    """
    array = _array(values, column)
    if len(array) == 0:
        return [], np.zeros(0, np.intp)
    coded = _labels(array, column, None)
    if coded.codes.min() < 0:
        raise _missing(column, int(coded.codes.argmin()))
    occurs = np.bincount(coded.codes, minlength=len(coded.values)) > 0
    first = np.full(len(coded.values), len(array))
    np.minimum.at(first, coded.codes, np.arange(len(array)))
    places: dict[str, int] = {}
    of_value = np.full(len(coded.values), -1)
    # By their first row, so that no split into chunks changes the order in which classes are met.
    for value in sorted(np.flatnonzero(occurs).tolist(), key=first.__getitem__):
        name = label_name(coded.values[value])
        if name is None:
            raise _missing(column, int(first[value]))
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
    found = _floats(_array(values, column), column)
    if found.fault is not None:
        raise found.fault
    if found.text is not None:
        row, text = found.text
        raise InputError(f"row {row:,}: {shown(column)} holds {shown(text)}", "a number for every event")
    return found.values


def _missing(column: str, row: int) -> InputError:
    return InputError(f"row {row + 1:,}: {shown(column)} is missing", "a class for every event")
