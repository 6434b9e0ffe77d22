"""Arrays of labels become codes and arrays of scores become float64, without sorting either.

Sorting to find two classes costs more than everything that follows; a range, a comparison with a value or a dictionary
finds them in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.evidence import encoded
from assay.sources._labels import label_name
from assay.sources._wording import shown
from assay.types import Codes

__all__ = [
    "EXACT",
    "MOST_VALUES",
    "Coded",
    "Numbers",
    "code",
    "code_objects",
    "may_be_rounded",
    "narrow",
    "number",
    "number_objects",
    "refuse_rounded",
    "rounded",
]

EXACT_KINDS = (Decimal, Fraction, np.longdouble)  # numbers that may have more digits than a double
MOST_VALUES = 1000  # more different values than any column of classes holds; beyond it counting stops
PEELED = 5  # comparing with this many strings in turn is still faster than mixing numbers from all of them
MOST_WORDS = 8
EXACT = 2**53  # whole numbers up to here are kept as they are
SAMPLE = 1 << 12
BLOCK = 1 << 14
BUCKET_BITS = 20
# Odd numbers with well spread bits; the first few tries find one that keeps a thousand values apart.
MIXERS = tuple(np.uint64((0x9E3779B97F4A7C15 * odd) % (1 << 64)) for odd in range(1, 32, 2))
INT16 = 30_000
EXACT = 2**53  # beyond it, a floating number may stand for several whole ones


@dataclass(frozen=True)
class Coded:
    """Labels as codes into `values`; a code of -1 is a missing label. `values` may hold some that never occur.

    More than MOST_VALUES values are not coded at all: `distinct` then says how many there are, as far as counted. Where
    values are `literal`, what would elsewhere mean a missing one is a name like any other.
    """

    values: tuple[Any, ...]
    codes: Codes
    distinct: int = 0
    literal: bool = False


@dataclass(frozen=True)
class Numbers:
    """Scores as float64 with nan where one is missing.

    `text` is the first row (from 1) that holds no number; `fault` says why the column cannot be used, should it have
    to be. `mark` is the decimal sign of numbers that came as text, `percent` whether they were percentages.
    """

    values: NDArray[np.float64]
    text: tuple[int, str] | None = None
    fault: InputError | None = None
    mark: str = "."
    percent: bool = False


def narrow(count: int) -> type[np.signedinteger[Any]]:
    """The smallest signed type that holds codes into `count` values."""
    return np.int8 if count <= 127 else np.int16 if count <= INT16 else np.int64


def refuse_rounded(column: str, largest: float | None) -> None:
    """Refuse names that are floating numbers so large that two of them may have become one."""
    if largest is not None and largest >= EXACT and np.isfinite(largest):
        raise InputError(
            f"{shown(column)} holds {largest:.0f} as a floating number, where neighbours are the same",
            "whole numbers beyond 2^53 as integers or as text",
        )


def code(values: NDArray[Any], missing: NDArray[np.bool_] | None = None, most: int | None = MOST_VALUES) -> Coded:
    """The codes of an array of labels of any kind; with `most` None, of any number of them.

    >>> code(np.array([True, False])).codes, code(np.array([3, 5, 3])).codes, code(np.array(["b", "a", "b"])).codes
    (array([1, 0], dtype=int8), array([0, 2, 0], dtype=int8), array([0, 1, 0], dtype=int8))
    >>> code(np.array([1.0, np.nan, 0.0])).codes
    array([ 1, -1,  0], dtype=int8)
    """
    coded = _code(values, most)
    if missing is None or not missing.any() or coded.distinct:
        return coded
    return Coded(coded.values, np.where(missing, coded.codes.dtype.type(-1), coded.codes))


def _code(values: NDArray[Any], most: int | None) -> Coded:
    kind = values.dtype.kind
    if len(values) == 0:
        return Coded((), np.zeros(0, np.int8))
    if kind == "b":
        return Coded((False, True), np.ascontiguousarray(values).view(np.int8))
    if kind in "iu":
        return _code_whole(values, most)
    if kind == "f":
        return _code_floats(values, most)
    if kind in "US":
        return _code_strings(np.ascontiguousarray(values), most)
    return code_objects(values.astype(object).tolist(), most)


def _code_whole(values: NDArray[Any], most: int | None) -> Coded:
    low, high = int(values.min()), int(values.max())
    if high - low >= MOST_VALUES:
        return code_objects(values.tolist(), most)
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    codes = (wide - wide.dtype.type(low)).astype(narrow(high - low + 1)) if low else values
    return Coded(tuple(range(low, high + 1)), codes.astype(narrow(high - low + 1), copy=False))


def _code_floats(values: NDArray[Any], most: int | None) -> Coded:
    low, high = values.min(), values.max()
    if np.isnan(low):
        missing = np.isnan(values)
        if missing.all():
            return Coded((), np.full(len(values), -1, np.int8))
        return code(np.where(missing, values[~missing][0], values), missing, most)
    refuse_rounded("a label", max(-float(low), float(high)))
    if low > -MOST_VALUES and high < MOST_VALUES:
        whole = values.astype(np.int16)
        if (whole == values).all():
            return _code_whole(whole, most)
    return code_objects(values.tolist(), most)


def _code_strings(values: NDArray[Any], most: int | None) -> Coded:
    """By one pass where loops are compiled; else a few are peeled off one by one, many told apart by a mixed number."""
    at_once = encoded(values) if values.dtype.itemsize else None
    if at_once is not None and (most is None or len(at_once[1]) <= most):
        codes, firsts = at_once
        return Coded(tuple(values[firsts].tolist()), codes.astype(narrow(len(firsts)), copy=False))
    words = _as_words(values)
    if len(set(values[:SAMPLE].tolist())) > PEELED:
        mixed = None if words is None else _code_mixed(values, words, most)
        return mixed or code_objects(values.tolist(), most)
    codes = np.full(len(values), -1, np.int8)
    found: list[str] = []
    for place in range(PEELED + 1):
        row = int(codes.argmin())
        if codes[row] >= 0:
            return Coded(tuple(found), codes)
        if place == PEELED:
            break
        alike = values == values[row] if words is None else np.logical_and.reduce([w == w[row] for w in words.T])
        codes += alike.view(np.int8) * np.int8(place + 1)
        found.append(values[row].item())
    return code_objects(values.tolist(), most)


def _as_words(values: NDArray[Any]) -> NDArray[Any] | None:
    """Fixed-width text as rows of integers, which compare many times faster; nothing where it is too wide."""
    size = values.dtype.itemsize
    width = next((width for width in (8, 4, 2, 1) if size % width == 0), 1)
    if size == 0 or size // width > MOST_WORDS:
        return None
    return values.view(f"u{width}").reshape(len(values), -1)


def _code_mixed(values: NDArray[Any], words: NDArray[Any], most: int | None) -> Coded | None:
    """Codes by numbers mixed from the words of each string; nothing where two strings happen to mix to one number."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)]  # each of them stays in the cache
    mixed = np.concatenate([_mixed(words[block]) for block in blocks])
    known = np.unique(mixed[:SAMPLE])
    while True:
        codes = _places(known, mixed)
        strange = mixed[known[codes] != mixed]
        if len(strange) == 0:
            break
        known = np.union1d(known, strange)
    if most is not None and len(known) > most:
        first = dict.fromkeys(values[: 10 * SAMPLE].tolist())
        return Coded(tuple(first)[:most], np.zeros(0, np.int8), distinct=len(known))
    row = np.zeros(len(known), np.intp)
    row[codes] = np.arange(len(values))
    examples = words[row]
    if not all(np.array_equal(examples.take(codes[block], axis=0), words[block]) for block in blocks):
        return None
    return Coded(tuple(values[row].tolist()), codes)


