"""Studies: the corrected interval of nearly perfect learners and of mean losses, the band of an averaged ROC curve."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from assay.curves import vertical_average
from assay.evidence import ScoreTable
from assay.experiments.estimates import FoldScores, fold_average
from assay.experiments.findings import with_band
from assay.results import Estimate
from verification._coverage import generator
from verification._fold_losses import LossJob, loss_jobs, loss_rows
from verification._learning import Population, discriminant, interval_row
from verification._row import Row

__all__ = ["jobs", "run"]

SAID = """Two equally frequent normal classes; the learner is a linear discriminant, whose error and ROC curve are known
in closed form for every fitted model; the true value is their mean over training sets. **Nearly perfect learners**:
with fewer than two wrong cases in a pass over the data the corrected interval is refused; without that refusal it
covered .85 over ten times ten folds (3 features, distance 4), .90 over twenty random splits. **Lopsided rules**, which
find so many of the rarer class and wrongly suspect a quarter as many of the other, are fixed beforehand: stratified
folds make them look steadier than they are, so that the variance is held up to that of a share of as many cases;
without that the interval covered .11 to .95, the less the more lopsided. **Losses** by two or three classes of drawn
size, whose true value is that of 4000 new cases: the variance is held up to what the cases' own losses give, without
which a constant's Brier score was covered .00 to .73 and a weak learner's .29 to .99 over stratified splits. Where that
is less than one average case adds to the mean, the interval is refused: what stratifying does to a constant is of that
order, so that at equal classes .68 to .91 were covered, and of its skill .00 to .92. It is refused too with fewer than
20 cases of a class (ten times ten folds covered .90, random splits .91), for skills over splits that differ in their
class shares (.86 over ten times ten plain folds), and always for the estimated Bayes error, which no truth enters (.00
to .95). **Differences of losses** between two learners on the same splits have the same least variance: a constant
against one half was covered .00 to .50 without it, learners that look at features .91 and more, and .94 with it. Known
to fall short still: the same interval of an accuracy, over plain folds for a constant of equal classes and over ten
times ten folds for weak learners on few cases (see its rows). **ROC AUC** has an interval over one pass of folds; over
random splits and repeated folds it covered .85 to 1 and is refused, as the means of all further measures are: over ten
folds, F1 was covered .89 to 1, kappa .70 to 1, average precision .73 to .99, and over ten times ten folds down to .37.
Differences of ROC AUC have limits over one pass of folds, those of accuracy and losses over any; all others are
refused: without that, of two equal learners four times ten folds covered .89 to .93 by ROC AUC and .91 to .96 by F1,
and of a constant against a weak learner ten folds covered .66 by kappa and .78 by average precision. **Averaged ROC
curve**: the mean recall of the folds at a false-positive rate, with the corrected interval of that point. It is refused
where a fold holds fewer than 20 cases of a class, or the rate stands for fewer than 3 of its negatives: there the steps
of a fold's curve lift the mean, and the interval covered as little as .46. It is refused over repeated folds too, where
it is narrower and covered .88 to .93 at low rates. The figures without these refusals are those of trial runs on the
same families of designs, by which the
limits were set."""

Bools = NDArray[np.bool_]
# False-positive rates at which the band is held against the truth.
RATES = (0.05, 0.1, 0.2, 0.5)
# The share of the rarer class where a rule is lopsided.
RARER = 0.4
# Plans by their names in the table: repeats, folds, and whether only the first fold of each is tested.
PLANS = {
    "10 folds": (1, 10, False),
    "5 folds": (1, 5, False),
    "10 times 10 folds": (10, 10, False),
    "20 random splits": (20, 3, True),
}

# What is simulated, cases, features, distance between the classes, plan, samples.
Job = tuple[str, int, int, float, str, int]


def jobs(*, quick: bool) -> list[Job | LossJob]:
    """Designs."""
    r = 60 if quick else 150
    plans = ("10 folds",) if quick else tuple(PLANS)
    gaps = (4.0,) if quick else (3.6, 4.0)
    near = [("near", 150, features, gap, plan, r) for features in (3, 13) for gap in gaps for plan in plans]
    rules = [("lopsided", n, 1, found, plan, r) for n in (150, 569) for found in (0.0, 0.05, 0.2) for plan in plans]
    shapes = ((400, 5),) if quick else ((200, 5), (400, 20), (1000, 5))
    folded = plans if quick else ("10 folds", "5 folds", "20 random splits")
    curves = [("curve", n, p, gap, plan, r) for n, p in shapes for gap in (0.8, 1.5, 3.0) for plan in folded]
    return [*near, *rules, *loss_jobs(quick=quick), *curves]


def run(job: Job | LossJob) -> list[Row]:
    """One design."""
    if len(job) == 5:
        return loss_rows(job)
    kind, n, features, gap, plan, replicates = job
    rng, population = generator("studies", *job), Population(n, features, gap)
    kinds = {"near": _near, "lopsided": _lopsided, "curve": _curve}
    found = [kinds[kind](rng, population, plan) for _ in range(replicates)]
    estimates, truths = (list(zip(*part, strict=True)) for part in zip(*found, strict=True))
    method = f"averaged ROC, {plan}" if kind == "curve" else f"corrected t, {plan}"
    words = f"fixed rule, finds {gap:g} of the rarer class" if kind == "lopsided" else ""
    rows = [
        interval_row(method, population, each, float(np.mean(true)), measure=each[0].name, words=words)
        for each, true in zip(estimates, truths, strict=True)
    ]
    return [replace(row, positives=RARER * n) for row in rows] if kind == "lopsided" else rows


def _tests(rng: np.random.Generator, truth: Bools, plan: str) -> Iterator[Bools]:
    """The cases each split tests: stratified."""
    repeats, folds, only_first = PLANS[plan]
    for _ in range(repeats):
        fold = np.empty(len(truth), dtype=np.intp)
        for side in (truth, ~truth):
            fold[side] = rng.permutation(int(side.sum())) % folds
        yield from (fold == k for k in range(1 if only_first else folds))


def _near(rng: np.random.Generator, population: Population, plan: str) -> tuple[list[Estimate], list[float]]:
    """The corrected interval of the error, and the true error of the last split's model."""
    cases, truth = population.sample(rng)
    values, sizes, error = [], [], math.nan
    for test in _tests(rng, truth, plan):
        model = direction, cut = discriminant(cases[~test], truth[~test])
        values.append(float(((cases[test] @ direction > cut) != truth[test]).mean()))
        sizes.append((float((~test).sum()), float(test.sum())))
        error = population.error(model)
    return [fold_average(FoldScores("error_rate", np.array(values), *np.array(sizes).T))], [error]


