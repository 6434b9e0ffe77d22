"""Uncertainty: intervals and tests from evidence, knowing nothing of measures."""

from assay.uncertainty.bands import band_interval, effective_cases, logit_between
from assay.uncertainty.clusters import (
    auc_error,
    between_clusters,
    fewest_with_a_class,
    matrix_error,
    matrix_influence,
    table_error,
)
from assay.uncertainty.dirichlet import posterior_matrices, weighted_posterior
from assay.uncertainty.folds import cross_validated_auc, cross_validated_error
from assay.uncertainty.influence import standard_error
from assay.uncertainty.kappa import kappa_error
from assay.uncertainty.labels import label_bias_test, no_information_test
from assay.uncertainty.placements import AucMoments, delong_logit, delong_wald, hanley_mcneil, newcombe
from assay.uncertainty.predictive import logit_predictive, recovered_predictive
from assay.uncertainty.proportions import (
    PROPORTION_METHODS,
    exceedance_p_value,
    f_limits,
    log_ratio_variance,
    recovered_ratio,
    weighted_proportion,
)
from assay.uncertainty.ranks import mann_whitney
from assay.uncertainty.scales import FISHER, LOG, LOG_OF_REST, LOGIT, Scale, scale_of

__all__ = [
    "FISHER",
    "LOG",
    "LOGIT",
    "LOG_OF_REST",
    "PROPORTION_METHODS",
    "AucMoments",
    "Scale",
    "auc_error",
    "band_interval",
    "between_clusters",
    "cross_validated_auc",
    "cross_validated_error",
    "delong_logit",
    "delong_wald",
    "effective_cases",
    "exceedance_p_value",
    "f_limits",
    "fewest_with_a_class",
    "hanley_mcneil",
    "kappa_error",
    "label_bias_test",
    "log_ratio_variance",
    "logit_between",
    "logit_predictive",
    "mann_whitney",
    "matrix_error",
    "matrix_influence",
    "newcombe",
    "no_information_test",
    "posterior_matrices",
    "recovered_predictive",
    "recovered_ratio",
    "scale_of",
    "standard_error",
    "table_error",
    "weighted_posterior",
    "weighted_proportion",
]
