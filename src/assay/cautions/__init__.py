"""Cautions: what a careful reviewer would say about an evaluation, each with a code that can be looked up."""

from assay.cautions import comparison, data, experiments, labelling, performance, sites
from assay.cautions.caution import (
    CalibrationFacts,
    Caution,
    Cautions,
    ClassFacts,
    ComparisonFacts,
    DesignFacts,
    EvaluationFacts,
    Rule,
    SampledFacts,
    SitesFacts,
    StudyFacts,
    ThresholdFacts,
    check,
    find_rule,
    rules,
)

__all__ = [
    "CalibrationFacts",
    "Caution",
    "Cautions",
    "ClassFacts",
    "ComparisonFacts",
    "DesignFacts",
    "EvaluationFacts",
    "Rule",
    "SampledFacts",
    "SitesFacts",
    "StudyFacts",
    "ThresholdFacts",
    "check",
    "comparison",
    "data",
    "experiments",
    "find_rule",
    "labelling",
    "performance",
    "rules",
    "sites",
]
