"""What looking costs: the best of several settings judged by what chose it, and errors judged by bootstrap samples."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from assay.evidence import ConfusionMatrix
from assay.experiments.estimates import BootstrapError, bootstrap_error
from assay.experiments.optimism import winner
from assay.experiments.plans import bootstrap
from assay.measures import error_rate
from assay.results import Estimate
from verification._learning import Bools, Floats, Population, discriminant, interval_row
from verification._row import Row

__all__ = ["bootstrap_rows", "choice_rows"]

SAMPLES, FRESH = 50, 1000
Decide = Callable[[Floats], Bools]


def choice_rows(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """The best of 20 settings with errors from .5 down by the gap, judged by the cases that chose it and by others.

    For BBC-CV the truth is what the choice gives on average, for the others what this choice gives.
    """
    n, errors = population.n, np.linspace(0.5 - population.gap, 0.5, population.features)
    losses = (rng.random((replicates, n, len(errors))) < errors).astype(np.float64)
    chosen = errors[losses.mean(1).argmin(1)]
    ways: dict[str, tuple[list[Estimate], Floats, float | None]] = {
        "BBC-CV": (
            [winner(one, seed=k).corrected for k, one in enumerate(losses)],
            np.full(replicates, chosen.mean()),
            None,
        ),
        "the cases that chose, Wilson": ([_wilson(int(one.sum(0).min()), n) for one in losses], chosen, 0.0),
        "as many untouched cases, Wilson": ([_wilson(int(one), n) for one in rng.binomial(n, chosen)], chosen, None),
    }
    words = f"best of {len(errors)} settings, errors from {errors[0]:g} to 0.5"
    return [
        interval_row(
            name, population, found, truth.tolist(), words=f"{words}; bias {_bias(found, truth):+.3f}", bar=bar
        )
        for name, (found, truth, bar) in ways.items()
    ]


@cache
def _wilson(wrong: int, n: int) -> Estimate:
    return error_rate.estimate(ConfusionMatrix.binary(tp=0, fn=wrong, fp=0, tn=n - wrong))


def _bias(found: list[Estimate], truth: Floats) -> float:
    return float(np.mean([one.value for one in found] - truth))


def bootstrap_rows(rng: np.random.Generator, population: Population, replicates: int) -> list[Row]:
    """How far bootstrap estimates lie from the error of the model fitted to all cases; no interval of them is shown."""
    rows = []
    for name, learner in (("discriminant", _discriminates), ("nearest neighbour", _copies)):
        found = [_bootstrapped(rng, population, learner) for _ in range(replicates)]
        truth = np.array([true for _, true in found])
        ways = {
            "apparent": [_without_interval(one.apparent, population.n) for one, _ in found],
            "leave-one-out bootstrap": [one.leave_one_out for one, _ in found],
            ".632": [one.err632 for one, _ in found],
            ".632+": [one.err632_plus for one, _ in found],
        }
        rows += [
            interval_row(
                way, population, each, truth.tolist(), words=f"{name}, {population}; bias {_bias(each, truth):+.3f}"
            )
            for way, each in ways.items()
        ]
    return rows


def _bootstrapped(
    rng: np.random.Generator, population: Population, learner: Callable[[Floats, Bools], Decide]
) -> tuple[BootstrapError, float]:
    """The estimates of one sample, and the error on new cases of the model fitted to all of it."""
    cases, truth = population.sample(rng)
    whole = learner(cases, truth)
    splits = bootstrap(SAMPLES).splits(truth, seed=int(rng.integers(2**31)))
    left_out = [(split.test, learner(cases[split.train], truth[split.train])(cases[split.test])) for split in splits]
    fresh, classes = Population(FRESH, population.features, population.gap).sample(rng)
    return bootstrap_error(truth, whole(cases), left_out), float((whole(fresh) != classes).mean())


def _discriminates(cases: Floats, truth: Bools) -> Decide:
    direction, cut = discriminant(cases, truth)
    return lambda asked: asked @ direction > cut


def _copies(cases: Floats, truth: Bools) -> Decide:
    """What the nearest case is: never wrong about a case it has seen."""

    def decide(asked: Floats) -> Bools:
        apart = (cases**2).sum(1) - 2 * asked @ cases.T
        nearest: Bools = truth[apart.argmin(1)]
        return nearest

    return decide


def _without_interval(value: float, n: int) -> Estimate:
    return Estimate("error_rate", value, math.nan, math.nan, 0.95, "none", n, undefined="of the training cases")
