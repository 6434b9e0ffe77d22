"""One rate where another is fixed, and the first so many cases: points of a ranking, without a threshold to name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.evidence import ScoreTable
from assay.measures._kinds import function_of_scores
from assay.measures._measure import IntervalFamily, Measure, axis_shares, named, ratio
from assay.measures._spelling import spelt
from assay.request import checked_between, checked_whole
from assay.results import Interval
from assay.uncertainty.curve_bands import MIXTURE, pointwise, sides

A_CLASS_IS_MISSING = "truth holds a single class, so there is no ROC curve"
NOT_SIMULATED = "the cases at the top are chosen by their scores, and no interval around it was simulated"


def recall_at_specificity(specificity: float) -> Measure:
    """Share of the positives that are found by the threshold that just keeps this specificity: `recall(specificity=)`.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> recall_at_specificity(0.75).estimate(table)
    0.500 [0.294, 0.736]
    """
    words = "Share of the positives that are found"
    return _at("recall", "specificity", specificity, words, from_the_top=True, maker=recall_at_specificity)


def specificity_at_recall(recall: float) -> Measure:
    """Share of the negatives left alone by the threshold that just keeps this recall: `specificity(recall=)`.

    >>> table = ScoreTable.of([0.1, 0.4, 0.3, 0.9] * 10, [False, False, True, True] * 10)
    >>> specificity_at_recall(0.75).estimate(table)
    0.500 [0.294, 0.736]
    """
    words = "Share of the negatives that are left alone"
    return _at("specificity", "recall", recall, words, from_the_top=False, maker=specificity_at_recall)


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
    return _of_scores(
        named(formula, spelt("precision_at", first), doc, __name__),
        IntervalFamily.none(NOT_SIMULATED),
        title=f"Precision at {first:,}",
        notation="positives among the first k / k",
        undefined=f"there are fewer than {first:,} cases",
        made_by=(precision_at, (first,)),
    )


def _at(
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
    return _of_scores(
        named(formula, spelt(name, **{of: fixed}), doc, __name__),
        IntervalFamily({MIXTURE: limits}),
        title=f"{name.capitalize()} at {of} {fixed:g}",
        notation=f"{name} on the ROC curve where {of} is {fixed:g}",
        undefined=A_CLASS_IS_MISSING,
        of_each_class=True,
        made_by=(maker, (fixed,)),
    )


def _of_scores(formula: Callable[[ScoreTable], Any], intervals: IntervalFamily, **facts: Any) -> Measure:
    return function_of_scores(intervals, family="ranking", bounds=(0.0, 1.0), better="higher", **facts)(formula)
