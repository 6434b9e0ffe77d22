"""Measures over time: values of some measures of every view, every so many events."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import OptionError, UnknownName
from assay.results import Table
from assay.types import Floats, Places

__all__ = ["Record"]


class Record:
    """What was asked to be kept, and what was kept: for each view and measure a value at each of `positions`."""

    def __init__(self, names: Sequence[str], every: int, views: Sequence[str]) -> None:
        self.names, self.every = tuple(names), every
        self.positions = array("q")
        self.values = {(view, name): array("d") for view in views for name in self.names}

    def is_due(self, events: int) -> bool:
        """Whether values are kept after so many events."""
        return bool(self.names) and events % self.every == 0

    def due(self, before: int, count: int) -> Places:
        """Which of the next events (from 1) values are kept after."""
        first = self.every - before % self.every
        return np.arange(first, count + 1, self.every)

    def keep(self, view: str, name: str, values: Floats) -> None:
        """Values of one measure, in the order of their positions."""
        self.values[view, name].frombytes(np.ascontiguousarray(values, dtype=np.float64).tobytes())

    def series(self, view: str, name: str) -> tuple[Places, Floats]:
        """After how many events, and the values."""
        if (view, name) not in self.values:
            if not self.names:
                raise OptionError("no measures were recorded", "prequential(record=[...], every=100)")
            raise UnknownName(f"{name!r} of {view!r} was not recorded", "a view and a measure that were")
        return np.array(self.positions, dtype=np.intp), np.array(self.values[view, name])

    def table(self) -> Table:
        """One row for each position, view and measure."""
        keys, count = list(self.values), len(self.positions)
        # Rows run by position, so that the latest stand together at the end.
        values = np.array([self.values[key] for key in keys]).reshape(len(keys), count).T
        return Table(
            {
                "events": np.repeat(np.array(self.positions, dtype=np.int64), len(keys)).tolist(),
                "view": [view for view, _ in keys] * count,
                "measure": [name for _, name in keys] * count,
                "value": values.ravel().tolist(),
            },
            title="Measures over time",
        )

    def state(self) -> dict[str, Any]:
        """What was kept, as arrays."""
        return {
            "positions": np.array(self.positions, dtype=np.int64),
            "values": [np.array(values) for values in self.values.values()],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Hold what another one held."""
        self.positions = array("q", np.asarray(state["positions"], np.int64).tobytes())
        for key, values in zip(self.values, state["values"], strict=True):
            self.values[key] = array("d", np.asarray(values, np.float64).tobytes())
