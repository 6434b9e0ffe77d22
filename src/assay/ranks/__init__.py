"""Many algorithms over many data sets: ranks, tests, adjustments, the critical difference, WEKA's table."""

from assay.ranks.bayesian import SignedRankPosterior
from assay.ranks.effect_sizes import EffectSize, effects_table, effects_words
from assay.ranks.input import ResultTable
from assay.ranks.posthoc import (
    ADJUSTMENTS,
    LOGICAL,
    TESTS,
    PairComparison,
    bonferroni_dunn_quantile,
    compare_pairs,
    nemenyi_difference,
    nemenyi_quantile,
)
from assay.ranks.ranks import MOSTLY, RankAnswer, Ranks, about_posterior, rank_algorithms

__all__ = [
    "ADJUSTMENTS",
    "LOGICAL",
    "MOSTLY",
    "TESTS",
    "EffectSize",
    "PairComparison",
    "RankAnswer",
    "Ranks",
    "ResultTable",
    "SignedRankPosterior",
    "about_posterior",
    "bonferroni_dunn_quantile",
    "compare_pairs",
    "effects_table",
    "effects_words",
    "nemenyi_difference",
    "nemenyi_quantile",
    "rank_algorithms",
]
