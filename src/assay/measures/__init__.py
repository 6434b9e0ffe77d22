"""Measures: each a formula over evidence plus its facts. `registry` holds them all, in the order they are shown."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

from assay.errors import UnknownName
from assay.measures._kinds import function_of_matrix
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
    g_measure,
    informedness,
    jaccard,
    kappa,
    markedness,
    mcc,
)
from assay.measures.areas import partial_auc, partial_auc_between, partial_auc_recall, pr_area
from assay.measures.averages import averaged, measures_of_many
from assay.measures.class_ranking import (
    hand_till,
    macro_average_precision,
    macro_roc_auc,
    ovo_weighted_roc_auc,
    weighted_average_precision,
    weighted_roc_auc,
)
from assay.measures.conditional import lift, npv_at, ppv_at
from assay.measures.decision import class_risk, expected_cost, h_measure, h_measure_with, hull_area, minimum_cost
from assay.measures.multiclass import (
    certain_and_wrong_classes,
    class_brier,
    class_brier_skill,
    class_log_loss,
    class_log_loss_skill,
)
from assay.measures.probability import bayes_error, brier, brier_skill, certain_and_wrong, log_loss, log_loss_skill
from assay.measures.ranking import auc_grade, average_precision, gini, roc_auc
from assay.measures.raters import adjusted_rand, linear_kappa, quadratic_kappa, rand_index
from assay.measures.rates import (
    accuracy,
    detection_rate,
    diagnostic_odds_ratio,
    error_rate,
    false_omission_rate,
    fdr,
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
from assay.measures.surface import volume_under_surface

__all__ = [
    "IntervalFamily",
    "Measure",
    "accuracy",
    "adjusted_rand",
    "auc_grade",
    "average_precision",
    "averaged",
    "averaged_class_error",
    "balanced_accuracy",
    "bayes_error",
    "brier",
    "brier_skill",
    "certain_and_wrong",
    "certain_and_wrong_classes",
    "chance_matrix",
    "class_brier",
    "class_brier_skill",
    "class_log_loss",
    "class_log_loss_skill",
    "class_risk",
    "detection_rate",
    "diagnostic_odds_ratio",
    "error_rate",
    "expected_cost",
    "f05",
    "f1",
    "f2",
    "f_beta",
    "false_omission_rate",
    "fdr",
    "find",
    "find_for_many",
    "fnr",
    "fpr",
    "function_of_matrix",
    "g_mean",
    "g_measure",
    "gini",
    "h_measure",
    "h_measure_with",
    "hand_till",
    "hull_area",
    "informedness",
    "jaccard",
    "kappa",
    "lift",
    "likelihood_ratio_negative",
    "likelihood_ratio_positive",
    "linear_kappa",
    "log_loss",
    "log_loss_skill",
    "macro_average_precision",
    "macro_roc_auc",
    "markedness",
    "mcc",
    "measures_of_many",
    "minimum_cost",
    "npv",
    "npv_at",
    "on_request",
    "ovo_weighted_roc_auc",
    "partial_auc",
    "partial_auc_between",
    "partial_auc_recall",
    "ppv_at",
    "pr_area",
    "precision",
    "predicted_prevalence",
    "prevalence",
    "quadratic_kappa",
    "rand_index",
    "ratio",
    "recall",
    "registry",
    "registry_of_many",
    "roc_auc",
    "specificity",
    "volume_under_surface",
    "weighted_average_precision",
    "weighted_roc_auc",
]

registry: Mapping[str, Measure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            roc_auc,
            gini,
            partial_auc,
            average_precision,
            pr_area,
            brier,
            brier_skill,
            log_loss,
            log_loss_skill,
            bayes_error,
            accuracy,
            error_rate,
            recall,
            specificity,
            precision,
            npv,
            fpr,
            fnr,
            fdr,
            false_omission_rate,
            f1,
            f2,
            f05,
            jaccard,
            g_measure,
            balanced_accuracy,
            averaged_class_error,
            g_mean,
            kappa,
            mcc,
            informedness,
            markedness,
            likelihood_ratio_positive,
            likelihood_ratio_negative,
            diagnostic_odds_ratio,
            lift,
            prevalence,
            predicted_prevalence,
            detection_rate,
        )
    }
)

# Found by name but shown in no table: they suppose what only the user knows (an order of the classes), or say again
# what others say better.
on_request: Mapping[str, Measure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            partial_auc_recall,
            hull_area,
            h_measure,
            linear_kappa,
            quadratic_kappa,
            rand_index,
            adjusted_rand,
        )
    }
)

# For more than two classes: the same names for the same things, and averages in the place of what concerns one class.
registry_of_many: Mapping[str, Measure] = MappingProxyType(
    {
        measure.name: measure
        for measure in (
            hand_till,
            macro_roc_auc,
            weighted_roc_auc,
            ovo_weighted_roc_auc,
            macro_average_precision,
            weighted_average_precision,
            class_brier,
            class_brier_skill,
            class_log_loss,
            class_log_loss_skill,
            *measures_of_many(registry),
        )
    }
)

_BY_ANY_NAME = {
    alias: measure
    for measure in (*registry.values(), *on_request.values())
    for alias in (measure.name, *measure.aliases)
}


def find(name: str) -> Measure:
    """The measure called `name`, which may be an alias.

    >>> find("sensitivity"), find("PPV")
    (<measure recall: Recall>, <measure precision: Precision>)
    >>> find("acuracy")
    Traceback (most recent call last):
    assay.errors.UnknownName: there is no measure 'acuracy'; did you mean accuracy?
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    for spelling in (key, name.strip().lower()):
        if spelling in _BY_ANY_NAME:
            return _BY_ANY_NAME[spelling]
    close = difflib.get_close_matches(key, _BY_ANY_NAME, n=1)
    hint = f"; did you mean {close[0]}?" if close else "; assay measures lists them all"
    raise UnknownName(f"there is no measure {name!r}{hint}")


_OF_MANY_BY_ANY_NAME = {
    alias: one
    for one in (*registry_of_many.values(), linear_kappa, quadratic_kappa, rand_index, adjusted_rand)
    for alias in (one.name, *one.aliases)
}


def find_for_many(name: str) -> Measure:
    """The measure called `name` for more than two classes.

    >>> find_for_many("mauc"), find_for_many("f1-macro")
    (<measure hand_till: Hand-Till M>, <measure macro_f1: Macro F1>)
    >>> find_for_many("recall")
    Traceback (most recent call last):
    assay.errors.UnknownName: recall is of one class: see per_class, or macro_recall
    """
    key = name.strip().lower().replace("-", "_").replace(" ", "_")
    if key in _OF_MANY_BY_ANY_NAME:
        return _OF_MANY_BY_ANY_NAME[key]
    of_two = find(name)
    macro = f"macro_{of_two.name}"
    instead = f", or {macro}" if macro in registry_of_many else ""
    raise UnknownName(f"{of_two.name} is of one class: see per_class{instead}")
