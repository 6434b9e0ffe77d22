"""One probability for each class: which column is whose, and that the rows of them make sense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.errors import InputError
from assay.request import Request
from assay.sources.column_data import Loaded
from assay.sources.column_names import Way
from assay.sources.column_roles import FEWEST_OF_MANY, PER_CLASS, ModelColumns, Roles, class_key, word_before
from assay.sources.column_values import Mask
from assay.sources.labels import Classes, aligned, label_name
from assay.sources.quoting import joined, listed, shown
from assay.types import Floats

__all__ = [
    "EITHER",
    "PROMISED",
    "STRAY",
    "columns_of_classes",
    "first_other_sum",
    "further_classes",
    "probabilities",
    "refuse_other_sums",
    "tolerance",
    "with_class_score",
    "with_probabilities",
]

MOST_OFFERED = 6
ROUNDING = 5e-4  # how far a probability may be off that was rounded to three decimals
STRAY = 1e-6  # how far beyond 0 and 1 float32 may stray
# What a column is named after where it is not named after the classes themselves, the negative one first.
EITHER = (("0", "neg", "negative", "false", "no"), ("1", "pos", "positive", "true", "yes"))
# Words before a class that promise probabilities; other numbers of classes may be scores of any range.
PROMISED = ("proba", "prob", "probability", "p", ".pred")


def further_classes(loaded: Loaded, roles: Roles, truth: Sequence[str]) -> list[str]:
    """Classes that never occur in truth but have a column, where all columns together are probabilities that sum to 1.

    Otherwise `p_value` beside `p_no` and `p_yes` would be a class.
    """
    found: dict[str, None] = {}
    for model in roles.models:
        by_class = columns_of_classes(model, truth) if model.per_class else {}
        extra = [name for name in by_class if name not in truth]
        if extra and len(by_class) >= FEWEST_OF_MANY and set(truth) <= set(by_class):
            columns = [loaded.numbers[column] for column in by_class.values()]
            if all(numbers.text is None for numbers in columns) and _rows_sum_to_one([n.values for n in columns]):
                found |= dict.fromkeys(extra)
    for model in roles.models:
        if model.table is not None:
            found |= dict.fromkeys(name for name in loaded.tables[model.table].classes if name not in truth)
    return list(found)


def refuse_other_sums(columns: Sequence[str], every: Sequence[str], score: str, loaded: Loaded) -> None:
    """Columns that are called probabilities of either class are those, or those of classes that never occur as well."""
    if not all(word_before(column) in PROMISED for column in columns):
        return
    row = first_other_sum([loaded.numbers[column].values for column in columns])
    numbers = [loaded.numbers[column] for column in every]
    are_all = all(each.fault is None for each in numbers) and _rows_sum_to_one([each.values for each in numbers])
    if row is not None and not are_all:
        total = sum(float(loaded.numbers[column].values[row]) for column in columns)
        found = f"row {row + 1:,}: the probabilities in {listed(columns)} sum to {total:.6g}"
        raise InputError(found, "probabilities that sum to 1 in every row", {"score": score})


def first_other_sum(columns: Sequence[Floats]) -> int | None:
    """The first row whose probabilities do not sum to 1, as far as they may be rounded; those missing are passed over.

    >>> first_other_sum([np.array([0.2, 0.5]), np.array([0.8, 0.9])])
    1
    """
    off: Mask = np.abs(np.sum(columns, axis=0) - 1) > tolerance(len(columns))
    return int(off.argmax()) if off.any() else None


def with_class_score(model: ModelColumns, roles: Roles, classes: Classes, request: Request) -> ModelColumns:
    """The column of the positive class of two as the score of one model, where there is one for each class."""
    if not model.per_class:
        return model
    if model.score is not None:
        return replace(model, per_class=())
    by_class = columns_of_classes(model, classes.names)
    found = by_class.get(classes.positive)
    if found is None and (model.pred is None or classes.names[0] in by_class):
        columns = [column for _, column in model.per_class]
        raise InputError(
            f"none of {listed(columns)} has the name of the positive class {shown(classes.positive)}",
            "the column of its probabilities",
            ways=[({"positive": other}, f"the class that {shown(by_class[other])} is named after")]
            if (other := classes.names[0]) in by_class
            else (),
        )
    return replace(model, score=found, per_class=())


def with_probabilities(roles: Roles, classes: Classes) -> Roles:
    """For each model the columns of its probabilities, in the order of the many classes."""
    models = tuple(_complete_class_columns(model, roles.truth, classes) for model in roles.models)
    kept = {column for model in models for column in model.columns}
    left = [column for model in roles.models for column in model.columns if column not in kept]
    return replace(roles, models=models, unused=(*roles.unused, *left))


def _complete_class_columns(model: ModelColumns, truth: str, classes: Classes) -> ModelColumns:
    if not model.per_class:
        if model.score is not None and classes.against is None:
            raise _single_score_error(model.score, truth, classes, ignorable=model.pred is not None)
        return model
    by_class = columns_of_classes(model, classes.names)
    lacking = [name for name in classes.names if name not in by_class]
    if lacking and classes.against in by_class:
        return replace(model, score=by_class[classes.against], per_class=())
    if lacking:
        columns = [column for _, column in model.per_class]
        example = columns[0][: len(columns[0]) - len(model.per_class[0][0])] + lacking[0]
        raise InputError(
            f"there is no column for {'the class' if len(lacking) == 1 else 'the classes'} {listed(lacking)} "
            f"beside {listed(columns, 4)}",
            f"one column of probabilities per class, such as {shown(example)}",
            ways=[({"positive": name}, f"{name} against the rest") for name in classes.names if name in by_class],
        )
    return replace(model, score=None, per_class=tuple((name, by_class[name]) for name in classes.names))


def _single_score_error(score: str, truth: str, classes: Classes, *, ignorable: bool) -> InputError:
    ways: list[Way] = [({"ignore": score}, "evaluate only the predicted labels")] if ignorable else []
    few = classes.names[:MOST_OFFERED]
    ways += [({"positive": name}, f"if it is the score of {name}, against the rest") for name in few]
    return InputError(
        f"{shown(truth)} holds {len(classes.names)} classes ({listed(classes.names, 4)}), but {shown(score)} "
        "is a single column of scores",
        f"one column of probabilities per class, such as {shown(PER_CLASS[0] + '_' + classes.names[0])}",
        ways=ways,
    )


def columns_of_classes(model: ModelColumns, names: Sequence[str]) -> dict[str, str]:
    """The column of each class, under the name that the class goes by where it is one of `names`."""
    labels = {column: label_name(label) or label for label, column in model.per_class}
    spelled = dict(zip(labels, aligned(list(labels.values()), names), strict=True))
    if len(names) == 2 and not {class_key(label) for label in spelled.values()} & {class_key(name) for name in names}:
        spelled = {column: _class_of_generic_word(label, names) for column, label in spelled.items()}
    keys = {class_key(name): name for name in reversed(names)}
    known = {*names}
    found: dict[str, str] = {}
    for column, label in spelled.items():
        name = label if label in known else keys.get(class_key(label), label)
        if name in found and label in known and spelled[found[name]] == label:
            raise InputError(
                f"{joined([found[name], column])} could each be the probabilities of {shown(name)}",
                "one column for each class",
                ways=[({"ignore": each}, "") for each in (column, found[name])],
            )
        if name not in found or label in known:
            found[name] = column
    return found


def _class_of_generic_word(label: str, names: Sequence[str]) -> str:
    """The one of two classes that a word such as `pos` means where no class is called so."""
    return next((name for name, words in zip(names, EITHER, strict=True) if label.casefold() in words), label)


def probabilities(loaded: Loaded, roles: Roles, classes: Classes, kept: Mask | None) -> dict[str, Floats]:
    """The probabilities of each model that has them, checked in the rows that are kept."""
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
        found[model.name] = _clip_probabilities(values, list(columns.values()), kept)
    return found


def _clip_probabilities(values: Floats, columns: Sequence[str], kept: Mask | None) -> Floats:
    rows = values if kept is None else values[kept]
    low, high = float(rows.min()), float(rows.max())
    if low < -STRAY or high > 1 + STRAY:
        row, place = _first_invalid_cell((values < -STRAY) | (values > 1 + STRAY), kept)
        holds = "is" if len(set(columns)) > 1 else "holds"
        found = f"row {row + 1:,}: {shown(columns[place])} {holds} {values[row, place]:g}"
        raise InputError(found, "a probability between 0 and 1")
    sums = values.sum(1)
    off = np.abs(sums - 1) > tolerance(len(columns))
    if kept is not None:
        off &= kept
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"row {row + 1:,}: the probabilities in {listed(list(dict.fromkeys(columns)), 4)} sum to {sums[row]:.6g}",
            "probabilities that sum to 1 in every row",
        )
    return np.clip(values, 0, 1) if low < 0 or high > 1 else values


def _first_invalid_cell(bad: Mask, kept: Mask | None) -> tuple[int, int]:
    if kept is not None:
        bad &= kept[:, None]
    row = int(bad.any(1).argmax())
    return row, int(bad[row].argmax())


def _rows_sum_to_one(columns: Sequence[Floats]) -> bool:
    """Whether columns are probabilities that sum to 1 in every row in which none is missing, and in one at least."""
    sums = np.sum(columns, axis=0)
    sums = sums[~np.isnan(sums)]
    fits = len(sums) > 0 and bool((np.abs(sums - 1) <= tolerance(len(columns))).all())
    return fits and min(float(np.nanmin(column)) for column in columns) >= -STRAY


def tolerance(classes: int) -> float:
    """How far from 1 the probabilities of so many classes may be in sum, as they may be rounded."""
    return min(max(1e-3, ROUNDING * classes), 0.05) + STRAY
