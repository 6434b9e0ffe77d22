"""Excel workbooks, read through calamine where it is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import InputError, MissingExtra
from assay.request import Request
from assay.sources import _texts
from assay.sources._assemble import assemble
from assay.sources._columns import infer
from assay.sources._contents import of_lists
from assay.sources._formats import Opened
from assay.sources._loaded import Origin
from assay.sources._names import close
from assay.sources._records import Reading
from assay.sources._tables import column_names, is_number
from assay.sources._wording import listed, shown

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

__all__ = ["columns", "read"]

# Sheets that a refusal offers one by one.
MOST_OFFERED = 12


def read(file: Opened, request: Request) -> Reading:
    """The predictions in a sheet of a workbook: the values that its cells show, of formulas those last computed."""
    names, rows, sheet = _table(file, request.sheet)
    places = {name: place for place, name in enumerate(names)}
    roles = infer(names, request, of_lists(lambda name: [row[places[name]] for row in rows]))
    used = {name: [row[place] for row in rows] for place, name in enumerate(names) if name in roles.columns}
    loaded = _texts.load(used, roles, decimal=request.decimal)
    notes = (*file.notes, f"sheet {sheet}")
    return assemble(loaded, roles, request, Origin(file.name, "excel", file.sha256, notes))


def columns(file: Opened, sheet: str | None = None) -> dict[str, list[Any]]:
    """The columns of a sheet, or of the only one that holds anything, with None where a cell is empty."""
    names, rows, _ = _table(file, sheet)
    return {name: [row[place] for row in rows] for place, name in enumerate(names) if name}


def _table(file: Opened, wanted: str | None) -> tuple[tuple[str, ...], list[list[Any]], str]:
    try:
        import python_calamine as calamine
    except ImportError:
        raise MissingExtra("python-calamine", extra="excel", purpose="reading Excel workbooks") from None
    try:
        with calamine.CalamineWorkbook.from_path(str(file.path)) as book:
            sheet = _sheet(file, book, wanted)
            cells: list[list[Any]] = sheet.to_python()
    except (calamine.CalamineError, OSError) as error:
        raise InputError(f"{shown(file.name)} is an Excel workbook that is damaged", "the whole file") from error
    return (*_named(file, sheet.name, cells), sheet.name)


def _sheet(file: Opened, book: CalamineWorkbook, wanted: str | None) -> CalamineSheet:
    """The sheet that was named, or the only one that holds anything."""
    import python_calamine as calamine

    names = [each.name for each in book.sheets_metadata if each.typ == calamine.SheetTypeEnum.WorkSheet]
    if wanted is not None:
        if wanted not in names:
            found = f"{shown(file.name)} has no sheet {shown(wanted)}; its sheets are {listed(names)}"
            raise InputError(found, "a sheet that it has", {"sheet": close(wanted, names) or names[0]})
        return book.get_sheet_by_name(wanted)
    filled = [sheet for sheet in map(book.get_sheet_by_name, names) if sheet.start is not None]
    if not filled:
        raise InputError(
            f"{shown(file.name)} is an Excel workbook of empty sheets", "column names and at least one row"
        )
    if len(filled) > 1:
        found = f"{shown(file.name)} has data on {len(filled)} sheets ({listed([sheet.name for sheet in filled])})"
        # Predictions are rows below names, and of two columns at least.
        wide = [sheet.name for sheet in filled if sheet.height > 1 and sheet.width > 1] or [filled[0].name]
        raise InputError(found, "which one", ways=[({"sheet": name}, "") for name in wide[:MOST_OFFERED]])
    return filled[0]


def _named(file: Opened, sheet: str, cells: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], list[list[Any]]]:
    """The names in the first row and the rows below it, without empty ones at the end."""
    heading = [_name(cell) for cell in cells[0]] if cells else []
    where = f"the first row of sheet {shown(sheet)} in {shown(file.name)}"
    if not any(heading):
        raise InputError(f"{where} is blank", "column names first")
    if all(is_number(name) for name in heading if name):
        raise InputError(f"{where} holds numbers, not column names", "column names first, such as y_true and score")
    rows = [[None if cell == "" else cell for cell in row] for row in cells[1:]]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    return column_names(heading), rows


def _name(cell: Any) -> str:
    """A cell as the name of a column: a class that is a whole number has no point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
