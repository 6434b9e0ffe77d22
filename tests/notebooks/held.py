"""Every kind of object that users hold, made of names that try to be more than names."""

from __future__ import annotations

import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

import numpy as np

import assay
from assay.comparison.power import plan_auc
from assay.curves import horizontal_average
from assay.testing import Gate

EVIL = "<script>alert(1)</script>\u202e"
HOUSES = ("calibration", "cautions", "comparison", "curves", "decisions", "evaluation", "experiments", "plots", "ranks")


def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The truth, and the scores of a good and a poor classifier."""
    rng = np.random.default_rng(11)
    truth = rng.random(240) < 0.4
    good, poor = (1 / (1 + np.exp(-rng.normal(gap * truth - 0.6, 1.0))) for gap in (2.0, 1.0))
    return truth, good, poor


@cache
def held() -> dict[str, Any]:
    """An object of each kind, by what makes it."""
    truth, good, poor = arrays()
    rng = np.random.default_rng(12)
    named = np.where(truth, EVIL, "other")
    shares = rng.dirichlet([1, 1, 1], 240)
    three = np.array([EVIL, "b", "c"])[np.where(rng.random(240) < 0.7, shares.argmax(1), rng.integers(0, 3, 240))]
    ev = assay.evaluate(named, good, positive=EVIL, by=np.where(np.arange(240) % 2, EVIL, "rest"))
    many = assay.evaluate(three, y_proba=shares, classes=[EVIL, "b", "c"])
    cmp = assay.compare(named, {EVIL: good, "poor": poor}, positive=EVIL)
    unpaired = assay.compare_unpaired({EVIL: ev, "later": assay.evaluate(named, poor, positive=EVIL)})
    sites = assay.pool(ev)
    values = {EVIL: [0.9, 0.8, 0.7, 0.85, 0.6, 0.77], "knn": [0.8, 0.7, 0.75, 0.8, 0.55, 0.7], "nb": [0.7] * 6}
    ranks = assay.rank_algorithms(values)
    rows = np.column_stack([good, poor, rng.normal(size=240)])
    study = assay.experiment({EVIL: (rows, named)}, ["nb", "stump"], assay.plans.kfold(3), jobs=1)
    found: dict[str, Any] = {"ev": ev, "evs": assay.evaluate_models(truth, {EVIL: good, "poor": poor})}
    found |= {"labels": assay.evaluate(named, y_pred=named, positive=EVIL), "many": many, "cmp": cmp}
    found |= {"pairs": cmp.pairs("roc_auc")}
    found |= {"cmp of three": assay.compare(truth, {EVIL: good, "poor": poor, "poorer": poor**2})}
    found |= {"unpaired": unpaired, "unpaired difference": unpaired.difference("roc_auc", EVIL, "later")}
    found |= {"estimate": ev.roc_auc, "undefined": assay.from_counts(tp=0, fn=3, fp=0, tn=4).precision}
    found |= {"table": ev.table(), "long table": ev.roc.table(), "test": ev.rank_test(), "matrix": ev.matrix}
    found |= {"matrix of many": many.matrix, "per class": ev.per_class, "per class of many": many.per_class}
    found |= {"one class": many.per_class["b"], "calibration": ev.calibration, "of classes": many.calibration}
    found |= {"cautions": ev.cautions, "caution": ev.cautions[0], "baselines": ev.baselines}
    found |= {"verdict": cmp.verdict("roc_auc", EVIL, "poor", margin=0.01), "source": ev.source, "answer": cmp.answer()}
    found |= {"difference": cmp.difference("brier", EVIL, "poor"), "hull": cmp.hull, "measure": ev.find("roc_auc")}
    found |= {"choice": ev.threshold(costs=assay.Costs(fp=1, fn=5), draws=100), "plan": plan_auc(0.8, 0.03)}
    found |= {"costs": assay.Costs(fp=1, fn=5, prevalence=0.1), "paired": cmp.decisions(EVIL, "poor")}
    found |= {"right": cmp.joint_correctness(EVIL, "poor"), "ranks": ranks, "rank answer": ranks.answer()}
    found |= {"critical difference": ranks.critical_difference(), "pairs of ranks": ranks.compare()}
    gaps = ev.gaps("accuracy", by={EVIL: np.where(np.arange(len(truth)) % 3 == 0, EVIL, "other")})
    found |= {"sites": sites, "summary of sites": sites.summary(), "forest plot": sites.forest()}
    found |= {"gaps": gaps, "gap": gaps.tested[0]}
    folds = list(np.ndindex(3, 2, 5))
    by_fold = {"dataset": [f"d{d}" for d, _, _ in folds], "algorithm": [(EVIL, "nb")[a] for _, a, _ in folds]}
    by_fold |= {"fold": [f for _, _, f in folds], "value": rng.random(len(folds)).tolist()}
    found |= {"weka": assay.rank_algorithms(by_fold).weka(), "posterior": ranks.bayesian(0.01)[0]}
    found |= {"study": study, "winner": study.winner(EVIL), "flow": study.flow(EVIL), "averaged": study.roc(EVIL, "nb")}
    found |= {"outcome": Gate.of(truth, good).check("roc_auc > 0.5")[0], "curves": ev.curves, "tests": cmp.tests}
    found |= {"class curves": many.curves, "interval": ev.curves.auc_bounds(), "tangents": ev.thresholds([1.0, 5.0])}
    found |= {"rates": cmp.tests.rate_ratio("npv", EVIL, "poor"), "dominance": cmp.tests.dominance(EVIL, "poor")}
    found |= {"points": cmp.tests.roc_points(), "pair counts": ev.pairs, "implied": found["choice"].implied}
    found |= {"murphy difference": cmp.tests.murphy(EVIL, "poor")}
    found |= {"unpaired tests": found["unpaired"].tests, "surface": many.curves.surface}
    found |= {"horizontal": horizontal_average([ev.curves.scores] * 2)}
    found |= {"p-value": cmp.tests.p_value("roc_auc", EVIL, "poor"), "by name": cmp.tests.by_name("bowker")}
    model = study.model(EVIL, "stump", fold=0)
    found |= {"model": model, "importances": model.importances(repeats=10), "all pairs": study.pairs(EVIL)}
    found |= {"scored": study.score(rows[:5], EVIL, "nb", fold=0)}
    found |= {"chance": study.against_chance(EVIL, "nb", permutations=3)}
    found |= {"validation": study.bootstrap_validation(EVIL, "nb", replicates=5)}
    found |= {"recalibration of many": many.calibration.recalibration("temperature")}
    accumulator = assay.Accumulator(classes=[EVIL, "other"], positive=EVIL)
    accumulator.update(named, good)
    found |= {"accumulator": accumulator, "evidence": assay.reduce(named, good, positive=EVIL, name=EVIL)}
    found |= {f"curve {name}": curve for name, curve in curves_of(ev).items()}
    found |= {f"calibration {name}": one for name, one in calibration_of(ev).items()}
    return found | sampled_of(good) | items_of()


def curves_of(ev: Any) -> dict[str, Any]:
    """Every curve, band and hull of two classes."""
    held = ev.curves
    alone = (
        "roc",
        "precision_recall",
        "precision_recall_gain",
        "det",
        "fp_fn",
        "gain",
        "lift",
        "ks",
        "cost",
        "cost_weights",
        "brier",
    )
    found = {name: getattr(held, name) for name in (*alone, "densities", "reject", "margin", "hull")}
    found |= {"decision": held.decision(), "expected cost": held.expected_cost(fp=1, fn=5), "top k": held.top_k()}
    found |= {"binormal": held.binormal(), "smooth": held.smooth(), "picture": held.roc_picture(tangent=1.0)}
    found |= {"risk chart": held.risk_chart(), "sweep": held.sweep("recall", "precision"), "band": held.roc_band()}
    found |= {"errors": held.errors_picture(2.0), "scaled hull": held.hull.scaled_picture(assay.Costs(fp=1, fn=5))}
    return found | {"against threshold": held.against_threshold("f1"), "mixture": held.hull.mix(fpr=0.123)}


def sampled_of(scores: np.ndarray) -> dict[str, Any]:
    """A sample of rows to label, and what their labels show."""
    sample = assay.sample(scores, labels=120, seed=3)
    labels = np.full(len(scores), np.nan)
    labels[sample.rows] = arrays()[0][sample.rows]
    ev = assay.evaluate(labels, scores, inclusion=sample.probability)
    return {"label sample": sample, "sampled": ev, "labelled": ev.labelled}


def items_of() -> dict[str, Any]:
    """Models by their answers to items, by the labels of a judge, and by battles."""
    items = [f"{EVIL}{place}" for place in range(12)] * 2
    log = {"item": items, "model": [EVIL] * 12 + ["nb"] * 12, "score": [1, 1, 1, 0] * 3 + [1, 0, 0, 0] * 3}
    rows = {"model_a": [EVIL, "nb"] * 20, "model_b": ["nb", EVIL] * 20, "winner": ["model_a", "tie"] * 20}
    labels = {"judge": ["pass", "fail"] * 100, "human": ["pass", "fail"] * 15 + ["fail", "pass"] + [""] * 168}
    judge = assay.evaluate_judge({**labels, "model": [EVIL] * 200}, human="human", model="model")
    compared = assay.compare_items(log)
    return {
        "items": assay.evaluate_items(log),
        "compared items": compared,
        "battles": assay.evaluate_battles(rows),
        "judge": judge,
    }


def calibration_of(ev: Any) -> dict[str, Any]:
    """Everything calibration has to say of two classes."""
    held = ev.calibration
    alone = (
        "cox",
        "calibration_in_the_large_test",
        "brier_test",
        "ece",
        "covariance",
        "curve",
        "diagram",
        "covariance_graph",
    )
    found = {
        name: getattr(held, name) for name in (*alone, "murphy_diagram", "band", "miscalibration", "smooth", "murphy")
    }
    found |= {"groups": held.groups(), "hosmer lemeshow": held.hosmer_lemeshow(), "parts": held.parts()}
    found |= {"murphy parts": held.murphy_parts(5), "part errors": held.murphy_part_errors(5)}
    found |= {"recalibrated": held.recalibrated("platt"), "function": held.recalibration_function()}
    return found | {"recalibration": held.recalibration("platt"), "belt": held.belt}


def reachable() -> dict[type, str]:
    """Every class of ours that an attribute or a method of what users hold gives, and which one does."""
    for house in HOUSES:
        importlib.import_module(f"assay.{house}")
    ours = [module for name, module in list(sys.modules.items()) if name.startswith("assay.")]
    names = {name: kind for module in ours for name, kind in vars(module).items() if inspect.isclass(kind)}
    found: dict[type, str] = {}
    doors = [getattr(assay, name) for name in assay.__all__]
    waiting = [(door, door.__name__) for door in doors if inspect.isclass(door) and not issubclass(door, Exception)]
    while waiting:
        kind, via = waiting.pop()
        if kind in found or not kind.__module__.startswith("assay."):
            continue
        found[kind] = via
        for name, given in _given(kind, names):
            waiting += [(each, f"{kind.__name__}.{name}") for each in _classes(given)]
    return found


def _given(kind: type, names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, member in inspect.getmembers(kind):
        function = member.fget if isinstance(member, property) else member
        function = function.func if isinstance(function, cached_property) else function
        if not name.startswith("_") and inspect.isroutine(function) and hasattr(function, "__annotations__"):
            known = {**vars(importlib.import_module(function.__module__)), **names}
            yield name, typing.get_type_hints(function, known).get("return")
    for name, given in typing.get_type_hints(kind, None, names).items():
        if not name.startswith("_"):
            yield name, given


def _classes(given: Any) -> Iterator[type]:
    if isinstance(given, type):
        yield given
    for part in typing.get_args(given):
        yield from _classes(part)
