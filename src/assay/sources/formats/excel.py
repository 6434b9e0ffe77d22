"""Excel workbooks, read through calamine where it is installed."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.results import counted
from assay.sources.assembly import assemble
from assay.sources.column_data import Origin
from assay.sources.column_inference import infer
from assay.sources.column_names import close
from assay.sources.column_roles import of_lists
from assay.sources.formats import delimited, excel_process
from assay.sources.formats.delimited import column_names, is_number
from assay.sources.formats.detection import Opened
from assay.sources.quoting import listed, shown
from assay.sources.source_record import Reading

__all__ = ["columns", "read"]

# Sheets that a refusal offers one by one.
MOST_OFFERED = 12
# Rows above the names that may hold titles.
MOST_TITLES = 20
# What opening a workbook may take: measured, a tenth of that for sheets whose cells hold something.
LEAST_MEMORY, MEMORY_TIMES = 1_000_000_000, 200
LEAST_SECONDS, BYTES_A_SECOND = 60.0, 1e5
Size = tuple[str, int, int]


def read(file: Opened, request: Request) -> Reading:
    """The predictions in a sheet of a workbook: the values that its cells show, of formulas those last computed."""
    names, rows, above, sheet = _read_sheet(file, request.sheet)
    places = {name: place for place, name in enumerate(names)}
    roles = infer(names, request, of_lists(lambda name: [row[places[name]] for row in rows]))
    used = {name: [row[place] for row in rows] for place, name in enumerate(names) if name in roles.columns}
    loaded = delimited.load(used, roles, decimal=request.decimal)
    titles = (f"without {counted(above, 'row')} above the names",) if above else ()
    notes = (*file.notes, f"sheet {sheet}", *titles)
    return assemble(loaded, roles, request, Origin(file.name, "excel", file.sha256, notes))


def columns(file: Opened, sheet: str | None = None) -> dict[str, list[Any]]:
    """The columns of a sheet, or of the only one that holds anything, with None where a cell is empty."""
    names, rows, *_ = _read_sheet(file, sheet)
    return {name: [row[place] for row in rows] for place, name in enumerate(names) if name}


def _read_sheet(file: Opened, wanted: str | None) -> tuple[tuple[str, ...], list[list[Any]], int, str]:
    try:
        import python_calamine  # noqa: F401 -- it is used in a process of its own
    except ImportError:
        raise MissingExtra("python-calamine", extra="excel", purpose="reading Excel workbooks") from None
    names, filled, cells = _read_workbook_in_process(file, wanted or "")
    sheet = _choose_sheet(file, names, filled, wanted)
    return (*_names_and_rows(file, sheet, cells), sheet)


def _read_workbook_in_process(file: Opened, wanted: str) -> tuple[list[str], list[Size], list[list[Any]]]:
    """The names of all sheets, those that hold anything, and the cells of the only one of them or of that wanted."""
    size = file.path.stat().st_size
    memory, seconds = LEAST_MEMORY + MEMORY_TIMES * size, LEAST_SECONDS + size / BYTES_A_SECOND
    line = [sys.executable, "-P", excel_process.__file__, str(file.path), wanted, str(memory)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 -- this very Python, and a script of this package
            line, stdin=subprocess.DEVNULL, capture_output=True, env=environment, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        done = None
    if done is not None and done.returncode == excel_process.DAMAGED:
        raise InputError(f"{shown(file.name)} is an Excel workbook that is damaged", "the whole file")
    if done is None or done.returncode:
        found = f"{shown(file.name)} takes more than {memory / 1e6:,.0f} MB or {seconds:,.0f} s to open"
        raise InputError(found, "the table alone as CSV, or on a sheet without far-away cells")
    names, filled, cells = marshal.loads(done.stdout)  # noqa: S302 -- that script wrote it
    return names, filled, [[excel_process.as_it_was(cell) for cell in row] for row in cells]


def _choose_sheet(file: Opened, names: Sequence[str], filled: Sequence[Size], wanted: str | None) -> str:
    """The name of the sheet that was named, or of the only one that holds anything."""
    if wanted is not None:
        if wanted not in names:
            found = f"{shown(file.name)} has no sheet {shown(wanted)}; its sheets are {listed(names)}"
            raise InputError(found, "a sheet that it has", {"sheet": close(wanted, names) or names[0]})
        return wanted
    if not filled:
        raise InputError(
            f"{shown(file.name)} is an Excel workbook of empty sheets", "column names and at least one row"
        )
    if len(filled) > 1:
        found = f"{shown(file.name)} has data on {len(filled)} sheets ({listed([name for name, _, _ in filled])})"
        # Predictions are rows below names, and of two columns at least.
        wide = [name for name, height, width in filled if height > 1 and width > 1] or [filled[0][0]]
        raise InputError(found, "which one", ways=[({"sheet": name}, "") for name in wide[:MOST_OFFERED]])
    return filled[0][0]


def _names_and_rows(
    file: Opened, sheet: str, cells: Sequence[Sequence[Any]]
) -> tuple[tuple[str, ...], list[list[Any]], int]:
    """The names in the first row below titles, the rows below without empty ones at the end, and how many are above."""
    cells, above = _skip_title_rows(cells)
    heading = [_cell_as_column_name(cell) for cell in cells[0]] if cells else []
    where = f"the first row of sheet {shown(sheet)} in {shown(file.name)}"
    if not any(heading):
        raise InputError(f"{where} is blank", "column names first")
    if all(is_number(name) for name in heading if name):
        raise InputError(f"{where} holds numbers, not column names", "column names first, such as y_true and score")
    rows = [[None if cell == "" else cell for cell in row] for row in cells[1:]]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    return column_names(heading), rows, above


def _skip_title_rows(cells: Sequence[Sequence[Any]]) -> tuple[Sequence[Sequence[Any]], int]:
    """The rows from that of the names on, and how many with a title or with nothing stand above it.

    >>> _skip_title_rows([["Predictions of March", ""], ["", ""], ["y_true", "y_score"], [1.0, 0.9]])
    ([['y_true', 'y_score'], [1.0, 0.9]], 2)
    """
    filled = [sum(cell not in ("", None) for cell in row) for row in cells[: MOST_TITLES + 1]]
    wide = max(filled, default=0)
    place = next((place for place, count in enumerate(filled) if count > 1), 0)
    # Titles stand alone in their rows, above names of which there are as many as columns.
    is_table = place and filled[place] >= wide - 1 and all(isinstance(c, str) for c in cells[place] if c != "")
    return (cells[place:], place) if is_table else (cells, 0)


def _cell_as_column_name(cell: Any) -> str:
    """A cell as the name of a column: a class that is a whole number has no point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
