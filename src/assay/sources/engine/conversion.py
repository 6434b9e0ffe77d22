"""The operations of conversion on a table of an engine: expressions that the engine computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import InputError
from assay.sources.column_roles import word_before
from assay.sources.conversion import Column, Ends
from assay.sources.engine.joint import names_of
from assay.sources.engine.scan import furthest_sum, own_column
from assay.sources.engine.tables import Survey, collected, held
from assay.sources.labels import Classes
from assay.sources.probabilities import PROMISED, STRAY, tolerance
from assay.sources.quoting import listed

__all__ = ["EngineRows"]

# What a column of our own is called beside those that are converted.
OWN = "highest"


@dataclass(frozen=True, eq=False)
class EngineRows:
    """Rows of an engine's table, and what one look at them found."""

    survey: Survey

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.survey.rows

    def _internal_column_name(self, column: Column) -> str:
        if not isinstance(column, str):
            return OWN
        return next((own for own, name in self.survey.lying.columns.items() if name == column), column)

    def ends(self, column: Column) -> Ends | None:
        """The smallest and the largest number of a column; None where it holds texts."""
        texts = self.survey.found.get(f"texts_{self._internal_column_name(column)}")
        if texts is not None and texts.sum():
            return None
        return self.survey.range_of(self._internal_column_name(column))

    def ends_by_label(self, column: str, pred: str, classes: Classes) -> tuple[float | None, float | None]:
        """The largest number of rows that were predicted negative, and the smallest of those predicted positive."""
        import narwhals as nw

        own, label = self._internal_column_name(column), self._internal_column_name(pred)
        rows = self.survey.lying.judged().filter(nw.col("nobody") == 0, nw.col(f"lacks_{own}") == 0)
        found = collected(rows.with_columns(highest=nw.col(own)).group_by(label).agg(
            nw.col(own).min(), nw.col("highest").max()
        ))  # fmt: skip
        spelled = names_of(self.survey, label, classes)
        called = [spelled.get(held(raw)) for raw in found[label]]
        negative, positive = classes.names
        highest = [float(end) for name, end in zip(called, found["highest"], strict=True) if name == negative]
        lowest = [float(end) for name, end in zip(called, found[own], strict=True) if name == positive]
        return max(highest, default=None), min(lowest, default=None)

    def labels(self, pred: str, classes: Classes) -> set[str]:
        """The names of predicted labels."""
        return {
            name
            for name in names_of(self.survey, self._internal_column_name(pred), classes).values()
            if name is not None
        }

    def table_columns(self, table: str, classes: Classes) -> list[Column]:
        """The columns of a table that came as one array: an engine has none."""
        return []

    def may_be_logits(self, table: str) -> bool:
        """Whether a table of scores was not called probabilities: an engine has none."""
        return False

    def refuse_sums(self, columns: Sequence[str], every: Sequence[str], score: str) -> None:
        """Refuse columns that are called probabilities of either class and do not sum to 1."""
        if not all(word_before(column) in PROMISED for column in columns):
            return
        if furthest_sum(self.survey, columns) > tolerance(len(columns)) and (
            len(every) == len(columns) or furthest_sum(self.survey, every) > tolerance(len(every))
        ):
            off = furthest_sum(self.survey, columns)
            found = f"the probabilities in {listed(columns)} have sums that differ from 1 by up to {off:.6g}"
            raise InputError(found, "probabilities that sum to 1 in every row", {"score": score})

    def refuse_shares(self, columns: Sequence[str]) -> None:
        """Refuse columns of many classes that are no probabilities."""
        ends = [self.survey.range_of(own_column(self.survey.lying, column)) for column in columns]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        if low < -STRAY or high > 1 + STRAY:
            found = f"{listed(columns, 4)} run from {low:.4g} to {high:.4g}"
            raise InputError(found, "a probability between 0 and 1")
        if (off := furthest_sum(self.survey, columns)) > tolerance(len(columns)):
            found = f"the probabilities in {listed(columns, 4)} have sums that differ from 1 by up to {off:.6g}"
            raise InputError(found, "probabilities that sum to 1 in every row")

    def number(self, column: Column) -> Any:
        """A column of numbers."""
        import narwhals as nw

        return nw.col(self._internal_column_name(column))

    def is_label(self, pred: str, name: str, classes: Classes) -> Any:
        """Which rows were predicted to be of a class; None where none was."""
        import narwhals as nw

        own = self._internal_column_name(pred)
        spelled = [raw for raw, label in names_of(self.survey, own, classes).items() if label == name]
        return nw.col(own).is_in(spelled) if spelled else None

    def exp(self, values: Any) -> Any:
        """The exponential function."""
        return values.exp()

    def where(self, condition: Any, values: Any, others: Any) -> Any:
        """The values where a condition holds, else the others; None is missing."""
        import narwhals as nw

        if condition is None:
            return others
        chosen = nw.when(condition).then(values)
        return chosen if others is None else chosen.otherwise(others)

    def put(self, values: Mapping[Column, Any], ends: Callable[[Any], Any] | None = None) -> EngineRows:
        """The rows with other numbers in some columns."""
        new = {self._internal_column_name(column): each for column, each in values.items()}
        found = dict(self.survey.found)
        for own in new:
            for place, end in enumerate(("least", "greatest")):
                if f"{end}_{own}" in found:
                    before = found[f"{end}_{own}"].astype(np.float64)
                    found[f"{end}_{own}"] = np.full(len(before), float(place)) if ends is None else ends(before)
        lying = replace(self.survey.lying, frame=self.survey.lying.frame.with_columns(**new))
        return EngineRows(replace(self.survey, lying=lying, found=found))

    def drop(self, column: Column) -> EngineRows:
        """The rows without a column of our own."""
        lying = replace(self.survey.lying, frame=self.survey.lying.frame.drop(self._internal_column_name(column)))
        return EngineRows(replace(self.survey, lying=lying))
