"""Calibration: are the probabilities right? Statistics, tests, curves and repair, all from the score table."""

from typing import TYPE_CHECKING

from assay.calibration.belt import CalibrationBelt, calibration_belt
from assay.calibration.decomposition import (
    BrierParts,
    CovarianceParts,
    PartErrors,
    covariance_parts,
    murphy_part_errors,
    murphy_parts,
    spherical_score,
)
from assay.calibration.diagrams import (
    CalibrationFunction,
    CovarianceGraph,
    ReliabilityDiagram,
    calibration_function,
    covariance_graph,
    reliability_diagram,
)
from assay.calibration.errors import (
    CalibrationError,
    classwise_ece,
    confidence_ece,
    confidence_table,
    debiased_error,
    ece,
    ece_in_cells,
    ece_sweep,
    mce,
    top_label_ece,
)
from assay.calibration.goodness_of_fit import (
    BrierTest,
    HosmerLemeshow,
    brier_test,
    calibration_in_the_large_test,
    hosmer_lemeshow,
)
from assay.calibration.groups import Groups, by_score, cut_at, equal_size, equal_width, of_sizes, quantile_cuts
from assay.calibration.isotonic import (
    CalibrationBand,
    CorpParts,
    IsotonicFit,
    confidence_band,
    consistency_band,
    corp_parts,
    isotonic_fit,
    miscalibration_test,
)
from assay.calibration.mean_and_slope import CoxLine, bias, bias_test, cox, observed_to_expected
from assay.calibration.miscalibrated_ranges import MiscalibratedRanges, miscalibrated_ranges
from assay.calibration.murphy import MurphyCurve, MurphyDifference, cheapest, murphy_curve, murphy_difference
from assay.calibration.recalibration import (
    RECALIBRATIONS,
    ClassRecalibration,
    Recalibration,
    RecalibrationEffect,
    cross_fitted_effect,
    cross_fitted_of_many,
    effect_on_many,
    fit_many,
    fit_tilt,
    recalibration_effect,
)
from assay.calibration.smoothing import SmoothCurve, smooth_curve
from assay.deprecated import renamed_names

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
    "MiscalibratedRanges",
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
    "calibration_in_the_large_test",
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
    "isotonic_fit",
    "mce",
    "miscalibrated_ranges",
    "miscalibration_test",
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

if not TYPE_CHECKING:  # a type checker would take any name for a name of the package
    __getattr__ = renamed_names(__name__)
