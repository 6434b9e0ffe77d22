"""Which costs a number about scores averages over: the weight that the AUC gives to each, beside that of Hand's H."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from assay.curves._curve import Drawable
from assay.curves._drawing import Drawing, Ruler, Trace
from assay.evidence import ScoreTable
from assay.measures import ratio
from assay.results import Table
from assay.types import Floats

# Equal parts of the axis in which the weight of the AUC is added up to be drawn.
PARTS = 20
DRAWN = 101


@dataclass(frozen=True, eq=False, repr=False)
class CostWeights(Drawable):
    """How much weight the AUC and the H measure give to what a false alarm may cost (Hand, 2009).

    Both average the least loss over the share of the cost that a false alarm carries. H uses one distribution for every
    classifier, Beta(1 + prevalence, 2 - prevalence). The AUC (of the hull) uses that of the classifier's own calibrated
    probabilities: at each of `cost` the `mass` of the cases that the hull puts there. So the AUCs of two classifiers
    average over different costs.
    """

    cost: Floats
    mass: Floats
    prevalence: float

    def __repr__(self) -> str:
        return f"<Weights over costs: {len(self.cost):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return len(self.cost) > 0

    @property
    def beta(self) -> tuple[float, float]:
        """The two parameters of the H measure's distribution."""
        return 1 + self.prevalence, 2 - self.prevalence

    @property
    def medians(self) -> tuple[float, float]:
        """The share of the cost below which half of the weight lies: the AUC's, then that of H."""
        # Sums of shares reach a half a rounding late.
        place = int((np.cumsum(self.mass) < 0.5 - 1e-12).sum())
        return float(self.cost[place]), float(betaincinv(*self.beta, 0.5))

    def below(self, cost: ArrayLike) -> tuple[Floats, Floats]:
        """How much of the weight lies at or below each cost: of the AUC, then of H."""
        at = np.asarray(cost, dtype=np.float64)
        sums = np.concatenate(([0.0], np.cumsum(self.mass)))
        return sums[np.searchsorted(self.cost, at, side="right")], betainc(*self.beta, at)

    def table(self) -> Table:
        """How much of the weight lies at or below each twentieth of the axis.

        >>> weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0]))
        >>> [round(share, 3) for share in weights.table().columns["auc_below"][::5]]
        [0.5, 0.5, 0.833, 0.833, 1.0]
        """
        ends = np.linspace(0, 1, PARTS + 1)
        of_auc, of_h = self.below(ends)
        columns = {"cost": ends, "auc_below": of_auc, "h_below": of_h}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Weights over costs")

    def drawing(self) -> Drawing:
        """The AUC's weight, added up in twentieths of the axis, and the smooth one of H."""
        ends = np.linspace(0, 1, PARTS + 1)
        of_auc = PARTS * self._parts()
        smooth = np.linspace(0, 1, DRAWN)
        edges = np.clip([smooth - 0.5 / DRAWN, smooth + 0.5 / DRAWN], 0, 1)
        low, high = betainc(*self.beta, edges)
        return Drawing(
            name="cost_weights",
            title="Weights over costs",
            x=Ruler("Share of the cost that a false alarm carries"),
            y=Ruler("Weight", (0.0, float(max(of_auc.max(), 2.0)))),
            traces=(
                Trace(smooth, (high - low) / (edges[1] - edges[0]), "negatives", "H measure"),
                Trace(np.repeat(ends, 2), np.concatenate(([0.0], np.repeat(of_auc, 2), [0.0])), "positives", "AUC"),
            ),
            points=len(self.cost),
        )

    def _parts(self) -> Floats:
        """The AUC's weight in each part; what lies on an end counts below it, and what lies at 0 in the first."""
        of_auc = np.diff(self.below(np.linspace(0, 1, PARTS + 1))[0])
        of_auc[0] += self.below(0.0)[0]
        return of_auc


def cost_weights(table: ScoreTable) -> CostWeights:
    """The weights that the AUC and the H measure of scores give to what a false alarm may cost.

    >>> weights = cost_weights(ScoreTable.of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 0]))
    >>> weights.cost.tolist(), weights.mass.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.5, 0.333, 0.167])
    """
    if not (table.negatives > 0 and table.positives > 0):
        return CostWeights(np.zeros(0), np.zeros(0), float(ratio(table.positives, table.total)))
    swept, corners = table.swept(), table.hull_corners
    positives, negatives = np.diff(swept.tp[corners]), np.diff(swept.fp[corners])
    of_both = positives + negatives
    # The hull runs from the highest scores down, costs are told from the lowest up.
    cost, mass = ratio(positives, of_both)[::-1], ratio(of_both, table.total)[::-1]
    return CostWeights(cost, mass, float(ratio(table.positives, table.total)))
