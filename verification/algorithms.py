"""Estimates about algorithms and tests between two of them, over the training sets there could have been."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.comparison import mcnemar
from assay.experiments.algorithm_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t
from assay.experiments.estimates import CaseLosses, FoldScores, fold_average, leave_pair_out_auc, pooled_loss
from assay.experiments.model_validation import nested_cross_validation
from assay.results import Estimate
from verification._choices import bootstrap_rows, choice_rows
from verification._coverage import generator
from verification._learning import Bools, Floats, Population, discriminant, interval_row, monte_carlo_error
from verification._row import Row, lowest_allowed

__all__ = ["jobs", "run"]

SAID = """Two equally frequent normal classes; the learner is a linear discriminant. For **intervals** the true value is
known in closed form for every fitted model: for the corrected t (Nadeau-Bengio) it is the mean over training sets, for
Bayle's the mean over the models of the folds, for nested cross-validation and pairs left out the one model fitted to
all cases. Held against the mean over training sets, pairs left out covered .88 with 25 cases in a class, and Bayle's
interval .85 to .91 with fewer than 500 cases in 20 features, where it is refused now. The row "naive" holds the usual
interval of a cross-validated error against the error of the model fitted to all cases: it falls short, as expected. The
best of 20 settings, some of them all noise, is judged by BBC-CV, by the very cases that chose it (too good, as the bias
shows, and without a bar) and by as many untouched ones. Estimates from bootstrap samples have no interval, so that
their rows say "refused"; what counts there is the bias: a nearest neighbour never errs about cases it has seen, so that
.632 is far too good where the classes say nothing (true error .5) and .632+ is not. For **tests** of two algorithms,
each sees a half of the features that say equally much, so that neither is better: coverage is the share of samples in
which the test does not reject at 5 %. Expected figures are those of our catalogue, from 600 and more samples whose
distance between classes it does not give; here it is 0.8. Tests with no bar are known to reject too often. Where two
distances are named, the second learner is better by the true value, coverage is the share of samples in which a test
does not notice it, and there is no bar: of tests that reject too often, power says little."""

FOLDS, SPLITS = 10, 20
# The samples behind an expected figure, which has an error of its own.
SAMPLES_BEHIND_EXPECTED = 600
# What the catalogue gives as shares of false alarms: learner's features, cases, test.
FALSE_ALARMS = {
    (5, 200, "paired t, 20 random splits"): 0.545,
    (5, 200, "paired t, 10 folds"): 0.062,
    (5, 200, "corrected t, 20 random splits"): 0.030,
    (5, 200, "corrected t, 10 folds"): 0.010,
    (5, 200, "McNemar, mid-p, one hold-out"): 0.052,
    (5, 200, "5 x 2 cv t"): 0.089,
    (5, 200, "5 x 2 cv F"): 0.095,
    (5, 600, "5 x 2 cv t"): 0.049,
    (5, 600, "5 x 2 cv F"): 0.041,
    (1, 200, "5 x 2 cv t"): 0.025,
    (1, 200, "5 x 2 cv F"): 0.021,
    (15, 200, "5 x 2 cv t"): 0.113,
    (15, 200, "5 x 2 cv F"): 0.150,
    (1, 10, "5 x 2 cv t"): 0.028,
    (1, 10, "5 x 2 cv F"): 0.0175,
}
# How far apart the classes are for the first of two learners, and for both where neither is better.
GAP = 0.8

# The share of usual 90 % intervals that hold the error of the model fitted to all cases, 100 of them in 20 features.
NAIVE = 0.815

# What is simulated, cases, features, distance between the classes, samples.
Job = tuple[str, int, int, float, int]


def jobs(*, quick: bool) -> list[Job]:
    """Designs."""
    r = 150 if quick else 500
    tests = [("tests", n, features, GAP, r) for n, features in ((200, 5), (600, 5), (200, 1), (200, 15))]
    shapes = ((100, 20),) if quick else ((30, 3), (50, 5), (100, 20), (200, 20), (500, 20))
    intervals = [("intervals", n, features, gap, r) for n, features in shapes for gap in (0.5, 1.5, 3.0)]
    nested = [("nested", n, features, gap, r // 5) for n, features in ((50, 5), (100, 20)) for gap in (0.5, 1.5, 3.0)]
    pairs = [("pairs", n, 3, gap, r // 2) for n in (20, 50) for gap in (0.8, 2.0)]
    return [
        *tests,
        *intervals,
        *nested,
        *pairs,
        *(("choice", n, 20, gap, r) for n, gap in ((54, 0.0), (54, 0.2), (200, 0.2))),
        *(("bootstrap", 50, 5, gap, r // 2) for gap in (0.0, 1.5)),
        *(("power", 200, 5, gap, r) for gap in (1.0, 1.2, 1.6)),
        ("normal", 10, 1, 0.0, 4 * r),
    ]


def run(job: Job) -> list[Row]:
    """One design."""
    kind, n, features, gap, replicates = job
    rng = generator("algorithms", *job)
    kinds: dict[str, Callable[[np.random.Generator, Population, int], list[Row]]] = {
        "tests": _tests,
        "intervals": _intervals,
        "nested": _nested,
        "pairs": _pairs,
        "choice": choice_rows,
        "bootstrap": bootstrap_rows,
        "power": _power,
        "normal": _normal_differences,
    }
    return kinds[kind](rng, Population(n, features, gap), replicates)


def _losses(cases: Floats, truth: Bools, train: Any, test: Any) -> Floats:
    direction, cut = discriminant(cases[train], truth[train])
    losses: Floats = ((cases[test] @ direction > cut) != truth[test]).astype(np.float64)
    return losses


def _folds(rng: np.random.Generator, truth: Bools, folds: int) -> NDArray[np.intp]:
    """Stratified folds."""
    fold = np.empty(len(truth), dtype=np.intp)
    for side in (truth, ~truth):
        fold[side] = rng.permutation(int(side.sum())) % folds
    return fold


def _tests(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """False alarms of tests of two learners that see features of their own."""
    p_values: dict[str, list[float]] = {}
    for _ in range(replicates):
        cases, truth = population.sample(rng, learners=2)
        sides = cases[:, : population.features], cases[:, population.features :]
        for name, p_value in _p_values(rng, sides, truth):
            p_values.setdefault(name, []).append(p_value)
    key = (population.features, population.n)
    return [_test_row(name, population, np.array(found), key) for name, found in p_values.items()]


def _power(rng: np.random.Generator, second: Population, replicates: int) -> list[Row]:
    """The same tests where the classes lie further apart in what the second learner sees."""
    first = Population(second.n, second.features, GAP)
    p_values: dict[str, list[float]] = {}
    better = []
    for _ in range(replicates):
        cases, truth = second.sample(rng, learners=2)
        cases[truth, : second.features] -= (second.gap - GAP) / math.sqrt(second.features)
        sides = cases[:, : second.features], cases[:, second.features :]
        errors = [each.error(discriminant(side, truth)) for each, side in zip((first, second), sides, strict=True)]
        better.append(errors[0] - errors[1])
        for name, p_value in _p_values(rng, sides, truth):
            p_values.setdefault(name, []).append(p_value)
    words = f"{first} and {second.gap:g}"
    return [
        replace(_test_row(name, second, np.array(found)), design=words, truth=float(np.mean(better)), bar=0.0)
        for name, found in p_values.items()
    ]


def _normal_differences(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """The 5 x 2 tests where their own assumption holds: ten independent normal differences."""
    tests = {"5 x 2 cv t": five_by_two_t, "5 x 2 cv F": five_by_two_f}
    drawn = rng.normal(size=(replicates, 5, 2))
    return [
        replace(
            _test_row(name, population, np.array([test(each).p_value for each in drawn]), (1, 10)),
            design="independent normal differences",
            positives=math.nan,
        )
        for name, test in tests.items()
    ]


def _p_values(rng: np.random.Generator, sides: tuple[Floats, Floats], truth: Bools) -> Iterator[tuple[str, float]]:
    def differences(train: Any, test: Any) -> Floats:
        first, second = (_losses(side, truth, train, test) for side in sides)
        return first - second

    n = len(truth)
    orders = [rng.permutation(n) for _ in range(SPLITS)]
    holdout = [(order[: 2 * n // 3], order[2 * n // 3 :]) for order in orders]
    split = np.array([differences(*parts).mean() for parts in holdout])
    fold = _folds(rng, truth, FOLDS)
    folded = np.array([differences(fold != k, fold == k).mean() for k in range(FOLDS)])
    halves = [_folds(rng, truth, 2) for _ in range(5)]
    pairs = [[float(differences(half != k, half == k).mean()) for k in (0, 1)] for half in halves]
    for name, values, share in ((f"{SPLITS} random splits", split, 1 / 3), (f"{FOLDS} folds", folded, 1 / FOLDS)):
        ones = np.ones(len(values))
        first, second = (
            FoldScores("error_rate", v, n * (1 - share) * ones, n * share * ones) for v in (values, 0 * ones)
        )
        yield f"paired t, {name}", paired_t(values, 0 * ones).test.p_value
        yield f"corrected t, {name}", corrected_t(first, second).test.p_value
    right = [_losses(side, truth, *holdout[0]) == 0 for side in sides]
    yield (
        "McNemar, mid-p, one hold-out",
        mcnemar(float((right[0] & ~right[1]).sum()), float((~right[0] & right[1]).sum())).p_value,
    )
    yield "5 x 2 cv t", five_by_two_t(pairs).p_value
    yield "5 x 2 cv F", five_by_two_f(pairs).p_value


def _intervals(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """Nadeau-Bengio's and Bayle's intervals of an error, and the usual one."""
    names = (
        *("corrected t, 10 folds", "corrected t, 5 folds", f"corrected t, {SPLITS} random splits"),
        *("Bayle, out", "Bayle, in", "naive, 90 %"),
    )
    found: dict[str, list[Estimate]] = {name: [] for name in names}
    truths: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(replicates):
        cases, truth = population.sample(rng)
        losses, error = _cross_validated(rng, population, cases, truth, FOLDS)
        fewer, error_of_fewer = _cross_validated(rng, population, cases, truth, FOLDS // 2)
        of_all = population.error(discriminant(cases, truth))
        each = (
            (_fold_average(losses), error),
            (_fold_average(fewer), error_of_fewer),
            _over_splits(rng, population, cases, truth),
            (pooled_loss(losses), error),
            (pooled_loss(losses, within_folds=True), error),
            (_naive(losses), of_all),
        )
        for name, (estimate, true) in zip(names, each, strict=True):
            found[name].append(estimate)
            truths[name].append(true)
    # What the algorithm gives on average is one number; what these folds' models give differs from sample to sample.
    on_average = {name: np.full(replicates, np.mean(truths[name])).tolist() for name in names if "corrected" in name}
    known = NAIVE if (population.n, population.gap) == (100, 1.5) else math.nan
    return [
        interval_row(
            *(name, population, found[name], on_average.get(name, truths[name])),
            bar=0.0 if name.startswith("naive") else None,
            expected=known if name.startswith("naive") else math.nan,
        )
        for name in names
    ]


def _cross_validated(
    rng: np.random.Generator, population: Population, cases: Floats, truth: Bools, folds: int
) -> tuple[CaseLosses, float]:
    """The losses of all cases, and the true error of the folds' models."""
    fold, loss, errors = _folds(rng, truth, folds), np.empty(population.n), []
    for k in range(folds):
        loss[fold == k] = _losses(cases, truth, fold != k, fold == k)
        errors.append(population.error(discriminant(cases[fold != k], truth[fold != k])))
    return CaseLosses("error_rate", loss, fold), float(np.mean(errors))


