"""Hanley & McNeil's comparison of two ROC areas on the same cases, from a correlation of the scores."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, owens_t

from assay.comparison.adjustment import Difference
from assay.evidence import ScoreTable
from assay.request import checked_choice, checked_level
from assay.uncertainty import AucMoments
from assay.uncertainty.delong import hanley_mcneil_variance

Correlation = Literal["pearson", "kendall"]
Source = Literal["formula", "table"]
CONSTANT = "a classifier gives all cases of a class the same score, so the scores have no correlation"


def hanley_mcneil_difference(
    is_positive: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    correlation: Correlation = "pearson",
    source: Source = "formula",
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    null: float = 0.0,
) -> Difference:
    """The difference of two AUCs with the standard error of Hanley & McNeil (1983).

    Each area has the standard error of 1982, from its size and the class sizes alone; their correlation r comes from
    how the two scores go together within either class ("kendall" for ratings), by the binormal model (`source` is
    "formula") or from the table printed in 1983. Prefer DeLong, which supposes no model.

    >>> truth, one = [0, 0, 1, 1, 1, 0] * 20, [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20
    >>> hanley_mcneil_difference(truth, one, [0.2, 0.6, 0.3, 0.4, 0.9, 0.1] * 20)
    first - second: +0.111 [0.060, 0.162], p < 0.001 (Hanley-McNeil, r 0.79 by formula)
    """
    level = checked_level(level)
    checked_choice(correlation, ("pearson", "kendall"), "correlation")
    checked_choice(source, ("formula", "table"), "source")
    positive = np.asarray(is_positive, dtype=np.bool_)
    scores = [np.asarray(score, dtype=np.float64) for score in (first, second)]
    moments = [AucMoments.of(ScoreTable.of(score, positive)) for score in scores]
    within = [_within(scores, side, correlation) for side in (~positive, positive)]
    n1, n0 = moments[0].positives, moments[0].negatives
    value = moments[0].auc - moments[1].auc
    empty = Difference(
        "roc_auc", *names, value, math.nan, math.nan, level, math.nan, "Hanley-McNeil", n1 + n0, null=null
    )
    if any(math.isnan(found) for found in within):
        return replace(empty, undefined=CONSTANT)
    areas = (moments[0].auc, moments[1].auc)
    r, said = _correlation(areas, (within[0], within[1]), (n1, n0), source)
    return _difference(replace(empty, method=f"Hanley-McNeil, r {r:.2g} {said}"), areas, r, (n1, n0))


def _correlation(
    areas: tuple[float, float], within: tuple[float, float], sizes: tuple[float, float], source: Source
) -> tuple[float, str]:
    if source == "table":
        r = tabulated_correlation(sum(within) / 2, sum(areas) / 2)
        if not math.isnan(r):
            return r, "from the table"
    said = "by formula" if source == "formula" else "by formula, outside the table"
    return area_correlation(areas, within, sizes), said


def _difference(found: Difference, areas: tuple[float, float], r: float, sizes: tuple[float, float]) -> Difference:
    errors = [math.sqrt(max(hanley_mcneil_variance(area, *sizes), 0.0)) for area in areas]
    squared = errors[0] ** 2 + errors[1] ** 2 - 2 * r * errors[0] * errors[1]
    if not squared > 1e-13 * sum(error**2 for error in errors) or not min(errors) > 0:
        if found.value == 0 and min(errors) > 0:
            return replace(found, low=0.0, high=0.0, p_value=float(found.null == 0), se=0.0)
        return replace(found, undefined="the standard error of the difference is 0", p_value=math.nan)
    error = math.sqrt(squared)
    half = float(ndtri(0.5 + found.level / 2)) * error
    z = (found.value - found.null) / error
    low, high, p_value = found.value - half, found.value + half, 2 * float(ndtr(-abs(z)))
    return replace(found, low=low, high=high, p_value=p_value, se=error, statistic=z, freedom=math.inf)


def area_correlation(areas: tuple[float, float], within: tuple[float, float], sizes: tuple[float, float]) -> float:
    """The correlation of two AUCs on the same cases, under the equal-variance bivariate binormal model.

    `within` are the correlations of the scores within negatives and within positives, `sizes` the numbers of positives
    and negatives. Any areas and sizes will do; with 50 cases of either class this is the table of 1983 to its second
    digit.

    >>> round(area_correlation((0.8, 0.8), (0.5, 0.5), (50, 50)), 4)
    0.4485
    """
    (n1, n0), (negative, positive) = sizes, within
    d1, d2 = (float(ndtri(area)) for area in areas)

    def beyond_chance(x: float) -> float:
        return float(both_below(d1, d2, x)) - areas[0] * areas[1]

    shared = (n1 - 1) * beyond_chance(negative / 2) + (n0 - 1) * beyond_chance(positive / 2)
    shared += beyond_chance((negative + positive) / 2)
    product = 1.0
    for area, d in zip(areas, (d1, d2), strict=True):
        product *= area * (1 - area) + (n0 + n1 - 2) * (float(both_below(d, d, 0.5)) - area * area)
    return shared / math.sqrt(product) if product > 0 else math.nan


def both_below(h: Any, k: Any, rho: Any) -> Any:
    """The chance that two standard normals with correlation rho lie below h and k, through Owen's T function.

    >>> round(float(both_below(0.0, 0.0, 0.5)), 6)
    0.333333
    """
    h, k = (np.where(np.asarray(x) == 0, 1e-300, x) for x in (h, k))
    if abs(rho) >= 1:
        return np.minimum(ndtr(h), ndtr(k)) if rho > 0 else np.maximum(ndtr(h) + ndtr(k) - 1, 0.0)
    root = math.sqrt(1 - rho * rho)
    # Products of values near 0 underflow to 0, which is what they are.
    with np.errstate(under="ignore"):
        return _below_by_owen(h, k, rho, root)


def _below_by_owen(h: Any, k: Any, rho: Any, root: float) -> Any:
    sides = owens_t(h, (k / h - rho) / root) + owens_t(k, (h / k - rho) / root)
    return 0.5 * (ndtr(h) + ndtr(k)) - sides - 0.5 * (h * k < 0)


def tabulated_correlation(within: float, area: float) -> float:
    """The correlation of two AUCs from Table I of Hanley & McNeil (1983), between its entries by straight lines.

    `within` is the mean of the scores' correlations in either class, `area` the mean of the two AUCs; nan outside the
    table. Areas below one half are looked up as their mirror image.

    >>> tabulated_correlation(0.5, 0.8), round(tabulated_correlation(0.51, 0.8125), 4), tabulated_correlation(0.95, 0.8)
    (0.45, 0.455, nan)
    """
    printed = _printed()
    return float(_shares(printed.correlation, within) @ printed.r @ _shares(printed.area, max(area, 1 - area)))


def _shares(axis: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """How much each entry of an axis counts for a value between two of them; nan beyond its ends."""
    place = np.interp(value, axis, np.arange(len(axis)), left=math.nan, right=math.nan)
    return np.asarray(np.maximum(1 - np.abs(np.arange(len(axis)) - place), 0.0))


@dataclass(frozen=True, eq=False)
class _PrintedTable:
    correlation: NDArray[np.float64]
    area: NDArray[np.float64]
    r: NDArray[np.float64]


@cache
def _printed() -> _PrintedTable:
    record = json.loads((files("assay") / "data" / "hanley_mcneil_r.json").read_text(encoding="utf-8"))
    return _PrintedTable(*(np.array(record[name]) for name in ("correlation", "area", "r")))


def _within(scores: list[NDArray[np.float64]], side: NDArray[np.bool_], kind: Correlation) -> float:
    one, two = (score[side] for score in scores)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return math.nan
    if kind == "pearson":
        return float(np.corrcoef(one, two)[0, 1])
    from scipy.stats import kendalltau

    return float(kendalltau(one, two).statistic)
