"""What is known of a watched stream at one moment, as values and as a line of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.results import Estimate

__all__ = ["Change", "Moment"]


@dataclass(frozen=True)
class Change:
    """A change that a detector found, after so many events."""

    events: int
    detector: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"events": self.events, "detector": self.detector}


@dataclass(frozen=True)
class Moment:
    """What is known after so many events.

    `estimates` are the measures of each view with limits that hold at one look, `error` the share of wrong answers
    since the start with limits that hold at every look at once, `matrix` the confusion matrix of the main view.
    """

    events: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    error: Estimate
    classes: tuple[str, ...]
    matrix: tuple[tuple[float, ...], ...]
    alarms: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, one line of JSON."""
        return {
            "events": self.events,
            "views": {
                view: {name: estimate.to_dict() for name, estimate in each.items()}
                for view, each in self.estimates.items()
            },
            "error_at_every_look": self.error.to_dict(),
            "classes": list(self.classes),
            "matrix": [list(row) for row in self.matrix],
            "alarms": list(self.alarms),
            "changes": [change.to_dict() for change in self.changes],
        }

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Moment:
        """The moment that a record was written from."""
        views = {
            view: {name: _estimate(name, each) for name, each in held.items()} for view, held in record["views"].items()
        }
        return cls(
            record["events"],
            views,
            _estimate("error_rate", record["error_at_every_look"]),
            tuple(record["classes"]),
            tuple(tuple(row) for row in record["matrix"]),
            tuple(record["alarms"]),
            tuple(Change(**change) for change in record["changes"]),
        )


def _estimate(name: str, record: Mapping[str, Any]) -> Estimate:
    """The estimate that a record was written from: nan is None there, and infinities have a name."""
    value, low, high, level = (
        math.nan if record[key] is None else float(record[key]) for key in ("value", "low", "high", "level")
    )
    n, undefined = float(record["n"]), record["undefined"]
    return Estimate(name, value, low, high, level, record["method"], n, record["target"], undefined)
