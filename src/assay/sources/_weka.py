"""The predictions that WEKA prints: its text with or without the distribution, and its CSV."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from assay.errors import InputError
from assay.request import Request
from assay.sources import _texts
from assay.sources._assemble import assemble
from assay.sources._columns import infer
from assay.sources._contents import of_lists
from assay.sources._formats import WEKA, Opened, damaged, reading
from assay.sources._loaded import Origin
from assay.sources._records import Reading
from assay.sources._wording import shown

__all__ = ["read"]

NUMBER = r"\*?[\d.]+(?:[eE][+-]?\d+)?"
# Instance number, true class, predicted class, a plus where they differ, probabilities, attributes in brackets.
LINE = re.compile(
    rf"\s*(\d+)\s+(\d+):(.*?)\s+(?:(\d+):(.*?)|\?)\s+(?:\+\s+)?({NUMBER}(?:,{NUMBER})*|\?)\s*(?:\(.*\))?\s*$"
)
CELLS = re.compile(r"\s*(\d+)([,\t])(\d+):(.*?)\2(?:(\d+):(.*?)|\?)\2\+?\2(.*)$")
NUMERIC = re.compile(r"\s*\d+[\s,]+(?:[\d.eE+-]+|\?)[\s,]+[\d.eE+-]+[\s,]+(?:[\d.eE+-]+|\?)")


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
        with io.TextIOWrapper(reading(file), "utf-8-sig", errors="replace") as text:
            printed = _printed(file, text)
    except (EOFError, OSError, zlib.error) as error:
        raise damaged(file.name) from error
    if not printed.truth:
        raise InputError(f"{shown(file.name)} holds WEKA's heading but no predictions", "at least one prediction")
    names = _class_names(printed)
    columns = _columns(printed, names)
    roles = infer(list(columns), request, of_lists(columns.__getitem__))
    loaded = _texts.load(columns, roles, {c: tuple(names.values()) for c in ("actual", "predicted")})
    return assemble(loaded, roles, request, Origin(file.name, "weka", file.sha256))


def _printed(file: Opened, lines: Iterable[str]) -> _Printed:
    printed, width, instance, inside = _Printed(), 0, 0, False
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\n\r")
        if WEKA.match(line.encode()):
            heading = re.split(r"[,\t]", line.strip())
            width = _cells_of_distribution(heading)
            printed.has_distribution |= "distribution" in line
            inside = True
            continue
        found = _case(line, width) if inside else None
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
        _note(printed, found)
    return printed


def _cells_of_distribution(heading: list[str]) -> int:
    """In its CSV the heading has an empty name for every class but the first; in the text, which has no cells, none."""
    if len(heading) < 5:
        return 0
    names = iter(heading[5:])
    return 1 + next((place for place, name in enumerate(names) if name), len(heading) - 5)


Case = tuple[int, int | None, str, int | None, str, list[str]]


def _case(line: str, width: int) -> Case | None:
    if width:
        cells = CELLS.match(line)
        if cells is None:
            return None
        instance, separator, true, true_name, predicted, name, rest = cells.groups()
        given = rest.split(separator)[:width]
    else:
        found = LINE.match(line)
        if found is None:
            return None
        instance, true, true_name, predicted, name, rest = found.groups()
        given = rest.split(",")
    is_known = true_name.strip() != "?"
    return int(instance), int(true) if is_known else None, true_name, int(predicted) if predicted else None, name, given


def _note(printed: _Printed, case: Case) -> None:
    _, true, true_name, predicted, name, given = case
    printed.truth.append(true)
    printed.predicted.append(predicted)
    printed.given.append([value.lstrip("*").strip() for value in given])
    # Only the true class is printed with quotes, and either may be cut short.
    if predicted is not None:
        printed.names[predicted] = name.strip()
    if true is not None:
        printed.names.setdefault(true, true_name.strip().strip("'"))


def _class_names(printed: _Printed) -> dict[int, str]:
    """The classes by their numbers; names that WEKA cut until they are alike keep the number before them."""
    width = max(map(len, printed.given)) if printed.has_distribution else 0
    names = {
        number: printed.names.get(number, f"class {number}") for number in range(1, max([width, *printed.names]) + 1)
    }
    alike = len(set(names.values())) < len(names)
    return {number: f"{number}:{name}" for number, name in names.items()} if alike else names


def _columns(printed: _Printed, names: dict[int, str]) -> dict[str, list[str | None]]:
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
            columns[f"proba_{name}"] = [_share(number, predicted, given[0]) for predicted, given in pairs]
    if printed.fold[-1] != "1":
        columns["fold"] = list(printed.fold)
    return columns


def _share(number: int, predicted: int | None, given: str) -> str | None:
    """The probability of one of two classes, where that of the predicted one is printed."""
    if predicted is None or given == "?":
        return None
    return given if number == predicted else str(1 - Decimal(given))
