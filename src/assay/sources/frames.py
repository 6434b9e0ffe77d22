"""Predictions from data frames: whatever narwhals knows, and DuckDB relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import InputError
from assay.sources import _sql
from assay.sources._assemble import Loaded, Origin, assemble
from assay.sources._coding import Coded, Numbers, code, code_objects, narrow, number
from assay.sources._columns import Roles, infer
from assay.sources._records import Choices, Reading
from assay.sources._wording import shown

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["from_frame"]

COMPARED = 16  # up to so many different values, comparing the column with each is the fastest way to code it


def from_frame(frame: Any, choices: Choices | None = None) -> Reading:
    """The predictions in a data frame: pandas, polars (lazy too), pyarrow, a DuckDB relation and others.

    >>> import polars
    >>> frame = polars.DataFrame({"y_true": [0, 1, 1], "y_score": [0.2, 0.7, 0.4]})
    >>> from_frame(frame).models["model"]
    Predictions(3 cases of '0', '1'; positive '1'; with score)
    """
    choices = choices or Choices()
    if type(frame).__name__ == "DuckDBPyRelation":
        return _from_relation(frame, choices)
    names, roles, eager = _narrowed(frame, choices)
    loaded = Loaded(
        len(eager),
        {column: _labels(eager, names.index(column), column) for column in roles.labels},
        {column: _numbers(eager, names.index(column), column) for column in roles.numbers},
    )
    return assemble(loaded, roles, choices, Origin("frame", str(eager.implementation).lower()))


def _from_relation(relation: Any, choices: Choices) -> Reading:
    import duckdb

    names = list(relation.columns)
    roles = infer(names, choices)
    try:
        loaded = _sql.load(_sql.prepared(relation, names, roles), roles)
    except duckdb.Error as error:
        raise InputError("the DuckDB relation cannot be computed", "a relation whose query runs") from error
    return assemble(loaded, roles, choices, Origin("frame", "duckdb"))
