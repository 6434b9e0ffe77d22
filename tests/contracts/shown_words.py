"""What the answers of all commands call things: the methods, tests, rows and cautions over a set of samples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import assay
from assay.comparison import LIMITS, METHODS
from assay.comparison.power import plan_auc
from assay.evaluation import Evaluation, Evaluations, compare_unpaired
from assay.ranks import rank_algorithms
from assay.report import Compared, answers
from assay.report.blocks import Block, Estimates, Forest
from assay.report.pages.sites import sites_answer
from assay.report.sections import written

__all__ = ["shown_words"]

# What in a record names how a thing was made, or what it is.
NAMING = ("method", "test", "code", "measure", "adjusted", "criterion", "outcome")


def samples() -> dict[str, Evaluation]:
    """Evaluations of every kind: scores, probabilities, labels, counts; few cases, weights, clusters, folds."""
    rng = np.random.default_rng(0)
    truth = rng.random(240) < 0.4
    score = 1 / (1 + np.exp(-rng.normal(2 * truth - 1, 1)))
    many = rng.integers(0, 3, 240)
    proba = rng.dirichlet((1, 1, 1), 240) + 2 * np.eye(3)[many]
    proba /= proba.sum(1, keepdims=True)
    names = np.array(["a", "b", "c"])[many]
    unit = np.arange(240) // 6
    return {
        "scores": assay.evaluate(truth, score),
        "ranks": assay.evaluate(truth, 8 * score - 3),
        "few": assay.evaluate(truth[:14], score[:14]),
        "perfect": assay.evaluate(truth, np.where(truth, 0.9, 0.1)),
        "weighted": assay.evaluate(truth, score, weight=rng.random(240) + 0.5),
        "clustered": assay.evaluate(truth, score, cluster=unit),
        "folds": assay.evaluate(truth, score, fold=unit % 5),
        "parted": assay.evaluate(truth, score, by=np.arange(240) % 3),
        "parted labels": assay.evaluate(truth, y_pred=score > 0.5, positive=True, by=np.arange(240) % 3),
        "labels": assay.evaluate(truth, y_pred=score > 0.5, positive=True),
        "counts": assay.from_counts(tp=40, fn=10, fp=0, tn=50),
        "many": assay.evaluate(names, y_proba=proba),
        "many labels": assay.evaluate(names, y_pred=np.roll(names, 1)),
        "many clusters": assay.evaluate(names, y_proba=proba, cluster=unit),
        "many weights": assay.evaluate(names, y_proba=proba, weight=rng.random(240) + 0.5),
    }


def named(cmp: assay.Comparison, apart: assay.UnpairedComparison) -> Iterator[answers.Answer]:
    """What is asked for by name."""
    of_areas = ("delong", "hanley-mcneil", "hanley-mcneil table", "obuchowski", "bootstrap", "bootstrap normal")
    of_shares = ("tango", "newcombe", "wald", "bonett-price", "agresti-min", "dirichlet", "normal", "influence")
    for measure, methods in (("roc_auc", of_areas), ("accuracy", of_shares), ("brier", ("t", "normal"))):
        for method in methods:
            yield answers.comparison(Compared(cmp, (measure,)), {"method": method, "alternative": "greater"})
    yield answers.comparison(Compared(cmp, ("roc_auc",), margin=0.01), {"non_inferior": True})
    for measure, method in (("roc_auc", "obuchowski"), ("recall", "newcombe"), ("recall", "wald"), ("f1", "bootstrap")):
        yield answers.unpaired(apart, [measure], {"method": method})
    for method in ("delong", "obuchowski", "bootstrap"):
        yield answers.estimates(cmp.models, ["roc_auc"], method)
    yield answers.estimates(cmp.models, ["brier", "f1", "recall"], "wald")


def shown_words() -> set[str]:
    """Every name that an answer about the samples prints."""
    found: set[str] = set()
    for ev in samples().values():
        found |= set(_named(ev.to_dict())) | set(_titles(written({"": ev}).values()))
        found |= set(ev.registry)
        if ev.has_probabilities:
            found |= set(_columns(ev.calibration.table()))
    for answer in _answers():
        found |= set(_named(json.loads(answers.render(answer, "json"))))
    return {word for word in found if word not in ("", "none")}


def _answers() -> Iterator[answers.Answer]:
    rng = np.random.default_rng(1)
    truth = rng.random(240) < 0.4
    scores = {
        name: 1 / (1 + np.exp(-rng.normal(gap * truth - 1, 1))) for name, gap in zip("abc", (2, 1.5, 1), strict=True)
    }
    for design in ({}, {"cluster": np.arange(240) // 6}, {"weight": rng.random(240) + 0.5}):
        cmp = assay.compare(truth, scores, **design)
        for measure in ("roc_auc", "average_precision", "brier", "accuracy", "f1", "recall", "precision"):
            yield answers.comparison(Compared(cmp, (measure,), margin=0.01))
    apart = {name: assay.evaluate(truth, score) for name, score in scores.items()}
    for measure in ("roc_auc", "accuracy", "f1", "brier"):
        yield answers.unpaired(compare_unpaired(Evaluations(apart)), [measure], {})
    yield from named(assay.compare(truth, scores), compare_unpaired(Evaluations(apart)))
    for method in METHODS:
        yield sites_answer(assay.pool(apart), ["roc_auc", "recall", "mcc", "log_loss"], method=method, prediction="k-2")
    for limits in LIMITS:
        yield sites_answer(assay.pool(apart), ["accuracy"], limits=limits)
    first = apart["a"]
    for criterion in ("f1", "youden"):
        yield answers.thresholds({"": (first.threshold(criterion, draws=200), None, first.cautions)})
    results = {name: (rng.random(12) + k).tolist() for k, name in enumerate("abc")}
    yield answers.ranks(rank_algorithms(results).answer(rope=0.01))
    with TemporaryDirectory() as folder:
        study = assay.experiment(["iris"], ["logistic"], assay.plans.kfold(3), store=Path(folder) / "study.db")
        for table in (study.table(), study.estimates("iris", "logistic")):
            yield answers.study(study, table)
    yield answers.plan(plan_auc(0.85, half_width=0.05, prevalence=0.3))


def _named(record: Any) -> Iterator[str]:
    if isinstance(record, dict):
        for key, value in record.items():
            held = value if isinstance(value, list) else [value]
            yield from (name for name in held if key in NAMING and isinstance(name, str))
            yield from _named(value)
    elif isinstance(record, list):
        for value in record:
            yield from _named(value)


def _titles(sections: Any) -> Iterator[str]:
    """The titles of rows, and what a block of notes is labelled with."""
    for block in (block for section in sections for block in section):
        yield from _of_block(block)


def _of_block(block: Block) -> Iterator[str]:
    if isinstance(block, Estimates):
        for row in block.rows:
            yield row.title
            yield from (row.baseline.name.split(" ")[0],) if row.baseline and row.baseline.name == "random" else ()
    elif isinstance(block, Forest):
        yield from (row.title for row in block.rows)


def _columns(table: Any) -> Iterator[str]:
    yield from table.columns["statistic"]
