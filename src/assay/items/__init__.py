"""Evaluations of language models: scores of answers to items, perhaps several to each, perhaps in clusters."""

from assay.items.battles import BattleEvaluation, Battles, evaluate_battles, fitted_strengths
from assay.items.comparison import ItemComparison, ItemPair, compare_items, tied_for_best
from assay.items.evaluation import ItemEvaluation, ItemLine, evaluate_items, read_log
from assay.items.intervals import (
    ItemSpread,
    difference_limits,
    difference_p_value,
    half_items,
    mean_limits,
    spread_of,
)
from assay.items.judge import (
    JudgedShare,
    JudgeEvaluation,
    KnownRates,
    agreement_estimates,
    evaluate_judge,
    labelled_share,
    rated_share,
)
from assay.items.repeats import VarianceSplit, majority_at, pass_at, variance_split
from assay.items.scores import ItemScores, chosen_scores, read_logs

__all__ = [
    "BattleEvaluation",
    "Battles",
    "ItemComparison",
    "ItemEvaluation",
    "ItemLine",
    "ItemPair",
    "ItemScores",
    "ItemSpread",
    "JudgeEvaluation",
    "JudgedShare",
    "KnownRates",
    "VarianceSplit",
    "agreement_estimates",
    "chosen_scores",
    "compare_items",
    "difference_limits",
    "difference_p_value",
    "evaluate_battles",
    "evaluate_items",
    "evaluate_judge",
    "fitted_strengths",
    "half_items",
    "labelled_share",
    "majority_at",
    "mean_limits",
    "pass_at",
    "rated_share",
    "read_log",
    "read_logs",
    "spread_of",
    "tied_for_best",
    "variance_split",
]
