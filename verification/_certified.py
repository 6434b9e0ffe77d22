"""What the certificate tries: groups of measures, differences and tests, and how each is found on one sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.comparison import cheapest_of, joint_auc
from assay.comparison.costs import FEWEST_IN_CLASS
from assay.costs import Costs
from assay.decisions import cheapest_savings, saving_at
from assay.evaluation import Comparison, Evaluations, TwoClassEvaluation
from assay.evidence import ClassScores, ConfusionMatrix, DecidedRows, ScoreTable
from assay.measures import Measure, find, find_for_many, on_request, on_request_of_many, registry, registry_of_many
from assay.measures.decision import minimum_cost
from assay.predictions import Predictions
from assay.sources import Source
from assay.uncertainty import every_rule
from verification._space import Kind, Population, Sample
from verification._space_of_many import Alike, ManyClasses

__all__ = ["GROUPS", "Found", "Group"]

LEVEL = 0.95
# Value, lower and upper limit, and the method's name.
Found = tuple[float, float, float, str]


@dataclass(frozen=True)
class Group:
    """Things that are tried together on the same samples: what is found of each, and what is true of it.

    Populations and samples are of the kinds that `kinds` names, or of a space of their own.
    """

    better: Mapping[str, str]
    found: Callable[[Any, Any], dict[str, Found]]
    true: Callable[[Any], dict[str, float]]
    kinds: tuple[Kind, ...] = ("rows", "weights", "clusters")


def _is_drawn(measure: Measure) -> bool:
    return next(iter(measure.intervals.methods)) == "Dirichlet"


CLOSED = {name: measure for name, measure in registry.items() if not _is_drawn(measure)}
CLOSED["partial_auc(0, 0.2)"] = find("partial_auc(0, 0.2)")
DRAWN = {name: measure for name, measure in registry.items() if _is_drawn(measure)}
# Of the best rule of these very cases, between what it is worth here and what rules are worth on other cases.
CHOSEN: dict[str, Measure] = {
    "ks": find("ks"),
    "hull_area": find("hull_area"),
    "h_measure": find("h_measure"),
    "minimum_cost, 1 : 1": minimum_cost(Costs(fp=1, fn=1)),
    "minimum_cost, 1 : 5": minimum_cost(Costs(fp=1, fn=5)),
    "minimum_cost, 1 : 5 at 10 %": minimum_cost(Costs(fp=1, fn=5, prevalence=0.1)),
}


def _by_name(known: Mapping[str, Measure]) -> dict[str, Measure]:
    """Those that no table shows and that have an interval of their own."""
    shown = {name: m for name, m in known.items() if next(iter(m.intervals.methods)) not in ("none", "cross-fitted")}
    return {name: measure for name, measure in shown.items() if name not in CHOSEN}


NAMED = _by_name(on_request)
# Shares of pairs of cases, whose truth is that of pairs drawn without end.
OF_PAIRS = {name: NAMED[name] for name in ("rand_index", "adjusted_rand")}
# The same of many classes, and forms with a parameter.
NAMED_OF_MANY = _by_name(on_request_of_many)
NAMED_OF_MANY |= {name: find_for_many(name) for name, m in NAMED.items() if m.needs is ConfusionMatrix}
NAMED_OF_MANY |= {name: find_for_many(name) for name in ("top_k_accuracy(2)", "macro_f_beta(2)", "weighted_f_beta(2)")}
COMPARED = (
    *("accuracy", "recall", "specificity", "roc_auc", "average_precision", "brier", "log_loss"),
    *("brier_skill", "log_loss_skill"),
)
COMPARED_BY_DRAWS = ("f1", "precision", "balanced_accuracy", "kappa", "mcc")


# Of clusters whose sizes tell how hard they are.
SIZED = ("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "recall", "precision", "f1")
SIZED_COMPARED = ("roc_auc", "brier", "accuracy")


def evaluated(sample: Sample, score: Any, threshold: float, weight: Any = None) -> TwoClassEvaluation:
    """An evaluation as `assay.evaluate` makes it, without the way through the front door."""
    given = sample.weight if weight is None else weight
    predictions = Predictions(
        ("no", "yes"), sample.truth.astype(np.intp), score=score, weight=given, cluster=sample.cluster
    )
    rows = DecidedRows(predictions, threshold)
    scores = ScoreTable.of(score, sample.truth, ("no", "yes"), **rows.design)
    source = Source("simulated", "arrays", len(score))
    return TwoClassEvaluation(
        source=source, matrix=scores.at(threshold), scores=scores, threshold_used=threshold, threshold_was_given=True,
        level=LEVEL, seed=0, rows=rows,
    )  # fmt: skip


def _of_measures(measures: Mapping[str, Measure]) -> Group:
    def found(population: Population, sample: Sample) -> dict[str, Found]:
        ev = evaluated(sample, sample.score, population.threshold)
        each = {name: measure.estimate(_evidence(ev, measure), level=LEVEL) for name, measure in measures.items()}
        return {name: (one.value, one.low, one.high, one.method) for name, one in each.items()}

    def true(population: Population) -> dict[str, float]:
        ev = evaluated(population.whole, population.whole.score, population.threshold, population.target * 1e5)
        by_kind = {ConfusionMatrix: _endless(ev.matrix), ScoreTable: ev.scores}
        return {name: float(measure(by_kind[measure.needs])) for name, measure in measures.items()}

    return Group({name: measure.better for name, measure in measures.items()}, found, true)


def _endless(matrix: ConfusionMatrix | None) -> ConfusionMatrix:
    """The matrix of so many cases that no two drawn are the same: what pairs of cases are in the long run."""
    assert matrix is not None
    return ConfusionMatrix(matrix.counts * 1e9, matrix.classes, matrix.decisions)


def _evidence(ev: TwoClassEvaluation, measure: Measure) -> Any:
    return ev.matrix if measure.needs is ConfusionMatrix else ev.scores


def _of_differences(names: tuple[str, ...]) -> Group:
    measures = {f"{name}, difference": find(name) for name in names}

    def found(population: Population, sample: Sample) -> dict[str, Found]:
        compared = _compared(population, sample)
        each = {name: compared.difference(measure, "a", "b") for name, measure in measures.items()}
        return {name: (one.value, one.low, one.high, one.method) for name, one in each.items()}

    def true(population: Population) -> dict[str, float]:
        compared = _compared(population, population.whole, population.target * 1e5)
        evs = list(compared.models.values())
        return {
            name: float(measure(_evidence(evs[0], measure))) - float(measure(_evidence(evs[1], measure)))
            for name, measure in measures.items()
        }

    return Group(dict.fromkeys(measures, "neither"), found, true)


def _compared(population: Population, sample: Sample, weight: Any = None) -> Comparison:
    models = {
        name: evaluated(sample, score, population.threshold, weight)
        for name, score in (("a", sample.score), ("b", sample.second))
    }
    return Comparison(Evaluations(models), level=LEVEL)


def _of_many_classes(known: Mapping[str, Measure], *, drawn: bool) -> Group:
    measures = {f"{name}, many classes": m for name, m in known.items() if _is_drawn(m) is drawn}

    def evidence(truth: Any, probability: Any, classes: int, weight: Any = None) -> dict[type, Any]:
        names = tuple(f"c{k}" for k in range(classes))
        matrix = ConfusionMatrix.of(truth, probability.argmax(1), names, weight=weight)
        return {ConfusionMatrix: matrix, ClassScores: ClassScores.of(probability, truth, names, weight=weight)}

    def found(population: ManyClasses, sample: tuple[Any, Any]) -> dict[str, Found]:
        by_kind = evidence(*sample, population.classes)
        each = {name: measure.estimate(by_kind[measure.needs], level=LEVEL) for name, measure in measures.items()}
        return {name: (one.value, one.low, one.high, one.method) for name, one in each.items()}

    def true(population: ManyClasses) -> dict[str, float]:
        by_kind = evidence(population.truth, population.probability, population.classes)
        return {name: float(measure(by_kind[measure.needs])) for name, measure in measures.items()}

    return Group({name: measure.better for name, measure in measures.items()}, found, true, ("classes",))


def _of_tests() -> Group:
    """A test counts as held where it does not reject models that are all alike."""
    name = "several AUCs at once, test"

    def found(population: Alike, sample: tuple[Any, Any]) -> dict[str, Found]:
        truth, scores = sample
        test = joint_auc(truth, {str(k): score for k, score in enumerate(scores)}).test()
        if math.isnan(test.p_value):
            return {name: (math.nan, math.nan, math.nan, "none")}
        # As an interval of the one true statement, which a rejection leaves out.
        held = test.p_value >= 1 - LEVEL
        return {name: (1.0, 0.0 if held else 1.0, 2.0, "F" if test.method.startswith("F") else "ANOVA-type F")}

    return Group({name: "neither"}, found, lambda _: {name: 0.5}, ("alike",))


def _weights(population: Population) -> dict[str, float]:
    """By the cost of a miss and of a false alarm, the weight of the misses at the population's own prevalence."""
    odds = population.prevalence / (1 - population.prevalence)
    return {name: ratio * odds for name, ratio in (("1 : 5", 0.2), ("1 : 1", 1.0), ("5 : 1", 5.0))}


