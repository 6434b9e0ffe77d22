"""Ranking: do positives score higher than negatives, whatever the scores mean?

One rate where another is fixed, and the first so many cases: points of a ranking, without a threshold to name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import digamma

from assay.evidence import ScoreTable, arrangements, precision_moves, precision_of_others
from assay.measures.kinds import (
    cross_fitted,
    first_of,
    function_of_scores,
    largest_gap,
    smaller_class_below,
    smooth_function,
)
from assay.measures.measure import (
    IntervalFamily,
    IntervalMethod,
    Measure,
    OverFolds,
    Pairs,
    axis_shares,
    named,
    ratio,
    spelt,
)
from assay.request import checked_between, checked_whole
from assay.results import Interval
from assay.uncertainty import (
    LOGIT,
    Between,
    auc_interval,
    auc_moments,
    between_classes,
    class_sizes,
    delong_wald,
    hanley_mcneil,
    newcombe,
    obuchowski,
    plus_four,
)
from assay.uncertainty.curve_bands import MIXTURE, pointwise, sides

A_CLASS_IS_MISSING = "all true labels are of one class, so there is no pair to rank"


def _moment_method(method: Any) -> IntervalMethod:
    def interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        found: Interval = method(auc_moments(table), level)
        return found

    return interval


@function_of_scores(
    IntervalFamily(
        {
            "DeLong, logit": lambda measure, table, level, seed: auc_interval(table, level),
            "DeLong": _moment_method(delong_wald),
            "Hanley-McNeil": _moment_method(hanley_mcneil),
            "Newcombe 5": _moment_method(newcombe),
            "Obuchowski": lambda measure, table, level, seed: obuchowski(table, level),
            "DeLong, small-sample adjusted": lambda measure, table, level, seed: plus_four(table, level),
        }
    ),
    family="ranking",
    title="ROC AUC",
    is_watched=True,
    notation="(pairs in order + pairs tied / 2) / all pairs",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("auc", "auroc", "c_index", "c_statistic", "concordance"),
    pairs=Pairs(),
    of_each_class=True,
    over_folds=OverFolds("ranking"),
    ranks_folds_apart=True,
    clustered=lambda table: _cluster_influence(_gini_influence(table), table, 0.5),
    reference="Bamber (1975); Hanley & McNeil (1982); DeLong, DeLong & Clarke-Pearson (1988); Newcombe (2006)",
    has_sampled_difference=True,
)
def roc_auc(table: ScoreTable) -> Any:
    """Chance that a random positive scores higher than a random negative, ties counted half.

    It is the area under the ROC curve, the c-index, and the Mann-Whitney U over the number of pairs. 0.5 is chance; it
    says nothing about calibration or about any one threshold.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> roc_auc(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).item()
    0.76
    """
    return ratio(table.pairs_in_order, table.positives * table.negatives)


def _cluster_influence(
    influence: tuple[Any, Any], table: ScoreTable, times: float = 1.0, *, mixed: bool = False
) -> Between:
    """What clusters tell of a measure of ranking that moves so with each case."""
    assert table.rows is not None
    lost, won = (times * ratio(side, table.total) for side in table.rows.sums(*influence))
    return between_classes(lost, won, class_sizes(table), mixed=mixed)


def _gini_influence(table: ScoreTable) -> tuple[Any, Any]:
    auc, n = roc_auc(table), table.total
    lost, won = ratio(table.positives_above, table.positives), ratio(table.negatives_below, table.negatives)
    return 2 * ratio(n, table.negatives) * (lost - auc), 2 * ratio(n, table.positives) * (won - auc)


def _gini_method(of_auc: IntervalMethod) -> IntervalMethod:
    """An interval of the AUC carried over to twice it minus one."""

    def interval(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        found = of_auc(roc_auc, table, level, seed)
        se = None if found.se is None else 2 * found.se
        return Interval(2 * found.low - 1, 2 * found.high - 1, found.method, found.undefined, se)

    return interval


@function_of_scores(
    IntervalFamily({name: _gini_method(method) for name, method in roc_auc.intervals.methods.items()}),
    family="ranking",
    title="Gini coefficient",
    notation="2 AUC - 1",
    bounds=(-1.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("gini_coefficient", "somers_d", "dxy", "accuracy_ratio", "gain_capture"),
    reference="Somers (1962)",
    parts=_gini_influence,
    pairs=Pairs(2.0, -1.0),
    of_each_class=True,
    over_folds=OverFolds("ranking"),
    ranks_folds_apart=True,
)
def gini(table: ScoreTable) -> Any:
    """Twice the area under the ROC curve minus one: pairs in order less pairs reversed, as a share of all pairs.

    Also Somers' D of the scores given the class, the accuracy ratio of the cumulative accuracy profile, and what some
    call gain capture. 0 is chance.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> gini(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).item()
    0.52
    """
    return 2 * roc_auc(table) - 1


def _gap_bounds(table: ScoreTable) -> tuple[float, float]:
    """A gap that there is at some threshold between cells, wherever the cases of cells that are not shown stand."""
    reach = table.reach
    assert reach is not None
    shares = []
    for side, hidden in ((table.negative, reach.negatives), (table.positive, reach.positives)):
        called, size = np.cumsum(side[::-1]), side.sum() + hidden
        shares.append((ratio(called, size), ratio(called + hidden, size)))
    (fpr, fpr_high), (recall, recall_high) = shares
    least = max(0.0, float(np.max(np.maximum(recall - fpr_high, fpr - recall_high), initial=0.0)))
    return least, least


@function_of_scores(
    cross_fitted(largest_gap),
    in_cells=_gap_bounds,
    family="ranking",
    title="Kolmogorov-Smirnov statistic",
    notation="max over thresholds of |recall - false-positive rate|",
    bounds=(0.0, 1.0),
    better="higher",
    undefined=A_CLASS_IS_MISSING,
    aliases=("ks_statistic", "kolmogorov_smirnov"),
    reference="Smirnov (1939); Youden (1950)",
    of_each_class=True,
)
def ks(table: ScoreTable) -> Any:
    """Largest difference between the shares of positives and of negatives that a threshold calls positive.

    At the threshold that is the best for these same cases, so it is too large on average. Youden's index at the best
    threshold, unless low scores are those of positives: then it looks the other way.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> ks(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).round(6).item()
    0.6
    """
    recall, fpr = (axis_shares(side[..., ::-1]) for side in (table.positive, table.negative))
    return np.abs(recall - fpr).max(-1)


# From each of these on; what it takes to be called so is nobody's finding.
GRADES = (
    (0.9, "A Outstanding"),
    (0.8, "B Excellent/good"),
    (0.7, "C Acceptable/fair"),
    (0.6, "D Poor"),
    (0.5, "F No discrimination"),
)
BELOW_CHANCE = "below chance: the scores may be inverted"


def auc_grade(auc: float) -> str:
    """The school grade some textbooks give an AUC: a label, never a reason to decide.

    It knows nothing of the uncertainty of the AUC, of costs, of prevalence, or of where two curves cross; what is good
    in one field is poor in another. Each grade takes its lower end in.

    >>> auc_grade(0.906), auc_grade(0.8), auc_grade(0.45)
    ('A Outstanding', 'B Excellent/good', 'below chance: the scores may be inverted')
    """
    if np.isnan(auc):
        return "undefined"
    return next((grade for lower, grade in GRADES if auc >= lower), BELOW_CHANCE)


def _average_precision_influence(table: ScoreTable) -> tuple[Any, Any]:
    """How much a case at each score moves the average precision, as a negative and as a positive."""
    scale, mean = float(ratio(table.total, table.positives)), float(average_precision(table))
    return precision_moves(table.negative, table.positive, scale, mean)


def _too_few_negatives_reason(table: ScoreTable) -> str | None:
    """A few negatives then decide everything (simulated: .76 at a prevalence of .98)."""
    if ratio(table.positives, table.total) <= 0.9:
        return None
    return "more than 90 % of the cases are positive; the interval needs at most 90 %"


def _leave_one_out_precision(table: ScoreTable) -> float:
    """Average precision with each positive left out of the precision it is averaged over.

    Every positive counts itself among the hits at its own threshold, which lifts the plain value when positives are
    few; left out, the precision there is unbiased. Alone at the top it keeps precision 1. It is held to at least half
    the plain value, because near 0 the logit scale is too steep.
    """
    positives = float(table.positives)
    found = precision_of_others(table.negative, table.positive, table.squared_weights[1], 1e-9 * positives)
    corrected = float(ratio(found, positives))
    return max(corrected, float(average_precision(table)) / 2)


def _leave_cluster_out_precision(table: ScoreTable) -> float:
    """The same with each positive's whole cluster left out; where nothing else is called, its plain precision stays."""
    rows = table.rows
    assert rows is not None
    above = np.array([np.cumsum(side[::-1])[::-1] for side in (table.positive, table.positive + table.negative)])
    hits, flagged = (all_of[rows.position] - own for all_of, own in zip(above, rows.own_called(), strict=True))
    plain = ratio(*above)[rows.position]
    precision = np.where(flagged > 1e-9 * table.positives, ratio(hits, flagged), plain)
    corrected = float(ratio((rows.weight * rows.is_positive) @ precision, table.positives))
    return max(corrected, float(average_precision(table)) / 2)