def _mixed(words: NDArray[Any]) -> NDArray[np.uint64]:
    mixed = words[:, 0].astype(np.uint64)
    for word in words.T[1:]:
        mixed *= MIXERS[0]
        mixed += word
    return mixed


def _places(known: NDArray[np.uint64], mixed: NDArray[np.uint64]) -> Codes:
    """The place of each number among the sorted known ones, or of another one where it is not among them."""
    dtype, shift = narrow(len(known)), np.uint64(64 - BUCKET_BITS)
    for mixer in MIXERS:
        bucket = (known * mixer) >> shift
        if len(np.unique(bucket)) == len(known):
            table = np.zeros(1 << BUCKET_BITS, dtype)
            table[bucket] = np.arange(len(known))
            return table.take(((mixed * mixer) >> shift).view(np.int64))
    return np.minimum(np.searchsorted(known, mixed), len(known) - 1).astype(dtype)


def code_objects(values: Sequence[Any], most: int | None = MOST_VALUES) -> Coded:
    """The codes of any hashable values; None and nan are missing.

    >>> code_objects(["b", None, "a", float("nan")])
    Coded(values=('b', 'a'), codes=array([ 0, -1,  1, -1], dtype=int8), distinct=0, literal=False)
    """
    try:
        seen = dict.fromkeys(values)
    except TypeError as error:
        raise InputError("the labels are lists or other compound values", "one plain value for each case") from error
    known = [value for value in seen if value is not None and not (isinstance(value, float) and value != value)]
    if most is not None and len(known) > most:
        return Coded(tuple(known[:most]), np.zeros(0, np.int8), distinct=len(known))
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
    if kind in "bf":
        floats = np.ascontiguousarray(values, dtype=np.float64)
        has_more_digits = kind == "f" and values.dtype.itemsize > floats.dtype.itemsize
        return Numbers(floats, fault=_first_merged(values.reshape(-1), floats, column) if has_more_digits else None)
    if kind in "iu":
        return _whole_numbers(values, column)
    if kind in "OUST":
        return number_objects(values.tolist(), column)
    held = "complex numbers" if kind == "c" else "dates or times" if kind in "mM" else "compound values"
    raise InputError(f"{shown(column)} holds {held}", "a real number for each case")