def _rules(population: Population, score: Any) -> tuple[Any, Any]:
    """In the population, the share of positives missed and of negatives called at every threshold."""
    weight = population.target * 1e5
    every = every_rule(ScoreTable.of(score, population.whole.truth, weight=weight))
    return 1 - every.hits / every.positives, every.alarms / every.negatives


def _least_cost(population: Population, score: Any, weight: float) -> float:
    missed, called = _rules(population, score)
    return float((weight * missed + called).min()) / min(weight, 1.0)


def _of_savings() -> Group:
    """What a threshold that was given saves of the cost of the better constant answer."""

    def found(population: Population, sample: Sample) -> dict[str, Found]:
        matrix = ScoreTable.of(sample.score, sample.truth).at(population.threshold)
        each = {f"saving, {name}": saving_at(matrix, weight) for name, weight in _weights(population).items()}
        return {name: (one.value, one.low, one.high, one.method) for name, one in each.items()}

    def true(population: Population) -> dict[str, float]:
        whole = ScoreTable.of(population.whole.score, population.whole.truth, weight=population.target * 1e5)
        matrix = whole.at(population.threshold)
        return {f"saving, {name}": saving_at(matrix, weight).value for name, weight in _weights(population).items()}

    names = [f"saving, {name}" for name in ("1 : 5", "1 : 1", "5 : 1")]
    return Group(dict.fromkeys(names, "higher"), found, true, ("rows",))


