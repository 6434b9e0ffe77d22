"""What reading a source gave.

What is being done to rows that take their time: told to whoever listens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.evidence import KERNELS
from assay.predictions import Predictions
from assay.renderers import in_notebook

__all__ = ["LISTENER", "Reading", "Source", "Subgroups", "stage"]


@dataclass(frozen=True)
class Source:
    """Where predictions came from and how its columns were understood.

    `columns` maps each role to the column (or columns) that play it, `design` each design role (repeat, split, dataset,
    id, or a weight nobody asked for) to a column that was seen but not used. `dropped` counts rows left out because
    something was missing, `duplicates` rows whose id the same model has in an earlier row, `defaulted` predictions that
    were made the default class. `notes` say how a file was read where that is not plain (its encoding, its decimals);
    `unused` are the columns that play no role, `remarks` say what was made of others.

    >>> Source("scores.csv", "csv", rows=3, columns={"truth": "y", "score": ("a", "b")}).to_dict()["columns"]
    {'truth': 'y', 'score': ['a', 'b']}
    """

    name: str
    format: str
    rows: int
    dropped: int = 0
    columns: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    design: Mapping[str, str] = field(default_factory=dict)
    sha256: str | None = None
    positive_inferred: bool = False
    duplicates: int = 0
    defaulted: int = 0
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    # The classes in the order in which the file declares them, if it does: what systems without a positive class print.
    class_order: tuple[str, ...] = ()

    _repr_html_ = in_notebook

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        columns = {role: list(used) if isinstance(used, tuple) else used for role, used in self.columns.items()}
        return {
            "name": self.name,
            "format": self.format,
            "rows": self.rows,
            "dropped": self.dropped,
            "columns": columns,
            "design": dict(self.design),
            "sha256": self.sha256,
            "positive_inferred": self.positive_inferred,
            "duplicates": self.duplicates,
            "defaulted": self.defaulted,
            "notes": list(self.notes),
            "unused": list(self.unused),
            "remarks": list(self.remarks),
            "kernels": KERNELS,
        }


@dataclass(frozen=True, eq=False)
class Subgroups:
    """The subgroups that a column splits the cases into: for each model a code into `names` for every case."""

    column: str
    names: tuple[str, ...]
    codes: Mapping[str, NDArray[np.integer]]


@dataclass(frozen=True)
class Reading:
    """The predictions of every model in a source, in the order in which the source names them.

    `places` says which of all cases each model's rows are, where some models lack some.
    """

    models: dict[str, Predictions]
    source: Source
    by: Subgroups | None = None
    places: Mapping[str, NDArray[np.intp]] | None = None


# Nobody listens unless somebody says so: a library does not print.
LISTENER: ContextVar[Callable[[str], None]] = ContextVar("assay_progress", default=lambda said: None)


def stage(said: str) -> None:
    """Say what is done next; an empty text: nothing more."""
    LISTENER.get()(said)
