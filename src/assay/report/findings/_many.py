"""What is found of many classes: is it right, what does it confuse, is it calibrated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from assay.evaluation import Evaluation, ManyClassEvaluation
from assay.report.findings._lines import LENGTHS, caution, fitting, item, line
from assay.report.findings._many_better import better_of_many
from assay.report.findings._many_calibrated import calibrated_of_many
from assay.report.findings._many_confused import confused_of_many
from assay.report.said import FoundLine, Mark, Text, joined, said
from assay.report.sections._compared import Compared, NotCompared
from assay.report.sections._rows import is_shown
from assay.report.words import count, model_names, percent, quoted, share_limits

# What stands beside the share of right answers.
BESIDE = ("kappa", "hand_till", "macro_f1")
# Cautions about how often it is right, the one that matters most first.
OF_GOOD = ("A101", "A302", "A301", "A130", "A103", "A102", "A108", "A105", "A107", "A111", "A116")
# Those that the sizes of the classes explain.
OF_SIZES = ("A102", "A103", "A108")
# Classes whose sizes differ by no more than this factor are called alike.
ALIKE = 1.5
CLASSES, CLASSES_WORDS = "confusion", "Classes"


def findings_of_many(
    models: Mapping[str, Evaluation], compared: Compared | NotCompared | None = None
) -> tuple[FoundLine, ...]:
    """Good? Confuses? Calibrated?; of several models the first question is which is better."""
    if len(models) == 1:
        ev = next(iter(models.values()))
        assert isinstance(ev, ManyClassEvaluation)
        return tuple(found for found in (_good(ev), confused_of_many(ev), calibrated_of_many(ev)) if found)
    first, key = better_of_many(models, compared)
    best = models[key]
    assert isinstance(best, ManyClassEvaluation)
    others = [_of_one(found, model_names(models)[key]) for found in (confused_of_many(best), calibrated_of_many(best))]
    return (first, *(found for found in others if found is not None))


def _of_one(found: FoundLine | None, model: str) -> FoundLine | None:
    """A line about one of several models says whose it is."""
    if found is None:
        return None
    return replace(found, finding=joined([*_named(model), *found.finding]))


def _named(model: str) -> Text:
    named = said("many.of", model=model)
    # The space before the words that follow.
    return (*named[:-1], replace(named[-1], text=f"{named[-1].text} "))


def _good(ev: ManyClassEvaluation) -> FoundLine | None:
    """How often it is right, held against always answering the commonest class."""
    if ev.matrix is None:
        return None
    accuracy, constant = ev.estimate("accuracy"), ev.baselines.value("majority", "accuracy")
    if math.isnan(accuracy.value):
        return None
    kind, mark = _decided(accuracy.low, accuracy.high, constant)
    words = {
        "share": percent(accuracy.value),
        "what": "the weight" if ev.is_weighted else "cases",
        "limits": share_limits(accuracy.low, accuracy.high),
        "constant": percent(constant),
    }
    code, minded, link, link_words = _mind(ev)
    words_by_length = (said(kind, **words, **{"class": quoted(ev.baselines.majority_class, most)}) for most in LENGTHS)
    found = fitting(words_by_length)
    return FoundLine("Good?", mark, found, _beside(ev), minded, code, link, link_words)


def _decided(low: float, high: float, constant: float) -> tuple[str, Mark]:
    """Which sentence the interval of the share of right answers allows, against that of the best constant answer.

    >>> _decided(0.91, 0.94, 0.1), _decided(0.4, 0.6, 0.5), _decided(0.1, 0.2, 0.5)
    (('many.good.told', 'told'), ('many.good.open', 'open'), ('many.good.worse', 'told'))
    """
    if math.isnan(low):
        return "many.good.none", "open"
    if low > constant:
        return "many.good.told", "told"
    return ("many.good.worse", "told") if high < constant else ("many.good.open", "open")


def _beside(ev: ManyClassEvaluation) -> Text:
    """Measures that allow for chance or for rare classes, each with its interval."""
    accuracy = ev.estimate("accuracy")
    why = [said("many.good.why", reason=accuracy.undefined or "undefined")] if math.isnan(accuracy.low) else []
    shown = [(ev.registry[name].title, ev.estimate(name)) for name in BESIDE if is_shown(ev, name)]
    return line([*why, *(item(title, found) for title, found in shown if not math.isnan(found.value))])


def _mind(ev: ManyClassEvaluation) -> tuple[str, Text, str, str]:
    """The caution beside the line, its link and the words of the link; without one, how large the classes are."""
    found = caution(ev, OF_GOOD, and_others=True)
    if found is not None:
        link = (CLASSES, CLASSES_WORDS) if found[0] in OF_SIZES else ("cautions", "Cautions")
        return (*found, *link)
    sizes = [size for size in ev.class_counts.values() if size]
    low, high = min(sizes), max(sizes)
    key = "many.alike" if high <= ALIKE * low else "many.unlike"
    return "", said(key, low=count(low), high=count(high)), CLASSES, CLASSES_WORDS
