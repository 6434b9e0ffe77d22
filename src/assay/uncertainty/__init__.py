"""Uncertainty: intervals and tests from evidence, knowing nothing of measures."""

from assay.uncertainty.dirichlet import posterior_matrices
from assay.uncertainty.influence import standard_error
from assay.uncertainty.placements import AucMoments, delong_logit, delong_wald, hanley_mcneil, newcombe
from assay.uncertainty.proportions import PROPORTION_METHODS, exceedance_p_value
from assay.uncertainty.ranks import mann_whitney

__all__ = [
    "PROPORTION_METHODS",
    "AucMoments",
    "delong_logit",
    "delong_wald",
    "exceedance_p_value",
    "hanley_mcneil",
    "mann_whitney",
    "newcombe",
    "posterior_matrices",
    "standard_error",
]
