"""Gates for continuous integration and assertions for pytest: requirements with four outcomes, never `eval`.

>>> from assay.testing import assert_measure
>>> assert_measure([0, 1] * 50, [0.2, 0.8] * 50, "roc_auc >= 0.8").status
'pass'
"""

from assay.testing.assertions import InconclusiveWarning, assert_better, assert_measure, assert_stream
from assay.testing.gates import Finding, Gate, Outcome, status_of
from assay.testing.junit import to_junit
from assay.testing.language import Requirement, RequirementError, parse
from assay.testing.power import GatePower, gate_power, gate_powers

__all__ = [
    "Finding",
    "Gate",
    "GatePower",
    "InconclusiveWarning",
    "Outcome",
    "Requirement",
    "RequirementError",
    "assert_better",
    "assert_measure",
    "assert_stream",
    "gate_power",
    "gate_powers",
    "parse",
    "status_of",
    "to_junit",
]
