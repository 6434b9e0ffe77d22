"""Decision curves: is it better to act on the scores than on everyone or on no one?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.curves.curve import Drawable, Drawing, Ruler, Trace, need_between, need_probabilities
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.measures import ratio
from assay.request import checked_between
from assay.results import Table
from assay.types import Floats

# Below nothing gained the curve need not be followed far.
DEEPEST = -0.15


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Drawable):
    """Net benefit of acting on cases whose probability reaches a threshold (Vickers & Elkin, 2006).

    The threshold says how many needless actions one needed action is worth: at 0.2 it is four. `acted_rightly` and
    `acted_needlessly` are shares of all cases, at the `prevalence` stated.
    """

    threshold: Floats
    acted_rightly: Floats
    acted_needlessly: Floats
    prevalence: float

    def __repr__(self) -> str:
        return f"<Decision curve: {len(self.threshold):,} thresholds>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return bool(np.isfinite(self.net_benefit).any())

    @property
    def odds(self) -> Floats:
        """How much of a needed action a needless one costs."""
        return np.asarray(ratio(self.threshold, 1 - self.threshold))

    @property
    def net_benefit(self) -> Floats:
        """Needed actions a case, less needless ones at the price the threshold sets."""
        return self.acted_rightly - self.acted_needlessly * self.odds

    @property
    def act_on_all(self) -> Floats:
        """The net benefit of acting on everyone; acting on no one has none."""
        return self.prevalence - (1 - self.prevalence) * self.odds

    @property
    def standardised(self) -> Floats:
        """Net benefit as a share of the most there is, which is the prevalence."""
        return np.asarray(ratio(self.net_benefit, self.prevalence))

    @property
    def of_leaving(self) -> Floats:
        """The same for those left alone: rightly, less wrongly at the price the threshold sets (Rousson & Zumbrunn)."""
        left_rightly = (1 - self.prevalence) - self.acted_needlessly
        left_wrongly = self.prevalence - self.acted_rightly
        return np.asarray(left_rightly - left_wrongly * ratio(1.0, self.odds))

    @property
    def avoided(self) -> Floats:
        """Needless actions a case that acting on everyone would add, without a single positive more missed."""
        return np.asarray(ratio(self.net_benefit - self.act_on_all, self.odds))

    def table(self) -> Table:
        """Every threshold: net benefit of the scores and of acting on all, standardised, of leaving, and avoided."""
        columns = {
            "threshold": self.threshold,
            "acted_rightly": self.acted_rightly,
            "acted_needlessly": self.acted_needlessly,
            "net_benefit": self.net_benefit,
            "act_on_all": self.act_on_all,
            "standardised": self.standardised,
            "of_leaving": self.of_leaving,
            "avoided": self.avoided,
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Decision curve")

    def drawing(self) -> Drawing:
        """Net benefit of the scores, of acting on everyone and on no one."""
        ends = np.array([0.0, 1.0])
        return Drawing(
            name="decision_curve",
            title="Decision curve",
            x=Ruler("Threshold probability"),
            y=Ruler("Net benefit", (DEEPEST * self.prevalence, self.prevalence)),
            traces=(
                Trace(self.threshold, self.act_on_all, "reference", "act on all"),
                Trace(ends, np.zeros(2), "reference", "act on none"),
                Trace(self.threshold, self.net_benefit),
            ),
            points=len(self.threshold),
        )


def decision_curve(
    table: ScoreTable, thresholds: ArrayLike | None = None, *, prevalence: float | None = None
) -> DecisionCurve:
    """The decision curve of probabilities at these thresholds, or at every hundredth.

    With a `prevalence` the two classes are weighed as they will be met, not as they were sampled.

    >>> curve = decision_curve(ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True]), [0.2, 0.5])
    >>> curve.net_benefit.tolist(), curve.act_on_all.tolist()
    ([0.4375, 0.25], [0.375, 0.0])
    """
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    asked = np.arange(1, 100) / 100 if thresholds is None else np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    need_between(asked, "threshold")
    if (asked == 1).any():
        raise OptionError("threshold is 1", "a probability below 1, whose odds are finite")
    need_probabilities(table)
    called = table.swept().counts[len(table) - np.searchsorted(table.score, asked), :, 1]
    share = float(ratio(table.positives, table.total)) if prevalence is None else prevalence
    needless, right = (
        part * ratio(above, size) if part else np.zeros(len(asked))
        for part, above, size in zip((1 - share, share), called.T, (table.negatives, table.positives), strict=True)
    )
    return DecisionCurve(asked, right, needless, share)
