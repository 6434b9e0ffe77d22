"""Measures with parameters: what may be asked for, and the measure that a spelling stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from assay.errors import OptionError, UnknownName
from assay.measures._measure import Measure
from assay.measures._spelling import read
from assay.measures.agreement import f_beta
from assay.measures.areas import partial_auc_between
from assay.measures.conditional import npv_at, ppv_at
from assay.measures.crossings import sar_at
from assay.measures.decision import h_measure_with
from assay.measures.operating import precision_at, recall_at_specificity, specificity_at_recall
from assay.measures.pooled import top_k_accuracy
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
