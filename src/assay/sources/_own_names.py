"""What Series and frames bring beside their values: an index of rows, and names of columns. No library is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.errors import InputError
from assay.sources._labels import in_order
from assay.sources._models import class_key, class_of
from assay.sources._wording import listed, shown

__all__ = ["class_order", "index_of", "refuse_other_index"]


def index_of(values: Any) -> Any:
    """The index of a Series or frame as pandas has it; nothing for what has none. A list's is a method."""
    index = getattr(values, "index", None)
    return None if index is None or callable(index) or not hasattr(index, "equals") else index


def refuse_other_index(column: str, values: Any, truth: str, ours: Any) -> None:
    """Refuse values whose index is not that of the truth: they may be other cases, or the same in another order."""
    if ours is None:
        return
    theirs = index_of(values)
    if theirs is None or theirs is ours or len(theirs) != len(ours) or ours.equals(theirs):
        return
    row = next((row for row, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other), 0)
    raise InputError(
        f"the index of {shown(column)} is not that of {shown(truth)}: row {row + 1:,} is {shown(theirs[row])} in one "
        f"and {shown(ours[row])} in the other",
        "the same cases in the same order, each with .reset_index(drop=True) where the index means nothing",
    )


def class_order(values: Any, column: str, present: Sequence[str], declared: Sequence[str]) -> list[tuple[str, int]]:
    """The class and the place of each column of a frame that is called after the classes; nothing where none is named.

    The classes stand in sorted order, or as `declared`.
    """
    names = _column_names(values)
    if len(names) < 2:
        return []
    known = {class_key(name): name for name in reversed([*declared, *present])}
    labels = [class_of(name) or name for name in names]
    found = {known.get(class_key(label), label): place for place, label in enumerate(labels)}
    if not {*present} <= found.keys() or (declared and {*declared} != found.keys()):
        if _are_no_names(names):
            return []
        raise InputError(
            f"the columns of {shown(column)} are called {listed(names)}, but the classes are "
            f"{listed(declared or present)}",
            "a column for each class, called as it is; or an array, whose columns have no names",
        )
    if declared and list(found) != list(declared):
        raise InputError(
            f"the columns of {shown(column)} are called {listed(names)}, and classes says {listed(declared)}",
            "the same order in both, or no classes",
        )
    return [(name, found[name]) for name in declared or in_order(list(found))]


def _column_names(values: Any) -> list[str]:
    names = getattr(values, "column_names", None)
    if names is None:
        names = getattr(values, "columns", None)
    return [] if names is None or callable(names) else [str(name) for name in names]


def _are_no_names(names: Sequence[str]) -> bool:
    """Whether a library made the names up: running numbers, as pandas does, or polars' column_0."""
    plain = [str(place) for place in range(len(names))]
    return list(names) in (plain, [f"column_{place}" for place in plain])
