"""Class names, and which class is the positive one: inferred only where nobody could disagree.

Labels that mean the same and are spelled otherwise: never scored as errors, but shown in pairs and asked about.

Arrays of labels become codes and arrays of scores become float64, without sorting either.

Sorting to find two classes costs more than everything that follows; a range, a comparison with a value or a dictionary
finds them in one pass.

What rows are called: ids of any kind as text, spelled as their source spells them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.evidence import encoded
from assay.predictions import in_order
from assay.results import counted, percent
from assay.sources.quoting import joined, listed, shown
from assay.types import Codes, Texts

__all__ = [
    "EXACT",
    "FEW_CLASSES",
    "MISSING",
    "MOST_VALUES",
    "TEXT",
    "WHOLE",
    "Classes",
    "Coded",
    "Numbers",
    "aligned",
    "class_names",
    "closest",
    "code",
    "code_objects",
    "id_texts",
    "in_order",
    "is_measurement",
    "known_pair",
    "label_name",
    "may_be_rounded",
    "narrow",
    "number",
    "number_objects",
    "refuse_alike",
    "refuse_idle_order",
    "refuse_rounded",
    "refuse_spellings",
    "refuse_strange",
    "rounded",
    "settle",
]


MISSING = ("", "?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "none")
PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("false", "true"),
    ("f", "t"),
    ("no", "yes"),
    ("n", "y"),
    ("neg", "pos"),
    ("negative", "positive"),
    ("-", "+"),
    ("absent", "present"),
)
Ways = Sequence[tuple[Mapping[str, Any], str]]
BITS, BOOLEANS = ("0", "1"), ("False", "True")
# What helps where all true labels are of one class, and that may not be the positive one.
ANOTHER = "if it is another one, classes names both"
FEW_CLASSES = 20  # up to so many, values are taken for classes though there may be few rows for each
WHOLE = re.compile(r"([+-]?)(0|[1-9][0-9]*)(?:\.0*)?")
FRACTION = re.compile(r"[+-]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)")


def label_name(value: Any) -> str | None:
    """The name of a class, the same whatever kind of source the value came from; nothing where it is missing.

    >>> [label_name(v) for v in (True, "true", 1, 1.0, "1.0", "+1", " spam ", "007", None, float("nan"), "NA")]
    ['True', 'True', '1', '1', '1', '1', 'spam', '007', None, None, None]
    """
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, float | np.floating):
        return str(int(value)) if value == np.trunc(value) and np.isfinite(value) else _normalize_label_text(str(value))
    if isinstance(value, bytes):
        return _normalize_label_text(value.decode("utf-8", "backslashreplace"))
    return _normalize_label_text(str(value))


def class_names(classes: Iterable[Any] | None) -> tuple[str, ...]:
    """Return the names of the classes that a user gives, each once; nothing where none are given.

    >>> class_names([0, 1]), class_names(None)
    (('0', '1'), ())
    """
    if classes is None:
        return ()
    names = [label_name(value) or str(value) for value in classes]
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError(f"the classes are {listed(names)}", "at least two different classes")
    return tuple(names)


def refuse_strange(truth: Sequence[str], known: Sequence[str], column: str) -> None:
    """Refuse true classes that are not among those that are known, if any are."""
    strange = [name for name in truth if known and name not in known]
    if strange:
        raise InputError(
            f"{shown(column)} holds {listed(strange)}, not among the classes {listed(known)}",
            "true labels among these classes",
        )


def refuse_idle_order(classes: Classes, known: Sequence[str], truth: Sequence[str], column: str) -> None:
    """Refuse an order of two classes that nothing follows: which one is positive is for another option to tell."""
    if len(known) == 2 and {*truth} == {*known} and classes.names != tuple(known):
        found = f"classes is given in another order than the positive one last, and {shown(column)} holds both"
        raise OptionError(found, "which one is positive", {"positive": known[-1]}, about="classes")


def _normalize_label_text(text: str) -> str | None:
    text = text.strip()
    folded = text.casefold()
    if folded in MISSING:
        return None
    if folded in ("true", "false"):
        return folded.capitalize()
    whole = WHOLE.fullmatch(text)
    if whole is None:
        return text
    sign, digits = whole.groups()
    return "-" + digits if sign == "-" and digits != "0" else digits


@dataclass(frozen=True)
class Classes:
    """The classes: two, the negative one first, or many in their own order; and whether the positive was inferred.

    `against` is the class of many that is asked about, against all the others together. `as_found` are two of which
    none was called positive, as they stand in the source.
    """

    names: tuple[str, ...]
    inferred: bool = False
    against: str | None = None
    as_found: tuple[str, ...] = field(default=(), repr=False)

    @property
    def are_many(self) -> bool:
        """Whether there are more than two, so that none is the positive one."""
        return len(self.names) > 2

    @property
    def positive(self) -> str:
        """The class of two that scores point to."""
        return self.names[-1]


def settle(
    truth: Sequence[str],
    predicted: Sequence[str],
    positive: Any,
    *,
    column: str,
    rows: int,
    known: Sequence[str] = (),
    sizes: Callable[[], Mapping[str, int]] | None = None,
    others: Callable[[], Ways] = tuple,
    ranked: Callable[[Ways], Ways] = tuple,
) -> Classes:
    """The classes among the names that occur, completed to two where truth holds a single one.

    `predicted` are the labels that were predicted, spelled as truth spells them. `known` are classes that are known to
    exist though they may not occur; if all of truth is among them, they stand in their own order. `sizes` tells how
    many rows each class has, if somebody has to be asked which is positive, `others` what else could be the truth, and
    `ranked` puts ways to name the positive class in order.

    >>> settle(["no", "yes"], [], None, column="label", rows=9)
    Classes(names=('no', 'yes'), inferred=True, against=None)
    >>> settle(["0"], [], None, column="label", rows=9)
    Classes(names=('0', '1'), inferred=True, against=None)
    >>> settle(["10", "9"], [], None, column="label", rows=9, known=["11"])
    Classes(names=('9', '10', '11'), inferred=False, against=None)
    """
    _refuse_too_many_classes(truth, column, rows, others)
    every = dict.fromkeys([*known, *truth])
    if len(every) > 2:
        names = tuple(known) if len(every) == len(known) else tuple(in_order(list(every)))
        return Classes(
            names, against=None if positive is None else _choose_positive_class(positive, names, names, column)
        )
    chosen = None if positive is None else label_name(positive) or str(positive)
    names = tuple(truth) if len(truth) == 2 else _complete_class_pair(truth[0], known or predicted, chosen)
    if chosen is None:
        pair = known_pair(names)
        if pair is None:
            holds = f"{shown(column)} holds {'only ' if len(truth) == 1 else ''}{joined(truth)}"
            needed = "which class is positive" if len(names) == 2 else f"which class is positive; {ANOTHER}"
            raise InputError(holds, needed, ways=ranked(_positive_class_options(names, sizes)))
        return Classes(pair, inferred=True)
    chosen = _choose_positive_class(chosen, names, truth, column)
    return Classes((names[1 - names.index(chosen)], chosen), inferred=False)


def _choose_positive_class(positive: Any, names: Sequence[str], truth: Sequence[str], column: str) -> str:
    """The positive class that was asked for, as truth spells it."""
    (chosen,) = aligned([label_name(positive) or str(positive)], names)
    if chosen not in names:
        held = joined(truth) if len(truth) <= 2 else listed(truth)
        near = closest(chosen, names)
        likely = [near] if near is not None else list(names)
        raise InputError(
            f"{shown(column)} holds {held}, not {shown(chosen)}",
            "a positive class among these",
            ways=[({"positive": name}, "") for name in likely[:FEW_CLASSES]],
        )
    return chosen


def _positive_class_options(names: Sequence[str], sizes: Callable[[], Mapping[str, int]] | None) -> Ways:
    """Either class, the rarer first; no class is likelier to be meant for its place in the alphabet."""
    if sizes is None:
        return [({"positive": name}, "") for name in reversed(names)]
    found = sizes()
    total = sum(found.values())
    ranked = sorted(names, key=lambda name: (found.get(name, 0), -names.index(name)))
    return [
        ({"positive": name}, f"{percent(found.get(name, 0) / total)}, {counted(found.get(name, 0), 'row')}")
        for name in ranked
    ]


def closest(name: str, names: Sequence[str]) -> str | None:
    """The name most like this one, if any is."""
    close = difflib.get_close_matches(name.casefold(), [other.casefold() for other in names], n=1)
    return next((other for other in names if [other.casefold()] == close), None)


def aligned(others: Sequence[str], truth: Sequence[str]) -> list[str]:
    """Names as truth spells them: False and True are 0 and 1 where truth holds only those, and the other way round.

    >>> aligned(["False", "True"], ["0", "1"]), aligned(["1"], ["False", "True"]), aligned(["True"], ["ham", "spam"])
    (['0', '1'], ['True'], ['True'])
    """
    for ours, theirs in ((BITS, BOOLEANS), (BOOLEANS, BITS)):
        if set(truth) <= set(ours) and set(others) <= set(theirs):
            return [ours[theirs.index(name)] for name in others]
    return list(others)


def is_measurement(name: str) -> bool:
    """Whether a name is a number no class would be called by.

    >>> [is_measurement(name) for name in ("0.73", "1e-5", "2", "007", "spam")]
    [True, True, False, False, False]
    """
    return FRACTION.fullmatch(name) is not None and WHOLE.fullmatch(name) is None


def _complete_class_pair(only: str, predicted: Sequence[str], positive: str | None) -> tuple[str, ...]:
    """Two classes although truth holds one: from the labels predicted, from a well-known pair, or from the choice."""
    together = dict.fromkeys([only, *predicted])
    if len(together) == 2:
        return tuple(sorted(together))
    pair = next((pair for pair in PAIRS if only.casefold() in pair), None)
    if pair is not None:
        other = pair[1 - pair.index(only.casefold())]
        return tuple(sorted([only, _match_letter_case(only, other)]))
    if positive is None:
        return (only,)
    return (only, f"not {only}" if positive == only else positive)


def _match_letter_case(model: str, text: str) -> str:
    if model.isupper():
        return text.upper()
    return text.capitalize() if model[:1].isupper() else text


def known_pair(names: Sequence[str]) -> tuple[str, str] | None:
    """The same two names with the positive one last, where nobody could disagree which that is."""
    if len(names) != 2:
        return None
    for first, second in (tuple(names), tuple(names)[::-1]):
        if (first.casefold(), second.casefold()) in PAIRS:
            return first, second
    return None


def _refuse_too_many_classes(truth: Sequence[str], column: str, rows: int, others: Callable[[], Ways]) -> None:
    count = len(truth)
    if count == 0:
        raise InputError(f"{shown(column)} is missing in every row", "a true label for each case")
    fractions = sum(map(is_measurement, truth))
    are_sparse = rows < 2 * count or fractions > 0
    are_numbers = count > 2 and 2 * fractions > count and rows < 10 * count
    if (count > FEW_CLASSES and are_sparse) or (count == rows and rows >= 5) or are_numbers:
        raise InputError(
            f"{shown(column)} holds {counted(count, 'different value')} in {counted(rows, 'row')} ({listed(truth, 3)}),"
            " which looks like an id or a measurement, not classes",
            "a column of classes",
            ways=others(),
        )


MOST_SHOWN = 4


def refuse_alike(
    column: str,
    predicted: Sequence[str],
    truth: str,
    classes: Sequence[str],
    options: Mapping[str, Any] | None = None,
) -> None:
    """Refuse predicted labels that are classes but for case, blanks, sign, an offset, or other words for them.

    `options` say what to do without these labels, where there are scores beside them.

    >>> refuse_alike("pred", ["1", "2", "3"], "y", ["0", "1", "2"])
    Traceback (most recent call last):
    assay.errors.InputError: 'pred' holds '1', '2', '3' where 'y' holds '0', '1', '2', the same but for an offset:
    '1' for '0', '2' for '1', '3' for '2'; needed: one spelling for both: replace those of 'pred'
    """
    pairs = _map_by_spelling(predicted, classes)
    but_for = "case and blanks"
    if not pairs:
        pairs, but_for = _map_by_sign(predicted, classes), "the sign"
    if not pairs:
        pairs, but_for = _map_by_offset(predicted, classes), "an offset"
    if not pairs:
        pairs, but_for = _map_by_prefix(predicted, classes), "the beginning of each"
    if not pairs:
        pairs, but_for = _map_by_meaning(predicted, classes), "the words for negative and positive"
    if pairs:
        shown_pairs = ", ".join(
            f"{shown(ours)} for {shown(theirs)}" for ours, theirs in list(pairs.items())[:MOST_SHOWN]
        )
        raise InputError(
            f"{shown(column)} holds {listed(predicted)} where {shown(truth)} holds {listed(classes)}, "
            f"different only in {but_for}: {shown_pairs}",
            f"one spelling for both: replace those of {shown(column)}",
            options,
        )


def refuse_spellings(column: str, names: Sequence[str]) -> None:
    """Refuse a truth of two classes of which one is spelled in several ways."""
    if len(names) < 3:
        return
    plain: dict[str, list[str]] = {}
    for name in names:
        plain.setdefault(_normalize_spelling(name), []).append(name)
    several = next((same for same in plain.values() if len(same) > 1), None)
    if several is not None and len(plain) == 2:
        raise InputError(
            f"{shown(column)} holds {listed(several)}, which differ only in case and blanks",
            "one spelling for each class",
        )


def _normalize_spelling(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold() or name


def _map_by_spelling(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    known: Mapping[str, str] = {
        _normalize_spelling(name): name for name in reversed(classes) if not WHOLE.fullmatch(name)
    }
    return {
        name: known[_normalize_spelling(name)]
        for name in predicted
        if name not in classes and _normalize_spelling(name) in known
    }


def _map_by_sign(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    ours, theirs = {*predicted}, {*classes}
    for one, other in ((("-1", "1"), ("0", "1")), (("0", "1"), ("-1", "1"))):
        if ours <= {*one} and one[0] in ours and theirs == {*other}:
            return dict(zip(one, other, strict=True))
    return {}


def _map_by_prefix(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Classes behind the same letters in front of each, such as `__label__spam` or `LABEL_1`."""
    parted = {name: re.fullmatch(r"(.*[_: ])(.+)", name) for name in predicted}
    beginnings = {found and found.group(1) for found in parted.values()}
    moved = {name: found.group(2) for name, found in parted.items() if found is not None}
    return moved if len(beginnings) == 1 and moved and {*moved.values()} <= {*classes} else {}


