"""Cautions: what a careful reviewer would say about an evaluation, each with a code that can be looked up."""

from assay.cautions import comparison, data, performance
from assay.cautions._caution import Caution, Facts, Rule, check, find_rule, rules

__all__ = ["Caution", "Facts", "Rule", "check", "comparison", "data", "find_rule", "performance", "rules"]
