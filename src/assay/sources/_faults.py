"""What is wrong with a text file that the engine could not read: found by looking again, line by line.

This runs only after a failure, so that it may take its time; the engine's own words never reach the user.
"""

from __future__ import annotations

import csv
import io
import json
from itertools import islice
from typing import IO

from assay.errors import InputError
from assay.results import counted
from assay.sources._decoded import not_utf8
from assay.sources._formats import Opened, reading
from assay.sources._tables import layout
from assay.sources._unpacked import DAMAGED, damaged
from assay.sources._wording import shown

__all__ = ["LONGEST_LINE", "fault"]

LONGEST_LINE = 2_000_000


def fault(file: Opened) -> InputError | None:
    """The first fault in a file, or nothing where none can be found."""
    try:
        if file.format == "parquet":
            return _fault_in_parquet(file)
        return _fault_in_bytes(file) or (_fault_in_json(file) if file.format == "jsonl" else _fault_in_table(file))
    except DAMAGED:
        return damaged(file.name)


def _fault_in_parquet(file: Opened) -> InputError:
    with file.path.open("rb") as stream:
        stream.seek(-4, io.SEEK_END)
        whole = stream.read() == b"PAR1"
    how = "is damaged" if whole else "is cut short: its end is missing"
    return InputError(f"{shown(file.name)} is a Parquet file that {how}", "the whole file")


def _fault_in_bytes(file: Opened) -> InputError | None:
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


def _fault_in_table(file: Opened) -> InputError | None:
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
                    needed = "as many of one as of the other"
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


def _fault_in_json(file: Opened) -> InputError | None:
    with io.TextIOWrapper(reading(file), "utf-8-sig") as lines:
        if file.head.lstrip().startswith(b"["):
            return _fault_in_array(file, lines)
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


def _fault_in_array(file: Opened, text: IO[str]) -> InputError | None:
    try:
        json.load(text)
    except json.JSONDecodeError as error:
        return InputError(f"line {error.lineno:,} of {shown(file.name)} is not valid JSON", "an array of JSON objects")
    except RecursionError:
        return InputError(f"{shown(file.name)} is nested too deeply", "an array of JSON objects")
    return None
