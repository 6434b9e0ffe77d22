"""Which of several classifiers is cheaper, each at its own cheapest threshold, on cases that did not choose it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from assay.comparison.adjustment import Difference, bonferroni
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_level, checked_seed
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import in_cells

__all__ = ["FEWEST_IN_CLASS", "Cheapest", "cheapest_of"]

METHOD = "cross-fitted, paired"
FOLDS = 10
# One parting of many cases tells as much as the mean over several.
REPEATS, MANY_CASES = 5, 20_000
FEWEST_IN_CLASS = 10
# Cases added to either class on which one classifier alone errs, one each way: none seen is not none.
PSEUDO = 2.0


@dataclass(frozen=True)
class Cheapest:
    """At one weight of the misses: what each classifier costs, the best constant answer being 1, and who is cheapest.

    `differences` are those of the cheapest to each of the others, adjusted for all pairs, as it was found by looking.
    """

    weight: float
    costs: tuple[float, ...]
    best: int
    differences: tuple[Difference, ...]


def cheapest_of(
    truth: ArrayLike,
    scores: dict[str, ArrayLike],
    weights: Sequence[float] | Floats,
    level: float = 0.95,
    seed: int = 0,
) -> list[Cheapest]:
    """For each weight of the misses (the cost ratio times the odds of a positive) who is the cheapest, and by how much.

    Thresholds are chosen on nine tenths of the cases and judged on the tenth, the same for all; what two of them cost
    on the same cases is compared by a paired t interval within the classes, with pseudo-errors. Choosing costs one of
    them more than the other, so the limits also hold those of thresholds judged on the cases that chose them.

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(400) < 0.3
    >>> scores = {"a": truth + rng.normal(size=400), "b": rng.normal(size=400)}
    >>> cheapest_of(truth, scores, [0.5])[0].differences[0]
    a - b: -0.242 [-0.365, -0.120], p < 0.001 (cross-fitted, paired)
    """
    positive = np.asarray(truth, dtype=np.bool_)
    level, seed, smaller = checked_level(level), checked_seed(seed), int(min(positive.sum(), (~positive).sum()))
    if smaller < FEWEST_IN_CLASS:
        raise OptionError(f"{counted(smaller, 'case')} in a class", f"{FEWEST_IN_CLASS} of each to choose and to judge")
    cells = [_cells(np.asarray(score, dtype=np.float64), positive) for score in scores.values()]
    weights = np.asarray(weights, dtype=np.float64)
    errors, everybody = (
        np.zeros((2, len(weights), len(cells), len(positive)), dtype=np.float32),
        np.arange(len(positive)),
    )
    for k, (cell, count) in enumerate(cells):
        errors[1, :, k] = _errors(cell, count, positive, everybody, weights, everybody[:0])
    repeats = REPEATS if len(positive) <= MANY_CASES else 1
    for fold in _folds(positive, repeats, seed):
        for k, (cell, count) in enumerate(cells):
            errors[0, :, k, fold] += _errors(cell, count, positive, fold, weights, fold).T / repeats
    names, pairs = tuple(scores), len(scores) * (len(scores) - 1) // 2
    return [_found(errors[:, i], positive, float(w), names, pairs, level) for i, w in enumerate(weights)]


def _cells(score: Floats, positive: NDArray[np.bool_]) -> tuple[NDArray[np.int64], int]:
    """In which of not too many cells of neighbouring scores each case is."""
    table, _ = in_cells(ScoreTable.of(score, positive))
    return np.searchsorted(table.score, score, side="right") - 1, len(table)


def _folds(positive: NDArray[np.bool_], repeats: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """The cases of each of ten folds, each class dealt out by itself, anew several times."""
    rng = np.random.default_rng([seed, FOLDS])
    sides = [np.flatnonzero(side) for side in (positive, ~positive)]
    for _ in range(repeats):
        dealt = [rng.permutation(side) for side in sides]
        yield from (np.concatenate([side[k::FOLDS] for side in dealt]) for k in range(FOLDS))


def _errors(
    cell: NDArray[np.int64],
    count: int,
    positive: NDArray[np.bool_],
    fold: NDArray[np.int64],
    weights: Floats,
    held_out: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """For each weight, which cases of a fold the threshold errs on that is the cheapest for all but those held out."""
    kept = np.ones(len(cell), dtype=np.bool_)
    kept[held_out] = False
    sides = [np.bincount(cell[kept & side], minlength=count) for side in (positive, ~positive)]
    hits, alarms = (np.concatenate(([0], np.cumsum(side[::-1]))) / max(side.sum(), 1) for side in sides)
    # The highest cells are called first: calling j of them is a threshold at cell count - j.
    cuts = count - np.array([int(np.argmax(weight * hits - alarms)) for weight in weights])
    called = cell[fold][None, :] >= cuts[:, None]
    return np.asarray(called != positive[fold][None, :])


def _found(
    errors: Floats, positive: NDArray[np.bool_], weight: float, names: tuple[str, ...], pairs: int, level: float
) -> Cheapest:
    """Who is the cheapest; `errors` are those of thresholds judged on other cases, then on the cases that chose them."""
    constant = min(weight, 1.0)
    shares = weight / constant, 1 / constant
    costs = [sum(share * float(one[side].mean()) for share, side in zip(shares, (positive, ~positive), strict=True))
             for one in errors[0]]  # fmt: skip
    best = int(np.argmin(costs))
    found = []
    for k in (k for k in range(len(names)) if k != best):
        both = [_difference(one[best] - one[k], positive, shares) for one in errors]
        reach = [float(stdtrit(freedom, 1 - (1 - level) / (2 * pairs))) * error for _, error, freedom in both]
        ends = [value + sign * out for (value, _, _), out in zip(both, reach, strict=True) for sign in (-1, 1)]
        p = max(2 * float(stdtr(freedom, -abs(value) / error)) for value, error, freedom in both)
        p = p if both[0][0] * both[1][0] > 0 else 1.0
        found.append(Difference("cost", names[best], names[k], both[0][0], min(ends), max(ends), level,
                                bonferroni(p, pairs), METHOD, float(len(positive)),
                                adjusted=f"{pairs} pairs" if pairs > 1 else None))  # fmt: skip
    return Cheapest(weight, tuple(costs), best, tuple(found))


def _difference(apart: Floats, positive: NDArray[np.bool_], shares: tuple[float, float]) -> tuple[float, float, float]:
    """What one costs more than another, its standard error and degrees of freedom."""
    value, parts, sizes = 0.0, [], []
    for share, side in zip(shares, (positive, ~positive), strict=True):
        one, n = apart[side].astype(np.float64), float(side.sum())
        value += share * float(one.mean())
        square = (float(one @ one) + PSEUDO) / (n + PSEUDO) - (float(one.sum()) / (n + PSEUDO)) ** 2
        parts.append(share**2 * square / n)
        sizes.append(n)
    total = sum(parts)
    freedom = total**2 / sum(part**2 / (n - 1) for part, n in zip(parts, sizes, strict=True))
    return value, math.sqrt(total), freedom
