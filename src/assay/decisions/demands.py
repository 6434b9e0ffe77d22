"""What becomes of a demand on new cases, once a threshold was chosen to meet it on these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtrc, betaincinv

from assay.decisions.constraints import Constraint, least_that_passes
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.results import percent
from assay.text import number

__all__ = ["DemandOutlook", "outlook"]


@dataclass(frozen=True, slots=True)
class DemandOutlook:
    """A demanded measure here, and how far it may be from it on new cases, the choice of the threshold included.

    `limit` is what it keeps to on new cases, with confidence `level`: at least so much, or at most, as was demanded.
    `missed` is the greatest chance that a threshold chosen so does not meet the demand there.
    """

    demand: Constraint
    here: float
    limit: float
    level: float
    missed: float
    undefined: str | None = None

    def __str__(self) -> str:
        title, bound, sense = self.demand.measure.title, f"{self.demand.bound:g}", self.demand.sense
        here = f"{title}: {number(self.here)} on these cases"
        if self.undefined is not None:
            return f"{here}; nothing tells what it is on new ones ({self.undefined})."
        side = "Below" if sense == "at least" else "Above"
        chance = f"a chance of up to {percent(self.missed)}"
        asks = "" if self.demand.confidence is not None else "; --confidence 0.95 (confidence=0.95) asks to be sure"
        sure = f"{100 * self.level:g} % confidence"
        return (
            f"{here}, {sense} {number(self.limit)} on new ones with {sure}. {side} {bound} there with {chance}{asks}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it."""
        numbers = {"here": self.here, "limit": self.limit, "level": self.level, "missed": self.missed}
        plain = {name: None if math.isnan(value) else value for name, value in numbers.items()}
        return {"demand": repr(self.demand), "measure": self.demand.measure.name, **plain, "undefined": self.undefined}


def outlook(
    demand: Constraint, table: ScoreTable, matrix: ConfusionMatrix, prevalence: float | None, level: float, shares: int
) -> DemandOutlook:
    """What may be said of a demand that a threshold was chosen to meet.

    A share of a fixed number of cases moves one way as the threshold does. So whatever was chosen among the thresholds
    that meet the demand, one at which the true share is below r can have been chosen only if so many cases as the
    demand asks for lie beyond the threshold where it is exactly r: a binomial chance. The limit is the r at which that
    is 1 - level, the chance of a miss the same at the bound.
    """
    here, nan = float(demand.measure(matrix)), math.nan
    why = demand.why_unsure(table, prevalence)
    if why is not None:
        return DemandOutlook(demand, here, nan, level, nan, why)
    assert demand.measure.parts is not None
    cases = int(np.asarray(demand.measure.parts(matrix)[1]))
    fewest = least_that_passes(demand, cases, shares)
    is_least = demand.sense == "at least"
    bound = demand.bound if is_least else 1 - demand.bound
    kept = float(betaincinv(fewest, cases - fewest + 1, 1 - level)) if 0 < fewest <= cases else 0.0
    missed = float(bdtrc(fewest - 1, cases, bound)) if fewest > 0 and 0 < bound < 1 else float(bound > 0)
    return DemandOutlook(demand, here, kept if is_least else 1 - kept, level, missed)
