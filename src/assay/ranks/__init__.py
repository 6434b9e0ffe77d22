"""Many algorithms over many data sets: ranks, tests, adjustments, the critical difference, WEKA's table."""

from assay.ranks._folds import Folds
from assay.ranks._input import Columns, ResultTable, results_of
from assay.ranks.adjustments import ADJUSTMENTS, LOGICAL, adjusted, bergmann_hommel, shaffer
from assay.ranks.answer import RankAnswer
from assay.ranks.bayesian import SignedRankPosterior, bayesian_signed_rank
from assay.ranks.critical_difference import CriticalDifference
from assay.ranks.friedman import friedman, friedman_aligned, iman_davenport, quade, ranks_within
from assay.ranks.posthoc import (
    TESTS,
    Comparisons,
    PairComparison,
    bonferroni_dunn_difference,
    compare_pairs,
    nemenyi_difference,
    nemenyi_p_value,
    nemenyi_quantile,
)
from assay.ranks.ranks import Ranks, rank_algorithms
from assay.ranks.signed_rank import SignedRanks, sign_test, signed_ranks, typical_difference, wilcoxon
from assay.ranks.weka_table import WekaTable, fold_tests, weka_table
from assay.ranks.words import about_posterior

__all__ = [
    "ADJUSTMENTS",
    "LOGICAL",
    "TESTS",
    "Columns",
    "Comparisons",
    "CriticalDifference",
    "Folds",
    "PairComparison",
    "RankAnswer",
    "Ranks",
    "ResultTable",
    "SignedRankPosterior",
    "SignedRanks",
    "WekaTable",
    "about_posterior",
    "adjusted",
    "bayesian_signed_rank",
    "bergmann_hommel",
    "bonferroni_dunn_difference",
    "compare_pairs",
    "fold_tests",
    "friedman",
    "friedman_aligned",
    "iman_davenport",
    "nemenyi_difference",
    "nemenyi_p_value",
    "nemenyi_quantile",
    "quade",
    "rank_algorithms",
    "ranks_within",
    "results_of",
    "shaffer",
    "sign_test",
    "signed_ranks",
    "typical_difference",
    "weka_table",
    "wilcoxon",
]
