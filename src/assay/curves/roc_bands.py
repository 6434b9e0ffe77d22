"""Bands around the ROC curve, and the recall at a fixed specificity (or back), whose threshold is itself estimated.

Simultaneous bands by the bootstrap: of one ROC curve, and of the difference of two on the same cases.

Bands of what depends on the prevalence: precision, the accuracy of accepted cases, and net benefit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_between, checked_choice, checked_level, checked_seed, checked_whole
from assay.results import Estimate, Interval, Table, counted
from assay.types import Floats
from assay.uncertainty import (
    Side,
    contrast_limits,
    equal_level_limits,
    in_cells,
    kolmogorov_limits,
    likelihood_limits,
    mixture_limits,
    paired_replicates,
    positions,
    replicates,
    share_limits,
    wilson_limits,
)
from assay.uncertainty.curve_bands import (
    A_CLASS_IS_MISSING,
    MIXTURE,
    Band,
    Kind,
    as_estimate,
    few_in_class,
    few_weighted,
    heights,
    held,
    missing,
    pointwise,
    refuse_clusters,
    refuse_weights,
    sides,
    too_few,
)

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
    rates = _checked_rates(at)
    names = ("fpr", "recall")
    if not table.negatives or not table.positives:
        return missing(names, rates, level, A_CLASS_IS_MISSING, float(table.total))
    n1 = float(table.positives)
    value = _recall_at_rates(table, rates)[0]
    moved = np.concatenate(
        [_recall_at_rates(batch, rates) for batch in replicates(table, draws, seed, stratified=True)]
    )
    centre, angles = _arcsine_scale(value, n1), _arcsine_scale(moved, n1)
    few, why = too_few(Side(table.negative, table.squared_weights[0]), rates, "the threshold")
    half = _simultaneous_half_width(angles - centre, np.sqrt(angles.var(0) + 1 / n1), ~few, level)
    low, high = (np.sin(np.clip(centre + side, 0.0, math.pi) / 2) ** 2 for side in (-half, half))
    _, error = in_cells(table)
    method = METHOD + (f", bins of at most {error:.2g}" if error else "")
    band = Band(*names, rates, value, low, high, level, "simultaneous", method, float(table.total))
    return held(band, _small_class_refusal(min(n1, float(table.negatives))), (few, why))


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
    rates, pairs = _checked_rates(at), list(combinations(range(len(scores)), 2))
    n1, n0 = int(positive.sum()), int((~positive).sum())
    if not n1 or not n0:
        return {pair: missing(DIFFERENCE, rates, level, A_CLASS_IS_MISSING, float(n1 + n0)) for pair in pairs}
    value = [_recall_at_rates(ScoreTable.of(score, positive), rates)[0] for score in scores]
    moved: list[Floats] | None = None
    if min(n1, n0) >= FEWEST_IN_CLASS:
        kept, shrink = _subsampled_places(positive, most, seed)
        some = [np.asarray(score)[kept] for score in scores]
        batches = paired_replicates(some, positive[kept], draws, seed, stratified=True)
        drawn = zip(*([_recall_at_rates(table, rates) for table in batch] for batch in batches), strict=True)
        middle = (
            value if shrink == 1 else [_recall_at_rates(ScoreTable.of(each, positive[kept]), rates)[0] for each in some]
        )
        moved = [
            whole + shrink * (np.concatenate(model) - own)
            for whole, own, model in zip(value, middle, drawn, strict=True)
        ]
    return {
        (i, j): _difference_band(
            value[i] - value[j], None if moved is None else moved[i] - moved[j], n1, n0, rates, level
        )
        for i, j in pairs
    }


def _subsampled_places(positive: NDArray[np.bool_], most: int | None, seed: int) -> tuple[NDArray[np.intp], float]:
    """Places of cases, at most so many of a class, and by what their spread is larger than that of all, at most."""
    sides = [np.flatnonzero(positive), np.flatnonzero(~positive)]
    if most is None or max(map(len, sides)) <= most:
        return np.arange(len(positive)), 1.0
    rng = np.random.default_rng(seed)
    kept = [side if len(side) <= most else rng.choice(side, most, replace=False) for side in sides]
    shrink = max(len(some) / len(side) for some, side in zip(kept, sides, strict=True))
    return np.concatenate(kept), math.sqrt(shrink)


def _difference_band(value: Floats, moved: Floats | None, n1: int, n0: int, rates: Floats, level: float) -> Band:
    """The band around a difference, from what it is in each replicate; without limits where there are none."""
    few, why = too_few(Side(np.ones(n0), np.ones(n0)), rates, "the threshold")
    half = np.full(len(rates), math.nan)
    if moved is not None:
        half = _simultaneous_half_width(moved - value, np.sqrt(moved.var(0) + n1**-2), ~few, level)
    low, high = np.maximum(value - half, -1.0), np.minimum(value + half, 1.0)
    band = Band(*DIFFERENCE, rates, value, low, high, level, "simultaneous", METHOD, float(n1 + n0))
    return held(band, _small_class_refusal(min(n1, n0)), (few, why))


def curves_cross(difference: Band) -> bool:
    """Whether the band shows one curve above the other somewhere and below it elsewhere.

    >>> band = Band("fpr", "recall difference", *np.array([[0.2, 0.8], [0.1, -0.1], [0.05, -0.2], [0.2, -0.05]]), 0.95,
    ...             "simultaneous", "by hand", 100)
    >>> curves_cross(band)
    True
    """
    return bool((difference.low > 0).any() and (difference.high < 0).any())


def _small_class_refusal(smaller: float) -> tuple[NDArray[np.bool_], str]:
    why = f"{counted(smaller, 'case')} in a class: at least {FEWEST_IN_CLASS} needed"
    return np.array(smaller < FEWEST_IN_CLASS), why


def _checked_rates(at: ArrayLike | None) -> Floats:
    return np.arange(1, 50) / 50 if at is None else np.asarray(at, dtype=np.float64)


def _simultaneous_half_width(deviation: Floats, error: Floats, kept: NDArray[np.bool_], level: float) -> Floats:
    """The half-width at each point: as many of its standard errors as the largest deviation of a replicate needs."""
    if not kept.any():
        return np.full(len(error), math.nan)
    largest = np.max(np.abs(deviation)[:, kept] / error[kept], axis=1)
    return float(np.quantile(largest, level)) * error


def _arcsine_scale(share: Floats, n: float) -> Floats:
    """A share on the scale where its variance hardly depends on it."""
    return np.asarray(2 * np.arcsin(np.sqrt((share * n + 0.5) / (n + 1))))


def _recall_at_rates(tables: ScoreTable, rates: Floats) -> Floats:
    """The recall at each rate, one replicate a row."""
    at, height = (_counts_above(np.atleast_2d(side)) for side in (tables.negative, tables.positive))
    return np.array([_mean_height(*one, rates) for one in zip(at, height, strict=True)])


def _counts_above(sides: Floats) -> Floats:
    """How many of a class stand above each score, from the highest score down to all; one replicate a row."""
    sums = np.zeros((len(sides), sides.shape[1] + 1))
    np.cumsum(sides[:, ::-1], axis=1, out=sums[:, 1:])
    return sums


def _mean_height(at: Floats, height: Floats, rates: Floats) -> Floats:
    """The curve's mean height half a case before and after each rate."""
    before, after = (np.interp(rates * at[-1] + shift, at, height) for shift in (-0.5, 0.5))
    return np.asarray(0.5 * (before + after) / height[-1])


