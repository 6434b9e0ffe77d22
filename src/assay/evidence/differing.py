"""Where two pieces of evidence differ, field by field: equality of evidence forgives rounding, this does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

__all__ = ["differing_field"]

Pairs = list[tuple[str, Any, Any]]


def differing_field(one: Any, other: Any, name: str = "parts") -> str | None:
    """Return the path of the first field in which two values differ, None where they are the same; nan equals nan.

    >>> from assay.evidence.confusion import ConfusionMatrix
    >>> one = ConfusionMatrix(np.eye(2), squares=np.eye(2))
    >>> differing_field(one, ConfusionMatrix(np.eye(2), squares=2 * np.eye(2)), "matrix")
    'matrix.squares'
    >>> differing_field({"a": (1.0, np.nan)}, {"a": (1.0, np.nan)}) is None
    True
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        same = one is not None and other is not None and _same_arrays(np.asarray(one), np.asarray(other))
        return None if same else name
    if is_dataclass(one) and type(one) is type(other):
        names = [each.name for each in fields(one) if each.init]
        pairs: Pairs = [(f"{name}.{each}", getattr(one, each), getattr(other, each)) for each in names]
    elif isinstance(one, Mapping) and isinstance(other, Mapping):
        if one.keys() != other.keys():
            return name
        pairs = [(f"{name}[{key!r}]", one[key], other[key]) for key in one]
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
        if len(one) != len(other):
            return name
        pairs = [
            (f"{name}[{place}]", mine, theirs) for place, (mine, theirs) in enumerate(zip(one, other, strict=True))
        ]
    else:
        return None if one is other or one == other or (one != one and other != other) else name
    return next((found for path, mine, theirs in pairs if (found := differing_field(mine, theirs, path))), None)


def _same_arrays(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if np.array_equal(one, other):
        return True
    return one.dtype.kind == "f" and other.dtype.kind == "f" and np.array_equal(one, other, equal_nan=True)
