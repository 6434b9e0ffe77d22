"""What may stand in a column: which rows lack something, and numbers that are none or make no sense."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.predictions import WEIGHTS_NEEDED, beyond_weights
from assay.request import Request
from assay.results import counted
from assay.sources._coding import MOST_VALUES, Numbers
from assay.sources._labels import is_measurement, label_name
from assay.sources._loaded import Loaded, Named
from assay.sources._models import ModelColumns
from assay.sources._roles import Roles
from assay.sources._settling import ways_among
from assay.sources._wording import listed, shown
from assay.sources._written import ONE_EACH, SEVERAL

# Beyond these, squares of scores and shares of them leave the range of numbers.
SMALLEST_SCORE, LARGEST_SCORE = 1e-100, 1e100

__all__ = [
    "LARGEST_SCORE",
    "SMALLEST_SCORE",
    "Mask",
    "columns_of",
    "gaps_of",
    "lacking_by_model",
    "notes_on_numbers",
    "numbers_for_labels",
    "refuse_bad_numbers",
    "refuse_missing_ids",
    "refuse_uncoded",
    "rows_kept",
    "rows_of_nobody",
]

Mask = NDArray[np.bool_]


def refuse_uncoded(column: str, loaded: Loaded, roles: Roles, request: Request) -> None:
    """Refuse a column with more different values than names of anything have."""
    coded = loaded.labels[column]
    if not coded.distinct:
        return
    names = [name for name in map(label_name, coded.values) if name is not None]
    if column in {model.pred for model in roles.models} and any(is_measurement(name) for name in names):
        raise numbers_for_labels(column, next(filter(is_measurement, names)))
    role, what = {
        roles.by: ("by", "subgroups"),
        roles.model: ("model", "model names"),
        roles.truth: ("truth", "classes"),
    }.get(column, ("pred", "predicted labels"))
    raise InputError(
        f"{shown(column)} holds more than {MOST_VALUES:,} different values in {counted(loaded.rows, 'row')} "
        f"({listed(sorted(names)[:3])}), which looks like an id or a measurement, not {what}",
        f"a column of {what}",
        ways=ways_among(roles, request, role),
    )


def numbers_for_labels(column: str, example: str) -> InputError:
    """What to say where numbers stand for predicted labels."""
    return InputError(
        f"{shown(column)} holds numbers such as {shown(example)}, which are no classes",
        "predicted labels, or to take them as scores",
        {"score": column},
    )


def rows_of_nobody(loaded: Loaded, roles: Roles) -> Mask | None:
    """The rows that weigh nothing or are counted zero times: they stand for no case, whatever else they hold."""
    given = [loaded.numbers[roles.used[role]] for role in ("weight", "count") if role in roles.used]
    empty = [numbers.values == 0 for numbers in given if numbers.fault is None and (numbers.values == 0).any()]
    found: Mask = np.logical_or.reduce(empty) if empty else np.zeros(0, dtype=np.bool_)
    return found if found.any() and not found.all() else None


def rows_kept(loaded: Loaded, gaps: Mapping[str, Mask], missing: str, nobody: Mask | None = None) -> Mask | None:
    """The rows that stand for somebody and in which nothing is missing; nothing at all where that is every row."""
    if nobody is not None:
        gaps = {column: gap & ~nobody for column, gap in gaps.items() if (gap & ~nobody).any()}
    if not gaps:
        return None if nobody is None else ~nobody
    lacking: Mask = np.logical_or.reduce(list(gaps.values()))
    count, row = int(np.count_nonzero(lacking)), int(lacking.argmax())
    if missing == "refuse":
        column = next(column for column, gap in gaps.items() if gap[row])
        also = f" ({counted(count, 'row')} of {loaded.rows:,} lack something)" if count > 1 else ""
        raise InputError(
            f"row {row + 1:,}: {shown(column)} is missing{also}", "a value in every row", {"missing": "drop"}
        )
    if count == loaded.rows - (0 if nobody is None else int(np.count_nonzero(nobody))):
        raise InputError(
            f"something is missing in each of the {counted(count, 'row')} ({listed(list(gaps))})",
            "at least one row with a truth and a prediction",
        )
    return ~lacking if nobody is None else ~(lacking | nobody)


def gaps_of(loaded: Loaded, roles: Roles, labels: Mapping[str, Named], keys: Mapping[str, Named]) -> dict[str, Mask]:
    """The rows in which each column lacks a value, of columns that do in any."""
    gaps: dict[str, Mask] = {}
    for column, named in [*((c, labels[c]) for c in roles.labels), *keys.items()]:
        if named.codes.min() < 0:
            gaps[column] = named.codes < 0
    for column in roles.numbers:
        _refuse_text(column, loaded.numbers[column], roles)
        values = loaded.numbers[column].values
        # The smallest is nan if anything is, and takes a fraction of the time of looking at each.
        if np.isnan(values.min()):
            gaps[column] = np.isnan(values)
    for model in roles.models:
        if model.table is not None and np.isnan(loaded.tables[model.table].values.min()):
            gaps[model.table] = np.logical_or.reduce(np.isnan(loaded.tables[model.table].values), axis=1)
    return gaps


def columns_of(models: Iterable[ModelColumns]) -> set[str]:
    """The columns that hold the answers of models."""
    found: set[str] = set()
    for model in models:
        each = (model.score, model.pred, model.certainty, model.table, *(column for _, column in model.per_class))
        found |= {column for column in each if column is not None}
    return found


def lacking_by_model(gaps: Mapping[str, Mask], roles: Roles) -> dict[str, Mask]:
    """The rows in which each of several models has no answer of its own, of models that lack any."""
    each = {model.name: [gaps[c] for c in columns_of([model]) if c in gaps] for model in roles.models}
    return {name: np.logical_or.reduce(lacking) for name, lacking in each.items() if lacking}


def _refuse_text(column: str, numbers: Numbers, roles: Roles) -> None:
    if numbers.fault is not None:
        fault = numbers.fault
        raise InputError(fault.found, fault.needed, {**fault.options, **_way_out(column, fault.needed, roles)})
    if numbers.text is None:
        return
    row, text = numbers.text
    hint = "numbers with a decimal point, not a comma" if _has_decimal_comma(text) else "a column of numbers"
    hint = ONE_EACH if text.lstrip().startswith(SEVERAL) else hint
    raise InputError(f"row {row:,}: {shown(column)} holds the text {shown(text)}", hint, _way_out(column, hint, roles))


def notes_on_numbers(loaded: Loaded, roles: Roles) -> tuple[str, ...]:
    """How the numbers that are used were written, where that is to be said aloud."""
    used = {column: loaded.numbers[column] for column in roles.numbers if column in loaded.numbers}
    percent = [column for column, numbers in used.items() if numbers.percent]
    notes = ("decimal comma",) if any(numbers.mark == "," for numbers in used.values()) else ()
    return (*notes, f"percentages: {', '.join(percent)}") if percent else notes


def _way_out(column: str, needed: str, roles: Roles) -> dict[str, str]:
    """Weights and counts are recognised by their names, so that leaving such a column alone may be what is wanted; and
    labels can be evaluated without probabilities that stand in one cell."""
    if needed == ONE_EACH and any(column == model.score and model.pred is not None for model in roles.models):
        return {"ignore": column}
    return {"ignore": column} if column in roles.used.values() and column != roles.used.get("amount") else {}


def _has_decimal_comma(text: str) -> bool:
    whole, comma, part = text.strip().partition(",")
    return comma == "," and part.isdigit() and whole.removeprefix("-").isdigit()


def refuse_bad_numbers(loaded: Loaded, roles: Roles, kept: Mask | None) -> None:
    """Refuse numbers that are infinite or beyond reckoning, weights below zero and counts that are not whole."""
    weights = [roles.used[role] for role in ("weight", "count") if role in roles.used]
    scores = {model.score for model in roles.models}
    for column in roles.numbers:
        values = loaded.numbers[column].values
        low, high = values.min(initial=0), values.max(initial=0)
        if np.isnan(low):
            low, high = np.fmin.reduce(values, initial=0), np.fmax.reduce(values, initial=0)
        if not np.isfinite([low, high]).all():
            found = f"row {int(np.isinf(values).argmax()) + 1:,}: {shown(column)} is infinite"
            raise InputError(found, "a finite number for every case")
        largest = max(-low, high)
        # One of many classes may be next to impossible in all rows.
        is_tiny = column in scores and 0 < largest < SMALLEST_SCORE
        if column not in weights and (is_tiny or largest > LARGEST_SCORE):
            row = int((np.abs(values) == largest).argmax())
            found = f"row {row + 1:,}: {shown(column)} is {values[row]:g}, and none is further from 0"
            what = (
                "amounts up to 1e100"
                if column == roles.used.get("amount")
                else "scores up to 1e100, some beyond 1e-100"
            )
            raise InputError(found, f"{what}; scaled alike, they say the same")
    for role in ("weight", "count"):
        if role in roles.used:
            _refuse_weights(roles.used[role], role, loaded, kept)


def refuse_missing_ids(loaded: Loaded, roles: Roles, kept: Mask | None, *, was_named: bool) -> None:
    """Refuse rows that have no id, whatever is done with other gaps: to show a row's name must change no number."""
    if loaded.ids is None:
        return
    lacking = loaded.ids == ""
    if kept is not None:
        lacking &= kept
    count, row, column = int(np.count_nonzero(lacking)), int(lacking.argmax()), roles.used["id"]
    if count:
        also = f" ({counted(count, 'row')} of {loaded.rows:,} lack one)" if count > 1 else ""
        way_out = {} if was_named else {"ignore": column}
        raise InputError(f"row {row + 1:,}: the id in {shown(column)} is missing{also}", "an id in every row", way_out)


def _refuse_weights(column: str, role: str, loaded: Loaded, kept: Mask | None) -> None:
    values = loaded.numbers[column].values
    with np.errstate(invalid="ignore"):
        bad = ~(values >= 0) if role == "weight" else ~((values >= 0) & (values == np.round(values)))
    if kept is not None:
        bad &= kept
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"row {row + 1:,}: {shown(column)} is {values[row]:g}",
            f"a {'weight' if role == 'weight' else 'whole count'} that is not negative",
            {"ignore": column},
        )
    beyond = beyond_weights(values) if kept is None else beyond_weights(values) & kept
    if beyond.any():
        row = int(beyond.argmax())
        raise InputError(f"row {row + 1:,}: {shown(column)} is {values[row]:g}", WEIGHTS_NEEDED, {"ignore": column})
