"""Columns that a reader of our own has as lists of text, made into what predictions are assembled from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.sources._coding import code_objects, number_objects
from assay.sources._ids import id_texts
from assay.sources._labels import label_name
from assay.sources._loaded import Loaded, repeated
from assay.sources._roles import Roles

__all__ = ["load"]


def load(
    columns: Mapping[str, Sequence[Any]], roles: Roles, declared: Mapping[str, Sequence[str]] | None = None
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
        {c: replace(code_objects(columns[c]), literal=c in declared) for c in roles.labels},
        {column: number_objects(columns[column], column, parse=True) for column in roles.numbers},
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


def _repeated(keys: Sequence[Any], models: Sequence[Any]) -> int:
    return repeated([None if key is None else (key, model) for key, model in zip(keys, models, strict=True)])
