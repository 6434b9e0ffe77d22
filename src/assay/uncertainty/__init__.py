"""Uncertainty: intervals and tests from evidence, knowing nothing of measures."""

from assay.uncertainty.dirichlet import posterior_matrices
from assay.uncertainty.influence import standard_error
from assay.uncertainty.placements import AucMoments, delong_logit, delong_wald, hanley_mcneil, newcombe
from assay.uncertainty.proportions import PROPORTION_METHODS, exceedance_p_value, log_ratio_variance, recovered_ratio
from assay.uncertainty.ranks import mann_whitney
from assay.uncertainty.scales import LOG, LOG_OF_REST, LOGIT, Scale

__all__ = [
    "LOG",
    "LOGIT",
    "LOG_OF_REST",
    "PROPORTION_METHODS",
    "AucMoments",
    "Scale",
    "delong_logit",
    "delong_wald",
    "exceedance_p_value",
    "hanley_mcneil",
    "log_ratio_variance",
    "mann_whitney",
    "newcombe",
    "posterior_matrices",
    "recovered_ratio",
    "standard_error",
]
