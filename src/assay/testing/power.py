"""What a gate can catch: how often so many cases would stop a classifier that is worse than a bound by so much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scipy.special import ndtr, ndtri

from assay.notebook import in_notebook
from assay.request import checked_positive
from assay.results import counted, percent
from assay.testing.gates import Finding, Outcome

__all__ = ["GatePower", "gate_power", "gate_powers"]


@dataclass(frozen=True, slots=True)
class GatePower:
    """How often a demand fails, and how often it is not passed, if the true value lies `worse` beyond its bound.

    Either follows from the width of the interval, never from the value that was seen.
    """

    demand: str
    model: str
    worse: float
    fails: float
    stops: float
    n: float
    undefined: str | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        of_model = f" of {self.model}" if self.model else ""
        if self.undefined is not None:
            return f"What {self.demand}{of_model} would catch is unknown: {self.undefined}."
        cases = counted(round(self.n), "case")
        if self.fails == self.stops:
            often = f"in {percent(self.fails)} of runs"
        else:
            often = f"in {percent(self.fails)} of runs, and would not let it pass in {percent(self.stops)}"
        return (
            f"{self.demand}{of_model}: these {cases} would fail a true value {self.worse:g} beyond the bound {often}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON holds it: nan as None."""
        return {name: None if value != value else value for name, value in asdict(self).items()}


def gate_powers(outcomes: Sequence[Outcome], worse: float) -> list[GatePower]:
    """What every demand would catch."""
    return [gate_power(finding, worse, one.model) for one in outcomes for finding in one.findings]


def gate_power(finding: Finding, worse: float, model: str = "") -> GatePower:
    """How often so many cases fail a demand, if the true value lies so much on the wrong side of its bound.

    >>> from assay.testing import Gate
    >>> (outcome,) = Gate.of([0, 0, 1, 1, 1, 0] * 200, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 200).check("roc_auc >= 0.8")
    >>> gate_power(outcome.findings[0], 0.03)
    roc_auc >= 0.8: these 1,200 cases would fail a true value 0.03 beyond the bound in 91.1 % of runs, and would not ...
    """
    checked_positive(worse, "power_for", "how much worse than the bound a true value is")
    found, demand, nan = finding.found, finding.demand, math.nan
    z = float(ndtri(0.5 + found.level / 2))
    half = (found.high - found.low) / 2
    error = found.se if found.se is not None else half / z
    if not (math.isfinite(error) and error > 0):
        why = found.undefined or "there is no interval of a width"
        return GatePower(str(demand), model, worse, nan, nan, found.n, why)
    away, limit = worse / error, demand.quantity.limit
    flatters = "high" if demand.operator in (">", ">=") else "low"
    shift = {None: -z, "value": 0.0}.get(limit, -z if limit == flatters else z)
    fails = float(ndtr(away + shift))
    stops = float(ndtr(away + z)) if limit is None else fails
    return GatePower(str(demand), model, worse, fails, stops, found.n)
