"""Measures: each a formula over evidence plus its facts. The registries hold them all, in the order they are shown."""

from __future__ import annotations

from assay.measures._registry import (
    FORMS,
    FORMS_OF_MANY,
    find,
    find_for_many,
    on_request,
    on_request_of_many,
    registry,
    registry_of_many,
)
from assay.measures.agreement import chance_matrix, f_beta
from assay.measures.areas import ordinal_hand_till, partial_auc_between, volume_under_surface
from assay.measures.averages import averaged
from assay.measures.decision import expected_cost
from assay.measures.kinds import function_of_matrix
from assay.measures.measure import Measure, matrix_influence, ratio
from assay.measures.multiclass import certain_and_wrong_classes, class_losses
from assay.measures.multiclass_ranking import top_k_accuracy
from assay.measures.probability import certain_and_wrong
from assay.measures.ranking import auc_grade
from assay.measures.rates import npv_at, ppv_at

__all__ = [
    "FORMS",
    "FORMS_OF_MANY",
    "Measure",
    "auc_grade",
    "averaged",
    "certain_and_wrong",
    "certain_and_wrong_classes",
    "chance_matrix",
    "class_losses",
    "expected_cost",
    "f_beta",
    "find",
    "find_for_many",
    "function_of_matrix",
    "matrix_influence",
    "npv_at",
    "on_request",
    "on_request_of_many",
    "ordinal_hand_till",
    "partial_auc_between",
    "ppv_at",
    "ratio",
    "registry",
    "registry_of_many",
    "top_k_accuracy",
    "volume_under_surface",
]


def __getattr__(name: str) -> Measure:
    """Any measure by its name, `assay.measures.recall`: the registries are the only list of them.

    >>> from assay.measures import recall
    >>> recall
    <measure recall: Recall>
    """
    for held in (registry, on_request, registry_of_many, on_request_of_many):
        if name in held:
            return held[name]
    raise AttributeError(f"there is no measure {name!r}")
