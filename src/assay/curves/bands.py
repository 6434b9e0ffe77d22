"""Bands around the ROC curve, and the recall at a fixed specificity (or back), whose threshold is itself estimated."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.curves.bands_bootstrap import bootstrap_roc_band
from assay.errors import OptionError
from assay.evidence import ScoreTable
from assay.request import checked_choice, checked_level
from assay.results import Estimate, Interval, Table
from assay.types import Floats
from assay.uncertainty import equal_level_limits, kolmogorov_limits, likelihood_limits, share_limits
from assay.uncertainty.curve_bands import (
    A_CLASS_IS_MISSING,
    MIXTURE,
    Band,
    Kind,
    as_estimate,
    held,
    missing,
    pointwise,
    refuse_clusters,
    refuse_weights,
    sides,
)

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
    chosen = _method(kind, method)
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
    (low_x, low_y), (high_x, high_y) = _corners(table, level, chosen)
    low, high = np.interp(x, low_x, low_y, left=0.0), np.interp(x, high_x, high_y, right=1.0)
    return Band("fpr", "recall", x, value, low, high, level, kind, chosen, float(table.total))


def _method(kind: Kind, method: str | None) -> str:
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
    chosen = checked_choice(method or _exact_default(table), EXACT, "method")
    name = f"area of the simultaneous band, {chosen}"
    if not table.negatives or not table.positives:
        return Interval.missing(name, A_CLASS_IS_MISSING)
    (low_x, low_y), (high_x, high_y) = _corners(table, level, chosen)
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
    thresholds = np.asarray(_spread(table.thresholds()) if at is None else at, dtype=np.float64)
    # How many from the top are called positive at each threshold.
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


def _corners(table: ScoreTable, level: float, method: str) -> tuple[Corners, Corners]:
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


def _exact_default(table: ScoreTable) -> str:
    larger = max(float(table.negatives), float(table.positives))
    return "equal local levels" if larger <= MOST_FOR_EQUAL_LEVELS else "Kolmogorov-Smirnov"


def _spread(thresholds: Floats) -> Floats:
    """All thresholds, or so many of them at equal distances in rank."""
    if len(thresholds) <= RECTANGLES:
        return thresholds
    return thresholds[np.linspace(0, len(thresholds) - 1, RECTANGLES).astype(np.int64)]