def _map_by_meaning(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Two classes under other words where both pairs have an order: no and yes for 0 and 1."""
    ours, theirs = known_pair(predicted), known_pair(classes)
    if ours is None or theirs is None or {*ours} & {*theirs}:
        return {}
    return dict(zip(ours, theirs, strict=True))


def _map_by_offset(predicted: Sequence[str], classes: Sequence[str]) -> dict[str, str]:
    """Whole numbers one higher or lower than those of the truth, of which the first or the last is never predicted."""
    if not predicted or not all(WHOLE.fullmatch(name) for name in (*predicted, *classes)):
        return {}
    ours, theirs = {int(name) for name in predicted}, {int(name) for name in classes}
    for step in (1, -1):
        end = min(theirs) if step == 1 else max(theirs)
        moved = {number - step for number in ours}
        if end not in ours and ours - theirs and moved <= theirs:
            return {str(number): str(number - step) for number in sorted(ours)}
    return {}


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
    coded = _code_array(values, most)
    if missing is None or not missing.any() or coded.distinct:
        return coded
    return Coded(coded.values, np.where(missing, coded.codes.dtype.type(-1), coded.codes))


def _code_array(values: NDArray[Any], most: int | None) -> Coded:
    kind = values.dtype.kind
    if len(values) == 0:
        return Coded((), np.zeros(0, np.int8))
    if kind == "b":
        return Coded((False, True), np.ascontiguousarray(values).view(np.int8))
    if kind in "iu":
        return _code_integers(values, most)
    if kind == "f":
        return _code_floats(values, most)
    if kind in "US":
        return _code_strings(np.ascontiguousarray(values), most)
    return code_objects(values.astype(object).tolist(), most)


def _code_integers(values: NDArray[Any], most: int | None) -> Coded:
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
            return _code_integers(whole, most)
    return code_objects(values.tolist(), most)


def _code_strings(values: NDArray[Any], most: int | None) -> Coded:
    """By one pass where loops are compiled; else a few are peeled off one by one, many told apart by a mixed number."""
    at_once = encoded(values) if values.dtype.itemsize else None
    if at_once is not None and (most is None or len(at_once[1]) <= most):
        codes, firsts = at_once
        return Coded(tuple(values[firsts].tolist()), codes.astype(narrow(len(firsts)), copy=False))
    words = _view_as_integers(values)
    if len(set(values[:SAMPLE].tolist())) > PEELED:
        mixed = None if words is None else _code_by_hash(values, words, most)
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


def _view_as_integers(values: NDArray[Any]) -> NDArray[Any] | None:
    """Fixed-width text as rows of integers, which compare many times faster; nothing where it is too wide."""
    size = values.dtype.itemsize
    width = next((width for width in (8, 4, 2, 1) if size % width == 0), 1)
    if size == 0 or size // width > MOST_WORDS:
        return None
    return values.view(f"u{width}").reshape(len(values), -1)


def _code_by_hash(values: NDArray[Any], words: NDArray[Any], most: int | None) -> Coded | None:
    """Codes by numbers mixed from the words of each string; nothing where two strings happen to mix to one number."""
    blocks = [slice(start, start + BLOCK) for start in range(0, len(values), BLOCK)]  # each of them stays in the cache
    mixed = np.concatenate([_hash_words(words[block]) for block in blocks])
    known = np.unique(mixed[:SAMPLE])
    while True:
        codes = _hash_positions(known, mixed)
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


def _hash_words(words: NDArray[Any]) -> NDArray[np.uint64]:
    mixed = words[:, 0].astype(np.uint64)
    for word in words.T[1:]:
        mixed *= MIXERS[0]
        mixed += word
    return mixed


def _hash_positions(known: NDArray[np.uint64], mixed: NDArray[np.uint64]) -> Codes:
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
        return Numbers(
            floats, fault=_merged_scores_error(values.reshape(-1), floats, column) if has_more_digits else None
        )
    if kind in "iu":
        return _exact_integers(values, column)
    if kind in "OUST":
        return number_objects(values.tolist(), column)
    held = "complex numbers" if kind == "c" else "dates or times" if kind in "mM" else "compound values"
    raise InputError(f"{shown(column)} holds {held}", "a real number for each case")


def _exact_integers(values: NDArray[Any], column: str) -> Numbers:
    """Whole numbers, none of them rounded."""
    floats = np.ascontiguousarray(values, dtype=np.float64)
    has_long = values.dtype.itemsize == 8 and may_be_rounded(floats)
    return Numbers(
        floats, fault=_rounded_integer_error(values.tolist(), floats.reshape(-1), column) if has_long else None
    )


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
    fault = _rounded_integer_error(values, found, column) if may_be_rounded(found) else None
    if fault is None and any(isinstance(value, EXACT_KINDS) for value in values):
        # A Decimal and a Fraction cannot be compared with one another, two Fractions can.
        exact = [Fraction(each) if isinstance(each, Decimal) and each.is_finite() else each for each in values]
        rows = np.flatnonzero(np.isfinite(found))
        fault = _merged_scores_error(np.array(exact, dtype=object)[rows], found[rows], column, rows)
    return Numbers(found, fault=fault)


def _merged_scores_error(
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


def _rounded_integer_error(values: Sequence[Any], floats: NDArray[np.float64], column: str) -> InputError | None:
    # Python compares a whole number and a float exactly; numpy would round the one first.
    for row, (value, held) in enumerate(zip(values, floats.tolist(), strict=True), 1):
        is_whole = isinstance(value, int) or (isinstance(value, str) and value.strip().lstrip("+-").isdecimal())
        if is_whole and int(value) != held:
            return rounded(column, row, int(value))
    return None


# Short texts lie in the array itself, a fraction of what as many Python strings take.
TEXT = np.dtypes.StringDType()


def id_texts(values: NDArray[Any] | Sequence[Any]) -> Texts:
    """Ids as text, empty where one is missing; a whole number has no point, whatever kind of number holds it.

    >>> id_texts([7, 7.0, "007", "7.0", None, "NA"]).tolist()
    ['7', '7', '007', '7.0', '', '']
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "iu":
            return values.astype(TEXT)
        values = (values.astype(str) if values.dtype.kind in "mM" else values).tolist()
    texts = [_id_text_value(value) for value in values]
    try:
        return np.array(texts, TEXT)
    except UnicodeEncodeError:  # half a surrogate pair, which no text in UTF-8 holds
        return np.array([text.encode("utf-8", "backslashreplace").decode() for text in texts], TEXT)


def _id_text_value(value: Any) -> str:
    if isinstance(value, str):
        return "" if value.strip().casefold() in MISSING else value
    return label_name(value) or ""
