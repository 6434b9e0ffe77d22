"""From loaded columns to checked predictions: classes, missing values, one `Predictions` for each model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.predictions import Predictions
from assay.sources._coding import MOST_VALUES, Coded, Codes, Numbers, narrow
from assay.sources._columns import ModelColumns, Roles
from assay.sources._labels import Classes, aligned, is_measurement, label_name, settle
from assay.sources._records import Choices, Reading, Source
from assay.sources._wording import listed, plural, shown

__all__ = ["Loaded", "Named", "Origin", "assemble", "named"]


@dataclass(frozen=True)
class Origin:
    """What is known of a source before its columns are read."""

    name: str
    format: str
    sha256: str | None = None


@dataclass(frozen=True)
class Loaded:
    """The columns that play a role, each either labels or numbers, all with the same rows."""

    rows: int
    labels: Mapping[str, Coded]
    numbers: Mapping[str, Numbers]


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
    names = [label_name(coded.values[place]) for place in _occurring(coded.codes, len(coded.values))]
    known = tuple(sorted({name for name in names if name is not None}))
    place = {name: number for number, name in enumerate(known)}
    every = [label_name(value) for value in coded.values]
    return Named(known, _recoded(coded.codes, [-1 if name is None else place.get(name, -1) for name in every]))


def assemble(loaded: Loaded, roles: Roles, choices: Choices, origin: Origin) -> Reading:
    """The predictions of each model, after every question about the data has been asked once."""
    if loaded.rows == 0:
        raise InputError(f"{shown(origin.name)} holds column names but no rows", "at least one row")
    for column in roles.labels:
        _refuse_uncoded(column, loaded, roles)
    labels = {column: named(loaded.labels[column]) for column in roles.labels}
    truth = labels[roles.truth]
    for column in dict.fromkeys(model.pred for model in roles.models if model.pred is not None):
        labels[column] = _aligned(labels[column], truth)
    predicted = sorted({name for model in roles.models if model.pred for name in labels[model.pred].names})
    classes = settle(truth.names, predicted, choices.positive, column=roles.truth, rows=loaded.rows)
    roles = _with_class_score(roles, classes)
    _refuse_foreign_labels(roles, labels, classes)
    kept = _kept(loaded, roles, labels, choices)
    _refuse_infinite(loaded, roles)
    source = Source(
        name=origin.name,
        format=origin.format,
        rows=loaded.rows,
        dropped=0 if kept is None else loaded.rows - int(np.count_nonzero(kept)),
        columns=_columns_used(roles),
        design=roles.design,
        sha256=origin.sha256,
        positive_inferred=classes.inferred,
    )
    return Reading(_by_model(loaded, roles, labels, classes, kept), source)


def _refuse_uncoded(column: str, loaded: Loaded, roles: Roles) -> None:
    coded = loaded.labels[column]
    if not coded.distinct:
        return
    names = [name for name in map(label_name, coded.values) if name is not None]
    if column != roles.truth and any(is_measurement(name) for name in names):
        raise _numbers_for_labels(column, next(filter(is_measurement, names)))
    what = {roles.truth: "classes", roles.model: "model names"}.get(column, "predicted labels")
    role = {roles.truth: "truth", roles.model: "model"}.get(column, "pred")
    raise InputError(
        f"{shown(column)} holds more than {MOST_VALUES:,} different values in {plural(loaded.rows, 'row')} "
        f"({listed(sorted(names)[:3])}), which looks like an id or a measurement, not {what}",
        f"a column of {what}",
        {role: "COLUMN"},
    )


def _numbers_for_labels(column: str, example: str) -> InputError:
    return InputError(
        f"{shown(column)} holds numbers such as {shown(example)}, which are no classes",
        "predicted labels, or to take them as scores",
        {"score": column},
    )


def _aligned(predicted: Named, truth: Named) -> Named:
    names = aligned(predicted.names, truth.names)
    return replace(predicted, names=tuple(names))


def _with_class_score(roles: Roles, classes: Classes) -> Roles:
    """The column of the positive class as the score, where there is one column for each class."""
    if not roles.per_class:
        return roles
    found = [
        column
        for name, column in roles.per_class
        if aligned([label_name(name) or ""], classes.names)[0].casefold() == classes.positive.casefold()
    ]
    if not found and roles.models[0].pred is None:
        columns = [column for _, column in roles.per_class]
        raise InputError(
            f"none of {listed(columns)} is named after the positive class {shown(classes.positive)}",
            "the column of its probabilities",
            {"score": "COLUMN"},
        )
    model = replace(roles.models[0], score=found[0] if found else None)
    return replace(roles, models=(model,), per_class=())


def _refuse_foreign_labels(roles: Roles, labels: Mapping[str, Named], classes: Classes) -> None:
    for model in roles.models:
        names = labels[model.pred].names if model.pred is not None else ()
        foreign = [name for name in names if name not in classes.names]
        numeric = next(filter(is_measurement, foreign), None)
        if model.pred is not None and numeric is not None:
            raise _numbers_for_labels(model.pred, numeric)
        if foreign and len(foreign) == len(names):
            raise InputError(
                f"{shown(model.pred)} holds {listed(foreign)} but {shown(roles.truth)} holds {listed(classes.names)}",
                "predicted labels that are spelled as the classes are",
            )


def _kept(loaded: Loaded, roles: Roles, labels: Mapping[str, Named], choices: Choices) -> NDArray[np.bool_] | None:
    """The rows in which nothing is missing, or nothing at all where that is every row."""
    gaps: dict[str, NDArray[np.bool_]] = {}
    for column in roles.labels:
        if labels[column].codes.min() < 0:
            gaps[column] = labels[column].codes < 0
    for column in roles.numbers:
        _refuse_text(column, loaded.numbers[column])
        values = loaded.numbers[column].values
        # The smallest is nan if anything is, and takes a fraction of the time of looking at each.
        if np.isnan(values.min()):
            gaps[column] = np.isnan(values)
    if not gaps:
        return None
    lacking: NDArray[np.bool_] = np.logical_or.reduce(list(gaps.values()))
    count, row = int(np.count_nonzero(lacking)), int(lacking.argmax())
    if count == 0:
        return None
    if choices.missing == "refuse":
        column = next(column for column, gap in gaps.items() if gap[row])
        also = f" ({plural(count, 'row')} of {loaded.rows:,} lack something)" if count > 1 else ""
        raise InputError(
            f"row {row + 1:,}: {shown(column)} is missing{also}", "a value in every row", {"missing": "drop"}
        )
    if count == loaded.rows:
        raise InputError(
            f"something is missing in each of the {plural(count, 'row')} ({listed(list(gaps))})",
            "at least one row with a truth and a prediction",
        )
    return ~lacking


def _refuse_text(column: str, numbers: Numbers) -> None:
    if numbers.text is None:
        return
    row, text = numbers.text
    hint = "numbers with a decimal point, not a comma" if _has_decimal_comma(text) else "a column of numbers"
    raise InputError(f"row {row:,}: {shown(column)} holds the text {shown(text)}", hint)


def _has_decimal_comma(text: str) -> bool:
    whole, comma, part = text.strip().partition(",")
    return comma == "," and part.isdigit() and whole.removeprefix("-").isdigit()


def _refuse_infinite(loaded: Loaded, roles: Roles) -> None:
    for column in roles.numbers:
        values = loaded.numbers[column].values
        if not np.isfinite(values.min() + values.max()) and (infinite := np.isinf(values)).any():
            found = f"row {int(infinite.argmax()) + 1:,}: {shown(column)} is infinite"
            raise InputError(found, "a finite number for every case")


def _columns_used(roles: Roles) -> dict[str, str | tuple[str, ...]]:
    scores = tuple(model.score for model in roles.models if model.score is not None)
    preds = tuple(model.pred for model in roles.models if model.pred is not None)
    used: dict[str, str | tuple[str, ...]] = {"truth": roles.truth}
    for role, columns in {"score": scores, "pred": preds}.items():
        if columns:
            used[role] = columns[0] if len(columns) == 1 else columns
    if roles.model is not None:
        used["model"] = roles.model
    return used


def _by_model(
    loaded: Loaded, roles: Roles, labels: Mapping[str, Named], classes: Classes, kept: NDArray[np.bool_] | None
) -> dict[str, Predictions]:
    truth = labels[roles.truth]
    codes = _recoded(truth.codes, [classes.names.index(name) for name in truth.names])
    if roles.model is None:
        truth_kept = codes if kept is None else codes[kept]
        return {m.name: _predictions(loaded, m, truth_kept, labels, classes, kept) for m in roles.models}
    models = labels[roles.model]
    found: dict[str, Predictions] = {}
    for place in _first_seen(models.codes, len(models.names)):
        rows = models.codes == place if kept is None else (models.codes == place) & kept
        if rows.any():
            found[models.names[place]] = _predictions(loaded, roles.models[0], codes[rows], labels, classes, rows)
    return found


def _predictions(
    loaded: Loaded,
    model: ModelColumns,
    truth: Codes,
    labels: Mapping[str, Named],
    classes: Classes,
    rows: NDArray[np.bool_] | None,
) -> Predictions:
    score = None if model.score is None else loaded.numbers[model.score].values
    if score is not None and rows is not None:
        score = score[rows]
    if model.pred is None:
        return Predictions(classes.names, truth, score=score)
    predicted = labels[model.pred]
    given = predicted.codes if rows is None else predicted.codes[rows]
    used = [predicted.names[place] for place in _occurring(given, len(predicted.names))]
    decisions = (*classes.names, *sorted(name for name in used if name not in classes.names))
    lookup = [decisions.index(name) if name in decisions else -1 for name in predicted.names]
    return Predictions(classes.names, truth, score=score, decision=_recoded(given, lookup), decisions=decisions)


def _first_seen(codes: Codes, count: int) -> list[int]:
    return sorted(range(count), key=lambda place: int((codes == place).argmax()))


def _occurring(codes: Codes, count: int) -> list[int]:
    """The codes that occur; for two of them the smallest and the largest tell, which is much faster than counting."""
    if len(codes) == 0:
        return []
    low, high = int(codes.min()), int(codes.max())
    if count <= 2 and low >= 0:
        return [low, high] if high > low else [low]
    return [int(place) for place in np.flatnonzero(np.bincount(codes.astype(np.intp) + 1, minlength=count + 1)[1:])]


def _recoded(codes: Codes, lookup: Sequence[int]) -> Codes:
    """Each code replaced by what `lookup` holds at its place; -1, missing, stays."""
    dtype = narrow(max([len(lookup), *lookup]) + 1)
    if list(lookup) == list(range(len(lookup))):
        return codes.astype(dtype, copy=False)
    if list(lookup) == [1, 0] and codes.min() >= 0:
        return (1 - codes).astype(dtype, copy=False)
    table = np.array([*lookup, -1], dtype)
    return table.take(codes)
