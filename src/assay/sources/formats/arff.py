"""ARFF, WEKA's own table format: dense rows under declared attributes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from assay.errors import InputError
from assay.request import Request
from assay.results import counted
from assay.sources.assembly import assemble
from assay.sources.column_data import Origin
from assay.sources.column_inference import infer
from assay.sources.column_roles import of_lists
from assay.sources.formats import delimited
from assay.sources.formats.compression import DAMAGED, damaged
from assay.sources.formats.detection import Opened, reading
from assay.sources.formats.encodings import not_utf8
from assay.sources.quoting import shown
from assay.sources.source_record import Reading

__all__ = ["columns", "read"]

# A quote that nothing closes takes the rest of the line: looking for its end again and again would take forever.
TOKEN = re.compile(r"""'((?:[^'\\]|\\.)*)(?:'|$)|"((?:[^"\\]|\\.)*)(?:"|$)|([^\s,'"{}][^\s,{}]*)""")
ATTRIBUTE = re.compile(r"@attribute\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|(\S+))\s*(.*)", re.IGNORECASE)
TYPES = ("numeric", "real", "integer", "string", "date")
WEIGHT = "weight"


@dataclass
class _Header:
    """The attributes in their order; the values of those that are nominal."""

    names: list[str] = field(default_factory=list)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)


def read(file: Opened, request: Request) -> Reading:
    """The predictions in an ARFF file; the declaration of the truth gives its classes and their order."""
    with _open_arff(file) as (header, lines):
        return _read_arff_rows(file, request, header, lines)


def columns(file: Opened) -> dict[str, list[str | None]]:
    """Every attribute as it is written, whatever its type, with None where a value is missing."""
    with _open_arff(file) as (header, lines):
        rows, _ = _parse_rows(file, lines, len(header.names))
    return {name: [row[place] for row in rows] for place, name in enumerate(header.names)}


@contextmanager
def _open_arff(file: Opened) -> Iterator[tuple[_Header, Iterator[tuple[int, str]]]]:
    """What a file declares, and the lines of its rows."""
    try:
        with io.TextIOWrapper(reading(file), "utf-8-sig") as text:
            lines = _content_lines(text)
            yield _parse_header(file, lines), lines
    except UnicodeDecodeError as error:
        with reading(file) as stream:
            raise not_utf8(stream, shown(file.name)) from error
    except DAMAGED as error:
        raise damaged(file.name) from error


def _read_arff_rows(file: Opened, request: Request, header: _Header, lines: Iterator[tuple[int, str]]) -> Reading:
    names = header.names
    rows, weights = _parse_rows(file, lines, len(names))
    has_weights = WEIGHT not in names and any(weight is not None for weight in weights)

    def held(name: str) -> list[str | None]:
        return [weight or "1" for weight in weights] if name not in names else [row[names.index(name)] for row in rows]

    roles = infer([*names, WEIGHT] if has_weights else names, request, of_lists(held))
    columns = {name: held(name) for name in roles.columns}
    for column in roles.labels:
        _refuse_undeclared_values(file, column, header, columns[column])
    loaded = delimited.load(columns, roles, header.values, decimal=request.decimal)
    return assemble(loaded, roles, request, Origin(file.name, "arff", file.sha256, file.notes))


def _content_lines(lines: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith("%"):
            yield number, line


def _parse_header(file: Opened, lines: Iterator[tuple[int, str]]) -> _Header:
    header = _Header()
    for number, line in lines:
        keyword = line.split(None, 1)[0].casefold()
        if keyword == "@data":
            if not header.names:
                raise InputError(f"{shown(file.name)} declares no attributes", "@attribute lines before @data")
            return header
        if keyword == "@attribute":
            _parse_attribute(file, number, line, header)
        elif keyword != "@relation":
            raise InputError(
                f"line {number:,} of {shown(file.name)} is no declaration: {shown(line)}",
                "@attribute lines, then @data",
            )
    raise InputError(f"{shown(file.name)} has no @data", "rows after a line @data")


def _parse_attribute(file: Opened, number: int, line: str, header: _Header) -> None:
    found = ATTRIBUTE.match(line)
    kind = found.group(4).strip() if found else ""
    if found and kind.startswith("{") and kind.endswith("}"):
        values = tuple(value or "" for value in _split_values(kind[1:-1]))
    elif found and kind and kind.split(None, 1)[0].casefold() in TYPES:
        values = ()
    else:
        raise InputError(
            f"line {number:,} of {shown(file.name)} declares no attribute that can be read: {shown(line)}",
            "@attribute NAME and numeric, string or {nominal, values}",
        )
    name = next(_unescape_text(part) for part in found.groups()[:3] if part is not None)
    header.names.append(name)
    if values:
        header.values[name] = values


def _parse_rows(
    file: Opened, lines: Iterator[tuple[int, str]], width: int
) -> tuple[list[Sequence[str | None]], list[str | None]]:
    rows: list[Sequence[str | None]] = []
    weights: list[str | None] = []
    for number, line in lines:
        if line.startswith("{"):
            raise InputError(
                f"line {number:,} of {shown(file.name)} is a sparse row", "rows with a value for each attribute"
            )
        line, weight = _split_row_weight(line)
        row = _split_values(line)
        if len(row) != width:
            found = f"line {number:,} of {shown(file.name)} holds {counted(len(row), 'value')}"
            raise InputError(f"{found} under {counted(width, 'attribute')}", "one value for each attribute")
        rows.append(row)
        weights.append(weight)
    return rows, weights


def _split_row_weight(line: str) -> tuple[str, str | None]:
    """A row without the weight in braces that may follow it, and that weight.

    >>> _split_row_weight("a, 0.5, {3}"), _split_row_weight("a, 0.5")
    (('a, 0.5', '3'), ('a, 0.5', None))
    """
    before, brace, inside = line.rpartition("{")
    if not (brace and line.endswith("}")) or "}" in inside[:-1]:
        return line, None
    return before.rstrip(", \t"), inside[:-1].strip()


def _split_values(line: str) -> list[str | None]:
    """The values in a line; a bare question mark is missing."""
    if "'" not in line and '"' not in line:
        plain = line.replace(",", " ").split()
        return [None if value == "?" else value for value in plain]
    found = []
    for single, double, bare in TOKEN.findall(line):
        found.append(None if bare == "?" else bare or _unescape_text(single or double))
    return found


def _unescape_text(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _refuse_undeclared_values(file: Opened, column: str, header: _Header, values: Sequence[str | None]) -> None:
    declared = header.values.get(column)
    strange = None if declared is None else next((v for v in values if v is not None and v not in declared), None)
    if strange is not None:
        row = values.index(strange) + 1
        raise InputError(
            f"row {row:,} of {shown(file.name)}: {shown(column)} holds {shown(strange)}, which is not declared",
            "one of the values in its @attribute line",
        )