def _average_precision_cluster_influence(table: ScoreTable) -> Between:
    found = _cluster_influence(_average_precision_influence(table), table, mixed=True)
    return replace(found, centre=_leave_cluster_out_precision(table))


def _average_precision_bounds(table: ScoreTable) -> tuple[float, float]:
    """The least that scores in their cells could give, and the most.

    Least where all negatives of a cell stand above its positives, and these one below the other: each has only the
    positives above it beside all those negatives. Most where the positives stand together above the negatives.
    """
    best, worst, *_ = arrangements(table)
    reach = table.reach
    assert reach is not None
    # Where the square of the weights is that of their sum, a single positive has them all.
    is_single = np.isclose(table.positive**2, table.squared_weights[1]) if table.is_weighted else table.positive == 1
    tied = reach.low[(reach.low == reach.high) | is_single]
    # Only scores that positives have say anything.
    at = np.flatnonzero(worst.positive > 0)
    score, positive = worst.score[at], worst.positive[at]
    wrong, hits = (np.cumsum(side[::-1])[::-1][at] for side in (worst.negative, worst.positive))
    place = np.minimum(np.searchsorted(tied, score), max(len(tied) - 1, 0))
    is_tied = (tied[place] == score) & (score != reach.least) if len(tied) else np.zeros(1, dtype=np.bool_)
    together = ratio(positive * hits, hits + wrong)
    above = hits - positive + wrong
    # Sums of 1 / (k + above) over the positives; of weights the integral, which is more: then the precision is less.
    steps = (
        np.log1p(ratio(positive, above)) if table.is_weighted else digamma(above + positive + 1) - digamma(above + 1)
    )
    apart = positive - np.where(wrong > 0, wrong * np.where(above > 0, steps, 0.0), 0.0)
    least = np.where(is_tied, together, apart).sum()
    return float(ratio(least, worst.positives)), float(average_precision(best))


