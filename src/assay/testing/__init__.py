"""Gates for continuous integration and assertions for pytest: requirements with four outcomes, never `eval`.

>>> from assay.testing import assert_measure
>>> assert_measure([0, 1] * 50, [0.2, 0.8] * 50, "roc_auc >= 0.8").status
'pass'
"""

from assay.testing.assertions import InconclusiveWarning, assert_better, assert_measure, assert_stream
from assay.testing.gates import Finding, Gate, Outcome, status_of
from assay.testing.junit import to_junit
from assay.testing.language import Requirement, RequirementError, parse

__all__ = [
    "Finding",
    "Gate",
    "InconclusiveWarning",
    "Outcome",
    "Requirement",
    "RequirementError",
    "assert_better",
    "assert_measure",
    "assert_stream",
    "parse",
    "status_of",
    "to_junit",
]
