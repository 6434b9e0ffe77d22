"""What may stand in a column: which rows lack something, and numbers that are none or make no sense.

How the numbers in a column of text are written: a point or a comma before the decimals, thousands, percentages.

A column is looked at whole and read only where one reading is possible. The same questions are asked of columns that
the engine holds and of lists, so that the answer does not hang on the format a file has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError, OptionError
from assay.predictions import WEIGHTS_NEEDED, beyond_weights
from assay.request import Request
from assay.results import counted
from assay.sources.ambiguity import ways_among
from assay.sources.column_data import Loaded, Named
from assay.sources.column_roles import ModelColumns, Roles
from assay.sources.labels import MISSING, MOST_VALUES, Numbers, is_measurement, label_name
from assay.sources.quoting import listed, shown

__all__ = [
    "FITS",
    "LARGEST_SCORE",
    "ONE_EACH",
    "SEVERAL",
    "SMALLEST_SCORE",
    "Condition",
    "ListedTexts",
    "Mask",
    "TextColumn",
    "Written",
    "as_point_number",
    "columns_of",
    "gaps_of",
    "how_written",
    "lacking_by_model",
    "no_texts",
    "notes_on_numbers",
    "numbers_for_labels",
    "refuse_bad_numbers",
    "refuse_missing_ids",
    "refuse_uncoded",
    "rows_kept",
    "rows_of_nobody",
    "whole_labels",
]


# How a text begins that holds the probabilities of all classes in one cell, as Spark writes them, and what is needed.
SEVERAL = ("[", "{", "(")
ONE_EACH = "one number per row: a column of probabilities per class"
BLANKS = " \u00a0\u202f"
QUOTES = "'\u2019"


def _number_pattern(mark: str, group: str) -> str:
    grouped = f"[1-9][0-9]{{0,2}}(?:[{group}{BLANKS}{QUOTES}][0-9]{{3}})+(?:[{mark}][0-9]*)?"
    plain = f"(?:[0-9]+[{mark}]?[0-9]*|[{mark}][0-9]+)"
    return f"[+-]?(?:(?:{grouped}|{plain})(?:[{BLANKS}]*%)?|{plain}[eE][+-]?[0-9]+)"


# What each decimal mark lets a number look like; both the engine and Python understand these expressions.
FITS = {".": _number_pattern(".", ","), ",": _number_pattern(",", ".")}
IS_PERCENT, HAS_COMMA, HAS_POINT = ".*%", ".*,.*", r".*\..*"
CALLED = {".": "point", ",": "comma"}
WHOLE = re.compile(r"([+-]?[0-9]+),0+")

# What must match, and what must not, for a text to be meant.
Condition = Mapping[str, bool]
NEITHER: Condition = {FITS["."]: False, FITS[","]: False}


class TextColumn(Protocol):
    """A column of texts, of which those that are not missing can be counted and shown."""

    @property
    def name(self) -> str:
        """What the column is called."""

    def counts(self, conditions: Sequence[Condition]) -> Sequence[int]:
        """How many texts meet each condition."""

    def first(self, condition: Condition) -> tuple[int, str]:
        """The row (from 1) and the text that first meets a condition."""


@dataclass(frozen=True)
class ListedTexts:
    """A column of texts in a list; whatever is no text, or means a missing one, is passed over."""

    name: str
    values: Sequence[Any]

    def counts(self, conditions: Sequence[Condition]) -> list[int]:
        """How many texts meet each condition."""
        return [sum(self.meets(condition)) for condition in conditions]

    def meets(self, condition: Condition) -> list[bool]:
        """Whether each value is a text that meets a condition."""
        return [_meets_condition(value, condition) for value in self.values]

    def first(self, condition: Condition) -> tuple[int, str]:
        """The row (from 1) and the text that first meets a condition."""
        return next((row, value) for row, value in enumerate(self.values, 1) if _meets_condition(value, condition))


def _meets_condition(value: Any, condition: Condition) -> bool:
    if not isinstance(value, str) or (text := value.strip()).casefold() in MISSING:
        return False
    return all((re.fullmatch(pattern, text) is not None) == wanted for pattern, wanted in condition.items())


@dataclass(frozen=True)
class Written:
    """The one way in which a column's numbers are written: the decimal mark, and whether they are percentages.

    >>> Written(",").number("1.234,5"), Written(",", percent=True).number("22,4 %"), Written(".").number("1,234.5")
    (1234.5, 0.224, 1234.5)
    """

    mark: str = "."
    percent: bool = False

    @property
    def dropped(self) -> str:
        """The signs that carry no value."""
        return f"[{'.' if self.mark == ',' else ','}%{BLANKS}{QUOTES}]"

    def number(self, text: str) -> float:
        """A text that fits, as a number; shifting the point in the text keeps 22.4 % the number nearest to 0.224."""
        return float(as_point_number(text, self))


def as_point_number(text: str, written: Written) -> str:
    """A text that fits, as Python and the engine read numbers."""
    plain = re.sub(written.dropped, "", text).replace(",", ".")
    return plain + "e-2" if written.percent else plain


def how_written(
    column: TextColumn, said: str | None = None, *, beside_commas: bool = False, plain: int = 0
) -> Written | InputError:
    """The one reading of a column, or what is wrong with it.

    `said` is the decimal mark the user named. `beside_commas` says that another column has decimal commas, so that
    1.234 may be a thousand; `plain` counts numbers of the column that are no text.

    >>> how_written(ListedTexts("p", ["0,25", "1,234", "NA"]))
    Written(mark=',', percent=False)
    >>> print(how_written(ListedTexts("p", ["1,234", "567"])))
    row 1: 'p' holds '1,234', which can be read as 1.234 or 1234; needed: the decimal mark; pass decimal=','
    """
    asked: list[Condition] = [{}, {IS_PERCENT: True}, {FITS["."]: True}, {FITS[","]: True}]
    known, percent, *fitting = column.counts([*asked, {HAS_COMMA: True}, {HAS_POINT: True}, NEITHER])
    point, comma, commas, points, neither = fitting
    if neither:
        return _text_value_error(column, NEITHER)
    if percent and percent < known + plain:
        return _mixed_percent_error(column, plain)
    fits = {".": point == known, ",": comma == known}
    if said is not None:
        return Written(said, percent > 0) if fits[said] else _wrong_decimal_mark_error(column, said, fits)
    if fits["."] and fits[","] and (commas or (beside_commas and points)):
        return _ambiguous_decimal_error(column, HAS_COMMA if commas else HAS_POINT)
    if not (fits["."] or fits[","]):
        return _mixed_decimal_marks_error(column)
    return Written("." if fits["."] else ",", percent > 0)


def no_texts() -> OptionError:
    """What to say where a decimal sign is named and no number is text."""
    found = "decimal is given, but the file has no numbers in text"
    return OptionError(found, "no decimal, which has no effect there", about="decimal")


def whole_labels(values: Sequence[Any]) -> Sequence[Any]:
    """Labels that are all whole numbers with a decimal comma, as they would be with a point.

    >>> whole_labels(("0,0", "1,0")), whole_labels(("1,2", "1,0"))
    (('0.0', '1.0'), ('1,2', '1,0'))
    """
    known = [value for value in values if isinstance(value, str) and value.strip().casefold() not in MISSING]
    if not known or not all(WHOLE.fullmatch(value.strip()) for value in known):
        return values
    return tuple(value.replace(",", ".") if isinstance(value, str) else value for value in values)


def _text_value_error(column: TextColumn, condition: Condition) -> InputError:
    row, text = column.first(condition)
    needed = ONE_EACH if text.lstrip().startswith(SEVERAL) else "a column of numbers"
    return InputError(f"row {row:,}: {shown(column.name)} holds the text {shown(text)}", needed)


def _mixed_percent_error(column: TextColumn, plain: int) -> InputError:
    row, text = column.first({IS_PERCENT: True})
    other = None if plain else column.first({IS_PERCENT: False})
    beside = "plain numbers" if other is None else f"plain numbers ({shown(other[1])} in row {other[0]:,})"
    found = f"{shown(column.name)} holds percentages ({shown(text)} in row {row:,}) beside {beside}"
    return InputError(found, "the same notation in the whole column")


def _mixed_decimal_marks_error(column: TextColumn) -> InputError:
    pairs = [column.first({FITS[mark]: False}) for mark in (",", ".")]
    (first, point), (second, comma) = pairs
    found = f"{shown(column.name)} holds {shown(point)} in row {first:,} and {shown(comma)} in row {second:,}"
    return InputError(found, "one decimal mark in the whole column")


def _ambiguous_decimal_error(column: TextColumn, pattern: str) -> InputError:
    row, text = column.first({pattern: True})
    one, other = sorted({as_point_number(text, Written(mark)) for mark in (",", ".")}, key=float)
    found = f"row {row:,}: {shown(column.name)} holds {shown(text)}, which can be read as {one} or {other}"
    return InputError(found, "the decimal mark", {"decimal": ","})


def _wrong_decimal_mark_error(column: TextColumn, said: str, fits: Mapping[str, bool]) -> InputError:
    row, text = column.first({FITS[said]: False})
    other = "." if said == "," else ","
    found = (
        f"row {row:,}: {shown(column.name)} holds {shown(text)}, which is not a number with a decimal {CALLED[said]}"
    )
    return InputError(found, "the decimal mark", {"decimal": other} if fits[other] else None)


# Beyond these, squares of scores and shares of them leave the range of numbers.
SMALLEST_SCORE, LARGEST_SCORE = 1e-100, 1e100


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
        f"{shown(column)} holds numbers such as {shown(example)}, which are not classes",
        "predicted labels, or an option to use them as scores",
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
        also = f" ({counted(count, 'row')} of {loaded.rows:,} have a missing value)" if count > 1 else ""
        raise InputError(
            f"row {row + 1:,}: {shown(column)} is missing{also}", "a value in every row", {"missing": "drop"}
        )
    if count == loaded.rows - (0 if nobody is None else int(np.count_nonzero(nobody))):
        raise InputError(
            f"each of the {counted(count, 'row')} has a missing value ({listed(list(gaps))})",
            "at least one row with a true label and a prediction",
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
        raise InputError(
            fault.found, fault.needed, {**fault.options, **_ignore_suggestion(column, fault.needed, roles)}
        )
    if numbers.text is None:
        return
    row, text = numbers.text
    hint = "numbers with a decimal point, not a comma" if _has_decimal_comma(text) else "a column of numbers"
    hint = ONE_EACH if text.lstrip().startswith(SEVERAL) else hint
    raise InputError(
        f"row {row:,}: {shown(column)} holds the text {shown(text)}", hint, _ignore_suggestion(column, hint, roles)
    )


def notes_on_numbers(loaded: Loaded, roles: Roles) -> tuple[str, ...]:
    """How the numbers that are used were written, where that is to be said aloud."""
    used = {column: loaded.numbers[column] for column in roles.numbers if column in loaded.numbers}
    percent = [column for column, numbers in used.items() if numbers.percent]
    notes = ("decimal comma",) if any(numbers.mark == "," for numbers in used.values()) else ()
    return (*notes, f"percentages: {', '.join(percent)}") if percent else notes


def _ignore_suggestion(column: str, needed: str, roles: Roles) -> dict[str, str]:
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
            found = f"row {row + 1:,}: {shown(column)} is {values[row]:g}, which is too far from 0"
            what = (
                "amounts up to 1e100"
                if column == roles.used.get("amount")
                else "scores up to 1e100, some beyond 1e-100"
            )
            raise InputError(found, f"{what}; rescaling them does not change the ranking")
    for role in ("weight", "count"):
        if role in roles.used:
            _refuse_invalid_weights(roles.used[role], role, loaded, kept)


def refuse_missing_ids(loaded: Loaded, roles: Roles, kept: Mask | None, *, was_named: bool) -> None:
    """Refuse rows that have no id, whatever is done with other gaps: to show a row's name must change no number."""
    if loaded.ids is None:
        return
    lacking = loaded.ids == ""
    if kept is not None:
        lacking &= kept
    count, row, column = int(np.count_nonzero(lacking)), int(lacking.argmax()), roles.used["id"]
    if count:
        also = f" ({counted(count, 'row')} of {loaded.rows:,} have no id)" if count > 1 else ""
        way_out = {} if was_named else {"ignore": column}
        raise InputError(f"row {row + 1:,}: the id in {shown(column)} is missing{also}", "an id in every row", way_out)


def _refuse_invalid_weights(column: str, role: str, loaded: Loaded, kept: Mask | None) -> None:
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
