"""Parts that somebody else made: a column of folds or of train and test, a splitter object, a test set of its own."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.experiments._parting import Indices, Split
from assay.results import counted
from assay.sources.features import Column

# What the parts of a single split are called in a column, in lower case.
WORDS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("train", "training", "learn", "tra"), "train")
    | dict.fromkeys(("validation", "validate", "valid", "val", "dev"), "validation")
    | dict.fromkeys(("test", "testing", "tst"), "test")
)
ALWAYS_LEARNED = -1.0  # as scikit-learn's PredefinedSplit marks cases that no fold tests
PARTS = ("train", "validation", "test")


def parts_of_column(values: Column, column: str) -> tuple[Split, ...]:
    """The splits that a column says: train, validation and test, or folds, each of which is tested once.

    A fold of -1 is always learned from and never tested, as for scikit-learn's PredefinedSplit.

    >>> parts_of_column(np.array(["train", "train", "test"], dtype=object), "split")
    (<split 1.1: 2 to learn from, 1 to predict>,)
    >>> [split.test.tolist() for split in parts_of_column(np.array([1, 2, 1, -1, 2]), "fold")]
    [[0, 2], [1, 4]]
    """
    missing = [row for row, value in enumerate(values.tolist()) if value is None or value != value]
    if missing:
        found = (
            f"column {column!r} says nothing of {counted(len(missing), 'row')}, the first being row {missing[0] + 1:,}"
        )
        raise InputError(found, "a fold, or train, validation or test, for every row")
    texts = [str(value).strip().lower() for value in values.tolist()]
    if set(texts) <= set(WORDS):
        return parts_of_roles([WORDS[text] for text in texts], column)
    folds = _folds(values)
    if len(folds) < (1 if len(folds) < len(set(texts)) else 2):
        found = f"column {column!r} holds one value, {texts[0]!r}, for every row"
        raise InputError(found, "a value for each fold, or train and test")
    return tuple(Split(np.setdiff1d(np.arange(len(texts)), rows), rows, fold=fold) for fold, rows in enumerate(folds))


def parts_of_roles(roles: Sequence[str], column: str) -> tuple[Split, ...]:
    """The one split of rows that are each called train, validation or test."""
    rows = {part: np.flatnonzero(np.array([role == part for role in roles])) for part in PARTS}
    absent = next((part for part in ("train", "test") if not len(rows[part])), None)
    if absent is not None:
        raise InputError(f"column {column!r} calls no row {absent!r}", "rows to learn from and rows to test on")
    return (Split(rows["train"], rows["test"], rows["validation"] if len(rows["validation"]) else None),)


def _folds(values: Column) -> list[Indices]:
    """The rows of each fold, in the order of the folds; those that are always learned from are in none."""
    listed = values.tolist()
    if values.dtype.kind in "fiub":
        names = [name for name in sorted(set(listed)) if float(name) != ALWAYS_LEARNED]
    else:
        names = sorted(set(listed), key=_natural)
    return [np.flatnonzero(np.array([value == name for value in listed])) for name in names]


def _natural(name: Any) -> tuple[float, str]:
    digits = "".join(letter for letter in str(name) if letter.isdigit())
    return (float(digits) if digits else -1.0, str(name))


def is_splitter(given: Any) -> bool:
    """Whether something parts cases as scikit-learn's splitters do."""
    return callable(getattr(given, "split", None)) and callable(getattr(given, "get_n_splits", None))


def parts_of_splitter(splitter: Any, features: Any, target: Any, groups: Any) -> tuple[Split, ...]:
    """The splits of a splitter object; a repeat ends where a case comes to be tested again.

    >>> from sklearn.model_selection import PredefinedSplit
    >>> parts_of_splitter(PredefinedSplit([0, 1, -1, 0]), np.zeros((4, 1)), [0, 1, 0, 1], None)
    (<split 1.1: 2 to learn from, 2 to predict>, <split 1.2: 3 to learn from, 1 to predict>)
    """
    cases, called = len(target), type(splitter).__name__
    told = getattr(splitter, "test_fold", None)
    if told is not None and len(told) != cases:
        raise InputError(f"{called} is about {len(told):,} cases and there are {cases:,}", "as many of each")
    try:
        parted = [
            (np.asarray(a, dtype=np.intp), np.asarray(b, dtype=np.intp))
            for a, b in _asked(splitter, features, target, groups)
        ]
    except (TypeError, ValueError, IndexError) as error:
        why = str(error).strip().split("\n")[0][:200] or type(error).__name__
        raise InputError(f"{called} cannot part these cases: {why}", "a splitter that can") from None
    return numbered_splits(parted, cases, called)


def _asked(splitter: Any, features: Any, target: Any, groups: Any) -> list[tuple[Any, Any]]:
    with warnings.catch_warnings():
        # One that needs no groups says so, and parts of one group are refused all the same.
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        return list(splitter.split(features, target) if groups is None else splitter.split(features, target, groups))


def numbered_splits(parted: Sequence[tuple[Indices, Indices]], cases: int, called: str) -> tuple[Split, ...]:
    """Pairs of training and test rows as splits, refused where they are not of these cases, or have some in common."""
    if not parted:
        raise InputError(f"{called} gives no split", "at least one")
    found, repeat, fold, tested = [], 0, 0, np.zeros(cases, dtype=bool)
    for place, (train, test) in enumerate(parted, 1):
        for part, rows in (("learn from", train), ("test", test)):
            if not len(rows) or rows.min() < 0 or rows.max() >= cases:
                raise InputError(f"split {place} of {called} has rows to {part} that are not there", "row numbers")
        if np.isin(test, train).any():
            raise InputError(f"split {place} of {called} tests on cases that it learns from", "parts that do not meet")
        if tested[test].any():
            repeat, fold, tested = repeat + 1, 0, np.zeros(cases, dtype=bool)
        tested[test] = True
        found.append(Split(train, test, None, repeat, fold))
        fold += 1
    return tuple(found)


def together(parts: Mapping[str, Mapping[str, Column]], name: str) -> tuple[dict[str, Column], tuple[Split, ...]]:
    """The columns of several files under one another, with the one split that they make; they must have the same ones.

    >>> columns, splits = together({"train": {"x": np.array([1.0, 2.0])}, "test": {"x": np.array([3.0])}}, "d")
    >>> columns["x"], splits
    (array([1., 2., 3.]), (<split 1.1: 2 to learn from, 1 to predict>,))
    """
    first = list(parts["train"])
    for part, columns in parts.items():
        odd = next((column for column in (*first, *columns) if (column in first) != (column in columns)), None)
        if odd is not None:
            where = "only" if odd in columns else "not"
            raise InputError(f"column {odd!r} of data set {name!r} is {where} in its {part} file", "the same in each")
    roles = [part for part, columns in parts.items() for _ in range(len(next(iter(columns.values()))))]
    joined = {column: _joined([columns[column] for columns in parts.values()]) for column in first}
    return joined, parts_of_roles(roles, "its files")


def _joined(values: Sequence[Column]) -> Column:
    """One column of several; where one of them is text all of it is."""
    if all(each.dtype.kind in "fiub" for each in values):
        return np.concatenate([each.astype(np.float64) for each in values])
    return np.concatenate(
        [np.array([None if _is_missing(v) else _text(v) for v in each.tolist()], dtype=object) for each in values]
    )


def _is_missing(value: Any) -> bool:
    return value is None or value != value


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
