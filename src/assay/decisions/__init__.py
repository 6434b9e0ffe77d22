"""Decisions: which threshold to use under which costs, and which class to choose from probabilities."""

from typing import TYPE_CHECKING

from assay.decisions.bayes import (
    REJECTED,
    bayes_decisions,
    matrix_with_rejection,
    reject_thresholds,
    rejection_region,
    risks,
)
from assay.decisions.constraints import Constraint, at_least, at_most, at_most_flagged
from assay.decisions.criteria import Criterion, corner_distance, criterion_of, reweighted
from assay.decisions.savings import cheapest_savings, saving_at
from assay.decisions.thresholds import (
    Aim,
    ImpliedCosts,
    ThresholdChoice,
    best_by_ratio,
    choose_threshold,
    choose_thresholds,
    chooser,
    demands,
    implied_costs,
)
from assay.deprecated import renamed_names

__all__ = [
    "REJECTED",
    "Aim",
    "Constraint",
    "Criterion",
    "ImpliedCosts",
    "ThresholdChoice",
    "at_least",
    "at_most",
    "at_most_flagged",
    "bayes_decisions",
    "best_by_ratio",
    "cheapest_savings",
    "choose_threshold",
    "choose_thresholds",
    "chooser",
    "corner_distance",
    "criterion_of",
    "demands",
    "implied_costs",
    "matrix_with_rejection",
    "reject_thresholds",
    "rejection_region",
    "reweighted",
    "risks",
    "saving_at",
]

if not TYPE_CHECKING:  # a type checker would take any name for a name of the package
    __getattr__ = renamed_names(__name__)
