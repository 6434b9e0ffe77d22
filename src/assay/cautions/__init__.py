"""Cautions: what a careful reviewer would say about an evaluation, each with a code that can be looked up."""

from assay.cautions import comparison, data, experiments, performance, sites
from assay.cautions._caution import Caution, Cautions, Rule, check, find_rule, rules
from assay.cautions._facts import (
    CalibrationFacts,
    ClassFacts,
    ComparisonFacts,
    EvaluationFacts,
    SitesFacts,
    StudyFacts,
    ThresholdFacts,
)

__all__ = [
    "CalibrationFacts",
    "Caution",
    "Cautions",
    "ClassFacts",
    "ComparisonFacts",
    "EvaluationFacts",
    "Rule",
    "SitesFacts",
    "StudyFacts",
    "ThresholdFacts",
    "check",
    "comparison",
    "data",
    "experiments",
    "find_rule",
    "performance",
    "rules",
    "sites",
]
