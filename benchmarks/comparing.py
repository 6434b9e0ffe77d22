"""Comparing two classifiers: paired DeLong beside MLstatkit's, the paired bootstrap beside a scikit-learn loop."""

from __future__ import annotations

import numpy as np
from MLstatkit import Delong_test
from sklearn import metrics as sk

import assay
from assay.comparison import Placed, Rows, bootstrap
from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from benchmarks._timing import best_of

__all__ = ["paired_bootstrap", "paired_delong"]

MEASURES = (
    *("roc_auc", "average_precision", "brier", "log_loss", "accuracy", "recall", "precision", "f1", "mcc"),
    "balanced_accuracy",
)
REPLICATES = 2000
# The loop is so slow that a few rounds of it stand for all.
ROUNDS = 5


def paired_delong(rng: np.random.Generator) -> float:
    """How many times faster the paired comparison of two AUCs is, with 10^5 cases."""
    truth, first, second = _scores(rng, 100_000)
    t = best_of(
        {
            "peer": lambda: Delong_test(truth.astype(int), first, second),
            "assay": lambda: assay.compare(truth, {"a": first, "b": second}).difference("roc_auc", "a", "b"),
        },
        rounds=2,
    )
    return t["peer"] / t["assay"]


def paired_bootstrap(rng: np.random.Generator) -> float:
    """How many times faster 2,000 paired replicates of ten measures are, with 10^4 cases."""
    truth, *scores = _scores(rng, 10_000)

    def ours() -> None:
        placed = [_placed(truth, score) for score in scores]
        bootstrap(placed, [registry[name] for name in MEASURES], Rows(truth), times=REPLICATES)

    def loop() -> None:
        for _ in range(ROUNDS):
            rows = rng.integers(0, len(truth), len(truth))
            for score in scores:
                _all(truth[rows], score[rows])

    t = best_of({"loop": loop, "ours": ours}, rounds=2)
    return t["loop"] * REPLICATES / ROUNDS / t["ours"]


def _scores(rng: np.random.Generator, cases: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = rng.random(cases) < 0.3
    shared = rng.normal(size=cases)
    first, second = (1 / (1 + np.exp(1 - gap * truth - shared - rng.normal(size=cases))) for gap in (2.0, 1.8))
    return truth, first, second


def _placed(truth: np.ndarray, score: np.ndarray) -> list[Placed]:
    table, decision = ScoreTable.of(score, truth), (score >= 0.5).astype(int)
    by_score = Placed.of_scores(table, score, truth)
    matrix = ConfusionMatrix.of(truth.astype(int), decision, ("0", "1"))
    by_decision = Placed.of_decisions(matrix, truth.astype(int), decision)
    return [by_score if registry[name].needs is ScoreTable else by_decision for name in MEASURES]


def _all(truth: np.ndarray, score: np.ndarray) -> None:
    label = score >= 0.5
    for function in (sk.roc_auc_score, sk.average_precision_score, sk.brier_score_loss, sk.log_loss):
        function(truth, score)
    for function in (sk.accuracy_score, sk.recall_score, sk.precision_score, sk.f1_score, sk.matthews_corrcoef):
        function(truth, label)
    sk.balanced_accuracy_score(truth, label)
