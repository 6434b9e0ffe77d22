"""Calibration: are the probabilities right? Statistics, tests, curves and repair, all from the score table."""

from assay.calibration.bands import CalibrationBand, confidence_band, consistency_band, miscalibration_test
from assay.calibration.belt import CalibrationBelt, calibration_belt
from assay.calibration.brier_parts import (
    BrierParts,
    CovarianceParts,
    PartErrors,
    covariance_parts,
    murphy_part_errors,
    murphy_parts,
    spherical_score,
)
from assay.calibration.drawings import (
    CalibrationFunction,
    CovarianceGraph,
    ReliabilityDiagram,
    calibration_function,
    covariance_graph,
    reliability_diagram,
)
from assay.calibration.effect import RecalibrationEffect, cross_fitted_effect, recalibration_effect
from assay.calibration.errors import CalibrationError, debiased_error, ece, ece_in_cells, ece_sweep, mce
from assay.calibration.groups import Groups, by_score, cut_at, equal_size, equal_width, of_sizes, quantile_cuts
from assay.calibration.isotonic import CorpParts, IsotonicFit, corp_parts, isotonic_fit
from assay.calibration.large import CoxLine, bias, bias_test, cox, observed_to_expected
from assay.calibration.many import classwise_ece, confidence_ece, confidence_table, top_label_ece
from assay.calibration.misfit import MisfitRanges, misfit_ranges
from assay.calibration.murphy import MurphyCurve, MurphyDifference, cheapest, murphy_curve, murphy_difference
from assay.calibration.recalibration import RECALIBRATIONS, Recalibration, fit_tilt
from assay.calibration.recalibration_of_many import (
    ClassRecalibration,
    cross_fitted_of_many,
    effect_on_many,
    fit_many,
)
from assay.calibration.smooth import SmoothCurve, smooth_curve
from assay.calibration.tests import BrierTest, HosmerLemeshow, brier_test, hosmer_lemeshow, in_the_large_test

__all__ = [
    "RECALIBRATIONS",
    "BrierParts",
    "BrierTest",
    "CalibrationBand",
    "CalibrationBelt",
    "CalibrationError",
    "CalibrationFunction",
    "ClassRecalibration",
    "CorpParts",
    "CovarianceGraph",
    "CovarianceParts",
    "CoxLine",
    "Groups",
    "HosmerLemeshow",
    "IsotonicFit",
    "MisfitRanges",
    "MurphyCurve",
    "MurphyDifference",
    "PartErrors",
    "Recalibration",
    "RecalibrationEffect",
    "ReliabilityDiagram",
    "SmoothCurve",
    "bias",
    "bias_test",
    "brier_test",
    "by_score",
    "calibration_belt",
    "calibration_function",
    "cheapest",
    "classwise_ece",
    "confidence_band",
    "confidence_ece",
    "confidence_table",
    "consistency_band",
    "corp_parts",
    "covariance_graph",
    "covariance_parts",
    "cox",
    "cross_fitted_effect",
    "cross_fitted_of_many",
    "cut_at",
    "debiased_error",
    "ece",
    "ece_in_cells",
    "ece_sweep",
    "effect_on_many",
    "equal_size",
    "equal_width",
    "fit_many",
    "fit_tilt",
    "hosmer_lemeshow",
    "in_the_large_test",
    "isotonic_fit",
    "mce",
    "miscalibration_test",
    "misfit_ranges",
    "murphy_curve",
    "murphy_difference",
    "murphy_part_errors",
    "murphy_parts",
    "observed_to_expected",
    "of_sizes",
    "quantile_cuts",
    "recalibration_effect",
    "reliability_diagram",
    "smooth_curve",
    "spherical_score",
    "top_label_ece",
]
