"""Uncertainty: intervals and tests from evidence, knowing nothing of measures."""

from assay.uncertainty.bands import band_interval, effective_cases, logit_between
from assay.uncertainty.clusters import (
    Between,
    between_classes,
    between_clusters,
    between_rows,
    between_shares,
    class_sizes,
    design_freedom,
    matrix_influence,
    spread_freedom,
)
from assay.uncertainty.curve_limits import (
    POSITION_WEIGHTS,
    Side,
    contrast_limits,
    mixture_limits,
    positions,
    share_limits,
    wilson_limits,
)
from assay.uncertainty.curve_simultaneous import equal_level_limits, kolmogorov_limits
from assay.uncertainty.dirichlet import posterior_matrices, weighted_posterior
from assay.uncertainty.folds import cross_validated_auc, cross_validated_error
from assay.uncertainty.influence import standard_error, with_pseudo_errors
from assay.uncertainty.kappa import kappa_error
from assay.uncertainty.labels import label_bias_test, no_information_test
from assay.uncertainty.placements import (
    AucMoments,
    auc_interval,
    delong_logit,
    delong_wald,
    hanley_mcneil,
    newcombe,
    plus_four,
    wider,
)
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
from assay.uncertainty.resampling import Resampled, in_cells, paired_replicates, replicates, resampled
from assay.uncertainty.scales import FISHER, LOG, LOG_OF_REST, LOGIT, Scale, scale_of

__all__ = [
    "FISHER",
    "LOG",
    "LOGIT",
    "LOG_OF_REST",
    "POSITION_WEIGHTS",
    "PROPORTION_METHODS",
    "AucMoments",
    "Between",
    "Resampled",
    "Scale",
    "Side",
    "auc_interval",
    "band_interval",
    "between_classes",
    "between_clusters",
    "between_rows",
    "between_shares",
    "class_sizes",
    "contrast_limits",
    "cross_validated_auc",
    "cross_validated_error",
    "delong_logit",
    "delong_wald",
    "design_freedom",
    "effective_cases",
    "equal_level_limits",
    "exceedance_p_value",
    "f_limits",
    "hanley_mcneil",
    "in_cells",
    "kappa_error",
    "kolmogorov_limits",
    "label_bias_test",
    "log_ratio_variance",
    "logit_between",
    "logit_predictive",
    "mann_whitney",
    "matrix_influence",
    "mixture_limits",
    "newcombe",
    "no_information_test",
    "paired_replicates",
    "plus_four",
    "positions",
    "posterior_matrices",
    "recovered_predictive",
    "recovered_ratio",
    "replicates",
    "resampled",
    "scale_of",
    "share_limits",
    "spread_freedom",
    "standard_error",
    "weighted_posterior",
    "weighted_proportion",
    "wider",
    "wilson_limits",
    "with_pseudo_errors",
]
