"""What an evaluation has not, why, and how to say what was meant."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownAttribute
from assay.measures import find_for_many, registry

if TYPE_CHECKING:
    from assay.evaluation.evaluation import Evaluation

__all__ = ["misspelt", "unknown_attribute"]

# Why more than two classes have not what two have.
OF_TWO = {
    "at": "a threshold parts two",
    "threshold_used": "a threshold parts two",
    "threshold": "a threshold parts two",
    "threshold_was_given": "a threshold parts two",
    "threshold_cautions": "a threshold parts two",
    "misranked": "one case is ranked against another class",
    "positive": "none of them is the positive one",
    "scores": "each case has a score for every one",
    "pairs": "a pair is of two",
    "rank_test": "the test is of two",
    "folds": "the scores of a fold are of two",
    "roc": "the curve is of two",
    "precision_recall": "the curve is of two",
}
# What more than two classes have and two have not, and what two have instead.
OF_MANY = {
    "class_scores": "ev.scores, those of the positive class",
    "against": "assay.evaluate(..., positive={!r}), to have that one against the other",
}


def unknown_attribute(ev: Evaluation, name: str) -> UnknownAttribute:
    """The error for a name that this evaluation has nothing under: what the other kind has under it, or a like name."""
    if name.startswith("_"):
        return UnknownAttribute(f"{type(ev).__name__} has no attribute {name!r}")
    from assay.evaluation.binary import TwoClassEvaluation
    from assay.evaluation.measure_properties import ManyClassMeasures
    from assay.evaluation.multiclass import ManyClassEvaluation

    if isinstance(ev, TwoClassEvaluation):
        if name in OF_MANY:
            return UnknownAttribute("there are two classes", OF_MANY[name].format(ev.classes[0]))
        if hasattr(ManyClassMeasures, name) or name in ManyClassMeasures._measure_aliases:
            return UnknownAttribute(f"there are two classes and {name} is of more", _average_measure_message(name))
    elif isinstance(ev, ManyClassEvaluation):
        if name in OF_TWO:
            called = "(...)" if callable(getattr(TwoClassEvaluation, name, None)) else ""
            instead = f"ev.against({ev.classes[-1]!r}).{name}{called}"
            instead = f"ev.class_scores, or {instead}" if name == "scores" else instead
            return UnknownAttribute(f"there are {len(ev.classes)} classes and {OF_TWO[name]}", instead)
        if hasattr(TwoClassEvaluation, name) or name in TwoClassEvaluation._measure_aliases:
            return UnknownAttribute(_two_class_measure_message(name))
    return misspelt(ev, name, f"an evaluation of {len(ev.classes)} classes has no attribute or measure named")


def misspelt(holder: Any, name: str, found: str) -> UnknownAttribute:
    """The error for a name that nothing is called by, with one that it may be meant for."""
    known = (*dir(type(holder)), *getattr(type(holder), "_measure_aliases", ()))
    close = difflib.get_close_matches(name, [one for one in known if not one.startswith("_")], n=1)
    return UnknownAttribute(f"{found} {name!r}" + (f"; did you mean {close[0]}?" if close else ""))


def _two_class_measure_message(name: str) -> str:
    """Why a measure of two classes is no attribute of more, and what is."""
    try:
        find_for_many(name)
    except KeyError as error:
        return str(error.args[0])
    raise AssertionError(f"{name} is a measure of many classes")


def _average_measure_message(name: str) -> str:
    """What two classes have in the place of an average over more."""
    one = name.split("_", 1)[-1]
    return f"ev.{one}, or ev.per_class" if one in registry else "a measure of two classes"
