"""The curves of an evaluation, each made when it is asked for.

Cross-validated predictions: each fold was scored by a model of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from assay import curves
from assay.curves import Curve, Hull
from assay.errors import OptionError, UnknownAttribute, UnknownName
from assay.evaluation.attributes import misspelt
from assay.evidence import ClassScores, DecidedRows, ScoreTable, SummedClasses
from assay.measures import Measure
from assay.renderers import in_notebook
from assay.request import checked_choice, checked_positive
from assay.results import Estimate, Interval, Table
from assay.types import Floats
from assay.uncertainty import cross_validated_auc, widened_level

__all__ = ["OF_FOLDS", "WIDENED", "ClassCurves", "Curves", "cross_validated", "tables_of_folds", "widened"]


OF_FOLDS, WIDENED = "the models of these folds", "widened for folds"


def tables_of_folds(rows: DecidedRows, whole: ScoreTable) -> list[ScoreTable]:
    """The scores of each fold by themselves; none without folds, or where rows depend on one another."""
    if rows.fold is None or rows.score is None or rows.cluster is not None:
        return []
    weights = {"weight": rows.weight, "count": rows.count}
    return [
        ScoreTable.of(
            rows.score[here],
            rows.truth[here] == 1,
            whole.classes,
            **{name: None if values is None else values[here] for name, values in weights.items()},
        )
        for here in (rows.fold == fold for fold in range(int(rows.fold.max()) + 1))
    ]


def cross_validated(measure: Measure, folds: Sequence[ScoreTable], n: float, level: float) -> Estimate:
    """The mean over folds of a share of pairs: an estimate about the models of these folds, not of one classifier."""
    auc, found = cross_validated_auc(folds, level)
    assert measure.pairs is not None
    value, low, high = (measure.pairs.scale * part + measure.pairs.shift for part in (auc, found.low, found.high))
    se = None if found.se is None else measure.pairs.scale * found.se
    return Estimate(measure.name, value, low, high, level, found.method, n, OF_FOLDS, found.undefined, se)


def widened(find: Callable[[float], Estimate], level: float, folds: int) -> Estimate:
    """An estimate of pooled folds with the interval that holds for their models, found at a level further out."""
    found = find(widened_level(level, folds))
    method = found.method if math.isnan(found.low) else f"{found.method}, {WIDENED}"
    return replace(found, level=level, method=method, target=OF_FOLDS)


@dataclass(frozen=True, eq=False, repr=False)
class Curves:
    """The curves there are for scores of two classes: attributes for those that need no more, methods for the others.

    >>> import assay
    >>> ev = assay.evaluate([0, 0, 1, 1, 1, 0], [0.2, 0.6, 0.7, 0.4, 0.9, 0.1])
    >>> ev.curves.lift
    <Lift: 6 points>
    >>> ev.curves.against_threshold("f1").table().columns["f1"][-1]
    0.6666666666666666
    """

    scores: ScoreTable
    # The cases behind the scores, where there are any.
    rows: DecidedRows | None = None

    _repr_html_ = in_notebook

    def __repr__(self) -> str:
        return _curve_names(self)

    @property
    def roc(self) -> Curve:
        """Recall against the false-positive rate."""
        return curves.roc(self.scores)

    @property
    def precision_recall(self) -> Curve:
        """Precision against recall, exactly interpolated."""
        return curves.precision_recall(self.scores)

    @property
    def precision_recall_gain(self) -> Curve:
        """The same as gains over always answering positive."""
        return curves.precision_recall_gain(self.scores)

    @property
    def det(self) -> Curve:
        """Misses against false alarms on normal-deviate axes."""
        return curves.det(self.scores)

    @property
    def fp_fn(self) -> Curve:
        """Numbers of false alarms and of misses."""
        return curves.fp_fn(self.scores)

    def errors_picture(self, ratio: float = 1.0) -> curves.ErrorsPicture:
        """False positives against false negatives with the line of equal cost that touches them, of slope -ratio: a
        false negative is worth `ratio` false positives."""
        return curves.errors_picture(self.scores, ratio)

    @property
    def gain(self) -> Curve:
        """Share of the positives found against the share of cases called."""
        return curves.cumulative_gain(self.scores)

    @property
    def lift(self) -> Curve:
        """How many times the prevalence the share of positives among those called is."""
        return curves.lift_curve(self.scores)

    @property
    def ks(self) -> curves.KsCurve:
        """How the scores of either class are distributed, and where they differ most."""
        return curves.ks_curve(self.scores)

    @property
    def cost(self) -> curves.CostCurve:
        """Drummond and Holte's cost curve: the least expected cost over all mixes of costs and classes."""
        return curves.cost_curve(self.scores)

    @property
    def cost_weights(self) -> curves.CostWeights:
        """Which costs the AUC averages over, beside those of Hand's H measure."""
        return curves.cost_weights(self.scores)

    @property
    def brier(self) -> curves.BrierCurve:
        """Expected cost when the cost share itself is the threshold; its area is the Brier score."""
        return curves.brier_curve(self.scores)

    @property
    def densities(self) -> curves.ScoreDensities:
        """How the scores of either class are spread."""
        return curves.score_densities(self.scores)

    @property
    def reject(self) -> Curve:
        """Accuracy of the rest when the least sure cases are handed on."""
        return curves.reject_curve(self.scores)

    @property
    def margin(self) -> curves.MarginCurve:
        """By how much the right class led, over all cases."""
        return curves.margin_curve(self.scores)

    @property
    def hull(self) -> Hull:
        """The convex hull of the ROC curve."""
        return curves.roc_hull({"": self.scores})

    def decision(self, thresholds: ArrayLike | None = None, *, prevalence: float | None = None) -> curves.DecisionCurve:
        """Net benefit against the threshold probability, beside treating all and treating none."""
        return curves.decision_curve(self.scores, thresholds, prevalence=prevalence)

    def expected_cost(self, *, fp: float, fn: float, prevalence: float | None = None) -> Curve:
        """What a case costs at every threshold, given what a false alarm (`fp`) and a miss (`fn`) cost."""
        return curves.cost_against_threshold(self.scores, fp=fp, fn=fn, prevalence=prevalence)

    def top_k(self, k: ArrayLike | None = None) -> curves.TopK:
        """Precision and recall among the K highest scores."""
        return curves.top_k(self.scores, k)

    def risk_chart(self, amounts: Any = None) -> curves.RiskChart:
        """Rattle's risk chart: what the highest scores catch, in cases and in money.

        `amounts` is an amount for each case, counted as often as its weight or count says; without it, those that the
        predictions hold.
        """
        of_rows: Any = None if self.rows is None else self.rows.amount
        if isinstance(amounts, ScoreTable) or (amounts is None and of_rows is None):
            return curves.risk_chart(self.scores, amounts)
        if self.rows is None or self.rows.score is None:
            raise OptionError("there are no rows that the amounts belong to", "predictions of each case")
        held = of_rows if amounts is None else amounts
        times = [each for each in (self.rows.weight, self.rows.count) if each is not None]
        staked = curves.amounts_at_stake(self.rows.score, self.rows.truth == 1, held, *times)
        return curves.risk_chart(self.scores, staked)

    def against_threshold(self, measure: Any) -> Curve:
        """Any measure of decisions at every threshold."""
        return curves.against_threshold(measure)(self.scores)

    def sweep(self, x: Any, y: Any) -> Curve:
        """Any measure of decisions against any other, as the threshold moves."""
        return curves.sweep(x, y)(self.scores)

    def rejecting(self, threshold: float) -> Curve:
        """Accuracy of the rest when cases nearest to a threshold are handed on: for scores of any scale."""
        return curves.reject_curve(self.scores, threshold=threshold)

    def binormal(self, level: float = 0.95) -> curves.BinormalRoc:
        """The binormal ROC curve by maximum likelihood, of ratings or of scores, with its area, interval and band."""
        return curves.binormal_roc(self.scores, level)

    def smooth(
        self, method: str = "kernel", *, bandwidth: float | None = None, level: float = 0.95
    ) -> curves.SmoothRoc:
        """A smooth ROC curve by "kernel", "normal" classes or a "regression" on normal deviates, as pROC smooths."""
        return curves.smooth_roc(self.scores, method, bandwidth=bandwidth, level=level)

    def fold_average(
        self, how: str = "vertical", *, points: int = 101, ties: str | None = None
    ) -> curves.AveragedRoc | curves.HorizontalRoc:
        """The mean of the folds' ROC curves: at equal false-positive rates ("vertical"), at equal recalls
        ("horizontal") or at equal scores ("threshold")."""
        checked_choice(how, ("vertical", "horizontal", "threshold"), "how")
        folds = [] if self.rows is None else tables_of_folds(self.rows, self.scores)
        if not folds:
            found = "fold is not given, and the mean is over cross-validation folds"
            raise OptionError(found, "the fold of each case, and no clusters", about="fold")
        if how == "threshold":
            return curves.threshold_average(folds)
        average = curves.vertical_average if how == "vertical" else curves.horizontal_average
        return average(folds, points, ties=ties)

    def roc_picture(
        self,
        *,
        hull: bool = True,
        tangent: float | None = None,
        ratio: float | None = None,
        band: Literal["pointwise", "simultaneous"] | None = None,
        perfect: bool = False,
        useless: bool = True,
        level: float = 0.95,
    ) -> curves.RocPicture:
        """The ROC curve with its hull, a band, the perfect and the useless classifier, and the line of equal cost that
        touches it: of the slope `tangent`, or where a miss costs `ratio` false alarms."""
        if tangent is not None and ratio is not None:
            raise OptionError("both tangent and ratio are given", "one of them")
        if ratio is not None:
            share = float(self.scores.positives / self.scores.total)
            tangent = (1 - share) / (share * checked_positive(ratio, "ratio"))
        limits = None if band is None else curves.roc_band(self.scores, level, kind=band)
        own, looks = self.hull, {"perfect": perfect, "useless": useless}
        return curves.roc_picture(self.scores, own, tangent=tangent, band=limits, show_hull=hull, **looks)

    def roc_band(
        self,
        level: float = 0.95,
        *,
        kind: Literal["pointwise", "simultaneous"] = "simultaneous",
        method: str | None = None,
    ) -> curves.DrawnBand:
        """Where the true ROC curve lies: at each point, or everywhere at once.

        A simultaneous band is made by "likelihood balls" unless `method` names "equal local levels",
        "Kolmogorov-Smirnov" or "bootstrap".
        """
        return curves.DrawnBand.of(curves.roc_band(self.scores, level, kind=kind, method=method))

    def precision_band(self, level: float = 0.95) -> curves.DrawnBand:
        """Where the true precision lies at each recall."""
        return curves.DrawnBand.of(curves.precision_band(self.scores, level))

    def reject_band(self, level: float = 0.95, *, threshold: float | None = None) -> curves.DrawnBand:
        """Where the true accuracy of the rest lies at each share rejected; with a `threshold`, of any scores."""
        return curves.DrawnBand.of(curves.reject_band(curves.confidence(self.scores, threshold=threshold), level))

    def net_benefit_band(self, level: float = 0.95, *, prevalence: float | None = None) -> curves.DrawnBand:
        """Where the true net benefit lies at each threshold probability."""
        return curves.DrawnBand.of(curves.net_benefit_band(self.scores, level, prevalence=prevalence))

    def sensitivity_band(self, specificities: ArrayLike, level: float = 0.95) -> curves.DrawnBand:
        """Recall at each of many fixed specificities, with limits for each by itself."""
        return curves.DrawnBand.of(curves.sensitivity_band(self.scores, specificities, level))

    def specificity_band(self, recalls: ArrayLike, level: float = 0.95) -> curves.DrawnBand:
        """Specificity at each of many fixed recalls, with limits for each by itself."""
        return curves.DrawnBand.of(curves.specificity_band(self.scores, recalls, level))

    def auc_bounds(self, level: float = 0.95, *, method: str | None = None) -> Interval:
        """The smallest and largest area of a curve inside an exact simultaneous ROC band: wide, free of assumptions."""
        return curves.auc_bounds(self.scores, level, method=method)

    def roc_rectangles(self, level: float = 0.95, *, at: ArrayLike | None = None) -> Table:
        """Around the ROC point of each threshold a rectangle that holds the true point."""
        return curves.roc_rectangles(self.scores, level, at=at)

    def precision_at_k(self, k: ArrayLike) -> Floats:
        """Share of positives among the k cases of the highest scores, tied ones in any order."""
        return curves.precision_at_k(self.scores, k)

    def reject_areas(self, *, threshold: float | None = None) -> dict[str, float]:
        """The areas under the reject curve: of errors, in excess of the best order, and of errors accepted."""
        return _reject_areas(self.reject if threshold is None else self.rejecting(threshold))

    def sensitivity_at(self, specificity: float, level: float = 0.95) -> Estimate:
        """Recall at the threshold that keeps this specificity; the threshold is estimated too."""
        return curves.sensitivity_at(self.scores, specificity, level)

    def specificity_at(self, recall: float, level: float = 0.95) -> Estimate:
        """Specificity at the threshold that keeps this recall; the threshold is estimated too."""
        return curves.specificity_at(self.scores, recall, level)


