"""Curves as data: what moving a threshold, going down a ranking, changing costs or rejecting cases does."""

from assay.curves._curve import Curve, Drawable, Quantity, whole
from assay.curves._drawing import Drawing, Ruler, Scale, Spot, Trace
from assay.curves._needs import need_probabilities
from assay.curves.averaged import AveragedRoc, HorizontalRoc, horizontal_average, threshold_average, vertical_average
from assay.curves.bands import (
    auc_bounds,
    roc_band,
    roc_rectangles,
    sensitivity_at,
    sensitivity_band,
    specificity_at,
    specificity_band,
)
from assay.curves.bands_bootstrap import curves_cross, roc_difference_band, roc_difference_bands
from assay.curves.bands_cases import net_benefit_band, precision_band, reject_band
from assay.curves.binormal import BinormalRoc, binormal_roc
from assay.curves.cost_curves import (
    BrierCurve,
    CostCurve,
    brier_curve,
    cost_against_threshold,
    cost_curve,
    relative_cost,
)
from assay.curves.cost_weights import CostWeights, cost_weights
from assay.curves.decision import DecisionCurve, decision_curve
from assay.curves.densities import ScoreDensities, score_densities
from assay.curves.dominance import Dominance, dominance
from assay.curves.hull import Hull, ScaledHull, Tangents, roc_hull
from assay.curves.p_value import PValuePicture, p_value_picture
from assay.curves.points import RocPoints, roc_points
from assay.curves.ranked import KsCurve, TopK, cumulative_gain, ks_curve, lift_curve, precision_at_k, recall_at_k, top_k
from assay.curves.reject import MarginCurve, augrc, aurc, confidence, excess_aurc, margin_curve, reject_curve
from assay.curves.risk_chart import RiskChart, amounts_at_stake, risk_chart
from assay.curves.roc_picture import DrawnBand, ErrorsPicture, RocPicture, errors_picture, roc_picture
from assay.curves.smoothed import SmoothRoc, smooth_roc
from assay.curves.surface import RocSurface, roc_surface
from assay.curves.threshold import (
    against_threshold,
    det,
    fp_fn,
    precision_at_recall,
    precision_recall,
    precision_recall_gain,
    roc,
    sweep,
)
from assay.uncertainty.curve_bands import Band

__all__ = [
    "AveragedRoc",
    "Band",
    "BinormalRoc",
    "BrierCurve",
    "CostCurve",
    "CostWeights",
    "Curve",
    "DecisionCurve",
    "Dominance",
    "Drawable",
    "Drawing",
    "DrawnBand",
    "ErrorsPicture",
    "HorizontalRoc",
    "Hull",
    "KsCurve",
    "MarginCurve",
    "PValuePicture",
    "Quantity",
    "RiskChart",
    "RocPicture",
    "RocPoints",
    "RocSurface",
    "Ruler",
    "Scale",
    "ScaledHull",
    "ScoreDensities",
    "SmoothRoc",
    "Spot",
    "Tangents",
    "TopK",
    "Trace",
    "against_threshold",
    "amounts_at_stake",
    "auc_bounds",
    "augrc",
    "aurc",
    "binormal_roc",
    "brier_curve",
    "confidence",
    "cost_against_threshold",
    "cost_curve",
    "cost_weights",
    "cumulative_gain",
    "curves_cross",
    "decision_curve",
    "det",
    "dominance",
    "errors_picture",
    "excess_aurc",
    "fp_fn",
    "horizontal_average",
    "ks_curve",
    "lift_curve",
    "margin_curve",
    "need_probabilities",
    "net_benefit_band",
    "p_value_picture",
    "precision_at_k",
    "precision_at_recall",
    "precision_band",
    "precision_recall",
    "precision_recall_gain",
    "recall_at_k",
    "reject_band",
    "reject_curve",
    "relative_cost",
    "risk_chart",
    "roc",
    "roc_band",
    "roc_difference_band",
    "roc_difference_bands",
    "roc_hull",
    "roc_picture",
    "roc_points",
    "roc_rectangles",
    "roc_surface",
    "score_densities",
    "sensitivity_at",
    "sensitivity_band",
    "smooth_roc",
    "specificity_at",
    "specificity_band",
    "sweep",
    "threshold_average",
    "top_k",
    "vertical_average",
    "whole",
]
