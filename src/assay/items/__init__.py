"""Evaluations of language models: scores of answers to items, perhaps several to each, perhaps in clusters."""

from assay.items.evaluation import ItemEvaluation, ItemLine, evaluate_items, read_log
from assay.items.intervals import ItemSpread, mean_limits, spread_of
from assay.items.repeats import VarianceSplit, majority_at, pass_at, variance_split
from assay.items.scores import ItemScores, chosen_scores, read_logs

__all__ = [
    "ItemEvaluation",
    "ItemLine",
    "ItemScores",
    "ItemSpread",
    "VarianceSplit",
    "chosen_scores",
    "evaluate_items",
    "majority_at",
    "mean_limits",
    "pass_at",
    "read_log",
    "read_logs",
    "spread_of",
    "variance_split",
]