@dataclass(frozen=True, eq=False, repr=False)
class ClassCurves:
    """The curves of more than two classes: rejecting and margins look at all, the others at one against the rest.

    >>> import assay
    >>> ev = assay.evaluate(["a", "b", "c"], y_proba=[[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.4, 0.4, 0.2]])
    >>> ev.curves.against_rest("a").lift
    <Lift: 3 points>
    """

    class_scores: ClassScores | SummedClasses

    _repr_html_ = in_notebook

    if not TYPE_CHECKING:  # a type checker knows every attribute there is

        def __getattr__(self, name: str) -> NoReturn:
            if name.startswith("_") or not hasattr(Curves, name):
                raise misspelt(self, name, "there is no curve named")
            called = "(...)" if callable(getattr(Curves, name)) else ""
            instead = f"curves.against_rest({self.class_scores.classes[-1]!r}).{name}{called}"
            raise UnknownAttribute(f"there are {len(self.class_scores.classes)} classes and {name} is of two", instead)

    def __repr__(self) -> str:
        return _curve_names(self)

    def against_rest(self, name: str) -> Curves:
        """The curves of one of many classes against the rest."""
        known = self.class_scores.classes
        if name not in known:
            raise UnknownName(f"there is no class {name!r}", f"one of {', '.join(map(repr, known))}")
        return Curves(self.class_scores.against_rest(known.index(name)))

    @property
    def reject(self) -> Curve:
        """Accuracy of the rest when the least sure cases are handed on."""
        return curves.reject_curve(self.class_scores)

    @property
    def margin(self) -> curves.MarginCurve:
        """By how much the right class led, over all cases."""
        return curves.margin_curve(self.class_scores)

    @property
    def surface(self) -> curves.RocSurface:
        """The ROC surface of three classes, given in their order, by each case's mean class."""
        scores = self.class_scores
        if isinstance(scores, SummedClasses):
            raise OptionError("the ROC surface looks at all scores of each case, and evidence has none", "the rows")
        if len(scores.classes) != 3 or scores.is_weighted or scores.count is not None or scores.cluster is not None:
            raise OptionError("the ROC surface is of single, independent cases of three classes", "such cases")
        first, second, third = scores.classes
        return curves.roc_surface(scores.probability @ np.arange(3), scores.truth, classes=(first, second, third))

    def reject_band(self, level: float = 0.95) -> curves.DrawnBand:
        """Where the true accuracy of the rest lies at each share rejected."""
        return curves.DrawnBand.of(curves.reject_band(curves.confidence(self.class_scores), level))

    def reject_areas(self) -> dict[str, float]:
        """The areas under the reject curve: of errors, in excess of the best order, and of errors accepted."""
        return _reject_areas(self.reject)


def _reject_areas(curve: Curve) -> dict[str, float]:
    return {"aurc": curves.aurc(curve), "excess_aurc": curves.excess_aurc(curve), "augrc": curves.augrc(curve)}


def _curve_names(held: Curves | ClassCurves) -> str:
    return f"<curves: {', '.join(name for name in dir(type(held)) if not name.startswith('_'))}>"
