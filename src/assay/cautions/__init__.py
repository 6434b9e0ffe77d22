"""Cautions: what a careful reviewer would say about an evaluation, each with a code that can be looked up."""

from assay.cautions import comparison, data, experiments, performance
from assay.cautions._caution import Caution, Facts, Rule, StudyFacts, check, find_rule, rules

__all__ = [
    "Caution",
    "Facts",
    "Rule",
    "StudyFacts",
    "check",
    "comparison",
    "data",
    "experiments",
    "find_rule",
    "performance",
    "rules",
]
