"""The registries of measures, and how a name, an alias or a spelling with parameters finds one."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from assay.errors import UnknownName
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import (
    agreement,
    areas,
    averages,
    chance,
    class_ranking,
    conditional,
    crossings,
    decision,
    information,
    likelihoods,
    multiclass,
    pooled,
    probability,
    ranking,
    raters,
    rates,
)
from assay.measures._measure import Measure
from assay.measures._parameters import FORMS, FORMS_OF_MANY, made


def _named(*measures: Measure) -> Mapping[str, Measure]:
    return MappingProxyType({measure.name: measure for measure in measures})


registry = _named(
    ranking.roc_auc,
    ranking.gini,
    areas.partial_auc,
    ranking.average_precision,
    areas.pr_area,
    probability.brier,
    probability.brier_skill,
    probability.log_loss,
    probability.log_loss_skill,
    probability.bayes_error,
    rates.accuracy,
    rates.error_rate,
    rates.recall,
    rates.specificity,
    rates.precision,
    rates.npv,
    rates.fpr,
    rates.fnr,
    rates.fdr,
    rates.false_omission_rate,
    agreement.f1,
    agreement.f2,
    agreement.f05,
    agreement.jaccard,
    agreement.g_measure,
    agreement.balanced_accuracy,
    agreement.averaged_class_error,
    agreement.g_mean,
    agreement.kappa,
    agreement.mcc,
    agreement.informedness,
    agreement.markedness,
    rates.likelihood_ratio_positive,
    rates.likelihood_ratio_negative,
    rates.diagnostic_odds_ratio,
    conditional.lift,
    rates.prevalence,
    rates.predicted_prevalence,
    rates.detection_rate,
)

# Found by name but shown in no table: they suppose what only the user knows (an order of the classes), say again what
# others say better, or have no interval.
on_request = _named(
    areas.partial_auc_recall,
    ranking.ks,
    decision.hull_area,
    decision.h_measure,
    raters.linear_kappa,
    raters.quadratic_kappa,
    raters.rand_index,
    raters.adjusted_rand,
    chance.scott_pi,
    chance.gwet_ac1,
    chance.krippendorff_alpha,
    chance.brennan_prediger,
    chance.mutual_information,
    crossings.break_even,
    crossings.equal_error_rate,
    crossings.pr_area_lines,
    crossings.sar,
    likelihoods.nagelkerke_r2,
    likelihoods.discrimination_index,
    likelihoods.unreliability_index,
    likelihoods.quality_index,
    *information.ERROR_MEASURES,
)

# For more than two classes: the same names for the same things, and averages in the place of what concerns one class.
registry_of_many = _named(
    class_ranking.hand_till,
    class_ranking.macro_roc_auc,
    class_ranking.weighted_roc_auc,
    class_ranking.ovo_weighted_roc_auc,
    class_ranking.macro_average_precision,
    class_ranking.weighted_average_precision,
    multiclass.class_brier,
    multiclass.class_brier_skill,
    multiclass.class_log_loss,
    multiclass.class_log_loss_skill,
    *averages.measures_of_many(registry),
)

# The same by name alone.
on_request_of_many = _named(
    pooled.micro_roc_auc,
    pooled.micro_average_precision,
    multiclass.ranked_probability_score,
    multiclass.ranked_probability_skill,
    *averages.AVERAGES_ON_REQUEST,
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
    _refuse_no_name(name)
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
    if key in FORMS_OF_MANY or any(key in known for known in (registry_of_many, on_request_of_many)):
        raise UnknownName(f"{key} is of more than two classes", "a measure of two: assay measures lists them")
    close = difflib.get_close_matches(key, _BY_ANY_NAME, n=1)
    hint = f"; did you mean {close[0]}?" if close else "; assay measures lists them all"
    raise UnknownName(f"there is no measure {name!r}{hint}")


def _refuse_no_name(name: object) -> None:
    if not isinstance(name, str):
        text = repr(name)
        found = f"measure is {text if len(text) <= 60 else f'{text[:57]}...'}"
        raise UnknownName(found, "the name of one, such as 'roc_auc', or one of assay.measures", about="measure")


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _of_two(measure: Measure) -> Measure:
    """A measure as it is for two classes; the same name may stand for another one with more."""
    if measure.needs is ClassScores:
        if measure.name not in registry:
            raise UnknownName(f"{measure.name} is of more than two classes", "a measure of two")
        return registry[measure.name]
    return measure


@lru_cache(maxsize=256)
def _with_parameters(text: str) -> Measure:
    base = _key(text.split("(", 1)[0])
    if base in FORMS_OF_MANY:
        raise UnknownName(f"{base} is of more than two classes", "a measure of two")
    known = _BY_ANY_NAME.get(base)
    if known is not None and known.name not in FORMS:
        raise UnknownName(f"{known.name} has no parameters", f"{known.name} alone")
    return made(base if known is None else known.name, text)


_OF_MANY_BY_ANY_NAME = {
    alias: one
    for one in (
        *registry_of_many.values(),
        *on_request_of_many.values(),
        *(each for each in on_request.values() if each.needs is not ScoreTable),
    )
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
    _refuse_no_name(name)
    key = _key(name)
    if key in _OF_MANY_BY_ANY_NAME:
        return _OF_MANY_BY_ANY_NAME[key]
    if key.split("(")[0] in FORMS_OF_MANY:
        return _of_many_with_parameters(name)
    if key.split("_")[0] in averages.REDUCTIONS and ("(" in name or key.split("_", 1)[-1] in _BY_ANY_NAME):
        return _average_of(*name.strip().split("_", 1))
    of_two = find(name)
    is_averaged = of_two.of_one_class and of_two.needs is ConfusionMatrix and of_two.made_by is not None
    macro = f"macro_{of_two.name}"
    instead = f", or {macro}" if macro in registry_of_many or is_averaged else ""
    raise UnknownName(f"{of_two.name} is of one class: see per_class{instead}")


def _of_many(measure: Measure) -> Measure:
    """A measure as it is for more than two classes."""
    if measure.needs is ClassScores or _OF_MANY_BY_ANY_NAME.get(measure.name) is measure:
        return measure
    if measure.needs is ConfusionMatrix and not measure.of_one_class and measure.name not in registry_of_many:
        return measure
    return find_for_many(measure.name)


@lru_cache(maxsize=256)
def _of_many_with_parameters(text: str) -> Measure:
    base = _key(text.split("(", 1)[0])
    if "(" not in text:
        raise UnknownName(f"{base} has parameters", f"it as in {FORMS_OF_MANY[base].example}")
    return made(base, text)


@lru_cache(maxsize=256)
def _average_of(kind: str, text: str) -> Measure:
    measure = find(text)
    if not (measure.of_one_class and measure.needs is ConfusionMatrix):
        raise UnknownName(f"{measure.name} has no average over classes", "a measure of decisions about one class")
    return averages.averaged(kind.lower(), measure)