@smooth_function(
    influence=_average_precision_influence,
    in_cells=_average_precision_bounds,
    counts_errors=True,
    clustered=_average_precision_cluster_influence,
    scale=LOGIT,
    centre=_leave_one_out_precision,
    refuses=first_of(smaller_class_below(3, weighted=2), _too_few_negatives_reason),
    family="ranking",
    title="Average precision",
    notation="sum over thresholds of (change of recall) * precision",
    bounds=(0.0, 1.0),
    better="higher",
    undefined="no true label is positive",
    aliases=("ap", "auprc", "pr_auc"),
    reference="Boyd, Eng & Page (2013)",
)
def average_precision(table: ScoreTable) -> Any:
    """Precision averaged over the positives, each at the threshold that just reaches it.

    A step sum, without interpolation. A random ranking reaches the prevalence, so read it beside that.

    >>> scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.51, 0.5, 0.4]
    >>> average_precision(ScoreTable.of(scores, [1, 1, 0, 1, 1, 0, 0, 0, 1, 0])).round(6).item()
    0.821111
    """
    # Both parts add up to the positives, whatever the last digit: so a perfect ranking is at exactly 1.
    right, wrong = table.precision_sums
    return ratio(right, right + wrong)


OPERATING_A_CLASS_IS_MISSING = "all true labels are of one class, so there is no ROC curve"
NOT_SIMULATED = "the cases at the top are chosen by their scores, and no interval around it was simulated"