Corners = tuple[Floats, Floats]

# Proved to hold for any distributions: from limits of either class by itself.
EXACT: dict[str, Callable[[int, float], tuple[Floats, Floats]]] = {
    "equal local levels": equal_level_limits,
    "Kolmogorov-Smirnov": kolmogorov_limits,
}
BALLS = "likelihood balls"
# What a band of each kind may be made by, the default first.
METHODS: dict[Kind, tuple[str, ...]] = {"pointwise": (MIXTURE,), "simultaneous": (BALLS, *EXACT, "bootstrap")}
# Up to so many cases in a class its exact simultaneous limits are found in a second.
MOST_FOR_EQUAL_LEVELS = 20_000
# Thresholds that get a rectangle unless they are named.
RECTANGLES = 500


def roc_band(
    table: ScoreTable,
    level: float = 0.95,
    *,
    kind: Kind = "pointwise",
    at: ArrayLike | None = None,
    method: str | None = None,
) -> Band:
    """Limits of recall at given false-positive rates (101 from 0 to 1 unless `at` names others).

    Pointwise limits count both what the positives vary and what the threshold that gives each rate does. Simultaneous
    limits hold the whole curve: by default they are all points that some point of this curve makes likely enough
    (`"likelihood balls"`, after Berk & Jones 1979 and Owen 1995), whose level is simulated. For any distributions and
    wider by a third as a rule are exact limits of either class (`method="equal local levels"`) and Campbell's (1994) of
    Kolmogorov and Smirnov (`"Kolmogorov-Smirnov"`). `"bootstrap"` is for rates from .02 to .98.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> roc_band(table, kind="simultaneous", at=[0.5]).low.round(3)
    array([0.235])
    >>> roc_band(table, kind="simultaneous", at=[0.5], method="equal local levels").low.round(3)
    array([0.18])
    """
    level = checked_level(level)
    chosen = _band_method(kind, method)
    refuse_clusters(table)
    x = np.linspace(0.0, 1.0, 101) if at is None else np.asarray(at, dtype=np.float64)
    if not table.negatives or not table.positives:
        return missing(("fpr", "recall"), x, level, A_CLASS_IS_MISSING, float(table.total))
    negative, positive = sides(table)
    if kind == "pointwise":
        return pointwise(("fpr", "recall"), negative, positive, x, x, level)
    refuse_weights(table, "kind='pointwise'")
    if chosen == "bootstrap":
        return bootstrap_roc_band(table, level, at=at)
    value = np.interp(x, negative.shares, positive.shares)
    if chosen == BALLS:
        low, high = likelihood_limits(table.negative[::-1], table.positive[::-1], x, level)
        return held(Band("fpr", "recall", x, value, low, high, level, kind, chosen, float(table.total)))
    (low_x, low_y), (high_x, high_y) = _exact_band_corners(table, level, chosen)
    low, high = np.interp(x, low_x, low_y, left=0.0), np.interp(x, high_x, high_y, right=1.0)
    return Band("fpr", "recall", x, value, low, high, level, kind, chosen, float(table.total))


