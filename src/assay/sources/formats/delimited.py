"""The first lines of a table in text: what stands above the column names, what separates values, the names.

What is wrong with a text file that the engine could not read: found by looking again, line by line.

This runs only after a failure, so that it may take its time; the engine's own words never reach the user.

Columns that a reader of our own has as lists, made into what predictions are assembled from.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import IO, Any

import numpy as np

from assay.errors import InputError
from assay.results import counted
from assay.sources.column_data import Loaded, repeated
from assay.sources.column_roles import Roles
from assay.sources.column_values import FITS, ListedTexts, Written, how_written, no_texts, whole_labels
from assay.sources.formats.compression import CHUNK, DAMAGED, damaged
from assay.sources.formats.detection import Opened, reading
from assay.sources.formats.encodings import not_utf8
from assay.sources.labels import Coded, Numbers, code_objects, id_texts, label_name, number_objects
from assay.sources.quoting import shown

__all__ = ["LONGEST_LINE", "Layout", "column_names", "fault", "layout", "load"]


DELIMITERS = (",", "\t", ";", "|")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)?")
SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # what Excel writes and reads above a table


@dataclass(frozen=True)
class Layout:
    """How a table in text is laid out: how many lines to pass over before that of the names, and what it holds."""

    names: tuple[str, ...]
    delimiter: str
    skipped: int = 0
    comments: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return (f"without {counted(self.comments, 'comment line')} above",) if self.comments else ()


@lru_cache(maxsize=8)
def layout(file: Opened) -> Layout:
    """The layout of a text file that holds a table."""
    text = file.head.decode("utf-8-sig", "surrogateescape")
    above, separator, comments = _lines_above_header(text)
    place, skipped = sum(map(len, above)), len(above)
    # numpy.savetxt writes the names as a comment; so do some tools that call their first column '#'.
    if comments and _is_commented_header(above[-1], LINE.match(text, place)):
        place, skipped, comments = place - len(above[-1]), skipped - 1, comments - 1
    heading = text[place:]
    if skipped < len(above):
        heading = heading[1:]
    if len(file.head) == CHUNK and "\n" not in heading and "\r" not in heading:
        raise InputError(f"line 1 of {shown(file.name)} is longer than 1 MB", "a line of column names first")
    delimiter = separator or _guess_delimiter(_first_line(heading), is_tsv=file.format == "tsv")
    if delimiter == " " and "  " in _first_line(heading).strip():
        found = f"line {skipped + 1:,} of {shown(file.name)} has runs of blanks between names"
        raise InputError(found, "one blank, comma, semicolon or tab between values")
    return Layout(_parse_column_names(file, heading, delimiter, skipped + 1), delimiter, skipped, comments)


def column_names(cells: Sequence[str]) -> tuple[str, ...]:
    """Names without blanks around them; one that is blank is called by its place, unless nothing follows it.

    >>> column_names(["", " y_true ", "score", ""])
    ('column 1', 'y_true', 'score', '')
    """
    names = [cell.strip() for cell in cells]
    last = max((place for place, name in enumerate(names) if name), default=-1)
    return tuple(name or (f"column {place + 1}" if place < last else "") for place, name in enumerate(names))


def is_number(text: str) -> bool:
    """Whether a text is a number, however it is written."""
    return any(re.fullmatch(pattern, text.strip()) for pattern in FITS.values())


def _lines_above_header(text: str) -> tuple[list[str], str | None, int]:
    """The lines above the names: Excel's separator, comments and blank lines below them."""
    lines: list[str] = []
    separator, comments, place = None, 0, 0
    while found := LINE.match(text, place):
        line = found.group()
        said = SEPARATOR.fullmatch(line) if not lines else None
        if said:
            separator = said.group(1)
        elif line.startswith("#"):
            comments += 1
        elif not (comments and line and not line.strip()):
            break
        lines.append(line)
        place = found.end()
    return lines, separator, comments


def _is_commented_header(comment: str, below: re.Match[str] | None) -> bool:
    if not comment.startswith("#") or below is None:
        return False
    delimiter = _guess_delimiter(comment[1:].strip(), is_tsv=False)
    names, first = (_split_cells(line.strip(), delimiter) for line in (comment[1:], below.group()))
    return len(names) == len(first) > 1 and any(map(is_number, first)) and not all(map(is_number, names))


