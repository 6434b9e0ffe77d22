"""Coverage of the default intervals when cases have weights, or come in clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from assay.evidence import ConfusionMatrix, ScoreTable
from assay.measures import registry
from verification._coverage import Design, generator, limits_of_all, row_of
from verification._row import Row

__all__ = ["jobs", "run"]

SAID = """Scores are normal, positives higher by 1.5; a case is predicted positive above the middle, and its probability
is a logistic function of its score. Clusters hold 8 rows with a shared effect on the score, and either one truth for
all of them or each its own. Weights undo a case-control sample (as many positives as negatives from a population with
10 %), or are log-normal and independent of everything."""

MEASURES = (
    *("accuracy", "recall", "precision", "f1", "balanced_accuracy", "kappa", "mcc", "informedness"),
    *("roc_auc", "average_precision", "brier", "log_loss"),
)
ROWS_A_CLUSTER = 8

# What is drawn, how many rows or clusters, and the correlation of scores inside a cluster or the spread of weights.
Job = tuple[str, int, float]


def jobs(*, quick: bool) -> list[Job]:
    """Designs, sizes and strengths."""
    clusters = ((20, 0.5),) if quick else ((10, 0.5), (20, 0.3), (40, 0.5))
    weights = (200,) if quick else (100, 500)
    return [
        *((kind, g, icc) for kind in ("one truth", "mixed truth") for g, icc in clusters),
        *(("case-control", n, 0.0) for n in weights),
        *(("log-normal weights", n, 1.0) for n in weights),
    ]


def run(job: Job, replicates: int = 400) -> list[Row]:
    """One design, all measures."""
    kind, size, strength = job
    rng = generator("designs", *job)
    samples = [_evidence(kind, *_drawn(rng, kind, size, strength)) for _ in range(replicates)]
    truths = _population(kind, strength)
    rows = size * (ROWS_A_CLUSTER if "truth" in kind else 1)
    share = 0.5 if kind == "case-control" else 0.3
    design = Design(f"{kind}, {strength:g}", rows, rows * share)
    found = []
    for needs in (ConfusionMatrix, ScoreTable):
        measures = [registry[name] for name in MEASURES if registry[name].needs is needs]
        limits = limits_of_all(measures, (sample[needs] for sample in samples), 0.95)
        found += [
            row_of(m, design, truths[m.name], limits[m.name], level=0.95, replicates=replicates) for m in measures
        ]
    return found


def _drawn(rng: np.random.Generator, kind: str, size: int, strength: float) -> tuple[NDArray[Any], ...]:
    """Truth, score, and the weight or cluster of each row."""
    if kind in ("one truth", "mixed truth"):
        cluster = np.repeat(np.arange(size), ROWS_A_CLUSTER)
        truth = rng.random(size if kind == "one truth" else len(cluster)) < 0.3
        truth = truth[cluster] if kind == "one truth" else truth
        shared = rng.normal(0, np.sqrt(strength), size)[cluster]
        return truth, 1.5 * truth + shared + rng.normal(0, np.sqrt(1 - strength), len(cluster)), cluster
    if kind == "case-control":
        truth = np.arange(size) % 2 == 1
        return truth, rng.normal(1.5 * truth, 1.0), np.where(truth, 0.2, 1.8)
    truth = rng.random(size) < 0.3
    return truth, rng.normal(1.5 * truth, 1.0), np.exp(strength * rng.normal(size=size))


def _evidence(kind: str, truth: NDArray[Any], score: NDArray[Any], design: NDArray[Any]) -> dict[type, Any]:
    named: dict[str, Any] = {"cluster": design} if "truth" in kind else {"weight": design}
    decision = (score > 0.75).astype(int)
    return {
        ConfusionMatrix: ConfusionMatrix.of(truth.astype(int), decision, ("no", "yes"), **named),
        ScoreTable: ScoreTable.of(_probability(score), truth, **named),
    }


def _population(kind: str, strength: float) -> dict[str, float]:
    """True values, from a very large sample of independent rows."""
    rng = generator("population", kind, strength)
    share = 0.1 if kind == "case-control" else 0.3
    truth = rng.random(2_000_000) < share
    score = rng.normal(1.5 * truth, 1.0)
    evidence = {
        ConfusionMatrix: ConfusionMatrix.of(truth.astype(int), (score > 0.75).astype(int), ("no", "yes")),
        ScoreTable: ScoreTable.of(_probability(score), truth),
    }
    return {name: float(registry[name](evidence[registry[name].needs])) for name in MEASURES}


def _probability(score: NDArray[Any]) -> NDArray[Any]:
    probability: NDArray[Any] = expit(1.5 * score - 2.0)
    return probability