def _band_method(kind: Kind, method: str | None) -> str:
    """The method asked for, or the default; one of the other kind is refused as such."""
    checked_choice(kind, tuple(METHODS), "kind")
    known = METHODS[kind]
    if method is None:
        return known[0]
    for other, methods in METHODS.items():
        if other != kind and method in methods:
            needed = f"kind={other!r}, or one of {', '.join(map(repr, known))}"
            raise OptionError(f"method {method!r} makes a {other} band and kind is {kind!r}", needed, about="method")
    return checked_choice(method, known, "method")


def auc_bounds(table: ScoreTable, level: float = 0.95, *, method: str | None = None) -> Interval:
    """The smallest and the largest area under a curve inside a simultaneous band: wide, and free of assumptions.

    The band is one that is proved to hold, of equal local levels or, for large classes, of Kolmogorov and Smirnov.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> bounds = auc_bounds(table)
    >>> round(bounds.low, 3), round(bounds.high, 3)
    (0.224, 0.968)
    """
    level = checked_level(level)
    refuse_clusters(table)
    refuse_weights(table, "the measure roc_auc")
    chosen = checked_choice(method or _default_exact_method(table), EXACT, "method")
    name = f"area of the simultaneous band, {chosen}"
    if not table.negatives or not table.positives:
        return Interval.missing(name, A_CLASS_IS_MISSING)
    (low_x, low_y), (high_x, high_y) = _exact_band_corners(table, level, chosen)
    # Before its first corner the lower curve is at 0, after its last the upper one is at 1.
    low = float(np.trapezoid(low_y, low_x)) + float(low_y[-1]) * (1 - float(low_x[-1]))
    high = float(np.trapezoid(high_y, high_x)) + (1 - float(high_x[-1]))
    return Interval(low, high, name)


