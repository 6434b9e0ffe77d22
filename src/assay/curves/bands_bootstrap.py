"""Simultaneous bands by the bootstrap: of one ROC curve, and of the difference of two on the same cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.evidence import ScoreTable
from assay.request import checked_level, checked_seed, checked_whole
from assay.results import counted
from assay.types import Floats
from assay.uncertainty import Side, in_cells, paired_replicates, replicates
from assay.uncertainty.curve_bands import A_CLASS_IS_MISSING, Band, held, missing, refuse_clusters, too_few

METHOD = "bootstrap, largest deviation in standard errors"
DIFFERENCE = ("fpr", "recall difference")
# In smaller classes replicates vary too little: with 20 positives and nine ratings a band covered .89.
FEWEST_IN_CLASS = 30


def bootstrap_roc_band(
    table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None, draws: int = 2000, seed: int = 0
) -> Band:
    """Limits of recall at false-positive rates (.02 to .98 unless `at` names others), simultaneous over these rates.

    Replicates draw each class on its own. On the arcsine scale the band is as many standard errors wide as the largest
    deviation of a replicate needs; half a case is added to either side, and the variance of one share of the positives
    to the replicates', because they vary too little where the curve is nearly flat. Above 4,096 distinct scores
    replicates are drawn over bins, and the method names the error this makes.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 20, [False, False, True, True] * 20)
    >>> band = bootstrap_roc_band(table, at=[0.25, 0.75], draws=200)
    >>> band.low.round(2), band.high.round(2)
    (array([0.35, 0.95]), array([0.65, 1.  ]))
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(draws, "draws")
    refuse_clusters(table)
    rates = _rates(at)
    names = ("fpr", "recall")
    if not table.negatives or not table.positives:
        return missing(names, rates, level, A_CLASS_IS_MISSING, float(table.total))
    n1 = float(table.positives)
    value = _heights(table, rates)[0]
    moved = np.concatenate([_heights(batch, rates) for batch in replicates(table, draws, seed, stratified=True)])
    centre, angles = _angle(value, n1), _angle(moved, n1)
    few, why = too_few(Side(table.negative, table.squared_weights[0]), rates, "the threshold")
    half = _largest(angles - centre, np.sqrt(angles.var(0) + 1 / n1), ~few, level)
    low, high = (np.sin(np.clip(centre + side, 0.0, math.pi) / 2) ** 2 for side in (-half, half))
    _, error = in_cells(table)
    method = METHOD + (f", bins of at most {error:.2g}" if error else "")
    band = Band(*names, rates, value, low, high, level, "simultaneous", method, float(table.total))
    return held(band, _few_in_class(min(n1, float(table.negatives))), (few, why))


def roc_difference_band(
    is_positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    at: ArrayLike | None = None,
    draws: int = 2000,
    seed: int = 0,
) -> Band:
    """Recall of the first model minus that of the second at given false-positive rates, for the same cases.

    The band is simultaneous over these rates (.02 to .98 unless `at` names others): with `level` it holds the whole
    true difference. Cases are drawn with both their scores, each class on its own; the band is as many standard errors
    wide as the largest deviation of a replicate needs, one case of the positives being added to the standard error.

    >>> rng = np.random.default_rng(1)
    >>> truth = np.arange(200) < 100
    >>> good, poor = truth + rng.normal(0, 0.5, 200), truth + rng.normal(0, 2, 200)
    >>> band = roc_difference_band(truth, good, poor, at=[0.1, 0.3], draws=200)
    >>> band.y, bool((band.low > 0).all())
    (array([0.645, 0.555]), True)
    """
    return roc_difference_bands(is_positive, [first, second], level, at=at, draws=draws, seed=seed)[0, 1]


def roc_difference_bands(
    is_positive: ArrayLike,
    scores: Sequence[ArrayLike],
    level: float = 0.95,
    *,
    at: ArrayLike | None = None,
    draws: int = 2000,
    seed: int = 0,
    most: int | None = None,
) -> dict[tuple[int, int], Band]:
    """The same for every pair of several models, each by itself at `level`; all are drawn the same cases, once.

    With `most`, replicates draw from so many cases of a class at most, taken at random. The curves are still those of
    all cases: how far they vary shrinks with the root of a class's size, and the limits are drawn in by the class in
    which that is less.
    """
    level = checked_level(level)
    seed = checked_seed(seed)
    checked_whole(draws, "draws")
    positive = np.asarray(is_positive, dtype=np.bool_)
    rates, pairs = _rates(at), list(combinations(range(len(scores)), 2))
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if not n1 or not n0:
        return {pair: missing(DIFFERENCE, rates, level, A_CLASS_IS_MISSING, float(n1 + n0)) for pair in pairs}
    value = [_heights(ScoreTable.of(score, positive), rates)[0] for score in scores]
    moved: list[Floats] | None = None
    if min(n1, n0) >= FEWEST_IN_CLASS:
        kept, shrink = _thinned(positive, most, seed)
        some = [np.asarray(score)[kept] for score in scores]
        batches = paired_replicates(some, positive[kept], draws, seed, stratified=True)
        drawn = zip(*([_heights(table, rates) for table in batch] for batch in batches), strict=True)
        middle = value if shrink == 1 else [_heights(ScoreTable.of(each, positive[kept]), rates)[0] for each in some]
        moved = [
            whole + shrink * (np.concatenate(model) - own)
            for whole, own, model in zip(value, middle, drawn, strict=True)
        ]
    return {
        (i, j): _of_difference(
            value[i] - value[j], None if moved is None else moved[i] - moved[j], n1, n0, rates, level
        )
        for i, j in pairs
    }


