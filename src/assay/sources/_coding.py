"""Arrays of labels become codes and arrays of scores become float64, without sorting either.

Sorting to find two classes costs more than everything that follows; a range, a comparison with a value or a dictionary
finds them in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.sources._labels import label_name
from assay.sources._wording import shown

__all__ = ["MOST_VALUES", "Coded", "Codes", "Numbers", "code", "code_objects", "narrow", "number", "number_objects"]

Codes = NDArray[np.integer]

MOST_VALUES = 1000  # more different values than any column of classes holds; beyond it counting stops
PEELED = 24  # comparing with this many strings in turn is still faster than a dictionary of all of them
INT16 = 30_000


@dataclass(frozen=True)
class Coded:
    """Labels as codes into `values`; a code of -1 is a missing label. `values` may hold some that never occur.

    More than MOST_VALUES values are not coded at all: `distinct` then says how many there are, as far as counted.
    """

    values: tuple[Any, ...]
    codes: Codes
    distinct: int = 0


@dataclass(frozen=True)
class Numbers:
    """Scores as float64 with nan where one is missing; `text` is the first row (from 1) that holds no number."""

    values: NDArray[np.float64]
    text: tuple[int, str] | None = None


def narrow(count: int) -> type[np.signedinteger[Any]]:
    """The smallest signed type that holds codes into `count` values."""
    return np.int8 if count <= 127 else np.int16 if count <= INT16 else np.int64


def code(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> Coded:
    """The codes of an array of labels of any kind.

    >>> code(np.array([True, False])).codes, code(np.array([3, 5, 3])).codes, code(np.array(["b", "a", "b"])).codes
    (array([1, 0], dtype=int8), array([0, 2, 0], dtype=int8), array([0, 1, 0], dtype=int8))
    >>> code(np.array([1.0, np.nan, 0.0])).codes
    array([ 1, -1,  0], dtype=int8)
    """
    coded = _code(values)
    if missing is None or not missing.any() or coded.distinct:
        return coded
    return Coded(coded.values, np.where(missing, coded.codes.dtype.type(-1), coded.codes))


def _code(values: NDArray[Any]) -> Coded:
    kind = values.dtype.kind
    if len(values) == 0:
        return Coded((), np.zeros(0, np.int8))
    if kind == "b":
        return Coded((False, True), np.ascontiguousarray(values).view(np.int8))
    if kind in "iu":
        return _code_whole(values)
    if kind == "f":
        return _code_floats(values)
    if kind in "US":
        return _code_strings(np.ascontiguousarray(values))
    return code_objects(values.astype(object).tolist())


def _code_whole(values: NDArray[Any]) -> Coded:
    low, high = int(values.min()), int(values.max())
    if high - low >= MOST_VALUES:
        return code_objects(values.tolist())
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    codes = (wide - wide.dtype.type(low)).astype(narrow(high - low + 1)) if low else values
    return Coded(tuple(range(low, high + 1)), codes.astype(narrow(high - low + 1), copy=False))


def _code_floats(values: NDArray[Any]) -> Coded:
    low, high = values.min(), values.max()
    if np.isnan(low):
        missing = np.isnan(values)
        if missing.all():
            return Coded((), np.full(len(values), -1, np.int8))
        return code(np.where(missing, values[~missing][0], values), missing)
    if low > -MOST_VALUES and high < MOST_VALUES:
        whole = values.astype(np.int16)
        if (whole == values).all():
            return _code_whole(whole)
    return code_objects(values.tolist())


def _code_strings(values: NDArray[Any]) -> Coded:
    """Peels one value after the other off: a few comparisons of whole arrays instead of a look at each string."""
    words = _as_words(values)
    codes = np.full(len(values), -1, np.int8)
    found: list[str] = []
    for place in range(PEELED + 1):
        row = int(codes.argmin())
        if codes[row] >= 0:
            return Coded(tuple(found), codes)
        if place == PEELED:
            break
        alike = (values == values[row]) if words is None else np.logical_and.reduce([w == w[row] for w in words])
        codes += alike.view(np.int8) * np.int8(place + 1)
        found.append(values[row].item())
    return code_objects(values.tolist())


def _as_words(values: NDArray[Any]) -> list[NDArray[Any]] | None:
    """Fixed-width text as columns of integers, which compare many times faster; nothing where it is too wide."""
    size = values.dtype.itemsize
    width = next((width for width in (8, 4, 2, 1) if size % width == 0), 1)
    if size == 0 or size // width > 8:
        return None
    table = values.view(f"u{width}").reshape(len(values), -1)
    return [table[:, place] for place in range(table.shape[1])]


def code_objects(values: Sequence[Any]) -> Coded:
    """The codes of any hashable values; None and nan are missing.

    >>> code_objects(["b", None, "a", float("nan")])
    Coded(values=('b', 'a'), codes=array([ 0, -1,  1, -1], dtype=int8), distinct=0)
    """
    try:
        seen = dict.fromkeys(values)
    except TypeError as error:
        raise InputError("the labels are lists or other compound values", "one plain value for each case") from error
    known = [value for value in seen if value is not None and not (isinstance(value, float) and value != value)]
    if len(known) > MOST_VALUES:
        return Coded(tuple(known[:MOST_VALUES]), np.zeros(0, np.int8), distinct=len(known))
    place = {value: number for number, value in enumerate(known)}
    dtype = narrow(len(known))
    found: Iterable[int] = (
        map(place.__getitem__, values) if len(known) == len(seen) else map(place.get, values, repeat(-1))
    )
    return Coded(tuple(known), np.fromiter(found, dtype, len(values)))


def number(values: NDArray[Any], column: str) -> Numbers:
    """Scores as float64; an array that already is float64 and contiguous is taken as it is.

    >>> number(np.array([1, 2]), "score").values, number(np.array(["0,5"]), "score").text
    (array([1., 2.]), (1, '0,5'))
    """
    kind = values.dtype.kind
    if kind in "biuf":
        return Numbers(np.ascontiguousarray(values, dtype=np.float64))
    if kind in "OUST":
        return number_objects(values.tolist(), column)
    held = "complex numbers" if kind == "c" else "dates or times" if kind in "mM" else "compound values"
    raise InputError(f"{shown(column)} holds {held}", "a real number for each case")


def number_objects(values: Sequence[Any], column: str, *, parse: bool = False) -> Numbers:
    """Scores given as Python objects; text counts as a number only where it may be parsed, as in a file.

    >>> number_objects([1, None, "NA", "0.5"], "score").text, number_objects(["0.5"], "score", parse=True).values
    ((4, '0.5'), array([0.5]))
    """
    found = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        is_text = isinstance(value, str | bytes)
        try:
            if value is not None and (parse or not is_text):
                found[row] = value
                continue
        except (TypeError, ValueError):
            pass
        if value is not None and label_name(value) is not None:
            if not is_text:
                raise InputError(
                    f"row {row + 1:,}: {shown(column)} holds {shown(value)}", "a real number for each case"
                )
            return Numbers(found, (row + 1, str(value)))
    return Numbers(found)
