"""The names by which a difference can be asked for: one name means one thing, for an estimate and for a difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.comparison import DIFFERENCE_METHODS, UNPAIRED_METHODS
from assay.errors import OptionError, UnknownName
from assay.evidence import ConfusionMatrix
from assay.measures import Measure
from assay.measures.interval_methods import DOUBTS, squeezed

OF_AREAS = ("DeLong", "Hanley-McNeil", "Hanley-McNeil table", "Obuchowski")
# Those of areas of samples of other cases.
SAMPLE_AREAS = ("DeLong", "Hanley-McNeil", "Obuchowski")
OF_MOVES = ("normal", "influence")
OF_ALL = ("bootstrap", "bootstrap, normal")
# Methods that know how several estimates vary together.
TOGETHER = ("DeLong", "Obuchowski", "normal", "influence", "t")
METHODS = (*OF_AREAS, *OF_MOVES, "t", "Dirichlet", *DIFFERENCE_METHODS, *OF_ALL)
# What other systems and documents call them; of several, the first that a measure has is meant.
SAME: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "normal": ("DeLong", "normal", "Wald"),
        "wald": ("Wald", "DeLong", "normal"),
        "z": ("DeLong", "normal", "Wald"),
        "paireddelong": ("DeLong",),
        "pairedt": ("t",),
        "dieboldmariano": ("t",),
        "score": ("Tango", "Miettinen-Nurminen"),
        "newcombe": ("Newcombe 10",),
        "percentile": ("bootstrap",),
        "bootstrapz": ("bootstrap, normal",),
        "hanleymcneil1983": ("Hanley-McNeil",),
    }
)
# Tests that have a method of their own, and where.
A_TEST = "cmp.tests.by_name({0!r}): it is a test of no measure, without a difference to show"
ELSEWHERE = {"mcnemar": "cmp.tests.mcnemar, or 'Tango' for the interval of the same test", "t test": "'t'"}
ELSEWHERE |= {name: A_TEST.format(name) for name in ("venkatraman", "redelmeier", "bowker")}
NARROW = "limits of a difference by {0} are too narrow where few cases make up most of what differs"


@dataclass(frozen=True)
class Wanted:
    """How a difference is asked for: at which level, by which method ("" for the usual), and which one is tested.

    `among` are the pairs that those asked for were chosen from by their values; without them they are a family.
    """

    level: float
    method: str = ""
    null: float = 0.0
    among: tuple[tuple[int, int], ...] = ()


def difference_method(measure: Measure, name: str | None) -> str:
    """The method of a difference of this measure that goes by a name; "" for the usual one.

    >>> from assay.measures import accuracy, brier, roc_auc
    >>> [difference_method(one, "wald") for one in (roc_auc, brier, accuracy)]
    ['DeLong', 'normal', 'Wald']
    >>> difference_method(brier, "delong")
    Traceback (most recent call last):
    assay.errors.OptionError: method is 'delong', and Brier score is no ROC AUC; needed: one of 'normal', ...
    """
    if name is None:
        return ""
    asked = squeezed(str(name))
    known = {squeezed(each): each for each in METHODS}
    if asked not in known and asked not in SAME:
        instead = ELSEWHERE.get(asked, f"one of {', '.join(map(repr, METHODS))}")
        raise UnknownName(f"method is {name!r}", instead)
    possible = _possible(measure)
    meant = [known[asked]] if asked in known else []
    found = next((each for each in (*meant, *SAME.get(asked, ())) if each in possible), None)
    if found is None:
        kind = "ROC AUC" if meant and meant[0] in OF_AREAS else "share of answers" if meant else "such measure"
        what = "mean loss" if meant == ["t"] else "function of decisions" if meant == ["Dirichlet"] else kind
        instead = f"one of {', '.join(map(repr, possible))}"
        raise OptionError(f"method is {name!r}, and {measure.title} is no {what}", instead)
    return found


def sample_method(measure: Measure, name: str | None) -> str:
    """The method of a difference between samples of other cases that goes by a name; "" for the usual one."""
    if name is None:
        return ""
    of_areas = SAMPLE_AREAS if measure.pairs is not None else ()
    possible = (*of_areas, *(tuple(UNPAIRED_METHODS) if measure.answers is not None else ()), "bootstrap")
    asked, known = squeezed(str(name)), {squeezed(each): each for each in possible}
    found = next((each for each in (known.get(asked), *SAME.get(asked, ())) if each in possible), None)
    if found is None:
        instead = f"one of {', '.join(map(repr, possible))}"
        raise UnknownName(f"method is {name!r}, which {measure.title} has not between samples", instead)
    return found


def _possible(measure: Measure) -> tuple[str, ...]:
    if measure.pairs is not None:
        of_areas = OF_AREAS if measure.pairs.scale == 1 else ("DeLong", "Obuchowski")
        return (*of_areas, "influence", *OF_ALL)
    of_shares = tuple(DIFFERENCE_METHODS) if measure.answers is not None else ()
    of_decisions = ("Dirichlet",) if measure.needs is ConfusionMatrix else ()
    return (*of_shares, *of_decisions, *(("t",) if measure.is_mean_loss else ()), *OF_MOVES, *OF_ALL)


def doubt_about(method: str) -> str | None:
    """What is to be doubted about a difference by a method that was asked for by its name, whatever the data."""
    if method in ("bootstrap", "bootstrap, normal"):
        return DOUBTS["bootstrap"]
    return NARROW.format(method) if method in ("normal", "Wald", "Hanley-McNeil", "Obuchowski") else None