def roc_rectangles(table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None) -> Table:
    """Around the point of each threshold a rectangle that holds the true point with at least `level`.

    Its sides are Clopper and Pearson's limits of either rate, each at the square root of the level because the classes
    are independent. This is for thresholds fixed beforehand, not for fixed rates. At most 500 thresholds unless named.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> print(roc_rectangles(table, at=[0.35]))
    threshold    fpr  fpr_low  fpr_high  recall  recall_low  recall_high
        0.350  0.500    0.247     0.753   0.500       0.247        0.753
    """
    level = checked_level(level)
    refuse_clusters(table)
    refuse_weights(table, "the measures at a threshold")
    thresholds = np.asarray(_thinned_thresholds(table.thresholds()) if at is None else at, dtype=np.float64)
    # How many from the top are predicted positive at each threshold.
    cut = len(table) - np.searchsorted(table.score, thresholds, side="left")
    columns: dict[str, Sequence[float]] = {"threshold": thresholds.tolist()}
    for name, weights in (("fpr", table.negative), ("recall", table.positive)):
        n = float(weights.sum())
        part = np.concatenate(([0.0], np.cumsum(weights[::-1])))[cut]
        limits = share_limits(part, n, math.sqrt(level)) if n else (part * math.nan, part * math.nan)
        values = (part / n if n else part * math.nan, *limits)
        columns |= {key: v.tolist() for key, v in zip((name, f"{name}_low", f"{name}_high"), values, strict=True)}
    return Table(columns, title="ROC points with rectangles")


def sensitivity_at(table: ScoreTable, specificity: float, level: float = 0.95) -> Estimate:
    """How many of the positives are found by the threshold that just keeps this specificity.

    The threshold is estimated from the negatives, so the limits count what both classes vary.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> sensitivity_at(table, 0.75)
    0.500 [0.294, 0.736]
    """
    return as_estimate(sensitivity_band(table, [specificity], level))


def specificity_at(table: ScoreTable, recall: float, level: float = 0.95) -> Estimate:
    """How many of the negatives are left alone by the threshold that just keeps this recall.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> specificity_at(table, 0.75)
    0.500 [0.294, 0.736]
    """
    return as_estimate(specificity_band(table, [recall], level))


def sensitivity_band(table: ScoreTable, specificities: ArrayLike, level: float = 0.95) -> Band:
    """Recall at each of many fixed specificities, with pointwise limits.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> sensitivity_band(table, [0.6, 0.75]).y
    array([0.5, 0.5])
    """
    level = checked_level(level)
    refuse_clusters(table)
    x = np.asarray(specificities, dtype=np.float64)
    # Rounded, because 1 - 0.9 is not quite 0.1.
    return pointwise(("specificity", "recall"), *sides(table), x, np.round(1 - x, 12), level)


def specificity_band(table: ScoreTable, recalls: ArrayLike, level: float = 0.95) -> Band:
    """Specificity at each of many fixed recalls, with pointwise limits: the same with the classes exchanged.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> specificity_band(table, [0.5, 1.0]).y
    array([1. , 0.5])
    """
    level = checked_level(level)
    refuse_clusters(table)
    x = np.asarray(recalls, dtype=np.float64)
    negative, positive = sides(table, from_the_top=False)
    return pointwise(("recall", "specificity"), positive, negative, x, np.round(1 - x, 12), level)


def _exact_band_corners(table: ScoreTable, level: float, method: str) -> tuple[Corners, Corners]:
    """The corners of the lower and of the upper curve of an exact simultaneous band.

    At every threshold both rates have limits that hold at all thresholds at once; the true point lies above and left of
    one corner of this rectangle and below and right of the opposite one. Curves through these corners then hold the
    whole true curve, its straight segments over ties included, because both rise.
    """
    limits = []
    for weights in (table.negative, table.positive):
        low, high = EXACT[method](int(weights.sum()), math.sqrt(level))
        beyond = np.concatenate(([0.0], np.cumsum(weights[::-1]))).astype(np.int64)
        limits.append((low[beyond], high[beyond]))
    (low_x, high_x), (low_y, high_y) = limits
    return (high_x, low_y), (low_x, high_y)


def _default_exact_method(table: ScoreTable) -> str:
    larger = max(float(table.negatives), float(table.positives))
    return "equal local levels" if larger <= MOST_FOR_EQUAL_LEVELS else "Kolmogorov-Smirnov"


def _thinned_thresholds(thresholds: Floats) -> Floats:
    """All thresholds, or so many of them at equal distances in rank."""
    if len(thresholds) <= RECTANGLES:
        return thresholds
    return thresholds[np.linspace(0, len(thresholds) - 1, RECTANGLES).astype(np.int64)]


