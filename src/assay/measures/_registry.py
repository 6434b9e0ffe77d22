"""The registries of measures, and how a name, an alias or a spelling with parameters finds one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from assay.errors import UnknownName
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures._measure import Measure
from assay.measures._parameters import FORMS, made
from assay.measures.agreement import (
    averaged_class_error,
    balanced_accuracy,
    f05,
    f1,
    f2,
    g_mean,
    g_measure,
    informedness,
    jaccard,
    kappa,
    markedness,
    mcc,
)
from assay.measures.areas import partial_auc, partial_auc_recall, pr_area
from assay.measures.averages import REDUCTIONS, averaged, measures_of_many
from assay.measures.class_ranking import (
    hand_till,
    macro_average_precision,
    macro_roc_auc,
    ovo_weighted_roc_auc,
    weighted_average_precision,
    weighted_roc_auc,
)
from assay.measures.conditional import lift
from assay.measures.decision import h_measure, hull_area
from assay.measures.information import (
    ERROR_MEASURES,
)
from assay.measures.multiclass import (
    class_brier,
    class_brier_skill,
    class_log_loss,
    class_log_loss_skill,
)
from assay.measures.probability import bayes_error, brier, brier_skill, log_loss, log_loss_skill
from assay.measures.ranking import average_precision, gini, roc_auc
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

# Found by name but shown in no table: they suppose what only the user knows (an order of the classes), say again what
# others say better, or have no interval.
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
            *ERROR_MEASURES,
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


def find(name: str | Measure) -> Measure:
    """The measure called `name`, which may be an alias or hold parameters.

    >>> find("sensitivity"), find("PPV"), find("f_beta(2)")
    (<measure recall: Recall>, <measure precision: Precision>, <measure f_beta(2): F2>)
    >>> find("acuracy")
    Traceback (most recent call last):
    assay.errors.UnknownName: there is no measure 'acuracy'; did you mean accuracy?
    """
    if isinstance(name, Measure):
        return _of_two(name)
    if name in _BY_ANY_NAME:
        return _BY_ANY_NAME[name]
    if "(" in name:
        return _with_parameters(name)
    key = _key(name)
    for spelling in (key, name.strip().lower()):
        if spelling in _BY_ANY_NAME:
            return _BY_ANY_NAME[spelling]
    if key in FORMS:
        raise UnknownName(f"{key} has parameters", f"it as in {FORMS[key].example}")
    close = difflib.get_close_matches(key, _BY_ANY_NAME, n=1)
    hint = f"; did you mean {close[0]}?" if close else "; assay measures lists them all"
    raise UnknownName(f"there is no measure {name!r}{hint}")


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _of_two(measure: Measure) -> Measure:
    """A measure as it is for two classes; the same name may stand for another one with more."""
    if measure.needs is ClassScores:
        if measure.name not in registry:
            raise UnknownName(f"{measure.name} is of more than two classes")
        return registry[measure.name]
    return measure


@lru_cache(maxsize=256)
def _with_parameters(text: str) -> Measure:
    base = _key(text.split("(", 1)[0])
    known = _BY_ANY_NAME.get(base)
    if known is not None and known.name not in FORMS:
        raise UnknownName(f"{known.name} has no parameters", f"{known.name} alone")
    return made(base if known is None else known.name, text)


_OF_MANY_BY_ANY_NAME = {
    alias: one
    for one in (*registry_of_many.values(), *(each for each in on_request.values() if each.needs is not ScoreTable))
    for alias in (one.name, *one.aliases)
}


def find_for_many(name: str | Measure) -> Measure:
    """The measure called `name` for more than two classes.

    >>> find_for_many("mauc"), find_for_many("f1-macro"), find_for_many("macro_f_beta(2)")
    (<measure hand_till: Hand-Till M>, <measure macro_f1: Macro F1>, <measure macro_f_beta(2): Macro F2>)
    >>> find_for_many("recall")
    Traceback (most recent call last):
    assay.errors.UnknownName: recall is of one class: see per_class, or macro_recall
    """
    if isinstance(name, Measure):
        return _of_many(name)
    key = _key(name)
    if key in _OF_MANY_BY_ANY_NAME:
        return _OF_MANY_BY_ANY_NAME[key]
    if "(" in name and key.split("_")[0] in REDUCTIONS:
        return _average_with_parameters(*name.strip().split("_", 1))
    of_two = find(name)
    is_averaged = of_two.of_one_class and of_two.needs is ConfusionMatrix and of_two.made_by is not None
    macro = f"macro_{of_two.name}"
    instead = f", or {macro}" if macro in registry_of_many or is_averaged else ""
    raise UnknownName(f"{of_two.name} is of one class: see per_class{instead}")


def _of_many(measure: Measure) -> Measure:
    """A measure as it is for more than two classes."""
    if registry_of_many.get(measure.name) is measure or measure.needs is ClassScores:
        return measure
    if measure.needs is ConfusionMatrix and not measure.of_one_class and measure.name not in registry_of_many:
        return measure
    return find_for_many(measure.name)


@lru_cache(maxsize=256)
def _average_with_parameters(kind: str, text: str) -> Measure:
    measure = find(text)
    if not (measure.of_one_class and measure.needs is ConfusionMatrix):
        raise UnknownName(f"{measure.name} has no average over classes", "a measure of decisions about one class")
    return averaged(kind.lower(), measure)
