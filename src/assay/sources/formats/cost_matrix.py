"""A cost matrix in a file, as WEKA writes it: sizes and then rows, one for each true class; or rows in brackets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from assay.errors import InputError
from assay.sources.quoting import shown
from assay.types import Floats

__all__ = ["read_costs"]

WRITTEN = "a number for each class on as many lines, in the order of the file's classes, such as [0 1; 5 0]"


def read_costs(path: str | Path, classes: int) -> Floats:
    """What each decision costs, a row for each true class; comments follow %.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "matrix.cost")
    ...     _ = file.write_text("% Rows Columns\\n2 2\\n% Matrix elements\\n0.0 1.0\\n5.0 0.0\\n")
    ...     read_costs(file, 2).tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InputError(f"{shown(str(path))} cannot be read: {reason}", "a file that holds a cost matrix") from error
    plain = "\n".join(
        line.split("%")[0] for line in text.replace(";", "\n").replace("[", " ").replace("]", " ").splitlines()
    )
    rows = [line.replace(",", " ").split() for line in plain.splitlines() if line.strip()]
    try:
        numbers = [[float(word) for word in row] for row in rows]
    except ValueError as error:
        raise InputError(f"{shown(file.name)} holds words: {shown(str(error).split(': ')[-1])}", WRITTEN) from error
    if numbers and "[" not in text and numbers[0] == [len(numbers) - 1, len(numbers) - 1]:
        numbers = numbers[1:]
    sizes = sorted({len(row) for row in numbers})
    if len(numbers) != classes or sizes != [classes]:
        found = f"{shown(file.name)} holds {len(numbers)} rows of {' or '.join(map(str, sizes)) or 'no'} numbers"
        raise InputError(f"{found}, and there are {classes} classes", WRITTEN)
    if not all(math.isfinite(cost) for row in numbers for cost in row):
        raise InputError(f"{shown(file.name)} holds a cost that is no number", WRITTEN)
    return np.array(numbers)
