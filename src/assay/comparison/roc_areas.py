"""Comparing areas under ROC curves: on the same cases, on some of the same cases, or on others altogether.

Hanley & McNeil's comparison of two ROC areas on the same cases, from a correlation of the scores.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, owens_t, stdtr, stdtrit

from assay.comparison.adjustment import NOTHING_VARIES, Difference
from assay.comparison.joint import Joint, OfClass, p_by_inversion, satterthwaite
from assay.comparison.paired_influence import Rows, shared, spread_between_clusters
from assay.comparison.small_sample_limits import OfOne, areas_by_themselves, recovered
from assay.errors import OptionError
from assay.evidence import ScoreTable, side_by_side
from assay.measures import Measure
from assay.request import checked_choice, checked_level
from assay.results import counted
from assay.types import Bools, Floats
from assay.uncertainty import AucMoments, auc_interval, binormal_line, cases_that_vary, obuchowski_covariance
from assay.uncertainty.delong import hanley_mcneil_variance

# With a smaller class than this nothing kept its level (docs/verification/score_tests.md).
FEWEST_CASES = 5
# From here on the normal distribution serves; below, t with Satterthwaite's degrees of freedom and what limits of
# either AUC by itself leave open.
ENOUGH_FOR_NORMAL = 50
# The same where fewer cases of a class than this lie off its commonest score, or are worth of misranking.
ENOUGH_THAT_VARY = 10
FEW_VARY = (
    "few cases vary or are misranked, where DeLong's interval alone covered the difference in only 79 % of "
    "simulated samples"
)
WORTH_A_THREAD = 1 << 16
RANKED_ALIKE = "they rank every pair of these cases alike, so the variance of the difference is unknown"


def joint_auc(
    is_positive: ArrayLike | Rows,
    scores: Mapping[str, ArrayLike],
    *,
    distribution: Literal["t", "normal"] | None = None,
    tables: Sequence[ScoreTable] = (),
    of_one: OfOne | None = None,
) -> Joint:
    """The AUCs of several classifiers with the covariance DeLong, DeLong & Clarke-Pearson (1988) give them.

    A score of nan is missing: each AUC rests on its own cases, the covariance of two on those both have (Zhou &
    Gatsonis 1996). Clusters give Obuchowski's (1997) covariance, corrected for their sizes; folds are ranked each by
    itself. `distribution` is normal, or where little varies t and limits recovered from those of either AUC (Zou
    2007), unless it is given. `tables` are the score tables, where they are made already, and `of_one` the
    limits of each AUC by itself between clusters.

    >>> truth = [0, 0, 1, 1, 1, 0] * 20
    >>> joint = joint_auc(truth, {"a": [0.2, 0.6, 0.7, 0.4, 0.9, 0.1] * 20, "b": [0.2, 0.6, 0.3, 0.4, 0.9, 0.1] * 20})
    >>> joint.difference(0, 1)
    a - b: +0.111 [0.054, 0.182], p < 0.001 (paired DeLong, with MOVER)
    """
    rows, given = Rows.of(is_positive), [np.asarray(score, dtype=np.float64) for score in scores.values()]
    kept = np.stack([~np.isnan(score) for score in given])
    sizes = np.stack([rows.sizes(kept & ~rows.is_positive), rows.sizes(kept & rows.is_positive)], axis=1)
    shares = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
    made: Sequence[ScoreTable | None] = tables or [None] * len(given)
    moved = np.zeros(kept.shape)
    # Few cases are done before a second thread has begun.
    spread = side_by_side if kept.size >= WORTH_A_THREAD else map
    each = list(spread(partial(_area_and_influence, rows), given, kept, shares, made, moved))
    values, rests_on = np.array([one.mean for one in each]), min(one.rests_on for one in each)
    return _joint_estimates(rows, tuple(scores), values, moved, kept, distribution, rests_on, of_one)


@dataclass(frozen=True)
class _Standing:
    """The mean AUC (of folds), and how many cases that rests on."""

    mean: float
    rests_on: float


def _area_and_influence(
    rows: Rows, score: Floats, kept: Bools, shares: Floats, table: ScoreTable | None, moved: Floats
) -> _Standing:
    """Where one classifier's AUC stands; `moved` is filled with how far each row moves it, a share of its class."""
    means, rests_on = [], 0.0
    folds: list[Any] = [kept]
    if rows.fold is not None:
        folds = [kept & (rows.fold == fold) for fold in range(int(rows.fold.max()) + 1)]
    elif table is not None and kept.all():
        # Nothing to pick out, and so nothing to copy.
        folds = [slice(None)]
    for here in folds:
        ranked = table if table is not None and len(folds) == 1 else rows.table(score, here)
        pairs = float(ranked.negatives * ranked.positives)
        mean = float(ranked.pairs_in_order) / pairs if pairs > 0 else math.nan
        if pairs > 0:
            place, share = moved[here], (float(shares[0]), float(shares[1]))
            # Of all rows this is the room that is to be filled, of some a copy.
            moved[here] = ranked.placements(score[here], rows.is_positive[here], about=mean, shares=share, out=place)
            rests_on += on_how_many(ranked, mean)
        means.append(mean)
    return _Standing(sum(means) / len(means), rests_on)


