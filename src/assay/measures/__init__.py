"""Measures: each a formula over evidence plus its facts. `registry` holds them all, in the order they are shown."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from assay.measures._measure import IntervalFamily, Measure, ratio
from assay.measures.agreement import (
    averaged_class_error,
    balanced_accuracy,
    chance_matrix,
    f05,
    f1,
    f2,
    f_beta,
    g_mean,
    informedness,
    kappa,
    mcc,
)
from assay.measures.probability import brier, brier_skill, certain_and_wrong, log_loss, log_loss_skill
from assay.measures.ranking import average_precision, roc_auc
from assay.measures.rates import (
    accuracy,
    detection_rate,
    diagnostic_odds_ratio,
    error_rate,
    fnr,
    fpr,
    likelihood_ratio_negative,
    likelihood_ratio_positive,
    npv,
    precision,
    predicted_prevalence,
    prevalence,
    recall,
    specificity,
)

__all__ = [
    "IntervalFamily",
    "Measure",
    "accuracy",
    "average_precision",
    "averaged_class_error",
    "balanced_accuracy",
    "brier",
    "brier_skill",
    "certain_and_wrong",
    "chance_matrix",
    "detection_rate",
    "diagnostic_odds_ratio",
    "error_rate",
    "f05",
    "f1",
    "f2",
    "f_beta",
    "find",
    "fnr",
    "fpr",
    "g_mean",
    "informedness",
    "kappa",
    "likelihood_ratio_negative",
    "likelihood_ratio_positive",
    "log_loss",
    "log_loss_skill",
    "mcc",
    "npv",
    "precision",
    "predicted_prevalence",
    "prevalence",
    "ratio",
    "recall",
    "registry",
    "roc_auc",
    "specificity",
]

registry: Mapping[str, Measure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            roc_auc,
            average_precision,
            brier,
            brier_skill,
            log_loss,
            log_loss_skill,
            accuracy,
            error_rate,
            recall,
            specificity,
            precision,
            npv,
            fpr,
            fnr,
            f1,
            f2,
            f05,
            balanced_accuracy,
            averaged_class_error,
            g_mean,
            kappa,
            mcc,
            informedness,
            likelihood_ratio_positive,
            likelihood_ratio_negative,
            diagnostic_odds_ratio,
            prevalence,
            predicted_prevalence,
            detection_rate,
        )
    }
)

_BY_ANY_NAME = {alias: measure for measure in registry.values() for alias in (measure.name, *measure.aliases)}


def find(name: str) -> Measure:
    """The measure called `name`, which may be an alias.

    >>> find("sensitivity"), find("PPV")
    (<measure recall: Recall>, <measure precision: Precision>)
    >>> find("acuracy")
    Traceback (most recent call last):
    KeyError: "there is no measure 'acuracy'; did you mean accuracy?"
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    for spelling in (key, name.strip().lower()):
        if spelling in _BY_ANY_NAME:
            return _BY_ANY_NAME[spelling]
    close = difflib.get_close_matches(key, _BY_ANY_NAME, n=1)
    hint = f"; did you mean {close[0]}?" if close else "; assay measures lists them all"
    raise KeyError(f"there is no measure {name!r}{hint}")
