"""Comparison: is one classifier really better than another, and how many cases would tell?"""

from assay.comparison._rows import Rows, joint_influence
from assay.comparison._tables import quantile, two_sided
from assay.comparison.adjustment import (
    ALTERNATIVES,
    Alternative,
    Difference,
    Family,
    bonferroni,
    bonferroni_level,
    holm,
    in_family,
    one_sided,
    two_sided_level,
)
from assay.comparison.auc import joint_auc, joint_binormal, score_influence, unpaired_auc
from assay.comparison.careful import equivalent_normal_level, freedom_of_decisions, p_of_t
from assay.comparison.cheapest import Cheapest, cheapest_of
from assay.comparison.clustered import clustered_mcnemar
from assay.comparison.costs import bdeltacost, cost_difference, cost_matrix, net_benefit_difference
from assay.comparison.fixed_rate import fixed_rate_test
from assay.comparison.forecasts import Forecast, about, cases_factor, no_stretch, shares_stretch
from assay.comparison.gaps import Apart, at_once, gap_is_of_means, gap_is_tested
from assay.comparison.hanley_mcneil import hanley_mcneil_difference
from assay.comparison.joint import Joint, p_by_inversion
from assay.comparison.labels import (
    DIFFERENCE_METHODS,
    TANGO,
    compare_correctness,
    difference_interval,
    discordant_odds,
    mcnemar,
    mcnemar_of,
    tango_excludes,
)
from assay.comparison.losses import brier_losses, joint_losses, joint_mean_losses, paired_loss_test, redelmeier
from assay.comparison.marginal import bowker, class_shares, cochran_q, label_pairs, right_pairs, stuart_maxwell
from assay.comparison.of_cells import error_within_cells, influence_of_cells, joint_areas
from assay.comparison.paired_rates import RateContrast, compare_rates, global_test, predictive_value_test, rate_ratio
from assay.comparison.planned_area import areas_stretch
from assay.comparison.planning import MOST_SUMMED, SamplePlan
from assay.comparison.pooling import LIMITS, METHODS, PREDICTIONS, Pooled, pooled, small_sites_test
from assay.comparison.power import AreaTest, area_against_chance, difference_test, plan_area_test, trinomial
from assay.comparison.resampling import Placed, bootstrap, percentile_p, posterior_differences
from assay.comparison.unpaired import UNPAIRED_METHODS, unpaired_interval, unpaired_test
from assay.comparison.venkatraman import venkatraman_paired, venkatraman_unpaired
from assay.comparison.verdicts import FRESH_CASES, SAME, UNKNOWN, Verdict, judge, not_worse, numbers_of

__all__ = [
    "ALTERNATIVES",
    "DIFFERENCE_METHODS",
    "FRESH_CASES",
    "LIMITS",
    "METHODS",
    "MOST_SUMMED",
    "PREDICTIONS",
    "SAME",
    "TANGO",
    "UNKNOWN",
    "UNPAIRED_METHODS",
    "Alternative",
    "Apart",
    "AreaTest",
    "Cheapest",
    "Difference",
    "Family",
    "Forecast",
    "Joint",
    "Placed",
    "Pooled",
    "RateContrast",
    "Rows",
    "SamplePlan",
    "Verdict",
    "about",
    "area_against_chance",
    "areas_stretch",
    "at_once",
    "bdeltacost",
    "bonferroni",
    "bonferroni_level",
    "bootstrap",
    "bowker",
    "brier_losses",
    "cases_factor",
    "cheapest_of",
    "class_shares",
    "clustered_mcnemar",
    "cochran_q",
    "compare_correctness",
    "compare_rates",
    "cost_difference",
    "cost_matrix",
    "difference_interval",
    "difference_test",
    "discordant_odds",
    "equivalent_normal_level",
    "error_within_cells",
    "fixed_rate_test",
    "freedom_of_decisions",
    "gap_is_of_means",
    "gap_is_tested",
    "global_test",
    "hanley_mcneil_difference",
    "holm",
    "in_family",
    "influence_of_cells",
    "joint_areas",
    "joint_auc",
    "joint_binormal",
    "joint_influence",
    "joint_losses",
    "joint_mean_losses",
    "judge",
    "label_pairs",
    "mcnemar",
    "mcnemar_of",
    "net_benefit_difference",
    "no_stretch",
    "not_worse",
    "numbers_of",
    "one_sided",
    "p_by_inversion",
    "p_of_t",
    "paired_loss_test",
    "percentile_p",
    "plan_area_test",
    "pooled",
    "posterior_differences",
    "predictive_value_test",
    "quantile",
    "rate_ratio",
    "redelmeier",
    "right_pairs",
    "score_influence",
    "shares_stretch",
    "small_sites_test",
    "stuart_maxwell",
    "tango_excludes",
    "trinomial",
    "two_sided",
    "two_sided_level",
    "unpaired_auc",
    "unpaired_interval",
    "unpaired_test",
    "venkatraman_paired",
    "venkatraman_unpaired",
]
