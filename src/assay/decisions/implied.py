"""The costs a threshold in use implies: whoever uses it acts as if a miss were worth so many false alarms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.curves.hull import roc_hull
from assay.evidence import ScoreTable
from assay.renderers import in_notebook
from assay.request import checked_between

__all__ = ["ImpliedCosts", "implied_costs"]


@dataclass(frozen=True, slots=True)
class ImpliedCosts:
    """For which cost ratios (how many false alarms a miss is worth) a threshold is the best one.

    `low` to `high` is read off the ROC hull of the cases and needs no calibration; both are nan where the threshold is
    the best for no costs at all, because others are better whatever a miss costs. `if_calibrated` is the ratio for
    which it would be the best one if scores were calibrated probabilities; nan where they cannot be.
    """

    threshold: float
    prevalence: float
    low: float
    high: float
    if_calibrated: float

    _repr_html_ = in_notebook

    @property
    def is_optimal(self) -> bool:
        """Whether some costs make it the best threshold of these cases."""
        return not math.isnan(self.low)

    def __str__(self) -> str:
        if not self.is_optimal:
            return "the best for no costs: whatever a miss costs, another threshold is cheaper on these cases"
        span = f"{self.low:.4g} or more" if math.isinf(self.high) else f"{self.low:.4g} to {self.high:.4g}"
        where = f"where {100 * self.prevalence:.3g} % of cases are positive"
        return f"the best while a miss costs {span} false alarms, {where}"

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it; an open end is null."""
        numbers = {"low": self.low, "high": self.high, "if_calibrated": self.if_calibrated}
        plain = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {"is_optimal": self.is_optimal, "prevalence": self.prevalence, **plain}


def implied_costs(table: ScoreTable, threshold: float, *, prevalence: float | None = None) -> ImpliedCosts:
    """What someone who uses this threshold seems to think a miss is worth, in false alarms.

    >>> table = ScoreTable.of([0.9, 0.6, 0.4, 0.3], [1, 0, 1, 0])
    >>> print(implied_costs(table, 0.35))
    the best while a miss costs 1 or more false alarms, where 50 % of cases are positive
    >>> implied_costs(table, 0.5).is_optimal, implied_costs(table, 0.2, prevalence=0.2).if_calibrated
    (False, 16.0)
    """
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    hull, matrix = roc_hull(table), table.at(threshold)
    share = hull.prevalence if prevalence is None else prevalence
    point = float(matrix.fp) / float(matrix.negatives), float(matrix.tp) / float(matrix.positives)
    at = np.flatnonzero(np.isclose(hull.fpr, point[0], atol=1e-12) & np.isclose(hull.recall, point[1], atol=1e-12))
    low = high = math.nan
    if len(at):
        columns = hull.table(share).columns
        low, high = (columns[name][int(at[0])] for name in ("ratio_low", "ratio_high"))
    if low == high:
        low = high = math.nan
    return ImpliedCosts(threshold, share, low, high, _if_calibrated(table, threshold, hull.prevalence, share))


def _if_calibrated(table: ScoreTable, threshold: float, here: float, there: float) -> float:
    """The ratio by Elkan's rule; where the prevalence is another, probabilities are first carried over to it."""
    if not (0 < threshold < 1 and table.score[0] >= 0 and table.score[-1] <= 1 and 0 < there < 1):
        return math.nan
    odds = threshold / (1 - threshold)
    carried = odds * (there / (1 - there)) / (here / (1 - here))
    return 1 / carried
