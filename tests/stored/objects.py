"""What users may have pickled: every object, how it is made, and the numbers that it answers with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from typing import Any

import numpy as np
import polars

import assay
from assay import calibration, curves, decisions, estimators, streams
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.experiments import validation_learners
from assay.measures import Measure, find, find_for_many

N = 48
DRAWN = np.random.default_rng(20261119)
TRUTH = np.array([0, 1, 1, 0, 1, 0] * (N // 6))
SCORE = np.round(np.clip(0.25 + 0.4 * TRUTH + DRAWN.normal(scale=0.25, size=N), 0.01, 0.99), 2)
OTHER = np.round(np.clip(0.3 + 0.2 * TRUTH + DRAWN.normal(scale=0.25, size=N), 0.01, 0.99), 2)
GROUP = np.array(["a", "b", "b"] * (N // 3))
WEIGHT = np.array([1.0, 2.0, 0.5, 1.5] * (N // 4))
CLUSTER = np.arange(N) // 3
THREE = np.array(["low", "mid", "top"])[np.arange(N) % 3]
SHARES = np.round(DRAWN.dirichlet((1, 1, 1), N) * 0.5 + 0.5 * np.eye(3)[np.arange(N) % 3], 3)
SHARES /= SHARES.sum(axis=1, keepdims=True)
FEATURES = np.column_stack([SCORE, OTHER])
COSTS = {"fp": 1, "fn": 4}


def evaluation(**options: Any) -> assay.TwoClassEvaluation:
    return assay.evaluate(TRUTH, SCORE, **options)


def many() -> assay.ManyClassEvaluation:
    ev = assay.evaluate(THREE, y_proba=SHARES)
    assert isinstance(ev, assay.ManyClassEvaluation)
    return ev


def comparison(**options: Any) -> Any:
    return assay.compare(TRUTH, {"first": SCORE, "second": OTHER}, **options)


def reduced() -> assay.Evidence:
    columns = {"y_true": TRUTH, "score__first": SCORE, "score__second": OTHER}
    return assay.reduce(polars.DataFrame(columns))


def used(found: Any) -> Any:
    """The same object after it was asked for everything, which may be pickled with it."""
    found.to_dict()
    return found


def sites() -> assay.Sites:
    parts = {name: evaluation_of(start) for name, start in (("north", 0), ("south", 1), ("east", 2), ("west", 3))}
    return assay.pool(parts)


def evaluation_of(start: int) -> assay.TwoClassEvaluation:
    return assay.evaluate(TRUTH[start::4].copy(), SCORE[start::4].copy())


def ranks() -> assay.Ranks:
    values = [[0.80, 0.75, 0.70], [0.91, 0.88, 0.90], [0.65, 0.60, 0.55], [0.77, 0.78, 0.70], [0.83, 0.80, 0.81]]
    return assay.rank_algorithms(np.array(values), algorithms=["svm", "tree", "bayes"])


def stream(**options: Any) -> Any:
    run = streams.prequential(views=(streams.cumulative(), streams.sliding(20), streams.fading(0.9)), **options)
    run.update_many(TRUTH, TRUTH ^ (SCORE > 0.7), score=SCORE)
    return run


def watched() -> Any:
    watch = streams.watch(reference=0.2, views=(streams.sliding(20),), every=12)
    watch.update_many(TRUTH, (SCORE > 0.5).astype(int), score=SCORE)
    return watch


def table() -> ScoreTable:
    return ScoreTable.of(SCORE, TRUTH == 1)


def rivals() -> Any:
    both = streams.compare("first", "second")
    both.update_many(TRUTH, score={"first": SCORE, "second": OTHER})
    return both


def pairs() -> Any:
    arriving = streams.ArrivingPairs()
    arriving.extend(TRUTH, SCORE)
    return arriving


def alarm() -> Any:
    listening = streams.Alarm(0.2, margin=0.05)
    listening.extend((TRUTH ^ (SCORE > 0.7)).astype(float))
    return listening


def batches() -> assay.Accumulator:
    gathered = assay.Accumulator()
    for rows in (slice(0, 20), slice(20, N)):
        gathered.update(TRUTH[rows], SCORE[rows])
    return gathered


def bayes() -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB()


def forest() -> Any:
    from sklearn.ensemble import BaggingClassifier

    return BaggingClassifier(bayes(), n_estimators=5, random_state=0)


def fitted(kind: str, *given: Any, **options: Any) -> Any:
    return getattr(estimators, kind)(*given, **options).fit(FEATURES, TRUTH)


ROOTS: Mapping[str, Callable[[], Any]] = {
    "evaluation": evaluation,
    "evaluation-used": lambda: used(evaluation()),
    "evaluation-weighted": lambda: used(evaluation(weight=WEIGHT, by=GROUP)),
    "evaluation-clustered": lambda: used(evaluation(cluster=CLUSTER)),
    "evaluation-labels": lambda: used(assay.evaluate(TRUTH, TRUTH ^ (SCORE > 0.7))),
    "evaluation-counts": lambda: assay.from_counts(tp=20, fn=4, fp=6, tn=18),
    "many": many,
    "many-used": lambda: used(many()),
    "models": lambda: assay.evaluate_models(TRUTH, {"first": SCORE, "second": OTHER}),
    "evidence": lambda: assay.reduce(TRUTH, SCORE),
    "evidence-of-many": lambda: assay.reduce(THREE, y_proba=SHARES),
    "evidence-of-models": lambda: reduced(),
    "comparison": comparison,
    "comparison-clustered": lambda: comparison(cluster=CLUSTER),
    "comparison-without-rows": lambda: assay.compare(reduced()),
    "unpaired": lambda: assay.compare_unpaired({"north": evaluation_of(0), "south": evaluation_of(1)}),
    "sites": sites,
    "ranks": ranks,
    "stream": stream,
    "rivals": rivals,
    "alarm": lambda: alarm(),
    "accumulator": batches,
    "costs": lambda: assay.Costs(fp=1, fn=4),
    "scorer": lambda: assay.scorer("f1", positive=1),
    "plan": lambda: assay.plans.repeated_kfold(folds=5, repeats=2),
    "threshold": lambda: evaluation().threshold(costs=assay.Costs(fp=1, fn=4)),
    "constraint": lambda: decisions.at_least("recall", 0.8),
    "change-alarm": lambda: streams.ChangeAlarm(0.1),
    "faded-mcnemar": lambda: streams.FadedMcNemar(0.99),
    "arriving-pairs": pairs,
    "moment": lambda: watched().now(),
    "murphy-curve": lambda: calibration.murphy_curve(table()),
    "murphy-difference": lambda: calibration.murphy_difference(TRUTH, SCORE, OTHER),
    "dominance": lambda: curves.dominance(table(), ScoreTable.of(OTHER, TRUTH == 1)),
    "vertical-average": lambda: curves.vertical_average([table(), ScoreTable.of(OTHER, TRUTH == 1)]),
    "horizontal-average": lambda: curves.horizontal_average([table(), ScoreTable.of(OTHER, TRUTH == 1)]),
    "p-value-picture": lambda: curves.p_value_picture(0.03, 0.01),
    "roc-points": lambda: curves.roc_points({"svm": ConfusionMatrix(np.array([[20.0, 4.0], [3.0, 21.0]]))}),
    "tangents": lambda: evaluation().thresholds([0.5, 1, 2]),
    "sample-plan": lambda: evaluation().plan("roc_auc", half_width=0.05),
    "gaps": lambda: evaluation(by=GROUP).gaps("accuracy"),
    "named-tests": lambda: comparison().tests.by_name("mcnemar"),
    "difference": lambda: assay.compare(reduced()).difference("roc_auc", "first", "second"),
    "answer": lambda: used(assay.compare(reduced()).answer()),
    "figure": lambda: evaluation().curves.roc.drawing(),
    "caution": lambda: assay.from_counts(tp=2, fn=1, fp=6, tn=18).cautions,
    "predictions": lambda: evaluation().predictions,
    "measure": lambda: find("roc_auc"),
    "measure-with-parameter": lambda: find("f_beta(3)"),
    "measure-of-many": lambda: find_for_many("macro_f1"),
    "detections": lambda: streams.detections([10, 30], [12, 40], n=48),
}
# What they have, by the path to it.
MEMBERS: Mapping[str, str] = {
    "evaluation": """
    baselines cautions errors pairs per_class predictions rank_test rows scores table matrix roc_auc f1
    curves.auc_bounds curves.binormal curves.brier curves.cost curves.cost_weights curves.decision curves.densities
    curves.hull curves.ks curves.margin curves.precision_band curves.precision_recall curves.risk_chart curves.roc
    curves.roc_picture curves.smooth curves.top_k
    calibration calibration.band calibration.belt calibration.brier_test calibration.covariance
    calibration.covariance_graph calibration.cox calibration.diagram calibration.ece calibration.groups
    calibration.hosmer_lemeshow calibration.miscalibration calibration.murphy_part_errors calibration.murphy_parts
    calibration.parts calibration.recalibrated calibration.recalibration calibration.recalibration_function
    calibration.smooth calibration.test
    """,
    "many": "baselines class_scores per_class curves.surface calibration.overall calibration.recalibration",
    "comparison": "hull cheapest test",
    "sites": "small_sites",
    "ranks": "answer compare critical_difference bayesian effect_sizes",
}
LEARNERS: Mapping[str, Callable[[], Any]] = {
    "AsymmetricMarginSVC": lambda: fitted("AsymmetricMarginSVC", positive_margin=2.0),
    "CostSensitiveClassifier": lambda: fitted("CostSensitiveClassifier", bayes(), costs=COSTS),
    "HullMixtureClassifier": lambda: fitted("HullMixtureClassifier", bayes(), fpr=0.2, random_state=0),
    "MetaCostClassifier": lambda: fitted("MetaCostClassifier", bayes(), costs=COSTS, random_state=0),
    "RankBoostClassifier": lambda: fitted("RankBoostClassifier", n_estimators=5),
    "RecalibratedClassifier": lambda: fitted("RecalibratedClassifier", bayes(), method="platt", cv=3),
    "RejectClassifier": lambda: fitted("RejectClassifier", bayes(), costs={"reject": 0.2}),
    "ThresholdClassifier": lambda: fitted("ThresholdClassifier", bayes(), costs=COSTS),
    # Not fitted: what scikit-learn keeps of a tree is of one of its releases alone.
    "PrunedTree": lambda: validation_learners.PrunedTree(max_depth=3),
    "StoppedBoosting": lambda: validation_learners.StoppedBoosting(n_estimators=7),
    "VotesClassifier": lambda: fitted("VotesClassifier", forest(), votes=2),
}


def made() -> Iterator[tuple[str, Any]]:
    """Every object by its name; each has a root of its own, so that none knows what another was asked for."""
    for name, root in {**ROOTS, **LEARNERS}.items():
        yield name, root()
        for path in MEMBERS.get(name, "").split():
            found = attrgetter(path)(root())
            yield f"{name}.{path}", found() if callable(found) and not hasattr(found, "to_dict") else found


def numbers(value: Any) -> Any:
    """The numbers that an object answers with, as JSON holds them; its words may change."""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return None if value != value else float(f"{value:.10g}")
    if isinstance(value, np.ndarray):
        return numbers(value.tolist()) if value.dtype.kind in "biuf" else None
    if isinstance(value, Mapping):
        return {str(key): numbers(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [numbers(each) for each in value]
    return None if isinstance(value, str | type(None)) else numbers_of_object(value)


def numbers_of_object(value: Any) -> Any:
    """The same of one that users hold: by what it is asked for, or its fields."""
    for kind, ask in ASKED.items():
        if isinstance(value, kind):
            return numbers(ask(value))
    for answer in ("to_dict", "state", "table", "_asdict"):
        if callable(getattr(value, answer, None)):
            return numbers(vars(found) if isinstance(found := getattr(value, answer)(), assay.Table) else found)
    if hasattr(value, "classes_"):
        answers = ("predict_proba", "decision_function", "predict")
        return {each: numbers(getattr(value, each)(FEATURES)) for each in answers if hasattr(value, each)}
    if hasattr(value, "get_params"):
        return numbers(value.get_params())
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else ()
    return {field.name: numbers(getattr(value, field.name)) for field in fields} or None


ASKED: Mapping[type, Callable[[Any], Any]] = {
    assay.Evidence: lambda evidence: {name: ev.to_dict() for name, ev in evidence.evaluations().items()},
    assay.Accumulator: lambda batches: batches.evaluate(),
    Measure: lambda measure: (many() if measure.name.startswith("macro") else evaluation()).estimate(measure),
    assay.Scorer: lambda scorer: scorer(fitted("RankBoostClassifier", n_estimators=5), FEATURES, TRUTH),
}
