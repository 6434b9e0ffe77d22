"""The win matrix: who beats whom by intervals that hold all at once."""

from __future__ import annotations

from assay.report.blocks import Block, Cell, Grid, Heading, Sentence
from assay.report.sections._compared import Compared

__all__ = ["wins"]

MARKS = {"+": "better", "-": "worse", "?": "inconclusive", "": ""}


def wins(compared: Compared) -> list[Block] | None:
    """Three classifiers or more by the primary measure; nothing where some pairs are left out, or no side is better."""
    cmp, names = compared.comparison, list(compared.names.values())
    measure = compared.measure
    if len(names) < 3 or measure.better == "neither" or compared.control is not None or cmp.left_out:
        return None
    columns = cmp.wins(measure.name).columns
    rows = tuple(
        (
            Cell(name),
            (*(Cell(MARKS[columns[key][i]]) for key in cmp.names), Cell(str(columns["wins"][i]))),
        )
        for i, name in enumerate(names)
    )
    grid = Grid("Row against column", (*names, "Wins"), rows, is_plain=True)
    adjusted = compared.differences[0].adjusted
    how = f" ({adjusted})" if adjusted else ""
    return [Heading(f"Who beats whom by {measure.title}"), grid, Sentence(f"By intervals that hold all at once{how}.")]
