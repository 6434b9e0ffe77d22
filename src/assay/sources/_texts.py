"""Columns that a reader of our own has as lists, made into what predictions are assembled from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.sources._coding import Coded, Numbers, code_objects, number_objects
from assay.sources._ids import id_texts
from assay.sources._labels import label_name
from assay.sources._loaded import Loaded, repeated
from assay.sources._roles import Roles
from assay.sources._written import FITS, ListedTexts, Written, how_written, no_texts, whole_labels

__all__ = ["load"]


def load(
    columns: Mapping[str, Sequence[Any]],
    roles: Roles,
    declared: Mapping[str, Sequence[str]] | None = None,
    *,
    decimal: str | None = None,
) -> Loaded:
    """The columns that play a role; `declared` are the names that a column may hold, in their order, for some columns.

    >>> from assay.sources._columns import infer
    >>> from assay.request import Request
    >>> columns = {"class": ["no", "yes", "?"], "p": ["0.1", "0.8", "0.6"]}
    >>> loaded = load(columns, infer(list(columns), Request()))
    >>> loaded.labels["class"].codes, loaded.numbers["p"].values
    (array([0, 1, 2], dtype=int8), array([0.1, 0.8, 0.6]))
    """
    declared = declared or {}
    classes = [label_name(name) or name for name in declared.get(roles.truth, ())]
    ids = columns[roles.id] if roles.id is not None else ()
    models = columns[roles.model] if roles.model is not None else [None] * len(columns[roles.truth])
    return Loaded(
        len(columns[roles.truth]),
        {c: replace(_labels(columns[c]), literal=c in declared) for c in roles.labels},
        _numbers({column: columns[column] for column in roles.numbers}, decimal),
        {column: code_objects(columns[column], most=None) for column in roles.keys},
        repeats={
            column: repeated(
                [None if key is None else (key, m) for key, m in zip(columns[column], models, strict=True)]
            )
            for column in roles.telling
        },
        declared=tuple(dict.fromkeys(classes)),
        ids=id_texts(ids) if "id" in roles.used else None,
    )


def _labels(values: Sequence[Any]) -> Coded:
    coded = code_objects(values)
    return replace(coded, values=tuple(whole_labels(coded.values)))


def _numbers(columns: Mapping[str, Sequence[Any]], decimal: str | None) -> dict[str, Numbers]:
    """Numbers and texts that are some; texts are looked at whole only where one is no plain number."""
    if decimal is not None:
        texts = {column: values for column, values in columns.items() if any(isinstance(v, str) for v in values)}
        if not texts:
            raise no_texts()
        return {
            column: _as_written(column, values, how_written(ListedTexts(column, values), decimal))
            if column in texts
            else number_objects(values, column)
            for column, values in columns.items()
        }
    found = {column: number_objects(values, column, parse=True) for column, values in columns.items()}
    odd = [column for column, numbers in found.items() if numbers.text is not None]
    how = {column: _how(column, columns[column]) for column in odd}
    if any(isinstance(written, Written) and written.mark == "," for written in how.values()):
        how |= {c: _how(c, values, beside_commas=True) for c, values in columns.items() if c not in odd}
    return found | {column: _as_written(column, columns[column], written) for column, written in how.items()}


def _how(column: str, values: Sequence[Any], *, beside_commas: bool = False) -> Written | InputError:
    plain = sum(1 for value in values if isinstance(value, int | float) and value == value)
    return how_written(ListedTexts(column, values), beside_commas=beside_commas, plain=plain)


def _as_written(column: str, values: Sequence[Any], written: Written | InputError) -> Numbers:
    if not isinstance(written, Written):
        return Numbers(np.full(len(values), np.nan), fault=written)
    is_number = ListedTexts(column, values).meets({FITS[written.mark]: True})
    plain = [written.number(value) if fits else value for value, fits in zip(values, is_number, strict=True)]
    return replace(number_objects(plain, column), mark=written.mark, percent=written.percent)
