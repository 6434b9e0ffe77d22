"""How the numbers in a column of text are written: a point or a comma before the decimals, thousands, percentages.

A column is looked at whole and read only where one reading is possible. The same questions are asked of columns that
the engine holds and of lists, so that the answer does not hang on the format a file has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.errors import InputError, OptionError
from assay.sources._labels import MISSING
from assay.sources._wording import shown

__all__ = [
    "FITS",
    "ONE_EACH",
    "SEVERAL",
    "Condition",
    "ListedTexts",
    "TextColumn",
    "Written",
    "as_point_number",
    "how_written",
    "no_texts",
    "whole_labels",
]

# How a text begins that holds the probabilities of all classes in one cell, as Spark writes them, and what is needed.
SEVERAL = ("[", "{", "(")
ONE_EACH = "one number in each row: a column of probabilities for each class"
BLANKS = " \u00a0\u202f"
QUOTES = "'\u2019"


def _pattern(mark: str, group: str) -> str:
    grouped = f"[1-9][0-9]{{0,2}}(?:[{group}{BLANKS}{QUOTES}][0-9]{{3}})+(?:[{mark}][0-9]*)?"
    plain = f"(?:[0-9]+[{mark}]?[0-9]*|[{mark}][0-9]+)"
    return f"[+-]?(?:(?:{grouped}|{plain})(?:[{BLANKS}]*%)?|{plain}[eE][+-]?[0-9]+)"


# What each decimal mark lets a number look like; both the engine and Python understand these expressions.
FITS = {".": _pattern(".", ","), ",": _pattern(",", ".")}
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
        return [_meets(value, condition) for value in self.values]

    def first(self, condition: Condition) -> tuple[int, str]:
        """The row (from 1) and the text that first meets a condition."""
        return next((row, value) for row, value in enumerate(self.values, 1) if _meets(value, condition))


def _meets(value: Any, condition: Condition) -> bool:
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
    row 1: 'p' holds '1,234', which may mean 1.234 or 1234; needed: the sign before the decimals; pass decimal=','
    """
    asked: list[Condition] = [{}, {IS_PERCENT: True}, {FITS["."]: True}, {FITS[","]: True}]
    known, percent, *fitting = column.counts([*asked, {HAS_COMMA: True}, {HAS_POINT: True}, NEITHER])
    point, comma, commas, points, neither = fitting
    if neither:
        return _no_number(column, NEITHER)
    if percent and percent < known + plain:
        return _mixed_percent(column, plain)
    fits = {".": point == known, ",": comma == known}
    if said is not None:
        return Written(said, percent > 0) if fits[said] else _not_as_said(column, said, fits)
    if fits["."] and fits[","] and (commas or (beside_commas and points)):
        return _ambiguous(column, HAS_COMMA if commas else HAS_POINT)
    if not (fits["."] or fits[","]):
        return _mixed_marks(column)
    return Written("." if fits["."] else ",", percent > 0)


def no_texts() -> OptionError:
    """What to say where a decimal sign is named and no number is text."""
    found = "decimal is given, and the file holds no numbers in text"
    return OptionError(found, "it left out: decimal changes nothing there", about="decimal")


def whole_labels(values: Sequence[Any]) -> Sequence[Any]:
    """Labels that are all whole numbers with a decimal comma, as they would be with a point.

    >>> whole_labels(("0,0", "1,0")), whole_labels(("1,2", "1,0"))
    (('0.0', '1.0'), ('1,2', '1,0'))
    """
    known = [value for value in values if isinstance(value, str) and value.strip().casefold() not in MISSING]
    if not known or not all(WHOLE.fullmatch(value.strip()) for value in known):
        return values
    return tuple(value.replace(",", ".") if isinstance(value, str) else value for value in values)


def _no_number(column: TextColumn, condition: Condition) -> InputError:
    row, text = column.first(condition)
    needed = ONE_EACH if text.lstrip().startswith(SEVERAL) else "a column of numbers"
    return InputError(f"row {row:,}: {shown(column.name)} holds the text {shown(text)}", needed)


def _mixed_percent(column: TextColumn, plain: int) -> InputError:
    row, text = column.first({IS_PERCENT: True})
    other = None if plain else column.first({IS_PERCENT: False})
    beside = "plain numbers" if other is None else f"plain numbers ({shown(other[1])} in row {other[0]:,})"
    found = f"{shown(column.name)} holds percentages ({shown(text)} in row {row:,}) beside {beside}"
    return InputError(found, "either in the whole column")


def _mixed_marks(column: TextColumn) -> InputError:
    pairs = [column.first({FITS[mark]: False}) for mark in (",", ".")]
    (first, point), (second, comma) = pairs
    found = f"{shown(column.name)} holds {shown(point)} in row {first:,} and {shown(comma)} in row {second:,}"
    return InputError(found, "one sign before the decimals in the whole column")


def _ambiguous(column: TextColumn, pattern: str) -> InputError:
    row, text = column.first({pattern: True})
    one, other = sorted({as_point_number(text, Written(mark)) for mark in (",", ".")}, key=float)
    found = f"row {row:,}: {shown(column.name)} holds {shown(text)}, which may mean {one} or {other}"
    return InputError(found, "the sign before the decimals", {"decimal": ","})


def _not_as_said(column: TextColumn, said: str, fits: Mapping[str, bool]) -> InputError:
    row, text = column.first({FITS[said]: False})
    other = "." if said == "," else ","
    found = f"row {row:,}: {shown(column.name)} holds {shown(text)}, which is no number with a decimal {CALLED[said]}"
    return InputError(found, "the sign that stands before the decimals", {"decimal": other} if fits[other] else None)