def _joint_estimates(
    rows: Rows,
    names: tuple[str, ...],
    values: Floats,
    moved: Floats,
    kept: Bools,
    distribution: str | None,
    rests_on: float,
    of_one: OfOne | None,
) -> Joint:
    classes = []
    for is_here, products in zip((~rows.is_positive, rows.is_positive), rows.products(moved), strict=True):
        side = kept & is_here
        worth = rows.kish(side)
        classes.append(OfClass(shared(rows.bessel(side, worth), products), float(np.diag(worth).min())))
    smaller = min(one.cases for one in classes)
    method = "paired DeLong" if kept.all() else "partially paired DeLong"
    apart = "" if rows.fold is None else ", folds ranked apart"
    joint = Joint(
        "roc_auc", names, values, classes[0].covariance + classes[1].covariance,
        rows.cases(kept), method + apart,
        moved=rows.sums(moved), refusal=too_few_for_areas(smaller),
        target="these classifiers" if rows.fold is None else "the models of these folds",
        alike=None if distribution == "normal" else RANKED_ALIKE,
    )  # fmt: skip
    if rows.cluster is not None:
        spread = spread_between_clusters(rows, moved, kept, "classes")
        method = f"Obuchowski, {counted(rows.units, 'cluster')}{apart}"
        return replace(
            joint, covariance=spread.covariance, freedom=spread.freedom, refusal=spread.refusal, method=method,
            careful=spread.careful(values, of_one),
        )  # fmt: skip
    return held_by_enough(joint, classes, rests_on, distribution)


def held_by_enough(joint: Joint, classes: Sequence[OfClass], rests_on: float, distribution: str | None) -> Joint:
    """AUCs against the normal distribution where enough cases vary, else against t and what their own limits leave."""
    rests_on_enough = min(one.cases for one in classes) >= ENOUGH_FOR_NORMAL and rests_on >= ENOUGH_THAT_VARY
    if distribution == "normal":
        return joint if rests_on_enough else replace(joint, doubt=FEW_VARY)
    joint = replace(joint, classes=tuple(classes))
    if rests_on_enough and distribution is None:
        return joint
    careful = recovered(joint.values, joint.covariance, areas_by_themselves(joint.values, classes))
    how, *apart = joint.method.split(", ", 1)
    return replace(joint, freedom=None, careful=careful, method=", ".join([f"{how}, with MOVER", *apart]))


def joint_binormal(
    names: tuple[str, ...], values: Floats, tables: Sequence[ScoreTable], scores: Sequence[Floats], rows: Rows
) -> Joint:
    """AUCs with the covariance of binormal ones (Obuchowski & McClish 1997), whatever the scores are.

    The line of each curve on normal deviates is fitted to its points; the scores correlate as they do within either
    class.
    """
    lines = [binormal_line(table) for table in tables]
    missing = next((name for name, line in zip(names, lines, strict=True) if line is None), None)
    covariance = np.full((len(names), len(names)), math.nan)
    sides = [np.stack([score[side] for score in scores]) for side in (~rows.is_positive, rows.is_positive)]
    with np.errstate(all="ignore"):
        # A score that does not vary within a class goes together with nothing.
        found = (np.corrcoef(side) if side.shape[1] > 1 else np.eye(len(names)) for side in sides)
        within = [np.nan_to_num(np.asarray(each).reshape(len(names), -1)) for each in found]
    negatives, positives = tables[0].kish
    for i, one in enumerate(lines):
        for j, other in enumerate(lines):
            if one is not None and other is not None:
                r = (1.0, 1.0) if i == j else (float(within[0][i, j]), float(within[1][i, j]))
                covariance[i, j] = obuchowski_covariance(one, other, positives, negatives, r)
    n, why = float(rows.times.sum()), None if missing is None else f"{missing} has no line on normal deviates"
    return Joint("roc_auc", names, values, covariance, n, "paired Obuchowski", refusal=why)


