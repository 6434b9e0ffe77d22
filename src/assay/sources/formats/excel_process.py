"""Read a workbook in a process of its own: a few bytes of one may span cells that fill any memory.

Run as a script with the path of a workbook, the name of a sheet (or nothing) and the bytes of memory it may take; it
imports nothing of Assay. What it writes is one value of `marshal`: names of the sheets, size of those that hold
anything, and the rows of the sheet that was named, or of the only one that holds anything.
"""

from __future__ import annotations

import contextlib
import marshal
import sys
from datetime import date, datetime, time, timedelta
from typing import Any

DAMAGED = 3
PLAIN = (str, int, float, bool)


def main(path: str, wanted: str, memory: int) -> int:
    """Write what a workbook holds; the exit code says where it is damaged."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    import python_calamine as calamine

    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            names = [each.name for each in book.sheets_metadata if each.typ == calamine.SheetTypeEnum.WorkSheet]
            sheets = map(book.get_sheet_by_name, [name for name in names if wanted in ("", name)])
            filled = [sheet for sheet in sheets if wanted or sheet.start is not None]
            rows = filled[0].to_python() if len(filled) == 1 else []
            sizes = [(sheet.name, sheet.height, sheet.width) for sheet in filled]
    except (calamine.CalamineError, OSError):
        return DAMAGED
    marshal.dump((names, sizes, [[_marshal_value(cell) for cell in row] for row in rows]), sys.stdout.buffer)
    return 0


def _marshal_value(cell: Any) -> Any:
    """A cell as `marshal` takes it: times by their kind and text."""
    if isinstance(cell, PLAIN):
        return cell
    if isinstance(cell, timedelta):
        return "timedelta", cell.total_seconds()
    return type(cell).__name__, cell.isoformat()


def as_it_was(cell: Any) -> Any:
    """The cell that `_marshal_value` made this of.

    >>> as_it_was(_marshal_value(date(2020, 2, 29))), as_it_was(_marshal_value(0.5))
    (datetime.date(2020, 2, 29), 0.5)
    """
    if not isinstance(cell, tuple):
        return cell
    kind, value = cell
    if kind == "timedelta":
        return timedelta(seconds=value)
    kinds: dict[str, Any] = {"date": date, "datetime": datetime, "time": time}
    return kinds[kind].fromisoformat(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