def recall_at_specificity(specificity: float) -> Measure:
    """Share of the positives that are predicted positive by the threshold that just keeps this specificity:
    `recall(specificity=)`.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> recall_at_specificity(0.75).estimate(table)
    0.500 [0.294, 0.736]
    """
    words = "Share of the positives that are predicted positive"
    return _measure_at("recall", "specificity", specificity, words, from_the_top=True, maker=recall_at_specificity)


def specificity_at_recall(recall: float) -> Measure:
    """Share of the negatives left alone by the threshold that just keeps this recall: `specificity(recall=)`.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> specificity_at_recall(0.75).estimate(table)
    0.500 [0.294, 0.736]
    """
    words = "Share of the negatives that are left alone"
    return _measure_at("specificity", "recall", recall, words, from_the_top=False, maker=specificity_at_recall)


def precision_at(k: float) -> Measure:
    """Share of positives among the `k` cases of the highest scores; of equal scores each case is as likely to be taken.

    >>> table = ScoreTable.of([0.9, 0.5, 0.5, 0.5], [True, True, False, False])
    >>> precision_at(2)(table).round(6).item()
    0.666667
    """
    # Written in brackets every number is a float.
    first = checked_whole(int(k) if isinstance(k, float) and k.is_integer() else k, "k")

    def formula(table: ScoreTable) -> Any:
        positive, cases = table.positive[..., ::-1], (table.negative + table.positive)[..., ::-1]
        before = np.cumsum(cases, axis=-1) - cases
        taken = ratio(np.clip(first - before, 0.0, cases), np.where(cases > 0, cases, 1.0))
        return np.where(table.total >= first, ratio((positive * taken).sum(-1), first), np.nan)[()]

    doc = f"Share of positives among the {first:,} cases of the highest scores, ties broken by chance."
    return _score_measure(
        named(formula, spelt("precision_at", first), doc, __name__),
        IntervalFamily.none(NOT_SIMULATED),
        title=f"Precision at {first:,}",
        notation="positives among the first k / k",
        undefined=f"there are fewer than {first:,} cases",
        made_by=(precision_at, (first,)),
    )


def _measure_at(
    name: str, of: str, asked: float, words: str, *, from_the_top: bool, maker: Callable[[float], Measure]
) -> Measure:
    fixed = checked_between(asked, of, closed=True)
    # Rounded, because 1 - 0.9 is not quite 0.1.
    share = round(1 - fixed, 12)

    def formula(table: ScoreTable) -> Any:
        classes = (table.negative, table.positive)[:: 1 if from_the_top else -1]
        across, up = (axis_shares(side[..., ::-1] if from_the_top else side) for side in classes)
        pairs = zip(across.reshape(-1, across.shape[-1]), up.reshape(-1, up.shape[-1]), strict=True)
        found = np.array([np.interp(share, x, y) if x[-1] == y[-1] == 1 else np.nan for x, y in pairs])
        return found.reshape(across.shape[:-1])[()]

    def limits(measure: Measure, table: ScoreTable, level: float, seed: int) -> Interval:
        negative, positive = sides(table, from_the_top=from_the_top)
        across, up = (negative, positive) if from_the_top else (positive, negative)
        band = pointwise((of, name), across, up, np.array([fixed]), np.array([share]), level)
        low, high = float(band.low[0]), float(band.high[0])
        return Interval(low, high, MIXTURE) if low <= high else Interval.missing(MIXTURE, band.undefined or "")

    doc = f"{words} by the threshold that just keeps a {of} of {fixed:g}."
    return _score_measure(
        named(formula, spelt(name, **{of: fixed}), doc, __name__),
        IntervalFamily({MIXTURE: limits}),
        title=f"{name.capitalize()} at {of} {fixed:g}",
        notation=f"{name} on the ROC curve where {of} is {fixed:g}",
        undefined=OPERATING_A_CLASS_IS_MISSING,
        of_each_class=True,
        made_by=(maker, (fixed,)),
    )


def _score_measure(formula: Callable[[ScoreTable], Any], intervals: IntervalFamily, **facts: Any) -> Measure:
    return function_of_scores(intervals, family="ranking", bounds=(0.0, 1.0), better="higher", **facts)(formula)
