"""What a requirement was checked on: what its own interval would be on more cases, or at another value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from assay.comparison import Difference, about, cases_factor
from assay.evaluation import Evaluation, half_width_at
from assay.evidence.paired import PairedCorrectness
from assay.measures import Measure
from assay.results import Estimate

__all__ = ["Basis", "DifferenceBasis", "EstimateBasis", "half_as_wide"]


@dataclass(frozen=True, eq=False)
class EstimateBasis:
    """A measure, the evidence it was computed from, and the evaluation that knows which interval it has."""

    evaluation: Evaluation
    measure: Measure
    evidence: Any

    def at(self, evidence: Any) -> Estimate:
        """Return the estimate, by the same method and at the same level, on other evidence."""
        return self.evaluation.estimate_of(self.measure, evidence)

    @property
    def half_width(self) -> Callable[[float], float] | None:
        """Return what tells half the width of the interval on so many times as many cases like these."""
        is_of_folds = self.evaluation.fold_count is not None
        return None if is_of_folds else half_width_at(self.at, self.evidence)


@dataclass(frozen=True, eq=False)
class DifferenceBasis:
    """A difference of two classifiers on more cases; of shares of right answers also who was right, and the sign."""

    found: Difference
    right: PairedCorrectness | None = None
    sign: int = 1

    @property
    def half_width(self) -> Callable[[float], float] | None:
        """Return what tells half the width of the interval on so many times as many cases like these."""
        return None if self.found.forecast is None else self.found.forecast.half_width


Basis = EstimateBasis | DifferenceBasis


def half_as_wide(found: Estimate | Difference, basis: Basis | None, rows: int, *, clustered: bool) -> str:
    """What more rows would do. It looks at the width alone: the distance from the bound is itself a matter of luck."""
    now = (found.high - found.low) / 2
    factor = cases_factor(now, now / 2, None if basis is None else basis.half_width)
    where = ", in clusters of their own," if clustered else ""
    more = about(rows * (factor - 1))
    return (
        f"About {more:,} more rows like these{where} would make the interval half as wide; on which side of the bound "
        "it would then lie depends on the true value, which these rows leave open."
    )
