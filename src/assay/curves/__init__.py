"""Curves as data: what moving a threshold, going down a ranking, changing costs or rejecting cases does."""

from assay.curves._curve import Curve, Drawable, Quantity, Sweep
from assay.curves._drawing import Drawing, Ruler, Spot, Trace
from assay.curves.averaged import AveragedRoc, threshold_average, vertical_average
from assay.curves.cost_curves import (
    BrierCurve,
    CostCurve,
    brier_curve,
    cost_against_threshold,
    cost_curve,
    expected_cost,
)
from assay.curves.decision import DecisionCurve, decision_curve
from assay.curves.densities import ScoreDensities, score_densities
from assay.curves.points import RocPoints, roc_points
from assay.curves.ranked import (
    KsCurve,
    TopK,
    cumulative_gain,
    expected_at_k,
    ks_curve,
    lift_curve,
    precision_at_k,
    recall_at_k,
    top_k,
)
from assay.curves.reject import MarginCurve, augrc, aurc, confidence, excess_aurc, margin_curve, reject_curve
from assay.curves.risk_chart import RiskChart, amounts_at_stake, risk_chart
from assay.curves.threshold import (
    against_rest,
    against_threshold,
    det,
    fp_fn,
    precision_at_recall,
    precision_recall,
    precision_recall_gain,
    roc,
    sweep,
)

__all__ = [
    "AveragedRoc",
    "BrierCurve",
    "CostCurve",
    "Curve",
    "DecisionCurve",
    "Drawable",
    "Drawing",
    "KsCurve",
    "MarginCurve",
    "Quantity",
    "RiskChart",
    "RocPoints",
    "Ruler",
    "ScoreDensities",
    "Spot",
    "Sweep",
    "TopK",
    "Trace",
    "against_rest",
    "against_threshold",
    "amounts_at_stake",
    "augrc",
    "aurc",
    "brier_curve",
    "confidence",
    "cost_against_threshold",
    "cost_curve",
    "cumulative_gain",
    "decision_curve",
    "det",
    "excess_aurc",
    "expected_at_k",
    "expected_cost",
    "fp_fn",
    "ks_curve",
    "lift_curve",
    "margin_curve",
    "precision_at_k",
    "precision_at_recall",
    "precision_recall",
    "precision_recall_gain",
    "recall_at_k",
    "reject_curve",
    "risk_chart",
    "roc",
    "roc_points",
    "score_densities",
    "sweep",
    "threshold_average",
    "top_k",
    "vertical_average",
]