def _of_cheapest() -> Group:
    """What the cheapest threshold saves, and how much cheaper one of two is, each at its own cheapest threshold."""

    def found(population: Population, sample: Sample) -> dict[str, Found]:
        weights, nothing = _weights(population), (math.nan, math.nan, math.nan, "none")
        saved = cheapest_savings(ScoreTable.of(sample.score, sample.truth), list(weights.values()))
        told = {f"cheapest saving, {name}": one for name, one in zip(weights, saved, strict=True)}
        each = {name: (one.value, one.low, one.high, one.method) for name, one in told.items()}
        if min(sample.truth.sum(), (~sample.truth).sum()) < FEWEST_IN_CLASS:
            return each | {f"cheapest, {name}, difference": nothing for name in weights}
        both = cheapest_of(sample.truth, {"a": sample.score, "b": sample.second}, list(weights.values()))
        for name, one in zip(weights, both, strict=True):
            (d,) = one.differences
            ends = (d.value, d.low, d.high) if d.first == "a" else (-d.value, -d.high, -d.low)
            each[f"cheapest, {name}, difference"] = (*ends, d.method)
        return each

    def true(population: Population) -> dict[str, float]:
        values: dict[str, float] = {}
        for name, weight in _weights(population).items():
            one, other = (_least_cost(population, s, weight) for s in (population.whole.score, population.whole.second))
            values |= {f"cheapest saving, {name}": 1 - one, f"cheapest, {name}, difference": one - other}
        return values

    ratios = ("1 : 5", "1 : 1", "5 : 1")
    better = {f"cheapest saving, {name}": "higher" for name in ratios}
    return Group(better | {f"cheapest, {name}, difference": "neither" for name in ratios}, found, true, ("rows",))


GROUPS: dict[str, Group] = {
    "closed": _of_measures(CLOSED),
    "drawn": _of_measures(DRAWN),
    "chosen": replace(_of_measures(CHOSEN), kinds=("rows",)),
    "differences": _of_differences(COMPARED),
    "drawn differences": replace(_of_differences(COMPARED_BY_DRAWS), kinds=("rows", "clusters")),
    "drawn differences, weighted": replace(_of_differences(COMPARED_BY_DRAWS), kinds=("weights",)),
    "many classes": _of_many_classes(registry_of_many, drawn=False),
    "many classes, drawn": _of_many_classes(registry_of_many, drawn=True),
    "by name": replace(_of_measures({n: m for n, m in NAMED.items() if n not in OF_PAIRS}), kinds=("rows",)),
    "pairs of cases": replace(_of_measures(OF_PAIRS), kinds=("rows",)),
    "by name, many classes": _of_many_classes(NAMED_OF_MANY, drawn=False),
    "by name, many classes, drawn": _of_many_classes(NAMED_OF_MANY, drawn=True),
    "sizes of clusters": replace(_of_measures({name: find(name) for name in SIZED}), kinds=("sized",)),
    "sizes of clusters, differences": replace(_of_differences(SIZED_COMPARED), kinds=("sized",)),
    "savings": _of_savings(),
    "cheapest": _of_cheapest(),
    "tests": _of_tests(),
}
