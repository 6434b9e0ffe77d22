"""The predictions that WEKA prints: its text with or without the distribution, and its CSV."""

from __future__ import annotations

import io
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from itertools import islice

from assay.errors import InputError, OptionError
from assay.request import Request
from assay.sources.assembly import assemble
from assay.sources.column_data import Origin
from assay.sources.column_inference import infer
from assay.sources.column_roles import of_lists
from assay.sources.formats import delimited
from assay.sources.formats.compression import DAMAGED, damaged
from assay.sources.formats.detection import WEKA, Opened, reading
from assay.sources.formats.encodings import not_utf8
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

__all__ = ["read"]

# Numbers longer than these are no numbers of an instance or a class.
CASE = re.compile(r"\s*(\d{1,15})\s+(\d{1,6}):")
CELLS = re.compile(r"\s*(\d{1,15})([,\t])(\d{1,6}):")
NUMBER = r"\*?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,3}+)?"
# Where the predicted class may begin, and what stands behind it: a plus where they differ, then probabilities. Every
# run of blanks is looked at once, from its beginning: a line is read in the time that its length takes.
PREDICTED = re.compile(r"(?<!\s)\s+(?:(\d{1,6}):|\?(?=\s))")
GIVEN = re.compile(rf"(?<!\s)\s+(?:\+\s+)?((?>{NUMBER}(?:,{NUMBER})*+)|\?)\s*(?=\(|$)")
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*(?:'|$)|\"[^\"]*(?:\"|$)")
NUMERIC = re.compile(r"\s*\d+[\s,]+(?:[\d.eE+-]+|\?)[\s,]+[\d.eE+-]+[\s,]+(?:[\d.eE+-]+|\?)")
# More parts than these are not tried to be put together to numbers.
MOST_PARTS = 200


@dataclass
class _Printed:
    """What was printed, case by case; classes are numbered from 1."""

    truth: list[int | None] = field(default_factory=list)
    predicted: list[int | None] = field(default_factory=list)
    given: list[list[str]] = field(default_factory=list)
    fold: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    has_distribution: bool = False


def read(file: Opened, request: Request) -> Reading:
    """The predictions in WEKA's output; instance numbers that start again begin another fold."""
    try:
        with io.TextIOWrapper(reading(file), "utf-8-sig") as text:
            printed = _parse_weka_output(file, text)
    except UnicodeDecodeError as error:
        with reading(file) as stream:
            raise not_utf8(stream, shown(file.name)) from error
    except DAMAGED as error:
        raise damaged(file.name) from error
    if not printed.truth:
        raise InputError(f"{shown(file.name)} holds WEKA's heading but no predictions", "at least one prediction")
    has_commas = _join_decimal_commas(file, printed)
    if request.decimal is not None and (request.decimal == ",") != has_commas:
        found = (
            f"decimal is {request.decimal!r}, and {shown(file.name)} has decimal {'commas' if has_commas else 'points'}"
        )
        raise OptionError(found, "it left out", about="decimal")
    names = _class_names_by_number(printed)
    columns = _prediction_columns(printed, names)
    roles = infer(list(columns), request, of_lists(columns.__getitem__))
    loaded = delimited.load(columns, roles, {c: tuple(names.values()) for c in ("actual", "predicted")})
    notes = (*file.notes, "decimal comma") if has_commas else file.notes
    return assemble(loaded, roles, request, Origin(file.name, "weka", file.sha256, notes))


def _parse_weka_output(file: Opened, lines: Iterable[str]) -> _Printed:
    printed, width, more, instance, inside = _Printed(), 0, 0, 0, False
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n\r")
        if WEKA.match(line.encode()):
            heading = re.split(r"[,\t]", line.strip(" "))  # a tab at the end is an empty name
            width = _distribution_width(heading)
            more = len(heading) - 4 - width
            printed.has_distribution |= "distribution" in line
            inside = True
            continue
        found = _parse_case(line, width, more) if inside else None
        if found is None:
            if inside and NUMERIC.match(line):
                raise InputError(f"{shown(file.name)} holds predictions of numbers", "predictions of classes")
            if inside and re.match(r"\s*\d+[\s,]+\d+:", line):
                raise InputError(
                    f"line {number:,} of {shown(file.name)} is not as WEKA prints a prediction: {shown(line.strip())}",
                    "the output as WEKA printed it",
                )
            continue
        again = bool(printed.fold) and found[0] <= instance
        instance = found[0]
        printed.fold.append(str(int(printed.fold[-1]) + again if printed.fold else 1))
        _add_case(printed, found)
    return printed


def _distribution_width(heading: list[str]) -> int:
    """In its CSV the heading has an empty name for every class but the first; in the text, which has no cells, none."""
    if len(heading) < 5:
        return 0
    names = iter(heading[5:])
    return 1 + next((place for place, name in enumerate(names) if name), len(heading) - 5)


Case = tuple[int, int | None, str, int | None, str, list[str]]


def _parse_case(line: str, width: int, more: int) -> Case | None:
    """One line; `width` cells of numbers and `more` of attributes follow the labels, in its CSV."""
    found = _parse_csv_case(line, width, more) if width else _parse_text_case(line)
    if found is None:
        return None
    instance, true, true_name, predicted, name, given = found
    is_known = true_name.strip() != "?"
    return int(instance), int(true) if is_known else None, true_name, int(predicted) if predicted else None, name, given


Labels = tuple[str, str, str, str | None, str, list[str]]


def _parse_text_case(line: str) -> Labels | None:
    """Instance number, true class, predicted class, probabilities; attributes may follow in brackets."""
    line = line.rstrip()
    start = CASE.match(line)
    if start is None:
        return None
    ends = [found for found in GIVEN.finditer(line, start.end()) if found.end() == len(line) or line.endswith(")")]
    places = [end.start() for end in ends]
    for found in PREDICTED.finditer(line, start.end()):
        # Of several ends the first behind the label; a label that is unknown is followed by it at once.
        behind = bisect_left(places, found.end())
        if behind == len(ends):
            return None
        if found.group(1) or places[behind] == found.end():
            true_name, name = line[start.end() : found.start()], line[found.end() : places[behind]]
            return start[1], start[2], true_name, found.group(1), name, ends[behind].group(1).split(",")
    return None


def _parse_csv_case(line: str, width: int, more: int) -> Labels | None:
    """The same from a line of its CSV."""
    start = CELLS.match(line)
    if start is None:
        return None
    separator = start[2]
    found = re.compile(rf"{separator}(?:(\d{{1,6}}):|\?(?={separator}\+?{separator}))").search(line, start.end())
    end = found and re.compile(rf"{separator}\+?{separator}").search(line, found.end())
    if found is None or end is None:
        return None
    rest = line[end.end() :]
    # Decimal commas make more cells than there are names; with attributes behind them nobody could tell which.
    if more and len(QUOTED.sub("", rest).split(separator)) != width + more:
        return None
    given = rest.split(separator)
    kept = given[:width] if more or separator == "\t" else given
    true_name, name = line[start.end() : found.start()], line[found.end() : end.start()]
    return start[1], start[3], true_name, found.group(1), name, kept


def _add_case(printed: _Printed, case: Case) -> None:
    _, true, true_name, predicted, name, given = case
    printed.truth.append(true)
    printed.predicted.append(predicted)
    printed.given.append([value.strip() for value in given])
    # Only the true class is printed with quotes, and either may be cut short.
    if predicted is not None:
        printed.names[predicted] = name.strip()
    if true is not None:
        printed.names.setdefault(true, true_name.strip().strip("'"))


def _is_complete_probability(text: str) -> bool:
    """Whether a text is all of a probability, and not the half of one that a decimal comma cuts off."""
    return "." in text or text.strip().lstrip("*") in ("0", "1", "?")


def _join_decimal_commas(file: Opened, printed: _Printed) -> bool:
    """Put each row's numbers together where a comma stands before their decimals; whether there are such."""
    is_cut = not any("." in value for given in printed.given for value in given)
    is_cut = is_cut and not all(_is_complete_probability(value) for given in printed.given for value in given)
    if is_cut:
        printed.given[:] = [[text.replace(",", ".") for text in row] for row in _joined_probabilities(file, printed)]
    printed.given[:] = [[value.lstrip("*") for value in given] for given in printed.given]
    return is_cut


def _joined_probabilities(file: Opened, printed: _Printed) -> list[list[str]]:
    """Each row's numbers, from parts that commas separate and decimals are; a row must have one reading alone."""
    if any("," in value for given in printed.given for value in given):
        return printed.given  # cells that tabs keep apart
    least = max([*printed.names, 2]) if printed.has_distribution else 1
    most = max(map(len, printed.given)) if printed.has_distribution else 1
    for width in range(least, max(least, min(most, MOST_PARTS)) + 1):
        found = [_possible_probabilities(given, width) for given in printed.given]
        if all(found):
            break
    case = next((case for case, readings in enumerate(found, 1) if len(readings) != 1), None)
    if case is not None:
        raise InputError(
            f"case {case:,} of {shown(file.name)} cannot be split into probabilities: "
            f"{shown(','.join(printed.given[case - 1]))}",
            "WEKA's output with decimal points (java -Duser.language=en), or its CSV with tabs",
        )
    return [reading for (reading,) in found]


def _possible_probabilities(parts: Sequence[str], width: int) -> list[list[str]]:
    """The ways, two at most, to make so many probabilities of the parts; several sum to 1, as far as printed."""
    if "?" in parts:
        return [list(parts)]
    if len(parts) > MOST_PARTS:
        return []
    most = 1 + Decimal("0.0006") * width
    least = 2 - most

    @cache
    def from_here(place: int, left: int, total: Decimal) -> tuple[tuple[str, ...], ...]:
        if place == len(parts):
            return ((),) if left == 0 and (width == 1 or least <= total) else ()
        if not left <= len(parts) - place <= 2 * left or (width > 1 and total > most):
            return ()
        ways = (
            (text, *others)
            for text, size in _possible_first_numbers(parts, place)
            for others in from_here(place + size, left - 1, total + _parse_decimal(text))
        )
        return tuple(islice(ways, 2))

    return [
        list(found)
        for found in from_here(0, width, Decimal(0))
        if width == 1 or sum(map(_parse_decimal, found)) <= most
    ]


def _possible_first_numbers(parts: Sequence[str], place: int) -> Iterator[tuple[str, int]]:
    """The numbers that may begin at a part, each with how many parts it takes."""
    first = parts[place]
    if first.lstrip("*") in ("0", "1"):
        yield first, 1
    if first.lstrip("*") == "0" and place + 1 < len(parts) and parts[place + 1].isdecimal():
        yield f"{first},{parts[place + 1]}", 2


def _parse_decimal(text: str) -> Decimal:
    return Decimal(text.lstrip("*").replace(",", "."))


def _class_names_by_number(printed: _Printed) -> dict[int, str]:
    """The classes by their numbers; names that WEKA cut until they are alike keep the number before them."""
    width = max(map(len, printed.given)) if printed.has_distribution else 0
    names = {
        number: printed.names.get(number, f"class {number}") for number in range(1, max([width, *printed.names]) + 1)
    }
    alike = len(set(names.values())) < len(names)
    return {number: f"{number}:{name}" for number, name in names.items()} if alike else names


def _prediction_columns(printed: _Printed, names: dict[int, str]) -> dict[str, list[str | None]]:
    columns: dict[str, list[str | None]] = {
        "actual": [None if number is None else names[number] for number in printed.truth],
        "predicted": [None if number is None else names[number] for number in printed.predicted],
    }
    if printed.has_distribution:
        for number, name in names.items():
            columns[f"proba_{name}"] = [row[number - 1] if number <= len(row) else None for row in printed.given]
    elif len(names) == 2:
        for number, name in names.items():
            pairs = zip(printed.predicted, printed.given, strict=True)
            columns[f"proba_{name}"] = [_class_probability(number, predicted, given[0]) for predicted, given in pairs]
    if printed.fold[-1] != "1":
        columns["fold"] = list(printed.fold)
    return columns


def _class_probability(number: int, predicted: int | None, given: str) -> str | None:
    """The probability of one of two classes, where that of the predicted one is printed."""
    if predicted is None or given == "?":
        return None
    try:
        return given if number == predicted else str(1 - Decimal(given))
    except ArithmeticError:  # no number: whoever reads the column says so
        return given
