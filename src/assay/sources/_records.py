"""What the user said about a source, and what reading it gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import InputError
from assay.predictions import Predictions
from assay.sources._wording import shown

__all__ = ["Choices", "Groups", "Reading", "Source"]


@dataclass(frozen=True)
class Choices:
    """What the user said about the columns; whatever is left out is inferred from their names.

    `score` and `pred` name one column each, or one for each model. `model` names the column of model names in a file
    with one row for every case and model. Rows without a truth or a prediction are refused, or dropped and counted.
    `weight`, `count`, `cluster` and `fold` name the columns of the design, `by` that of subgroups, `ignore` columns
    that play no role whatever they are called. `default_class` is for cases without a predicted label of their own.
    `id` names the column that tells rows apart, else one called id does; `keep_ids` says whether predictions hold it,
    by default only where it is named.

    >>> Choices(truth="outcome", score="risk", missing="drop").score
    ('risk',)
    >>> Choices(missing="ignore")
    Traceback (most recent call last):
    assay.errors.InputError: missing is 'ignore'; needed: 'refuse' or 'drop'; pass missing='drop'
    """

    truth: str | None = None
    score: tuple[str, ...] = ()
    pred: tuple[str, ...] = ()
    positive: str | None = None
    model: str | None = None
    missing: str = "refuse"
    weight: str | None = None
    count: str | None = None
    cluster: str | None = None
    fold: str | None = None
    by: str | None = None
    ignore: tuple[str, ...] = ()
    default_class: str | None = None
    id: str | None = None
    keep_ids: bool | None = None

    def __post_init__(self) -> None:
        if self.missing not in ("refuse", "drop"):
            raise InputError(f"missing is {shown(self.missing)}", "'refuse' or 'drop'", {"missing": "drop"})
        for role in ("score", "pred", "ignore"):
            columns = getattr(self, role)
            object.__setattr__(self, role, (columns,) if isinstance(columns, str) else tuple(columns))
        if self.keep_ids is None:
            object.__setattr__(self, "keep_ids", self.id is not None)


@dataclass(frozen=True)
class Source:
    """Where predictions came from and how its columns were understood.

    `columns` maps each role to the column (or columns) that play it, `design` each design role (repeat, split, dataset,
    id, or a weight nobody asked for) to a column that was seen but not used. `dropped` counts rows left out because
    something was missing, `duplicates` rows whose id the same model has in an earlier row, `defaulted` predictions that
    were made the default class.

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
        }


@dataclass(frozen=True, eq=False)
class Groups:
    """The subgroups that a column splits the cases into: for each model a code into `names` for every case."""

    column: str
    names: tuple[str, ...]
    codes: Mapping[str, NDArray[np.integer]]


@dataclass(frozen=True)
class Reading:
    """The predictions of every model in a source, in the order in which the source names them."""

    models: dict[str, Predictions]
    source: Source
    by: Groups | None = None