def too_few_for_areas(smaller: float) -> str | None:
    """Why so few cases in the smaller class give no interval of a difference of AUCs; None where they do."""
    if smaller >= FEWEST_CASES:
        return None
    cases = counted(round(smaller), "case")
    return f"{cases} in a class: at least {FEWEST_CASES} needed"


def unpaired_auc(
    first: ScoreTable,
    second: ScoreTable,
    *,
    names: tuple[str, str] = ("first", "second"),
    level: float = 0.95,
    null: float = 0.0,
    method: str | None = None,
) -> Difference:
    """The difference of two AUCs on different cases: DeLong's variances added, with Welch's degrees of freedom.

    Where little varies, the wider limits of that and of those recovered from either AUC's own (Zou 2007). By the
    `method` "DeLong" never those, by "Hanley-McNeil" and "Obuchowski" with their variances and the normal distribution.
    The p-value is that of a difference of `null`.

    >>> one = ScoreTable.of([0.1, 0.4, 0.35, 0.8] * 20, [0, 0, 1, 1] * 20)
    >>> two = ScoreTable.of([0.1, 0.4, 0.2, 0.3] * 20, [0, 0, 1, 1] * 20)
    >>> unpaired_auc(one, two)
    first - second: +0.250 [0.053, 0.444], p = 0.013 (unpaired DeLong, with MOVER)
    >>> unpaired_auc(one, two, method="DeLong").details
    'standard error 0.09806, t with 142.2 degrees of freedom = 2.550'
    """
    level, tables = checked_level(level), (first, second)
    moments = [AucMoments.of(table) for table in tables]
    value, parts = moments[0].auc - moments[1].auc, [_area_variance(table, method) for table in tables]
    sizes = [found.positives + found.negatives for found in moments]
    smaller = min(min(found.positives, found.negatives) for found in moments)
    said = f"unpaired {method or 'DeLong'}"
    found = Difference("roc_auc", *names, value, math.nan, math.nan, level, math.nan, said, sum(sizes), null=null)
    few, error = too_few_for_areas(smaller), math.sqrt(max(sum(parts), 0.0))
    if (few is not None and method is None) or not error > 0:
        return replace(found, undefined=few or NOTHING_VARIES)
    is_welch = method in (None, "DeLong")
    freedom = satterthwaite(list(zip(parts, sizes, strict=True))) if is_welch else math.inf
    half = float(stdtrit(freedom, 0.5 + level / 2)) * error
    p_value = 2 * float(stdtr(freedom, -abs(value - null) / error))
    found = replace(
        found, low=value - half, high=value + half, p_value=p_value, se=error, statistic=(value - null) / error,
        freedom=freedom, caution=few,
    )  # fmt: skip
    rests_on = min(on_how_many(table, one.auc) for table, one in zip(tables, moments, strict=True))
    is_enough = method is not None or min(smaller / 5, rests_on) >= ENOUGH_THAT_VARY
    return found if is_enough else _with_limits_of_each(found, first, second)


def _area_variance(table: ScoreTable, method: str | None) -> float:
    moments = AucMoments.of(table)
    if method == "Hanley-McNeil":
        return hanley_mcneil_variance(moments.auc, moments.positives, moments.negatives)
    if method == "Obuchowski":
        line = binormal_line(table)
        return math.nan if line is None else obuchowski_covariance(line, line, moments.positives, moments.negatives)
    return moments.variance


def _with_limits_of_each(found: Difference, first: ScoreTable, second: ScoreTable) -> Difference:
    """The wider of the usual limits and those recovered from the limits of either AUC."""

    def of_one(k: int, level: float) -> tuple[float, float]:
        one = auc_interval((first, second)[k], level)
        return one.low, one.high

    values = np.array([AucMoments.of(table).auc for table in (first, second)])
    careful = partial(recovered(values, np.eye(2), of_one), 0, 1)
    low, high = careful(found.level)
    p_value = max(found.p_value, p_by_inversion(careful, found.value, found.null))
    if p_value != found.p_value:
        found = replace(found, statistic=None, freedom=None)
    method = f"{found.method}, with MOVER"
    return replace(found, low=min(found.low, low), high=max(found.high, high), p_value=p_value, method=method)


