"""Losses averaged over the splits of a plan, and differences of two learners' losses: what their intervals hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from assay.evaluation import Evaluation, evaluate
from assay.experiments import kfold
from assay.experiments.algorithm_tests import all_pairs
from assay.experiments.estimates import FoldScores, Judged, fold_average, fold_value, scored_folds
from assay.experiments.plans import repeated_kfold, shuffle
from assay.experiments.splitting import Split
from assay.predictions import Predictions
from assay.results import Estimate
from verification._coverage import generator
from verification._learning import Floats, Population, interval_row
from verification._row import Row

__all__ = ["LossJob", "loss_jobs", "loss_rows"]

Codes = NDArray[np.intp]
MEASURES = ("brier", "log_loss", "brier_skill", "log_loss_skill", "accuracy", "roc_auc")
OF_GAPS = ("brier", "log_loss", "accuracy", "roc_auc", "f1", "kappa", "average_precision")
FOLDS, FIVE, REPEATED, SPLITS = kfold(10), kfold(5), repeated_kfold(10, 10), shuffle(20)
FOUR_TIMES = repeated_kfold(10, 4)
PLAIN_FOLDS, PLAIN_SPLITS = kfold(10, stratified=False), shuffle(20, stratified=False)
PLANS = {plan.name: plan for plan in (FOLDS, FIVE, REPEATED, FOUR_TIMES, SPLITS, PLAIN_FOLDS, PLAIN_SPLITS)}
# New cases by which a model is judged, and the cases of a class without which no plan can be made.
NEW_CASES, FEWEST = 4000, 10


@dataclass(frozen=True)
class Learner:
    """A discriminant that sees some of the features, or one that always says the class shares, or that all are alike.

    The class shares it has from its training cases.
    """

    words: str
    features: slice
    gap: float
    learns: bool = True
    is_even: bool = False

    def fitted(self, cases: Floats, truth: Codes, new: Floats) -> Floats:
        """What a model of these cases says of new ones: a probability for each class."""
        sizes = np.bincount(truth)
        share = np.full(len(sizes), 1 / len(sizes)) if self.is_even else sizes / sizes.sum()
        logits = np.broadcast_to(np.log(share), (len(new), len(sizes)))
        if self.learns:
            seen, asked = cases[:, self.features], new[:, self.features]
            means = np.array([seen[truth == k].mean(0) for k in range(len(sizes))])
            centred = seen - means[truth]
            weights = np.linalg.solve(centred.T @ centred / (len(seen) - len(sizes)), means.T)
            logits = logits + asked @ weights - (means.T * weights).sum(0) / 2
        found: Floats = softmax(logits, axis=1)
        return found


NOTHING = slice(0, 0)
LEARNERS = {
    "constant": Learner("always the class shares", NOTHING, 0.0, learns=False),
    "even": Learner("always one half", NOTHING, 0.0, learns=False, is_even=True),
    "weak": Learner("5 features, distance 0.5", slice(0, 5), 0.5),
    "also weak": Learner("5 other features, distance 0.5", slice(5, 10), 0.5),
    "good": Learner("5 features, distance 2", slice(0, 5), 2.0),
    "many": Learner("20 features, distance 1", slice(0, 20), 1.0),
}
# One learner or two, cases, the share of each class, plan, samples.
LossJob = tuple[tuple[str, ...], int, tuple[float, ...], str, int]


def loss_jobs(*, quick: bool) -> list[LossJob]:
    """Designs."""
    r = 60 if quick else 150
    if quick:
        return [((name,), 150, (0.8, 0.2), FOLDS.name, r) for name in ("constant", "weak", "good")]
    designs: list[tuple[Sequence[str], Sequence[tuple[int, float]], Sequence[str]]] = [
        (("constant", "weak", "good", "many"), ((60, 0.5), (150, 0.2), (300, 0.1)), (FOLDS.name, SPLITS.name)),
        (("constant", "weak", "good"), ((1000, 0.2),), (FOLDS.name, SPLITS.name)),
        (("constant", "weak", "good"), ((60, 0.5), (150, 0.2)), (REPEATED.name,)),
        (("constant", "weak", "good"), ((150, 0.2),), (FIVE.name,)),
        (("constant", "weak", "good"), ((300, 0.5), (300, 0.3)), (PLAIN_FOLDS.name, PLAIN_SPLITS.name)),
    ]
    means = [
        ((name,), n, (1 - share, share), plan, r)
        for names, sizes, plans in designs
        for name in names
        for n, share in sizes
        for plan in plans
    ]
    three = [
        ((name,), 150, (0.5, 0.3, 0.2), plan, r)
        for name in ("constant", "weak", "good")
        for plan in (FOLDS.name, SPLITS.name)
    ]
    pairs = (("constant", "weak"), ("weak", "also weak"), ("constant", "even"))
    gaps = [
        (pair, 150, (1 - share, share), plan, r)
        for pair in pairs
        for share in (0.5, 0.2)
        for plan in (FOLDS.name, SPLITS.name)
    ]
    again = [(pair, 150, (1 - share, share), FOUR_TIMES.name, r) for pair in pairs[:2] for share in (0.5, 0.2)]
    return [*means, *three, *gaps, *again]


def loss_rows(job: LossJob) -> list[Row]:
    """One design: a row for each measure."""
    names, n, shares, plan, replicates = job
    learners, rng = [LEARNERS[name] for name in names], generator("fold losses", *job)
    # The area under one curve is of two classes.
    of_one = MEASURES if len(shares) == 2 else MEASURES[:-1]
    measures = of_one if len(learners) == 1 else OF_GAPS
    samples = [_tried(rng, learners, n, shares, plan, measures) for _ in range(replicates)]
    words = " against ".join(each.words for each in learners) + (", 3 classes" if len(shares) == 3 else "")
    method = f"corrected t{'' if len(learners) == 1 else ' of a difference'}, {plan}"
    population = Population(n, learners[0].features.stop, learners[0].gap)
    rows = []
    for place, name in enumerate(measures):
        found, truths = zip(*(sample[place] for sample in samples), strict=True)
        # Neither of two learners that see equally much is better, whatever new cases say.
        truth = 0.0 if names == ("weak", "also weak") else float(np.mean(truths))
        rows.append(interval_row(method, population, found, truth, measure=name, words=words))
    return [replace(row, positives=shares[-1] * n) for row in rows]


def _tried(
    rng: np.random.Generator,
    learners: Sequence[Learner],
    n: int,
    shares: tuple[float, ...],
    plan: str,
    measures: Sequence[str],
) -> list[tuple[Estimate, float]]:
    """The interval of each measure from one sample, and its true value for the model of the last split."""
    gap = max(each.gap for each in learners)
    cases, truth = _sample(rng, n, shares, gap)
    new, new_truth = _sample(rng, NEW_CASES, shares, gap)
    splits = PLANS[plan].splits(truth, seed=int(rng.integers(2**31)))
    judged = [[_judged(each, cases, truth, split) for split in splits] for each in learners]
    last = splits[-1].train
    fresh = [_evaluated(each.fitted(cases[last], truth[last], new), new_truth) for each in learners]
    found = []
    for name in measures:
        scores = [scored_folds(name, each, truth) for each in judged]
        true = [fold_value(ev, name) for ev in fresh]
        if len(scores) == 1:
            found.append((fold_average(scores[0], bounds=fresh[0].find(name).bounds), true[0]))
        else:
            found.append((_difference(scores[0], scores[1]), true[0] - true[1]))
    return found


def _difference(first: FoldScores, second: FoldScores) -> Estimate:
    """The difference as a study shows it: without limits where none were shown to hold."""
    (pair,) = all_pairs({"first": first, "second": second}).pairs
    target = "the difference between the algorithms"
    why = pair.note if np.isnan(pair.low) else None
    return Estimate(first.name, pair.difference, pair.low, pair.high, 0.95, "corrected t", pair.df + 1, target, why)


def _sample(rng: np.random.Generator, n: int, shares: tuple[float, ...], gap: float) -> tuple[Floats, Codes]:
    """Normal cases of classes drawn by their shares, any two of them `gap` apart in each set of features."""
    truth = rng.choice(len(shares), size=n, p=shares)
    while np.bincount(truth, minlength=len(shares)).min() < FEWEST:
        truth = rng.choice(len(shares), size=n, p=shares)
    cases = rng.normal(size=(n, 20))
    for first in (0, 5):
        cases[np.arange(n), first + truth] += gap / np.sqrt(2)
    return cases, truth.astype(np.intp)


def _judged(learner: Learner, cases: Floats, truth: Codes, split: Split) -> Judged:
    said = learner.fitted(cases[split.train], truth[split.train], cases[split.test])
    return Judged(split.repeat, len(split.train), split.test, _evaluated(said, truth[split.test]))


def _evaluated(probability: Floats, truth: Codes) -> Evaluation:
    classes = tuple("abc"[: probability.shape[1]])
    if len(classes) == 3:
        return evaluate(Predictions(classes, truth, probability=probability, decision=probability.argmax(1)))
    decision = (probability[:, 1] >= 0.5).astype(np.intp)
    return evaluate(Predictions(classes, truth, score=probability[:, 1], decision=decision))
