"""Columns as they were loaded, and labels under the names that classes go by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.request import Request, memory_bytes
from assay.sources.labels import Coded, Numbers, in_order, label_name, narrow
from assay.sources.quoting import shown
from assay.types import Codes, Texts

__all__ = [
    "BYTES_A_ROW",
    "LEAST_MEMORY",
    "Loaded",
    "Named",
    "Origin",
    "ProbabilityTable",
    "compacted",
    "named",
    "naturally",
    "recoded",
    "refuse_long_texts",
    "repeated",
]

# What a row takes in memory while it is read and evaluated: measured, 2.5 GB for 10^7 rows of Parquet.
BYTES_A_ROW = 250
# Below this an engine cannot even read a file; Python alone takes as much.
LEAST_MEMORY = 128_000_000


@dataclass(frozen=True)
class Origin:
    """What is known of a source before its columns are read; `notes` say how it was read."""

    name: str
    format: str
    sha256: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbabilityTable:
    """Probabilities that came as one array: a column for each of `classes`, as classes are named."""

    classes: tuple[str, ...]
    values: NDArray[np.float64]
    may_be_logits: bool = False


@dataclass(frozen=True)
class Loaded:
    """The columns that play a role, all with the same rows.

    `labels` hold a few names, `keys` any number of them, `numbers` numbers. `tables` are probabilities that came as
    one array. `repeats` counts, of each column of which it matters, the rows whose value came before in the same model;
    `declared` are the classes in their order, where the source itself declares them. `ids` are there only where
    predictions are to hold them.
    """

    rows: int
    labels: Mapping[str, Coded]
    numbers: Mapping[str, Numbers]
    keys: Mapping[str, Coded] = field(default_factory=dict)
    tables: Mapping[str, ProbabilityTable] = field(default_factory=dict)
    repeats: Mapping[str, int] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    ids: Texts | None = None


@dataclass(frozen=True)
class Named:
    """Labels as codes into names; -1 is missing. Every name occurs."""

    names: tuple[str, ...]
    codes: Codes


def named(coded: Coded) -> Named:
    """Labels under the names that classes go by, values with the same name taken together.

    >>> named(Coded(("1.0", "1", "NA", "0"), np.array([0, 1, 2, 3])))
    Named(names=('0', '1'), codes=array([ 1,  1, -1,  0], dtype=int8))
    """
    every = [label_name(value) or (str(value) if coded.literal else None) for value in coded.values]
    found = {every[place] for place in occurring(coded.codes, len(coded.values))}
    known = tuple(sorted(name for name in found if name is not None))
    place = {name: number for number, name in enumerate(known)}
    return Named(known, recoded(coded.codes, [-1 if name is None else place.get(name, -1) for name in every]))


def naturally(labels: Named) -> Named:
    """The same labels with their names in natural order: numbers by size, others by spelling.

    >>> naturally(Named(("10", "9"), np.array([0, 1, 1])))
    Named(names=('9', '10'), codes=array([1, 0, 0], dtype=int8))
    """
    names = in_order(labels.names)
    place = {name: number for number, name in enumerate(names)}
    return Named(tuple(names), recoded(labels.codes, [place[name] for name in labels.names]))


def occurring(codes: Codes, count: int) -> list[int]:
    """The codes that occur; for two of them the smallest and the largest tell, which is much faster than counting."""
    if len(codes) == 0:
        return []
    low, high = int(codes.min()), int(codes.max())
    if count <= 2 and low >= 0:
        return [low, high] if high > low else [low]
    return np.flatnonzero(np.bincount(codes.astype(np.intp) + 1, minlength=count + 1)[1:]).tolist()


def recoded(codes: Codes, lookup: Sequence[int]) -> Codes:
    """Each code replaced by what `lookup` holds at its place; -1, missing, stays."""
    dtype = narrow(max([len(lookup), *lookup]) + 1)
    if list(lookup) == list(range(len(lookup))):
        return codes.astype(dtype, copy=False)
    if list(lookup) == [1, 0] and codes.min() >= 0:
        return (1 - codes).astype(dtype, copy=False)
    table = np.array([*lookup, -1], dtype)
    return table.take(codes)


def compacted(codes: Codes) -> Codes:
    """Codes without gaps, in the same order, so that the largest tells how many there are.

    >>> compacted(np.array([5, 2, 5]))
    array([1, 0, 1], dtype=int8)
    """
    occurs = np.bincount(codes) > 0
    places = np.cumsum(occurs) - 1
    return places.astype(narrow(int(places[-1]) + 1))[codes]


def repeated(keys: Sequence[Any]) -> int:
    """How many keys came before; None is no key.

    >>> repeated(["a", "b", "a", None, None])
    1
    """
    known = [key for key in keys if key is not None]
    return len(known) - len(set(known))


def refuse_long_texts(name: str, size: int, request: Request) -> None:
    """Refuse so many bytes of text, which a file may store once for many rows, where they take more than the memory
    allowed.
    """
    if size > memory_bytes(request.memory):
        found = f"{shown(name)} holds {size / 1e9:,.1f} GB of text, which does not fit into memory ({request.memory})"
        raise InputError(found, "shorter class names, or more memory", {"memory": f"{math.ceil(size / 1e9)}GB"})