def on_how_many(table: ScoreTable, auc: float) -> float:
    """On how many cases an AUC rests: those off their class's commonest score, and those worth of misranking."""
    return float(min(cases_that_vary(table), min(table.kish) * min(auc, 1 - auc)))


def score_influence(measure: Measure, table: ScoreTable, score: Floats, is_positive: Bools) -> NDArray[np.float64]:
    """How much each case moves a measure of its score table, times the number of cases."""
    if measure.pairs is not None:
        sizes = np.where(is_positive, table.positives, table.negatives)
        auc = float(table.positive @ table.negatives_below) / float(table.negatives * table.positives)
        moved: Floats = measure.pairs.scale * (table.placements(score, is_positive) - auc) * float(table.total) / sizes
        return moved
    if measure.moved_by is None:
        raise OptionError(f"{measure.name} has no influence function", "the bootstrap")
    of_negatives, of_positives = measure.moved_by(table)
    place = table.places(score)
    return np.asarray(np.where(is_positive, of_positives[place], of_negatives[place]))


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
    within = [_within_class_correlation(scores, side, correlation) for side in (~positive, positive)]
    n1, n0 = moments[0].positives, moments[0].negatives
    value = moments[0].auc - moments[1].auc
    empty = Difference(
        "roc_auc", *names, value, math.nan, math.nan, level, math.nan, "Hanley-McNeil", n1 + n0, null=null
    )
    if any(math.isnan(found) for found in within):
        return replace(empty, undefined=CONSTANT)
    areas = (moments[0].auc, moments[1].auc)
    r, said = _correlation_of_areas(areas, (within[0], within[1]), (n1, n0), source)
    return _difference_of_areas(replace(empty, method=f"Hanley-McNeil, r {r:.2g} {said}"), areas, r, (n1, n0))


def _correlation_of_areas(
    areas: tuple[float, float], within: tuple[float, float], sizes: tuple[float, float], source: Source
) -> tuple[float, str]:
    if source == "table":
        r = tabulated_correlation(sum(within) / 2, sum(areas) / 2)
        if not math.isnan(r):
            return r, "from the table"
    said = "by formula" if source == "formula" else "by formula, outside the table"
    return area_correlation(areas, within, sizes), said


def _difference_of_areas(
    found: Difference, areas: tuple[float, float], r: float, sizes: tuple[float, float]
) -> Difference:
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
        return _bivariate_normal_below(h, k, rho, root)


def _bivariate_normal_below(h: Any, k: Any, rho: Any, root: float) -> Any:
    sides = owens_t(h, (k / h - rho) / root) + owens_t(k, (h / k - rho) / root)
    return 0.5 * (ndtr(h) + ndtr(k)) - sides - 0.5 * (h * k < 0)


def tabulated_correlation(within: float, area: float) -> float:
    """The correlation of two AUCs from Table I of Hanley & McNeil (1983), between its entries by straight lines.

    `within` is the mean of the scores' correlations in either class, `area` the mean of the two AUCs; nan outside the
    table. Areas below one half are looked up as their mirror image.

    >>> tabulated_correlation(0.5, 0.8), round(tabulated_correlation(0.51, 0.8125), 4), tabulated_correlation(0.95, 0.8)
    (0.45, 0.455, nan)
    """
    printed = _printed_table()
    return float(
        _interpolation_weights(printed.correlation, within)
        @ printed.r
        @ _interpolation_weights(printed.area, max(area, 1 - area))
    )


def _interpolation_weights(axis: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """How much each entry of an axis counts for a value between two of them; nan beyond its ends."""
    place = np.interp(value, axis, np.arange(len(axis)), left=math.nan, right=math.nan)
    return np.asarray(np.maximum(1 - np.abs(np.arange(len(axis)) - place), 0.0))


@dataclass(frozen=True, eq=False)
class _PrintedTable:
    correlation: NDArray[np.float64]
    area: NDArray[np.float64]
    r: NDArray[np.float64]


@cache
def _printed_table() -> _PrintedTable:
    record = json.loads((files("assay") / "data" / "hanley_mcneil_r.json").read_text(encoding="utf-8"))
    return _PrintedTable(*(np.array(record[name]) for name in ("correlation", "area", "r")))


def _within_class_correlation(scores: list[NDArray[np.float64]], side: NDArray[np.bool_], kind: Correlation) -> float:
    one, two = (score[side] for score in scores)
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(two) == 0:
        return math.nan
    if kind == "pearson":
        return float(np.corrcoef(one, two)[0, 1])
    from scipy.stats import kendalltau

    return float(kendalltau(one, two).statistic)
