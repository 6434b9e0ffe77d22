"""The comparison of models where the controls of a page stand: what its script recomputes, and what is not tested.

A difference at other thresholds or at another prevalence has no interval here: that takes the predictions of both
models for each case, which a page does not hold. `frontend/src/live.ts` holds the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.comparison import Difference
from assay.evaluation import ComparisonAnswer
from assay.evidence import ConfusionMatrix
from assay.measures import Measure
from assay.report.computed_at import RECOMPUTED, computed_at, depends_on
from assay.report.findings._several import better_finding, evidence_of
from assay.report.live import Moved, Moving, between
from assay.report.said import FoundLine, Text, said
from assay.report.words import listed, number, quoted, threshold_words

# Shares nearer than this differ by rounding.
ROUNDING = 1e-12
NOT_TESTED = "not tested at these settings"


def _value_at(measure: Measure, model: Moving, moved: Moved) -> float:
    """A measure of predicted labels at a threshold and a prevalence."""
    matrix = model.matrix(moved.at)
    assert matrix is not None
    if moved.prevalence is None:
        return float(measure(matrix))
    shares = np.array([[1 - moved.prevalence], [moved.prevalence]])
    counts = matrix.counts / matrix.counts.sum(1, keepdims=True) * shares
    return float(measure(ConfusionMatrix(counts, matrix.classes)))


def _thresholds_of(measure: Measure, models: Sequence[Moving], moved: Sequence[Moved]) -> str:
    """At which thresholds a measure of predicted labels stands, as part of a sentence."""
    places = [one.at for one in moved]
    if measure.needs is not ConfusionMatrix or None in places:
        return ""
    found = [threshold_words(float(m.threshold[at or 0])) for m, at in zip(models, places, strict=True)]
    each = list(dict.fromkeys(found))
    return f"at threshold{'s' if len(each) > 1 else ''} {listed(each)}"


def better_at(
    answer: ComparisonAnswer, names: Mapping[str, str], models: Mapping[str, Moving], moved: Sequence[Moved]
) -> FoundLine:
    """Which of two models is better where the controls stand."""
    differences, thresholds, evidence = dict(answer.differences), dict(answer.thresholds), []
    for measure in answer.measures:
        (found,) = answer.differences[measure.name]
        note = computed_at(models, moved, depends_on(measure))
        if not note:
            evidence.append(evidence_of(measure.title, found))
            continue
        untested = replace(found, low=math.nan, high=math.nan, p_value=math.nan, undefined=NOT_TESTED)
        if measure.name in RECOMPUTED:
            untested = replace(untested, value=difference_at(measure, found, models, moved))
            evidence.append(evidence_of(measure.title, untested))
        else:
            evidence.append(evidence_of(f"{measure.title}, {note[0].lower()}{note.removesuffix('.')[1:]}:", found))
        differences[measure.name] = [untested]
        thresholds[measure.name] = _thresholds_of(measure, list(models.values()), moved)
    line = better_finding(replace(answer, differences=differences, thresholds=thresholds), names)
    # Accuracy: the best constant answer by it is the commonest class.
    if any(one.best_constant == "commonest" and one.better == "higher" for one in answer.measures):
        evidence += _highest_constant(list(models.values()), moved)
    if any(math.isnan(found.low) and found.undefined == NOT_TESTED for (found,) in differences.values()):
        line = replace(line, caution=said("better.mind_moved", level=f"{100 * answer.level:g} %"))
    return replace(line, evidence=between(evidence))


def _highest_constant(models: Sequence[Moving], moved: Sequence[Moved]) -> list[Text]:
    """That always predicting the commonest class has a higher accuracy than each model, where it has."""
    first = models[0]
    share = first.share if moved[0].prevalence is None else moved[0].prevalence
    constant = max(share, 1 - share)
    matrices = [model.matrix(one.at) for model, one in zip(models, moved, strict=True)]
    for matrix in matrices:
        if matrix is None:
            return []
        recall, specificity = float(matrix.tp / matrix.positives), float(matrix.tn / matrix.negatives)
        if share * recall + (1 - share) * specificity >= constant - ROUNDING:
            return []
    name = quoted(first.ev.classes[1 if share > 0.5 else 0], 8)
    return [said("better.constant", name=f"always {name}", accuracy=number(constant))]


def difference_at(measure: Measure, found: Difference, models: Mapping[str, Moving], moved: Sequence[Moved]) -> float:
    """The difference of two models' values where the controls stand."""
    at = dict(zip(models, moved, strict=True))
    first, second = (_value_at(measure, models[key], at[key]) for key in (found.first, found.second))
    return first - second
