"""Nested cross-validation: an interval for the error of the one model fitted to all cases."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay.experiments._parting import Indices
from assay.experiments.plans import kfold
from assay.request import checked_level, checked_seed, checked_whole
from assay.results import Estimate, counted
from assay.types import Floats

# Fits a model to the first rows and gives its loss on each of the second.
LossOf = Callable[[Indices, Indices], Floats]

METHOD = "nested cross-validation"
TARGET = "the model fitted to all cases"
# Below these the spread of the estimate was not simulated to hold.
FEWEST_CASES = 50
FEWEST_REPEATS = 10


def nested_cross_validation(
    loss_of: LossOf,
    y: ArrayLike,
    *,
    name: str = "error_rate",
    folds: int = 10,
    repeats: int = 50,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """The error of the model fitted to all cases, with an interval that allows for folds sharing cases.

    Leaving out one fold more shows how far a cross-validated mean strays from the error of its own model; that is the
    mean squared error behind the limits, and the bias of learning from fewer cases is taken off (Bates, Hastie &
    Tibshirani 2024). `loss_of(train, test)` fits to some rows and gives the loss of each of the others; it is called
    `repeats` x `folds` x (`folds` + 1) / 2 times.

    >>> rng = np.random.default_rng(1)
    >>> y = rng.integers(2, size=120)
    >>> x = y + rng.normal(size=120)
    >>> def loss_of(train, test):
    ...     cut = (x[train][y[train] == 1].mean() + x[train][y[train] == 0].mean()) / 2
    ...     return ((x[test] > cut) != y[test]).astype(float)
    >>> nested_cross_validation(loss_of, y, repeats=10)
    0.357 [0.262, 0.453]
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(folds, "folds", 3)  # two are left out at a time
    plan, seeds = kfold(folds), np.random.SeedSequence(seed).generate_state(repeats)
    rounds = [_round(loss_of, [split.test for split in plan.splits(y, seed=int(own))]) for own in seeds]
    outer = float(np.mean([one.outer for one in rounds]))
    inner = float(np.mean([one.inner for one in rounds]))
    n = len(np.asarray(y))
    value = max(inner - (1 + (folds - 2) / folds) * (inner - outer), 0.0)
    error, why = _error(rounds, n, folds)
    half = float(ndtri(0.5 + level / 2)) * error
    high = min(value + half, 1.0) if all(one.highest <= 1 for one in rounds) else value + half
    limits = (max(value - half, 0.0), high) if why is None else (math.nan, math.nan)
    return Estimate(name, value, *limits, level, METHOD, n, TARGET, why)


@dataclass(frozen=True)
class _Round:
    """One partition: mean outer and inner losses, the squared error's estimate, and the losses' variance."""

    outer: float
    inner: float
    squared_error: float
    variance: float
    highest: float


def _round(loss_of: LossOf, parts: list[Indices]) -> _Round:
    """Every fold left out, and every two."""
    numbers = range(len(parts))
    outer = [loss_of(_others(parts, k), parts[k]) for k in numbers]
    inner: list[list[Floats]] = [[] for _ in numbers]
    for j, k in combinations(numbers, 2):
        losses = loss_of(_others(parts, j, k), np.concatenate((parts[j], parts[k])))
        inner[k].append(losses[: len(parts[j])])
        inner[j].append(losses[len(parts[j]) :])
    within = [np.concatenate(losses) for losses in inner]
    gaps = [(a.mean() - b.mean()) ** 2 - b.var(ddof=1) / len(b) for a, b in zip(within, outer, strict=True)]
    every = np.concatenate(outer)
    return _Round(
        float(every.mean()),
        float(np.concatenate(within).mean()),
        float(np.mean(gaps)),
        float(every.var(ddof=1)),
        float(every.max()),
    )


def _others(parts: list[Indices], *left_out: int) -> Indices:
    return np.concatenate([part for k, part in enumerate(parts) if k not in left_out])


def _error(rounds: list[_Round], n: int, folds: int) -> tuple[float, str | None]:
    """The standard error, kept between that of independent losses and that of a single fold's; or why there is none."""
    if n < FEWEST_CASES or len(rounds) < FEWEST_REPEATS:
        found = f"{counted(n, 'case')} and {counted(len(rounds), 'repeat')}"
        return math.nan, f"{found}: below {FEWEST_CASES} and {FEWEST_REPEATS} no interval was shown to hold"
    least = math.sqrt(float(np.mean([one.variance for one in rounds])) / n)
    if not least > 0:
        return math.nan, "every case has the same loss, so nothing varies"
    squared = (folds - 1) / folds * float(np.mean([one.squared_error for one in rounds]))
    return min(max(math.sqrt(max(squared, 0.0)), least), math.sqrt(folds) * least), None
