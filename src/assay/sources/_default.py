"""The default class: what cases are taken for that a classifier said nothing of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources._coding import Numbers
from assay.sources._conversion import Converted
from assay.sources._labels import Classes, aligned, closest, label_name
from assay.sources._loaded import Loaded, Named, recoded
from assay.sources._models import ModelColumns
from assay.sources._values import Mask
from assay.sources._wording import listed, shown
from assay.types import Floats

__all__ = ["with_default_class"]

MOST_OFFERED = 6


def with_default_class(
    converted: Converted, labels: dict[str, Named], classes: Classes, request: Request
) -> tuple[Converted, list[Mask]]:
    """The columns with the default class, if any, for cases without an answer of their own; and which cases they are.

    A label that is missing or no class becomes the default class. So does a missing probability, where no label stands
    beside it: then the default class is certain, and whatever else there is has probability 0.
    """
    if request.default_class is None:
        return converted, []
    default = _default(str(request.default_class), classes.names)
    changed: dict[str, Mask] = {}
    for model in converted.roles.models:
        lacking = None
        if model.pred is not None:
            lacking = changed.setdefault(model.pred, _without_label(labels[model.pred], classes.names))
        converted, filled = _with_scores(converted, model, classes, default, lacking)
        if filled is not None and model.pred is None:
            changed[model.name] = filled
    for column in {model.pred for model in converted.roles.models if model.pred is not None}:
        labels[column] = _with_labels(labels[column], classes.names, default)
    return converted, list(changed.values())


def _default(said: str, names: Sequence[str]) -> int:
    (default,) = aligned([label_name(said) or said], names)
    if default not in names:
        near = closest(default, names)
        raise InputError(
            f"the default class is {shown(default)}, but the classes are {listed(names)}",
            "a default class that is one of them",
            ways=[({"default_class": name}, "") for name in ([near] if near is not None else names[:MOST_OFFERED])],
        )
    return list(names).index(default)


def _without_label(given: Named, names: Sequence[str]) -> Mask:
    known = np.array([name in names for name in given.names] + [False])
    return np.asarray(~known[given.codes])


def _with_labels(given: Named, names: tuple[str, ...], default: int) -> Named:
    place = {name: number for number, name in enumerate(names)}
    codes = recoded(given.codes, [place.get(name, -1) for name in given.names])
    return Named(names, np.where(codes < 0, codes.dtype.type(default), codes))


def _with_scores(
    converted: Converted, model: ModelColumns, classes: Classes, default: int, lacking: Mask | None
) -> tuple[Converted, Mask | None]:
    """The probabilities of a model, those that are missing (of cases that lack a label too) certain of the default."""
    loaded, chosen = converted.loaded, classes.names[default]
    given = _numbers(loaded, model)
    if not given:
        return converted, None
    missing: Mask = np.logical_or.reduce(
        [np.isnan(values).reshape(len(values), -1).any(1) for values in given.values()]
    )
    missing = missing if lacking is None else missing & lacking
    if not missing.any():
        return converted, None
    for column, values in given.items():
        _refuse_no_probabilities(column, values)
    if model.table is not None:
        table = loaded.tables[model.table]
        certain = np.array([float(name == chosen) for name in table.classes])
        filled = replace(table, values=np.where(missing[:, None], certain, table.values))
        return replace(converted, loaded=replace(loaded, tables={**loaded.tables, model.table: filled})), missing
    owners = {column: name for name, column in model.per_class}
    numbers = dict(loaded.numbers)
    for column, values in given.items():
        certainty = float(owners.get(column, classes.against or classes.positive) == chosen)
        numbers[column] = Numbers(np.where(missing, certainty, values))
    return replace(converted, loaded=replace(loaded, numbers=numbers)), missing


def _numbers(loaded: Loaded, model: ModelColumns) -> dict[str, Floats]:
    """The numbers of a model, by the names of their columns; none where a column holds something else."""
    if model.table is not None:
        return {model.table: loaded.tables[model.table].values}
    used = [model.score] if model.score is not None else [column for _, column in model.per_class]
    found = {column: loaded.numbers[column] for column in used}
    are_numbers = all(each.text is None and each.fault is None for each in found.values())
    return {column: each.values for column, each in found.items()} if are_numbers else {}


def _refuse_no_probabilities(column: str, values: Floats) -> None:
    low, high = float(np.nanmin(values, initial=0.0)), float(np.nanmax(values, initial=1.0))
    if low < 0 or high > 1 + 1e-3:
        raise OptionError(
            f"{shown(column)} runs from {low:.4g} to {high:.4g}, and a default class stands for a certainty of 0 or 1",
            "probabilities, or rows without a score left out",
            {"missing": "drop"},
            about="default_class",
        )