OVER_POSITIONS = "Jeffreys over the threshold's positions"
RECOVERED = "MOVER, Wilson"
# Below these nothing kept its level (verification/bands.py): cases called positive, and cases in all.
FEWEST_CASES = 30


def precision_band(
    table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None, prevalence: float | None = None
) -> Band:
    """Limits of the precision at given recalls (.01 to 1 unless `at` names others): pointwise.

    The threshold that finds this share of the positives is estimated from them; the number of false alarms there and
    the share of positives among the cases vary too. With a `prevalence` given, precision is that of a population with
    this share of positives, and only the false-positive rate varies.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> print(precision_band(table, at=[0.25, 0.75]).table())
    recall  precision    low   high
     0.250      1.000  0.576  1.000
     0.750      0.600  0.418  0.784
    """
    level = checked_level(level)
    if prevalence is not None:
        checked_between(prevalence, "prevalence")
    refuse_clusters(table)
    recall = np.arange(1, 101) / 100 if at is None else np.asarray(at, dtype=np.float64)
    names = ("recall", "precision")
    if not table.negatives or not table.positives:
        return missing(names, recall, level, A_CLASS_IS_MISSING, float(table.total))
    negative, positive = sides(table)
    if prevalence is not None:
        return _precision_band_at_prevalence(negative, positive, recall, prevalence, level)
    places = positions(positive, recall)
    alarms = heights(positive, negative, places) * negative.kish
    low, high = mixture_limits(np.full(alarms.shape, positive.kish), alarms, level)
    # Given the threshold, hits are `recall` of a Poisson number and false alarms another: their ratio is a Beta's odds.
    # Effective cases stand for weights: one has the mean weight of its class.
    scale = (positive.size / positive.kish) / (negative.size / negative.kish)
    low, high = (_share_from_odds(recall * scale * limit / (1 - limit)) for limit in (low, high))
    rate = _lowest_fpr_at_recall(negative, positive, recall)
    value = _share_from_odds(recall * positive.size / _nonzero(rate * negative.size))
    band = Band(*names, recall, value, low, high, level, "pointwise", OVER_POSITIONS, float(table.total))
    few = too_few(positive, recall, "the threshold")
    return held(band, few_in_class(negative, positive), few, few_weighted(negative, rate))


def reject_band(confidence: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None) -> Band:
    """Limits of the accuracy among the most confident cases at given coverages (.01 to 1 unless `at`): pointwise.

    The table holds how confident each decision was, its positives being the right ones. The least confidence that
    accepts this share of cases is estimated too; a block of ties is entered evenly.

    >>> table = ScoreTable.of([0.6, 0.7, 0.8, 0.9] * 10, [False, True, True, True] * 10)
    >>> print(reject_band(table, at=[0.5, 1.0]).table())
    coverage  accuracy    low   high
       0.500     1.000  0.879  1.000
       1.000     0.750  0.602  0.864
    """
    level = checked_level(level)
    refuse_clusters(confidence)
    refuse_weights(confidence, "the measure accuracy")
    coverage = np.arange(1, 101) / 100 if at is None else np.asarray(at, dtype=np.float64)
    wrong, right = sides(confidence)
    cases = wrong + right
    if not cases.size:
        return missing(("coverage", "accuracy"), coverage, level, "there are no cases", 0.0)
    # With everything accepted no threshold is sought.
    places = np.where(coverage[..., None] < 1, positions(cases, coverage), 1.0)
    rights = heights(cases, right, places) * right.size / cases.size
    low, high = mixture_limits(rights * cases.kish, np.maximum(places - rights, 0.0) * cases.kish, level)
    share = np.interp(coverage, cases.shares, right.shares) * right.size / cases.size
    value = np.where(coverage > 0, share / np.where(coverage > 0, coverage, 1.0), math.nan)
    band = Band("coverage", "accuracy", coverage, value, low, high, level, "pointwise", OVER_POSITIONS, cases.size)
    few, why = too_few(cases, coverage, "the least confidence")
    return held(band, _few_cases_refusal(cases.kish), (few & (coverage < 1), why))


