"""Curves over costs: what a threshold costs, and which one costs least, while costs and prevalence vary.

Which costs a number about scores averages over: the weight that the AUC gives to each, beside that of Hand's H.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv

from assay.curves.curve import Curve, Drawable, Drawing, Quantity, Ruler, Trace, need_probabilities, stepped
from assay.curves.threshold import against_threshold, line
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import ratio
from assay.request import checked_between
from assay.results import Table
from assay.types import Floats

# Of the lines that a cost curve is made of, so many are drawn.
MOST_LINES = 40


@dataclass(frozen=True, eq=False, repr=False)
class CostCurve(Drawable):
    """For each threshold a line: its expected cost as the weight of misses runs from 0 to all (Drummond & Holte, 2006).

    At x, misses carry x of the cost and false alarms the rest: x = p c_miss / (p c_miss + (1 - p) c_alarm) at
    prevalence p. Cost is a share of the most that always being wrong could cost. `best` are the lines that cost least
    somewhere, in the order in which they do.
    """

    threshold: Floats
    fpr: Floats
    fnr: Floats
    best: NDArray[np.intp]

    def __repr__(self) -> str:
        return f"<Cost curve: {len(self.threshold):,} lines, {len(self.best):,} of them best somewhere>"

    @property
    def is_defined(self) -> bool:
        """Whether both classes are present."""
        return len(self.best) > 0

    @property
    def envelope(self) -> tuple[Floats, Floats]:
        """The corners of the least cost: where the best threshold changes, and what it costs there."""
        x, cost = self._changes
        # A threshold that is the best at one end of the axis alone has its corner there.
        corners = np.append(np.diff(x) > 0, True)
        return x[corners], cost[corners]

    @property
    def _changes(self) -> tuple[Floats, Floats]:
        """Where each of the best thresholds begins to be it, then the end of the axis; and the least cost there."""
        fpr, fnr = self.fpr[self.best], self.fnr[self.best]
        alarms, misses = np.diff(fpr), -np.diff(fnr)
        x = np.concatenate(([0.0], alarms / (alarms + misses), [1.0]))
        # Just before a corner the line that ends there is still the best.
        return x, np.append(0.0, fpr * (1 - x[1:]) + fnr * x[1:])

    def at(self, x: ArrayLike) -> Floats:
        """The least cost that any threshold reaches at x."""
        cost: Floats = np.interp(np.asarray(x, dtype=np.float64), *self.envelope)
        return cost

    def table(self) -> Table:
        """For each threshold that is best somewhere: from where to where, and its two rates.

        >>> print(cost_curve(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).table())
        best_from  best_to  threshold    fpr    fnr  cost_from  cost_to
            0.000    0.000        inf  0.000  1.000      0.000    0.000
            0.000    0.667      0.900  0.000  0.500      0.000    0.333
            0.667    1.000      0.400  1.000  0.000      0.333    0.000
        """
        x, cost = self._changes
        columns = {
            "best_from": x[:-1],
            "best_to": x[1:],
            "threshold": self.threshold[self.best],
            "fpr": self.fpr[self.best],
            "fnr": self.fnr[self.best],
            "cost_from": cost[:-1],
            "cost_to": cost[1:],
        }
        return Table({name: values.tolist() for name, values in columns.items()}, title="Cost curve")

    def drawing(self) -> Drawing:
        """The least cost over some of the lines it is made of, and the two answers that look at no case."""
        x, cost = self.envelope
        some = self.best[np.linspace(0, len(self.best) - 1, min(len(self.best), MOST_LINES)).astype(np.intp)]
        ends = np.array([0.0, 1.0])
        lines = [Trace(ends, np.array([self.fpr[i], self.fnr[i]]), "faint") for i in some]
        return Drawing(
            name="cost_curve",
            title="Cost curve",
            x=Ruler("Share of the cost that misses carry"),
            y=Ruler("Expected cost", (0.0, 0.5)),
            traces=(
                *lines,
                line((0, 0), (1, 1), "never positive"),
                line((0, 1), (1, 0), "always positive"),
                Trace(x, cost),
            ),
            points=len(x),
        )


def cost_curve(table: ScoreTable) -> CostCurve:
    """The cost curve of scores: every threshold's line, and which of them cost least where.

    >>> cost_curve(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])).at([0.25, 0.5]).tolist()
    [0.125, 0.25]
    """
    matrix = table.swept()
    fpr, fnr = ratio(matrix.fp, matrix.negatives), ratio(matrix.fn, matrix.positives)
    has_both = bool(table.negatives > 0 and table.positives > 0)
    best = table.hull_corners if has_both else np.zeros(0, dtype=np.intp)
    return CostCurve(table.thresholds(), fpr, fnr, best)


def expected_cost(
    *, fp: float, fn: float, tp: float = 0.0, tn: float = 0.0, prevalence: float | None = None
) -> Quantity:
    """What a case costs on average at a threshold, given what each outcome costs (gains are negative costs).

    With a `prevalence` the two classes are weighed as they will be met, not as they were sampled.

    >>> cost = expected_cost(fp=1, fn=10, prevalence=0.02)
    >>> cost(ConfusionMatrix.binary(tp=40, fn=10, fp=5, tn=45)).round(3).item()
    0.138
    """
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)

    def formula(matrix: ConfusionMatrix) -> Any:
        if prevalence is None:
            return ratio(fp * matrix.fp + fn * matrix.fn + tp * matrix.tp + tn * matrix.tn, matrix.total)
        of_negatives = ratio(fp * matrix.fp + tn * matrix.tn, matrix.negatives)
        of_positives = ratio(fn * matrix.fn + tp * matrix.tp, matrix.positives)
        return (1 - prevalence) * of_negatives + prevalence * of_positives

    costs = (fp, fn, tp, tn)
    return Quantity("expected_cost", "Expected cost", formula, (min(costs), max(costs)))


def cost_against_threshold(table: ScoreTable, *, fp: float, fn: float, prevalence: float | None = None) -> Curve:
    """What a case costs on average at every threshold.

    >>> table = ScoreTable.of([0.9, 0.8, 0.4], [True, False, True])
    >>> cost_against_threshold(table, fp=1, fn=2).y.round(3).tolist()
    [1.333, 0.667, 1.0, 0.333]
    """
    return against_threshold(expected_cost(fp=fp, fn=fn, prevalence=prevalence))(table)


def relative_cost(table: ScoreTable, *, ratio: float, prevalence: float) -> Curve:
    """The cost at every threshold divided by that of the cheaper constant answer, where a miss costs `ratio`.

    >>> relative_cost(ScoreTable.of([0.9, 0.8, 0.4], [True, False, True]), ratio=1.0, prevalence=2 / 3).y.round(6)
    array([2., 1., 2., 1.])
    """
    unit = float(table.total) * min(ratio * prevalence, 1 - prevalence)

    def formula(matrix: ConfusionMatrix) -> Any:
        return (matrix.fp + ratio * matrix.fn) / unit

    return against_threshold(Quantity("cost", "Cost, best constant answer = 1", formula, (0.0, np.inf)))(table)


@dataclass(frozen=True, eq=False, repr=False)
class BrierCurve(Drawable):
    """What acting on probabilities costs for each cost ratio, if the threshold is set as that ratio asks.

    At x, a false alarm costs 2x and a miss 2(1 - x), and x is the threshold. The area below is the Brier score
    (Hernandez-Orallo, Flach & Ferri, 2011); `least` is what the best threshold would have cost there.
    """

    x: Floats
    cost: Floats
    least: Floats

    def __repr__(self) -> str:
        return f"<Brier curve: {len(self.x):,} points>"

    @property
    def is_defined(self) -> bool:
        """Whether there is a cost at every place."""
        return bool(np.isfinite(self.cost).all())

    @property
    def area(self) -> float:
        """The area below, which is the Brier score (at the prevalence given)."""
        return float(np.trapezoid(self.cost, self.x))

    def table(self) -> Table:
        """Share of the cost that a false alarm carries, the cost there, and the least possible."""
        columns = {"alarm_share": self.x, "cost": self.cost, "least_cost": self.least}
        return Table({name: values.tolist() for name, values in columns.items()}, title="Brier curve")

    def drawing(self) -> Drawing:
        """What the probabilities cost, and what the best thresholds would have."""
        return Drawing(
            name="brier_curve",
            title="Brier curve",
            x=Ruler("Share of the cost that a false alarm carries"),
            y=Ruler("Cost", None),
            traces=(
                Trace(self.x, self.least, "negatives", "best thresholds"),
                Trace(self.x, self.cost, "positives", "as scored"),
            ),
            points=len(self.x),
        )


def brier_curve(table: ScoreTable, prevalence: float | None = None) -> BrierCurve:
    """The Brier curve of probabilities, as sampled or at a prevalence of your own.

    >>> from assay.measures import brier
    >>> table = ScoreTable.of([0.1, 0.3, 0.4, 0.8], [False, True, False, True])
    >>> round(brier_curve(table).area, 6), brier(table).round(6).item()
    (0.175, 0.175)
    """
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    need_probabilities(table)
    share = float(ratio(table.positives, table.total)) if prevalence is None else prevalence
    lines = cost_curve(table)
    threshold = table.thresholds()
    x, alarms = stepped(threshold, np.nan_to_num(lines.fpr) * (1 - share))
    misses = stepped(threshold, np.nan_to_num(lines.fnr) * share)[1]
    weight = share * (1 - x) + (1 - share) * x
    place = ratio(share * (1 - x), weight)
    least = 2 * weight * lines.at(np.nan_to_num(place)) if lines.is_defined else np.zeros(len(x))
    return BrierCurve(x, 2 * (x * alarms + (1 - x) * misses), least)


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
