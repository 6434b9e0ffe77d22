"""What an evaluation gives beside its measures: smooth and ordinal areas, points of curves, calibration in the large.

And areas of two models that lack scores, each of cases of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from assay.calibration import bias, observed_to_expected, spherical_score
from assay.curves import binormal_roc, sensitivity_at, specificity_at
from assay.evaluation import Comparison, Evaluations
from assay.evidence import ScoreTable
from assay.measures import find, ordinal_hand_till, volume_under_surface
from assay.results import Estimate
from verification._certified import LEVEL, Found, Group, evaluated
from verification._space import Kind, Population, Sample
from verification._space_of_many import OrderedClasses
from verification._space_of_pairs import Lacking

__all__ = ["MORE_GROUPS"]

OF_LACKING = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy")
OfTable = Callable[[ScoreTable], Estimate]


def _as_found(one: Any) -> Found:
    return one.value, one.low, one.high, one.method


def _of_tables(better: Mapping[str, str], each: Mapping[str, OfTable], *kinds: Kind) -> Group:
    """Functions of a score table; of the whole population they are what is true, the limit that samples come to."""

    def found(population: Population, sample: Sample) -> dict[str, Found]:
        ev = evaluated(sample, sample.score, population.threshold)
        assert ev.scores is not None
        return {name: _as_found(function(ev.scores)) for name, function in each.items()}

    def true(population: Population) -> dict[str, float]:
        whole = population.whole
        table = ScoreTable.of(whole.score, whole.truth, weight=population.target * 1e5)
        return {name: function(table).value for name, function in each.items()}

    return Group(better, found, true, kinds)


def _binormal_area(table: ScoreTable) -> Estimate:
    return binormal_roc(table, LEVEL).auc


def _recall_at(table: ScoreTable) -> Estimate:
    return sensitivity_at(table, 0.9, LEVEL)


def _specificity_at(table: ScoreTable) -> Estimate:
    return specificity_at(table, 0.9, LEVEL)


OF_CURVES: dict[str, OfTable] = {"sensitivity_at(0.9)": _recall_at, "specificity_at(0.9)": _specificity_at}
OF_CALIBRATION: dict[str, OfTable] = {
    "bias": bias,
    "observed_to_expected": observed_to_expected,
    "spherical_score": spherical_score,
}


def _of_ordered() -> Group:
    """Areas of one score and three classes in their order."""
    each = {"volume_under_surface": volume_under_surface, "ordinal_hand_till": ordinal_hand_till}

    def found(population: OrderedClasses, sample: tuple[Any, Any]) -> dict[str, Found]:
        truth, score = sample
        return {name: _as_found(function(score, truth, level=LEVEL)) for name, function in each.items()}

    def true(population: OrderedClasses) -> dict[str, float]:
        # Cases are drawn alike, so the whole population is its own largest sample.
        return {name: function(population.score, population.truth).value for name, function in each.items()}

    return Group(dict.fromkeys(each, "higher"), found, true, ("ordered",))


def _of_lacking() -> Group:
    """The area of a model that lacks scores, and differences of two, from all the cases there are."""
    differences = {f"{name}, difference": find(name) for name in OF_LACKING}

    def found(population: Lacking, sample: tuple[Sample, Any, Any]) -> dict[str, Found]:
        cases, *held = sample
        if any(len(np.unique(cases.truth[here])) < 2 for here in held):
            return dict.fromkeys(("roc_auc", *differences), (math.nan, math.nan, math.nan, "none"))
        cmp = Comparison(_models(population, cases, held), level=LEVEL)
        each = {name: _as_found(cmp.difference(measure, "a", "b")) for name, measure in differences.items()}
        return {"roc_auc": _as_found(cmp.models["a"].estimate("roc_auc"))} | each

    def true(population: Lacking) -> dict[str, float]:
        whole, weight = population.of.whole, population.of.target * 1e5
        evs = [evaluated(whole, score, population.threshold, weight) for score in (whole.score, whole.second)]
        each = {name: [float(measure(ev.evidence_for(measure))) for ev in evs] for name, measure in differences.items()}
        apart = {name: first - second for name, (first, second) in each.items()}
        return {"roc_auc": each["roc_auc, difference"][0]} | apart

    return Group({"roc_auc": "higher"} | dict.fromkeys(differences, "neither"), found, true, ("lacking",))


def _models(population: Lacking, cases: Sample, held: Sequence[Any]) -> Evaluations:
    models, places = {}, {}
    for name, score, here in zip("ab", (cases.score, cases.second), held, strict=True):
        own = Sample(cases.truth[here], score[here], score[here])
        models[name], places[name] = evaluated(own, own.score, population.threshold), here
    return Evaluations(models, places=places)


MORE_GROUPS: dict[str, Group] = {
    "binormal": _of_tables({"binormal_auc": "higher"}, {"binormal_auc": _binormal_area}, "normal", "rows"),
    "curve points": _of_tables(dict.fromkeys(OF_CURVES, "higher"), OF_CURVES, "rows"),
    "in the large": _of_tables(
        {"bias": "neither", "observed_to_expected": "neither", "spherical_score": "higher"},
        OF_CALIBRATION, "rows", "weights", "clusters",
    ),
    "ordered": _of_ordered(),
    "lacking": _of_lacking(),
}  # fmt: skip
