"""Comparison: is one classifier really better than another, and how many cases would tell?"""

from assay.comparison._rows import Rows, joint_influence
from assay.comparison.adjustment import Difference, bonferroni, bonferroni_level, holm
from assay.comparison.auc import joint_auc, score_influence, unpaired_auc
from assay.comparison.cheapest import Cheapest, cheapest_of
from assay.comparison.clustered import clustered_mcnemar
from assay.comparison.costs import bdeltacost, cost_difference, cost_matrix, net_benefit_difference
from assay.comparison.gaps import Apart, at_once, gap_is_of_means, gap_is_tested
from assay.comparison.hanley_mcneil import hanley_mcneil_difference
from assay.comparison.joint import Joint
from assay.comparison.labels import compare_correctness, difference_interval, discordant_odds, mcnemar, mcnemar_of
from assay.comparison.losses import brier_losses, joint_losses, paired_loss_test, redelmeier
from assay.comparison.marginal import bowker, class_shares, cochran_q, label_pairs, right_pairs, stuart_maxwell
from assay.comparison.paired_rates import RateContrast, compare_rates, global_test, predictive_value_test, rate_ratio
from assay.comparison.planning import SamplePlan
from assay.comparison.resampling import Placed, bootstrap, limits, percentile_p, posterior_differences
from assay.comparison.unpaired import unpaired_interval, unpaired_test
from assay.comparison.verdicts import FRESH_CASES, Verdict, judge

__all__ = [
    "FRESH_CASES",
    "Apart",
    "Cheapest",
    "Difference",
    "Joint",
    "Placed",
    "RateContrast",
    "Rows",
    "SamplePlan",
    "Verdict",
    "at_once",
    "bdeltacost",
    "bonferroni",
    "bonferroni_level",
    "bootstrap",
    "bowker",
    "brier_losses",
    "cheapest_of",
    "class_shares",
    "clustered_mcnemar",
    "cochran_q",
    "compare_correctness",
    "compare_rates",
    "cost_difference",
    "cost_matrix",
    "difference_interval",
    "discordant_odds",
    "gap_is_of_means",
    "gap_is_tested",
    "global_test",
    "hanley_mcneil_difference",
    "holm",
    "joint_auc",
    "joint_influence",
    "joint_losses",
    "judge",
    "label_pairs",
    "limits",
    "mcnemar",
    "mcnemar_of",
    "net_benefit_difference",
    "paired_loss_test",
    "percentile_p",
    "posterior_differences",
    "predictive_value_test",
    "rate_ratio",
    "redelmeier",
    "right_pairs",
    "score_influence",
    "stuart_maxwell",
    "unpaired_auc",
    "unpaired_interval",
    "unpaired_test",
]
