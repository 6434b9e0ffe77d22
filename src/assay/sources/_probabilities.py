"""One probability for each class: which column is whose, and that the rows of them make sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.errors import InputError
from assay.sources._columns import Roles
from assay.sources._labels import Classes, aligned, label_name
from assay.sources._loaded import Loaded
from assay.sources._models import FEWEST_OF_MANY, PER_CLASS, ModelColumns
from assay.sources._values import Mask
from assay.sources._wording import joined, listed, shown
from assay.types import Floats

__all__ = ["further_classes", "probabilities", "with_class_scores", "with_probabilities"]

ROUNDING = 5e-4  # how far a probability may be off that was rounded to three decimals
STRAY = 1e-6  # how far beyond 0 and 1 float32 may stray


def further_classes(loaded: Loaded, roles: Roles, truth: Sequence[str]) -> list[str]:
    """Classes that never occur in truth but have a column, where all columns together are probabilities that sum to 1.

    Otherwise `p_value` beside `p_no` and `p_yes` would be a class.
    """
    found: dict[str, None] = {}
    for model in roles.models:
        by_class = _by_class(model, truth)
        extra = [name for name in by_class if name not in truth]
        if extra and len(by_class) >= FEWEST_OF_MANY and set(truth) <= set(by_class):
            columns = [loaded.numbers[column] for column in by_class.values()]
            if all(numbers.text is None for numbers in columns) and _sum_to_one([n.values for n in columns]):
                found |= dict.fromkeys(extra)
    for model in roles.models:
        if model.table is not None:
            found |= dict.fromkeys(name for name in loaded.tables[model.table].classes if name not in truth)
    return list(found)


def with_class_scores(roles: Roles, classes: Classes) -> Roles:
    """The column of the positive class of two as the score, where there is one column for each class."""
    return replace(roles, models=tuple(_with_class_score(model, classes) for model in roles.models))


def _with_class_score(model: ModelColumns, classes: Classes) -> ModelColumns:
    if not model.per_class:
        return model
    if model.score is not None:
        return replace(model, per_class=())
    found = [
        column
        for name, column in model.per_class
        if aligned([label_name(name) or name], classes.names)[0].casefold() == classes.positive.casefold()
    ]
    if not found and model.pred is None:
        columns = [column for _, column in model.per_class]
        raise InputError(
            f"none of {listed(columns)} is named after the positive class {shown(classes.positive)}",
            "the column of its probabilities",
            {"score": "COLUMN"},
        )
    return replace(model, score=found[0] if found else None, per_class=())


def with_probabilities(roles: Roles, classes: Classes) -> Roles:
    """For each model the columns of its probabilities, in the order of the many classes."""
    return replace(roles, models=tuple(_with_columns(model, roles.truth, classes) for model in roles.models))


def _with_columns(model: ModelColumns, truth: str, classes: Classes) -> ModelColumns:
    if model.score is not None and not model.per_class:
        raise InputError(
            f"{shown(truth)} holds {len(classes.names)} classes ({listed(classes.names, 4)}), but {shown(model.score)} "
            "is a single column of scores",
            f"a column of probabilities for each class, such as {shown(PER_CLASS[0] + classes.names[0])}",
            {"ignore": model.score} if model.pred is not None else {},
        )
    if not model.per_class:
        return model
    by_class = _by_class(model, classes.names)
    lacking = [name for name in classes.names if name not in by_class]
    if lacking:
        columns = [column for _, column in model.per_class]
        example = columns[0][: len(columns[0]) - len(model.per_class[0][0])] + lacking[0]
        raise InputError(
            f"there is no column for {'the class' if len(lacking) == 1 else 'the classes'} {listed(lacking)} "
            f"beside {listed(columns, 4)}",
            f"a column of probabilities for each class, such as {shown(example)}",
        )
    return replace(model, score=None, per_class=tuple((name, by_class[name]) for name in classes.names))


def _by_class(model: ModelColumns, names: Sequence[str]) -> dict[str, str]:
    """The column of each class, under the name that the class goes by where it is one of `names`."""
    labels = {column: label_name(label) or label for label, column in model.per_class}
    spelled = dict(zip(labels, aligned(list(labels.values()), names), strict=True))
    folded = {name.casefold(): name for name in reversed(names)}
    found: dict[str, str] = {}
    for column, label in spelled.items():
        name = label if label in names or label.casefold() not in folded else folded[label.casefold()]
        if name in found and label in names and spelled[found[name]] == label:
            raise InputError(
                f"{joined([found[name], column])} could each be the probabilities of {shown(name)}",
                "one column for each class",
                {"ignore": column},
            )
        if name not in found or label in names:
            found[name] = column
    return found


def probabilities(loaded: Loaded, roles: Roles, classes: Classes, kept: Mask | None) -> dict[str, Floats]:
    """The probabilities of each model that has them, a column for each class, checked in the rows that are kept."""
    found: dict[str, Floats] = {}
    for model in roles.models:
        if model.table is not None:
            table = loaded.tables[model.table]
            order = [table.classes.index(name) for name in classes.names]
            columns: Mapping[str, str] = dict.fromkeys(classes.names, model.table)
            values = table.values if order == list(range(len(order))) else table.values[:, order]
        elif model.per_class:
            columns = dict(model.per_class)
            values = np.stack([loaded.numbers[column].values for column in columns.values()], axis=1)
        else:
            continue
        found[model.name] = _checked(values, list(columns.values()), kept)
    return found


def _checked(values: Floats, columns: Sequence[str], kept: Mask | None) -> Floats:
    rows = values if kept is None else values[kept]
    low, high = float(rows.min()), float(rows.max())
    if low < -STRAY or high > 1 + STRAY:
        row, place = _first((values < -STRAY) | (values > 1 + STRAY), kept)
        holds = "is" if len(set(columns)) > 1 else "holds"
        found = f"row {row + 1:,}: {shown(columns[place])} {holds} {values[row, place]:g}"
        raise InputError(found, "a probability between 0 and 1")
    sums = values.sum(1)
    off = np.abs(sums - 1) > _tolerance(len(columns))
    if kept is not None:
        off &= kept
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"row {row + 1:,}: the probabilities in {listed(list(dict.fromkeys(columns)), 4)} sum to {sums[row]:.6g}",
            "probabilities that sum to 1 in every row",
        )
    return np.clip(values, 0, 1) if low < 0 or high > 1 else values


def _first(bad: Mask, kept: Mask | None) -> tuple[int, int]:
    if kept is not None:
        bad &= kept[:, None]
    row = int(bad.any(1).argmax())
    return row, int(bad[row].argmax())


def _sum_to_one(columns: Sequence[Floats]) -> bool:
    """Whether columns are probabilities that sum to 1 in every row in which none is missing, and in one at least."""
    sums = np.sum(columns, axis=0)
    sums = sums[~np.isnan(sums)]
    fits = len(sums) > 0 and bool((np.abs(sums - 1) <= _tolerance(len(columns))).all())
    return fits and min(float(np.nanmin(column)) for column in columns) >= -STRAY


def _tolerance(classes: int) -> float:
    return min(max(1e-3, ROUNDING * classes), 0.05) + STRAY
