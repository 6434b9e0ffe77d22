"""The curves of an evaluation, each made when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import ArrayLike

from assay import curves
from assay.curves import Band, Curve, Hull
from assay.evidence import ClassScores, ScoreTable
from assay.results import Estimate

__all__ = ["Curves"]


@dataclass(frozen=True, eq=False, repr=False)
class Curves:
    """The curves there are for these scores: attributes for those that need nothing more, methods for the others.

    Of many classes, `against_rest(name)` gives the curves of one class against the rest; rejecting and margins need
    no such choice.

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0], [0.2, 0.6, 0.7, 0.4, 0.9, 0.1])
    >>> ev.curves.lift
    <Lift: 6 points>
    >>> ev.curves.against_threshold("f1").table().columns["f1"][-1]
    0.6666666666666666
    """

    scores: ScoreTable | None
    class_scores: ClassScores | None = None

    def __repr__(self) -> str:
        return f"<curves: {', '.join(name for name in dir(type(self)) if not name.startswith('_'))}>"

    @property
    def _table(self) -> ScoreTable:
        if self.scores is None:
            found = "there are only labels, or labels of more classes"
            if self.class_scores is not None:
                found = "there are more classes; take one: curves.against_rest(name)"
            raise ValueError(f"this curve needs scores of two classes, and {found}")
        return self.scores

    @property
    def _all_scores(self) -> ScoreTable | ClassScores:
        return self.class_scores if self.class_scores is not None else self._table

    def against_rest(self, name: str) -> Curves:
        """The curves of one of many classes against the rest."""
        if self.class_scores is None or name not in self.class_scores.classes:
            raise ValueError(f"there is no class {name!r} with scores of its own")
        return Curves(self.class_scores.against_rest(self.class_scores.classes.index(name)))

    @property
    def roc(self) -> Curve:
        """Recall against the false-positive rate."""
        return curves.roc(self._table)

    @property
    def precision_recall(self) -> Curve:
        """Precision against recall, exactly interpolated."""
        return curves.precision_recall(self._table)

    @property
    def precision_recall_gain(self) -> Curve:
        """The same as gains over always answering positive."""
        return curves.precision_recall_gain(self._table)

    @property
    def det(self) -> Curve:
        """Misses against false alarms on normal-deviate axes."""
        return curves.det(self._table)

    @property
    def fp_fn(self) -> Curve:
        """Numbers of false alarms and of misses."""
        return curves.fp_fn(self._table)

    @property
    def gain(self) -> Curve:
        """Share of the positives found against the share of cases called."""
        return curves.cumulative_gain(self._table)

    @property
    def lift(self) -> Curve:
        """How many times the prevalence the share of positives among those called is."""
        return curves.lift_curve(self._table)

    @property
    def ks(self) -> curves.KsCurve:
        """How the scores of either class are distributed, and where they differ most."""
        return curves.ks_curve(self._table)

    @property
    def cost(self) -> curves.CostCurve:
        """Drummond and Holte's cost curve: the least expected cost over all mixes of costs and classes."""
        return curves.cost_curve(self._table)

    @property
    def brier(self) -> curves.BrierCurve:
        """Expected cost when the cost share itself is the threshold; its area is the Brier score."""
        return curves.brier_curve(self._table)

    @property
    def densities(self) -> curves.ScoreDensities:
        """How the scores of either class are spread."""
        return curves.score_densities(self._table)

    @property
    def reject(self) -> Curve:
        """Accuracy of the rest when the least sure cases are handed on."""
        return curves.reject_curve(self._all_scores)

    @property
    def margin(self) -> curves.MarginCurve:
        """By how much the right class led, over all cases."""
        return curves.margin_curve(self._all_scores)

    @property
    def hull(self) -> Hull:
        """The convex hull of the ROC curve."""
        return curves.roc_hull({"": self._table})

    def decision(self, thresholds: ArrayLike | None = None, *, prevalence: float | None = None) -> curves.DecisionCurve:
        """Net benefit against the threshold probability, beside treating all and treating none."""
        return curves.decision_curve(self._table, thresholds, prevalence=prevalence)

    def expected_cost(self, **costs: Any) -> Curve:
        """What a case costs at every threshold, given what a false alarm (`fp`) and a miss (`fn`) cost."""
        return curves.cost_against_threshold(self._table, **costs)

    def top_k(self, k: ArrayLike | None = None) -> curves.TopK:
        """Precision and recall among the K highest scores."""
        return curves.top_k(self._table, k)

    def risk_chart(self, amounts: Any = None) -> curves.RiskChart:
        """Rattle's risk chart: what the highest scores catch, in cases and in money."""
        return curves.risk_chart(self._table, amounts)

    def against_threshold(self, measure: Any) -> Curve:
        """Any measure of decisions at every threshold."""
        return curves.against_threshold(measure)(self._table)

    def sweep(self, x: Any, y: Any) -> Curve:
        """Any measure of decisions against any other, as the threshold moves."""
        return curves.sweep(x, y)(self._table)

    def roc_band(self, level: float = 0.95, *, kind: Literal["pointwise", "simultaneous"] = "simultaneous") -> Band:
        """Where the true ROC curve lies: at each point, or everywhere at once."""
        return curves.roc_band(self._table, level, kind=kind)

    def precision_band(self, level: float = 0.95) -> Band:
        """Where the true precision lies at each recall."""
        return curves.precision_band(self._table, level)

    def reject_band(self, level: float = 0.95) -> Band:
        """Where the true accuracy of the rest lies at each share rejected."""
        return curves.reject_band(curves.confidence(self._all_scores), level)

    def net_benefit_band(self, level: float = 0.95, *, prevalence: float | None = None) -> Band:
        """Where the true net benefit lies at each threshold probability."""
        return curves.net_benefit_band(self._table, level, prevalence=prevalence)

    def sensitivity_at(self, specificity: float, level: float = 0.95) -> Estimate:
        """Recall at the threshold that keeps this specificity; the threshold is estimated too."""
        return curves.sensitivity_at(self._table, specificity, level)

    def specificity_at(self, recall: float, level: float = 0.95) -> Estimate:
        """Specificity at the threshold that keeps this recall; the threshold is estimated too."""
        return curves.specificity_at(self._table, recall, level)
