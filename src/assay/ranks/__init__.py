"""Many algorithms over many data sets: ranks, tests, adjustments, the critical difference, WEKA's table."""

from assay.ranks._input import ResultTable
from assay.ranks.adjustments import ADJUSTMENTS, LOGICAL
from assay.ranks.answer import RankAnswer
from assay.ranks.bayesian import SignedRankPosterior
from assay.ranks.effect_sizes import EffectSize, effects_table, effects_words
from assay.ranks.posthoc import (
    TESTS,
    PairComparison,
    bonferroni_dunn_quantile,
    compare_pairs,
    nemenyi_difference,
    nemenyi_quantile,
)
from assay.ranks.ranks import Ranks, rank_algorithms
from assay.ranks.words import MOSTLY, about_posterior

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
