"""The cells of a confusion matrix one by one: counts, shares of row, column and all, and their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.measures import ratio
from assay.results import Table
from assay.uncertainty import PROPORTION_METHODS

__all__ = ["cells_of"]

# Beyond so many classes most cells are empty and are left out.
MOST_FOR_EMPTY_CELLS = 30


def cells_of(matrix: ConfusionMatrix, level: float) -> Table:
    """A row a cell: how many cases, and what share of their true class, of their label and of all cases.

    The limits are Wilson's, one cell at a time: of the chance of this label given this true class (`low`, `high`), and
    of this true class given this label. With more than 30 classes, cells without a case are left out.
    """
    shown = (
        np.argwhere(matrix.counts > 0)
        if len(matrix.classes) > MOST_FOR_EMPTY_CELLS
        else np.argwhere(matrix.counts >= 0)
    )
    rows, columns = matrix.counts.sum(1), matrix.counts.sum(0)
    counts = [float(matrix.counts[i, j]) for i, j in shown]
    effective = float(ratio(matrix.kish, matrix.total))
    of_row = [_share(c, float(rows[i]), effective, level) for c, (i, _) in zip(counts, shown, strict=True)]
    of_column = [_share(c, float(columns[j]), effective, level) for c, (_, j) in zip(counts, shown, strict=True)]
    found: dict[str, Any] = {
        "true": [matrix.classes[i] for i, _ in shown],
        "called": [matrix.decisions[j] for _, j in shown],
        "cases": [int(c) if c == int(c) else c for c in counts],
        "of_true": [share for share, _, _ in of_row],
        "low": [low for _, low, _ in of_row],
        "high": [high for _, _, high in of_row],
        "of_called": [share for share, _, _ in of_column],
        "of_called_low": [low for _, low, _ in of_column],
        "of_called_high": [high for _, _, high in of_column],
        "of_all": [float(ratio(c, matrix.total)) for c in counts],
    }
    return Table(found, title=f"Cells with {100 * level:g} % intervals (Wilson)")


def _share(part: float, whole: float, effective: float, level: float) -> tuple[float, float, float]:
    if not whole:
        return float("nan"), float("nan"), float("nan")
    low, high = PROPORTION_METHODS["Wilson"](part * effective, whole * effective, level)
    return part / whole, low, high