def _fold_average(losses: CaseLosses) -> Estimate:
    sizes = losses.sizes.astype(np.float64)
    return fold_average(FoldScores("error_rate", losses.fold_means, len(losses.loss) - sizes, sizes))


def _naive(losses: CaseLosses) -> Estimate:
    """The mean of all losses as if they were independent."""
    mean, n = float(losses.loss.mean()), len(losses.loss)
    half = 1.6448536 * float(losses.loss.std()) / math.sqrt(n)
    return Estimate("error_rate", mean, mean - half, mean + half, 0.9, "naive", n)


def _over_splits(
    rng: np.random.Generator, population: Population, cases: Floats, truth: Bools
) -> tuple[Estimate, float]:
    """The corrected interval over random splits, and the true error of their models."""
    n, values, errors = population.n, [], []
    for _ in range(SPLITS):
        fold = _folds(rng, truth, 3)
        values.append(float(_losses(cases, truth, fold > 0, fold == 0).mean()))
        errors.append(population.error(discriminant(cases[fold > 0], truth[fold > 0])))
    sizes = np.full(SPLITS, n * 2 / 3), np.full(SPLITS, n / 3)
    return fold_average(FoldScores("error_rate", np.array(values), *sizes)), float(np.mean(errors))


def _nested(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """Nested cross-validation's interval of the error of the model of all cases."""
    found, truths = [], []
    for _ in range(replicates):
        cases, truth = population.sample(rng)
        losses = partial(_losses, cases, truth)
        found.append(nested_cross_validation(losses, truth, repeats=10, seed=int(rng.integers(2**31))))
        truths.append(population.error(discriminant(cases, truth)))
    return [interval_row("nested cross-validation, 10 repeats", population, found, truths)]


def _pairs(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """The interval of an AUC from pairs left out."""
    found, truths = [], []
    for _ in range(replicates):
        cases, truth = population.sample(rng)
        positive, negative = (np.flatnonzero(side) for side in (truth, ~truth))
        pairs = [(i, j) for i in negative for j in positive]
        scores = np.array([_scores_of_pair(cases, truth, pair) for pair in pairs])
        rows = np.array(pairs)
        found.append(leave_pair_out_auc(rows[:, 0], rows[:, 1], scores[:, 0], scores[:, 1]))
        truths.append(population.area(discriminant(cases, truth)))
    return [interval_row("pairs left out", population, found, truths, measure="roc_auc")]


def _scores_of_pair(cases: Floats, truth: Bools, pair: tuple[Any, Any]) -> Floats:
    kept = np.ones(len(truth), dtype=np.bool_)
    kept[list(pair)] = False
    direction, _ = discriminant(cases[kept], truth[kept])
    scores: Floats = cases[list(pair)] @ direction
    return scores


def _test_row(name: str, population: Population, p_values: Floats, key: tuple[int, int] = (0, 0)) -> Row:
    rejected = float((p_values <= 0.05).mean())
    expected = FALSE_ALARMS.get((*key, name), math.nan)
    is_known_to_miss = name.startswith(("paired t", "5 x 2"))
    return Row(
        measure="difference",
        method=name,
        design=str(population),
        n=population.n,
        positives=population.n / 2,
        truth=0.0,
        level=0.95,
        coverage=1 - rejected,
        error=monte_carlo_error(rejected, len(p_values)),
        width=math.nan,
        missing=float(np.isnan(p_values).mean()),
        bar=0.0 if is_known_to_miss else lowest_allowed(0.95),
        expected=1 - expected,
        slack=3 * math.sqrt(expected * (1 - expected) / SAMPLES_BEHIND_EXPECTED),
    )