def net_benefit_band(
    table: ScoreTable, level: float = 0.95, *, at: ArrayLike | None = None, prevalence: float | None = None
) -> Band:
    """Limits of the net benefit at given threshold probabilities (.01 to .99 unless `at` names others): pointwise.

    Net benefit is the share of hits minus that of false alarms at the odds of the threshold (Vickers & Elkin 2006).
    Both shares are of all cases, so the prevalence varies with them; with a `prevalence` given only the rates do.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> print(net_benefit_band(table, at=[0.2, 0.5]).table())
    threshold  net_benefit    low   high
        0.200        0.438  0.265  0.603
        0.500        0.250  0.111  0.402
    """
    level = checked_level(level)
    if prevalence is not None:
        checked_between(prevalence, "prevalence", closed=True)
    refuse_clusters(table)
    threshold = np.arange(1, 100) / 100 if at is None else np.asarray(at, dtype=np.float64)
    names = ("threshold", "net_benefit")
    if prevalence is not None and not (table.negatives and table.positives):
        return missing(names, threshold, level, A_CLASS_IS_MISSING, float(table.total))
    odds = threshold / (1 - threshold)
    negative, positive = sides(table)
    cases = negative + positive
    cut = len(table) - np.searchsorted(table.score, threshold, side="left")
    if prevalence is None:
        hits, alarms = (_shares_above_cuts(side, cases, cut, level) for side in (positive, negative))
        product = (1 - hits[0]) * (1 - alarms[0])
        together = np.where(product > 0, hits[0] * alarms[0] / _nonzero(product), 0.0)
        low, high = contrast_limits(hits, alarms, odds, -np.sqrt(together))
    else:
        hits = tuple(prevalence * part for part in _shares_above_cuts(positive, positive, cut, level))  # type: ignore[assignment]
        alarms = tuple((1 - prevalence) * part for part in _shares_above_cuts(negative, negative, cut, level))  # type: ignore[assignment]
        low, high = contrast_limits(hits, alarms, odds, 0.0)
    value = hits[0] - odds * alarms[0]
    band = Band(*names, threshold, value, low, high, level, "pointwise", RECOVERED, float(table.total))
    shares = (few_weighted(side, side.parted(cut)[0] / (side.size or 1.0)) for side in (negative, positive))
    return held(band, _few_cases_refusal(cases.kish), *shares)


def _precision_band_at_prevalence(
    negative: Side, positive: Side, recall: Floats, prevalence: float, level: float
) -> Band:
    """Precision from the false-positive rate at each recall, at a prevalence that is given."""
    band = pointwise(("recall", "precision"), positive, negative, recall, recall, level)
    rate = _lowest_fpr_at_recall(negative, positive, recall)
    odds = recall * prevalence / (1 - prevalence)
    value, low, high = (
        _share_from_odds(odds / _nonzero(part)) for part in (rate, band.high, np.minimum(band.low, rate))
    )
    return replace(band, y=value, low=low, high=high)


def _lowest_fpr_at_recall(negative: Side, positive: Side, recall: Floats) -> Floats:
    """The lowest false-positive rate that reaches a recall: the best precision there."""
    at, height = positive.shares, negative.shares
    return np.interp(-recall, -at[::-1], height[::-1])


def _shares_above_cuts(part: Side, whole: Side, cut: NDArray[np.int64], level: float) -> tuple[Floats, Floats, Floats]:
    """What a class has above each cut as a share of a whole, with Wilson's limits on the effective number of cases."""
    weight, squares = part.parted(cut)
    share = weight / whole.size
    spread = squares * (1 - share) ** 2 + (whole.squares.sum() - squares) * share**2
    inside = (share > 0) & (share < 1)
    effective = np.where(inside, share * (1 - share) * whole.size**2 / np.where(inside, spread, 1.0), whole.kish)
    return share, *wilson_limits(share, effective, level)


def _few_cases_refusal(cases: float) -> tuple[NDArray[np.bool_], str]:
    why = f"{round(cases)} cases in all: at least {FEWEST_CASES} needed"
    return np.array(cases < FEWEST_CASES), why


def _share_from_odds(odds: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        share: Floats = np.where(np.isinf(odds), 1.0, odds / (1 + odds))
    return share


def _nonzero(values: Floats) -> Floats:
    """Values to divide by: next to nothing in place of 0."""
    return np.maximum(values, 1e-300)
