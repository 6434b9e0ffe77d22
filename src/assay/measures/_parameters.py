"""Measures with parameters: what may be asked for, and the measure that a spelling stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from assay.errors import OptionError, UnknownName
from assay.measures._measure import Measure
from assay.measures._spelling import Spelling
from assay.measures.agreement import f_beta
from assay.measures.areas import partial_auc_between
from assay.measures.conditional import npv_at, ppv_at
from assay.measures.decision import h_measure_with
from assay.measures.operating import precision_at, recall_at_specificity, specificity_at_recall

__all__ = ["FORMS", "Form", "made"]


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
    }
)


def made(spelling: Spelling) -> Measure:
    """The measure a spelling stands for.

    >>> made(Spelling("f_beta", (2.0,), {}))
    <measure f_beta(2): F2>
    >>> made(Spelling("recall", (), {"precision": 0.9}))
    Traceback (most recent call last):
    assay.errors.UnknownName: recall has no parameter 'precision'; needed: it as in recall(specificity=0.9)
    """
    form = FORMS.get(spelling.name)
    if form is None:
        known = ", ".join(form.example for form in FORMS.values())
        raise UnknownName(f"there is no measure {spelling.name!r} with parameters", f"one such as {known}")
    as_in = f"it as in {form.example}"
    for name in spelling.named:
        if name not in (*form.places, *form.named):
            raise UnknownName(f"{spelling.name} has no parameter {name!r}", as_in)
    if len(spelling.values) > len(form.places):
        raise OptionError(f"{spelling.name} takes {len(form.places) or 'no'} parameters by their place", as_in)
    given = dict(zip(form.places, spelling.values, strict=False))
    twice = [name for name in given if name in spelling.named]
    given |= spelling.named
    lacking = [name for name in form.places or form.named if name not in given]
    if twice or lacking:
        found = f"{twice[0]} of {spelling.name} is given twice" if twice else f"{spelling.name} lacks {lacking[0]}"
        raise OptionError(found, as_in)
    return form.make(**given)
