"""Few labels: measures of all rows from the labels of a sample of them, and which rows to label."""

from assay.labelling.differences import COMPARED, sampled_difference
from assay.labelling.estimators import Calls
from assay.labelling.masses import LabelledRows
from assay.labelling.sampled_measures import (
    FEWEST_LABELS,
    FEWEST_OF_A_CLASS,
    NO_LIMITS,
    SCORES,
    TARGETS,
    Target,
    estimated,
)
from assay.labelling.sampling import (
    Kind,
    draw_rows,
    expected_half_width,
    expected_value,
    inclusion_probabilities,
    labels_needed,
    unlabelled,
)
from assay.labelling.verification import verified_shares

__all__ = [
    "COMPARED",
    "FEWEST_LABELS",
    "FEWEST_OF_A_CLASS",
    "NO_LIMITS",
    "SCORES",
    "TARGETS",
    "Calls",
    "Kind",
    "LabelledRows",
    "Target",
    "draw_rows",
    "estimated",
    "expected_half_width",
    "expected_value",
    "inclusion_probabilities",
    "labels_needed",
    "sampled_difference",
    "unlabelled",
    "verified_shares",
]