def _lopsided(rng: np.random.Generator, population: Population, plan: str) -> tuple[list[Estimate], list[float]]:
    """The corrected interval of the accuracy of a rule that nearly always gives the same answer, and the true one."""
    right_of_rarer, right_of_other = population.gap, 1 - population.gap / 4
    truth = rng.random(population.n) < RARER
    right = rng.random(population.n) < np.where(truth, right_of_rarer, right_of_other)
    tests = list(_tests(rng, truth, plan))
    values, sizes = np.array([right[test].mean() for test in tests]), np.array([float(test.sum()) for test in tests])
    found = fold_average(FoldScores("accuracy", values, population.n - sizes, sizes))
    return [found], [RARER * right_of_rarer + (1 - RARER) * right_of_other]


def _curve(rng: np.random.Generator, population: Population, plan: str) -> tuple[list[Estimate], list[float]]:
    """The band at each rate, and the true recall there of the last split's model."""
    cases, truth = population.sample(rng)
    tables, separation = [], math.nan
    for test in _tests(rng, truth, plan):
        direction, _ = discriminant(cases[~test], truth[~test])
        tables.append(ScoreTable.of(cases[test] @ direction, truth[test]))
        shift = population.gap / math.sqrt(population.features) * float(direction.sum())
        separation = shift / float(np.linalg.norm(direction))
    kind = "shuffle" if PLANS[plan][2] else "kfold"
    found = with_band(vertical_average(tables, points=21), tables, int(truth.sum()), kind, 0.95)
    low, high = found.band or (np.full(21, math.nan),) * 2
    limits = [
        Estimate(f"recall at {rate:g}", found.recall[at], low[at], high[at], 0.95, found.method, len(truth))
        for rate, at in ((rate, round(20 * rate)) for rate in RATES)
    ]
    return limits, ndtr(separation + ndtri(np.array(RATES))).tolist()
