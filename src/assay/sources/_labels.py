"""Class names, and which class is the positive one: inferred only where nobody could disagree."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import InputError, OptionError
from assay.predictions import in_order
from assay.results import counted, percent
from assay.sources._wording import joined, listed, shown

__all__ = [
    "FEW_CLASSES",
    "MISSING",
    "WHOLE",
    "Classes",
    "aligned",
    "class_names",
    "closest",
    "in_order",
    "is_measurement",
    "known_pair",
    "label_name",
    "refuse_idle_order",
    "refuse_strange",
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
# What helps where truth holds a single class, and that may not be the positive one.
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
        return str(int(value)) if value == np.trunc(value) and np.isfinite(value) else _text_name(str(value))
    if isinstance(value, bytes):
        return _text_name(value.decode("utf-8", "backslashreplace"))
    return _text_name(str(value))


def class_names(classes: Iterable[Any] | None) -> tuple[str, ...]:
    """Return the names of the classes that a user gives, each once; nothing where none are given.

    >>> class_names([0, 1]), class_names(None)
    (('0', '1'), ())
    """
    if classes is None:
        return ()
    names = [label_name(value) or str(value) for value in classes]
    if len(names) < 2 or len(set(names)) < len(names):
        raise InputError(f"the classes are {listed(names)}", "at least two different ones")
    return tuple(names)


def refuse_strange(truth: Sequence[str], known: Sequence[str], column: str) -> None:
    """Refuse true classes that are not among those that are known, if any are."""
    strange = [name for name in truth if known and name not in known]
    if strange:
        raise InputError(
            f"{shown(column)} holds {listed(strange)}, not among the classes {listed(known)}",
            "true classes that are among them",
        )


def refuse_idle_order(classes: Classes, known: Sequence[str], truth: Sequence[str], column: str) -> None:
    """Refuse an order of two classes that nothing follows: which one is positive is for another option to tell."""
    if len(known) == 2 and {*truth} == {*known} and classes.names != tuple(known):
        found = f"classes is given in another order than the positive one last, and {shown(column)} holds both"
        raise OptionError(found, "which one is positive", {"positive": known[-1]}, about="classes")


def _text_name(text: str) -> str | None:
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
    _refuse_many(truth, column, rows, others)
    every = dict.fromkeys([*known, *truth])
    if len(every) > 2:
        names = tuple(known) if len(every) == len(known) else tuple(in_order(list(every)))
        return Classes(names, against=None if positive is None else _chosen(positive, names, names, column))
    chosen = None if positive is None else label_name(positive) or str(positive)
    names = tuple(truth) if len(truth) == 2 else _completed(truth[0], known or predicted, chosen)
    if chosen is None:
        pair = known_pair(names)
        if pair is None:
            holds = f"{shown(column)} holds {'only ' if len(truth) == 1 else ''}{joined(truth)}"
            needed = "which class is positive" if len(names) == 2 else f"which class is positive; {ANOTHER}"
            raise InputError(holds, needed, ways=ranked(_each_positive(names, sizes)))
        return Classes(pair, inferred=True)
    chosen = _chosen(chosen, names, truth, column)
    return Classes((names[1 - names.index(chosen)], chosen), inferred=False)


def _chosen(positive: Any, names: Sequence[str], truth: Sequence[str], column: str) -> str:
    """The positive class that was asked for, as truth spells it."""
    (chosen,) = aligned([label_name(positive) or str(positive)], names)
    if chosen not in names:
        held = joined(truth) if len(truth) <= 2 else listed(truth)
        near = closest(chosen, names)
        likely = [near] if near is not None else list(names)
        raise InputError(
            f"{shown(column)} holds {held}, not {shown(chosen)}",
            "a positive class that occurs",
            ways=[({"positive": name}, "") for name in likely[:FEW_CLASSES]],
        )
    return chosen


def _each_positive(names: Sequence[str], sizes: Callable[[], Mapping[str, int]] | None) -> Ways:
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


def _completed(only: str, predicted: Sequence[str], positive: str | None) -> tuple[str, ...]:
    """Two classes although truth holds one: from the labels predicted, from a well-known pair, or from the choice."""
    together = dict.fromkeys([only, *predicted])
    if len(together) == 2:
        return tuple(sorted(together))
    pair = next((pair for pair in PAIRS if only.casefold() in pair), None)
    if pair is not None:
        other = pair[1 - pair.index(only.casefold())]
        return tuple(sorted([only, _cased_like(only, other)]))
    if positive is None:
        return (only,)
    return (only, f"not {only}" if positive == only else positive)


def _cased_like(model: str, text: str) -> str:
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


def _refuse_many(truth: Sequence[str], column: str, rows: int, others: Callable[[], Ways]) -> None:
    count = len(truth)
    if count == 0:
        raise InputError(f"{shown(column)} is missing in every row", "a true class for each case")
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
