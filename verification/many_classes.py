"""Coverage of the default intervals with 3, 5, 10 and 30 classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

import assay.uncertainty.dirichlet as dirichlet
from assay.evidence import ClassScores, ConfusionMatrix
from assay.measures import Measure, find_for_many
from verification._coverage import Design, generator, limits_of_all, row_of
from verification._row import Row
from verification.matrices import DRAWS

__all__ = ["Job", "drawn_classes", "jobs", "jobs_of", "run", "shares_of", "true_values"]

SAID = """Every class has a normal score that is higher for its own cases by the strength named; probabilities are their
softmax, and the highest decides. Classes are equally common, or each is more common than the next, down to a quarter of
the first. "positives" is the expected size of the smallest class."""

MEASURES = (
    *("accuracy", "balanced_accuracy", "kappa", "mcc", "macro_f1", "macro_precision", "weighted_f1"),
    *("hand_till", "macro_roc_auc", "weighted_roc_auc", "macro_average_precision", "brier", "log_loss", "brier_skill"),
    # Found by name: pooled rankings, averages of other measures, classes in order.
    *("micro_roc_auc", "micro_average_precision", "macro_jaccard", "micro_jaccard", "weighted_jaccard"),
    *("macro_f_beta(2)", "top_k_accuracy(2)", "ranked_probability_score", "ranked_probability_skill"),
)
KNOWN: dict[str, Measure] = {name: find_for_many(name) for name in MEASURES}
POPULATION = 300_000

# Classes, cases in all, strength, whether some classes are rarer than others.
Job = tuple[int, int, float, bool]


def jobs(*, quick: bool) -> list[Job]:
    """Classes, sizes and strengths."""
    return jobs_of((3, 5, 10, 30), quick=quick)


def jobs_of(numbers: Sequence[int], *, quick: bool) -> list[Job]:
    """The same for so many classes."""
    if quick:
        return [(3, 150, 1.5, False)]
    kinds = ((1.0, False), (2.5, True))
    return [
        (classes, classes * each, strength, skew)
        for classes in numbers
        for each in (20, 100)
        for strength, skew in kinds
    ]


def shares_of(job: Job) -> NDArray[np.float64]:
    """How common each class is."""
    share = np.geomspace(1.0, 0.25 if job[3] else 1.0, job[0])
    return np.asarray(share / share.sum())


def run(job: Job, replicates: int = 250) -> list[Row]:
    """One design, all measures."""
    classes, n, strength, skew = job
    dirichlet.DRAWS = DRAWS
    rng = generator("many classes", *job)
    share = shares_of(job)
    names = tuple(map(str, range(classes)))
    samples = [_evidence(*drawn_classes(rng, n, share, strength), names) for _ in range(replicates)]
    truths = true_values(KNOWN, generator("population", *job), share, strength, names)
    kind = "skewed" if skew else "equal"
    design = Design(f"{classes} {kind} classes, strength {strength:g}", n, n * float(share.min()))
    found = []
    for needs in (ConfusionMatrix, ClassScores):
        measures = [one for one in KNOWN.values() if one.needs is needs]
        limits = limits_of_all(measures, (sample[needs] for sample in samples), 0.95)
        found += [
            row_of(m, design, truths[m.name], limits[m.name], level=0.95, replicates=replicates) for m in measures
        ]
    return found


def drawn_classes(
    rng: np.random.Generator, n: int, share: NDArray[np.float64], strength: float
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Cases and their probabilities, as `SAID` says."""
    truth = rng.choice(len(share), n, p=share)
    score = rng.normal(size=(n, len(share)))
    score[np.arange(n), truth] += strength
    odds = np.exp(strength * score) * share
    return truth, odds / odds.sum(1, keepdims=True)


def _evidence(truth: NDArray[np.intp], probability: NDArray[np.float64], names: tuple[str, ...]) -> dict[type, object]:
    scores = ClassScores.of(probability, truth, names)
    return {ClassScores: scores, ConfusionMatrix: ConfusionMatrix.of(truth, scores.decided(), names)}


def true_values(
    known: Mapping[str, Measure],
    rng: np.random.Generator,
    share: NDArray[np.float64],
    strength: float,
    names: tuple[str, ...],
) -> dict[str, float]:
    """What measures come to with many cases."""
    evidence = _evidence(*drawn_classes(rng, POPULATION, share, strength), names)
    return {name: float(one(evidence[one.needs])) for name, one in known.items()}