def _thinned(positive: NDArray[np.bool_], most: int | None, seed: int) -> tuple[NDArray[np.intp], float]:
    """Places of cases, at most so many of a class, and by what their spread is larger than that of all, at most."""
    sides = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    if most is None or max(map(len, sides)) <= most:
        return np.arange(len(positive)), 1.0
    rng = np.random.default_rng(seed)
    kept = [side if len(side) <= most else rng.choice(side, most, replace=False) for side in sides]
    shrink = max(len(some) / len(side) for some, side in zip(kept, sides, strict=True))
    return np.concatenate(kept), math.sqrt(shrink)


def _of_difference(value: Floats, moved: Floats | None, n1: int, n0: int, rates: Floats, level: float) -> Band:
    """The band around a difference, from what it is in each replicate; without limits where there are none."""
    few, why = too_few(Side(np.ones(n0), np.ones(n0)), rates, "the threshold")
    half = np.full(len(rates), math.nan)
    if moved is not None:
        half = _largest(moved - value, np.sqrt(moved.var(0) + n1**-2), ~few, level)
    low, high = np.maximum(value - half, -1.0), np.minimum(value + half, 1.0)
    band = Band(*DIFFERENCE, rates, value, low, high, level, "simultaneous", METHOD, float(n1 + n0))
    return held(band, _few_in_class(min(n1, n0)), (few, why))


def curves_cross(difference: Band) -> bool:
    """Whether the band shows one curve above the other somewhere and below it elsewhere.

    >>> band = Band("fpr", "recall difference", *np.array([[0.2, 0.8], [0.1, -0.1], [0.05, -0.2], [0.2, -0.05]]), 0.95,
    ...             "simultaneous", "by hand", 100)
    >>> curves_cross(band)
    True
    """
    return bool((difference.low > 0).any() and (difference.high < 0).any())


def _few_in_class(smaller: float) -> tuple[NDArray[np.bool_], str]:
    why = f"{counted(smaller, 'case')} in a class: below {FEWEST_IN_CLASS} the band did not keep its level"
    return np.array(smaller < FEWEST_IN_CLASS), why


def _rates(at: ArrayLike | None) -> Floats:
    return np.arange(1, 50) / 50 if at is None else np.asarray(at, dtype=np.float64)


def _largest(deviation: Floats, error: Floats, kept: NDArray[np.bool_], level: float) -> Floats:
    """The half-width at each point: as many of its standard errors as the largest deviation of a replicate needs."""
    if not kept.any():
        return np.full(len(error), math.nan)
    largest = np.max(np.abs(deviation)[:, kept] / error[kept], axis=1)
    return float(np.quantile(largest, level)) * error


def _angle(share: Floats, n: float) -> Floats:
    """A share on the scale where its variance hardly depends on it."""
    return np.asarray(2 * np.arcsin(np.sqrt((share * n + 0.5) / (n + 1))))


def _heights(tables: ScoreTable, rates: Floats) -> Floats:
    """The recall at each rate, one replicate a row."""
    at, height = (_from_the_top(np.atleast_2d(side)) for side in (tables.negative, tables.positive))
    return np.array([_height(*one, rates) for one in zip(at, height, strict=True)])


def _from_the_top(sides: Floats) -> Floats:
    """How many of a class stand above each score, from the highest score down to all; one replicate a row."""
    sums = np.zeros((len(sides), sides.shape[1] + 1))
    np.cumsum(sides[:, ::-1], axis=1, out=sums[:, 1:])
    return sums


def _height(at: Floats, height: Floats, rates: Floats) -> Floats:
    """The curve's mean height half a case before and after each rate."""
    before, after = (np.interp(rates * at[-1] + shift, at, height) for shift in (-0.5, 0.5))
    return np.asarray(0.5 * (before + after) / height[-1])
