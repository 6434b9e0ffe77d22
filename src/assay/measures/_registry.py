"""The registries of measures, and how a name, an alias or a spelling with parameters finds one.

Measures with parameters: what may be asked for, and the measure that a spelling stands for.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType

from assay.errors import OptionError, UnknownName
from assay.evidence import ClassScores, ConfusionMatrix, ScoreTable
from assay.measures import (
    agreement,
    areas,
    averages,
    chance_agreement,
    crossings,
    decision,
    information,
    multiclass,
    multiclass_ranking,
    probability,
    ranking,
    rates,
)
from assay.measures.agreement import f_beta
from assay.measures.areas import partial_auc_between
from assay.measures.crossings import sar_at
from assay.measures.decision import h_measure_with
from assay.measures.measure import Measure, read
from assay.measures.multiclass_ranking import top_k_accuracy
from assay.measures.ranking import precision_at, recall_at_specificity, specificity_at_recall
from assay.measures.rates import npv_at, ppv_at
from assay.results import counted


@dataclass(frozen=True)
class Form:
    """What makes a measure, an example of how it is written, and its parameters: by place, all needed, or by name."""

    make: Callable[..., Measure]
    example: str
    places: tuple[str, ...] = ()
    named: tuple[str, ...] = ()


OVER_RECALL = partial(partial_auc_between, axis="recall")

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "partial_auc": Form(partial_auc_between, "partial_auc(0, 0.2)", ("low", "high"), ("standardised",)),
        "partial_auc_recall": Form(OVER_RECALL, "partial_auc_recall(0.8, 1)", ("low", "high"), ("standardised",)),
        "recall": Form(recall_at_specificity, "recall(specificity=0.9)", (), ("specificity",)),
        "specificity": Form(specificity_at_recall, "specificity(recall=0.9)", (), ("recall",)),
        "precision_at": Form(precision_at, "precision_at(50)", ("k",)),
        "ppv_at": Form(ppv_at, "ppv_at(0.05)", ("prevalence",)),
        "npv_at": Form(npv_at, "npv_at(0.05)", ("prevalence",)),
        "f_beta": Form(f_beta, "f_beta(2)", ("beta",)),
        "h_measure": Form(h_measure_with, "h_measure(severity_ratio=1)", (), ("severity_ratio",)),
        "sar": Form(sar_at, "sar(0.35)", ("threshold",)),
    }
)
FORMS_OF_MANY: Mapping[str, Form] = MappingProxyType(
    {"top_k_accuracy": Form(top_k_accuracy, "top_k_accuracy(3)", ("k",))}
)


def made(name: str, text: str) -> Measure:
    """The measure that a text stands for, whose name is called `name` here.

    >>> made("f_beta", "f_beta(2)")
    <measure f_beta(2): F2>
    >>> made("recall", "sensitivity(precision=0.9)")
    Traceback (most recent call last):
    assay.errors.UnknownName: recall has no parameter 'precision'; needed: it as in recall(specificity=0.9)
    """
    form = FORMS.get(name) or FORMS_OF_MANY.get(name)
    if form is None:
        known = ", ".join(form.example for form in FORMS.values())
        raise UnknownName(f"there is no measure {name!r} with parameters", f"one such as {known}")
    as_in, spelling = f"it as in {form.example}", read(text)
    for one in spelling.named:
        if one not in (*form.places, *form.named):
            raise UnknownName(f"{name} has no parameter {one!r}", as_in)
    if len(spelling.values) > len(form.places):
        places = counted(len(form.places), "parameter") if form.places else "no parameter"
        raise OptionError(f"{name} takes {places} by place", as_in)
    given = dict(zip(form.places, spelling.values, strict=False))
    twice = [one for one in given if one in spelling.named]
    given |= spelling.named
    lacking = [one for one in form.places or form.named if one not in given]
    if twice or lacking:
        found = f"{twice[0]} of {name} is given twice" if twice else f"{name} lacks {lacking[0]}"
        raise OptionError(found, as_in)
    return form.make(**given)


def _measures_by_name(*measures: Measure) -> Mapping[str, Measure]:
    return MappingProxyType({measure.name: measure for measure in measures})


registry = _measures_by_name(
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
    rates.lift,
    rates.prevalence,
    rates.predicted_prevalence,
    rates.detection_rate,
)

# Found by name but shown in no table: they suppose what only the user knows (an order of the classes), say again what
# others say better, or have no interval.
on_request = _measures_by_name(
    areas.partial_auc_recall,
    ranking.ks,
    decision.hull_area,
    decision.h_measure,
    agreement.linear_kappa,
    agreement.quadratic_kappa,
    agreement.rand_index,
    agreement.adjusted_rand,
    chance_agreement.scott_pi,
    chance_agreement.gwet_ac1,
    chance_agreement.krippendorff_alpha,
    chance_agreement.brennan_prediger,
    chance_agreement.mutual_information,
    crossings.break_even,
    crossings.equal_error_rate,
    crossings.pr_area_lines,
    crossings.sar,
    probability.nagelkerke_r2,
    probability.discrimination_index,
    probability.unreliability_index,
    probability.quality_index,
    *information.ERROR_MEASURES,
)

# For more than two classes: the same names for the same things, and averages in the place of what concerns one class.
registry_of_many = _measures_by_name(
    multiclass_ranking.hand_till,
    multiclass_ranking.macro_roc_auc,
    multiclass_ranking.weighted_roc_auc,
    multiclass_ranking.ovo_weighted_roc_auc,
    multiclass_ranking.macro_average_precision,
    multiclass_ranking.weighted_average_precision,
    multiclass.class_brier,
    multiclass.class_brier_skill,
    multiclass.class_log_loss,
    multiclass.class_log_loss_skill,
    *averages.measures_of_many(registry),
)

# The same by name alone.
on_request_of_many = _measures_by_name(
    multiclass_ranking.micro_roc_auc,
    multiclass_ranking.micro_average_precision,
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
        return _two_class_measure(name)
    _refuse_no_name(name)
    if name in _BY_ANY_NAME:
        return _BY_ANY_NAME[name]
    if "(" in name:
        return _parametric_measure(name)
    key = _normalized_name(name)
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


def _normalized_name(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def _two_class_measure(measure: Measure) -> Measure:
    """A measure as it is for two classes; the same name may stand for another one with more."""
    if measure.needs is ClassScores:
        if measure.name not in registry:
            raise UnknownName(f"{measure.name} is of more than two classes", "a measure of two")
        return registry[measure.name]
    return measure


@lru_cache(maxsize=256)
def _parametric_measure(text: str) -> Measure:
    base = _normalized_name(text.split("(", 1)[0])
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
        *(each for each in on_request.values() if each.needs is not ScoreTable and not each.of_one_class),
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
        return _many_class_measure(name)
    _refuse_no_name(name)
    key = _normalized_name(name)
    if key in _OF_MANY_BY_ANY_NAME:
        return _OF_MANY_BY_ANY_NAME[key]
    if key.split("(")[0] in FORMS_OF_MANY:
        return _parametric_many_class_measure(name)
    if key.split("_")[0] in averages.REDUCTIONS and ("(" in name or key.split("_", 1)[-1] in _BY_ANY_NAME):
        return _average_measure(*name.strip().split("_", 1))
    of_two = find(name)
    is_averaged = of_two.of_one_class and of_two.needs is ConfusionMatrix and of_two.made_by is not None
    macro = f"macro_{of_two.name}"
    instead = f", or {macro}" if macro in registry_of_many or is_averaged else ""
    raise UnknownName(f"{of_two.name} is of one class: see per_class{instead}")


def _many_class_measure(measure: Measure) -> Measure:
    """A measure as it is for more than two classes."""
    if measure.needs is ClassScores or _OF_MANY_BY_ANY_NAME.get(measure.name) is measure:
        return measure
    if measure.needs is ConfusionMatrix and not measure.of_one_class and measure.name not in registry_of_many:
        return measure
    return find_for_many(measure.name)


@lru_cache(maxsize=256)
def _parametric_many_class_measure(text: str) -> Measure:
    base = _normalized_name(text.split("(", 1)[0])
    if "(" not in text:
        raise UnknownName(f"{base} has parameters", f"it as in {FORMS_OF_MANY[base].example}")
    return made(base, text)


@lru_cache(maxsize=256)
def _average_measure(kind: str, text: str) -> Measure:
    measure = find(text)
    if not (measure.of_one_class and measure.needs is ConfusionMatrix):
        raise UnknownName(f"{measure.name} has no average over classes", "a measure of decisions about one class")
    return averages.averaged(kind.lower(), measure)
