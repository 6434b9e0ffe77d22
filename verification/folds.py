"""Coverage of the interval of a cross-validated AUC."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from assay.evidence import ScoreTable
from assay.measures import roc_auc
from assay.uncertainty import cross_validated_auc
from verification._coverage import Design, Limits, generator, row_of
from verification._pooled_folds import DESIGNS, pooled
from verification._row import Row

__all__ = ["jobs", "run"]

SAID = """Two normal classes in five features; the learner is a linear discriminant, fitted to all folds but one and
scoring that one, ten folds. The true value is different in every sample: the mean over the folds of what each fitted
model's AUC is on new cases, known in closed form. It is shown as 0, and the limits are taken from it.

Rows named after a learner are of `assay.evaluate(..., fold=)`, whose intervals are widened because the models of folds
learned from one another's test cases: what the models of these very folds are worth together is told by 20,000 new
cases. Without being widened these intervals held .86 to .94 of them (240 to 500 cases, 10 folds)."""

FEATURES, FOLDS = 5, 10

# Cases, share of positives, distance between the classes; or a design of pooled folds.
Job = tuple[int, float, float] | tuple[str, int, int, float, float, int]


def jobs(*, quick: bool) -> list[Job]:
    """Sizes, shares and strengths."""
    sizes = (200,) if quick else (100, 200, 500, 1000)
    ranked: list[Job] = [
        (n, share, gap) for n in sizes for share in (0.5, 0.2, 0.1) for gap in (0.8, 1.5, 2.5) if n * share >= FOLDS
    ]
    return [*ranked, *(DESIGNS[::3] if quick else DESIGNS)]


def run(job: Job, replicates: int = 1000) -> list[Row]:
    """One design."""
    if len(job) == 6:
        return pooled(job, replicates // 5)
    n, share, gap = job
    rng = generator("folds", *job)
    found = [_sample(rng, n, share, gap) for _ in range(replicates)]
    low, high = (np.array([limits[k] for limits in found]) for k in (0, 1))
    design = Design(f"10 folds, distance {gap:g}", n, n * share)
    limits = Limits(low, high, "LeDell, logit")
    return [row_of(roc_auc, design, 0.0, limits, level=0.95, replicates=replicates)]


def _sample(rng: np.random.Generator, n: int, share: float, gap: float) -> tuple[float, float]:
    """The limits less the true value."""
    truth = np.arange(n) < round(n * share)
    fold = np.concatenate([rng.permutation(np.arange(size) % FOLDS) for size in (truth.sum(), (~truth).sum())])
    cases = rng.normal(size=(n, FEATURES))
    cases[truth, 0] += gap
    tables, true = [], []
    for k in range(FOLDS):
        direction = _discriminant(cases[fold != k], truth[fold != k])
        tables.append(ScoreTable.of(cases[fold == k] @ direction, truth[fold == k]))
        true.append(ndtr(gap * direction[0] / np.sqrt(2 * direction @ direction)))
    _, interval = cross_validated_auc(tables, 0.95)
    return interval.low - float(np.mean(true)), interval.high - float(np.mean(true))


def _discriminant(cases: NDArray[np.float64], truth: NDArray[np.bool_]) -> NDArray[np.float64]:
    positive, negative = cases[truth], cases[~truth]
    spread = np.cov(positive.T) * (len(positive) - 1) + np.cov(negative.T) * (len(negative) - 1)
    return np.linalg.solve(spread, positive.mean(0) - negative.mean(0))
