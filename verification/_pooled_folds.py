"""Coverage of the intervals of pooled folds, for learners that are stable and for one that is not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import assay
from assay.measures import find
from verification._coverage import Design, Limits, generator, row_of
from verification._row import Row

__all__ = ["DESIGNS", "pooled"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Fitted = Callable[[Floats], Floats]
MEASURES = ("accuracy", "recall", "precision", "f1", "roc_auc", "average_precision", "brier", "log_loss")
# Learner, cases, features, distance between the classes, share of positives, folds.
DESIGNS = (
    ("discriminant", 120, 10, 1.2, 0.3, 10), ("discriminant", 400, 5, 0.6, 0.2, 5),
    ("naive Bayes", 240, 18, 0.5, 0.4, 10), ("naive Bayes", 420, 15, 0.5, 0.4, 10),
    ("one split", 160, 5, 0.8, 0.35, 5), ("one split", 480, 10, 1.0, 0.25, 10),
)  # fmt: skip
# So many new cases tell what a fitted model is worth: their error is small beside that of a few hundred.
NEW_CASES = 20_000


def pooled(job: tuple[str, int, int, float, float, int], replicates: int) -> list[Row]:
    """One design: limits less what the models of these very folds are worth, together, on new cases."""
    learner, n, features, gap, share, folds = job
    rng = generator("pooled folds", *job)
    found = [_sample(rng, *job) for _ in range(replicates)]
    design = Design(f"{learner}, {features} features, distance {gap:g}, {folds} folds", n, n * share)
    rows = []
    for name in MEASURES:
        low, high = (np.array([one[name][k] for one in found]) for k in (0, 1))
        limits = Limits(low, high, "widened for folds")
        rows.append(row_of(find(name), design, 0.0, limits, level=0.95, replicates=replicates))
    return rows


def _sample(
    rng: np.random.Generator, learner: str, n: int, features: int, gap: float, share: float, folds: int
) -> dict[str, tuple[float, float]]:
    cases, truth = _drawn(rng, n, features, gap, share)
    new, true = _drawn(rng, NEW_CASES, features, gap, share)
    fold = np.empty(n, dtype=np.intp)
    for side in (truth, ~truth):
        fold[side] = rng.permutation(int(side.sum())) % folds
    score, on_new = np.empty(n), []
    for k in range(folds):
        fitted = LEARNERS[learner](cases[fold != k], truth[fold != k])
        score[fold == k] = fitted(cases[fold == k])
        on_new.append(fitted(new))
    ev = assay.evaluate(truth, score, fold=fold, positive=True)
    together = assay.evaluate(np.tile(true, folds), np.concatenate(on_new), positive=True)
    worth = {name: float(together.estimate(name)) for name in MEASURES}
    worth["roc_auc"] = float(np.mean([float(assay.evaluate(true, one, positive=True).roc_auc) for one in on_new]))
    each = {name: ev.estimate(name) for name in MEASURES}
    return {name: (one.low - worth[name], one.high - worth[name]) for name, one in each.items()}


def _drawn(rng: np.random.Generator, n: int, features: int, gap: float, share: float) -> tuple[Floats, Bools]:
    truth = rng.permutation(np.arange(n) < round(n * share))
    cases = rng.normal(size=(n, features))
    cases[truth, 0] += gap
    cases[truth, 1] += 0.7 * gap
    return cases, truth


def _discriminant(cases: Floats, truth: Bools) -> Fitted:
    spread = sum(np.cov(cases[side].T) * (side.sum() - 1) for side in (truth, ~truth)) / (len(truth) - 2)
    means = [cases[side].mean(0) for side in (~truth, truth)]
    direction = np.linalg.solve(spread, means[1] - means[0])
    shift = math.log(truth.mean() / (1 - truth.mean())) - direction @ (means[0] + means[1]) / 2
    return lambda new: np.asarray(expit(new @ direction + shift))


def _naive_bayes(cases: Floats, truth: Bools) -> Fitted:
    parts = [(cases[side].mean(0), cases[side].var(0), math.log(side.mean())) for side in (~truth, truth)]

    def score(new: Floats) -> Floats:
        logs = [(-((new - mean) ** 2) / (2 * spread) - np.log(spread) / 2).sum(1) + w for mean, spread, w in parts]
        return np.asarray(np.clip(expit(logs[1] - logs[0]), 1e-6, 1 - 1e-6))

    return score


def _one_split(cases: Floats, truth: Bools) -> Fitted:
    """The feature and the place that part the classes best: another one in every second sample."""
    places = np.quantile(cases, np.linspace(0.05, 0.95, 37), axis=0)
    above = cases[None] > places[:, None]
    share = np.stack([(above & truth[None, :, None]).sum(1), (above & ~truth[None, :, None]).sum(1)])
    gap = np.abs(share[0] / truth.sum() - share[1] / (~truth).sum())
    place, feature = np.unravel_index(int(gap.argmax()), gap.shape)
    cut = places[place, feature]
    up = cases[:, feature] > cut
    rates = [(truth[side].sum() + 0.5) / (side.sum() + 1) for side in (~up, up)]
    return lambda new: np.where(new[:, feature] > cut, rates[1], rates[0])


LEARNERS: dict[str, Callable[[Floats, Bools], Fitted]] = {
    "discriminant": _discriminant,
    "naive Bayes": _naive_bayes,
    "one split": _one_split,
}