def _whole_numbers(values: NDArray[Any], column: str) -> Numbers:
    """Whole numbers, none of them rounded."""
    floats = np.ascontiguousarray(values, dtype=np.float64)
    has_long = values.dtype.itemsize == 8 and may_be_rounded(floats)
    return Numbers(floats, fault=_first_rounded(values.tolist(), floats.reshape(-1), column) if has_long else None)


def may_be_rounded(floats: NDArray[np.float64]) -> bool:
    """Whether numbers are so large that whole ones may have lost digits."""
    return floats.size > 0 and bool(max(-np.fmin.reduce(floats, axis=None), np.fmax.reduce(floats, axis=None)) >= EXACT)


def rounded(column: str, row: int, value: object) -> InputError:
    """What to say of a whole number that has more digits than a score keeps."""
    found = f"row {row:,}: {shown(column)} holds {value}, which would be rounded to {float(str(value)):.0f}"
    return InputError(found, "numbers of at most 15 digits")


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
        except (TypeError, ValueError, OverflowError):
            pass
        if value is not None and label_name(value) is not None:
            if not is_text:
                raise InputError(
                    f"row {row + 1:,}: {shown(column)} holds {shown(value)}", "a real number for each case"
                )
            return Numbers(found, (row + 1, str(value)))
    fault = _first_rounded(values, found, column) if may_be_rounded(found) else None
    if fault is None and any(isinstance(value, EXACT_KINDS) for value in values):
        # A Decimal and a Fraction cannot be compared with one another, two Fractions can.
        exact = [Fraction(each) if isinstance(each, Decimal) and each.is_finite() else each for each in values]
        rows = np.flatnonzero(np.isfinite(found))
        fault = _first_merged(np.array(exact, dtype=object)[rows], found[rows], column, rows)
    return Numbers(found, fault=fault)


def _first_merged(
    values: NDArray[Any], floats: NDArray[np.float64], column: str, rows: NDArray[np.intp] | None = None
) -> InputError | None:
    """The refusal of different scores that doubles cannot tell apart: rounded, they would tie."""
    order = np.argsort(values, kind="stable")
    exact, doubles = values[order], floats.reshape(-1)[order]
    merged = np.flatnonzero((exact[1:] != exact[:-1]) & (doubles[1:] == doubles[:-1]))
    if not len(merged):
        return None
    place, value = int(order[merged[0] + 1]), float(doubles[merged[0]])
    row = place if rows is None else int(rows[place])
    found = f"row {row + 1:,}: {shown(column)} differs from another row only beyond the digits of a double ({value!r})"
    return InputError(found, f"float64 scores; if ties are meant, np.asarray({column}, dtype=float)")


def _first_rounded(values: Sequence[Any], floats: NDArray[np.float64], column: str) -> InputError | None:
    # Python compares a whole number and a float exactly; numpy would round the one first.
    for row, (value, held) in enumerate(zip(values, floats.tolist(), strict=True), 1):
        is_whole = isinstance(value, int) or (isinstance(value, str) and value.strip().lstrip("+-").isdecimal())
        if is_whole and int(value) != held:
            return rounded(column, row, int(value))
    return None