def _first_line(text: str) -> str:
    found = LINE.match(text)
    return found.group().rstrip("\r\n") if found else ""


def _guess_delimiter(line: str, *, is_tsv: bool) -> str:
    """What separates the names; a blank only where nothing else could, since names may hold blanks."""
    outside = "".join(line.strip(" ").split('"')[::2])
    if is_tsv and "\t" in outside:
        return "\t"
    found = max(DELIMITERS, key=outside.count)
    return found if found in outside or " " not in outside else " "


def _split_cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=delimiter), [])
    except csv.Error:
        return []


def _parse_column_names(file: Opened, heading: str, delimiter: str, number: int) -> tuple[str, ...]:
    where = f"line {number:,} of {shown(file.name)}"
    try:
        cells = next(csv.reader(io.StringIO(heading.lstrip(" "), newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{where} is no list of column names", "a line of column names first") from error
    if any("\udc80" <= character <= "\udcff" for cell in cells for character in cell):
        with file.path.open("rb") as stream:
            raise not_utf8(stream, where)
    if not any(cell.strip() for cell in cells):
        raise InputError(f"{where} is blank", "a line of column names first")
    if all(is_number(cell) for cell in cells):
        raise InputError(
            f"{where} holds numbers, not column names", "a line of column names first, such as y_true,score"
        )
    return column_names(cells)


LONGEST_LINE = 2_000_000


def fault(file: Opened) -> InputError | None:
    """The first fault in a file, or nothing where none can be found."""
    try:
        if file.format == "parquet":
            return _parquet_error(file)
        return _encoding_error(file) or (_json_lines_error(file) if file.format == "jsonl" else _row_length_error(file))
    except DAMAGED:
        return damaged(file.name)


def _parquet_error(file: Opened) -> InputError:
    with file.path.open("rb") as stream:
        stream.seek(-4, io.SEEK_END)
        whole = stream.read() == b"PAR1"
    how = "is damaged" if whole else "is cut short: its end is missing"
    return InputError(f"{shown(file.name)} is a Parquet file that {how}", "the whole file")


def _encoding_error(file: Opened) -> InputError | None:
    with reading(file) as stream:
        for number, line in enumerate(stream, 1):
            if len(line) > LONGEST_LINE and file.format != "jsonl":
                found = f"line {number:,} of {shown(file.name)} is {len(line) / 1e6:,.1f} MB long"
                return InputError(found, "one row on each line (is a quote or a line end missing?)")
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = f"0x{line[error.start]:02x}"
                with reading(file) as again:
                    return not_utf8(again, f"line {number:,} of {shown(file.name)} (byte {byte})")
    return None


def _row_length_error(file: Opened) -> InputError | None:
    found = layout(file)
    columns = len(found.names)
    with io.TextIOWrapper(reading(file), "utf-8-sig", newline="") as text:
        for _ in islice(text, found.skipped):
            pass
        rows = csv.reader(text, delimiter=found.delimiter, strict=True)
        line = start = found.skipped + 1
        try:
            for row in rows:
                # A delimiter at the end of a line is read as if it were not there.
                if row and len(row) != columns and not (len(row) == columns + 1 and row[-1] == ""):
                    held = f"line {line:,} of {shown(file.name)} holds {counted(len(row), 'value')}"
                    needed = "as many values as column names"
                    if found.delimiter == "," and len(row) > columns:
                        needed += " (decimal commas take quotes, or semicolons between values)"
                    return InputError(f"{held} under {counted(columns, 'column name')}", needed)
                line = rows.line_num + start
        except csv.Error:
            return InputError(
                f"line {line:,} of {shown(file.name)} has a quote that is not closed",
                'quotes in pairs, and "" for a quote inside a value',
            )
    return None


def _json_lines_error(file: Opened) -> InputError | None:
    with io.TextIOWrapper(reading(file), "utf-8-sig") as lines:
        if file.head.lstrip().startswith(b"["):
            return _json_array_error(file, lines)
        for number, line in enumerate(lines, 1):
            try:
                is_object = not line.strip() or isinstance(json.loads(line), dict)
            except (ValueError, RecursionError):
                found = f"line {number:,} of {shown(file.name)} is not valid JSON: {shown(line.strip())}"
                return InputError(found, "one JSON object on each line")
            if not is_object:
                found = f"line {number:,} of {shown(file.name)} is no JSON object"
                return InputError(found, "one JSON object on each line")
    return None


def _json_array_error(file: Opened, text: IO[str]) -> InputError | None:
    try:
        json.load(text)
    except json.JSONDecodeError as error:
        return InputError(f"line {error.lineno:,} of {shown(file.name)} is not valid JSON", "an array of JSON objects")
    except RecursionError:
        return InputError(f"{shown(file.name)} is nested too deeply", "an array of JSON objects")
    return None


def load(
    columns: Mapping[str, Sequence[Any]],
    roles: Roles,
    declared: Mapping[str, Sequence[str]] | None = None,
    *,
    decimal: str | None = None,
) -> Loaded:
    """The columns that play a role; `declared` are the names that a column may hold, in their order, for some columns.

    >>> from assay.sources.column_inference import infer
    >>> from assay.request import Request
    >>> columns = {"class": ["no", "yes", "?"], "p": ["0.1", "0.8", "0.6"]}
    >>> loaded = load(columns, infer(list(columns), Request()))
    >>> loaded.labels["class"].codes, loaded.numbers["p"].values
    (array([0, 1, 2], dtype=int8), array([0.1, 0.8, 0.6]))
    """
    declared = declared or {}
    classes = [label_name(name) or name for name in declared.get(roles.truth, ())]
    ids = columns[roles.id] if roles.id is not None else ()
    models = columns[roles.model] if roles.model is not None else [None] * len(columns[roles.truth])
    return Loaded(
        len(columns[roles.truth]),
        {c: replace(_code_json_labels(columns[c]), literal=c in declared) for c in roles.labels},
        _parse_number_columns({column: columns[column] for column in roles.numbers}, decimal),
        {column: code_objects(columns[column], most=None) for column in roles.keys},
        repeats={
            column: repeated(
                [None if key is None else (key, m) for key, m in zip(columns[column], models, strict=True)]
            )
            for column in roles.telling
        },
        declared=tuple(dict.fromkeys(classes)),
        ids=id_texts(ids) if "id" in roles.used else None,
    )


def _code_json_labels(values: Sequence[Any]) -> Coded:
    coded = code_objects(values)
    return replace(coded, values=tuple(whole_labels(coded.values)))


def _parse_number_columns(columns: Mapping[str, Sequence[Any]], decimal: str | None) -> dict[str, Numbers]:
    """Numbers and texts that are some; texts are looked at whole only where one is no plain number."""
    if decimal is not None:
        texts = {column: values for column, values in columns.items() if any(isinstance(v, str) for v in values)}
        if not texts:
            raise no_texts()
        return {
            column: _parse_written_numbers(column, values, how_written(ListedTexts(column, values), decimal))
            if column in texts
            else number_objects(values, column)
            for column, values in columns.items()
        }
    found = {column: number_objects(values, column, parse=True) for column, values in columns.items()}
    odd = [column for column, numbers in found.items() if numbers.text is not None]
    how = {column: _number_format(column, columns[column]) for column in odd}
    if any(isinstance(written, Written) and written.mark == "," for written in how.values()):
        how |= {c: _number_format(c, values, beside_commas=True) for c, values in columns.items() if c not in odd}
    return found | {column: _parse_written_numbers(column, columns[column], written) for column, written in how.items()}


def _number_format(column: str, values: Sequence[Any], *, beside_commas: bool = False) -> Written | InputError:
    plain = sum(1 for value in values if isinstance(value, int | float) and value == value)
    return how_written(ListedTexts(column, values), beside_commas=beside_commas, plain=plain)


def _parse_written_numbers(column: str, values: Sequence[Any], written: Written | InputError) -> Numbers:
    if not isinstance(written, Written):
        return Numbers(np.full(len(values), np.nan), fault=written)
    is_number = ListedTexts(column, values).meets({FITS[written.mark]: True})
    plain = [written.number(value) if fits else value for value, fits in zip(values, is_number, strict=True)]
    return replace(number_objects(plain, column), mark=written.mark, percent=written.percent)
