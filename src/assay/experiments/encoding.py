"""Feature columns as numbers: what a learner was given of each, so that new cases can be given in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.results import counted
from assay.sources.features import Column

Numbers = NDArray[np.float64]
MISSING, REFUSE = "missing", "refuse"
MOST_VALUES = 100  # a text column with more different values is taken for an id, not for a feature


@dataclass(frozen=True)
class FeatureColumn:
    """One column of the data that were learned from: its name and, where it holds text, the values it had.

    >>> FeatureColumn("wind", ("N", "S")).encoded(np.array(["S", None, "N"], dtype=object)).tolist()
    [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]
    """

    name: str
    values: tuple[str, ...] | None = None

    @classmethod
    def of(cls, name: str, column: Column) -> FeatureColumn:
        """What there is to know of a column to learn from."""
        if column.dtype.kind in "fiub":
            return cls(name)
        return cls(name, tuple(sorted({str(value) for value in column if value is not None})))

    @property
    def names(self) -> list[str]:
        """What its numbers are called: itself, or one name for each value of a text."""
        return [f"{self.name}={value}" for value in self.values] if self.values else [self.name]

    def encoded(self, column: Column) -> Numbers:
        """The column as numbers: itself, or a 0/1 column for each value; what is missing is 0 in all of them."""
        if self.values is None:
            return np.asarray(column, dtype=np.float64).reshape(-1, 1)
        held = np.array(["" if value is None else str(value) for value in column])
        present = np.array([value is not None for value in column])
        each = [((held == value) & present).astype(np.float64) for value in self.values]
        return np.column_stack(each or [np.zeros(len(column))])

    def like(self, column: Column, unseen: str = REFUSE) -> Column:
        """A new column as the old one was: numbers, or texts that are known; refused where it is something else."""
        return self._numbers_like(column) if self.values is None else self._texts_like(column, self.values, unseen)

    def _numbers_like(self, column: Column) -> Column:
        if column.dtype.kind in "fiub":
            return column
        odd = next((value for value in column if value is not None and not _is_number(value)), None)
        if odd is not None:
            found = f"column {self.name!r} holds {str(odd)[:40]!r}, and the model learned from numbers there"
            raise InputError(found, "numbers, or nothing where one is missing")
        return np.array([np.nan if value is None else float(value) for value in column])

    def _texts_like(self, column: Column, known: tuple[str, ...], unseen: str) -> Column:
        texts = np.array([_text(value) for value in column.tolist()], dtype=object)
        new = [text for text in texts if text is not None and text not in known]
        if new and unseen == REFUSE:
            first = str(new[0])[:40]
            found = (
                f"column {self.name!r} holds {first!r}, which the model never saw there ({counted(len(new), 'row')})"
            )
            needed = f"one of {_listed(known)}; or such values taken for missing"
            raise InputError(found, needed, {"unseen": MISSING})
        return np.array([text if text in known else None for text in texts], dtype=object)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _text(value: Any) -> str | None:
    """A value of a text column; a column of a new file may hold nothing but numbers."""
    if value is None or value != value:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _listed(values: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(repr(value[:40]) for value in values[:most])
    return f"{shown} and {len(values) - most} more" if len(values) > most else shown


def encoded_like(known: tuple[FeatureColumn, ...], new: Mapping[str, Column], unseen: str = REFUSE) -> Numbers:
    """New cases as the numbers that a learner of the known columns takes."""
    missing = [column.name for column in known if column.name not in new]
    if missing:
        more = f" and {len(missing) - 1} more that the model learned from" if len(missing) > 1 else ""
        found = f"the new cases have no column {missing[0]!r}{more}"
        raise InputError(found, f"every column it learned from; there are {_listed(tuple(new))}")
    rows = max((len(values) for values in new.values()), default=0)
    if not rows:
        raise InputError("there is no case to score", "at least one row")
    return np.column_stack([column.encoded(column.like(new[column.name], unseen)) for column in known])
